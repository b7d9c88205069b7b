# The targets: make help

CC = gcc
CXX = g++
CFLAGS = -O2
PREFIX = /usr/local
BOXES = 1000,10000,100000
ARGS =
SECONDS = 600
FUZZER = libfuzzer
MUTANTS = 100
MINUTES = 60
PICTURE = build/methods.svg
GRID = build/grid.svg
TRACES = wall rubble ragdolls pile pinball

GAME = 11_bullet_hell
PLATFORMER = 23_platformer_window
ENGINES = $(basename $(notdir $(wildcard examples/12_bullet.cpp examples/13_chipmunk.c examples/14_ode.cpp))) $(if $(JOLT),21_jolt)
EXAMPLES = $(filter-out $(GAME) $(PLATFORMER) $(ENGINES) 21_jolt,$(sort $(basename $(notdir $(wildcard examples/[0-9]*.c examples/[0-9]*.cpp)))))
TEACH = $(patsubst examples/teach/%.c,%,$(wildcard examples/teach/*.c))
EXERCISES = examples/exercises

# stb_ds.h is looked for once and linked into build/stb; STB=directory says where it is.
STB =
STB_DS = build/stb/stb_ds.h
WARNINGS = -Wall -Wextra -Wpedantic
COMPILE = $(CC) -std=c99 $(CFLAGS) $(WARNINGS) -isystem build/stb
COMPILE_CXX = $(CXX) -std=c++11 $(CFLAGS) $(WARNINGS) -isystem build/stb
VERSION = $(shell sed -n 's/^#define SAP_VERSION *"\(.*\)".*/\1/p' sap.h | grep . || echo 0)

.PHONY: help
help:           ## this list
	@awk '/^#@ / { sub(/^#@ /, ""); printf "\n%s\n", $$0 } \
	    /^[a-z][a-z-]*:.*## / { name = $$0; sub(/:.*/, "", name); sub(/.*## /, ""); printf "  make %-14s %s\n", name, $$0 }' Makefile
	@printf '\nWhat is missing is installed with apt-get, if that can be done, and said beforehand; INSTALL=no refuses.\n'

#@ Use

define CMAKE_CONFIG
# find_package(sap) defines sap::sap: the folder of sap.h and, where it is found, that of stb_ds.h.
if(NOT TARGET sap::sap)
  get_filename_component(SAP_INCLUDE_DIR "$${CMAKE_CURRENT_LIST_DIR}/../../../include" ABSOLUTE)
  find_path(SAP_STB_DIR stb_ds.h PATH_SUFFIXES stb DOC "folder of stb_ds.h")
  add_library(sap::sap INTERFACE IMPORTED)
  set_property(TARGET sap::sap PROPERTY INTERFACE_INCLUDE_DIRECTORIES "$${SAP_INCLUDE_DIR}")
  if(SAP_STB_DIR)
    set_property(TARGET sap::sap APPEND PROPERTY INTERFACE_INCLUDE_DIRECTORIES "$${SAP_STB_DIR}")
  endif()
endif()
endef
define CMAKE_VERSION
# Compatible: not older than the version that is asked for, and, before 1.0, of the same minor version.
set(PACKAGE_VERSION "$(VERSION)")
string(REGEX MATCH "^(0\.[0-9]+|[0-9]+)" sap_series "$(VERSION)")
string(REGEX MATCH "^(0\.[0-9]+|[0-9]+)" sap_wanted "$${PACKAGE_FIND_VERSION}")
if(NOT PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION AND sap_wanted STREQUAL sap_series)
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
  set(PACKAGE_VERSION_EXACT TRUE)
endif()
endef
export CMAKE_CONFIG
export CMAKE_VERSION

LIB = $(DESTDIR)$(PREFIX)/lib

.PHONY: install
install:        ## copies the headers, with files for pkg-config and CMake; PREFIX=/usr/local DESTDIR=
	install -d "$(DESTDIR)$(PREFIX)/include" "$(LIB)/pkgconfig" "$(LIB)/cmake/sap"
	install -m 644 sap.h sap_multi.h "$(DESTDIR)$(PREFIX)/include"
	printf '%s\n' 'prefix=$(PREFIX)' 'includedir=$${prefix}/include' '' 'Name: sap' \
	    'Description: sweep-and-prune broad phase, one header; its implementation needs stb_ds.h' \
	    'Version: $(VERSION)' 'Cflags: -I$${includedir}' > "$(LIB)/pkgconfig/sap.pc"
	@printf '%s\n' "$$CMAKE_CONFIG" > "$(LIB)/cmake/sap/sap-config.cmake"
	@printf '%s\n' "$$CMAKE_VERSION" > "$(LIB)/cmake/sap/sap-config-version.cmake"

.PHONY: uninstall
uninstall:      ## removes what install copied; PREFIX=/usr/local DESTDIR=
	rm -f $(patsubst %,"$(DESTDIR)$(PREFIX)/%",include/sap.h include/sap_multi.h lib/pkgconfig/sap.pc)
	rm -rf "$(LIB)/cmake/sap"

.PHONY: clean
clean:          ## removes all that was built
	rm -rf build

#@ Test

RUN_TESTS = @STB="$(CURDIR)/build/stb" CC="$(CC)" CXX="$(CXX)"

.PHONY: check
check: $(STB_DS) ## after each edit: model, contract, goldens, snapshots, allocation, names and format, in half a minute
	$(RUN_TESTS) LEVEL=check sh tests/run.sh

.PHONY: test
test: $(STB_DS) ## every kind of test, in four minutes; ONLY="plain threads" JOB="plain test_query" JOBS=2 (head of tests/run.sh)
	$(RUN_TESTS) LEVEL=test sh tests/run.sh

.PHONY: test-all
test-all: $(STB_DS) ## all tests, with all seeds and compilers; ONLY= JOB= JOBS= as make test, SCALE=10 for more seeds
	$(RUN_TESTS) LEVEL=all sh tests/run.sh

.PHONY: test-rest
test-rest: $(STB_DS) ## what make test-all has and make test has not
	$(RUN_TESTS) LEVEL=rest sh tests/run.sh

.PHONY: format
format:         ## formats all C and C++ as .clang-format says
	@sh bench/need.sh clang-format:clang-format
	clang-format -i $$(sh tests/names.sh sources)

.PHONY: fuzz
fuzz: $(STB_DS) ## looks for inputs that break a promise; SECONDS=600 FUZZER=libfuzzer|afl
	@STB=build/stb CC="$(CC)" sh tests/fuzz.sh run $(SECONDS) $(FUZZER)

.PHONY: lives
lives: $(STB_DS) ## leads worlds through lives that nobody has led yet, against brute force, in all builds; SECONDS=600
	@STB="$(CURDIR)/build/stb" CC="$(CC)" sh tests/lives.sh $(SECONDS)

.PHONY: soak
soak: build/soak ## uses a world for MINUTES=60: memory, frame times and ids over a long time
	@build/soak $(MINUTES)

.PHONY: coverage
coverage: $(STB_DS) ## which lines and branches of the headers the tests reach, and each line that they do not
	@STB=build/stb CC="$(CC)" sh tests/coverage.sh

.PHONY: mutate
mutate: $(STB_DS) ## breaks copies of the headers in MUTANTS=100 places and prints those that no test notices
	@STB=build/stb CC="$(CC)" python3 tests/mutate.py $(MUTANTS)

.PHONY: facts
facts: $(STB_DS) ## breaks each line of tests/facts.txt, which refreshes a fact that is kept, and leads the life that notices it
	@STB=build/stb CC="$(CC)" python3 tests/facts.py

.PHONY: analyse
analyse: $(STB_DS) ## reads the headers with clang-tidy and cppcheck, and runs tests under the memory sanitizer and valgrind
	@STB=build/stb CC="$(CC)" sh tests/analyse.sh

.PHONY: proof
proof: build/proof/test_proof ## proves float keys and small worlds by trying them all, and the comparisons with Frama-C
	@build/proof/test_proof 100
	@sh tests/proof/frama.sh

.PHONY: portability
portability: $(STB_DS) ## the tests on all platforms that can be run or emulated (ARM, s390x, wasm, Windows, ...): the same hashes
	@STB="$(CURDIR)/build/stb" sh tests/portability.sh

.PHONY: web-test
web-test: $(STB_DS) ## the live page in Chromium
	@sh bench/need.sh chromium:chromium node:nodejs
	@STB="$(CURDIR)/build/stb" sh tests/web.sh

#@ Measure

.PHONY: bench
bench: build/bench ## every scene; BOXES=1000,10000,100000 ARGS='-s town,fast -c 16'
	@build/bench -n $(BOXES) $(ARGS)

.PHONY: bench-multi
bench-multi: build/multi ## what a grid and threads gain; ARGS='-n 100000,1000000 -s brownian,sparse -t 2'
	@build/multi $(ARGS)

.PHONY: bench-lived
bench-lived: build/lived ## worlds that have lived beside new ones, small worlds, spikes; ARGS='-n 10000 -s migrate,small'
	@build/lived $(ARGS)

.PHONY: bench-methods
bench-methods: build/methods ## what each method costs, by boxes, motion and pairs a box, drawn; PICTURE=build/methods.svg ARGS='-n 100,1000 -s brownian,crowds' PIN='taskset -c 1'
	@$(PIN) build/methods -o $(PICTURE) $(ARGS)
	@echo "see $(PICTURE)"

.PHONY: bench-worlds
bench-worlds: build/methods ## AUTO beside the best method in crowds and in worlds of many shapes, and those above 1.2; ARGS='-n 1000' PIN='taskset -c 1'
	@$(PIN) build/methods --worlds $(ARGS)

.PHONY: bench-beside
bench-beside: build/worlds ## frames in worlds whose regime changes, by those of another version: OLD=folder of its sap.h; ROUNDS=3 PIN='taskset -c 1' ARGS='-s mirror;scroll'
	$(COMPILE) -DSAP_PATH='"$(abspath $(OLD))/sap.h"' -o build/worlds_old bench/worlds.c -lm
	@$(PIN) python3 bench/beside.py build/worlds build/worlds_old $(or $(ROUNDS),3) $(ARGS)

.PHONY: bench-grid
bench-grid: build/grid ## what a moved box costs in a world that grows: one SAP, a grid of SAPs, and Bullet's and ODE's where Debian has them, drawn; GRID=build/grid.svg ARGS='-n 1000,10000'
	@sh bench/need.sh $(filter bullet:% ode:%,$(PEER_NEEDS)) && $(MAKE) -s build/peers/bullet build/peers/ode || true
	@build/grid -p build/peers -o $(GRID) $(ARGS)
	@echo "see $(GRID)"

PEERS = sap sap_avx2 sap_sse2 threads plain bullet ode fcl chipmunk box2d_24 cgal boost \
        $(if $(PHYSX),physx) $(if $(JOLT),jolt) $(if $(BOX2D),box2d) $(if $(BOX3D),box3d)
PEER = $(CXX) -std=c++17 -O2 $(WARNINGS) -isystem build/stb
PEER_HEADERS = bench/peers/peer.h bench/peers/pair_set.h bench/peers/trees.h bench/clock.h bench/queries.h bench/scenes.h sap.h sap_multi.h
PEER_NEEDS = bullet:/usr/include/bullet/btBulletDynamicsCommon.h:libbullet-dev ode:/usr/include/ode/ode.h:libode-dev \
        fcl:/usr/include/fcl/fcl.h:libfcl-dev chipmunk:/usr/include/chipmunk/chipmunk.h:chipmunk-dev \
        box2d_24:/usr/include/box2d/box2d.h:libbox2d-dev cgal:/usr/include/CGAL/box_intersection_d.h:libcgal-dev \
        boost:/usr/include/boost/geometry.hpp:libboost-dev

.PHONY: table
table: $(PEERS:%=build/peers/%) build/bench build/lived ## measures all that both README.md state and writes their tables and bench/data/; PHYSX= JOLT= BOX2D= BOX3D= as bench-peers
	@PEERS="$(PEERS)" python3 bench/table.py

.PHONY: table-quick
table-quick: build/peers/sap build/peers/sap_avx2 build/peers/sap_sse2 build/peers/plain ## the same with 1,000 boxes and few frames, into build/table; fails if a pair of sap.h is wrong
	@python3 bench/table.py --quick

.PHONY: bench-peers
bench-peers: $(PEERS:%=build/peers/%) ## measures other broad phases on the same scenes; installs Debian's; PEERS='sap bullet' PHYSX=flags ...: bench/README.md
	@PEERS="$(PEERS)" python3 bench/table.py --print $(ARGS)

build/peers/%: $(PEER_HEADERS) $(STB_DS)
	@mkdir -p build/peers
	@sh bench/need.sh $(CXX):g++ $(patsubst $*:%,%,$(filter $*:%,$(PEER_NEEDS)))
	$(PEER) $(PEER_FLAGS) -o $@ bench/peers/$(or $(PEER_FILE),$*).cpp $(PEER_LIBS)

build/peers/sap: bench/peers/sap.cpp
build/peers/sap_avx2 build/peers/sap_sse2: PEER_FILE = sap
build/peers/sap_avx2: PEER_FLAGS = -DSAP_NO_AVX512
build/peers/sap_sse2: PEER_FLAGS = -DSAP_NO_AVX512 -DSAP_NO_AVX2
build/peers/sap_avx2 build/peers/sap_sse2: bench/peers/sap.cpp
build/peers/threads: bench/peers/threads.cpp examples/pool.h
build/peers/threads: PEER_LIBS = -pthread
build/peers/plain: bench/peers/plain.cpp
build/peers/bullet: bench/peers/bullet.cpp
build/peers/bullet: PEER_LIBS = -isystem /usr/include/bullet -lBulletCollision -lLinearMath
build/peers/ode: bench/peers/ode.cpp
build/peers/ode: PEER_LIBS = -lode
build/peers/fcl: bench/peers/fcl.cpp
build/peers/fcl: PEER_LIBS = -isystem /usr/include/eigen3 -lfcl -lccd
build/peers/chipmunk: bench/peers/chipmunk.cpp
build/peers/chipmunk: PEER_LIBS = -lchipmunk
build/peers/box2d_24: bench/peers/box2d_24.cpp
build/peers/box2d_24: PEER_LIBS = -lbox2d
build/peers/cgal: bench/peers/cgal.cpp
build/peers/boost: bench/peers/boost.cpp
build/peers/physx: bench/peers/physx.cpp
build/peers/physx: PEER_LIBS = $(PHYSX)
build/peers/jolt: bench/peers/jolt.cpp
build/peers/jolt: PEER_LIBS = $(JOLT)
build/peers/box2d: bench/peers/box2d.cpp
build/peers/box2d: PEER_LIBS = $(BOX2D)
build/peers/box3d: bench/peers/box3d.cpp
build/peers/box3d: PEER_LIBS = $(BOX3D)

.PHONY: traces
traces: build/demo build/record_bullet build/record_box2d ## records traces from real engines and replays them
	@mkdir -p build/traces
	@for t in wall rubble ragdolls; do build/record_bullet $$t build/traces/$$t.trace || exit 1; done
	@for t in pile pinball; do build/record_box2d $$t build/traces/$$t.trace || exit 1; done
	@for t in $(TRACES); do echo; build/demo build/traces/$$t.trace build/traces/$$t.svg || exit 1; done

#@ Show

.PHONY: demo
demo: build/demo ## replays a recorded physics scene, checks it against brute force and draws build/demo.svg
	@build/demo

.PHONY: examples
examples: $(EXAMPLES:%=build/examples/%) ## builds and runs the examples; their pictures go to build/
	@for e in $(EXAMPLES); do echo "$$e:"; build/examples/$$e build/$$e.svg || exit 1; echo; done

.PHONY: game
game: build/examples/$(GAME) ## a bullet-hell game, with SDL2; without a display it plays itself
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ]; then $<; \
	else $< --headless 372 build/$(GAME).png && echo "no display here: see build/$(GAME).png"; fi

.PHONY: platformer
platformer: build/examples/$(PLATFORMER) ## a platformer to play and to copy, with SDL2; without a display it plays itself
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ]; then $<; \
	else $< --headless 1180 build/$(PLATFORMER).png && echo "no display here: see build/$(PLATFORMER).png"; fi

