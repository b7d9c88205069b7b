// play.js - the platformer of examples/platformer.h, to be played by keys or fingers, with what sap.h sees drawn over it

const KINDS = {TILE: 2, ONE_WAY: 4, LADDER: 8, TURN: 16, LIFT: 32, DOOR: 64, CRATE: 128, HERO: 256, ENEMY: 512, COIN: 1024,
               SPIKES: 2048, FLAG: 4096};
const KIND_NAMES = {2: "a tile", 4: "a platform", 32: "a lift", 64: "a door", 128: "a crate"};
const KEYS = {ArrowLeft: 1, a: 1, ArrowRight: 2, d: 2, ArrowUp: 4, w: 4, ArrowDown: 8, s: 8, " ": 16};
const NUMBERS = ["count", "width", "height", "coins", "allCoins", "dead", "deaths", "won", "ducks", "stoppedX", "climbs",
                 "hero", "boxes", "pairs", "stoppedY"];
const PLAY_ORDER = ["LADDER", "FLAG", "COIN", "SPIKES", "ONE_WAY", "DOOR", "TILE", "LIFT", "CRATE", "ENEMY", "HERO"];
const LEAST_WIDE = 200, LEAST_HIGH = 184, LEAST_ZOOM = 1.6; // pixels of the level that are seen; pixels of the screen for each
const FLASH = 0.5;                        // seconds for which a pair that has begun is seen

