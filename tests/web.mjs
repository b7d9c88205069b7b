// web.mjs MODULE PAGE PICTURES - tests the live page: its module in node, and the page in Chromium; pictures of it go
// to the folder PICTURES
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Browser, wait } from "./chromium.mjs";

const [modulePath, pagePath, pictures] = process.argv.slice(2);
let passed = 0, failed = 0;

function check(what, good) {
    if (good) passed++;
    else {
        failed++;
        console.log(`failed: ${what}`);
    }
}

// ---- the module ----------------------------------------------------------------------------------------------

function testModule() {
    const bytes = readFileSync(modulePath);
    check("the module imports nothing", WebAssembly.Module.imports(new WebAssembly.Module(bytes)).length === 0);
    const sap = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports;
    const worlds = [[1, 10, 0], [10, 200, 0], [500, 30, 1], [3000, 10, 0], [3000, 4, 1], [100, 2000, 0]];
    for (const [n, side, mixed] of worlds)
        for (const movers of [n, Math.ceil(n / 20)]) {
            const name = `${n} boxes of ${side}, ${movers} moving`;
            check(`${name}: set up`, sap.setup(n, side, 900, 600, mixed) === 1);
            for (let frame = 0; frame < 12; frame++) {
                sap.move(0.2, movers);
                const pairs = sap.settle(movers);
                sap.shine(0.016);
                sap.grid();
                const events = sap.grid_events();
                check(`${name}: brute force finds as many pairs`, sap.brute_force(0, 1) === pairs);
                check(`${name}: grid, brute force and events agree`, sap.check() === 1);
                check(`${name}: as many begin and end as by comparing frames`, events === sap.begun() + sap.over());
            }
            const ends = new BigUint64Array(sap.memory.buffer, sap.sorted_ends(1), 2 * n);
            check(`${name}: the ends are sorted`, ends.every((end, i) => i === 0 || ends[i - 1] < end));
            const low = new Set(ends.map(end => end & 0xffffffffn));
            check(`${name}: each box has a min and a max`, low.size === 2 * n && low.has(BigInt(n - 1) | 0x80000000n));
        }

    // A box that moves without being handed in makes the check fail: it can.
    sap.setup(100, 60, 900, 600, 0);
    sap.settle(100);
    sap.shine(0);
    check("the check holds", sap.check() === 1);
    const boxes = new Float32Array(sap.memory.buffer, sap.boxes_at(), 600);
    boxes.set([0, 0, 0, 900, 600, 0]);
    check("and fails when a box is not where the world knows it", sap.check() === 0);
}

// The worlds of the lessons.
function testLessons() {
    const bytes = readFileSync(modulePath);
    const sap = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports;
    let state = 1;
    const random = below => (state = (state * 1103515245 + 12345) % 2147483648, Math.floor(state / 65536) % below);
    const overlap = (p, q) => p[0] <= q[3] && q[0] <= p[3] && p[1] <= q[4] && q[1] <= p[4];

    // An update step by step: replayed, the steps sort the ends, and the rules give the pairs of brute force.
    const n = 7, boxes = new Float32Array(sap.memory.buffer, sap.steps_boxes_at(), 6 * n);
    const place = () => {
        for (let i = 0; i < n; i++) {
            const x = random(12), y = random(8);
            boxes.set([x, y, 0, x + 1 + random(4), y + 1 + random(4), 0], 6 * i);
        }
    };
    place();
    check("steps: set up", sap.steps_setup(n) === 1);
    let replayed = true, events = true, all = 0;
    for (let update = 0; update < 40; update++) {
        const before = boxes.slice();
        place();
        const count = sap.steps_update(), told = new Int32Array(sap.memory.buffer, sap.steps_at(), 4 * count);
        const value = (end, axis, list) => list[6 * end.box + axis + (end.isMax ? 3 : 0)];
        const after = (a, b, axis, list) => value(a, axis, list) !== value(b, axis, list)
            ? value(a, axis, list) > value(b, axis, list)
            : a.isMax !== b.isMax ? a.isMax : a.box > b.box;
        for (let axis = 0; axis < 2; axis++) {
            const row = Array.from({length: 2 * n}, (_, i) => ({box: i >> 1, isMax: i % 2 === 1}));
            row.sort((a, b) => after(a, b, axis, before) ? 1 : -1);
            for (let i = 0; i < count; i++) {
                if (told[4 * i] !== 0 || told[4 * i + 1] !== axis) continue;
                let at = 0;
                while (at + 1 < row.length && !after(row[at], row[at + 1], axis, boxes)) at++;
                replayed &&= row[at].box === told[4 * i + 3] && row[at + 1]?.box === told[4 * i + 2];
                [row[at], row[at + 1]] = [row[at + 1], row[at]];
                all++;
            }
            replayed &&= row.every((end, i) => i === 0 || !after(row[i - 1], end, axis, boxes));
        }
        const box = (list, i) => list.subarray(6 * i, 6 * i + 6);
        const pairs = list => {
            const found = new Set();
            for (let i = 0; i < n; i++)
                for (let j = i + 1; j < n; j++) if (overlap(box(list, i), box(list, j))) found.add(`${i} ${j}`);
            return found;
        };
        const was = pairs(before), is = pairs(boxes);
        const told_of = kind => {
            const k = sap.steps_events(kind), list = new Int32Array(sap.memory.buffer, sap.steps_events_at(), 2 * k);
            return Array.from({length: k}, (_, i) => `${list[2 * i]} ${list[2 * i + 1]}`);
        };
        const begun = told_of(0), ended = told_of(1), there = told_of(2);
        events &&= begun.every(pair => is.has(pair) && !was.has(pair));
        events &&= ended.every(pair => was.has(pair) && !is.has(pair));
        events &&= there.length === is.size && begun.length - ended.length === is.size - was.size;
    }
    check(`steps: ${all} of them are those of insertion sort`, replayed && all > 300);
    check("steps: what begins and ends is that of brute force", events);

    for (const leaving of [0, 1]) {
        const pairs = [0, 1].map(inABatch => sap.batch_prepare(300, 30, leaving) && sap.batch_run(leaving, inABatch));
        check("batches: the same pairs one by one and in a batch", pairs[0] === pairs[1] && pairs[0] > 100);
    }

    sap.grid_fill(80, 700, 500, 50);
    check("grid: set up", sap.grid_divide(5, 4, 100) === 1);
    let same = true, most = 0;
    for (let frame = 0; frame < 100; frame++) {
        if (frame % 25 === 24) check("grid: divided in another way", sap.grid_divide(frame / 3, 4, 700 / (frame / 3)) === 1);
        const count = sap.grid_move(0.1), list = new Float32Array(sap.memory.buffer, sap.grid_boxes_at(), 6 * 80);
        let pairs = 0;
        for (let i = 0; i < 80; i++)
            for (let j = i + 1; j < 80; j++)
                pairs += overlap(list.subarray(6 * i, 6 * i + 6), list.subarray(6 * j, 6 * j + 6));
        same &&= pairs === count;
        most = Math.max(most, pairs);
    }
    check(`grid: the pairs of brute force, up to ${most}`, same && most > 20);

    for (let motion = 0; motion < 6; motion++)
        for (const boxCount of [10, 500]) {
            const pairs = Array.from({length: 7}, (_, way) => {
                const found = [];
                sap.cost_setup(way, boxCount, motion);
                for (let frame = 0; frame < 8; frame++) found.push(sap.cost_run(1));
                return found.join();
            });
            check(`cost: all ways find the same pairs, motion ${motion}, ${boxCount} boxes`, new Set(pairs).size === 1);
        }
}

// ---- the page ------------------------------------------------------------------------------------------------

const text = id => `document.getElementById("${id}").textContent`;
const number = id => `Number(${text(id)}.replace(/,/g, ""))`;
const boxCount = `Number(document.querySelector("#count + output").textContent.replace(/,/g, ""))`;

