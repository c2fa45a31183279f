// The pointer as a device: what is pressed is held by its device, or grabbed, and follows the pointer
// through a spring.
import * as THREE from 'three';
import {deviceOf, kind} from './protocol.js';

// The server takes silence of two seconds for a hand that has vanished [ms].
const reminder = 300;
const period = 16;

// A body as if it were pressed on in its middle.
function middleOf(body) {
    const at = body.position.clone();
    return {...body.userData, body, at, point: body.worldToLocal(at.clone())};
}

export class Touch {
    /// `on`: hold(), letGo(), refused(text).
    constructor(view, connection, on) {
        this.view = view;
        this.connection = connection;
        this.on = on;
        this.grip = null;
        this.sent = 0;
        this.listen();
        this.timer = setInterval(() => this.send(), period);
    }

    dispose() {
        clearInterval(this.timer);
        this.stop.abort();
    }

    listen() {
        this.stop = new AbortController();
        const {signal} = this.stop;
        const canvas = this.view.canvas;
        // Before the controls of the camera see it.
        canvas.addEventListener('pointerdown', (e) => this.down(e), {signal, capture: true});
        canvas.addEventListener('pointermove', (e) => this.move(e), {signal});
        for (const name of ['pointerup', 'pointercancel', 'lostpointercapture']) {
            canvas.addEventListener(name, (e) => this.up(e), {signal});
        }
        // Pointers are captured, wheels are not: who holds something may be above the bar or a label by then.
        window.addEventListener('wheel', (e) => this.wheel(e), {signal, capture: true, passive: false});
        this.connection.addEventListener('holder', () => this.heard(), {signal});
        this.connection.addEventListener('state', (e) => { if (!e.detail.up) this.drop(); }, {signal});
    }

    get busy() { return this.grip !== null; }

    // --- pointer

    down(event) {
        if (event.button !== 0 || !this.view.built) return;
        const hit = this.view.pick(event.clientX, event.clientY);
        if (!hit || !this.begin(hit)) {
            if (this.view.eye) this.view.eye.moved = true;
            return;
        }
        this.view.eye.controls.enabled = false;
        event.stopImmediatePropagation();
        this.view.canvas.setPointerCapture(event.pointerId);
        this.grip.pointer = event.pointerId;
        this.grip.start = hit.at.clone();
        this.grip.depth = 0;
    }

    move(event) {
        const {grip} = this;
        if (!grip) {
            this.view.canvas.style.cursor = this.view.pick(event.clientX, event.clientY) ? 'grab' : '';
            return;
        }
        if (grip.pointer !== event.pointerId) return;
        grip.x = event.clientX;
        grip.y = event.clientY;
        this.follow();
    }

    follow() {
        const {grip} = this;
        if (grip.x === undefined) return;
        const forward = this.view.eye.axes()[2];
        const at = grip.start.clone().addScaledVector(forward, grip.depth);
        const point = this.view.eye.onPlane(grip.x, grip.y, at);
        if (point) grip.target.copy(grip.origin).add(point.sub(grip.start));
    }

    up(event) {
        if (this.grip && this.grip.pointer === event.pointerId) this.letGo();
    }

    wheel(event) {
        const {grip} = this;
        if (!grip) return;
        event.preventDefault();
        event.stopImmediatePropagation();
        const amount = -(event.deltaY || event.deltaX) * (event.deltaMode === 1 ? 16 : 1);
        if (this.view.planar || event.shiftKey) this.turn(0.002 * amount);
        else {
            grip.depth += 0.25 * amount * this.view.eye.unit();
            this.follow();
        }
    }

    turn(angle) {
        const axis = this.view.planar ? new THREE.Vector3(0, 0, 1) : this.view.eye.axes()[2].negate();
        this.grip.q.premultiply(new THREE.Quaternion().setFromAxisAngle(axis, angle));
    }

    // --- keyboard

    /// Moves what is held along the axes of the screen, in steps; takes the tool first.
    nudge(right, up, forward) {
        if (!this.grip && !this.begin(this.nearest())) return;
        const axes = this.view.eye.axes();
        const size = 10 * this.view.eye.unit();
        [right, up, this.view.planar ? 0 : forward].forEach((s, i) => {
            this.grip.target.addScaledVector(axes[i], size * s);
        });
    }

