// How large the world is, and from where it is seen best: what moves, how far it swings, and the ground
// that is near it.
import * as THREE from 'three';
import {jointsOf} from './joints.js';
import {pieces} from './shapes.js';
import {place, planeOf, sizeOf, vector} from './space.js';

const chainsOf = (own) => (own?.mechanisms ?? []).filter((mechanism) => mechanism.bodies);
const lengthOf = (body) => body.rod ?? body.beam?.length ?? 0;
const totalOf = (chain) => chain.bodies.reduce((sum, body) => sum + lengthOf(body), 0);

/// Rough size from where bodies are and how far they reach, before stand-ins are made [m]. Free bodies count
/// by where they start: a scene has one size, whenever it is opened.
export function extent(bodies, own, world, shapes) {
    const bounds = new THREE.Box3();
    bodies.forEach((body) => {
        const name = world.mechanisms[body.userData.mechanism].name;
        const start = own?.mechanisms?.find((mechanism) => mechanism.name === name)?.position;
        bounds.expandByPoint(start && !body.userData.part ? vector(start) : body.position);
    });
    const reaches = chainsOf(own).flatMap((chain) => [totalOf(chain), ...chain.bodies.map(slideOf)]);
    const most = Math.max(sizeOf(bounds), ...reaches);
    return most > 0 || shapes.length > 0 ? most : 0.1;
}

// How far a slider starts from its rest.
function slideOf(body) {
    return body.joint === 'prismatic' ? Math.abs((body.start ?? 0) - (body.rest ?? 0)) : 0;
}

/// What the view must hold.
export function measure(world, own, bodies, geometries, planar) {
    const bounds = new THREE.Box3();
    bodies.solid().forEach((body) => bounds.expandByObject(body));
    swing(bounds, world, own, bodies);
    const reach = Math.max(sizeOf(bounds), 1e-5);
    const middle = bounds.isEmpty() ? new THREE.Vector3() : bounds.getCenter(new THREE.Vector3());
    for (const shape of world.shapes.filter((s) => s.mechanism < 0)) {
        if (shape.kind === 'plane') growByPlane(bounds, shape, middle, reach, planar);
        else growByShape(bounds, shape, geometries);
    }
    if (bounds.isEmpty()) bounds.set(vector([-0.1, -0.1, -0.1]), vector([0.1, 0.1, 0.1]));
    return bounds;
}

// The ground belongs to the view where it is near what moves; planes by their nearest point.
function growByPlane(bounds, shape, middle, reach, planar) {
    const plane = planeOf(shape);
    if (Math.abs(plane.distanceToPoint(middle)) > 4 * reach) return;
    // In the plane, a stretch of the wall itself belongs to it.
    const foot = plane.projectPoint(middle, new THREE.Vector3());
    bounds.expandByPoint(foot.addScaledVector(plane.normal, planar ? -0.12 * reach : 0));
}

function growByShape(bounds, shape, geometries) {
    for (const piece of pieces(shape)) {
        const mesh = new THREE.Mesh(geometries.of(piece));
        place(mesh, piece.frame);
        bounds.expandByObject(mesh);
    }
}

// What hangs on a fixed joint swings: with springs, as far to the other side of its rest; by its weight, down.
function swing(bounds, world, own, bodies) {
    for (const {index, chain} of jointsOf(own, world).chains) {
        const first = chain.bodies[0];
        const at = bodies.at(index, 0).position;
        if (first.joint === 'prismatic') slide(bounds, first, at, bodies.reach);
        if (first.joint === 'fixed') bend(bounds, chain, at);
        if (first.joint !== 'revolute' || chain.bodies.some((body) => body.shapes)) continue;
        if (Math.abs((first.axis ?? [0, 0, 1])[2]) > 0.5) mirror(bounds, at);
        else hang(bounds, at, totalOf(chain));
    }
}

function mirror(bounds, at) {
    const [low, high] = [bounds.min.y, bounds.max.y];
    bounds.expandByPoint(at.clone().setY(2 * at.y - low)).expandByPoint(at.clone().setY(2 * at.y - high));
}

function hang(bounds, at, length) {
    const [low, high] = [[-0.62, 0, -1], [0.62, 0, 0.1]].map((a) => vector(a).multiplyScalar(length).add(at));
    bounds.expandByPoint(low).expandByPoint(high);
}

// What starts beside its rest swings as far to the other side; its wall is behind.
function slide(bounds, body, at, reach) {
    const axis = vector(body.axis ?? [0, 0, 1]).normalize();
    const rest = at.clone().addScaledVector(axis, (body.rest ?? 0) - (body.start ?? 0));
    for (const s of [-1.75, 1.25]) bounds.expandByPoint(rest.clone().addScaledVector(axis, s * reach));
}

function bend(bounds, chain, at) {
    const length = totalOf(chain);
    for (const y of [-0.12, 0.12]) bounds.expandByPoint(at.clone().add(vector([0, y * length, 0])));
}

/// Towards the eye: flat things are seen from where they look flat.
export function wayOf(own, planar) {
    if (planar) return vector([0, 0, 1]);
    const bodies = chainsOf(own).flatMap((chain) => chain.bodies);
    const axes = bodies.filter((body) => body.joint === 'revolute').map((body) => body.axis ?? [0, 0, 1]);
    const only = (k) => axes.length > 0 && axes.length === bodies.length
        && axes.every((axis) => Math.abs(axis[k]) > 0.9 * Math.hypot(...axis));
    if (only(2) || bodies.some((body) => body.beam)) return vector([0.12, -0.6, 1]).normalize();
    if (only(1)) return vector([0.3, -1, 0.18]).normalize();
    if (bodies.some((body) => body.joint === 'prismatic')) return vector([0.22, -1, 0.42]).normalize();
    return vector([0.55, -1, 0.45]).normalize();
}
