// The first page: every scene as a card.
import {make} from './dom.js';
import {papers} from './words.js';

// What a newcomer should touch first comes first.
const first = ['peg', 'peg-in-hole', 'tendon-hand', 'beam', 'linkage-held', 'hole', 'pantograph', 'peg-in-hole-touch', 'tap', 'wall',
    'stack', 'pile-50', 'socket', 'slope'];

function rank(scene) {
    const i = first.indexOf(scene.name);
    return i < 0 ? first.length : i;
}

function picture(scene) {
    const image = make('img', {src: `pictures/${scene.name}.webp`, alt: '', loading: 'lazy', width: 480,
        height: 300});
    image.addEventListener('error', () => image.replaceWith(make('div', {class: 'no-picture'})), {once: true});
    return image;
}

// A method that creates energy says so, and the passive one is a click away.
function notPassive(scene) {
    return make('span', {class: 'badge creates', title: 'This method can create energy'},
        scene.paper ? 'as printed: not passive' : 'not passive');
}

function variantLink(scene) {
    return make('a', {class: 'link card-variant', href: `#${scene.passiveVariant}`, 'aria-label': `Passive variant of ${scene.title}`},
        'passive variant');
}

function card(scene) {
    const paper = scene.paper ? papers[scene.paper] ?? scene.paper : null;
    return make('article', {class: 'card', 'data-scene': scene.name},
        make('div', {class: 'card-picture'}, picture(scene),
            make('span', {class: 'badge'}, `${Math.round(scene.rate)} Hz`), scene.passiveVariant ? notPassive(scene) : null),
        make('div', {class: 'card-text'}, make('h2', {}, make('a', {class: 'card-open', href: `#${scene.name}`}, scene.title)),
            make('p', {}, scene.description),
            make('footer', {}, make('span', {}, scene.planar ? 'planar' : 'in space'),
                paper ? make('span', {class: 'card-paper', title: 'The paper that it comes from'}, paper) : null,
                scene.passiveVariant ? variantLink(scene) : null)));
}

export function gallery(scenes, themeButton) {
    const sorted = [...scenes].sort((a, b) => rank(a) - rank(b) || a.title.localeCompare(b.title));
    return make('main', {class: 'gallery'},
        make('header', {class: 'gallery-head'},
            make('div', {}, make('h1', {}, 'palp'),
                make('p', {}, 'Touch a simulated world, and see what a hand would feel.')), themeButton),
        make('div', {class: 'cards'}, sorted.map(card)));
}
