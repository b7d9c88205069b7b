#!/usr/bin/env python3
"""Breaks copies of sap.h and sap_multi.h, one small change at a time, and runs the tests on each: what no test notices
is a rule that nobody checks, or a change that changes nothing.

    python3 tests/mutate.py [N] [SEED]     N mutants (100), drawn by SEED (1): the same ones each time
    python3 tests/mutate.py NAME:LINE ...  all mutants of these lines (sap.h:1234), also those of EQUIVALENT
    STB=folder of stb_ds.h   CC=gcc   JOBS=2   GOAL=95: percent to be noticed, for the exit code

Only code of the implementation is changed, and only what this machine compiles. A mutant is killed if it does not
compile, or if a test fails, crashes, or takes five times as long as it should. Mutants that change nothing anybody can
see are named in EQUIVALENT, with the reason; they are not run, and N are drawn beside them.
"""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORK = os.path.join(ROOT, "build", "mutate")
STB = os.path.abspath(os.environ.get("STB", os.path.join(ROOT, "build", "stb")))
CC = os.environ.get("CC", "gcc")
JOBS = int(os.environ.get("JOBS", "2"))
GOAL = float(os.environ.get("GOAL", "95"))

# Those that notice most in the least time come first: most of that time is the compiler's, so it optimises only those
# that run long. The last ones see accesses out of bounds. The arguments are for few seeds. True: the test includes
# sap_multi.h.
SANITIZED = "-O0 -fsanitize=address,undefined -fno-sanitize=shift-base -fno-sanitize-recover=all"
TESTS = [
    ("fuzz", "-O0", ["corpus"], True),
    ("test_contract", "-O0", [], False),
    ("test_snapshot", "-O0", ["60"], False),
    ("test_query", "-O0", ["15"], False),
    ("test_multi", "-O0", ["10"], True),
    ("test_doc", "-O0", [], True),
    ("test_golden", "-O0", [], False),
    ("test_golden_multi", "-O0", [], True),
    ("test_trace", "-O0", ["20"], False),
    ("test_prune", "-O0", ["50"], False),
    ("test_model", "-O1", ["30"], False),
    ("test_alloc", "-O1", [], False),
    ("test_contract", SANITIZED, [], False),
    ("test_query", SANITIZED, ["2"], False),
    ("fuzz", SANITIZED, ["corpus"], True),
]

# Lines that are not changed at all: they fetch memory early, or watch.
SPARED = r"__builtin_prefetch|sap__prefetch|SAP__AHEAD|early|SAP__NEAR|SAP_ASSERT"

