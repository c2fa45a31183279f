// The wire: doc/protocol.md, seen from the page. Bytes to objects, commands to bytes, and a connection
// that comes back by itself.

import {
    accountNumbers, command, fromClient, fromServer, pictureNumbers, worldNumbers,
} from './lists.js';

export const kind = {
    ...command,
    look: -1, // no command, but a message of its own: `index` 1 asks for the response of contacts, 0 ends it
};

export const materialField = {friction: 0, restitution: 1, stiffness: 2, damping: 3};

const numberCount = pictureNumbers.length;
const bodyFloats = 7;
const contactFloats = 12;
const deviceFloats = 26;
const header = 8;

/// A picture: numbers by name, and flat arrays as they came. Null when it is not as long as it says.
export function decodePicture(buffer) {
    const view = new DataView(buffer);
    const [b, c, d] = [2, 4, 6].map((at) => view.getUint16(at, true));
    const floats = b * bodyFloats + c * contactFloats + d * deviceFloats;
    const start = header + 8 * numberCount;
    if (buffer.byteLength < start + 4 * floats) return null;
    const values = new Float64Array(buffer, header, numberCount);
    const all = new Float32Array(buffer, start, floats);
    const picture = {
        paused: (view.getUint8(1) & 1) !== 0,
        realtime: (view.getUint8(1) & 2) !== 0,
        locked: (view.getUint8(1) & 4) !== 0,
        flags: view.getUint8(1),
        bodyCount: b, contactCount: c, deviceCount: d,
        bodies: all.subarray(0, b * bodyFloats),
        contacts: all.subarray(b * bodyFloats, b * bodyFloats + c * contactFloats),
        devices: all.subarray(b * bodyFloats + c * contactFloats),
    };
    pictureNumbers.forEach((name, i) => { picture[name] = values[i]; });
    return picture;
}

/// Of one device in a picture.
export function deviceOf(picture, index) {
    if (index < 0 || index >= picture.deviceCount) return null;
    const f = picture.devices.subarray(index * deviceFloats, (index + 1) * deviceFloats);
    return {
        p: f.subarray(0, 3), q: f.subarray(3, 7), sample: f.subarray(7, 14),
        force: f.subarray(14, 17), torque: f.subarray(17, 20), hand: f.subarray(20, 23),
    };
}

export function contactOf(picture, index) {
    const f = picture.contacts.subarray(index * contactFloats, (index + 1) * contactFloats);
    return {
        at: f.subarray(0, 3), normal: f.subarray(3, 6), force: f.subarray(6, 9), gap: f[9],
        shapeA: f[10], shapeB: f[11],
    };
}

/// Rows of channels: `values` holds `count` rows of 1 + `channels` numbers, the tick first.
export function decodeRows(buffer) {
    const view = new DataView(buffer);
    const channels = view.getUint16(2, true);
    const count = view.getUint32(4, true);
    if (buffer.byteLength < header + 8 * count * (channels + 1)) return null;
    return {channels, count, values: new Float64Array(buffer, header, count * (channels + 1))};
}

function named(words, numbers, at) {
    return Object.fromEntries(words.map((word, i) => [word, numbers[at + i]]));
}

/// Accounts of devices, couplings, mechanisms and links [J]. Null when they are not as long as they say.
export function decodeAccounts(buffer) {
    const view = new DataView(buffer);
    const counts = [2, 4, 6].map((at) => view.getUint16(at, true));
    counts.push(view.getUint32(8, true));
    const numbers = new Float64Array(buffer, 16);
    const accounts = named(worldNumbers, numbers, 0);
    let at = worldNumbers.length;
    Object.entries(accountNumbers).forEach(([name, words], k) => {
        accounts[name] = [];
        for (let i = 0; i < counts[k]; ++i, at += words.length) accounts[name].push(named(words, numbers, at));
    });
    return at <= numbers.length ? accounts : null;
}

/// The response of the largest group of contacts: `shapes` of each, `norms` of the blocks, n x n [1/kg].
export function decodeLook(buffer) {
    const view = new DataView(buffer);
    const n = view.getUint16(2, true);
    if (buffer.byteLength < 16 + 8 * n + 4 * n * n) return null;
    return {
        count: n, dim: view.getUint8(1), all: view.getUint32(4, true), tick: view.getFloat64(8, true),
        shapes: new Int32Array(buffer, 16, 2 * n), norms: new Float32Array(buffer, 16 + 8 * n, n * n),
    };
}

/// Points of the surfaces of all soft bodies, three numbers each. Null when they are not as long as they say.
export function decodeSurfaces(buffer) {
    const count = new DataView(buffer).getUint32(4, true);
    return buffer.byteLength < header + 12 * count ? null : new Float32Array(buffer, header, 3 * count);
}

const unit = [0, 0, 0, 1, 0, 0, 0];

/// `of`: any of index, choice, part, value, pose (x y z, w x y z).
export function encodeCommand(number, of = {}) {
    const view = new DataView(new ArrayBuffer(88));
    view.setUint32(0, fromClient.command, true);
    [number, of.index ?? 0, of.choice ?? 0, of.part ?? 0].forEach((x, i) => {
        view.setInt32(4 + 4 * i, x, true);
    });
    view.setFloat64(24, of.value ?? 0, true);
    (of.pose ?? unit).forEach((x, i) => view.setFloat64(32 + 8 * i, x, true));
    return view.buffer;
}

