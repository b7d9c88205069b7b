// page.js - what the views share: the module of sap.h, pens, said sentences, the loop, and which view is seen
//
// `make web` puts this file, then the other files of this folder, into page.html. Each view adds itself to `views` with
// listen(), called once; show(), when it comes into view; and tick(seconds), once a frame while it is seen.
"use strict";

const COLORS = ["#5b8fd0", "#57b894", "#e0a458", "#c678c9", "#e06c75", "#8fa3ba", "#b5bd68", "#6fc6cf"];
const DARK = "#10151c", PANEL = "#171e27", LINE = "#37465a", WORD = "#a5b6ca", TITLE = "#e8eef6", LIT = "#ffd877";
const ALONE = "#4d6a8c", OF_MIN = "#6fa3e0", OF_MAX = "#e0a458";
const FONT = "system-ui, \"DejaVu Sans\", sans-serif";

const views = {};
let sap;            // what the module exports
let view = "first"; // which view is seen

const element = id => document.getElementById(id);
const slider = id => Number(element(id).value);
const letter = box => String.fromCharCode(65 + box);
// Boxes in the plane are [min x, min y, max x, max y].
const overlapping = (p, q) => p[0] <= q[2] && q[0] <= p[2] && p[1] <= q[3] && q[1] <= p[3];
const escaped = text => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
const between = (low, value, high) => Math.max(low, Math.min(high, value));

// Returns the pairs of a list of boxes, each as two places in it.
const pairsIn = boxes =>
    boxes.flatMap((box, a) => boxes.flatMap((other, b) => a < b && overlapping(box, other) ? [[a, b]] : []));

// A value with one digit behind the point, if it has any.
const short = value => String(Math.round(10 * value) / 10);

function median(values) {
    if (!values.length) return 0;
    const sorted = Float64Array.from(values).sort(), half = sorted.length >> 1;
    return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

// A pen for a canvas that fills its parent, cleared, in CSS pixels.
function prepare(canvas) {
    const ratio = window.devicePixelRatio || 1, area = canvas.parentElement.getBoundingClientRect();
    const width = Math.round(area.width * ratio), height = Math.round(area.height * ratio);
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, area.width, area.height);
    pen.textAlign = "left";
    pen.lineWidth = 1;
    pen.font = `13px ${FONT}`;
    return {pen, width: area.width, height: area.height};
}

// Writes a sentence only if it is another one: screen readers say what changes.
function say(id, sentence) {
    if (element(id).textContent !== sentence) element(id).textContent = sentence;
}

// The number beside a slider, which is also said.
function label(id, text) {
    element(id).nextElementSibling.textContent = text;
    element(id).setAttribute("aria-valuetext", text);
}

// Returns the steps a second that a slider asks for, from one in two seconds on.
const pace = (id, most) => 0.5 * Math.pow(most / 0.5, slider(id) / 100);

const CALM = matchMedia("(prefers-reduced-motion: reduce)").matches; // nothing moves until one asks for it

// A button that pauses a view.
function pauses(id, view) {
    view.pause = yes => {
        view.paused = yes;
        element(id).textContent = yes ? "Play" : "Pause";
    };
    view.pause(CALM);
    element(id).addEventListener("click", () => view.pause(!view.paused));
}

const ARROWS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};

// Returns the nearest box in the direction of an arrow key, of those whose middles are more along it than across it; or
// 'from' if there is none. middle(i) is [x, y].
function nextBox(count, middle, from, [dx, dy]) {
    const [x, y] = middle(from);
    let best = from, nearest = Infinity;
    for (let i = 0; i < count; i++) {
        const [p, q] = middle(i), along = (p - x) * dx + (q - y) * dy;
        const across = Math.abs((p - x) * dy) + Math.abs((q - y) * dx);
        if (along <= 0 || across > along || along + across >= nearest) continue;
        best = i;
        nearest = along + across;
    }
    return best;
}

