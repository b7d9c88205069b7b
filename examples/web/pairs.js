// pairs.js - the pair manager of the paper (I.6): an array without holes, a hash that finds a pair in it, and the keys
// of what was touched since the last dump

const BUCKETS = 8, PLANE = 20, TALL = 8; // the plane of this view, in units

class PairManager {
    constructor() {
        this.pairs = [];                                          // {a, b, isNew, isRemoved, inKeys}: a < b
        this.buckets = Array.from({length: BUCKETS}, () => []);   // places in this array, the last one that came first
        this.keys = [];                                           // places of pairs that were touched
    }
    bucketOf(a, b) {
        return this.buckets[Math.imul(a << 16 | b, 2654435761 | 0) >>> 29];
    }
    find(a, b) {
        return this.bucketOf(a, b).find(p => this.pairs[p].a === a && this.pairs[p].b === b) ?? -1;
    }
    touch(p) {
        if (!this.pairs[p].inKeys) this.keys.push(p);
        this.pairs[p].inKeys = true;
    }
    add(a, b) {
        let p = this.find(a, b);
        if (p < 0) {
            p = this.pairs.push({a, b, isNew: true, isRemoved: false, inKeys: false}) - 1;
            this.bucketOf(a, b).unshift(p);
        } else this.pairs[p].isRemoved = false;
        this.touch(p);
    }
    // Only marked: keys are places, and a pair that is taken out now would let another one move.
    remove(a, b) {
        const p = this.find(a, b);
        this.pairs[p].isRemoved = true;
        this.touch(p);
    }
    // What is new begins, what is removed ends, and what is both is nothing. Then holes are filled. Returns sentences.
    dump() {
        const told = [], gone = [];
        for (const p of this.keys) {
            const pair = this.pairs[p], name = `${letter(pair.a)}-${letter(pair.b)}`;
            if (pair.isNew !== pair.isRemoved) told.push(`${name} ${pair.isNew ? "begins" : "ends"}`);
            if (pair.isRemoved) gone.push(p);
            pair.isNew = pair.inKeys = false;
        }
        this.keys = [];
        const moves = gone.sort((p, q) => q - p).map(p => this.takeOut(p)); // the last first: none of them fills a hole
        return {told, moves: moves.filter(Boolean)};
    }
    // The last pair fills the hole, and its bucket learns where it is now.
    takeOut(p) {
        const {a, b} = this.pairs[p], last = this.pairs.length - 1, bucket = this.bucketOf(a, b);
        bucket.splice(bucket.indexOf(p), 1);
        const filler = this.pairs.pop();
        if (p === last) return null;
        const its = this.bucketOf(filler.a, filler.b);
        its[its.indexOf(last)] = p;
        this.pairs[p] = filler;
        return `${last} goes to ${p}`;
    }
}

