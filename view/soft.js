// Soft bodies: a surface whose points move, shaded by how far each is from where it rests.
import * as THREE from 'three';
import {vector} from './space.js';

// Faces that meet at less than this are drawn as one round surface.
const crease = Math.cos(THREE.MathUtils.degToRad(38));

const inverse = new THREE.Matrix4();
const point = new THREE.Vector3();
const one = new THREE.Vector3(1, 1, 1);

function faceNormals(points, triangles) {
    const corner = (i) => vector(points.slice(3 * i, 3 * i + 3));
    return Array.from({length: triangles.length / 3}, (_, f) => {
        const [a, b, c] = [0, 1, 2].map((k) => corner(triangles[3 * f + k]));
        return b.sub(a).cross(c.sub(a)).normalize();
    });
}

/// Points at edges are taken apart, one for each side: `source` is the point of each, `index` three of them a face.
function split(points, triangles) {
    const normals = faceNormals(points, triangles);
    const sides = Array.from({length: points.length / 3}, () => []);
    const source = [];
    const index = triangles.map((p, i) => {
        const normal = normals[Math.floor(i / 3)];
        let side = sides[p].find((other) => other.normal.dot(normal) > crease);
        if (!side) {
            side = {normal, at: source.length};
            sides[p].push(side);
            source.push(p);
        }
        return side.at;
    });
    return {source, index};
}

/// A spot of a face, in place of a body: points in it are the weights of the face's corners.
class Spot {
    constructor(soft, face) {
        Object.assign(this, {soft, face});
        this.userData = {mechanism: soft.shape.mechanism, part: 1 + face};
        this.quaternion = new THREE.Quaternion();
    }

    get position() { return this.localToWorld(new THREE.Vector3(1, 1, 1).divideScalar(3)); }

    localToWorld(weights) {
        const at = new THREE.Vector3();
        weights.toArray().forEach((w, k) => at.addScaledVector(this.soft.corner(this.face, k), w));
        return weights.copy(at);
    }

    worldToLocal(at) {
        const [a, b, c] = [0, 1, 2].map((k) => this.soft.corner(this.face, k));
        return THREE.Triangle.getBarycoord(at, a, b, c, at) ?? at.set(1, 0, 0);
    }
}

export class Soft {
    /// `first`: its first point among those of all soft bodies; `drifts`: it moves as a whole, and that is no
    /// deformation.
    constructor(shape, body, material, {first, drifts}) {
        Object.assign(this, {shape, body, first, drifts});
        this.count = shape.points.length / 3;
        this.rest = Float32Array.from(shape.points);
        this.now = Float32Array.from(shape.points); // in the body's frame
        this.middle = meanOf(shape.points);
        this.ways = new Float32Array(this.count);
        this.most = 0;
        const {source, index} = split(shape.points, shape.triangles);
        this.source = source;
        this.geometry = new THREE.BufferGeometry();
        for (const name of ['position', 'color']) {
            const attribute = new THREE.BufferAttribute(new Float32Array(3 * source.length), 3);
            this.geometry.setAttribute(name, attribute.setUsage(THREE.DynamicDrawUsage));
        }
        this.geometry.setIndex(index);
        this.mesh = new THREE.Mesh(this.geometry, material);
        this.mesh.castShadow = this.mesh.receiveShadow = true;
        this.mesh.frustumCulled = false;
        this.mesh.userData = {...body.userData, soft: this};
        body.add(this.mesh);
        this.draw();
    }

    dispose() { this.geometry.dispose(); }

    /// Between two sets of points of the world; the body is where it is drawn already. A body without a frame of
    /// its own is put where its middle is.
    put(from, to, s, framed) {
        const at = 3 * this.first;
        if (to.length < at + 3 * this.count) return;
        for (let i = 0; i < 3 * this.count; ++i) this.now[i] = from[at + i] + s * (to[at + i] - from[at + i]);
        if (!framed) this.centre();
        inverse.compose(this.body.position, this.body.quaternion, one).invert();
        for (let i = 0; i < this.count; ++i) {
            point.fromArray(this.now, 3 * i).applyMatrix4(inverse).toArray(this.now, 3 * i);
        }
        this.measure(framed);
        this.draw();
    }

    centre() {
        point.set(0, 0, 0);
        for (let i = 0; i < 3 * this.count; ++i) point.setComponent(i % 3, point.getComponent(i % 3) + this.now[i]);
        this.body.position.copy(point.divideScalar(this.count));
        this.body.quaternion.identity();
    }

