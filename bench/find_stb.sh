#!/bin/sh
# find_stb.sh DIRECTORY [STB] - puts a link to stb_ds.h into DIRECTORY: from STB if given, else from where it
# is installed, else from Debian's package, which is installed if that can be done; so are the headers of the C library,
# which the gcc of a bare Debian lacks
find_it() {
    for dir in $(pkg-config --variable=includedir stb 2>/dev/null) \
        /usr/include/stb /usr/include /usr/local/include/stb /usr/local/include; do
        for file in "$dir" "$dir/stb_ds.h" "$dir/stb/stb_ds.h"; do
            [ -f "$file" ] && echo "$file" && return
        done
    done
}

if command -v gcc >/dev/null 2>&1 && ! echo '#include <stdlib.h>' | gcc -E - >/dev/null 2>&1; then
    sh "$(dirname "$0")/need.sh" /usr/include/stdlib.h:libc6-dev || exit 1
fi
to=$1
if [ -n "$2" ]; then
    found=$([ -f "$2" ] && echo "$2" || ls "$2/stb_ds.h" 2>/dev/null)
    [ -n "$found" ] || { echo "there is no stb_ds.h in $2" >&2; exit 1; }
else
    found=$(find_it)
    [ -n "$found" ] || sh "$(dirname "$0")/need.sh" /usr/include/stb/stb_ds.h:libstb-dev || {
        echo "or: make STB=directory-of-stb_ds.h (https://github.com/nothings/stb)" >&2
        exit 1
    }
    found=${found:-$(find_it)}
fi
mkdir -p "$to" && ln -sf "$(realpath "$found")" "$to/stb_ds.h"
