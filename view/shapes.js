// Shapes of the world as geometries.
import * as THREE from 'three';
import {RoundedBoxGeometry} from 'three/addons/geometries/RoundedBoxGeometry.js';
import {planeOf} from './space.js';

// A slight bevel catches the light, so that edges are seen without lines.
function box(half) {
    const [x, y, z] = half.map((h) => 2 * h);
    return new RoundedBoxGeometry(x, y, z, 3, 0.06 * Math.min(x, y, z));
}

function capsule(radius, length) {
    return new THREE.CapsuleGeometry(radius, length, 12, 28).rotateZ(Math.PI / 2);
}

function polygon(shape) {
    const outline = [];
    for (let i = 0; i < shape.outline.length; i += 3) {
        outline.push(new THREE.Vector2(shape.outline[i], shape.outline[i + 1]));
    }
    const geometry = new THREE.ExtrudeGeometry(new THREE.Shape(outline), {
        depth: shape.thickness, bevelEnabled: false,
    });
    return geometry.translate(0, 0, -shape.thickness / 2);
}

// Flat faces: each triangle has points of its own.
function mesh(shape) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.Float32BufferAttribute(shape.points, 3));
    geometry.setIndex(shape.triangles);
    const flat = geometry.toNonIndexed();
    flat.computeVertexNormals();
    return flat;
}

// A sculpted surface has normals of its own, one for each point.
function nurbs(shape) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.Float32BufferAttribute(shape.points, 3));
    geometry.setAttribute('normal', new THREE.Float32BufferAttribute(shape.normals, 3));
    geometry.setIndex(shape.triangles);
    return geometry;
}

const makers = {
    sphere: (s) => new THREE.SphereGeometry(s.radius, 40, 28),
    capsule: (s) => capsule(s.radius, s.length),
    box: (s) => box(s.half),
    polygon, hull: mesh, mesh, nurbs,
};

/// Geometries of a world, each made once: a pile has 200 boxes and one geometry.
export class Geometries {
    constructor() { this.made = new Map(); }

    of(shape) {
        const {kind, radius, length, half, outline, thickness, points, triangles} = shape;
        const key = JSON.stringify([kind, radius, length, half, outline, thickness, points, triangles]);
        if (!this.made.has(key)) this.made.set(key, makers[kind](shape));
        return this.made.get(key);
    }

    dispose() { this.made.forEach((geometry) => geometry.dispose()); }
}

/// A compound is its pieces; all others are themselves. Planes are drawn by who knows the whole world, and what
/// is soft has a file of its own.
export function pieces(shape) {
    if (shape.kind === 'plane' || shape.kind === 'soft') return [];
    return shape.kind === 'compound' ? shape.pieces.flatMap(pieces) : [shape];
}

// --- bodies without shapes

// The box of even density that has this mass and inertia.
function inertiaBox(mass, inertia) {
    const sum = inertia[0] + inertia[1] + inertia[2];
    return inertia.map((i) => Math.sqrt(Math.max(1.5 * (sum - 2 * i) / mass, 0)));
}

function stand(body, size) {
    const center = body.center ?? [0, 0, 0];
    const frame = [...center, 1, 0, 0, 0];
    if (body.rod) {
        return {kind: 'capsule', radius: Math.max(0.035 * body.rod, 0.015 * size), length: body.rod,
            frame: [body.rod / 2, 0, 0, 1, 0, 0, 0]};
    }
    if (body.beam) return null;
    // A sledge, below the point that it carries: what is tied to it is seen.
    if (body.joint === 'prismatic') {
        return {kind: 'box', half: [0.2 * size, 0.12 * size, 0.055 * size], frame: [0, 0, -0.11 * size, 1, 0, 0, 0]};
    }
    if (body.mass && Array.isArray(body.inertia)) {
        const half = inertiaBox(body.mass, body.inertia);
        const most = Math.max(...half);
        const least = Math.max(0.06 * most, 0.004 * size);
        if (most < 3 * size) return {kind: 'box', half: half.map((h) => Math.max(h, least)), frame};
    }
    return {kind: 'sphere', radius: (body.mass > 0 ? 0.06 : 0.018) * size, frame};
}

/// Shapes in place of those that a scene does not give: a rod where it says rod, else a box of the same
/// inertia. `scene` is the scene's own JSON.
export function standIns(scene, world, size) {
    const list = [];
    world.mechanisms.forEach((mechanism, m) => {
        const own = scene?.mechanisms?.find((other) => other.name === mechanism.name);
        if (!own) return;
        mechanism.parts.forEach((part, p) => {
            if (world.shapes.some((s) => s.mechanism === m && s.part === p)) return;
            const body = own.bodies ? own.bodies.find((b) => b.name === part.name) : own;
            const shape = body && stand(body, size);
            if (shape) list.push({...shape, mechanism: m, part: p, material: 0});
        });
    });
    return list;
}

// --- walls of planar worlds

function clip(points, normal, offset) {
    const out = [];
    points.forEach((a, i) => {
        const b = points[(i + 1) % points.length];
        const [da, db] = [a, b].map((p) => p.x * normal[0] + p.y * normal[1] - offset);
        if (da >= 0) out.push(a);
        if (da * db < 0) out.push(a.clone().lerp(b, da / (da - db)));
    });
    return out;
}

function square(half, centre) {
    return [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(
        ([x, y]) => new THREE.Vector2(centre.x + half * x, centre.y + half * y));
}

/// What the planes leave free, as an outline; all around it is wall. Half planes leave a convex region.
export function freeRegion(planes, centre, reach) {
    let region = square(reach, centre);
    for (const plane of planes) {
        const n = planeOf(plane).normal;
        if (Math.abs(n.z) > 0.5) continue;
        region = clip(region, [n.x, n.y], n.x * plane.frame[0] + n.y * plane.frame[1]);
    }
    return region;
}

export function wallGeometry(region, centre, reach, thickness) {
    const outer = new THREE.Shape(square(1.2 * reach, centre));
    outer.holes.push(new THREE.Path(region));
    const geometry = new THREE.ExtrudeGeometry(outer, {depth: thickness, bevelEnabled: false});
    return geometry.translate(0, 0, -thickness / 2);
}
