// The view: bodies of the world, light, camera, and what the hand feels. Draws between the last two
// pictures, so that 60 pictures a second look smooth on any screen.
import * as THREE from 'three';
import {OrbitControls} from 'three/addons/controls/OrbitControls.js';
import {contactOf, deviceOf} from './protocol.js';
import {Arrow, Contacts, Hand, Spring} from './marks.js';
import {Geometries, freeRegion, pieces, place, standIns, wallGeometry} from './shapes.js';
import {colours, current} from './theme.js';

const vector = (a) => new THREE.Vector3(a[0], a[1], a[2]);
const finite = (a) => a.every(Number.isFinite);

// Forces span decades; the root keeps small ones visible. The value stands beside the arrow.
function arrowLength(force, reference, longest) {
    return longest * Math.min(1, Math.sqrt(force / reference));
}

// What a slow machine leaves out first: points of the picture, and shadows of every frame.
const levels = [{ratio: 1, every: 1}, {ratio: 0.7, every: 2}, {ratio: 0.5, every: 6}];

// Of the last scene: a new one would have to build all its programs again.
let spare = null;

export class View {
    constructor(container) {
        this.container = container;
        this.best = wantsBest();
        this.renderer = spare ?? makeRenderer(this.best);
        spare = null;
        const weak = this.renderer.userData.weak;
        this.setLevel(weak ? levels.length - 1 : 0);
        this.canvas = this.renderer.domElement;
        this.canvas.tabIndex = 0;
        this.canvas.setAttribute('role', 'application');
        this.canvas.setAttribute('aria-label',
            'The world. Arrow keys move the tool, Escape lets go, question mark shows all keys.');
        container.prepend(this.canvas);
        this.scene = new THREE.Scene();
        this.held = null;
        this.frames = 0;
        this.cost = 0;
        this.onframe = () => {};
        this.observer = new ResizeObserver(() => this.resize());
        this.observer.observe(container);
        this.repaint = () => this.paint();
        window.addEventListener('palp-theme', this.repaint);
        this.renderer.setAnimationLoop(() => this.animate());
    }

    dispose() {
        this.renderer.setAnimationLoop(null);
        this.observer.disconnect();
        window.removeEventListener('palp-theme', this.repaint);
        this.controls?.dispose();
        this.geometries?.dispose();
        this.sun?.dispose();
        this.canvas.remove();
        if (spare) this.renderer.dispose();
        else spare = this.renderer;
    }

    // --- speed

    setLevel(level) {
        this.level = level;
        this.slow = 0;
        this.renderer.setPixelRatio(levels[level].ratio * Math.min(devicePixelRatio, 2));
    }

    // Frames of more than 50 ms, time and again: draw less. Never more again, or it would swing.
    keepPace() {
        const now = performance.now();
        const late = now - (this.drawn ?? now) > 50;
        this.drawn = now;
        this.slow = late ? this.slow + 1 : Math.max(this.slow - 0.2, 0);
        if (this.slow < 6 || this.level + 1 >= levels.length || this.best) return;
        this.setLevel(this.level + 1);
        this.resize();
    }

    // --- the world

    /// `world`: of the server's hello; `own`: the scene's JSON, for bodies without shapes.
    setWorld(world, own) {
        this.world = world;
        this.own = own;
        this.planar = Boolean(world.planar);
        this.last = this.before = null;
        this.built = false;
        this.tool = mainCoupling(world);
    }

    // Only the first picture says where bodies are, and so how large the world is.
    build(picture) {
        this.built = true;
        this.most = this.looseFloor = null;
        this.scene.clear();
        this.geometries?.dispose();
        this.sun?.dispose();
        this.geometries = new Geometries();
        this.materials = {};
        this.makeBodies(picture);
        this.makeGround();
        this.makeMarks();
        this.makeLight();
        this.makeCamera();
        this.paint();
        this.resize();
    }