// ---- boxes that can be dragged, and steps that can be played ------------------------------------------------------

// Lets the boxes of a view, [min x, min y, max x, max y], be dragged, or moved by keys: a letter takes a box, arrows
// move it by half a unit (with Shift by two), Enter lets it go and Escape puts it back. view.plane() says where it
// lies: {unit, left, top, wide, high}. The view may have taken(box), moved(box, by a key), dropped(box) and
// undone(box).
function draggable(canvas, view) {
    let holdX = 0, holdY = 0, from = null;
    const point = event => {
        const {unit, left, top} = view.plane();
        return [(event.offsetX - left) / unit, (event.offsetY - top) / unit];
    };
    const take = box => {
        if (view.held >= 0) drop();
        view.held = box;
        from = [...view.boxes[box]];
        view.taken?.(box);
    };
    const put = (x, y, byKey) => {
        const {wide, high} = view.plane(), box = view.boxes[view.held], w = box[2] - box[0], h = box[3] - box[1];
        x = between(0, x, wide - w);
        y = between(0, y, high - h);
        view.boxes[view.held] = [x, y, x + w, y + h];
        view.moved?.(view.held, byKey);
    };
    const drop = () => {
        const box = view.held;
        view.held = -1;
        if (box >= 0) view.dropped?.(box);
    };
    view.held = -1;
    const hitBy = ([x, y]) =>
        view.boxes.findLastIndex(([x0, y0, x1, y1]) => x >= x0 && x <= x1 && y >= y0 && y <= y1);
    canvas.addEventListener("touchstart", event => { // a finger beside all boxes scrolls the page
        const {left, top} = canvas.getBoundingClientRect(), {clientX, clientY} = event.changedTouches[0];
        if (hitBy(point({offsetX: clientX - left, offsetY: clientY - top})) >= 0) event.preventDefault();
    }, {passive: false});
    canvas.addEventListener("pointerdown", event => {
        const [x, y] = point(event), hit = hitBy([x, y]);
        if (hit < 0) return;
        canvas.setPointerCapture(event.pointerId);
        take(hit);
        holdX = x - view.boxes[hit][0];
        holdY = y - view.boxes[hit][1];
    });
    canvas.addEventListener("pointermove", event => {
        if (view.held < 0 || !canvas.hasPointerCapture(event.pointerId)) return;
        const [x, y] = point(event);
        put(x - holdX, y - holdY, false);
    });
    canvas.addEventListener("pointerup", drop);
    canvas.addEventListener("pointercancel", drop);
    canvas.addEventListener("keydown", event => {
        const box = event.key.length === 1 ? event.key.toUpperCase().charCodeAt(0) - 65 : -1, arrow = ARROWS[event.key];
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        if (box >= 0 && box < view.boxes.length) take(box);
        else if (view.held < 0) return;
        else if (arrow) {
            const [x, y] = view.boxes[view.held], far = event.shiftKey ? 2 : 0.5;
            put(x + far * arrow[0], y + far * arrow[1], true);
        } else if (event.key === "Enter" || event.key === " ") drop();
        else if (event.key === "Escape") {
            const held = view.held;
            put(from[0], from[1], true);
            view.held = -1;
            view.undone?.(held);
        } else return;
        event.preventDefault();
    });
}

// A box of a view, with its letter on a ground that it stands out from.
function drawBox(pen, view, i, color, alpha, frame) {
    const {unit, left, top} = view.plane(), [x0, y0, x1, y1] = view.boxes[i];
    const place = [left + unit * x0, top + unit * y0, unit * (x1 - x0), unit * (y1 - y0)];
    pen.globalAlpha = alpha;
    pen.fillStyle = color;
    pen.fillRect(...place);
    pen.globalAlpha = 1;
    pen.fillRect(place[0], place[1], Math.min(20, place[2]), Math.min(20, place[3]));
    if (frame) {
        pen.strokeStyle = frame;
        pen.lineWidth = 2;
        pen.strokeRect(...place);
        pen.lineWidth = 1;
    }
    pen.fillStyle = DARK;
    pen.font = `bold 15px ${FONT}`;
    pen.fillText(letter(i), place[0] + 4, place[1] + 16);
}

