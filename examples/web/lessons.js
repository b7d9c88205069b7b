// lessons.js - the other views of the page: an update step by step, batches, a grid of SAPs, and what each method costs
//
// It goes into page.html where that says so. Each lesson has listen(), called once; show(), when it comes into view; and
// tick(seconds), once a frame while it is seen.

const COLORS = ["#5b8fd0", "#57b894", "#e0a458", "#c678c9", "#e06c75", "#8fa3ba", "#b5bd68", "#6fc6cf"];
const letter = box => String.fromCharCode(65 + box);

function median(values) {
    if (!values.length) return 0;
    const sorted = Float64Array.from(values).sort(), half = sorted.length >> 1;
    return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

// A pen for a canvas that fills its board, cleared, in CSS pixels.
function prepare(canvas) {
    const ratio = window.devicePixelRatio || 1, area = canvas.parentElement.getBoundingClientRect();
    const width = Math.round(area.width * ratio), height = Math.round(area.height * ratio);
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, area.width, area.height);
    pen.font = "13px system-ui, sans-serif";
    pen.textAlign = "left";
    pen.lineWidth = 1;
    return {pen, width: area.width, height: area.height};
}

// Returns the steps a second that a slider asks for, from one in two seconds on.
const pace = (id, most) => 0.5 * Math.pow(most / 0.5, slider(id) / 100);

// ---- an update, step by step ---------------------------------------------------------------------------------

const WIDE = 24, HIGH = 12; // the plane of this lesson, in units

const CASES = [ // boxes as [min x, min y, max x, max y], and where the last one moves
    {boxes: [[2, 2, 9, 5], [16, 2, 21, 5], [7, 4, 13, 7]], to: [11, 4, 13, 7]},
    {boxes: [[2, 2, 7, 5], [16, 2, 21, 5], [7.5, 4, 13, 7]], to: [7.5, 4, 18, 7]},
    {boxes: [[9, 4, 13, 7], [16, 5, 20, 8]], to: [2, 5, 6, 8]},
    {boxes: [[3, 1, 9, 4], [14, 7, 19, 10]], to: [6, 7, 11, 10]},
];

