// A server and a browser, and what tests ask of them.
import {spawn} from 'node:child_process';
import {createServer} from 'node:net';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {chromium} from 'playwright-core';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const browserPath = process.env.PALP_CHROMIUM ?? '/usr/bin/chromium';
const flags = ['--no-sandbox', '--enable-unsafe-swiftshader', '--disable-gpu-rasterization',
    '--disable-accelerated-2d-canvas'];

export function check(fact, message) {
    if (!fact) throw new Error(message);
}

export const sleep = (ms) => new Promise((done) => { setTimeout(done, ms); });

function freePort() {
    return new Promise((done) => {
        const server = createServer().listen(0, '127.0.0.1', () => {
            const {port} = server.address();
            server.close(() => done(port));
        });
    });
}

export class Bench {
    static async start(binary) {
        const bench = new Bench();
        Object.assign(bench, {binary, pages: [], complaints: [], hosts: new Set(), port: await freePort()});
        // A test that breaks off leaves no server behind.
        process.on('exit', () => bench.server?.kill());
        for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
        await bench.serve();
        bench.browser = await chromium.launch({executablePath: browserPath, args: flags});
        return bench;
    }

    get address() { return `http://127.0.0.1:${this.port}/`; }

    async serve() {
        this.server = spawn(this.binary, ['serve', '--port', String(this.port), '--view', join(root, 'view')],
            {cwd: root, stdio: 'ignore'});
        this.server.on('error', (error) => { this.spawnError = error; });
        for (let i = 0; i < 100; ++i) {
            if (this.spawnError) throw this.spawnError;
            try {
                await fetch(this.address);
                return;
            } catch { await sleep(50); }
        }
        throw new Error('the server does not answer');
    }

    kill(signal = 'SIGKILL') {
        return new Promise((done) => {
            this.server.once('exit', done);
            this.server.kill(signal);
        });
    }

    // That software is slow to hand over a picture is no fault of the page.
    hear(message) {
        const told = message.type() === 'error' || message.type() === 'warning';
        if (told && !/GPU stall due to ReadPixels/.test(message.text())) this.complaints.push(message.text());
    }

    async page(hash = '') {
        const page = await this.browser.newPage({viewport: {width: 960, height: 600}, colorScheme: 'dark'});
        this.pages.push(page);
        page.on('console', (m) => this.hear(m));
        page.on('pageerror', (error) => this.complaints.push(error.message));
        page.on('request', (request) => this.hosts.add(new URL(request.url()).host));
        await page.goto(this.address + (hash ? `#${hash}` : ''));
        if (hash) await this.opened(page, hash);
        return page;
    }

    /// Waits until the scene is drawn and streams.
    async opened(page, name) {
        const ready = (scene) => {
            const stage = window.palp?.stage;
            return stage?.name === scene && stage.view.built && stage.view.frames > 1 && stage.pictures > 2
                && stage.strips.rows?.count > 5;
        };
        await page.waitForFunction(ready, name, {timeout: 30000}).catch(() => {
            throw new Error(`${name} does not open`);
        });
    }

    async go(page, name) {
        await page.evaluate((hash) => { location.hash = hash; }, name);
        await this.opened(page, name);
    }

    expectQuiet() { check(this.complaints.length === 0, `console: ${this.complaints.slice(0, 3).join(' | ')}`); }

    async clean() {
        await Promise.all(this.pages.map((page) => page.close()));
        this.pages = [];
        this.complaints = [];
    }

    async stop() {
        await this.browser.close();
        if (this.server.exitCode === null) await this.kill('SIGTERM');
    }
}

/// Where a body is on the page.
export function placeOf(page, mechanism, part = 0) {
    return page.evaluate(([m, p]) => {
        const {view} = window.palp.stage;
        const at = view.project(view.bodyOf(m, p).position);
        const box = view.canvas.getBoundingClientRect();
        return {x: at.x + box.left, y: at.y + box.top};
    }, [mechanism, part]);
}

/// The force on the hand of a device [N], and the time of the picture it is from.
export function forceOf(page, device) {
    return page.evaluate((index) => {
        const picture = window.palp.stage.latest;
        const at = 26 * index + 14;
        return {force: Array.from(picture.devices.subarray(at, at + 3)), time: picture.time, law: picture.law};
    }, device);
}

/// Presses at a point and moves by (dx, dy) in steps, as a hand does.
export async function drag(page, from, dx, dy, steps = 8) {
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.waitForFunction(() => window.palp.stage.touch.grip?.taken, null, {timeout: 15000}).catch(() => {
        throw new Error('pressing on the body does not hold it');
    });
    for (let i = 1; i <= steps; ++i) {
        await page.mouse.move(from.x + dx * i / steps, from.y + dy * i / steps);
        await sleep(20);
    }
}

export async function until(page, what, f, argument = null, timeout = 15000) {
    await page.waitForFunction(f, argument, {timeout}).catch(() => { throw new Error(what); });
}
