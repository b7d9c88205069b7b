#!/usr/bin/env python3
"""Breaks copies of sap.h and sap_multi.h, one small change at a time, and runs the tests on each: what no test notices
is a rule that nobody checks, or a change that changes nothing.

    python3 tests/mutate.py [N] [SEED]     N mutants (100), drawn by SEED (1): the same ones each time
    python3 tests/mutate.py NAME:LINE ...  all mutants of these lines (sap.h:1234), also of excused ones
    python3 tests/mutate.py --table        is every line of tests/mutants.txt one of the headers?
    STB=folder of stb_ds.h   CC=gcc   JOBS=at a time   LIMIT=seconds, after which none is begun
    GOAL=95: percent to be noticed, for the exit code

Only code of the implementation is changed, and only what this machine compiles. tests/mutants.txt says whose mutants
change nothing that anybody can see, and why: these lines, or functions, are left alone. Functions that are about speed
alone are among them: tests/test_growth.c and test_lived.c see the sum.

Asserts, prefetches and what sap_validate consists of are left alone, too. A mutant is noticed if it does not compile, or
if a test fails, crashes, or takes five times as long as it should. The tests are found by themselves: those that are
quickest come first, and those that take longer than 15 s are left out. Tests that only use the public face are compiled
once, and for each mutant only tests/ways.c.
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
JOBS = int(os.environ.get("JOBS") or os.cpu_count() or 2)
GOAL = float(os.environ.get("GOAL", "95"))
LIMIT = float(os.environ.get("LIMIT", "1e9"))
HEADERS = ("sap.h", "sap_multi.h")
MOST_SECONDS = 15

# Few seeds for the tests that take a number of them: what random calls notice at all they notice soon.
SEEDS = {"test_model": "30", "test_query": "15", "test_snapshot": "60", "test_multi": "10", "test_trace": "20",
         "test_prune": "50", "test_lives": "100", "test_laws": "10", "test_costs": "25",
         "test_proof": "1", "test_size": "8000"}

# Last of all, with sanitizers: these see accesses out of bounds.
SANITIZE = "-O0 -fsanitize=address,undefined -fno-sanitize=shift-base -fno-sanitize-recover=all"
SANITIZED = ["test_contract", "test_snapshot", "fuzz"]

SPARED = r"prefetch|\bearly\b|\bahead\b|_ASSERT\("
TABLE = os.path.join(ROOT, "tests", "mutants.txt")

# What changes: a name, a pattern in the code, and what it becomes.
OPERATORS = [
    ("< to <=", r"(?<![<-])<(?![<=])", "<="),
    ("<= to <", r"(?<!<)<=", "<"),
    ("> to >=", r"(?<![->])>(?![>=])", ">="),
    (">= to >", r"(?<!>)>=", ">"),
    ("== to !=", r"==", "!="),
    ("!= to ==", r"!=", "=="),
    ("&& to ||", r"&&", "||"),
    ("|| to &&", r"\|\|", "&&"),
    ("+ to -", r"(?<=[\w)\]] )\+(?= )", "-"),
    ("- to +", r"(?<=[\w)\]] )-(?= )", "+"),
    ("* to +", r"(?<=[\w)\]] )\*(?= )", "+"),
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
    ("min to max", r"(?<=[.>])min\b", "max"),
    ("max to min", r"(?<=[.>])max\b", "min"),
    ("negated", r"\bif \((?!!)", "if (!!!("),
    ("removed", r"^(\s+)([\w>\[\].*()-]+ (?:[|&+-]?=) [^;{}]*|\w+\([^;{}]*\)|[\w>\[\].-]+(?:\+\+|--));$", r"\1;"),
]


# ---- mutants -----------------------------------------------------------------------------------------------------


def code_lines(name, text):
    """The numbers of the lines that may be changed: code inside functions that this machine compiles."""
    lines = text.split("\n")
    spared = spared_lines(name, lines)
    comment = False
    for i, line in enumerate(lines):
        stripped = line.strip()
        if comment or stripped.startswith("/*"):
            comment = "*/" not in stripped
            continue
        if not stripped or stripped.startswith(("#", "//", "static const", "typedef", "case", "return \"")):
            continue
        if i in spared or not line.startswith(" ") or re.match(r"\s*(const )?\w+( \*?\w+(\[\w+\])?,?)+;", line):
            continue
        yield i


def spared_lines(name, lines):
    """What the preprocessor leaves out here, what is outside of functions, and what watches over the others: sap_validate
    and all else that returns the sentence of a broken invariant."""
    source = os.path.join(WORK, "which.c")
    with open(source, "w") as f:
        f.write("#define SAP_MULTI_IMPLEMENTATION\n#include \"sap_multi.h\"\n")
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
    inside = False # a function's body, from "{" at the end of a line without indent to "}" at the start of one
    head = ""
    for i, line in enumerate(lines):
        if not inside:
            spared.add(i)
            head = line if re.match(r"\w", line) else head + line
            inside = bool(re.search(r"\)\s*\{$", line)) and not re.search(r"const char \*\w*validate", head)
        elif line.startswith("}"):
            inside = False
            spared.add(i)
    return spared


def split_comment(line):
    """The code of a line, and what follows it; strings are left alone."""
    at = line.find("/*")
    at = len(line) if at < 0 else at
    quote = line.find('"')
    at = min(at, quote) if quote >= 0 else at
    return line[:at].rstrip(), line[at:]


def bare(code):
    return re.sub(r"\s", "", code)


def is_excused(table, function, line):
    return any(name == function and (code == "*" or code in bare(line)) for name, code in table)


def functions_of(text):
    """Of each line the function that it is in."""
    function = "?"
    for line in text.split("\n"):
        head = re.match(r"[a-zA-Z].*?(\w+)\(", line)
        function = head.group(1) if head else function
        yield function


def read_table(texts):
    """(function, code) of each line of tests/mutants.txt; it excuses what holds its code, in its function."""
    places = [place for text in texts.values() for place in zip(functions_of(text), text.split("\n"))]
    lines = [line for line in open(TABLE) if not line.startswith("#") and line.strip()]
    table = [(parts[1], bare(parts[2])) for parts in (re.match(r"(\w+) \| (.*) \| .", line) for line in lines)]
    lost = [line for line, entry in zip(lines, table) if not any(is_excused([entry], *place) for place in places)]
    if lost:
        sys.exit("tests/mutants.txt has what no header has:\n" + "".join(lost))
    return table


def mutants_of(name, text):
    lines = text.split("\n")
    wanted = set(code_lines(name, text))
    for i, (function, line) in enumerate(zip(functions_of(text), lines)):
        if i not in wanted:
            continue
        code, rest = split_comment(line)
        for what, pattern, becomes in OPERATORS:
            for match in re.finditer(pattern, code):
                changed = code[:match.start()] + match.expand(becomes) + code[match.end():]
                if what == "negated":
                    changed = negate(code, match.start())
                if changed is None or changed == code:
                    continue
                yield name, i, function, what, line, changed + " " + rest


def negate(code, at):
    """if (condition) becomes if (!(condition)), where the condition ends in this line."""
    depth, begin = 0, code.index("(", at)
    for i in range(begin, len(code)):
        depth += (code[i] == "(") - (code[i] == ")")
        if depth == 0:
            return code[:begin] + "(!" + code[begin:i + 1] + ")" + code[i + 1:]
    return None


# ---- tests -------------------------------------------------------------------------------------------------------


class Test:
    """A program that is built from a folder with headers, and run."""

    def __init__(self, name, flags):
        self.name, self.flags, self.seconds, self.limit = name, flags.split(), 0, 600
        self.source = os.path.join(WORK, "tests", name + ".c")
        text = open(self.source).read()
        self.alone = not os.path.exists(os.path.join(WORK, "tests", "ways.c")) or \
            re.search(r"^#define SAP_(MULTI_)?IMPLEMENTATION", text, re.M) is not None
        self.arguments = [SEEDS[name]] if name in SEEDS else []
        if name == "fuzz":
            self.flags.append("-DFUZZ_REPLAY")
            inputs = os.path.join(ROOT, "tests", "corpus")
            self.arguments = [os.path.join(inputs, file) for file in sorted(os.listdir(inputs))]
        self.object = os.path.join(WORK, name + "".join(flags.split()[:2]) + ".o")

    def compile(self, folder, source, to, link=()):
        flags = ["-std=c99", *self.flags, "-w", "-isystem", STB, "-I" + folder]
        how = ["-o", to, source, *link, "-lm", "-pthread"] if link or to.endswith(".exe") else ["-c", "-o", to, source]
        return subprocess.run([CC, *flags, *how], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0

    def noticed(self, folder, built):
        """None, or how the headers in this folder were found wrong. built: the objects of tests/ways.c there, by flags."""
        program = os.path.join(folder, self.name + ".exe")
        if self.alone:
            if not self.compile(folder, self.source, program):
                return "does not compile"
        else:
            key = " ".join(flag for flag in self.flags if flag != "-DFUZZ_REPLAY")
            ways = os.path.join(folder, "ways%d.o" % len(built))
            if key not in built:
                good = self.compile(folder, os.path.join(WORK, "tests", "ways.c"), ways)
                built[key] = ways if good else None
            if not os.path.exists(self.object) and not self.compile(folder, self.source, self.object):
                return "does not compile"
            if not built[key] or not self.compile(folder, self.object, program, [built[key]]):
                return "does not compile"
        start = time.time()
        try: # by processor time: others may make the machine wait
            run = subprocess.run(["sh", "-c", 'ulimit -t %d; exec "$0" "$@"' % self.limit, program, *self.arguments],
                                 cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=20 * self.limit)
        except subprocess.TimeoutExpired:
            return self.name + " (waits)"
        finally:
            os.remove(program)
            self.seconds = time.time() - start
        if run.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            return self.name + " (without end)"
        return self.name if run.returncode else None


def prepare():
    """The tests to run, in order; each has passed on the headers as they are."""
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(WORK)
    for part in ("tests", "bench", "examples"): # the tests, and headers that they share with these
        shutil.copytree(os.path.join(ROOT, part), os.path.join(WORK, part), ignore=shutil.ignore_patterns("data", "*.cpp"))
    folder = os.path.join(WORK, "whole")
    os.makedirs(folder)
    for header in HEADERS:
        shutil.copy(os.path.join(ROOT, header), folder)
    names = sorted(file[:-2] for file in os.listdir(os.path.join(WORK, "tests")) if re.match(r"(test_\w+|fuzz)\.c$", file))
    built, tests = {}, []
    for flags, chosen in (("-O1", names), (SANITIZE, [name for name in SANITIZED if name in names])):
        group = []
        for name in chosen:
            test = Test(name, flags)
            noticed = test.noticed(folder, built)
            if noticed:
                sys.exit("%s says '%s' of the headers as they are: nothing to learn" % (name, noticed))
            test.limit = int(5 * test.seconds) + 5
            if test.seconds <= MOST_SECONDS:
                group.append(test)
            else:
                print("left out: %s takes %d s" % (name, test.seconds), flush=True)
        tests += sorted(group, key=lambda test: test.seconds + 4 * test.alone) # what is alone has to be compiled
    return tests


def main():
    if sys.argv[1:] == ["--table"]:
        read_table({header: open(os.path.join(ROOT, header)).read() for header in HEADERS})
        return
    wanted = [argument for argument in sys.argv[1:] if ":" in argument]
    numbers = [int(argument) for argument in sys.argv[1:] if ":" not in argument]
    count = numbers[0] if numbers else 100
    rng = random.Random(numbers[1] if len(numbers) > 1 else 1)
    start = time.time()
    tests = prepare()
    texts = {header: open(os.path.join(WORK, "whole", header)).read() for header in HEADERS}
    everything = [m for header in HEADERS for m in mutants_of(header, texts[header])]
    table = read_table(texts)
    free = [m for m in everything if not re.search(SPARED, m[4]) and not is_excused(table, m[2], m[4])]
    rng.shuffle(free)
    if wanted:
        chosen = [m for m in everything if "%s:%d" % (m[0], m[1] + 1) in wanted]
    else:
        drawn = {} # one a line, so that all of the file has its turn
        for mutant in free:
            drawn.setdefault(mutant[:2], mutant)
            if len(drawn) == count:
                break
        chosen = list(drawn.values())
    excused = len({m[:2] for m in everything if is_excused(table, m[2], m[4])})
    print("%d of %d mutants; %d lines are excused; the tests take %d s on the headers as they are"
          % (len(chosen), len(free), excused, time.time() - start), flush=True)
    start = time.time()

    def judge(numbered):
        number, (header, line, function, what, code, changed) = numbered
        if time.time() - start > LIMIT:
            return "not begun"
        folder = os.path.join(WORK, "m%03d" % number)
        os.makedirs(folder)
        for name in HEADERS:
            lines = texts[name].split("\n")
            if name == header:
                lines[line] = changed
            with open(os.path.join(folder, name), "w") as f:
                f.write("\n".join(lines))
        built, noticed = {}, None
        for test in tests:
            noticed = test.noticed(folder, built)
            if noticed:
                break
        if not noticed:
            print("survived  %s:%d  %s  %s\n    - %s\n    + %s"
                  % (header, line + 1, function, what, code.strip(), changed.strip()), flush=True)
        shutil.rmtree(folder)
        return noticed

    with ThreadPoolExecutor(JOBS) as pool:
        results = list(pool.map(judge, enumerate(chosen)))
    left = results.count("not begun")
    results = [result for result in results if result != "not begun"]
    if not results:
        sys.exit("no mutants")
    survived = results.count(None)
    percent = 100.0 * (len(results) - survived) / len(results)
    killers = sorted(((results.count(r), r) for r in set(results) if r), reverse=True)
    print("noticed by: " + ", ".join("%s %d" % (name, n) for n, name in killers))
    print("%d noticed, %d survived: %.1f %%, in %d s%s"
          % (len(results) - survived, survived, percent, time.time() - start, "; %d not begun" % left if left else ""))
    sys.exit(percent < GOAL)


if __name__ == "__main__":
    main()
