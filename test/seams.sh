#!/bin/bash
# Checks that code asks no kind outside its room: others see operations and traits. Prints each place with
# file and line, and the count of each seam; exits 1 if there is any.
# usage: test/seams.sh [seam...]    (mechanism, law, coupling; without them all)
#
# What counts, comments left out:
#   mechanism  a function of src/mechanism/mechanism.h whose name is a question for a kind (plMechanism_Is...,
#              plMechanism_FixedStep), anywhere; a member that only one kind has (->flesh, ->jointed, ->chain,
#              ->prescribed, ->target, kind->body), the private part (->own), or a name that begins with plFlesh,
#              plJointed, plChain, plTree, plRigid or plPrescribed, in a file of src/mechanism that is not of that kind
#   law        a comparison with a law's table (== &plConeLaw) or with an entry of the list of laws
#              (== pl_lawCone), outside src/law
#   coupling   a comparison with an entry of the list of couplings (== pl_couplingGrip, case pl_couplingGrip:),
#              outside src/coupling, and outside src/scene, which reads the definition of each kind
set -euo pipefail
cd "$(dirname "$0")/.."

total=0

# Lines of C without comments and strings, as file:line:text.
code() { # files...
    awk '{ text = $0
           gsub(/"([^"\\]|\\.)*"/, "\"\"", text)
           if (inside) { if (!match(text, /\*\//)) next; text = substr(text, RSTART + 2); inside = 0 }
           while (match(text, /\/\*/)) {
               rest = substr(text, RSTART + 2); text = substr(text, 1, RSTART - 1)
               if (match(rest, /\*\//)) text = text substr(rest, RSTART + 2); else { inside = 1; break } }
           sub(/\/\/.*/, "", text)
           print FILENAME ":" FNR ":" text }' "$@"
}

count() { # name, pattern; reads lines of code
    local found
    found=$(grep -E -e "$2" || true)
    if [ -z "$found" ]; then return 0; fi
    echo "$found" | sed "s/^/$1: /"
    total=$((total + $(echo "$found" | wc -l)))
}

sources() { # folders to leave out...
    local out=()
    for folder; do out+=(-not -path "src/$folder/*"); done
    find src include app figures -name '*.[ch]' "${out[@]}" | sort
}

# Names of a kind, in files of src/mechanism that are not its own.
kindInside() { # pattern of names, pattern of its files
    local files
    files=$(find src/mechanism -name '*.[ch]' | grep -vE "/($2)\.[ch]$" | sort)
    count mechanism "$1" < <(code $files)
}

mechanism() {
    count mechanism 'plMechanism_(Is(Soft|Prescribed|Jointed|Chain|Assembly|Rigid)|FixedStep)\b' < <(code $(sources))
    kindInside '(->flesh|\bplFlesh[A-Z_])' 'flesh[a-z_]*'
    kindInside '(->jointed|\bplJointed(_|[A-CE-Z]))' 'jointed[a-z_]*'
    kindInside '(->chain|\bpl(Chain|Tree)(_|Ops))' 'chain[a-z_]*|tree|joint|beam'
    kindInside '(->(prescribed|target)|\bplPrescribed_)' 'prescribed'
    kindInside '(kind->body|\bplRigid[A-Z_])' 'rigid|assembly|prescribed|flesh[a-z_]*'
    kindInside '->own\b' 'own|rigid|assembly|prescribed|flesh[a-z_]*|jointed[a-z_]*|chain[a-z_]*|tree|joint|beam'
}

law() { count law '[!=]= *(&pl[A-Z][A-Za-z]*Law\b|pl_law[A-Z])|case pl_law[A-Z]' < <(code $(sources law)); }

coupling() { count coupling '([!=]=|[<>]=?|case) *pl_coupling[A-Z]' < <(code $(sources coupling scene)); }

if [ $# -eq 0 ]; then set -- mechanism law coupling; fi
for seam; do
    before=$total
    "$seam"
    echo "$seam: $((total - before))"
done
[ "$total" -eq 0 ]
