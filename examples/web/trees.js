// trees.js - a tree of bounds in three generations, as sap.h keeps one, beside a quadtree: what each looks at to find the
// boxes in a window

const LEAF = 8, FAN = 4;       // boxes in a leaf and children of a node, here; sap.h has sixteen of each
const HOME = 0.25;             // of its sides: a leaf's home is larger than its bounds were by that, each way
const NEWBORN = 8, YOUNG = 32; // more newborn are packed with the young, and more young with all; sap.h also weighs looks
const SPLIT = 8, DEEPEST = 5;  // a cell of the quadtree with more boxes is divided
const CROWD = 128;
const AGES = ["old", "young", "newborn"], AGE_COLORS = [ALONE, "#57b894", "#c678c9"];

// Sorted by x into slices, and each slice by y, upwards and downwards in turn: neighbours in the order are neighbours
// in the plane. Eight in this order make a leaf. Returns the leaves.
function packLeaves(list, boxes) {
    const leaves = Math.ceil(list.length / LEAF), slice = LEAF * Math.ceil(leaves / Math.ceil(Math.sqrt(leaves)));
    const byX = [...list].sort((a, b) => boxes[a][0] - boxes[b][0]);
    const order = byX.filter((_, i) => i % slice === 0).flatMap((_, k) => byX.slice(slice * k, slice * (k + 1))
        .sort((a, b) => (k % 2 ? -1 : 1) * (boxes[a][1] - boxes[b][1])));
    return order.filter((_, i) => i % LEAF === 0).map((_, k) => {
        const mine = order.slice(LEAF * k, LEAF * (k + 1)), [x0, y0, x1, y1] = union(mine.map(i => boxes[i]));
        const dx = HOME * (x1 - x0), dy = HOME * (y1 - y0);
        return {boxes: mine, children: [], home: [x0 - dx, y0 - dy, x1 + dx, y1 + dy]};
    });
}

const union = list => [0, 1, 2, 3].map(k => (k < 2 ? Math.min : Math.max)(...list.map(box => box[k])));
const inside = (box, home) => box.every((v, k) => k < 2 ? v >= home[k] : v <= home[k]);

// The nodes above some leaves, four to a node, with the bounds of what is below each. An empty leaf has none.
function treeOf(leaves, boxes) {
    let level = leaves.filter(leaf => leaf.boxes.length);
    for (const leaf of level) leaf.bounds = union(leaf.boxes.map(i => boxes[i]));
    do {
        const below = level;
        level = below.filter((_, i) => i % FAN === 0).map((_, k) => {
            const children = below.slice(FAN * k, FAN * (k + 1));
            return {boxes: [], children, bounds: union(children.map(child => child.bounds))};
        });
    } while (level.length > 1);
    return level[0];
}

