"""Motions with the feet held: forces of the ground against the motion of the centre of mass, and invariances."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.dynamics.estimate.people import G, column, gait, plain, still, swaying, total
from tests.models import walker

import softstride as ss
from softstride.dynamics.estimate import solve

W = 75.0 * G


def com_force(motion):
    """Return m (a - g) [N] of the inner frames, accelerations by differences of the centre of mass of fourth order."""
    com = ss.centre_of_mass(motion.model, motion.q)
    h = float(motion.time[1] - motion.time[0])
    second = (-com[4:] + 16 * com[3:-1] - 30 * com[2:-2] + 16 * com[1:-3] - com[:-4]) / (12 * h * h)
    return motion.model.mass * (second - motion.model.gravity)


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("smoothness", [None, 30.0])
def test_force_is_that_of_the_centre_of_mass(symmetric, smoothness):
    """Squat and sway: all three components, by nothing but the positions of the centre of mass."""
    motion = swaying(symmetric=symmetric)
    loads = ss.estimate_loads(gait(), motion, smoothness=smoothness)
    inner = slice(10, -10)
    found, expected = total(loads)[2:-2][inner], com_force(motion)[inner]
    assert np.ptp(expected[:, 1]) > 0.1 * W
    assert np.abs(found - expected)[:, 1].max() < 5e-3 * W
    assert np.abs(found - expected)[:, [0, 2]].max() < 1.5e-2 * W
    assert not loads.doubtful.any()
    if symmetric:
        right, left = (loads.wrenches[f"ground_{side}"].force for side in ("right", "left"))
        np.testing.assert_allclose(right * [1, 1, -1], left, atol=1e-5 * W)


def test_torques_hold_the_motion():
    """Forward dynamics under torques, residual and ground reaction gives the accelerations back."""
    motion = swaying()
    loads = ss.estimate_loads(gait(), motion, lowpass=None)
    at = slice(30, 34)
    q = motion.q[at]
    outside = {}
    for wrench in loads.wrenches.values():
        origin = ss.poses(gait(), q, wrench.link)[:, :3, 3]
        moment = wrench.moment[at] + np.cross(wrench.point[at] - origin, wrench.force[at])
        outside[wrench.link] = np.concatenate([moment, wrench.force[at]], axis=1)
    tau = loads.tau[at] + ss.generalized_forces(gait(), q, outside)
    a = np.linalg.solve(ss.mass_matrix(gait(), q), (tau - ss.bias(gait(), q, motion.v[at]))[..., None])[
        ..., 0
    ]
    np.testing.assert_allclose(a, motion.a[at], rtol=0, atol=1e-7 * np.abs(motion.a[at]).max())


# invariances


def moved(motion, **shifts):
    """Return the motion with coordinates shifted by constants; its rates are what they were."""
    q = motion.q.copy()
    for name, value in shifts.items():
        q[:, column(motion.model, name)] += value
    return ss.Motion(motion.model, motion.time, q, rates=(motion.v, motion.a))


def test_somewhere_else_on_the_floor():
    motion = swaying()
    here = ss.estimate_loads(gait(), motion)
    there = ss.estimate_loads(gait(), moved(motion, pelvis_tx=3.0, pelvis_tz=-2.0))
    for name, wrench in here.wrenches.items():
        other = there.wrenches[name]
        np.testing.assert_allclose(other.force, wrench.force, rtol=0, atol=1e-6 * W)
        np.testing.assert_allclose(other.point, wrench.point + np.array([3.0, 0.0, -2.0]), rtol=0, atol=1e-6)
        np.testing.assert_allclose(other.moment, wrench.moment, rtol=0, atol=1e-6 * W)


def free_motion(n=60):
    """Return a person on a free joint who stands and sways a little, rates exact: all turn about one axis."""
    model = walker("free")
    t = np.arange(n) / 100.0
    q = np.tile(model.neutral(), (n, 1))
    v, a = np.zeros((n, model.nv)), np.zeros((n, model.nv))
    for k, name in enumerate(model.coordinate_names):
        if k < 6:
            continue
        size, omega = 0.02, 4.0 + 0.3 * k
        q[:, k + 1] += size * np.sin(omega * t)
        v[:, k], a[:, k] = size * omega * np.cos(omega * t), -size * omega**2 * np.sin(omega * t)
        assert name in model.coordinate_names
    return ss.Motion(model, t, q, rates=(v, a))


@pytest.mark.parametrize("angle", [0.7, 2.5])
def test_in_another_direction(angle):
    """The whole motion turned about the vertical turns forces, places and moments; body rates stay as they are."""
    motion = free_motion()
    model = motion.model
    turn = Rotation.from_rotvec([0.0, angle, 0.0])
    q = motion.q.copy()
    q[:, :3] = turn.apply(q[:, :3])
    q[:, 3:7] = (turn * Rotation.from_quat(q[:, 3:7])).as_quat()
    turned = ss.Motion(model, motion.time, q, rates=(motion.v, motion.a))
    weight = model.mass * G
    one, other = (ss.estimate_loads(model, each, lowpass=None) for each in (motion, turned))
    assert np.abs(total(one)[:, 1]).max() > 0.5 * weight
    for name, wrench in one.wrenches.items():
        np.testing.assert_allclose(
            other.wrenches[name].force, turn.apply(np.array(wrench.force)), rtol=0, atol=1e-6 * weight
        )
        loaded = np.isfinite(wrench.point).all(axis=1) & (wrench.force[:, 1] > 0.01 * weight)
        assert loaded.any()
        np.testing.assert_allclose(
            other.wrenches[name].point[loaded], turn.apply(wrench.point[loaded]), rtol=0, atol=1e-5
        )
    np.testing.assert_allclose(other.tau[:, 6:], one.tau[:, 6:], rtol=0, atol=1e-6 * np.abs(one.tau).max())


FLIPPED = ("pelvis_list", "pelvis_rotation", "pelvis_tz", "lumbar_bending", "lumbar_rotation")


def test_mirror_image():
    """Right becomes left: forces, places and torques swap."""
    motion = swaying()
    model, names = gait(), gait().coordinate_names
    swap = {"_r": "_l", "_l": "_r"}
    order = [
        names.index(name[:-2] + swap[name[-2:]]) if name[-2:] in swap else k for k, name in enumerate(names)
    ]
    sign = np.array([-1.0 if name in FLIPPED else 1.0 for name in names])

    def mirrored(x):
        return x[:, order] * sign

    other = ss.Motion(model, motion.time, mirrored(motion.q), rates=(mirrored(motion.v), mirrored(motion.a)))
    one, two = ss.estimate_loads(model, motion), ss.estimate_loads(model, other)
    for a, b in (("ground_right", "ground_left"), ("ground_left", "ground_right")):
        np.testing.assert_allclose(
            two.wrenches[a].force, one.wrenches[b].force * [1, 1, -1], rtol=0, atol=1e-6 * W
        )
        np.testing.assert_allclose(two.wrenches[a].point, one.wrenches[b].point * [1, 1, -1], atol=1e-5)
        np.testing.assert_allclose(
            two.wrenches[a].moment, -one.wrenches[b].moment * [1, 1, -1], rtol=0, atol=1e-6 * W
        )
    np.testing.assert_allclose(two.tau, mirrored(one.tau), rtol=0, atol=1e-6 * np.abs(one.tau).max())
    assert np.abs(one.wrenches["ground_right"].force - two.wrenches["ground_right"].force).max() > 0.01 * W


@pytest.mark.parametrize("smoothness", [None, 30.0])
def test_threads_change_no_bit(smoothness):
    motion = swaying(n=300)
    one = ss.estimate_loads(gait(), motion, smoothness=smoothness, threads=1)
    two = ss.estimate_loads(gait(), motion, smoothness=smoothness, threads=2)
    assert np.array_equal(one.ground.force, two.ground.force)
    assert np.array_equal(one.tau, two.tau)


@pytest.mark.slow
def test_windows_agree_with_one(monkeypatch):
    motion = swaying(n=450)
    tight = {"tolerance": 1e-9}
    whole = ss.estimate_loads(gait(), motion, **tight)
    monkeypatch.setattr(solve, "WINDOW", 150)
    monkeypatch.setattr(solve, "BLOCK", 7)
    cut = ss.estimate_loads(gait(), motion, **tight)
    assert np.abs(cut.ground.force - whole.ground.force).max() < 1e-6 * W
    alone = ss.estimate_loads(gait(), motion, smoothness=None, **tight)
    assert (
        np.abs(alone.ground.force - whole.ground.force).max() > 1e-6 * W
    )  # the term that windows cut does something


@pytest.mark.parametrize("n", [1, 5, 149, 150, 151, 1000, 4097])
def test_windows_settle_each_frame_once(n):
    windows = solve._windows(n, 150, 50)
    settled = [frame for _, _, first, last in windows for frame in range(first, last)]
    assert settled == list(range(n))
    for start, stop, first, last in windows:
        assert 0 <= start <= first < last <= stop <= n and stop - start <= 150 + 100
        assert (start == 0 or first - start == 50) and (stop == n or stop - last == 50)
    assert all(a[3] == b[2] for a, b in pairwise(windows))


def test_half_the_rate():
    """Forces are those of the motion, not of its sampling."""
    motion = swaying()
    half = ss.Motion(gait(), motion.time[::2], motion.q[::2])
    full, less = ss.estimate_loads(gait(), motion), ss.estimate_loads(gait(), half)
    inner = slice(5, -5)
    for name, wrench in full.wrenches.items():
        assert np.abs(wrench.force[::2] - less.wrenches[name].force)[inner].max() < 5e-3 * W
        loaded = wrench.force[::2, 1] > 0.05 * W
        loaded[:5] = loaded[-5:] = False
        assert loaded.any() and np.abs(wrench.point[::2] - less.wrenches[name].point)[loaded].max() < 2e-3


def test_smoothness_takes_jitter_out_of_forces():
    """Accelerations with noise: changes of the forces from frame to frame are smaller than without the term."""
    motion = swaying()
    rng = np.random.default_rng(4)
    noisy = ss.Motion(
        gait(), motion.time, motion.q, rates=(motion.v, motion.a + rng.normal(scale=0.5, size=motion.a.shape))
    )
    jitter = []
    for smoothness in (None, 10.0):
        loads = ss.estimate_loads(gait(), noisy, lowpass=None, smoothness=smoothness)
        jitter.append(np.abs(np.diff(total(loads), 2, axis=0)).mean())
        assert loads.ground.converged.all()
    assert jitter[1] < 0.3 * jitter[0]


def test_one_frame():
    for model in (gait(), plain()):
        loads = ss.estimate_loads(model, still(model, n=1))
        assert total(loads)[0, 1] == pytest.approx(model.mass * G, rel=1e-3)
        assert len(loads) == 1