const steps = {
    boxes: [],   // as the page shows them: where they are to go
    known: [],   // as the world knew them before the update
    rows: [],    // the sorted ends of each axis, as far as the steps have come
    queue: [],   // the steps to come
    now: null,   // the step just made
    held: -1, holdX: 0, holdY: 0, paused: false, due: 0, log: [], ended: true,

    listen() {
        const canvas = element("steps-board");
        canvas.style.touchAction = "none";
        canvas.addEventListener("pointerdown", event => this.grab(event));
        canvas.addEventListener("pointermove", event => this.drag(event));
        canvas.addEventListener("pointerup", () => this.drop());
        canvas.addEventListener("pointercancel", () => this.drop());
        element("steps-case").addEventListener("input", () => this.choose(Number(element("steps-case").value)));
        element("steps-pause").addEventListener("click", () => this.pause(!this.paused));
        element("steps-one").addEventListener("click", () => { this.pause(true); this.step(); });
        element("steps-all").addEventListener("click", () => { while (!this.ended) this.step(); });
        element("steps-speed").addEventListener("input", () => this.showSpeed());
    },

    show() {
        this.showSpeed();
        if (!this.boxes.length) this.choose(2);
    },

    showSpeed() {
        element("steps-speed").nextElementSibling.textContent = pace("steps-speed", 30).toFixed(1) + " steps/s";
    },

    pause(yes) {
        this.paused = yes;
        element("steps-pause").textContent = yes ? "Resume" : "Pause";
    },

    // A new world of some boxes, settled.
    begin(list) {
        this.boxes = list.map(box => [...box]);
        this.known = list.map(box => [...box]);
        this.write();
        sap.steps_setup(list.length);
        this.sort();
        this.queue = [];
        this.now = null;
        this.ended = true;
        this.log = [];
    },

    choose(which) {
        element("steps-case").value = which;
        if (which < 0) return;
        if (which < CASES.length) {
            this.begin(CASES[which].boxes);
            this.boxes[this.boxes.length - 1] = [...CASES[which].to];
        } else {
            this.begin(Array.from({length: 5}, (_, i) => {
                const x = 1 + i * 4.2, y = 1 + i * 3 % 8;
                return [x, y, x + 4, y + 3];
            }));
            this.boxes = this.boxes.map(([x0, y0, x1, y1]) => {
                const x = Math.random() * (WIDE - 4), y = Math.random() * (HIGH - 3);
                return [x, y, x + x1 - x0, y + y1 - y0];
            });
        }
        this.update();
    },

    write() {
        const memory = new Float32Array(sap.memory.buffer, sap.steps_boxes_at(), 6 * this.boxes.length);
        this.boxes.forEach(([x0, y0, x1, y1], i) => memory.set([x0, y0, 0, x1, y1, 0], 6 * i));
        this.boxes.forEach((box, i) => [0, 1, 3, 4].forEach((at, k) => { box[k] = memory[6 * i + at]; })); // as floats
    },

    value(end, axis, boxes) {
        return boxes[end.box][axis + (end.isMax ? 2 : 0)];
    },

    // By value; of equal ones mins first, then the lower box.
    isAfter(a, b, axis, boxes) {
        const x = this.value(a, axis, boxes), y = this.value(b, axis, boxes);
        if (x !== y) return x > y;
        return a.isMax !== b.isMax ? a.isMax : a.box > b.box;
    },

    sort() {
        this.rows = [0, 1].map(axis => {
            const row = this.known.flatMap((_, box) => [{box, isMax: false}, {box, isMax: true}]);
            return row.sort((a, b) => this.isAfter(a, b, axis, this.known) ? 1 : -1);
        });
    },

    // Hands all boxes in; what sap.h says of it is played afterwards.
    update() {
        this.write();
        const count = sap.steps_update(), told = new Int32Array(sap.memory.buffer, sap.steps_at(), 4 * count);
        this.queue = [];
        for (let i = 0; i < count; i++) {
            const [kind, axis, a, b] = told.subarray(4 * i, 4 * i + 4);
            if (kind === 0) this.queue.push({axis, a, b, rule: 0}); // SAP_STEP_PASS
            else this.queue[this.queue.length - 1].rule = kind;
        }
        this.ended = false;
        this.log = [];
        this.due = 0;
        this.now = null;
        this.tell(this.queue.length ? `${this.queue.length} steps to come.` : "");
        if (!this.queue.length) this.finish();
    },

    tell(sentence) {
        element("steps-said").textContent = sentence;
        element("steps-log").textContent = this.log.join("\n");
        element("steps-log").scrollTop = 1e6;
    },

    // An end of box a passes one of box b: as in teach.h, the first end that comes after its right neighbour is passed.
    step() {
        if (this.ended) return;
        const next = this.queue.shift();
        if (!next) return this.finish();
        const row = this.rows[next.axis];
        let i = 0;
        while (i + 1 < row.length && !this.isAfter(row[i], row[i + 1], next.axis, this.boxes)) i++;
        if (i + 1 >= row.length || row[i].box !== next.b || row[i + 1].box !== next.a)
            throw new Error("the steps of sap.h are not those of insertion sort");
        [row[i], row[i + 1]] = [row[i + 1], row[i]];
        const walker = row[i], other = row[i + 1], a = letter(next.a), b = letter(next.b);
        const who = `${next.axis ? "y" : "x"}: ${walker.isMax ? "max" : "min"} of ${a} passes ` +
            `${other.isMax ? "max" : "min"} of ${b}`;
        const rule = ["same kind: nothing", "start: they overlap on the other axis, too",
                      "stop: they did overlap on the other axis",
                      walker.isMax ? "stop? They were apart" : "start? They are apart"][next.rule];
        this.now = {...next, place: i};
        this.log.push(`${who}  ${["", "START", "STOP", "no"][next.rule]}`);
        this.tell(`${who}. ${rule[0].toUpperCase()}${rule.slice(1)}.`);
    },

    // The net change, from sap.h.
    finish() {
        const list = (kind, verb) => {
            const n = sap.steps_events(kind), told = new Int32Array(sap.memory.buffer, sap.steps_events_at(), 2 * n);
            return Array.from({length: n}, (_, i) => `${letter(told[2 * i])} and ${letter(told[2 * i + 1])} ${verb}`);
        };
        const events = [...list(0, "begin"), ...list(1, "end")];
        const sentence = "Reported: " + (events.join(", ") || "nothing") + ".";
        this.known = this.boxes.map(box => [...box]);
        this.sort();
        this.now = null;
        this.ended = true;
        this.log.push(sentence);
        this.tell(sentence);
    },

    scale() {
        const {width, height} = element("steps-board").parentElement.getBoundingClientRect();
        const rows = 2 * 62 + 62; // room for ends and a sentence, below the plane
        return {unit: Math.min((width - 16) / WIDE, (height - rows - 16) / HIGH), width};
    },

    grab(event) {
        const {unit} = this.scale(), x = (event.offsetX - 8) / unit, y = (event.offsetY - 8) / unit;
        while (!this.ended) this.step(); // all that is still to come, at once
        this.held = this.boxes.findLastIndex(([x0, y0, x1, y1]) => x >= x0 && x <= x1 && y >= y0 && y <= y1);
        if (this.held < 0) return;
        event.target.setPointerCapture(event.pointerId);
        this.holdX = x - this.boxes[this.held][0];
        this.holdY = y - this.boxes[this.held][1];
    },

    drag(event) {
        if (this.held < 0) return;
        const {unit} = this.scale(), box = this.boxes[this.held], w = box[2] - box[0], h = box[3] - box[1];
        const x = Math.max(0, Math.min(WIDE - w, (event.offsetX - 8) / unit - this.holdX));
        const y = Math.max(0, Math.min(HIGH - h, (event.offsetY - 8) / unit - this.holdY));
        this.boxes[this.held] = [x, y, x + w, y + h];
    },

    drop() {
        if (this.held < 0) return;
        this.held = -1;
        element("steps-case").value = -1;
        this.update();
    },

    tick(seconds) {
        if (!this.ended && !this.paused && this.held < 0) {
            this.due += seconds * pace("steps-speed", 30);
            for (; this.due >= 1 && !this.ended; this.due--) this.step();
        }
        this.draw();
    },

    draw() {
        const {pen, width} = prepare(element("steps-board")), {unit} = this.scale();
        element("steps-said").style.top = `${16 + unit * HIGH + 2 * 62}px`;
        pen.fillStyle = "#10151c";
        pen.fillRect(8, 8, unit * WIDE, unit * HIGH);
        this.boxes.forEach((box, i) => {
            const old = this.known[i], color = COLORS[i % COLORS.length];
            const lit = this.now && (this.now.a === i || this.now.b === i);
            const place = ([x0, y0, x1, y1]) => [8 + unit * x0, 8 + unit * y0, unit * (x1 - x0), unit * (y1 - y0)];
            if (old.some((v, k) => v !== box[k])) {
                pen.strokeStyle = color;
                pen.setLineDash([5, 4]);
                pen.strokeRect(...place(old));
                pen.setLineDash([]);
            }
            pen.globalAlpha = lit ? 0.95 : 0.6;
            pen.fillStyle = color;
            pen.fillRect(...place(box));
            pen.globalAlpha = 1;
            if (lit) {
                pen.strokeStyle = "#fff";
                pen.lineWidth = 2;
                pen.strokeRect(...place(box));
                pen.lineWidth = 1;
            }
            pen.fillStyle = "#e8eef6";
            pen.font = "15px system-ui, sans-serif";
            pen.fillText(letter(i), 14 + unit * box[0], 26 + unit * box[1]);
        });
        this.rows.forEach((row, axis) => {
            const top = 16 + unit * HIGH + 62 * axis, cell = Math.min(72, (width - 36) / row.length);
            pen.font = "14px system-ui, sans-serif";
            pen.fillStyle = "#a5b6ca";
            pen.fillText(axis ? "y" : "x", 10, top + 38);
            row.forEach((end, i) => {
                const walks = this.now && this.now.axis === axis && this.now.place === i;
                const passed = this.now && this.now.axis === axis && this.now.place + 1 === i;
                const left = 26 + i * cell, up = top + (walks ? 10 : 18);
                pen.globalAlpha = walks || passed ? 1 : 0.45;
                pen.fillStyle = COLORS[end.box % COLORS.length];
                pen.fillRect(left, up, cell - 3, 32);
                pen.globalAlpha = 1;
                if (walks) {
                    pen.strokeStyle = "#fff";
                    pen.strokeRect(left, up, cell - 3, 32);
                }
                pen.fillStyle = "#fff";
                pen.textAlign = "center";
                pen.fillText(end.isMax ? letter(end.box) + ")" : "(" + letter(end.box), left + cell / 2 - 1.5, up + 21);
                pen.textAlign = "left";
            });
        });
    },
};

