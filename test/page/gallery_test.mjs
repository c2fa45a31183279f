// What there is to see: cards of all scenes, and each scene drawn and alive.
import {readdirSync} from 'node:fs';
import {join} from 'node:path';
import {check, root, sleep} from './bench.mjs';

function names() {
    return readdirSync(join(root, 'scenes')).filter((f) => f.endsWith('.json') && f !== 'scene.schema.json')
        .map((f) => f.slice(0, -5)).sort();
}

export async function galleryListsEveryScene(bench) {
    const page = await bench.page();
    await page.waitForSelector('.card');
    const shown = await page.$$eval('.card', (cards) => cards.map((card) => card.dataset.scene).sort());
    check(JSON.stringify(shown) === JSON.stringify(names()), `cards ${shown} and scenes ${names()}`);
    const missing = await page.$$eval('.card', (cards) => cards.filter((card) => !card.querySelector('h2').textContent
        || !card.querySelector('p').textContent || !/Hz/.test(card.querySelector('.badge').textContent)).length);
    check(missing === 0, `${missing} cards lack a title, a line or a rate`);
    await page.evaluate(() => document.querySelectorAll('img').forEach((image) => { image.loading = 'eager'; }));
    await page.waitForFunction(() => [...document.images].every((image) => image.complete));
    const bare = await page.$$eval('.no-picture', (list) => list.map((box) => box.closest('.card').dataset.scene));
    check(bare.length === 0, `no picture of ${bare}: node view/pictures.mjs makes it`);
    return `${shown.length} scenes`;
}

// The canvas, made small: how many colours there are, and the colours themselves.
function look(page) {
    return page.evaluate(() => {
        const {view} = window.palp.stage;
        view.draw();
        const small = document.createElement('canvas');
        [small.width, small.height] = [160, 100];
        const pen = small.getContext('2d');
        pen.drawImage(view.canvas, 0, 0, 160, 100);
        const data = new Uint32Array(pen.getImageData(0, 0, 160, 100).data.buffer);
        return {colours: new Set(data).size, data: Array.from(data)};
    });
}

const differ = (a, b) => a.data.reduce((sum, x, i) => sum + (x !== b.data[i] ? 1 : 0), 0);

// Some scenes are at rest; then a turn of the wheel must change the picture.
async function changes(page) {
    const first = await look(page);
    await sleep(150);
    let second = await look(page);
    if (differ(first, second) > 0) return {first, moved: true};
    await page.mouse.move(300, 200);
    await page.mouse.wheel(0, -240);
    await sleep(150);
    second = await look(page);
    return {first, moved: differ(first, second) > 0};
}

export async function everySceneDrawsAndStreams(bench) {
    const page = await bench.page();
    let rows = 0;
    for (const name of names()) {
        await bench.go(page, name);
        const {first, moved} = await changes(page);
        check(first.colours > 20, `${name}: the canvas has ${first.colours} colours`);
        check(moved, `${name}: the canvas does not change`);
        const before = await page.evaluate(() => [window.palp.stage.latest.sequence, window.palp.stage.strips.rows.end]);
        await page.waitForFunction(([sequence, end]) => window.palp.stage.latest.sequence > sequence
            && window.palp.stage.strips.rows.end > end, before, {timeout: 5000}).catch(() => {
            throw new Error(`${name}: pictures or rows do not come`);
        });
        rows += await page.evaluate(() => window.palp.stage.strips.rows.count);
        const fault = await page.evaluate(() => document.querySelector('.verdict').dataset.state);
        check(fault !== 'fault', `${name}: the verdict is trouble`);
    }
    return `${names().length} scenes, ${rows} rows`;
}

export async function noRequestLeavesTheServer(bench) {
    const page = await bench.page('peg');
    await page.keyboard.press('?');
    await page.waitForSelector('dialog[open]');
    const foreign = [...bench.hosts].filter((host) => host !== `127.0.0.1:${bench.port}` && host !== '');
    check(foreign.length === 0, `requests to ${foreign}`);
}

export async function everyControlHasAName(bench) {
    const page = await bench.page('peg');
    await page.keyboard.press('p');
    const nameless = await page.$$eval('button, select, input, a, canvas[tabindex]', (all) => all.filter((one) => {
        const label = one.getAttribute('aria-label') ?? one.textContent ?? '';
        return label.trim() === '' && !one.closest('label');
    }).map((one) => one.outerHTML.slice(0, 80)));
    check(nameless.length === 0, `without a name: ${nameless}`);
    // From the first control on, each press of Tab must come to another one.
    const seen = new Set();
    await page.evaluate(() => document.activeElement.blur());
    for (let i = 0; i < 40; ++i) {
        await page.keyboard.press('Tab');
        seen.add(await page.evaluate(() => document.activeElement.getAttribute('aria-label')
            ?? document.activeElement.textContent));
    }
    check(seen.size >= 18, `the keyboard reaches only ${seen.size} controls`);
    return `${seen.size} by keyboard`;
}

export async function unknownSceneIsExplained(bench) {
    const page = await bench.page();
    await page.evaluate(() => { location.hash = 'no-such-scene'; });
    await page.waitForSelector('.failed');
    const text = await page.textContent('.failed');
    check(text.includes('no-such-scene'), `it says ${text}`);
}
