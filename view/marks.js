// What is drawn on top of bodies: arrows of forces, contacts with their cones, the hand and its spring.
import * as THREE from 'three';

const up = new THREE.Vector3(0, 1, 0);
const turn = new THREE.Quaternion();
const matrix = new THREE.Matrix4();
const middle = new THREE.Vector3();
const size = new THREE.Vector3();

// Marks keep their colours in any light.
function flat(colour, opacity = 1) {
    return new THREE.MeshBasicMaterial({
        color: colour, transparent: opacity < 1, opacity, toneMapped: false, depthWrite: opacity >= 1,
    });
}

/// An arrow that is seen through everything: what the hand feels must not hide behind a body.
export class Arrow extends THREE.Group {
    constructor(colour) {
        super();
        this.material = flat(colour);
        this.material.depthTest = false;
        this.material.transparent = true;
        this.shaft = new THREE.Mesh(new THREE.CylinderGeometry(1, 1, 1, 20), this.material);
        this.head = new THREE.Mesh(new THREE.ConeGeometry(1, 1, 24), this.material);
        this.add(this.shaft, this.head);
        this.renderOrder = 10;
        this.children.forEach((child) => { child.renderOrder = 10; });
        this.visible = false;
    }

    /// `direction` is of unit length; `width` the radius of the shaft.
    point(from, direction, length, width) {
        this.visible = length > 2 * width;
        if (!this.visible) return;
        const head = Math.min(5 * width, 0.6 * length);
        this.position.copy(from);
        this.quaternion.setFromUnitVectors(up, direction);
        this.shaft.scale.set(width, length - head, width);
        this.shaft.position.set(0, (length - head) / 2, 0);
        this.head.scale.set(2.4 * width, head, 2.4 * width);
        this.head.position.set(0, length - head / 2, 0);
    }
}

// Length of the coil in radii, as it is made: the wire is round when it is drawn about as long.
const coil = 12;

function helix(turns, radius, wire) {
    const points = [];
    for (let i = 0; i <= 16 * turns; ++i) {
        const a = i / 16 * 2 * Math.PI;
        const s = i / (16 * turns);
        const r = radius * Math.min(1, 12 * s, 12 * (1 - s));
        points.push(new THREE.Vector3(r * Math.cos(a), coil * s, r * Math.sin(a)));
    }
    return new THREE.TubeGeometry(new THREE.CatmullRomCurve3(points), 20 * turns, wire, 6);
}

/// A coil between two points.
export class Spring extends THREE.Mesh {
    constructor(colour) {
        super(helix(7, 1, 0.2), flat(colour));
        this.material.depthTest = false;
        this.material.transparent = true;
        this.renderOrder = 8;
        this.visible = false;
    }

    span(a, b, radius) {
        const length = middle.subVectors(b, a).length();
        this.visible = length > 0.6 * radius;
        if (!this.visible) return;
        this.position.copy(a);
        this.quaternion.setFromUnitVectors(up, middle.divideScalar(length));
        this.scale.set(radius, length / coil, radius);
    }
}

/// Where the hand is: a ball with a ring around it that faces the eye.
export class Hand extends THREE.Group {
    constructor(colour) {
        super();
        this.ball = new THREE.Mesh(new THREE.SphereGeometry(0.62, 28, 20), flat(colour));
        this.ring = new THREE.Mesh(new THREE.RingGeometry(1.05, 1.32, 48), flat(colour, 0.75));
        this.ring.material.side = THREE.DoubleSide;
        for (const part of [this.ball, this.ring]) {
            part.material.depthTest = false;
            part.material.transparent = true;
            part.renderOrder = 9;
            this.add(part);
        }
        this.visible = false;
    }

    show(at, radius, eye, ghost) {
        this.visible = true;
        this.position.copy(at);
        this.scale.setScalar(radius);
        this.ring.quaternion.copy(eye);
        this.ball.material.opacity = ghost ? 0.5 : 1;
        this.ring.material.opacity = ghost ? 0.3 : 0.8;
    }
}

const most = 128;

function pool(geometry, material) {
    const mesh = new THREE.InstancedMesh(geometry, material, most);
    mesh.frustumCulled = false;
    mesh.count = 0;
    return mesh;
}

/// All contacts in four draws: points, normals with force, their heads, and friction cones.
export class Contacts extends THREE.Group {
    constructor(colour) {
        super();
        const strong = flat(colour);
        strong.depthTest = false;
        strong.transparent = true;
        const faint = flat(colour, 0.16);
        faint.side = THREE.DoubleSide;
        faint.depthTest = false;
        this.points = pool(new THREE.SphereGeometry(1, 16, 12), strong);
        this.shafts = pool(new THREE.CylinderGeometry(1, 1, 1, 12), strong);
        this.heads = pool(new THREE.ConeGeometry(1, 1, 16), strong);
        // The apex at the contact, open towards the normal.
        const cone = new THREE.ConeGeometry(1, 1, 32, 1, true).rotateX(Math.PI).translate(0, 0.5, 0);
        this.cones = pool(cone, faint);
        this.add(this.points, this.shafts, this.heads, this.cones);
        this.children.forEach((child) => { child.renderOrder = 6; });
        this.cones.renderOrder = 5;
    }

    clear() { this.children.forEach((child) => { child.count = 0; }); }

    put(mesh, at, x, y, z) {
        matrix.compose(at, turn, size.set(x, y, z));
        mesh.setMatrixAt(mesh.count++, matrix);
    }

    /// `unit` is the size of a mark, `length` of the arrow along `direction`; `mu` opens the cone.
    addContact(at, normal, direction, length, mu, unit) {
        if (this.points.count >= most) return;
        turn.identity();
        this.put(this.points, at, unit, unit, unit);
        const head = Math.min(4 * unit, 0.5 * length);
        turn.setFromUnitVectors(up, direction);
        middle.copy(direction).multiplyScalar((length - head) / 2).add(at);
        this.put(this.shafts, middle, 0.42 * unit, length - head, 0.42 * unit);
        middle.copy(direction).multiplyScalar(length - head / 2).add(at);
        this.put(this.heads, middle, 1.15 * unit, head, 1.15 * unit);
        if (mu <= 0) return;
        turn.setFromUnitVectors(up, normal);
        const height = 9 * unit / Math.sqrt(1 + mu * mu);
        this.put(this.cones, at, mu * height, height, mu * height);
    }

    done() { this.children.forEach((child) => { child.instanceMatrix.needsUpdate = true; }); }
}