# Changes that nobody can see: a pattern, searched in "function: code => changed", and the reason.
EQUIVALENT = [
    (r"if \((\S+) [<>] ([^;]*)\) \1 = \2; => .*if \(\1 [<>]= ", "what is equal is set to what it is"),
    (r"(\S+) [<>] (\S+) \? (\1 : \2|\2 : \1)(?! [-+]).* => .*\1 [<>]= \2 \? \3(?! [-+])",
     "of equals either is the same"),
    (r"=> for \(i = 0; i < n && items\[i - 1\] <=", "looks into the array's header, too, and may sort what is sorted"),
    (r"sap__lay_directory: .*fill - 0\)", "room for a chunk more, which nobody needs"),
    (r"sap__room_for_shares: .* => .*k <= SAP__SHARES; k\+\+\) memset", "clears one more, within the room for sixteen"),
    (r"sap__move_in_shares: .* n <= s->threads_from", "whether so many moves are worth threads"),
    (r"sap__lay_chunks: .* => for \(e = 0; e <= chunks - taken", "writes a free chunk more, within the room, that is not counted"),
    (r": if \(sink->count >= SAP__BATCH\) \{ => if \(!", "what was found is handed on after each chunk"),
    (r"q->id && id >= q->id\)", "a query asks each box once"),
    (r"sap__tree_free: s->tree = NULL; => ;", "the world is given back next"),
    (r": memmove\(t->dirty, .*\(n \+ i\)", "moves more, within the room for every slot, that nobody reads"),
    (r": memcpy\(alone\.lo, .* => ;", "a shortcut is not taken: the range of cells is computed for every box"),
    (r"sap__enter: w->now.* => w->now\[local\] = m->whole->was\[slot\];",
     "what has not changed is where it was; what has is noted below"),
    (r"sap__ask_sphere_scalar: .* => d2 \+= d >= 0", "the square of nothing"),
    (r"sap__border: .* => .*return index < 0", "a shortcut is not taken: the range of cells is computed for every box"),
    (r"sap__meet_own_avx2: .* => for \(i = 0; i <= k \+ 7", "no lane is behind the last one"),
    (r"sap__chunk_lanes_of: .* => .*i <= SAP__LANES", "reads on into the next chunk, of which no lane is kept"),
    (r"sap__ends_merge: .* => while \(count >= 0\)", "writes the sentinel again, from the zero before the items"),
    (r"sap__strip_(note_reach|share|insert|join): .* => .*(reached\[e - 1\] >=|\[e \+ k\] >=|>= t->reach\[e\]\) sap__strip_stretch)",
     "what is equal is set to what it is"),
    (r"sap__strip_share: t->reached.* => .*e - k\]", "of the second chunk what has been reached is large enough"),
    (r"sap__(take_answers|look_through_lists): .* => .*(a <= b|other <= slot)", "no box is the other of itself"),
    (r"sap__look_through_lists: .* => .*(state \| SAP__RECORDED|: &s->now\[other\])", "what has not changed is where it was"),
    # These change how fast queries are, by less than tests/test_query.c allows, and no answer.
    (r"sap__node_join: if \(t->nodes\[beside\]\.height == SAP__BRANCH\)", "how large the territory of two joined branches is"),
    (r"sap__branch_rebuild: if \(height == SAP__BRANCH\) \{", "whether a territory shrinks to what its branch holds"),
    (r"sap__branch_rebuild: memcpy\(.*territory.* => ;", "the same"),
    (r"sap__branch_stragglers: if \(\(second - first\) \* 30 >", "which boxes a branch gives away"),
    # These, how fast updates are.
    (r"sap__take_deleted: .* => .*(4 \* \(long long\)last >= n|!\(4 \*)", "how many of the pairs are sorted before they are merged"),
    (r"sap__write_moves_apart: .* => .*recorded <= m->record_at", "moves to where it is"),
    (r"sap__write_moves_apart: .* => good \|=", "what is not sorted is seen by the shares, later"),
    (r"sap__move_in_shares: if \(sap__write_moves_apart\(m\)\) return 1; => .*return 0", "moves all once more"),
    (r"sap__pair_of: .* => .* >= sap__id_of", "no box is the other of itself"),
    (r"sap__take_slot: s->state\[slot\] = 0; => .* = 1;", "it is live in a moment"),
    (r"sap__strip_change: .* => .*(e - 1 < strip|e \+ 0 < strip|e \+ 1 <= strip|hi\[0\] > t->first|count \|\| turned|turned->lo\[0\] >= t->first)",
     "a box is taken out, and filed again where it was"),
    (r"sap__strip_change: .* => if \(turned->hi\[0\] >= t->reach", "what is equal is set to what it is"),
    (r"sap__rank_avx2: .* key\[i\] = 1;", "what is ranked with them fills up eight, and nobody looks"),
    (r"sap__(ask_several|file_and_ask): to = .* => .*SAP__QUESTIONS <= n", "either is the last one"),
    (r"sap__file_and_ask: .* => .*s->live \+ s->live_static", "of how many boxes few are"),
    (r"sap__answer: .* => .*\.count \|\| !sink->stopped", "what is found when all is over is not handed on"),
    (r"sap__settle_slots: .* => .*\+ 4 < end", "the last four one by one"),
    (r"sap__settle_pairs: s->own_list = NULL; => ;", "it is looked at only while the record is lent"),
    (r"sap__slice_axis: l->last = .* => ;", "then slices tell nothing apart, and boxes come by keys"),
    (r"sap__eight_of: ", "reads more than the items, which only a page without access would show, or items whose ranks nobody looks at"),
    (r"sap__sort_found: .* => if \(n >= s->kernel.ranked", "so many can be ranked, or sorted"),
    (r"sap__cut_index_(four|eight): .* => for \(i = 0; i <", "the first cut is before all"),
    (r"sap__rank_few: .* => for \(j = i \+ 0;", "no item is below its own key"),
    (r"sap__take_deleted: .* => if \(n < s->kernel.ranked", "as many are sorted in the other way"),
    (r"sap__sort_digit: memset\(place, 0, \(\(size_t\)most \+ 0\)", "how many have the last digit is not asked"),
    (r"sap__sort_span: .* => .*(most - 0\) / most|n <= SAP__MANY_ITEMS)", "a digit more, of fewer bits"),
    (r"sap__differing_bits: .* => .*(\(i = 0;|= 1;|bit \| 0x)", "the first one does not differ from itself; a bit more is sorted by"),
    (r"sap__sort_pairs: .* => .*(enough >= span|> enough - 1|enough - 0|n >= SAP__FEW_ITEMS)", "all ways sort"),
    (r"sap__smooth: .* => .* <= ", "of equals either is the same"),
    (r"sap__sort_rest: .* => (if \(left != 0|for \(i = 0|.*>= item|.*left\+\+)", "it takes longer"),
    (r"sap__(load_state|record|write_moves): .*(mixed|seen).* => .*(\| \(SAP|state\[i\] \| SAP|\) \|\| \(s->state|mixed = 1|seen = 1|seen \| SAP)",
     "a record that is taken for mixed is looked through"),
    (r"sap__slices_for: ", "how many slices there are"),
    (r"sap__slices_suit: ", "whether boxes come by slices or by keys"),
    (r"sap__sum_(counts|slices): squares ", "whether boxes come by slices or by keys"),
    (r"sap__(did_nearly_all_change|exchange_boxes|settle): .*(SAP__NEARLY_ALL|nearly_all|exchange_boxes).* => ",
     "whether boxes are exchanged or copied, and the record is lent or copied"),
    (r"sap__list_changes: if \(s->list != s->record\)", "copies the record to itself"),
    (r"sap__write_moves: const sap__box \*old = .* => .*s->was : s->was", "of what is not in the record both say where it is"),
    (r"sap__load_state: s->masked = .* => ", "masks are looked at, the record is counted and boxes are written in vain"),
    (r"sap__note_slices: .* => .*(<= to|<= from|\]\.hi\[)", "of equals either is the same; where the last boxes start, or end"),
    (r"sap__slice_of: .* => .*[<>]= ", "of equals either is the same"),
    (r"sap__slice_axis: .* => .*way >= ", "no axis is just so short"),
    (r"sap__sort_refs: .* => .*(gap \+ 0|>= key)", "it takes longer; boxes that start together are in any order"),
    (r"sap__are_leaving: ", "which boxes are looked at, and where the strips come in step or are built anew"),
    (r"sap__sum_slices: .* => .*<= m->whole->moving.slices", "a place behind those of the last slice"),
    (r"sap__order_changes: (sap__turn|s->items\[i\] = |if \((!t->ready|n < boxes))", "in which order boxes ask"),
    (r"sap__(load_state|take_deleted): .*sorted_from.* => (;$|.*(= 1|>= sap__pair_item|> s->sorted_from))", "pairs are sorted, though they are"),
    (r"sap__read_chunk: .* => .*ref\[i\] = 1", "empty lanes have no box"),
    (r"sap__links_stay: .* => .*(lost - found|lost \+ found >=|n / 4 - |64 \+ s->|n \+ lost|asked\[which\] = 1|> sap__buckets_for)", "all pairs are linked anew earlier or later"),
    (r"sap__commit_pairs: stay = .* => .*(&&|stay = 1)", "links that nobody keeps are left alone by each step, too"),
    (r"sap__enter: .* => if \(state \| SAP__RECORDED", "what has not changed is asked for, too, and is no news"),
    (r"sap__prefetch_links: ", "what is fetched early"),
    (r"sap__strip_meets: ", "at which chunk asking begins; to begin too late is seen"),
    (r"sap__strip_stretch: .* => .*(reached\[e\] <= reach|e <= strip)", "the same: it may be farther than the chunks have reached"),
    (r"sap__strip_find: for .* => .*(k = 1|k <= 3)", "what is fetched early"),
    (r"sap__fill_strips: if \(\(\(packed .* => .*(\| 0x|& packed|!= 0)", "boxes in one strip go the way of all others"),
    (r"sap__grid_cost: wide \+= ", "the choice of a grid"),
    (r"sap__(create|new_cell): .*only_asked", "the same, and how full the chunks of static boxes are"),
    (r"sap__refile_one: .* => .*walked >= ", "at exactly so many all is built anew"),
    (r"sap__settle_by_strips: .* => .*(live_static != 0 \|\||live_static == 0 &&)", "all are filed before they ask"),
    (r"sap__span_boxes: .*to - i < 8 \?.* => .*<= 8", "eight are eight"),
    (r"sap__most_strips: .* => .*SAP__CUT_BITS\) - 1 \?", "a strip or two more or less in a world of exactly so many boxes"),
    (r"sap__expect_shifts: .* => for \(i = 1;", "a sample of one box less"),
    (r"sap__strips_reread: .* => .*e > strip->start; e--\)", "whether the first two chunks of a strip become one"),
    (r"sap__span_is_ours: .* => return (first >> |first << \S+ <= |.* >= t->begin)", "a share looks at changes that are not its own"),
    (r"sap__grow_out: .*grid_tests = -1; => ;", "by which sweep a grid is judged: it is chosen anew earlier or later"),
]

