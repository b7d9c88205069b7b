// changes.js - what changed between two updates: the sixteen boxes of a leaf and one more, each as it was at the last
// update and as it is now, and the lanes in which the overlap differs

const LANES = 16, MOVER = LANES, LEAF_WIDE = 24, LEAF_HIGH = 11; // the plane of this view, in units
const ROWS = ["before", "now", "differ"];

const changes = {
    boxes: [], before: [], // the last one is tested with the sixteen others
    held: -1, random: 7,

    listen() {
        draggable(element("changes-board"), this);
        element("changes-update").addEventListener("click", () => this.update());
        element("changes-all").addEventListener("click", () => this.moveAll());
        this.boxes = Array.from({length: LANES}, (_, i) => {
            const x = 1 + i % 4 * 5.7 + this.draw(1.5), y = 0.5 + Math.floor(i / 4) * 2.6 + this.draw(0.6);
            return [x, y, x + 3 + this.draw(1.6), y + 1.4 + this.draw(0.8)];
        });
        this.boxes.push([6.5, 2.5, 16.5, 7]);
        this.before = this.boxes.map(box => [...box]);
        [this.boxes[MOVER][0], this.boxes[MOVER][2]] = [9, 19];
        this.tell();
    },

    show() {},

    draw(most) {
        this.random = (this.random * 1103515245 + 12345) % 2147483648;
        return this.random / 2147483648 * most;
    },

    // Whether the mover overlaps each of the others, as bits: before, now, and where the two differ.
    lanes() {
        const bits = boxes => boxes.slice(0, LANES).map(box => overlapping(box, boxes[MOVER]));
        const was = bits(this.before), is = bits(this.boxes);
        return [was, is, was.map((bit, i) => bit !== is[i])];
    },

    tell() {
        const [was, is, differ] = this.lanes().map(bits => bits.filter(Boolean).length);
        say("changes-said", `${was} overlapped Q before, ${is} do now; ${differ} differ, and are looked up.`);
    },

    moved() {
        this.tell();
    },

    dropped() {
        this.tell();
    },

    undone() {
        this.tell();
    },

    // What differs is reported; then the boxes of now are those of before.
    update() {
        const [, is, differ] = this.lanes();
        const told = differ.flatMap((bit, i) => bit ? [`${letter(i)}-${letter(MOVER)} ${is[i] ? "begins" : "ends"}`] : []);
        this.before = this.boxes.map(box => [...box]);
        say("changes-said", `Reported: ${told.join(", ") || "nothing"}.`);
    },

    moveAll() {
        this.boxes = this.boxes.map(box => {
            const by = [LEAF_WIDE, LEAF_HIGH].map((most, k) => between(-box[k], this.draw(1.6) - 0.8, most - box[k + 2]));
            return box.map((v, k) => v + by[k % 2]);
        });
        this.tell();
    },

    plane() {
        const {width, height} = element("changes-board").parentElement.getBoundingClientRect();
        const below = 130 + element("changes-said").offsetHeight, left = 10, top = 10;
        const unit = Math.max(4, Math.min((width - 20) / LEAF_WIDE, (height - top - below) / LEAF_HIGH));
        const high = Math.max(LEAF_HIGH, Math.floor((height - top - below) / unit)); // higher where there is room
        return {unit, left, top, wide: LEAF_WIDE, high, width, bottom: top + unit * high};
    },

    tick() {
        const {pen} = prepare(element("changes-board")), {unit, left, top, width, bottom} = this.plane();
        const lanes = this.lanes(), [was, is, differ] = lanes;
        element("changes-said").style.top = `${bottom + 118}px`;
        pen.fillStyle = DARK;
        pen.fillRect(left, top, unit * LEAF_WIDE, bottom - top);
        const rect = ([x0, y0, x1, y1]) => [left + unit * x0, top + unit * y0, unit * (x1 - x0), unit * (y1 - y0)];
        const color = i => !differ[i] ? is[i] ? LIT : ALONE : is[i] ? "#7fd0a0" : "#e8836f";
        this.boxes.forEach((box, i) => {
            const old = this.before[i], mine = i === MOVER ? "#fff" : color(i);
            if (old.some((v, k) => v !== box[k])) {
                pen.strokeStyle = mine;
                pen.setLineDash([5, 4]);
                pen.strokeRect(...rect(old));
                pen.setLineDash([]);
            }
            drawBox(pen, this, i, i === MOVER ? "#8fa3ba" : mine, i === MOVER ? 0.35 : 0.75, i === MOVER || this.held === i ? "#fff" : null);
        });
        const names = 60, cell = Math.min(46, (width - 20 - names) / LANES);
        ROWS.forEach((name, row) => {
            const y = bottom + 12 + 34 * row;
            pen.fillStyle = row === 2 ? TITLE : WORD;
            pen.font = `13px ${FONT}`;
            pen.textAlign = "left";
            pen.fillText(name, left, y + 19);
            lanes[row].forEach((bit, i) => {
                const x = left + names + cell * i;
                pen.fillStyle = !bit ? PANEL : row === 2 ? color(i) : LIT;
                pen.globalAlpha = row < 2 && bit ? 0.7 : 1;
                pen.fillRect(x, y, cell - 3, 28);
                pen.globalAlpha = 1;
                pen.strokeStyle = LINE;
                pen.strokeRect(x, y, cell - 3, 28);
                pen.fillStyle = bit ? DARK : WORD;
                pen.textAlign = "center";
                pen.fillText(row === 2 && !bit ? "" : letter(i), x + (cell - 3) / 2, y + 19);
            });
        });
        pen.textAlign = "left";
    },
};

views.changes = changes;
