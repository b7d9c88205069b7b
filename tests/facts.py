#!/usr/bin/env python3
"""Breaks each line of tests/facts.txt, which refreshes a fact that the implementation keeps, in a copy of the headers,
and leads the life of tests/test_lives.c that the table names: it must fail. Lines that break a law of tests/test_laws.c are at
the end of the table, with the seed of the life that notices.

    python3 tests/facts.py [WORD ...]         all facts, or those with a word in their name or function
    python3 tests/facts.py find [WORD ...]    looks for lives where the table names none, and writes them into it
    python3 tests/facts.py --table            is each line of the table in one place of the headers?
    STB=folder of stb_ds.h   CC=gcc   LIVES=300   JOBS=at a time

The last line is 'N passed, N failed'. Facts for which the table has a reason instead of a life are left out.
"""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from mutate import functions_of

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORK = os.path.join(ROOT, "build", "facts")
STB = os.path.abspath(os.environ.get("STB", os.path.join(ROOT, "build", "stb")))
CC = os.environ.get("CC", "gcc")
JOBS = int(os.environ.get("JOBS") or os.cpu_count() or 2)
LIVES = os.environ.get("LIVES", "300")
TABLE = os.path.join(ROOT, "tests", "facts.txt")
HEADERS = ("sap.h", "sap_multi.h")


def compile(folder, output, *sources):
    flags = ["-std=c99", "-O1", "-w", "-isystem", STB, "-I" + folder, "-I" + ROOT]
    libraries = [] if output.endswith(".o") else ["-lm", "-pthread"]
    flags += [] if libraries else ["-c"]
    subprocess.run([CC, *flags, "-o", output, *sources, *libraries], check=True, cwd=ROOT)


def break_line(folder, function, code, becomes):
    """Copies the headers of a folder, with one line broken, which must be in one place."""
    broken = folder + "-broken"
    os.makedirs(broken, exist_ok=True)
    found = 0
    for name in HEADERS:
        lines = open(os.path.join(folder, name)).read().split("\n")
        for i, where in enumerate(functions_of("\n".join(lines))):
            if where == function and code in lines[i]:
                lines[i] = lines[i].replace(code, becomes, 1)
                found += 1
        with open(os.path.join(broken, name), "w") as f:
            f.write("\n".join(lines))
    return broken if found == 1 else None


def life_that_fails(program, options, lives, first, law):
    """The number of the first life that fails or dies, or None."""
    command = ["sh", "-c", 'ulimit -t 20; exec stdbuf -oL "$0" "$@"', program, *options, lives, first, *law]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace")
    life = None
    for line in process.stdout:
        begun = re.search(r"\blife (\d+):", line)
        failed = re.search(r"again: test_\w+ 1 (\d+)", line)
        life = begun.group(1) if begun else life
        if failed:
            process.kill()
            process.wait()
            return failed.group(1)
    return str(int(life) + 1 if life else first) if process.wait() else None # its line is written when a life ends


def judge(fact):
    """The life that notices this fact broken; None if none does, or if the line is not there."""
    name, function, code, becomes, life = fact
    word, _, number = life.rpartition(" ") if life != "law" else ("law", "", "")
    test, options, law = ("test_laws", ["-q"], [name]) if word == "law" else ("test_lives", ["-v"], [])
    for build in ["plain"] if law else [word or "plain"] if life else ["plain", "lowered"]:
        key = os.path.join(WORK, re.sub(r"\W+", "_", name + " " + build))
        os.makedirs(key, exist_ok=True)
        for header in HEADERS:
            subprocess.run(["cp", os.path.join(WORK, build, header), key], check=True)
        broken = break_line(key, function, code, becomes)
        if not broken:
            return "not in one place"
        try:
            compile(broken, key + ".o", "tests/ways.c")
            compile(broken, key + ".exe", os.path.join(WORK, test + ".o"), key + ".o")
        except subprocess.CalledProcessError:
            return "does not compile"
        found = life_that_fails(key + ".exe", options, "1" if number else LIVES, number or "1", law)
        if found:
            return (word + " " if law else "" if build == "plain" else build + " ") + found
    return None


def read_table(lines, words):
    """By the number of its line in the table: the name of a fact, a function, its code, what that becomes, a life."""
    facts = {}
    for i, line in enumerate(lines):
        if line.strip() and not line.startswith("#"):
            parts = [part.replace("\\|", "|").strip() for part in re.split(r"(?<!\\) \|(?: |$)", line)]
            if not words or any(word in parts[0] or word in parts[1] for word in words):
                facts[i] = parts
    return facts


def check_table(facts):
    """Ends the program: each line has to be in one place of the headers."""
    texts = [open(os.path.join(ROOT, header)).read() for header in HEADERS]
    places = [place for text in texts for place in zip(functions_of(text), text.split("\n"))]
    wrong = 0
    for name, function, code, _, _ in facts.values():
        count = sum(where == function and code in line for where, line in places)
        if count != 1:
            print("tests/facts.txt: %s, %s: in %d places" % (name, function, count))
            wrong = 1
    sys.exit(wrong)


def main():
    words = sys.argv[1:]
    if words == ["--table"]:
        check_table(read_table(open(TABLE).read().split("\n"), []))
    finds = words[:1] == ["find"]
    words = words[1:] if finds else words
    subprocess.run(["rm", "-rf", WORK], check=True)
    os.makedirs(os.path.join(WORK, "plain"))
    for header in HEADERS:
        subprocess.run(["cp", os.path.join(ROOT, header), os.path.join(WORK, "plain")], check=True)
    subprocess.run(["sh", "tests/lower.sh", os.path.join(WORK, "lowered")], check=True, cwd=ROOT)
    for test in ("test_lives", "test_laws"):
        compile(os.path.join(WORK, "plain"), os.path.join(WORK, test + ".o"), "tests/%s.c" % test)
    lines = open(TABLE).read().split("\n")
    facts = read_table(lines, words)
    chosen = [i for i, fact in facts.items() if ":" not in fact[4] and not (finds and fact[4] not in ("", "law"))]
    passed = failed = 0

    def one(i):
        return i, judge(facts[i])

    with ThreadPoolExecutor(JOBS) as pool:
        for i, found in pool.map(one, chosen):
            good = found and found[-1].isdigit()
            passed, failed = passed + bool(good), failed + (not good)
            if finds or not good:
                print("%s: %s" % (facts[i][0], found or "no life notices"), flush=True)
            if finds and good:
                lines[i] = re.sub(r" \|\s*(law)?$", " | " + found, lines[i])
                with open(TABLE, "w") as f:
                    f.write("\n".join(lines))
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed > 0 or passed == 0)


main()