// How many pixels of the world are about this colour.
const pixels = (red, green, blue) => `(() => {
    const world = document.getElementById("world");
    const data = world.getContext("2d").getImageData(0, 0, world.width, world.height).data;
    let n = 0;
    for (let i = 0; i < data.length; i += 4)
        n += Math.abs(data[i] - ${red}) + Math.abs(data[i + 1] - ${green}) + Math.abs(data[i + 2] - ${blue}) < 40;
    return n;
})()`;

const hash = `(() => {
    const world = document.getElementById("world");
    const data = world.getContext("2d").getImageData(0, 0, world.width, world.height).data;
    return data.reduce((sum, value) => (sum * 31 + value) | 0, 7);
})()`;

async function verdict(page, when) {
    await page.clickOn("#check");
    const said = await page.evaluate(text("verdict"));
    check(`${when}: Check says that all agree`, said === "All three find the same pairs.");
    check(`${when}: no error`, page.errors.length === 0);
    page.errors.forEach(error => console.log(error));
}

// Waits until something is so, up to some seconds: a busy machine may take a while.
async function until(page, expression, seconds = 20) {
    for (let i = 0; i < 10 * seconds; i++) {
        if (await page.evaluate(expression)) return true;
        await wait(0.1);
    }
    return false;
}

const choose = (id, value) => `(() => {
    const select = document.getElementById("${id}");
    select.value = "${value}";
    select.dispatchEvent(new Event("input"));
})()`;

// To the end of the steps that a slider scrubs.
async function scrub(page, name) {
    await page.clickOn(`#${name}-at`, 0.9);
    await page.key("End");
}

// Each lesson is used by clicks, as a reader would. 'where' is in the names of pictures.
async function testPageOfLessons(page, where, width) {
    const sticks = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
    const errors = page.errors.length;
    await page.clickOn("[data-view=steps]");
    check(`${where}: the live view is hidden`, await page.evaluate("document.getElementById('live').hidden"));
    await page.clickOn("#steps-pause");
    const cases = ["A-B begins", "A-C ends", "B-C begins", "nothing", "nothing"];
    const lit = "Array.from(document.querySelectorAll('#steps-code .ran'), line => line.textContent.trim()).join(' ')";
    const firsts = ["the min of B moved left from 15 to 7; so the min of B walks left and passes the max of A. Start",
                    "the min of C moved right from 7 to 11; so the max of A walks left and passes the min of C. Stop",
                    "the max of C moved right from 13 to 18; so the min of B walks left and passes the max of C. Start",
                    "the min of B moved left from 16 to 2; so the min of B walks left and passes the max of A. Start?",
                    "the min of B moved left from 14 to 6; so the min of B walks left and passes the max of A. Start?"];
    for (let i = 0; i < cases.length; i++) {
        await page.evaluate(choose("steps-case", i));
        const before = await page.evaluate("JSON.stringify(steps.rows)");
        await page.clickOn("#steps-one");
        await wait(0.2);
        if (i === 0) await page.screenshot(`${pictures}/${where}-steps.png`);
        const first = await page.evaluate(text("steps-said"));
        check(`${where}: a step says which end moved and what passes what: "${first}"`, first.includes(firsts[i]));
        const lines = await page.evaluate(lit);
        check(`${where}: the lines of the step are lit (${lines})`,
              lines.includes("ends[j] = other") && lines.includes(i === 1 ? "stop(" : "start(") && !lines.includes(i === 1 ? "start(" : "stop("));
        if (i === 0) check(`${where}: with their values`, ["x: i = 3", "j = 3: (B 7 before A) 10", "7 <= 10 && 3 <= 12 &&", "5 <= 7 && 3 <= 9: yes"]
            .every(value => lines.includes(value)));
        await page.clickOn("#steps-at", 0.01);
        check(`${where}: the slider leads back to where it began`, await page.evaluate("JSON.stringify(steps.rows)") === before);
        await scrub(page, "steps");
        const said = await page.evaluate(text("steps-said"));
        check(`${where}: case ${i} reports ${cases[i]}, and not "${said}"`, said === `Reported: ${cases[i]}.`);
    }
    const log = await page.evaluate(text("steps-log"));
    check(`${where}: the log shows the rule that fired in vain`, /passes .*  no/.test(log));
    await page.evaluate(choose("steps-case", 3));
    await scrub(page, "steps");
    // B is dragged onto A: it lies at 2..6, 5..8 of 24 units.
    const [x, y, unit] = await page.evaluate(`(() => {
        document.getElementById("steps-board").scrollIntoView({ block: "nearest" });
        const box = document.getElementById("steps-board").getBoundingClientRect();
        return [box.left + 8, box.top + 8, steps.plane().unit];
    })()`);
    await page.drag(x + 4 * unit, y + 6.5 * unit, x + 10 * unit, y + 6 * unit);
    check(`${where}: a box that was dragged onto another begins a pair`,
          await until(page, `${text("steps-said")} === "Reported: A-B begins."`));
    check(`${where}: steps: nothing sticks out`, !await page.evaluate(sticks));

    await page.clickOn("[data-view=batches]");
    await page.clickOn("#batches-speed", 0.98);
    for (const button of ["come", "go"]) {
        await page.clickOn(`#batches-${button}`);
        if (button === "come") { await wait(0.3); await page.screenshot(`${pictures}/${where}-batches.png`); }
        const both = `${text("batches-said")}.startsWith("Both hold the same")`;
        check(`${where}: batches: both end`, await until(page, both, 40));
        const moves = await page.evaluate(`batches.lanes.map(lane => lane.moves)`);
        check(`${where}: batches: ${moves} moves`, moves[0] > 3 * moves[1]);
        const good = await page.evaluate(`(() => {
            const [a, b] = batches.lanes.map(lane => lane.ends.filter(end => end).map(end => end.value));
            return a.join() === b.join() && a.every((v, i) => i === 0 || a[i - 1] <= v);
        })()`);
        check(`${where}: batches: both arrays are sorted and the same`, good);
    }
    if (where === "wide") {
        await page.clickOn("#batches-measure");
        check("wide: batches: six rows are measured",
              await until(page, "document.querySelectorAll('#batches-table td').length === 18", 60));
    }
    check(`${where}: batches: nothing sticks out`, !await page.evaluate(sticks));

    await page.clickOn("[data-view=grid]");
    await page.clickOn("#grid-count", 0.9);
    let once = true;
    for (let i = 0; i < 10; i++) {
        await wait(0.1);
        once &&= await page.evaluate(text("grid-said")) === "Each pair is reported once, as by sap_multi.h.";
    }
    check(`${where}: grid: each pair is reported once`, once);
    const cells = "Array.from(document.querySelectorAll('#grid-table td:last-child'), cell => Number(cell.textContent))";
    const [boxes, entries, , , , found, reported] = await page.evaluate(cells);
    check(`${where}: grid: ${boxes} boxes, ${entries} entries, ${found} found, ${reported} reported`,
          entries > boxes && found > reported && reported > 0);
    await page.clickOn("#grid-columns", 0.1);
    check(`${where}: grid: one column does it, too`, await until(page, `${text("grid-said")}.startsWith("Each pair")`));
    const sides = "Array.from(grid.boxes, (v, i) => i % 6 > 2 ? v - grid.boxes[i - 3] : 0).map(Math.fround).join()";
    await page.evaluate("grid.pause(true)");
    const before = await page.evaluate(sides);
    await page.clickOn("#grid-columns", 0.95);
    await wait(0.3);
    check(`${where}: grid: columns keep the boxes' size`, await page.evaluate(sides) === before);
    const large = await page.evaluate(`Array.from({length: grid.count}, (_, i) => i).filter(i => grid.isLarge(i)).length`);
    check(`${where}: grid: in small cells some boxes are large (${large})`, large > 0);
    await page.evaluate("grid.pause(false)");
    await page.clickOn("#grid-columns", 0.6);
    await wait(0.2);
    await page.screenshot(`${pictures}/${where}-grid.png`);
    check(`${where}: grid: nothing sticks out`, !await page.evaluate(sticks));

    await page.clickOn("[data-view=cost]");
    check(`${where}: cost: each way is measured with 10 boxes to 300`,
          await until(page, "cost.times.every(way => way.slice(0, 4).every(times => times.length > 0))", 60));
    await page.screenshot(`${pictures}/${where}-cost.png`);
    const cellCount = await page.evaluate("document.querySelectorAll('#cost-table td').length");
    check(`${where}: cost: the table names the least`, cellCount === 24);
    const named = column => page.evaluate(`Array.from(document.querySelectorAll("#cost-table td:nth-child(${column})"),
        cell => cell.textContent.split(" ")[0]).filter(name => name)`);
    const [least, ofPaper] = [await named(2), await named(3)], papers = ["SORT", "grid", "brute", "sweep"];
    check(`${where}: cost: the least is never AUTO (${least})`, least.length > 3 && !least.includes("AUTO"));
    check(`${where}: cost: the paper's least is one of the paper's (${ofPaper})`,
          ofPaper.length > 3 && ofPaper.every(name => papers.includes(name)));
    await page.evaluate(choose("cost-motion", 5));
    const slow = `(() => { // a frame that is estimated to take long is not run: the page would stand still
        const way = 5, size = 6, kept = [cost.times, cost.way, cost.size];
        cost.times = cost.times.map(() => COST_SIZES.map(n => [n * n / 1e6]));
        cost.times[way][size] = [];
        [cost.way, cost.size] = [way, size];
        const estimate = cost.estimate(way, size);
        cost.measure();
        const points = cost.times[way][size].length;
        [cost.times, cost.way, cost.size] = kept;
        return [Math.round(estimate), points];
    })()`;
    check(`${where}: cost: what is estimated to take long is not run`, (await page.evaluate(slow)).join() === "100,0");
    check(`${where}: cost: another motion starts from no point`, await until(page, "cost.times[0][0].length > 0", 20));
    check(`${where}: cost: nothing sticks out`, !await page.evaluate(sticks));
    await testPageOfStructures(page, where);
    await page.clickOn("[data-view=live]");
    await wait(0.5);
    check(`${where}: no error in the lessons`, page.errors.length === errors);
    page.errors.slice(errors).forEach(error => console.log(error));
}

