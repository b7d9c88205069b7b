// live.js - boxes that move, what the three ways to find their pairs cost, and the sorted ends beside the world

const STRIP = 64;             // how thick the drawings of the sorted ends are, beside the world
const LEVELS = 16;            // shades from alone (0) over overlapping (8) to just begun (16)
const BRUTE_TESTS = 5e5;      // tests that brute force may make at once; above that it takes a sample
const SHARE = 0.15;           // of the time, for all that sap.h is compared with: only sap.h does the work of each frame
const LEAST_FILLED = 0.7;     // of the room, below which the window gets another world
const MAX_FLAG = 0x80000000;  // in an end: it is a max
const sliders = ["count", "speed", "side", "movers"];
const METHODS = ["nothing", "sorted", "pruned", "queried"];
const SHIFT = 5000;           // pixels, for each click

const blend = (from, to, part) => from.map((v, k) => Math.round(v + (to[k] - v) * part));

const shades = Array.from({length: LEVELS + 1}, (_, i) => {
    const stops = [[77, 106, 140], [255, 216, 119], [255, 255, 255]], at = Math.min(1, Math.floor(2 * i / LEVELS));
    return `rgb(${blend(stops[at], stops[at + 1], 2 * i / LEVELS - at).join()})`;
});

let world, pen, size;    // the canvas, what draws on it, and the world's size in CSS pixels
let stage = {};          // the room of the canvas
let scale = 1;           // of the world in it: a world is kept when the window changes a little
let count, movers, speed, side;
let followed = 0, frame = 0, owed = 0, turns = 0; // owed: milliseconds that the rivals may take

// ---- settings -----------------------------------------------------------------------------------------

function readSettings() {
    const exact = 10 * Math.pow(2000, slider("count") / 100);             // 10 to 20,000
    const digits = Math.pow(10, Math.floor(Math.log10(exact)) - 1);
    count = Math.round(exact / digits) * digits;
    speed = 6 * Math.pow(slider("speed") / 100, 2);                       // sides of a box a second
    movers = Math.round(count * slider("movers") / 100);
    const part = 0.1 + 1.4 * slider("side") / 100;                        // of the room that each box has
    side = part * Math.sqrt(size.width * size.height / count);
    const texts = [count.toLocaleString("en"), speed.toFixed(2) + " sides/s", side.toFixed(1) + " px",
                   movers.toLocaleString("en")];
    sliders.forEach((id, i) => label(id, texts[i]));
}

// The world keeps its shape in a window that is a little larger or smaller; else it is another world.
function fit(room) {
    const ratio = window.devicePixelRatio || 1;
    stage = room;
    world.width = Math.round(stage.width * ratio);
    world.height = Math.round(stage.height * ratio);
    const wide = size ? size.width + STRIP + 8 : 1, high = size ? size.height + STRIP + 8 : 1;
    scale = Math.min(stage.width / wide, stage.height / high);
    if (!size || scale * scale * wide * high < LEAST_FILLED * stage.width * stage.height) setUp();
    pen.setTransform(ratio * scale, 0, 0, ratio * scale, 0, 0);
}

function setUp() {
    scale = 1;
    size = {width: stage.width - STRIP - 8, height: stage.height - STRIP - 8};
    pen.setTransform(world.width / stage.width, 0, 0, world.height / stage.height, 0, 0);
    readSettings();
    if (!sap.setup(count, side, size.width, size.height, element("mixed").checked ? 1 : 0,
                   Number(element("method").value)))
        return fail("There is not enough memory for so many boxes.");
    sap.settle(count);
    sap.shine(0);
    followed = -1; // a box near the middle
    for (let x = size.width / 2; followed < 0 && x < size.width; x += 2) followed = sap.pick(x, size.height / 2);
    follow(Math.max(0, followed));
    frame = 0;
    for (const cost of Object.values(costs)) cost.reset();
    element("verdict").textContent = "";
    showOrigin();
}

function follow(box) {
    if (box < 0) return;
    followed = box;
    say("who", "box " + box.toLocaleString("en"));
}

function fail(sentence) {
    element("verdict").textContent = sentence;
    element("verdict").className = "bad";
}

// ---- what it costs -------------------------------------------------------------------------------------

