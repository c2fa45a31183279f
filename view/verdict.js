// One line that says in plain words whether energy is created, and where; and one about time.
import {contactOf} from './protocol.js';
import {count, plain, quantity, rate} from './format.js';
import {troubles} from './words.js';

// What the numbers of a run may gain by round-off, as a share of all that went through it.
const noise = 1e-6;

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

// --- who creates: everything since the start [J]

// What a coupling gave to the world, and keeps. Four channels give the tool the hand's force
// besides, and a direct one moves a frame: both are in what was applied to the tool. What the tool has
// as kinetic energy is only lent: it comes back through the device, or is lost and counts then.
// What a virtual one gives beyond its scale, an amplifier gives.
function givenBy(world, accounts, index) {
    const {kind, tool, scale} = world.couplings[index];
    const port = accounts.couplings[index];
    const body = accounts.mechanisms[tool.mechanism];
    const whole = (kind === 'four-channel' || kind === 'direct') && body;
    const lent = kind === 'four-channel' && body ? body.kinetic : 0;
    return (whole ? body.applied : scale * port.tool) + port.stored - lent;
}

// Of a device and all that hangs on it, less what its own damping takes: what is left reaches the hand. The
// device's own account is that of this tick, ports are a sample behind.
// A grip's motors have a supply of their own, and a fingertip moves nothing: neither can be judged so.
function deviceMade(world, accounts, device) {
    if (world.couplings.some((c) => c.device === device && (c.kind === 'grip' || c.kind === 'fingertip'))) return 0;
    const own = accounts.devices[device];
    const given = world.couplings.map((c, i) => (c.device === device ? givenBy(world, accounts, i) : 0));
    return given.reduce((all, x) => all + x, own.rows + own.integrator - own.dissipated);
}

const sum = (list) => list.reduce((all, x) => all + x.integrator + x.leak, 0);

// Contacts, mechanisms and links pay for each other: they are one world. Devices are not.
function madeOf(world, accounts) {
    const contacts = accounts.contactIntegrator + accounts.contactLeak;
    const mechanisms = sum(accounts.mechanisms);
    const links = sum(accounts.links);
    const devices = accounts.devices.map((_, i) => deviceMade(world, accounts, i));
    return {contacts, mechanisms, links, inside: contacts + mechanisms + links, devices};
}

// Of the last second. A device that had taken more than it gave since the start is still passive. A tool is
// a tick behind the hand, so that what is only lent to it is known to half a percent.
function lately(world, first, last, through) {
    const [a, b] = [madeOf(world, first), madeOf(world, last)];
    const devices = b.devices.map((x, i) => Math.min(x - a.devices[i], Math.max(x, 0)))
        .map((x) => (x > 1e-2 * through ? x : 0));
    const [inside, contacts] = [b.inside - a.inside, b.contacts - a.contacts];
    return {inside, contacts, links: b.links - a.links, devices,
        all: Math.max(inside, 0) + devices.reduce((all, x) => all + Math.max(x, 0), 0)};
}

// All that went through world and hands in the last second.
function throughOf(kept) {
    let through = 0;
    for (let i = 1; i < kept.length; ++i) {
        const [a, b] = [kept[i - 1], kept[i]];
        through += Math.abs(b.applied - a.applied) + Math.abs(b.dissipated - a.dissipated);
        b.devices.forEach((device, k) => { through += Math.abs(device.applied - a.devices[k].applied); });
    }
    return through + kept.at(-1).kinetic + 1e-9;
}

// --- in words

const portAdvice = {
    'four-channel': '(four channels: what the tool gets is not what the hand gave); try a virtual coupling, or a higher rate',
    'virtual': '(a spring that is held for a tick); try a higher rate, or more damping of the device',
    'unilateral': '(a spring that is held for a tick); try a higher rate, or more damping of the device',
    'direct': '(walls that the device samples); try a higher rate, or a unilateral coupling',
};

function atPort(world, device) {
    const index = world.couplings.findIndex((c) => c.device === device);
    if (index < 0) return `at the device ${world.devices[device].name}; try a higher rate`;
    const {name, kind} = world.couplings[index];
    const where = index === world.touch?.coupling ? 'the spring that you hold' : `the port of ${name}`;
    return `at ${where} ${portAdvice[kind] ?? ''}`;
}

const waiting = ['scale', 'spread', 'bank'];

