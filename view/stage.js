// A scene, open: the view, the strips, the bar and the panel, and the connection that feeds them.
import {balanceChannels} from './balance.js';
import {Bar} from './bar.js';
import {Compare, judge} from './compare.js';
import {iconButton, make, write} from './dom.js';
import {plain, quantity} from './format.js';
import {forceSources} from './hand.js';
import {help} from './help.js';
import {beamChannels} from './joints.js';
import {Panel} from './panel.js';
import {Connection, kind} from './protocol.js';
import {View} from './scene.js';
import {Strips} from './strips.js';
import {toggle} from './theme.js';
import {Touch} from './touch.js';
import {timeVerdict} from './verdict.js';
import {laws, lawsOf} from './words.js';

const watched = ['time', ...balanceChannels, 'rise', 'largestRise', 'dissipated', 'integrator', 'leak', 'drift', 'residual',
    'contacts', 'active'];

const label = 'The world. Arrow keys move the tool, Escape lets go, question mark shows all keys.';

export class Stage {
    constructor(name) {
        this.name = name;
        this.compared = null;
        this.stop = new AbortController();
        this.layOut();
        this.view = new View(this.sight, label);
        this.view.onframe = () => this.feel();
        this.view.channel = (name, time) => this.strips.rows?.near(name, time);
        this.strips = new Strips(this.stripBox, (text) => this.say(text));
        this.line.append(this.strips.tools);
        this.connection = new Connection(name);
        this.listen();
        this.timer = setInterval(() => this.slowly(), 100);
    }

    dispose() {
        this.stop.abort();
        clearInterval(this.timer);
        this.touch?.dispose();
        this.endCompare();
        this.connection.close();
        this.strips.dispose();
        this.view.dispose();
    }

    layOut() {
        this.label = make('div', {class: 'force-label', 'aria-hidden': 'true'});
        this.vignette = make('div', {class: 'vignette', 'aria-hidden': 'true'});
        this.hint = make('div', {class: 'hint', role: 'status'});
        this.scale = make('div', {class: 'scale', 'aria-hidden': 'true'}, make('i'), make('span'));
        this.ways = make('button', {type: 'button', class: 'ways', hidden: true, 'aria-pressed': 'true',
            title: 'Colour soft bodies by how far they are from rest', onclick: () => this.toggleWays()},
        make('span', {}, 'displacement'), make('i', {class: 'ramp'}), make('span', {class: 'ramp-ends'},
            make('span', {}, '0'), this.waysMost = make('span')));
        this.notice = make('div', {class: 'notice', role: 'alert', hidden: true});
        this.toast = make('div', {class: 'toast', role: 'status', 'aria-live': 'polite'});
        this.waiting = make('div', {class: 'waiting'}, 'opening the scene');
        this.sight = make('div', {class: 'sight'}, this.vignette, this.label);
        this.pane = make('div', {class: 'pane pane-a'}, this.sight);
        this.panes = make('div', {class: 'panes'}, this.pane);
        this.frameButton = iconButton('frame', 'See the whole scene', () => {
            this.view.eye?.frame();
        }, {class: 'icon-button frame-button'});
        this.stripBox = make('div', {class: 'strips'});
        this.verdict = make('p', {class: 'verdict', role: 'status'});
        this.variant = make('a', {class: 'link variant', hidden: true}, 'passive variant');
        this.rise = make('p', {class: 'rise', title: 'Largest rise of the energy of the world, without devices, in one tick since the start, '
            + 'less what was applied in that tick'});
        this.timing = make('p', {class: 'timing'});
        this.barPlace = make('div', {class: 'bar-place'});
        this.main = make('div', {class: 'middle'}, this.panes, this.hint, this.scale, this.ways, this.frameButton,
            this.waiting, this.notice, this.toast);
        this.element = make('main', {class: 'stage'}, this.barPlace, this.main, this.stripBox,
            this.line = make('footer', {class: 'line'}, this.verdict, this.variant, this.rise, this.timing));
    }

