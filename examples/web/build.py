#!/usr/bin/env python3
"""build.py MODULE PAGE - makes one page of page.html, the scripts beside it and the WebAssembly module

A line of page.html that is @NAME@ is replaced: @WASM@ by the module as text, @SCRIPTS@ by all *.js, page.js first, and
@STYLE@ by page.css.
"""
import base64
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def read(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as f:
        return f.read()


def scripts():
    names = sorted(name for name in os.listdir(HERE) if name.endswith(".js"))
    names.sort(key=lambda name: name != "page.js")
    return "\n".join(read(name) for name in names)


def module(path):
    with open(path, "rb") as f:
        return base64.encodebytes(f.read()).decode("ascii")


def main(module_path, page_path):
    parts = {"@WASM@": module(module_path), "@SCRIPTS@": scripts(), "@STYLE@": read("page.css")}
    lines = [parts.get(line, line) for line in read("page.html").split("\n")]
    with open(page_path, "w", encoding="utf-8") as f:
        f.write("\n".join(lines))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
