// first.js - what one sees first: four boxes to drag, and which pairs of them overlap

const first = {
    boxes: [[2, 4, 8, 8], [6.5, 1.5, 13, 5.5], [14.5, 2, 20, 6], [3, 8.5, 9, 11.5]],

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

    moved() {
        const names = pairsIn(this.boxes).map(([a, b]) => `${letter(a)} and ${letter(b)}`);
        say("first-said", names.length ? `Overlap: ${names.join(", ")}.` : "No two overlap.");
    },

    tick() {
        const {pen} = prepare(element("first-board")), {unit, left, top, wide, high} = this.plane(), pairs = pairsIn(this.boxes);
        element("first-said").style.top = `${top + unit * high + 8}px`;
        pen.fillStyle = DARK;
        pen.fillRect(left, top, unit * wide, unit * high);
        this.boxes.forEach((_, i) => {
            const frame = this.held === i ? "#fff" : pairs.flat().includes(i) ? LIT : null;
            drawBox(pen, this, i, COLORS[i], 0.7, frame);
        });
        pen.fillStyle = LIT;
        pen.globalAlpha = 0.55;
        for (const [a, b] of pairs) { // what they share
            const p = this.boxes[a], q = this.boxes[b], [x, y] = [0, 1].map(k => Math.max(p[k], q[k]));
            const [w, h] = [Math.min(p[2], q[2]) - x, Math.min(p[3], q[3]) - y];
            pen.fillRect(left + unit * x, top + unit * y, unit * w, unit * h);
        }
        pen.globalAlpha = 1;
    },
};

views.first = first;