    makeBodies(picture) {
        const first = [];
        this.offsets = [];
        this.world.mechanisms.forEach((mechanism, m) => {
            this.offsets.push(first.length);
            mechanism.parts.forEach((_, p) => first.push([m, p]));
        });
        this.bodies = first.map(([mechanism, part]) => {
            const body = new THREE.Group();
            body.userData = {mechanism, part};
            this.scene.add(body);
            return body;
        });
        this.put(picture, picture, 1);
        const all = [...this.world.shapes.filter((s) => s.mechanism >= 0)];
        all.push(...standIns(this.own, this.world, this.extent(all)));
        all.forEach((shape) => this.addShape(shape));
        this.measure();
    }

    bodyOf(mechanism, part) { return this.bodies[this.offsets[mechanism] + part]; }

    addShape(shape) {
        const body = this.bodyOf(shape.mechanism, shape.part);
        for (const piece of pieces(shape)) {
            const mesh = new THREE.Mesh(this.geometries.of(piece), this.materialOf(shape));
            place(mesh, piece.frame);
            mesh.castShadow = mesh.receiveShadow = true;
            mesh.userData = body.userData;
            body.add(mesh);
        }
    }

    isTool(mechanism) { return this.tool !== null && this.tool.tool.mechanism === mechanism; }

    // Neighbours differ a little in lightness, so that a pile is not one lump.
    materialOf(shape) {
        const name = this.isTool(shape.mechanism) ? 'tool' : `body${(shape.mechanism * 5 + shape.part) % 4}`;
        return this.material(name);
    }

    material(name) {
        this.materials[name] ??= new THREE.MeshStandardMaterial({roughness: 0.55, metalness: 0});
        return this.materials[name];
    }

    // Rough size of the world from where bodies are, before shapes are made.
    extent(shapes) {
        const bounds = new THREE.Box3();
        this.bodies.forEach((body) => bounds.expandByPoint(body.position));
        const spread = bounds.isEmpty() ? 0 : bounds.getSize(new THREE.Vector3()).length();
        const all = (this.own?.mechanisms ?? []).flatMap((m) => m.bodies ?? []);
        const rods = [all.reduce((sum, b) => sum + (b.rod ?? 0), 0)];
        const starts = all
            .map((b) => b.joint === 'prismatic' && typeof b.start === 'number' ? Math.abs(b.start) : 0);
        return Math.max(spread, ...rods, ...starts, shapes.length > 0 ? 0 : 0.1);
    }

    measure() {
        this.scene.updateMatrixWorld(true);
        const bounds = new THREE.Box3();
        for (const body of this.bodies) {
            if (body.children.length > 0) bounds.expandByObject(body);
        }
        this.swing(bounds);
        const reach = Math.max(bounds.isEmpty() ? 0 : bounds.getSize(new THREE.Vector3()).length(), 1e-3);
        const middle = bounds.isEmpty() ? new THREE.Vector3() : bounds.getCenter(new THREE.Vector3());
        for (const shape of this.world.shapes.filter((s) => s.mechanism < 0)) {
            this.grow(bounds, shape, middle, reach);
        }
        if (bounds.isEmpty()) bounds.set(vector([-0.1, -0.1, -0.1]), vector([0.1, 0.1, 0.1]));
        this.bounds = bounds;
        this.centre = bounds.getCenter(new THREE.Vector3());
        this.size = Math.max(bounds.getSize(new THREE.Vector3()).length() / 2, 1e-3);
    }

    // The ground belongs to the view where it is near what moves; planes by their nearest point.
    grow(bounds, shape, middle, reach) {
        if (shape.kind === 'plane') {
            const plane = planeOf(shape);
            if (Math.abs(plane.distanceToPoint(middle)) > 4 * reach) return;
            // In the plane, a stretch of the wall itself belongs to it.
            const foot = plane.projectPoint(middle, new THREE.Vector3());
            bounds.expandByPoint(foot.addScaledVector(plane.normal, this.planar ? -0.12 * reach : 0));
            return;
        }
        for (const piece of pieces(shape)) {
            const mesh = new THREE.Mesh(this.geometries.of(piece));
            place(mesh, piece.frame);
            bounds.expandByObject(mesh);
        }
    }

