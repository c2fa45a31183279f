// What a hand can do: push, feel, change the law, grab, use keys.
import {check, drag, isFree, meanForce, placeOf, pushesBack, until, whenStill, worldTime} from './bench.mjs';

// The ghost hand brings the peg into the corner, where it can be pressed on at leisure. Then straight
// left, until the pointer is 15 mm inside the wall at x = 0; then 0.5 s for the force to settle.
async function pushLeft(page) {
    const at = await whenStill(page, 0);
    const wall = await page.evaluate(() => {
        const {view} = window.palp.stage;
        const inside = view.bodyOf(0, 0).position.clone().setX(-0.015);
        return view.eye.project(inside).x + view.canvas.getBoundingClientRect().left;
    });
    await drag(page, at, wall - at.x, 0);
    await pushesBack(page);
}

export async function pegInTheWallPushesBack(bench) {
    const page = await bench.at('peg');
    await pushLeft(page);
    const force = await meanForce(page, 0);
    check(force[0] > 0.5, `dragged to -x, the force is ${force}`);
    const size = Math.hypot(...force);
    await until(page, `felt ${size} N, and the strip shows another force`, (felt) => {
        const {plot} = window.palp.stage.strips.strips[0];
        const drawn = plot.data[4].filter((x) => x !== null).at(-1);
        return Math.abs(drawn - felt) < 0.1 * felt;
    }, size, 3000);
    const {arrow, along, off, label} = await page.evaluate(() => {
        const {view, touch} = window.palp.stage;
        view.draw();
        const [a, b] = [view.felt.hand.position, touch.grip.target].map((at) => view.eye.project(at));
        return {arrow: view.felt.arrow.visible, along: view.feel.tip.x - view.feel.site.x,
            off: Math.hypot(a.x - b.x, a.y - b.y), label: document.querySelector('.force-label').textContent};
    });
    check(arrow && along > 0, 'no arrow against the drag is drawn');
    check(off < 1, `the hand is drawn ${off} pixels beside the pointer`);
    check(/^\d+(\.\d+)? N$/.test(label), `the label says ${label}`);
    await page.mouse.up();
    await isFree(page);
    return `${force[0].toFixed(2)} N against the drag`;
}

async function switchTo(page, law) {
    const number = await page.evaluate((name) => window.palp.stage.world.laws.indexOf(name) + 1, law);
    await page.keyboard.press(String(number));
    await until(page, `the law does not become ${law}`, (name) => {
        const {stage} = window.palp;
        return stage.world.laws[stage.latest.law] === name
            && document.querySelector(`[data-law="${name}"]`).getAttribute('aria-pressed') === 'true';
    }, law);
    await worldTime(page, 0.5);
}

// The largest force that was written since a time, on any axis [N].
function largest(page, since) {
    return page.evaluate((from) => {
        const {strips: {rows}, world} = window.palp.stage;
        let worst = 0;
        for (let i = rows.find(from); i < rows.count; ++i) {
            for (const k of [0, 1, 2]) {
                const x = rows.value(`${world.devices[0].name}.force[${k}]`, i);
                if (!Number.isFinite(x)) return Infinity;
                worst = Math.max(worst, Math.abs(x));
            }
        }
        return worst;
    }, since);
}

export async function lawsSwitchedWhileTouchingKeepTheForceBounded(bench) {
    const page = await bench.at('peg');
    await pushLeft(page);
    const told = [];
    const begin = await page.evaluate(() => window.palp.stage.latest.time);
    for (const law of ['penalty', 'cone', 'lcp', 'impulse']) {
        await switchTo(page, law);
        told.push(`${law} ${(await meanForce(page, 0))[0].toFixed(2)} N`);
    }
    const most = await largest(page, begin);
    // The hand is a spring of at most 1000 N/m, as far as the pointer is from the device; a collision may
    // add the limit of the coupling, 15 N. A tenth more is for what swings.
    const stretch = await page.evaluate(() => {
        const {target} = window.palp.stage.touch.grip;
        return Math.hypot(...target.toArray().map((x, i) => x - window.palp.stage.latest.devices[i]));
    });
    const bound = 1100 * stretch + 15;
    check(most <= bound, `a force of ${most} N was written, the bound is ${bound} N`);
    await page.mouse.up();
    await isFree(page);
    return `${told.join(', ')}; most ${most.toFixed(1)} of ${bound.toFixed(1)} N`;
}

