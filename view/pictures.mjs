// Makes the pictures of the gallery: opens each scene in a browser without a window, waits for a good
// moment, and saves the view. usage: node view/pictures.mjs PALP_BINARY [NAME ...]
import {mkdirSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {Bench, sleep} from '../test/page/bench.mjs';

const folder = join(dirname(fileURLToPath(import.meta.url)), 'pictures');
const size = {width: 480, height: 300};

// Seconds of the world at which a scene shows what it is about.
const moments = {
    'arch-thin': 1.1, 'peg': 0.49, 'hole': 0.75, 'pantograph': 0.47, 'linkage-held': 1.2, 'linkage': 1.5,
    'box': 0.32, 'pile-50': 0.4, 'pile-200': 0.3, 'pendulum': 0.45, 'pendulum-links': 0.45, 'slope': 0.5, 'tap': 0.6,
    'wall': 0.8, 'socket': 0.3, 'tree': 0.8,
};

// Twice as large as it is shown, then made small: the browser's own antialiasing is coarse.
function snap(page) {
    return page.evaluate(({width, height}) => {
        const {view} = window.palp.stage;
        view.renderer.shadowMap.needsUpdate = true;
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
const bare = '.bar-place, .strips, .line, .hint, .scale, .toast, .frame-button, .force-label, .vignette'
    + '{display: none !important} .stage {grid-template-rows: 1fr !important}';

async function make(bench, page, name) {
    await page.goto(`${bench.address}?best#${name}`);
    await page.reload();
    await bench.opened(page, name);
    await page.addStyleTag({content: bare});
    const reached = moments[name] ?? 1;
    await page.evaluate(() => window.palp.stage.reset());
    await page.waitForFunction((time) => {
        const {stage} = window.palp;
        return stage.latest.time >= time && stage.latest.time < time + 3;
    }, reached, {timeout: 120000, polling: 5});
    await page.evaluate(() => window.palp.stage.bar.togglePause());
    await sleep(500);
    await page.evaluate(() => {
        window.palp.stage.view.resize();
        window.palp.stage.view.frame();
    });
    const bytes = Buffer.from(await snap(page), 'base64');
    writeFileSync(join(folder, `${name}.webp`), bytes);
    await page.evaluate(() => window.palp.stage.bar.togglePause());
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
for (const {name} of scenes) {
    if (chosen.length === 0 || chosen.includes(name)) await make(bench, page, name);
}
await bench.stop();
