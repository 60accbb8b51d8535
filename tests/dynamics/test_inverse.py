"""Inverse dynamics gives back the forces that made a motion, and says what is left over."""

from dataclasses import replace

import numpy as np
import pytest
from tests.dynamics.motions import N, about_feet, pushed, swinging, walker

from softstride import engine
from softstride.capture import ExternalForce, Recording
from softstride.dynamics import IdOptions, solve_id
from softstride.dynamics.residual import base_wrench, floating_base
from softstride.errors import InputError, ModelError
from softstride.kinematics import Motion
from softstride.model import Axis, Frame, Free, ModelBuilder, amputate, attach_blade, load_model

EXACT = 1e-9  # of the largest number in the comparison

ROOTS = ["free", "custom"]


def agree(found, expected, tolerance=EXACT):
    scale = np.max(np.abs(expected))
    assert found.shape == expected.shape
    assert np.max(np.abs(found - expected)) < tolerance * scale


@pytest.fixture(scope="module")
def athlete():
    return attach_blade(amputate(load_model("human"), "right", below_knee=0.15), "right", "c-medium")


# the forces


@pytest.mark.parametrize("root", ROOTS)
def test_tau_is_that_which_made_the_motion(root):
    """Accelerations come from forward dynamics under known forces; inverse dynamics returns these."""
    model = walker(root)
    motion = swinging(model)
    recording = pushed(model, motion)
    tau = np.random.default_rng(1).normal(scale=50.0, size=(N, model.nv))
    v = motion.v
    a = engine.forward_dynamics(model, motion.q, v, tau, about_feet(model, motion, recording))
    loads = solve_id(model, Motion(model, motion.time, motion.q, rates=(v, a)), recording)
    agree(loads.tau, tau)
    assert loads.notes == () or all("too large" in note for note in loads.notes)


@pytest.mark.parametrize("root", ROOTS)
def test_tau_is_mass_times_acceleration_plus_bias_less_forces(root):
    """The parts one by one: mass matrix, bias, and point Jacobians instead of wrenches on links."""
    model = walker(root)
    motion = swinging(model)
    recording = pushed(model, motion)
    expected = np.einsum("nij,nj->ni", engine.mass_matrix(model, motion.q), motion.a)
    expected += engine.bias(model, motion.q, motion.v)
    for force in recording.forces:
        link = f"foot_{force.side[0]}"
        T = engine.poses(model, motion.q, link)
        J = engine.jacobian(model, motion.q, link)
        R = T[:, :3, :3]
        arm = force.point - T[:, :3, 3]
        turning = np.einsum("nij,njk->nik", R, J[:, :3])
        moving = np.einsum("nij,njk->nik", R, J[:, 3:]) - np.cross(arm[:, :, None], turning, axis=1)
        expected -= np.einsum("nij,ni->nj", moving, force.force)
        expected -= np.einsum("nij,ni->nj", turning, force.moment)
    agree(solve_id(model, motion, recording).tau, expected)


def test_rates_of_the_curve_come_close_to_the_truth():
    model = walker("custom")
    truth = swinging(model, n=400, rate=400.0)
    recording = pushed(model, truth)
    loads = solve_id(model, Motion(model, truth.time, truth.q), recording)
    inside = slice(40, -40)
    agree(loads.tau[inside], solve_id(model, truth, recording).tau[inside], 1e-6)


def test_without_a_recording_nothing_acts():
    model = walker("custom")
    motion = swinging(model)
    loads = solve_id(model, motion)
    assert np.array_equal(loads.tau, engine.inverse_dynamics(model, motion.q, motion.v, motion.a))
    assert len(loads.wrenches) == 0 and loads.known.all()


def test_what_was_applied_is_in_the_result():
    model = walker("custom")
    motion = swinging(model)
    recording = pushed(model, motion)
    loads = solve_id(model, motion, recording)
    assert list(loads.wrenches) == ["plate right", "plate left"]
    for force, wrench in zip(recording.forces, loads.wrenches.values(), strict=True):
        assert wrench.link == f"foot_{force.side[0]}"
        for name in ("force", "point", "moment"):
            assert np.array_equal(getattr(wrench, name), getattr(force, name))
        assert np.allclose(wrench.about(), force.wrench(), atol=1e-10)


