#!/bin/bash
# Installs a finished build into a new prefix, then builds the README's first C program against it,
# once with pkg-config and once with find_package, and runs both.
# usage: test/install_test.sh BUILD_DIRECTORY
set -euo pipefail
build=$(realpath "$1")
root=$(realpath "$(dirname "$0")/..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" >/dev/null

mkdir "$work/user"
awk '/^```c$/ { inside = 1; next } /^```/ && inside { exit } inside' "$root/README.md" >"$work/user/main.c"
if ! [ -s "$work/user/main.c" ]; then
    echo "README.md has no C program" >&2
    exit 1
fi
cd "$work/user"

pc=$(find "$work/prefix" -name palp.pc)
export PKG_CONFIG_PATH=${pc%/*}
echo "with pkg-config, version $(pkg-config --modversion palp)"
read -ra flags <<<"$(pkg-config --cflags --libs palp)"
"${CC:-cc}" -std=c17 -Wall -Wextra -Werror main.c "${flags[@]}" -o with_pkg_config

echo "with find_package"
cat >CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES C)
set(CMAKE_C_STANDARD 17)
find_package(palp REQUIRED)
add_executable(with_find_package main.c)
target_link_libraries(with_find_package PRIVATE palp::palp)
END
unset PKG_CONFIG_PATH
cmake -G Ninja -S . -B build -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
cmake --build build >/dev/null

# The program finds `scenes/` where it was installed, and may write beside itself.
cp -r "$work/prefix/share/palp/." . 2>/dev/null || true
./with_pkg_config
./build/with_find_package
if [ -x "$work/prefix/bin/palp" ]; then "$work/prefix/bin/palp" --help >/dev/null; fi
