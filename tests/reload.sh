#!/bin/sh
# A world goes on with code that was loaded again: builds two shared libraries and the host of reload.c, runs it.
cd "$(dirname "$0")/.." || exit 2
. tests/sh.inc
begin reload
build="-std=c99 $warnings -isystem $STB -I. tests/reload.c"
if ! $CC -shared -fPIC -x c /dev/null -o "$work/probe.so" 2>/dev/null; then
    skip "hot reload: $CC makes no shared libraries here"
else
    check "the first library compiles" "$CC -O2 -shared -fPIC -DLIBRARY -o $work/first.so $build -lm" &&
        check "the second library compiles" "$CC -O1 -shared -fPIC -DLIBRARY -o $work/second.so $build -lm" &&
        check "the host compiles" "$CC -O1 -D_GNU_SOURCE -o $work/reload $build -ldl -lm -pthread" &&
        check "worlds outlive the library" "$work/reload $work/first.so $work/second.so"
fi
finish