    // What hangs on a fixed joint sweeps a ball around it.
    swing(bounds) {
        this.world.mechanisms.forEach((mechanism, m) => {
            const body = this.own?.mechanisms?.find((other) => other.name === mechanism.name);
            if (body?.bodies?.[0].joint === 'prismatic') return this.slide(bounds, body.bodies[0], m);
            if (!body?.bodies || body.bodies[0].joint !== 'revolute') return;
            const length = body.bodies.reduce((sum, b) => sum + (b.rod ?? 0), 0);
            const at = this.bodyOf(m, 0).position;
            const planar = Math.abs((body.bodies[0].axis ?? [0, 0, 1])[2]) > 0.5;
            const low = vector(planar ? [-0.7, -0.7, 0] : [-0.7, 0, -1]).multiplyScalar(length);
            const high = vector(planar ? [0.7, 0.7, 0] : [0.7, 0, 0.3]).multiplyScalar(length);
            bounds.expandByPoint(at.clone().add(low)).expandByPoint(at.clone().add(high));
        });
    }

    // What starts beside its rest swings as far to the other side.
    slide(bounds, body, mechanism) {
        const way = vector(body.axis ?? [0, 0, 1]).multiplyScalar(-2 * (body.start ?? 0));
        bounds.expandByPoint(this.bodyOf(mechanism, 0).position.clone().add(way));
    }

    // --- ground

    makeGround() {
        const ground = this.world.shapes.filter((s) => s.mechanism < 0);
        for (const shape of ground) {
            for (const piece of pieces(shape)) this.addGround(this.geometries.of(piece), piece.frame);
        }
        const planes = ground.filter((s) => s.kind === 'plane');
        if (this.planar) this.makeTable(planes);
        else this.makeFloor(planes);
    }

    addGround(geometry, frame) {
        const glass = !this.planar && geometry.type === 'RoundedBoxGeometry';
        const mesh = new THREE.Mesh(geometry, this.material(glass ? 'glass' : 'ground'));
        if (frame) place(mesh, frame);
        mesh.receiveShadow = true;
        mesh.castShadow = !glass;
        this.scene.add(mesh);
        return mesh;
    }

    thickness() {
        const box = new THREE.Box3();
        this.bodies.forEach((body) => { if (body.children.length) box.expandByObject(body); });
        return box.isEmpty() ? 0.1 * this.size : Math.max(box.max.z - box.min.z, 0.02 * this.size);
    }

    makeTable(planes) {
        const thick = this.thickness();
        const reach = 30 * this.size;
        if (planes.length > 0) {
            const region = freeRegion(planes, this.centre, reach);
            if (region.length > 2) {
                this.addGround(wallGeometry(region, this.centre, reach, 1.3 * thick));
            }
        }
        this.addFloor(-0.65 * thick);
    }

    makeFloor(planes) {
        const flat = planes.filter((s) => planeOf(s).normal.z > 0.5);
        for (const shape of planes) {
            if (flat.includes(shape)) continue;
            const wall = new THREE.Mesh(new THREE.PlaneGeometry(5 * this.size, 5 * this.size),
                this.material('glass'));
            facing(wall, shape, this.centre);
            this.scene.add(wall);
        }
        if (flat.length === 0) {
            this.looseFloor = this.addFloor(this.bounds.min.z - 0.08 * this.size);
            return;
        }
        for (const shape of flat) {
            const floor = this.addFloor(0);
            facing(floor, shape, this.centre);
        }
    }

    // A disc with a grid of round steps that fades into the background.
    addFloor(height) {
        const radius = 9 * this.size;
        const step = 10 ** Math.floor(Math.log10(this.size)) * (this.planar ? 0.5 : 1);
        this.gridStep = step;
        const material = floorMaterial(step, radius);
        this.materials.floor = material;
        const floor = new THREE.Mesh(new THREE.CircleGeometry(radius, 96), material);
        floor.position.set(this.centre.x, this.centre.y, height);
        floor.receiveShadow = true;
        this.scene.add(floor);
        return floor;
    }

    // --- light and camera

