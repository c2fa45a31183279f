// Makes the pictures of the documents: the whole page, as people see it, in a browser without a window.
// usage: node doc/pictures/make.mjs PALP_BINARY [NAME ...]     after npm ci in view and in test/page
import {writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {Bench, restart, sleep, until} from '../../test/page/bench.mjs';

const folder = dirname(fileURLToPath(import.meta.url));
const size = {width: 1280, height: 760};

// Scenes, and the time of their world at which there is most to see [s].
const pictures = {teapot: 2.5};

/// A browser packs webp, which is a quarter of its own png.
function pack(page, png) {
    return page.evaluate(async (text) => {
        const image = new Image();
        image.src = `data:image/png;base64,${text}`;
        await image.decode();
        const canvas = document.createElement('canvas');
        Object.assign(canvas, {width: image.width, height: image.height});
        canvas.getContext('2d').drawImage(image, 0, 0);
        return canvas.toDataURL('image/webp', 0.88).split(',')[1];
    }, png.toString('base64'));
}

async function setPause(page, paused) {
    const is = (wanted) => window.palp.stage.latest.paused === wanted && window.palp.stage.bar.paused === wanted;
    if (!await page.evaluate(is, paused)) await page.evaluate(() => window.palp.stage.bar.togglePause());
    await until(page, 'the pause button does nothing', is, paused, 120000);
}

// While the world runs to its moment nothing is drawn: software would only take time from it.
async function make(bench, page, name, moment) {
    await bench.go(page, name);
    await page.evaluate(() => window.palp.stage.view.painter.three.setAnimationLoop(null));
    await setPause(page, false);
    await restart(page);
    await page.waitForFunction((time) => window.palp.stage.latest.time >= time, moment, {timeout: 300000, polling: 5});
    await setPause(page, true);
    await sleep(1500); // the strips are drawn now and then
    await page.evaluate(() => {
        const {view} = window.palp.stage;
        view.resize();
        view.eye.frame();
        view.painter.three.shadowMap.needsUpdate = true;
        view.draw();
    });
    const bytes = Buffer.from(await pack(page, await page.screenshot({timeout: 120000})), 'base64');
    writeFileSync(join(folder, `page-${name}.webp`), bytes);
    console.log(`page-${name}.webp: ${(bytes.length / 1000).toFixed(1)} kB`);
    await setPause(page, false);
}

const [binary, ...chosen] = process.argv.slice(2);
if (!binary) {
    console.error('usage: node doc/pictures/make.mjs PALP_BINARY [NAME ...]');
    process.exit(2);
}
const bench = await Bench.start(binary);
const page = await bench.page(undefined, {viewport: size});
await page.goto(`${bench.address}?best`);
await page.addStyleTag({content: '.hint {display: none !important}'});
for (const [name, moment] of Object.entries(pictures)) {
    if (chosen.length === 0 || chosen.includes(name)) await make(bench, page, name, moment);
}
await bench.stop();
