#!/usr/bin/env python3
"""
table.py - measures sap.h and its peers, and writes the tables of README.md and bench/README.md and the plot

    make table              all: bench/data/<processor>.csv, bench/data/peers.svg, both README.md; half an hour
    make table-quick        1,000 boxes, a few frames, into build/table: is every pair right, does every step work?
    make bench-peers        prints the tables, with more peers, and leaves both README.md alone

    table.py [--quick | --print] [--only frames,lived,batch,2d,crowd,small,query,prune,threads,calls,cost,
             histories,quiet]
             [-n 1000,10000] [-s sparse,town] [-r rounds] [--core 1] [--cpu] [--readme]

--only measures a part again and keeps the rest of the file; --readme measures nothing and writes both README.md from it. --cpu takes processor time instead of the clock's, for a machine that does other things too.

One condition for all: each run is a process of its own (bench/peers), in fresh memory, on one core (threads: on all); boxes
lie in the user's arrays, and in each frame what moved is handed in, the peer updates, and what began and ended is taken (of those
that do not tell: all pairs). A peer moves boxes as its engine does: trees with margins, which hold pairs of fat boxes,
have those that the engine gives boxes of that size, and the tables tell fat pairs and exact ones apart. Runs go round:
each peer once, then all again. A figure is the median of the rounds, a round's the mean of its frames, as many for each
peer: frames of trees with margins are of two kinds, so that a median would depend on how many there are of each. The file
also has the least and the worst round, the median frame, and the worst one. The pairs of each are compared with a plain
sort-and-sweep: if sap.h or a peer without margin lacks one or has one too many, that is printed. The exit status is 1 if
it was sap.h.
"""
import argparse
import csv
import math
import os
import platform
import re
import statistics
import subprocess
import sys
import textwrap
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DEBIANS = "bullet ode fcl chipmunk box2d_24 cgal boost".split()
BUILT = "physx jolt box2d box3d".split()
PROGRAMS = "sap sap_avx2 sap_sse2 threads plain".split() + DEBIANS + BUILT
FIELDS = "what scene boxes peer rounds frames least median worst frame_median worst_frame bytes pairs missed extra".split()
SIZES = [1000, 10000, 100000]
SMALL = [10, 30, 60, 110, 250, 500]
FRAMES = {1000: 300, 10000: 200, 100000: 60}
OWN = {"sap": "sap.h", "sap_avx2": "sap.h, AVX2", "sap_sse2": "sap.h, SSE2"}
NOT_IN_README = ["FCL SaP", "ODE hash", "PhysX SAP", "two loops"]  # in 3D; make bench-peers has them
FRAMES_3D, FRAMES_2D, ADDS, REMOVES, ONE_SHOT, QUERIES_3D, QUERIES_2D = 1, 2, 4, 8, 16, 32, 64

SCENES = [  # the names that the text uses, and what they are
    ("sparse", "one in twenty walks"),
    ("tremble", "all tremble, each at its place"),
    ("jitter", "all walk a little, within the others' margins for some frames"),
    ("brownian", "all walk"),
    ("shuffled", "the same, in another order"),
    ("fast", "all move fast"),
    ("drift", "all fly, as Broadmark's Brownian"),
    ("gravity", "all fall, lie and tremble"),
    ("town", "64 movers among static boxes"),
    ("bigworld", "one in twenty, static ones, one ground"),
    ("teleport", "one in a hundred jumps anywhere"),
    ("sizes", "sizes from 1 to 100, all walk"),
    ("areas", "areas of interest, 25 pairs a box, all glide slowly"),
    ("quads", "walls and floors, flat boxes, all walk"),
    ("mixed", "one in ten is a room, all walk"),
    ("static", "nothing moves"),
]
SMALL_SCENES = [("tremble2d", "a heap trembles in place"), ("heap2d", "a heap walks a little"), ("brownian2d", "all walk")]
SCENES_2D = [("sparse2d", "one in twenty walks"), ("brownian2d", "all walk"),
             ("town2d", "64 movers among static boxes"), ("teleport2d", "one in a hundred jumps anywhere")]
MOST = {"areas": 10000}  # boxes
CROWDS = [(10, 10000, way, "") for way in (".002", ".01", ".05", ".3")]  # pairs a box, boxes, way, who moves
CROWDS += [(30, 1000, way, "") for way in (".002", ".01", ".05", ".3")] + [(30, 1000, ".01", ":some")]
EXACT = {2: ["Box2D v3 exact", "Chipmunk", "sort, sweep"],
         3: ["PhysX ABP", "Jolt", "Box3D exact", "Bullet SAP", "sort, sweep"]}
FAT = {2: ["Box2D v3", "Box2D 2.4"], 3: ["Box3D", "Bullet dbvt"]}
ONLY_CROWDS = ["sap.h margin", "Box2D v3 exact", "Box3D exact"]  # and the first where boxes move a little
LITTLE = ["tremble", "jitter", "tremble2d", "heap2d"]
MOST_SECONDS = 20  # of a run
BATCHES = [("add", "brownian", "all added to a new world"), ("add", "town", "a town added, mostly static"),
           ("remove", "brownian", "all removed after 60 frames"), ("remove", "sizes", "the same, many pairs a box")]
PRUNES = [("prune:uniform", "anywhere in a cube"), ("prune:sphere", "on the surface of a sphere"),
          ("prune:stretched", "n times as long on y"), ("prune:revisited", "as in Box Pruning Revisited")]
QUERY_KINDS = [("box", "a box"), ("large_box", "a large box"), ("closest_ray", "closest hit of a ray"),
               ("nearest", "the nearest box")]

# Published elsewhere: thousands of cycles of an Intel Core i7-6850K for 10,000 boxes with 11,811 pairs (Pierre
# Terdiman, Box Pruning Revisited, parts 2, 15a, 15c and 17), each run once from no order as 'prune:revisited' is.
REVISITED = [("for the code of 2002", 66245), ("with SSE2", 5676), ("with AVX by hand", 2413),
             ("with boxes sorted into five buckets", 3763)]


BETTER_OF = {"Bullet dbvt": ["Bullet dbvt immediate", "Bullet dbvt deferred"]}


class Peer:
    def __init__(self, path, version, line):
        self.path, self.version, self.program = path, version, os.path.basename(path)
        self.run_name, where, most, self.note = line.split("\t")
        self.where, self.most = int(where), int(most)
        self.is_own = self.program in OWN
        self.name = self.run_name
        if self.is_own:  # the same three in each of its programs
            self.name = self.run_name.replace("sap_box_prune", "sap.h").replace("sap.h", OWN[self.program])


def find_peers(folder):
    """Those of the programs that are built, or of these the ones that PEERS names."""
    found, wanted = [], os.environ.get("PEERS", "").split() or PROGRAMS
    for path in (os.path.join(folder, program) for program in PROGRAMS if program in wanted):
        if os.path.exists(path):
            lines = subprocess.run([path, "list"], capture_output=True, text=True, check=True).stdout.splitlines()
            found += [Peer(path, lines[0], line) for line in lines[1:]]
    return found