.PHONY: engine
engine: $(ENGINES:%=build/examples/%) ## Bullet, Chipmunk and ODE with their own broad phases and with sap; JOLT=flags adds Jolt: bench/README.md
	@for e in $(ENGINES); do echo "$$e:"; build/examples/$$e || exit 1; echo; done

.PHONY: jolt-tests
jolt-tests: $(STB_DS) ## Jolt's own unit tests, with sap inside; JOLT_SOURCE=folder of Jolt
	@sh bench/need.sh $(CXX):g++ cmake:cmake
	@[ -d "$(JOLT_SOURCE)/Build" ] || { echo "make jolt-tests JOLT_SOURCE=folder of Jolt (bench/README.md)"; exit 1; }
	cmake -S "$(JOLT_SOURCE)/Build" -B build/jolt -DCMAKE_BUILD_TYPE=Distribution -DINTERPROCEDURAL_OPTIMIZATION=OFF \
	    -DENABLE_ALL_WARNINGS=OFF -DTARGET_UNIT_TESTS=ON -DTARGET_HELLO_WORLD=OFF -DTARGET_PERFORMANCE_TEST=OFF \
	    -DTARGET_SAMPLES=OFF -DTARGET_VIEWER=OFF
	$(CXX) $$(sed -n -e 's/^CXX_DEFINES = //p' -e 's/^CXX_FLAGS = //p' build/jolt/CMakeFiles/Jolt.dir/flags.make) -DNO_SCENE \
	    -isystem "$(JOLT_SOURCE)" -isystem build/stb -I. -c -o build/jolt/sap.o examples/21_jolt.cpp
	cmake -DCMAKE_EXE_LINKER_FLAGS="$(CURDIR)/build/jolt/sap.o" build/jolt
	@rm -f build/jolt/UnitTests
	cmake --build build/jolt --target UnitTests
	build/jolt/UnitTests