const pairs = {
    boxes: [[1, 1, 6, 4], [5, 2.5, 12, 5.5], [11, 0.5, 14, 4], [8, 4.5, 15, 7.5], [14, 3.5, 19, 6.5]],
    manager: new PairManager(), held: -1, paused: false, log: [],

    listen() {
        draggable(element("pairs-board"), this);
        element("pairs-dump").addEventListener("click", () => this.dump());
        element("pairs-visit").addEventListener("click", () => this.visit());
        this.compare(null); // all come
    },

    show() {},

    // Calls AddPair and RemovePair for what has changed since 'before'.
    compare(before) {
        for (let a = 0; a < this.boxes.length; a++)
            for (let b = a + 1; b < this.boxes.length; b++) {
                const was = Boolean(before) && overlapping(before[a], before[b]);
                const is = overlapping(this.boxes[a], this.boxes[b]);
                if (was === is) continue;
                if (is) this.manager.add(a, b);
                else this.manager.remove(a, b);
                this.tell(`${is ? "AddPair" : "RemovePair"}(${letter(a)}, ${letter(b)})`);
            }
        this.before = this.boxes.map(box => [...box]);
        this.showKeys();
    },

    moved() {
        this.compare(this.before);
    },

    dump() {
        const {told, moves} = this.manager.dump();
        const filled = moves.length ? ` In the array ${moves.join(", ")}.` : "";
        this.tell("DumpPairs: " + (told.join(", ") || "nothing"));
        say("pairs-said", `Reported: ${told.join(", ") || "nothing"}.${filled}`);
        this.showKeys();
    },

    // C goes to A and comes back: a pair that begins and ends between two dumps.
    visit() {
        const home = [...this.boxes[2]], [x, y] = this.boxes[0];
        this.boxes[2] = [x + 1, y - 0.5, x + 4, y + 3];
        this.compare(this.before);
        this.boxes[2] = home;
        this.compare(this.before);
        say("pairs-said", "C was at A, and is back. What will the dump report?");
    },

    tell(line) {
        this.log = [...this.log, line].slice(-200);
        element("pairs-log").textContent = this.log.join("\n");
        element("pairs-log").scrollTop = 1e6;
    },

    flags({isNew, isRemoved, inKeys}) {
        if (isNew && isRemoved) return "new removed";
        return isNew ? "new" : isRemoved ? "removed" : inKeys ? "kept" : "";
    },

    showKeys() {
        const keys = this.manager.keys.map(p => {
            const pair = this.manager.pairs[p];
            return `${letter(pair.a)}-${letter(pair.b)} ${this.flags(pair)}`;
        });
        say("pairs-keys", keys.join(", ") || "none");
    },

    plane() {
        const {width, height} = element("pairs-board").parentElement.getBoundingClientRect();
        const below = 196 + element("pairs-said").offsetHeight, left = 10, top = 10;
        const unit = Math.max(4, Math.min((width - 20) / PLANE, (height - top - below) / TALL));
        return {unit, left, top, wide: PLANE, high: TALL, width, bottom: top + unit * TALL};
    },

    tick() {
        const {pen} = prepare(element("pairs-board")), {unit, left, top, width, bottom} = this.plane(), {manager} = this;
        element("pairs-said").style.top = `${bottom + 182}px`;
        pen.fillStyle = DARK;
        pen.fillRect(left, top, unit * PLANE, unit * TALL);
        this.boxes.forEach((_, i) => drawBox(pen, this, i, COLORS[i], 0.7, this.held === i ? "#fff" : null));

        const room = width - 20, cell = Math.min(76, room / 10), bucket = Math.min(76, room / BUCKETS);
        const array = bottom + 28, hash = bottom + 128;
        pen.font = `12px ${FONT}`;
        pen.fillStyle = WORD;
        pen.fillText("pairs: one array, without holes", left, array - 8);
        const hint = "buckets of the hash: each leads to the first of its pairs, and this to the next";
        pen.fillText(hint, left, hash + 48, room);
        const middle = p => left + (p + 0.5) * cell - 2;
        manager.buckets.forEach((chain, h) => {
            const at = left + (h + 0.5) * bucket - 2;
            pen.fillStyle = chain.length ? "#3a4f6b" : PANEL;
            pen.strokeStyle = LINE;
            pen.fillRect(left + h * bucket, hash, bucket - 4, 30);
            pen.strokeRect(left + h * bucket, hash, bucket - 4, 30);
            pen.fillStyle = TITLE;
            pen.textAlign = "center";
            pen.fillText(h, at, hash + 20);
            pen.textAlign = "left";
            pen.strokeStyle = OF_MIN;
            pen.lineWidth = 2;
            chain.forEach((p, k) => { // the bucket's line, then those from pair to pair
                pen.beginPath();
                if (!k) {
                    pen.moveTo(at, hash);
                    pen.lineTo(middle(p), array + 50);
                } else {
                    const from = middle(chain[k - 1]), to = middle(p);
                    pen.moveTo(from, array + 50);
                    pen.quadraticCurveTo((from + to) / 2, array + 88, to, array + 50);
                }
                pen.stroke();
            });
            pen.lineWidth = 1;
        });
        manager.pairs.forEach((pair, p) => {
            const x = left + p * cell;
            pen.fillStyle = pair.isRemoved ? "#e8836f" : pair.isNew ? "#7fd0a0" : "#8fa3ba";
            pen.fillRect(x, array, cell - 4, 50);
            pen.fillStyle = DARK;
            pen.font = `11px ${FONT}`;
            pen.fillText(p, x + 4, array + 13);
            pen.textAlign = "center";
            pen.font = `bold 14px ${FONT}`;
            pen.fillText(`${letter(pair.a)}-${letter(pair.b)}`, middle(p), array + 28, cell - 8);
            pen.font = `11px ${FONT}`;
            pen.fillText(this.flags(pair), middle(p), array + 43, cell - 8);
            pen.textAlign = "left";
        });
    },
};

views.pairs = pairs;