// Browsers round the clock, to 0.1 ms some of them, so one frame says little and a mean is needed; but one frame in
// which the browser did something else must not count. So of the last 60 frames ten and ten make a mean, and the median
// of those means is shown.
class Cost {
    constructor(id) {
        this.output = element(id);
        this.bar = this.output.nextElementSibling.firstChild;
        this.reset();
    }
    reset() {
        this.times = [];
    }
    measure(work, factor = 1) {
        const begin = performance.now(), result = work();
        this.times.push((performance.now() - begin) * factor);
        if (this.times.length > 60) this.times.shift();
        return result;
    }
    get typical() {
        const means = [];
        for (let i = 0; i < this.times.length; i += 10) {
            const ten = this.times.slice(i, i + 10);
            means.push(ten.reduce((sum, t) => sum + t, 0) / ten.length);
        }
        return median(means);
    }
    show(time) {
        this.output.textContent = time < 0.01 ? "< 0.01 ms" : time.toFixed(time < 10 ? 2 : 0) + " ms";
        const percent = (Math.log10(Math.max(time, 0.001)) + 2) / 5 * 100; // 0.01 ms to 1 s
        this.bar.style.width = Math.max(1, Math.min(100, percent)) + "%";
    }
}

let costs;

// One of the others, if it is due; in the first frame of a world all, so that each has a figure.
function measureOthers(seconds) {
    const step = Math.max(1, Math.ceil(count * (count - 1) / 2 / BRUTE_TESTS)), begin = performance.now();
    owed = Math.min(1000 * SHARE * seconds, owed + 1000 * SHARE * seconds);
    if (owed <= 0 && frame) return;
    turns++;
    if (turns % 2 || !frame) {
        costs.grid.measure(() => sap.grid());
        costs.events.measure(() => sap.grid_events());
    }
    if (turns % 2 === 0 || !frame) costs.brute.measure(() => sap.brute_force((turns >> 1) % step, step), step);
    owed -= performance.now() - begin;
    say("brute-name", step > 1 ? `brute force, estimated from 1 in ${step}` : "brute force: pairs alone");
}

// Says who takes least, and why.
function compare() {
    const mine = costs.sap.typical, pairs = costs.grid.typical, all = pairs + costs.events.typical;
    if (!(mine > 0)) return; // the clock is too coarse for as few frames
    const longer = `The grid takes ${(all / mine).toFixed(1)} times as long for the same: `;
    say("cost-said",
        costs.brute.typical < mine ? "With so few boxes brute force is as good: there is little to save."
        : all < 1.2 * mine ? `Here the grid is ${all < 0.8 * mine ? "faster" : "about as fast"}: all boxes fit its cells, ` +
                             "and most move. Let few move, or one in a hundred be larger."
        : pairs < 0.8 * mine ? "A grid that lists pairs alone is faster here. To tell which began or ended costs it more."
        : longer + (element("mixed").checked ? "its cells must be as wide as the largest box."
                                             : "it files all boxes again, and compares all pairs with those before."));
}

// ---- drawing ---------------------------------------------------------------------------------------------

function drawBoxes(boxes, glow) {
    const byLevel = Array.from({length: LEVELS + 1}, () => []);
    for (let i = 0; i < count; i++) byLevel[Math.round(glow[i] * LEVELS / 2)].push(i);
    pen.save();
    pen.beginPath();
    pen.rect(0, 0, size.width, size.height);
    pen.clip();
    pen.globalAlpha = 0.65;
    const gap = side > 5 ? 0.5 : 0;
    byLevel.forEach((indices, level) => {
        pen.fillStyle = shades[level];
        for (const i of indices) {
            const at = 6 * i;
            pen.fillRect(boxes[at] + gap, boxes[at + 1] + gap, boxes[at + 3] - boxes[at] - 2 * gap,
                         boxes[at + 4] - boxes[at + 1] - 2 * gap);
        }
    });
    pen.restore();
}

// The cells of the grid that sap.h is compared with; it tests the box that is followed against all in nine of them.
function drawGrid(boxes) {
    const cell = sap.statistic(5), at = 6 * followed;
    if (!(cell > 0)) return;
    const column = Math.floor((boxes[at] + boxes[at + 3]) / 2 / cell);
    const row = Math.floor((boxes[at + 1] + boxes[at + 4]) / 2 / cell);
    pen.save();
    pen.beginPath();
    pen.rect(0, 0, size.width, size.height);
    pen.clip();
    pen.fillStyle = "rgba(111, 163, 224, .22)";
    pen.fillRect((column - 1) * cell, (row - 1) * cell, 3 * cell, 3 * cell);
    pen.fillStyle = "rgba(111, 163, 224, .35)";
    for (let x = cell; x < size.width && cell >= 4; x += cell) pen.fillRect(x, 0, 1, size.height);
    for (let y = cell; y < size.height && cell >= 4; y += cell) pen.fillRect(0, y, size.width, 1);
    pen.restore();
}

// The box that is followed: where its ends stand in both strips.
function drawFollowed(boxes) {
    const [x0, y0, , x1, y1] = boxes.subarray(6 * followed, 6 * followed + 5);
    pen.fillStyle = "rgba(232, 238, 246, .08)";
    pen.fillRect(x0, 0, x1 - x0, size.height + 8 + STRIP);
    pen.fillRect(0, y0, size.width + 8 + STRIP, y1 - y0);
    pen.strokeStyle = "#fff";
    pen.lineWidth = 2;
    pen.strokeRect(x0, y0, x1 - x0, y1 - y0);
}