.PHONY: teach
teach: $(TEACH:%=build/teach/%) ## the programs of the course, or one of them: TEACH=05_rules; pictures go to build/teach/
	@for t in $(TEACH); do echo "$$t:"; build/teach/$$t build/teach/$$t.svg || exit 1; echo; done

.PHONY: exercises
exercises:      ## checks your solutions of examples/exercises (see its README.md); EXERCISES=folder
	@CC="$(CC)" sh examples/exercises/check.sh $(EXERCISES)

.PHONY: threads
threads: build/examples/threads_pool build/examples/threads_openmp ## updates on threads, with 1 and with 4
	@for n in 1 4; do for e in threads_pool threads_openmp; do \
	    echo "$$e, threads: $$n"; OMP_NUM_THREADS=$$n build/examples/$$e $$n || exit 1; echo; done; done

.PHONY: mpi
mpi: build/examples/mpi_world ## a world spread over 1 to 4 processes with MPI: the pairs equal those of one
	@for n in 1 2 3 4; do mpirun --allow-run-as-root --oversubscribe -np $$n $< || exit 1; done

.PHONY: web
web: build/web/sap.html ## the live page and the course, one file for any browser
	@echo "open build/web/sap.html in a browser, or: python3 -m http.server -d build/web"

.PHONY: picture
picture: build/web/picture ## draws bench/data/pairs.svg, a picture that moves, from the events of sap.h
	build/web/picture bench/data/pairs.svg

