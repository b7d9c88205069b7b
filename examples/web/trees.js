// trees.js - a tree of bounds, as sap.h keeps one, beside a quadtree: what each looks at to find the boxes in a window

const LEAF = 8, FAN = 4;       // boxes in a leaf and children of a node, here; sap.h has sixteen of each
const SPLIT = 8, DEEPEST = 5;  // a cell of the quadtree with more boxes is divided
const CROWD = 128;

// Sorted by x into slices, and each slice by y, upwards and downwards in turn: neighbours in the order are neighbours
// in the plane. Eight in this order make a leaf, four leaves a node, and so on, each with the bounds of what is below
// it.
function packTree(boxes) {
    const leaves = Math.ceil(boxes.length / LEAF), slice = LEAF * Math.ceil(leaves / Math.ceil(Math.sqrt(leaves)));
    let order = boxes.map((_, i) => i).sort((a, b) => boxes[a][0] - boxes[b][0]), level = [];
    order = order.map((_, i) => i).filter(i => i % slice === 0).flatMap((from, k) =>
        order.slice(from, from + slice).sort((a, b) => (k % 2 ? -1 : 1) * (boxes[a][1] - boxes[b][1])));
    for (let i = 0; i < order.length; i += LEAF) level.push({boxes: order.slice(i, i + LEAF), children: []});
    while (level.length > 1) {
        const above = [];
        for (let i = 0; i < level.length; i += FAN) above.push({boxes: [], children: level.slice(i, i + FAN)});
        level = above;
    }
    return level[0];
}

const union = list => [0, 1, 2, 3].map(k => (k < 2 ? Math.min : Math.max)(...list.map(box => box[k])));

// Bounds from the leaves up: after a move the tree is as good as ever, only its bounds are larger.
function refit(node, boxes) {
    for (const child of node.children) refit(child, boxes);
    node.bounds = union(node.children.length ? node.children.map(child => child.bounds) : node.boxes.map(i => boxes[i]));
}

// A cell is divided into four if it holds too many; a box that lies across its middle stays in it.
function quadtree(bounds, list, boxes, depth) {
    const node = {bounds, boxes: list, children: []}, [x0, y0, x1, y1] = bounds;
    if (list.length <= SPLIT || depth === DEEPEST) return node;
    const x = (x0 + x1) / 2, y = (y0 + y1) / 2;
    for (const cell of [[x0, y0, x, y], [x, y0, x1, y], [x0, y, x, y1], [x, y, x1, y1]]) {
        const inside = i => boxes[i].every((v, k) => k < 2 ? v >= cell[k] : v <= cell[k]);
        const mine = node.boxes.filter(inside);
        node.boxes = node.boxes.filter(i => !inside(i));
        node.children.push(quadtree(cell, mine, boxes, depth + 1));
    }
    return node;
}

// Goes down where the window overlaps. Returns what was looked at.
function search(root, window, boxes) {
    const seen = {nodes: [], bounds: 1, tested: [], hits: []};
    const visit = node => {
        if (!overlapping(node.bounds, window)) return;
        seen.nodes.push(node);
        seen.bounds += node.children.length;
        seen.tested.push(...node.boxes);
        seen.hits.push(...node.boxes.filter(i => overlapping(boxes[i], window)));
        node.children.forEach(visit);
    };
    visit(root);
    return seen;
}