    makeLight() {
        this.hemisphere = new THREE.HemisphereLight();
        this.hemisphere.position.set(0, 0, 1);
        this.sun = new THREE.DirectionalLight();
        const from = this.planar ? [-0.4, 0.6, 2.1] : [-0.8, -1.0, 2.2];
        this.sun.position.copy(this.centre).addScaledVector(vector(from), 2 * this.size);
        this.sun.target.position.copy(this.centre);
        this.sun.castShadow = true;
        this.sun.shadow.mapSize.setScalar(this.planar ? 2048 : 1024);
        this.sun.shadow.radius = 7;
        this.sun.shadow.bias = -0.0006;
        this.sun.shadow.normalBias = 0.004 * this.size;
        const reach = (this.planar ? 3.8 : 2.2) * this.size;
        Object.assign(this.sun.shadow.camera,
            {left: -reach, right: reach, top: reach, bottom: -reach, near: 0.1 * this.size,
                far: 12 * this.size});
        this.scene.add(this.hemisphere, this.sun, this.sun.target);
    }

    makeCamera() {
        const camera = new THREE.PerspectiveCamera(this.planar ? 16 : 30, 1, 0.02 * this.size,
            120 * this.size);
        camera.up.set(0, this.planar ? 1 : 0, this.planar ? 0 : 1);
        this.camera = camera;
        this.controls?.dispose();
        this.controls = new OrbitControls(camera, this.canvas);
        this.controls.enableDamping = true;
        this.controls.dampingFactor = 0.12;
        this.controls.enableRotate = !this.planar;
        this.controls.minDistance = 0.3 * this.size;
        this.controls.maxDistance = 30 * this.size;
        if (this.planar) {
            this.controls.mouseButtons.LEFT = THREE.MOUSE.PAN;
            this.controls.touches.ONE = THREE.TOUCH.PAN;
        }
        this.frame();
    }

    /// The whole world, as at the start.
    frame() {
        const {camera} = this;
        const aspect = Math.max(this.container.clientWidth / Math.max(this.container.clientHeight, 1), 0.2);
        const tall = Math.tan(THREE.MathUtils.degToRad(camera.fov / 2)) / (this.planar ? 1.12 : 1.18);
        const way = vector(this.planar ? [0, 0, 1] : [0.55, -1, 0.45]).normalize();
        const right = new THREE.Vector3().crossVectors(camera.up, way).normalize();
        const above = new THREE.Vector3().crossVectors(way, right);
        // Near enough that no corner of the bounds is outside.
        let distance = 0;
        for (let i = 0; i < 8; ++i) {
            const corner = vector([i & 1, i >> 1 & 1, i >> 2].map((k, j) => (k ? this.bounds.max : this.bounds.min)
                .getComponent(j))).sub(this.centre);
            const wide = Math.max(Math.abs(corner.dot(above)), Math.abs(corner.dot(right)) / aspect);
            distance = Math.max(distance, wide / tall + corner.dot(way));
        }
        this.controls.target.copy(this.centre);
        camera.position.copy(this.centre).addScaledVector(way, distance);
        this.controls.update();
    }

    // Bodies that leave the view are followed by making room, until somebody moves the camera.
    widen() {
        const now = performance.now();
        if (this.moved || this.held || now - (this.widened ?? 0) < 100) return;
        this.widened = now;
        const reach = 0.04 * this.size;
        const most = this.most ??= this.bounds.clone().expandByScalar(3 * this.size);
        let grown = false;
        for (const body of this.bodies) {
            const out = body.children.length > 0 && most.containsPoint(body.position)
                && !this.bounds.containsPoint(body.position);
            if (out) this.bounds.union(new THREE.Box3().setFromObject(body).expandByScalar(reach));
            grown ||= out;
        }
        if (!grown) return;
        this.bounds.getCenter(this.centre);
        if (this.looseFloor) this.looseFloor.position.z = Math.min(this.looseFloor.position.z, this.bounds.min.z - reach);
        this.frame();
    }

    resize() {
        const {clientWidth: w, clientHeight: h} = this.container;
        if (w === 0 || h === 0) return;
        this.renderer.setSize(w, h, false);
        if (!this.camera) return;
        const before = this.camera.aspect;
        this.camera.aspect = w / h;
        this.camera.updateProjectionMatrix();
        if (Math.abs(before - w / h) > 0.05 && !this.moved) this.frame();
        // A new size wipes the canvas; it must not be seen empty.
        if (this.last) this.draw();
    }

