// A sculpted surface: drawn as it is curved, touched by the finger, and let go.
import {check, drag, isFree, meanForce, placeOf, until, whenStill, worldTime} from './bench.mjs';

const [table, finger] = [0, 1];
const pot = 1; // part of the table

// What is seen of the pot: triangles that follow it, of 100 places about its middle those where it is picked, and
// the colours of its light and shade there.
function seen(page) {
    return page.evaluate(([mechanism, part]) => {
        const {view} = window.palp.stage;
        const body = view.bodyOf(mechanism, part);
        let triangles = 0;
        body.traverse(({geometry}) => {
            if (geometry) triangles += (geometry.index ?? geometry.attributes.position).count / 3;
        });
        view.draw();
        const box = view.canvas.getBoundingClientRect();
        const small = Object.assign(document.createElement('canvas'), {width: box.width, height: box.height});
        const pen = small.getContext('2d', {willReadFrequently: true});
        pen.drawImage(view.canvas, 0, 0, box.width, box.height);
        const middle = view.eye.project(body.position);
        const colours = new Set();
        let places = 0;
        for (let i = 0; i < 100; ++i) {
            const [x, y] = [middle.x + 6 * (i % 10 - 4.5), middle.y + 6 * (Math.floor(i / 10) - 4.5)];
            const hit = view.pick(x + box.left, y + box.top);
            if (hit?.mechanism !== mechanism || hit.part !== part) continue;
            places += 1;
            colours.add(pen.getImageData(x, y, 1, 1).data.join());
        }
        return {triangles, places, colours: colours.size};
    }, [table, pot]);
}

// When the scripted hand is back, after 12 s. From the finger's place on the page to the pot's, and then with the
// wheel away from who looks, until they touch.
async function pushIntoThePot(page) {
    await until(page, 'the script does not end', () => window.palp.stage.latest.time > 12);
    const [from, to] = [await whenStill(page, finger), await placeOf(page, table, pot)];
    await drag(page, from, to.x - from.x, to.y - from.y, 12);
    for (let i = 0; i < 12; ++i) {
        await page.mouse.wheel(0, -60);
        await worldTime(page, 0.15);
        if (await page.evaluate(() => window.palp.stage.latest.contacts.length > 0)) return;
    }
    throw new Error('the finger does not reach the pot');
}

export async function theTeapotIsDrawnTouchedAndLetGo(bench) {
    const page = await bench.at('teapot');
    const {triangles, places, colours} = await seen(page);
    check(triangles > 1000, `the pot is drawn by ${triangles} triangles`);
    check(places > 30, `the pot is seen at ${places} of 100 places`);
    check(colours > 10, `the pot has ${colours} colours at ${places} places`);
    await pushIntoThePot(page);
    await page.mouse.wheel(0, -60);
    await until(page, 'the pot does not push back', () => Math.hypot(...window.palp.stage.latest.devices.subarray(14, 17)) > 0.5);
    await worldTime(page, 0.3);
    const force = Math.hypot(...await meanForce(page, 0));
    check(force > 0.3 && force < 50, `a push gives ${force} N`);
    await page.mouse.up();
    await isFree(page);
    await until(page, 'a force is left behind', () => Math.hypot(...window.palp.stage.latest.devices.subarray(14, 17)) < 0.02);
    await worldTime(page, 0.5);
    const left = Math.hypot(...await meanForce(page, 0));
    check(left < 0.05, `${left} N are left`);
    return `${triangles} triangles, ${colours} colours at ${places} places; ${force.toFixed(2)} N, then ${left.toFixed(3)} N`;
}
