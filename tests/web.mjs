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

async function testPage(page) {
    const url = pathToFileURL(resolve(pagePath)).href;
    await page.open(url, 1280, 800);
    await wait(2);
    check("it starts with 2,000 boxes", await page.evaluate(boxCount) === 2000);
    check("there are pairs", await page.evaluate(number("pairs")) > 100);
    check("pairs begin and end", await page.evaluate(number("begun")) > 0 && await page.evaluate(number("ended")) > 0);
    check("boxes alone are drawn", await page.evaluate(pixels(58, 79, 105)) > 1000);
    check("boxes that overlap are lit", await page.evaluate(pixels(174, 151, 91)) > 1000);
    const all = "document.documentElement";
    check("nothing sticks out", await page.evaluate(`${all}.scrollWidth <= 1280 && ${all}.scrollHeight <= 800`));
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
    check("large boxes overlap more than once each", await page.evaluate(number("pairs")) > few);
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
    await verdict(page, "20,000 boxes, some large");
    await page.screenshot(`${pictures}/many.png`);

    await page.open(url, 390, 844, true);
    await wait(1.5);
    check("on a phone nothing sticks out to the side", await page.evaluate(`${all}.scrollWidth <= 390`));
    const edge = (selector, side) =>
        page.evaluate(`document.querySelector("${selector}").getBoundingClientRect().${side}`);
    check("on a phone the sliders are below the world", await edge("aside", "top") >= await edge("#stage", "bottom"));
    await page.screenshot(`${pictures}/phone.png`);
    await verdict(page, "on a phone");
}

testModule();
const page = readFileSync(pagePath, "utf8");
check("the page refers to nothing outside", !/https?:|src=|href=|@import|fetch\(/.test(page));
let browser;
try {
    browser = await Browser.start();
    await testPage(browser);
} catch (error) {
    check(`the browser: ${error.stack}`, false);
}
await browser?.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