# What changes: a name, a pattern in the code, and what it becomes.
OPERATORS = [
    ("< to <=", r"(?<![<-])<(?![<=])", "<="),
    ("<= to <", r"<=", "<"),
    ("> to >=", r"(?<![->])>(?![>=])", ">="),
    (">= to >", r"(?<!>)>=", ">"),
    ("== to !=", r"==", "!="),
    ("!= to ==", r"!=", "=="),
    ("&& to ||", r"&&", "||"),
    ("|| to &&", r"\|\|", "&&"),
    ("+ to -", r"(?<=[\w)\]] )\+(?= )", "-"),
    ("- to +", r"(?<=[\w)\]] )-(?= )", "+"),
    ("+ 1 to + 0", r"\+ 1\b(?!\.)", "+ 0"),
    ("- 1 to - 0", r"(?<=[\w)\]] )- 1\b(?!\.)", "- 0"),
    ("++ to --", r"\+\+", "--"),
    ("-- to ++", r"--", "++"),
    ("+= to -=", r"\+=", "-="),
    ("|= to =", r"\|=", "="),
    ("&= to |=", r"&=", "|="),
    ("| to &", r"(?<=[\w)\]] )\|(?= )", "&"),
    ("& to |", r"(?<=[\w)\]] )&(?= )", "|"),
    ("<< to >>", r"<<", ">>"),
    (">> to <<", r">>", "<<"),
    ("0 to 1", r"(?<== )0(?=;)", "1"),
    ("1 to 0", r"(?<== )1(?=;)", "0"),
    ("return 0 to 1", r"return 0;", "return 1;"),
    ("return 1 to 0", r"return 1;", "return 0;"),
    ("lo to hi", r"(?<=[.>])lo\b", "hi"),
    ("hi to lo", r"(?<=[.>])hi\b", "lo"),
    ("was to now", r"(?<=->)was\b", "now"),
    ("now to was", r"(?<=->)now\b", "was"),
    ("negated", r"\bif \((?!!)", "if (!!!("),
    ("removed", r"^(\s+)([\w>\[\].*()-]+ (?:[|&+-]?=) [^;{}]*|\w+\([^;{}]*\)|[\w>\[\].-]+(?:\+\+|--));$", r"\1;"),
]