// What the views compute themselves, against brute force.
async function testStructures(page, url) {
    await page.open(url, 1280, 800);
    await wait(0.5);
    const pairsHold = await page.evaluate(`(() => {
        const manager = new PairManager(), is = new Set(), was = new Set();
        let state = 3;
        const random = below => (state = (state * 1103515245 + 12345) % 2147483648, Math.floor(state / 65536) % below);
        for (let round = 0; round < 300; round++) {
            for (let i = random(12); i > 0; i--) {
                const a = random(11), b = a + 1 + random(11 - a), key = a + " " + b;
                if (is.has(key)) manager.remove(a, b);
                else manager.add(a, b);
                if (!is.delete(key)) is.add(key);
            }
            const events = [...is].filter(key => !was.has(key)).length + [...was].filter(key => !is.has(key)).length;
            if (manager.dump().told.length !== events) return "events of round " + round;
            if (manager.pairs.map(({a, b}) => a + " " + b).sort().join() !== [...is].sort().join()) return "pairs of round " + round;
            if (manager.pairs.some(({a, b}, p) => manager.find(a, b) !== p)) return "places of round " + round;
            if (manager.buckets.flat().sort((p, q) => p - q).join() !== manager.pairs.map((_, p) => p).join()) return "buckets of round " + round;
            was.clear();
            for (const key of is) was.add(key);
        }
        return "good";
    })()`);
    check(`structures: the pair manager has all pairs and events (${pairsHold})`, pairsHold === "good");
    const replayed = await page.evaluate(`(() => { // with many boxes and one that moves sap.h also walks to the right
        let state = 9, right = 0, all = 0;
        const random = below => (state = (state * 1103515245 + 12345) % 2147483648, Math.floor(state / 65536) % below);
        const box = () => {
            const x = random(20), y = random(9);
            return [x, y, x + 1 + random(4), y + 1 + random(3)];
        };
        for (let round = 0; round < 300; round++) {
            steps.begin(Array.from({length: 2 + round % 11}, box));
            for (let moving = 1 + random(3) * random(3); moving > 0; moving--) steps.boxes[random(steps.boxes.length)] = box();
            steps.update();
            for (let to = 1; to < steps.last; to++) {
                steps.goTo(to);
                all++;
                right += steps.now.goesRight;
            }
            steps.goTo(steps.last);
            if (JSON.stringify(steps.rows) !== JSON.stringify(steps.sort(steps.boxes))) return "round " + round;
        }
        return [right, all];
    })()`);
    check(`structures: all steps of updates are replayed, to the right, too (${replayed})`, replayed[0] > 50 && replayed[1] > 3000);
    const same = await page.evaluate(`(() => {
        let state = 7, good = true;
        const random = below => (state = (state * 1103515245 + 12345) % 2147483648, Math.floor(state / 65536) % below);
        const counts = [0, 0, 0];
        ways.show();
        for (let round = 0; round < 300; round++) {
            ways.keep();
            ways.boxes = ways.boxes.map(([x0, y0, x1, y1], i) => {
                const [x, y] = round % 3 ? [x0, y0] : [random(13), random(8)], stays = round % 3 && random(2);
                return stays ? [x0, y0, x1, y1] : [x + random(3) / 2, y, x + 2 + random(3), y + 1 + random(4)];
            });
            ways.begin();
            ways.goTo(ways.last);
            ways.lanes.forEach((lane, k) => {
                const {tests, pairs, isDone} = ways.count(lane);
                counts[k] += tests;
                good &&= isDone && pairs === pairsIn(ways.boxes).length;
            });
        }
        return [good, counts[0] > counts[1], ...counts];
    })()`);
    check(`structures: three ways find the pairs of all boxes (${same})`, same[0] && same[1]);
    const pruned = await page.evaluate(`(() => {
        const count = (way, axis, boxes) => {
            const moments = [...WAYS[way].run(boxes, axis)], key = ({first: a, other: b}) => Math.min(a, b) + " " + Math.max(a, b);
            const hits = moments.filter(({first, other}) => overlapping(boxes[first], boxes[other])).map(key);
            return [moments.filter(moment => !moment.isLate).length, [...hits].sort().join(), hits.length === new Set(hits).size];
        };
        const tests = [0, 1, 2].map(way => [0, 1].map(axis => count(way, axis, TEN)[0])).flat().join();
        let good = true, state = 5;
        const random = below => (state = (state * 1103515245 + 12345) % 2147483648, Math.floor(state / 65536) % below);
        for (let round = 0; round < 200; round++) {
            const boxes = Array.from({length: 12}, () => {
                const x = random(30), y = random(15);
                return [x, y, x + random(9), y + random(5)];
            });
            const [, all] = count(0, 0, boxes);
            const across = all.split(",").filter(key => key && new Set(key.split(" ").map(i => NEW.includes(Number(i)))).size === 2).join();
            for (const axis of [0, 1]) good &&= count(1, axis, boxes)[1] === all && count(1, axis, boxes)[2] &&
                count(2, axis, boxes)[1] === across && count(2, axis, boxes)[2];
        }
        return [tests, good];
    })()`);
    check(`structures: pruning makes the tests of the course's program (${pruned[0]})`, pruned[0] === "45,45,13,27,8,9");
    check("structures: pruning finds what two loops find", pruned[1]);
    const searched = await page.evaluate(`(() => {
        let good = true;
        for (let round = 0; round < 200; round++) {
            trees.move(0.5);
            if (round % 20 === 0) trees.pack();
            trees.look(round * 7.3 % WIDE, round * 3.1 % HIGH);
            const all = trees.boxes.map((_, i) => i), hits = all.filter(i => overlapping(trees.boxes[i], trees.window)).join();
            const mine = trees.leaves.flat().flatMap(leaf => leaf.boxes).sort((a, b) => a - b);
            good &&= mine.join() === all.join(); // each box is in one leaf,
            good &&= trees.leaves.slice(0, 2).flat().every(leaf => leaf.boxes.every(i => inside(trees.boxes[i], leaf.home)));
            for (const root of [trees.tree, quadtree([0, 0, WIDE, HIGH], all, trees.boxes, 0)]) {
                const {hits: found, tested} = search(root, trees.window, trees.boxes);
                good &&= found.sort((a, b) => a - b).join() === hits && tested.length < all.length;
            }
        }
        return good;
    })()`);
    check("structures: both trees find the boxes in the window, and those of packed leaves are at home", searched);
    const grown = await page.evaluate(`(() => {
        const [young, all] = trees.packs;
        element("trees-moving").value = 100;
        for (let round = 0; round < 400; round++) trees.move(0.05);
        const newborn = trees.leaves[2].flatMap(leaf => leaf.boxes).length;
        return [trees.packs[0] - young, trees.packs[1] - all, newborn];
    })()`);
    check(`structures: newcomers are packed with the young, and then with all (${grown})`,
          grown[0] > grown[1] && grown[1] > 0 && grown[2] <= 8);
    const changed = await page.evaluate(`(() => {
        let good = true;
        for (let round = 0; round < 100; round++) {
            changes.moveAll();
            const pair = (boxes, i) => overlapping(boxes[i], boxes[16]);
            const events = changes.boxes.slice(0, 16).flatMap((_, i) => pair(changes.before, i) === pair(changes.boxes, i) ? []
                : [letter(i) + "-Q " + (pair(changes.boxes, i) ? "begins" : "ends")]);
            changes.update();
            good &&= ${text("changes-said")} === "Reported: " + (events.join(", ") || "nothing") + ".";
        }
        return good;
    })()`);
    check("structures: changes reports what differs between two updates", changed);
}

