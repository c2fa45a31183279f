// Passive or not: strip, verdict and cards say the same.
import {check, draw, names, pause, sceneOf, until} from './bench.mjs';

// Runs in the page: verdicts on ten seconds of a made-up world, into which 1 J is put. Lost is base + slope time.
async function judgeRun({base = 0, slope = 0, trouble = 0}) {
    const [{energyVerdict, timeVerdict}, {Trace}, {balanceChannels}] = await Promise.all(
        ['./verdict.js', './trace.js', './balance.js'].map((path) => import(path)));
    const lost = (time) => base + slope * time;
    const rows = new Trace(['time', ...balanceChannels], 2048);
    for (let time = 0; time < 10; time += 0.01) {
        const put = Math.min(time, 1);
        const values = [time, 0, put - lost(time), put, lost(time)];
        rows.add(time, (k) => values[k]);
    }
    const own = (integrator) => ({kinetic: 0, applied: 1, integrator, leak: 0});
    const world = {couplings: [], devices: [], mechanisms: [{name: 'still'}, {name: 'arm'}], shapes: [],
        accounts: [{contactIntegrator: 0, contactLeak: 0, devices: [], couplings: [], links: [], mechanisms: [own(0), own(0.1)]}]};
    return {energy: energyVerdict(rows, world, {trouble, contactCount: 0}, 'cone'),
        time: timeVerdict({deadlines: 649, missed: 598, step: 0.01, speed: 1})};
}

export async function verdictsSayWhatWasGainedAndWhatWasMissed(bench) {
    const page = await bench.gallery();
    const judge = (of) => page.evaluate(judgeRun, of);
    const fault = (await judge({trouble: 1})).energy;
    check(fault.state === 'fault' && fault.text.includes('not finite'), `${fault.state}: ${fault.text}`);
    // The energy is between 0 and 1 J: the limit is 1 % of 2 J.
    const said = {};
    for (const [lost, state] of [[{slope: 0.1}, 'passive'], [{base: -0.019}, 'passive'], [{base: -0.1}, 'gained'],
        [{base: -0.5, slope: 0.1}, 'passive'], [{slope: -0.1}, 'creating']]) {
        const {energy} = await judge(lost);
        check(energy.state === state, `lost ${JSON.stringify(lost)}: ${energy.state}, not ${state}: ${energy.text}`);
        said[state] ??= energy.text;
        if (lost.base === -0.5) check(energy.text === 'passive now; 500 mJ more than was put in at 0 s', energy.text);
    }
    check(said.passive === 'passive', said.passive);
    check(/^100 mJ more energy than was put in .*integrator of arm/.test(said.gained), said.gained);
    check(/^creating energy: 1.00 J more than was put in, by the integrator of arm/.test(said.creating), said.creating);
    const {time} = await judge({});
    check(time.state === 'late' && time.text.includes('598 of 649 deadlines missed'), `${time.state}: ${time.text}`);
    return said.creating;
}

// Runs in the page: the last tick as the strip draws it, looked at closely, and what is said of it. `limit` is how far the
// energy may be above the line.
async function stripAndVerdict() {
    const [{Balance}, {energyVerdict}] = await Promise.all(['./balance.js', './verdict.js'].map((path) => import(path)));
    const {strips, world, latest} = window.palp.stage;
    const {rows} = strips;
    const strip = strips.strips[1];
    const {state, text} = energyVerdict(rows, world, latest, world.laws[latest.law]);
    strip.draw(rows.at(Math.max(rows.count - 20, 0)), rows.end + 1e-9);
    const [energy, stack, line] = [2, 3, 4].map((k) => strip.plot.data[k].findLast((x) => x !== null));
    return {energy, stack, line, limit: new Balance(rows).limit(), state, text};
}

