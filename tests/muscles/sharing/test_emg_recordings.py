"""Predicted activations beside measured envelopes of a walk, and with these as a reference.

EMG leads: between a signal and the activation that a moment asks for lies the electromechanical delay. The lag of the
best correlation is that delay together with what the criterion gets wrong. With -s the table is printed.
"""

import numpy as np
import pytest

import softstride as ss
from softstride.notes import sentences

MUSCLES = {
    "soleus": ("soleus_r",),
    "gastrocnemius": ("gasmed_r", "gaslat_r"),
    "tibialis_anterior": ("tibant_r",),
    "medial_hamstrings": ("semimem_r", "semiten_r"),
    "biceps_femoris": ("bflh_r", "bfsh_r"),
    "vastus_lateralis": ("vaslat_r",),
    "vastus_medius": ("vasmed_r",),
    "rectus_femoris": ("recfem_r",),
    "gluteus_maximus": ("glmax1_r", "glmax2_r", "glmax3_r"),
    "gluteus_medius": ("glmed1_r", "glmed2_r", "glmed3_r"),
}
"""Muscles of the model below each electrode, right leg."""

# Correlation with the envelope, correlation at the best lag, and that lag [ms]: criterion of power 2, no EMG.
TABLE = {
    "soleus": (0.70, 0.94, 53),
    "gastrocnemius": (0.69, 0.91, 78),
    "tibialis_anterior": (0.85, 0.87, 18),
    "medial_hamstrings": (0.93, 0.96, -18),
    "biceps_femoris": (0.72, 0.73, -10),
    "vastus_lateralis": (0.74, 0.84, 39),
    "vastus_medius": (0.56, 0.80, 77),
    "rectus_femoris": (0.24, 0.59, 128),
    "gluteus_maximus": (0.02, 0.38, 72),
    "gluteus_medius": (0.16, 0.67, 133),
}
MOST = 200  # ms


@pytest.fixture(scope="module")
def emg(shared_data):
    return ss.read(shared_data / "walk_rajagopal_emg" / "electromyography.sto").emg


def shifted(a, e, k):
    """Return the correlation of a, k samples later, with e."""
    return np.corrcoef(a[max(0, k) : len(a) + min(0, k)], e[max(0, -k) : len(e) + min(0, -k)])[0, 1]


def compare(forces, emg):
    """Return (correlation, correlation at the best lag, lag in ms) by channel; activation later than EMG: positive."""
    rate = 1.0 / np.diff(forces.time).mean()
    table = {}
    for channel, names in MUSCLES.items():
        a = np.mean([forces.activation[:, forces.index(name)] for name in names], axis=0)
        e = np.interp(forces.time, emg.time, emg[channel])
        lags = np.arange(-round(MOST * rate / 1000.0), round(MOST * rate / 1000.0) + 1)
        r = [shifted(a, e, k) for k in lags]
        best = int(np.argmax(r))
        table[channel] = (float(r[len(lags) // 2]), float(r[best]), round(1000.0 * lags[best] / rate))
    return table


def tell(table):
    """Print a table."""
    for channel, (r, best, lag) in table.items():
        print(f"\n{channel:18s} r {r:5.2f}, at its best lag {best:5.2f}, {lag:4d} ms", end="")


def test_the_table(walk, emg):
    """Numbers of the table, to its last digit and a few milliseconds."""
    found = compare(walk.solve(), emg)
    for channel, (r, best, lag) in TABLE.items():
        assert found[channel][0] == pytest.approx(r, abs=0.03), channel
        assert found[channel][1] == pytest.approx(best, abs=0.03), channel
        assert found[channel][2] == pytest.approx(lag, abs=15), channel
    tell(found)
    main = [found[channel][1] for channel in MUSCLES if not channel.startswith(("gluteus", "rectus"))]
    assert np.median(main) > 0.8


def test_with_emg_as_reference_moments_still_match(walk, emg):
    """The weight of EMG goes up, activations come nearer to it, and reserves stay below 1 % of each peak."""
    muscles = {channel: list(names) for channel, names in MUSCLES.items()}
    plain = walk.solve()
    measured = [name for names in MUSCLES.values() for name in names]
    columns = [plain.index(name) for name in measured]
    envelope = {
        name: np.interp(plain.time, emg.time, emg[c]) for c, names in MUSCLES.items() for name in names
    }
    wanted = np.clip(np.stack([envelope[name] for name in measured], axis=1), 0.01, 1.0)
    far = [np.abs(plain.activation[:, columns] - wanted).mean()]
    for weight in (1.0, 10.0):
        got = walk.solve(emg=emg, emg_muscles=muscles, mvc=1.0, emg_weight=weight)
        assert got.converged.all() and got.kkt.max() < 1e-9
        peaks = np.abs(got.demand).max(axis=0)
        served = (np.abs(got.moment).max(axis=0) > 0.0) & (
            peaks > 1.0
        )  # not actuators, nor toes with 0.4 N m
        left = np.abs(got.moment_residual).max(axis=0) / np.abs(got.demand).max(axis=0)
        assert served.sum() == 10 and left[served].max() < 0.01
        far.append(np.abs(got.activation[:, columns] - wanted).mean())
    assert far[2] < far[1] < far[0]
    table = compare(got, emg)
    tell(table)
    assert (
        table["gluteus_medius"][0] > 0.8 and table["rectus_femoris"][0] > 0.5
    )  # which the criterion alone gets wrong
    assert any("EMG is the reference of 17 of 80 muscles" in each for each in sentences(got.notes))