// Their views, by a pointer.
async function testPageOfStructures(page, where) {
    const board = name => page.evaluate(`(() => {
        document.getElementById("${name}-board").scrollIntoView({ block: "nearest" });
        const {left, top} = document.getElementById("${name}-board").getBoundingClientRect(), plane = views["${name}"].plane();
        return [left + (plane.left ?? plane.places[0][0]), top + (plane.top ?? plane.places[0][1]), plane.unit];
    })()`);
    const dragBy = async (name, box, dx, dy) => {
        const [left, top, unit] = await board(name), [x0, y0, x1, y1] = await page.evaluate(`views["${name}"].boxes[${box}]`);
        const x = left + unit * (x0 + x1) / 2, y = top + unit * (y0 + y1) / 2;
        await page.drag(x, y, x + dx * unit, y + dy * unit);
    };
    const open = async name => {
        await page.clickOn(`[data-view=${name}]`);
        await wait(0.3);
        check(`${where}: ${name}: nothing sticks out`, await page.evaluate("document.documentElement.scrollWidth <= innerWidth"));
        await page.screenshot(`${pictures}/${where}-${name}.png`);
    };
    await open("figure");
    check(`${where}: figure: two pairs`, await page.evaluate(text("figure-said")) === "The pair manager holds A and B, B and C.");
    await dragBy("figure", 3, -5, 0);
    const said = await page.evaluate(text("figure-said"));
    check(`${where}: figure: D is dragged to B (${said})`, said === "The pair manager holds A and B, B and C, B and D.");
    check(`${where}: figure: the ends are in order`, await page.evaluate("[0, 1].every(axis => figure.ends(axis).every((end, i, all) => !i || all[i - 1].value <= end.value))"));

    await open("ways");
    for (const button of ["walk", "jump"]) {
        await page.clickOn(`#ways-${button}`);
        await scrub(page, "ways");
        const rows = (await page.evaluate("Array.from(document.querySelectorAll('#ways-table tr'), row => row.textContent)")).slice(1);
        const said = await page.evaluate("[0, 1, 2].map(k => document.getElementById('ways-said-' + k).textContent)");
        check(`${where}: ways: all find the same, two loops by 28 tests (${rows})`, said.every(text => /^Done/.test(text)) &&
              new Set(said.map(text => text.match(/(\d+) pairs/)[1])).size === 1 && said[0].startsWith("Done: 28 tests"));
    }
    const place = await page.evaluate(`(() => {
        const {left, top} = document.getElementById("ways-2").getBoundingClientRect(), {unit} = ways.lanes[2].plane();
        ways.boxes = ways.boxes.map((_, i) => [4 * (i % 4), 6 * (i >> 2), 4 * (i % 4) + 3, 6 * (i >> 2) + 4]);
        return [left + 6 + 1.5 * unit, top + 6 + 2 * unit, unit];
    })()`);
    await page.drag(place[0], place[1], place[0] + 3 * place[2], place[1]);
    await scrub(page, "ways");
    const dragged = await page.evaluate(text("ways-said-2"));
    check(`${where}: ways: A is dragged onto B (${dragged})`, /^Done: \d tests, 1 pairs/.test(dragged));
    await page.clickOn("#ways-at", 0.3);
    check(`${where}: ways: lines of the code are lit`, await until(page, "document.querySelectorAll('#ways-lanes .ran').length > 0", 5));

    await open("pruning");
    await scrub(page, "pruning");
    check(`${where}: pruning: 13 tests`, (await page.evaluate(text("pruning-said"))).endsWith("13 tests, 6 pairs."));
    await dragBy("pruning", 4, 0, 8);
    await scrub(page, "pruning");
    const tests = await page.evaluate(text("pruning-said"));
    check(`${where}: pruning: E is dragged onto D and F (${tests})`, tests.endsWith("8 pairs."));

    await open("trees");
    const [left, top, unit] = await board("trees");
    await page.send("Input.dispatchMouseEvent", { type: "mouseMoved", x: left + 18 * unit, y: top + 6 * unit });
    check(`${where}: trees: the window follows the pointer`, await until(page, "Math.abs(trees.window[0] - 16.5) < 0.3", 5));
    const cells = "Array.from(document.querySelectorAll('#trees-table td'), cell => Number(cell.textContent))";
    const [, tree, quad, , treeTested, quadTested, , treeFound, quadFound] = await page.evaluate(cells);
    check(`${where}: trees: both look and find (${[tree, quad, treeTested, quadTested, treeFound, quadFound]})`,
          tree > 0 && quad > 0 && treeTested >= treeFound && quadTested >= quadFound && treeFound === quadFound && treeFound > 0);

    await open("pairs");
    await page.clickOn("#pairs-dump");
    check(`${where}: pairs: five begin`, (await page.evaluate(text("pairs-said"))).startsWith("Reported: A-B begins, B-C begins, "));
    await page.clickOn("#pairs-visit");
    check(`${where}: pairs: a visit is in the keys`, (await page.evaluate(text("pairs-keys"))).includes("A-C new removed"));
    await page.clickOn("#pairs-dump");
    check(`${where}: pairs: and is not reported`, (await page.evaluate(text("pairs-said"))).startsWith("Reported: nothing."));
    await dragBy("pairs", 2, 3, 0);
    await page.clickOn("#pairs-dump");
    const end = await page.evaluate(text("pairs-said"));
    check(`${where}: pairs: C leaves B, and the last pair fills the hole (${end})`,
          end === "Reported: B-C ends. In the array 4 goes to 1.");
}

// On a wide screen the view that belongs to what is read stands beside it.
async function testCourseBroad(page, url) {
    await page.open(url + "#course", 1800, 1000);
    await wait(0.5);
    const here = "document.querySelector('#course article:not([hidden])')";
    for (const hash of await page.evaluate("Array.from(document.querySelectorAll('#lessons a'), link => link.hash)")) {
        await page.clickOn(`#lessons a[href="${hash}"]`);
        await wait(0.2);
        check(`course: broad: ${hash}: nothing sticks out`, await page.evaluate("document.documentElement.scrollWidth") <= 1800);
        for (const name of await page.evaluate("course.placed()")) {
            await page.evaluate(`${here}.querySelector(".demo[data-view=${name}]").scrollIntoView({block: "center"})`);
            await wait(0.3);
            const [beside, seen] = await page.evaluate(`(() => {
                const text = ${here}.querySelector(".text").getBoundingClientRect();
                const {left, top, bottom} = document.getElementById("${name}").getBoundingClientRect();
                return [left >= text.right && bottom > 0 && top < window.innerHeight, course.seen().join()];
            })()`);
            check(`course: broad: ${hash}: ${name} is beside its text, and runs (${seen})`, beside && seen === name);
        }
    }
    check("course: broad: no error", page.errors.length === 0);
}

