#!/bin/sh
# The live page of examples/web: its module in node, the page in a headless Chromium with real clicks. Pictures of it go
# to build/web/. It needs what make web-test installs; make test runs it where all that is there.
#
#   STB=folder of stb_ds.h

cd "$(dirname "$0")/.." || exit 2
make -s web ${STB:+STB="$STB"} > /dev/null || { echo "0 passed, 1 failed"; exit 1; }
clang --target=wasm32-wasi -std=c99 -msimd128 -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion \
    -Wshadow -Wcast-qual -Werror -isystem "${STB:-build/stb}" -I. examples/web/glue.c ||
    { echo "0 passed, 1 failed"; exit 1; }
timeout 300 node tests/web.mjs build/web/sap.wasm build/web/sap.html build/web
