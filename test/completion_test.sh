#!/bin/bash
# Shell completion: verbs, options, values and scenes that the command has are offered, in bash by running it; the
# files of zsh and fish are read by their shells where these are installed.
# usage: test/completion_test.sh PALP
set -euo pipefail
palp=$(realpath "$1")
root=$(realpath "$(dirname "$0")/..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" && ln -s "$palp" "$work/bin/palp"
export PATH="$work/bin:$PATH" PALP_SCENES="$root/scenes"
cd "$work"
touch trace.csv

# shellcheck disable=SC1091
source "$root/app/completion/palp.bash"

offers() { # words of a line, the last one as far as it is written
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _palp
    printf '%s\n' "${COMPREPLY[@]}" | sort -u
}

expect() { # what is offered, in order and with blanks between; words of the line
    local wanted=$1 found
    shift
    found=$(offers "$@" | paste -sd' ')
    [ "$found" = "$wanted" ] || {
        echo "for \"$*\" expected \"$wanted\", found \"$found\"" >&2
        exit 1
    }
}

expect 'replay run' palp r
expect '--record' palp run --rec
expect '--law' palp run pendulum --la
expect 'cone' palp run pendulum --law c
expect 'explicit' palp run --integrator e
expect 'penalty' palp run --law p
expect 'trace.csv' palp run --record tr
expect '' palp run --time 1
expect 'pendulum pendulum-links' palp run pend
expect 'pendulum pendulum-links' palp list --channels pend
expect 'trace.csv' palp plot tr
expect '-o' palp plot trace.csv -o
expect 'pmi-1 pmi-10 pmi-11 pmi-12 pmi-13 pmi-14 pmi-15 pmi-16 pmi-17 pmi-18 pmi-19' palp figure pmi-1

# Every verb and every option of each.
verbs=$("$palp" --help | sed -nE 's/^  palp ([a-z]+) .*/\1/p')
[ "$(offers palp '' | grep -vc '^-')" -eq "$(wc -l <<<"$verbs")" ]
count=0
for verb in $verbs; do
    for option in $("$palp" "$verb" --help | sed -nE 's/^  (--[a-z-]+) .*/\1/p'); do
        offers palp "$verb" "$option" | grep -qx -- "$option" || { echo "no $option of $verb" >&2 && exit 1; }
        count=$((count + 1))
    done
done
echo "$(wc -l <<<"$verbs") verbs and $count options are offered"

if command -v zsh >/dev/null; then zsh -n "$root/app/completion/_palp"; else echo "zsh is not installed"; fi
if command -v fish >/dev/null; then
    fish --no-config -c "source $root/app/completion/palp.fish; complete -C 'palp run --law c'" | grep -q '^cone'
else
    echo "fish is not installed"
fi