// The pixels of a strip, and a ramp of colours for each kind of end: from one end at a place to as many as anywhere.
const strips = [0, 1].map(() => ({canvas: document.createElement("canvas"), image: null}));
const packed = ([red, green, blue]) => (255 << 24 | blue << 16 | green << 8 | red) >>> 0;
const EMPTY = packed([23, 30, 39]), COVERED = packed([90, 106, 126]), SHADES = 32;
const ramps = [[111, 163, 224], [224, 164, 88]].map(color =>
    Array.from({length: SHADES + 1}, (_, i) => packed(blend([23, 30, 39], color, 0.25 + 0.75 * i / SHADES))));

// One axis, beside the world: mins and maxs at their places, and how many boxes lie above each place.
function drawStrip(axis, ends, boxes) {
    const length = Math.max(1, Math.floor(axis ? size.height : size.width)), strip = strips[axis];
    const mins = new Uint32Array(length + 1), maxs = new Uint32Array(length + 1), depth = new Uint32Array(length + 1);
    let open = 0, deepest = 1, most = 1;
    for (let i = 0; i < 2 * count; i++) {
        const end = ends[2 * i], isMax = end >= MAX_FLAG;
        const place = between(0, Math.floor(boxes[6 * (end % MAX_FLAG) + axis + (isMax ? 3 : 0)]), length);
        most = Math.max(most, ++(isMax ? maxs : mins)[place]);
        open += isMax ? -1 : 1;
        depth[place] = Math.max(depth[place], open);
        deepest = Math.max(deepest, open);
    }
    const [width, height] = axis ? [STRIP, length] : [length, STRIP];
    if (!strip.image || strip.image.width !== width || strip.image.height !== height) {
        strip.canvas.width = width;
        strip.canvas.height = height;
        strip.image = new ImageData(width, height);
    }
    const pixels = new Uint32Array(strip.image.data.buffer), along = axis ? width : 1, across = axis ? 1 : width;
    pixels.fill(EMPTY);
    open = 0;
    for (let place = 0; place < length; place++) {
        const fill = (from, to, color) => {
            for (let k = from; k < to; k++) pixels[place * along + k * across] = color;
        };
        if (mins[place]) fill(0, 12, ramps[0][Math.round(SHADES * mins[place] / most)]);
        if (maxs[place]) fill(13, 25, ramps[1][Math.round(SHADES * maxs[place] / most)]);
        const tall = (STRIP - 28) * Math.max(open, depth[place]) / deepest;
        fill(STRIP - Math.round(tall), STRIP, COVERED);
        open += mins[place] - maxs[place];
    }
    strip.canvas.getContext("2d").putImageData(strip.image, 0, 0);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(strip.canvas, axis ? size.width + 8 : 0, axis ? 0 : size.height + 8);
}

// The places of the array around the min of the box that is followed, one cell an end; the canvas has room for both
// axes side by side, or on a phone one below the other.
function drawCells(cells, area, axis, ends) {
    const shown = 12, beside = area.height < 100, width = (beside ? area.width / 2 - 8 : area.width) / shown;
    const left = beside ? axis * (area.width / 2 + 8) : 0, row = beside ? 0 : axis * 56;
    let place = 0;
    while (place < 2 * count && ends[2 * place] !== followed) place++;
    const first = Math.max(0, Math.min(place - shown / 2, 2 * count - shown));
    cells.font = "11px system-ui, sans-serif";
    cells.fillStyle = WORD;
    const last = Math.min(first + shown, 2 * count) - 1;
    cells.fillText(`${axis ? "y" : "x"}: places ${first} to ${last} of ${2 * count}`, left, row + 11);
    for (let i = 0; first + i <= last; i++) {
        const end = ends[2 * (first + i)], box = end % MAX_FLAG, isMax = end >= MAX_FLAG;
        const color = sap.are_pair(box, followed) ? LIT : isMax ? OF_MAX : OF_MIN;
        cells.fillStyle = box === followed ? TITLE : color;
        cells.globalAlpha = box === followed ? 1 : 0.75;
        cells.fillRect(left + i * width, row + 17, width - 2, 26);
        cells.globalAlpha = 1;
        cells.fillStyle = DARK;
        cells.font = count > 9999 ? "8.5px system-ui, sans-serif" : "10px system-ui, sans-serif";
        cells.textAlign = "center";
        cells.fillText(isMax ? box + ")" : "(" + box, left + i * width + width / 2 - 1, row + 34, width - 3);
        cells.textAlign = "left";
    }
}