    // The tool; a scene without one: what is nearest to the middle of the view.
    nearest() {
        const {view} = this;
        if (!view.built) return null;
        if (view.light) {
            const {mechanism, part} = view.light;
            return middleOf(view.bodyOf(mechanism, part));
        }
        const bodies = view.bodies.solid();
        const distance = (body) => body.position.distanceTo(view.eye.controls.target);
        const body = bodies.sort((a, b) => distance(a) - distance(b))[0];
        return body ? middleOf(view.bodies.touched(body)) : null;
    }

    // --- holding

    begin(hit) {
        const {view, connection} = this;
        if (!hit || !connection.up || !view.last) return false;
        if (connection.holder !== 0 && !connection.mine) {
            this.on.refused('Somebody else holds the tool. It is yours as soon as they let go.');
            return false;
        }
        const own = view.isTool(hit.mechanism) && view.nearTool(hit);
        const touch = connection.world.touch;
        if (!own && !touch) return false;
        this.grip = own ? this.gripOfTool() : this.gripOfBody(hit, touch);
        view.held = this.grip.drawn;
        if (connection.mine) this.heard();
        else connection.askForTool();
        return true;
    }

    gripOfTool() {
        const {tool, last} = this.view;
        const device = deviceOf(last, tool.device);
        const target = new THREE.Vector3(...device.p);
        const [w, x, y, z] = device.q;
        const body = this.view.bodyOf(tool.tool.mechanism, tool.tool.part);
        return {
            device: tool.device, grab: null, origin: target.clone(), target,
            q: new THREE.Quaternion(x, y, z, w),
            drawn: {device: tool.device, body, point: tool.tool.point, target},
        };
    }

    gripOfBody(hit, touch) {
        const target = hit.at.clone();
        const point = hit.point.toArray();
        return {
            device: touch.device, coupling: touch.coupling, origin: target.clone(), target,
            grab: {mechanism: hit.mechanism, part: hit.part, point},
            q: hit.body.quaternion.clone(),
            drawn: {device: touch.device, body: hit.body, point, target},
        };
    }

    // The tool is ours, or it is not.
    heard() {
        const {grip, connection} = this;
        if (!grip) return;
        if (!connection.mine) {
            if (grip.taken || connection.holder !== 0) this.lose(grip);
            return;
        }
        if (grip.taken) return;
        grip.taken = true;
        if (grip.grab) {
            const {mechanism, part, point} = grip.grab;
            connection.send(kind.grab, {index: grip.coupling, choice: mechanism, part,
                pose: [...point, 1, 0, 0, 0]});
        }
        this.on.hold();
    }

    // The server has taken the tool away, or gave it to another.
    lose(grip) {
        this.drop();
        this.on.letGo();
        this.on.refused(grip.taken ? 'The server let go: it did not hear from this page for too long.'
            : 'Somebody else was quicker, and holds the tool.');
    }

    send() {
        const {grip} = this;
        if (!grip?.taken) return;
        const pose = [...grip.target.toArray(), grip.q.w, grip.q.x, grip.q.y, grip.q.z];
        const now = performance.now();
        const same = grip.last?.every((x, i) => x === pose[i]);
        if (same && now - this.sent < reminder) return;
        grip.last = pose;
        this.sent = now;
        this.connection.send(kind.hold, {index: grip.device, pose});
    }

    letGo() {
        const {grip, connection} = this;
        if (!grip) return;
        if (grip.taken) {
            if (grip.grab) connection.send(kind.release, {index: grip.coupling});
            connection.send(kind.letGo, {index: grip.device});
        }
        connection.giveBack();
        this.drop();
        this.on.letGo();
    }

    // Ends the grip here, without a word to the server.
    drop() {
        this.grip = null;
        this.view.held = null;
        if (this.view.eye) this.view.eye.controls.enabled = true;
        this.view.canvas.style.cursor = '';
    }

    /// The scene's own hand goes on.
    script() {
        const {connection, view} = this;
        if (!view.tool || connection.holder !== 0) return;
        const go = () => {
            if (!connection.mine) return;
            connection.removeEventListener('holder', go);
            connection.send(kind.script, {index: view.tool.device});
            connection.giveBack();
        };
        connection.addEventListener('holder', go);
        connection.askForTool();
    }
}
