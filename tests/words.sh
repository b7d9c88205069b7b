#!/bin/sh
# The comments and pages speak plain technical English, as far as a machine can see:
#
#   - no comment begins with What, Where, Of, So, Those, How many or How much: its first word is the thing, its second
#     word the verb;
#   - some words have a plain one that says it: anew (again), so many (the number), nobody (passive), in step (synchronised),
#     dear (slow);
#   - no line of a header is longer than 120 columns.
#
# tests/words.txt lists what is still to be rewritten: a file, or a file and one of its chapters (">> name"; head is what
# comes before the first). "sh tests/words.sh all" checks these, too.

cd "$(dirname "$0")/.." || exit 2
. tests/sh.inc
begin words
exempt=tests/words.txt
[ "$1" = all ] && exempt=/dev/null

cat > "$work/words.awk" <<'END'
FILENAME == exempt { if ($1 !~ /^#/ && NF) left[$1 ($2 == "" ? "" : " " $2)] = 1; next }
FNR == 1 { part = FILENAME " head" }
/^\/\* >> / { name = $3; sub(/[:,]$/, "", name); part = FILENAME " " name }
{
    line = tolower($0)
    bad = line ~ /(^|[^a-z_])(anew|so many|so much|so few|nobody|somebody|whoever|in step|dear|dearer)([^a-z_]|$)/
    bad = bad || $0 ~ /(\/\*|\/\/) *(What|Where|Of|So|Those|How many|How much)([^a-z]|$)/
    bad = bad || (FILENAME ~ /^[a-z_]*\.h$/ && length > 120)
    if (!bad) next
    if (left[FILENAME] || left[part]) next
    print FILENAME ":" FNR ": " $0
    found = 1
}
END { exit found }
END

for source in sap.h sap_multi.h README.md bench/README.md .github/CONTRIBUTING.md \
    $(find examples -name '*.[ch]' -o -name '*.cpp' -o -name '*.md' | sort); do
    [ -f "$source" ] || continue
    subject=$source
    check "plain words, and comments that begin with their subject" \
        "awk -v exempt=$exempt -f $work/words.awk $exempt $source"
done
finish
