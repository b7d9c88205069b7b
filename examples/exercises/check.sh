#!/bin/sh
# check.sh FOLDER - builds and runs the exercises in a folder, and says which are right
#
#   BUILD=folder for programs   CC=gcc   LIMIT=20 seconds for each   SANITIZE=flags; none if empty
here=$(cd "$(dirname "$0")" && pwd) || exit 2
folder=${1:-$here}
BUILD=${BUILD:-$here/../../build/exercises}
CC=${CC:-gcc}
mkdir -p "$BUILD" || exit 2
flags="-std=c99 -g -Wall -Wextra -DCHECK_SECONDS=${LIMIT:-20}"
if [ -z "${SANITIZE+set}" ]; then
    SANITIZE="-fsanitize=address,undefined -fno-sanitize-recover=all"
    echo 'int main(void) { return 0; }' > "$BUILD/probe.c"
    $CC $SANITIZE -o "$BUILD/probe" "$BUILD/probe.c" >/dev/null 2>&1 && "$BUILD/probe" >/dev/null 2>&1 || SANITIZE=
fi
[ -n "$SANITIZE" ] && flags="$flags $SANITIZE -DCHECK_SANITIZED"
ASAN_OPTIONS=detect_leaks=0:abort_on_error=1   # the checker catches the signal, and prints what it has given
UBSAN_OPTIONS=abort_on_error=1
export ASAN_OPTIONS UBSAN_OPTIONS
right=0
all=0
for source in "$folder"/0*.c; do
    name=$(basename "$source" .c)
    all=$((all + 1))
    echo "$name"
    if ! $CC $flags -I"$here/../.." -I"$here/checks" -o "$BUILD/$name" "$source" "$here/checks/$name.c" -lm \
        > "$BUILD/$name.log" 2>&1; then
        echo "  not yet: it does not compile"
        head -n 12 "$BUILD/$name.log" | sed 's/^/    /'
        continue
    fi
    (
        ulimit -f 8192   # 4 MB of output
        "$BUILD/$name" > "$BUILD/$name.log" 2> "$BUILD/$name.errors"
        exit $?
    ) 2>/dev/null
    code=$?
    if [ "$(wc -c < "$BUILD/$name.log")" -gt 1000000 ]; then
        echo "  not yet: it prints without an end"
        head -c 100 "$BUILD/$name.log" | head -n 3 | sed 's/^/    /'
        echo
        continue
    fi
    cat "$BUILD/$name.log"
    grep -v "#[0-9].*/checks/$name.c" "$BUILD/$name.errors" |   # a caller is the checker
        grep -e 'runtime error' -e 'ERROR: ' -e "#[0-9].*$name" -e '^[^=# ]' | head -n 8 | sed 's/^ */    /'
    if [ $code = 0 ]; then right=$((right + 1))
    elif grep -q '  not yet: ' "$BUILD/$name.log"; then :
    elif [ $code = 142 ]; then echo "  not yet: it does not come to an end"
    else echo "  not yet: it crashed (exit code $code). Does a function call itself without an end?"
    fi
done
echo "$right of $all right"