// All that a reader meets has a name, and stands out from what is behind it.
async function testNames(page, where) {
    const { nodes } = await page.send("Accessibility.getFullAXTree");
    const roles = ["button", "combobox", "slider", "checkbox", "tab", "tabpanel", "application", "img", "link", "radio", "log"];
    const of = node => `${node.role.value} ${JSON.stringify(node.properties?.map(p => p.name))}`;
    const nameless = nodes.filter(node => !node.ignored && roles.includes(node.role?.value) && !node.name?.value.trim());
    check(`${where}: all controls and pictures have a name, not ${nameless.map(of).slice(0, 4)}`, !nameless.length);
    const faint = await page.evaluate(`(() => {
        const parse = color => color.match(/[\\d.]+/g).map(Number);
        const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
            .reduce((sum, v, k) => sum + v * [0.2126, 0.7152, 0.0722][k], 0);
        const behind = node => {
            for (; node; node = node.parentElement) {
                const color = parse(getComputedStyle(node).backgroundColor);
                if (color.length < 4 || color[3] === 1) return color;
            }
            return [255, 255, 255];
        };
        const faint = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        while (walk.nextNode()) {
            const node = walk.currentNode.parentElement;
            if (!walk.currentNode.textContent.trim() || !node.getClientRects().length || node.closest("option, svg")) continue;
            const [a, b] = [light(parse(getComputedStyle(node).color)), light(behind(node))];
            if ((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5) faint.push(walk.currentNode.textContent.trim());
        }
        return faint;
    })()`);
    check(`${where}: text has a contrast of 4.5, not ${faint.slice(0, 4)}`, !faint.length);
}

// What a finger is to hit is at least 40 pixels high.
async function testTargets(page, where) {
    const small = await page.evaluate(`Array.from(document.querySelectorAll("button, select, input, label, summary, #lessons a"))
        .filter(node => node.getClientRects().length)
        .map(node => node.matches("input[type=checkbox]") ? node.closest("label") : node)
        .filter(node => node.getBoundingClientRect().height < 39.5)
        .map(node => node.id || node.textContent)`);
    check(`${where}: targets are 40 pixels high, not ${small.slice(0, 4)}`, !small.length);
}

const names = ["first", "live", "play", "ways", "figure", "steps", "batches", "pruning", "trees", "pairs", "changes", "grid", "cost"]; // as their tabs stand, the course aside

// The same without a pointer: Tab, arrows, letters, Enter and Space.
async function testKeyboard(page, url) {
    await page.open(url, 1280, 800);
    await wait(1);
    check("keys: Tab comes to the tabs", await page.tabTo("[role=tab]"));
    for (const name of ["course", ...names.slice(1)]) {
        await page.key("ArrowRight");
        check(`keys: an arrow comes to ${name}`, await until(page, `!document.getElementById("${name}").hidden`, 5));
        check(`keys: ${name} has an address`, await page.evaluate("location.hash") === "#" + name);
        await wait(0.3);
        await testNames(page, `keys: ${name}`);
    }
    await page.key("Home");
    for (let i = 0; i < 2; i++) await page.key("ArrowRight");
    check("keys: Tab comes to the world", await page.tabTo("#world"));
    const who = await page.evaluate(text("who"));
    await page.key("ArrowRight");
    check("keys: an arrow follows another box", await until(page, `${text("who")} !== "${who}"`, 5));
    check("keys: Tab comes to a slider", await page.tabTo("#count"));
    const boxes = await page.evaluate(boxCount);
    await page.key("ArrowRight");
    check("keys: an arrow moves it", await page.evaluate(boxCount) > boxes);
    check("keys: Tab comes to Check", await page.tabTo("#check"));
    await page.key("Enter");
    check("keys: Enter checks", await until(page, `${text("verdict")} === "All three find the same pairs."`, 5));

    await page.open(url + "#steps", 1280, 800);
    await wait(0.5);
    check("keys: #steps opens that view", await page.evaluate("!document.getElementById('steps').hidden"));
    check("keys: Tab comes to the cases", await page.tabTo("#steps-case"));
    for (let i = 0; i < 2; i++) await page.key("ArrowDown");
    check("keys: an arrow chooses another case", await page.evaluate("document.getElementById('steps-case').value") === "2");
    check("keys: Tab comes to the steps", await page.tabTo("#steps-at"));
    await page.key("End");
    check("keys: End goes to the last one", await until(page, `${text("steps-said")} === "Reported: B-C begins."`, 5));
    check("keys: Tab comes to the boxes", await page.tabTo("#steps-board"));
    await page.key("c");
    check("keys: a letter takes a box", (await page.evaluate(text("steps-said"))).startsWith("Box C is held"));
    for (let i = 0; i < 4; i++) await page.key("ArrowDown", true);
    await page.key("ArrowLeft");
    const down = await page.evaluate("10 * Math.min(15, steps.plane().high)"); // the plane is higher where there is room
    check("keys: arrows move it", await page.evaluate("steps.boxes[2].map(v => v * 10).join()") === `70,${down - 30},175,${down}`);
    await page.key("Escape");
    check("keys: Escape puts it back", await page.evaluate("steps.boxes[2].map(v => v * 10).join()") === "75,40,180,70");
    await page.key("c");
    for (let i = 0; i < 4; i++) await page.key("ArrowDown", true);
    await page.key("Enter");
    check("keys: Enter lets it go", await until(page, `${text("steps-said")} === "Reported: B-C ends."`, 30));

    await page.open(url + "#grid", 1280, 800);
    await wait(0.5);
    check("keys: Tab comes to the grid", await page.tabTo("#grid-board"));
    const followed = await page.evaluate("grid.followed");
    await page.key("ArrowRight");
    await page.key("ArrowLeft");
    await page.key("ArrowLeft");
    check("keys: arrows follow another box of the grid", await page.evaluate("grid.followed") !== followed);
    check("keys: and it is said", /^Box \d+ is followed: /.test(await page.evaluate(text("grid-who"))));
    await page.open(url + "#figure", 1280, 800);
    await wait(0.5);
    check("keys: Tab comes to figure 1", await page.tabTo("#figure-board"));
    await page.key("d");
    for (let i = 0; i < 2; i++) await page.key("ArrowLeft", true);
    await page.key("ArrowUp", true);
    check("keys: D is moved to B", (await page.evaluate(text("figure-said"))).includes("B and D"));
    await page.open(url + "#pairs", 1280, 800);
    await wait(0.5);
    check("keys: Tab comes to the pairs", await page.tabTo("#pairs-board"));
    await page.key("c");
    await page.key("ArrowRight", true);
    await page.key("ArrowRight", true);
    check("keys: C leaves B", (await page.evaluate(text("pairs-log"))).endsWith("RemovePair(B, C)"));
    await page.open(url + "#trees", 1280, 800);
    await wait(0.5);
    check("keys: Tab comes to the trees", await page.tabTo("#trees-board"));
    await page.key("ArrowRight", true);
    check("keys: arrows move the window", await page.evaluate("trees.window.join()") === "10,4,13,7");
    check("keys: no error", page.errors.length === 0);
    page.errors.forEach(error => console.log(error));
}

// Readers who ask for less motion see nothing move until they ask for it.
async function testCalm(page, url) {
    await page.open(url + "#live", 1280, 800, { calm: true });
    await wait(1);
    const before = await page.evaluate(hash);
    await wait(0.5);
    check("calm: the world stands", await page.evaluate(hash) === before);
    check("calm: and has numbers", await page.evaluate(number("pair-count")) > 100);
    await page.clickOn("#pause");
    await wait(0.5);
    check("calm: Play lets it go", await page.evaluate(hash) !== before);
    for (const name of ["play", "ways", "steps", "batches", "pruning", "trees", "grid"]) {
        await page.clickOn(`[data-view=${name}]`);
        await wait(0.2);
        check(`calm: ${name} waits for Play`, await page.evaluate(`${text(name + "-pause")} === "Play"`));
    }
    await page.clickOn("[data-view=batches]");
    for (const button of ["come", "go"]) {
        await page.clickOn(`#batches-${button}`);
        check(`calm: they ${button} when asked to`, await until(page, "batches.lanes[0].moves > 0", 5));
        await page.clickOn("#batches-pause");
    }
}

