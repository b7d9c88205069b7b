#!/bin/sh
# The live page of examples/web: its module in node, the page in a headless Chromium with real clicks and keys. Pictures
# of it go to build/web/. It needs what make web-test installs; make test-all runs it where all that is there.
#
#   STB=folder of stb_ds.h

cd "$(dirname "$0")/.." || exit 2
# With a wasm-opt in the way that refuses all, as Debian's does with SIMD: nothing may call it.
mkdir -p build/web/refuses
printf '#!/bin/sh\necho "wasm-opt was called" >&2\nexit 1\n' > build/web/refuses/wasm-opt
chmod +x build/web/refuses/wasm-opt
rm -f build/web/sap.wasm
PATH=$(pwd)/build/web/refuses:$PATH make -s web ${STB:+STB="$STB"} > /dev/null || { echo "0 passed, 1 failed"; exit 1; }
for part in glue steps play; do
    clang --target=wasm32-wasi -std=c99 -msimd128 -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion \
        -Wshadow -Wcast-qual -Werror -isystem "${STB:-build/stb}" -I. examples/web/$part.c ||
        { echo "0 passed, 1 failed"; exit 1; }
done
timeout 400 node tests/web.mjs build/web/sap.wasm build/web/sap.html build/web
