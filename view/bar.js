// The top bar: what runs, by which law, how fast.
import {icon, iconButton, make} from './dom.js';
import {rate} from './format.js';
import {kind} from './protocol.js';
import {integrators, laws, lawsOf} from './words.js';

const rates = [100, 250, 500, 1000, 2000, 4000];
const speeds = [[1, 'real time'], [0.25, '¼ speed'], [0.1, '⅒ speed'], [0.02, '1/50 speed']];

function choice(label, options, onchange) {
    const select = make('select', {'aria-label': label, title: label,
        onchange: () => onchange(select.value)}, options.map(([value, text]) => make('option', {value}, text)));
    return select;
}

/// `act`: send(kind, of), law(index), compare(), panel(), help(), theme(), save().
export class Bar {
    constructor(world, scene, act) {
        this.world = world;
        this.act = act;
        this.laws = this.lawButtons();
        // jointed bodies have an integrator of their own, which is shown where nothing else moves
        const kept = world.mechanisms[0]?.integrator ?? world.integrators[0];
        const chosen = world.mechanisms.find(({integrator}) => world.integrators.includes(integrator))?.integrator;
        this.integrator = choice('Integrator', (chosen ? world.integrators : [kept]).map((name) => [name, name]),
            (name) => this.setIntegrator(name));
        this.integrator.disabled = !chosen;
        this.rate = choice('Rate of the loop', this.rateOptions(), (value) => act.send(kind.step, {value: Number(value)}));
        this.speed = choice('Speed', speeds, (value) => act.send(kind.speed, {value: Number(value)}));
        this.pause = iconButton('pause', 'Pause (space)', () => this.togglePause());
        this.compare = iconButton('compare', 'A/B: two laws side by side', act.compare, {'aria-pressed': 'false'});
        this.panel = iconButton('panel', 'Panel (p)', act.panel, {'aria-expanded': 'false'});
        this.element = this.layOut(scene);
        this.setLaw(world.law);
        this.integrator.value = chosen ?? kept;
        this.explain();
    }

    layOut(scene) {
        const {act} = this;
        return make('header', {class: 'bar'},
            make('a', {class: 'icon-button', href: '#', title: 'All scenes', 'aria-label': 'All scenes'}, icon('back')),
            make('h1', {title: this.world.description}, this.world.title || scene),
            this.laws.length === 0 ? null : make('div', {class: 'group'},
                make('div', {class: 'segments', role: 'group', 'aria-label': 'Law of contact'}, this.laws)),
            make('div', {class: 'group'}, this.integrator, this.rate),
            make('div', {class: 'group transport'}, this.pause,
                iconButton('step', 'One tick (.)', () => act.send(kind.ticks, {index: 1})),
                iconButton('reset', 'Back to the start (r)', act.reset), this.speed),
            make('div', {class: 'group end'},
                iconButton('save', 'Download the session so far: palp replay runs it again', act.save),
                this.laws.length === 0 ? null : this.compare, this.panel,
                iconButton('help', 'Help (?)', act.help),
                iconButton('theme', 'Dark or light', act.theme)));
    }

    lawButtons() {
        return lawsOf(this.world).map(({name, index}, i) => {
            const words = laws[name] ?? {short: name, line: name, equation: ''};
            return make('button', {type: 'button', 'aria-pressed': 'false', 'data-law': name,
                title: `${words.line} (${words.equation}); key ${i + 1}`, onclick: () => this.act.law(index)},
            words.short);
        });
    }

    rateOptions() {
        const own = Math.round(1 / this.world.step);
        // Soft bodies with dynamics of their own have one step.
        const others = this.world.fixedStep ? [] : rates;
        return [...new Set([...others, own])].sort((a, b) => a - b).map((hertz) => {
            const step = hertz === own ? this.world.step : 1 / hertz;
            return [step, `${rate(step)} · ${Number((1000 * step).toPrecision(3))} ms`];
        });
    }

    setIntegrator(name) {
        this.act.send(kind.integrator, {index: this.world.integrators.indexOf(name)});
        this.act.say(`Integrator ${name}: ${integrators[name] ?? ''}.`);
        this.explain();
    }

    explain() { this.integrator.title = `Integrator: ${integrators[this.integrator.value] ?? ''}`; }

    togglePause() { this.act.send(this.paused ? kind.resume : kind.pause); }

    setLaw(name) {
        for (const button of this.laws) {
            button.setAttribute('aria-pressed', String(button.dataset.law === name));
        }
    }

    /// The server knows; the page only shows.
    picture(picture) {
        if (picture.paused !== this.paused) this.showPause(picture.paused);
        this.setLaw(this.world.laws[picture.law]);
        this.follow(this.rate, picture.step);
        this.follow(this.speed, picture.speed);
    }

    showPause(paused) {
        this.paused = paused;
        const label = paused ? 'Go on (space)' : 'Pause (space)';
        this.pause.replaceChildren(icon(paused ? 'play' : 'pause'));
        this.pause.title = label;
        this.pause.setAttribute('aria-label', label);
    }

    // Leaves a list alone that somebody has open.
    follow(select, value) {
        if (document.activeElement === select && document.hasFocus() && select.matches(':open')) return;
        const option = [...select.options].find((o) => Math.abs(Number(o.value) / value - 1) < 1e-3);
        if (option && select.value !== option.value) select.value = option.value;
    }
}