// ---- one by one, or in a batch ----------------------------------------------------------------------------------

const BATCH_OLD = 24, BATCH_MORE = 8;

// A generator gives the array after each end that moves: {ends, at}. An end is {value, kind}: 0 old, 1 came, 2 to go.
function* comeOneByOne(ends, incoming) {
    for (const end of incoming) {
        let at = ends.length;
        ends.push(end);
        yield at;
        for (; at > 0 && ends[at - 1].value > end.value; at--) {
            ends[at] = ends[at - 1];
            ends[at - 1] = end;
            yield at;
        }
    }
}

function* comeInABatch(ends, incoming) {
    const sorted = [...incoming].sort((a, b) => a.value - b.value);
    let from = ends.length - 1, to = ends.length + sorted.length - 1;
    for (let i = 0; i < sorted.length; i++) ends.push(null);
    while (sorted.length) {
        const next = sorted[sorted.length - 1];
        if (from >= 0 && ends[from].value > next.value) {
            ends[to] = ends[from];
            ends[from--] = null;
        } else ends[to] = sorted.pop();
        yield to--;
    }
}

function* goOneByOne(ends) {
    for (;;) {
        const gap = ends.findIndex(end => end && end.kind === 2);
        if (gap < 0) return;
        ends[gap] = null;
        yield gap;
        for (let i = gap; i + 1 < ends.length && ends[i + 1]; i++) {
            ends[i] = ends[i + 1];
            ends[i + 1] = null;
            yield i;
        }
    }
}

