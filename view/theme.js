// One colour language: hand and coupling warm, tool light, world neutral, contacts one accent, danger
// only for faults. style.css has the same colours for the page around the view.

export const colours = {
    dark: {
        sky: 0x15191f, floor: 0x39424c, grid: 0x515d6a, ground: 0x66727f, body: 0xaeb9c6, tool: 0xfbf4e6,
        joint: 0x46515d, wire: 0xc3cedb,
        hand: 0xffa24c, accent: 0x4cbcf0, strain: [0x9a86e8, 0xd946a0],
        skyLight: 0xe6edf5, groundLight: 0x3a352f, hemisphere: 1.35, sun: 2.6, shadow: 0.72,
    },
    light: {
        sky: 0xf1f3f5, floor: 0xf3f5f6, grid: 0xd3d9df, ground: 0xb9c2cc, body: 0x8a97a6, tool: 0xfffaee,
        joint: 0x55616e, wire: 0x6b7886,
        hand: 0xd9640a, accent: 0x0a75b3, strain: [0x7a63d2, 0xb8207c],
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
