// One colour language: hand and coupling warm, tool light, world neutral, contacts one accent, danger
// only for faults. style.css has the same colours for the page around the view.

export const colours = {
    dark: {
        sky: 0x15191f, floor: 0x3a444f, grid: 0x4d5966, ground: 0x5c6878, body: 0x93a1b2, tool: 0xf6f0e4,
        hand: 0xffa24c, accent: 0x4cbcf0, danger: 0xff6161, edge: 0x0b0d10, edgeAlpha: 0.55,
        skyLight: 0xdfe9f5, groundLight: 0x2a2622, hemisphere: 1.25, sun: 2.2, shadow: 0.7,
    },
    light: {
        sky: 0xf1f3f5, floor: 0xf3f5f6, grid: 0xd3d9df, ground: 0xb9c2cc, body: 0x8a97a6, tool: 0xfffaee,
        hand: 0xd9640a, accent: 0x0a75b3, danger: 0xc4202c, edge: 0x28313c, edgeAlpha: 0.5,
        skyLight: 0xffffff, groundLight: 0xcfc8bf, hemisphere: 2.0, sun: 1.8, shadow: 0.45,
    },
};

export function current() { return document.documentElement.dataset.theme; }

/// What was chosen before, else what the system prefers.
export function start() {
    let stored = null;
    try { stored = localStorage.getItem('palp-theme'); } catch { /* private windows may refuse */ }
    const system = matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark';
    document.documentElement.dataset.theme = stored in colours ? stored : system;
}

export function toggle() {
    const next = current() === 'dark' ? 'light' : 'dark';
    document.documentElement.dataset.theme = next;
    try { localStorage.setItem('palp-theme', next); } catch { /* it lasts until the reload, then */ }
    window.dispatchEvent(new Event('palp-theme'));
}

/// A colour of style.css, for canvases.
export function css(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
