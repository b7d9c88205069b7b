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

// A button that pauses a view.
function pauses(id, view) {
    const write = () => { element(id).textContent = view.paused ? "Play" : "Pause"; };
    view.pause = yes => { view.paused = yes; write(); };
    view.pause(false);
    element(id).addEventListener("click", () => view.pause(!view.paused));
}

// ---- which of the views is seen ------------------------------------------------------------------------------

function show(name) {
    view = name;
    for (const tab of element("tabs").children) {
        const here = tab.dataset.view === name;
        tab.className = here ? "here" : "";
        element(tab.dataset.view).hidden = !here;
    }
    views[name].show();
}

let last = 0;

function loop(time) {
    const seconds = Math.min(0.1, (time - last) / 1000);
    last = time;
    requestAnimationFrame(loop);
    views[view].tick(seconds);
}

async function main() {
    const bytes = Uint8Array.from(atob(element("module").textContent.trim()), c => c.charCodeAt(0));
    sap = (await WebAssembly.instantiate(bytes)).instance.exports;
    for (const each of Object.values(views)) each.listen();
    for (const tab of element("tabs").children) tab.addEventListener("click", () => show(tab.dataset.view));
    show("live");
    requestAnimationFrame(time => { last = time; loop(time); });
}
