#!/bin/bash
# Debian packages as a stranger gets them: each has its files and says what it needs, no file is in two,
# nothing tells where it was built, and together, unpacked, they are an installed palp.
# usage: test/package_test.sh FOLDER
set -euo pipefail
folder=$(realpath "$1")
root=$(realpath "$(dirname "$0")/..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "$1" >&2
    exit 1
}

has() { # package, pattern of a path
    grep -qE "^$1 $2\$" "$work/files" || fail "$1 has no $2"
}

needs() { # package, field, pattern
    dpkg-deb -f "$folder/$1"_*.deb "$2" | grep -qE "$3" || fail "$1 does not say $2: $3"
}

for package in "$folder"/*.deb; do
    dpkg-deb -x "$package" "$work/root"
    name=$(dpkg-deb -f "$package" Package)
    dpkg-deb --fsys-tarfile "$package" | tar -t | grep -v '/$' | sed "s|^\.|$name |" >>"$work/files"
done
echo "$(wc -l <"$work/files") files"
cut -d' ' -f2 "$work/files" | sort | uniq -d >"$work/twice"
if [ -s "$work/twice" ]; then cat "$work/twice" && fail "these are in two packages"; fi

library=$(cut -d' ' -f1 "$work/files" | grep -E '^libpalp[0-9]' | head -1)
has palp /usr/bin/palp
has palp /usr/share/palp/scenes/arm.json
has palp /usr/share/palp/view/node_modules/three/build/three.module.js
has palp /usr/share/man/man1/palp.1.gz
has palp /usr/share/bash-completion/completions/palp
has palp /usr/share/zsh/vendor-completions/_palp
has palp /usr/share/fish/vendor_completions.d/palp.fish
has "$library" '/usr/lib/.*/libpalp.so.[0-9.]+'
has libpalp-dev '/usr/lib/.*/libpalp.a'
has libpalp-dev '/usr/lib/.*/libpalp.so'
has libpalp-dev '/usr/lib/.*/pkgconfig/palp.pc'
has libpalp-dev '/usr/lib/.*/cmake/palp/palpConfig.cmake'
has libpalp-dev /usr/include/palp/palp.h
has python3-palp /usr/lib/python3/dist-packages/palp/__init__.py
needs palp Depends libjansson4
needs "$library" Depends libc6
needs libpalp-dev Depends "$library \(= "
needs python3-palp Depends "$library \(>= "
needs python3-palp Recommends python3-numpy
needs python3-palp Architecture '^all$'

if grep -rlaF "$root" "$work/root"; then fail "these tell where they were built"; fi
"$root/test/hardening_test.sh" "$work/root/usr"
"$root/test/install_test.sh" --prefix "$work/root/usr"
