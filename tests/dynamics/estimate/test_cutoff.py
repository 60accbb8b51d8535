"""The low pass that a motion asks for by itself."""

import numpy as np
import pytest
from tests.dynamics.estimate.people import G, gait, still, swaying

import softstride as ss
from softstride.dynamics.estimate.cutoff import FEWEST, LOWEST, STRETCH, STRETCHES, choose_cutoff
from softstride.notes import codes


def noisy(size=0.004, n=301, seed=7):
    """Return a motion with white noise on all coordinates [rad, m]."""
    motion = swaying(n=n)
    rng = np.random.default_rng(seed)
    return ss.Motion(gait(), motion.time, motion.q + rng.normal(scale=size, size=motion.q.shape))


def test_a_smooth_motion_stays_as_it_is():
    cutoff, why = choose_cutoff(gait(), swaying(n=301))
    assert cutoff is None
    assert why.code == "loads.no-low-pass" and str(why).startswith("no low pass: ")


def test_a_noisy_motion_is_low_passed_between_its_motion_and_its_noise():
    """Motion is below 1.5 Hz (the solved legs: its second harmonic), noise goes up to 50 Hz."""
    cutoff, why = choose_cutoff(gait(), noisy())
    assert cutoff is not None
    assert LOWEST <= cutoff < 10.0
    assert f"{cutoff:.1f} Hz" in str(why) and "residual analysis" in str(why)


def test_more_noise_asks_for_no_higher_a_cutoff():
    found = [choose_cutoff(gait(), noisy(size))[0] for size in (0.0005, 0.002, 0.008)]
    assert all(a is not None for a in found)
    assert found[0] >= found[1] >= found[2]


@pytest.mark.slow
def test_a_long_motion_is_judged_by_stretches():
    """What four stretches propose is what all of it would, and the work does not grow with the motion."""
    long = noisy(n=2 * STRETCH * STRETCHES)
    part = ss.Motion(gait(), long.time[: STRETCH * STRETCHES], long.q[: STRETCH * STRETCHES])
    found, whole = choose_cutoff(gait(), long)[0], choose_cutoff(gait(), part)[0]
    assert found == pytest.approx(whole, rel=0.05)


def test_it_is_the_same_each_time():
    assert choose_cutoff(gait(), noisy()) == choose_cutoff(gait(), noisy())


@pytest.mark.parametrize("n", [1, 2, FEWEST - 1])
def test_few_frames(n):
    assert choose_cutoff(gait(), still(gait(), n=n))[0] is None


def test_nothing_moves():
    cutoff, why = choose_cutoff(gait(), still(gait(), n=60))
    assert cutoff is None
    assert "nothing moves" in str(why)


def test_estimates_filter_what_is_noisy_and_say_so():
    """The estimate of a noisy motion with its own low pass is nearer to that of the clean motion than without."""
    clean = ss.estimate_loads(gait(), swaying(n=301))
    assert "loads.no-low-pass" in codes(clean.notes)
    motion = noisy(0.0005)
    auto, raw = ss.estimate_loads(gait(), motion), ss.estimate_loads(gait(), motion, lowpass=None)
    assert any("residual analysis" in str(note) for note in auto.notes)
    assert not any("low pass" in str(note) for note in raw.notes)
    inner, truth = slice(30, -30), vertical(clean)
    error = [np.sqrt(np.mean((vertical(each) - truth)[inner] ** 2)) for each in (auto, raw)]
    assert error[0] < 0.1 * 75.0 * G
    assert error[0] < 0.3 * error[1]


def test_a_cutoff_that_is_given():
    loads = ss.estimate_loads(gait(), noisy(), lowpass=6.0)
    assert "coordinates were low-passed at 6 Hz" in map(str, loads.notes)
    by_hand = ss.solve_id(gait(), noisy(), lowpass=6.0)  # the same low pass as that of inverse dynamics
    arms = [k for k, name in enumerate(gait().coordinate_names) if name.startswith(("arm", "elbow", "wrist"))]
    np.testing.assert_allclose(loads.tau[:, arms], by_hand.tau[:, arms], rtol=0, atol=1e-9)


def vertical(loads):
    return sum(w.force[:, 1] for w in loads.wrenches.values())
