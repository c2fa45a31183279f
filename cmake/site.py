#!/usr/bin/env python3
"""The front page of the built documents: out/docs/index.html over the book, the reference of the C API, the
figures and the bench, with what the last two found.

usage: cmake/site.py DOCS     DOCS holds html, and figures and bench where they were made
"""

import csv
import html
import json
import sys
from pathlib import Path

STYLE = """
:root { --paper: #fbfaf8; --card: #fff; --ink: #1f2328; --soft: #5c636b; --line: #e2e0db; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #15171a; --card: #1b1e22; --ink: #e6e4df; --soft: #a0a6ad; --line: #33373d; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 17px/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif; }
main { max-width: 46rem; margin: 0 auto; padding: 3rem 1.25rem 5rem; }
h1 { font-size: 2.1rem; line-height: 1.15; margin: 0 0 .4rem; letter-spacing: -.015em; }
p { margin: 0 0 1.5rem; color: var(--soft); }
a.card { display: block; margin: 0 0 1rem; padding: 1rem 1.25rem; background: var(--card); color: inherit;
  border: 1px solid var(--line); border-radius: .6rem; text-decoration: none; }
a.card:hover, a.card:focus-visible { border-color: var(--soft); }
a.card b { display: block; font-size: 1.15rem; }
a.card span { color: var(--soft); }
"""


def figures(folder):
    """How many claims of the papers there are, by verdict."""
    files = list(folder.glob("*.json"))
    claims = [claim for path in files for claim in json.loads(path.read_text())["claims"]]
    verdicts = [claim["verdict"] for claim in claims]
    printed, differs, fails = (verdicts.count(name) for name in ("as printed", "differs", "fails"))
    return (
        f"{len(files)} figures of the papers, recomputed and judged: {printed} claims as printed, "
        f"{differs} differ, {fails} fail."
    )


def bench(folder):
    """How many rows have a bar, and how many meet it."""
    with open(folder / "rows.csv", newline="") as file:
        rows = [row for row in csv.DictReader(file) if float(row["bar"]) > 0]
    met = sum(row["met"] == "1" for row in rows)
    return f"Beside other engines: {met} of {len(rows)} rows with a bar meet it."


def card(link, title, text):
    return f'<a class="card" href="{link}"><b>{html.escape(title)}</b><span>{html.escape(text)}</span></a>'


def main():
    docs = Path(sys.argv[1])
    cards = [
        card("html/index.html", "The book", "Start here, concepts, scenes, laws, devices, passivity; for contributors, a page per room."),
        card("html/files.html", "The C API", "Every public header, function and field."),
    ]
    if (docs / "figures/index.html").exists():
        cards.append(card("figures/index.html", "The figures", figures(docs / "figures")))
    if (docs / "bench/index.html").exists():
        cards.append(card("bench/index.html", "The bench", bench(docs / "bench")))
    page = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>palp</title>
<style>{STYLE}</style>
</head>
<body>
<main>
<h1>palp</h1>
<p>Haptic rendering and interactive simulation, with an owner for every joule.</p>
{chr(10).join(cards)}
</main>
</body>
</html>
"""
    (docs / "index.html").write_text(page)


if __name__ == "__main__":
    main()
