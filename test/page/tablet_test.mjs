// Fingers on a tablet: they hold the tool as a mouse does, and find what they must press.
import {check, isFree, isHeld, meanForce, pushesBack, restart, sleep, whenStill} from './bench.mjs';

const tablet = {viewport: {width: 1024, height: 768}, hasTouch: true, isMobile: true, colorScheme: 'dark'};

async function finger(page) {
    const session = await page.context().newCDPSession(page);
    const send = (type, points) => session.send('Input.dispatchTouchEvent', {type,
        touchPoints: points.map(([x, y]) => ({x, y}))});
    return {
        down: (x, y) => send('touchStart', [[x, y]]),
        move: (x, y) => send('touchMove', [[x, y]]),
        up: () => send('touchEnd', []),
    };
}

export async function fingerDrivesTheTool(bench) {
    const page = await bench.page('peg', tablet);
    await restart(page);
    await page.evaluate(() => window.addEventListener('pointerdown',
        (event) => { window.pressedBy = event.pointerType; }, {capture: true}));
    const at = await whenStill(page, 0);
    const hand = await finger(page);
    await hand.down(at.x, at.y);
    await isHeld(page);
    for (let i = 1; i <= 8; ++i) {
        await hand.move(at.x - 12 * i, at.y);
        await sleep(16);
    }
    await pushesBack(page);
    const force = await meanForce(page, 0);
    check(await page.evaluate(() => window.pressedBy) === 'touch', 'it was no finger');
    check(force[0] > 0.5, `a finger pulls to -x, the force is ${force}`);
    check(await page.evaluate(() => window.scrollX === 0 && window.scrollY === 0), 'the page scrolls under the finger');
    await hand.up();
    await isFree(page);
    await targetsAreLarge(page);
    return `${force[0].toFixed(2)} N against the finger`;
}

// A finger needs 40 px in one direction and 34 in the other, and nothing that lies outside of the page.
async function targetsAreLarge(page) {
    const targets = '.bar button, .bar select, .bar a, .strip-tools button, .frame-button';
    const small = await page.$$eval(targets, (all) => all.map((one) => {
        const {width, height, right, bottom} = one.getBoundingClientRect();
        const fits = right <= innerWidth && bottom <= innerHeight;
        return Math.max(width, height) >= 40 && Math.min(width, height) >= 34 && fits ? null
            : `${one.getAttribute('aria-label') ?? one.textContent} ${width.toFixed(0)} x ${height.toFixed(0)}`;
    }).filter(Boolean));
    check(small.length === 0, `too small for a finger: ${small}`);
}