const trees = {
    boxes: [], speeds: [], tree: null, window: [8, 4, 11, 7], paused: false,

    listen() {
        const canvas = element("trees-board");
        pauses("trees-pause", this);
        element("trees-pack").addEventListener("click", () => this.pack());
        canvas.addEventListener("pointermove", event => {
            const {unit, places} = this.plane();
            const place = places.find(([left, top]) => event.offsetX >= left && event.offsetX <= left + unit * WIDE &&
                                                       event.offsetY >= top && event.offsetY <= top + unit * HIGH);
            if (place) this.look((event.offsetX - place[0]) / unit, (event.offsetY - place[1]) / unit);
        });
        canvas.addEventListener("keydown", event => {
            const arrow = ARROWS[event.key];
            if (!arrow) return;
            event.preventDefault();
            const [x0, y0, x1, y1] = this.window, far = event.shiftKey ? 2 : 0.5;
            this.look((x0 + x1) / 2 + far * arrow[0], (y0 + y1) / 2 + far * arrow[1]);
        });
        let state = 4;
        const random = below => (state = (state * 1103515245 + 12345) % 2147483648, state / 2147483648 * below);
        this.boxes = Array.from({length: CROWD}, () => {
            const w = 0.3 + random(0.9), h = 0.3 + random(0.9), x = random(WIDE - w), y = random(HIGH - h);
            return [x, y, x + w, y + h];
        });
        this.speeds = this.boxes.map(() => [random(1) - 0.5, random(1) - 0.5]);
        this.pack();
    },

    show() {},

    // The window is where the pointer is.
    look(x, y) {
        x = between(1.5, x, WIDE - 1.5);
        y = between(1.5, y, HIGH - 1.5);
        this.window = [x - 1.5, y - 1.5, x + 1.5, y + 1.5];
    },

    pack() {
        this.tree = packTree(this.boxes);
        refit(this.tree, this.boxes);
    },

    move(seconds) {
        this.boxes.forEach((box, i) => [0, 1].forEach(k => {
            const most = (k ? HIGH : WIDE) - (box[k + 2] - box[k]), to = box[k] + this.speeds[i][k] * seconds;
            if (to < 0 || to > most) this.speeds[i][k] *= -1;
            const by = between(0, to, most) - box[k];
            box[k] += by;
            box[k + 2] += by;
        }));
        refit(this.tree, this.boxes);
    },

    // Side by side where there is room, or one below the other.
    plane() {
        const {width, height} = element("trees-board").parentElement.getBoundingClientRect();
        const below = Math.min((width - 20) / WIDE, (height - 70) / 2 / HIGH);
        const beside = Math.min((width - 30) / 2 / WIDE, (height - 40) / HIGH);
        const unit = Math.max(below, beside);
        return {unit, places: beside > below ? [[10, 28], [20 + unit * WIDE, 28]] : [[10, 28], [10, 60 + unit * HIGH]]};
    },

    tick(seconds) {
        if (!this.paused) this.move(seconds);
        const {pen} = prepare(element("trees-board")), {unit, places} = this.plane();
        const quads = quadtree([0, 0, WIDE, HIGH], this.boxes.map((_, i) => i), this.boxes, 0);
        const looks = [this.tree, quads].map(root => search(root, this.window, this.boxes));
        [this.tree, quads].forEach((root, which) => {
            const [left, top] = places[which], look = looks[which];
            const tested = new Set(look.tested), hits = new Set(look.hits);
            const rect = ([x0, y0, x1, y1]) => [left + unit * x0, top + unit * y0, unit * (x1 - x0), unit * (y1 - y0)];
            pen.fillStyle = TITLE;
            pen.font = `14px ${FONT}`;
            const title = which ? "a quadtree: space is divided" : "a tree of bounds: boxes are grouped";
            pen.fillText(title, left, top - 9, unit * WIDE);
            pen.fillStyle = DARK;
            pen.fillRect(left, top, unit * WIDE, unit * HIGH);
            const draw = (node, depth) => {
                const seen = look.nodes.includes(node), isLeaf = !node.children.length;
                if (seen && (isLeaf || which)) {
                    pen.fillStyle = isLeaf ? "rgba(255, 171, 92, .16)" : "rgba(255, 171, 92, .05)";
                    pen.fillRect(...rect(node.bounds));
                }
                pen.strokeStyle = seen ? "#ffab5c" : isLeaf ? "#4a5b72" : "#6fa3e0";
                pen.globalAlpha = seen || isLeaf ? 1 : 0.5;
                pen.lineWidth = isLeaf ? 1 : 2.5 - 0.5 * depth;
                pen.strokeRect(...rect(node.bounds));
                pen.globalAlpha = 1;
                node.children.forEach(child => draw(child, depth + 1));
            };
            draw(root, 0);
            pen.lineWidth = 1;
            this.boxes.forEach((box, i) => {
                pen.fillStyle = hits.has(i) ? LIT : tested.has(i) ? "#ffab5c" : ALONE;
                pen.globalAlpha = hits.has(i) ? 0.95 : tested.has(i) ? 0.6 : 0.8;
                pen.fillRect(...rect(box));
            });
            pen.globalAlpha = 1;
            pen.strokeStyle = "#fff";
            pen.lineWidth = 2;
            pen.strokeRect(...rect(this.window));
            pen.lineWidth = 1;
        });
        const row = (name, f) => `<tr><td>${name}</td><td>${f(looks[0])}</td><td>${f(looks[1])}</td></tr>`;
        element("trees-table").innerHTML = "<tr><th></th><th>tree of bounds</th><th>quadtree</th></tr>" +
            row("bounds or cells tested", look => look.bounds) + row("boxes tested", look => look.tested.length) +
            row("boxes found", look => look.hits.length);
    },
};

views.trees = trees;
