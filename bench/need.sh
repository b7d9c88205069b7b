#!/bin/sh
# need.sh FILE:PACKAGE... - installs each Debian package whose file (a path, or a command) is missing, and says so
# beforehand; with INSTALL=no it says only what to install
missing=
for need; do
    file=${need%:*}
    [ -e "$file" ] || command -v "$file" >/dev/null 2>&1 || missing="$missing ${need##*:}"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then root=; else root='sudo -n'; fi
if [ "$INSTALL" = no ] || ! command -v apt-get >/dev/null 2>&1 || ! $root true 2>/dev/null; then
    echo "missing:$missing; as root: apt-get install$missing" >&2
    exit 1
fi
echo "installing$missing with apt-get (INSTALL=no refuses)" >&2
apt="$root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300"
# A fresh machine may have no package lists yet, or old ones: fetch them only when the first try fails.
try() { $apt install -y --no-install-recommends $missing >/dev/null 2>&1; }
try || { $apt update >/dev/null 2>&1; try; } || {
    echo "could not install them; as root: apt-get install$missing" >&2
    exit 1
}
