// What a hand can do: push, feel, change the law, grab, use keys.
import {check, drag, forceOf, placeOf, sleep, until} from './bench.mjs';

// The force on the hand after it has settled: the mean of several pictures.
async function settled(page, device) {
    await sleep(700);
    const sum = [0, 0, 0];
    for (let i = 0; i < 5; ++i) {
        const {force} = await forceOf(page, device);
        force.forEach((x, k) => { sum[k] += x / 5; });
        await sleep(50);
    }
    return sum;
}

// The ghost hand brings the peg into the corner, where it can be pressed on at leisure. Then straight
// left, until the pointer is 15 mm inside the wall at x = 0.
async function pushLeft(page) {
    await page.keyboard.press('r');
    await until(page, 'r does not reset', () => window.palp.stage.latest.time < 1);
    await until(page, 'the ghost hand does not come to the corner', () => window.palp.stage.latest.time > 1.3);
    const at = await placeOf(page, 0);
    const wall = await page.evaluate(() => {
        const {view} = window.palp.stage;
        const inside = view.bodyOf(0, 0).position.clone().setX(-0.015);
        return view.project(inside).x + view.canvas.getBoundingClientRect().left;
    });
    await drag(page, at, wall - at.x, 0);
}

export async function pegInTheWallPushesBack(bench) {
    const page = await bench.page('peg');
    await pushLeft(page);
    const force = await settled(page, 0);
    check(force[0] > 0.5, `dragged to -x, the force is ${force}`);
    const shown = await page.evaluate(() => {
        const {plot} = window.palp.stage.strips.strips[0];
        const size = plot.data[4].filter((x) => x !== null);
        return {last: size.at(-1), arrow: window.palp.stage.view.arrow.visible,
            label: document.querySelector('.force-label').textContent};
    });
    check(Math.abs(shown.last - Math.hypot(...force)) < 0.2 * shown.last, `felt ${Math.hypot(...force)} N, drawn ${shown.last} N`);
    check(shown.arrow, 'no arrow is drawn');
    check(/^\d+(\.\d+)? N$/.test(shown.label), `the label says ${shown.label}`);
    await page.mouse.up();
    await until(page, 'the tool is not given back', () => window.palp.stage.connection.holder === 0);
    return `${force[0].toFixed(2)} N against the drag`;
}

export async function lawsSwitchedWhileTouchingKeepTheForceBounded(bench) {
    const page = await bench.page('peg');
    await pushLeft(page);
    const told = [];
    const begin = (await forceOf(page, 0)).time;
    for (const law of ['penalty', 'cone', 'lcp', 'impulse']) {
        await page.keyboard.press(String(['penalty', 'impulse', 'lcp', 'cone'].indexOf(law) + 1));
        await until(page, `the law does not become ${law}`, (name) => {
            const {stage} = window.palp;
            return stage.world.laws[stage.latest.law] === name
                && document.querySelector(`[data-law="${name}"]`).getAttribute('aria-checked') === 'true';
        }, law);
        told.push(`${law} ${(await settled(page, 0))[0].toFixed(2)} N`);
    }
    const most = await page.evaluate((from) => {
        const {rows} = window.palp.stage.strips;
        let worst = 0;
        for (let i = rows.find(from); i < rows.count; ++i) {
            for (const k of [0, 1, 2]) {
                const x = rows.value(`${window.palp.stage.world.devices[0].name}.force[${k}]`, i);
                if (!Number.isFinite(x)) return Infinity;
                worst = Math.max(worst, Math.abs(x));
            }
        }
        return worst;
    }, begin);
    // The hand is a spring of at most 1000 N/m, as far as the pointer is from the device; a collision may
    // add the limit of the coupling, 15 N. A tenth more is for what swings.
    const stretch = await page.evaluate(() => {
        const {target} = window.palp.stage.touch.grip;
        return Math.hypot(...target.toArray().map((x, i) => x - window.palp.stage.latest.devices[i]));
    });
    const bound = 1100 * stretch + 15;
    check(most <= bound, `a force of ${most} N was written, the bound is ${bound} N`);
    return `${told.join(', ')}; most ${most.toFixed(1)} of ${bound.toFixed(1)} N`;
}