    paint() {
        const c = colours[current()];
        this.scene.background = new THREE.Color(c.sky);
        if (!this.built) return;
        const m = this.materials;
        for (let i = 0; i < 4; ++i) {
            m[`body${i}`]?.color.set(c.body).offsetHSL(0.012 * (i - 1.5), 0, 0.035 * (i - 1.5));
        }
        m.tool?.color.set(c.tool);
        m.ground?.color.set(c.ground);
        if (m.glass) {
            m.glass.color.set(c.ground);
            Object.assign(m.glass, {transparent: true, opacity: 0.22, depthWrite: false, side: THREE.DoubleSide});
        }
        if (m.floor) {
            m.floor.color.set(c.floor);
            // The shader mixes these in behind the conversion to sRGB.
            m.floor.userData.grid.value.set(c.grid).convertLinearToSRGB();
            m.floor.userData.sky.value.set(c.sky).convertLinearToSRGB();
        }
        this.hemisphere.color.set(c.skyLight);
        this.hemisphere.groundColor.set(c.groundLight);
        this.hemisphere.intensity = c.hemisphere;
        this.sun.intensity = c.sun;
        this.sun.shadow.intensity = c.shadow;
        this.makeMarks();
    }

    // --- pictures

    picture(picture) {
        if (!this.world || picture.bodyCount === 0 && this.world.mechanisms.length > 0) return;
        if (!this.built) this.build(picture);
        const now = performance.now();
        if (this.last) {
            const gap = Math.min(now - this.arrived, 100);
            this.interval = 0.9 * (this.interval ?? 17) + 0.1 * gap;
        }
        this.before = this.last ?? picture;
        this.last = picture;
        this.arrived = now;
        // After a reset bodies leap; they do not fly there.
        if (picture.time < this.before.time) this.before = picture;
    }

    put(before, last, s) {
        const q = new THREE.Quaternion();
        this.bodies.forEach((body, i) => {
            const at = 7 * i;
            if (at + 7 > last.bodies.length) return;
            if (!finite(Array.from(last.bodies.subarray(at, at + 7)))) return;
            place(body, before.bodies, at);
            q.copy(body.quaternion);
            const from = body.position.clone();
            place(body, last.bodies, at);
            body.position.lerpVectors(from, body.position, s);
            body.quaternion.slerpQuaternions(q, body.quaternion, s);
        });
    }

    // On a machine that draws in software, half of the time is for everything else: a hand that is not
    // heard of for two seconds is let go.
    tired() {
        const last = this.level === levels.length - 1 && !this.best;
        const gap = performance.now() - (this.drawn ?? 0);
        return last && gap < Math.min(2 * this.cost, 400);
    }

    animate() {
        if (!this.built || !this.last || this.tired()) return;
        this.keepPace();
        const begin = performance.now();
        this.draw();
        this.cost = 0.7 * this.cost + 0.3 * (performance.now() - begin);
    }

    draw() {
        this.frames += 1;
        this.renderer.shadowMap.needsUpdate = this.frames % levels[this.level].every === 0;
        const s = Math.min((performance.now() - this.arrived) / (this.interval ?? 17), 1);
        this.put(this.before, this.last, s);
        this.widen();
        this.controls.update();
        this.drawContacts();
        this.drawHand();
        this.renderer.render(this.scene, this.camera);
        this.onframe();
    }

    // --- marks

    makeMarks() {
        const c = colours[current()];
        this.marks?.removeFromParent();
        this.marks = new THREE.Group();
        this.arrow = new Arrow(c.hand);
        this.spring = new Spring(c.hand);
        this.hand = new Hand(c.hand);
        this.contacts = new Contacts(c.accent);
        this.marks.add(this.contacts, this.spring, this.hand, this.arrow);
        this.scene.add(this.marks);
    }