    // How far points are from rest [m], in the frame. A body without one is compared as it stands in the world,
    // or where it can drift, about its middle.
    measure(framed) {
        const {now, rest} = this;
        const away = framed ? point.set(0, 0, 0) : point.copy(this.drifts ? this.middle : this.body.position);
        this.most = 0;
        for (let i = 0, k = 0; i < this.count; ++i, k += 3) {
            const way = Math.hypot(now[k] - rest[k] + away.x, now[k + 1] - rest[k + 1] + away.y,
                now[k + 2] - rest[k + 2] + away.z);
            this.ways[i] = way;
            this.most = Math.max(this.most, way);
        }
    }

    draw() {
        const {position} = this.geometry.attributes;
        this.source.forEach((p, i) => {
            for (let k = 0; k < 3; ++k) position.array[3 * i + k] = this.now[3 * p + k];
        });
        position.needsUpdate = true;
        this.geometry.computeVertexNormals();
        this.geometry.boundingBox = this.geometry.boundingSphere = null;
    }

    /// `ramp`: colours from rest to `full` [m]; 0: all of the first.
    shade(ramp, full) {
        const {color} = this.geometry.attributes;
        this.source.forEach((p, i) => {
            const s = full > 0 ? Math.min(this.ways[p] / full, 1) : 0;
            const at = s * (ramp.length - 1);
            const k = Math.min(Math.floor(at), ramp.length - 2);
            const [a, b] = [ramp[k], ramp[k + 1]];
            color.setXYZ(i, a.r + (at - k) * (b.r - a.r), a.g + (at - k) * (b.g - a.g), a.b + (at - k) * (b.b - a.b));
        });
        color.needsUpdate = true;
    }

    /// Of a face, in the world.
    corner(face, k) {
        const p = this.shape.triangles[3 * face + k];
        return this.body.localToWorld(new THREE.Vector3().fromArray(this.now, 3 * p));
    }

    spot(face) { return new Spot(this, face); }

    /// The face whose middle is nearest to a point of the world.
    nearest(at) {
        let [best, least] = [0, Infinity];
        for (let face = 0; 3 * face < this.shape.triangles.length; ++face) {
            const distance = this.spot(face).position.distanceTo(at);
            if (distance < least) [best, least] = [face, distance];
        }
        return this.spot(best);
    }
}

function meanOf(points) {
    const sum = new THREE.Vector3();
    for (let i = 0; i < points.length; i += 3) sum.add(vector(points.slice(i, i + 3)));
    return sum.divideScalar(points.length / 3);
}

/// All soft bodies of a world, and the scale of their colours.
export class Softs {
    constructor(world, own, bodies, paint) {
        Object.assign(this, {world, paint, full: 0, shown: true});
        this.list = [];
        let first = 0;
        for (const shape of world.shapes.filter((s) => s.kind === 'soft')) {
            const {name} = world.mechanisms[shape.mechanism];
            const its = own?.mechanisms?.find((mechanism) => mechanism.name === name);
            const soft = new Soft(shape, bodies.at(shape.mechanism, 0), paint.soft(bodies.isLight(shape.mechanism)),
                {first, drifts: !its?.held});
            soft.framed = its?.model !== 'dynamic';
            soft.light = bodies.isLight(shape.mechanism);
            this.list.push(soft);
            first += soft.count;
        }
    }

    dispose() { this.list.forEach((soft) => soft.dispose()); }

    /// After the bodies were put between two pictures.
    put(first, last, s) {
        if (!last.points) return;
        for (const soft of this.list) soft.put(first.points ?? last.points, last.points, s, soft.framed);
        this.shade();
    }

    of(mechanism) { return this.list.find((soft) => soft.shape.mechanism === mechanism); }

    // The scale follows the largest way, in round steps: it grows at once, and shrinks when it is a fifth of it.
    shade() {
        const most = this.list.reduce((a, soft) => Math.max(a, soft.most), 0);
        if (most > this.full || most < 0.2 * this.full) this.full = roundUp(most);
        for (const soft of this.list) soft.shade(this.paint.ramp(soft.light), this.shown ? this.full : 0);
    }
}

// 1, 2 or 5 times a power of ten, at least a hundredth of a millimetre.
function roundUp(x) {
    const ten = 10 ** Math.floor(Math.log10(Math.max(x, 1e-5)));
    return [1, 2, 5, 10].map((k) => k * ten).find((y) => y >= x * (1 - 1e-9));
}
