// The page in a real browser, against a real server. usage: node test/page/run.mjs PALP_BINARY [NAME ...]
// One line for each test; exits 1 if any fails. NAME chooses tests by a part of their name.
import {Bench} from './bench.mjs';
import * as gallery from './gallery_test.mjs';
import * as hand from './hand_test.mjs';
import * as link from './link_test.mjs';

const [binary, ...chosen] = process.argv.slice(2);
if (!binary) {
    console.error('usage: node test/page/run.mjs PALP_BINARY [NAME ...]');
    process.exit(2);
}

const tests = Object.entries({...gallery, ...hand, ...link})
    .filter(([name]) => chosen.length === 0 || chosen.some((part) => name.includes(part)));
const bench = await Bench.start(binary);
let failures = 0;
for (const [name, test] of tests) {
    const begin = Date.now();
    try {
        const told = await test(bench);
        bench.expectQuiet();
        console.log(`ok    ${name} (${((Date.now() - begin) / 1000).toFixed(1)} s)${told ? `: ${told}` : ''}`);
    } catch (error) {
        failures += 1;
        console.log(`FAIL  ${name}: ${error.message}`);
    }
    await bench.clean();
}
await bench.stop();
console.log(`${tests.length - failures} of ${tests.length} passed`);
process.exit(failures > 0 ? 1 : 0);