def code_lines(name, text):
    """The numbers of the lines that may be changed: code of the implementation that the tests' build compiles."""
    lines = text.split("\n")
    start = next(i for i, line in enumerate(lines) if re.match(r"#(el)?if .*IMPLEMENTATION\) && !defined", line))
    spared = spared_lines(name, lines)
    comment = False
    for i in range(start, len(lines)):
        line = lines[i]
        stripped = line.strip()
        if comment or stripped.startswith("/*"):
            comment = "*/" not in stripped
            continue
        if not stripped or stripped.startswith(("#", "//", "static const char", "SAP_DEF", "typedef", "case", "return \"")):
            continue
        if i in spared or not line.startswith(" ") or re.match(r"\s*(const )?\w+( \*?\w+(\[\w+\])?,?)+;", line):
            continue
        if re.search(SPARED, line):
            continue
        yield i


def is_equivalent(mutant):
    _, _, function, _, code, changed, _ = mutant
    return any(re.search(pattern, "%s: %s => %s" % (function, code, changed)) for pattern, _ in EQUIVALENT)


def spared_lines(name, lines):
    """What the preprocessor leaves out here, and sap_validate: it watches over the others."""
    source = os.path.join(WORK, "which.c")
    with open(source, "w") as f:
        f.write("#define SAP_IMPLEMENTATION\n#define SAP_MULTI_IMPLEMENTATION\n#include \"sap_multi.h\"\n")
    seen, current = set(), None
    output = subprocess.run([CC, "-E", "-isystem", STB, "-I" + ROOT, source], capture_output=True, text=True, check=True)
    for line in output.stdout.split("\n"):
        marker = re.match(r'# (\d+) "(.*)"', line)
        if marker:
            current = int(marker.group(1)) - 1 if os.path.basename(marker.group(2)) == name else None
        elif current is not None:
            if line.strip():
                seen.add(current)
            current += 1
    spared = set(range(len(lines))) - seen
    inside = False
    for i, line in enumerate(lines):
        if re.match(r"(static|SAP_DEF) const char \*sap_\w*validate", line):
            inside = True
        if inside:
            spared.add(i)
        if line == "}":
            inside = False
    return spared


