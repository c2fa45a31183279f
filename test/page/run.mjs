// The page in a real browser, against a real server. One line for each test, then "N of M passed"; exits 1
// if any fails. NAME chooses tests by a part of their name; --sample opens only so many scenes, drawn by
// the seed, where all of them would be opened.
import {Bench} from './bench.mjs';
import * as energy from './energy_test.mjs';
import * as gallery from './gallery_test.mjs';
import * as hand from './hand_test.mjs';
import * as link from './link_test.mjs';
import * as look from './look_test.mjs';
import * as soft from './soft_test.mjs';
import * as tablet from './tablet_test.mjs';
import * as teapot from './teapot_test.mjs';

const usage = 'usage: node test/page/run.mjs PALP_BINARY [--sample N] [--seed S] [NAME ...]';

function stopWith(line, code) {
    console.error(line);
    process.exit(code);
}

function takeNumber(list, name, otherwise) {
    const at = list.indexOf(name);
    if (at < 0) return otherwise;
    const [, text] = list.splice(at, 2);
    const x = Number(text);
    if (!Number.isInteger(x) || x < 0) stopWith(usage, 2);
    return x;
}

const words = process.argv.slice(2);
const sample = takeNumber(words, '--sample', Infinity);
const seed = takeNumber(words, '--seed', 1);
const [binary, ...chosen] = words;
if (!binary || words.some((word) => word.startsWith('--'))) stopWith(usage, 2);

// What goes over all that was asked of servers comes last.
const tests = Object.entries({...gallery, ...energy, ...hand, ...look, ...soft, ...tablet, ...teapot, ...link})
    .filter(([name]) => chosen.length === 0 || chosen.some((part) => name.includes(part)))
    .sort(([a], [b]) => Number(a === 'noRequestLeavesTheServer') - Number(b === 'noRequestLeavesTheServer'));
const bench = await Bench.start(binary).catch((error) => stopWith(error.message.split('\n')[0], 1));
Object.assign(bench, {sample, seed});
let failures = 0;
for (const [name, test] of tests) {
    const begin = Date.now();
    try {
        const told = await test(bench);
        bench.expectQuiet();
        console.log(`ok    ${name} (${((Date.now() - begin) / 1000).toFixed(1)} s)${told ? `: ${told}` : ''}`);
    } catch (error) {
        failures += 1;
        console.log(`FAIL  ${name}: ${error.message.split('\n')[0]}`);
    }
    await bench.clean();
}
await bench.stop();
console.log(`${tests.length - failures} of ${tests.length} passed`);
process.exit(failures > 0 ? 1 : 0);