def crowd_name(dims, pairs, way, who):
    return "crowd%dd:%d:%s%s" % (dims, pairs, way, who)


class Job:
    def __init__(self, what, scene, boxes, peers, frames=0, rounds=3):
        self.what, self.scene, self.boxes, self.peers = what, scene, boxes, peers
        self.frames, self.rounds = frames, rounds


def jobs_of(options, peers):
    """All that is to be measured, in an order in which the most important comes first."""
    quick, everyone = options.quick, options.print
    sizes = options.n or ([1000] if quick else SIZES)
    rounds = options.r or (1 if quick else 5)
    threads = ["1 thread", "2 threads"]
    def frames(n):
        return 20 if quick else FRAMES.get(n, 60)

    def of(where, n, leave_out=()):
        leave_out = list(leave_out) + ONLY_CROWDS
        names = [p for p in peers if p.where & where and n <= p.most
                 and p.name not in leave_out and p.run_name not in leave_out]
        return [p for p in names if everyone or p.name not in NOT_IN_README or not where & FRAMES_3D]

    for what in ("frames", "lived"):
        for scene, _ in SCENES:
            for n in [n for n in sizes if n <= MOST.get(scene, n)]:
                few = [p for p in of(FRAMES_3D, n, threads) if n < 100000 or p.name in
                       ("sap.h", "sap.h, AVX2", "sap.h, SSE2", "PhysX ABP", "Jolt", "Box3D")]
                if what == "frames" and scene in LITTLE:
                    few += [p for p in peers if p.name == "sap.h margin"]
                if what == "frames" or scene != "static" and not quick:
                    few = few if what == "frames" else [p for p in few if p.name == "sap.h"]
                    yield Job(what, scene, n, few, frames(n), rounds)
    for what, scene, _ in BATCHES:
        for n in sizes:
            few = [p for p in of(ADDS if what == "add" else REMOVES, n) if p.where & FRAMES_3D]
            yield Job(what, scene, n, [p for p in few if n < 100000 or p.is_own or p.name == "PhysX ABP"], 60,
                      1 if quick else 5)
    for scene, _ in SCENES_2D:
        for n in [n for n in sizes if n <= 10000]:
            yield Job("2d", scene, n, of(FRAMES_2D, n, threads + ["two loops"]), frames(n), rounds)
    for pairs, n, way, who in CROWDS:
        for dims in (2, 3):
            names = ["sap.h", "sap.h margin"] + EXACT[dims] + FAT[dims]
            names += [way for p in names for way in BETTER_OF.get(p, [])]
            few = [p for p in peers if p.name in names and n <= p.most]
            if not quick or (n, way, who) == (1000, ".01", ""):
                yield Job("crowd", crowd_name(dims, pairs, way, who), n, few, frames(n), min(rounds, 3))
    for scene, _ in SMALL_SCENES:
        for n in SMALL:
            few = of(FRAMES_2D, n, threads + ["sort, sweep"])
            few += [p for p in peers if p.name == "sap.h margin" and scene in LITTLE]
            if not quick or n == 60:
                yield Job("small", scene, n, few, rounds=rounds)
    for where, scene in ((QUERIES_3D, "brownian"), (QUERIES_2D, "brownian2d")):
        n = 1000 if quick else 10000
        yield Job("query", scene, n, of(where, n), 10 if quick else 300, rounds=1 if quick else 3)
    for scene, _ in PRUNES:
        n = 1000 if quick else 10000
        yield Job("prune", scene, n, of(ONE_SHOT, n), 3 if quick else 40, 1 if quick else 3)
    for scene in ("brownian", "sparse"):
        for n in (20000, 100000):
            if not quick:
                yield Job("threads", scene, n, [p for p in peers if p.name in threads], 100, rounds)


class Bench:
    def __init__(self, options):
        self.options, self.wrong, self.done = options, 0, 0
        cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
        self.core = options.core if options.core in cores else cores[-1] if cores else None

    def run(self, peer, job, check=False):
        words = {"lived": "frames", "2d": "frames", "crowd": "frames", "prune": "frames", "threads": "frames"}
        command = [peer.path, peer.run_name, words.get(job.what, job.what), job.scene, str(job.boxes)]
        command += [str(min(job.frames, 30) if check else job.frames), str(MOST_SECONDS)]
        command += ["lived"] if job.what == "lived" else []
        command += ["check"] if check else []
        command += ["cpu"] if self.options.cpu and job.what != "threads" else []
        alone = self.core is not None and job.what != "threads"  # two threads need two cores
        pin = (lambda: os.sched_setaffinity(0, {self.core})) if alone else None
        try:
            out = subprocess.run(command, capture_output=True, text=True, timeout=4 * MOST_SECONDS, preexec_fn=pin)
        except subprocess.TimeoutExpired:
            return {"why": "over %d seconds" % (4 * MOST_SECONDS)}
        words = out.stdout.split()
        if out.returncode or not words or words[0] == "failed":
            return {"why": " ".join(words) or "crashed"}
        return dict(zip(words[0::2], words[1::2]))

    def measure(self, job):
        """Rows for the file; what is wrong is printed."""
        rounds = {p.name: [] for p in job.peers}
        checks = {}
        for p in job.peers:
            if job.what == "remove" or job.what == "query":
                continue
            if job.boxes > 10000 and not p.is_own and p.program != "physx":
                continue
            checks[p.name] = self.run(p, job, check=True)
        for r in range(job.rounds):
            for p in job.peers:
                slow = rounds[p.name] and float(rounds[p.name][0].get("mean", 0)) > 5e3
                enough = 2 if not p.is_own and p.program != "physx" else job.rounds
                if "why" in checks.get(p.name, {}) or r >= enough or r and slow and not p.is_own:
                    continue
                rounds[p.name].append(self.run(p, job))
        rows = []
        for p in job.peers:
            runs = [r for r in rounds[p.name] if "why" not in r]
            failed = [r["why"] for r in [checks.get(p.name, {})] + rounds[p.name] if "why" in r]
            check = checks.get(p.name, runs[0] if runs else {})
            missed, twice = int(check.get("missed", 0)), int(check.get("twice", 0))
            extra = int(check.get("extra", 0))
            bad = missed or twice or "no margin" in p.note and extra
            if bad or failed and (p.is_own or p.program == "threads"):
                self.wrong += p.is_own or p.program == "threads" # tables show what a peer misses
                print("WRONG: %s in %s with %d boxes: %d pairs missed, %d twice, %d extra %s" %
                      (p.name, job.scene, job.boxes, missed, twice, extra, " ".join(failed)))
            if job.what == "query":
                rows += self.query_rows(p, job, runs)
                continue
            base = dict(what=job.what, scene=job.scene, boxes=job.boxes, peer=p.name, missed=missed, extra=extra,
                        rounds=len(runs), pairs=check.get("pairs", ""))
            if not runs:
                rows.append(dict(base, frames=0))
                continue
            if job.frames > int(runs[0]["frames"]) > 1:
                print("%s in %s with %d boxes: %s frames in %d seconds" %
                      (p.name, job.scene, job.boxes, runs[0]["frames"], MOST_SECONDS))
            mean = sorted(float(r["mean"]) for r in runs)
            rows.append(dict(base, frames=runs[0]["frames"], least=mean[0], median=statistics.median(mean),
                             worst=mean[-1], frame_median=statistics.median(float(r["median"]) for r in runs),
                             worst_frame=min(float(r["worst"]) for r in runs), bytes=runs[0].get("bytes", "")))
        return rows

    def query_rows(self, p, job, runs):
        rows = []
        for kind in ["step"] + [k for k, _ in QUERY_KINDS]:
            times = sorted(float(r[kind]) for r in runs if kind in r)
            if not times:
                continue
            wrong = int(runs[0].get(kind + "_wrong", 0))
            if wrong:
                self.wrong += p.is_own
                print("WRONG: %s answers %d queries otherwise than a plain loop" % (p.name, wrong))
            rows.append(dict(what="query:" + kind, scene=job.scene, boxes=job.boxes, peer=p.name, rounds=len(times),
                             frames=job.frames, least=times[0], median=statistics.median(times), worst=times[-1],
                             frame_median="", worst_frame="", bytes="", pairs="", missed=wrong, extra=0))
        return rows