function atContacts(world, picture, law) {
    const where = hardest(world, picture) ?? 'contacts that just opened';
    const limit = world.couplings.find((c) => waiting.includes(c.limit))?.limit;
    if (law === 'impulse' && limit) return `at ${where} (walls wait while a collision is paid by ${limit}); try cone, or the limit none`;
    const advice = law === 'penalty' ? 'impulse or cone' : 'cone';
    return `at ${where} (sampled walls of the ${law} law); try ${advice}, or a higher rate`;
}

const gainsOf = (accounts) => accounts.mechanisms.map((m) => m.integrator + m.leak);

function largestOf(list) { return list.indexOf(Math.max(...list)); }

function inWorld(world, made, first, last) {
    const gains = gainsOf(last).map((x, i) => x - gainsOf(first)[i]);
    if (made.links > Math.max(...gains, 0)) return 'by the links; try more passes, or a higher rate';
    const name = world.mechanisms[largestOf(gains)]?.name;
    return `by the integrator${name ? ` of ${name}` : ''}; try midpoint, or a higher rate`;
}

function culprit(made, world, kept, picture, law) {
    const device = largestOf(made.devices);
    if (device >= 0 && made.devices[device] > made.inside) return atPort(world, device);
    if (made.contacts > 0.5 * made.inside) return atContacts(world, picture, law);
    return inWorld(world, made, kept[0], kept.at(-1));
}

// The same of the whole run, where nothing is to be tried any more.
function source(world, made, last) {
    const device = largestOf(made.devices);
    if (device >= 0 && made.devices[device] > made.inside) {
        const coupling = world.couplings.findIndex((c) => c.device === device);
        if (coupling === world.touch?.coupling) return 'at the spring that you held';
        return coupling < 0 ? `at the device ${world.devices[device].name}` : `at the port of ${world.couplings[coupling].name}`;
    }
    if (made.contacts > 0.5 * made.inside) return 'at contacts';
    const gains = gainsOf(last);
    if (made.links > Math.max(...gains, 0)) return 'by the links';
    return `by the integrator of ${world.mechanisms[largestOf(gains)]?.name ?? 'the world'}`;
}

// Since the start: what was created, of what the hand put in; without a hand, of all that there was.
function sinceStart(world, last) {
    const made = madeOf(world, last);
    const all = Math.max(made.inside, 0) + made.devices.reduce((sum1, x) => sum1 + Math.max(x, 0), 0);
    const hand = last.devices.reduce((sum1, d) => sum1 + Math.max(d.applied, 0), 0);
    const base = hand > 1e-6 ? hand : Math.abs(last.applied) + Math.abs(last.dissipated) + last.kinetic + 1e-9;
    const share = all / base;
    return {percent: share < noise ? 0 : 100 * share, who: hand > 1e-6 ? 'the hand put in' : 'was put in',
        where: source(world, made, last)};
}

/// Of the accounts that the world has of the last second; the rows of the strips are not needed.
export function energyVerdict(rows, world, picture, law) {
    const trouble = troubles.find(([bit]) => (picture.trouble & bit) !== 0);
    if (trouble) return {state: 'fault', text: `trouble: ${trouble[1]}`};
    const kept = world.accounts ?? [];
    if (kept.length < 3) return {state: 'wait', text: 'waiting for the first second'};
    const [first, last] = [kept[0], kept.at(-1)];
    const through = throughOf(kept);
    const made = lately(world, first, last, through);
    const ever = Math.abs(last.applied) + Math.abs(last.dissipated) + 1e-9;
    // A gain must matter for the second and for the run, or every rounding would be an alarm.
    if (made.all > 1e-3 * through && made.all > 1e-4 * ever && made.all > 1e-7) {
        const power = quantity(made.all / (last.time - first.time), 'J').concat('/s');
        return {state: 'creating', text: `creating energy: ${power} ${culprit(made, world, kept, picture, law)}`};
    }
    // The number comes first: on a narrow card the rest is cut.
    const {percent, who, where} = sinceStart(world, last);
    if (percent > 0.1) {
        return {state: 'gained', text: `${plain(percent)} % more came back since the start than ${who}, ${where}; passive now`};
    }
    return {state: 'passive', text: `passive: ${percent < 0.05 ? '0.0' : plain(percent)} % more came back than ${who}`};
}

export function timeVerdict(picture) {
    const {deadlines, missed, step, speed} = picture;
    const pace = speed === 1 ? '' : `, at ${plain(speed).replace(/0+$/, '').replace(/\.$/, '')} of real time`;
    const late = `${count(missed)} of ${count(deadlines)} deadlines missed`;
    const share = deadlines > 0 ? missed / deadlines : 0;
    return {state: share > 0.01 ? 'late' : 'good', text: `${rate(step)}${pace}, ${late}`};
}
