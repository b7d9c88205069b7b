#!/bin/sh
# check.sh FOLDER - builds and runs the exercises in a folder, and says which are right
#
#   STB=folder of stb_ds.h   BUILD=folder for programs   CC=gcc   LIMIT=20 seconds for each
here=$(cd "$(dirname "$0")" && pwd) || exit 2
folder=${1:-$here}
STB=${STB:-/usr/include/stb}
BUILD=${BUILD:-$here/../../build/exercises}
CC=${CC:-gcc}
mkdir -p "$BUILD" || exit 2
right=0
all=0
limit=$(command -v timeout >/dev/null 2>&1 && echo timeout ${LIMIT:-20})
for source in "$folder"/0*.c; do
    name=$(basename "$source" .c)
    all=$((all + 1))
    echo "$name"
    if ! $CC -std=c99 -g -Wall -Wextra -isystem "$STB" -I"$here/../.." -I"$here/checks" \
        -o "$BUILD/$name" "$source" -lm > "$BUILD/$name.log" 2>&1; then
        echo "  not yet: it does not compile"
        head -n 12 "$BUILD/$name.log" | sed 's/^/    /'
        continue
    fi
    $limit "$BUILD/$name" 2>&1
    code=$?
    case $code in
    0) right=$((right + 1)) ;;
    1) ;; # it said why
    124) echo "  not yet: it does not come to an end. Does every loop make a step, and stop at the sides?" ;;
    *) echo "  not yet: it crashed (exit code $code). Does it write or read beside an array?" ;;
    esac
done
echo "$right of $all right"
