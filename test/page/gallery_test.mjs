// What there is to see: cards of all scenes, and each scene drawn and alive.
import {check, draw, isFree, names, pause, sceneOf, until} from './bench.mjs';

export async function galleryListsEveryScene(bench) {
    const page = await bench.gallery();
    const shown = await page.$$eval('.card', (cards) => cards.map((card) => card.dataset.scene).sort());
    check(JSON.stringify(shown) === JSON.stringify(names()), `cards ${shown} and scenes ${names()}`);
    const missing = await page.$$eval('.card', (cards) => cards.filter((card) => !card.querySelector('h2').textContent
        || !card.querySelector('p').textContent || !/Hz/.test(card.querySelector('.badge').textContent)).length);
    check(missing === 0, `${missing} cards lack a title, a line or a rate`);
    await page.evaluate(() => document.querySelectorAll('img').forEach((image) => { image.loading = 'eager'; }));
    await until(page, 'pictures do not load', () => [...document.images].every((image) => image.complete));
    const bare = await page.$$eval('.no-picture', (list) => list.map((box) => box.closest('.card').dataset.scene));
    check(bare.length === 0, `no picture of ${bare}: node view/pictures.mjs makes it`);
    return `${shown.length} scenes`;
}

export async function cardsNameTheirPapers(bench) {
    const page = await bench.gallery();
    const told = await page.$$eval('.card', (cards) => Object.fromEntries(cards.map((card) =>
        [card.dataset.scene, card.querySelector('.card-paper')?.textContent ?? ''])));
    const wrong = names().filter((name) => Boolean(sceneOf(name).paper) !== (told[name] !== ''));
    check(wrong.length === 0, `the card and the scene disagree on the paper of ${wrong}`);
    return `${Object.values(told).filter(Boolean).length} of ${names().length} come from a paper`;
}

// Waits until the picture, made small, changes, and not because the eye moved. How many colours it has, and
// whether it changed. Marks of the hand are left out: the page draws them by itself.
function look(page, patience) {
    return page.evaluate(async (time) => {
        const {view} = window.palp.stage;
        const small = Object.assign(document.createElement('canvas'), {width: 160, height: 100});
        const pen = small.getContext('2d', {willReadFrequently: true});
        const read = () => {
            view.draw();
            const {hand, spring, arrow} = view.felt;
            for (const mark of [hand, spring, arrow]) mark.visible = false;
            view.painter.render(view.scene, view.eye.camera);
            pen.drawImage(view.canvas, 0, 0, 160, 100);
            return new Uint32Array(pen.getImageData(0, 0, 160, 100).data.buffer.slice(0));
        };
        const eye = () => view.eye.camera.matrixWorld.elements.slice();
        // The controls drift by the last digits of a double; no pixel shows that.
        const still = (a, b) => a.every((x, i) => Math.abs(x - b[i]) < 1e-9 * view.eye.size);
        let [first, from] = [read(), eye()];
        const end = performance.now() + time;
        let changed = false;
        while (!changed && performance.now() < end) {
            await new Promise((done) => { setTimeout(done, 30); });
            const now = read();
            if (still(eye(), from)) changed = now.some((x, i) => x !== first[i]);
            else [first, from] = [now, eye()];
        }
        return {colours: new Set(first).size, changed};
    }, patience);
}

// Some scenes are at rest; then what a hand pulls must move.
async function looksAlive(page, name) {
    const {colours, changed} = await look(page, 150);
    check(colours > 20, `${name}: the canvas has ${colours} colours`);
    if (changed) return;
    for (let i = 0; i < 6; ++i) await page.keyboard.press('ArrowUp');
    check((await look(page, 10000)).changed, `${name}: nothing moves, even when it is pulled`);
    await page.keyboard.press('Escape');
    await isFree(page);
}

async function streams(page, name) {
    const before = await page.evaluate(() => [window.palp.stage.latest.sequence, window.palp.stage.strips.rows.end]);
    await until(page, `${name}: pictures or rows do not come`, ([sequence, end]) =>
        window.palp.stage.latest.sequence > sequence && window.palp.stage.strips.rows.end > end, before);
}

