// What holds bodies together: pins, rails, struts, springs, cords and beams, from the scene's own JSON.
// They have no mass and touch nothing; they show what a mechanism is.
import * as THREE from 'three';
import {jointsOf} from './joints.js';
import {frameOf, vector} from './space.js';
import {Coil, Wire} from './wires.js';

const axisOf = (body) => vector(body.axis ?? [0, 0, 1]).normalize();
const up = new THREE.Vector3(0, 1, 0);
const isSpring = (x) => typeof x === 'number' && x > 0;

// Shape of a clamped beam in one of its modes, the end at 2 or -2; doc/scene.md. Roots of cos b cosh b = -1.
const roots = [1.8751040687, 4.6940911330, 7.8547574382];

function modeShape(mode, s) {
    const b = roots[mode] ?? (mode + 0.5) * Math.PI;
    const z = b * s;
    const lack = (Math.sin(b) - Math.cos(b) - Math.exp(-b)) / (Math.sinh(b) + Math.sin(b));
    return Math.exp(-z) + lack * Math.sinh(z) - Math.cos(z) + (1 - lack) * Math.sin(z);
}

export class Links {
    constructor(world, own, bodies, paint) {
        Object.assign(this, {world, own, bodies, paint});
        this.group = new THREE.Group();
        /// Functions that draw what moves, with every frame.
        this.moving = [];
        const {joints, free} = jointsOf(own, world);
        this.size = Math.max(bodies.reach, 1e-5);
        joints.forEach((joint) => this.addJoint(joint));
        this.addTendons(joints);
        free.filter(({body}) => body.anchor).forEach((one) => this.addAnchor(one));
        (own?.links ?? []).forEach((link) => this.addLink(link));
    }

    dispose() { this.group.traverse((mesh) => mesh.geometry?.dispose()); }

    /// `channel(name)`: the value of a channel at the time that is drawn; undefined before the first tick.
    draw(channel) { this.moving.forEach((f) => f(channel)); }

    // --- pieces

    mesh(parent, geometry, name = 'joint') {
        const mesh = new THREE.Mesh(geometry, this.paint.of(name));
        mesh.castShadow = mesh.receiveShadow = true;
        // Who presses on it takes the body that it belongs to.
        mesh.userData = parent.userData;
        parent.add(mesh);
        return mesh;
    }

    ball(parent, at, radius, name) {
        this.mesh(parent, new THREE.SphereGeometry(radius, 24, 16), name).position.copy(at);
    }

    rod(parent, from, to, radius, name) {
        const way = to.clone().sub(from);
        const length = way.length();
        if (length < 1e-9) return;
        const rod = this.mesh(parent, new THREE.CylinderGeometry(radius, radius, length, 20), name);
        rod.position.copy(from).addScaledVector(way, 0.5);
        rod.quaternion.setFromUnitVectors(up, way.divideScalar(length));
    }

    block(parent, at, half) {
        this.mesh(parent, new THREE.BoxGeometry(2 * half[0], 2 * half[1], 2 * half[2])).position.copy(at);
    }

    coil() {
        const coil = new Coil(this.paint.of('wire'));
        this.group.add(coil);
        return coil;
    }

    // --- joints

    // Where the joint is: on the part that carries it, or on the base.
    carrier({mechanism, parent, chain}) {
        if (parent >= 0) return this.bodies.at(mechanism, parent);
        const base = frameOf(chain.position, chain.orientation);
        this.group.add(base);
        return base;
    }

    addJoint(joint) {
        const {body} = joint;
        const frame = frameOf(body.at, body.orientation);
        const carrier = this.carrier(joint);
        carrier.add(frame);
        frame.userData = carrier.userData;
        const child = this.bodies.at(joint.mechanism, joint.part);
        if (body.joint === 'revolute') this.addHinge(joint, frame, child);
        if (body.joint === 'spherical') this.ball(child, new THREE.Vector3(), this.pinRadius(joint));
        if (body.joint === 'prismatic') this.addRail(joint, frame, child);
        if (body.beam) this.addBeam(joint, frame, child);
        if (joint.parent >= 0 && body.joint !== 'fixed') this.addStruts(joint, carrier, child);
    }

