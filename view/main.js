// The page: the gallery, or the scene that the address names behind its #.
import {iconButton, make} from './dom.js';
import {gallery} from './gallery.js';
import {Stage} from './stage.js';
import * as theme from './theme.js';

let stage = null;

function show(element) { document.body.replaceChildren(element); }

function failed(title, text) {
    show(make('main', {class: 'failed'}, make('h1', {}, title), make('p', {}, text),
        make('a', {href: '#', class: 'plain-button', onclick: () => setTimeout(route)}, 'All scenes')));
}

async function scenes() {
    const answer = await fetch('api/scenes');
    if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
    return answer.json();
}

async function route() {
    stage?.dispose();
    stage = null;
    window.palp = {stage};
    const name = decodeURIComponent(location.hash.slice(1));
    let list;
    try {
        list = await scenes();
    } catch {
        failed('No answer', 'The server does not answer. Start it with palp serve, then reload this page.');
        return;
    }
    if (!name) return showGallery(list);
    const scene = list.find((one) => one.name === name);
    if (!scene) return failed('No such scene', `This server has no scene called ${name}.`);
    document.title = `${scene.title} · palp`;
    stage = new Stage(name);
    show(stage.element);
    // For the console, and for who tests the page.
    window.palp = {stage};
}

function showGallery(list) {
    document.title = 'palp';
    show(gallery(list, iconButton('theme', 'Dark or light', theme.toggle)));
}

theme.start();
window.addEventListener('hashchange', route);
route();
