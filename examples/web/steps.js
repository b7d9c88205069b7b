// steps.js - an update, step by step: boxes, their ends on both axes, the sort that puts these in order, and its rules

const WIDE = 24, HIGH = 12; // the plane of this view, in units
const CELL = 58;            // how wide a cell of the sorted ends is, and beside the plane the column of those along y
const WIRE = 34;            // room for the lines from an axis to the cells

const CASES = [ // boxes as [min x, min y, max x, max y], and where the last one moves
    {boxes: [[3, 3, 10, 7], [15, 4, 20, 8]], to: [7, 5, 12, 9]},
    {boxes: [[2, 2, 9, 5], [16, 2, 21, 5], [7, 4, 13, 7]], to: [11, 4, 13, 7]},
    {boxes: [[2, 2, 7, 5], [16, 2, 21, 5], [7.5, 4, 13, 7]], to: [7.5, 4, 18, 7]},
    {boxes: [[9, 4, 13, 7], [16, 5, 20, 8]], to: [2, 5, 6, 8]},
    {boxes: [[3, 1, 9, 4], [14, 7, 19, 10]], to: [6, 7, 11, 10]},
];

// The sort and its rules, in the names of the lesson. ends[0] is a sentinel, as in sap.h, so j > 0 need not be asked.
const CODE = [
    "for (i = 1; i <= n; i++)",
    "  for (j = i; comes_before(ends[j], ends[j - 1]); j--) {",
    "    walker = ends[j], other = ends[j - 1];",
    "    ends[j] = other, ends[j - 1] = walker;",
    "    if (!walker.is_max && other.is_max) start(walker.box, other.box);",
    "    if (walker.is_max && !other.is_max) stop(walker.box, other.box);",
    "  }",
    "start(a, b): if (overlap(boxes[a], boxes[b])) they begin;",
    "stop(a, b):  if (overlap(before[a], before[b])) they end;",
    "overlap(p, q): return p.min_x <= q.max_x && q.min_x <= p.max_x &&",
    "                      p.min_y <= q.max_y && q.min_y <= p.max_y;",
];
const START = 4, STOP = 5, STARTS = 7, STOPS = 8, ON_X = 9, ON_Y = 10; // lines
const PASSES = 0; // SAP_STEP_PASS; then 1 a start, 2 a stop, 3 a rule that the other axis contradicts