// A cell is divided into four if it holds too many; a box that lies across its middle stays in it.
function quadtree(bounds, list, boxes, depth) {
    const node = {bounds, boxes: list, children: []}, [x0, y0, x1, y1] = bounds;
    if (list.length <= SPLIT || depth === DEEPEST) return node;
    const x = (x0 + x1) / 2, y = (y0 + y1) / 2;
    for (const cell of [[x0, y0, x, y], [x, y0, x1, y], [x0, y, x, y1], [x, y, x1, y1]]) {
        const mine = node.boxes.filter(i => inside(boxes[i], cell));
        node.boxes = node.boxes.filter(i => !inside(boxes[i], cell));
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
    leaves: [[], [], []],        // by age, each in its order
    packs: [0, 0],               // of newborn with young, and of all
    left: {box: -1, home: null}, // the last box that left home, and from where
    since: 9,                    // seconds after that

    listen() {
        const canvas = element("trees-board");
        pauses("trees-pause", this);
        element("trees-pack").addEventListener("click", () => this.pack());
        element("trees-moving").addEventListener("input", () => this.showMoving());
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
        this.showMoving();
        this.pack();
    },

    show() {},

    get movers() {
        return Math.round(CROWD * slider("trees-moving") / 100);
    },

    showMoving() {
        label("trees-moving", `${this.movers} of ${CROWD}`);
    },

    // The window is where the pointer is.
    look(x, y) {
        x = between(1.5, x, WIDE - 1.5);
        y = between(1.5, y, HIGH - 1.5);
        this.window = [x - 1.5, y - 1.5, x + 1.5, y + 1.5];
    },

    // Packs all boxes: all are old.
    pack() {
        this.leaves = [packLeaves(this.boxes.map((_, i) => i), this.boxes), [], []];
        this.tree = treeOf(this.leaves.flat(), this.boxes);
        this.packs[1]++;
    },

    // A box that is at home stays in its leaf. Any other leaves it, and waits among the newborn.
    leaveHome() {
        for (const leaf of [...this.leaves[0], ...this.leaves[1]])
            for (const box of leaf.boxes.filter(i => !inside(this.boxes[i], leaf.home))) {
                leaf.boxes.splice(leaf.boxes.indexOf(box), 1);
                const newborn = this.leaves[2], last = newborn[newborn.length - 1];
                if (last && last.boxes.length < LEAF) last.boxes.push(box);
                else newborn.push({boxes: [box], children: [], home: null});
                this.left = {box, home: leaf.home};
                this.since = 0;
            }
    },

    // Newborn are packed with the young if there are many; if the young are many then, all are packed.
    grow() {
        const count = age => this.leaves[age].reduce((sum, leaf) => sum + leaf.boxes.length, 0);
        if (count(2) <= NEWBORN) return;
        if (count(1) + count(2) > YOUNG) return this.pack();
        this.leaves = [this.leaves[0], packLeaves([...this.leaves[1], ...this.leaves[2]].flatMap(leaf => leaf.boxes), this.boxes), []];
        this.packs[0]++;
    },

    move(seconds) {
        this.boxes.slice(0, this.movers).forEach((box, i) => [0, 1].forEach(k => {
            const most = (k ? HIGH : WIDE) - (box[k + 2] - box[k]), to = box[k] + this.speeds[i][k] * seconds;
            if (to < 0 || to > most) this.speeds[i][k] *= -1;
            const by = between(0, to, most) - box[k];
            box[k] += by;
            box[k + 2] += by;
        }));
        this.since += seconds;
        this.leaveHome();
        this.grow();
        this.tree = treeOf(this.leaves.flat(), this.boxes);
    },

    // Side by side where there is room, or one below the other; below the tree is a strip of its leaves.
    plane() {
        const {width, height} = element("trees-board").parentElement.getBoundingClientRect(), strip = 52;
        const below = Math.min((width - 20) / WIDE, (height - 70 - strip) / 2 / HIGH);
        const beside = Math.min((width - 30) / 2 / WIDE, (height - 40 - strip) / HIGH);
        const unit = Math.max(below, beside);
        return {unit, places: beside > below ? [[10, 28], [20 + unit * WIDE, 28]]
                                             : [[10, 28], [10, 60 + strip + unit * HIGH]]};
    },

    // All leaves as they lie in their array: as many cells as boxes, which are filled from below.
    drawLeaves(pen, left, top, width, look) {
        const all = this.leaves.flat(), step = Math.min(34, width / Math.max(24, all.length + 1));
        let x = left;
        this.leaves.forEach((leaves, age) => {
            pen.fillStyle = AGE_COLORS[age] === ALONE ? WORD : AGE_COLORS[age];
            pen.font = `13px ${FONT}`;
            pen.fillText(AGES[age], x, top + 12);
            for (const leaf of leaves) {
                const high = 26 * leaf.boxes.length / LEAF;
                pen.fillStyle = AGE_COLORS[age];
                pen.fillRect(x + 1, top + 44 - high, step - 3, high);
                pen.strokeStyle = look.nodes.includes(leaf) ? "#ffab5c" : LINE;
                pen.strokeRect(x + 1, top + 18, step - 3, 26);
                x += step;
            }
            x = Math.max(x + 8, left + [0, 0.72, 0.86][age + 1] * width || 0);
        });
    },

    tick(seconds) {
        if (!this.paused) this.move(seconds);
        const {pen} = prepare(element("trees-board")), {unit, places} = this.plane();
        const quads = quadtree([0, 0, WIDE, HIGH], this.boxes.map((_, i) => i), this.boxes, 0);
        const looks = [this.tree, quads].map(root => search(root, this.window, this.boxes));
        const age = [];
        this.leaves.forEach((leaves, k) => leaves.forEach(leaf => leaf.boxes.forEach(i => { age[i] = k; })));
        this.drawLeaves(pen, places[0][0], places[0][1] + unit * HIGH + 4, unit * WIDE, looks[0]);
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
            pen.save();
            pen.beginPath();
            pen.rect(left, top, unit * WIDE, unit * HIGH);
            pen.clip();
            const draw = (node, depth) => {
                const seen = look.nodes.includes(node), isLeaf = !node.children.length;
                if (seen && (isLeaf || which)) {
                    pen.fillStyle = isLeaf ? "rgba(255, 171, 92, .16)" : "rgba(255, 171, 92, .05)";
                    pen.fillRect(...rect(node.bounds));
                }
                const of = this.leaves.findIndex(leaves => leaves.includes(node));
                pen.strokeStyle = seen ? "#ffab5c" : of > 0 ? AGE_COLORS[of] : isLeaf ? "#4a5b72" : "#6fa3e0";
                pen.globalAlpha = seen || isLeaf ? 1 : 0.5;
                pen.lineWidth = isLeaf ? 1 : 2.5 - 0.5 * depth;
                pen.strokeRect(...rect(node.bounds));
                pen.globalAlpha = 1;
                node.children.forEach(child => draw(child, depth + 1));
            };
            draw(root, 0);
            pen.lineWidth = 2;
            this.boxes.forEach((box, i) => {
                pen.fillStyle = hits.has(i) ? LIT : tested.has(i) ? "#ffab5c" : which ? ALONE : AGE_COLORS[age[i]];
                pen.globalAlpha = hits.has(i) ? 0.95 : tested.has(i) ? 0.6 : 0.8;
                pen.fillRect(...rect(box));
                pen.strokeStyle = AGE_COLORS[age[i]];
                if (!which && age[i]) pen.strokeRect(...rect(box));
            });
            pen.globalAlpha = 1;
            if (!which && this.since < 2) { // who left home, and which
                pen.globalAlpha = 1 - this.since / 2;
                pen.strokeStyle = "#fff";
                pen.lineWidth = 1;
                pen.setLineDash([5, 4]);
                pen.strokeRect(...rect(this.left.home));
                pen.setLineDash([]);
                pen.lineWidth = 2;
                pen.strokeRect(...rect(this.boxes[this.left.box]));
                pen.globalAlpha = 1;
            }
            pen.strokeStyle = "#fff";
            pen.lineWidth = 2;
            pen.strokeRect(...rect(this.window));
            pen.lineWidth = 1;
            pen.restore();
        });
        const row = (name, f) => `<tr><td>${name}</td><td>${f(looks[0])}</td><td>${f(looks[1])}</td></tr>`;
        element("trees-table").innerHTML = "<tr><th></th><th>tree of bounds</th><th>quadtree</th></tr>" +
            row("bounds or cells tested", look => look.bounds) + row("boxes tested", look => look.tested.length) +
            row("boxes found", look => look.hits.length);
        const count = k => age.filter(a => a === k).length;
        say("trees-ages", `${count(0)} old, ${count(1)} young, ${count(2)} newborn; ` +
            `${this.packs[0]} packs of the young, ${this.packs[1]} of all.`);
    },
};

views.trees = trees;
