// What everybody must be able to read and reach: contrast, names and focus of all controls.
import {check, until} from './bench.mjs';

// WCAG 2.1 AA: 4.5 to 1, and 3 to 1 for large text (24 px, or 18.66 px and bold). All that is not opaque
// counts by the worse of black and white behind it: it may lie over the view.
function faint(page, where) {
    return page.evaluate((place) => {
        const parse = (text) => {
            const n = text.match(/-?[\d.]+(e-?\d+)?/g).map(Number);
            const unit = text.startsWith('color(') ? 255 : 1;
            return {rgb: n.slice(0, 3).map((x) => x * unit), alpha: n[3] ?? 1};
        };
        const over = (a, b) => ({rgb: a.rgb.map((x, i) => a.alpha * x + (1 - a.alpha) * b.rgb[i]), alpha: 1});
        const light = ({rgb}) => rgb.map((x) => x / 255)
            .map((x) => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)
            .reduce((sum, x, i) => sum + [0.2126, 0.7152, 0.0722][i] * x, 0);
        const ratio = (a, b) => {
            const [low, high] = [light(a), light(b)].sort((x, y) => x - y);
            return (high + 0.05) / (low + 0.05);
        };
        // Colours from the element outwards, until one is opaque; over the view there is none.
        const layers = (element) => {
            const list = [];
            for (let e = element; e; e = e.parentElement) {
                const own = parse(getComputedStyle(e).backgroundColor);
                if (own.alpha > 0) list.push(own);
                if (own.alpha === 1) return {list, open: false};
                if (e.classList.contains('middle') || e.classList.contains('card-picture')) return {list, open: true};
            }
            return {list, open: false};
        };
        const worst = (element, colour) => {
            const {list, open} = layers(element);
            const grey = (x) => ({rgb: [x, x, x], alpha: 1});
            const grounds = open ? [grey(0), grey(255)] : [list.pop() ?? grey(255)];
            return Math.min(...grounds.map((ground) => {
                const back = list.reduceRight((below, layer) => over(layer, below), ground);
                return ratio(over(colour, back), back);
            }));
        };
        const seen = (element) => element.checkVisibility({opacityProperty: true, visibilityProperty: true});
        const found = [];
        let count = 0;
        let least = Infinity;
        const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        while (walk.nextNode()) {
            const element = walk.currentNode.parentElement;
            const text = walk.currentNode.textContent.trim();
            if (!text || !seen(element)) continue;
            const style = getComputedStyle(element);
            const size = parseFloat(style.fontSize);
            const large = size >= 24 || size >= 18.66 && Number(style.fontWeight) >= 700;
            const r = worst(element, parse(style.color));
            count += 1;
            least = Math.min(least, large ? r * 1.5 : r);
            if (r < (large ? 3 : 4.5)) found.push(`${place}: "${text.slice(0, 30)}" ${r.toFixed(2)}`);
        }
        return {found, count, least};
    }, where);
}

// Numbers at the axes are drawn on a canvas, with these two.
function axes(page) {
    return page.evaluate(() => {
        const style = getComputedStyle(document.documentElement);
        const light = (name) => {
            const n = parseInt(style.getPropertyValue(`--${name}`).trim().slice(1), 16);
            return [n >> 16, n >> 8 & 255, n & 255].map((x) => x / 255)
                .map((x) => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)
                .reduce((sum, x, i) => sum + [0.2126, 0.7152, 0.0722][i] * x, 0);
        };
        const [low, high] = ['muted', 'surface'].map(light).sort((a, b) => a - b);
        return (high + 0.05) / (low + 0.05);
    });
}

async function setTheme(page, theme) {
    const now = await page.evaluate(() => document.documentElement.dataset.theme);
    if (now !== theme) await page.click('[aria-label="Dark or light"]');
}

// Everything that says something, in one theme: the panel, both sides, the help, a notice and a message.
async function allWords(bench, theme) {
    let page = await bench.gallery();
    await setTheme(page, theme);
    const all = [await faint(page, `${theme} gallery`)];
    page = await bench.at('peg');
    await page.keyboard.press('p');
    await page.evaluate(() => {
        const {stage} = window.palp;
        stage.say('A message.', true);
        stage.state({up: false, why: 'a reason'});
    });
    await until(page, 'no message', () => getComputedStyle(document.querySelector('.toast')).opacity === '1');
    all.push(await faint(page, `${theme} scene`));
    await page.evaluate(() => window.palp.stage.state({up: true}));
    await page.click('[aria-label^="A/B"]');
    await until(page, 'no card of B', () => document.querySelector('.pane-b .verdict')?.textContent);
    all.push(await faint(page, `${theme} sides`));
    await page.keyboard.press('?');
    await page.waitForSelector('dialog[open]');
    all.push(await faint(page, `${theme} help`));
    await page.keyboard.press('Escape');
    const numbers = await axes(page);
    check(numbers >= 4.5, `${theme}: numbers at the axes have a contrast of ${numbers}`);
    return all;
}

export async function allTextHasContrast(bench) {
    const all = [...await allWords(bench, 'light'), ...await allWords(bench, 'dark')];
    const found = all.flatMap((one) => one.found);
    check(found.length === 0, `${found.length} too faint: ${found.slice(0, 6).join('; ')}`);
    const count = all.reduce((sum, one) => sum + one.count, 0);
    return `${count} texts, least ${Math.min(...all.map((one) => one.least)).toFixed(2)} to 1`;
}

// What can be used now: seen, and not switched off.
const controls = 'button, select, input, a[href], canvas[tabindex="0"]';