export async function anyBodyCanBeGrabbed(bench) {
    const page = await bench.at('stack');
    const top = 9;
    const at = await placeOf(page, top);
    const before = await page.evaluate((m) => window.palp.stage.view.bodyOf(m, 0).position.toArray(), top);
    await drag(page, at, 90, -40, 12);
    await until(page, 'the box does not follow', ([m, from]) => {
        const now = window.palp.stage.view.bodyOf(m, 0).position.toArray();
        return Math.hypot(...now.map((x, i) => x - from[i])) > 0.02;
    }, [top, before]);
    const device = await page.evaluate(() => window.palp.stage.world.touch.device);
    const force = await meanForce(page, device);
    check(force.every(Number.isFinite) && Math.hypot(...force) > 0.1, `the force is ${force}`);
    await page.mouse.up();
    await isFree(page);
    return `${Math.hypot(...force).toFixed(1)} N`;
}

// Runs in the page: how deep in the view the device that is held is [m], and how it is turned about the axis of
// the view [rad].
function heldDevice() {
    const {view, touch, latest} = window.palp.stage;
    const [, , forward] = view.eye.axes();
    const pose = latest.devices.subarray(26 * touch.grip.device, 26 * touch.grip.device + 7);
    const turn = forward.x * pose[4] + forward.y * pose[5] + forward.z * pose[6];
    return {depth: forward.x * pose[0] + forward.y * pose[1] + forward.z * pose[2],
        angle: 2 * Math.atan2(turn, pose[3]), unit: view.eye.unit()};
}

async function follows(page, what, from, wanted, key) {
    await page.evaluate((f) => { window.heldDevice = new Function(`return (${f})()`); }, heldDevice.toString());
    await until(page, what, ([begin, way, name]) => {
        const moved = window.heldDevice()[name] - begin;
        return Math.abs(moved - way) < 0.25 * Math.abs(way);
    }, [from[key], wanted, key], 20000);
    return (await page.evaluate(heldDevice))[key] - from[key];
}

// 300 of the wheel are 75 units of the view, away from who looks; the body follows through its spring.
export async function theWheelPushesDeeperInSpace(bench) {
    const page = await bench.at('stack');
    await drag(page, await placeOf(page, 9), 0, -60);
    await worldTime(page, 0.5);
    const from = await page.evaluate(heldDevice);
    await page.mouse.wheel(0, -300);
    const way = await follows(page, 'the device does not go deeper', from, 75 * from.unit, 'depth');
    await page.mouse.up();
    await isFree(page);
    return `${(1000 * way).toFixed(1)} mm`;
}

// Out of the corner first, where the walls would not let it turn. 200 of the wheel are 0.4 rad.
export async function theWheelTurnsWhatIsHeldInThePlane(bench) {
    const page = await bench.at('peg');
    await drag(page, await whenStill(page, 0), 70, 70);
    await worldTime(page, 0.5);
    const angle = () => page.evaluate(() => {
        const {quaternion: q} = window.palp.stage.view.bodyOf(0, 0);
        return 2 * Math.atan2(q.z, q.w);
    });
    const before = await angle();
    await page.mouse.wheel(0, -200);
    await until(page, 'the peg does not turn', (from) => {
        const {quaternion: q} = window.palp.stage.view.bodyOf(0, 0);
        return Math.abs(2 * Math.atan2(q.z, q.w) - from - 0.4) < 0.1;
    }, before, 20000);
    const turned = await angle() - before;
    await page.mouse.up();
    await isFree(page);
    return `${turned.toFixed(2)} rad`;
}

export async function shiftAndTheWheelTurnWhatIsHeldInSpace(bench) {
    const page = await bench.at('tap');
    await drag(page, await placeOf(page, 0), 0, -40);
    await worldTime(page, 0.5);
    const from = await page.evaluate(heldDevice);
    await page.keyboard.down('Shift');
    await page.mouse.wheel(0, -200);
    await page.keyboard.up('Shift');
    const angle = await follows(page, 'the device does not turn', from, -0.4, 'angle');
    const {depth} = await page.evaluate(heldDevice);
    check(Math.abs(depth - from.depth) < 10 * from.unit, `it went ${depth - from.depth} m deeper`);
    await page.mouse.up();
    await isFree(page);
    return `${angle.toFixed(2)} rad`;
}

