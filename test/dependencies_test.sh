#!/bin/bash
# doc/dependencies.md is whole and true: it names every library that palp and libpalp.so are linked with, every
# package that ./dev installs, and every module of the page; and versions are those that are installed here, where
# this is Debian 12. A library that is not on the page is found out.
# usage: test/dependencies_test.sh BUILD_DIRECTORY
set -euo pipefail
root=$(realpath "$(dirname "$0")/..")
build=$(realpath "$1")
page=$root/doc/dependencies.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

named() { # a word, on a line of a table
    grep -E '^\|' "$page" | tr -c 'A-Za-z0-9_.+\n-' ' ' | grep -qE "(^| )${1//+/\\+}( |$)"
}

if named libnothing.so.1; then echo "the page is said to name what it does not" >&2 && exit 1; fi

{
    readelf -d "$build/palp" "$build/libpalp.so" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]$/\1/p' | grep -vE '^libpalp\.'
    # What ./dev installs: its list, and the words behind installAlso and the like.
    sed -nE '/^packages=\(/,/\)/p' "$root/dev" | sed 's/^packages=(//; s/)$//'
    sed -nE 's/.*installAlso ([a-z0-9 +.-]+).*/\1/p; s/.*packages=\(([a-z][a-z0-9 +.-]+)\)$/\1/p; s/.*for package in ([a-z0-9 +.-]+); do$/\1/p' "$root/dev"
    sed -nE '/"dependencies"/,/\}/s/^ *"([a-z-]+)": "[0-9].*/\1/p' "$root/view/package.json" "$root/test/page/package.json"
} | tr -s ' ' '\n' | grep . | sort -u >"$work/there"
[ "$(wc -l <"$work/there")" -gt 40 ] || { echo "only $(wc -l <"$work/there") dependencies are found" >&2 && exit 1; }

while read -r name; do
    named "$name" || echo "doc/dependencies.md does not name $name"
done <"$work/there" >"$work/missing"

# Modules have the version of package.json, packages that of the system as far as the page has its digits.
version() { sed -nE "s/.*\| ${1//./\\.} (\(npm\) )?\| ([0-9.]+) \|.*/\2/p" "$page" | head -1; }
while read -r name said; do
    [ "$(version "$name")" = "$said" ] || echo "doc/dependencies.md has $name $(version "$name"), not $said"
done < <(sed -nE '/"dependencies"/,/\}/s/^ *"([a-z-]+)": "([0-9.]+)".*/\1 \2/p' "$root/view/package.json" "$root/test/page/package.json") >>"$work/missing"

if grep -qsE '^VERSION_ID="12"' /etc/os-release && command -v dpkg-query >/dev/null; then
    while IFS='|' read -r _ _ _ package said _; do
        package=$(tr -d ' ' <<<"$package") said=$(tr -d ' ' <<<"$said")
        has=$(dpkg-query -W -f '${Version}' "$package" 2>/dev/null | sed 's/^[0-9]*://') || continue
        [[ -z $has || $has == "$said"[-+.~]* ]] || echo "doc/dependencies.md has $package $said, installed is $has"
    done < <(grep -E '^\|.*\| [a-z0-9.-]+ \| [0-9][0-9.]+ \|.*\|' "$page") >>"$work/missing"
fi
if [ -s "$work/missing" ]; then cat "$work/missing" >&2 && exit 1; fi
echo "$(wc -l <"$work/there") dependencies are on the page"
