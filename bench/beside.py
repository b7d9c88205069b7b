#!/usr/bin/env python3
"""
beside.py - two builds of bench/worlds.c in turn: how many times as long the first takes, world by world

    beside.py new old [rounds] [arguments of worlds]      make bench-beside OLD=folder of another sap.h

Of each world the least mean of the rounds counts, in processor time.
"""
import subprocess
import sys

PARTS = "us worst tests upkeep".split()


def measure(program, best, arguments):
    for line in subprocess.run([program] + arguments, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()[1:]:
        key, figures = line[:30], [float(x) for x in line[30:].split()]
        if key not in best or figures[0] < best[key][0]:
            best[key] = figures


def main():
    programs, rounds = sys.argv[1:3], int(sys.argv[3]) if len(sys.argv) > 3 else 3
    best = [{}, {}]
    for _ in range(rounds):
        for i in range(2):
            measure(programs[i], best[i], sys.argv[4:])
    print("%-30s%10s%8s%8s%8s%8s" % ("world, boxes", "new, us", *["by old:" if p == "us" else p for p in PARTS]))
    ratios = [[], []]
    for key, new in best[0].items():
        old = best[1][key]
        by = [n / o if o else float(n == o) for n, o in zip(new, old)]
        ratios[int(key.split()[-1]) < 10000].append(by[0])
        print("%s%10.1f%8.2f%8.2f%8.2f%8.2f" % (key, new[0], *by))
    for name, part in zip(("10,000 boxes and more", "fewer"), ratios):
        if part:
            print("%-40s%8.2f  the mean of %d" % (name, sum(part) / len(part), len(part)))


main()
