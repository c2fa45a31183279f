// Passive or not: the one definition that the strip draws and the verdict says.
//
// Energy of the world, its devices and its couplings must not exceed the energy at the start plus what was
// put in since: by hands, drives and motors. `lost` is the difference. A negative one was created.

/// Channels that it needs, as the server names them (plBalance).
export const balanceChannels = ['balance.kinetic', 'balance.potential', 'balance.applied', 'balance.lost'];

/// Share of the energy that took part which may appear without a verdict. A port knows its hand a tick late,
/// so that passive couplings show up to 0.03 % for a moment; methods that create show 5 % and more.
export const tolerance = 0.01;

/// Of the rows of a trace. Functions take the index of a row; all are in joules.
export class Balance {
    constructor(rows) {
        [this.kinetic, this.stored, this.putIn, this.lost] = balanceChannels.map((name) => rows.reader(name));
        this.rows = rows;
    }

    get known() { return balanceChannels.every((name) => this.rows.names.includes(name)); }

    energy(i) { return this.kinetic(i) + this.stored(i); }

    /// Start and what was put in since: the dashed line.
    allowed(i) { return this.energy(i) + this.lost(i); }

    /// How far the energy is above the line; 0: it is not.
    created(i) { return Math.max(-this.lost(i), 0); }

    /// Row in which most was created.
    worst() {
        let worst = 0;
        for (let i = 1; i < this.rows.count; ++i) if (this.lost(i) < this.lost(worst)) worst = i;
        return worst;
    }

    /// What `created` may be: a share of the largest kinetic energy, the range of the energy, and the most
    /// that was put in or taken out.
    limit() {
        let [kinetic, low, high, put] = [0, Infinity, -Infinity, 0];
        for (let i = 0; i < this.rows.count; ++i) {
            const energy = this.energy(i);
            kinetic = Math.max(kinetic, this.kinetic(i));
            low = Math.min(low, energy);
            high = Math.max(high, energy);
            put = Math.max(put, Math.abs(this.putIn(i)));
        }
        return tolerance * (kinetic + Math.max(high - low, 0) + put) + 1e-9;
    }
}