const steps = {
    boxes: [],   // as the page shows them: where they are to go
    known: [],   // as the world knew them before the update
    queue: [],   // the steps of the update
    at: 0,       // the steps that are done; one more when the update has ended, and its events are told
    events: "",  // these, as a sentence
    rows: [],    // the sorted ends of each axis, after these steps
    now: null,   // the last of these steps
    log: [],
    held: -1, paused: false, due: 0,

    listen() {
        draggable(element("steps-board"), this);
        playable("steps", this, 30);
        element("steps-case").addEventListener("input", () => this.choose(Number(element("steps-case").value)));
        element("steps-code").innerHTML = CODE.map(line => `<li>${escaped(line)}<b></b></li>`).join("");
    },

    show() {
        if (!this.boxes.length) this.choose(0);
    },

    get last() {
        return this.queue.length + 1;
    },

    get ended() {
        return this.at === this.last;
    },

    // A new world of some boxes, settled.
    begin(list) {
        this.boxes = list.map(box => [...box]);
        this.write();
        sap.steps_setup(list.length);
        this.known = this.boxes.map(box => [...box]);
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

    // Hands all boxes in; what sap.h says of it is played afterwards.
    update() {
        this.write();
        const count = sap.steps_update(), told = new Int32Array(sap.memory.buffer, sap.steps_at(), 4 * count);
        this.queue = [];
        for (let i = 0; i < count; i++) {
            const [kind, axis, a, b] = told.subarray(4 * i, 4 * i + 4);
            if (kind === PASSES) this.queue.push({axis, a, b, rule: 0});
            else this.queue[this.queue.length - 1].rule = kind;
        }
        const list = (kind, verb) => {
            const n = sap.steps_events(kind), told = new Int32Array(sap.memory.buffer, sap.steps_events_at(), 2 * n);
            return Array.from({length: n}, (_, i) => `${letter(told[2 * i])}-${letter(told[2 * i + 1])} ${verb}`);
        };
        this.events = "Reported: " + ([...list(0, "begins"), ...list(1, "ends")].join(", ") || "nothing") + ".";
        this.due = 0;
        this.goTo(this.queue.length ? 0 : this.last);
    },

    // ---- the ends, as far as the steps have come ----

    value(end, axis, boxes) {
        return boxes[end.box][axis + (end.isMax ? 2 : 0)];
    },

    // By value; of equal ones mins first, then the lower box.
    isAfter(a, b, axis, boxes) {
        const x = this.value(a, axis, boxes), y = this.value(b, axis, boxes);
        if (x !== y) return x > y;
        return a.isMax !== b.isMax ? a.isMax : a.box > b.box;
    },

    sort(boxes) {
        return [0, 1].map(axis => {
            const row = boxes.flatMap((_, box) => [{box, isMax: false}, {box, isMax: true}]);
            return row.sort((a, b) => this.isAfter(a, b, axis, boxes) ? 1 : -1);
        });
    },

    // Does the first 'to' steps, from the ends as they were before the update: a step back is one less.
    goTo(to) {
        this.at = between(0, to, this.last);
        this.rows = this.sort(this.known);
        this.log = [];
        this.now = null;
        for (const next of this.queue.slice(0, this.at)) this.pass(next);
        const sentence = this.at === 0 ? `${this.queue.length} step${this.queue.length === 1 ? "" : "s"} to come.`
            : this.ended ? this.events : this.sentence(this.now);
        if (this.ended) {
            this.now = null;
            this.log.push(this.events);
        }
        say("steps-said", sentence);
        this.showAt();
        const values = this.now ? this.values(this.now) : [];
        Array.from(element("steps-code").children).forEach((line, i) => { line.lastChild.textContent = values[i] ?? ""; });
        element("steps-log").textContent = this.log.join("\n");
        element("steps-log").scrollTop = 1e6;
    },

    // An end of box a passes one of box b. The first end that comes after its right neighbour is the next to be passed,
    // from right to left; where sap.h moves the ends of few boxes alone, also from left to right.
    pass({axis, a, b, rule}) {
        const row = this.rows[axis];
        const isPassed = i => i + 1 < row.length && this.isAfter(row[i], row[i + 1], axis, this.boxes);
        let i = row.findIndex((end, k) => isPassed(k) && end.box === b && row[k + 1].box === a);
        const goesRight = i < 0;
        if (goesRight) i = row.findIndex((end, k) => isPassed(k) && end.box === a && row[k + 1].box === b);
        if (i < 0) throw new Error("no end can take the step that sap.h told");
        [row[i], row[i + 1]] = [row[i + 1], row[i]];
        const place = goesRight ? i + 1 : i, walker = row[place], other = row[goesRight ? i : i + 1];
        const was = this.now, goesOn = was?.axis === axis && was.walker === walker; // the same walk
        this.now = {axis, a, b, rule, walker, other, goesRight, i: goesOn ? was.i : place + 2, j: place + 2};
        const kind = end => `${end.isMax ? "max" : "min"} of ${letter(end.box)}`;
        this.log.push(`${axis ? "y" : "x"}: ${kind(walker)} passes ${kind(other)}  ${["", "START", "STOP", "no"][rule]}`);
    },

    // Which end moved, which one walks, and which rule that fires: an end also walks because another one moved.
    sentence({axis, rule, walker, other, goesRight}) {
        const name = end => `the ${end.isMax ? "max" : "min"} of ${letter(end.box)}`;
        const way = end => {
            const from = this.value(end, axis, this.known), to = this.value(end, axis, this.boxes);
            const directions = axis ? ["down", "up"] : ["right", "left"];
            return from === to ? "" : `${directions[to > from ? 0 : 1]} from ${short(from)} to ${short(to)}`;
        };
        const moved = [walker, other].filter(end => way(end)).map(end => `${name(end)} moved ${way(end)}`).join(", ");
        const walks = [["left", "right"], ["up", "down"]][axis][Number(goesRight)];
        const passes = `${name(walker)} walks ${walks} and passes ${name(other)}`;
        const rules = ["same kind: nothing", "start: they overlap on the other axis, too",
                       "stop: they did overlap on the other axis",
                       walker.isMax !== goesRight ? "stop? They were apart" : "start? They are apart"];
        const said = `${rules[rule][0].toUpperCase()}${rules[rule].slice(1)}.`;
        return `${axis ? "y" : "x"}: ${moved}; so ${passes}. ${said}`;
    },

    // The lines that run in a step.
    linesOf({walker, rule, goesRight}) {
        const starts = walker.isMax === goesRight; // else it stops
        return [0, 1, 2, 3, ...(rule ? [starts ? START : STOP, starts ? STARTS : STOPS, ON_X, ON_Y] : [])];
    },

    // What is beside the lines: the values of this step. Places count from the sentinel, which is ends[0].
    values({axis, rule, walker, other, goesRight, i, j}) {
        const end = ({box, isMax}) => `${isMax ? "" : "("}${letter(box)}${isMax ? ")" : ""}`;
        const valued = each => `${end(each)} ${short(this.value(each, axis, this.boxes))}`;
        const starts = walker.isMax === goesRight, boxes = starts ? this.boxes : this.known;
        const p = boxes[walker.box], q = boxes[other.box], yes = overlapping(p, q) ? "yes" : "no";
        const list = goesRight ? ["few moved: sap.h lets this end walk right", `${valued(other)} before ${valued(walker)}`]
            : [`${axis ? "y" : "x"}: i = ${i}`, `j = ${j}: ${valued(walker)} before ${valued(other)}`];
        list.push(`walker ${end(walker)}, other ${end(other)}`);
        if (!rule) return [...list, "", "two of a kind", "two of a kind"];
        const compare = k => `${short(p[k])} <= ${short(q[k + 2])} && ${short(q[k])} <= ${short(p[k + 2])}`;
        list[starts ? START : STOP] = starts ? "a min and a max: yes" : "a max and a min: yes";
        list[starts ? STARTS : STOPS] = `${letter(walker.box)}, ${letter(other.box)}: ${yes}`;
        list[ON_X] = `${compare(0)} &&`;
        list[ON_Y] = `${compare(1)}: ${yes}`;
        return list;
    },

    lightCode() {
        const lines = this.now ? this.linesOf(this.now) : [];
        const runs = this.paused || this.ended ? -1 : lines[Math.floor(Math.min(this.due, 0.999) * lines.length)];
        Array.from(element("steps-code").children).forEach((line, i) => {
            line.className = i === runs ? "runs" : lines.includes(i) && runs < 0 ? "ran" : "";
        });
    },

    // ---- dragging ----

    // The update that is under way ends at once: the next one starts from where its boxes went.
    taken(box) {
        this.known = this.boxes.map(each => [...each]);
        this.queue = [];
        this.goTo(0);
        say("steps-said", `Box ${letter(box)} is held.`);
    },

    moved(box, byKey) {
        const [x, y] = this.boxes[box];
        if (byKey) say("steps-said", `Box ${letter(box)} at x ${short(x)}, y ${short(y)}.`);
    },

    dropped() {
        element("steps-case").value = -1;
        this.update();
        this.pause(false);
    },

    undone() {
        this.goTo(this.last);
        say("steps-said", "Put back.");
    },

    // ---- the picture ----

    tick(seconds) {
        if (this.held < 0) this.play(seconds);
        this.lightCode();
        this.draw();
    },

    // The plane, with the cells along y to its right and those along x below. It is higher where there is room.
    plane() {
        const {width, height} = element("steps-board").parentElement.getBoundingClientRect();
        const said = element("steps-said").offsetHeight + 12, left = 10, top = 10;
        const room = height - top - WIRE - 44 - said;
        const unit = Math.min((width - left - WIRE - CELL - 10) / WIDE, room / HIGH);
        const high = Math.max(HIGH, Math.floor(room / unit));
        return {unit, left, top, wide: WIDE, high, right: left + unit * WIDE, bottom: top + unit * high};
    },

    draw() {
        const {pen} = prepare(element("steps-board")), plane = this.plane(), {unit, left, top, bottom} = plane;
        element("steps-said").style.top = `${bottom + WIRE + 50}px`;
        pen.fillStyle = DARK;
        pen.fillRect(left, top, unit * WIDE, bottom - top);
        const place = ([x0, y0, x1, y1]) => [left + unit * x0, top + unit * y0, unit * (x1 - x0), unit * (y1 - y0)];
        this.boxes.forEach((box, i) => {
            const old = this.known[i], color = COLORS[i % COLORS.length], moved = old.some((v, k) => v !== box[k]);
            const lit = this.held === i || this.now && (this.now.a === i || this.now.b === i);
            if (moved && !this.ended) {
                pen.strokeStyle = color;
                pen.setLineDash([5, 4]);
                pen.strokeRect(...place(old));
                pen.setLineDash([]);
            }
            drawBox(pen, this, i, color, lit ? 0.95 : 0.7, lit ? "#fff" : null);
        });
        for (let axis = 0; axis < 2; axis++) this.drawRow(pen, axis, plane);
    },

    // The sorted ends of an axis: each end's line goes from its box to the axis, and from there to its cell. Lines
    // cross where ends are not yet in order.
    drawRow(pen, axis, {unit, left, top, right, bottom}) {
        const row = this.rows[axis], step = (axis ? bottom - top : right - left) / (row.length + 1);
        const size = Math.min(axis ? 38 : 72, step - 2);
        const start = axis ? top : left, from = axis ? right : bottom, to = from + WIRE;
        pen.strokeStyle = pen.fillStyle = WORD;
        pen.beginPath();
        pen.moveTo(axis ? right : left, axis ? top : bottom);
        pen.lineTo(right, bottom);
        pen.stroke();
        pen.font = `bold 13px ${FONT}`;
        pen.fillText(axis ? "y" : "x", axis ? right + 4 : right - 14, axis ? top + 12 : bottom + 14);
        pen.fillStyle = LINE; // the sentinel
        const first = start + (step - size) / 2;
        pen.fillRect(axis ? to : first, axis ? first : to, axis ? CELL : size, axis ? size : 38);
        pen.fillStyle = TITLE;
        pen.font = `13px ${FONT}`;
        pen.textAlign = "center";
        pen.fillText("-\u221e", axis ? to + CELL / 2 : start + step / 2, axis ? start + step / 2 + 5 : to + 24);
        pen.textAlign = "left";
        row.forEach((end, i) => {
            const {now} = this, box = this.boxes[end.box], color = COLORS[end.box % COLORS.length];
            const walks = now && now.axis === axis && now.walker === end;
            const passed = now && now.axis === axis && now.other === end;
            const at = start + unit * this.value(end, axis, this.boxes), middle = start + (i + 1.5) * step;
            const line = points => {
                pen.beginPath();
                for (const [along, across] of points) pen.lineTo(axis ? across : along, axis ? along : across);
                pen.stroke();
            };
            pen.strokeStyle = color;
            pen.globalAlpha = walks || passed ? 1 : 0.5;
            pen.setLineDash([2, 3]);
            line([[at, (axis ? left : top) + unit * box[3 - axis]], [at, from]]); // from the side of the box to the axis
            pen.setLineDash([]);
            pen.lineWidth = walks || passed ? 2.5 : 1.5;
            line([[at, from], [at, from + 5], [middle, to - 3], [middle, to]]);
            pen.lineWidth = 1;
            const lift = walks ? 6 : 0;
            const corner = middle - size / 2;
            const [x, y, w, h] = axis ? [to + lift, corner, CELL, size] : [corner, to + lift, size, 38];
            pen.globalAlpha = walks || passed ? 1 : 0.9;
            pen.fillStyle = color;
            pen.fillRect(x, y, w, h);
            pen.globalAlpha = 1;
            if (walks) {
                pen.strokeStyle = "#fff";
                pen.lineWidth = 2;
                pen.strokeRect(x, y, w, h);
                pen.lineWidth = 1;
            }
            const value = this.value(end, axis, this.boxes), moved = value !== this.value(end, axis, this.known);
            const name = end.isMax ? letter(end.box) + ")" : "(" + letter(end.box), flat = h < 34;
            pen.fillStyle = DARK;
            pen.textAlign = "center";
            pen.font = `bold ${Math.min(14, h)}px ${FONT}`;
            pen.fillText(name, flat ? x + w * 0.28 : x + w / 2, flat ? y + h / 2 + 5 : y + 16);
            pen.font = `${moved ? "bold " : ""}${Math.min(12, h)}px ${FONT}`;
            pen.fillText(short(value), flat ? x + w * 0.7 : x + w / 2, flat ? y + h / 2 + 4 : y + 32, flat ? w / 2 : w - 4);
            pen.textAlign = "left";
        });
    },
};

views.steps = steps;
