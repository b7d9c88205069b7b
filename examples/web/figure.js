// figure.js - figure 1 of the paper, live: boxes, their shadows on both axes, the sorted ends, and the pairs

const SHADOW = 14; // how thick the shadow of a box is

const figure = {
    boxes: [[2, 1.5, 9, 5], [7, 3.5, 13, 7.5], [11.5, 1, 15, 5], [17, 6, 22, 11]], held: -1, paused: false,

    listen() {
        draggable(element("figure-board"), this);
    },

    show() {
        this.moved();
    },

    plane() {
        const {width, height} = element("figure-board").parentElement.getBoundingClientRect();
        const beside = this.boxes.length * SHADOW + 30, left = 10, top = 10;
        const unit = Math.min((width - left - beside - 10) / WIDE, (height - top - beside - 10) / HIGH);
        return {unit, left, top, wide: WIDE, high: HIGH, right: left + unit * WIDE, bottom: top + unit * HIGH};
    },

    overlapOn(a, b, axis) {
        const p = this.boxes[a], q = this.boxes[b];
        return p[axis] <= q[axis + 2] && q[axis] <= p[axis + 2];
    },

    // The ends of an axis in order; of equal ones mins come first.
    ends(axis) {
        const ends = this.boxes.flatMap((box, i) => [{name: "(" + letter(i), value: box[axis], isMax: 0},
                                                     {name: letter(i) + ")", value: box[axis + 2], isMax: 1}]);
        return ends.sort((a, b) => a.value - b.value || a.isMax - b.isMax);
    },

    moved() {
        for (let axis = 0; axis < 2; axis++)
            say("figure-" + "xy"[axis], "xy"[axis] + ": " +
                this.ends(axis).map(end => `${end.name} ${short(end.value)}`).join("  "));
        const rows = [], pairs = [];
        for (let a = 0; a < this.boxes.length; a++)
            for (let b = a + 1; b < this.boxes.length; b++) {
                const on = [0, 1].map(axis => this.overlapOn(a, b, axis)), names = `${letter(a)} and ${letter(b)}`;
                if (on[0] && on[1]) pairs.push(names);
                rows.push(`<tr${on[0] && on[1] ? " class=lit" : ""}><td>${names}</td>` +
                    [...on, on[0] && on[1]].map(yes => `<td>${yes ? "yes" : "\u00b7"}</td>`).join("") + "</tr>");
            }
        element("figure-table").innerHTML =
            "<tr><th>overlap</th><th>on x</th><th>on y</th><th>a pair</th></tr>" + rows.join("");
        say("figure-said", `The pair manager holds ${pairs.join(", ") || "no pair"}.`);
    },

    tick() {
        const {pen} = prepare(element("figure-board")), plane = this.plane(), {unit, left, top, right, bottom} = plane;
        pen.fillStyle = DARK;
        pen.fillRect(left, top, unit * WIDE, unit * HIGH);
        this.boxes.forEach((box, i) => drawBox(pen, this, i, COLORS[i], 0.7, this.held === i ? "#fff" : null));
        for (let axis = 0; axis < 2; axis++) {
            const axisAt = axis ? right : bottom, start = axis ? top : left;
            const rect = (along, across, length, thick) =>
                axis ? pen.fillRect(across, along, thick, length) : pen.fillRect(along, across, length, thick);
            pen.fillStyle = WORD;
            rect(start, axisAt, unit * (axis ? HIGH : WIDE), 1);
            pen.font = `bold 13px ${FONT}`;
            pen.fillText("xy"[axis], axis ? right + 5 : right + 5, axis ? top + 12 : bottom + 6);
            this.boxes.forEach((box, i) => {
                const from = start + unit * box[axis], to = start + unit * box[axis + 2];
                const row = axisAt + 16 + SHADOW * i;
                pen.strokeStyle = COLORS[i];
                pen.setLineDash([2, 3]);
                for (const at of [from, to]) { // from the sides of the box to the ends of its shadow
                    const side = (axis ? left : top) + unit * box[3 - axis];
                    pen.beginPath();
                    pen.moveTo(axis ? side : at, axis ? at : side);
                    pen.lineTo(axis ? row : at, axis ? at : row);
                    pen.stroke();
                }
                pen.setLineDash([]);
                pen.fillStyle = COLORS[i];
                rect(from, row, to - from, SHADOW - 3);
                for (let k = 0; k < this.boxes.length; k++) { // what it shares with the shadow of another box
                    if (k === i || !this.overlapOn(i, k, axis)) continue;
                    const low = Math.max(box[axis], this.boxes[k][axis]);
                    const high = Math.min(box[axis + 2], this.boxes[k][axis + 2]);
                    pen.fillStyle = LIT;
                    rect(start + unit * low, row + SHADOW - 6, Math.max(1, unit * (high - low)), 3);
                }
            });
        }
        pen.strokeStyle = LIT; // what pairs share, in the plane
        pen.lineWidth = 2;
        for (const [a, b] of pairsIn(this.boxes)) {
            const p = this.boxes[a], q = this.boxes[b], [x, y] = [0, 1].map(k => Math.max(p[k], q[k]));
            const [w, h] = [Math.min(p[2], q[2]) - x, Math.min(p[3], q[3]) - y];
            pen.strokeRect(left + unit * x, top + unit * y, unit * w, unit * h);
        }
    },
};

views.figure = figure;