function* goInABatch(ends) {
    let kept = 0;
    for (let i = 0; i < ends.length; i++) {
        const end = ends[i];
        if (end.kind === 2) {
            ends[i] = null;
            continue;
        }
        if (kept < i) {
            ends[kept] = end;
            ends[i] = null;
            yield kept;
        }
        kept++;
    }
}

const batches = {
    lanes: [], leaving: false, paused: false, due: 0,

    listen() {
        element("batches-come").addEventListener("click", () => this.begin(false));
        element("batches-go").addEventListener("click", () => this.begin(true));
        element("batches-speed").addEventListener("input", () => this.showSpeed());
        element("batches-pause").addEventListener("click", () => {
            this.paused = !this.paused;
            element("batches-pause").textContent = this.paused ? "Resume" : "Pause";
        });
        element("batches-measure").addEventListener("click", () => this.measure());
    },

    show() {
        this.showSpeed();
        if (!this.lanes.length) this.begin(false);
    },

    showSpeed() {
        const moves = pace("batches-speed", 200);
        element("batches-speed").nextElementSibling.textContent = moves.toFixed(moves < 10 ? 1 : 0) + " moves/s";
    },

    begin(leaving) {
        const end = kind => ({value: Math.random(), kind});
        const old = Array.from({length: 2 * BATCH_OLD}, () => end(0));
        const more = Array.from({length: 2 * BATCH_MORE}, () => end(leaving ? 2 : 1));
        const sorted = [...old, ...(leaving ? more : [])].sort((a, b) => a.value - b.value);
        this.lanes = [leaving ? goOneByOne : comeOneByOne, leaving ? goInABatch : comeInABatch].map((way, i) => {
            const ends = [...sorted];
            return {name: i ? "in a batch" : "one by one", ends, moves: 0, at: -1, ended: false, run: way(ends, more)};
        });
        this.leaving = leaving;
        this.due = 0;
        element("batches-said").textContent = "";
    },

    step(lane) {
        const next = lane.run.next();
        if (next.done) {
            lane.ended = true;
            lane.at = -1;
        } else {
            lane.at = next.value;
            lane.moves++;
        }
    },

    tick(seconds) {
        if (!this.paused) {
            this.due += seconds * pace("batches-speed", 200);
            for (; this.due >= 1; this.due--)
                for (const lane of this.lanes) if (!lane.ended) this.step(lane);
        }
        element("batches-said").textContent = this.lanes.every(lane => lane.ended)
            ? `Both hold the same: ${this.lanes[0].moves} moves and ${this.lanes[1].moves}.` : "";
        this.draw();
    },

    draw() {
        const {pen, width, height} = prepare(element("batches-board")), lane = height / 2;
        this.lanes.forEach((now, i) => {
            const top = i * lane, slots = 2 * (BATCH_OLD + BATCH_MORE), bar = (width - 24) / slots, room = lane - 56;
            pen.fillStyle = "#e8eef6";
            pen.font = "15px system-ui, sans-serif";
            const moved = `${now.moves.toLocaleString("en")} ends moved${now.ended ? ", done" : ""}`;
            pen.fillText(`${now.name}: ${moved}`, 12, top + 26);
            for (let k = 0; k < slots; k++) {
                const end = now.ends[k];
                pen.fillStyle = "#10151c";
                pen.fillRect(12 + k * bar, top + 42, bar - 1, room);
                if (!end) continue;
                const tall = 4 + end.value * (room - 4);
                pen.fillStyle = k === now.at ? "#fff" : ["#4d6a8c", "#e0a458", "#e8836f"][end.kind];
                pen.fillRect(12 + k * bar, top + 42 + room - tall, bar - 1, tall);
            }
        });
    },

    // In sap.h, with a pause for the browser before each row.
    async measure() {
        const table = element("batches-table");
        while (table.rows.length > 1) table.deleteRow(1);
        for (const n of [100, 1000, 4000])
            for (const leaving of [0, 1]) {
                const row = table.insertRow(), times = [];
                element("batches-state").textContent = `measuring ${n.toLocaleString("en")} ...`;
                await new Promise(resolve => setTimeout(resolve, 20));
                for (const inABatch of [0, 1]) {
                    const few = [];
                    for (let i = 0; i < (n < 2000 ? 15 : 5); i++) {
                        sap.batch_prepare(n, n / 10, leaving);
                        const begin = performance.now();
                        sap.batch_run(leaving, inABatch);
                        few.push(performance.now() - begin);
                    }
                    times.push(few.reduce((sum, t) => sum + t, 0) / few.length);
                }
                row.insertCell().textContent = `${n.toLocaleString("en")}, ${n / 10} ${leaving ? "leave" : "come"}`;
                for (const time of times) row.insertCell().textContent = time.toFixed(2) + " ms";
            }
        element("batches-state").textContent = "";
    },
};

