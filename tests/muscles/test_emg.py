"""From EMG to force: a burst whose answer is known, names, references, delay, gaps, and what is refused."""

import numpy as np
import pytest
from tests.models import the_model
from tests.muscles.hill.made import model, muscle

import softstride as ss
from softstride.capture import Channels
from softstride.errors import InputError
from softstride.muscles import (
    emg_activation,
    emg_forces,
    equilibrium,
    fibre_dynamics,
    hill_muscles,
    rigid_tendon,
)
from softstride.notes import codes

RISE, FALL = 0.02, 0.05
HILL = hill_muscles(
    model(
        muscle("soleus", "gaussian", rise_time=RISE, fall_time=FALL),
        muscle("gasmed", "thelen2003", rise_time=RISE, fall_time=FALL),
        muscle("tibant", rise_time=0.01, fall_time=0.04),
    )
)


def channels(rate=1000.0, seconds=1.0, **columns):
    t = np.arange(int(rate * seconds) + 1) / rate
    values = np.stack(
        [np.broadcast_to(f(t) if callable(f) else f, t.shape) for f in columns.values()], axis=1
    )
    return Channels(t, tuple(columns), values, ("V",) * len(columns))


def burst(t):
    """Half of a maximal contraction from 0.2 to 0.6 s; samples on the edges belong to it."""
    return np.where((t > 0.2 - 1e-9) & (t < 0.6 + 1e-9), 0.001, 0.0)


def burst_activation(t, start=0.2, end=0.6, u=0.5):
    """The closed form of the burst's activation."""
    top = u * -np.expm1(-(end - start) / RISE)
    rising = u * -np.expm1(-(t - start) / RISE)
    return np.select([t <= start, t <= end], [0.0, rising], top * np.exp(-(t - end) / FALL))


def test_a_burst_gives_the_activation_and_the_force_of_eq_40():
    """Samples make the edges ramps of 1 ms, which shift the exponentials by half of that at most."""
    emg = channels(S=burst)
    found = emg_activation(emg, HILL, {"soleus": "S"}, mvc={"S": 0.002})
    assert found.names == ("soleus",) and found.channels["soleus"] == "S"
    assert found.neural.max() == 0.5
    expected = burst_activation(found.time)
    assert np.abs(found.activation[:, 0] - expected).max() < 0.5 * 0.5e-3 / RISE
    np.testing.assert_allclose(
        found.activation[:, 0], burst_activation(found.time, 0.1995, 0.6005), atol=2e-4
    )

    # force: a exp(-(l - 1)² / 0.45) (1 + v) / (1 - v / 0.25) F_max, with l and v along a fibre without pennation
    one = hill_muscles(model(muscle("soleus", "gaussian", pennation=0.0, rise_time=RISE, fall_time=FALL)))
    x, v = 0.9, -0.3
    length, speed = (
        np.full((len(found.time), 1), 0.2 + 0.1 * x),
        np.full((len(found.time), 1), v * 0.1 * 10.0),
    )
    force = emg_forces(one, emg_activation(emg, one, {"soleus": "S"}, mvc={"S": 0.002}), length, speed)
    by_hand = found.activation[:, 0] * np.exp(-((x - 1) ** 2) / 0.45) * (1 + v) / (1 - v / 0.25) * 1000.0
    np.testing.assert_allclose(force.force[:, 0], by_hand, rtol=1e-11)


def test_finer_sampling_goes_to_the_closed_form():
    def error(rate):
        found = emg_activation(channels(rate, S=burst), HILL, {"soleus": "S"}, mvc={"S": 0.002})
        return np.abs(found.activation[:, 0] - burst_activation(found.time)).max()

    assert error(10000.0) < 0.12 * error(1000.0)


