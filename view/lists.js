// Made by ./dev lists of include/palp/lists.h and src/serve/wire.h.

/// Bits of a step's report: bit, whether it is a fault, what happened, what to change.
export const troubles = [
    [1, true,
        'a motion was not finite and was thrown away',
        'lower the step or the stiffness'],
    [2, true,
        'the symplectic integrator did not converge',
        'lower the step'],
    [4, false,
        'the guard took over 1e-6 of the kinetic energy',
        'raise passes'],
    [8, true,
        'no safe step was found and a group was stopped',
        'lower the step'],
    [16, true,
        'the step was not a positive number and nothing was done',
        'correct the step'],
    [32, true,
        'a rigid link was open by over 1e-6 m or rad',
        'raise passes'],
    [64, true,
        'contacts were left out',
        'raise capacity.contacts, pairs or rows'],
    [128, false,
        'the contact law was met no better than to 1e-6',
        'lower the step'],
    [256, false,
        'a group was too hard for the law, and was solved by another one or by its bias',
        'take the law cone'],
    [512, true,
        'a device was lost or a force was not finite, and zero was written',
        'look at the device'],
    [1024, true,
        'a contact stayed deeper than contact.slop for over 3 ticks',
        'lower the step'],
    [2048, false,
        'a real device gave less than was asked, by its limit or slew limit',
        'lower the stiffness of what it touches'],
    [4096, false,
        'a step created more energy than there was',
        'lower the step or the stiffness'],
    [8192, true,
        'bodies came nearer in the step than they are thick, and may have passed each other',
        'lower the step, or take the bias gap'],
    [16384, true,
        'the budget of the tick was spent, and the best answer so far was taken',
        'fewer contacts, a longer step, or a larger budget'],
];

export const lawNames = [
    'penalty', 'impulse', 'lcp', 'cone', 'multiplier',
];

export const integratorNames = [
    'midpoint', 'explicit', 'symplectic', 'semi-implicit', 'implicit', 'implicit-midpoint',
    'runge-kutta',
];

export const command = {
    pause: 0, resume: 1, ticks: 2, reset: 3, speed: 4, step: 5,
    law: 6, integrator: 7, material: 8, limit: 9, hold: 10, letGo: 11,
    script: 12, grab: 13, release: 14, alarm: 15, model: 16,
};

/// Of a picture, in the order of the wire.
export const pictureNumbers = [
    'sequence', 'tick', 'time', 'step', 'speed', 'law',
    'hashUpper', 'hashLower', 'trouble', 'found', 'active', 'sliding',
    'colliding', 'iterations', 'lawResidual', 'depth', 'kinetic', 'potential',
    'applied', 'rows', 'dissipated', 'integrator', 'leak', 'drift',
    'residual', 'worst', 'contactPotential', 'contactDissipated', 'contactLeak', 'deadlines',
    'missed', 'workMean', 'workP50', 'workP99', 'workP999', 'workMost',
    'lateP50', 'lateP99', 'lateP999', 'lateMost', 'refused', 'unrecorded',
    'stalls', 'recorded',
];

/// Of the accounts of the world, in the order of the wire.
export const worldNumbers = [
    'tick', 'time', 'applied', 'dissipated', 'kinetic', 'potential',
    'integrator', 'leak', 'contactIntegrator', 'contactLeak',
];

/// Of each device, coupling, mechanism and link.
export const accountNumbers = {
    devices: ['kinetic', 'applied', 'rows', 'dissipated', 'integrator'],
    couplings: ['tool', 'device', 'stored'],
    mechanisms: ['kinetic', 'applied', 'integrator', 'leak'],
    links: ['integrator', 'leak'],
};

export const fromServer = {
    picture: 1, rows: 2, surfaces: 3, accounts: 4, look: 5,
};

export const fromClient = {
    command: 0, watch: 1, take: 2, leave: 3, look: 4,
};
