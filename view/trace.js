// Channels over time. Rows come at the rate of the loop; they are kept whole, and thinned out only for
// drawing.

/// The last numbers of some channels over time; the oldest make room.
export class Trace {
    constructor(names, capacity) {
        this.names = names;
        this.capacity = capacity;
        this.columns = names.map(() => new Float64Array(capacity));
        this.time = new Float64Array(capacity);
        this.clear();
    }

    clear() { this.start = this.count = 0; }

    /// A time that goes back means that the world began anew.
    add(time, value) {
        if (this.count > 0 && time <= this.at(this.count - 1)) {
            if (time === this.at(this.count - 1)) return;
            this.clear();
        }
        const i = (this.start + this.count) % this.capacity;
        this.time[i] = time;
        for (let k = 0; k < this.columns.length; ++k) this.columns[k][i] = value(k);
        if (this.count < this.capacity) this.count += 1;
        else this.start = (this.start + 1) % this.capacity;
    }

    slot(i) { return (this.start + i) % this.capacity; }
    at(i) { return this.time[this.slot(i)]; }
    get end() { return this.count > 0 ? this.at(this.count - 1) : 0; }

    value(name, i = this.count - 1) {
        const k = this.names.indexOf(name);
        return k < 0 || i < 0 ? 0 : this.columns[k][this.slot(i)];
    }

    /// Of the row that is nearest behind a time, else the last; undefined before the first.
    near(name, time) {
        return this.count > 0 && time > 0 ? this.value(name, Math.min(this.find(time), this.count - 1)) : undefined;
    }

    /// The same as a function of the row, with the column looked up once: strips ask 100,000 times a second.
    reader(name) {
        const column = this.columns[this.names.indexOf(name)];
        return column ? (i) => column[(this.start + i) % this.capacity] : () => 0;
    }

    find(time) {
        let [low, high] = [0, this.count];
        while (low < high) {
            const mid = low + high >> 1;
            if (this.at(mid) < time) low = mid + 1;
            else high = mid;
        }
        return low;
    }

    /// Columns of `makers` (functions of a row's index) between two times, in at most `buckets` pairs of
    /// rows: of each bucket the least and the largest are kept, so that no peak is lost.
    window(from, to, buckets, makers) {
        const [a, b] = [Math.max(this.find(from) - 1, 0), this.find(to)];
        const size = Math.max(1, Math.ceil((b - a) / buckets));
        const out = [[], ...makers.map(() => [])];
        if (size === 1) {
            for (let i = a; i < b; ++i) {
                out[0].push(this.at(i));
                makers.forEach((make1, k) => out[k + 1].push(known(make1(i))));
            }
            return out;
        }
        // Buckets stay with their rows while the window slides, or lines would shimmer.
        const first = a + (size - (this.total(a) % size)) % size;
        for (let i = first; i + size <= b; i += size) this.bucket(i, size, makers, out);
        return out;
    }

    total(i) { return Math.round(this.at(i) / Math.max(this.at(1) - this.at(0), 1e-9)); }

    bucket(i, size, makers, out) {
        out[0].push(this.at(i), this.at(i + (size >> 1)));
        makers.forEach((make1, k) => {
            let [low, high, rising] = [Infinity, -Infinity, true];
            for (let j = i; j < i + size; ++j) {
                const x = make1(j);
                if (x < low) { low = x; rising = false; }
                if (x > high) { high = x; rising = true; }
            }
            out[k + 1].push(known(rising ? low : high), known(rising ? high : low));
        });
    }
}

// What is not a number is a gap for the plot.
function known(x) { return Number.isFinite(x) ? x : null; }

/// Rows of channels as they came, into a trace of the same channels.
export function fill(trace, rows) {
    const wide = rows.channels + 1;
    const time = trace.names.indexOf('time');
    if (rows.channels !== trace.names.length) return;
    for (let r = 0; r < rows.count; ++r) {
        const at = r * wide + 1;
        trace.add(rows.values[at + time], (k) => rows.values[at + k]);
    }
}
