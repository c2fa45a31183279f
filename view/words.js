// What the names of the engine mean, in the words of the page.

export const laws = {
    penalty: {
        short: 'penalty', line: 'walls are springs and dampers', equation: 'iapb eq. 5, 6',
        long: 'Every contact is a spring and a damper, sampled once a tick and held. Simple and soft; '
            + 'a stiff wall at a low rate gives back more than it got.',
    },
    impulse: {
        short: 'impulse', line: 'what hits is stopped at once', equation: 'iapb eq. 15, 20',
        long: 'What hits something new is stopped in that instant, with restitution; contacts that '
            + 'last are springs and dampers.',
    },
    lcp: {
        short: 'pyramid', line: 'no penetration, friction pyramids', equation: 'pmi eq. 28–34',
        long: 'Contacts do not close further, friction is a pyramid; solved exactly by pivoting. '
            + 'Creates no energy.',
    },
    cone: {
        short: 'cone', line: 'no penetration, exact friction cones', equation: 'signorini 2006',
        long: 'Contacts do not close further, friction is the exact cone. Creates no energy.',
    },
    multiplier: {
        short: 'impact', line: 'forces first, then impacts by multipliers', equation: 'nurbs eq. 1–4',
        long: 'Forces act first; what is in and still closes is turned round by a multiplier, with restitution, and a share '
            + 'of the depth is taken back, paid from what impacts lost before.',
    },
};

/// Laws to choose from, with their indices: where nothing can touch, none would change anything, and soft
/// bodies are met by two of them.
export const lawsOf = ({shapes, laws: names}) => {
    const soft = shapes.some(({kind}) => kind === 'soft');
    return names.map((name, index) => ({name, index}))
        .filter(({name}) => shapes.length > 0 && (!soft || name === 'lcp' || name === 'cone'));
};

export const integrators = {
    'midpoint': 'lossless at any step',
    'explicit': 'explicit Euler, gains energy',
    'symplectic': 'symplectic Euler in momenta',
    'semi-implicit': 'its linear form',
    'implicit': 'implicit Euler, loses energy',
    'implicit-midpoint': 'implicit midpoint in momenta, symplectic',
    'runge-kutta': 'of fourth order, joints kept exactly',
};

export const limits = {
    none: 'written as they are',
    saturate: 'the tool gets all, the hand what the limit leaves',
    scale: 'tool and hand get the same share',
    spread: 'scaled, and collided again while it closes',
    bank: 'what is too much is paid out in the next ticks',
};

export const couplings = {
    'four-channel': 'four channels: positions and forces go both ways',
    'virtual': 'a passive spring between hand and body',
    'direct': 'the tool is where the device is',
    'unilateral': 'the tool stays outside of what stands still',
    'fingertip': 'the skin feels the contacts of the ticks before',
    'set-position': 'a spring whose far ends move as far as a tank of energy allows',
    'grip': 'one way of the handle closes all fingers',
};

export const papers = {
    iapb: 'iapb 2004', planar: 'planar 2000', pmi: 'pmi 2017', signorini: 'signorini 2006',
    nurbs: 'nurbs 2001',
};

export const keys = [
    ['drag', 'the tool, or any body', 'hold it; the spring shows how hard you pull'],
    ['drag', 'empty space', 'turn the view (move it, in planar scenes)'],
    ['wheel', 'while holding', 'push deeper, or turn in planar scenes'],
    ['Shift', '+ wheel while holding', 'turn what you hold'],
    ['← ↑ → ↓', '', 'move the tool by a step; Page Up and Down for depth'],
    ['1 – 4', '', 'change the law of contact'],
    ['Space', '', 'pause, and go on'],
    ['.', '', 'one tick'],
    ['r', '', 'back to the start'],
    ['f', '', 'freeze the strips'],
    ['p', '', 'open the panel'],
    ['Esc', '', 'let go; close what is open'],
    ['?', '', 'this help'],
];