    // A pin is a little thicker than what turns about it.
    pinRadius({mechanism, part, body}) {
        if (body.rod && !body.shapes) return Math.max(0.045 * body.rod, 0.017 * this.size);
        const shape = this.world.shapes.find((s) => s.mechanism === mechanism && s.part === part);
        const thin = shape?.kind === 'box' ? Math.min(...shape.half) : shape?.radius;
        return thin ? 0.75 * thin : 0.022 * this.size;
    }

    addHinge(joint, frame, child) {
        const axis = axisOf(joint.body);
        const radius = this.pinRadius(joint);
        const long = Math.max(1.9 * radius, 1.15 * this.depthOf(joint));
        this.rod(child, axis.clone().multiplyScalar(-long), axis.clone().multiplyScalar(long), radius);
        if (joint.parent < 0) {
            const [low, high] = [-2.6, -1.2].map((s) => axis.clone().multiplyScalar(s * radius));
            this.rod(frame, low, high, 2.4 * radius);
        }
        if (isSpring(joint.body.stiffness)) this.addSpiral(joint.body, frame, child, axis, radius, long);
    }

    // How far shapes of the part reach along z: pins of planar worlds come out of them.
    depthOf({mechanism, part}) {
        const own = this.world.shapes.filter((s) => s.mechanism === mechanism && s.part === part);
        return Math.max(0, ...own.map((s) => s.half?.[2] ?? s.radius ?? (s.thickness ?? 0) / 2));
    }

    // A watch spring from the pin to the part that carries it: it winds up as the joint turns.
    addSpiral(body, frame, child, axis, radius, height) {
        const wire = new Wire(73, this.paint.of('wire'), 6);
        frame.add(wire);
        const line = Array.from({length: 73}, () => new THREE.Vector3());
        const q = new THREE.Quaternion();
        const x = new THREE.Vector3(1, 0, 0);
        if (Math.abs(axis.x) > 0.9) x.set(0, 1, 0);
        x.addScaledVector(axis, -x.dot(axis)).normalize();
        const y = new THREE.Vector3().crossVectors(axis, x);
        const widest = Math.min(2.4 * radius, Math.max(0.22 * (body.rod ?? 1), 1.5 * radius));
        this.moving.push(() => {
            frame.getWorldQuaternion(q).invert().multiply(child.quaternion);
            const angle = 2 * Math.atan2(q.x * axis.x + q.y * axis.y + q.z * axis.z, q.w);
            line.forEach((p, i) => {
                const s = i / 72;
                const turn = angle * (1 - s) + 3 * 2 * Math.PI * s;
                const r = radius + s * (widest - radius);
                p.copy(axis).multiplyScalar(1.02 * height).addScaledVector(x, r * Math.cos(turn))
                    .addScaledVector(y, r * Math.sin(turn));
            });
            wire.follow(line, 0.12 * radius);
        });
    }

    // A rail along the way; with a spring, a wall behind and a coil to it.
    addRail({body}, frame, child) {
        const axis = axisOf(body);
        const reach = this.size;
        const rest = body.rest ?? 0;
        const low = new THREE.Vector3(0, 0, -0.11 * reach);
        const ends = [-1.6, 1.25].map((s) => axis.clone().multiplyScalar(rest + s * reach).add(low));
        this.rod(frame, ends[0], ends[1], 0.018 * reach);
        this.ball(child, new THREE.Vector3(), 0.03 * reach);
        this.rod(child, low, new THREE.Vector3(), 0.014 * reach);
        if (!isSpring(body.stiffness)) return;
        const wall = ends[0].clone().sub(low);
        const thick = axis.clone().multiplyScalar(0.04 * reach).toArray().map(Math.abs);
        this.block(frame, wall, thick.map((x) => x > 0.01 * reach ? x : 0.2 * reach));
        const coil = this.coil();
        const from = new THREE.Vector3();
        this.moving.push(() => {
            frame.localToWorld(from.copy(wall));
            coil.span(from, child.position, 0.075 * reach, 0.014 * reach);
        });
    }

