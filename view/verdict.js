// One line that says whether energy is created, and where; and one about time.
import {Balance} from './balance.js';
import {contactOf} from './protocol.js';
import {count, plain, quantity, rate, short} from './format.js';
import {troubles} from './lists.js';

/// What carries a shape: "peg", "ground".
export function carrierOf(world, shape) {
    const own = world.shapes[shape];
    if (!own || own.mechanism < 0) return 'ground';
    const mechanism = world.mechanisms[own.mechanism];
    return mechanism.parts[own.part]?.name || mechanism.name;
}

/// The pair that pushes hardest: "peg and ground".
export function hardest(world, picture) {
    let [best, force] = [null, 0];
    for (let i = 0; i < picture.contactCount; ++i) {
        const c = contactOf(picture, i);
        const size = Math.hypot(...c.force);
        if (size > force) [best, force] = [c, size];
    }
    return best ? `${carrierOf(world, best.shapeA)} and ${carrierOf(world, best.shapeB)}` : null;
}

// --- who created it: only to name the source, whether there is one is for balance.js. Since the start [J]

// What a coupling gave to the world, and stores. A four-channel controller gives the tool the hand's force besides,
// and a direct one moves a frame: both are in what was applied to the tool.
function givenBy(world, accounts, index) {
    const {kind, tool, scale} = world.couplings[index];
    const port = accounts.couplings[index];
    const body = accounts.mechanisms[tool.mechanism];
    const whole = (kind === 'four-channel' || kind === 'direct') && body;
    return (whole ? body.applied : scale * port.tool) + port.stored;
}

// By a device and its couplings. A grip's motors have a supply of their own, and a fingertip moves nothing.
function createdAt(world, accounts, device) {
    if (world.couplings.some((c) => c.device === device && (c.kind === 'grip' || c.kind === 'fingertip'))) return 0;
    const own = accounts.devices[device];
    const given = world.couplings.map((c, i) => (c.device === device ? givenBy(world, accounts, i) : 0));
    return given.reduce((all, x) => all + x, own.rows + own.integrator - own.dissipated);
}

const gain = ({integrator, leak}) => integrator + leak;

// The largest source: {created, where, advice}.
function sourceOf(world, accounts, picture, law) {
    const sources = [
        ...accounts.devices.map((_, i) => ({created: createdAt(world, accounts, i), ...atPort(world, i)})),
        ...accounts.mechanisms.map((m, i) => ({created: gain(m), where: `by the integrator of ${world.mechanisms[i].name}`,
            advice: 'try midpoint, or a higher rate'})),
        {created: accounts.links.reduce((sum, l) => sum + gain(l), 0), where: 'by the links', advice: 'try more passes, or a higher rate'},
        {created: accounts.contactIntegrator + accounts.contactLeak, ...atContacts(world, picture, law)},
        {created: picture.drift ?? 0, where: 'by the correction of positions', advice: 'try a higher rate'},
    ];
    return sources.reduce((best, one) => (one.created > best.created ? one : best));
}

// --- in words

const portAdvice = {
    'four-channel': 'four channels: the hand moves device and tool, and pays for one; try a virtual coupling',
    'virtual': 'a spring that is held for a tick; try a higher rate, or more damping of the device',
    'set-position': 'a spring that is held for a tick; try a higher rate, or more damping of the device',
    'unilateral': 'a spring that is held for a tick; try a higher rate, or more damping of the device',
    'direct': 'walls that the device samples; try a higher rate, or a virtual coupling',
};

function atPort(world, device) {
    const index = world.couplings.findIndex((c) => c.device === device);
    if (index < 0) return {where: `at the device ${world.devices[device].name}`, advice: 'try a higher rate'};
    const {name, kind} = world.couplings[index];
    const where = index === world.touch?.coupling ? 'at the spring that you hold' : `at the coupling ${name}`;
    return {where, advice: portAdvice[kind] ?? 'try a higher rate'};
}

const waiting = ['scale', 'spread', 'bank'];

function atContacts(world, picture, law) {
    const where = `at ${hardest(world, picture) ?? 'contacts that just opened'}`;
    const limit = world.couplings.find((c) => waiting.includes(c.limit))?.limit;
    if (law === 'impulse' && limit) return {where, advice: `walls wait while a collision is paid by ${limit}; try cone, or the limit none`};
    return {where, advice: `sampled walls of the ${law} law; try ${law === 'penalty' ? 'impulse or cone' : 'cone'}, or a higher rate`};
}

// Created energy grows when more of it came within the last second than this share of the limit.
const growth = 0.1;

function detailsOf(balance, i) {
    return `energy now ${quantity(balance.energy(i), 'J')}, put in ${quantity(balance.putIn(i), 'J')}, lost ${quantity(balance.lost(i), 'J')}`;
}

// What the strip has shown before is not forgotten.
function passiveText(balance, rows, limit) {
    const worst = balance.worst();
    const created = balance.created(worst);
    return created <= limit ? 'passive' : `passive now; ${quantity(created, 'J')} more than was put in at ${short(rows.at(worst))} s`;
}

/// Of the newest row: `state` is passive, or creating and gained where the energy is above the dashed line of the
/// strip by more than the limit; gained when it does not grow any more. The accounts of the world name the source.
export function energyVerdict(rows, world, picture, law) {
    const trouble = troubles.find(([bit, isFault]) => isFault && (picture.trouble & bit) !== 0);
    if (trouble) return {state: 'fault', text: `trouble: ${trouble[2]}: ${trouble[3]}.`, details: ''};
    const i = (rows?.count ?? 0) - 1;
    const balance = rows ? new Balance(rows) : null;
    if (i < 1 || !balance.known || rows.at(i) < 0.3) return {state: 'wait', text: 'waiting for the first ticks', details: ''};
    const created = balance.created(i);
    const limit = balance.limit();
    const details = detailsOf(balance, i);
    if (created <= limit) return {state: 'passive', text: passiveText(balance, rows, limit), details};
    const accounts = world.accounts?.at(-1);
    const {where, advice} = accounts ? sourceOf(world, accounts, picture, law) : {where: '', advice: ''};
    const much = quantity(created, 'J');
    const before = balance.created(Math.min(rows.find(rows.at(i) - 1), i));
    if (created - before > growth * limit) {
        return {state: 'creating', text: `creating energy: ${much} more than was put in, ${where} (${advice})`, details};
    }
    return {state: 'gained', text: `${much} more energy than was put in since the start, ${where}; not growing now`, details};
}

export function timeVerdict(picture) {
    const {deadlines, missed, step, speed} = picture;
    const pace = speed === 1 ? '' : `, at ${plain(speed).replace(/0+$/, '').replace(/\.$/, '')} of real time`;
    const late = `${count(missed)} of ${count(deadlines)} deadlines missed`;
    const share = deadlines > 0 ? missed / deadlines : 0;
    return {state: share > 0.01 ? 'late' : 'good', text: `${rate(step)}${pace}, ${late}`};
}
