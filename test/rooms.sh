#!/bin/bash
# Checks that every file includes only its own room, the doors of the rooms above it, public headers
# and system headers, and that public headers include no room. Prints each offence; exits 1 if any.
# usage: test/rooms.sh [root of the repository]
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

rooms=(base math record shape soft mechanism collide contact law device coupling world scene runtime serve)
offences=0

offend() {
    echo "$1"
    offences=$((offences + 1))
}

rank() { # place of a room in the list; fails for another name
    local i
    for i in "${!rooms[@]}"; do
        if [ "${rooms[$i]}" = "$1" ]; then echo "$i" && return; fi
    done
    return 1
}

checkInclude() { # file:line, its room or "palp", included path
    local place=$1 room=$2 path=$3
    local other=${path%%/*}
    if [ "$other" = palp ]; then
        [ -f "include/$path" ] || offend "$place: $path is no public header"
    elif [ "$room" = palp ]; then
        offend "$place: a public header includes $path"
    elif [ "$other" = "$room" ] || [[ $other == "$path" && -f src/$room/$path ]]; then
        [[ $path != *..* ]] || offend "$place: $path leaves its room"
    elif ! rank "$other" >/dev/null; then
        offend "$place: $path is of no room"
    elif [ "$(rank "$other")" -gt "$(rank "$room")" ]; then
        offend "$place: room $room includes $path of $other, which is below it"
    elif [ "$path" != "$other/$other.h" ]; then
        offend "$place: $path is not the door of its room ($other/$other.h)"
    fi
}

for directory in src/*/ include/palp/; do
    room=$(basename "$directory")
    if [ "$room" != palp ] && ! rank "$room" >/dev/null; then
        offend "$directory: not in the list of rooms"
        continue
    fi
    while IFS=: read -r file line text; do
        path=${text#*[\"<]}
        path=${path%%[\">]*}
        # In angle brackets only what is not ours.
        if [[ $text == *\<* && ! -e src/$path && ! -e include/$path ]]; then continue; fi
        checkInclude "$file:$line" "$room" "$path"
    done < <(grep -rnE --include='*.[ch]' '^[[:space:]]*#[[:space:]]*include' "$directory" || true)
done

if [ "$offences" -gt 0 ]; then
    echo "$offences places break the order of the rooms"
    exit 1
fi