    // From the joint to the middle of what it joins; inside of shapes it is not seen.
    addStruts(joint, carrier, child) {
        const {body, chain, mechanism, parent} = joint;
        if (body.rod || body.beam) return;
        const radius = 0.45 * this.pinRadius(joint);
        this.rod(child, new THREE.Vector3(), vector(body.center ?? [0, 0, 0]), radius);
        const name = this.world.mechanisms[mechanism].parts[parent].name;
        const above = chain.bodies.find((other) => other.name === name);
        if (above.rod || above.beam) return;
        this.rod(carrier, vector(above.center ?? [0, 0, 0]), vector(body.at ?? [0, 0, 0]), radius);
    }

    // --- beams

    // The body's frame is the clamp; amplitudes come as channels.
    addBeam({body, parent, modes, first}, frame, child) {
        const {length} = body.beam;
        const [ys, zs] = body.beam.modes;
        const thin = 0.008 * length;
        if (parent < 0) {
            const half = [0.035, 0.06, 0.05].map((x) => x * length);
            this.block(frame, vector([-half[0], 0, 0]), half);
        }
        const wire = new Wire(49, this.paint.of('body1'), 12);
        wire.receiveShadow = true;
        child.add(wire);
        const line = Array.from({length: 49}, () => new THREE.Vector3());
        this.moving.push((channel) => {
            const amplitudes = Array.from({length: ys + zs}, (_, k) => channel(`${modes}[${first + k}]`)
                ?? body.beam.start?.[k] ?? 0);
            line.forEach((p, i) => {
                p.set(i / 48 * length, 0, 0);
                amplitudes.forEach((a, k) => {
                    const shift = a * modeShape(k < ys ? k : k - ys, i / 48);
                    if (k < ys) p.y += shift;
                    else p.z += shift;
                });
            });
            // Higher than thick, as a ruler on its edge.
            wire.follow(line, 2.6 * thin, 0.4);
        });
    }

    // --- tendons

    // A cord runs past each joint at its radius, on the side where turning stretches it.
    addTendons(joints) {
        for (const chain of new Set(joints.map((joint) => joint.chain))) {
            const own = joints.filter((joint) => joint.chain === chain);
            const hinges = own.every(({body}) => body.joint === 'revolute' && body.rod);
            if (hinges) (chain.tendons ?? []).forEach((tendon) => this.addTendon(tendon, own));
        }
    }

    addTendon(tendon, joints) {
        const used = joints.filter((_, k) => tendon.J[k]);
        if (used.length === 0) return;
        const driven = tendon.radius > 0;
        const from = joints.indexOf(used[0]);
        const ends = joints.indexOf(used.at(-1));
        const places = this.cordPlaces(tendon, joints, from, ends, driven);
        const line = places.map(() => new THREE.Vector3());
        const wire = new Wire(line.length, this.paint.of(driven ? 'wire' : 'joint'), 6);
        this.group.add(wire);
        const thick = (driven ? 0.009 : 0.004) * this.size;
        this.moving.push(() => {
            places.forEach(({body, at}, i) => body.localToWorld(line[i].copy(at)));
            wire.follow(line, thick);
        });
        if (driven) this.addMotor(tendon, places[0]);
    }

    cordPlaces({J}, joints, from, ends, driven) {
        const body = (k) => this.bodies.at(joints[k].mechanism, joints[k].part);
        const side = (k) => -J[k];
        // Above what it pulls, so that it is seen from above.
        const lift = 1.3 * this.depthOf(joints[from]);
        const places = from > 0
            ? [{body: body(from - 1), at: vector([0.5 * joints[from - 1].body.rod, side(from), lift])}]
            : [{body: this.carrier(joints[0]), at: vector([-(driven ? 0.28 : 0.1) * this.size, side(0), lift])}];
        for (let k = from; k <= ends; ++k) {
            const near = 0.12 * joints[k].body.rod;
            for (const x of [-near, near]) places.push({body: body(k), at: vector([x, side(k), lift])});
        }
        places.push({body: body(ends), at: vector([0.6 * joints[ends].body.rod, 0.4 * side(ends), lift])});
        return places;
    }