# the base


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


def planar():
    builder = ModelBuilder("planar")
    builder.custom(
        "trunk",
        rotations=(Axis.along((0, 0, 1), "tilt"), Axis((1, 0, 0)), Axis((0, 1, 0))),
        translations=(Axis.along((1, 0, 0), "tx"), Axis.along((0, 1, 0), "ty"), Axis((0, 0, 1))),
        mass=30.0,
        com=(0, 0.2, 0),
        inertia=(1, 1, 1),
    )
    builder.revolute(
        "foot_r", parent="trunk", axis=(0, 0, 1), position=(0, -0.9, 0), mass=2.0, com=(0.1, 0, 0)
    )
    return builder.build()


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
    assert any("10 of 50 frames, 20 to 29" in note and "too large to believe" in note for note in part.notes)


# rods and sockets


def test_the_socket_against_a_free_joint_in_its_place(athlete):
    """What an inserted joint of six coordinates has to transmit is what the stump gives the socket."""
    motion = swinging_athlete(athlete)
    recording = under_blade(athlete, motion)
    loads = solve_id(athlete, motion, recording)
    found = loads.socket["socket_r"]
    links = tuple(replace(link, joint=Free()) if link.name == "socket_r" else link for link in athlete.links)
    opened = athlete.replace(links=links)
    at_q, at_v = opened.q_slice("socket_r"), opened.v_slice("socket_r")
    q = np.insert(motion.q, [at_q.start] * 7, np.zeros(7), axis=1)
    q[:, at_q.stop - 1] = 1.0
    v, a = (np.insert(x, [at_v.start] * 6, np.zeros(6), axis=1) for x in (motion.v, motion.a))
    wrench = loads.wrenches["plate"]
    tip = engine.positions(opened, q, "blade_r")
    tau = engine.inverse_dynamics(opened, q, v, a, {"blade_r": wrench.about(tip)})
    body = tau[:, at_v].reshape(-1, 2, 3)  # of the stump on the socket, in the axes of the socket
    R = engine.poses(opened, q, "socket_r")[:, :3, :3]
    expected = -np.einsum("nij,nkj->nki", R, body).reshape(-1, 6)
    agree(found.values, expected)
    assert (found.link, found.source) == ("tibia_r", "socket_r")
    assert np.allclose(found.point, engine.positions(athlete, motion.q, "socket_r"))


def test_the_socket_of_somebody_who_stands(athlete):
    """By hand: the stump carries the force under the blade less the weight of the prosthesis."""
    n = 6
    q = np.tile(athlete.neutral(), (n, 1))
    still = np.zeros((n, athlete.nv))
    motion = Motion(athlete, np.arange(n) / 10.0, q, rates=(still, still))
    point = engine.positions(athlete, q, "blade_r")
    force = np.tile([0.0, 400.0, 0.0], (n, 1))
    recording = Recording(
        "r", forces=(ExternalForce("p", motion.time, force, point, 0 * force, side="right"),)
    )
    found = solve_id(athlete, motion, recording).socket["socket_r"]
    parts = ("socket_r", "clamp_r", "blade_r")
    mass = sum(athlete.link(name).mass for name in parts)
    assert 1.0 < mass < 4.0
    assert np.allclose(found.force, [0.0, 400.0 - 9.80665 * mass, 0.0], atol=1e-9)
    light = solve_id(athlete, motion).socket["socket_r"]
    change = np.cross(point - found.point, force)
    assert np.allclose(found.moment - light.moment, change, atol=1e-9)


def test_sockets_can_be_named():
    model = walker("custom")
    motion = swinging(model)
    loads = solve_id(model, motion, pushed(model, motion), sockets=["foot_l"])
    assert list(loads.socket) == ["foot_l"] and loads.socket["foot_l"].link == "shank_l"
    recording = pushed(model, motion)
    only = solve_id(model, motion, recording.replace(forces=recording.forces[1:]), sockets=["foot_l"])
    assert np.allclose(
        loads.socket["foot_l"].values, only.socket["foot_l"].values, atol=1e-9
    )  # its own plate alone
    with pytest.raises(InputError, match="socket 'tail' is no link of 'walker'"):
        solve_id(model, motion, sockets=["tail"])
    with pytest.raises(InputError, match="hangs on the world"):
        solve_id(model, motion, sockets=["trunk"])
    assert len(solve_id(model, motion).socket) == 0


