// pruning.js - which boxes are tested: complete box pruning, and bipartite box pruning, test by test

const STREET = 40, SQUARE = 20; // the plane of this view, in units
const NEW = [2, 3, 7];          // the boxes of the second set: C, D, H
const TEN = [[2, 1, 9, 6], [6, 4, 13, 9], [4, 12, 8, 17], [11, 7, 18, 13], [15, 1, 20, 5], [17, 11, 25, 16], [22, 2, 28, 8],
             [24, 14, 31, 18], [27, 6, 34, 11], [33, 2, 38, 16]]; // as in the program of the course

// Each way gives its moments: a box is tested with another one, or that one begins too late.
function* testAll(boxes) {
    for (let a = 0; a < boxes.length; a++)
        for (let b = a + 1; b < boxes.length; b++) yield {first: a, other: b};
}

function* pruneComplete(boxes, axis) {
    const order = inOrder(boxes.map((_, i) => i), boxes, axis);
    for (let i = 0; i < order.length; i++)
        for (let j = i + 1; j < order.length; j++) {
            const isLate = boxes[order[j]][axis] > boxes[order[i]][axis + 2];
            yield {first: order[i], other: order[j], isLate};
            if (isLate) break; // as are all behind it
        }
}

// Both sets are walked at once, as in a merge. The box that begins first is tested with those of the other set.
function* pruneBipartite(boxes, axis) {
    const all = boxes.map((_, i) => i), at = [0, 0];
    const sets = [false, true].map(isNew => inOrder(all.filter(i => NEW.includes(i) === isNew), boxes, axis));
    while (at[0] < sets[0].length && at[1] < sets[1].length) {
        const k = boxes[sets[0][at[0]]][axis] > boxes[sets[1][at[1]]][axis] ? 1 : 0, first = sets[k][at[k]++];
        for (let j = at[1 - k]; j < sets[1 - k].length; j++) {
            const other = sets[1 - k][j], isLate = boxes[other][axis] > boxes[first][axis + 2];
            yield {first, other, isLate};
            if (isLate) break;
        }
    }
}

const inOrder = (list, boxes, axis) => list.sort((a, b) => boxes[a][axis] - boxes[b][axis] || a - b);

const WAYS = [{name: "two loops", run: testAll}, {name: "in order: complete", run: pruneComplete},
              {name: "new against old: bipartite", run: pruneBipartite}];