def split_comment(line):
    """The code of a line, and what follows it; strings are left alone."""
    at = line.find("/*")
    at = len(line) if at < 0 else at
    quote = line.find('"')
    at = min(at, quote) if quote >= 0 else at
    return line[:at], line[at:]


def mutants_of(name, text):
    lines = text.split("\n")
    for i in code_lines(name, text):
        heads = (re.match(r"[a-zA-Z].*?(\w+)\(", line) for line in reversed(lines[:i + 1]))
        function = next(head.group(1) for head in heads if head)
        code, rest = split_comment(lines[i])
        for what, pattern, becomes in OPERATORS:
            for match in re.finditer(pattern, code):
                changed = code[:match.start()] + match.expand(becomes) + code[match.end():]
                if what == "negated":
                    changed = negate(code, match.start())
                if changed is None or changed == code:
                    continue
                mutant = "\n".join(lines[:i] + [changed + rest] + lines[i + 1:])
                yield name, i, function, what, code.strip(), changed.strip(), mutant


def negate(code, at):
    """if (condition) becomes if (!(condition)), where the condition ends in this line."""
    depth, begin = 0, code.index("(", at)
    for i in range(begin, len(code)):
        depth += (code[i] == "(") - (code[i] == ")")
        if depth == 0:
            return code[:begin] + "(!" + code[begin:i + 1] + ")" + code[i + 1:]
    return None


SECONDS = {} # that each test ran the last time