    addMotor({radius}, {body, at}) {
        const middle = at.clone().add(vector([0, radius, 0]));
        const half = vector([0, 0, 0.9 * radius]);
        this.rod(body, middle.clone().sub(half), middle.clone().add(half), radius);
    }

    // --- anchors and links

    // A spring to a fixed pose. How far it is turned is shown by a hand that points, and the arc to its rest.
    addAnchor({index, body}) {
        const child = this.bodies.at(index, 0);
        const rest = frameOf(body.anchor.position ?? body.position, body.anchor.orientation);
        if (isSpring(body.anchor.stiffness)) {
            const coil = this.coil();
            this.moving.push(() => coil.span(rest.position, child.position, 0.06 * this.size, 0.011 * this.size));
        }
        if (isSpring(body.anchor.turnStiffness)) this.addTurnSpring(child, rest);
    }

    addTurnSpring(child, rest) {
        const size = sizeOfBody(child);
        const pointer = vector([0, 0, 1.75 * size]);
        this.rod(child, new THREE.Vector3(), pointer, 0.055 * size, 'tool');
        this.ball(child, pointer, 0.13 * size, 'tool');
        this.group.add(rest);
        this.rod(rest, new THREE.Vector3(), pointer, 0.04 * size);
        this.ball(rest, pointer, 0.11 * size);
        const coil = this.coil();
        const [q, part, none] = [new THREE.Quaternion(), new THREE.Quaternion(), new THREE.Quaternion()];
        this.moving.push(() => {
            rest.position.copy(child.position);
            q.copy(rest.quaternion).invert().multiply(child.quaternion);
            coil.wind((s, out) => {
                part.slerpQuaternions(none, q, s);
                out.copy(pointer).applyQuaternion(part).applyQuaternion(rest.quaternion).add(rest.position);
            }, 0.13 * size, 0.028 * size);
        });
    }

    // A point of a link, as a function that says where it is.
    siteOf(end) {
        if (end === 'ground' || end.ground) {
            const at = vector(end.ground ?? [0, 0, 0]);
            return {body: this.group, at, fixed: true};
        }
        const m = this.world.mechanisms.findIndex((mechanism) => mechanism.name === end.mechanism);
        if (m < 0) return null;
        const {parts} = this.world.mechanisms[m];
        const p = end.part ? parts.findIndex((part) => part.name === end.part) : parts.length - 1;
        return p < 0 ? null : {body: this.bodies.at(m, p), at: vector(end.point ?? [0, 0, 0])};
    }

    addLink(link) {
        const [a, b] = [this.siteOf(link.a), this.siteOf(link.b)];
        if (!a || !b) return;
        if (link.stiffness === 'rigid') return this.addPin(a, b);
        const [from, to] = [new THREE.Vector3(), new THREE.Vector3()];
        const apart = a.body.localToWorld(from.copy(a.at)).distanceTo(b.body.localToWorld(to.copy(b.at)));
        const own = Math.min(sizeOfBody(a.body), sizeOfBody(b.body));
        // A point that two bodies share: a joint, whose spring is too short to be seen.
        if (!a.fixed && !b.fixed && apart < 0.1 * own) return this.ball(a.body, a.at, 0.3 * own);
        const coil = this.coil();
        const thick = 0.07 * this.size;
        this.moving.push(() => {
            coil.span(a.body.localToWorld(from.copy(a.at)), b.body.localToWorld(to.copy(b.at)), thick, 0.2 * thick);
        });
    }

    // Both points are at one place.
    addPin(a, b) {
        this.ball(a.body, a.at, 0.02 * this.size);
        if (!b.fixed) return;
        const half = [0.05, 0.05, 0.014].map((x) => x * this.size);
        this.block(b.body, b.at.clone().add(vector([0, 0, 2.5 * half[2]])), half);
    }
}

function sizeOfBody(body) {
    const box = new THREE.Box3();
    body.children.forEach((mesh) => {
        mesh.geometry?.computeBoundingBox();
        if (mesh.geometry?.boundingBox) box.union(mesh.geometry.boundingBox);
    });
    return box.isEmpty() ? 0.05 : box.getSize(new THREE.Vector3()).length() / 2 / Math.sqrt(3);
}