const pruning = {
    boxes: TEN.map(box => [...box]), moments: [], at: 0, due: 0, held: -1, paused: false,

    listen() {
        draggable(element("pruning-board"), this);
        playable("pruning", this, 30);
        for (const id of ["pruning-way", "pruning-axis"]) element(id).addEventListener("input", () => this.begin());
    },

    show() {
        if (!this.moments.length) this.begin();
    },

    get way() {
        return Number(element("pruning-way").value);
    },

    get axis() {
        return Number(element("pruning-axis").value);
    },

    get last() {
        return this.moments.length;
    },

    overlapOn(a, b, axis) {
        return this.boxes[a][axis] <= this.boxes[b][axis + 2] && this.boxes[b][axis] <= this.boxes[a][axis + 2];
    },

    momentsOf(way, axis) {
        return Array.from(WAYS[way].run(this.boxes, axis), moment => {
            const hit = this.overlapOn(moment.first, moment.other, 0) && this.overlapOn(moment.first, moment.other, 1);
            return {isLate: false, ...moment, hit};
        });
    },

    begin() {
        this.moments = this.momentsOf(this.way, this.axis);
        const tests = (way, axis) => this.momentsOf(way, axis).filter(moment => !moment.isLate).length;
        const pairs = way => this.momentsOf(way, 0).filter(moment => moment.hit).length;
        element("pruning-table").innerHTML =
            "<tr><th>tests of these ten</th><th>along x</th><th>along y</th><th>pairs</th></tr>" +
            WAYS.map(({name}, way) => `<tr><td>${name}</td><td>${tests(way, 0)}</td><td>${tests(way, 1)}</td>` +
                `<td>${pairs(way)}</td></tr>`).join("");
        this.due = 0;
        this.goTo(0);
    },

    taken() {
        this.pause(true);
    },

    moved() {
        this.begin();
    },

    goTo(to) {
        this.at = between(0, to, this.last);
        const done = this.moments.slice(0, this.at), tests = done.filter(moment => !moment.isLate).length;
        const pairs = done.filter(moment => moment.hit).length, now = done[done.length - 1];
        const counts = `${tests} test${tests === 1 ? "" : "s"}, ${pairs} pair${pairs === 1 ? "" : "s"}.`;
        say("pruning-said", `${now ? this.sentence(now) : "Sorted by their mins."} ${counts}`);
        this.showAt();
    },

    sentence({first, other, isLate, hit}) {
        const axis = this.axis, a = letter(first), b = letter(other), begins = short(this.boxes[other][axis]);
        const end = short(this.boxes[first][axis + 2]);
        if (isLate) return `${b} begins at ${begins}, after ${a} ends at ${end}: ${a} is done.`;
        const found = hit ? "they overlap" : "they are apart";
        return `${b} begins at ${begins}, before ${a} ends at ${end}; on ${"yx"[axis]} ${found}.`;
    },

    plane() {
        const {width, height} = element("pruning-board").parentElement.getBoundingClientRect();
        const below = 58 + element("pruning-said").offsetHeight, left = 10, top = 10;
        const unit = Math.min((width - 20) / STREET, (height - top - below - 10) / SQUARE);
        return {unit, left, top, wide: STREET, high: SQUARE, bottom: top + unit * SQUARE};
    },

    tick(seconds) {
        if (this.held < 0) this.play(seconds);
        const {pen} = prepare(element("pruning-board")), {unit, left, top, bottom} = this.plane(), {axis, way} = this;
        const done = this.moments.slice(0, this.at), now = done[done.length - 1];
        element("pruning-said").style.top = `${bottom + 52}px`;
        pen.fillStyle = DARK;
        pen.fillRect(left, top, unit * STREET, unit * SQUARE);
        if (now) { // what this box covers on the axis: only what begins in it can overlap it
            const [from, to] = [this.boxes[now.first][axis], this.boxes[now.first][axis + 2]].map(v => unit * v);
            pen.fillStyle = "rgba(232, 238, 246, .13)";
            if (axis) pen.fillRect(left, top + from, unit * STREET, to - from);
            else pen.fillRect(left + from, top, to - from, unit * SQUARE);
        }
        const found = new Set(done.filter(moment => moment.hit).flatMap(moment => [moment.first, moment.other]));
        this.boxes.forEach((_, i) => {
            const color = found.has(i) ? LIT : way === 2 && NEW.includes(i) ? "#c678c9" : "#6d8cb3";
            const frame = now?.first === i ? "#fff" : now?.other === i ? this.colorOf(now) : null;
            drawBox(pen, this, i, color, 0.6, frame);
        });
        const middle = i => {
            const [x0, y0, x1, y1] = this.boxes[i];
            return [left + unit * (x0 + x1) / 2, top + unit * (y0 + y1) / 2];
        };
        done.slice(-60).forEach(moment => {
            const isNow = moment === now;
            if (moment.isLate && !isNow) return;
            pen.strokeStyle = this.colorOf(moment);
            pen.globalAlpha = isNow ? 1 : 0.3;
            pen.lineWidth = isNow ? 3 : 1.5;
            pen.setLineDash(moment.isLate ? [3, 5] : []);
            pen.beginPath();
            pen.moveTo(...middle(moment.first));
            pen.lineTo(...middle(moment.other));
            pen.stroke();
        });
        pen.globalAlpha = pen.lineWidth = 1;
        pen.setLineDash([]);

        // The boxes in the order in which they are taken.
        const order = inOrder(this.boxes.map((_, i) => i), this.boxes, axis);
        const step = unit * STREET / order.length;
        order.forEach((box, i) => {
            const is = now && (now.first === box ? "#fff" : now.other === box ? this.colorOf(now) : null);
            pen.fillStyle = is || (way === 2 && NEW.includes(box) ? "#c678c9" : "#6d8cb3");
            pen.fillRect(left + i * step, bottom + 10, step - 3, 34);
            pen.fillStyle = DARK;
            pen.textAlign = "center";
            pen.font = `bold 14px ${FONT}`;
            pen.fillText(letter(box), left + (i + 0.5) * step - 1, bottom + 25);
            pen.font = `11px ${FONT}`;
            pen.fillText(short(this.boxes[box][axis]), left + (i + 0.5) * step - 1, bottom + 39, step - 6);
            pen.textAlign = "left";
        });
    },

    colorOf: moment => moment.isLate ? "#e8836f" : moment.hit ? LIT : "#ffab5c",
};

views.pruning = pruning;
