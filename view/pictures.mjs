// Makes the pictures of the gallery: opens each scene in a browser without a window, waits for a good
// moment, and saves the view. usage: node view/pictures.mjs PALP_BINARY [NAME ...]
import {mkdirSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {Bench, sleep} from '../test/page/bench.mjs';

const folder = join(dirname(fileURLToPath(import.meta.url)), 'pictures');
const size = {width: 480, height: 300};

// Seconds of the world at which a scene shows what it is about; 0: as it starts, stretched and bent.
const moments = {
    'arch-thin': 0.8, 'arm': 0, 'beam': 0, 'box': 0.32, 'chain12': 0, 'clip': 0.27, 'clip-soft-pipe': 0.27, 'finger': 1.4,
    'hole': 0.75, 'jelly': 1.3, 'linkage': 1.5,
    'linkage-held': 1.2, 'oscillator': 0, 'oscillator-stiff': 0, 'pantograph': 0.47, 'peg': 0.56, 'pendulum': 0.4,
    'pendulum-links': 0.4, 'pile-200': 0.3, 'pile-50': 0.4, 'slider-tie': 0, 'slope': 0.5, 'socket': 0.3, 'spring-so3': 0,
    'soft-table': 2.3, 'peg-in-hole': 7.5, 'peg-in-hole-touch': 4.6, 'tap': 0.6, 'tendon-hand': 3.9, 'tree': 0.8, 'wall': 0.8,
    'four-bar': 0.5, 'knob': 3, 'lever': 1.5, 'teapot': 2.5, 'teapot-impact': 0.95,
};

// Where nothing stands around: only what moves, as near as it fits.
const close = ['arm', 'beam', 'box', 'chain12', 'oscillator', 'oscillator-stiff', 'pendulum', 'pendulum-links', 'slider-tie',
    'spring-so3', 'spring-so3-spin', 'top', 'tree', 'finger', 'peg-in-hole', 'peg-in-hole-touch', 'tendon-hand',
    'clip-soft-pipe', 'jelly', 'soft-table', 'four-bar', 'lever', 'teapot', 'teapot-impact'];

// Towards the eye, where hands would hide from the usual side what they hold; and how much nearer than their box
// fits, whose corners they do not fill.
const sides = {
    'peg-in-hole': {way: [0.25, -1, 0.75], nearer: 0.3}, 'peg-in-hole-touch': {way: [0.25, -1, 0.75], nearer: 0.3},
    'tendon-hand': {way: [0.5, -1, 0.2], nearer: 0},
    'lever': {way: [0.6, -1, -0.4], nearer: 0}, 'teapot-impact': {way: [-0.8, -1, 0.3], nearer: 0},
    'clip': {way: [0.45, -1, 0.22], nearer: 0}, 'clip-soft-pipe': {way: [0.45, -1, 0.22], nearer: 0},
};

// A passive variant is shown as the scene that it comes from.
const likeOf = (name) => name.replace(/-passive$/, '');

function frame(page, name) {
    return page.evaluate(([near, side]) => {
        const {view} = window.palp.stage;
        view.resize();
        view.draw();
        if (side) view.eye.way.fromArray(side.way).normalize();
        if (!near) return view.eye.frame();
        const box = view.eye.bounds.clone().makeEmpty();
        for (const group of [view.links.group, ...view.bodies.solid()]) box.expandByObject(group);
        view.eye.look(box);
        if (side) view.eye.camera.position.lerp(view.eye.controls.target, side.nearer);
        // What is drawn next must not make room again.
        view.eye.moved = true;
    }, [close.includes(likeOf(name)), sides[likeOf(name)] ?? null]);
}

// Twice as large as it is shown, then made small: the browser's own antialiasing is coarse.
function snap(page) {
    return page.evaluate(({width, height}) => {
        const {view} = window.palp.stage;
        view.painter.three.shadowMap.needsUpdate = true;
        view.draw();
        const canvas = document.createElement('canvas');
        Object.assign(canvas, {width, height});
        const pen = canvas.getContext('2d');
        pen.imageSmoothingQuality = 'high';
        pen.drawImage(view.canvas, 0, 0, width, height);
        return canvas.toDataURL('image/webp', 0.86).split(',')[1];
    }, size);
}

// Only the view, in the shape of a card.
const bare = '.bar-place, .strips, .line, .waiting, .notice, .hint, .scale, .ways, .toast, .frame-button, .force-label,'
    + ' .vignette'
    + '{display: none !important} .stage {grid-template-rows: 1fr !important}';

async function setPause(page, paused) {
    const is = (wanted) => window.palp.stage.latest.paused === wanted && window.palp.stage.bar.paused === wanted;
    if (!await page.evaluate(is, paused)) await page.evaluate(() => window.palp.stage.bar.togglePause());
    await page.waitForFunction(is, paused, {timeout: 120000});
}

// Every picture is looked at: of a scene that was just opened, ticks are soon more than before.
async function reset(page) {
    await page.evaluate(() => new Promise((done) => {
        const {stage} = window.palp;
        let before = stage.latest.tick;
        stage.connection.addEventListener('picture', ({detail: {tick}}) => {
            if (tick < before) done();
            before = tick;
        });
        setTimeout(done, 5000);
        stage.reset();
    }));
}

async function make(bench, page, name) {
    const moment = moments[likeOf(name)] ?? 1;
    await bench.go(page, name);
    // Drawing by itself would only take time from the rest.
    await page.evaluate(() => window.palp.stage.view.painter.three.setAnimationLoop(null));
    await setPause(page, moment === 0);
    await reset(page);
    await page.waitForFunction((time) => window.palp.stage.latest.time >= time, moment, {timeout: 120000, polling: 5});
    await setPause(page, true);
    // The last picture must have arrived, and be drawn as it is.
    await sleep(150);
    await frame(page, name);
    const bytes = Buffer.from(await snap(page), 'base64');
    writeFileSync(join(folder, `${name}.webp`), bytes);
    await setPause(page, false);
    console.log(`${name}: ${(bytes.length / 1000).toFixed(1)} kB`);
}

const [binary, ...chosen] = process.argv.slice(2);
if (!binary) {
    console.error('usage: node view/pictures.mjs PALP_BINARY [NAME ...]');
    process.exit(2);
}
mkdirSync(folder, {recursive: true});
const bench = await Bench.start(binary);
const scenes = await (await fetch(`${bench.address}api/scenes`)).json();
const page = await bench.page();
await page.setViewportSize({width: 2 * size.width, height: 2 * size.height});
await page.goto(`${bench.address}?best`);
await page.addStyleTag({content: bare});
for (const {name} of scenes) {
    if (chosen.length === 0 || chosen.includes(name)) await make(bench, page, name);
}
await bench.stop();
