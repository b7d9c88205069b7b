#!/bin/sh
# Builds tests/steps.c so that it counts the steps of sap.h, and runs it: see its head. A compiler counts them if it
# calls a function at the start of each piece of code without a branch; that function is compiled without being counted.
#
#   sh tests/steps.sh [history] [-v]

cd "$(dirname "$0")/.." || exit 2
. tests/sh.inc
begin steps
count="-std=c99 -O1 -fsanitize-coverage=trace-pc"
cat > "$work/counter.c" <<'END'
long long steps;
void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void) { steps++; }
END
for compiler in "$CC" gcc clang; do
    have $compiler && $compiler $count -c -o "$work/counter.o" "$work/counter.c" 2>/dev/null && break
    compiler=
done
if [ -z "$compiler" ]; then
    skip "counted steps: neither $CC nor gcc nor clang has -fsanitize-coverage=trace-pc here"
    finish
    exit
fi
$compiler $count $warnings -isystem "$STB" -I. -c -o "$work/steps.o" tests/steps.c &&
    $compiler -O1 -c -o "$work/counter.o" "$work/counter.c" &&
    $compiler -o "$work/steps" "$work/steps.o" "$work/counter.o" -lm && "$work/steps" "$@"
