#!/usr/bin/env python3
"""Every command that a document shows is run, in a scratch copy of the tree, and succeeds.

usage: test/docs_commands.py PALP [--sample]     --sample leaves out those that take long

Commands are the lines of blocks marked sh, indented lines that begin with ./dev or palp, and in unmarked blocks the lines
that begin with a prompt, palp or mpirun.
Those with a placeholder (SCENE, FILE, ...) and those in running text name a verb and options that must be there.
What cannot run in a test is in the list below, with the reason and with what is run instead.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

root = Path(__file__).resolve().parent.parent

# --- what does not run as it is printed: pattern, reason, what is done instead

SERVE, LONG = "serve", "long"  # started, its page fetched, ended; left out of a sample
INSTEAD = [
    (r"\./dev run", "installs, and serves for ever; test/newcomer.sh runs it", "./dev --help"),
    (r"\./dev (test|verify)", "is what runs this", "./dev --help"),
    (r"\./dev (figures|bench|docs|package|coverage)", "installs, and takes minutes; they are checks of their own",
     "./dev --help"),
    (r"palp serve .*--device", "needs a device", "palp doctor --device touch"),
    (r"palp serve", "serves for ever", SERVE),
    (r"palp figure all", "takes minutes; every figure has a test", "palp figure list"),
    (r"palp passivity wall", "takes half a minute", LONG),
    (r"palp run (clip|teapot)\b", "takes ten seconds", LONG),
    (r"cmake --install|cmake -S examples|cmake --build|pkg-config|find_package|^out/examples/",
     "test/install_test.sh does that", "palp version"),
]

PLACEHOLDER = re.compile(r"(?<![\w./=])(\[?[A-Z]{2,}\b(?!=)|\.\.\.|[a-zA-Z]+\|[a-z])")


class Command:
    def __init__(self, document, line, text, said=None):
        self.document, self.line, self.text, self.said = document, line, text, said

    def __str__(self):
        return f"{self.document}:{self.line}: {self.text}"


def blocks(text):
    """Language, number of the first line, and lines of each fenced block."""
    inside, language, first, lines = False, "", 0, []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            if inside:
                yield language, first, lines
            inside, language, first, lines = not inside, line[3:].strip(), number + 1, []
        elif inside:
            lines.append(line)


def joined(first, lines):
    """Lines with those that they go on in."""
    number, text = first, ""
    for offset, line in enumerate(lines):
        if not text:
            number = first + offset
        text += line.lstrip() if text else line
        if text.endswith("\\"):
            text = text[:-1]
            continue
        yield number, text
        text = ""


def commands_of_block(document, language, first, lines):
    if language == "sh":
        for number, text in joined(first, lines):
            text = re.sub(r"(^|\s)#.*", "", text).strip()
            if text:
                yield Command(document, number, text)
    elif language == "":
        printed = list(joined(first, lines))
        for i, (number, text) in enumerate(printed):
            if text.startswith("$ "):
                said = [one for _, one in printed[i + 1:] if one]
                yield Command(document, number, text[2:].strip(), said)
            elif re.match(r"(palp|mpirun) [a-z-]", text):
                # An explanation may stand behind it, in a column of its own.
                yield Command(document, number, re.split(r"\s{3,}", text)[0].strip())


def commands():
    documents = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "doc").rglob("*.md"))]
    for path in documents:
        text = path.read_text()
        name = str(path.relative_to(root))
        for language, first, lines in blocks(text):
            yield from commands_of_block(name, language, first, lines)
        for number, line in enumerate(text.splitlines(), 1):
            if re.match(r" {4}(\./dev|palp|build/palp) [a-z]", line):
                yield Command(name, number, re.sub(r"\s#.*", "", line).strip())


def mentions():
    """`palp VERB --option` in running text."""
    for path in [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "doc").rglob("*.md"))]:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for text in re.findall(r"`((?:build/)?palp [a-z][^`]*|\./dev [a-z][^`]*)`", line):
                yield Command(str(path.relative_to(root)), number, text)


class Runner:
    def __init__(self, palp, work, sample):
        self.palp, self.work, self.sample = palp, work, sample
        self.helps = {}
        self.faults, self.counts = [], {"run": 0, "instead": 0, "named": 0, "left out": 0}
        self.env = dict(os.environ, PATH=f"{work / 'bin'}:{os.environ['PATH']}", PALP_SCENES=str(root / "scenes"),
                        PALP_LIBRARY=str(palp.parent / "libpalp.so"), PYTHONDONTWRITEBYTECODE="1")

    def shell(self, text, folder, seconds=600):
        return subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=folder, env=self.env, timeout=seconds,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def help_of(self, words):
        """What --help says of a command of ./dev or of a verb."""
        if words[0] == "./dev":
            key, text = "./dev", f"{root}/dev --help"
        else:
            key = words[1]
            text = "palp --help" if key.startswith("-") else f"palp {shlex.quote(key)} --help"
        if key not in self.helps:
            done = self.shell(text, self.work)
            self.helps[key] = done.stdout if done.returncode == 0 else None
        return self.helps[key]

    def passed_on(self, name):
        """What knows the options that a command of ./dev passes on."""
        if name == "bench":
            return (root / "bench/bench.c").read_text()
        verb = {"run": "serve", "figures": "figure"}.get(name)
        return self.help_of(["palp", verb]) if verb else ""

    def check_named(self, command):
        """The verb and all options are known to its help."""
        words = command.text.replace("build/palp", "palp").split()
        while words and words[0] not in ("palp", "./dev"):  # mpirun -n 64
            words.pop(0)
        said = self.help_of(words)
        if said is None or (words[0] == "./dev" and not re.search(rf"^  {words[1]} ", said, re.M)):
            self.faults.append(f"{command}: there is no such command")
        if words[0] == "./dev":
            said = (said or "") + self.passed_on(words[1])
        for option in re.findall(r"(?<!\w)--[a-z][a-z-]*", command.text):
            if option != "--help" and said and not re.search(rf"{option}\b", said):
                self.faults.append(f"{command}: there is no option {option}")
        self.counts["named"] += 1

    def serve(self, command, folder):
        """An address is told, and the page is there."""
        text = command.text.replace("--inverse-service", "--inverse-service 0") + " --port 0"
        server = subprocess.Popen(["bash", "-c", "exec " + text], cwd=folder, env=self.env, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            said = server.stdout.readline()
            address = re.search(r"http://[^ #]+", said)
            if not address:
                self.faults.append(f"{command}: told no address: {said}")
            elif b"<title>palp" not in urllib.request.urlopen(address.group(), timeout=10).read():
                self.faults.append(f"{command}: serves another page")
        finally:
            server.terminate()
            server.wait(20)

    def compare(self, command, said):
        """Words agree with what is printed below the command; numbers may be those of another machine."""
        plain = [re.sub(r"[-+]?\d[\d.e+-]*", "#", " ".join(line.split())) for line in said.splitlines() if line]
        for line in command.said:
            line = re.sub(r"[-+]?\d[\d.e+-]*", "#", " ".join(line.split()))
            if line not in plain:
                self.faults.append(f"{command}: the document says \"{line}\", which is not said")
                return

    def run(self, command, folder):
        text = command.text.replace("./dev", str(root / "dev"))
        for pattern, reason, instead in INSTEAD:
            if not re.search(pattern, command.text):
                continue
            if instead == SERVE:
                self.serve(command, folder)
                text = None
            elif instead == LONG:
                if self.sample:
                    text = None
                    self.counts["left out"] += 1
            else:
                text = instead.replace("./dev", str(root / "dev"))
            if text != command.text:
                self.counts["instead"] += 1
                self.check_named(command) if re.search(r"palp|\./dev", command.text) else None
            break
        if text is None:
            return
        done = self.shell(text, folder)
        if done.returncode != 0:
            self.faults.append(f"{command}: code {done.returncode}\n{done.stdout[-800:]}")
        elif command.said:
            self.compare(command, done.stdout)
        self.counts["run"] += 1


def scratch(work, palp):
    """A tree as it is behind ./dev build, whose files a command may not change."""
    (work / "bin").mkdir()
    (work / "bin/palp").symlink_to(palp)
    # The system's own Python has the system's own numpy; another one that comes first in the path has not.
    if Path("/usr/bin/python3").exists():
        (work / "bin/python3").symlink_to("/usr/bin/python3")
    for document in ("README.md", "other"):
        folder = work / document
        (folder / "build").mkdir(parents=True)
        (folder / "build/palp").symlink_to(palp)
        for name in ("scenes", "python", "view"):
            (folder / name).symlink_to(root / name)


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    palp = Path(sys.argv[1]).resolve()
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        runner = Runner(palp, Path(name), "--sample" in sys.argv[2:])
        scratch(runner.work, palp)
        for command in commands():
            folder = runner.work / ("README.md" if command.document == "README.md" else "other")
            if PLACEHOLDER.search(command.text):
                runner.check_named(command)
            else:
                runner.run(command, folder)
        for mention in mentions():
            runner.check_named(mention)
    for fault in runner.faults:
        print(fault, file=sys.stderr)
    told = ", ".join(f"{count} {what}" for what, count in runner.counts.items())
    print(f"commands of documents: {told}; {len(runner.faults)} failed; {time.monotonic() - start:.0f} s")
    return 1 if runner.faults or runner.counts["run"] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