    // Marks keep their size on the screen, whatever the zoom.
    unit() {
        const distance = this.camera.position.distanceTo(this.controls.target);
        return distance * Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2)) / 210;
    }

    drawContacts() {
        const unit = this.unit();
        const {last} = this;
        this.contacts.clear();
        const forces = [];
        for (let i = 0; i < last.contactCount; ++i) {
            const c = contactOf(last, i);
            forces.push(Math.hypot(...c.force));
        }
        const strongest = this.strongest = Math.max(0.995 * (this.strongest ?? 0), ...forces, 1e-3);
        // With many contacts each is drawn smaller: a pile stays readable.
        const small = last.contactCount > 24 ? 0.55 : 1;
        forces.forEach((force, i) => {
            const c = contactOf(last, i);
            if (force <= 1e-9 || !finite([...c.at, ...c.force])) return;
            // The force on the first is drawn on the side of what can move.
            const flip = this.world.shapes[c.shapeA]?.mechanism < 0 ? -1 : 1;
            const direction = vector(c.force).multiplyScalar(flip / force);
            const normal = vector(c.normal).normalize();
            if (normal.dot(direction) < 0) normal.negate();
            const length = small * unit * (7 + 34 * Math.sqrt(force / strongest));
            this.contacts.addContact(vector(c.at), normal, direction, length, this.frictionOf(c), small * unit * 2.4);
        });
        this.contacts.done();
    }

    frictionOf(contact) {
        const [a, b] = [contact.shapeA, contact.shapeB].map((i) => this.world.shapes[i]?.material ?? 0);
        const [x, y] = [a, b].map((i) => this.world.materials[i]?.friction ?? 0);
        return Math.sqrt(x * y);
    }

    /// Which device the hand has now, and at what it pulls: of a person, of the script, or none.
    activeGrip() {
        if (this.held) return this.held;
        if (!this.tool || !this.scripted) return null;
        return {device: this.tool.device, ghost: true,
            body: this.bodyOf(this.tool.tool.mechanism, this.tool.tool.part), point: this.tool.tool.point};
    }

    drawHand() {
        const grip = this.activeGrip();
        const device = grip && deviceOf(this.last, grip.device);
        this.feel = null;
        if (!device || !finite([...device.p, ...device.force])) {
            this.hand.visible = this.spring.visible = this.arrow.visible = false;
            return;
        }
        const unit = this.unit();
        const site = grip.body.localToWorld(vector(grip.point));
        const hand = grip.target ? vector(grip.target) : vector(device.p).add(this.pull(device));
        this.hand.show(hand, 6.5 * unit, this.camera.quaternion, grip.ghost);
        this.spring.span(site, hand, 5.5 * unit);
        this.spring.material.opacity = grip.ghost ? 0.8 : 1;
        const force = vector(device.force);
        const size = force.length();
        const length = arrowLength(size, this.forceReference(grip), 120 * unit);
        if (size > 1e-6) this.arrow.point(site, force.clone().divideScalar(size), length, 2.1 * unit);
        else this.arrow.visible = false;
        const tip = site.clone();
        if (size > 1e-6) tip.addScaledVector(force, length / size);
        this.feel = {force, size, site, tip, ghost: Boolean(grip.ghost)};
    }

    // A script tells no target; its pull is drawn as the stretch of a spring of 60 N/m.
    pull(device) {
        const stretch = vector(device.hand).divideScalar(60);
        const most = 60 * this.unit();
        return stretch.clampLength(0, most);
    }

    forceReference(grip) {
        const coupling = this.world.couplings.find((c) => c.device === grip.device);
        const limit = this.world.devices[grip.device]?.forceLimit ?? coupling?.forceLimit ?? [];
        const least = Math.min(...limit.filter((x) => x !== null && x > 0));
        return Number.isFinite(least) ? Math.min(least, 50) : 20;
    }

    // --- picking

    ray(x, y) {
        const box = this.canvas.getBoundingClientRect();
        const caster = new THREE.Raycaster();
        caster.setFromCamera(new THREE.Vector2(2 * (x - box.left) / box.width - 1,
            1 - 2 * (y - box.top) / box.height), this.camera);
        return caster;
    }

    /// What lies under a point of the page: a body, the point on it and in it.
    pick(x, y) {
        if (!this.built) return null;
        const caster = this.ray(x, y);
        const hit = caster.intersectObjects(this.bodies, true)[0] ?? this.near(caster);
        if (!hit) return null;
        const {mechanism, part} = hit.object.userData;
        const body = this.bodyOf(mechanism, part);
        return {mechanism, part, body, at: hit.point.clone(), point: body.worldToLocal(hit.point.clone())};
    }

    // Fingers are wide and some bodies thin: near the handle counts as on it.
    near(caster) {
        for (const body of this.bodies) {
            if (body.children.length === 0) continue;
            const distance = caster.ray.distanceToPoint(body.position);
            if (distance > 14 * this.unit()) continue;
            return {object: body, point: body.position.clone()};
        }
        return null;
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
}

