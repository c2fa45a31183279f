// Small help with elements.

/// make('button', {class: 'tool', onclick: f}, 'text', child, ...).
export function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
        else if (value === true) element.setAttribute(name, '');
        else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
    }
    element.append(...children.flat().filter((child) => child !== null && child !== undefined));
    return element;
}

/// Writes only what has changed: screen readers and layout are left alone.
export function write(element, text) {
    if (element.textContent !== text) element.textContent = text;
}

// Icons as paths of a 20 x 20 field, drawn with the colour of the text.
const paths = {
    back: 'M12 4 6 10l6 6',
    pause: 'M7 4v12M13 4v12',
    play: 'M6 4l10 6-10 6z',
    step: 'M5 4l7 6-7 6zM15 4v12',
    reset: 'M4.5 10a5.5 5.5 0 1 0 1.8-4.1M4 3.5v3.6h3.6',
    save: 'M10 3v9M6.5 9 10 12.5 13.5 9M4 16h12',
    compare: 'M3.5 4h5.5v12H3.5zM11 4h5.5v12H11z',
    panel: 'M3 5h14M3 10h14M3 15h14M8 3.4v3.2M13 8.4v3.2M6 13.4v3.2',
    help: 'M7.4 7.6a2.7 2.7 0 1 1 3.8 2.5c-.8.4-1.2.9-1.2 1.9M10 15.4v.2',
    theme: 'M10 3a7 7 0 1 0 7 7 5.4 5.4 0 0 1-7-7z',
    close: 'M5 5l10 10M15 5 5 15',
    freeze: 'M10 3v14M4 6.5l12 7M16 6.5l-12 7',
    table: 'M3.5 4.5h13v11h-13zM3.5 8.2h13M3.5 11.8h13M8 4.5v11',
    image: 'M3.5 4.5h13v11h-13zM4 14l4-4.5 3 3 2-2 3.5 3.5',
    hand: 'M6.5 10.5V5.2a1.2 1.2 0 0 1 2.4 0V9M8.9 9V3.9a1.2 1.2 0 0 1 2.4 0V9M11.3 9V5a1.2 1.2 0 0 1 2.4 0v6.5c0 3-1.6 5-4.2 5s-3.6-1.4-4.6-3.6L3.7 10.600a1.1 1.1 0 0 1 1.900-1L6.500 11',
    frame: 'M3.500 7.500v-4h4M12.500 3.500h4v4M16.500 12.500v4h-4M7.500 16.500h-4v-4',
};

export function icon(name) {
    const space = 'http://www.w3.org/2000/svg';
    const svg = document.createElementNS(space, 'svg');
    svg.setAttribute('viewBox', '0 0 20 20');
    svg.setAttribute('aria-hidden', 'true');
    svg.classList.add('icon');
    const path = document.createElementNS(space, 'path');
    path.setAttribute('d', paths[name]);
    svg.append(path);
    return svg;
}

/// A button with an icon; `label` is for the tooltip and for screen readers.
export function iconButton(name, label, onclick, attributes = {}) {
    return make('button', {class: 'icon-button', type: 'button', title: label, 'aria-label': label,
        onclick, ...attributes}, icon(name));
}

export function download(name, blob) {
    const address = URL.createObjectURL(blob);
    const link = make('a', {href: address, download: name});
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
}
