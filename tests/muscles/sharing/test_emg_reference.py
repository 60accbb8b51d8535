"""EMG as a reference: activations are drawn to it, moments are met all the same."""

import numpy as np
import pytest
from tests.muscles.sharing.made import arm, at_rest

import softstride as ss
from softstride.capture import Channels
from softstride.errors import InputError
from softstride.muscles import emg_activation, hill_muscles
from softstride.notes import sentences

MODEL = arm()
MOTION, LOADS = at_rest(MODEL)
WAVE = 0.5 + 0.3 * np.sin(8.0 * MOTION.time)


def channels(rate=1000.0, **columns):
    time = np.arange(-0.2, 0.9, 1.0 / rate)
    values = np.stack([make(time) for make in columns.values()], axis=1)
    return Channels(time, tuple(columns), values, ("",) * len(columns))


def test_activations_are_drawn_to_it_and_moments_are_met():
    plain = ss.solve_muscles(MODEL, MOTION, LOADS)
    far = []
    for weight in (0.1, 1.0, 10.0, 100.0):
        got = ss.solve_muscles(MODEL, MOTION, LOADS, {"back": WAVE, "outer": WAVE}, emg_weight=weight)
        assert got.converged.all()
        made = np.einsum("fmv,fm->fv", ss.muscle_paths(MODEL, MOTION.q).arms, got.force) + got.reserve
        assert np.abs(made - LOADS.tau).max() < 1e-9
        far.append(np.abs(got.activation[:, [1, 3]] - WAVE[:, None]).mean())
    assert (np.diff(far) < 0.0).all() and far[-1] < 0.1
    assert far[0] < np.abs(plain.activation[:, [1, 3]] - WAVE[:, None]).mean()
    assert "EMG is the reference of 2 of 7 muscles, in 60 of 60 frames" in sentences(got.notes)
    assert np.array_equal(
        plain.force, ss.solve_muscles(MODEL, MOTION, LOADS, {"back": WAVE}, emg_weight=0.0).force
    )


def test_weights_of_emg_by_muscle():
    """One number for each: the same as one for all where they agree; a muscle with none is as without EMG."""
    emg = {"back": WAVE, "outer": WAVE}
    same = ss.solve_muscles(MODEL, MOTION, LOADS, emg, emg_weight={"back": 10.0, "outer": 10.0})
    assert np.array_equal(same.force, ss.solve_muscles(MODEL, MOTION, LOADS, emg, emg_weight=10.0).force)
    only = ss.solve_muscles(MODEL, MOTION, LOADS, emg, emg_weight={"outer": 0.0, "back": 10.0})
    alone = ss.solve_muscles(MODEL, MOTION, LOADS, {"back": WAVE}, emg_weight=10.0)
    assert np.allclose(only.force, alone.force, rtol=1e-9)
    half = ss.solve_muscles(MODEL, MOTION, LOADS, emg, emg_weight={"back": 1000.0})
    far = np.abs(half.activation[:, [1, 3]] - WAVE[:, None]).mean(axis=0)
    assert far[0] < 0.1 * far[1], "1 for others"
    with pytest.raises(InputError, match="emg_weight of 'biceps': no such muscle takes part"):
        ss.solve_muscles(MODEL, MOTION, LOADS, emg, emg_weight={"biceps": 1.0})


def test_a_muscle_whose_effort_costs_nothing_needs_emg():
    emg = {"back": WAVE}
    free = ss.solve_muscles(MODEL, MOTION, LOADS, emg, weights={"back": 0.0}, emg_weight=10.0)
    assert free.converged.all()
    some = {"back": np.where(np.arange(60) < 30, WAVE, np.nan)}
    for given, options in ((None, {}), (some, {}), (emg, {"emg_weight": 0.0})):
        with pytest.raises(
            InputError, match="weights of 'back' must be above 0, however it is 0 and EMG does not"
        ):
            ss.solve_muscles(MODEL, MOTION, LOADS, given, weights={"back": 0.0}, **options)


def test_frames_without_emg_are_as_without():
    some = np.where(np.arange(60) < 30, WAVE, np.nan)
    got = ss.solve_muscles(MODEL, MOTION, LOADS, {"back": some}, emg_weight=10.0)
    plain = ss.solve_muscles(MODEL, MOTION, LOADS)
    assert np.array_equal(got.force[30:], plain.force[30:]) and not np.allclose(
        got.force[:30], plain.force[:30]
    )
    (note,) = (note for note in got.notes if note.code == "emg.is-reference")
    assert note.values["frames"] == 30 and "in 30 of 60 frames" in str(note)


@pytest.mark.parametrize("effort", ["activation", "force"])
def test_the_effort_does_not_matter_where_emg_rules(effort):
    got = ss.solve_muscles(MODEL, MOTION, LOADS, {"back": WAVE}, emg_weight=1e6, effort=effort, reserve=10.0)
    assert np.abs(got.activation[:, 1] - WAVE).max() < 1e-3


def test_channels_become_activations():
    """The same as doing it by hand, dynamics, MVC and all."""
    emg = channels(BACK=lambda t: 2.0 + np.sin(5.0 * t), noise=lambda t: 0.1 + 0.0 * t)
    options = {"emg_muscles": {"back": "BACK"}, "mvc": {"BACK": 4.0}, "emg_delay": 0.03}
    got = ss.solve_muscles(MODEL, MOTION, LOADS, emg, **options)
    by_hand = emg_activation(emg, hill_muscles(MODEL), {"back": "BACK"}, mvc={"BACK": 4.0}, delay=0.03)
    same = ss.solve_muscles(MODEL, MOTION, LOADS, by_hand)
    assert np.allclose(got.force, same.force, atol=1e-6)
    assert "EMG was delayed by 30 ms" in sentences(got.notes)
    assert [note.names for note in got.notes if note.code == "emg.channels-unused"] == [("noise",)]
    named = channels(back=lambda t: 0.5 + 0.0 * t)
    settled = ss.solve_muscles(MODEL, MOTION, LOADS, named, mvc=1.0, emg_weight=1e6)
    assert np.allclose(settled.activation[:, 1], 0.5, atol=1e-3)


def test_no_channels_at_all_are_no_reference():
    plain = ss.solve_muscles(MODEL, MOTION, LOADS)
    assert np.array_equal(ss.solve_muscles(MODEL, MOTION, LOADS, Channels.none()).force, plain.force)


@pytest.mark.parametrize(
    ("emg", "words"),
    [
        ({"biceps": WAVE}, "EMG of 'biceps': no such muscle"),
        (
            {"back": WAVE[:50]},
            r"one activation for each of 60 frames of the loads, however its shape is \(50,\)",
        ),
        ({"back": 40.0 * WAVE}, "runs from .* to .*, however an activation lies between 0 and 1"),
        ({"back": WAVE - 0.6}, "maximal voluntary contraction"),
        ({"back": "loud"}, "made of numbers"),
        ({"back": np.full(60, np.nan)}, "says nothing of any frame"),
        (channels(BACK=lambda t: 1.0 + 0.0 * t), "no EMG channel is called like a muscle"),
        (channels(back=lambda t: 1.0 + 0.0 * t), "'back' has no MVC"),
        (3.0, "emg must be"),
    ],
)
def test_bad_emg_is_refused(emg, words):
    with pytest.raises(InputError, match=words):
        ss.solve_muscles(MODEL, MOTION, LOADS, emg)