def test_a_delay_moves_everything_and_leaves_a_gap_before():
    emg = channels(S=burst)
    now = emg_activation(emg, HILL, {"soleus": "S"}, mvc={"S": 0.002})
    later = emg_activation(emg, HILL, {"soleus": "S"}, mvc={"S": 0.002}, delay=0.04)
    assert np.isnan(later.activation[:40]).all()
    np.testing.assert_allclose(later.activation[40:], now.activation[:-40], atol=1e-12)
    (note,) = later.notes
    assert note.code == "emg.delayed" and note.values["delay_ms"] == 40.0 and "40 ms" in str(note)
    assert codes(now.notes) == ("emg.not-delayed",)


def test_no_dynamics_is_neural_input():
    found = emg_activation(channels(S=burst), HILL, {"soleus": "S"}, mvc={"S": 0.002}, dynamics=None)
    np.testing.assert_array_equal(found.activation, found.neural)


def test_time_constants_are_the_muscles_unless_given():
    emg = channels(S=burst)
    own = emg_activation(emg, HILL, {"S": ["soleus", "tibant"]}, mvc=0.002)
    given = emg_activation(emg, HILL, {"S": ["soleus", "tibant"]}, mvc=0.002, rise_time=0.01, fall_time=0.04)
    assert np.abs(own.activation[:, 0] - own.activation[:, 1]).max() > 0.05
    np.testing.assert_array_equal(given.activation[:, 0], own.activation[:, 1])


@pytest.mark.parametrize(
    "muscles",
    [
        {"gasmed": "GAS", "soleus": "SOL"},
        {"GAS": "gasmed", "SOL": "soleus"},
        {"GAS": ["gasmed"], "SOL": ("soleus",)},
        {"SOL": ["soleus"], "gasmed": "GAS"},
    ],
)
def test_names_connect_either_way_round_whatever_their_order(muscles):
    emg = channels(GAS=0.3, OTHER=0.9, SOL=0.6)
    found = emg_activation(emg, HILL, muscles, mvc=1)
    assert found.names == ("soleus", "gasmed")
    np.testing.assert_allclose(found.activation[-1], [0.6, 0.3])
    assert [note.names for note in found.notes if note.code == "emg.channels-unused"] == [("OTHER",)]


def test_channels_called_like_muscles_need_no_pairs():
    found = emg_activation(channels(tibant=0.2, EMG9=0.1, soleus=0.4), HILL, mvc=1.0)
    assert found.names == ("soleus", "tibant")
    np.testing.assert_allclose(found.of(("tibant", "gasmed", "soleus"))[-1], [0.2, np.nan, 0.4])


def test_the_largest_value_of_the_trial_is_said():
    found = emg_activation(channels(soleus=burst), HILL, mvc="trial")
    assert found.neural.max() == 1.0
    note = found.notes[0]
    assert note.code == "emg.no-mvc" and note.severity == "warning" and note.names == ("soleus",)
    assert "largest value of the trial" in str(note) and "soleus 0.001" in str(note)
    assert note.values["soleus"] == pytest.approx(0.001, rel=1e-2)


def test_contractions_give_the_reference():
    strong = channels(soleus=lambda t: 0.004 * np.sin(np.pi * t) ** 2)
    found = emg_activation(channels(soleus=burst), HILL, mvc=strong)
    assert found.neural.max() == pytest.approx(0.25)


def test_beyond_zero_to_one_is_clipped_and_said():
    found = emg_activation(channels(soleus=lambda t: 1.2 * np.sin(np.pi * t) - 0.05), HILL, mvc=1.0)
    assert found.neural.min() == 0.0 and found.neural.max() == 1.0
    above, below = found.notes[:2]
    assert codes((above, below)) == ("emg.above-mvc", "emg.below-zero")
    assert "exceeds its MVC" in str(above) and "15 %" in str(above) and "below zero" in str(below)
    assert above.values["most_percent"] == pytest.approx(15.0, abs=0.5)
    assert below.values["least"] == pytest.approx(-0.05, abs=1e-3)


