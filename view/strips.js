// Strips: what was felt, where the energy went, and whether the loop kept its time.
import uPlot from 'uplot';
import {Balance} from './balance.js';
import {plain, quantity, short} from './format.js';
import {download, iconButton, make, write} from './dom.js';
import {forceLimit} from './hand.js';
import {css} from './theme.js';
import {Trace, fill} from './trace.js';

const seconds = 8;

function axisFont() { return '11px system-ui, sans-serif'; }

function axes(unitText, narrow) {
    const stroke = css('muted');
    const grid = {stroke: css('line'), width: 1};
    return [
        {stroke, grid, ticks: {show: false}, font: axisFont(), size: narrow ? 4 : 18, gap: 2,
            values: (_, list) => list.map((x) => narrow ? '' : `${short(x)} s`)},
        {stroke, grid, ticks: {show: false}, font: axisFont(), size: 52, gap: 4, space: narrow ? 14 : 17,
            values: (_, list) => list.map((x) => unitText(x))},
    ];
}

/// One strip: title, live values, a plot. `def`: title, lines (label, colour, of, width, dash, fill, told,
/// order among the keys), trace, reach (least range), shape (last hand on the data).
class Strip {
    constructor(def, all) {
        this.def = def;
        this.all = all;
        this.values = def.lines.map((line) => make('b', {}, '–'));
        const items = def.lines.map((line, i) => make('span', {class: `key key-${line.colour}`,
            title: line.title ?? line.label, style: `order: ${line.order ?? 0}`},
        make('i', {class: line.dash ? 'dash' : line.fill ? 'fill' : ''}), line.label, this.values[i]));
        this.plotBox = make('div', {class: 'plot'});
        this.element = make('section', {class: `strip strip-${def.name}`, 'aria-label': def.title},
            make('header', {}, this.head = make('h3', {}, def.title), make('div', {class: 'keys'}, items)), this.plotBox);
    }

    rename(title) {
        this.def.title = title;
        write(this.head, title);
        this.element.setAttribute('aria-label', title);
    }

    build() {
        this.plot?.destroy();
        this.plot = null;
        const {clientWidth: width, clientHeight: height} = this.plotBox;
        if (width < 40 || height < 20) return;
        this.plot = new uPlot(this.options(width, height), this.empty(), this.plotBox);
    }

    empty() { return [[], ...this.def.lines.map(() => [])]; }

    options(width, height) {
        const {def} = this;
        const bands = def.lines.flatMap((line, i) => line.fill && i > 0 && def.lines[i - 1].fill
            ? [{series: [i + 1, i]}] : []);
        return {
            width, height, bands, legend: {show: false}, pxAlign: 0, padding: [4, 14, 0, 0],
            cursor: {sync: {key: 'palp'}, drag: {x: true, y: false, uni: 10}, points: {size: 5}, y: false},
            scales: {x: {time: false}, y: {range: (_, low, high) => this.range(low, high)},
                fine: {range: (_, low, high) => nearBottom(low, high)}},
            axes: axes(def.axis, def.narrow),
            series: [{}, ...def.lines.map((line) => series(line))],
            hooks: {
                setCursor: [(u) => this.all.hover(u.cursor.idx === null || u.cursor.left < 0
                    ? null : u.posToVal(u.cursor.left, 'x'))],
                setSelect: [(u) => this.all.zoom(u)],
            },
        };
    }

    // A range that only grows, and shrinks when it is far too large: axes that breathe cannot be read.
    range(low, high) {
        const [a, b] = around(Math.min(low ?? 0, 0), Math.max(high ?? 0, this.def.reach));
        const kept = this.kept;
        if (!kept || a < kept[0] || b > kept[1] || b - a < 0.45 * (kept[1] - kept[0])) this.kept = [a, b];
        return this.kept;
    }

    draw(from, to) {
        if (!this.plot) return;
        const {def} = this;
        const data = def.trace.window(from, to, Math.max(this.plotBox.clientWidth / 2, 60),
            def.lines.map((line) => line.of));
        def.shape?.(data);
        this.plot.batch(() => {
            this.plot.setData(data, false);
            this.plot.setScale('x', {min: from, max: to});
        });
    }

    // Values of now, or of under the cursor.
    tell(time) {
        const {trace, lines, format} = this.def;
        const i = time === null ? trace.count - 1 : Math.min(trace.find(time), trace.count - 1);
        lines.forEach((line, k) => {
            const x = i < 0 ? NaN : (line.told ?? line.of)(i);
            write(this.values[k], Number.isFinite(x) ? (line.format ?? format)(x) : '–');
        });
    }
}

