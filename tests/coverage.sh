#!/bin/sh
# How much of the headers the tests and the replayed inputs of tests/corpus run: lines and branches, with every
# line that none of them reaches. Built twice, with SIMD (each kernel that the machine has is forced by test_model)
# and with SAP_NO_SIMD. Lines with a branch that is never taken go to build/coverage/branches.txt; most are stb_ds's
# tests for an array that is NULL, in places where it never is.
#
#   STB=folder of stb_ds.h   CC=gcc   JOBS=at a time   GOAL=98: least percentage of lines, for the exit code

cd "$(dirname "$0")/.." || exit 2
. tests/sh.inc
GOAL=${GOAL:-98}
work=build/coverage
sh bench/need.sh gcovr:gcovr || exit 1
rm -rf $work && mkdir -p $work && cp -r sap*.h tests bench examples $work/ || exit 1 # a copy: nobody edits it meanwhile
root=$root/$work

# A quarter of the usual seeds: what random calls reach at all they reach soon.
seeds() {
    case $1 in
    test_model) echo 100 ;;
    test_prune) echo 200 ;;
    test_trace | test_query) echo 30 ;;
    test_snapshot) echo 100 ;;
    test_multi) echo 30 ;;
    test_lives) echo 150 ;;
    test_proof) echo 1 ;; # percent
    esac
}

# One job: a variant and a test. A test that only uses the public face is linked with its variant's tests/ways.c.
cat > $work/one <<'END'
variant=$1 test=$2 seeds=$3
cd "$ROOT/$variant" || exit 1
flags="-std=c99 -O0 -g --coverage"
[ "$variant" = scalar ] && flags="$flags -DSAP_NO_SIMD"
[ "$test" = fuzz ] && flags="$flags -DFUZZ_REPLAY"
flags="$flags -isystem $STB -I$ROOT"
if [ "$test" = ways ]; then exec "$CC" $flags -c -o ways.o "$ROOT/tests/ways.c"; fi
object=ways.o
grep -q '^#define SAP_\(MULTI_\)\{0,1\}IMPLEMENTATION' "$ROOT/tests/$test.c" && object=
"$CC" $flags -o "$test" "$ROOT/tests/$test.c" $object -lm -pthread || exit 1
if [ "$test" = fuzz ]; then set -- "$ROOT"/tests/corpus/*; else set -- $seeds; fi
"./$test" "$@" > "$test.log" 2>&1 || { echo "failed: $variant $test"; tail -n 5 "$test.log"; }
END
export CC STB ROOT="$root"
all() {   # test, seeds: in each variant
    for variant in simd scalar; do mkdir -p $work/$variant && echo $variant "$@"; done
}
[ -f tests/ways.c ] && all ways | xargs -P "$JOBS" -L 1 sh $work/one
for source in tests/test_*.c tests/fuzz.c; do
    test=$(basename "$source" .c)
    all "$test" $(seeds "$test")
done | xargs -P "$JOBS" -L 1 sh $work/one

gcovr -r "$root" --filter '.*/sap(_multi)?\.h$' --exclude-unreachable-branches --json $work/all.json $work > $work/gcovr.log 2>&1 ||
    { cat $work/gcovr.log; exit 1; }
python3 - $work/all.json "$GOAL" <<'END'
import json, sys

# A line that no test can reach says so itself, in its last comment: /* unreached: why */
below = False
for file in json.load(open(sys.argv[1]))["files"]:
    text = open(file["file"]).read().split("\n")
    lines = {}
    for line in file["lines"]:
        if not line.get("gcovr/noncode"):
            lines[line["line_number"]] = line
    missing = [n for n in sorted(lines) if lines[n]["count"] == 0]
    branches = [b for line in lines.values() if line["count"] for b in line["branches"]]
    percent = 100.0 * (len(lines) - len(missing)) / len(lines)
    below = below or percent < float(sys.argv[2])
    print("%s: %.2f %% of %d lines, %.2f %% of %d branches" % (file["file"], percent, len(lines),
          100.0 * sum(b["count"] > 0 for b in branches) / max(1, len(branches)), len(branches)))
    for n in missing:
        if "/* unreached: " not in text[n - 1]:
            print("    %s:%d: %s" % (file["file"], n, text[n - 1].strip()))
    half = [n for n in sorted(lines) if lines[n]["count"] and any(b["count"] == 0 for b in lines[n]["branches"])]
    print("    lines with a branch never taken: %d" % len(half))
    open("build/coverage/branches.txt", "a").writelines("%s:%d: %s\n" % (file["file"], n, text[n - 1].strip()) for n in half)
sys.exit(1 if below else 0)
END
