// A server and a browser, and what tests ask of them. One page is used again and again: a scene is opened
// by the address behind its #, as people do, and that is much faster than a new page.
import {spawn} from 'node:child_process';
import {accessSync, constants, readFileSync, readdirSync} from 'node:fs';
import {createServer} from 'node:net';
import {delimiter, dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {chromium} from 'playwright-core';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const flags = ['--no-sandbox', '--enable-unsafe-swiftshader', '--disable-gpu-rasterization',
    '--disable-accelerated-2d-canvas'];
// Small, because software draws it.
const size = {width: 920, height: 520};

export function check(fact, message) {
    if (!fact) throw new Error(message);
}

/// Of all scenes.
export function names() {
    return readdirSync(join(root, 'scenes')).filter((f) => f.endsWith('.json') && f !== 'scene.schema.json')
        .map((f) => f.slice(0, -5)).sort();
}

export const sceneOf = (name) => JSON.parse(readFileSync(join(root, 'scenes', `${name}.json`), 'utf8'));

/// Some of a list, by the seed: the same ones on every machine.
export function draw(list, count, seed) {
    let state = seed >>> 0;
    const next = () => {
        state = Math.imul(state, 1664525) + 1013904223 >>> 0;
        return state / 2 ** 32;
    };
    const left = [...list];
    const chosen = [];
    while (chosen.length < count && left.length > 0) chosen.push(...left.splice(Math.floor(next() * left.length), 1));
    return chosen.sort();
}

export const sleep = (ms) => new Promise((done) => { setTimeout(done, ms); });

function canRun(path) {
    try {
        accessSync(path, constants.X_OK);
        return true;
    } catch { return false; }
}

/// $CHROMIUM, else chromium on the PATH.
export function findBrowser() {
    const own = process.env.CHROMIUM;
    const list = own ? [own] : (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'chromium'));
    const found = list.find(canRun);
    if (found) return found;
    throw new Error(own ? `CHROMIUM names ${own}, which cannot be run`
        : 'chromium is not on the PATH: install it, or name it by CHROMIUM');
}

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
        const executablePath = findBrowser();
        const bench = new Bench();
        Object.assign(bench, {binary, extra: [], complaints: [], requests: [], port: await freePort()});
        // A test that breaks off leaves no server behind.
        process.on('exit', () => bench.server?.kill());
        for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
        await bench.serve();
        bench.browser = await chromium.launch({executablePath, args: flags});
        return bench;
    }

    get address() { return `http://127.0.0.1:${this.port}/`; }

    async serve() {
        this.server = spawn(this.binary, ['serve', '--port', String(this.port), '--view', join(root, 'view')],
            {cwd: root, stdio: 'ignore'});
        this.server.on('error', (error) => { this.spawnError = error; });
        for (let i = 0; i < 200; ++i) {
            if (this.spawnError) throw this.spawnError;
            try {
                await fetch(this.address);
                return;
            } catch { await sleep(25); }
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

    // --- pages

    async newPage(options = {}) {
        const page = await this.browser.newPage({viewport: size, colorScheme: 'dark', ...options});
        page.on('console', (m) => this.hear(m));
        page.on('pageerror', (error) => this.complaints.push(error.message));
        page.on('request', (request) => this.requests.push(request.url()));
        page.on('websocket', (socket) => this.requests.push(socket.url()));
        await page.goto(this.address);
        return page;
    }

    /// A page of its own, closed after the test.
    async page(name, options) {
        const page = await this.newPage(options);
        this.extra.push(page);
        if (name) await this.go(page, name);
        return page;
    }

    /// The common page, at the gallery.
    async gallery() {
        this.main ??= await this.newPage();
        await this.main.mouse.up();
        await this.main.setViewportSize(size);
        await this.main.evaluate(() => { location.hash = ''; });
        await this.main.waitForSelector('.gallery');
        return this.main;
    }

    /// The common page with a scene as at its start.
    async at(name) {
        const page = await this.gallery();
        await this.go(page, name);
        await restart(page);
        return page;
    }

    /// Opens a scene, and waits until it is drawn and streams. A test before may have left it paused.
    async go(page, name) {
        await page.evaluate((hash) => { location.hash = hash; }, name);
        await until(page, `${name} is not there`, (scene) => window.palp?.stage?.name === scene && window.palp.stage.latest, name, 30000);
        await page.evaluate(goOn);
        await this.opened(page, name);
    }

    opened(page, name) {
        return until(page, `${name} does not open`, (scene) => {
            const stage = window.palp?.stage;
            return stage?.name === scene && stage.view.built && stage.view.frames > 1 && stage.pictures > 2
                && stage.strips.rows?.count > 5;
        }, name, 30000);
    }

    // --- after a test

    expectQuiet() { check(this.complaints.length === 0, `console: ${this.complaints.slice(0, 3).join(' | ')}`); }

    async clean() {
        await Promise.all(this.extra.map((page) => page.close()));
        this.extra = [];
        this.complaints = [];
    }

    async stop() {
        await this.browser.close();
        if (this.server.exitCode === null) await this.kill('SIGTERM');
    }
}

// Runs in the page. Pictures of before the reset are told by their ticks.
async function beginAnew() {
    const {kind} = await import('./protocol.js');
    const {stage} = window.palp;
    stage.connection.send(kind.resume);
    stage.connection.send(kind.speed, {value: 1});
    stage.connection.send(kind.step, {value: stage.world.step});
    let before = stage.latest.tick;
    const begun = new Promise((done) => {
        stage.connection.addEventListener('picture', ({detail: {tick}}) => {
            if (tick < before) done();
            before = tick;
        });
        setTimeout(done, 5000);
    });
    stage.reset();
    await begun;
}

async function goOn() {
    const {kind} = await import('./protocol.js');
    if (window.palp.stage.latest.paused) window.palp.stage.connection.send(kind.resume);
}

/// Pauses the scene before it is left: it runs on for five seconds then, and a large one takes all the time there is.
export function pause(page) {
    return page.evaluate(async () => {
        const {kind} = await import('./protocol.js');
        window.palp.stage.connection.send(kind.pause);
    });
}

/// The scene as at its start, whatever was done to it before: what was let go may have drifted away.
export async function restart(page) {
    await page.evaluate(beginAnew);
    await until(page, 'the scene stays paused', () => !window.palp.stage.latest.paused);
}

/// Waits for a fact of the page. Patient: on a busy machine seconds pass between two frames.
export async function until(page, what, f, argument = null, timeout = 40000) {
    await page.waitForFunction(f, argument, {timeout, polling: 25}).catch(() => { throw new Error(what); });
}

/// Waits until the world has gone on by a time [s].
export async function worldTime(page, span) {
    const from = await page.evaluate(() => window.palp.stage.strips.rows.end);
    await until(page, 'the world stands still', (end) => window.palp.stage.strips.rows.end >= end, from + span, 30000);
}

/// Where a body is on the page.
export function placeOf(page, mechanism, part = 0) {
    return page.evaluate(([m, p]) => {
        const {view} = window.palp.stage;
        const at = view.eye.project(view.bodyOf(m, p).position);
        const box = view.canvas.getBoundingClientRect();
        return {x: at.x + box.left, y: at.y + box.top};
    }, [mechanism, part]);
}

/// The mean force on the hand of a device over the last 0.2 s [N].
export function meanForce(page, device) {
    return page.evaluate((index) => {
        const {strips, world} = window.palp.stage;
        const {rows} = strips;
        const first = rows.find(rows.end - 0.2);
        const sum = [0, 0, 0];
        for (let i = first; i < rows.count; ++i) {
            sum.forEach((_, k) => { sum[k] += rows.value(`${world.devices[index].name}.force[${k}]`, i); });
        }
        return sum.map((x) => x / (rows.count - first));
    }, device);
}

export function isHeld(page) {
    return until(page, 'pressing on the body does not hold it', () => window.palp.stage.touch.grip?.taken);
}

/// The first device feels a force to +x of more than 0.5 N, in a picture and then in the rows.
export async function pushesBack(page) {
    await until(page, 'nothing opposes a pull to -x', () => window.palp.stage.latest.devices[14] > 0.5);
    const time = await page.evaluate(() => window.palp.stage.latest.time);
    await until(page, 'rows do not come', (from) => window.palp.stage.strips.rows.end > from + 0.5, time);
}

export function isFree(page) {
    return until(page, 'the tool is not given back', () => window.palp.stage.connection.holder === 0);
}

/// Waits until a body stands still, so that it can be pressed on at leisure; then says where it is.
export async function whenStill(page, mechanism) {
    await page.evaluate(() => { window.restOf = undefined; });
    await until(page, 'it does not come to rest', (m) => {
        const now = window.palp.stage.view.bodyOf(m, 0).position.clone();
        const before = window.restOf ?? {at: now, since: performance.now()};
        const moved = before.at.distanceTo(now) > 2e-4 || window.palp.stage.latest.time < 0.6;
        window.restOf = moved ? {at: now, since: performance.now()} : before;
        return performance.now() - window.restOf.since > 150;
    }, mechanism);
    return placeOf(page, mechanism);
}

// As a person does: who misses a body that still moves, presses again.
async function press(page, at, tries = 3) {
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    if (tries === 1) return isHeld(page);
    const held = await page.waitForFunction(() => window.palp.stage.touch.grip?.taken, null, {timeout: 6000, polling: 25})
        .catch(() => null);
    if (held) return held;
    await page.mouse.up();
    await sleep(500);
    return press(page, at, tries - 1);
}

/// Presses at a point and moves by (dx, dy) in steps, as a hand does.
export async function drag(page, from, dx, dy, steps = 8) {
    await press(page, from);
    for (let i = 1; i <= steps; ++i) {
        await page.mouse.move(from.x + dx * i / steps, from.y + dy * i / steps);
        await sleep(16);
    }
}