async function nameless(page) {
    return page.$$eval(controls, (all) => all.filter((one) => {
        const label = one.getAttribute('aria-label') ?? one.textContent ?? '';
        const told = label.trim() || one.closest('label')?.textContent.trim();
        return !told && one.checkVisibility();
    }).map((one) => one.outerHTML.slice(0, 80)));
}

// Goes on by Tab until the focus comes around. Those that are reached, and those without a ring.
async function goAround(page) {
    await page.evaluate(() => document.activeElement.blur());
    const count = await page.$$eval(controls, (all) => {
        const seen = all.filter((one) => one.checkVisibility({visibilityProperty: true}));
        seen.forEach((one, i) => { one.dataset.order = i; });
        return seen.length;
    });
    const reached = new Set();
    const plain = [];
    for (let i = 0; i < count + 4 && reached.size < count; ++i) {
        await page.keyboard.press('Tab');
        const now = await page.evaluate(() => {
            const one = document.activeElement;
            const {outlineStyle, outlineWidth} = getComputedStyle(one);
            return {order: one.dataset.order, name: one.getAttribute('aria-label') ?? one.textContent,
                ring: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2};
        });
        if (now.order === undefined) continue;
        reached.add(now.order);
        if (!now.ring) plain.push(now.name);
    }
    const missed = await page.$$eval('[data-order]', (all, got) => all.filter((one) => !got.includes(one.dataset.order))
        .map((one) => one.getAttribute('aria-label') ?? one.textContent), [...reached]);
    return {count, missed, plain};
}

export async function everyControlHasANameAndIsReachedByTab(bench) {
    let total = 0;
    const go = async (page, where) => {
        const without = await nameless(page);
        check(without.length === 0, `${where}, without a name: ${without}`);
        const {count, missed, plain} = await goAround(page);
        check(missed.length === 0, `${where}, the keyboard does not reach ${missed}`);
        check(plain.length === 0, `${where}, no ring around ${plain}`);
        total += count;
    };
    await go(await bench.gallery(), 'gallery');
    const page = await bench.at('peg');
    await page.keyboard.press('p');
    await page.click('[aria-label^="A/B"]');
    await until(page, 'no card of B', () => document.querySelector('.pane-b select'));
    await go(page, 'scene');
    return `${total} controls`;
}

// A screen reader hears what the eye sees: what the picture is, what is pressed, what is said.
export async function stateIsToldToScreenReaders(bench) {
    const page = await bench.at('peg');
    const found = await page.evaluate(() => {
        const has = (selector) => document.querySelector(selector) !== null;
        return {
            picture: has('canvas[role="application"][aria-label*="Arrow keys"]'),
            law: document.querySelectorAll('[aria-label="Law of contact"] [aria-pressed="true"]').length === 1,
            verdict: has('.verdict[role="status"]'), message: has('.toast[aria-live="polite"]'), fault: has('.notice[role="alert"]'),
            strips: [...document.querySelectorAll('.strip')].every((strip) => strip.getAttribute('aria-label')),
            language: document.documentElement.lang === 'en', heading: document.querySelectorAll('h1').length === 1,
        };
    });
    const missing = Object.keys(found).filter((key) => !found[key]);
    check(missing.length === 0, `not told: ${missing}`);
}

// Every title in the bar of a scene that has all its buttons.
export async function noTitleIsCut(bench) {
    const page = await bench.page('peg', {viewport: {width: 1280, height: 720}});
    const cut = await page.evaluate(async () => {
        const h1 = document.querySelector('.bar h1');
        const list = await (await fetch('api/scenes')).json();
        const own = h1.textContent;
        const bad = list.filter(({title}) => {
            h1.textContent = title;
            return h1.scrollHeight > h1.clientHeight + 1 || h1.scrollWidth > h1.clientWidth + 1;
        }).map(({title}) => title);
        h1.textContent = own;
        const {width} = document.querySelector('.bar').getBoundingClientRect();
        if (document.querySelector('.bar').scrollWidth > width + 1) bad.push('the bar itself');
        return bad;
    });
    check(cut.length === 0, `cut at 1280 pixels: ${cut.join(' | ')}`);
}

export async function whereNothingTouchesNoLawIsOffered(bench) {
    const page = await bench.at('pendulum');
    const offered = await page.$$eval('[data-law], [aria-label^="A/B"]', (all) => all.length);
    check(offered === 0, `${offered} buttons offer laws`);
    const law = await page.evaluate(() => window.palp.stage.latest.law);
    await page.keyboard.press('1');
    await page.keyboard.press('p');
    await page.waitForSelector('.panel:not([hidden])');
    const words = await page.textContent('.panel');
    check(words.includes('Nothing here has a shape') && !words.includes('Law of contact'), `the panel says ${words}`);
    check(law === await page.evaluate(() => window.palp.stage.latest.law), 'a key has changed the law');
    await page.keyboard.press('p');
}

export async function thePictureOfContactsHasALegend(bench) {
    const page = await bench.at('stack');
    await page.keyboard.press('p');
    await page.waitForSelector('.legend:not([hidden])', {timeout: 20000});
    const [least, most] = await page.$$eval('.legend .ramp-ends span', (list) => list.map((one) => one.textContent));
    const number = (text) => Number(text.match(/[\d.e+-]+(?= 1\/kg)/)?.[0]);
    check(Math.abs(number(most) / number(least) / 1e4 - 1) < 0.02, `the ends are "${least}" and "${most}"`);
    await page.keyboard.press('p');
    return `${least}, ${most}`;
}