    listen() {
        const {signal} = this.stop;
        const on = (name, f) => this.connection.addEventListener(name, (e) => f(e.detail), {signal});
        on('hello', (world) => this.open(world));
        on('opened', (world) => this.open(world));
        on('picture', (picture) => this.picture(picture));
        on('rows', (rows) => this.strips.addRows(rows));
        on('holder', () => this.holder());
        on('refused', (why) => this.say(`The server refused: ${why}`, true));
        on('state', (state) => this.state(state));
        window.addEventListener('keydown', (e) => this.key(e), {signal});
        window.addEventListener('blur', () => { if (this.touch?.grip?.pointer !== undefined) this.touch.letGo(); }, {signal});
    }

    // --- the world

    async open(world) {
        const own = await this.fetchOwn();
        if (world.planar === undefined) world.planar = Boolean(own?.planar);
        this.world = world;
        this.view.setWorld(world, own);
        this.view.scripted = true;
        this.touch?.dispose();
        this.touch = new Touch(this.view, this.connection, {
            hold: () => this.held(), letGo: () => this.hinted(), refused: (text) => this.say(text, true),
        });
        this.variant.hidden = !world.passiveVariant;
        this.variant.href = `#${world.passiveVariant}`;
        this.makeBar();
        this.watch();
        this.hinted();
    }

    async fetchOwn() {
        try {
            const answer = await fetch(`api/scene/${encodeURIComponent(this.name)}`);
            return answer.ok ? await answer.json() : null;
        } catch { return null; }
    }

    makeBar() {
        const act = {
            send: (number, of) => this.change(number, of),
            say: (text) => this.say(text),
            law: (index) => this.law(index),
            reset: () => this.reset(),
            compare: () => this.compare(),
            panel: () => this.showPanel(!this.panel.open),
            close: () => this.showPanel(false),
            help: () => help(),
            theme: toggle,
            save: () => this.save(),
        };
        const wasOpen = this.panel?.open ?? false;
        this.panel?.element.remove();
        this.bar = new Bar(this.world, this.name, act);
        this.barPlace.replaceChildren(this.bar.element);
        this.panel = new Panel(this.world, this.view, act);
        this.main.append(this.panel.element);
        this.panel.allow(!this.world.driven || this.connection.mine);
        this.showPanel(wasOpen);
    }

    showPanel(open) {
        this.panel.open = open;
        this.bar.panel.setAttribute('aria-expanded', String(open));
        this.element.classList.toggle('with-panel', open);
        if (open) this.panel.element.querySelector('button').focus();
    }

    watch() {
        const sources = forceSources(this.world);
        const forces = sources.flatMap(({device}) => [0, 1, 2].map((i) => `${this.world.devices[device].name}.force[${i}]`));
        const turns = sources.flatMap(({turn}) => turn ?? []);
        const names = this.connection.watch([...watched, ...forces, ...turns, ...beamChannels(this.view.own, this.world)]);
        this.strips.setChannels(names, sources, this.world);
    }

    // --- pictures

    picture(picture) {
        if (!this.world) return;
        this.latest = picture;
        this.waiting.hidden = true;
        this.view.picture(picture);
        this.strips.addPicture(picture);
        this.pictures = (this.pictures ?? 0) + 1;
    }

