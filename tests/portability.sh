#!/bin/sh
# Runs the tests on every platform that this machine can run or emulate: tests/test_golden.c, whose hashes must be
# the same everywhere, on each, and the other tests, with few seeds, where 'all' is said below.
#
#   STB=folder of stb_ds.h   BUILD=folder for objects (build/portability)   JOBS=at a time
#   ONLY="tcc musl s390x" runs these alone
#
# Compilers and emulators are installed if they can be; what cannot is skipped, and said so. Prints a line a
# platform as it ends, then all of them in order. The exit code is 0 if nothing failed and something ran.

cd "$(dirname "$0")/.." || exit 2
BUILD=${BUILD:-$(pwd)/build/portability}
. tests/sh.inc
jobs=$BUILD/jobs
rm -rf "$jobs" && mkdir -p "$jobs" || exit 2
export root

# ---- one platform ---------------------------------------------------------------------------------------------

cat > "$BUILD/run_platform" <<'END_OF_JOB'
. "$1"
# Enough to meet most rules within a minute of emulation; the rest is what 'make test-all' does.
few_seeds() {
    case $1 in
    test_model) echo 13 ;;
    test_prune) echo 20 ;;
    test_snapshot) echo 20 ;;
    test_query) echo 5 ;;
    test_trace) echo 10 ;;
    test_proof) echo 1 ;;
    test_multi) echo 5 ;;
    test_lives) echo 10 ;;
    test_laws) echo 20 ;;
    esac
}
folder=$BUILD/$name
mkdir -p "$folder"
start=$(date +%s)
golden=failed others=0 tests=0 failed=
# The implementation once, for all tests that only use the public face.
ways=
if [ -f "$root/tests/ways.c" ]; then
    ways=$folder/ways.o
    $compile -isystem "$STB" -I"$root" -c -o "$ways" "$root/tests/ways.c" > "$folder/ways.log" 2>&1
fi
for test in $what; do
    log=$folder/$test.log
    object=$ways
    grep -q '^#define SAP_\(MULTI_\)\{0,1\}IMPLEMENTATION' "$root/tests/$test.c" && object=
    $compile -isystem "$STB" -I"$root" -o "$folder/$test$suffix" "$root/tests/$test.c" $object $libraries > "$log" 2>&1 &&
        timeout 600 $run "$folder/$test$suffix" $(few_seeds "$test") >> "$log" 2>&1 </dev/null
    code=$?
    checks=$(tr -d '\r' < "$log" | sed -n 's/^\([0-9]*\) passed, 0 failed.*/\1/p' | tail -n 1)
    if [ $code -ne 0 ] || [ "${checks:-0}" -eq 0 ]; then failed="$failed $test"
    elif [ "$test" = test_golden ]; then golden=$checks
    else others=$((others + checks)); tests=$((tests + 1)); fi
done
line=$(printf '%-20s golden %6s   others %8d checks in %d tests   %4d s   %s' \
       "$name" "$golden" "$others" "$tests" $(($(date +%s) - start)) "$about")
if [ -n "$failed" ]; then line="FAILED  $line: $failed"; else line="ok      $line"; fi
echo "$line" > "$1.result"
echo "$line"
for test in $failed; do sed "s/^/    /" "$folder/$test.log" | head -n 20; done
END_OF_JOB

# ---- the platforms --------------------------------------------------------------------------------------------

job_count=0
skipped=0
all=$(cd tests && ls test_*.c | sed 's/\.c$//' | grep -v -x -e test_size -e test_growth -e test_lived -e test_stack)   # these count, or are long
threaded=$(cd tests && grep -l '<pthread.h>' test_*.c | sed 's/\(.*\)\.c$/-\1/' | tr '\n' ' ')
wanted() { [ -z "$ONLY" ] || case " $ONLY " in *" $1 "*) ;; *) false ;; esac; }
# name, 'golden' or 'all' (a '-test_x' after it leaves one out), how to compile, how to run, ending and libraries of
# programs, what it is, and the packages that it needs, as bench/need.sh takes them
platform() {
    wanted "$1" || return
    if ! sh bench/need.sh $8; then
        echo "skipped: $1: cannot install $8"
        skipped=$((skipped + 1))
        return
    fi
    case $2 in all*) what=$all ;; *) what=test_golden ;; esac
    for left_out in ${2#* }; do what=$(echo "$what" | grep -v -x -e "${left_out#-}"); done
    job_count=$((job_count + 1))
    printf 'name="%s" what="%s" compile="%s" run="%s" suffix="%s" libraries="%s" about="%s"\n' \
        "$1" "$(echo $what)" "$3" "$4" "$5" "$6" "$7" > "$jobs/$(printf %02d $job_count)"
}

c99="-std=c99 -w"
libraries="-lm -pthread"
avx2=; grep -q -w avx2 /proc/cpuinfo 2>/dev/null || avx2="qemu-x86_64 -cpu max"

# The longest first. qemu keeps 280 kB of each thread that has ended, and test_golden begins tens of thousands.
cross() {   # name, what, the gcc for it, the emulator, flags, what it is, libraries for it
    platform "$1" "$2" "$3-gcc $c99 -O2 -static $5" "env WITHOUT_THREADS=1 $4" "" "$libraries" "$6" "$3-gcc:gcc-$3 /usr/${7%%:*}:${7#*:} qemu-arm:qemu-user"
}
cross s390x all s390x-linux-gnu qemu-s390x "" "64 bits, big endian" s390x-linux-gnu:libc6-dev-s390x-cross
cross powerpc "all -test_alloc -test_multi" powerpc-linux-gnu qemu-ppc "" "32 bits, big endian" powerpc-linux-gnu:libc6-dev-powerpc-cross
cross armhf-neon "all -test_alloc -test_multi" arm-linux-gnueabihf qemu-arm -mfpu=neon "32 bits, NEON" arm-linux-gnueabihf:libc6-dev-armhf-cross
cross aarch64 "all -test_alloc -test_multi" aarch64-linux-gnu qemu-aarch64 "" "64 bits, NEON" aarch64-linux-gnu:libc6-dev-arm64-cross
cross armhf golden arm-linux-gnueabihf qemu-arm "" "32 bits" arm-linux-gnueabihf:libc6-dev-armhf-cross
cross riscv64 golden riscv64-linux-gnu qemu-riscv64 "" "64 bits" riscv64-linux-gnu:libc6-dev-riscv64-cross
cross i686 "all -test_alloc -test_multi" i686-linux-gnu qemu-i386 "" "32 bits, x87" i686-linux-gnu:libc6-dev-i386-cross

