// One line that says in plain words whether the world creates energy, and where; and one about time.
import {contactOf} from './protocol.js';
import {count, plain, quantity, rate} from './format.js';
import {troubles} from './words.js';

// Looks back this far [s]: long enough for a mean, short enough to follow a change of the law.
const back = 1;

// What the numbers of a run may gain by round-off, as a share of all that went through it.
const noise = 1e-6;

function nameOf(world, shape) {
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
    return best ? `${nameOf(world, best.shapeA)} and ${nameOf(world, best.shapeB)}` : null;
}

// What was created in the last second, by the formulas of those who create it.
function created(rows) {
    const last = rows.count - 1;
    const first = Math.min(rows.find(rows.end - back), last);
    const change = (name) => rows.value(name, last) - rows.value(name, first);
    const span = rows.at(last) - rows.at(first);
    const contacts = change('contacts.integrator') + change('contacts.leak');
    const all = change('integrator') + change('leak');
    const through = Math.abs(change('applied')) + Math.abs(change('dissipated'))
        + rows.value('kinetic', last) + 1e-9;
    const ever = Math.abs(rows.value('applied', last)) + rows.value('dissipated', last) + 1e-9;
    return {all, contacts, through, span, ever};
}

function culprit(amount, world, picture, law) {
    if (amount.contacts > 0.5 * amount.all) {
        const where = hardest(world, picture) ?? 'contacts that just opened';
        const advice = law === 'penalty' ? 'impulse or cone' : 'cone';
        return `at ${where} (sampled walls of the ${law} law); try ${advice}, or a higher rate`;
    }
    return 'by the integrator; try midpoint, or a higher rate';
}

// Since the start: what was created, of all that was there and was put in.
function percentOfAll(rows) {
    const now = (name) => rows.value(name);
    const made = now('integrator') + now('leak');
    const share = Math.max(made, 0) / (Math.abs(now('applied')) + now('dissipated') + now('kinetic') + 1e-9);
    return share < noise ? 0 : 100 * share;
}

export function energyVerdict(rows, world, picture, law) {
    const trouble = troubles.find(([bit]) => (picture.trouble & bit) !== 0);
    if (trouble) return {state: 'fault', text: `trouble: ${trouble[1]}`};
    if (!rows || rows.count < 3) return {state: 'wait', text: 'waiting for the first second'};
    const amount = created(rows);
    const share = Math.max(amount.all, 0) / amount.through;
    // A gain must matter for the second and for the run, or every rounding would be an alarm.
    if (share > 1e-3 && amount.all > 1e-4 * amount.ever && amount.all > 1e-7) {
        const power = quantity(amount.all / amount.span, 'J').concat('/s');
        return {state: 'creating', text: `creating energy: ${power} ${culprit(amount, world, picture, law)}`};
    }
    const percent = percentOfAll(rows);
    const since = percent > 0.1 ? 'passive now; since the start' : 'passive:';
    return {state: 'passive', text: `${since} the world gave back ${percent < 0.05 ? '0.0' : plain(percent)} % more than was put in`};
}

export function timeVerdict(picture) {
    const {ticks, missed, step, speed} = picture;
    const pace = speed === 1 ? '' : `, at ${plain(speed).replace(/0+$/, '').replace(/\.$/, '')} of real time`;
    const late = `${count(missed)} late of ${count(ticks)}`;
    const share = ticks > 0 ? missed / ticks : 0;
    return {state: share > 0.01 ? 'late' : 'good', text: `${rate(step)}${pace}, ${late}`};
}
