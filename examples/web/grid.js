// grid.js - a grid of SAPs: which cells a box is in, what each cell finds, and which cell reports a pair

const LARGE_ABOVE = 2; // cells on an axis: a box that touches more of them is in the SAP of large boxes

const grid = {
    columns: 5, rows: 4, cell: 100, count: 0, paused: false, followed: -1, boxes: null, pairs: null, pairCount: 0,

    listen() {
        element("grid-count").addEventListener("input", () => this.setUp());
        element("grid-columns").addEventListener("input", () => this.divide());
        element("grid-speed").addEventListener("input", () => this.showSpeed());
        pauses("grid-pause", this);
        element("grid-board").addEventListener("click", event => {
            const hit = this.boxAt(event.offsetX, event.offsetY);
            if (hit >= 0) this.follow(hit);
        });
        element("grid-board").addEventListener("keydown", event => {
            if (!ARROWS[event.key]) return;
            event.preventDefault();
            const middle = i => [0, 1].map(k => this.box(i)[k] + this.box(i)[k + 3]);
            this.follow(nextBox(this.count, middle, this.followed, ARROWS[event.key]));
        });
    },

    follow(box) {
        this.followed = box;
        const cells = this.cellsOf(box), where = cells.length ? `in cells ${cells.join(", ")}` : "large";
        say("grid-who", `Box ${box} is followed: ${where}.`);
    },

    show() {
        if (!this.count) this.setUp();
    },

    showSpeed() {
        label("grid-speed", Math.round(this.side * slider("grid-speed") / 40) + " px/s");
    },

    // The boxes, whose size depends on the room alone, and then the grid.
    setUp() {
        const {width, height} = element("grid-board").parentElement.getBoundingClientRect();
        this.width = width;
        this.height = height;
        this.side = Math.max(12, Math.sqrt(width * height) / 12);
        this.count = Math.round(8 + slider("grid-count") * 0.9);
        label("grid-count", this.count);
        this.showSpeed();
        sap.grid_fill(this.count, width, height, this.side);
        this.divide();
        this.followed = 0; // the box that is in the most cells
        for (let i = 1; i < this.count; i++)
            if (this.cellsOf(i).length > this.cellsOf(this.followed).length) this.followed = i;
    },

    // The cells, and beyond their right end part of a column that comes again. The boxes stay where they are.
    divide() {
        this.columns = slider("grid-columns");
        this.cell = Math.max(20, this.width / (this.columns + 0.7));
        this.rows = Math.max(1, Math.floor(this.height / this.cell - 0.2));
        label("grid-columns", `${this.columns} x ${this.rows} cells`);
        sap.grid_divide(this.columns, this.rows, this.cell);
        this.move(0);
    },

    move(seconds) {
        this.pairCount = sap.grid_move(seconds * slider("grid-speed") / 40);
        this.boxes = new Float32Array(sap.memory.buffer, sap.grid_boxes_at(), 6 * this.count);
        this.pairs = new Int32Array(sap.memory.buffer, sap.grid_pairs_at(), 2 * this.pairCount);
    },

    box(i) {
        return this.boxes.subarray(6 * i, 6 * i + 6);
    },

    // The smallest box at a point, or -1.
    boxAt(x, y) {
        let best = -1;
        for (let i = 0; i < this.count; i++) {
            const [x0, y0, , x1, y1] = this.box(i), is = x >= x0 && x <= x1 && y >= y0 && y <= y1;
            if (is && (best < 0 || x1 - x0 < this.box(best)[3] - this.box(best)[0])) best = i;
        }
        return best;
    },

    // The cells that a box touches, not wrapped: [low column, low row, high column, high row].
    range(i) {
        const box = this.box(i);
        return [0, 1, 3, 4].map(k => Math.floor(box[k] / this.cell));
    },

    isLarge(i) {
        const [c0, r0, c1, r1] = this.range(i);
        return Math.min(c1 - c0 + 1, this.columns) > LARGE_ABOVE || Math.min(r1 - r0 + 1, this.rows) > LARGE_ABOVE;
    },

    wrapped(column, row) {
        const wrap = (place, cells) => (place % cells + cells) % cells;
        return wrap(row, this.rows) * this.columns + wrap(column, this.columns);
    },

    // None for a large box.
    cellsOf(i) {
        const [c0, r0, c1, r1] = this.range(i), cells = new Set();
        if (this.isLarge(i)) return [];
        for (let row = r0; row <= r1; row++)
            for (let column = c0; column <= c1; column++) cells.add(this.wrapped(column, row));
        return [...cells];
    },

    ownerOf(a, b) {
        const p = this.range(a), q = this.range(b);
        return this.wrapped(Math.max(p[0], q[0]), Math.max(p[1], q[1]));
    },

    // Returns what the cells would find and report, one by one; and the pairs of large boxes, which are found
    // elsewhere.
    census() {
        const inCell = Array.from({length: this.columns * this.rows}, () => []), large = [];
        const overlap = (a, b) => {
            const p = this.box(a), q = this.box(b);
            return p[0] <= q[3] && q[0] <= p[3] && p[1] <= q[4] && q[1] <= p[4];
        };
        let entries = 0, found = 0, reported = 0, strangers = 0, ofLarge = 0;
        for (let i = 0; i < this.count; i++) {
            if (this.isLarge(i)) large.push(i);
            for (const cell of this.cellsOf(i)) inCell[cell].push(i), entries++;
        }
        inCell.forEach((boxes, cell) => {
            for (let i = 0; i < boxes.length; i++)
                for (let j = i + 1; j < boxes.length; j++)
                    if (overlap(boxes[i], boxes[j])) {
                        found++;
                        reported += this.ownerOf(boxes[i], boxes[j]) === cell;
                    } else strangers++;
        });
        for (const a of large)
            for (let b = 0; b < this.count; b++)
                if (b !== a && !(b < a && this.isLarge(b))) ofLarge += overlap(a, b);
        return {inCell, large, entries, found, reported, strangers, ofLarge};
    },

    tick(seconds) {
        const {width, height} = element("grid-board").parentElement.getBoundingClientRect();
        if (width !== this.width || height !== this.height) this.setUp();
        this.move(this.paused ? 0 : seconds);
        const now = this.census();
        this.draw(now);
        const lines = [["boxes", this.count], ["entries in cells", now.entries], ["large boxes", now.large.length],
                       ["the fullest cell holds", Math.max(...now.inCell.map(boxes => boxes.length))],
                       ["two in one cell, apart", now.strangers], ["pairs, found by cells", now.found],
                       ["pairs, reported by owners", now.reported], ["pairs of large boxes", now.ofLarge],
                       ["pairs of sap_multi.h", this.pairCount]];
        element("grid-table").innerHTML = lines.map(([name, n]) => `<tr><td>${name}</td><td>${n}</td></tr>`).join("");
        say("grid-said", now.reported + now.ofLarge === this.pairCount
            ? "Each pair is reported once, as by sap_multi.h." : "NOT the pairs of sap_multi.h!");
    },

    draw(now) {
        const {pen, width, height} = prepare(element("grid-board")), cell = this.cell;
        const mine = new Set(this.cellsOf(this.followed)), owners = new Set(), partners = new Set();
        const paired = new Set(this.pairs);
        for (let k = 0; k < this.pairCount; k++) {
            const a = this.pairs[2 * k], b = this.pairs[2 * k + 1];
            if (a !== this.followed && b !== this.followed) continue;
            partners.add(a).add(b);
            if (!this.isLarge(a) && !this.isLarge(b)) owners.add(this.ownerOf(a, b));
        }
        for (let row = 0; row * cell < height; row++)
            for (let column = 0; column * cell < width; column++) {
                const here = this.wrapped(column, row), beyond = column >= this.columns || row >= this.rows;
                const full = Math.min(1, now.inCell[here].length / 12);
                pen.fillStyle = mine.has(here) ? "rgba(224, 164, 88, .32)" : `rgba(111, 163, 224, ${0.05 + 0.2 * full})`;
                pen.fillRect(column * cell, row * cell, cell, cell);
                pen.strokeStyle = LINE;
                pen.setLineDash(beyond ? [4, 4] : []);
                pen.strokeRect(column * cell, row * cell, cell, cell);
                pen.setLineDash([]);
                if (owners.has(here)) {
                    pen.strokeStyle = LIT;
                    pen.lineWidth = 3;
                    pen.strokeRect(column * cell + 3, row * cell + 3, cell - 6, cell - 6);
                    pen.lineWidth = 1;
                }
                pen.fillStyle = "#b4c3d6";
                pen.font = `12px ${FONT}`;
                pen.fillText(`${here}`, column * cell + 6, row * cell + 16);
            }
        for (let i = 0; i < this.count; i++) {
            const [x0, y0, , x1, y1] = this.box(i), lit = paired.has(i), isLarge = this.isLarge(i);
            pen.globalAlpha = isLarge ? 0.55 : 0.75;
            pen.fillStyle = lit ? LIT : ALONE;
            if (i !== this.followed) pen.fillRect(x0, y0, x1 - x0, y1 - y0);
            pen.globalAlpha = 1;
            pen.strokeStyle = partners.has(i) ? "#fff" : isLarge ? WORD : DARK;
            pen.setLineDash(isLarge ? [6, 4] : []);
            pen.strokeRect(x0, y0, x1 - x0, y1 - y0);
            pen.setLineDash([]);
            pen.fillStyle = lit && i !== this.followed ? DARK : TITLE;
            pen.font = `bold 12px ${FONT}`;
            if (x1 - x0 > 14) pen.fillText(isLarge ? "L" : this.cellsOf(i).length, x0 + 4, y0 + 13);
        }
        const [x0, y0, , x1, y1] = this.box(this.followed); // a frame: it hides none of its partners
        pen.strokeStyle = "#fff";
        pen.lineWidth = 3;
        pen.strokeRect(x0, y0, x1 - x0, y1 - y0);
        pen.lineWidth = 1;
    },
};

views.grid = grid;
