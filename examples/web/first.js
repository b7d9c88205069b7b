// first.js - what one sees first: four boxes to drag, and which pairs of them overlap

const first = {
    boxes: [[2, 1, 8, 5], [6.5, 4, 13, 8], [14.5, 2, 20, 6], [3, 8.5, 9, 11.5]],

    listen() {
        draggable(element("first-board"), this);
        element("first-more").addEventListener("click", () => go("live"));
    },

    show() {
        this.moved();
    },

    plane() {
        const {width, height} = element("first-board").parentElement.getBoundingClientRect();
        const unit = Math.min((width - 20) / WIDE, (height - 54) / HIGH);
        return {unit, left: (width - unit * WIDE) / 2, top: 10, wide: WIDE, high: HIGH};
    },

    pairs() {
        const found = [];
        this.boxes.forEach((box, a) => this.boxes.forEach((other, b) => {
            if (a < b && overlapping(box, other)) found.push([a, b]);
        }));
        return found;
    },

    moved() {
        const names = this.pairs().map(([a, b]) => `${letter(a)} and ${letter(b)}`);
        say("first-said", names.length ? `Overlap: ${names.join(", ")}.` : "No two overlap.");
    },

    tick() {
        const {pen} = prepare(element("first-board")), {unit, left, top, wide, high} = this.plane(), pairs = this.pairs();
        element("first-said").style.top = `${top + unit * high + 8}px`;
        pen.fillStyle = DARK;
        pen.fillRect(left, top, unit * wide, unit * high);
        this.boxes.forEach((_, i) => drawBox(pen, this, i, COLORS[i], 0.7, this.held === i ? "#fff" : pairs.flat().includes(i) ? LIT : null));
        pen.fillStyle = LIT;
        pen.globalAlpha = 0.55;
        for (const [a, b] of pairs) { // what they share
            const p = this.boxes[a], q = this.boxes[b], [x, y] = [0, 1].map(k => Math.max(p[k], q[k]));
            pen.fillRect(left + unit * x, top + unit * y, unit * (Math.min(p[2], q[2]) - x), unit * (Math.min(p[3], q[3]) - y));
        }
        pen.globalAlpha = 1;
    },
};

views.first = first;