function encodeWatch(channels) {
    const words = new Uint32Array(2 + channels.length);
    words.set([fromClient.watch, channels.length, ...channels]);
    return words.buffer;
}

function encodeLook(on) { return new Uint32Array([fromClient.look, on ? 1 : 0]).buffer; }

// Accounts are kept for as long as a verdict looks back [s], and a little more.
const accountsKept = 1.15;

// Waits between attempts [s]: quick at first, because most servers are back at once.
const waits = [0.4, 0.8, 1.5, 3];

/// One scene of the server. Events: hello, opened (detail: world), picture, rows, accounts, look, holder,
/// refused, state ({up, why}). `query` is added to the address. Whoever has the world also finds there
/// `accounts`, those of the last second, oldest first, and `look`, the newest.
export class Connection extends EventTarget {
    constructor(scene, query = {}) {
        super();
        this.scene = scene;
        this.query = query;
        this.client = 0;
        this.holder = 0;
        this.world = null;
        this.up = false;
        this.tries = 0;
        this.watched = [];
        this.points = null;
        this.kept = false;
        this.closed = false;
        this.why = '';
        this.open();
    }

    get mine() { return this.client !== 0 && this.holder === this.client; }

    tell(name, detail) { this.dispatchEvent(new CustomEvent(name, {detail})); }

    open() {
        const search = new URLSearchParams({scene: this.scene, ...this.query});
        const base = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}`;
        const socket = new WebSocket(`${base}/ws?${search}`, 'palp-1');
        socket.binaryType = 'arraybuffer';
        socket.onmessage = (event) => this.take(event.data);
        socket.onclose = () => this.lost(socket);
        this.socket = socket;
    }

    lost(socket) {
        if (socket !== this.socket || this.closed) return;
        this.up = false;
        this.holder = 0;
        this.kept = false;
        this.tell('state', {up: false, why: this.why, tries: this.tries});
        this.why = '';
        const wait = waits[Math.min(this.tries, waits.length - 1)];
        this.tries += 1;
        this.timer = setTimeout(() => this.open(), 1000 * wait);
    }

    close() {
        this.closed = true;
        clearTimeout(this.timer);
        this.socket.close();
    }

    take(data) {
        if (typeof data === 'string') return this.takeText(JSON.parse(data));
        const type = new Uint8Array(data, 0, 1)[0];
        if (type === fromServer.picture) {
            const picture = decodePicture(data);
            // Surfaces come before the picture that they belong to, and only when they have moved.
            if (picture) this.tell('picture', Object.assign(picture, {points: this.points}));
        } else if (type === fromServer.rows) {
            const rows = decodeRows(data);
            if (rows) this.tell('rows', rows);
        } else if (type === fromServer.surfaces) this.points = decodeSurfaces(data) ?? this.points;
        else if (type === fromServer.accounts) this.takeAccounts(decodeAccounts(data));
        else if (type === fromServer.look) this.takeLook(decodeLook(data));
    }

    // A time that goes back means that the world began anew.
    takeAccounts(accounts) {
        if (!accounts || !this.world) return;
        const kept = this.world.accounts ?? [];
        const old = kept.length > 0 && accounts.time < kept.at(-1).time ? [] : kept;
        this.world.accounts = [...old.filter((a) => a.time >= accounts.time - accountsKept), accounts];
        this.tell('accounts', accounts);
    }

    takeLook(look) {
        if (!look || !this.world) return;
        this.world.look = look;
        this.tell('look', look);
    }

    takeText(text) {
        if (text.hello) this.greet(text);
        if (text.opened) {
            this.world = text.opened;
            this.tell('opened', text.opened);
        }
        if (text.holder !== undefined) {
            this.holder = text.holder;
            this.tell('holder', text.holder);
        }
        if (text.refused) this.tell('refused', text.refused);
        if (text.bye) this.why = text.bye;
    }

    greet(text) {
        this.client = text.client;
        this.holder = text.holder;
        this.world = text.world;
        this.up = true;
        this.points = null;
        this.tries = 0;
        this.tell('hello', text.world);
        this.tell('state', {up: true});
    }

    bytes(buffer) {
        if (this.up && this.socket.readyState === WebSocket.OPEN) this.socket.send(buffer);
    }

    send(number, of) {
        this.bytes(number === kind.look ? encodeLook(of.index > 0) : encodeCommand(number, of));
    }

    askForTool() { this.bytes(new Uint32Array([fromClient.take]).buffer); }
    giveBack() { if (!this.kept) this.bytes(new Uint32Array([fromClient.leave]).buffer); }

    /// Keeps the tool also while nothing is held, until it is given up. The server wants to hear of it now and
    /// then: call it twice a second.
    keep(on) {
        this.kept = on;
        if (on) this.askForTool();
        else this.giveBack();
    }

    /// Names of channels; those that the world does not have are left out. Returns those watched.
    watch(names) {
        const have = names.filter((name) => this.world.channels.includes(name)).slice(0, 64);
        this.bytes(encodeWatch(have.map((name) => this.world.channels.indexOf(name))));
        this.watched = have;
        return have;
    }
}
