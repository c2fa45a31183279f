// The hand: which body it leads, where it feels, and how strong that may become. All from what the world says of
// couplings.

// Those of the scene that act on a body; the pointer's own is none of them.
function scenesOwn(world) {
    return world.couplings.filter((c, i) => c.tool.mechanism >= 0 && i !== world.touch?.coupling);
}

const isSkin = (coupling) => coupling.kind === 'fingertip';
// A virtual coupling of scale 0 leads its tool, and gives nothing back.
const isMute = (coupling) => coupling.kind === 'virtual' && coupling.scale === 0;

/// Couplings whose forces are felt: the first that leads and gives back, else all fingertips.
export function feltCouplings(world) {
    const all = scenesOwn(world);
    const lead = all.find((c) => !isSkin(c) && !isMute(c));
    return lead ? [lead] : all.filter(isSkin);
}

/// The coupling by which a person leads the scene's tool, and the body that is light because it may be held:
/// that tool, or the palm of a hand that no device leads. Null where there is none. `own`: the scene's JSON.
export function toolOf(world, own) {
    const leads = scenesOwn(world).filter((c) => !isSkin(c));
    const felt = leads.find((c) => !isMute(c));
    const palm = felt ? -1 : freePalm(world, own, leads);
    if (palm >= 0) return {coupling: null, light: {mechanism: palm, part: 0}};
    const coupling = felt ?? leads[0] ?? null;
    return {coupling, light: coupling?.tool ?? null};
}

// The body that links tie to all fingertips which feel, and which no device leads; -1: none.
function freePalm(world, own, leads) {
    const tips = scenesOwn(world).filter((c) => isSkin(c) && !leads.some((lead) => lead.tool.mechanism === c.tool.mechanism));
    if (tips.length === 0) return -1;
    const around = tips.map((c) => neighbours(own, world.mechanisms[c.tool.mechanism].name));
    const palm = [...around[0]].find((name) => around.every((names) => names.has(name)));
    return world.mechanisms.findIndex((mechanism) => mechanism.name === palm);
}

function neighbours(own, name) {
    const ends = (own?.links ?? []).map(({a, b}) => [a?.mechanism, b?.mechanism]);
    return new Set(ends.filter((pair) => pair.includes(name)).flat().filter((other) => other && other !== name));
}

/// What a device may give [N]: its own limit, else that of its coupling, which cuts only collisions; NaN: none.
export function forceLimit(world, device) {
    const coupling = world.couplings.find((c) => c.device === device);
    const least = (list) => Math.min(...(list ?? []).filter((x) => x !== null && x > 0));
    return [least(world.devices[device]?.forceLimit), least(coupling?.forceLimit)].find(Number.isFinite) ?? NaN;
}

/// Forces that the strips can show: device, title, and `turn`, the channels of the rotation from the axes that
/// they are told in to those of the world, null: they are the world's. A skin feels in the axes of its part.
export function forceSources(world) {
    const list = feltCouplings(world).map((c) => {
        const part = world.mechanisms[c.tool.mechanism];
        return isSkin(c) ? {device: c.device, title: `Force at ${part.name}`, turn: turnOf(world, part)}
            : {device: c.device, title: 'Force at the hand', turn: null};
    });
    const pointer = world.touch?.device ?? -1;
    return pointer < 0 ? list : [...list, {device: pointer, title: 'Force at your hand', turn: null}];
}

// Only of a body by itself are there channels of its rotation.
function turnOf(world, {name}) {
    const names = [3, 4, 5, 6].map((k) => `${name}.q[${k}]`);
    return names.every((channel) => world.channels.includes(channel)) ? names : null;
}

/// Whether the force of a device is told in the axes of the part that feels it.
export function inPartsAxes(world, device) {
    return world.couplings.some((c) => c.device === device && isSkin(c));
}
