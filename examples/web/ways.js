// ways.js - two loops, a sweep, and sweep-and-prune, side by side: the same boxes after the same move, step by step

const LANE_WIDE = 16, LANE_HIGH = 11.5; // the plane of this view, in units

const pairKey = (a, b) => Math.min(a, b) * 100 + Math.max(a, b); // of a pair

// Each way gives its moments: a and b are tested, or change places, or b begins too late; and the line of its code.
function* byLoops({boxes}) {
    for (let i = 0; i < boxes.length; i++)
        for (let j = i + 1; j < boxes.length; j++)
            yield {a: i, b: j, isTest: true, line: 2, hit: overlapping(boxes[i], boxes[j])};
}

// The order is that of the boxes as they were: little has to change.
function* bySweep({boxes, before}) {
    const order = inOrder(boxes.map((_, i) => i), before, 0), n = order.length;
    for (let i = 1; i < n; i++)
        for (let j = i; j > 0 && boxes[order[j]][0] < boxes[order[j - 1]][0]; j--) {
            [order[j], order[j - 1]] = [order[j - 1], order[j]];
            yield {a: order[j], b: order[j - 1], isSwap: true, line: 0};
        }
    for (let i = 0; i < n; i++)
        for (let j = i + 1; j < n; j++) {
            const [a, b] = [order[i], order[j]];
            if (boxes[b][0] > boxes[a][2]) {
                yield {a, b, isLate: true, line: 3};
                break;
            }
            yield {a, b, isTest: true, line: 4, hit: overlapping(boxes[a], boxes[b])};
        }
}

// On each axis ends walk left, as in lesson 2. A start is tested by the boxes as they are, a stop by those before; what
// fires on both axes is one event.
function* bySap({boxes, before}) {
    const told = new Set();
    for (const axis of [0, 1]) {
        const value = (end, list) => list[end.box][axis + (end.isMax ? 2 : 0)];
        const comesBefore = (p, q, list) => value(p, list) !== value(q, list) ? value(p, list) < value(q, list)
            : p.isMax !== q.isMax ? q.isMax : p.box < q.box;
        const ends = boxes.flatMap((_, box) => [{box, isMax: false}, {box, isMax: true}]);
        ends.sort((p, q) => comesBefore(p, q, before) ? -1 : 1);
        for (let i = 1; i < ends.length; i++)
            for (let j = i; j > 0 && comesBefore(ends[j], ends[j - 1], boxes); j--) {
                const walker = ends[j], other = ends[j - 1], [a, b] = [walker.box, other.box];
                [ends[j], ends[j - 1]] = [other, walker];
                const starts = !walker.isMax && other.isMax, stops = walker.isMax && !other.isMax;
                const list = starts ? boxes : before, hit = (starts || stops) && overlapping(list[a], list[b]);
                const event = hit && !told.has(pairKey(a, b)) ? (starts ? 1 : -1) : 0;
                if (event) told.add(pairKey(a, b));
                yield {a, b, isSwap: true, isTest: starts || stops, line: starts ? 3 : stops ? 4 : 2, hit, event};
            }
    }
}

const LANES_OF_WAYS = [
    {name: "Two loops", run: byLoops, code: [
        "for (i = 0; i < n; i++)",
        "  for (j = i + 1; j < n; j++)",
        "    if (overlap(boxes[i], boxes[j])) pairs++;"]},
    {name: "A sweep", run: bySweep, code: [
        "sort(boxes); // by min_x",
        "for (i = 0; i < n; i++)",
        "  for (j = i + 1; j < n; j++) {",
        "    if (boxes[j].min_x > boxes[i].max_x) break;",
        "    if (overlap(boxes[i], boxes[j])) pairs++;",
        "  }"]},
    {name: "Sweep-and-prune", run: bySap, keeps: true, code: [
        "for (i = 1; i <= n; i++) // on x, and on y",
        "  for (j = i; comes_before(ends[j], ends[j - 1]); j--) {",
        "    swap(ends[j], ends[j - 1]);",
        "    if (!walker.is_max && other.is_max) start(..);",
        "    if (walker.is_max && !other.is_max) stop(..);",
        "  }"]},
];

