#!/usr/bin/env python3
"""build.py MODULE PAGE - makes one page of all that is in this folder, of the course, and of its programs

A line of page.html that is @NAME@ is replaced: @STYLE@ by page.css, @SCRIPTS@ by all *.js, page.js first, @WASM@ by the
module as text, and @COURSE@ by the course. That is examples/teach/README.md: each part below a heading of two # becomes an
article. A lesson's number is in its heading. Beside it stand the programs and exercises that it names, or that the table
of lessons gives it. A view stands in each lesson that names it in quotes, for example "An update", after this text; or else
after the text that first names the program that it belongs to (VIEWS).
"""
import base64
import html
import os
import re
import sys
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
TEACH = os.path.join(HERE, "..", "teach")
EXERCISES = os.path.join(HERE, "..", "exercises")

# View: how a text names it, and how the programs end that it belongs to.
VIEWS = {
    "ways": ("Three ways", ["loops"]),
    "figure": ("Figure 1", ["axes"]),
    "steps": ("An update", ["rules"]),
    "batches": ("Batches", ["batch"]),
    "pruning": ("Pruning", ["pruning"]),
    "trees": ("Trees", ["join"]),
    "pairs": ("Pairs", ["pairs"]),
    "changes": ("Changes", ["changes"]),
    "grid": ("A grid", ["grid"]),
    "cost": ("Cost", ["bench-methods"]),
}


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as f:
        return f.read()


def picture_of(path, alt):
    """Returns an image with all that is in a file, SVG as text and others in base64."""
    if path.endswith(".svg"):
        text = read(path)
        if "'" not in text:
            text = text.replace('"', "'")  # shorter, as the attribute is in double quotes
        text = text.replace("@media(prefers-color-scheme:dark)", "@media all")  # the page is dark for all readers
        data = "svg+xml," + urllib.parse.quote(text, safe=" <>=/:;,()'!*$&@?+~{}|[]^`")
    else:
        with open(path, "rb") as f:
            data = "png;base64," + base64.b64encode(f.read()).decode("ascii")
    data = html.escape(data).replace("&#x27;", "'")
    return f'<img src="data:image/{data}" alt="{html.escape(" ".join(alt.split()))}" loading="lazy">'


# ---- Markdown: headings, paragraphs, boxes, lists, tables, code, pictures, links -------------------------------------


def slug(text):
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def place_of(name, exercises_first=False):
    """Returns where a program is on the page, for example 05_rules, or None if it is none. A name may be short: 05."""
    name = re.sub(r"\.c$", "", os.path.basename(name))
    kinds = [(TEACH, ""), (EXERCISES, "exercise-")]
    for folder, prefix in reversed(kinds) if exercises_first else kinds:
        for file in sorted(os.listdir(folder)):
            is_short = re.fullmatch(r"\d\d", name) and file.startswith(name + "_") and file.endswith(".c")
            if file == name + ".c" or is_short:
                return prefix + file[:-2]
    return None


def inline(text, exercises=False):
    """Returns the HTML of a text without blocks."""
    kept = []

    def keep(markup):
        kept.append(markup)
        return f"\0{len(kept) - 1}\0"

    def code(match):
        place, shown = place_of(match[1], exercises), f"<code>{html.escape(match[1])}</code>"
        return keep(f'<a href="#{place}">{shown}</a>' if place else shown)

    def picture(match):
        path = os.path.join(TEACH, match[2])
        return keep(picture_of(path, match[1])) if os.path.exists(path) else "*" + match[1] + "*"

    def link(match):
        place = match[2].endswith(".c") and place_of(match[2], "exercises" in match[2])
        if re.match(r"(https?:|#)", match[2]) or place:
            return keep(f'<a href="{html.escape("#" + place if place else match[2])}">') + match[1] + keep("</a>")
        return match[1]  # to a file that is not on the page

    def view(match):
        for name, (said, _) in VIEWS.items():
            if said == match[1]:
                return keep(f'<a href="#{name}">&quot;{said}&quot;</a>')
        return match[0]

    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    text = re.sub(r"`([^`]+)`", code, text)
    text = re.sub(r"!\[([^\]]*)\]\(([^)\s]+)\)", picture, text)
    text = re.sub(r"\[([^\]]+)\]\(([^)\s]+)\)", link, text)
    text = re.sub(r'"([^"\n]+)"', view, text)
    text = html.escape(text, quote=False)
    text = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", text, flags=re.S)
    text = re.sub(r"(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])", r"<i>\1</i>", text)
    while "\0" in text:
        text = re.sub("\0(\\d+)\0", lambda match: kept[int(match[1])], text)
    return text


