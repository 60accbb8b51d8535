"""Inverse dynamics gives back the forces that made a motion."""

from dataclasses import replace

import numpy as np
import pytest
from tests.dynamics.exact import agree
from tests.models import ROOTS, planar, walker
from tests.refusals import bad_input
from tests.trials import N, about_feet, pushed, pushed_walker, swinging

from softstride import engine
from softstride.dynamics import IdOptions, solve_id
from softstride.errors import InputError, ModelError
from softstride.kinematics import Motion
from softstride.model import ModelBuilder
from softstride.notes import codes

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
    assert loads.notes == () or set(codes(loads.notes)) == {"loads.residual-too-large"}


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
    model, motion, recording = pushed_walker()
    loads = solve_id(model, motion, recording)
    assert list(loads.wrenches) == ["plate right", "plate left"]
    for force, wrench in zip(recording.forces, loads.wrenches.values(), strict=True):
        assert wrench.link == f"foot_{force.side[0]}"
        for name in ("force", "point", "moment"):
            assert np.array_equal(getattr(wrench, name), getattr(force, name))
        assert np.allclose(wrench.about(), force.wrench(), atol=1e-10)


# times


def test_a_part_of_the_motion():
    model, motion, recording = pushed_walker()
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
    model, motion, recording = pushed_walker()
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
    assert any(note in str(each) for each in loads.notes)
    assert np.isfinite(loads.residual_force_rms)


def a_minute_later(recording):
    return recording.replace(forces=tuple(replace(f, time=f.time + 60.0) for f in recording.forces))


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


def test_a_motion_of_a_model_with_the_same_coordinates():
    model = walker("custom")
    heavy = model.replace(
        links=tuple(replace(link, inertia=replace(link.inertia, mass=2 * link.mass)) for link in model.links)
    )
    motion = swinging(model)
    expected = engine.inverse_dynamics(heavy, motion.q, motion.v, motion.a)
    assert np.array_equal(solve_id(heavy, motion).tau, expected)


@bad_input(
    InputError,
    ({"low_pass": 6.0}, "'low_pass' is no option of inverse dynamics; known: lowpass, bodies"),
    ({"lowpass": -1.0}, "lowpass must be a frequency above 0 Hz"),
    ({"lowpass": "six"}, "lowpass must be a number"),
    ({"lowpass": float("nan")}, "lowpass must be a number, however it is NaN"),
    ({"lowpass": 50.0}, "below half the rate of the motion, 50 Hz"),
    ({"time_range": (2.0, 1.0)}, "a start and an end"),
    ({"time_range": 2.0}, "a start and an end"),
    ({"bodies": ["foot_r"]}, "bodies must map"),
    ({"sockets": "foot_r"}, "sockets must be a list of links"),
    (a_minute_later, r"'plate right' of trial.mot runs from 60 to 60.49 s.*0 to 0.49 s"),
    (lambda motion: swinging(planar()), r"'planar' .*differ from those of 'walker'"),
    (lambda model, motion: (motion, model), "takes a Model and a Motion"),
    ({"recording": "grf.mot"}, "come from a Recording"),
)
def test_what_cannot_be_is_refused(refuses):
    model, motion, recording = pushed_walker()
    refuses(solve_id, model=model, motion=motion, recording=recording)


def test_options_and_changes_go_together():
    model = walker("custom")
    motion = swinging(model)
    options = IdOptions(lowpass=10.0)
    first = solve_id(model, motion, options=options, time_range=(0.1, 0.2))
    second = solve_id(model, motion, lowpass=10.0, time_range=(0.1, 0.2))
    assert np.array_equal(first.tau, second.tau) and len(first) == 11
    assert any("low-passed at 10 Hz" in str(note) for note in first.notes)
