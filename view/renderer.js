// The renderer, and how much it is asked for: a slow machine draws less, and still hears of the hand at once.
import * as THREE from 'three';

// What a slow machine leaves out first: points of the picture, and shadows of every frame.
const levels = [{ratio: 1, every: 1}, {ratio: 0.7, every: 2}, {ratio: 0.5, every: 6}];

// Of the last scene: a new one would have to build all its programs again.
let spare = null;

export class Painter {
    constructor() {
        this.best = wantsBest();
        this.three = spare ?? makeRenderer(this.best);
        spare = null;
        this.frames = 0;
        this.cost = 0;
        this.setLevel(this.three.userData.weak ? levels.length - 1 : 0);
    }

    get canvas() { return this.three.domElement; }

    dispose() {
        this.three.setAnimationLoop(null);
        if (spare) this.three.dispose();
        else spare = this.three;
    }

    setLevel(level) {
        this.level = level;
        this.slow = 0;
        this.three.setPixelRatio(levels[level].ratio * Math.min(devicePixelRatio, 2));
    }

    /// Frames of more than 50 ms, time and again: draw less. Never more again, or it would swing. True when
    /// the size of the picture has changed.
    keepPace() {
        const now = performance.now();
        const late = now - (this.drawn ?? now) > 50;
        this.drawn = now;
        this.slow = late ? this.slow + 1 : Math.max(this.slow - 0.2, 0);
        if (this.slow < 6 || this.level + 1 >= levels.length || this.best) return false;
        this.setLevel(this.level + 1);
        return true;
    }

    /// On a machine that draws in software, most of the time is for everything else: a hand that is not
    /// heard of for two seconds is let go. What a frame takes behind our back is not seen here; 15 in a
    /// second leave room for it.
    tired() {
        const last = this.level === levels.length - 1 && !this.best;
        const gap = performance.now() - (this.drawn ?? 0);
        return last && gap < Math.min(Math.max(2 * this.cost, 60), 400);
    }

    took(time) { this.cost = 0.7 * this.cost + 0.3 * time; }

    render(scene, camera) {
        this.frames += 1;
        this.three.shadowMap.needsUpdate ||= this.frames % levels[this.level].every === 0;
        this.three.render(scene, camera);
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
