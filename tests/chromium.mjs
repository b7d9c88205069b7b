// chromium.mjs - drives a headless Chromium by its DevTools protocol over two pipes; needs nothing but node
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--remote-debugging-pipe"];

export class Browser {
    // Messages go out on file 3 and come in on file 4, each ends in a zero byte.
    static async start(program = "chromium") {
        const browser = new Browser();
        browser.home = mkdtempSync(join(tmpdir(), "chromium-"));
        browser.process = spawn(program, [...flags, `--user-data-dir=${browser.home}`, "about:blank"],
            { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
        browser.waiting = new Map();
        browser.errors = []; // of the page
        browser.next = 1;
        browser.dead = new Promise((_, reject) => {
            browser.process.on("exit", () => reject(new Error("the browser ended")));
            browser.process.on("error", reject);
        });
        browser.dead.catch(() => {});
        let text = "";
        browser.process.stdio[4].setEncoding("utf8").on("data", data => {
            const messages = (text + data).split("\0");
            text = messages.pop();
            for (const message of messages) browser.receive(JSON.parse(message));
        });
        const { targetInfos } = await browser.send("Target.getTargets");
        const { targetId } = targetInfos.find(target => target.type === "page");
        browser.session = (await browser.send("Target.attachToTarget", { targetId, flatten: true })).sessionId;
        await browser.send("Page.enable");
        await browser.send("Runtime.enable");
        return browser;
    }

    receive(message) {
        if (message.method === "Runtime.exceptionThrown") {
            const details = message.params.exceptionDetails;
            this.errors.push(details.exception?.description ?? details.text);
        }
        if (message.method === "Page.loadEventFired") this.loaded?.();
        const waits = this.waiting.get(message.id);
        if (!waits) return;
        this.waiting.delete(message.id);
        if (message.error) waits.reject(new Error(message.error.message));
        else waits.resolve(message.result);
    }

    send(method, params = {}) {
        const id = this.next++, answer = new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
        this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId: this.session }) + "\0");
        return Promise.race([answer, this.dead]);
    }

    // With calm, as for readers who ask for less motion; theme is that of the reader's computer.
    async open(url, width, height, { mobile = false, calm = false, theme = "dark", scale = mobile ? 2 : 1 } = {}) {
        const features = [{ name: "prefers-reduced-motion", value: calm ? "reduce" : "no-preference" },
            { name: "prefers-color-scheme", value: theme }];
        await this.send("Emulation.setEmulatedMedia", { features });
        await this.send("Emulation.setTouchEmulationEnabled", { enabled: mobile });
        await this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: scale, mobile });
        for (const to of ["about:blank", url]) { // from elsewhere: an address that differs in its #part alone is not loaded
            const loaded = new Promise(resolve => this.loaded = resolve);
            await this.send("Page.navigate", { url: to });
            await loaded;
        }
        const ready = "Boolean(document.querySelector('[aria-selected=true]'))"; // one of its tabs is
        for (let i = 0; i < 200 && !await this.evaluate(ready); i++) await wait(0.05);
    }

    resize(width, height) {
        return this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
    }

    async evaluate(expression) {
        const answer = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
        if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.exception?.description ?? expression);
        return answer.result.value;
    }

    async click(x, y) {
        for (const type of ["mousePressed", "mouseReleased"])
            await this.send("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1 });
    }

    async drag(x0, y0, x1, y1) {
        const held = { button: "left", buttons: 1, clickCount: 1 };
        const send = (type, x, y) => this.send("Input.dispatchMouseEvent", { type, x, y, ...held });
        await send("mousePressed", x0, y0);
        for (let i = 1; i <= 4; i++) await send("mouseMoved", x0 + (x1 - x0) * i / 4, y0 + (y1 - y0) * i / 4);
        await send("mouseReleased", x1, y1);
    }

    async hold(key, modifiers = 0) {
        const codes = { Tab: 9, Enter: 13, Escape: 27, " ": 32, End: 35, Home: 36,
            ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40 };
        const windowsVirtualKeyCode = codes[key] ?? key.toUpperCase().charCodeAt(0);
        const text = key === "Enter" ? "\r" : key.length === 1 ? key : undefined, code = key === " " ? "Space" : key;
        await this.send("Input.dispatchKeyEvent", { type: "keyDown", key, code, text, modifiers, windowsVirtualKeyCode });
    }

    async letGo(key, modifiers = 0) {
        await this.send("Input.dispatchKeyEvent", { type: "keyUp", key, code: key === " " ? "Space" : key, modifiers });
    }

    async key(key, shift = false) {
        await this.hold(key, shift ? 8 : 0);
        await this.letGo(key, shift ? 8 : 0);
    }

    // Does something while another page has the focus.
    async behindAnother(work) {
        const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
        await work();
        await this.send("Target.closeTarget", { targetId });
        await this.send("Page.bringToFront");
    }

    // With the Tab key to an element; returns whether it comes there.
    async tabTo(selector, most = 80) {
        const there = `document.activeElement?.matches(${JSON.stringify(selector)})`;
        for (let i = 0; i < most; i++) {
            if (await this.evaluate(there)) return true;
            await this.key("Tab");
        }
        return this.evaluate(there);
    }

    // The middle of an element, or another part of it, scrolled into view.
    place(selector, part = 0.5) {
        return this.evaluate(`(() => {
            const element = document.querySelector(${JSON.stringify(selector)});
            element.scrollIntoView({ block: "nearest" });
            const box = element.getBoundingClientRect();
            return [box.left + box.width * ${part}, box.top + box.height / 2];
        })()`);
    }

    async clickOn(selector, part = 0.5) {
        await this.click(...await this.place(selector, part));
    }

    // The part of the window in which an element is, as a PNG in base64.
    async picture(selector) {
        const clip = await this.evaluate(`(() => {
            const {left, top, width, height} = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect();
            return {x: left + scrollX, y: top + scrollY, width, height, scale: 1};
        })()`);
        return (await this.send("Page.captureScreenshot", { format: "png", clip, captureBeyondViewport: true })).data;
    }

    async screenshot(path) {
        const { data } = await this.send("Page.captureScreenshot", { format: "png" });
        writeFileSync(path, Buffer.from(data, "base64"));
    }

    async close() {
        const ended = new Promise(resolve => this.process.once("exit", resolve));
        this.send("Browser.close").catch(() => {});
        await Promise.race([ended, new Promise(resolve => setTimeout(resolve, 3000))]);
        this.process.kill("SIGKILL");
        rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
    }
}

export const wait = seconds => new Promise(resolve => setTimeout(resolve, 1000 * seconds));