// ---- a grid of SAPs ----------------------------------------------------------------------------------------------

const grid = {
    columns: 5, rows: 4, cell: 100, count: 0, paused: false, followed: -1, boxes: null, pairs: null, pairCount: 0,

    listen() {
        for (const id of ["grid-count", "grid-columns"]) element(id).addEventListener("input", () => this.setUp());
        element("grid-speed").addEventListener("input", () => this.showSpeed());
        element("grid-pause").addEventListener("click", () => {
            this.paused = !this.paused;
            element("grid-pause").textContent = this.paused ? "Resume" : "Pause";
        });
        element("grid-board").addEventListener("click", event => {
            for (let i = 0; i < this.count; i++) {
                const [x0, y0, , x1, y1] = this.box(i);
                if (event.offsetX >= x0 && event.offsetX <= x1 && event.offsetY >= y0 && event.offsetY <= y1)
                    this.followed = i;
            }
        });
    },

    show() {
        this.setUp();
    },

    showSpeed() {
        element("grid-speed").nextElementSibling.textContent = (slider("grid-speed") / 50).toFixed(2) + " cells/s";
    },

    // The grid, and beyond its right end part of a column that comes again.
    setUp() {
        const {width, height} = element("grid-board").parentElement.getBoundingClientRect();
        this.columns = slider("grid-columns");
        this.cell = Math.max(20, width / (this.columns + 0.7));
        this.rows = Math.max(1, Math.floor(height / this.cell - 0.2));
        this.count = Math.round(8 + slider("grid-count") * 0.9);
        this.width = width;
        this.height = height;
        element("grid-count").nextElementSibling.textContent = this.count;
        element("grid-columns").nextElementSibling.textContent = `${this.columns} x ${this.rows} cells`;
        this.showSpeed();
        sap.grid_setup(this.count, width, height, this.columns, this.rows, this.cell);
        this.move(0);
        this.followed = 0; // the box that is in the most cells
        for (let i = 1; i < this.count; i++)
            if (this.cellsOf(i).length > this.cellsOf(this.followed).length) this.followed = i;
    },

    move(seconds) {
        this.pairCount = sap.grid_move(seconds * slider("grid-speed") / 50);
        this.boxes = new Float32Array(sap.memory.buffer, sap.grid_boxes_at(), 6 * this.count);
        this.pairs = new Int32Array(sap.memory.buffer, sap.grid_pairs_at(), 2 * this.pairCount);
    },

    box(i) {
        return this.boxes.subarray(6 * i, 6 * i + 6);
    },

    // The cells that a box touches, not wrapped: [low column, low row, high column, high row].
    range(i) {
        const box = this.box(i);
        return [0, 1, 3, 4].map(k => Math.floor(box[k] / this.cell));
    },

    wrapped(column, row) {
        const wrap = (place, cells) => (place % cells + cells) % cells;
        return wrap(row, this.rows) * this.columns + wrap(column, this.columns);
    },

    cellsOf(i) {
        const [c0, r0, c1, r1] = this.range(i), cells = new Set();
        for (let row = r0; row <= r1; row++)
            for (let column = c0; column <= c1; column++) cells.add(this.wrapped(column, row));
        return [...cells];
    },

    ownerOf(a, b) {
        const p = this.range(a), q = this.range(b);
        return this.wrapped(Math.max(p[0], q[0]), Math.max(p[1], q[1]));
    },

    // Returns what the cells would find and report, one by one.
    census() {
        const inCell = Array.from({length: this.columns * this.rows}, () => []);
        let entries = 0, found = 0, reported = 0, strangers = 0;
        for (let i = 0; i < this.count; i++)
            for (const cell of this.cellsOf(i)) inCell[cell].push(i), entries++;
        inCell.forEach((boxes, cell) => {
            for (let i = 0; i < boxes.length; i++)
                for (let j = i + 1; j < boxes.length; j++) {
                    const p = this.box(boxes[i]), q = this.box(boxes[j]);
                    if (p[0] <= q[3] && q[0] <= p[3] && p[1] <= q[4] && q[1] <= p[4]) {
                        found++;
                        reported += this.ownerOf(boxes[i], boxes[j]) === cell;
                    } else strangers++;
                }
        });
        return {inCell, entries, found, reported, strangers};
    },

    tick(seconds) {
        const {width, height} = element("grid-board").parentElement.getBoundingClientRect();
        if (width !== this.width || height !== this.height) this.setUp();
        this.move(this.paused ? 0 : seconds);
        const now = this.census();
        this.draw(now);
        const lines = [["boxes", this.count], ["entries in cells", now.entries],
                       ["the fullest cell holds", Math.max(...now.inCell.map(boxes => boxes.length))],
                       ["two in one cell, apart", now.strangers], ["pairs, found by cells", now.found],
                       ["pairs, reported by owners", now.reported], ["pairs of sap_multi.h", this.pairCount]];
        element("grid-table").innerHTML = lines.map(([name, n]) => `<tr><td>${name}</td><td>${n}</td></tr>`).join("");
        element("grid-said").textContent = now.reported === this.pairCount
            ? "Each pair is reported once, as by sap_multi.h." : "NOT the pairs of sap_multi.h!";
    },

    draw(now) {
        const {pen, width, height} = prepare(element("grid-board")), cell = this.cell;
        const mine = new Set(this.cellsOf(this.followed)), owners = new Set();
        for (let k = 0; k < this.pairCount; k++) {
            const a = this.pairs[2 * k], b = this.pairs[2 * k + 1];
            if (a === this.followed || b === this.followed) owners.add(this.ownerOf(a, b));
        }
        for (let row = 0; row * cell < height; row++)
            for (let column = 0; column * cell < width; column++) {
                const here = this.wrapped(column, row), beyond = column >= this.columns || row >= this.rows;
                const full = Math.min(1, now.inCell[here].length / 12);
                pen.fillStyle = mine.has(here) ? "rgba(224, 164, 88, .32)" : `rgba(111, 163, 224, ${0.05 + 0.25 * full})`;
                pen.fillRect(column * cell, row * cell, cell, cell);
                pen.strokeStyle = "#37465a";
                pen.setLineDash(beyond ? [4, 4] : []);
                pen.strokeRect(column * cell, row * cell, cell, cell);
                pen.setLineDash([]);
                if (owners.has(here)) {
                    pen.strokeStyle = "#ffd877";
                    pen.lineWidth = 3;
                    pen.strokeRect(column * cell + 3, row * cell + 3, cell - 6, cell - 6);
                    pen.lineWidth = 1;
                }
                pen.fillStyle = "#8fa3ba";
                pen.font = "12px system-ui, sans-serif";
                pen.fillText(`${here}`, column * cell + 6, row * cell + 16);
            }
        const paired = new Set(this.pairs);
        for (let i = 0; i < this.count; i++) {
            const [x0, y0, , x1, y1] = this.box(i), own = i === this.followed;
            pen.globalAlpha = own ? 1 : 0.75;
            pen.fillStyle = own ? "#fff" : paired.has(i) ? "#ffd877" : "#4d6a8c";
            pen.fillRect(x0, y0, x1 - x0, y1 - y0);
            pen.globalAlpha = 1;
            pen.strokeStyle = "#10151c";
            pen.strokeRect(x0, y0, x1 - x0, y1 - y0);
            pen.fillStyle = "#10151c";
            pen.font = "11px system-ui, sans-serif";
            if (x1 - x0 > 14) pen.fillText(this.cellsOf(i).length, x0 + 3, y0 + 12);
        }
    },
};