// The course: each lesson has its text, its views move inside it, and its programs stand beside it.
async function testCourse(page, url, where, width, height) {
    await page.open(url + "#course", width, height, { mobile: where === "phone" });
    await wait(0.5);
    const lessons = await page.evaluate("Array.from(document.querySelectorAll('#lessons a'), link => link.hash)");
    const here = "document.querySelector('#course article:not([hidden])')";
    check(`course: ${where}: it starts with its start`, await page.evaluate(`${here}.id`) === "start");
    const placed = await page.evaluate("course.views");
    check(`course: ${where}: each view has a lesson (${placed})`, ["ways", "steps", "batches", "pruning", "trees", "pairs", "changes", "grid", "cost"].every(name => placed.includes(name)));
    check(`course: ${where}: six lessons at least`, lessons.filter(hash => hash.startsWith("#lesson-")).length >= 6);
    for (const hash of lessons) {
        await page.clickOn(`#lessons a[href="${hash}"]`);
        await wait(0.2);
        const name = `course: ${where}: ${hash}`;
        check(`${name} is shown`, await page.evaluate(`"#" + ${here}.id`) === hash && await page.evaluate("location.hash") === hash);
        check(`${name}: nothing sticks out`, await page.evaluate("document.documentElement.scrollWidth") <= width);
        const left = await page.evaluate(`${here}.querySelector(".text").textContent.match(/\\*\\*|\`|\\]\\(|@[A-Z]+@|\\0/)?.[0]`);
        check(`${name}: no mark of Markdown is left, as ${left}`, !left);
        const good = await page.evaluate(`Promise.all(Array.from(${here}.querySelectorAll("img"), image => {
            image.loading = "eager";
            return image.decode();
        })).then(() => true, () => false)`);
        check(`${name}: its pictures are drawn`, good);
        await testNames(page, name);
        if (where === "phone") await testTargets(page, name);
        for (const view of await page.evaluate("course.placed()")) {
            await page.evaluate(`document.getElementById("${view}").scrollIntoView()`);
            await wait(0.3);
            check(`${name}: ${view} is in its text`, await page.evaluate(`${here}.contains(document.getElementById("${view}"))`));
            check(`${name}: ${view} runs`, await page.evaluate(`course.seen().includes("${view}")`));
            await page.screenshot(`${pictures}/${where}-lesson-${view}.png`);
        }
        if (hash.startsWith("#lesson-") && where === "wide") {
            const beside = await page.evaluate(`(() => {
                const text = ${here}.querySelector(".text").getBoundingClientRect();
                const code = ${here}.querySelector(".beside details")?.getBoundingClientRect();
                return code ? code.left >= text.right : null;
            })()`);
            check(`${name}: its code is beside it`, beside !== false);
        }
        const next = await page.evaluate(`${here}.querySelector("a[rel=next]")?.hash ?? ""`);
        check(`${name}: the next one is ${next}`, next === (lessons[lessons.indexOf(hash) + 1] ?? ""));
    }

    // A link to a program unfolds it; a view has a link to its lesson, and back.
    const place = await page.evaluate("document.querySelectorAll('details')[1].id");
    await page.evaluate(`go("${place}")`);
    check(`course: ${where}: #${place} unfolds that program`, await page.evaluate(`(() => {
        const place = document.getElementById("${place}");
        return place.open && place.getClientRects().length > 0 && place.textContent.includes("int ");
    })()`));
    await page.clickOn("[data-view=steps]");
    check(`course: ${where}: a view out of its lesson is alone`, await page.evaluate("document.getElementById('steps').parentElement.matches('main')"));
    await page.clickOn("#steps .hop");
    check(`course: ${where}: and leads to its lesson`, await page.evaluate(`${here}.contains(document.getElementById("steps"))`));
    await page.evaluate("history.back()");
    check(`course: ${where}: back is back`, await until(page, "document.getElementById('course').hidden && view === 'steps'", 5));
    const loaded = await page.evaluate("performance.getEntriesByType('resource').map(entry => entry.name.slice(0, 80))");
    check(`course: ${where}: the page loads nothing, not ${loaded[0]}`, loaded.filter(name => !name.startsWith("data:")).length === 0);
    check(`course: ${where}: no error`, page.errors.length === 0);
    page.errors.forEach(error => console.log(error));
}

const testCourseWide = (page, url) => testCourse(page, url, "wide", 1280, 800);
const testCoursePhone = (page, url) => testCourse(page, url, "phone", 390, 844);

// Whether all keys for fingers are in the window.
const insideWindow = `Array.from(document.querySelectorAll("#play-pad button"), key => key.getBoundingClientRect())
    .every(box => box.left >= 0 && box.top >= 0 && box.right <= innerWidth && box.bottom <= innerHeight && box.height >= 56)`;

// The game, from the first screen on: by keys, by fingers, from its tape, and with a level of one's own.
async function testPlay(page, url) {
    await page.open(url, 1280, 800);
    await wait(0.5);
    const coins = "play.state.coins", x = "play.things[play.state.hero].box[0]", feet = "play.things[play.state.hero].box[3]";
    await page.clickOn("[data-view=play]");
    check("play: it waits without a coin", await page.evaluate(coins) === 0);
    await page.hold("ArrowRight");
    check("play: the right arrow leads to a coin, the first key after the click on the tab", await until(page, `${coins} >= 2`));
    check("play: it is said", await until(page, `/^[2-9] of 19 coins$/.test(${text("play-said")})`, 5));
    await page.hold("d");
    await page.letGo("ArrowRight");
    check("play: of two keys for one way one is still down", await page.evaluate("play.held()") === 2);
    await page.letGo("d");
    await wait(0.5);
    const stands = await page.evaluate(x);
    await wait(0.3);
    check("play: he stands when the keys are let go", await page.evaluate(x) === stands);
    check("play: a tile holds him up", (await page.evaluate(text("play-table"))).includes("holds him upa tile"));
    const jumps = async (key, when) => {
        const ground = await page.evaluate(feet), was = await page.evaluate("play.steps");
        await page.hold(key);
        check(`play: ${key} jumps${when}`, await until(page, `${feet} < ${ground} - 16 && play.steps > ${was}`, 10));
        await page.letGo(key);
        await until(page, "play.things[play.state.hero].vx === 0 && play.state.stoppedY >= 0"); // landed
    };
    await jumps(" ", "");
    await jumps("ArrowUp", ", too");
    await page.screenshot(`${pictures}/wide-play.png`);
    for (const [selector, part] of [["#play-again"], ["#play-watch"], ["#play-show"], ["label:has(#play-show)", 0.6], ["#play-pause"]]) {
        await page.clickOn(selector, part);
        const shown = await page.evaluate("document.getElementById('play-show').checked");
        await jumps(" ", ` after a click on ${selector}`);
        check(`play: and presses nothing, after a click on ${selector}`, await page.evaluate(
            `play.tape < 0 && !play.paused && document.getElementById("play-show").checked === ${shown}`));
    }
    await page.clickOn("#play-again");
    await page.hold("ArrowRight");
    await until(page, "play.held() === 2", 5);
    await page.behindAnother(async () => {
        check("play: it pauses when the window loses the focus, and lets go", await until(page, "play.paused && play.held() === 0", 5));
    });
    await page.letGo("ArrowRight");
    await jumps(" ", " after the window came back");

    await page.clickOn("#play-watch");
    check("play: the tape is watched", await until(page, "play.tape > 30 && play.steps > 30"));
    const end = await page.evaluate("(() => { while (play.tape >= 0) play.step(); return [play.state.won, play.state.coins, play.state.deaths].join(); })()");
    check(`play: the tape ends at the flag with all coins (${end})`, end === "1,19,0");
    check("play: it is said that he did it", await until(page, `${text("play-said")}.startsWith("You did it")`, 5));

    const level = text => page.evaluate(`document.getElementById("play-level").value = ${JSON.stringify(text)}`);
    await level("#  o#\n####\n");
    await page.clickOn("#play-build");
    check("play: a level without a hero is not played", await page.evaluate(text("play-wrong")) === "The level has no hero: @." &&
          await page.evaluate("play.state.allCoins") === 19);
    const own = "#    H#\n#@ o H#\n#######\n";
    await level(own);
    await page.clickOn("#play-build");
    check("play: one's own level is played", await page.evaluate("play.state.allCoins") === 1);
    await page.hold("d");
    check("play: d walks, too, to its coin and its ladder", await until(page, `${coins} === 1 && ${x} === 84`));
    await page.letGo("d");
    const foot = await page.evaluate(feet);
    await page.hold("w");
    check("play: up climbs at a ladder, and does not jump", await until(page, `play.state.climbs && ${feet} < ${foot} - 8`, 5) &&
          await page.evaluate("play.held()") === 4);
    await page.letGo("w");
    await page.clickOn("#play-watch");
    check("play: a tape does not overwrite one's own level", await until(page, "play.state.allCoins === 19", 5) &&
          await page.evaluate("document.getElementById('play-level').value") === own);
    await page.clickOn("#play-again");
    check("play: which is played again", await page.evaluate("play.state.allCoins") === 1);

    await page.open(url + "#play", 390, 844, { mobile: true });
    await wait(0.5);
    check("play: on a phone nothing sticks out to the side", await page.evaluate("document.documentElement.scrollWidth <= 390"));
    check("play: on a phone all keys are seen", await page.evaluate(insideWindow));
    const middle = async key => {
        const [x, y] = await page.place(`#play-pad .${key}`);
        return { x, y };
    };
    const right = { ...await middle("right"), id: 1 }, left = { ...await middle("left"), id: 1 }, jump = { ...await middle("jump"), id: 2 };
    const touch = (type, ...touchPoints) => page.send("Input.dispatchTouchEvent", { type, touchPoints });
    await touch("touchStart", right);
    check("play: a finger on the right key leads to a coin", await until(page, `${coins} >= 1`));
    check("play: its key is lit", await page.evaluate("document.querySelector('#play-pad .right').matches('.held')"));
    const low = await page.evaluate(feet);
    await touch("touchStart", right, jump);
    check("play: a second finger jumps while he walks", await until(page, `${feet} < ${low} - 16 && play.held() === 18`, 5));
    await touch("touchEnd");
    await touch("touchStart", right);
    await touch("touchMove", left);
    check("play: a finger slides to the left key", await until(page, "play.held() === 1 && play.things[play.state.hero].vx < 0", 5));
    await touch("touchMove", { ...left, y: left.y - 300 });
    await touch("touchEnd");
    check("play: and lets go", await until(page, "play.held() === 0", 5));
    const scrolled = await page.evaluate("scrollY");
    check(`play: the page has not scrolled (${scrolled})`, scrolled === 0);
    await page.screenshot(`${pictures}/phone-play.png`);
    await testTargets(page, "play: phone");
    check("play: no error", page.errors.length === 0);
    page.errors.forEach(error => console.log(error));
}

