// What is felt, drawn on top: contacts with their forces and cones, and the hand with its spring and arrow.
import * as THREE from 'three';
import {forceLimit} from './hand.js';
import {contactOf, deviceOf} from './protocol.js';
import {Arrow, Contacts, Hand, Spring} from './marks.js';
import {finite, vector} from './space.js';

// Forces span decades; the root keeps small ones visible. The value stands beside the arrow.
function arrowLength(force, reference, longest) {
    return longest * Math.min(1, Math.sqrt(force / reference));
}

export class Felt {
    /// `c`: the colours of the theme.
    constructor(world, c) {
        this.world = world;
        this.strongest = 0;
        this.group = new THREE.Group();
        this.arrow = new Arrow(c.hand);
        this.spring = new Spring(c.hand);
        this.hand = new Hand(c.hand);
        this.contacts = new Contacts(c.accent);
        this.group.add(this.contacts, this.spring, this.hand, this.arrow);
    }

    drawContacts(picture, unit) {
        this.contacts.clear();
        const all = Array.from({length: picture.contactCount}, (_, i) => contactOf(picture, i));
        const forces = all.map((c) => Math.hypot(...c.force));
        this.strongest = Math.max(0.995 * this.strongest, ...forces.filter(Number.isFinite), 1e-3);
        // With many contacts each is drawn smaller: a pile stays readable.
        const size = (all.length > 24 ? 0.55 : 1) * unit;
        all.forEach((c, i) => {
            if (forces[i] > 1e-9 && finite([...c.at, ...c.force])) this.drawContact(c, forces[i], size);
        });
        this.contacts.done();
    }

    drawContact(c, force, size) {
        // The force on the first is drawn on the side of what can move.
        const flip = this.world.shapes[c.shapeA]?.mechanism < 0 ? -1 : 1;
        const direction = vector(c.force).multiplyScalar(flip / force);
        const normal = vector(c.normal).normalize();
        if (normal.dot(direction) < 0) normal.negate();
        const length = size * (7 + 34 * Math.sqrt(force / this.strongest));
        this.contacts.addContact(vector(c.at), normal, direction, length, this.frictionOf(c), 2.4 * size);
    }

    frictionOf(contact) {
        const [a, b] = [contact.shapeA, contact.shapeB].map((i) => this.world.shapes[i]?.material ?? 0);
        const [x, y] = [a, b].map((i) => this.world.materials[i]?.friction ?? 0);
        return Math.sqrt(x * y);
    }

    /// `grip`: device, body and point in it, target if it is told, ghost; null: nobody holds anything.
    drawHand(picture, grip, camera, unit) {
        const device = grip && deviceOf(picture, grip.device);
        if (!device || !finite([...device.p, ...device.force])) {
            this.hand.visible = this.spring.visible = false;
            return;
        }
        const site = grip.body.localToWorld(vector(grip.point));
        const hand = grip.target ? vector(grip.target.toArray()) : vector(device.p).add(pull(device, unit));
        this.hand.show(hand, 6.5 * unit, camera.quaternion, grip.ghost);
        this.spring.span(site, hand, 5.5 * unit);
        this.spring.material.opacity = grip.ghost ? 0.8 : 1;
    }

    /// `at`: device, body and point in it, ghost, turned (the force is told in the axes of the body); null: none.
    /// Gives what is felt: force, size and the largest that is drawn [N], site and tip of the arrow; or null.
    drawForce(picture, at, unit) {
        const device = at && deviceOf(picture, at.device);
        this.arrow.visible = false;
        if (!device || !finite(device.force)) return null;
        const site = at.body.localToWorld(vector(at.point));
        const force = vector(device.force);
        if (at.turned) force.applyQuaternion(at.body.quaternion);
        const size = force.length();
        const most = this.reference(at.device);
        const tip = this.drawArrow(site, force, size, arrowLength(size, most, 120 * unit), unit);
        return {device: at.device, force, size, most, site, tip, ghost: Boolean(at.ghost)};
    }

    drawArrow(site, force, size, length, unit) {
        if (size <= 1e-6) return site.clone();
        const direction = force.clone().divideScalar(size);
        this.arrow.point(site, direction, length, 2.1 * unit);
        return site.clone().addScaledVector(direction, length);
    }

    /// The force of the longest arrow [N]: the limit of the device.
    reference(device) {
        const limit = forceLimit(this.world, device);
        return Number.isFinite(limit) ? Math.min(limit, 50) : 20;
    }
}

// A script tells no target; its pull is drawn as the stretch of a spring of 60 N/m.
function pull(device, unit) {
    return vector(device.hand).divideScalar(60).clampLength(0, 60 * unit);
}