// The buttons NAME-again, -one and -pause and the slider NAME-at play a view with at, last, goTo(step) and due, the part
// of a step. The view calls showAt() when it has gone to a step.
function playable(name, view, most) {
    const press = (button, work) => element(`${name}-${button}`).addEventListener("click", work);
    const byHand = to => {
        view.pause(true);
        view.goTo(to);
    };
    pauses(`${name}-pause`, view);
    press("one", () => byHand(view.at + 1));
    element(`${name}-at`).addEventListener("input", () => byHand(slider(`${name}-at`)));
    view.showAt = () => {
        element(`${name}-at`).max = view.last;
        element(`${name}-at`).value = view.at;
        label(`${name}-at`, `${view.at} of ${view.last}`);
    };
    press("again", () => {
        view.goTo(0);
        view.pause(false);
    });
    view.showSpeed = () => label(`${name}-speed`, pace(`${name}-speed`, most).toFixed(1) + " steps/s");
    element(`${name}-speed`).addEventListener("input", view.showSpeed);
    view.showSpeed();
    view.play = seconds => {
        if (view.paused || view.at === view.last) return;
        view.due += seconds * pace(`${name}-speed`, most);
        if (view.due < 1) return;
        view.goTo(view.at + Math.floor(view.due));
        view.due %= 1;
    };
}

// ---- which of the views is seen: #grid at the end of the address shows that one -------------------------------------

const tabs = () => [...element("tabs").querySelectorAll("[role=tab]")];

function show(name) {
    view = name;
    for (const tab of tabs()) {
        const here = tab.dataset.view === name;
        tab.setAttribute("aria-selected", here);
        tab.tabIndex = here ? 0 : -1;
        element(tab.dataset.view).hidden = !here;
        if (here) tab.scrollIntoView({block: "nearest", inline: "center"});
    }
    course.takeViews(name === "course"); // into the lesson that is read, or out of it
    views[name].show();
}

// Not by location.hash: browsers would scroll to the view and take the focus from its tab.
function go(name) {
    history.pushState(null, "", "#" + name);
    followAddress();
}

// The address ends in a view, in a lesson of the course, or in a program of it.
function followAddress() {
    const name = location.hash.slice(1);
    if (course.open(name)) show("course");
    else show(views[name] ? name : "first");
    course.scrollTo(name);
}

// As tabs do: arrow keys go from one to the next.
function listenToTabs() {
    tabs().forEach((tab, i, all) => {
        tab.addEventListener("click", () => go(tab.dataset.view));
        tab.addEventListener("keydown", event => {
            const to = {ArrowLeft: i - 1, ArrowRight: i + 1, Home: 0, End: all.length - 1}[event.key];
            if (to === undefined) return;
            event.preventDefault();
            const next = all[(to + all.length) % all.length];
            next.focus();
            next.click();
        });
    });
    document.addEventListener("click", event => {
        const link = event.target.closest("a[href^='#']");
        if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        go(link.hash.slice(1));
    });
    window.addEventListener("hashchange", followAddress);
    window.addEventListener("popstate", followAddress);
}

let last = 0;

function loop(time) {
    const seconds = Math.min(0.1, (time - last) / 1000);
    last = time;
    requestAnimationFrame(loop);
    for (const name of view === "course" ? course.seen() : [view]) views[name].tick(seconds);
}

async function main() {
    const bytes = Uint8Array.from(atob(element("module").textContent.trim()), c => c.charCodeAt(0));
    sap = (await WebAssembly.instantiate(bytes)).instance.exports;
    for (const each of Object.values(views)) each.listen();
    listenToTabs();
    followAddress();
    requestAnimationFrame(time => { last = time; loop(time); });
}