// Tubes that a scene's springs, beams and cords are drawn as.
const tubes = {'slider-tie': 2, 'oscillator': 1, 'oscillator-stiff': 1, 'arm': 2, 'beam': 1, 'chain12': 12, 'spring-so3': 1,
    'spring-so3-spin': 1, 'finger': 6, 'tree': 5, 'peg-in-hole-touch': 2};

async function showsItsSprings(page, name) {
    const drawn = await page.evaluate(() => {
        let count = 0;
        window.palp.stage.view.scene.traverse(({places}) => {
            if (places?.array.some((x) => x !== 0) && places.array.every(Number.isFinite)) count += 1;
        });
        return count;
    });
    check(drawn === (tubes[name] ?? 0), `${name}: ${drawn} springs, beams and cords are drawn, not ${tubes[name] ?? 0}`);
}

export async function everySceneDrawsAndStreams(bench) {
    const page = await bench.gallery();
    const chosen = draw(names(), bench.sample, bench.seed);
    for (const name of chosen) {
        await bench.go(page, name);
        await looksAlive(page, name);
        await showsItsSprings(page, name);
        await streams(page, name);
        await pause(page);
    }
    return bench.sample < names().length ? `${chosen} (seed ${bench.seed})` : `${chosen.length} scenes`;
}

// The end of the beam as it is drawn, and the body that rides on it.
export async function beamBendsToItsEnd(bench) {
    const page = await bench.at('beam');
    await page.keyboard.press(' ');
    await until(page, 'space does not pause', () => window.palp.stage.latest.paused);
    await until(page, 'rows of the last tick do not come', () => window.palp.stage.strips.rows.end
        >= window.palp.stage.latest.time - 1e-9);
    const [gap, bend] = await page.evaluate(() => {
        const {view} = window.palp.stage;
        view.before = view.last;
        view.draw();
        let wire = null;
        view.scene.traverse((mesh) => { if (mesh.places) wire = mesh; });
        const points = wire.places.array;
        const ring = 3 * wire.sides;
        const tip = [0, 1, 2].map((k) => {
            let sum = 0;
            for (let i = points.length - ring; i < points.length; i += 3) sum += points[i + k];
            return sum / wire.sides;
        });
        const end = view.bodyOf(0, 1).position.toArray();
        return [Math.hypot(...tip.map((x, k) => x - end[k])), Math.abs(end[1])];
    });
    // Poses come as 32-bit numbers, 6e-8 of a metre; the row is that of the same tick.
    check(gap < 1e-5, `the beam ends ${gap} m beside its end`);
    return `end ${(1000 * bend).toFixed(1)} mm aside, drawn within ${gap.toExponential(1)} m`;
}

export async function unknownSceneIsExplained(bench) {
    const page = await bench.gallery();
    await page.evaluate(() => { location.hash = 'no-such-scene'; });
    await page.waitForSelector('.failed');
    const text = await page.textContent('.failed');
    check(text.includes('no-such-scene'), `it says ${text}`);
}

/// Of all tests before, and of the ways through the page here. The page itself forbids others.
export async function noRequestLeavesTheServer(bench) {
    const page = await bench.at('peg');
    await page.keyboard.press('?');
    await page.waitForSelector('dialog[open]');
    await page.keyboard.press('Escape');
    const own = [bench.address, bench.address.replace('http', 'ws'), 'data:', `blob:${bench.address}`];
    const foreign = bench.requests.filter((address) => !own.some((start) => address.startsWith(start)));
    check(foreign.length === 0, `requests to ${foreign.slice(0, 3)}`);
    check(bench.requests.some((address) => address.startsWith('ws')), 'no WebSocket was seen');
    const refused = await page.evaluate(() => new Promise((done) => {
        document.addEventListener('securitypolicyviolation', () => done(true), {once: true});
        fetch('http://192.0.2.1/').catch(() => setTimeout(() => done(false), 500));
    }));
    check(refused, 'the page lets a request to another server go');
    // That the browser says so is what was asked for.
    bench.complaints = bench.complaints.filter((text) => !/Content Security Policy/.test(text));
    return `${bench.requests.length} requests`;
}