def cost_rows():
    """Seconds to compile the header alone, and the size of its code, gcc -O2 -c."""
    rows = []
    source = os.path.join(ROOT, "build", "table", "cost.c")
    os.makedirs(os.path.dirname(source), exist_ok=True)
    for name, head in (("sap.h", '#include "sap.h"'), ("sap_multi.h", '#include "sap_multi.h"')):
        with open(source, "w") as f:
            f.write("#define %s_IMPLEMENTATION\n%s\n" % (name[:-2].upper(), head))
        stb = os.path.join(ROOT, "build", "stb")
        command = [os.environ.get("CC", "gcc"), "-std=c99", "-O2", "-I", ROOT, "-isystem", stb]
        command += ["-c", source, "-o", source + ".o"]
        times = []
        for _ in range(5):
            start = time.time()
            subprocess.run(command, check=True)
            times.append(time.time() - start)
        size = subprocess.run(["size", source + ".o"], capture_output=True, text=True, check=True).stdout.split()
        lines = sum(1 for _ in open(os.path.join(ROOT, name)))
        base = dict(scene=name, boxes=0, peer="gcc -O2", rounds=5)
        rows.append(dict(base, what="compile seconds", least=round(min(times), 2),
                         median=round(statistics.median(times), 2), worst=round(max(times), 2)))
        rows.append(dict(base, what="code kilobytes", median=round(int(size[6]) / 1000)))
        rows.append(dict(base, what="lines", median=lines))
    return rows


def call_rows(n):
    """What bench.c says about recording, looking and snapshots."""
    bench = os.path.join(ROOT, "build", "bench")
    if not os.path.exists(bench):
        return []
    command = [bench, "-n", str(n), "-s", "calls,snapshot"]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows, base = [], dict(boxes=n, rounds=1)
    for name, one, many in re.findall(r"^(\w+) +([\d.]+)(?: +([\d.]+))?$", out, re.M):
        rows.append(dict(base, what="call", scene=name, peer="one by one", median=one))
        if many:
            rows.append(dict(base, what="call", scene=name, peer="many", median=many))
    found = re.search(r"([\d.]+) bytes and ([\d.]+) nanoseconds a box to save, ([\d.]+) to restore", out)
    for name, value in zip(("bytes", "save", "restore"), found.groups() if found else ()):
        rows.append(dict(base, what="snapshot", scene=name, peer="sap.h", median=value))
    return rows


def history_rows(n):
    """Worlds that have lived beside new ones: what bench/lived.c says of each history of bench/histories.h."""
    lived = os.path.join(ROOT, "build", "lived")
    if not os.path.exists(lived):
        return []
    histories = open(os.path.join(ROOT, "bench", "histories.h")).read()
    texts = dict(re.findall(r'^    \{"([^"]+)", \d, history_\w+, "([^"]+)"\}', histories, re.M))
    command = [lived, "-n", str(n), "-s", ",".join(texts)]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^\| ([^|]+) \| ([^|]+) \| ([\d.]+) \| \(([\d.]+) to ([\d.]+)\) \|", out, re.M)
    return [dict(what="history", scene=texts[name], boxes=n, peer=measure, rounds=15, median=ratio, least=low, worst=high)
            for name, measure, ratio, low, high in found]


def quiet_rows():
    """Worlds in which little changes: what bench/lived.c says of the worlds of bench/quiet.h."""
    lived = os.path.join(ROOT, "build", "lived")
    if not os.path.exists(lived):
        return []
    out = subprocess.run([lived, "-s", "quiet"], capture_output=True, text=True).stdout
    rows = []
    for line in re.findall(r"^\| (\d.*) \|$", out, re.M):
        n, name, frames, mean, median, worst, packs, adds, each = line.split(" | ")[:9]
        base = dict(scene=name, boxes=n, frames=frames, rounds=3)
        rows.append(dict(base, what="quiet", peer="sap.h", median=mean, frame_median=median, worst_frame=worst))
        rows.append(dict(base, what="quiet", peer="frames with a pack of all", median=packs))
        if int(packs):
            rows.append(dict(base, what="quiet", peer="what it adds", median=adds))
            rows.append(dict(base, what="quiet", peer="nanoseconds a box", median=each))
    return rows


# ---- the file ----


def machine():
    name, mhz = platform.processor() or platform.machine(), 0.0
    if os.path.exists("/proc/cpuinfo"):
        text = open("/proc/cpuinfo").read()
        found = re.search(r"model name\s*: (.*)", text)
        name = found.group(1) if found else name
        found = re.search(r"cpu MHz\s*: ([\d.]+)", text)
        mhz = float(found.group(1)) if found else 0.0
        known = [k for k in ("AVX-512", "AVX2", "SSE2") if " " + k.lower().replace("-", "") in text]
        best = known[0] if known else "its own"
    else:
        best = "its own"
    return name.strip(), mhz, best


def slug(name):
    plain = re.sub(r"\(r\)|\(tm\)|cpu|processor|@.*", "", name.lower())
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-") or "unknown"


