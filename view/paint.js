// Materials of the view, each made once, and their colours by theme.
import * as THREE from 'three';

export class Paint {
    constructor() {
        this.made = {};
        this.ramps = {tool: [], body: []};
    }

    of(name) {
        this.made[name] ??= new THREE.MeshStandardMaterial({roughness: 0.55, metalness: 0});
        return this.made[name];
    }

    /// Neighbours differ a little in lightness, so that a pile is not one lump.
    ofShape(shape, isLight) {
        const name = isLight ? 'tool' : `body${(shape.mechanism * 5 + shape.part) % 4}`;
        if (shape.kind !== 'nurbs') return this.of(name);
        const material = this.of(`${name}Open`); // open surfaces have a back
        material.side = THREE.DoubleSide;
        return material;
    }

    /// Of a soft body, whose points have colours of their own.
    soft(isLight) {
        const material = this.of(isLight ? 'softTool' : 'softBody');
        material.vertexColors = true;
        return material;
    }

    /// Colours of a soft body from rest to its farthest point.
    ramp(isLight) { return isLight ? this.ramps.tool : this.ramps.body; }

    floor(step, radius) {
        this.made.floor ??= floorMaterial(step, radius);
        return this.made.floor;
    }

    /// `c`: the colours of the theme.
    set(c) {
        const m = this.made;
        const colour = (x) => new THREE.Color(x);
        for (const name of ['tool', 'body']) this.ramps[name] = [colour(c[name]), ...c.strain.map(colour)];
        for (let i = 0; i < 4; ++i) {
            for (const name of [`body${i}`, `body${i}Open`]) {
                m[name]?.color.set(c.body).offsetHSL(0.012 * (i - 1.5), 0, 0.035 * (i - 1.5));
            }
        }
        m.toolOpen?.color.set(c.tool);
        for (const name of ['tool', 'ground', 'joint', 'wire']) m[name]?.color.set(c[name]);
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
    }
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
