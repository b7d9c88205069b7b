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
TRACES = wall rubble ragdolls pile pinball

GAME = 11_bullet_hell
ENGINE = 12_bullet
EXAMPLES = $(filter-out $(GAME) $(ENGINE),$(sort $(basename $(notdir $(wildcard examples/[0-9]*.c examples/[0-9]*.cpp)))))
TEACH = $(patsubst examples/teach/%.c,%,$(wildcard examples/teach/*.c))
EXERCISES = examples/exercises

# stb_ds.h is looked for once and linked into build/stb; STB=directory says where it is.
STB =
STB_DS = build/stb/stb_ds.h
WARNINGS = -Wall -Wextra -Wpedantic
COMPILE = $(CC) -std=c99 $(CFLAGS) $(WARNINGS) -isystem build/stb
VERSION = $(shell sed -n 's/^#define SAP_VERSION *"\(.*\)".*/\1/p' sap.h | grep . || echo 0)

help:           ## lists the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 20

demo: build/demo ## replays a recorded physics scene, checks it against brute force and draws build/demo.svg
	@build/demo

examples: $(EXAMPLES:%=build/examples/%) ## builds and runs the examples; their pictures go to build/
	@for e in $(EXAMPLES); do echo "$$e:"; build/examples/$$e build/$$e.svg || exit 1; echo; done

game: build/examples/$(GAME) ## builds and starts a bullet-hell game (installs SDL2); without a display it plays itself
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ]; then $<; \
	else $< --headless 372 build/$(GAME).png && echo "no display here: see build/$(GAME).png"; fi

engine: build/examples/$(ENGINE) ## runs Bullet with its own broad phases and with sap (installs Bullet), and compares
	@$<

teach: $(TEACH:%=build/teach/%) ## runs the programs that show the algorithm at work; their pictures go to build/teach/
	@for t in $(TEACH); do echo "$$t:"; build/teach/$$t build/teach/$$t.svg || exit 1; echo; done

exercises: $(STB_DS) ## checks your solutions of examples/exercises (see its README.md); EXERCISES=folder
	@STB=build/stb CC="$(CC)" sh examples/exercises/check.sh $(EXERCISES)

web: build/web/sap.html ## builds the live page, one file for any browser
	@echo "open build/web/sap.html in a browser, or: python3 -m http.server -d build/web"

picture: build/web/picture ## draws bench/data/pairs.svg, a picture that moves, from the events of sap.h
	build/web/picture bench/data/pairs.svg

web-test: $(STB_DS) ## tests the live page in Chromium; needs root or sudo once to install it
	@sh bench/need.sh chromium:chromium node:nodejs
	@STB="$(CURDIR)/build/stb" sh tests/web.sh

threads: build/examples/multi_pool build/examples/multi_openmp ## runs the examples of sap_multi.h with 1 thread and with 4
	@for n in 1 4; do for e in multi_pool multi_openmp; do \
	    echo "$$e, threads: $$n"; OMP_NUM_THREADS=$$n build/examples/$$e $$n || exit 1; echo; done; done

mpi: build/examples/mpi_world ## spreads a world over 1 to 4 processes with MPI (installs it), the pairs equal those of one
	@for n in 1 2 3 4; do mpirun --allow-run-as-root --oversubscribe -np $$n $< || exit 1; done

test: $(STB_DS) ## runs all tests
	@STB="$(CURDIR)/build/stb" CC="$(CC)" bash tests/run.sh

portability: $(STB_DS) ## runs the tests on all platforms it can run or emulate (ARM, s390x, wasm, Windows, ...), the same hashes on each
	@STB="$(CURDIR)/build/stb" sh tests/portability.sh

proof: build/proof/test_proof ## proves float keys and small worlds by trying them all, and the comparisons with Frama-C
	@build/proof/test_proof 100
	@sh tests/proof/frama.sh

fuzz: $(STB_DS) ## looks for inputs that break a promise; SECONDS=600 FUZZER=libfuzzer|afl; tests/corpus holds those that are replayed
	@STB=build/stb CC="$(CC)" sh tests/fuzz.sh run $(SECONDS) $(FUZZER)

analyse: $(STB_DS) ## reads the headers with clang-tidy and cppcheck, and runs tests under the memory sanitizer and valgrind
	@STB=build/stb CC="$(CC)" sh tests/analyse.sh

coverage: $(STB_DS) ## prints which lines and branches of the headers the tests reach, and each line that they do not
	@STB=build/stb CC="$(CC)" sh tests/coverage.sh

mutate: $(STB_DS) ## breaks copies of the headers in MUTANTS=100 places and prints those that no test notices
	@STB=build/stb CC="$(CC)" python3 tests/mutate.py $(MUTANTS)

soak: build/soak ## uses a world for MINUTES=60: memory, frame times and ids over a long time
	@build/soak $(MINUTES)

bench: build/bench ## measures every scene; BOXES=1000,10000,100000 ARGS='-s town,fast --cpu'
	@build/bench -n $(BOXES) $(ARGS)

bench-multi: build/multi ## measures sap_multi.h beside sap.h; ARGS='-n 100000,1000000 -s brownian,sparse -t 2'
	@build/multi $(ARGS)

bench-peers: build/peers ## measures Debian's broad phases on the same scenes; needs root or sudo once to install them
	@build/peers

traces: build/demo build/record_bullet build/record_box2d ## records traces from real engines (installed by apt) and replays them
	@mkdir -p build/traces
	@for t in wall rubble ragdolls; do build/record_bullet $$t build/traces/$$t.trace || exit 1; done
	@for t in pile pinball; do build/record_box2d $$t build/traces/$$t.trace || exit 1; done
	@for t in $(TRACES); do echo; build/demo build/traces/$$t.trace build/traces/$$t.svg || exit 1; done

install:        ## copies the headers and sap.pc; PREFIX=/usr/local, DESTDIR=
	install -d "$(DESTDIR)$(PREFIX)/include" "$(DESTDIR)$(PREFIX)/lib/pkgconfig"
	install -m 644 $(wildcard sap.h sap_multi.h) "$(DESTDIR)$(PREFIX)/include"
	printf '%s\n' 'prefix=$(PREFIX)' 'includedir=$${prefix}/include' '' 'Name: sap' \
	    'Description: sweep-and-prune broad phase, one header; its implementation needs stb_ds.h' \
	    'Version: $(VERSION)' 'Cflags: -I$${includedir}' > "$(DESTDIR)$(PREFIX)/lib/pkgconfig/sap.pc"

clean:          ## removes all that was built
	rm -rf build

$(STB_DS): $(if $(STB),always)
	@sh bench/find_stb.sh build/stb "$(STB)"

build/demo: bench/demo.c bench/clock.h bench/trace.h bench/picture.h sap.h $(STB_DS)
	$(COMPILE) -o $@ bench/demo.c -lm

build/examples/%: examples/%.c examples/svg.h sap.h $(STB_DS)
	@mkdir -p build/examples
	$(COMPILE) -I. -o $@ $< -lm

build/examples/%: examples/%.cpp sap.h $(STB_DS)
	@sh bench/need.sh $(CXX):g++
	@mkdir -p build/examples
	$(CXX) -std=c++11 $(CFLAGS) $(WARNINGS) -isystem build/stb -I. -o $@ $<

build/examples/$(GAME): examples/$(GAME).c examples/pixels.h sap.h $(STB_DS)
	@sh bench/need.sh /usr/include/SDL2/SDL.h:libsdl2-dev /usr/include/png.h:libpng-dev
	@mkdir -p build/examples
	$(COMPILE) -I. -o $@ $< -lSDL2 -lpng -lm

build/examples/$(ENGINE): examples/$(ENGINE).cpp sap.h $(STB_DS)
	@sh bench/need.sh $(CXX):g++ /usr/include/bullet/btBulletDynamicsCommon.h:libbullet-dev
	@mkdir -p build/examples
	$(CXX) -std=c++11 $(CFLAGS) $(WARNINGS) -isystem build/stb -isystem /usr/include/bullet -I. -o $@ $< \
	    -lBulletDynamics -lBulletCollision -lLinearMath

build/examples/multi_%: examples/multi_%.c examples/flyers.h examples/pool.h sap.h sap_multi.h $(STB_DS)
	@mkdir -p build/examples
	$(COMPILE) -I. -pthread -fopenmp -o $@ $<

build/examples/mpi_world: examples/mpi_world.c examples/flyers.h sap.h $(STB_DS)
	@sh bench/need.sh mpicc:libopenmpi-dev mpirun:openmpi-bin
	@mkdir -p build/examples
	mpicc -std=c99 $(CFLAGS) $(WARNINGS) -isystem build/stb -I. -o $@ $< -lm

build/teach/%: examples/teach/%.c examples/teach/teach.h examples/svg.h sap.h $(STB_DS)
	@mkdir -p build/teach
	$(COMPILE) -I. -Iexamples -o $@ $< -lm

build/web/picture: examples/web/picture.c sap.h $(STB_DS)
	@mkdir -p build/web
	$(COMPILE) -I. -o $@ $< -lm

# One self-contained page: the module goes into it as text.
build/web/sap.wasm: examples/web/glue.c sap.h $(STB_DS)
	@sh bench/need.sh clang:clang wasm-ld:lld /usr/include/wasm32-wasi:wasi-libc \
	    $(shell clang -print-resource-dir 2>/dev/null || echo /usr/lib/clang/14)/lib/wasi:libclang-rt-14-dev-wasm32
	@mkdir -p build/web
	clang --target=wasm32-wasi -std=c99 -O3 -msimd128 -DNDEBUG $(WARNINGS) -isystem build/stb -I. \
	    -nostartfiles -Wl,--no-entry -Wl,--strip-all -o $@ examples/web/glue.c

build/web/sap.html: examples/web/page.html build/web/sap.wasm
	@{ sed '/^@WASM@/,$$d' $<; base64 build/web/sap.wasm; sed '1,/^@WASM@/d' $<; } > $@

build/soak: tests/soak.c tests/alloc.h tests/test.h sap.h sap_multi.h $(STB_DS)
	$(COMPILE) -I. -o $@ tests/soak.c -lm

build/bench: bench/bench.c bench/clock.h bench/queries.h bench/scenes.h sap.h $(STB_DS)
	$(COMPILE) -DFLAGS='"$(CFLAGS)"' -o $@ bench/bench.c -lm

build/multi: bench/multi.c bench/clock.h bench/scenes.h examples/pool.h sap.h sap_multi.h $(STB_DS)
	$(COMPILE) -o $@ bench/multi.c -lm -pthread

build/peers: bench/peers.cpp bench/queries.h bench/scenes.h examples/pool.h sap.h sap_multi.h $(STB_DS)
	@sh bench/need.sh $(CXX):g++ /usr/include/bullet/btBulletDynamicsCommon.h:libbullet-dev /usr/include/ode/ode.h:libode-dev \
	    /usr/include/fcl/fcl.h:libfcl-dev /usr/include/chipmunk/chipmunk.h:chipmunk-dev /usr/include/box2d/box2d.h:libbox2d-dev \
	    /usr/include/CGAL/box_intersection_d.h:libcgal-dev /usr/include/boost/geometry.hpp:libboost-dev gnuplot:gnuplot-nox
	$(CXX) -std=c++17 -O2 -DFLAGS='"-O2"' -isystem build/stb -isystem /usr/include/bullet -isystem /usr/include/eigen3 \
	    -o $@ bench/peers.cpp -lBulletCollision -lLinearMath -lfcl -lccd -lode -lchipmunk -lbox2d -pthread

build/proof/test_proof: tests/test_proof.c tests/ways.h tests/test.h sap.h $(STB_DS)
	@mkdir -p build/proof
	$(COMPILE) -I. -o $@ $<

build/record_bullet: bench/record_bullet.cpp bench/trace.h
	@sh bench/need.sh $(CXX):g++ /usr/include/bullet/btBulletDynamicsCommon.h:libbullet-dev
	@mkdir -p build
	$(CXX) -O2 -I/usr/include/bullet -o $@ $< -lBulletDynamics -lBulletCollision -lLinearMath

build/record_box2d: bench/record_box2d.cpp bench/trace.h
	@sh bench/need.sh $(CXX):g++ /usr/include/box2d/box2d.h:libbox2d-dev
	@mkdir -p build
	$(CXX) -O2 -o $@ $< -lbox2d

.PHONY: fuzz analyse coverage mutate soak help demo examples game engine teach exercises threads mpi web picture web-test test portability proof bench bench-multi bench-peers traces install clean always
