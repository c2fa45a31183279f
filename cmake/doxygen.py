#!/usr/bin/env python3
"""Reads a header for Doxygen, which knows less of our comments than a reader does:
  - the comment at the top of a file is the file's;
  - a comment speaks of all declarations behind it, up to an empty line or the next comment;
  - one behind a declaration speaks of all names that it declares.
Lines keep their numbers.
"""

import re
import sys

names = re.compile(r"^(\s*(?:const |unsigned )*\w+)\s+(\**\w[\w\[\]*]*(?:,\s*\**\w[\w\[\]*]*)+);$")


def top(lines, file):
    """The leading comment as one of the file."""
    i = 0
    while i < len(lines) and lines[i].startswith("//"):
        text = re.sub(r"[&<>]", r"\\\g<0>", lines[i][2:])
        lines[i] = f"/// \\file {file}{text}" if i == 0 else "///" + text
        i += 1
    return i


def behind(text, comment):
    """A declaration, each of its names with the comment behind it."""
    found = names.match(text)
    parts = [f"{found[1]} {name.strip()};" for name in found[2].split(",")] if found else [text]
    return " ".join(part + (f" /**< {comment} */" if comment else "") for part in parts)


def ahead(text, comment):
    """A declaration, each of its names with the comment ahead of it."""
    found = names.match(text)
    parts = [f"{found[1]} {name.strip()};" for name in found[2].split(",")] if found else [text]
    return " ".join((f"/** {comment} */ " if comment else "") + part for part in parts)


def statement(lines, i):
    """The declaration that begins here, on one line, the comment behind it, and where it ends."""
    text, comment, end = "", [], i
    while True:
        code, mark, said = lines[end].partition("///<")
        text += " " + code.strip() if text else code.rstrip()
        if mark:
            comment.append(said.strip())
        end += 1
        if re.search(r"[;{}]\s*$", text) or end == len(lines) or re.match(r"\s*(///|#|$)", lines[end]):
            break
    while end < len(lines) and re.match(r"\s*///<", lines[end]):
        comment.append(lines[end].partition("///<")[2].strip())
        end += 1
    return text, " ".join(comment), end


def spoken(lines, start):
    """All lines behind the first ones, with comments where Doxygen looks for them."""
    out, i = [], start
    said, fresh, outer = "", False, []  # the last comment; nobody has had it yet; those outside of braces
    while i < len(lines):
        line = lines[i].strip()
        if re.match(r"///(?!<)", line):
            said, fresh, begin = "", True, i
            while i < len(lines) and re.match(r"\s*///(?!<)", lines[i]):
                said += lines[i].strip()[3:]
                i += 1
            out += lines[begin:i]
            continue
        if line == "" or line.startswith("// "):
            said = ""
        inEnum = outer and outer[-1][1] and not line.startswith("}")
        if line == "" or line.startswith(("#", "//", "extern")) or line.endswith("\\") or inEnum:
            again = line.startswith("#define") and said and not fresh
            out.append(f"/** {said.strip()} */ {line}" if again else lines[i])
            fresh = fresh and not line.startswith("#define")
            i += 1
            continue
        text, comment, end = statement(lines, i)
        if text.startswith("}"):
            said = outer.pop()[0] if outer else ""
            new = text
        elif comment:
            new = behind(text, comment)
        elif fresh and not names.match(text):
            new = text  # Doxygen sees the comment by itself
        else:
            new = ahead(text, said.strip())
        if text.endswith("{"):
            outer.append((said, "enum" in text))
            said = ""
        fresh = False
        out += [new] + [""] * (end - i - 1)
        i = end
    return out


def main(path):
    with open(path) as file:
        lines = file.read().split("\n")
    start = top(lines, path.rpartition("/")[2])
    print("\n".join(lines[:start] + spoken(lines, start)))


if __name__ == "__main__":
    main(sys.argv[1])
