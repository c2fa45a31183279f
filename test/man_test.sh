#!/bin/bash
# The manual page and the command agree: every verb and option of `palp --help` and `palp VERB --help`
# is on the page and the other way round; groff has nothing to say; the page's examples run.
# usage: test/man_test.sh PALP
set -euo pipefail
palp=$(realpath "$1")
root=$(realpath "$(dirname "$0")/..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

page=$root/doc/palp.1
plain=$work/plain
sed -e 's/\\f[RBI]//g; s/\\-/-/g' "$page" >"$plain"

"$palp" --help | sed -nE 's/^  palp ([a-z]+) .*/\1/p' | while read -r verb; do
    "$palp" "$verb" --help | sed -nE "s/^  (--?[a-z][a-z-]*) .*/$verb \1/p"
    echo "$verb"
done | sort >"$work/command"

# The options of a verb stand between its .SS and the next section.
awk '/^\.S[HS]/ { verb = ($1 == ".SS") ? $3 : ""; if (verb != "") print verb; next }
     verb != "" && /^\.BI? -/ {
         n = split($0, words, /[ ",]+/)
         for (i = 2; i <= n; ++i) if (words[i] ~ /^--?[a-z]/) print verb, words[i]
     }' "$plain" | sort >"$work/page"
diff "$work/command" "$work/page" || {
    echo "the command (<) and its manual page (>) differ" >&2
    exit 1
}
echo "$(wc -l <"$work/page") verbs and options agree"

if command -v groff >/dev/null; then
    said=$(groff -man -Tutf8 -ww -z "$page" 2>&1)
    if [ -n "$said" ]; then echo "$said" >&2 && exit 1; fi
fi

mkdir "$work/bin" && ln -s "$palp" "$work/bin/palp"
export PATH="$work/bin:$PATH" PALP_SCENES="$root/scenes"
awk '/^\.SH EXAMPLES/ { inside = 1; next } inside && /^palp/' "$plain" >"$work/examples"
[ -s "$work/examples" ]
(cd "$work" && bash -euo pipefail examples >/dev/null)