export async function anyBodyCanBeGrabbed(bench) {
    const page = await bench.page('stack');
    const top = 9;
    const at = await placeOf(page, top);
    const before = await page.evaluate((m) => window.palp.stage.view.bodyOf(m, 0).position.toArray(), top);
    await drag(page, at, 90, -40, 20);
    await until(page, 'the box does not follow', ([m, from]) => {
        const now = window.palp.stage.view.bodyOf(m, 0).position.toArray();
        return Math.hypot(...now.map((x, i) => x - from[i])) > 0.02;
    }, [top, before]);
    const device = await page.evaluate(() => window.palp.stage.world.touch.device);
    const {force} = await forceOf(page, device);
    check(force.every(Number.isFinite) && Math.hypot(...force) > 0.1, `the force is ${force}`);
    await page.mouse.up();
    await until(page, 'the tool is not given back', () => window.palp.stage.connection.holder === 0);
    return `${Math.hypot(...force).toFixed(1)} N`;
}

export async function keysMoveStepAndReset(bench) {
    const page = await bench.page('peg');
    await page.keyboard.press('ArrowRight');
    await until(page, 'an arrow key does not take the tool', () => window.palp.stage.connection.mine);
    await page.keyboard.press('Escape');
    await until(page, 'Escape does not let go', () => window.palp.stage.connection.holder === 0);
    await page.keyboard.press(' ');
    await until(page, 'space does not pause', () => window.palp.stage.latest.paused);
    const tick = await page.evaluate(() => window.palp.stage.latest.tick);
    await page.keyboard.press('.');
    await until(page, 'a step is not one tick', (before) => window.palp.stage.latest.tick === before + 1, tick);
    await page.keyboard.press(' ');
    await until(page, 'space does not go on', () => !window.palp.stage.latest.paused);
    await page.keyboard.press('r');
    await until(page, 'r does not reset', (before) => window.palp.stage.latest.tick < before, tick);
    await page.keyboard.press('?');
    await page.waitForSelector('dialog.help[open]');
    await page.keyboard.press('Escape');
    await until(page, 'Escape does not close the help', () => !document.querySelector('dialog'));
}

export async function controlsHaveEffects(bench) {
    const page = await bench.page('slope');
    await page.selectOption('select[aria-label="Integrator"]', 'implicit');
    await page.selectOption('select[aria-label="Speed"]', '0.1');
    await until(page, 'the speed does not change', () => Math.abs(window.palp.stage.latest.speed - 0.1) < 1e-9);
    await page.selectOption('select[aria-label="Rate of the loop"]', {label: '500 Hz · 2 ms'});
    await until(page, 'the step does not change', () => Math.abs(window.palp.stage.latest.step - 0.002) < 1e-9);
    await page.keyboard.press('f');
    const end = await page.evaluate(() => window.palp.stage.strips.window()[1]);
    await sleep(300);
    check(end === await page.evaluate(() => window.palp.stage.strips.window()[1]), 'frozen strips move on');
    const saved = page.waitForEvent('download');
    await page.click('[aria-label="Save what is shown as CSV"]');
    check((await saved).suggestedFilename() === 'palp-strips.csv', 'no table is saved');
    const session = page.waitForEvent('download');
    await page.click('[aria-label^="Download the session"]');
    check((await session).suggestedFilename() === 'slope-session.json', 'no session is saved');
    const theme = await page.evaluate(() => document.documentElement.dataset.theme);
    await page.click('[aria-label="Dark or light"]');
    check(theme !== await page.evaluate(() => document.documentElement.dataset.theme), 'the theme does not change');
}

export async function twoLawsRunSideBySide(bench) {
    const page = await bench.page('peg');
    await page.click('[aria-label^="A/B"]');
    await until(page, 'B does not draw', () => window.palp.stage.compared?.view.built
        && window.palp.stage.compared.view.frames > 2);
    await until(page, 'B has the law of A', () => {
        const {stage} = window.palp;
        return stage.compared.view.last.law !== stage.latest.law;
    });
    await pushLeft(page);
    await settled(page, 0);
    const forces = await page.evaluate(() => {
        const {stage} = window.palp;
        return [stage.latest, stage.compared.view.last].map((picture) => picture.devices[14]);
    });
    check(await page.evaluate(() => window.palp.stage.compared.view.last.law !== window.palp.stage.latest.law),
        'after a reset B has the law of A');
    check(forces.every((x) => x > 0.5), `the forces are ${forces}`);
    await page.mouse.up();
    await page.click('[aria-label^="A/B"]');
    await until(page, 'B stays', () => !document.querySelector('.pane-b'));
    return `A ${forces[0].toFixed(2)} N, B ${forces[1].toFixed(2)} N`;
}
