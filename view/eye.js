// The eye: a camera that shows all that moves, until somebody takes it; and the ways between points of
// the page and of the world.
import * as THREE from 'three';
import {OrbitControls} from 'three/addons/controls/OrbitControls.js';
import {sizeOf, vector} from './space.js';

// Share of the view that stays free around the world.
const margin = {planar: 1.12, spatial: 1.18};

function atMiddle(body) {
    const at = body.position.clone();
    return {...body.userData, body, at, point: body.worldToLocal(at.clone())};
}

export class Eye {
    /// `way`: from the world towards the eye.
    constructor(container, canvas, bounds, way, planar) {
        Object.assign(this, {container, canvas, way, planar});
        this.bounds = bounds.clone();
        this.centre = bounds.getCenter(new THREE.Vector3());
        this.size = Math.max(sizeOf(bounds) / 2, 1e-5);
        this.most = this.bounds.clone().expandByScalar(3 * this.size);
        this.moved = false;
        this.widened = 0;
        this.camera = new THREE.PerspectiveCamera(planar ? 16 : 30, 1, 0.02 * this.size, 120 * this.size);
        this.camera.up.set(0, planar ? 1 : 0, planar ? 0 : 1);
        this.makeControls();
        this.resize();
        this.frame();
    }

    dispose() { this.controls.dispose(); }

    makeControls() {
        const controls = new OrbitControls(this.camera, this.canvas);
        controls.enableDamping = true;
        controls.dampingFactor = 0.12;
        controls.enableRotate = !this.planar;
        controls.minDistance = 0.3 * this.size;
        controls.maxDistance = 30 * this.size;
        if (this.planar) {
            controls.mouseButtons.LEFT = THREE.MOUSE.PAN;
            controls.touches.ONE = THREE.TOUCH.PAN;
        }
        this.controls = controls;
    }

    // --- what is seen

    /// The whole world, as at the start.
    frame() {
        const {camera, way} = this;
        this.moved = false;
        const tall = Math.tan(THREE.MathUtils.degToRad(camera.fov / 2)) / margin[this.planar ? 'planar' : 'spatial'];
        const right = new THREE.Vector3().crossVectors(camera.up, way).normalize();
        const above = new THREE.Vector3().crossVectors(way, right);
        // Near enough that no corner of the bounds is outside.
        let distance = 0;
        for (const corner of this.corners()) {
            const wide = Math.max(Math.abs(corner.dot(above)), Math.abs(corner.dot(right)) / camera.aspect);
            distance = Math.max(distance, wide / tall + corner.dot(way));
        }
        this.controls.target.copy(this.centre);
        camera.position.copy(this.centre).addScaledVector(way, distance);
        this.controls.update();
    }

    // Of the bounds, from their centre.
    corners() {
        const {min, max} = this.bounds;
        return [0, 1, 2, 3, 4, 5, 6, 7].map((i) => vector([i & 1, i >> 1 & 1, i >> 2].map((k, j) =>
            (k ? max : min).getComponent(j))).sub(this.centre));
    }

    /// Only these bounds.
    look(bounds) {
        this.bounds.copy(bounds);
        bounds.getCenter(this.centre);
        this.frame();
    }

    /// Bodies that leave the view are followed by making room, until somebody moves the eye. True when it grew.
    widen(bodies) {
        const now = performance.now();
        if (this.moved || now - this.widened < 100) return false;
        this.widened = now;
        const out = bodies.solid().filter((body) => this.most.containsPoint(body.position)
            && !this.bounds.containsPoint(body.position));
        for (const body of out) {
            this.bounds.union(new THREE.Box3().setFromObject(body).expandByScalar(0.04 * this.size));
        }
        if (out.length > 0) this.look(this.bounds);
        return out.length > 0;
    }

    resize() {
        const {clientWidth: w, clientHeight: h} = this.container;
        if (w === 0 || h === 0) return;
        const before = this.camera.aspect;
        this.camera.aspect = Math.max(w / h, 0.2);
        this.camera.updateProjectionMatrix();
        if (Math.abs(before - w / h) > 0.05 && !this.moved) this.frame();
    }

    /// As another eye sees it.
    follow(other) {
        this.moved = true;
        this.camera.position.copy(other.camera.position);
        this.controls.target.copy(other.controls.target);
    }

    // --- points of the page and of the world

    /// Marks keep their size on the screen, whatever the zoom: about half a pixel of a view of usual height [m].
    unit() {
        const distance = this.camera.position.distanceTo(this.controls.target);
        return distance * Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2)) / 210;
    }

    ray(x, y) {
        const box = this.canvas.getBoundingClientRect();
        const caster = new THREE.Raycaster();
        caster.setFromCamera(new THREE.Vector2(2 * (x - box.left) / box.width - 1,
            1 - 2 * (y - box.top) / box.height), this.camera);
        return caster;
    }

    /// A point of the page, in the plane through `at` that faces the eye (or of the world, if planar).
    onPlane(x, y, at) {
        const normal = this.planar ? new THREE.Vector3(0, 0, 1)
            : this.camera.getWorldDirection(new THREE.Vector3());
        const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(normal, at);
        return this.ray(x, y).ray.intersectPlane(plane, new THREE.Vector3());
    }

    /// Pixels of the view.
    project(point) {
        const p = point.clone().project(this.camera);
        return {x: (p.x + 1) / 2 * this.container.clientWidth, y: (1 - p.y) / 2 * this.container.clientHeight};
    }

    /// Directions of the eye in the world: right, up, forward.
    axes() {
        const m = this.camera.matrixWorld.elements;
        return [vector([m[0], m[1], m[2]]), vector([m[4], m[5], m[6]]), vector([-m[8], -m[9], -m[10]])];
    }

    /// What lies under a point of the page: a body, the point on it and in it.
    pick(x, y, bodies) {
        const caster = this.ray(x, y);
        const hit = caster.intersectObjects(bodies.list, true)[0] ?? this.near(caster, bodies);
        if (!hit) return null;
        if (!hit.object.isMesh) return atMiddle(bodies.touched(hit.object));
        const {mechanism, part: own, soft} = hit.object.userData;
        // On a soft body the part is the face, and the point the weights of its corners.
        const part = soft ? 1 + hit.faceIndex : own;
        const body = bodies.at(mechanism, part);
        return {mechanism, part, body, at: hit.point.clone(), point: body.worldToLocal(hit.point.clone())};
    }

    // Fingers are wide and some bodies thin: near the handle counts as on it. The nearest wins.
    near(caster, bodies) {
        let [best, least] = [null, 14 * this.unit()];
        for (const body of bodies.solid()) {
            const distance = caster.ray.distanceToPoint(body.position);
            if (distance < least) [best, least] = [body, distance];
        }
        return best && {object: best};
    }
}