def test_what_was_not_measured_stays_unknown():
    emg = channels(soleus=lambda t: np.where((t > 0.3) & (t < 0.4), np.nan, 0.5))
    found = emg_activation(emg, HILL, mvc=1.0)
    np.testing.assert_array_equal(np.isnan(found.activation), np.isnan(emg.values))
    n = len(found.time)
    forces = emg_forces(HILL, found, np.full((n, 3), 0.3), np.zeros((n, 3)))
    np.testing.assert_array_equal(np.isnan(forces.force[:, 0]), np.isnan(emg.values[:, 0]))
    note = forces.notes[-1]
    assert np.isnan(forces.force[:, 1:]).all() and note.code == "emg.muscles-without"
    assert note.names == HILL.names[1:] and "2 of 3 muscles have no EMG" in str(note)


def test_frames_of_a_motion():
    t = np.linspace(-0.1, 1.1, 25)
    found = emg_activation(channels(soleus=lambda x: x), HILL, mvc=1.0, dynamics=None, time=t)
    inside = (t > -1e-9) & (t < 1.0 + 1e-9)
    np.testing.assert_allclose(found.activation[inside, 0], t[inside], atol=1e-12)
    assert np.isnan(found.activation[~inside]).all()


@pytest.mark.parametrize("tendon", ["rigid", "balance", "dynamics"])
def test_forces_are_those_of_the_hill_muscle(tendon):
    t = np.linspace(0.0, 1.0, 101)
    a = emg_activation(
        channels(GAS=lambda x: 0.5 - 0.4 * np.cos(9 * x)), HILL, {"gasmed": "GAS"}, mvc=1.0, time=t
    )
    length = np.tile(0.3 + 0.01 * np.sin(6 * t)[:, None], 3)
    speed = np.tile(0.06 * np.cos(6 * t)[:, None], 3)
    found = emg_forces(HILL, a, length, speed, tendon=tendon)
    act = np.full((101, 3), np.nan)
    act[:, 1] = a.activation[:, 0]
    state = {
        "rigid": lambda: rigid_tendon(HILL, length, speed, activation=act),
        "balance": lambda: equilibrium(HILL, length, speed, act),
        "dynamics": lambda: fibre_dynamics(HILL, t, length, speed, act),
    }[tendon]()
    np.testing.assert_array_equal(found.force[:, 1], state.tendon_force(act)[:, 1])
    assert found.force[:, 1].min() > 0.0
    assert list(found.to_dataframe().columns) == list(HILL.names)
    assert found.to_xarray()["force"].shape == (101, 3)
    assert a.to_dataframe().shape == (101, 1) and a.to_xarray()["neural"].dims == ("time", "muscle")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: emg_activation(channels(soleus=0.1), HILL), r"'soleus' has no MVC.*'soleus': value in V.*mvc='trial'"),
        (lambda: emg_activation(channels(soleus=0.1, tibant=0.1), HILL, mvc={"soleus": 1.0}), "'tibant' has no MVC"),
        (lambda: emg_activation(channels(soleus=0.1), HILL, mvc={"soleus": 0.0}), "above zero, however it is 0"),
        (lambda: emg_activation(channels(soleus=0.1), HILL, mvc={"soleus": "much"}), "above zero, however it is nan"),
        (lambda: emg_activation(channels(soleus=0.0), HILL, mvc="trial"), "silent"),
        (lambda: emg_activation(channels(soleus=0.1), HILL, mvc="max"), "'trial'"),
        (lambda: emg_activation(channels(soleus=0.1), HILL, mvc=channels(tibant=1.0)), "'soleus' has no MVC"),
        (lambda: emg_activation(channels(soleus=lambda t: np.sin(99 * t)), HILL, mvc=1.0), "raw.*emg_envelopes"),
        (lambda: emg_activation(channels(CH1=0.1), HILL, mvc=1.0), "called like a muscle.*'CH1'"),
        (lambda: emg_activation(channels(S=0.1), HILL, {"soleus": "X"}, mvc=1.0), "no EMG channel 'X' for muscle"),
        (lambda: emg_activation(channels(S=0.1), HILL, {"S": ["solius"]}, mvc=1.0), "'S': no muscle 'solius'"),
        (lambda: emg_activation(channels(S=0.1), HILL, {"a": "b"}, mvc=1.0), "'a' is neither a muscle nor"),
        (
            lambda: emg_activation(channels(S=0.1, T=0.1), HILL, {"S": "soleus", "T": "soleus"}, mvc=1.0),
            "'soleus' has two EMG channels",
        ),
        (lambda: emg_activation(channels(S=0.1), HILL, {}, mvc=1.0), "empty"),
        (lambda: emg_activation(channels(S=0.1), HILL, ["S"], mvc=1.0), "must map"),
        (lambda: emg_activation(channels(S=0.1), HILL, {"S": 3}, mvc=1.0), "names to names.*'S' is mapped to 3"),
        (lambda: emg_activation(channels(S=0.1), HILL, {"S": [["soleus"]]}, mvc=1.0), "names to names"),
        (lambda: emg_activation(channels(soleus=0.1), HILL, mvc=1.0, time="a"), "time must be made of real numbers"),
        (lambda: emg_activation(channels(soleus=0.1), HILL, mvc=1.0, time=0.1), r"time must have shape \(n,\)"),
        (lambda: emg_activation(channels(soleus=0.1), HILL, mvc=1.0, time=[np.nan]), "time must .* be finite"),
        (lambda: emg_activation(channels(soleus=0.1), HILL, mvc=1.0, delay="a"), "delay must be made of real numbers"),
        (lambda: emg_activation(channels(soleus=0.1), HILL, mvc=1.0, delay=[0.1]), "delay must be one finite number"),
        (lambda: emg_activation(channels(soleus=0.1), HILL, mvc=1.0, delay=-1.0), "delay must be 0 s or above"),
        (lambda: emg_activation(channels(soleus=0.1), HILL, mvc=1.0, rise_time="a"), "rise_time must be made of real"),
        (lambda: emg_activation(Channels.none(), HILL, mvc=1.0), "no EMG"),
        (lambda: emg_activation(np.zeros((3, 1)), HILL, mvc=1.0), "Channels"),
        (
            lambda: emg_forces(HILL, emg_activation(channels(soleus=0.1), HILL, mvc=1.0), np.full((3, 3), 0.3)),
            "lengths of 3 frames do not fit activations at 1001 instants",
        ),
        (
            lambda: emg_forces(HILL, emg_activation(channels(soleus=1), HILL, mvc=1), np.zeros((1, 3)), tendon="soft"),
            "tendon must be one of rigid",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(make, words):
    with pytest.raises(InputError, match=words):
        make()


def test_a_recording_from_raw_emg_to_activation(shared_data):
    """Ten channels of walking: envelopes by the recipe, divided already, on the muscles of the right leg."""
    folder = shared_data / "walk_rajagopal_emg"
    recording = ss.emg_envelopes(ss.read(folder / "emg_walk_raw.anc"))
    hill = hill_muscles(the_model(folder / "subject_walk_scaled.osim"))
    muscles = {"SOL": "soleus_r", "GAS": ["gasmed_r", "gaslat_r"], "TA": "tibant_r", "RF": "recfem_r"}
    found = emg_activation(recording.emg, hill, muscles, mvc=1.0)
    assert set(found.names) == {"soleus_r", "gasmed_r", "gaslat_r", "tibant_r", "recfem_r"}
    assert np.nanmin(found.activation) >= 0.0 and 0.8 < np.nanmax(found.activation) <= 1.0
    sol = found.names.index("soleus_r")
    lag = found.time[np.nanargmax(found.activation[:, sol])] - found.time[np.nanargmax(found.neural[:, sol])]
    assert 0.0 <= lag < 0.05  # activation follows