function around(low, high) {
    const margin = 0.08 * Math.max(high - low, 1e-12);
    return [low < 0 ? low - margin : low, high + margin];
}

// Near the lower border, where it is out of the way of the stack.
function nearBottom(low, high) {
    const most = Math.max(Math.abs(low ?? 0), Math.abs(high ?? 0), 1e-12);
    return [-1.5 * most, 9 * most];
}

function series(line) {
    const stroke = css(line.colour);
    return {
        stroke, width: line.width ?? 1.25, dash: line.dash, points: {show: false},
        scale: line.scale ?? 'y', fill: line.fill ? `${stroke}${line.fill}` : undefined,
    };
}

function forceNames(world, device) {
    return [0, 1, 2].map((axis) => `${world.devices[device].name}.force[${axis}]`);
}

// By the rotation of a row, w and u = (x, y, z): f + 2 w (u x f) + 2 u x (u x f).
function turned(rotation, force, i) {
    const [w, ...u] = rotation.map((read) => read(i));
    const f = force.map((read) => read(i));
    const s = cross(u, f);
    const t = cross(u, s);
    return f.map((x, k) => x + 2 * (w * s[k] + t[k]));
}

function cross(a, b) {
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

/// All strips of a scene. `source` says whose force is shown.
export class Strips {
    constructor(container, say) {
        this.container = container;
        this.say = say;
        this.frozen = null;
        this.hovered = null;
        this.strips = [];
        this.observer = new ResizeObserver(() => this.rebuild());
        this.repaint = () => this.rebuild();
        window.addEventListener('palp-theme', this.repaint);
        this.buttons();
        this.timers = [setInterval(() => this.draw(), 50), setInterval(() => this.tell(), 100)];
    }

    dispose() {
        this.timers.forEach(clearInterval);
        this.observer.disconnect();
        window.removeEventListener('palp-theme', this.repaint);
        this.strips.forEach((strip) => strip.plot?.destroy());
    }

    buttons() {
        this.freezeButton = iconButton('freeze', 'Freeze the strips (f)', () => this.freeze(),
            {'aria-pressed': 'false'});
        this.tools = make('div', {class: 'strip-tools'}, this.freezeButton,
            iconButton('table', 'Save what is shown as CSV', () => this.saveTable()),
            iconButton('image', 'Save the strips as PNG', () => this.saveImage()));
    }

    /// `names`: channels as they are watched, "time" first; `sources`: forces that can be shown (hand.js).
    setChannels(names, sources, world) {
        this.names = names;
        this.rows = new Trace(names, 1 << 15);
        this.loop = new Trace(['work', 'p99', 'budget'], 4096);
        this.sources = sources;
        this.source = null;
        this.forces = null;
        this.other = null;
        this.world = world;
        if (sources.length > 0) this.show(sources[0].device);
        this.make();
    }

    make() {
        this.strips.forEach((strip) => strip.plot?.destroy());
        this.observer.disconnect();
        const of = (name) => this.rows.reader(name);
        this.strips = [this.forceStrip(), this.energyStrip(of), this.contactStrip(of), this.timeStrip()]
            .map((def) => new Strip(def, this));
        this.container.replaceChildren(...this.strips.map((strip) => strip.element));
        this.observer.observe(this.container);
    }

    /// Another trace of the same channels besides, or null: side B of a comparison.
    compare(other) {
        this.other = other;
        this.lookBeside();
        this.make();
    }

    // Of the other side, at the time of a row of this one. It may lag behind; a part of a second later it
    // has no value.
    beside(name) {
        const read = this.other.reader(name);
        return (i) => {
            const time = this.rows.at(i);
            const k = Math.min(this.other.find(time), this.other.count - 1);
            return k < 0 || Math.abs(this.other.at(k) - time) > 0.3 ? NaN : read(k);
        };
    }

    // In the axes of the world, at a row.
    force(i, axis) {
        if (!this.forces) return 0;
        return this.turn ? turned(this.turn, this.forces, i)[axis] : this.forces[axis](i);
    }

    /// Whose force is shown, by the index of its device.
    show(device) {
        const source = this.sources.find((one) => one.device === device);
        if (!source || source === this.source) return;
        this.source = source;
        this.forces = forceNames(this.world, device).map((name) => this.rows.reader(name));
        this.turn = source.turn?.map((name) => this.rows.reader(name)) ?? null;
        this.lookBeside();
        this.strips[0]?.rename(source.title);
    }

    // The same force of the other side; only its size is drawn, which is the same in all axes.
    lookBeside() {
        this.besides = this.other && this.source
            ? forceNames(this.world, this.source.device).map((name) => this.beside(name)) : [];
    }

    limit() { return this.source ? forceLimit(this.world, this.source.device) : NaN; }

    forceStrip() {
        const size = (i) => Math.hypot(this.force(i, 0), this.force(i, 1), this.force(i, 2));
        const line = (label, colour, axis) => ({label, colour, of: (i) => this.force(i, axis)});
        // The line of the limit is drawn where forces come near it; else it would flatten them.
        const limitLine = (data) => {
            const peak = [...data[4], ...data[6] ?? []].reduce((a, b) => Math.max(a, b), 0);
            data[5].fill(peak > 0.5 * this.limit() ? this.limit() : null);
        };
        return {
            name: 'force', title: this.source?.title ?? 'Force at the hand', trace: this.rows, reach: 0.5, format: (x) => plain(x, 'N'),
            axis: (x) => `${short(x)} N`, shape: limitLine,
            lines: [line('x', 'series-x', 0), line('y', 'series-y', 1), line('z', 'series-z', 2),
                {label: this.other ? 'A |F|' : '|F|', colour: 'hand', of: size, width: 2, order: -2, title: 'magnitude'},
                {label: 'limit', colour: 'muted', dash: [5, 4], of: () => NaN,
                    told: () => this.limit(), title: 'limit of the device; where it has none, of collisions'},
                ...this.other ? [this.otherForce()] : []],
        };
    }

    otherForce() {
        return {label: 'B |F|', colour: 'hand', dash: [3, 3], width: 2, order: -1, title: 'magnitude, of B',
            of: (i) => Math.hypot(...this.besides.map((f) => f(i)))};
    }

    // The stack reaches the dashed line where energy is only lost, and rises above it where energy is created.
    energyStrip(of) {
        const balance = new Balance(this.rows);
        const {stored, kinetic, lost, putIn} = balance;
        const energy = (i) => balance.energy(i);
        const allowed = (i) => balance.allowed(i);
        return {
            name: 'energy', title: 'Energy', trace: this.rows, reach: 1e-4,
            format: (x) => quantity(x, 'J'), axis: (x) => quantity(x, 'J').replace('.00', '').replace('.0 ', ' '),
            // Stored energy counts from the least in the window, so that a stack can be drawn.
            shape: (data) => {
                const least = data[1].reduce((a, b) => Math.min(a, b), Infinity);
                for (let i = 0; i < data[0].length; ++i) for (let k = 1; k < 5; ++k) if (data[k][i] !== null) data[k][i] -= least;
            },
            lines: [
                {label: 'stored', colour: 'energy-1', of: stored, fill: '66', width: 1,
                    title: 'in springs and in height, of bodies, links, contacts and couplings'},
                {label: 'kinetic', colour: 'energy-2', of: energy, told: kinetic, fill: '77', width: 1, title: 'of bodies and devices'},
                {label: 'lost', colour: 'energy-3', of: (i) => Math.max(energy(i), allowed(i)), told: lost, fill: '44', width: 1,
                    title: 'start and put in, less the energy now; negative: energy was created'},
                {label: 'put in', colour: 'hand', of: allowed, told: putIn, width: 1.5, dash: [6, 3],
                    title: 'the line is the energy at the start and what hands, drives and motors put in since: energy above it was created'},
                {label: 'residual', colour: 'muted', of: of('residual'), width: 0.75, scale: 'fine',
                    title: 'what the ledger cannot explain, on a scale of its own'},
            ],
        };
    }

    contactStrip(of) {
        return {
            name: 'contacts', title: 'Contacts', trace: this.rows, reach: 2, narrow: true,
            format: (x) => x.toFixed(0), axis: (x) => short(x),
            lines: [{label: 'found', colour: 'muted', of: of('contacts'), width: 1},
                {label: this.other ? 'A pushing' : 'pushing', colour: 'accent', of: of('active'), fill: '33', width: 1.5},
                ...this.other ? [{label: 'B pushing', colour: 'accent', of: this.beside('active'), dash: [3, 3], width: 1.5}] : []],
        };
    }

    timeStrip() {
        const of = (name) => this.loop.reader(name);
        return {
            name: 'time', title: 'Tick', trace: this.loop, reach: 1e-5, narrow: true,
            format: (x) => quantity(x, 's'), axis: (x) => quantity(x, 's').replace('.00', '').replace('.0 ', ' '),
            lines: [{label: 'work', colour: 'accent', of: of('work'), fill: '33', width: 1.5},
                {label: 'p99', colour: 'muted', of: of('p99'), width: 1},
                {label: 'budget', colour: 'muted', of: of('budget'), dash: [5, 4], width: 1}],
        };
    }

    // --- data

    addRows(rows) { if (this.rows) fill(this.rows, rows); }

    // The loop tells means since it began; their difference is the mean of the ticks in between.
    addPicture(picture) {
        const before = this.timing;
        const {tick, workMean, workP99, step, speed, time} = picture;
        this.timing = {tick, total: tick * workMean};
        if (!this.loop || !before || tick <= before.tick) return;
        const work = (tick * workMean - before.total) / (tick - before.tick);
        const values = [Math.max(work, 0), workP99, step / speed];
        this.loop.add(time, (k) => values[k]);
    }

    // --- drawing

    rebuild() { this.strips.forEach((strip) => strip.build()); }

    window() {
        if (this.zoomed) return this.zoomed;
        const to = this.frozen ?? Math.max(this.rows?.end ?? 0, this.loop?.end ?? 0);
        return [Math.max(to - seconds, 0), Math.max(to, seconds)];
    }

    draw() {
        if (!this.rows) return;
        const [from, to] = this.window();
        if (this.frozen !== null && this.drawn === `${from} ${to}`) return;
        this.drawn = `${from} ${to}`;
        this.strips.forEach((strip) => strip.draw(from, to));
    }

    tell() {
        if (!this.rows) return;
        this.strips.forEach((strip) => strip.tell(this.hovered ?? this.frozen));
    }

    hover(time) { this.hovered = time; }

    /// A stretch drawn with the pointer is looked at closely; that needs it to stand still.
    zoom(plot) {
        if (plot.select.width < 8) return;
        this.zoomed = [plot.select.left, plot.select.left + plot.select.width].map((x) => plot.posToVal(x, 'x'));
        plot.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
        if (this.frozen === null) this.freeze();
    }

    freeze() {
        if (this.frozen === null) this.frozen = this.window()[1];
        else {
            this.frozen = null;
            this.zoomed = null;
        }
        this.freezeButton.setAttribute('aria-pressed', String(this.frozen !== null));
        this.container.classList.toggle('frozen', this.frozen !== null);
        this.say(this.frozen === null ? 'The strips run again.' : 'The strips stand still: drag over one to zoom.');
    }

    // --- export

    saveTable() {
        const [from, to] = this.window();
        const others = this.other ? this.names.filter((name) => name !== 'time') : [];
        const beside = others.map((name) => this.beside(name));
        const lines = [[...this.names, ...others.map((name) => `b.${name}`)].join(',')];
        for (let i = this.rows.find(from); i < this.rows.find(to); ++i) {
            lines.push([...this.names.map((name) => this.rows.value(name, i)), ...beside.map((f) => f(i))].join(','));
        }
        download('palp-strips.csv', new Blob([lines.join('\n'), '\n'], {type: 'text/csv'}));
        this.say(`Saved ${lines.length - 1} rows.`);
    }

    saveImage() {
        const ratio = devicePixelRatio;
        const box = this.container.getBoundingClientRect();
        const canvas = make('canvas', {width: Math.round(box.width * ratio), height: Math.round(box.height * ratio)});
        const pen = canvas.getContext('2d');
        pen.fillStyle = css('surface');
        pen.fillRect(0, 0, canvas.width, canvas.height);
        pen.fillStyle = css('text');
        pen.font = `${12 * ratio}px system-ui, sans-serif`;
        for (const strip of this.strips) {
            const own = strip.plot?.ctx.canvas;
            if (!own) continue;
            const at = own.getBoundingClientRect();
            const head = strip.element.getBoundingClientRect();
            pen.drawImage(own, (at.left - box.left) * ratio, (at.top - box.top) * ratio);
            pen.fillText(strip.def.title, (head.left - box.left + 10) * ratio, (head.top - box.top + 15) * ratio);
        }
        canvas.toBlob((blob) => download('palp-strips.png', blob));
    }
}
