// W as a small picture: how strongly an impulse at one contact moves another. A square for each pair of
// contacts, by the logarithm of the norm of its block; the brightest is the largest.
import {make, write} from './dom.js';
import {short} from './format.js';
import {css} from './theme.js';

const size = 284; // of the picture [px]
const decades = 4; // from the brightest to nothing

/// 0 .. 1: how bright a norm is.
export function brightness(norm, largest) {
    if (!(norm > 0) || !(largest > 0)) return 0;
    return Math.max(0, 1 + Math.log10(norm / largest) / decades);
}

export class Matrix {
    /// `nameOf`: of a shape by its index.
    constructor(nameOf) {
        this.nameOf = nameOf;
        this.canvas = make('canvas', {width: size, height: size, role: 'img', 'aria-label': 'Response of the contacts',
            style: `width: 100%; max-width: ${size}px; aspect-ratio: 1; image-rendering: pixelated; border-radius: 4px`});
        this.words = make('p', {class: 'quiet'}, 'Nothing touches.');
        this.legend = this.makeLegend();
        this.element = make('div', {}, this.canvas, this.legend, this.words);
        this.canvas.addEventListener('pointermove', (event) => this.point(event));
        this.canvas.addEventListener('pointerleave', () => this.point(null));
        this.canvas.hidden = this.legend.hidden = true;
    }

    // The colours by the contacts: mixed as the squares are.
    makeLegend() {
        this.least = make('span');
        this.most = make('span');
        return make('div', {class: 'legend'}, make('p', {},
            'A square for each two contacts: how much a push at the one of its column moves the one of its row. On the '
            + 'diagonal a contact moves itself; dark aside, two do not feel each other.'),
        make('div', {class: 'ramp', 'aria-hidden': 'true'}), make('div', {class: 'ramp-ends'}, this.least, this.most));
    }

    /// A look as it came, or null.
    show(look) {
        if (look === this.look) return;
        this.look = look;
        this.canvas.hidden = this.legend.hidden = !look || look.count === 0;
        this.describe();
        if (!this.canvas.hidden) this.draw();
    }

    draw() {
        const {count, norms} = this.look;
        const context = this.canvas.getContext('2d');
        const largest = norms.reduce((a, b) => Math.max(a, b), 0);
        write(this.least, `dark: ${short(largest / 10 ** decades)} 1/kg and less`);
        write(this.most, `bright: ${short(largest)} 1/kg`);
        context.fillStyle = css('line');
        context.fillRect(0, 0, size, size);
        context.fillStyle = css('accent');
        for (let i = 0; i < count; ++i) {
            for (let k = 0; k < count; ++k) {
                context.globalAlpha = brightness(norms[i * count + k], largest);
                const [x, y] = [k, i].map((j) => Math.round(j * size / count));
                const [right, down] = [k, i].map((j) => Math.round((j + 1) * size / count));
                context.fillRect(x, y, right - x - (count < 40), down - y - (count < 40));
            }
        }
        context.globalAlpha = 1;
    }

    contact(i) { return `${this.nameOf(this.look.shapes[2 * i])} – ${this.nameOf(this.look.shapes[2 * i + 1])}`; }

    point(event) {
        this.at = null;
        if (event && this.look?.count > 0) {
            const box = this.canvas.getBoundingClientRect();
            const cell = (x, width) => Math.min(Math.max(Math.floor(x / width * this.look.count), 0), this.look.count - 1);
            this.at = {column: cell(event.clientX - box.left, box.width), row: cell(event.clientY - box.top, box.height)};
        }
        this.describe();
    }

    describe() {
        const {look, at} = this;
        if (!look || look.count === 0) return write(this.words, 'Nothing touches.');
        if (!at || at.row >= look.count || at.column >= look.count) {
            const some = look.all > look.count ? `, the first ${look.count} of ${look.all}` : '';
            return write(this.words, `${look.count} contacts of the largest group${some}`);
        }
        const norm = `${short(look.norms[at.row * look.count + at.column])} 1/kg`;
        const text = at.row === at.column ? `${this.contact(at.row)}: moves itself by ${norm}`
            : `${this.contact(at.column)} moves ${this.contact(at.row)} by ${norm}`;
        return write(this.words, text);
    }
}