export async function keysMoveStepAndReset(bench) {
    const page = await bench.at('peg');
    await page.keyboard.press('ArrowRight');
    await until(page, 'an arrow key does not take the tool', () => window.palp.stage.connection.mine);
    await page.keyboard.press('Escape');
    await until(page, 'Escape does not let go', () => window.palp.stage.connection.holder === 0);
    await page.keyboard.press(' ');
    await until(page, 'space does not pause', () => window.palp.stage.latest.paused);
    const tick = await page.evaluate(() => window.palp.stage.latest.tick);
    await page.keyboard.press('.');
    await until(page, 'a step is not one tick', (before) => window.palp.stage.latest.tick === before + 1, tick);
    // The bar follows the server, ten times a second.
    await until(page, 'the bar does not show the pause', () => window.palp.stage.bar.paused);
    await page.keyboard.press(' ');
    await until(page, 'space does not go on', () => !window.palp.stage.latest.paused);
    // Late enough that the ticks behind the reset are told from those before it.
    const late = 1500;
    await until(page, 'the world does not go on', (enough) => window.palp.stage.latest.tick > enough, late);
    await page.keyboard.press('r');
    await until(page, 'r does not reset', (enough) => window.palp.stage.latest.tick < enough, late);
    await page.keyboard.press('?');
    await page.waitForSelector('dialog.help[open]');
    await page.keyboard.press('Escape');
    await until(page, 'Escape does not close the help', () => !document.querySelector('dialog'));
}

async function saves(page, selector, name) {
    const saved = page.waitForEvent('download');
    await page.click(selector);
    check((await saved).suggestedFilename() === name, `${name} is not saved`);
}

export async function controlsHaveEffects(bench) {
    const page = await bench.at('slope');
    await page.selectOption('select[aria-label="Integrator"]', 'implicit');
    await page.selectOption('select[aria-label="Speed"]', '0.1');
    await until(page, 'the speed does not change', () => Math.abs(window.palp.stage.latest.speed - 0.1) < 1e-9);
    await page.selectOption('select[aria-label="Rate of the loop"]', {label: '500 Hz · 2 ms'});
    await until(page, 'the step does not change', () => Math.abs(window.palp.stage.latest.step - 0.002) < 1e-9);
    await page.keyboard.press('f');
    const end = await page.evaluate(() => window.palp.stage.strips.window()[1]);
    await worldTime(page, 0.02);
    check(end === await page.evaluate(() => window.palp.stage.strips.window()[1]), 'frozen strips move on');
    await saves(page, '[aria-label="Save what is shown as CSV"]', 'palp-strips.csv');
    await saves(page, '[aria-label="Save the strips as PNG"]', 'palp-strips.png');
    await saves(page, '[aria-label^="Download the session"]', 'slope-session.json');
    const theme = await page.evaluate(() => document.documentElement.dataset.theme);
    await page.click('[aria-label="Dark or light"]');
    check(theme !== await page.evaluate(() => document.documentElement.dataset.theme), 'the theme does not change');
    await page.click('[aria-label="Dark or light"]');
}

export async function twoLawsRunSideBySide(bench) {
    const page = await bench.at('peg');
    await page.click('[aria-label^="A/B"]');
    await until(page, 'B does not draw', () => window.palp.stage.compared?.view.built
        && window.palp.stage.compared.view.frames > 2);
    await until(page, 'B has the law of A', () => {
        const {stage} = window.palp;
        return stage.compared.latest.law !== stage.latest.law;
    });
    await pushLeft(page);
    // A tick that comes late takes the force of its side away for a moment.
    await until(page, 'a side gives no force', () => {
        const {stage} = window.palp;
        return [stage.latest, stage.compared.latest].every((picture) => picture.devices[14] > 0.5);
    }, null, 10000);
    const forces = await page.evaluate(() => {
        const {stage} = window.palp;
        return [stage.latest, stage.compared.latest].map((picture) => picture.devices[14]);
    });
    await showsB(page, forces);
    await page.mouse.up();
    await page.click('[aria-label^="A/B"]');
    await until(page, 'B stays', () => !document.querySelector('.pane-b'));
    check(await page.evaluate(() => window.palp.stage.strips.strips[0].plot.data.length) === 6, 'the line of B stays');
    return `A ${forces[0].toFixed(2)} N, B ${forces[1].toFixed(2)} N`;
}

