// Tubes along lines that move: springs, beams and cords. Buffers are made once and filled anew.
import * as THREE from 'three';

const along = new THREE.Vector3();
const across = new THREE.Vector3();
const third = new THREE.Vector3();

// A direction across `t`, as near to `n` as there is one: so a frame goes along a curve without twist.
function carry(n, t) {
    n.addScaledVector(t, -n.dot(t));
    if (n.lengthSq() > 1e-20) return n.normalize();
    n.set(Math.abs(t.z) < 0.9 ? 0 : 1, 0, Math.abs(t.z) < 0.9 ? 1 : 0);
    return n.addScaledVector(t, -n.dot(t)).normalize();
}

// Direction of a line at its point i; where it stands still, the one before.
function tangent(points, i) {
    const [a, b] = [points[Math.max(i - 1, 0)], points[Math.min(i + 1, points.length - 1)]];
    const length = third.subVectors(b, a).length();
    if (length > 1e-12) along.copy(third).divideScalar(length);
    return along;
}

function indices(count, sides) {
    const list = [];
    for (let i = 0; i + 1 < count; ++i) {
        for (let k = 0; k < sides; ++k) {
            const [a, b] = [i * sides + k, i * sides + (k + 1) % sides];
            list.push(a, b, a + sides, b, b + sides, a + sides);
        }
    }
    return list;
}

/// A tube of `count` points.
export class Wire extends THREE.Mesh {
    constructor(count, material, sides = 8) {
        super(new THREE.BufferGeometry(), material);
        this.sides = sides;
        this.places = new THREE.Float32BufferAttribute(3 * count * sides, 3);
        this.normals = new THREE.Float32BufferAttribute(3 * count * sides, 3);
        this.geometry.setAttribute('position', this.places);
        this.geometry.setAttribute('normal', this.normals);
        this.geometry.setIndex(indices(count, sides));
        this.frustumCulled = false;
        this.castShadow = true;
        // Nobody takes hold of a wire.
        this.raycast = () => {};
    }

    /// `radius` across the plane of the line, `flat` times as much in it.
    follow(points, radius, flat = 1) {
        across.set(0, 0, 1);
        along.set(1, 0, 0);
        points.forEach((p, i) => this.ring(i, p, tangent(points, i), radius, flat));
        this.places.needsUpdate = this.normals.needsUpdate = true;
        this.geometry.boundingBox = null;
    }

    ring(i, p, t, radius, flat) {
        carry(across, t);
        third.crossVectors(t, across);
        for (let k = 0; k < this.sides; ++k) {
            const angle = 2 * Math.PI * k / this.sides;
            const [c, s] = [Math.cos(angle), flat * Math.sin(angle)];
            const [x, y, z] = ['x', 'y', 'z'].map((e) => c * across[e] + s * third[e]);
            this.places.setXYZ(i * this.sides + k, p.x + radius * x, p.y + radius * y, p.z + radius * z);
            this.normals.setXYZ(i * this.sides + k, x, y, z);
        }
    }
}

const turns = 9;
const perTurn = 14;

/// A coil spring along any line.
export class Coil extends Wire {
    constructor(material) {
        super(turns * perTurn + 1, material, 6);
        this.line = Array.from({length: turns * perTurn + 1}, () => new THREE.Vector3());
    }

    /// `centre(s, out)` is the line, s from 0 to 1.
    wind(centre, radius, wire) {
        const n = new THREE.Vector3(0, 0, 1);
        const t = new THREE.Vector3();
        const [a, b] = [new THREE.Vector3(), new THREE.Vector3()];
        this.line.forEach((p, i) => {
            const s = i / (turns * perTurn);
            centre(Math.max(s - 0.01, 0), a);
            centre(Math.min(s + 0.01, 1), b);
            const length = t.subVectors(b, a).length();
            carry(n, length > 1e-12 ? t.divideScalar(length) : t.set(1, 0, 0));
            const angle = 2 * Math.PI * i / perTurn;
            // Straight at both ends, where it is held.
            const r = radius * Math.min(1, Math.max(0, 14 * Math.min(s, 1 - s) - 0.6));
            centre(s, p);
            p.addScaledVector(n, r * Math.cos(angle)).addScaledVector(third.crossVectors(t, n), r * Math.sin(angle));
        });
        this.follow(this.line, wire);
    }

    /// Straight, between two points.
    span(from, to, radius, wire) { this.wind((s, out) => out.lerpVectors(from, to, s), radius, wire); }
}
