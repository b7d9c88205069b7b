# The targets: make help

CC = gcc
CXX = g++
CFLAGS = -O2
PREFIX = /usr/local
BOXES = 1000,10000,100000
ARGS =
TRACES = wall rubble ragdolls pile pinball

EXAMPLES = $(patsubst examples/%.c,%,$(wildcard examples/*.c))

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

test: $(STB_DS) ## runs all tests
	@STB="$(CURDIR)/build/stb" CC="$(CC)" bash tests/run.sh

bench: build/bench ## measures every scene; BOXES=1000,10000,100000 ARGS='-s town,fast --cpu'
	@build/bench -n $(BOXES) $(ARGS)

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

build/demo: bench/demo.c bench/trace.h bench/picture.h sap.h $(STB_DS)
	$(COMPILE) -o $@ bench/demo.c -lm

build/examples/%: examples/%.c examples/svg.h sap.h $(STB_DS)
	@mkdir -p build/examples
	$(COMPILE) -I. -o $@ $< -lm

build/bench: bench/bench.c bench/queries.h bench/scenes.h sap.h $(STB_DS)
	$(COMPILE) -DFLAGS='"$(CFLAGS)"' -o $@ bench/bench.c -lm

build/peers: bench/peers.cpp bench/queries.h bench/scenes.h sap.h $(STB_DS)
	@sh bench/need.sh $(CXX):g++ /usr/include/bullet/btBulletDynamicsCommon.h:libbullet-dev /usr/include/ode/ode.h:libode-dev \
	    /usr/include/fcl/fcl.h:libfcl-dev /usr/include/chipmunk/chipmunk.h:chipmunk-dev /usr/include/box2d/box2d.h:libbox2d-dev \
	    /usr/include/CGAL/box_intersection_d.h:libcgal-dev /usr/include/boost/geometry.hpp:libboost-dev gnuplot:gnuplot-nox
	$(CXX) -std=c++17 -O2 -DFLAGS='"-O2"' -isystem build/stb -isystem /usr/include/bullet -isystem /usr/include/eigen3 \
	    -o $@ bench/peers.cpp -lBulletCollision -lLinearMath -lfcl -lccd -lode -lchipmunk -lbox2d

build/record_bullet: bench/record_bullet.cpp bench/trace.h
	@sh bench/need.sh $(CXX):g++ /usr/include/bullet/btBulletDynamicsCommon.h:libbullet-dev
	@mkdir -p build
	$(CXX) -O2 -I/usr/include/bullet -o $@ $< -lBulletDynamics -lBulletCollision -lLinearMath

build/record_box2d: bench/record_box2d.cpp bench/trace.h
	@sh bench/need.sh $(CXX):g++ /usr/include/box2d/box2d.h:libbox2d-dev
	@mkdir -p build
	$(CXX) -O2 -o $@ $< -lbox2d

.PHONY: help demo examples test bench bench-peers traces install clean always
