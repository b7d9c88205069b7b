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
let view = "live";  // which view is seen

const element = id => document.getElementById(id);
const slider = id => Number(element(id).value);
const letter = box => String.fromCharCode(65 + box);
const between = (low, value, high) => Math.max(low, Math.min(high, value));

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

// The number beside a slider.
function label(id, text) {
    element(id).nextElementSibling.textContent = text;
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
        const [p, q] = middle(i), along = (p - x) * dx + (q - y) * dy, across = Math.abs((p - x) * dy) + Math.abs((q - y) * dx);
        if (along <= 0 || across > along || along + across >= nearest) continue;
        best = i;
        nearest = along + across;
    }
    return best;
}

// ---- which of the views is seen: #grid at the end of the address shows that one -------------------------------------

function show(name) {
    view = name;
    for (const tab of element("tabs").children) {
        const here = tab.dataset.view === name;
        tab.setAttribute("aria-selected", here);
        tab.tabIndex = here ? 0 : -1;
        element(tab.dataset.view).hidden = !here;
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
    else show(views[name] ? name : "live");
    course.scrollTo(name);
}

// As tabs do: arrow keys go from one to the next.
function listenToTabs() {
    const tabs = [...element("tabs").children];
    tabs.forEach((tab, i) => {
        tab.addEventListener("click", () => go(tab.dataset.view));
        tab.addEventListener("keydown", event => {
            const to = {ArrowLeft: i - 1, ArrowRight: i + 1, Home: 0, End: tabs.length - 1}[event.key];
            if (to === undefined) return;
            event.preventDefault();
            const next = tabs[(to + tabs.length) % tabs.length];
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
