"""Fixed, conditional and moving points, by hand."""

import dataclasses

import numpy as np
import pytest
from tests.muscles.paths import scenes

import softstride as ss
from softstride.engine import run
from softstride.model.functions import Constant, Linear, Polynomial
from softstride.model.muscle import Ligament
from softstride.model.path import ConditionalPathPoint, MovingPathPoint, Path, PathPoint


def test_length_and_arm_of_a_straight_muscle_over_a_hinge():
    """Law of cosines: c² = a² + b² - 2ab cos(γ), and the arm is the height of the triangle."""
    a, b = 0.3, 0.1
    model = scenes.hinge([("upper", (0.0, -0.4 + a, 0.0)), ("lower", (b, 0.0, 0.0))])
    angle = np.linspace(-1.0, 1.0, 9)
    found = ss.muscle_paths(model, np.stack([np.full(9, 0.7), angle], axis=1))
    gamma = 0.5 * np.pi - angle
    c = np.sqrt(a**2 + b**2 - 2.0 * a * b * np.cos(gamma))
    assert found.length[:, 0] == pytest.approx(c, abs=1e-15)
    assert found.arms[:, 0, 1] == pytest.approx(a * b * np.sin(gamma) / c, abs=1e-15)
    assert np.all(found.arms[:, 0, 0] == 0.0)  # exactly: the upper hinge carries both ends


def test_a_conditional_point_takes_part_in_its_range_with_opensims_margin():
    via = ConditionalPathPoint("upper", (0.05, -0.3, 0.0), "via", "lower", lower=0.0, upper=0.5)
    ends = [("upper", (0.0, -0.1, 0.0)), ("lower", (0.0, -0.1, 0.0))]
    with_it, without = scenes.hinge([ends[0], via, ends[1]]), scenes.hinge(ends)
    direct = scenes.hinge([ends[0], ("upper", (0.05, -0.3, 0.0)), ends[1]])
    angles = np.array([-0.1, -1.1e-5, -0.9e-5, 0.0, 0.3, 0.5 + 0.9e-5, 0.5 + 1.1e-5])
    q = np.stack([np.zeros(7), angles], axis=1)
    used = np.array([False, False, True, True, True, True, False])
    expected = np.where(used[:, None], ss.muscle_paths(direct, q).length, ss.muscle_paths(without, q).length)
    assert np.array_equal(ss.muscle_paths(with_it, q).length, expected)


def test_a_path_without_an_end_is_noted_with_its_frames():
    """An end whose condition is not met: two points leave no path, three end at the second."""
    end = ConditionalPathPoint("lower", (0.0, -0.1, 0.0), "end", "lower", lower=0.0, upper=0.5)
    start, via = ("upper", (0.0, -0.1, 0.0)), ("upper", (0.0, -0.3, 0.0))
    q = np.stack([np.zeros(4), [0.1, 0.6, 0.7, 0.2]], axis=1)
    for points, left in (([start, end], 0.0), ([start, via, end], 0.2), ([end, via, start], 0.2)):
        found = ss.muscle_paths(scenes.hinge(points), q)
        assert found.length[1:3, 0] == pytest.approx([left, left], abs=1e-15)
        which = "last" if points[-1] is end else "first"
        (note,) = found.notes
        assert note.code == "paths.end-out-of-use" and note.names == ("m",)
        assert str(note).startswith(f"m: its {which} point is out of use")
        assert str(note).endswith("(frames 1 to 2).")
        assert ss.muscle_paths(scenes.hinge(points), q[[0, 3]]).notes == ()


