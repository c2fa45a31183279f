#!/bin/bash
# Binaries against an attacker: none looks for libraries in the current folder, which is tried with one that
# lies in wait there; and those of a release are hardened as cmake/harden.cmake has it.
# usage: test/hardening_test.sh FOLDER [--paths]    --paths: nothing but where libraries are looked for
set -euo pipefail
root=$(realpath "$(dirname "$0")/..")
folder=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "$1" >&2
    exit 1
}

isElf() { [ "$(head -c 4 "$1" | tr -d '\0')" = $'\x7fELF' ]; }

# --- where libraries are looked for

# An entry that is empty or does not begin with / depends on the current folder.
badEntry() { # file
    readelf -d "$1" | sed -nE 's/.*\((RPATH|RUNPATH)\).*\[(.*)\]$/\2/p' | tr ':' '\n' | grep -vE '^/' || true
}

# A file that has such an entry is found out.
echo 'int main(void) { return 0; }' >"$work/main.c"
for path in '/usr/lib:' 'lib' ':/usr/lib'; do
    cc -o "$work/bad" "$work/main.c" -Wl,-rpath,"$path"
    readelf -d "$work/bad" | grep -qE 'RPATH|RUNPATH' || fail "the linker has left out the run path '$path'"
    [ "$(badEntry "$work/bad" | wc -l)" -gt 0 ] || fail "the run path '$path' passes"
done

count=0
while IFS= read -r -d '' file; do
    isElf "$file" || continue
    count=$((count + 1))
    [ "$(badEntry "$file" | wc -l)" -eq 0 ] ||
        fail "$file looks for libraries beside the current folder: $(readelf -d "$file" | grep -E 'RPATH|RUNPATH')"
done < <(find "$folder" -name CMakeFiles -prune -o -type f \( -perm -u+x -o -name '*.so*' \) -print0)
[ "$count" -gt 0 ] || fail "there is no binary in $folder"
echo "$count binaries look for libraries where the system has them"
if [ "${2:-}" = --paths ]; then exit 0; fi

palp=$(find "$folder" -name CMakeFiles -prune -o -type f -name palp -perm -u+x -print | head -1)
library=$(find "$folder" -name CMakeFiles -prune -o -type f -name 'libpalp.so.*' -print | head -1)
[ -n "$palp" ] && [ -n "$library" ] || fail "palp or libpalp.so is missing in $folder"

# In the current folder lies an empty library under the name of each that palp needs: who takes it does not start.
mkdir "$work/here"
for name in $(readelf -d "$palp" "$library" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]$/\1/p' | grep -vE '^(libc|libm|ld-.*)\.so' | sort -u); do
    cc -shared -fPIC -o "$work/here/$name" -x c /dev/null -Wl,-soname,"$name"
done
[ -e "$work/here/libjansson.so.4" ] || fail "palp does not need libjansson"
python=/usr/bin/python3
if ! [ -x $python ]; then python=python3; fi
module() { PYTHONDONTWRITEBYTECODE=1 PALP_LIBRARY=$library PYTHONPATH=$root/python $python -c 'import palp'; }
cd "$work/here"
"$palp" version >/dev/null || fail "palp takes a library of the current folder"
module || fail "import palp takes a library of the current folder"
if LD_LIBRARY_PATH=$work/here "$palp" version >/dev/null 2>&1; then fail "the libraries that lie in wait do nothing"; fi
echo "nothing of the current folder is loaded"

# --- hardening

hasFlag() { # file, pattern, what
    grep -qE "$2" "$work/read" || fail "$1 is without $3"
}

for file in "$palp" "$library"; do
    readelf -hldW --dyn-syms "$file" >"$work/read"
    hasFlag "$file" '^ +Type: +DYN' 'addresses of its own choice (PIE)'
    hasFlag "$file" 'GNU_RELRO' RELRO
    hasFlag "$file" 'BIND_NOW|Flags: .*NOW' BIND_NOW
    hasFlag "$file" 'GNU_STACK +0x[0-9a-f]+ 0x[0-9a-f]+ 0x[0-9a-f]+ 0x[0-9a-f]+ 0x[0-9a-f]+ RW ' 'a stack that is only data'
    hasFlag "$file" '__stack_chk_fail' 'stack protector'
    hasFlag "$file" '__(f|vsn|sn|mem|str)[a-z]*_chk' FORTIFY
done

# The linker marks a program only when the C library's own objects are marked; so ours are looked at.
if [ "$(uname -m)" = x86_64 ] && echo 'int x;' | cc -fcf-protection=full -x c -c - -o "$work/cet.o" 2>/dev/null; then
    archive=$(find "$folder" -name CMakeFiles -prune -o -name libpalp.a -print | head -1)
    [ -n "$archive" ] || fail "libpalp.a is missing in $folder"
    objects=$(ar t "$archive" | wc -l)
    marked=$(readelf -n "$archive" | grep -c 'x86 feature: IBT, SHSTK' || true)
    [ "$objects" -eq "$marked" ] || fail "$marked of $objects objects of $archive are marked for CET"
    echo "$marked objects are marked for CET"
fi
echo "palp and libpalp.so are hardened"
