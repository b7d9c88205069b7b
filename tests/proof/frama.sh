#!/bin/sh
# Proves the functions of sap.h's chapter "keys" for every input: tests/proof/keys.h says what, Frama-C tries, and
# the provers CVC4 and Z3 decide. The functions are cut out of sap.h, so what is proven is what is used: the plain C
# that the SIMD versions are tested against.
#
#   SAP=sap.h   BUILD=folder for what is cut out (build/proof)
#
# The last line is 'N passed, N failed'.

cd "$(dirname "$0")/../.." || exit 2
SAP=${SAP:-sap.h}
BUILD=${BUILD:-build/proof}
functions="sap__key sap__float sap__overlap sap__endpoint_key"
mkdir -p "$BUILD" || exit 2

if ! sh bench/need.sh frama-c:frama-c-base why3:why3 cvc4:cvc4 z3:z3; then
    echo "skipped: Frama-C cannot be installed"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
export WHY3CONFIG="$PWD/$BUILD/why3.conf"
why3 config detect > "$BUILD/why3.log" 2>&1

{ echo '#include <stdint.h>'
  sed -n '/^typedef struct sap__box {/,/^} sap__box;/p' "$SAP"
  cat tests/proof/keys.h; } > "$BUILD/keys.c" || exit 2
for f in $functions; do
    sed -n "/^[A-Za-z_ ].* $f(.*) {\$/,/^}/p" "$SAP" > "$BUILD/function"
    [ -s "$BUILD/function" ] || { echo "$SAP has no $f"; echo "0 passed, 1 failed"; exit 1; }
    cat "$BUILD/function" >> "$BUILD/keys.c"
done

frama-c -wp -wp-rte -wp-prover cvc4,z3 -wp-timeout 20 -machdep gcc_x86_64 "$BUILD/keys.c" > "$BUILD/frama.log" 2>&1
goals=$(sed -n 's/^\[wp\] Proved goals: *\([0-9]*\) *\/ *\([0-9]*\).*/\1 \2/p' "$BUILD/frama.log")
[ -n "$goals" ] || { cat "$BUILD/frama.log"; echo "0 passed, 1 failed"; exit 1; }
proven=${goals% *}
all=${goals#* }
grep -E 'Goal .*(Unknown|Timeout|Failed)|\[(Failed|Unknown|Timeout)\]' "$BUILD/frama.log"
echo "$proven passed, $((all - proven)) failed"
[ "$proven" -eq "$all" ]
