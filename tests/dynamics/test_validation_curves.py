"""Curves over the gait cycle: periodic loads fall on themselves, and events may come from anywhere."""

import numpy as np
import pytest
from tests.models import walker

from softstride.capture import Event, Recording
from softstride.dynamics import AppliedWrench, Loads
from softstride.dynamics.validation.curves import gait_cycles
from softstride.errors import InputError

RATE, PERIOD, STANCE, N = 200.0, 1.0, 0.6, 721
TIME = np.arange(N) / RATE  # 3.6 s
STRIKES = 0.25 + PERIOD * np.arange(4)


def vertical(t):
    phase = np.mod(t - STRIKES[0], PERIOD) / PERIOD
    return np.where(phase < STANCE, 800.0 * np.sin(np.pi * np.minimum(phase / STANCE, 1.0)), 0.0)


@pytest.fixture(scope="module")
def loads():
    model = walker("custom")
    force = np.stack([0.1 * vertical(TIME), vertical(TIME), 0.0 * TIME], axis=1)
    tau = np.outer(np.cos(2.0 * np.pi * (TIME - STRIKES[0])), np.arange(1.0, model.nv + 1.0))
    still = np.zeros((N, 3))
    return Loads(model, TIME, tau, wrenches={"ground_right": AppliedWrench("foot_r", force, still, still)})


def events(side="right", shift=0.0):
    found = []
    for at in STRIKES:
        found += [Event("strike", at + shift, side), Event("off", at + shift + STANCE, side)]
    return found


def test_a_cycle_of_periodic_loads(loads):
    found = gait_cycles(loads, events())
    assert np.array_equal(found.percent, np.arange(101)) and found.curves.shape == (
        3,
        101,
        3 + loads.model.nv,
    )
    assert np.allclose(found.starts, STRIKES[:3]) and np.allclose(found.ends, STRIKES[1:])
    u = found.percent / 100.0
    i = found.labels.index("ground_y")
    expected = np.where(u < STANCE, 800.0 * np.sin(np.pi * np.minimum(u / STANCE, 1.0)), 0.0)
    assert np.abs(found.mean[:, i] - expected).max() < 1e-9
    knee = found.labels.index("knee_r")
    place = 1.0 + loads.model.coordinate_names.index("knee_r")
    assert np.abs(found.mean[:, knee] - place * np.cos(2.0 * np.pi * u)).max() < 1e-9
    assert found.sd.max() < 1e-9 and (found.count == 3).all()
    assert (found.units[i], found.units[knee]) == ("N", "N m")


def test_stance(loads):
    found = gait_cycles(loads, events(), over="stance", points=51)
    u = found.percent / 100.0
    assert len(found.starts) == 3  # the fourth ends after the loads
    middle = slice(1, -1)
    assert (
        np.abs(found.band("ground_y")[1] - 800.0 * np.sin(np.pi * u))[middle].max() < 0.3
    )  # lines between samples


def test_the_spread_is_that_of_the_cycles(loads):
    grown = {"up": vertical(TIME) * (1.0 + np.floor(np.maximum(TIME - STRIKES[0], 0.0)))}
    found = gait_cycles(grown, events(), time=TIME)
    low, mean, high = found.band("up")
    base = vertical(STRIKES[0] + 0.3)
    assert mean[30] == pytest.approx(2.0 * base) and high[30] - mean[30] == pytest.approx(
        base
    )  # 1, 2, 3 times
    assert mean[30] - low[30] == pytest.approx(base)
    frame = found.to_dataframe()
    assert frame.loc[30.0, ("up", "sd")] == pytest.approx(base) and frame.shape == (101, 2)
    assert "3 cycles" in repr(found)


def test_events_from_the_loads_themselves(loads):
    found = gait_cycles(loads, threshold=20.0)
    late = STANCE / np.pi * np.arcsin(20.0 / 800.0)  # when a half sine reaches the threshold
    assert np.abs(found.starts - (STRIKES[:3] + late)).max() < 1e-4


def test_events_of_a_recording_are_those_of_its_foot(loads):
    trial = Recording("trial", events=(*events("left", 0.1), *events()))
    assert np.allclose(gait_cycles(loads, trial).starts, STRIKES[:3])
    left = gait_cycles(loads, trial, side="left")
    assert np.allclose(left.starts, STRIKES[:3] + 0.1) and np.isnan(left.band("ground_y")[1]).all()


def test_bad_input(loads):
    with pytest.raises(InputError, match="no whole cycle"):
        gait_cycles(loads, events()[:2])
    with pytest.raises(InputError, match="give events"):
        gait_cycles(loads, side="left")
    with pytest.raises(InputError, match="'right' or 'left'"):
        gait_cycles(loads, side="both")
    with pytest.raises(InputError, match="'cycle' or 'stance'"):
        gait_cycles(loads, over="swing")
    with pytest.raises(InputError, match="time="):
        gait_cycles({"up": TIME}, events())
    with pytest.raises(InputError, match="no curve 'down'"):
        gait_cycles(loads, events()).band("down")
