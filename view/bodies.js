// Bodies of the world: a group for each part, with the meshes of its shapes, put where pictures say.
import * as THREE from 'three';
import {extent} from './bounds.js';
import {pieces, standIns} from './shapes.js';
import {Softs} from './soft.js';
import {place} from './space.js';

const before = new THREE.Quaternion();
const from = new THREE.Vector3();

export class Bodies {
    /// `picture`: the first one says where bodies are; `isLight(mechanism)`: which may be held.
    constructor(world, own, picture, {geometries, paint, isLight}) {
        Object.assign(this, {world, geometries, paint, isLight});
        this.group = new THREE.Group();
        this.offsets = [];
        this.list = [];
        world.mechanisms.forEach((mechanism, m) => {
            this.offsets.push(this.list.length);
            mechanism.parts.forEach((_, p) => this.add(m, p));
        });
        this.put(picture, picture, 1);
        const shapes = world.shapes.filter((s) => s.mechanism >= 0);
        this.reach = extent(this.list, own, world, shapes);
        [...shapes, ...standIns(own, world, this.reach)].forEach((shape) => this.addShape(shape));
        this.softs = new Softs(world, own, this, paint);
        this.put(picture, picture, 1);
        this.group.updateMatrixWorld(true);
    }

    dispose() { this.softs.dispose(); }

    add(mechanism, part) {
        const body = new THREE.Group();
        body.userData = {mechanism, part};
        this.list.push(body);
        this.group.add(body);
    }

    /// Parts of a soft body from 1 on are its faces.
    at(mechanism, part) {
        const soft = part > 0 && this.softs?.of(mechanism);
        return soft ? soft.spot(part - 1) : this.list[this.offsets[mechanism] + part];
    }

    /// What is grabbed of a body that is pressed near: of a soft one, the face in the middle.
    touched(body) {
        const soft = this.softs.of(body.userData.mechanism);
        return soft ? soft.nearest(body.position) : body;
    }

    addShape(shape) {
        const body = this.at(shape.mechanism, shape.part);
        for (const piece of pieces(shape)) {
            const mesh = new THREE.Mesh(this.geometries.of(piece),
                this.paint.ofShape(shape, this.isLight(shape.mechanism)));
            place(mesh, piece.frame);
            mesh.castShadow = mesh.receiveShadow = true;
            mesh.userData = body.userData;
            body.add(mesh);
        }
    }

    /// Those that can be seen and touched.
    solid() { return this.list.filter((body) => body.children.length > 0); }

    /// Between two pictures: `s` from 0 to 1.
    put(first, last, s) {
        this.list.forEach((body, i) => {
            const at = 7 * i;
            if (!wellPut(last.bodies, at)) return;
            place(body, first.bodies, at);
            before.copy(body.quaternion);
            from.copy(body.position);
            place(body, last.bodies, at);
            body.position.lerpVectors(from, body.position, s);
            body.quaternion.slerpQuaternions(before, body.quaternion, s);
        });
        this.softs?.put(first, last, s);
    }

    /// From the lowest to the highest point [m].
    thickness() {
        const box = new THREE.Box3();
        this.solid().forEach((body) => box.expandByObject(body));
        return box.isEmpty() ? 0 : box.max.z - box.min.z;
    }
}

// A pose that is there, and is made of numbers.
function wellPut(poses, at) {
    if (at + 7 > poses.length) return false;
    for (let k = at; k < at + 7; ++k) if (!Number.isFinite(poses[k])) return false;
    return true;
}
