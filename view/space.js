// Points, frames and planes of the world in the words of three.
import * as THREE from 'three';

export const vector = (a) => new THREE.Vector3(a[0], a[1], a[2]);
export const finite = (a) => a.every(Number.isFinite);

/// Puts x y z, w x y z into an object of three.
export function place(object, pose, at = 0) {
    object.position.set(pose[at], pose[at + 1], pose[at + 2]);
    object.quaternion.set(pose[at + 4], pose[at + 5], pose[at + 6], pose[at + 3]);
}

/// An orientation of a scene: w x y z, or axis and angle.
export function turnOf(orientation) {
    const q = new THREE.Quaternion();
    if (Array.isArray(orientation)) q.set(orientation[1], orientation[2], orientation[3], orientation[0]);
    else if (orientation) q.setFromAxisAngle(vector(orientation.axis).normalize(), orientation.angle);
    return q.normalize();
}

/// A frame of a scene as a group.
export function frameOf(position, orientation) {
    const group = new THREE.Group();
    group.position.copy(vector(position ?? [0, 0, 0]));
    group.quaternion.copy(turnOf(orientation));
    return group;
}

export function planeOf(shape) {
    const q = new THREE.Quaternion(shape.frame[4], shape.frame[5], shape.frame[6], shape.frame[3]);
    const normal = vector(shape.normal).applyQuaternion(q);
    return new THREE.Plane().setFromNormalAndCoplanarPoint(normal, vector(shape.frame));
}

/// Lays a flat mesh into a plane, below or above a point.
export function facing(mesh, shape, centre) {
    const plane = planeOf(shape);
    plane.projectPoint(centre, mesh.position);
    mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), plane.normal);
}

export function sizeOf(box) { return box.isEmpty() ? 0 : box.getSize(new THREE.Vector3()).length(); }