// ---- the cost of each method ----------------------------------------------------------------------------------------

const COST_WAYS = [
    {name: "SORT", color: "#ff7b6b"}, {name: "SORT in a grid of SAPs", color: "#f0c050"},
    {name: "PRUNE", color: "#5aa9e6"}, {name: "QUERY", color: "#d18bff"}, {name: "AUTO", color: "#e6edf3"},
    {name: "brute force", color: "#9aa4af"}, {name: "sort and sweep", color: "#6fcf75"},
]; // as make bench-methods draws them
const COST_SHORT = ["SORT", "grid", "PRUNE", "QUERY", "AUTO", "brute", "sweep"];
const COST_AUTO = 4;
const COST_PAPER = [0, 1, 5, 6]; // the ways that the paper compares
const COST_SIZES = [10, 30, 100, 300, 1000, 3000, 10000, 20000];
const COST_MOST = 60;      // milliseconds a frame: a way that takes longer is not asked for more boxes
const COST_BUDGET = 12;    // milliseconds of measuring in a frame of the page, at least

const cost = {
    times: [], way: 0, size: 0, motion: -1,

    listen() {
        element("cost-motion").addEventListener("input", () => this.reset());
        element("cost-key").innerHTML = COST_WAYS.map(({name, color}) =>
            `<div><i class="key" style="background:${color}"></i>${name}</div>`).join("");
    },

    show() {
        if (this.motion < 0) this.reset();
    },

    reset() {
        this.motion = Number(element("cost-motion").value);
        this.times = COST_WAYS.map(() => COST_SIZES.map(() => []));
        this.way = this.size = 0;
    },

    typical(way, size) {
        return median(this.times[way][size]);
    },

    // One point: as many frames as the clock needs, which some browsers round to a tenth of a millisecond.
    measure() {
        const times = this.times[this.way][this.size];
        const slow = this.size > 0 && (this.typical(this.way, this.size - 1) > COST_MOST ||
                                       !this.times[this.way][this.size - 1].length);
        if (!slow && sap.cost_setup(this.way, COST_SIZES[this.size], this.motion)) {
            sap.cost_run(6); // all layouts once: warms up
            let frames = 0, spent = 0, more = 1;
            while (spent < 4 && frames < 100000) {
                const begin = performance.now();
                sap.cost_run(more);
                spent += performance.now() - begin;
                frames += more;
                more = Math.min(20000, more * 2);
            }
            times.push(spent / frames);
            if (times.length > 9) times.shift();
        }
        this.way = (this.way + 1) % COST_WAYS.length;
        if (!this.way) this.size = (this.size + 1) % COST_SIZES.length;
    },

    tick() {
        const begin = performance.now();
        do this.measure();
        while (performance.now() - begin < COST_BUDGET);
        this.draw();
        this.tabulate();
    },

    // The way that takes least, and how many times as long the next one takes.
    least(ways, size) {
        const ranked = ways.filter(way => this.times[way][size].length)
            .sort((a, b) => this.typical(a, size) - this.typical(b, size));
        if (!ranked.length) return "";
        const [best, next] = ranked.map(way => 1000 * this.typical(way, size));
        const times = next > 0 && best > 0 ? next / best : 0, text = `${COST_SHORT[ranked[0]]} ${microsecondsText(best)}`;
        return times ? `${text}, ${times.toFixed(times < 9.95 ? 1 : 0)}\u00d7` : text;
    },

    tabulate() {
        const all = COST_WAYS.map((_, way) => way).filter(way => way !== COST_AUTO);
        let html = "<tr><th>boxes</th><th>the least</th><th>of the paper's</th></tr>";
        COST_SIZES.forEach((n, size) => html += `<tr><td>${n.toLocaleString("en")}</td><td>${this.least(all, size)}` +
            `</td><td>${this.least(COST_PAPER, size)}</td></tr>`);
        element("cost-table").innerHTML = html;
    },

    draw() {
        const {pen, width, height} = prepare(element("cost-board"));
        const left = 58, right = width - 16, top = 36, bottom = height - 46, low = 0.01, high = 1e5;
        const across = n => left + (right - left) * Math.log(n / 8) / Math.log(25000 / 8);
        const up = us => bottom - (bottom - top) * Math.log(Math.max(low, us) / low) / Math.log(high / low);
        pen.font = "12px system-ui, sans-serif";
        for (let us = low; us <= high * 1.01; us *= 10) {
            pen.fillStyle = "#2b3747";
            pen.fillRect(left, up(us), right - left, 1);
            pen.fillStyle = "#a5b6ca";
            pen.textAlign = "right";
            pen.fillText(microsecondsText(us), left - 6, up(us) + 4);
        }
        pen.textAlign = "center";
        for (const n of COST_SIZES)
            if (width > 500 || (width > 360 ? n !== 20000 : Number.isInteger(Math.log10(n))))
                pen.fillText(n.toLocaleString("en"), across(n), bottom + 18);
        pen.fillText("boxes", (left + right) / 2, bottom + 36);
        pen.textAlign = "left";
        pen.fillText("a frame takes", 8, 18);
        pen.beginPath(); // what takes longer leaves the plot at its top
        pen.rect(left - 8, top - 4, right - left + 16, bottom - top + 12);
        pen.save();
        pen.clip();
        const inOrder = [COST_AUTO, 6, 5, 3, 2, 1, 0]; // AUTO is broad and pale, below the way that it takes
        inOrder.forEach(way => {
            const color = COST_WAYS[way].color, isAuto = way === COST_AUTO;
            pen.strokeStyle = pen.fillStyle = color;
            pen.globalAlpha = isAuto ? 0.3 : 1;
            pen.lineWidth = isAuto ? 9 : 2;
            pen.lineJoin = pen.lineCap = "round";
            pen.setLineDash(way > COST_AUTO ? [7, 4] : []);
            pen.beginPath();
            COST_SIZES.forEach((n, size) => {
                if (!this.times[way][size].length) return;
                pen.lineTo(across(n), up(1000 * this.typical(way, size)));
            });
            pen.stroke();
            pen.globalAlpha = 1;
            pen.setLineDash([]);
            COST_SIZES.forEach((n, size) => {
                if (isAuto || !this.times[way][size].length) return;
                pen.beginPath();
                pen.arc(across(n), up(1000 * this.typical(way, size)), 3, 0, 7);
                pen.fill();
            });
        });
        pen.restore();
    },
};

function microsecondsText(us) {
    if (us >= 1000) return (us / 1000).toLocaleString("en", {maximumSignificantDigits: 2}) + " ms";
    return us.toLocaleString("en", {maximumSignificantDigits: 2}) + " \u00b5s";
}

const lessons = {steps, batches, grid, cost};