class Data:
    """The rows of the file, by what they are of."""

    def __init__(self, path):
        self.path, self.rows, self.head = path, {}, {}
        if os.path.exists(path):
            lines = open(path).read().splitlines()
            for line in lines:
                if line.startswith("# ") and ": " in line:
                    key, value = line[2:].split(": ", 1)
                    self.head[key] = value
            for row in csv.DictReader(line for line in lines if not line.startswith("#")):
                self.put(row)

    def put(self, row):
        self.rows[row["what"], row["scene"], int(row["boxes"]), row["peer"]] = row

    def get(self, what, scene, boxes, peer, field="median"):
        """A field, or None: a time counts only of one that finds most pairs (ODE's finds none of flat boxes). Of one that
        has two ways the better one counts."""
        if peer in BETTER_OF:
            ways = [(self.get(what, scene, boxes, p), p) for p in BETTER_OF[peer]]
            ways = [w for w in ways if w[0]]
            return self.get(what, scene, boxes, min(ways)[1], field) if ways else None
        row = self.rows.get((what, scene, boxes, peer))
        if row and float(row.get("missed") or 0) > float(row.get("pairs") or 0) / 2:
            return None
        return float(row[field]) if row and row.get(field) not in ("", None) else None

    def peers(self, what, scene, boxes):
        """Their names in tables."""
        ways = {way: peer for peer, ways in BETTER_OF.items() for way in ways}
        return sorted({ways.get(k[3], k[3]) for k in self.rows if k[:3] == (what, scene, boxes)})

    def write(self):
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        with open(self.path, "w", newline="") as f:
            for key, value in self.head.items():
                f.write("# %s: %s\n" % (key, value))
            out = csv.DictWriter(f, FIELDS, restval="", lineterminator="\n", extrasaction="ignore")
            out.writeheader()
            for row in self.rows.values():
                short = {k: ("%.4g" % v if isinstance(v, float) else v) for k, v in row.items()}
                out.writerow(short)


# ---- the tables ----


def number(x):
    if x is None:
        return ""
    if x >= 1000:
        return "{:,}".format(int(round(x, 3 - len(str(int(x))))))
    return "%.2f" % x if x < 1 else "%.1f" % x if x < 10 else "%.0f" % x


def ratio(x, base):
    """How many times as long as base: 4.2×."""
    if not x or not base:
        return ""
    r = x / base
    return ("%.2f" % r if r < 1 else "%.1f" % r if r < 10 else "%.0f" % r if r < 1000 else "{:,.0f}".format(r)) + "×"


def against(x, base):
    """The same for another one's time by that of sap.h: bold if the other one is faster."""
    text = ratio(x, base)
    return "**%s**" % text if text and x < base else text


def markdown(head, rows):
    """A table without rows and columns that have nothing to say; nothing if none is left."""
    rows = [r for r in rows if any(r[1:])]
    used = [i for i in range(len(head)) if i == 0 or any(r[i] for r in rows)]
    if not rows or len(used) < 2:
        return ""
    head = [SHOWN.get(h, h) for h in head]
    lines = ["".join("| %s " % r[i] if r[i] else "| " for i in used) + "|" for r in [head] + rows]
    lines.insert(1, "|---" + "|--:" * (len(used) - 1) + "|")
    return "\n".join(lines)


WITH_MARGIN = "the same, sap.h with a margin"
SHOWN = {"sort, sweep": "sort and sweep", "Bullet tree": "Bullet's tree", "Boost rtree": "Boost's R-tree",
         "Box3D tree": "Box3D's tree", "Box2D v3 tree": "Box2D v3's tree", "plain loop": "one loop"}
DEBIAN = ["Bullet SAP", "Bullet dbvt", "ODE SAP", "ODE hash", "FCL SaP", "FCL tree"]


def best_of(data, key, names):
    """The least of those that there are, and whose."""
    times = [(data.get(*key, peer=p), p) for p in names if data.get(*key, peer=p)]
    return min(times) if times else (None, None)


def frames_table(data):
    rows = []
    for scene, text in SCENES:
        if scene == "static":
            continue
        t = [data.get("frames", scene, n, "sap.h") for n in SIZES]
        mid = ("frames", scene, 10000)
        besides = [data.get(*mid, "sap.h", "worst_frame"), data.get(*mid, "sap.h, AVX2"), data.get(*mid, "sap.h, SSE2"),
                   data.get("lived", scene, 10000, "sap.h")]
        rows.append(["**%s**: %s" % (scene, text)] + [number(x) for x in t] + [ratio(x, t[1]) for x in besides])
        t = [data.get("frames", scene, n, "sap.h margin") for n in SIZES]
        worst = data.get(*mid, "sap.h margin", "worst_frame")
        rows.append([WITH_MARGIN] + [number(x) for x in t] + [ratio(worst, t[1]), "", "", ""])
    for what, scene, text in BATCHES:
        t = [data.get(what, scene, n, "sap.h") for n in SIZES]
        rows.append([text] + [number(x) for x in t] + ["", ratio(data.get(what, scene, 10000, "sap.h, AVX2"), t[1]),
                                                       ratio(data.get(what, scene, 10000, "sap.h, SSE2"), t[1]), ""])
    t = [data.get("frames", "static", n, "sap.h") for n in SIZES]
    rows.append(["**static**: nothing moves"] + [number(x) for x in t] + ["", "", "", ""])
    head = ["sap.h, microseconds", "1,000", "10,000", "100,000", "worst frame", "AVX2", "SSE2", "lived"]
    return markdown(head, rows)


def peers_table(data):
    rows = []
    keys = [(("frames", s), "**%s**: %s" % (s, t)) for s, t in SCENES if s != "static"]
    for (what, scene), text in keys + [((w, s), t) for w, s, t in BATCHES]:
        row = [text]
        for n in SIZES:
            row.append(against(data.get(what, scene, n, "PhysX ABP"), data.get(what, scene, n, "sap.h")))
        own = data.get(what, scene, 10000, "sap.h")
        row += [against(data.get(what, scene, 10000, p), own) for p in ("Jolt", "Box3D")]
        time, name = best_of(data, (what, scene, 10000), DEBIAN)
        row.append("%s %s" % (against(time, own), name) if time and own else "")
        row.append(against(data.get(what, scene, 10000, "sort, sweep"), own))
        rows.append(row)
        own = data.get(what, scene, 10000, "sap.h margin")
        if own:
            tree = against(data.get(what, scene, 10000, "Bullet dbvt"), own)
            rows.append([WITH_MARGIN, "", "", "", "", against(data.get(what, scene, 10000, "Box3D"), own),
                         tree + " Bullet dbvt" if tree else "", ""])
    head = ["× is times as long as sap.h", "PhysX ABP, 1,000", "10,000", "100,000", "Jolt, 10,000", "Box3D, 10,000",
            "best of Bullet, ODE, FCL", "sort, sweep"]
    return markdown(head, rows)


def flat_table(data):
    peers = ["Box2D v3", "Box2D 2.4", "Chipmunk", "sort, sweep"]
    rows = []
    for scene, text in SCENES_2D:
        own = data.get("2d", scene, 10000, "sap.h")
        rows.append(["**%s**: %s" % (scene, text), number(own)] +
                    [against(data.get("2d", scene, 10000, p), own) for p in peers])
    return markdown(["2D, 10,000 boxes", "sap.h, microseconds"] + peers, rows)


