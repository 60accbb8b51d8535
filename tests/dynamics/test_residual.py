"""What a motion and its forces leave for the floating base."""

from dataclasses import replace

import numpy as np
import pytest
from tests.dynamics.exact import agree
from tests.models import ROOTS, planar, walker
from tests.trials import N, about_feet, pushed, swinging

from softstride import engine
from softstride.capture import ExternalForce, Recording
from softstride.dynamics import solve_id
from softstride.dynamics.residual import base_wrench, floating_base
from softstride.kinematics import Motion
from softstride.model import ModelBuilder


def leftover(model, motion, loads, base):
    """Return the wrench that is missing, from the momentum of the whole: dh/dt - gravity - applied."""
    W = engine.momentum_rate(model, motion.q, motion.v, motion.a)
    weight = model.mass * np.asarray(model.gravity)
    W[:, 3:] -= weight
    W[:, :3] -= np.cross(engine.centre_of_mass(model, motion.q), weight)
    for wrench in loads.wrenches.values():
        W -= wrench.about()
    W[:, :3] -= np.cross(engine.positions(model, motion.q, base), W[:, 3:])
    return W


@pytest.mark.parametrize("root", ROOTS)
def test_the_residual_is_what_the_momentum_lacks(root):
    model = walker(root)
    motion = swinging(model)
    loads = solve_id(model, motion, pushed(model, motion))
    assert loads.base == "trunk"
    agree(loads.residual, leftover(model, motion, loads, "trunk"))
    assert np.allclose(loads.residual_force, np.linalg.norm(loads.residual[:, 3:], axis=1))


@pytest.mark.parametrize("root", ROOTS)
def test_a_consistent_motion_leaves_nothing(root):
    model = walker(root)
    motion = swinging(model)
    recording = pushed(model, motion)
    tau = np.random.default_rng(1).normal(scale=50.0, size=(N, model.nv))
    tau[:, :6] = 0.0
    v = motion.v
    a = engine.forward_dynamics(model, motion.q, v, tau, about_feet(model, motion, recording))
    loads = solve_id(model, Motion(model, motion.time, motion.q, rates=(v, a)), recording)
    assert loads.residual_force_peak < 1e-9 * 650.0 and loads.residual_moment_peak < 1e-9 * 650.0
    assert not loads.doubtful.any()


def test_both_roots_leave_the_same():
    """The residual is a wrench, whatever the coordinates of the root are."""
    custom, free = walker("custom"), walker("free")
    motion = swinging(custom)
    T, twist = (
        engine.poses(custom, motion.q, "trunk"),
        engine.velocities(custom, motion.q, motion.v, "trunk"),
    )
    from softstride.spatial.quaternion import matrix_to_quat

    rates = engine.accelerations(custom, motion.q, motion.v, motion.a, "trunk")
    q = np.concatenate([T[:, :3, 3], matrix_to_quat(T[:, :3, :3]), motion.q[:, 6:]], axis=1)
    v = np.concatenate([twist, motion.v[:, 6:]], axis=1)
    a = np.concatenate([rates, motion.a[:, 6:]], axis=1)
    recording = pushed(custom, motion)
    first = solve_id(custom, motion, recording)
    second = solve_id(free, Motion(free, motion.time, q, rates=(v, a)), recording)
    agree(second.residual, first.residual)
    agree(second.tau[:, 6:], first.tau[:, 6:])
    assert np.max(np.abs(first.tau[:, :6] - second.tau[:, :6])) > 1.0  # other coordinates, other numbers


def test_a_planar_base_has_the_forces_of_its_plane():
    model = planar()
    motion = swinging(model)
    loads = solve_id(model, motion)
    expected = leftover(model, motion, loads, "trunk")
    agree(loads.residual[:, 2:5], expected[:, 2:5])  # moment about z, force along x and y
    assert np.abs(loads.residual[:, [0, 1, 5]]).max() < 1e-9


def test_a_fixed_base_has_no_residual():
    builder = ModelBuilder("arm")
    builder.revolute("arm", axis=(0, 0, 1), mass=1.0, com=(0, -1, 0))
    builder.spherical("hand", parent="arm", mass=1.0, com=(0, -1, 0), inertia=(0.1, 0.1, 0.1))
    model = builder.build()
    assert floating_base(model) is None
    n = 5
    q = np.tile(model.neutral(), (n, 1))
    loads = solve_id(model, Motion(model, np.arange(n) / 10.0, q, rates=(np.ones((n, 4)), np.ones((n, 4)))))
    assert loads.base is None and not loads.residual.any() and not loads.doubtful.any()


def test_a_locked_gimbal_has_a_residual_all_the_same():
    """Tilt and heading turn about one axis and ask for opposite moments: the least-squares moment, not a huge one."""
    model = walker("custom")
    q = np.tile(model.neutral(), (3, 1))
    q[1, model.coordinate_names.index("list")] = np.pi / 2
    tau = np.ones((3, model.nv))
    tau[:, model.coordinate_names.index("heading")] = -1.0
    W, _ = base_wrench(model, "trunk", q, tau)
    assert np.allclose(W[[0, 2]], [1.0, -1.0, 1.0, 1.0, 1.0, 1.0])  # neighbours are not touched
    assert np.allclose(W[1], [1.0, 0.0, 0.0, 1.0, 1.0, 1.0])


def test_a_missing_plate_is_doubtful():
    model = walker("custom")
    q = np.tile(model.neutral(), (N, 1))
    still = np.zeros((N, model.nv))
    motion = Motion(model, np.arange(N) / 100.0, q, rates=(still, still))
    weight = model.mass * 9.80665
    feet = [engine.positions(model, q, f"foot_{side}") for side in "rl"]
    up = np.zeros((N, 3))
    up[:, 1] = 0.5 * weight
    nothing = np.zeros((N, 3))
    both = tuple(
        ExternalForce(side, motion.time, up, at, nothing, side=side)
        for side, at in zip(("right", "left"), feet, strict=True)
    )
    full = solve_id(model, motion, Recording("r", forces=both))
    assert full.residual_force_peak < 1e-9 and not full.doubtful.any()
    less = up.copy()
    less[20:30] = 0.0  # the left plate loses ten frames
    gone = (both[0], replace(both[1], force=less))
    part = solve_id(model, motion, Recording("r", forces=gone))
    assert np.array_equal(np.flatnonzero(part.doubtful), np.arange(20, 30))
    assert part.residual_force_peak == pytest.approx(0.5 * weight)
    assert any(
        "10 of 50 frames, 20 to 29" in str(note) and "too large to believe" in str(note)
        for note in part.notes
    )
