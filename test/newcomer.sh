#!/bin/bash
# A newcomer's way on a Debian 12 that has nothing: in an empty root of its own, the sources are built,
# served and packaged as the README says; in another one the packages alone are installed, and run, are
# imported and are linked to. With PALP_FULL every check of ./dev test runs there too.
# usage: test/newcomer.sh [FOLDER]    FOLDER keeps the empty root for the next time; it takes 3 GB
# Skipped, with the reason and exit code 77, where there is no root, no debootstrap or no network.
set -euo pipefail
cd "$(dirname "$0")/.."
mirror=http://deb.debian.org/debian

skip() {
    echo "$1"
    exit 77
}

[ "$(id -u)" -eq 0 ] || skip "only root may make a root of its own"
command -v debootstrap >/dev/null || skip "debootstrap is not installed"
unshare --mount --pid --fork true 2>/dev/null || skip "no namespaces can be made here"
[ "$(df --output=avail -k "${TMPDIR:-/tmp}" | tail -1)" -gt 6000000 ] || skip "6 GB of disk are wanted"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
base=${1:-$scratch}/base

# --- roots

makeBase() {
    local log=$scratch/debootstrap.log
    if [ -e "$base.made" ]; then return 0; fi
    rm -rf "$base"
    mkdir -p "$base"
    debootstrap --variant=minbase bookworm "$base" $mirror >"$log" 2>&1 || {
        tail -3 "$log"
        skip "debootstrap has failed: is there a network?"
    }
    echo "deb $mirror bookworm-updates main" >>"$base/etc/apt/sources.list"
    echo "deb $mirror-security bookworm-security main" >>"$base/etc/apt/sources.list"
    touch "$base.made"
}

# A copy of the empty root, which sees this network as we do: its names, and the certificates of a proxy.
makeRoot() { # name
    cp -a "$base" "$scratch/$1"
    cp -L /etc/resolv.conf /etc/hosts "$scratch/$1/etc/"
    if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then cp -L "$NODE_EXTRA_CA_CERTS" "$scratch/$1/etc/extra.pem"; fi
}

# Tests want shared memory and terminals of their own.
mounts='
mount -t proc proc /proc
mkdir -p /dev/shm /dev/pts
mount -t tmpfs tmpfs /dev/shm
mount -t devpts -o newinstance,ptmxmode=0666 devpts /dev/pts
ln -sf pts/ptmx /dev/ptmx
'

# A script inside a root, with nothing of this environment. Mounts and processes end with it.
inside() { # name, script
    local certificates=()
    if [ -e "$scratch/$1/etc/extra.pem" ]; then certificates=(NODE_EXTRA_CA_CERTS=/etc/extra.pem); fi
    unshare --mount --pid --fork --kill-child env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive "${certificates[@]}" \
        chroot "$scratch/$1" /bin/bash -euo pipefail -c "$mounts$2" </dev/null
}

step() { # what, name, script
    local start=$SECONDS log=$scratch/step.log
    if ! inside "$2" "$3" >"$log" 2>&1; then
        tail -40 "$log"
        echo "FAILED  $1"
        exit 1
    fi
    echo "ok      $1, $((SECONDS - start)) s"
    grep -E '^(palp|steps|angle|installing|[0-9]+ passed) ' "$log" | sed 's/^/        /' | cut -c1-160 || true
}

# A server is started by $1, and its first page is fetched; what it says tells the address. No curl is there.
serveAndFetch='
serveAndFetch() {
    local port="" i
    : >/tmp/serve.log
    "$@" >/tmp/serve.log 2>&1 &
    local server=$!
    for ((i = 0; i < 6000; i++)); do
        port=$(sed -nE "s|.*http://[a-z0-9.]+:([0-9]+).*|\1|p" /tmp/serve.log | head -1)
        if [ -n "$port" ] || ! kill -0 $server 2>/dev/null; then break; fi
        sleep 0.2
    done
    if [ -z "$port" ]; then cat /tmp/serve.log && return 1; fi
    exec 3<>"/dev/tcp/127.0.0.1/$port"
    printf "GET / HTTP/1.1\r\nHost: localhost:%s\r\nConnection: close\r\n\r\n" "$port" >&3
    cat <&3 >/tmp/page.html
    exec 3<&-
    kill $server
    wait $server || true
    head -1 /tmp/page.html
    grep -q "200 OK" /tmp/page.html && grep -qi "<title>palp" /tmp/page.html
}
'

# --- the way

start=$SECONDS
makeBase
echo "ok      an empty Debian 12, $((SECONDS - start)) s"

makeRoot builder
mkdir "$scratch/builder/root/palp"
git ls-files -co --exclude-standard -z | tar --null -T - --ignore-failed-read -cf - 2>/dev/null |
    tar -xf - -C "$scratch/builder/root/palp"
step './dev build' builder 'cd /root/palp; ./dev build; build/palp version; build/palp run pendulum --time 1'
step './dev run' builder "$serveAndFetch"'cd /root/palp; serveAndFetch ./dev run --port 0'
step './dev package' builder 'cd /root/palp; ./dev package'
if [ -n "${PALP_FULL:-}" ]; then step './dev test' builder 'cd /root/palp; ./dev test'; fi

makeRoot user
mkdir "$scratch/user/root/packages"
cp "$scratch/builder/root/palp/out/packages/"*.deb "$scratch/user/root/packages/"
awk '/^```c$/ { inside = 1; next } /^```/ && inside { exit } inside' README.md >"$scratch/user/root/main.c"
cp python/examples/ball.py "$scratch/user/root/"
step 'the packages are installed' user \
    'apt-get update -qq; apt-get install -y -qq --no-install-recommends /root/packages/*.deb; palp version'
step 'palp runs, and serves its page' user \
    "$serveAndFetch"'cd /root; palp run pendulum --time 1; serveAndFetch palp serve --port 0'
step 'the Python example' user \
    'cd /root; apt-get install -y -qq --no-install-recommends python3-numpy; python3 ball.py'
step 'a C project of the outside, shared and static, by pkg-config and by find_package' user '
cd /root
apt-get install -y -qq --no-install-recommends gcc libc6-dev pkg-config cmake make
gcc -std=c17 main.c $(pkg-config --cflags --libs palp) -o main
./main | tee said
gcc -std=c17 main.c $(pkg-config --static --cflags --libs palp | sed "s/-lpalp/-l:libpalp.a/") -o fixed
./fixed | diff said -
printf "%s\n" "cmake_minimum_required(VERSION 3.25)" "project(outside LANGUAGES C)" \
    "find_package(palp REQUIRED)" "add_executable(outside main.c)" \
    "target_link_libraries(outside PRIVATE palp::shared)" >CMakeLists.txt
cmake -B build && cmake --build build
build/outside | diff said -'
echo "a newcomer's way takes $((SECONDS - start)) s"