def small_table(data):
    rows = []
    for scene, text in SMALL_SCENES:
        own = [data.get("small", scene, n, "sap.h") for n in SMALL]
        fat = [data.get("small", scene, n, "sap.h margin") for n in SMALL]
        rows.append(["**%s**: sap.h, microseconds" % text] + [number(x) for x in own])
        for p in ("two loops", "Chipmunk"):
            rows.append([p] + [against(data.get("small", scene, n, p), x) for n, x in zip(SMALL, own)])
        if any(fat):
            rows.append(["**the same with a margin**: sap.h, microseconds"] + [number(x) for x in fat])
        for p in ("Box2D v3", "Box2D 2.4"):
            rows.append([p] + [against(data.get("small", scene, n, p), x)
                               for n, x in zip(SMALL, fat if any(fat) else own)])
    return markdown(["boxes"] + [str(n) for n in SMALL], rows)


def crowd_tables(data):
    """Of 2D and of 3D: who tells exact pairs beside sap.h, and who holds fat ones beside sap.h with a margin."""
    tables = []
    for dims in (2, 3):
        rows = []
        for pairs, n, way, who in CROWDS:
            key = ("crowd", crowd_name(dims, pairs, way, who), n)
            own, margin = data.get(*key, peer="sap.h"), data.get(*key, peer="sap.h margin")
            exact, extra = (data.get(*key, peer="sap.h margin", field=f) for f in ("pairs", "extra"))
            text = "%s boxes, %.0f pairs a box, %s" % ("{:,}".format(n), (exact or 0) / n, way)
            text += ", one in twenty" if who else ""
            rows.append([text, number(own)] + [against(data.get(*key, peer=p), own) for p in EXACT[dims]] +
                        [ratio((exact or 0) + (extra or 0), exact), number(margin)] +
                        [against(data.get(*key, peer=p), margin) for p in FAT[dims]])
        rows = [r for r in rows if r[1]]
        tables.append(markdown(["%dD, way a frame in sides" % dims, "sap.h, µs"] + EXACT[dims] +
                               ["fat pairs", "sap.h margin, µs"] + FAT[dims], rows))
    return tables


def crowd_text(data):
    if not any(crowd_tables(data)):
        return ""
    return ("Areas of interest, triggers, piles: boxes with sides of .5 to 1.5 that glide straight on, by that part of a "
            "side a frame at most. Left of *fat pairs* are those that tell pairs of exact boxes, in times as long as sap.h; "
            "right of it trees with the margins of their engines, in times as long as sap.h with `config.margin` = 0.05. "
            "*Fat pairs*: how many times as many pairs of fat boxes there are, from before boxes meet until they are well "
            "apart. *Box2D v3 exact* and *Box3D exact* test the exact boxes of each of these pairs in each frame.")


def spans(data, cases, own, peers=None):
    """How many times as long as own the others take in these cases, (what, scene, boxes): least and most, by peer; and
    the same of those cases alone in which they are faster."""
    all_of, faster = {}, {}
    for what, scene, n in cases:
        base = data.get(what, scene, n, own)
        for p in data.peers(what, scene, n) if base else []:
            other = data.get(what, scene, n, p)
            if other and not p.startswith("sap") and "thread" not in p and (peers is None or p in peers):
                all_of.setdefault(p, []).append(other / base)
                if other < 0.97 * base:
                    faster.setdefault(p, []).append(other / base)
    return all_of, faster


def span(factors):
    low, high = ratio(min(factors), 1), ratio(max(factors), 1)
    return low if low == high else "%s to %s" % (low, high)


def verdict(data, cases, own="sap.h", peers=None):
    """Who is faster in some of these cases, or that none is."""
    all_of, faster = spans(data, cases, own, peers)
    if not all_of:
        return "not measured."
    if faster:
        order = sorted(faster, key=lambda p: min(faster[p]))
        named = ", ".join("%s %s" % (SHOWN.get(p, p), span(faster[p])) for p in order)
        return "faster in some worlds %s %s." % ("are" if len(order) > 1 else "is", named)
    least = min(all_of, key=lambda p: min(all_of[p]))
    return "none is faster; next comes %s, %s." % (SHOWN.get(least, least), span(all_of[least]))


def answers(data):
    """Six questions that a reader has, each with one line."""
    fat = FAT[2] + FAT[3]
    exact = {k[3] for k in data.rows} - set(fat)
    moving = [("frames", s, n) for s, _ in SCENES if s not in LITTLE + ["static", "areas"] for n in SIZES]
    moving += [("2d", s, 10000) for s, _ in SCENES_2D]
    little = [("frames", s, n) for s in LITTLE for n in SIZES] + [("small", s, n) for s in LITTLE for n in SMALL]
    crowds = [("crowd", crowd_name(d, p, w, who), n) for d in (2, 3) for p, n, w, who in CROWDS]
    small = [("small", s, n) for s, _ in SMALL_SCENES for n in SMALL]
    added, removed = ([(w, s, n) for w, s, _ in BATCHES for n in SIZES if w == what] for what in ("add", "remove"))
    queries = [("query:" + k, s, 10000) for k, _ in QUERY_KINDS for s in ("brownian", "brownian2d")]

    def trees(cases):
        return ("Trees with margins, beside sap.h with one: %s Beside sap.h without: %s" %
                (verdict(data, cases, "sap.h margin", fat), verdict(data, cases, "sap.h", fat)))

    lines = [
        ("Many boxes that walk, fly, fall or jump, all or some of them?", verdict(data, moving)),
        ("They tremble in place, or nearly?", "set `config.margin`. " + trees(little)),
        ("Crowds, with many pairs a box?", verdict(data, crowds + [("frames", "areas", n) for n in SIZES], peers=exact) +
         " " + trees(crowds)),
        ("Ten to 500 boxes, in 2D?", verdict(data, small, peers=exact) + " Trees with margins: as where boxes tremble."),
        ("A level is added, or all boxes are removed?", "added: %s Removed: %s" %
         (verdict(data, added), verdict(data, removed))),
        ("Rays, areas, the nearest box?", verdict(data, queries, "sap.h queries")),
    ]
    return "\n".join(textwrap.fill("- **%s** %s%s" % (q, text[0].upper(), text[1:]), 120, subsequent_indent="  ",
                                   break_on_hyphens=False) for q, text in lines)


def heap_table(data):
    """README's: a trembling heap, with a margin beside Box2D's."""
    peers = ("sap.h", "sap.h margin", "Box2D v3")
    own, margin, theirs = ([data.get("small", "tremble2d", n, p) for n in SMALL] for p in peers)
    if not any(margin):
        return ""
    return markdown(["a heap in 2D that trembles in place"] + ["%d boxes" % n if n == SMALL[0] else str(n) for n in SMALL],
                    [["sap.h"] + [number(x) + " µs" if x else "" for x in own],
                     ["with `config.margin` = 0.05"] + [number(x) + " µs" if x else "" for x in margin],
                     ["Box2D v3, with its own of 0.05"] + [against(t, m) for t, m in zip(theirs, margin)]])


