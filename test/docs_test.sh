#!/bin/bash
# The reference of the C API is judged as meant: the headers pass, and a function, a type or a field
# without a comment does not. Every command of ./dev that a document names is there, every link leads to
# a file, every public header is in doc/api.md, every document is in the book's table of contents, and every
# room has a page, which names all of its files and only tests that there are. test/docs_commands.py runs the
# commands.
# usage: test/docs_test.sh    after doxygen has passed
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

pages=out/docs/html
if ! grep -q 'plWorld_Step' "$pages/world_8h.html"; then
    echo "the reference does not tell of plWorld_Step" >&2
    exit 1
fi

judge() { # text of a header
    mkdir -p "$work/include"
    printf '// A header.\n\n%s\n' "$1" >"$work/include/bare.h"
    sed -e "s|^INPUT = .*|INPUT = $work/include|; s|^OUTPUT_DIRECTORY.*|OUTPUT_DIRECTORY = $work|" \
        -e '/^USE_MDFILE/d' Doxyfile >"$work/Doxyfile"
    doxygen "$work/Doxyfile" >"$work/log" 2>&1
}

judge '/// Something, and something else.
int plSomething(void);
int plOther(void);

/// A pair.
typedef struct {
    int a, b; ///< both
} plPair;' || { cat "$work/log" && exit 1; }

if judge '/// Something.
int plSomething(void);

int plBare(int);

typedef struct {
    int a; ///< one
} plNothing;

/// A pair.
typedef struct {
    int a; ///< one
    int b;
} plPair;'; then
    echo "a header without comments passed" >&2
    exit 1
fi
for name in plBare plNothing 'Member b (variable) of struct plPair'; do
    grep -q "$name.*is not documented" "$work/log" || { echo "nothing is said of $name" >&2 && exit 1; }
done
[ "$(grep -c 'is not documented' "$work/log")" -eq 3 ]

# --- other documents

documents=(README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md doc/*.md doc/rooms/*.md)
./dev --help | sed -nE 's/^  ([a-z]+) .*/\1/p' | sort >"$work/there"
grep -hoE '\./dev [a-z]+' "${documents[@]}" | cut -d' ' -f2 | sort -u >"$work/named"
comm -13 "$work/there" "$work/named" >"$work/missing"
for header in include/palp/*.h; do
    grep -q "palp/$(basename "$header")" doc/api.md || echo "doc/api.md does not name $header" >>"$work/missing"
done
for document in doc/*.md doc/rooms/*.md; do
    name=${document#doc/}
    [ "$name" = README.md ] || grep -qF "]($name)" doc/README.md || echo "doc/README.md does not lead to $name" >>"$work/missing"
done

# A page names its room's files in code letters, some by a pattern.
checkRoom() { # room
    local page=doc/rooms/$1.md file name pattern named
    if ! [ -e "$page" ]; then echo "$page is not there" && return; fi
    mapfile -t named < <(grep -oE '`[a-z0-9_*]+\.[ch]`' "$page" | tr -d '`' | sort -u)
    for file in "src/$1"/*.[ch]; do
        name=$(basename "$file")
        for pattern in "${named[@]}" "$1.h"; do
            # shellcheck disable=SC2053 # it is a pattern
            if [[ $name == $pattern ]]; then continue 2; fi
        done
        echo "$page does not name $name"
    done
    for name in $(grep -oE '`[a-z0-9_]+_test`' "$page" | tr -d '`' | sort -u); do
        [ -e "test/$name.c" ] || echo "$page: there is no $name"
    done
}

for room in src/*/; do checkRoom "$(basename "$room")" >>"$work/missing"; done
for document in "${documents[@]}"; do
    { grep -oE '\]\([a-zA-Z0-9_./-]+\)' "$document" || true; } | tr -d '])(' | while read -r link; do
        [ -e "$(dirname "$document")/$link" ] || echo "$document: $link is not there" >>"$work/missing"
    done
done
if [ -s "$work/missing" ]; then cat "$work/missing" >&2 && exit 1; fi
