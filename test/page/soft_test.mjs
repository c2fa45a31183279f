// Soft bodies: drawn where they are, coloured, and grabbed at any spot.
import {check, drag, isFree, sleep, until} from './bench.mjs';

const farthest = () => window.palp.stage.view.bodies.softs.list[0].most;

export async function softSurfacesAreDrawnWhereTheyAre(bench) {
    const page = await bench.at('soft-table');
    await until(page, 'the table does not bend under the hand', () => window.palp.stage.view.bodies.softs.list[0].most > 1e-3);
    await page.evaluate(() => window.palp.stage.bar.togglePause());
    await until(page, 'it does not stop', () => window.palp.stage.latest.paused);
    await sleep(400);
    const off = await page.evaluate(() => {
        const {view, latest} = window.palp.stage;
        view.draw();
        const [soft] = view.bodies.softs.list;
        const {position} = soft.geometry.attributes;
        const at = soft.body.position.clone();
        let most = 0;
        soft.source.forEach((p, i) => {
            soft.mesh.localToWorld(at.fromBufferAttribute(position, i));
            [at.x, at.y, at.z].forEach((x, k) => { most = Math.max(most, Math.abs(x - latest.points[3 * p + k])); });
        });
        return most;
    });
    await page.evaluate(() => window.palp.stage.bar.togglePause());
    // Numbers of 24 bits, and a table of 0.3 m.
    check(off < 1e-6, `points are drawn ${off} m from where they are`);
    return `${(1000 * await page.evaluate(farthest)).toFixed(1)} mm bent, drawn to ${off.toExponential(1)} m`;
}

// Where a spot of the outer side of a leg is on the page, one that can be seen.
function legOf(page) {
    return page.evaluate(() => {
        const {view} = window.palp.stage;
        const [soft] = view.bodies.softs.list;
        const box = view.canvas.getBoundingClientRect();
        for (let face = 0; 3 * face < soft.shape.triangles.length; ++face) {
            const middle = soft.spot(face).position;
            const at = view.eye.project(middle);
            const hit = middle.z < 0.05 && view.pick(at.x + box.left, at.y + box.top);
            if (hit && hit.part === 1 + face) return {x: at.x + box.left, y: at.y + box.top, part: hit.part};
        }
        return null;
    });
}

export async function anySpotOfASoftBodyCanBeGrabbed(bench) {
    const page = await bench.at('soft-table');
    const leg = await legOf(page);
    check(leg, 'no face of a leg can be seen');
    await drag(page, leg, -60, 0);
    const grab = await page.evaluate(() => window.palp.stage.touch.grip.grab);
    check(grab?.part > 0, `held by ${JSON.stringify(grab)}, and not by a face`);
    const sum = grab.point.reduce((a, b) => a + b);
    check(Math.abs(sum - 1) < 1e-6 && grab.point.every((w) => w > -1e-6), `weights ${grab.point}`);
    await until(page, 'the leg does not follow the hand', () => {
        const {view, touch} = window.palp.stage;
        const {body, point} = view.held ?? {};
        const at = body?.localToWorld(view.eye.centre.clone().fromArray(point));
        return at && at.distanceTo(touch.grip.origin) > 4e-3;
    });
    const force = await page.evaluate(() => Math.hypot(...window.palp.stage.view.feel.force.toArray()));
    await page.mouse.up();
    await isFree(page);
    return `face ${grab.part - 1}, ${force.toFixed(2)} N`;
}

export async function legendSwitchesTheColours(bench) {
    const page = await bench.at('jelly');
    await until(page, 'the jelly does not give way', () => window.palp.stage.view.bodies.softs.list[0].most > 2e-3);
    const spread = () => page.evaluate(() => {
        const {array} = window.palp.stage.view.bodies.softs.list[0].geometry.attributes.color;
        return Math.max(...array.filter((_, i) => i % 3 === 1)) - Math.min(...array.filter((_, i) => i % 3 === 1));
    });
    const shown = await page.textContent('.ways');
    check(/displacement.*mm/.test(shown), `the legend says "${shown}"`);
    const before = await spread();
    await page.click('.ways');
    await until(page, 'the colours stay', () => {
        const {array} = window.palp.stage.view.bodies.softs.list[0].geometry.attributes.color;
        return array.every((x, i) => x === array[i % 3]);
    });
    await page.click('.ways');
    check(before > 0.05, `colours differ by ${before}`);
    await page.evaluate(() => { location.hash = 'peg'; });
    await until(page, 'a scene without soft bodies has a legend', () => window.palp.stage?.name === 'peg'
        && window.palp.stage.pictures > 20 && document.querySelector('.ways').hidden);
    return shown.replace('displacement', '');
}
