#!/bin/sh
# Nothing but tests/ways.h, tests/ways.c and the proofs names what is private in sap.h: the rest is free to change.
# Lessons may point at a function of sap.h in words (in a comment), and call none. tests/mutants.txt and tests/facts.txt
# name what there is.
#
#   sh tests/names.sh sources   lists the sources instead: those of C that are formatted

cd "$(dirname "$0")/.." || exit 2
if [ "$1" = sources ]; then
    find . -path ./build -prune -o -path ./.git -prune -o \( -name '*.[ch]' -o -name '*.cpp' \) -print | sed 's|^\./||' | sort
    exit
fi
. tests/sh.inc
begin names

outsiders=$(ls tests/*.[ch] bench/*.md bench/*.[ch] bench/*.cpp bench/*/*.h bench/*/*.cpp 2>/dev/null |
    grep -v -x -e 'tests/ways\.[ch]' -e 'tests/test_proof\.c' -e 'tests/proof.*')
for source in $outsiders; do
    subject=$source
    check "names nothing private" "! grep -n -i 'sap__' $source"
done
code_of() { sed 's|/\*.*\*/||; s|//.*||; s|"[^"]*"||g; /\/\*/,/\*\//d' "$1"; }   # no comments, no strings
for source in $(find examples -name '*.[ch]' -o -name '*.cpp'); do
    subject=$source
    check "calls nothing private" "! code_of $source | grep -n -i 'sap__'"
done
if command -v python3 > /dev/null; then
    subject=tests/mutants.txt
    check "names what the headers have" "python3 tests/mutate.py --table"
    subject=tests/facts.txt
    check "names what the headers have" "python3 tests/facts.py --table"
fi
finish