platform windows "all -test_alloc -test_multi" "x86_64-w64-mingw32-gcc $c99 -O2 -static" "sh $BUILD/run_wine" .exe "$libraries" "an .exe of mingw, in wine" \
    "x86_64-w64-mingw32-gcc:gcc-mingw-w64-x86-64-win32 wine:wine /usr/lib/wine/wine64:wine64"
# Tests need more than wasm's 64 KB of stack. Put first, a stack that overflows traps instead of writing over data. The
# linker must not see -O: with it clang runs a wasm-opt that it finds, and Debian's (binaryen) refuses SIMD.
wasm="clang --target=wasm32-wasi $c99 -D_WASI_EMULATED_PROCESS_CLOCKS -Xclang -O2 -Wl,-z,stack-size=262144 -Wl,--stack-first"
node="node --no-warnings --single-threaded $BUILD/wasi.mjs" # node 20 with threads may crash when all is done and printed
wasm_needs="clang:clang wasm-ld:lld node:nodejs /usr/include/wasm32-wasi:wasi-libc /usr/lib/llvm-14/lib/clang/14.0.6/lib/wasi:libclang-rt-14-dev-wasm32"
wasm_libraries="-lm -lwasi-emulated-process-clocks"
platform wasm golden "$wasm" "$node" .wasm "$wasm_libraries" "in node" "$wasm_needs"
platform wasm-simd "all -test_alloc -test_traps $threaded" "$wasm -msimd128" "$node" .wasm "$wasm_libraries" \
    "in node, without threads or exceptions of floats" "$wasm_needs"
platform nehalem golden "gcc $c99 -O2 -static" "qemu-x86_64 -cpu Nehalem" "" "$libraries" "x86-64 without AVX2" "gcc:gcc qemu-x86_64:qemu-user"

platform tcc "all -test_multi" "tcc $c99" "" "" "$libraries" "test_multi has atomics" tcc:tcc
platform musl "all -test_multi" "musl-gcc $c99 -O2 -static" "" "" "$libraries" "" musl-gcc:musl-tools
platform m32 golden "gcc $c99 -O2 -m32" qemu-i386 "" "$libraries" "gcc -m32" "qemu-i386:qemu-user gcc:gcc /usr/lib/gcc/x86_64-linux-gnu/12/32:gcc-12-multilib"
platform m32-sse golden "gcc $c99 -O2 -m32 -msse2 -mfpmath=sse" qemu-i386 "" "$libraries" "gcc -m32" "qemu-i386:qemu-user gcc:gcc /usr/lib/gcc/x86_64-linux-gnu/12/32:gcc-12-multilib"
for cc in gcc clang; do
    most=golden; [ $cc = clang ] && most="all -test_alloc -test_multi"   # 'make test-all' has the like with gcc
    platform $cc-O0 golden "$cc $c99 -O0" "" "" "$libraries" "" $cc:$cc
    platform $cc-O2 golden "$cc $c99 -O2" "" "" "$libraries" "" $cc:$cc
    platform $cc-O3 golden "$cc $c99 -O3" "" "" "$libraries" "" $cc:$cc
    platform $cc-fast-math "$most" "$cc $c99 -O3 -ffast-math" "" "" "$libraries" "" $cc:$cc
    platform $cc-avx2 "$most" "$cc $c99 -O3 -march=haswell" "$avx2" "" "$libraries" "with fused multiply-add" \
        "$cc:$cc ${avx2:+qemu-x86_64:qemu-user}"
done

# ---- what runs programs that the kernel cannot ------------------------------------------------------------------

cat > "$BUILD/run_wine" <<'END_OF_RUNNER'
export WINEDEBUG=-all WINEPREFIX="$BUILD/wine" WINEDLLOVERRIDES="mscoree,mshtml="
wine "$@" 2>/dev/null
END_OF_RUNNER
cat > "$BUILD/wasi.mjs" <<'END_OF_RUNNER'
import { readFile } from 'node:fs/promises';
import { WASI } from 'node:wasi';
const wasi = new WASI({ version: 'preview1', args: process.argv.slice(2), returnOnExit: true });
const module = await WebAssembly.compile(await readFile(process.argv[2]));
process.exitCode = wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()));
END_OF_RUNNER

# ---- run and add up -------------------------------------------------------------------------------------------

[ $job_count -gt 0 ] && ls "$jobs"/?? | xargs -P "$JOBS" -n 1 sh "$BUILD/run_platform"
if [ -d "$BUILD/wine" ]; then WINEPREFIX=$BUILD/wine /usr/lib/wine/wineserver -k 2>/dev/null; fi

echo
cat "$jobs"/*.result 2>/dev/null
ok=$(cat "$jobs"/*.result 2>/dev/null | grep -c '^ok')
echo "$ok platforms passed, $((job_count - ok)) failed, $skipped skipped"
[ "$ok" -gt 0 ] && [ "$ok" -eq $job_count ]
