"""What muscles cannot make: which coordinate, whether by itself or beside others, which frames, how much."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear

import softstride as ss
from softstride.dynamics.loads_state import state_of
from softstride.notes import sentences


@pytest.fixture(scope="module")
def walk(trials):
    return trials["walk_gait2354"]


def test_the_foot_that_nothing_everts(walk):
    """gait2354 without reserves: the coordinate that is the reason is named, and it is the one that misses most."""
    got = walk.solve(reserve=0.0)
    ankle, foot = (got.coordinates.index(f"{name}_angle_l") for name in ("ankle", "subtalar"))
    worst = np.abs(got.missing).max(axis=0)
    assert worst[foot] > 2.5 * worst[ankle] > 0.0
    notes = sentences(note for note in got.notes if note.code == "sharing.moment-missing")
    assert all("is missing" in note for note in notes)
    assert any(note.startswith("subtalar_angle_l: no muscle can make its moment in") for note in notes)
    wanted = "ankle_angle_l: muscles cannot make its moment together with that of 'subtalar_angle_l' in"
    assert any(note.startswith(wanted) for note in notes)
    assert not any(note.startswith("ankle_angle_l: no muscle") for note in notes)


def test_the_least_sum_of_squares_is_missing(walk):
    """In N m, as bounded least squares of another solver find it."""
    got = walk.solve(reserve=0.0)
    state = state_of(walk.model, walk.motion, walk.loads, None)
    paths, hill = ss.muscle_paths(walk.model, state.q, state.v), ss.hill_muscles(walk.model)
    strength = ss.rigid_tendon(hill, paths.length, paths.speed).active
    columns = [walk.model.coordinate_names.index(name) for name in got.coordinates]
    for f in np.flatnonzero(~got.converged)[::7]:
        arms = (paths.arms[f][:, columns] * strength[f][:, None]).T
        best = lsq_linear(arms, got.demand[f], (hill.min_activation, np.ones(len(hill))), method="bvls")
        assert np.linalg.norm(got.missing[f]) == pytest.approx(np.sqrt(2.0 * best.cost), rel=1e-5)


def test_with_smoothness_a_moment_is_missed_where_it_is_missed_without(walk):
    """A foot without reserve: met in 44 of 73 frames, with smoothness in the same ones; the note counts the rest."""
    reserve = {"*": 1.0, "subtalar_angle_r": 0.0}
    alone, smooth = (walk.solve(reserve=reserve, smoothness=s) for s in (0.0, 0.02))
    j = smooth.coordinates.index("subtalar_angle_r")
    assert alone.converged.sum() == 44
    assert np.array_equal(alone.converged, smooth.converged)
    assert np.abs(smooth.missing[alone.converged]).max() < 1e-8
    assert np.abs(smooth.missing[:, j]).max() == pytest.approx(np.abs(alone.missing[:, j]).max(), rel=0.01)
    assert any(
        note.startswith("subtalar_angle_r: no muscle can make its moment in 29 of 73")
        for note in sentences(smooth.notes)
    )