const ways = {
    boxes: [], before: [], lanes: [], at: 0, due: 0, paused: false,

    listen() {
        element("ways-lanes").innerHTML = LANES_OF_WAYS.map(({name, code}, k) => `<div><h3>${name}</h3><span class="pane"><canvas
            id="ways-${k}" tabindex="0" role="application" aria-label="${name}: boxes, and a line for each test. A letter takes
            a box, arrow keys move it, Enter lets it go, Escape puts it back."></canvas></span><p id="ways-said-${k}"
            class="said"></p><ol class="code" aria-label="Its code; the line that runs is lit">${
            code.map(line => `<li>${escaped(line)}</li>`).join("")}</ol></div>`).join("");
        const view = this;
        this.lanes = LANES_OF_WAYS.map((way, k) => ({
            ...way, moments: [], canvas: element("ways-" + k), list: element("ways-lanes").children[k].querySelector("ol"),
            get boxes() { return view.boxes; },
            plane() {
                const {width, height} = this.canvas.parentElement.getBoundingClientRect();
                const unit = Math.min((width - 12) / LANE_WIDE, (height - 12) / LANE_HIGH);
                return {unit, left: 6, top: 6, wide: LANE_WIDE, high: LANE_HIGH};
            },
            taken() { view.keep(); },
            moved() { view.begin(); },
            dropped() {
                view.begin();
                view.pause(false);
            },
            undone() { view.begin(); },
        }));
        for (const lane of this.lanes) draggable(lane.canvas, lane);
        playable("ways", this, 60);
        for (const [button, far] of [["walk", 0.5], ["jump", 100]])
            element("ways-" + button).addEventListener("click", () => this.move(far));
    },

    show() {
        if (this.boxes.length) return;
        this.boxes = [[0.5, 0.5, 4, 3], [3, 2, 6.5, 5], [8, 1, 11, 3.5], [12, 0.5, 15, 4], [1.5, 6, 5, 9], [6.7, 6, 9.5, 10],
                      [9.7, 5, 12.5, 8], [12.5, 7, 15.5, 10.5]];
        this.move(0.5);
        this.pause(CALM);
    },

    // The boxes as they are now are those of before the next move.
    keep() {
        this.before = this.boxes.map(box => [...box]);
        this.begin();
    },

    move(far) {
        this.keep();
        this.boxes = this.boxes.map(([x0, y0, x1, y1]) => {
            const to = (from, most) =>
                far > LANE_WIDE ? Math.random() * most : between(0, from + (2 * Math.random() - 1) * far, most);
            const x = to(x0, LANE_WIDE - x1 + x0), y = to(y0, LANE_HIGH - y1 + y0);
            return [x, y, x + x1 - x0, y + y1 - y0];
        });
        this.begin();
        this.pause(false);
    },

    begin() {
        for (const lane of this.lanes) lane.moments = [...lane.run(this)];
        this.due = 0;
        this.goTo(0);
    },

    get last() {
        return Math.max(...this.lanes.map(({moments}) => moments.length));
    },

    // What a lane has done: ends or boxes that changed places, tests, and the pairs that it knows.
    count({moments, keeps}) {
        const done = moments.slice(0, this.at), of = key => done.filter(moment => moment[key]).length;
        const events = done.reduce((sum, {event}) => sum + (event || 0), 0);
        const pairs = keeps ? pairsIn(this.before).length + events : of("hit");
        return {swaps: of("isSwap"), tests: of("isTest"), pairs, isDone: done.length === moments.length};
    },

    goTo(to) {
        this.at = between(0, to, this.last);
        this.showAt();
        const rows = this.lanes.map((lane, k) => {
            const {swaps, tests, pairs, isDone} = this.count(lane), now = isDone ? null : lane.moments[this.at - 1];
            say(`ways-said-${k}`, isDone ? `Done: ${tests} tests, ${pairs} pairs.` : now ? this.sentence(now) : "");
            return `<tr${isDone ? " class=lit" : ""}><td>${lane.name}</td><td>${swaps}</td><td>${tests}</td><td>${pairs}</td></tr>`;
        });
        element("ways-table").innerHTML =
            "<tr><th>so far</th><th>change places</th><th>tests</th><th>pairs</th></tr>" + rows.join("");
    },

    sentence({a, b, isTest, isLate, hit, event}) {
        const names = `${letter(a)} and ${letter(b)}`;
        if (isLate) return `${letter(b)} begins right of ${letter(a)}: no more for ${letter(a)}.`;
        if (event) return `${names}: ${event > 0 ? "a pair begins" : "the pair ends"}.`;
        return isTest ? `${names}: ${hit ? "overlap" : "apart"}.` : `${names} change places.`;
    },

    tick(seconds) {
        if (this.lanes.every(({held}) => held < 0)) this.play(seconds);
        this.lanes.forEach(lane => this.draw(lane));
    },

    draw(lane) {
        const {pen} = prepare(lane.canvas), {unit, left, top, wide, high} = lane.plane();
        const done = lane.moments.slice(0, this.at), now = done.length < lane.moments.length ? done[done.length - 1] : null;
        Array.from(lane.list.children).forEach((line, i) => { line.className = now?.line === i ? "ran" : ""; });
        pen.fillStyle = DARK;
        pen.fillRect(left, top, unit * wide, unit * high);
        this.before.forEach((old, i) => {
            const lit = now && (now.a === i || now.b === i) || lane.held === i;
            pen.strokeStyle = ALONE;
            pen.setLineDash([3, 3]);
            pen.strokeRect(left + unit * old[0], top + unit * old[1], unit * (old[2] - old[0]), unit * (old[3] - old[1]));
            pen.setLineDash([]);
            drawBox(pen, lane, i, "#6d8cb3", 0.5, lit ? "#fff" : null);
        });
        const middle = i => {
            const [x0, y0, x1, y1] = this.boxes[i];
            return [left + unit * (x0 + x1) / 2, top + unit * (y0 + y1) / 2];
        };
        const line = (a, b, color, wide, alpha) => {
            pen.strokeStyle = color;
            pen.lineWidth = wide;
            pen.globalAlpha = alpha;
            pen.beginPath();
            pen.moveTo(...middle(a));
            pen.lineTo(...middle(b));
            pen.stroke();
        };
        const over = new Set(done.filter(({event}) => event < 0).map(({a, b}) => pairKey(a, b)));
        const known = lane.keeps ? pairsIn(this.before).filter(([a, b]) => !over.has(pairKey(a, b))) : [];
        for (const [a, b] of known) line(a, b, LIT, 2, 0.6);
        for (const moment of done) {
            const color = moment.isLate ? "#e8836f" : !moment.isTest ? "#8fa3ba" : moment.hit ? LIT : "#ffab5c";
            if (moment === now) line(moment.a, moment.b, color, 3, 1);
            else if (moment.isTest && !(moment.event < 0)) line(moment.a, moment.b, color, moment.hit ? 2 : 1, moment.hit ? 0.8 : 0.4);
        }
        pen.globalAlpha = pen.lineWidth = 1;
    },
};

views.ways = ways;