# ---- how things are built -----------------------------------------------------------------------------------

.PHONY: always
$(STB_DS): $(if $(STB),always)
	@sh bench/find_stb.sh build/stb "$(STB)"

build/examples/%: examples/%.c $(wildcard examples/*.h) sap.h sap_multi.h $(STB_DS)
	@mkdir -p build/examples
	$(COMPILE) -I. -o $@ $< -lm -pthread

build/examples/%: examples/%.cpp $(wildcard examples/*.h*) sap.h $(STB_DS)
	@sh bench/need.sh $(CXX):g++
	@mkdir -p build/examples
	$(COMPILE_CXX) -I. -o $@ $< -pthread

build/examples/$(GAME) build/examples/$(PLATFORMER): build/examples/%: examples/%.c examples/pixels.h examples/platformer.h \
        sap.h $(STB_DS)
	@sh bench/need.sh /usr/include/SDL2/SDL.h:libsdl2-dev /usr/include/png.h:libpng-dev
	@mkdir -p build/examples
	$(COMPILE) -I. -o $@ $< -lSDL2 -lpng -lm

build/examples/12_bullet: examples/12_bullet.cpp sap.h $(STB_DS)
	@sh bench/need.sh $(CXX):g++ /usr/include/bullet/btBulletDynamicsCommon.h:libbullet-dev
	@mkdir -p build/examples
	$(COMPILE_CXX) -isystem /usr/include/bullet -I. -o $@ $< -lBulletDynamics -lBulletCollision -lLinearMath

build/examples/13_chipmunk: examples/13_chipmunk.c sap.h $(STB_DS)
	@sh bench/need.sh /usr/include/chipmunk/chipmunk.h:chipmunk-dev
	@mkdir -p build/examples
	$(COMPILE) -I. -o $@ $< -lchipmunk -lm

build/examples/14_ode: examples/14_ode.cpp sap.h $(STB_DS)
	@sh bench/need.sh $(CXX):g++ /usr/include/ode/ode.h:libode-dev
	@mkdir -p build/examples
	$(COMPILE_CXX) -I. -o $@ $< -lode

# The optimiser of the link warns of Jolt's own code.
build/examples/21_jolt: examples/21_jolt.cpp sap.h $(STB_DS)
	@sh bench/need.sh $(CXX):g++
	@mkdir -p build/examples
	$(COMPILE_CXX) -std=c++17 -fno-rtti -Wno-maybe-uninitialized -I. -o $@ $< $(JOLT)

build/examples/threads_openmp: CFLAGS += -fopenmp

build/examples/mpi_world: examples/mpi_world.c examples/flyers.h sap.h $(STB_DS)
	@sh bench/need.sh mpicc:libopenmpi-dev mpirun:openmpi-bin
	@mkdir -p build/examples
	mpicc -std=c99 $(CFLAGS) $(WARNINGS) -isystem build/stb -I. -o $@ $< -lm

build/teach/%: examples/teach/%.c examples/teach/teach.h examples/svg.h examples/pool.h sap.h sap_multi.h $(STB_DS)
	@mkdir -p build/teach
	$(COMPILE) -I. -Iexamples -o $@ $< -lm -pthread

build/web/picture: examples/web/picture.c sap.h $(STB_DS)
	@mkdir -p build/web
	$(COMPILE) -I. -o $@ $< -lm

# One self-contained page: the module goes into it as text. It is linked without -O, with which clang runs a wasm-opt that it
# finds, and Debian's (binaryen) refuses SIMD.
build/web/sap.wasm: examples/web/glue.c examples/web/steps.c examples/web/play.c examples/platformer.h sap.h sap_multi.h $(STB_DS)
	@sh bench/need.sh clang:clang wasm-ld:lld /usr/include/wasm32-wasi:wasi-libc \
	    $(shell clang -print-resource-dir 2>/dev/null || echo /usr/lib/clang/14)/lib/wasi:libclang-rt-14-dev-wasm32
	@mkdir -p build/web
	for part in glue steps play; do \
	    clang --target=wasm32-wasi -std=c99 -O3 -msimd128 -DNDEBUG $(WARNINGS) -isystem build/stb -I. \
	        -c -o build/web/$$part.o examples/web/$$part.c || exit 1; done
	clang --target=wasm32-wasi -nostartfiles -Wl,--no-entry -Wl,--strip-all -o $@ build/web/glue.o build/web/steps.o build/web/play.o

build/web/sap.html: examples/web/build.py $(wildcard examples/web/page.* examples/web/*.js examples/teach/* examples/teach/*/* \
        examples/exercises/*.c bench/data/*.svg) build/web/sap.wasm
	@sh bench/need.sh python3:python3
	@cp sap.h sap_multi.h build/web
	@python3 examples/web/build.py build/web/sap.wasm $@

# The programs of bench/.
$(patsubst bench/%.c,build/%,$(wildcard bench/*.c)): build/%: bench/%.c $(wildcard bench/*.h) tests/shapes.h tests/test.h examples/pool.h sap.h sap_multi.h $(STB_DS)
	$(COMPILE) -DFLAGS='"$(CFLAGS)"' -o $@ $< -lm -pthread $(BENCH_LIBS)

# Beside Chipmunk's tree, too, if Debian's chipmunk-dev is there.
ifneq ($(wildcard /usr/include/chipmunk/chipmunk.h),)
build/lived: COMPILE += -DHAVE_CHIPMUNK
build/lived: BENCH_LIBS = -lchipmunk
endif

build/record_bullet: bench/record_bullet.cpp bench/trace.h
	@sh bench/need.sh $(CXX):g++ /usr/include/bullet/btBulletDynamicsCommon.h:libbullet-dev
	@mkdir -p build
	$(CXX) -O2 -I/usr/include/bullet -o $@ $< -lBulletDynamics -lBulletCollision -lLinearMath

build/record_box2d: bench/record_box2d.cpp bench/trace.h
	@sh bench/need.sh $(CXX):g++ /usr/include/box2d/box2d.h:libbox2d-dev
	@mkdir -p build
	$(CXX) -O2 -o $@ $< -lbox2d

build/soak: tests/soak.c $(wildcard tests/*.h) sap.h sap_multi.h $(STB_DS)
	$(COMPILE) -I. -o $@ $< -lm -pthread

build/proof/test_proof: tests/test_proof.c $(wildcard tests/*.h) sap.h $(STB_DS)
	@mkdir -p build/proof
	$(COMPILE) -I. -o $@ $< -lm -pthread