def build_and_run(folder, test, level, arguments, limit):
    """None, or how it was noticed."""
    source = os.path.join(WORK, "tests", test + ".c")
    flags = ["-DFUZZ_REPLAY"] if test == "fuzz" else []
    program = os.path.join(folder, test)
    build = subprocess.run([CC, "-std=c99", *level.split(), "-w", "-isystem", STB, "-I" + folder, *flags,
                            "-o", program, source, "-lm", "-pthread"], capture_output=True)
    if build.returncode:
        return "does not compile"
    if arguments == ["corpus"]:
        inputs = os.path.join(ROOT, "tests", "corpus")
        arguments = [os.path.join(inputs, name) for name in sorted(os.listdir(inputs))]
    start = time.time()
    try: # by processor time: others may make the machine wait
        run = subprocess.run(["sh", "-c", 'ulimit -t %d; exec "$0" "$@"' % limit, program, *arguments],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60 * limit)
    except subprocess.TimeoutExpired:
        return test + " (waits)"
    finally:
        os.remove(program)
        SECONDS[test, level] = time.time() - start
    if run.returncode == -signal.SIGXCPU or run.returncode == -signal.SIGKILL:
        return test + " (without end)"
    return test if run.returncode else None


def prepare():
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(WORK)
    shutil.copytree(os.path.join(ROOT, "tests"), os.path.join(WORK, "tests"))
    folder = os.path.join(WORK, "whole")
    os.makedirs(folder)
    for header in ("sap.h", "sap_multi.h"):
        shutil.copy(os.path.join(ROOT, header), folder)
        shutil.copy(os.path.join(ROOT, header), WORK) # test_doc reads the one beside tests/
    limits = {}
    for name, level, arguments, _ in TESTS:
        noticed = build_and_run(folder, name, level, arguments, 600)
        if noticed:
            sys.exit("%s fails on the headers as they are: nothing to learn" % name)
        limits[name, level] = int(5 * SECONDS[name, level]) + 5
    return limits


def main():
    wanted = [argument for argument in sys.argv[1:] if ":" in argument]
    numbers = [int(argument) for argument in sys.argv[1:] if ":" not in argument]
    count = numbers[0] if numbers else 100
    rng = random.Random(numbers[1] if len(numbers) > 1 else 1)
    start = time.time()
    limits = prepare()
    texts = {header: open(os.path.join(WORK, "whole", header)).read() for header in ("sap.h", "sap_multi.h")}
    everything = [m for header in texts for m in mutants_of(header, texts[header])]
    rng.shuffle(everything)
    if wanted:
        chosen = [m for m in everything if "%s:%d" % (m[0], m[1] + 1) in wanted]
        equivalent = 0
    else:
        drawn, equivalent = {}, 0
        for mutant in everything: # one a line, so that all of the file has its turn
            if mutant[:2] in drawn:
                continue
            drawn[mutant[:2]] = None if is_equivalent(mutant) else mutant
            equivalent += drawn[mutant[:2]] is None
            if len(drawn) - equivalent == count:
                break
        chosen = [m for m in drawn.values() if m]
    print("%d of %d mutants, and %d equivalent ones; the tests take %d s on the headers as they are"
          % (len(chosen), len(everything), equivalent, time.time() - start), flush=True)

    def judge(numbered):
        number, (header, line, function, what, code, changed, text) = numbered
        folder = os.path.join(WORK, "m%03d" % number)
        os.makedirs(folder)
        for name in texts:
            with open(os.path.join(folder, name), "w") as f:
                f.write(text if name == header else texts[name])
        noticed = None
        for name, level, arguments, is_multi in TESTS:
            if header == "sap_multi.h" and not is_multi:
                continue
            noticed = build_and_run(folder, name, level, arguments, limits[name, level])
            if noticed:
                break
        if noticed:
            shutil.rmtree(folder)
        else:
            print("survived  %s:%d  %s  %s\n    - %s\n    + %s"
                  % (header, line + 1, function, what, code, changed), flush=True)
        return noticed

    with ThreadPoolExecutor(JOBS) as pool:
        results = list(pool.map(judge, enumerate(chosen)))
    killers = {}
    for result in results:
        killers[result] = killers.get(result, 0) + 1
    survived = killers.pop(None, 0)
    percent = 100.0 * (len(results) - survived) / len(results)
    print("noticed by: " + ", ".join("%s %d" % item for item in sorted(killers.items(), key=lambda item: -item[1])))
    print("%d noticed, %d survived: %.1f %%, in %d s; %d equivalent"
          % (len(results) - survived, survived, percent, time.time() - start, equivalent))
    sys.exit(percent < GOAL)


main()