// Sizes of windows: a computer's with either theme, zoomed to 200 %, a small laptop's at 125 % with a browser around it, and
// a phone's, upright and across.
const sizes = [["wide", 1280, 800, 1, false, "dark"], ["light", 1280, 800, 1, false, "light"], ["zoomed", 640, 360, 2, false, "dark"],
               ["laptop", 1093, 510, 1.25, false, "light"], ["upright", 390, 844, 2, true, "dark"], ["across", 844, 390, 2, true, "light"]];

// All of a view that cannot be seen: not shown, or not there after scrolling to it.
const unseen = name => `Array.from(document.querySelectorAll("#${name} :is(h1, h2, p, button, select, input, a, table, canvas, ol)"))
    .filter(node => node.textContent.trim() || node.matches("canvas, input"))
    .filter(node => !node.closest(".unseen, .said, #play-pad, table a"))
    .filter(node => {
        node.scrollIntoView({ block: "center" });
        const {left, right, top, width, height} = node.getClientRects()[0] ?? { width: 0 };
        const there = width && document.elementFromPoint((left + right) / 2, Math.min(top + height / 2, innerHeight - 1));
        return !there || left < 0 || right > document.documentElement.clientWidth ||
            !(node.contains(there) || there.contains(node) && there.closest("#${name}"));
    }).map(node => node.id || node.textContent.trim().slice(0, 30) || node.tagName)`;

async function testSizes(page, url) {
    for (const [where, width, height, scale, mobile, theme] of sizes) {
        await page.open(url, width, height, { mobile, theme, scale });
        await wait(0.5);
        check(`${where}: the first link is the course`, await page.evaluate("document.querySelector('a').hash") === "#course");
        for (const name of names) {
            await page.clickOn(`[data-view=${name}]`);
            await wait(0.3);
            await page.screenshot(`${pictures}/${where}-${name}.png`);
            check(`${where}: ${name}: nothing sticks out`, await page.evaluate(
                "document.documentElement.scrollWidth <= document.documentElement.clientWidth"));
            const [title, board, aside] = await page.evaluate(`["h1, #${name} h2", "canvas", "aside"].map(selector => {
                const box = document.querySelector("#${name} " + selector).getBoundingClientRect();
                return [box.left, box.top + scrollY, box.right, box.bottom + scrollY];
            })`);
            check(`${where}: ${name}: its title comes before its board (${title}; ${board})`, title[3] <= board[1] || title[0] >= board[2]);
            if (width > 700 && where !== "upright" && !(where === "across" && name === "play"))
                check(`${where}: ${name}: its board and its controls are seen together (${board}; ${aside})`, board[3] <= height + 1 &&
                      aside[0] >= board[2] && aside[1] < height / 2 && board[3] - board[1] > 150);
            const mute = await page.evaluate(`Array.from(document.querySelectorAll("#${name} input[type=range]"))
                .filter(node => !node.getAttribute("aria-valuetext")).map(node => node.id)`);
            check(`${where}: ${name}: sliders say what they stand for, not ${mute}`, !mute.length);
            const hidden = await page.evaluate(unseen(name));
            check(`${where}: ${name}: all can be seen, not ${hidden.slice(0, 4)}`, !hidden.length);
            await page.evaluate("scrollTo(0, 0)");
            if (mobile) await testTargets(page, `${where}: ${name}`);
        }
        check(`${where}: scrollbars and controls are dark`, await page.evaluate("getComputedStyle(document.body).colorScheme") === "dark");
    }
    await testFingers(page, url);

    await page.open(url, 844, 390, { mobile: true });
    await page.clickOn("[data-view=play]");
    await wait(0.3);
    check("across: play: its keys are seen", await page.evaluate(insideWindow));
    const hidden = await page.evaluate(`(() => { // where he begins, at the left end
        const board = document.getElementById("play-board").getBoundingClientRect(), {left, top, right, bottom} = play.place();
        return Array.from(document.querySelectorAll("#play-pad button")).filter(key => {
            const box = key.getBoundingClientRect();
            return box.left < board.left + right && board.left + left < box.right && box.top < board.top + bottom && board.top + top < box.bottom;
        }).map(key => key.className).join();
    })()`);
    check(`across: play: no key hides the hero, as "${hidden}"`, hidden === "");

    const seen = { dark: [], light: [] }; // the page is dark for all readers, and its pictures are
    for (const theme of ["dark", "light"]) {
        await page.open(url + "#lesson-6", 1280, 800, { theme });
        const pictures = await page.evaluate("Array.from(document.querySelectorAll('#lesson-6 img'), (image, i) => image.id = 'picture-' + i)");
        for (const picture of pictures) {
            await page.evaluate(`(image => {
                image.loading = "eager";
                return image.decode();
            })(document.getElementById("${picture}"))`);
            seen[theme].push(await page.picture("#" + picture));
        }
    }
    check("light: the pictures of lesson 6 look as they do in the dark", seen.light.length > 4 && seen.light.join() === seen.dark.join());
}