def query_table(data):
    rows = []
    for scene, peers, flat in (("brownian", ["Bullet tree", "Boost rtree", "Box3D tree"], ""),
                               ("brownian2d", ["Bullet tree", "Boost rtree", "Box2D v3 tree"], "2D, ")):
        for kind, text in QUERY_KINDS + [("step", "a frame of walking taken in (microseconds)")]:
            own = data.get("query:" + kind, scene, 10000, "sap.h queries")
            others = [data.get("query:" + kind, scene, 10000, p) for p in peers + ["plain loop"]]
            if kind == "step":
                others[3] = None  # a loop has nothing to do
            rows.append([flat + text, number(own)] + [against(x, own) for x in others])
    return markdown(["query of 10,000 boxes that walked", "sap.h, nanoseconds", "Bullet's tree", "Boost's R-tree",
                     "Box3D's or Box2D v3's tree", "plain loop"], rows)


def prune_table(data):
    rows = []
    for scene, text in PRUNES:
        own = data.get("prune", scene, 10000, "sap.h")
        others = [data.get("prune", scene, 10000, p) for p in ("CGAL", "Boost", "sort, sweep once")]
        rows.append([text, number(own)] + [against(x, own) for x in others])
    head = ["10,000 boxes once, nothing kept", "sap_box_prune, microseconds", "CGAL", "Boost", "sort, sweep"]
    return markdown(head, rows)


def memory_table(data):
    peers = ["sap.h", "PhysX ABP", "Box3D", "Jolt", "Bullet dbvt", "Bullet SAP", "ODE SAP", "FCL tree"]
    rows = []
    for scene, n in (("brownian", 10000), ("brownian", 100000), ("town", 10000), ("sizes", 10000)):
        held = [number(data.get("frames", scene, n, p, "bytes")) for p in peers]
        rows.append(["%s, %s" % (scene, "{:,}".format(n))] + held)
    return markdown(["bytes held for each box"] + peers, rows)


def revisited(data):
    own, mhz = data.get("prune", "prune:revisited", 10000, "sap.h"), float(data.head.get("MHz", 0) or 0)
    pairs = data.get("prune", "prune:revisited", 10000, "sap.h", "pairs")
    if not own or not mhz:
        return ""
    theirs = ", ".join("{:,} {}".format(k, name) for name, k in REVISITED)
    text = ("Beside what others published: *Box Pruning Revisited* (Pierre Terdiman) counts thousands of cycles of an "
            "Intel Core i7-6850K for 10,000 boxes and 11,811 pairs: {}. `sap_box_prune` takes {:,.0f} thousand cycles "
            "of this machine's clock ({:.1f} GHz) for {:,.0f} pairs of boxes as dense as those.")
    return text.format(theirs, own * mhz / 1000, mhz / 1000, pairs or 0)


def threads_line(data):
    out = []
    for scene in ("sparse", "brownian"):
        for n in (20000, 100000):
            one, two = (data.get("threads", scene, n, p) for p in ("1 thread", "2 threads"))
            if one and two:
                out.append("%s with %s boxes %.2f×" % (scene, "{:,}".format(n), one / two))
    text = "With one thread a frame takes as many times as long as with two: "
    return text + ", ".join(out) + "." if out else ""


MEASURES = ["all move", "5% move", "first look", "box", "ray", "nearest"]
MOST_HISTORIES = 10


def histories_table(data, n):
    """The worst ones, worst first."""
    rows = {}
    for what, scene, boxes, peer in data.rows:
        if (what, boxes) == ("history", n):
            rows.setdefault(scene, [data.get(what, scene, n, m) or 0 for m in MEASURES])
    worst = sorted(rows, key=lambda scene: -max(rows[scene]))
    shown = [[scene] + ["%.2f×" % x for x in rows[scene]] for scene in worst[:MOST_HISTORIES]]
    if len(worst) > len(shown):
        shown.append(["the other %d, at most" % (len(worst) - len(shown))] +
                     ["%.2f×" % max(rows[scene][i] for scene in worst[MOST_HISTORIES:]) for i in range(len(MEASURES))])
    head = [m.replace("first look", "pair by id") for m in MEASURES]
    return markdown(["%s boxes after a history, beside a new world" % "{:,}".format(n)] + head, shown) if shown else ""


def histories_line(data):
    return ("How many times as long as in a new world of the same boxes, worst first: updates in which all or 5% move, the "
            "first call that needs pairs by id after an update, queries. `make bench-lived` measures "
            "them with any number of boxes. What is left of a crowd lies as far apart in memory as the crowd did, as ids "
            "keep their slots; the work is the same (`tests/steps.sh`)." if histories_table(data, 10000) else "")


def quiet_table(data):
    rows = []
    for what, name, n, peer in data.rows:
        if (what, peer) == ("quiet", "sap.h"):
            packs, adds, each = (data.get(what, name, n, p) for p in
                                 ("frames with a pack of all", "what it adds", "nanoseconds a box"))
            frames = data.get(what, name, n, peer, "frames")
            once = "once in %s" % number(frames / packs) if packs else "never"
            rows.append(["%s: %s" % ("{:,}".format(n), name)] +
                        [number(data.get(what, name, n, peer, f)) for f in ("median", "frame_median", "worst_frame")] +
                        ["" if name == "all move as one" else once, number(adds) if adds else "",
                         "%.0f ns" % each if each else ""])
    return markdown(["boxes: what changes in a frame", "mean, microseconds", "median", "worst", "all are packed",
                     "which adds", "a box"], rows)


def quiet_line(data):
    each = [float(r["median"]) for k, r in data.rows.items() if k[0] == "quiet" and k[3] == "nanoseconds a box"]
    if not each:
        return ""
    return ("All boxes of a tree are packed when enough of them have come, left or jumped since the last time. Here that "
            "adds %.0f to %.0f nanoseconds for each box of the world to one frame. Frames are those of `bench/quiet.h`, of three runs the fastest of each; what comes, leaves or asks does "
            "so by single calls, which are timed, too." % (min(each), max(each)))


def spread_line(data):
    wide = [float(r["worst"]) / float(r["least"]) for k, r in data.rows.items()
            if k[0] == "frames" and k[3] == "sap.h" and k[1] != "static" and r["least"]]
    if not wide:
        return ""
    return ("The slowest round of a row took %.2f times as long as the fastest one in the median row, %.2f at most."
            % (statistics.median(wide), max(wide)))


def cost_line(data):
    text = []
    for name in ("sap.h", "sap_multi.h"):
        what = ("compile seconds", "code kilobytes", "lines")
        seconds, size, lines = (data.get(w, name, 0, "gcc -O2") for w in what)
        if seconds:
            text.append("`%s` has %s lines, compiles in %.1f seconds and makes %.0f kB of code" %
                        (name, "{:,}".format(int(lines)), seconds, size))
    return "; ".join(text) + (" (gcc -O2; the second contains the first)." if len(text) > 1 else "")


