// cost.js - the time that each method takes, by the number of boxes and by how these move, measured while one looks

const COST_WAYS = [
    {name: "SORT", color: "#ff7b6b"}, {name: "SORT in a grid of SAPs", color: "#f0c050"},
    {name: "PRUNE", color: "#5aa9e6"}, {name: "QUERY", color: "#d18bff"}, {name: "AUTO", color: "#e6edf3"},
    {name: "brute force", color: "#9aa4af"}, {name: "sort and sweep", color: "#6fcf75"},
]; // as make bench-methods draws them
const COST_SHORT = ["SORT", "grid", "PRUNE", "QUERY", "AUTO", "brute", "sweep"];
const COST_AUTO = 4;
const COST_PAPER = [0, 1, 5, 6]; // the ways that the paper compares
const COST_SIZES = [10, 30, 100, 300, 1000, 3000, 10000, 20000];
const COST_MOST = 40;      // milliseconds a frame: what is estimated to take longer is not measured
const COST_BUDGET = 12;    // milliseconds of measuring in a frame of the page, at least

const cost = {
    times: [], way: 0, size: 0, motion: -1, paused: false,

    listen() {
        element("cost-motion").addEventListener("input", () => this.reset());
        pauses("cost-pause", this);
        this.pause(false);
        element("cost-key").innerHTML = COST_WAYS.map(({name, color}) =>
            `<div><i class="key" style="background:${color}"></i>${name}</div>`).join("");
    },

    show() {
        if (this.motion < 0) this.reset();
    },

    reset() {
        this.motion = Number(element("cost-motion").value);
        this.times = COST_WAYS.map(() => COST_SIZES.map(() => []));
        this.way = this.size = 0;
    },

    typical(way, size) {
        return median(this.times[way][size]);
    },

    // Returns the milliseconds that a frame of this size should take, from the two sizes before: it grows as it did
    // from one to the other, at least as the boxes do and at most as their square.
    estimate(way, size) {
        if (!size) return 0;
        const before = this.typical(way, size - 1), first = size > 1 ? this.typical(way, size - 2) : 0;
        if (!before) return Infinity;
        const grown = first ? Math.log(before / first) / Math.log(COST_SIZES[size - 1] / COST_SIZES[size - 2]) : 2;
        return before * Math.pow(COST_SIZES[size] / COST_SIZES[size - 1], between(1, grown, 2));
    },

    // One point: as many frames as the clock needs, which some browsers round to a tenth of a millisecond. Nothing is
    // run before it is known to be short enough: not even the frames that warm up.
    measure() {
        const times = this.times[this.way][this.size];
        if (this.estimate(this.way, this.size) <= COST_MOST &&
            sap.cost_setup(this.way, COST_SIZES[this.size], this.motion)) {
            const run = frames => {
                const begin = performance.now();
                sap.cost_run(frames);
                return performance.now() - begin;
            };
            let warm = run(1), frames = 0, spent = 0, more = 1;
            for (let i = 1; i < 6 && warm < COST_BUDGET; i++) warm += run(1); // all layouts once
            while (spent < 4 && frames < 100000) {
                spent += run(more);
                frames += more;
                more = Math.min(20000, more * 2);
            }
            times.push(spent / frames);
            if (times.length > 9) times.shift();
        }
        this.way = (this.way + 1) % COST_WAYS.length;
        if (!this.way) this.size = (this.size + 1) % COST_SIZES.length;
    },

    tick() {
        const begin = performance.now();
        while (!this.paused && performance.now() - begin < COST_BUDGET) this.measure();
        this.draw();
        this.tabulate();
    },

    // The way that takes least, and how many times as long the next one takes.
    least(ways, size) {
        const ranked = ways.filter(way => this.times[way][size].length)
            .sort((a, b) => this.typical(a, size) - this.typical(b, size));
        if (!ranked.length) return "";
        const [best, next] = ranked.map(way => 1000 * this.typical(way, size));
        const times = next > 0 && best > 0 ? next / best : 0, text = `${COST_SHORT[ranked[0]]} ${microsecondsText(best)}`;
        return times ? `${text}, ${times.toFixed(times < 9.95 ? 1 : 0)}\u00d7` : text;
    },

    tabulate() {
        const all = COST_WAYS.map((_, way) => way).filter(way => way !== COST_AUTO);
        let html = "<tr><th>boxes</th><th>the least</th><th>of the paper's</th></tr>";
        COST_SIZES.forEach((n, size) => html += `<tr><td>${n.toLocaleString("en")}</td><td>${this.least(all, size)}` +
            `</td><td>${this.least(COST_PAPER, size)}</td></tr>`);
        element("cost-table").innerHTML = html;
    },

    draw() {
        const {pen, width, height} = prepare(element("cost-board"));
        const left = 58, right = width - 16, top = 36, bottom = height - 46, low = 0.01, high = 1e5;
        const across = n => left + (right - left) * Math.log(n / 8) / Math.log(25000 / 8);
        const up = us => bottom - (bottom - top) * Math.log(Math.max(low, us) / low) / Math.log(high / low);
        pen.font = `12px ${FONT}`;
        for (let us = low; us <= high * 1.01; us *= 10) {
            pen.fillStyle = "#2b3747";
            pen.fillRect(left, up(us), right - left, 1);
            pen.fillStyle = WORD;
            pen.textAlign = "right";
            pen.fillText(microsecondsText(us), left - 6, up(us) + 4);
        }
        pen.textAlign = "center";
        for (const n of COST_SIZES)
            if (width > 500 || (width > 360 ? n !== 20000 : Number.isInteger(Math.log10(n))))
                pen.fillText(n.toLocaleString("en"), across(n), bottom + 18);
        pen.fillText("boxes", (left + right) / 2, bottom + 36);
        pen.textAlign = "left";
        pen.fillText("a frame takes", 8, 18);
        pen.beginPath(); // what takes longer leaves the plot at its top
        pen.rect(left - 8, top - 4, right - left + 16, bottom - top + 12);
        pen.save();
        pen.clip();
        const inOrder = [COST_AUTO, 6, 5, 3, 2, 1, 0]; // AUTO is broad and pale, below the way that it takes
        inOrder.forEach(way => {
            const color = COST_WAYS[way].color, isAuto = way === COST_AUTO;
            pen.strokeStyle = pen.fillStyle = color;
            pen.globalAlpha = isAuto ? 0.3 : 1;
            pen.lineWidth = isAuto ? 9 : 2;
            pen.lineJoin = pen.lineCap = "round";
            pen.setLineDash(way > COST_AUTO ? [7, 4] : []);
            pen.beginPath();
            COST_SIZES.forEach((n, size) => {
                if (!this.times[way][size].length) return;
                pen.lineTo(across(n), up(1000 * this.typical(way, size)));
            });
            pen.stroke();
            pen.globalAlpha = 1;
            pen.setLineDash([]);
            COST_SIZES.forEach((n, size) => {
                if (isAuto || !this.times[way][size].length) return;
                pen.beginPath();
                pen.arc(across(n), up(1000 * this.typical(way, size)), 3, 0, 7);
                pen.fill();
            });
        });
        pen.restore();
    },
};

function microsecondsText(us) {
    if (us >= 1000) return (us / 1000).toLocaleString("en", {maximumSignificantDigits: 2}) + " ms";
    return us.toLocaleString("en", {maximumSignificantDigits: 2}) + " \u00b5s";
}

views.cost = cost;