def table(lines):
    rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))] for line in lines]
    out = "<table><thead><tr>" + "".join(f"<th>{inline(cell)}</th>" for cell in rows[0]) + "</tr></thead><tbody>"
    for row in rows[2:]:
        of_exercises = ["exercise" in head for head in rows[0]]
        row[0] = re.sub(r"^(\d+)\. (.*)$", r"[\1. \2](#lesson-\1)", row[0])  # the table of lessons
        out += "<tr>" + "".join(f"<td>{inline(cell, is_it)}</td>" for cell, is_it in zip(row, of_exercises)) + "</tr>"
    return f'<div class="wide">{out}</tbody></table></div>'


def list_of(lines):
    """A list; an item may hold paragraphs and lists, which are indented."""
    ordered, items = bool(re.match(r"\d", lines[0])), []
    for line in lines:
        start = re.match(r"([-*]|\d+\.) +", line)
        if start:
            items.append([line[start.end():]])
        else:
            items[-1].append(line)
    out = []
    for item in items:
        depth = min([len(line) - len(line.lstrip()) for line in item[1:] if line.strip()] or [0])
        inner = blocks([item[0]] + [line[depth:] for line in item[1:]])
        plain = len(inner) == 1 and inner[0][1].startswith("<p>")
        out.append("<li>" + (inner[0][1][3:-4] if plain else "".join(markup for _, markup in inner)) + "</li>")
    kind = "ol" if ordered else "ul"
    return f"<{kind}>" + "".join(out) + f"</{kind}>"


def blocks(lines):
    """Returns a list of (source, HTML)."""
    out, i = [], 0
    is_item = re.compile(r"([-*]|\d+\.) +\S")
    while i < len(lines):
        start, line = i, lines[i]
        i += 1
        if not line.strip():
            continue
        if line.startswith("```"):
            while i < len(lines) and not lines[i].startswith("```"):
                i += 1
            markup = code_block("\n".join(lines[start + 1:i]), line[3:].strip() in ("c", "cpp"))
            i += 1
        elif line.startswith("    "):
            while i < len(lines) and (lines[i].startswith("    ") or not lines[i].strip()):
                i += 1
            markup = code_block("\n".join(row[4:] for row in lines[start:i]).rstrip(), False)
        elif re.match(r"#+ ", line):
            level = line.index(" ")
            markup = f'<h{level} id="{slug(line[level + 1:])}">{inline(line[level + 1:])}</h{level}>'
        elif line.startswith(">"):
            while i < len(lines) and lines[i].startswith(">"):
                i += 1
            inner = blocks([re.sub("^> ?", "", row) for row in lines[start:i]])
            markup = "<blockquote>" + "".join(part for _, part in inner) + "</blockquote>"
        elif line.startswith("|"):
            while i < len(lines) and lines[i].startswith("|"):
                i += 1
            markup = table(lines[start:i])
        elif is_item.match(line):
            while i < len(lines) and (is_item.match(lines[i]) or lines[i].startswith("  ") or
                                      (not lines[i].strip() and i + 1 < len(lines) and lines[i + 1].startswith("  "))):
                i += 1
            markup = list_of(lines[start:i])
        else:
            while i < len(lines) and lines[i].strip() and not re.match(r"```|#+ |\||>|" + is_item.pattern, lines[i]):
                i += 1
            markup = f"<p>{inline(chr(10).join(lines[start:i]))}</p>"
        out.append(("\n".join(lines[start:i]), markup))
    return out


# ---- programs ---------------------------------------------------------------------------------------------------

TOKENS = re.compile(r'(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<string>"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')|'
                    r"(?P<word>\b(?:if|else|for|while|do|return|break|continue|switch|case|default|static|const|inline|void|int|"
                    r"char|float|double|long|unsigned|struct|enum|typedef|sizeof|goto|uint\d+_t|int\d+_t|size_t)\b|^#\s*\w+)",
                    re.S | re.M)


def code_block(text, is_c):
    if not is_c:
        return f'<pre tabindex="0"><code>{html.escape(text, quote=False)}</code></pre>'
    out, at = [], 0
    for token in TOKENS.finditer(text):
        kind = token.lastgroup
        out += [html.escape(text[at:token.start()], quote=False), f'<i class="{kind}">',
                html.escape(token[0], quote=False), "</i>"]
        at = token.end()
    return f'<pre tabindex="0"><code>{"".join(out)}{html.escape(text[at:], quote=False)}</code></pre>'


def head_of(source):
    """Returns the first sentence of the comment at the head."""
    comment = re.search(r"/\*(.*?)\*/", source, re.S)
    words = " ".join(comment[1].split()) if comment else ""
    return re.split(r"(?<=[.?])\s", re.sub(r"^\S+\.c - ", "", words))[0]


def program(place, is_open):
    is_exercise = place.startswith("exercise-")
    name = place[len("exercise-"):] if is_exercise else place
    source = read(EXERCISES if is_exercise else TEACH, name + ".c")
    summary = f'<b>{"exercise " if is_exercise else ""}{name}.c</b> {html.escape(head_of(source))}'
    return (f'<details id="{place}"{" open" if is_open else ""}><summary>{summary}</summary>'
            f"{code_block(source, True)}</details>\n")


