// What stands still around the bodies: ground, walls, floor and light.
import * as THREE from 'three';
import {freeRegion, pieces, wallGeometry} from './shapes.js';
import {facing, place, planeOf, sizeOf, vector} from './space.js';

export class Room {
    /// `with1`: geometries, paint, bounds, planar, and the thickness of what moves in planar worlds.
    constructor(world, with1) {
        Object.assign(this, with1);
        this.group = new THREE.Group();
        this.centre = this.bounds.getCenter(new THREE.Vector3());
        this.size = Math.max(sizeOf(this.bounds) / 2, 1e-5);
        this.loose = null;
        this.makeGround(world.shapes.filter((s) => s.mechanism < 0));
        this.makeLight();
    }

    dispose() { this.sun.dispose(); }

    makeGround(ground) {
        for (const shape of ground) {
            for (const piece of pieces(shape)) this.addGround(this.geometries.of(piece), piece.frame);
        }
        const planes = ground.filter((s) => s.kind === 'plane');
        if (this.planar) this.makeTable(planes);
        else this.makeFloor(planes);
    }

    addGround(geometry, frame) {
        const glass = !this.planar && geometry.type === 'RoundedBoxGeometry';
        const mesh = new THREE.Mesh(geometry, this.paint.of(glass ? 'glass' : 'ground'));
        if (frame) place(mesh, frame);
        mesh.receiveShadow = true;
        mesh.castShadow = !glass;
        this.group.add(mesh);
        return mesh;
    }

    makeTable(planes) {
        const thick = Math.max(this.thickness, 0.02 * this.size);
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
                this.paint.of('glass'));
            facing(wall, shape, this.centre);
            this.group.add(wall);
        }
        if (flat.length === 0) this.loose = this.addFloor(this.bounds.min.z - 0.08 * this.size);
        for (const shape of flat) facing(this.addFloor(0), shape, this.centre);
    }

    // A disc with a grid of round steps that fades into the background.
    addFloor(height) {
        const radius = 9 * this.size;
        const step = 10 ** Math.floor(Math.log10(this.size)) * (this.planar ? 0.5 : 1);
        const floor = new THREE.Mesh(new THREE.CircleGeometry(radius, 96), this.paint.floor(step, radius));
        floor.position.set(this.centre.x, this.centre.y, height);
        floor.receiveShadow = true;
        this.group.add(floor);
        return floor;
    }

    /// A floor that nothing stands on gives way to what comes down.
    sink(height) {
        if (this.loose) this.loose.position.z = Math.min(this.loose.position.z, height);
    }

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
        this.group.add(this.hemisphere, this.sun, this.sun.target);
    }

    /// `c`: the colours of the theme.
    set(c) {
        this.hemisphere.color.set(c.skyLight);
        this.hemisphere.groundColor.set(c.groundLight);
        this.hemisphere.intensity = c.hemisphere;
        this.sun.intensity = c.sun;
        this.sun.shadow.intensity = c.shadow;
    }
}
