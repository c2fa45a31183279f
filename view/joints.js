// What a scene's own JSON says of joints and links, by the indices of the world.

/// Positions that a joint has in the state of its chain.
const positions = {fixed: 0, revolute: 1, prismatic: 1, spherical: 4, planar: 3, free: 7};

function modesOf(beam) { return (beam?.modes ?? []).reduce((sum, n) => sum + n, 0); }

/// `chains`: [{index, chain, name}]; `joints`: [{mechanism, part, parent, body, chain, modes}], `parent` -1
/// for the base and `modes` the channel of the first amplitude of its beam; `free`: bodies on their own.
export function jointsOf(own, world) {
    const chains = [];
    const joints = [];
    const free = [];
    world.mechanisms.forEach((mechanism, index) => {
        const mine = own?.mechanisms?.find((other) => other.name === mechanism.name);
        if (mine?.type === 'assembly') free.push({index, body: mine});
        if (!mine?.bodies) return;
        chains.push({index, chain: mine, name: mechanism.name});
        let position = 0;
        mechanism.parts.forEach(({name, parent}, part) => {
            const body = mine.bodies.find((other) => other.name === name);
            if (!body) return;
            position += positions[body.joint] ?? 0;
            joints.push({mechanism: index, part, parent, body, chain: mine,
                modes: `${mechanism.name}.q`, first: position});
            position += modesOf(body.beam);
        });
    });
    return {chains, joints, free};
}

/// Channels with the amplitudes of all beams.
export function beamChannels(own, world) {
    return jointsOf(own, world).joints.flatMap(({body, modes, first}) =>
        Array.from({length: modesOf(body.beam)}, (_, k) => `${modes}[${first + k}]`));
}
