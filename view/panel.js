// The drawer: what the world is made of, and what may be changed while touching.
import {iconButton, make, write} from './dom.js';
import {plain, quantity} from './format.js';
import {forceLimit} from './hand.js';
import {Matrix} from './matrix.js';
import {contactOf, kind, materialField} from './protocol.js';
import {carrierOf} from './verdict.js';
import {couplings, laws, limits} from './words.js';

// Range of a slider; stiff things differ by factors, so they go by the logarithm.
const fields = [
    {name: 'friction', unit: '', low: 0, high: 1.5},
    {name: 'restitution', unit: '', low: 0, high: 1},
    {name: 'stiffness', unit: 'N/m', low: 10, high: 1e5, log: true},
    {name: 'damping', unit: 'N s/m', low: 0.01, high: 1000, log: true},
];

function toSlider(field, x) {
    const s = field.log ? Math.log(Math.max(x, field.low) / field.low) / Math.log(field.high / field.low)
        : (x - field.low) / (field.high - field.low);
    return Math.round(1000 * Math.min(Math.max(s, 0), 1));
}

function fromSlider(field, s) {
    const t = s / 1000;
    return field.log ? field.low * (field.high / field.low) ** t : field.low + t * (field.high - field.low);
}

function told(field, x) {
    return field.log ? quantity(x, field.unit) : plain(x);
}

export class Panel {
    /// `act`: send(kind, of), close().
    constructor(world, view, act) {
        this.world = world;
        this.view = view;
        this.act = act;
        this.lawBox = make('div', {class: 'law-words'});
        this.contactBody = make('tbody');
        this.contactEmpty = make('p', {class: 'quiet'}, 'Nothing touches.');
        this.matrix = new Matrix((shape) => this.nameOf(shape));
        this.element = make('aside', {class: 'panel', 'aria-label': 'Panel', hidden: true},
            make('header', {}, make('h2', {}, 'Panel'), iconButton('close', 'Close (Esc)', act.close)),
            make('div', {class: 'panel-body'},
                world.shapes.length === 0 ? this.nothingTouches()
                    : make('section', {}, make('h3', {}, 'Law of contact'), this.lawBox),
                this.materials(), this.hands(), this.contactList(), this.response()));
        this.setLaw(world.law);
    }

    nothingTouches() {
        return make('section', {}, make('h3', {}, 'Contacts'),
            make('p', {class: 'quiet'}, 'Nothing here has a shape, so nothing touches: no law of contact to choose.'));
    }

    get open() { return !this.element.hidden; }
    // The response is looked at only while somebody sees it.
    set open(open) {
        this.element.hidden = !open;
        if (this.world.shapes.length > 0) this.act.send(kind.look, {index: open ? 1 : 0});
    }

    /// Whether the world may be changed from here.
    allow(may) {
        for (const input of this.element.querySelectorAll('input, select')) input.disabled = !may;
        if (may && this.open) this.open = true; // the response may be looked at now
    }

    setLaw(name) {
        if (this.law === name) return;
        this.law = name;
        const words = laws[name] ?? {short: name, long: '', equation: ''};
        this.lawBox.replaceChildren(make('strong', {}, words.short), make('p', {}, words.long),
            words.equation ? make('span', {class: 'tag'}, words.equation) : '');
    }

    // --- materials

    used() {
        const list = [...new Set(this.world.shapes.map((s) => s.material))].sort((a, b) => a - b);
        return list.length > 0 ? list : [0];
    }

    materials() {
        const used = this.world.shapes.length > 0 ? this.used() : [];
        if (used.length === 0) return null;
        return make('section', {}, make('h3', {}, used.length > 1 ? 'Materials' : 'Surface'),
            used.map((index) => this.material(index, used.length > 1)));
    }

    material(index, named) {
        const own = this.world.materials[index];
        const name = own.name || 'all others';
        return make('fieldset', {}, named ? make('legend', {}, name) : null,
            fields.map((field) => this.slider(field, own, index, name)));
    }

    slider(field, own, index, name) {
        const value = make('output', {}, told(field, own[field.name]));
        const input = make('input', {type: 'range', min: 0, max: 1000, step: 1, value: toSlider(field, own[field.name]),
            'aria-label': `${field.name} of ${name}`, oninput: () => {
                const x = fromSlider(field, Number(input.value));
                own[field.name] = x;
                write(value, told(field, x));
                input.setAttribute('aria-valuetext', told(field, x));
                this.later(index, field, x);
            }});
        return make('label', {class: 'slider'}, make('span', {}, field.name), input, value);
    }

    // A slider moves faster than the server wants to hear of it.
    later(index, field, value) {
        this.waiting ??= new Map();
        this.waiting.set(`${index} ${field.name}`, {index, choice: materialField[field.name], value});
        this.timer ??= setTimeout(() => {
            this.timer = undefined;
            for (const of of this.waiting.values()) this.act.send(kind.material, of);
            this.waiting.clear();
        }, 120);
    }