def swinging_athlete(model, n=20):
    rng = np.random.default_rng(8)
    q0 = np.tile(model.neutral(), (n, 1))
    q = engine.integrate(model, q0, 0.1 * rng.normal(size=(n, model.nv)))
    v, a = rng.normal(size=(2, n, model.nv))
    return Motion(model, np.arange(n) / 100.0, q, rates=(v, a))


def under_blade(model, motion, at=None):
    place = Frame("blade_r") if at is None else Frame("blade_r", at=at)
    rng = np.random.default_rng(9)
    n = len(motion)
    point = engine.positions(model, motion.q, place)
    force = rng.normal(scale=100.0, size=(n, 3))
    plate = ExternalForce("plate", motion.time, force, point, rng.normal(size=(n, 3)), side="right")
    return Recording("r", forces=(plate,))


@pytest.mark.parametrize("share", [0.25, 0.5, 1.0])
def test_a_load_on_a_blade_acts_on_its_section(athlete, share):
    """A load bends the blade only up to its section; to the rest of the body it is the same wrench."""
    motion = swinging_athlete(athlete)
    at = share * athlete.link("blade_r").joint.length
    recording = under_blade(athlete, motion, at)
    loads = solve_id(athlete, motion, recording)
    force = recording.forces[0]
    wrench = np.concatenate([force.moment, force.force], axis=1)
    expected = engine.inverse_dynamics(
        athlete, motion.q, motion.v, motion.a, {Frame("blade_r", at=at): wrench}
    )
    agree(loads.tau, expected, 1e-8)
    tip = engine.inverse_dynamics(
        athlete, motion.q, motion.v, motion.a, {"blade_r": force_at_tip(athlete, motion, force)}
    )
    strains = [i for i, name in enumerate(athlete.coordinate_names) if name.startswith("blade_r.")]
    others = [i for i in range(athlete.nv) if i not in strains]
    agree(loads.tau[:, others], tip[:, others], 1e-8)
    if share < 1.0:
        assert np.max(np.abs(loads.tau[:, strains] - tip[:, strains])) > 1e-2


def force_at_tip(model, motion, force):
    arm = force.point - engine.positions(model, motion.q, "blade_r")
    return np.concatenate([force.moment + np.cross(arm, force.force), force.force], axis=1)


def test_elastic_forces_are_apart(athlete):
    motion = swinging_athlete(athlete)
    loads = solve_id(athlete, motion, under_blade(athlete, motion))
    expected = engine.passive_forces(athlete, motion.q, motion.v)
    assert np.array_equal(loads.elastic, expected) and np.abs(expected).max() > 0.0
    assert np.array_equal(loads.active, loads.tau - expected)


# times


def test_a_part_of_the_motion():
    model = walker("custom")
    motion = swinging(model)
    recording = pushed(model, motion)
    whole, part = (
        solve_id(model, motion, recording),
        solve_id(model, motion, recording, time_range=(0.1, 0.2)),
    )
    assert np.allclose(part.time, np.arange(10, 21) / 100.0)
    agree(part.tau, whole.tau[10:21], 1e-13)
    assert len(part.wrenches["plate left"].force) == 11
    with pytest.raises(InputError, match=r"no frame lies from 3 to 4 s; the motion runs from 0 to 0.49 s"):
        solve_id(model, motion, recording, time_range=(3.0, 4.0))


