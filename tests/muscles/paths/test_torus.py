"""Paths through a ring: touched once or twice, never entered without a note."""

import numpy as np
import pytest
from tests.muscles.paths import scenes

import softstride as ss
from softstride.engine import paths
from softstride.engine.kernels import path_tables as p
from softstride.engine.path_plan import path_plan
from softstride.model.path import WrapTorus
from softstride.muscles.paths.names import named_paths
from softstride.spatial.quaternion import quat_to_matrix

START, END = np.array([-0.1, 0.0, 0.015]), np.array([0.1, 0.0, -0.015])


def test_a_path_down_on_one_side_and_up_on_the_other_by_hand():
    """In a plane of the axis: tangent, arc over the left of two circles, their inner tangent, arc, tangent.

    A single geodesic would have to run along the inner side of the ring, which is hollow there.
    """
    tube, ring = 0.01, 0.03
    model = scenes.over(WrapTorus("body", inner=tube, outer=ring), START, END)
    found = ss.muscle_paths(model, model.neutral())
    x, z = START[0] + ring, START[2]
    far = np.hypot(x, z)
    meets = np.arctan2(z, x) - np.arccos(tube / far)
    leaves = 0.5 * np.pi - np.arcsin(tube / ring)
    assert meets > leaves
    half = np.sqrt(far**2 - tube**2) + tube * (meets - leaves) + np.sqrt(ring**2 - tube**2)
    assert found.length[0] == pytest.approx(2.0 * half, abs=1e-12)
    assert found.notes == ()
    line = ss.path_points(model, model.neutral(), "m", arc_points=400)
    assert np.linalg.norm(np.diff(line, axis=0), axis=1).sum() == pytest.approx(2.0 * half, rel=1e-5)
    assert np.abs(line[:, 1]).max() < 1e-9 and np.linalg.norm(line, axis=1).min() < 2e-4  # through the middle


def test_arms_of_a_path_that_touches_twice_are_derivatives_of_length():
    model = scenes.over(WrapTorus("body", inner=0.01, outer=0.03), START, END)
    d = np.random.default_rng(0).uniform(-1.0, 1.0, (40, 6)) * np.array([*[0.05] * 3, *[0.002] * 3])
    q = ss.integrate(model, scenes.at_rest(model, 40), d, 1.0)
    by_differences, arms, found = scenes.arms_by_differences(model, q)
    assert found.notes == ()
    assert np.abs(by_differences - arms).max() < 1e-6


def test_a_second_touch_comes_and_goes_without_a_jump():
    """The ring tilts until the path touches it twice, and back: length and arms follow, the same way back."""
    model = scenes.over(WrapTorus("body", inner=0.01, outer=0.03), (-0.02, 0.0, 0.1), (0.025, 0.01, -0.1))
    angle = np.concatenate([np.linspace(0.0, 1.4, 400), np.linspace(1.4, 0.0, 400)])
    d = np.zeros((800, 6))
    d[:, 1] = angle
    q = ss.integrate(model, scenes.at_rest(model, 800), d, 1.0)
    found = ss.muscle_paths(model, q)
    lines = ss.path_points(model, q, "m", arc_points=0)
    assert found.notes == () and len(lines[399]) == 4
    assert np.abs(np.diff(found.length, axis=0)).max() < 2e-4
    assert np.abs(np.diff(found.arms[:, 0, 3:], axis=0)).max() < 0.02
    assert found.length[:400] == pytest.approx(found.length[400:][::-1], abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("tube", "most"), [(0.01, 0.01), (0.015, 0.03), (0.02, 0.06)])
def test_what_runs_through_a_ring_says_so(tube, most):
    """Random poses: a path is in the tube if and only if it is marked; few are that have ends on both sides."""
    ring = 0.03
    start, end = (-0.09, 0.0, 0.0), (0.11, 0.0, 0.01)
    model = scenes.over(WrapTorus("body", inner=tube, outer=ring), start, end)
    q = scenes.random_poses(300, 0.01, seed=11)
    plan = path_plan(model, named_paths(model, ["m"]))
    status = np.concatenate([piece.status for piece in paths.walk(model, plan, q)])[:, 0]
    marked = (status & p.THROUGH) > 0
    deep = np.zeros(len(q))
    for f, (line, T) in enumerate(
        zip(ss.path_points(model, q, "m", arc_points=60), ss.poses(model, q, "body"), strict=True)
    ):
        share = np.linspace(0.0, 1.0, 4000)[:, None]
        ends = [line[i] + share * (line[i + 1] - line[i]) for i in (0, -2)]
        x = (np.concatenate([line, *ends]) - T[:3, 3]) @ T[:3, :3]
        deep[f] = (tube - np.hypot(np.hypot(x[:, 0], x[:, 1]) - ring, x[:, 2])).max()
    assert deep[marked].min() > 1e-6 * tube and deep[~marked].max() < 1e-6 * tube
    first, last = (
        np.einsum("fj,fj->f", quat_to_matrix(q[:, 3:])[:, :, 2], x - q[:, :3]) for x in (start, end)
    )
    opposite = first * last < 0.0
    assert marked[opposite].mean() < most
    notes = ss.muscle_paths(model, q).notes
    assert any(
        note.code == "paths.through-surface"
        and str(note).startswith("m: the path runs straight through 's', since no way over it")
        for note in notes
    )