def calls_line(data):
    calls = ["add", "move", "remove", "get_box", "find_pair", "pairs_of"]
    one = [data.get("call", c, 10000, "one by one") for c in calls]
    many = [data.get("call", c, 10000, "many") for c in calls[:3]]
    snapshot = [data.get("snapshot", c, 10000, "sap.h") for c in ("bytes", "save", "restore")]
    if None in one + many + snapshot:
        return ""
    text = "One by one, with 10,000 boxes, in nanoseconds: " + ", ".join(
        "`sap_%s` %.0f" % (c, x) for c, x in zip(calls, one))
    text += "; of the calls for many %s a box (add, move, remove). " % ", ".join("%.0f" % x for x in many)
    return text + ("A snapshot has %.0f bytes for each box with its pairs, and takes %.0f nanoseconds a box to save "
                   "and %.0f to restore." % tuple(snapshot))


def paragraphs(parts):
    return "\n\n".join(p if p[:2] in ("| ", "- ") else textwrap.fill(p, 120, break_on_hyphens=False) for p in parts if p)


def made_line(data):
    h = data.head
    return ("Made by `make table` on %s: %s (which has %s), %s, one thread, sap.h %s." %
            (h.get("date"), h.get("processor"), h.get("kernel"), h.get("compiler"), h.get("sap.h")))


def bench_block(data):
    """What stands between the marks of bench/README.md."""
    h = data.head
    return paragraphs([
        made_line(data) + " The figures are in `%s`." % os.path.relpath(data.path, ROOT),
        "## Six questions",
        "0.61×: that one takes 0.61 times as long as sap.h, and is faster. Trees with margins (Box2D, Box3D, Bullet dbvt) "
        "hold pairs of *fat boxes*, which are larger than what is in them; so does sap.h with `config.margin`.",
        answers(data),
        "## Frames of sap.h",
        "A figure is the median of the rounds, each the mean of its frames: 300 of 1,000 boxes, 200 of 10,000, 60 of "
        "100,000. " + spread_line(data),
        frames_table(data),
        "The right half has 10,000 boxes, and says how many times as long as the mean frame it takes: the worst of 200 "
        "frames; a frame without the wider kernels (*AVX2*, *SSE2*); a frame in a world that has *lived*: all boxes went "
        "elsewhere before, one in twenty a frame.",
        "## Beside others",
        peers_table(data),
        "**0.61×**, in bold: the other one is faster. When boxes "
        "are removed sap.h reports every pair that is deleted; PhysX, Jolt, ODE and FCL report none. Boxes are added to an "
        "empty world of an engine that runs: that world, the arrays of its user, bodies, shapes and geoms are made before. "
        "Bullet dbvt is the better one of its two ways (`m_deferedcollide`) in each row.",
        "![The same as a plot, for each broad phase](data/peers.svg)",
        "Built from source: %s. Debian's, for any x86-64: %s." %
        (h.get("built") or "none here", h.get("Debian's") or "none here"),
        "## 2D" if flat_table(data) or small_table(data) else "",
        flat_table(data), small_table(data),
        "In small worlds every box moves in each step, by one `sap_move_many`, and every pair is read. With a margin (0.05, "
        "as Box2D v3 has for boxes of this size; 2.4 has 0.1 and more) pairs are of fat boxes: there the trees of Box2D "
        "stand beside sap.h with a margin."
        if small_table(data) else "",
        "## Crowds" if any(crowd_tables(data)) else "", crowd_text(data), *crowd_tables(data),
        "## Little changes" if quiet_table(data) else "",
        quiet_table(data), quiet_line(data),
        "## After a history" if histories_table(data, 10000) else "",
        histories_table(data, 10000), histories_line(data),
        "## Queries" if query_table(data) else "", query_table(data),
        "## Box pruning without a world" if prune_table(data) else "", prune_table(data), revisited(data),
        "## Memory, single calls, threads" if memory_table(data) else "",
        memory_table(data),
        "What malloc holds after the frames, pairs and scratch included (Jolt: with its bodies). " + cost_line(data)
        if memory_table(data) else cost_line(data),
        calls_line(data), threads_line(data),
    ])


README_SCENES = ["sparse", "tremble", "jitter", "brownian", "areas", "quads", "town", "teleport"]
README_PEERS = ["PhysX ABP", "Jolt", "Box3D", "Bullet dbvt"]


def readme_table(data):
    rows = []
    texts = dict(SCENES)
    keys = [("frames", s, "%s (*%s*)" % (texts[s], s)) for s in README_SCENES]
    for what, scene, text in keys + BATCHES[:2]:
        own = [data.get(what, scene, n, "sap.h") for n in SIZES]
        rows.append([text] + [number(x) + " µs" if x else "" for x in own] +
                    [against(data.get(what, scene, 10000, p), own[1]) for p in README_PEERS])
        own = [data.get(what, scene, n, "sap.h margin") for n in SIZES]
        rows.append([WITH_MARGIN] + [number(x) + " µs" if x else "" for x in own] +
                    [against(data.get(what, scene, 10000, p), own[1]) if p in FAT[3] else "" for p in README_PEERS])
    return markdown(["a frame in which", "sap.h, 1,000", "10,000", "100,000"] +
                    [p + (", 10,000" if p == README_PEERS[0] else "") for p in README_PEERS], rows)


def range_line(data):
    """How many times as long as sap.h each of the peers takes, in all scenes in which something moves."""
    out = []
    for p in README_PEERS:
        all_of = [data.get("frames", s, 10000, p) / data.get("frames", s, 10000, "sap.h") for s, _ in SCENES
                  if s != "static" and data.get("frames", s, 10000, p) and data.get("frames", s, 10000, "sap.h")]
        if all_of:
            out.append("%s %s to %s" % (p, ratio(min(all_of), 1), ratio(max(all_of), 1)))
    text = "In all scenes of [bench/README.md](bench/README.md) whose boxes move, with 10,000: %s."
    return text % ", ".join(out) if out else ""


def readme_block(data):
    """What stands between the marks of README.md."""
    return paragraphs([
        "How long a frame of sap.h takes, in microseconds, and how many times as long as sap.h the others take with 10,000 "
        "boxes. **In bold** the other one is faster.",
        readme_table(data), range_line(data),
        heap_table(data),
        "Box2D v3 takes that many times as long as sap.h with a margin: both hold pairs of fat boxes." if heap_table(data)
        else "",
        made_line(data) + " " + cost_line(data),
    ])


BEGIN, END = "<!-- table: begin -->", "<!-- table: end -->"


def write_between_marks(path, text, out):
    old = open(path).read()
    if BEGIN not in old or END not in old:
        sys.exit("%s has no marks %s and %s" % (path, BEGIN, END))
    new = old[:old.index(BEGIN) + len(BEGIN)] + "\n\n" + text + "\n\n" + old[old.index(END):]
    with open(out, "w") as f:
        f.write(new)


# ---- the plot ----

