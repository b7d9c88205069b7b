#!/usr/bin/env python3
"""Breaks copies of sap.h and sap_multi.h, one small change at a time, and runs the tests on each: what no test notices
is a rule that nobody checks, or a change that changes nothing.

    python3 tests/mutate.py [N] [SEED]     N mutants (100), drawn by SEED (1): the same ones each time
    STB=folder of stb_ds.h   CC=gcc   JOBS=2   GOAL=95: percent to be noticed, for the exit code

Only code of the implementation is changed, and only what this machine compiles. A mutant is killed if it does not
compile, or if a test fails, crashes, or takes ten times as long as it should.
"""

import os
import random
import re
import shutil
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

# Those that notice most in the least time come first; the arguments are for few seeds. Building takes longer than
# running. True: the test includes sap_multi.h.
TESTS = [
    ("fuzz", ["corpus"], True),
    ("test_cover", [], True),
    ("test_contract", [], False),
    ("test_snapshot", ["60"], False),
    ("test_query", ["15"], False),
    ("test_prune", ["100"], False),
    ("test_trace", ["20"], False),
    ("test_model", ["30"], False),
    ("test_alloc", [], False),
    ("test_multi", ["10"], True),
]

# Lines whose changes nobody can see, or none that the tests promise anything about, by their text: what matches
# pattern is not changed.
EQUIVALENT = [
    (r"__builtin_prefetch|sap__prefetch", "only fetches memory early"),
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
        if any(re.search(pattern, line) for pattern, _ in EQUIVALENT):
            continue
        yield i


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
        code, rest = split_comment(lines[i])
        for what, pattern, becomes in OPERATORS:
            for match in re.finditer(pattern, code):
                changed = code[:match.start()] + match.expand(becomes) + code[match.end():]
                if what == "negated":
                    changed = negate(code, match.start())
                if changed is None or changed == code:
                    continue
                yield name, i, what, code.strip(), changed.strip(), "\n".join(lines[:i] + [changed + rest] + lines[i + 1:])


def negate(code, at):
    """if (condition) becomes if (!(condition)), where the condition ends in this line."""
    depth, begin = 0, code.index("(", at)
    for i in range(begin, len(code)):
        depth += (code[i] == "(") - (code[i] == ")")
        if depth == 0:
            return code[:begin] + "(!" + code[begin:i + 1] + ")" + code[i + 1:]
    return None


def build_and_run(folder, test, arguments, limit):
    """None, or how it was noticed."""
    source = os.path.join(WORK, "tests", test + ".c")
    flags = ["-DFUZZ_REPLAY"] if test == "fuzz" else []
    program = os.path.join(folder, test)
    build = subprocess.run([CC, "-std=c99", "-O1", "-w", "-isystem", STB, "-I" + folder, *flags, "-o", program, source,
                            "-lm", "-pthread"], capture_output=True)
    if build.returncode:
        return "does not compile"
    if arguments == ["corpus"]:
        inputs = os.path.join(ROOT, "tests", "corpus")
        arguments = [os.path.join(inputs, name) for name in sorted(os.listdir(inputs))]
    try:
        run = subprocess.run([program, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                             timeout=limit)
    except subprocess.TimeoutExpired:
        return test + " (without end)"
    finally:
        os.remove(program)
    return test if run.returncode else None


def prepare():
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(WORK)
    shutil.copytree(os.path.join(ROOT, "tests"), os.path.join(WORK, "tests"))
    folder = os.path.join(WORK, "whole")
    os.makedirs(folder)
    for header in ("sap.h", "sap_multi.h"):
        shutil.copy(os.path.join(ROOT, header), folder)
    limits = {}
    for name, arguments, _ in TESTS:
        start = time.time()
        noticed = build_and_run(folder, name, arguments, 600)
        if noticed:
            sys.exit("%s fails on the headers as they are: nothing to learn" % name)
        limits[name] = 10 * (time.time() - start) + 5
    return limits


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    start = time.time()
    limits = prepare()
    texts = {header: open(os.path.join(WORK, "whole", header)).read() for header in ("sap.h", "sap_multi.h")}
    chosen = {}
    everything = [m for header in texts for m in mutants_of(header, texts[header])]
    rng.shuffle(everything)
    for mutant in everything: # one a line, so that all of the file has its turn
        chosen.setdefault(mutant[:2], mutant)
        if len(chosen) == count:
            break
    print("%d of %d mutants; the tests take %d s on the headers as they are"
          % (len(chosen), len(everything), time.time() - start), flush=True)

    def judge(numbered):
        number, (header, line, what, code, changed, text) = numbered
        folder = os.path.join(WORK, "m%03d" % number)
        os.makedirs(folder)
        for name in texts:
            with open(os.path.join(folder, name), "w") as f:
                f.write(text if name == header else texts[name])
        noticed = None
        for name, arguments, is_multi in TESTS:
            if header == "sap_multi.h" and not is_multi:
                continue
            noticed = build_and_run(folder, name, arguments, limits[name])
            if noticed:
                break
        if noticed:
            shutil.rmtree(folder)
        else:
            print("survived  %s:%d  %s\n    - %s\n    + %s" % (header, line + 1, what, code, changed), flush=True)
        return noticed

    with ThreadPoolExecutor(JOBS) as pool:
        results = list(pool.map(judge, enumerate(chosen.values())))
    killers = {}
    for result in results:
        killers[result] = killers.get(result, 0) + 1
    survived = killers.pop(None, 0)
    percent = 100.0 * (len(results) - survived) / len(results)
    print("noticed by: " + ", ".join("%s %d" % item for item in sorted(killers.items(), key=lambda item: -item[1])))
    print("%d noticed, %d survived: %.1f %%, in %d s" % (len(results) - survived, survived, percent, time.time() - start))
    sys.exit(percent < GOAL)


main()