    // Arrow, value and glow, with every frame.
    feel() {
        const {feel} = this.view;
        const shown = feel !== null && feel.size > 0.005;
        this.label.classList.toggle('shown', shown);
        const strength = shown && !feel.ghost ? Math.min(feel.size / feel.most, 1) : 0;
        this.vignette.style.opacity = (0.75 * Math.sqrt(strength)).toFixed(3);
        if (!shown) return;
        const tip = this.view.eye.project(feel.tip);
        const site = this.view.eye.project(feel.site);
        const {clientWidth: w, clientHeight: h} = this.sight;
        // Beyond the tip of the arrow, by half of its own size.
        const long = Math.hypot(tip.x - site.x, tip.y - site.y) || 1;
        const x = Math.min(Math.max(tip.x + 46 * (tip.x - site.x) / long, 50), w - 50);
        const y = Math.min(Math.max(tip.y + 24 * (tip.y - site.y) / long, 24), h - 24);
        this.label.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) translate(-50%, -50%)`;
        if (strength > 0) {
            const angle = Math.atan2(tip.x - site.x, site.y - tip.y);
            this.vignette.style.setProperty('--toward', `${(angle + Math.PI).toFixed(3)}rad`);
        }
    }

    // What people read changes ten times a second, not sixty.
    slowly() {
        const {latest} = this;
        if (!latest || !this.bar) return;
        if (this.view.feel) write(this.label, plain(this.view.feel.size, 'N'));
        this.bar.picture(latest);
        this.panel.picture(latest);
        this.verdicts(latest);
        this.compared?.tell();
        this.remind();
        this.showScale();
        this.showWays();
        if (this.view.feel) this.strips.show(this.view.feel.device);
        this.element.classList.toggle('paused', latest.paused);
    }

    verdicts(picture) {
        judge(this.verdict, this.strips.rows, this.world, picture);
        const rise = this.strips.rows?.value('largestRise') ?? 0;
        write(this.rise, `largest rise ${quantity(rise, 'J')}`);
        const time = timeVerdict(picture);
        write(this.timing, time.text);
        this.timing.dataset.state = time.state;
    }

    // A bar of a round length, where the view is straight from above.
    showScale() {
        this.scale.hidden = !this.view.planar || !this.view.built;
        if (this.scale.hidden) return;
        const pixel = this.view.eye.unit() * 420 / this.sight.clientHeight;
        const wanted = 110 * pixel;
        const ten = 10 ** Math.floor(Math.log10(wanted));
        const length = [5, 2, 1].map((k) => k * ten).find((x) => x <= wanted) ?? ten;
        this.scale.firstChild.style.width = `${(length / pixel).toFixed(0)}px`;
        write(this.scale.lastChild, length < 1 ? `${Number((1000 * length).toPrecision(2))} mm` : `${length} m`);
    }

    // The legend of soft bodies, which is the switch of their colours too.
    showWays() {
        const softs = this.view.built ? this.view.bodies.softs : null;
        this.ways.hidden = !softs || softs.list.length === 0;
        if (this.ways.hidden) return;
        softs.shown = this.ways.getAttribute('aria-pressed') === 'true';
        write(this.waysMost, softs.shown ? quantity(softs.full, 'm') : 'off');
    }

    toggleWays() {
        this.ways.setAttribute('aria-pressed', String(this.ways.getAttribute('aria-pressed') !== 'true'));
        this.showWays();
    }

    // --- what people do

    held() {
        this.view.scripted = false;
        this.hinted();
        if (this.latest?.paused) this.say('The world is paused: press space to go on.');
    }

    hinted() {
        const {tool = null, light = null} = this.view;
        const parts = [];
        if (this.touch?.busy) parts.push('Esc or release lets go');
        else if (this.connection.holder !== 0 && !this.connection.mine) parts.push('Somebody else holds the tool');
        else if (tool && this.view.scripted) parts.push('A ghost hand shows the way: press and drag the light body');
        else if (light && !tool) parts.push('Press and drag the light body');
        else if (tool) {
            parts.push('Press and drag the light body', make('button', {type: 'button', class: 'link',
                onclick: () => this.ghost()}, 'give it to the ghost hand'));
        } else parts.push('Press and drag any body');
        if (this.world?.driven) parts.push(...this.control());
        this.hint.replaceChildren(...parts);
    }

    // Of a scene that a device drives.
    control() {
        const {connection} = this;
        if (connection.holder !== 0 && !connection.mine) return [];
        const button = (text, on) => make('button', {type: 'button', class: 'link', onclick: () => this.keep(on)}, text);
        return connection.kept ? [' · you hold the tool, and may change the scene: ', button('give it back', false)]
            : [' · a device drives this scene: to change it, ', button('take the tool', true)];
    }

    ghost() {
        this.touch.script();
        this.view.scripted = true;
        this.hinted();
    }

    holder() {
        const {connection, panel, world} = this;
        if (connection.holder !== 0 && !connection.mine) {
            this.view.scripted = false;
            connection.kept = false;
        }
        panel?.allow(!world.driven || connection.mine);
        this.hinted();
    }

    // While a device drives the scene, only who holds the tool may change it; a response that nobody may look at
    // is no reason to complain. Whether it is on its way.
    change(number, of) {
        const {connection, world} = this;
        const may = !world?.driven || connection.mine || (number === kind.look && of.index === 0);
        if (may) connection.send(number, of);
        else if (number !== kind.look) this.say('A device drives this scene: take the tool to change it.', true);
        return may;
    }

    keep(on) {
        this.connection.keep(on);
        this.reminded = performance.now();
        this.hinted();
    }

    // The server takes silence for somebody who is gone.
    remind() {
        const {connection} = this;
        if (!connection.kept || performance.now() - this.reminded < 500) return;
        this.reminded = performance.now();
        connection.askForTool();
    }

    law(index) {
        const name = this.world.laws[index];
        if (!name) return;
        if (!this.change(kind.law, {index})) return;
        this.compared?.keepLaw();
        const words = laws[name];
        this.say(`${words.short}: ${words.line} (${words.equation})`);
    }

    reset() {
        this.touch?.letGo();
        if (!this.change(kind.reset)) return;
        this.compared?.keepLaw();
        this.view.scripted = true;
        this.hinted();
    }

    save() {
        const link = make('a', {href: `api/session/${encodeURIComponent(this.name)}`, download: `${this.name}-session.json`});
        link.click();
        this.say('Saved the session: palp replay runs it again, to the same hash.');
    }

    say(text, important = false) {
        write(this.toast, text);
        this.toast.classList.toggle('important', important);
        this.toast.classList.add('shown');
        clearTimeout(this.toastTimer);
        this.toastTimer = setTimeout(() => this.toast.classList.remove('shown'), important ? 4000 : 2400);
    }

    state({up, why}) {
        this.notice.hidden = up;
        this.element.classList.toggle('lost', !up);
        if (up) {
            if (this.wasLost) this.say('Connected again.');
            this.wasLost = false;
            return;
        }
        this.wasLost = true;
        const reason = why ? `The server said: ${why}.` : 'The server does not answer.';
        this.notice.replaceChildren(make('strong', {}, 'Connection lost'),
            make('span', {}, `${reason} The page tries again by itself; if it stays so, start it with `),
            make('code', {}, 'palp serve'));
        this.hinted();
    }

    key(event) {
        if (event.ctrlKey || event.metaKey || event.altKey || !this.touch) return;
        const tag = event.target.tagName;
        if (tag === 'SELECT' || tag === 'INPUT' || document.querySelector('dialog[open]')) return;
        if (tag === 'BUTTON' && (event.key === ' ' || event.key === 'Enter')) return;
        const action = this.keys()[event.key];
        if (!action) return;
        event.preventDefault();
        action();
    }

    keys() {
        const {touch} = this;
        const digits = Object.fromEntries(lawsOf(this.world).map(({index}, i) => [String(i + 1), () => this.law(index)]));
        return {
            ...digits,
            ArrowLeft: () => touch.nudge(-1, 0, 0), ArrowRight: () => touch.nudge(1, 0, 0),
            ArrowUp: () => touch.nudge(0, 1, 0), ArrowDown: () => touch.nudge(0, -1, 0),
            PageUp: () => touch.nudge(0, 0, 1), PageDown: () => touch.nudge(0, 0, -1),
            ' ': () => this.bar.togglePause(),
            '.': () => this.change(kind.ticks, {index: 1}),
            'r': () => this.reset(),
            'f': () => this.strips.freeze(),
            'p': () => this.showPanel(!this.panel.open),
            '?': () => help(),
            'Escape': () => {
                if (touch.busy) touch.letGo();
                else if (this.panel.open) this.showPanel(false);
            },
        };
    }

    // --- A and B

    compare() {
        if (this.compared) return this.endCompare();
        this.compared = new Compare(this);
        this.bar.compare.setAttribute('aria-pressed', 'true');
        this.say('A/B: what you do to A happens to B as well, under another law.');
    }

    endCompare() {
        if (!this.compared) return;
        this.compared.dispose();
        this.compared = null;
        this.bar?.compare.setAttribute('aria-pressed', 'false');
    }
}
