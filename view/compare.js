// A and B: a second world of the scene, which gets all that is done to the first, under another law. Each
// side has a card with its law, what is felt, what touches, and whether it creates energy.
import {make, write} from './dom.js';
import {plain} from './format.js';
import {Connection, deviceOf, kind} from './protocol.js';
import {View} from './scene.js';
import {Trace, fill} from './trace.js';
import {energyVerdict} from './verdict.js';
import {laws} from './words.js';

/// Writes the verdict on a run into a line of the page.
export function judge(element, rows, world, picture) {
    const energy = energyVerdict(rows, world, picture, world.laws[picture.law]);
    write(element, energy.text);
    element.title = energy.details ? `${energy.text}: ${energy.details}` : energy.text;
    element.dataset.state = energy.state;
}

const shortName = (name) => laws[name]?.short ?? name;

// The card of a side: its name, its law, force, contacts, verdict.
function card(name, law) {
    const force = make('b', {class: 'side-force'});
    const contacts = make('span', {class: 'side-contacts'});
    const verdict = make('p', {class: 'verdict'});
    const element = make('div', {class: 'side', role: 'group', 'aria-label': `Side ${name}`},
        make('span', {class: 'side-name'}, name), law, force, contacts, verdict);
    return {law, force, contacts, verdict, element};
}

function tellCard({force, contacts, verdict}, size, rows, world, picture) {
    write(force, size === null ? '' : plain(size, 'N'));
    write(contacts, `${picture.active} pushing`);
    if (rows) judge(verdict, rows, world, picture);
}

export class Compare {
    constructor(stage) {
        const {world, latest, name} = stage;
        this.stage = stage;
        this.law = (latest.law + 1) % world.laws.length;
        const sight = make('div', {class: 'sight'});
        this.pane = make('div', {class: 'pane pane-b'}, sight);
        stage.panes.append(this.pane);
        this.view = new View(sight, 'Side B: the same world, under another law.');
        // Nothing can be held there, so the keyboard passes by.
        this.view.canvas.tabIndex = -1;
        this.a = card('A', make('span', {class: 'side-law'}));
        this.b = card('B', this.lawChoice(world));
        stage.pane.prepend(this.a.element);
        this.pane.prepend(this.b.element);
        this.connection = new Connection(name, {side: 'b'});
        this.listen();
    }

    dispose() {
        this.connection.close();
        this.view.dispose();
        this.pane.remove();
        this.a.element.remove();
        this.stage.strips.compare(null);
        clearTimeout(this.timer);
    }

    lawChoice(world) {
        const select = make('select', {'aria-label': 'Law of B', onchange: () => {
            this.law = Number(select.value);
            this.connection.send(kind.law, {index: this.law});
        }}, world.laws.map((name, i) => make('option', {value: i, selected: i === this.law}, shortName(name))));
        return select;
    }

    // What is said to A goes to both, and a reset brings back the scene's law. A moment later, because the
    // two come by different ways.
    keepLaw() {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.connection.send(kind.law, {index: this.law}), 60);
    }

    listen() {
        const on = (name, f) => this.connection.addEventListener(name, (e) => f(e.detail));
        on('hello', (world) => this.open(world));
        on('rows', (rows) => { if (this.rows) fill(this.rows, rows); });
        on('picture', (picture) => this.picture(picture));
        on('refused', (why) => this.stage.say(`B: ${why}`, true));
    }

    open(world) {
        const {stage} = this;
        world.planar ??= stage.world.planar;
        this.view.setWorld(world, stage.view.own);
        this.connection.send(kind.law, {index: this.law});
        this.rows = new Trace(this.connection.watch(stage.strips.names), 1 << 15);
        this.view.channel = (name, time) => this.rows.near(name, time);
        stage.strips.compare(this.rows);
    }

    // B is seen from where A is, and shows the same hand and finger.
    picture(picture) {
        const {view} = this;
        const first = this.stage.view;
        this.latest = picture;
        view.picture(picture);
        view.scripted = first.scripted;
        if (first.most) view.felts = [first.most];
        const grip = first.held;
        view.held = grip && view.built ? {...grip,
            body: view.bodyOf(grip.body.userData.mechanism, grip.body.userData.part)} : null;
        if (view.built && first.built) view.eye.follow(first.eye);
    }

    /// Ten times a second.
    tell() {
        const {stage, latest} = this;
        write(this.a.law, shortName(stage.world.laws[stage.latest.law]));
        tellCard(this.a, stage.view.feel?.size ?? null, stage.strips.rows, stage.world, stage.latest);
        if (!latest) return;
        const device = deviceOf(latest, this.view.activeFeel()?.device ?? -1);
        tellCard(this.b, device && Math.hypot(...device.force), this.rows, this.view.world, latest);
    }
}