def test_moving_points_add_their_own_motion_to_the_arm():
    """A point that slides along x of its link with the hinge: length by hand, arm by differences."""
    slide = Polynomial((0.03, 0.02, -0.01))
    point = MovingPathPoint(
        "lower", ("lower", slide), ("", Constant(-0.05)), ("upper", Linear(0.01, 0.02)), "p"
    )
    model = scenes.hinge([("upper", (0.0, -0.1, 0.0)), point])
    q = scenes.poses_in_range(model, 20, widest=0.8)
    found = ss.muscle_paths(model, q)
    local = np.stack([slide(q[:, 1]), np.full(20, -0.05), 0.01 * q[:, 0] + 0.02], axis=1)
    c, s = np.cos(q[:, 1]), np.sin(q[:, 1])
    at = np.stack(
        [c * local[:, 0] - s * local[:, 1], s * local[:, 0] + c * local[:, 1] - 0.4, local[:, 2]], axis=1
    )
    assert found.length[:, 0] == pytest.approx(np.linalg.norm(at - [0.0, -0.1, 0.0], axis=1), abs=1e-15)
    by_differences, arms, _ = scenes.arms_by_differences(model, q)
    assert np.abs(arms).min(axis=(0, 1)).max() > 0.0  # the upper hinge moves the point too, by its function
    assert arms == pytest.approx(by_differences, abs=1e-9)


def test_points_that_coincide_pull_in_no_direction():
    here = ("upper", (0.0, -0.1, 0.0))
    doubled = scenes.hinge([here, here, ("lower", (0.1, -0.1, 0.0))])
    single = scenes.hinge([here, ("lower", (0.1, -0.1, 0.0))])
    q = np.array([0.2, 0.4])
    a, b = ss.muscle_paths(doubled, q), ss.muscle_paths(single, q)
    assert a.length == pytest.approx(b.length, abs=1e-16)
    assert a.arms == pytest.approx(b.arms, abs=1e-16)


def test_a_path_on_one_link_has_no_arms():
    model = scenes.hinge([("lower", (0.0, 0.0, 0.0)), ("lower", (0.0, -0.2, 0.1))])
    found = ss.muscle_paths(model, np.array([[0.3, 0.4]]))
    assert found.length[0, 0] == pytest.approx(np.hypot(0.2, 0.1))
    assert np.all(found.arms == 0.0)


def test_ligaments_have_paths_too():
    path = Path((PathPoint("upper", (0.0, -0.1, 0.0)), PathPoint("lower", (0.1, 0.0, 0.0))))
    band = Ligament("band", path, 0.3, 100.0, Linear(1.0))
    model = scenes.hinge([("upper", (0.0, -0.1, 0.0)), ("lower", (0.1, 0.0, 0.0))], ligaments={"band": band})
    found = ss.muscle_paths(model, np.array([0.1, 0.2]), muscles=["band", "m"])
    assert found.names == ("band", "m")
    assert found.length[0] == found.length[1]


def test_disabled_muscles_are_left_out_unless_named():
    model = scenes.hinge([("upper", (0.0, -0.1, 0.0)), ("lower", (0.1, 0.0, 0.0))])
    off = model.replace(muscles={"m": dataclasses.replace(model.muscles["m"], enabled=False)})
    assert ss.muscle_paths(off, model.neutral()).names == ()
    assert ss.muscle_paths(off, model.neutral(), muscles="m").names == ("m",)


@pytest.mark.parametrize("threads", [1, 2])
def test_no_muscle_at_all(threads, monkeypatch):
    """Nothing to walk along is no error, and needs no threads that were started before."""
    monkeypatch.setattr(run, "_pool", None)
    model = scenes.hinge([("upper", (0.0, -0.1, 0.0)), ("lower", (0.1, 0.0, 0.0))]).replace(muscles={})
    q = np.zeros((20, 2))
    found = ss.muscle_paths(model, q, q, threads=threads)
    assert found.names == () and found.length.shape == (20, 0) and found.arms.shape == (20, 0, 2)
    assert found.speed.shape == (20, 0)
    assert dict(ss.muscle_wrenches(model, q, np.empty((20, 0)), threads=threads)) == {}
    assert ss.fit_path_surrogate(model, threads=threads).paths(q).length.shape == (20, 0)