function draw() {
    const memory = sap.memory.buffer;
    const boxes = new Float32Array(memory, sap.shown_at(), 6 * count); // min x, y, z, max x, y, z
    const glow = new Float32Array(memory, sap.glow_at(), count);
    pen.fillStyle = DARK;
    pen.fillRect(0, 0, stage.width / scale, stage.height / scale);
    pen.fillStyle = PANEL;
    pen.fillRect(0, 0, size.width, size.height);
    drawBoxes(boxes, glow);
    if (element("cells").checked) drawGrid(boxes);

    const {pen: cells, width, height} = prepare(element("ends")), area = {width, height};
    for (let axis = 0; axis < 2; axis++) {
        const ends = new Uint32Array(memory, sap.sorted_ends(axis), 4 * count);
        drawStrip(axis, ends, boxes);
        drawCells(cells, area, axis, ends);
    }
    drawFollowed(boxes);
}

// ---- the loop --------------------------------------------------------------------------------------------

const events = {begun: [], ended: [], fps: []};

function showNumbers(pairs, seconds) {
    const now = {begun: sap.begun(), ended: sap.over(), fps: seconds};
    for (const id in events) {
        events[id].push(now[id]);
        if (events[id].length > 30) events[id].shift();
    }
    if (frame % 10) return; // so that one can read them
    const mean = id => events[id].reduce((sum, v) => sum + v, 0) / events[id].length;
    element("pair-count").textContent = pairs.toLocaleString("en");
    element("begun").textContent = mean("begun").toFixed(mean("begun") < 10 ? 1 : 0);
    element("ended").textContent = mean("ended").toFixed(mean("ended") < 10 ? 1 : 0);
    element("fps").textContent = Math.round(1 / Math.max(0.001, mean("fps")));
    element("took").textContent = METHODS[sap.statistic(3)] ?? "";
    costs.sap.show(costs.sap.typical);
    costs.grid.show(costs.grid.typical);
    costs.events.show(costs.grid.typical + costs.events.typical);
    costs.brute.show(costs.brute.typical);
    if (frame % 30 === 0) compare();
}

function showOrigin() {
    const left = sap.statistic(4);
    element("origin").textContent = left ? `left side: x = ${left.toLocaleString("en")}` : "";
}

// ---- clicks ------------------------------------------------------------------------------------------------

function listen() {
    world = element("world");
    pen = world.getContext("2d");
    costs = {sap: new Cost("cost-sap"), events: new Cost("cost-events"), grid: new Cost("cost-grid"),
             brute: new Cost("cost-brute")};
    for (const id of ["count", "side", "mixed", "method"]) element(id).addEventListener("input", setUp);
    for (const id of ["speed", "movers"]) element(id).addEventListener("input", readSettings);
    pauses("pause", live);
    element("drop").addEventListener("click", () => {
        const before = count;
        count = sap.drop(side);
        movers = Math.round(count * slider("movers") / 100);
        label("count", count.toLocaleString("en"));
        element("verdict").className = "";
        say("verdict", count > before ? "" : `${count.toLocaleString("en")} boxes are the most that this page has room for.`);
    });
    element("shift").addEventListener("click", () => {
        sap.shift(SHIFT, SHIFT);
        showOrigin();
    });
    element("check").addEventListener("click", () => {
        sap.settle(0); // a box that was dropped while all stands has no update yet
        sap.shine(0);
        const good = sap.check();
        element("verdict").className = good ? "" : "bad";
        element("verdict").textContent = good ? "All three find the same pairs." : "The pairs are NOT the same!";
    });
    world.addEventListener("click", event => follow(sap.pick(event.offsetX / scale, event.offsetY / scale)));
    world.addEventListener("keydown", event => {
        if (!ARROWS[event.key]) return;
        event.preventDefault();
        const boxes = new Float32Array(sap.memory.buffer, sap.shown_at(), 6 * count);
        const middle = i => [boxes[6 * i] + boxes[6 * i + 3], boxes[6 * i + 1] + boxes[6 * i + 4]];
        follow(nextBox(count, middle, followed, ARROWS[event.key]));
    });
}

const live = views.live = {
    paused: false,
    listen,

    show() {},

    tick(seconds) {
        const room = element("stage").getBoundingClientRect();
        if (room.width !== stage.width || room.height !== stage.height) fit(room);
        if (!this.paused || !frame) { // also one frame of what is new, for its numbers
            sap.move(seconds * speed, movers);
            const pairs = costs.sap.measure(() => sap.settle(movers));
            if (pairs < 0) fail("There is not enough memory for so many pairs.");
            sap.shine(seconds);
            measureOthers(seconds);
            showNumbers(pairs, seconds);
            frame++;
        }
        draw();
    },
};