// A finger on a box drags it; one beside all boxes scrolls the page.
async function testFingers(page, url) {
    await page.open(url, 390, 600, { mobile: true });
    await wait(0.5);
    for (const name of ["first", "figure", "steps", "pruning"]) {
        await page.clickOn(`[data-view=${name}]`);
        await wait(0.3);
        await page.evaluate("scrollTo(0, 0)");
        const [x, y, free] = await page.evaluate(`(() => {
            const {left, top} = document.getElementById("${name}-board").getBoundingClientRect(), view = views["${name}"];
            const {unit, left: x, top: y} = view.plane(), box = view.boxes[0], at = k => (box[k] + box[k + 2]) / 2;
            return [left + x + unit * at(0), top + y + unit * at(1), left + x + unit * 0.5];
        })()`);
        const swipe = async (x, y) => {
            const send = (type, ...touchPoints) => page.send("Input.dispatchTouchEvent", { type, touchPoints });
            await send("touchStart", { x, y });
            for (let i = 1; i <= 6; i++) await send("touchMove", { x, y: y - 12 * i });
            await send("touchEnd");
            await wait(0.2);
            return page.evaluate(`[scrollY, views["${name}"].boxes[0][1]].join()`);
        };
        const before = await page.evaluate(`views["${name}"].boxes[0][1]`);
        const [still, moved] = (await swipe(x, y)).split(",").map(Number);
        check(`fingers: ${name}: one on a box drags it (${moved})`, still === 0 && moved !== before);
        check(`fingers: ${name}: one beside it scrolls the page`, Number((await swipe(free, y)).split(",")[0]) > 20);
    }
}

async function testPage(page, url) {
    await page.open(url, 1280, 800);
    await wait(0.5);
    check("it starts with two of four boxes that overlap", await page.evaluate(text("first-said")) === "Overlap: A and B.");
    const [x, y, unit] = await page.evaluate(`(() => {
        const {left, top} = document.getElementById("first-board").getBoundingClientRect(), plane = first.plane();
        return [left + plane.left, top + plane.top, plane.unit];
    })()`);
    await page.drag(x + 17 * unit, y + 4 * unit, x + 13 * unit, y + 6 * unit);
    check("which can be dragged", await page.evaluate(text("first-said")) === "Overlap: A and B, B and C.");
    await page.screenshot(`${pictures}/first.png`);
    await page.clickOn("#first-more");
    await wait(2);
    check("then come 2,000 boxes", await page.evaluate(boxCount) === 2000);
    check("there are pairs", await page.evaluate(number("pair-count")) > 100);
    check("pairs begin and end", await page.evaluate(number("begun")) > 0 && await page.evaluate(number("ended")) > 0);
    check("boxes alone are drawn", await page.evaluate(pixels(58, 79, 105)) > 1000);
    check("boxes that overlap are lit", await page.evaluate(pixels(174, 151, 91)) > 1000);
    const all = "document.documentElement";
    await verdict(page, "as it starts");
    await page.screenshot(`${pictures}/start.png`);

    const before = await page.evaluate(hash);
    await wait(0.5);
    check("it moves", await page.evaluate(hash) !== before);
    await page.clickOn("#pause");
    await wait(0.3);
    const still = await page.evaluate(hash);
    await wait(0.5);
    check("Pause stops it", await page.evaluate(hash) === still);
    await page.clickOn("#pause");
    await wait(0.5);
    check("and it goes on", await page.evaluate(hash) !== still);

    await page.clickOn("#pause");
    await page.clickOn("#drop");
    await verdict(page, "a box dropped while all stands");
    await page.clickOn("#shift");
    check("the label follows a shift while all stands", await page.evaluate(text("origin")) === "left side: x = -5,000");
    await verdict(page, "after a shift while all stands");
    await page.clickOn("#pause");
    await wait(0.3);
    await verdict(page, "when it goes on");

    await page.clickOn("#count", 0.2);
    const few = await page.evaluate(boxCount);
    check(`a click on the left of the slider: few boxes (${few})`, few > 20 && few < 100);
    await page.clickOn("#side", 0.9);
    await wait(1.5);
    check("large boxes overlap more than once each", await page.evaluate(number("pair-count")) > few);
    const worldNow = "[count, followed, Array.from(new Float32Array(sap.memory.buffer, sap.boxes_at(), 60))].join()";
    await page.clickOn("#pause");
    const kept = await page.evaluate(worldNow);
    await page.resize(1240, 780);
    await wait(0.3);
    check("a window narrower by 40 pixels keeps the world", await page.evaluate(worldNow) === kept && await page.evaluate("scale < 1"));
    await page.resize(1280, 800);
    await page.clickOn("#pause");
    check("brute force is not sampled", await page.evaluate(text("brute-name")) === "brute force: pairs alone");
    await verdict(page, "few large boxes");
    const who = await page.evaluate(text("who"));
    let changed = false;
    for (let i = 1; i < 6 && !changed; i++) { // some box lies at one of these places
        await page.clickOn("#world", 0.12 * i);
        await wait(0.4);
        changed = await page.evaluate(text("who")) !== who;
    }
    check("a click on a box follows it", changed);
    await page.screenshot(`${pictures}/few.png`);

    await page.clickOn("#speed", 0.02);
    await page.clickOn("#movers", 0.02);
    await wait(2);
    check("nothing begins where nothing moves", await page.evaluate(number("begun")) === 0);

    await page.clickOn("#movers", 0.98);
    await page.clickOn("#speed", 0.6);
    await page.clickOn("#mixed");
    await page.clickOn("#side", 0.3);
    await page.clickOn("#count", 0.5);
    await page.key("End");
    await wait(3);
    check("20,000 boxes", await page.evaluate(boxCount) === 20000);
    const sampled = await page.evaluate(text("brute-name"));
    check("brute force is sampled, and said so", sampled.includes("estimated from 1 in"));
    const cost = id => page.evaluate(`parseFloat(${text("cost-" + id)})`);
    check("sap.h costs less than brute force", await cost("sap") < await cost("brute"));
    check("it is said which is faster, and why", /: |which began/.test(await page.evaluate(text("cost-said"))));
    const rivals = await page.evaluate(`(() => { // on a computer where each look at the clock takes five milliseconds
        const now = performance.now, before = turns;
        let time = 0;
        performance.now = () => time += 5;
        for (let i = 0; i < 100; i++) measureOthers(0.02);
        performance.now = now;
        return turns - before;
    })()`);
    check(`the others run in a part of slow frames, ${rivals} of 100`, rivals > 5 && rivals < 25);
    await page.clickOn("#drop");
    check("it is said why no more boxes can be dropped", (await page.evaluate(text("verdict"))).startsWith("20,000 boxes are the most"));
    await verdict(page, "20,000 boxes, some large");
    await page.screenshot(`${pictures}/many.png`);
    await testPageOfLessons(page, "wide", 1280);
    await verdict(page, "back from the lessons");

    await page.open(url + "#live", 390, 844, { mobile: true });
    await wait(1.5);
    check("on a phone nothing sticks out to the side", await page.evaluate(`${all}.scrollWidth <= 390`));
    const edge = (selector, side) =>
        page.evaluate(`document.querySelector("${selector}").getBoundingClientRect().${side}`);
    check("on a phone the sliders are below the world", await edge("#live aside", "top") >= await edge("#stage", "bottom"));
    await page.screenshot(`${pictures}/phone.png`);
    await verdict(page, "on a phone");
    await testPageOfLessons(page, "phone", 390);
}

testModule();
testLessons();
check("no picture asks for the reader's theme", !readFileSync(pagePath, "utf8").includes("prefers-color-scheme"));
const url = pathToFileURL(resolve(pagePath)).href;

// Three browsers at once, as much of the time is waiting.
async function run(tests) {
    let browser;
    try {
        browser = await Browser.start();
        for (const test of tests) await test(browser, url);
    } catch (error) {
        check(`the browser: ${error.stack}`, false);
    }
    await browser?.close();
}

await Promise.all([run([testPage, testCalm, testStructures]), run([testSizes, testKeyboard]),
                   run([testPlay, testCourseWide, testCoursePhone, testCourseBroad])]);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
