// All that hands and keys can do, in a dialog that the browser keeps the focus in.
import {iconButton, make} from './dom.js';
import {keys, laws} from './words.js';

export function help() {
    const close = () => dialog.close();
    const dialog = make('dialog', {class: 'help', 'aria-labelledby': 'help-title', onclose: () => dialog.remove(),
        onclick: (e) => { if (e.target === dialog) close(); }},
    make('header', {}, make('h2', {id: 'help-title'}, 'Touch it'), iconButton('close', 'Close (Esc)', close)),
    make('div', {class: 'help-body'},
        make('p', {}, 'Press on the light body and drag. It follows your hand through a spring; the ',
            make('b', {class: 'warm'}, 'warm arrow'), ' is the force that a hand would feel, ',
            make('b', {class: 'cold'}, 'blue arrows'), ' are the contacts, and the fans around them the friction '
            + 'cones. An arrow grows with the root of its force. Push against a wall and change the law.'),
        make('div', {class: 'help-columns'},
            make('table', {}, make('tbody', {}, keys.map(([key, with1, what]) => make('tr', {},
                make('th', {scope: 'row'}, make('kbd', {}, key), with1 ? ` ${with1}` : ''), make('td', {}, what))))),
            make('dl', {}, ['penalty', 'impulse', 'lcp', 'cone'].flatMap((name) => [
                make('dt', {}, laws[name].short), make('dd', {}, `${laws[name].long} `,
                    make('span', {class: 'quiet'}, laws[name].equation))])))));
    document.body.append(dialog);
    dialog.showModal();
}
