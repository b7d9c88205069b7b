// batches.js - boxes that come or go, one by one and in a batch: two races over the same array of sorted ends

const BATCH_OLD = 24, BATCH_MORE = 8;

// A generator gives the array after each end that moves: {ends, at}. An end is {value, kind}: 0 old, 1 came, 2 to go.
function* comeOneByOne(ends, incoming) {
    for (const end of incoming) {
        let at = ends.length;
        ends.push(end);
        yield at;
        for (; at > 0 && ends[at - 1].value > end.value; at--) {
            ends[at] = ends[at - 1];
            ends[at - 1] = end;
            yield at;
        }
    }
}

function* comeInABatch(ends, incoming) {
    const sorted = [...incoming].sort((a, b) => a.value - b.value);
    let from = ends.length - 1, to = ends.length + sorted.length - 1;
    for (let i = 0; i < sorted.length; i++) ends.push(null);
    while (sorted.length) {
        const next = sorted[sorted.length - 1];
        if (from >= 0 && ends[from].value > next.value) {
            ends[to] = ends[from];
            ends[from--] = null;
        } else ends[to] = sorted.pop();
        yield to--;
    }
}

function* goOneByOne(ends) {
    for (;;) {
        const gap = ends.findIndex(end => end && end.kind === 2);
        if (gap < 0) return;
        ends[gap] = null;
        yield gap;
        for (let i = gap; i + 1 < ends.length && ends[i + 1]; i++) {
            ends[i] = ends[i + 1];
            ends[i + 1] = null;
            yield i;
        }
    }
}

function* goInABatch(ends) {
    let kept = 0;
    for (let i = 0; i < ends.length; i++) {
        const end = ends[i];
        if (end.kind === 2) {
            ends[i] = null;
            continue;
        }
        if (kept < i) {
            ends[kept] = end;
            ends[i] = null;
            yield kept;
        }
        kept++;
    }
}

const batches = {
    lanes: [], leaving: false, paused: false, due: 0,

    listen() {
        element("batches-come").addEventListener("click", () => this.play(false));
        element("batches-go").addEventListener("click", () => this.play(true));
        element("batches-speed").addEventListener("input", () => this.showSpeed());
        pauses("batches-pause", this);
        element("batches-measure").addEventListener("click", () => this.measure());
    },

    show() {
        this.showSpeed();
        if (!this.lanes.length) this.begin(false);
    },

    showSpeed() {
        const moves = pace("batches-speed", 200);
        label("batches-speed", moves.toFixed(moves < 10 ? 1 : 0) + " moves/s");
    },

    // Who asks for it sees it, also with less motion.
    play(leaving) {
        this.begin(leaving);
        this.pause(false);
    },

    begin(leaving) {
        const end = kind => ({value: Math.random(), kind});
        const old = Array.from({length: 2 * BATCH_OLD}, () => end(0));
        const more = Array.from({length: 2 * BATCH_MORE}, () => end(leaving ? 2 : 1));
        const sorted = [...old, ...(leaving ? more : [])].sort((a, b) => a.value - b.value);
        this.lanes = [leaving ? goOneByOne : comeOneByOne, leaving ? goInABatch : comeInABatch].map((way, i) => {
            const ends = [...sorted];
            return {name: i ? "in a batch" : "one by one", ends, moves: 0, at: -1, ended: false, run: way(ends, more)};
        });
        this.leaving = leaving;
        this.due = 0;
        element("batches-said").textContent = "";
    },

    step(lane) {
        const next = lane.run.next();
        if (next.done) {
            lane.ended = true;
            lane.at = -1;
        } else {
            lane.at = next.value;
            lane.moves++;
        }
    },

    tick(seconds) {
        if (!this.paused) {
            this.due += seconds * pace("batches-speed", 200);
            for (; this.due >= 1; this.due--)
                for (const lane of this.lanes) if (!lane.ended) this.step(lane);
        }
        say("batches-said", this.lanes.every(lane => lane.ended)
            ? `Both hold the same: ${this.lanes[0].moves} moves and ${this.lanes[1].moves}.` : "");
        this.draw();
    },

    draw() {
        const {pen, width, height} = prepare(element("batches-board")), lane = height / 2;
        this.lanes.forEach((now, i) => {
            const top = i * lane, slots = 2 * (BATCH_OLD + BATCH_MORE), bar = (width - 24) / slots, room = lane - 56;
            pen.fillStyle = TITLE;
            pen.font = `15px ${FONT}`;
            const moved = `${now.moves.toLocaleString("en")} ends moved${now.ended ? ", done" : ""}`;
            pen.fillText(`${now.name}: ${moved}`, 12, top + 26);
            for (let k = 0; k < slots; k++) {
                const end = now.ends[k];
                pen.fillStyle = DARK;
                pen.fillRect(12 + k * bar, top + 42, bar - 1, room);
                if (!end) continue;
                const tall = 4 + end.value * (room - 4);
                pen.fillStyle = k === now.at ? "#fff" : ["#4d6a8c", "#e0a458", "#e8836f"][end.kind];
                pen.fillRect(12 + k * bar, top + 42 + room - tall, bar - 1, tall);
            }
        });
    },

    // In sap.h, with a pause for the browser before each row.
    async measure() {
        const table = element("batches-table");
        while (table.rows.length > 1) table.deleteRow(1);
        for (const n of [100, 1000, 4000])
            for (const leaving of [0, 1]) {
                const row = table.insertRow(), times = [];
                element("batches-state").textContent = `measuring ${n.toLocaleString("en")} ...`;
                await new Promise(resolve => setTimeout(resolve, 20));
                for (const inABatch of [0, 1]) {
                    const few = [];
                    for (let i = 0; i < (n < 2000 ? 15 : 5); i++) {
                        sap.batch_prepare(n, n / 10, leaving);
                        const begin = performance.now();
                        sap.batch_run(leaving, inABatch);
                        few.push(performance.now() - begin);
                    }
                    times.push(few.reduce((sum, t) => sum + t, 0) / few.length);
                }
                row.insertCell().textContent = `${n.toLocaleString("en")}, ${n / 10} ${leaving ? "leave" : "come"}`;
                for (const time of times) row.insertCell().textContent = time.toFixed(2) + " ms";
            }
        element("batches-state").textContent = "";
    },
};

views.batches = batches;
