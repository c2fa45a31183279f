// The view: a world, its room and its links as the eye sees them, and what the hand feels. Draws between
// the last two pictures, so that 60 pictures a second look smooth on any screen.
import * as THREE from 'three';
import {Bodies} from './bodies.js';
import {measure, wayOf} from './bounds.js';
import {Eye} from './eye.js';
import {Felt} from './felt.js';
import {feltCouplings, inPartsAxes, toolOf} from './hand.js';
import {Links} from './links.js';
import {Paint} from './paint.js';
import {deviceOf} from './protocol.js';
import {Painter} from './renderer.js';
import {Room} from './room.js';
import {Geometries} from './shapes.js';
import {vector} from './space.js';
import {colours, current} from './theme.js';

export class View {
    /// `label`: what the picture is called for who does not see it.
    constructor(container, label) {
        this.container = container;
        this.painter = new Painter();
        this.canvas = this.painter.canvas;
        this.canvas.tabIndex = 0;
        this.canvas.setAttribute('role', 'application');
        this.canvas.setAttribute('aria-label', label);
        container.prepend(this.canvas);
        this.scene = new THREE.Scene();
        this.built = false;
        this.held = null;
        this.feel = null;
        this.onframe = () => {};
        /// The value of a watched channel at a time, undefined before the first tick; beams ask for amplitudes.
        this.channel = () => undefined;
        this.observer = new ResizeObserver(() => this.resize());
        this.observer.observe(container);
        this.repaint = () => this.paintAll();
        window.addEventListener('palp-theme', this.repaint);
        this.painter.three.setAnimationLoop(() => this.animate());
    }

    dispose() {
        this.observer.disconnect();
        window.removeEventListener('palp-theme', this.repaint);
        this.clear();
        this.canvas.remove();
        this.painter.dispose();
    }

    clear() {
        this.scene.clear();
        this.eye?.dispose();
        this.room?.dispose();
        this.links?.dispose();
        this.bodies?.dispose();
        this.geometries?.dispose();
        // Materials stay: the next scene uses their programs.
    }

    get frames() { return this.painter.frames; }

    // --- the world

    /// `world`: of the server's hello; `own`: the scene's JSON, for links and bodies without shapes.
    setWorld(world, own) {
        this.world = world;
        this.own = own;
        this.planar = Boolean(world.planar);
        this.last = this.before = null;
        this.built = false;
        const {coupling, light} = toolOf(world, own);
        this.tool = coupling;
        this.light = light;
        this.felts = feltCouplings(world);
        this.most = null;
    }

    /// Whether the scene's own device leads it.
    isTool(mechanism) { return this.tool !== null && this.tool.tool.mechanism === mechanism; }

    /// A soft tool is held where its device has it; any other spot of it can be grabbed.
    nearTool({part, at}) {
        if (!part || !this.bodies.softs.of(this.tool.tool.mechanism)) return true;
        const {mechanism, part: own, point} = this.tool.tool;
        return this.bodyOf(mechanism, own).localToWorld(vector(point)).distanceTo(at) < 40 * this.eye.unit();
    }

    isLight(mechanism) { return this.light !== null && this.light.mechanism === mechanism; }

    bodyOf(mechanism, part) { return this.bodies.at(mechanism, part); }

    // Only the first picture says where bodies are, and so how large the world is.
    build(picture) {
        const {world, own, planar} = this;
        this.clear();
        this.built = true;
        const tools = {geometries: this.geometries = new Geometries(), paint: this.paint = new Paint()};
        this.paint.set(colours[current()]);
        this.bodies = new Bodies(world, own, picture, {...tools, isLight: (m) => this.isLight(m)});
        const bounds = measure(world, own, this.bodies, this.geometries, planar);
        this.room = new Room(world, {...tools, bounds, planar, thickness: this.bodies.thickness()});
        this.links = new Links(world, own, this.bodies, this.paint);
        this.scene.add(this.bodies.group, this.room.group, this.links.group);
        this.eye = new Eye(this.container, this.canvas, bounds, wayOf(own, planar), planar);
        this.paintAll();
        this.resize();
    }

    paintAll() {
        const c = colours[current()];
        this.scene.background = new THREE.Color(c.sky);
        if (!this.built) return;
        this.paint.set(c);
        this.room.set(c);
        this.felt?.group.removeFromParent();
        this.felt = new Felt(this.world, c);
        this.scene.add(this.felt.group);
    }

    resize() {
        const {clientWidth: w, clientHeight: h} = this.container;
        if (w === 0 || h === 0) return;
        this.painter.three.setSize(w, h, false);
        if (!this.built) return;
        this.eye.resize();
        // A new size wipes the canvas; it must not be seen empty.
        if (this.last) this.draw();
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

    animate() {
        if (!this.built || !this.last || this.painter.tired()) return;
        if (this.painter.keepPace()) this.resize();
        const begin = performance.now();
        this.draw();
        this.painter.took(performance.now() - begin);
    }

    draw() {
        const s = Math.min((performance.now() - this.arrived) / (this.interval ?? 17), 1);
        this.bodies.put(this.before, this.last, s);
        this.bodies.group.updateMatrixWorld(true);
        const time = this.before.time + s * (this.last.time - this.before.time);
        this.links.draw((name) => this.channel(name, time));
        if (!this.held && this.eye.widen(this.bodies)) this.room.sink(this.eye.bounds.min.z - 0.04 * this.eye.size);
        this.eye.controls.update();
        const unit = this.eye.unit();
        this.felt.drawContacts(this.last, unit);
        this.felt.drawHand(this.last, this.activeGrip(), this.eye.camera, unit);
        this.feel = this.felt.drawForce(this.last, this.activeFeel(), unit);
        this.painter.render(this.scene, this.eye.camera);
        this.onframe();
    }

    /// Which device the hand has now, and at what it pulls: of a person, of the script, or none.
    activeGrip() {
        if (this.held) return this.held;
        if (!this.tool || !this.scripted || !this.built) return null;
        const {mechanism, part, point} = this.tool.tool;
        return {device: this.tool.device, ghost: true, body: this.bodyOf(mechanism, part), point};
    }

    /// Whose force is shown, and where: of what is held; of fingertips, the one that feels most. Null: none.
    activeFeel() {
        const grip = this.activeGrip();
        const mute = !grip || grip.device === this.tool?.device && !this.felts.includes(this.tool);
        if (!mute) return grip;
        const most = this.built && inPartsAxes(this.world, this.felts[0]?.device) ? this.mostFelt() : null;
        if (!most) return null;
        const {mechanism, part, point} = most.tool;
        return {device: most.device, ghost: !this.held, body: this.bodyOf(mechanism, part), point, turned: true};
    }

    // Another one only when it feels half as much again: an arrow that leaps about cannot be read.
    mostFelt() {
        const size = (c) => Math.hypot(...deviceOf(this.last, c.device)?.force ?? [0]);
        const best = this.felts.reduce((a, b) => (size(b) > size(a) ? b : a));
        if (!this.felts.includes(this.most) || size(best) > 1.5 * size(this.most)) this.most = best;
        return this.most;
    }

    /// What lies under a point of the page.
    pick(x, y) { return this.built ? this.eye.pick(x, y, this.bodies) : null; }
}
