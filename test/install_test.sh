#!/bin/bash
# An installed palp as a stranger meets it. The README's first C program is built against it with
# pkg-config and with find_package, shared and static, and all say the same; the library shows what its
# headers declare and nothing else; the Python module and the command agree; the page finds all that it
# imports.
# usage: test/install_test.sh BUILD_DIRECTORY    installs it into a new prefix
#        test/install_test.sh --prefix PREFIX    looks at what is there
set -euo pipefail
root=$(realpath "$(dirname "$0")/..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ "$1" = --prefix ]; then
    prefix=$(realpath "$2")
else
    prefix=$work/prefix
    cmake --install "$(realpath "$1")" --prefix "$prefix" >/dev/null
fi
pc=$(find "$prefix" -name palp.pc)
lib=$(dirname "${pc%/*}")
cc=("${CC:-cc}" -std=c17 -Wall -Wextra -Werror)

fail() {
    echo "$1" >&2
    exit 1
}

# --- C

mkdir "$work/user"
cd "$work/user"
awk '/^```c$/ { inside = 1; next } /^```/ && inside { exit } inside' "$root/README.md" >main.c
[ -s main.c ] || fail "README.md has no C program"

export PKG_CONFIG_PATH=$lib/pkgconfig
echo "with pkg-config, version $(pkg-config --modversion palp)"
read -ra flags <<<"$(pkg-config --cflags --libs palp)"
"${cc[@]}" main.c "${flags[@]}" -o shared
readelf -d shared | grep -q 'NEEDED.*libpalp\.so\.' || fail "the program does not use the shared library"
read -ra flags <<<"$(pkg-config --static --cflags --libs palp)"
"${cc[@]}" main.c "${flags[@]/#-lpalp/-l:libpalp.a}" -o static
unset PKG_CONFIG_PATH

echo "with find_package"
cat >CMakeLists.txt <<CMAKE
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES C)
set(CMAKE_C_STANDARD 17)
find_package(palp REQUIRED)
add_executable(found_static main.c)
target_link_libraries(found_static PRIVATE palp::palp)
add_executable(found_shared main.c)
target_link_libraries(found_shared PRIVATE palp::shared)
CMAKE
cmake -G Ninja -S . -B build -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build build >/dev/null

export LD_LIBRARY_PATH=$lib
for program in ./shared ./static build/found_static build/found_shared; do
    "$program" | tee -a said
done
[ "$(sort -u said | wc -l)" -eq 1 ] || fail "the programs do not say the same"

# --- a stranger's project: his own kinds, each judged by its own last word

cp -r "$root/examples" strangers
cmake -G Ninja -S strangers -B strangers/build -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build strangers/build >/dev/null
for source in "$root"/examples/*.c; do
    name=$(basename "$source" .c)
    [ "$(wc -l <"$source")" -lt 100 ] || fail "examples/$name.c has 100 lines or more"
    ! grep -q '#include "' "$source" || fail "examples/$name.c includes what is not installed"
    strangers/build/"$name" | tee own_said
    [ "$(tail -1 own_said)" = ok ] || fail "examples/$name is wrong"
done

# --- the command, the module, the page

data=$prefix/share/palp
export PALP_SCENES=$data/scenes
said=$("$prefix/bin/palp" run pendulum --time 0.1)
unset PALP_SCENES LD_LIBRARY_PATH
module=$(dirname "$(find "$prefix" -path '*/palp/__init__.py')")
hash=$(PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=${module%/palp} python3 -c "
import palp
world = palp.World('pendulum', {'time': 0.1})
world.run()
print(f'{world.hash:016x}')")
[[ $said == *"hash $hash" ]] || fail "the command says $said, the module $hash"
echo "$said"

man=$prefix/share/man/man1/palp.1.gz
zcat "$man" | cmp - "$root/doc/palp.1" || fail "the manual page is another one"

if [ -f "$data/view/node_modules/three/LICENSE" ]; then
    (cd "$data/view" && node "$root/test/imports.mjs" index.html)
elif [ "${1:-}" = --prefix ]; then
    fail "the viewer's libraries are missing"
fi

# --- what the library shows, by the compiler's own list of declarations

echo '#include <palp/palp.h>' >declared.c
gcc -I"$prefix/include" -aux-info declared.txt -fsyntax-only declared.c
grep -F "$prefix/include/palp/" declared.txt | grep -oE '\bpl[A-Z][A-Za-z0-9_]* \(' | tr -d ' (' |
    sort -u >declared
nm -D --defined-only "$lib/libpalp.so" | awk '$2 != "A" { sub("@.*", "", $3); print $3 }' | sort -u >shown
echo "$(wc -l <shown) functions shown, $(wc -l <declared) declared"
diff declared shown || fail "the headers (<) and the shared library (>) differ"