const play = {
    paused: false, down: new Map(), fingers: new Map(), due: 0, steps: 0, tape: -1, things: [], state: {}, flashes: [],

    listen() {
        pauses("play-pause", this);
        sap.play_own_level();
        this.text = this.textOf(sap.play_text_at());
        element("play-level").value = this.text;
        this.begin();
        const press = (button, work) => element("play-" + button).addEventListener("click", () => {
            work();
            this.takeKeys();
        });
        press("again", () => this.begin());
        press("build", () => this.begin());
        press("pause", () => {}); // beside what pauses() does
        press("watch", () => {
            this.begin(this.text);
            this.tape = 0;
            this.pause(false);
        });
        element("play-show").addEventListener("change", () => this.byPointer && this.takeKeys());
        document.addEventListener("pointerdown", () => { this.byPointer = true; }, true);
        document.addEventListener("keydown", event => this.key(event, true));
        document.addEventListener("keyup", event => this.key(event, false));
        window.addEventListener("blur", () => this.rest());
        this.listenToFingers(element("play-pad"));
    },

    textOf(at) {
        const bytes = new Uint8Array(sap.memory.buffer, at);
        return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
    },

    // The board has the focus while one plays: Space would press a button again.
    takeKeys() {
        element("play-board").focus({preventScroll: true});
    },

    // Lets go of all keys, and pauses.
    rest() {
        this.down.clear();
        this.fingers.clear();
        this.light();
        this.pause(true);
    },

    // Begins a level, that of the text box if none is given; one that is wrong is not played.
    begin(level = element("play-level").value) {
        const put = text => {
            const bytes = new TextEncoder().encode(text), room = sap.play_text_size();
            const all = new Uint8Array(sap.memory.buffer, sap.play_text_at(), room);
            if (bytes.length >= room) return "The level is too large.";
            all.fill(0);
            all.set(bytes);
            const wrong = sap.play_load();
            return wrong ? this.textOf(wrong) : "";
        };
        const wrong = put(level);
        if (wrong) put(this.text);
        say("play-wrong", wrong);
        Object.assign(this, {steps: 0, due: 0, tape: -1, flashes: []});
        this.read();
    },

    // Keys play while the game is seen, but those of tabs, buttons and text are theirs.
    key(event, isDown) {
        const key = event.key.length === 1 ? event.key.toLowerCase() : event.key, bit = KEYS[key];
        this.byPointer &&= !isDown;
        if (!isDown) this.down.delete(key);
        if (view !== "play" || !bit || event.ctrlKey || event.metaKey || event.altKey) return;
        if (event.target.closest("#tabs, textarea") || (key === " " && event.target.closest("button, input"))) return;
        event.preventDefault();
        if (isDown && !this.down.has(key)) this.press(() => this.down.set(key, this.bitsOf(bit)));
    },

    // Up jumps, too, but not from where it climbs: that is decided when it is pressed.
    bitsOf(bit) {
        const [x0, , x1, feet] = this.things[this.state.hero].box, x = (x0 + x1) / 2;
        const climbs = this.things.some(({kind, box}) => kind === KINDS.LADDER && x >= box[0] && x <= box[2] &&
                                                         feet - 1 >= box[1] && feet - 1 <= box[3]);
        return bit === KEYS.ArrowUp && !climbs ? bit | KEYS[" "] : bit;
    },

    // Each finger presses what is below it, also when it slides from one key to the next.
    listenToFingers(pad) {
        const follow = event => {
            const key = document.elementFromPoint(event.clientX, event.clientY)?.closest("#play-pad [data-keys]");
            const was = this.fingers.get(event.pointerId);
            if (!was || was.key !== key)
                this.fingers.set(event.pointerId, {key, bits: key ? this.bitsOf(Number(key.dataset.keys)) : 0});
            this.light();
        };
        const lift = event => {
            this.fingers.delete(event.pointerId);
            this.light();
        };
        pad.addEventListener("pointerdown", event => {
            event.preventDefault();
            this.press(() => follow(event));
        });
        pad.addEventListener("pointermove", event => this.fingers.has(event.pointerId) && follow(event));
        for (const end of ["pointerup", "pointercancel"]) document.addEventListener(end, lift);
        pad.addEventListener("contextmenu", event => event.preventDefault());
        for (const kind of ["touchstart", "touchmove"]) // no scrolling, no zoom and no selection while one plays
            pad.parentElement.addEventListener(kind, event => {
                if (this.fingers.size || pad.contains(event.target)) event.preventDefault();
            }, {passive: false});
    },

    // A player takes over from the tape, and goes on if it is paused.
    press(work) {
        work();
        this.tape = -1;
        if (this.paused) this.pause(false);
    },

    light() {
        const touched = [...this.fingers.values()].map(({key}) => key);
        for (const key of element("play-pad").querySelectorAll("[data-keys]"))
            key.classList.toggle("held", touched.includes(key));
    },

    held() {
        return [...this.down.values(), ...[...this.fingers.values()].map(({bits}) => bits)].reduce((keys, bit) => keys | bit, 0);
    },

    // Who came by an arrow key of the tabs goes on along them.
    show() {
        this.down.clear();
        this.fingers.clear();
        this.light();
        if (this.byPointer || !document.activeElement.closest("#tabs")) this.takeKeys();
    },

    read() {
        const numbers = new Int32Array(sap.memory.buffer, sap.play_state(), NUMBERS.length);
        NUMBERS.forEach((name, i) => this.state[name] = numbers[i]);
        const at = sap.play_things(), kinds = new Int32Array(sap.memory.buffer, at, 6 * this.state.count);
        const floats = new Float32Array(sap.memory.buffer, at, 6 * this.state.count);
        this.things = Array.from({length: this.state.count}, (_, i) =>
            ({kind: kinds[6 * i], box: [...floats.subarray(6 * i + 1, 6 * i + 5)], vx: floats[6 * i + 5]}));
    },

    step() {
        const tape = this.tape < 0 ? -1 : sap.play_tape(this.tape++), wasDead = this.state.dead;
        if (tape < 0) this.tape = -1;
        sap.play_step(tape < 0 ? this.held() : tape);
        this.steps += !this.state.won;
        const before = this.things;
        this.read();
        if (wasDead > 1) return; // all stood still
        for (let n = sap.play_created(), met = new Int32Array(sap.memory.buffer, sap.play_met_at(), 2 * n); n > 0; n--) {
            const [a, b] = [met[2 * n - 2], met[2 * n - 1]];
            this.flashes.push({at: before[a === this.state.hero ? b : a].box, left: FLASH});
        }
    },

    // With 60 pictures a second each is one step, though their times tremble.
    tick(seconds) {
        this.due = this.paused ? 0 : Math.min(4, this.due + 60 * seconds);
        for (; this.due > 0.75; this.due--) this.step();
        this.flashes = this.flashes.filter(flash => (flash.left -= seconds) > 0);
        this.draw();
        this.tell();
    },

    tell() {
        const {coins, allCoins, deaths, won, boxes, pairs, stoppedX, stoppedY} = this.state;
        const name = i => i < 0 ? "nothing" : KIND_NAMES[this.things[i].kind] ?? "gone";
        const time = `${(this.steps / 60).toFixed(1)} s`;
        say("play-said", won ? `You did it: ${coins} of ${allCoins} coins, in ${time}.` : `${coins} of ${allCoins} coins`);
        const lines = [["stops him to the side", name(stoppedX)], ["holds him up", name(stoppedY)], ["boxes", boxes],
                       ["pairs", pairs], ["falls and bumps", deaths], ["time", time]];
        element("play-table").innerHTML = lines.map(([word, n]) => `<tr><td>${word}</td><td>${n}</td></tr>`).join("");
    },

    // ---- drawing ----

    // The part of the level that is seen: it follows the hero. Where the keys lie over the corners it goes beyond the
    // level's ends, so that they do not hide him.
    look() {
        const {width, height} = element("play-screen").getBoundingClientRect(), {state} = this;
        const zoom = Math.max(LEAST_ZOOM, Math.min(height / LEAST_HIGH, width / LEAST_WIDE));
        const beyond = getComputedStyle(element("play-pad")).position === "absolute" ? 220 / zoom : 0;
        const [x0, y0, x1, y1] = this.things[state.hero].box, wide = width / zoom, high = height / zoom;
        const left = between(-beyond, (x0 + x1 - wide) / 2, Math.max(0, state.width - wide) + beyond);
        const top = high > state.height ? state.height - high : between(0, (y0 + y1 - high) / 2, state.height - high);
        return {zoom, left, top};
    },

    // Where the hero is on the screen.
    place() {
        const {zoom, left, top} = this.look(), [x0, y0, x1, y1] = this.things[this.state.hero].box;
        return {left: (x0 - left) * zoom, top: (y0 - top) * zoom, right: (x1 - left) * zoom, bottom: (y1 - top) * zoom};
    },

    draw() {
        const {pen, width, height} = prepare(element("play-board")), {state} = this, {zoom, left: x, top} = this.look();
        const wide = width / zoom;
        this.sky(pen, width, height, x);
        pen.save();
        pen.scale(zoom, zoom);
        pen.translate(-x, -top);
        const seen = this.things.filter(({kind, box}) => kind && box[2] > x - 4 && box[0] < x + wide + 4);
        pen.fillStyle = "#6fbf8f"; // grass: tiles are drawn over that of the tiles below them
        for (const {kind, box: [x0, y0, x1]} of seen) if (kind === KINDS.TILE) pen.fillRect(x0, y0 - 2, x1 - x0, 2.2);
        for (const name of PLAY_ORDER)
            for (const thing of seen) if (thing.kind === KINDS[name]) this.drawThing(pen, thing);
        if (element("play-show").checked) this.drawSeen(pen, seen, zoom);
        pen.restore();
        this.drawWords(pen, width, height);
    },

    sky(pen, width, height, x) {
        const sky = pen.createLinearGradient(0, 0, 0, height);
        sky.addColorStop(0, "#131b29");
        sky.addColorStop(1, "#2b4058");
        pen.fillStyle = sky;
        pen.fillRect(0, 0, width, height);
        pen.fillStyle = "rgba(232, 238, 246, .5)";
        const scattered = seed => Math.abs(Math.sin(seed * 12.9898) * 43758.5453) % 1;
        for (let i = 1; i <= 60; i++) {
            const size = 1 + i % 3 / 2, left = scattered(i) * width - x * 0.1;
            pen.fillRect((left % width + width) % width, scattered(i + 0.5) * height * 0.7, size, size);
        }
        for (const [far, color, rise] of [[0.15, "#19263a", 0.68], [0.25, "#1d2c40", 0.5], [0.5, "#223549", 0.32]]) { // hills
            pen.fillStyle = color;
            pen.beginPath();
            pen.moveTo(0, height);
            for (let at = 0; at <= width + 20; at += 20) {
                const along = (at + x * far * 2) / 130;
                pen.lineTo(at, height * (1 - rise) - 26 * Math.sin(along) - 14 * Math.sin(2.7 * along));
            }
            pen.lineTo(width, height);
            pen.fill();
        }
    },

    drawThing(pen, {kind, box: [x0, y0, x1, y1], vx}) {
        const w = x1 - x0, h = y1 - y0;
        const rect = (color, x, y, width, height) => {
            pen.fillStyle = color;
            pen.fillRect(x0 + x, y0 + y, width, height);
        };
        if (kind === KINDS.TILE) {
            rect("#34475e", 0, 0, w, h + 0.2);
            for (let x = x0 / 16 * 16 % 32 ? 4 : 10; x < w - 6; x += 16) rect("#3d526b", x, 4, 6, Math.min(3, h - 2));
        } else if (kind === KINDS.ONE_WAY) {
            rect("#c79a63", 0, 0, w, h);
            rect("#8f6a40", 0, h - 1, w, 1);
        } else if (kind === KINDS.LADDER) {
            for (const x of [0, w - 2]) rect("#a8804f", x, 0, 2, h + 0.2);
            for (let y = 1; y < h; y += 5) rect("#a8804f", 0, y, w, 2);
        } else if (kind === KINDS.LIFT) {
            rect("#4aa383", 0, 0, w, h);
            rect("#7fd0a0", 0, 0, w, 2);
        } else if (kind === KINDS.DOOR) {
            rect("#8fa3ba", 0, 0, w, h);
            for (let y = 3; y < h - 3; y += 8) rect("#e0a458", 2, y, w - 4, 4);
        } else if (kind === KINDS.CRATE) {
            rect("#8a5f34", 0, 0, w, h);
            rect("#c18e57", 1.5, 1.5, w - 3, h - 3);
            rect("#8a5f34", w / 2 - 1, 1, 2, h - 2);
        } else if (kind === KINDS.COIN) {
            const turn = Math.abs(Math.cos(this.steps / 14 + x0));
            pen.fillStyle = LIT;
            pen.beginPath();
            pen.ellipse(x0 + w / 2, y0 + h / 2, 1 + 3.4 * turn, 4.4, 0, 0, 7);
            pen.fill();
        } else if (kind === KINDS.SPIKES) {
            pen.fillStyle = "#e8836f";
            pen.beginPath();
            for (let x = x0 - 2; x < x1; x += 5) {
                pen.moveTo(x, y1);
                pen.lineTo(x + 2.5, y0 - 1);
                pen.lineTo(x + 5, y1);
            }
            pen.fill();
        } else if (kind === KINDS.ENEMY) {
            rect("#c678c9", 0, 2, w, h - 2);
            rect("#c678c9", 2, 0, w - 4, 2);
            for (const x of vx < 0 ? [2, 7] : [5, 10]) {
                rect("#fff", x - 0.5, 3, 3, 4);
                rect(DARK, vx < 0 ? x - 0.5 : x + 1, 4, 1.5, 2.5);
            }
            const foot = Math.round(this.steps / 8) % 2;
            for (const x of [1, w - 5]) rect("#8f4f93", x + (foot ? 1 : 0), h - 2, 4, 2);
        } else if (kind === KINDS.FLAG) {
            rect("#c5d1df", 0, 0, 1.5, h);
            rect(this.state.won ? LIT : "#7fd0a0", 1.5, 1, 12, 9);
        } else if (kind === KINDS.HERO) this.drawHero(pen, rect, h, vx);
    },

    drawHero(pen, rect, h, vx) {
        if (vx) this.looksLeft = vx < 0;
        const {dead, climbs} = this.state, left = this.looksLeft, walk = vx ? Math.round(this.steps / 5) % 2 * 2 : 0;
        rect(dead ? "#e06c75" : "#5b8fd0", 0, 0, 12, h - 2);
        rect("#f0d5b8", left ? 0 : 2, 2, 10, 6);
        if (climbs) rect("#5b8fd0", 0, 0, 12, 8);
        else for (const x of left ? [1.5, 6] : [4, 8.5]) rect(DARK, x, 3.5, 2, dead ? 1 : 3);
        rect("#e06c75", 0, 8, 12, 2.5);
        rect("#e06c75", left ? 12 : -4, 8.5 + walk / 2, 4, 2);
        rect("#2f4a73", 1 + walk / 2, h - 3, 4, 3);
        rect("#2f4a73", 7 - walk / 2, h - 3, 4, 3);
    },

    // All boxes; pairs, and in white what stops the hero: it need not be a pair.
    drawSeen(pen, seen, zoom) {
        const middle = ([x0, y0, x1, y1]) => [(x0 + x1) / 2, (y0 + y1) / 2], line = 1 / zoom;
        pen.lineWidth = line;
        pen.strokeStyle = "rgba(143, 193, 245, .45)";
        for (const {kind, box: [x0, y0, x1, y1]} of seen) {
            pen.setLineDash(kind === KINDS.TURN ? [2, 3] : []);
            pen.strokeRect(x0, y0, x1 - x0, y1 - y0);
        }
        pen.setLineDash([]);
        const hero = this.things[this.state.hero].box;
        pen.lineWidth = 3 * line;
        pen.strokeStyle = "#fff";
        for (const [axis, i] of [[0, this.state.stoppedX], [1, this.state.stoppedY]]) { // the part of its side that he meets
            if (i < 0 || !this.things[i].kind) continue;
            const box = this.things[i].box, other = 1 - axis;
            const from = Math.max(hero[other], box[other]), to = Math.min(hero[other + 2], box[other + 2]);
            const side = middle(box)[axis] > middle(hero)[axis] ? box[axis] : box[axis + 2];
            pen.lineWidth = line;
            pen.strokeRect(box[0], box[1], box[2] - box[0], box[3] - box[1]);
            pen.lineWidth = 4 * line;
            pen.beginPath();
            pen.moveTo(axis ? from : side, axis ? side : from);
            pen.lineTo(axis ? to : side, axis ? side : to);
            pen.stroke();
        }
        const draw = (box, alpha) => {
            pen.globalAlpha = alpha;
            pen.beginPath();
            pen.moveTo(...middle(hero));
            pen.lineTo(...middle(box));
            pen.stroke();
            pen.strokeRect(box[0] - 2, box[1] - 2, box[2] - box[0] + 4, box[3] - box[1] + 4);
            pen.globalAlpha = 1;
        };
        pen.strokeStyle = LIT;
        pen.lineWidth = 2 * line;
        const n = sap.play_pairs(), met = new Int32Array(sap.memory.buffer, sap.play_met_at(), 2 * n);
        for (const i of met) if (i !== this.state.hero && this.things[i].kind) draw(this.things[i].box, 1);
        for (const {at, left} of this.flashes) draw(at, left / FLASH);
    },

    drawWords(pen, width, height) {
        const {coins, allCoins, won} = this.state;
        const write = (text, y, size, color) => {
            pen.font = `bold ${size}px ${FONT}`;
            pen.textAlign = "center";
            pen.lineWidth = size / 5;
            pen.lineJoin = "round";
            pen.strokeStyle = DARK;
            pen.strokeText(text, width / 2, y, width - 20);
            pen.fillStyle = color;
            pen.fillText(text, width / 2, y, width - 20);
        };
        const count = `\u25cf ${coins} / ${allCoins}`;
        pen.font = `bold 18px ${FONT}`;
        pen.fillStyle = "rgba(16, 21, 28, .6)";
        pen.fillRect(8, 8, pen.measureText(count).width + 16, 28);
        pen.fillStyle = LIT;
        pen.fillText(count, 16, 28);
        if (won) write("You did it!", height / 3, 40, LIT);
        else if (this.tape >= 0) write("watching: press a key to play", height - 14, 15, TITLE);
        else if (this.paused) write("press a key to play", height / 3, 24, TITLE);
    },
};

views.play = play;