COLOURS = [("#1b6ca8", "#5aa9e6"), ("#c0392b", "#ff7b6b"), ("#2e7d32", "#6fcf75"), ("#8e44ad", "#c792ea"),
           ("#b8860b", "#f0c050"), ("#00838f", "#4dd0e1"), ("#6d4c41", "#bcaaa4"), ("#546e7a", "#b0bec5"),
           ("#ad1457", "#f48fb1"), ("#7f8c00", "#d4e157")]


def plot(data, path):
    """One row a scene, one dot a peer: how many times as long as sap.h it takes, 10,000 boxes."""
    shown = ["PhysX ABP", "Jolt", "Box3D", "Bullet SAP", "Bullet dbvt", "ODE SAP", "FCL tree", "sort, sweep"]
    names = [p for p in shown if any(data.get("frames", s, 10000, p) for s, _ in SCENES)]
    rows = [(s, [(p, data.get("frames", s, 10000, p) / data.get("frames", s, 10000, "sap.h"))
                 for p in names if data.get("frames", s, 10000, p)])
            for s, _ in SCENES if s != "static" and data.get("frames", s, 10000, "sap.h")]
    rows = [r for r in rows if r[1]]
    if not rows:
        return
    low = min(0.5, min(x for _, dots in rows for _, x in dots))
    high = max(x for _, dots in rows for _, x in dots) * 1.2
    left, width, top, step = 96, 830, 92, 34
    height = top + step * len(rows) + 34

    def x_of(r):
        return left + (width - left - 20) * (math.log(r / low) / math.log(high / low))

    css = ["text{font:14px sans-serif;fill:#24292f}", ".grid{stroke:#d0d7de}", ".one{stroke:#24292f;stroke-width:2}",
           ".row{stroke:#eaeef2;stroke-width:%d}" % (step - 6)]
    dark = ["text{fill:#e6edf3}", ".grid{stroke:#3d444d}", ".one{stroke:#e6edf3}", ".row{stroke:#1c2128}"]
    css += [".p%d{fill:%s}" % (i, c[0]) for i, c in enumerate(COLOURS[:len(names)])]
    dark += [".p%d{fill:%s}" % (i, c[1]) for i, c in enumerate(COLOURS[:len(names)])]
    size = "%d %d" % (width, height)
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s" width="%d" height="%d">' % (size, width, height),
           "<title>How many times as long as sap.h each broad phase takes for a frame, 10,000 boxes</title>",
           "<style>%s@media(prefers-color-scheme:dark){%s}</style>" % ("".join(css), "".join(dark))]

    def text(x, y, words, how=""):
        out.append('<text x="%.1f" y="%.1f"%s>%s</text>' % (x, y, how, words))

    text(left, 18, "times as long as sap.h for a frame, 10,000 boxes", ' style="font-weight:bold"')
    for i, name in enumerate(names):
        x, y = left + 8 + (i % 4) * 180, 40 + (i // 4) * 20
        out.append('<circle class="p%d" cx="%d" cy="%d" r="6"/>' % (i, x, y - 5))
        text(x + 12, y, name)
    bottom = top + step * len(rows)
    for i, (scene, _) in enumerate(rows):
        y = top + step * i + step / 2
        out.append('<path class="row" d="M%d %gH%d"/>' % (left, y, width - 10))
        text(left - 10, y + 5, scene, ' text-anchor="end"')
    for t in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000):
        if low <= t <= high:
            out.append('<path class="%s" d="M%.1f %dV%d"/>' % ("one" if t == 1 else "grid", x_of(t), top, bottom))
            text(x_of(t), bottom + 20, "%g" % t, ' text-anchor="middle"')
    for i, (_, dots) in enumerate(rows):
        y = top + step * i + step / 2
        for p, r in sorted(dots, key=lambda d: d[1]):
            dot = '<circle class="p%d" cx="%.1f" cy="%g" r="6"><title>%s: %s</title></circle>'
            out.append(dot % (names.index(p), x_of(r), y, p, ratio(r, 1)))
    out.append("</svg>")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write("\n".join(out) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--print", action="store_true")
    parser.add_argument("--readme", action="store_true")
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("-n", type=lambda t: [int(x) for x in t.split(",")])
    parser.add_argument("-s", default="")
    parser.add_argument("-r", type=int)
    parser.add_argument("--core", type=int)
    options = parser.parse_args()
    name, mhz, kernel = machine()
    apart = options.quick or options.print
    folder = os.path.join(ROOT, "build", "table") if apart else os.path.join(ROOT, "bench", "data")
    data = Data(os.path.join(folder, ("quick" if options.quick else slug(name)) + ".csv"))
    bench = Bench(options)
    if not (options.readme or options.only or options.s or options.n):
        data.rows.clear()  # all again, so that no row is of another day
    if not options.readme:
        peers = find_peers(os.path.join(ROOT, "build", "peers"))
        compiler = [os.environ.get("CXX", "g++"), "-dumpfullversion"]
        compiler = subprocess.run(compiler, capture_output=True, text=True).stdout.strip()
        versions = {p.program: p.version for p in peers}
        data.head.update({
            "processor": name, "MHz": "%.0f" % mhz, "kernel": kernel, "compiler": "g++ %s -O2" % compiler,
            "date": time.strftime("%Y-%m-%d"), "clock": "processor time" if options.cpu else "wall clock",
            "sap.h": versions.get("sap", "?"),
            "built": ", ".join(versions[p] for p in BUILT if p in versions),
            "Debian's": ", ".join(versions[p] for p in DEBIANS if p in versions),
            "unit": "microseconds a frame or batch, nanoseconds a query; worst_frame: the least of the rounds' worst",
        })
        only, scenes = options.only.split(",") if options.only else None, options.s.split(",") if options.s else None
        for job in jobs_of(options, peers):
            group = "batch" if job.what in ("add", "remove") else job.what
            if only and group not in only or scenes and job.scene not in scenes or not job.peers:
                continue
            start = time.time()
            for row in bench.measure(job):
                data.put(row)
            data.write()
            print("%-8s %-16s %7d  %5.1f s" % (job.what, job.scene, job.boxes, time.time() - start), flush=True)
        more = [] if options.quick or scenes else [("calls", lambda: call_rows(10000)), ("cost", cost_rows),
                                                       ("histories", lambda: history_rows(10000)),
                                                       ("quiet", quiet_rows)]
        for group, rows in more:
            for row in rows() if not only or group in only else []:
                data.put(row)
        data.write()
    if options.print:
        print("\n" + bench_block(data))
    plot(data, os.path.join(folder, "peers.svg"))
    for name, text in (("README.md", readme_block(data)), ("bench/README.md", bench_block(data))):
        path = os.path.join(ROOT, name)
        write_between_marks(path, text, os.path.join(folder, name.replace("/", "-")) if apart else path)
    if bench.wrong:
        sys.exit("%d results were wrong" % bench.wrong)


if __name__ == "__main__":
    main()