// Both forces in one strip, contacts and verdict on the cards of both sides.
async function showsB(page, forces) {
    await until(page, `the strip does not show ${forces}`, (wanted) => {
        const {data} = window.palp.stage.strips.strips[0].plot;
        const last = (k) => data[k]?.filter((x) => x !== null).at(-1) ?? NaN;
        return [last(4), last(6)].every((x, i) => Math.abs(x - wanted[i]) < 0.25 * wanted[i]);
    }, forces, 4000);
    const cards = await page.$$eval('.side', (list) => list.map((side) => [side.querySelector('.side-force').textContent,
        side.querySelector('.side-contacts').textContent, side.querySelector('.verdict').textContent]));
    for (const [force, contacts, verdict] of cards) {
        check(/^\d+(\.\d+)? N$/.test(force), `a card says ${force} of the force`);
        check(/^[1-9]\d* pushing$/.test(contacts), `a card says ${contacts} of the contacts`);
        check(/energy|passive/.test(verdict), `a card says ${verdict} of the energy`);
    }
    check(cards.length === 2, `${cards.length} cards`);
}

// Runs in the page: the fingertip that is shown, as arrow, as strip, and as the contacts of its body say. All of
// one tick, in which it was felt: one that came late writes no force.
async function shownFinger() {
    const {stage} = window.palp;
    const {view, strips, world} = stage;
    const next = () => new Promise((done) => {
        stage.connection.addEventListener('picture', (e) => done(e.detail), {once: true});
    });
    let picture = await next();
    const look = () => {
        view.last = view.before = picture;
        view.draw();
        return view.feel?.size > 0.1;
    };
    while (!look()) picture = await next();
    const {feel, most} = view;
    const arrow = view.felt.arrow.visible;
    while (strips.rows.end < picture.time) await next();
    strips.show(feel.device);
    const row = strips.rows.find(picture.time - 1e-9);
    const {mechanism} = most.tool;
    const sum = [0, 0, 0];
    for (let i = 0; i < picture.contactCount; ++i) {
        const c = picture.contacts.subarray(12 * i, 12 * i + 12);
        const sign = world.shapes[c[10]].mechanism === mechanism ? 1 : world.shapes[c[11]].mechanism === mechanism ? -1 : 0;
        sum.forEach((_, k) => { sum[k] += sign * c[6 + k]; });
    }
    return {name: world.mechanisms[mechanism].name, arrow, force: feel.force.toArray(), sum,
        strip: [0, 1, 2].map((k) => strips.force(row, k)), late: strips.rows.at(row) - picture.time,
        title: document.querySelector('.strip-force h3').textContent};
}

const apart = (a, b) => Math.hypot(...a.map((x, i) => x - b[i]));

export async function fingertipsAreFeltInTheAxesOfTheWorld(bench) {
    const page = await bench.at('peg-in-hole-touch');
    await until(page, 'no fingertip feels the peg', () => window.palp.stage.latest.time > 2.6
        && window.palp.stage.view.feel?.size > 0.1, null, 90000);
    const {name, arrow, force, sum, strip, late, title} = await page.evaluate(shownFinger);
    const size = Math.hypot(...force);
    check(arrow, `no arrow is drawn of ${force}`);
    check(title === `Force at ${name}`, `the strip says ${title}, felt is ${name}`);
    // Pictures have 32-bit numbers, of forces and of the pose.
    check(apart(strip, force) < 1e-4 * size, `the strip says ${strip}, the arrow ${force}, ${late} s apart`);
    // Felt is the mean of ten ticks, in which a grip that holds changes little; in other axes it would be far off.
    check(apart(sum, force) < 0.3 * size, `contacts give ${sum}, the arrow says ${force}`);
    return `${name} ${size.toFixed(2)} N, ${(100 * apart(sum, force) / size).toFixed(1)} % beside its contacts`;
}

// The palm that nobody leads is the person's: it is light, and the keys take it.
export async function theFreePalmIsLightAndTaken(bench) {
    const page = await bench.at('peg-in-hole-touch');
    const light = await page.evaluate(() => {
        const {view: {bodies, paint}, world} = window.palp.stage;
        const is = (body) => body.children.some((mesh) => mesh.material === paint.made.tool);
        return bodies.list.filter(is).map((body) => world.mechanisms[body.userData.mechanism].name);
    });
    check(light.join() === 'left-palm', `light are ${light}`);
    await page.keyboard.press('ArrowUp');
    await until(page, 'an arrow key does not take it', () => window.palp.stage.touch.grip?.taken);
    const held = await page.evaluate(() => window.palp.stage.world.mechanisms[window.palp.stage.touch.grip.grab?.mechanism]?.name);
    check(held === 'left-palm', `the keys take ${held}`);
    await page.keyboard.press('Escape');
    await isFree(page);
}