    // --- hands

    hands() {
        const own = this.world.couplings.map((coupling, index) => ({coupling, index}))
            .filter(({coupling, index}) => index !== this.world.touch?.coupling && coupling.tool.mechanism >= 0);
        if (own.length === 0) return null;
        return make('section', {}, make('h3', {}, 'Hand and device'),
            (this.world.advice ?? []).map((text) => make('p', {class: 'warning', role: 'note'}, `Warning: ${text}.`)),
            own.map(({coupling, index}) => this.hand(coupling, index)));
    }

    hand(coupling, index) {
        const device = this.world.devices[coupling.device];
        const rows = [['device', device?.name ?? ''], ['coupling', coupling.kind]];
        const stiff = Math.max(...coupling.stiffness);
        if (stiff > 0) rows.push(['stiffness', quantity(stiff, 'N/m')]);
        const limit = forceLimit(this.world, coupling.device);
        const shown = make('dd', {}, limit ? plain(limit, 'N') : 'none');
        const words = make('p', {class: 'quiet'}, limits[coupling.limit] ?? '');
        const names = Object.keys(limits);
        const select = make('select', {'aria-label': 'Strategy of the force limit', onchange: () => {
            write(words, limits[select.value]);
            coupling.limit = select.value;
            this.act.send(kind.limit, {index, choice: names.indexOf(select.value)});
        }}, names.map((name) => make('option', {value: name, selected: name === coupling.limit}, name)));
        return make('div', {class: 'facts'},
            make('dl', {}, rows.flatMap(([name, text]) => [make('dt', {}, name), make('dd', {}, text)]),
                make('dt', {}, 'force limit'), shown),
            this.model(coupling.device, shown),
            make('p', {class: 'quiet'}, couplings[coupling.kind] ?? ''),
            coupling.forceLimit.some((x) => x !== null)
                ? [make('label', {class: 'row'}, make('span', {}, 'above the limit'), select), words] : null);
    }

    /// Limits of a real device, for one of the scene's own; a reset gives it its own again.
    model(index, shown) {
        const device = this.world.devices[index];
        const models = this.world.models ?? [];
        if (!device || models.length === 0) return null;
        const words = make('p', {class: 'quiet'});
        const own = forceLimit(this.world, index);
        const select = make('select', {'aria-label': `Model of ${device.name}`, onchange: () => {
            const choice = Number(select.value);
            const model = models[choice];
            this.act.send(kind.model, {index, choice});
            const limit = model?.force ?? own;
            write(shown, limit ? plain(limit, 'N') : 'none');
            write(words, model ? `renders walls up to ${quantity(model.stiffness, 'N/m')}; torque ${model.torque > 0 ? plain(model.torque, 'N m') : 'none'}` : '');
        }}, make('option', {value: -1}, 'as in the scene'),
        models.map((model, i) => make('option', {value: i}, `${model.name}, ${plain(model.force, 'N')}`)));
        return [make('label', {class: 'row'}, make('span', {}, 'limits of'), select), words];
    }

    // --- contacts

    contactList() {
        if (this.world.shapes.length === 0) return null;
        return make('section', {}, make('h3', {}, 'Contacts'), this.contactEmpty,
            make('table', {}, make('thead', {}, make('tr', {}, ['between', 'force', 'gap'].map(
                (name) => make('th', {scope: 'col'}, name)))), this.contactBody));
    }

    response() {
        if (this.world.shapes.length === 0) return null;
        return make('section', {}, make('h3', {}, 'W: how contacts move each other'), this.matrix.element);
    }

    nameOf(shape) { return carrierOf(this.world, shape); }

    /// Ten times a second, and only while it is open.
    picture(picture) {
        this.setLaw(this.world.laws[picture.law]);
        if (!this.open || this.world.shapes.length === 0) return;
        this.matrix.show(this.world.look ?? null);
        const list = [];
        for (let i = 0; i < picture.contactCount; ++i) {
            const c = contactOf(picture, i);
            list.push({...c, size: Math.hypot(...c.force)});
        }
        list.sort((a, b) => b.size - a.size);
        const shown = list.slice(0, 8);
        this.contactEmpty.hidden = list.length > 0;
        this.contactBody.parentElement.hidden = list.length === 0;
        while (this.contactBody.rows.length < shown.length) {
            this.contactBody.append(make('tr', {}, make('td'), make('td'), make('td')));
        }
        while (this.contactBody.rows.length > shown.length) this.contactBody.lastChild.remove();
        shown.forEach((c, i) => {
            const cells = this.contactBody.rows[i].cells;
            write(cells[0], `${this.nameOf(c.shapeA)} – ${this.nameOf(c.shapeB)}`);
            write(cells[1], quantity(c.size, 'N', 1e-6));
            write(cells[2], quantity(c.gap, 'm', 1e-9));
        });
    }
}