def test_frames_beyond_the_forces_are_not_known():
    model = walker("custom")
    motion = swinging(model)
    recording = pushed(model, motion)
    late = replace(
        recording.forces[1],
        time=motion.time[10:],
        force=recording.forces[1].force[10:],
        point=recording.forces[1].point[10:],
        moment=recording.forces[1].moment[10:],
    )
    loads = solve_id(model, motion, recording.replace(forces=(recording.forces[0], late)), sockets=["foot_l"])
    whole = solve_id(model, motion, recording)
    assert np.array_equal(loads.known, np.arange(N) >= 10)
    assert np.isnan(loads.tau[:10]).all() and np.isnan(loads.residual[:10]).all()
    assert np.isnan(loads.socket["foot_l"].values[:10]).all()
    agree(loads.tau[10:], whole.tau[10:], 1e-13)
    assert np.isnan(loads.wrenches["plate left"].force[:10]).all()
    assert np.isfinite(loads.wrenches["plate right"].force).all()
    assert not loads.doubtful[:10].any()
    note = "'plate left' runs from 0.1 to 0.49 s only: 10 of 50 frames (0 to 9) are outside"
    assert any(note in each for each in loads.notes)
    assert np.isfinite(loads.residual_force_rms)


def test_forces_of_another_time_are_refused():
    model = walker("custom")
    motion = swinging(model)
    recording = pushed(model, motion)
    later = tuple(replace(force, time=force.time + 60.0) for force in recording.forces)
    with pytest.raises(InputError, match=r"'plate right' of trial.mot runs from 60 to 60.49 s.*0 to 0.49 s"):
        solve_id(model, motion, recording.replace(forces=later))


# requests that cannot be


def test_nan_in_a_motion_never_gets_here():
    model = walker("custom")
    motion = swinging(model)
    q = motion.q.copy()
    q[7, 3] = np.nan
    with pytest.raises(InputError, match="frame 7"):
        solve_id(model, Motion(model, motion.time, q))


def test_a_model_without_mass():
    builder = ModelBuilder("ghost")
    builder.free("trunk")
    model = builder.build()
    motion = Motion(model, [0.0, 1.0], np.tile(model.neutral(), (2, 1)))
    with pytest.raises(ModelError, match="'ghost' has no mass"):
        solve_id(model, motion)


def test_a_motion_of_another_model():
    with pytest.raises(InputError, match=r"'planar' .*differ from those of 'walker'"):
        solve_id(walker("custom"), swinging(planar()))


def test_a_motion_of_a_model_with_the_same_coordinates():
    model = walker("custom")
    heavy = model.replace(
        links=tuple(replace(link, inertia=replace(link.inertia, mass=2 * link.mass)) for link in model.links)
    )
    motion = swinging(model)
    expected = engine.inverse_dynamics(heavy, motion.q, motion.v, motion.a)
    assert np.array_equal(solve_id(heavy, motion).tau, expected)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"low_pass": 6.0}, "'low_pass' is no option of inverse dynamics; known: lowpass, bodies"),
        ({"lowpass": -1.0}, "lowpass must be a frequency above 0 Hz"),
        ({"lowpass": "six"}, "lowpass must be a number"),
        ({"lowpass": float("nan")}, "lowpass must be a number, however it is NaN"),
        ({"lowpass": 50.0}, "below half the rate of the motion, 50 Hz"),
        ({"time_range": (2.0, 1.0)}, "a start and an end"),
        ({"time_range": 2.0}, "a start and an end"),
        ({"bodies": ["foot_r"]}, "bodies must map"),
        ({"sockets": "foot_r"}, "sockets must be a list of links"),
    ],
)
def test_options_that_cannot_be(changes, message):
    model = walker("custom")
    with pytest.raises(InputError, match=message):
        solve_id(model, swinging(model), **changes)


def test_things_of_other_kinds():
    model = walker("custom")
    motion = swinging(model)
    with pytest.raises(InputError, match="takes a Model and a Motion"):
        solve_id(motion, model)
    with pytest.raises(InputError, match="come from a Recording"):
        solve_id(model, motion, "grf.mot")


def test_options_and_changes_go_together():
    model = walker("custom")
    motion = swinging(model)
    options = IdOptions(lowpass=10.0)
    first = solve_id(model, motion, options=options, time_range=(0.1, 0.2))
    second = solve_id(model, motion, lowpass=10.0, time_range=(0.1, 0.2))
    assert np.array_equal(first.tau, second.tau) and len(first) == 11
    assert any("low-passed at 10 Hz" in note for note in first.notes)