function makeRenderer(best) {
    const weak = !best && drawsInSoftware();
    const renderer = new THREE.WebGLRenderer({antialias: !weak});
    renderer.userData = {weak};
    renderer.shadowMap.enabled = true;
    renderer.shadowMap.type = THREE.PCFShadowMap;
    renderer.shadowMap.autoUpdate = false;
    renderer.toneMapping = THREE.NeutralToneMapping;
    return renderer;
}

// Without a graphics card every point costs; then there is no use in waiting until it is noticed.
function drawsInSoftware() {
    const gl = document.createElement('canvas').getContext('webgl2');
    const about = gl?.getExtension('WEBGL_debug_renderer_info');
    const name = about ? gl.getParameter(about.UNMASKED_RENDERER_WEBGL) : '';
    gl?.getExtension('WEBGL_lose_context')?.loseContext();
    return /swiftshader|llvmpipe|softpipe|software/i.test(name);
}

// Pictures of the gallery take their time.
function wantsBest() { return new URLSearchParams(location.search).has('best'); }

function planeOf(shape) {
    const q = new THREE.Quaternion(shape.frame[4], shape.frame[5], shape.frame[6], shape.frame[3]);
    const normal = vector(shape.normal).applyQuaternion(q);
    return new THREE.Plane().setFromNormalAndCoplanarPoint(normal, vector(shape.frame));
}

function facing(mesh, shape, centre) {
    const plane = planeOf(shape);
    plane.projectPoint(centre, mesh.position);
    mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), plane.normal);
}

/// The coupling that holds the scene's own tool; null: the scene has none.
export function mainCoupling(world) {
    return world.couplings.find((c, i) => c.tool.mechanism >= 0 && i !== world.touch?.coupling) ?? null;
}

// Lines of the grid by the distance to the next one, in units of a pixel, so that they stay thin.
function floorMaterial(step, radius) {
    const material = new THREE.MeshStandardMaterial({roughness: 0.95, metalness: 0});
    const grid = {value: new THREE.Color()};
    const sky = {value: new THREE.Color()};
    material.userData = {grid, sky};
    material.onBeforeCompile = (shader) => {
        Object.assign(shader.uniforms, {palpGrid: grid, palpSky: sky, palpStep: {value: step},
            palpRadius: {value: radius}});
        shader.vertexShader = shader.vertexShader
            .replace('#include <common>', '#include <common>\nvarying vec2 palpAt; varying vec3 palpWorld;')
            .replace('#include <begin_vertex>', '#include <begin_vertex>\npalpAt = position.xy;\n'
                + 'palpWorld = (modelMatrix * vec4(position, 1.0)).xyz;');
        shader.fragmentShader = shader.fragmentShader
            .replace('#include <common>', `#include <common>
                varying vec2 palpAt; varying vec3 palpWorld;
                uniform vec3 palpGrid, palpSky; uniform float palpStep, palpRadius;
                float palpLine(float s, float wide) {
                    vec2 g = palpWorld.xy / s;
                    vec2 d = abs(fract(g - 0.5) - 0.5) / (fwidth(g) * wide);
                    return 1.0 - clamp(min(d.x, d.y), 0.0, 1.0);
                }`)
            .replace('#include <dithering_fragment>', `#include <dithering_fragment>
                float palpLines = max(0.4 * palpLine(palpStep, 1.0), 0.9 * palpLine(5.0 * palpStep, 1.2));
                gl_FragColor.rgb = mix(gl_FragColor.rgb, palpGrid, palpLines);
                float palpFar = smoothstep(0.25, 0.95, length(palpAt) / palpRadius);
                gl_FragColor.rgb = mix(gl_FragColor.rgb, palpSky, palpFar);`);
    };
    return material;
}
