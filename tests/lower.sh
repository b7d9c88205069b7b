#!/bin/sh
# Writes copies of sap.h and sap_multi.h to a folder, in which the constants of the implementation that say from how many
# boxes, pairs or changes on it works in another way are as low as they go: so small worlds reach what else only large
# ones do. No answer depends on them.
#
#   sh tests/lower.sh FOLDER        then: cc -IFOLDER -I. ... tests/test_lives.c tests/ways.c
#
# It fails if they lack one of these constants: then the table is to be brought up to date.

cd "$(dirname "$0")/.." || exit 2
[ $# -eq 1 ] && mkdir -p "$1" || exit 2

lowered='
    SAP__FEW_ITEMS 2
    SAP__PAIR_BATCH 4           SAP__YOUNG_PART 3
    SAP__PREFETCH_AHEAD 2       SAP__CACHE_BOXES 20
    SAP__TRIM 2                 SAP__EVENT_COST 1
    SAP__REFIT_FRACTION 3       SAP__IN_VAIN 1
    SAP__KEY_CROWD 4            SAP__SAMPLE 16
    SAP__PACK_LOOKS 8           SAP__MOST_LOOKS 20
    SAP__BOX_COST 1             SAP__LEAST_CELLS 1
    SAP__NEAR_TO_PASS 2         SAP__FEW_RANKS 5
    SAP__VISIT_BATCH 7'

edit= missing=
set -- "$1" $lowered
folder=$1
shift
while [ $# -gt 0 ]; do
    cat sap.h sap_multi.h | grep -q "[ {]$1 = [0-9]" || missing="$missing $1"
    edit="$edit;s/\\([ {]$1 = \\)[0-9][0-9]*/\\1$2/"
    shift 2
done
if [ -n "$missing" ]; then
    echo "tests/lower.sh: the headers have no$missing"
    exit 1
fi
for header in sap.h sap_multi.h; do sed "${edit#;}" $header > "$folder/$header" || exit 1; done