# ---- the course -------------------------------------------------------------------------------------------------


def places_in(source, exercises=False):
    """Returns the programs that a text names or links, in the order in which it does."""
    found = []
    for code, link in re.findall(r"`([^`\n]+)`|\]\(([^)\s]+\.c)\)", source):
        place = place_of(link, "exercises" in link) if link else place_of(code, exercises)
        if place:
            found.append(place)
    return found


class Article:
    def __init__(self, heading, lines):
        lesson = re.match(r"(?:Lesson\s+)?(\d+)\s*[.:]\s*(.*)", heading)
        self.number = int(lesson[1]) if lesson else None
        self.title = lesson[2] if lesson else heading
        self.id = f"lesson-{self.number}" if lesson else slug(heading)
        self.source = "\n".join(lines)
        self.blocks = blocks(lines)
        self.views = {}  # view: the index of the block that it follows
        self.places = places_in(self.source) if lesson else []

    @property
    def name(self):
        return f"Lesson {self.number}: {self.title}" if self.number is not None else self.title


def articles_of(text):
    """Splits the course into articles; the first one is what comes before the lessons."""
    title = re.match(r"# (.*)", text)[1]
    parts = re.split(r"^## +(.*)$", text, flags=re.M)
    articles = [Article(title, parts[0].split("\n")[1:])]
    articles[0].id = "start"
    for heading, body in zip(parts[1::2], parts[2::2]):
        articles.append(Article(heading.strip(), body.split("\n")))
    rows = [line for line in text.split("\n") if re.match(r"\|\s*(Lesson\s+)?\d+[.:]?\s", line)]
    for article in articles:
        for row in rows:
            cells = [cell.strip() for cell in row.strip("|").split("|")]
            if int(re.search(r"\d+", cells[0])[0]) == article.number:
                for k, cell in enumerate(cells[1:], 1):
                    article.places += places_in(cell, k == len(cells) - 1)
        article.places = list(dict.fromkeys(article.places))
    return articles


def put_views(articles):
    """A view follows the block that names it in quotes; if none does, in each lesson the first one that names its program."""
    lessons = [article for article in articles if article.number is not None]
    for view, (said, endings) in VIEWS.items():
        for pattern in (rf'"{re.escape(said)}"', r"\b(\d\d_)?(" + "|".join(endings) + r")(\.c)?[`)]"):
            hits = [(article, i) for article in lessons for i, (source, _) in enumerate(article.blocks)
                    if re.search(pattern, source)]
            for article, i in hits:
                article.views.setdefault(view, i)
            if hits:
                break


def course():
    articles, shown = articles_of(read(TEACH, "README.md")), set()
    put_views(articles)
    links = "".join(f'<a href="#{a.id}">{f"<b>{a.number}</b> " if a.number is not None else ""}'
                    f'{html.escape(a.title if i else "Start")}</a>' for i, a in enumerate(articles))
    out = [f'<nav id="lessons" aria-label="Lessons">{links}</nav>\n']
    for k, article in enumerate(articles):
        text = [f"<h1>{html.escape(article.name)}</h1>"]
        for i, (_, markup) in enumerate(article.blocks):
            text.append(markup)
            text += [f'<div class="demo" data-view="{view}"></div>' for view, at in article.views.items() if at == i]
        hops = [f'<a rel="prev" href="#{a.id}">{html.escape(a.name)}</a>' for a in articles[max(0, k - 1):k]]
        hops += [f'<a rel="next" href="#{a.id}">{html.escape(a.name)}</a>' for a in articles[k + 1:k + 2]]
        text.append(f'<p class="hops">{"".join(hops)}</p>')
        new = [place for place in article.places if place not in shown]  # a program stands where it is named first
        shown.update(new)
        code = "".join(program(place, i == 0) for i, place in enumerate(new))
        stage = '<div class="stage"></div>\n' if article.views else ""  # where a view stands on a wide screen
        beside = f'<div class="beside" aria-label="Code" role="group">\n{stage}{code}</div>' if stage or code else ""
        out += [f'<article id="{article.id}" hidden>\n<div class="text">\n', "\n".join(text), f"\n</div>\n{beside}\n</article>\n"]
    return "".join(out)


# ---- the page ---------------------------------------------------------------------------------------------------


def scripts():
    names = sorted(name for name in os.listdir(HERE) if name.endswith(".js"))
    names.sort(key=lambda name: name != "page.js")
    return "\n".join(read(HERE, name) for name in names)


def main(module, page):
    with open(module, "rb") as f:
        wasm = base64.encodebytes(f.read()).decode("ascii")
    parts = {"@STYLE@": read(HERE, "page.css"), "@SCRIPTS@": scripts(), "@WASM@": wasm, "@COURSE@": course()}
    lines = [parts.get(line, line) for line in read(HERE, "page.html").split("\n")]
    with open(page, "w", encoding="utf-8") as f:
        f.write("\n".join(lines))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
