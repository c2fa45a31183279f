// Numbers for people: three significant digits, a unit, and a width that does not jump.

const prefixes = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, ''], [1e-3, 'm'], [1e-6, 'µ'], [1e-9, 'n']];

function digits(x) {
    const size = Math.abs(x);
    if (size < 0.005) return '0.00';
    if (size >= 99.95) return x.toFixed(0);
    return x.toFixed(size >= 9.995 ? 1 : 2);
}

/// 0.01234, 'N' gives "12.3 mN". What is below `floor` is zero: noise has no digits.
export function quantity(x, unit, floor = 1e-9) {
    if (!Number.isFinite(x)) return `not a number ${unit}`;
    if (Math.abs(x) < floor) return `0.00 ${unit}`;
    const [scale, prefix] = prefixes.find(([s]) => Math.abs(x) >= 0.9995 * s) ?? prefixes.at(-1);
    return `${digits(x / scale)} ${prefix}${unit}`.replace('-', '−');
}

/// In a fixed unit: 12.34, 'N' gives "12.3 N".
export function plain(x, unit = '') {
    const text = Number.isFinite(x) ? digits(x) : 'not a number';
    return `${text}${unit ? ` ${unit}` : ''}`.replace('-', '−');
}

/// 60000 gives "60,000".
export function count(x) { return Math.round(x).toLocaleString('en-US'); }

export function rate(step) {
    const hertz = 1 / step;
    return hertz >= 9999.5 ? `${digits(hertz / 1000)} kHz` : `${Math.round(hertz)} Hz`;
}

/// Up to three significant digits, without needless zeros: for fields and axes.
export function short(x) {
    if (x === 0) return '0';
    return String(Number(x.toPrecision(3))).replace('-', '−');
}