// Above the line means created, and only that: strip and words say the same of one tick.
async function agrees(page, name) {
    await until(page, `${name}: no verdict`, () => !['wait', undefined].includes(document.querySelector('.verdict')?.dataset.state), null, 60000);
    const {energy, stack, line, limit, state, text} = await page.evaluate(stripAndVerdict);
    check(state !== 'fault', `${name}: ${text}`);
    check((state !== 'passive') === (energy - line > limit),
        `${name}: the energy is ${energy - line} J above the line, the limit is ${limit} J, it says ${text}`);
    check(Math.abs(stack - Math.max(energy, line)) <= 1e-9 * Math.abs(stack), `${name}: the stack ends at ${stack} J, the line is at ${line} J`);
    return state;
}

export async function stripAndVerdictAgreeOnEveryScene(bench) {
    const page = await bench.gallery();
    const chosen = [...new Set(['socket', 'wall', ...draw(names(), bench.sample, bench.seed)])];
    const creating = [];
    for (const name of chosen) {
        await bench.go(page, name);
        if (await agrees(page, name) !== 'passive') creating.push(name);
        await pause(page);
    }
    return `${chosen.length} scenes, creating now: ${creating.join(' ') || 'none'}`;
}

// The wall that shakes the hand: 20,000 N/m, where 1200 N/m would be passive.
export async function aStiffWallIsAboveTheLineAndSaysSo(bench) {
    const page = await bench.at('wall');
    await page.evaluate(async () => {
        const {kind, materialField} = await import('./protocol.js');
        const {stage} = window.palp;
        const index = stage.world.materials.findIndex(({name}) => name === 'wall');
        stage.connection.send(kind.material, {index, choice: materialField.stiffness, value: 20000});
    });
    await until(page, 'the verdict stays passive', () => document.querySelector('.verdict').dataset.state === 'creating', null, 60000);
    const {energy, line, limit} = await page.evaluate(stripAndVerdict);
    check(energy > line + limit, `the energy is ${energy} J, the line ${line} J`);
    const rise = await page.textContent('.rise');
    check(/^largest rise \d+(\.\d+)? [mµ]J$/.test(rise), `it says ${rise}`);
    const text = await page.textContent('.verdict');
    check(/at the coupling hold|at the spring that you hold/.test(text), text);
    await page.click('.variant');
    await until(page, 'the passive variant does not open', () => window.palp.stage?.name === 'wall-passive' && window.palp.stage.latest);
    check(await agrees(page, 'wall-passive') === 'passive', 'the passive variant creates energy');
    return `${text}; ${rise}`;
}

// A scene that creates by its method says so, and its variant is one click away and says nothing of the kind.
export async function cardsOfMethodsThatCreateOfferAPassiveVariant(bench) {
    const page = await bench.gallery();
    const told = await page.$$eval('.card', (cards) => Object.fromEntries(cards.map((card) => [card.dataset.scene,
        {badge: card.querySelector('.creates')?.textContent ?? '', link: card.querySelector('.card-variant')?.getAttribute('href') ?? ''}])));
    const marked = names().filter((name) => sceneOf(name).passiveVariant);
    for (const name of names()) {
        const {passiveVariant: variant, paper} = sceneOf(name);
        const wanted = !variant ? '' : paper ? 'as printed: not passive' : 'not passive';
        check(told[name].badge === wanted, `the card of ${name} says "${told[name].badge}", not "${wanted}"`);
        check(told[name].link === (variant ? `#${variant}` : ''), `the card of ${name} leads to ${told[name].link}`);
        check(!variant || (names().includes(variant) && !sceneOf(variant).passiveVariant), `${variant} is no passive variant`);
    }
    check(marked.length > 0, 'no scene is marked');
    await page.click('.card[data-scene="peg"] .card-variant');
    await until(page, 'the variant does not open', () => window.palp.stage?.name === 'peg-passive' && window.palp.stage.latest);
    await page.goBack();
    await page.click('.card[data-scene="peg"] .card-open');
    await until(page, 'the card does not open', () => window.palp.stage?.name === 'peg' && window.palp.stage.latest);
    return marked.join(' ');
}
