// What can go wrong between page and server.
import {check, drag, isFree, restart, until, whenStill} from './bench.mjs';

export async function reloadOpensTheSceneAgain(bench) {
    const page = await bench.page('peg');
    await restart(page);
    await drag(page, await whenStill(page, 0), 30, 20);
    await page.reload();
    await bench.opened(page, 'peg');
    await until(page, 'the vanished hand still holds the tool', () => window.palp.stage.connection.holder === 0);
}

export async function secondHolderIsTold(bench) {
    const [first, second] = [await bench.at('peg'), await bench.page('peg')];
    await drag(first, await whenStill(first, 0), 30, -20);
    await until(second, 'the second tab does not hear of the holder', () => window.palp.stage.connection.holder !== 0);
    const at = await whenStill(second, 0);
    await second.mouse.move(at.x, at.y);
    await second.mouse.down();
    await until(second, 'nothing is said', () =>
        /[Ss]omebody else holds/.test(document.querySelector('.toast.shown')?.textContent ?? ''));
    check(await second.evaluate(() => !window.palp.stage.connection.mine), 'both hold the tool');
    await second.mouse.up();
    await first.mouse.up();
    await until(second, 'the tool does not become free', () => window.palp.stage.connection.holder === 0);
    await restart(second);
    await drag(second, await whenStill(second, 0), 20, -20);
    await until(second, 'the second tab cannot take it now', () => window.palp.stage.connection.mine);
    await second.mouse.up();
    await isFree(second);
}

export async function killedServerIsTold(bench) {
    const page = await bench.at('peg');
    await drag(page, await whenStill(page, 0), 30, -20);
    await bench.kill();
    await until(page, 'nothing is said', () => {
        const notice = document.querySelector('.notice');
        return !notice.hidden && /Connection lost/.test(notice.textContent) && /palp serve/.test(notice.textContent);
    });
    check(await page.evaluate(() => window.palp.stage.touch.grip === null), 'a hand goes on holding nothing');
    await page.mouse.up();
    await bench.serve();
    await until(page, 'the page does not come back by itself', () => document.querySelector('.notice').hidden
        && window.palp.stage.connection.up, null, 12000);
    const sequence = await page.evaluate(() => window.palp.stage.latest.sequence);
    await until(page, 'no pictures come', (before) => window.palp.stage.latest.sequence !== before, sequence);
    // The browser itself complains of sockets that nobody answers; of those there must be some.
    const known = /WebSocket connection|ERR_CONNECTION|Failed to load resource/;
    const own = bench.complaints.filter((text) => !known.test(text));
    check(own.length === 0, `console: ${own}`);
    bench.complaints = [];
}

export async function silentHandLetsGo(bench) {
    const page = await bench.at('peg');
    await drag(page, await whenStill(page, 0), 30, -20);
    // A page that hangs: its timer no longer sends.
    await page.evaluate(() => clearInterval(window.palp.stage.touch.timer));
    await until(page, 'a silent hand keeps the tool', () => window.palp.stage.connection.holder === 0);
    await until(page, 'the page still draws a hand', () => window.palp.stage.touch.grip === null);
    await page.mouse.up();
}
