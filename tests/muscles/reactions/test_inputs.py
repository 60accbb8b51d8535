"""What joint reactions are given: the state of the loads again, forces at other instants, bad input."""

import dataclasses

import numpy as np
import pytest
from tests.models import the_model, walker
from tests.muscles.reactions.machines import at_rest, cable, crane, forces, with_muscles
from tests.trials import pushed, swinging

import softstride as ss
from softstride.capture import ExternalForce, Recording
from softstride.dynamics import read_loads
from softstride.errors import InputError
from softstride.model.actuator import CoordinateActuator, PointActuator, TorqueActuator
from softstride.notes import codes


@pytest.fixture(scope="module")
def trial():
    model = with_muscles(
        walker("custom"), cable("quad", ("thigh_r", (0.05, 0.0, 0.0)), ("shank_r", (0.05, -0.05, 0.0)))
    )
    motion = swinging(model, n=120)
    return model, ss.Motion(model, motion.time, motion.q), pushed(model, motion)


# the state of the loads


def test_the_low_pass_of_the_loads_is_used_again(trial):
    model, motion, recording = trial
    loads = ss.solve_id(model, motion, recording, lowpass=8.0)
    assert loads.lowpass == 8.0
    found = ss.joint_reactions(model, motion, loads, frame="ground")
    base = found.joint("trunk")
    np.testing.assert_allclose(base.force, loads.residual[:, 3:], atol=1e-9)
    raw = ss.joint_reactions(model, motion, ss.solve_id(model, motion, recording), frame="ground")
    assert np.abs(raw.joint("trunk").force - base.force).max() > 1.0


def test_a_part_of_the_motion(trial):
    model, motion, recording = trial
    whole = ss.joint_reactions(model, motion, ss.solve_id(model, motion, recording))
    loads = ss.solve_id(model, motion, recording, time_range=(0.2, 0.5))
    part = ss.joint_reactions(model, motion, loads)
    np.testing.assert_allclose(part.time, motion.time[20:51])
    np.testing.assert_allclose(part.force, whole.force[20:51], atol=1e-9)
    picked = dataclasses.replace(
        loads,
        **{name: getattr(loads, name)[::3] for name in ("time", "tau", "residual", "elastic", "doubtful")},
        wrenches={
            name: dataclasses.replace(w, force=w.force[::3], point=w.point[::3], moment=w.moment[::3])
            for name, w in loads.wrenches.items()
        },
    )
    np.testing.assert_allclose(ss.joint_reactions(model, motion, picked).force, part.force[::3], atol=1e-9)


def test_loads_of_another_motion_are_refused(trial):
    model, motion, recording = trial
    loads = ss.solve_id(model, motion, recording)
    other = ss.Motion(model, motion.time, motion.q * 1.01)
    with pytest.raises(InputError, match="not those of this motion with no low pass and 2 outside forces"):
        ss.joint_reactions(model, other, loads)
    later = ss.Motion(model, motion.time + 0.004, motion.q)
    with pytest.raises(InputError, match="the loads have a frame at 0 s, the motion"):
        ss.joint_reactions(model, later, loads)
    with pytest.raises(InputError, match="whose coordinates differ"):
        ss.joint_reactions(crane(), motion, loads)
    with pytest.raises(InputError, match="takes a Model, a Motion and Loads"):
        ss.joint_reactions(model, motion, recording)


def test_a_file_of_loads_does_not_hold_what_acted(trial, tmp_path):
    model, motion, recording = trial
    ss.solve_id(model, motion, recording).save(tmp_path / "id.sto")
    with pytest.raises(InputError, match="a file of loads does not"):
        ss.joint_reactions(model, motion, read_loads(tmp_path / "id.sto", model))


def test_a_file_of_loads_in_free_flight_is_enough(trial, tmp_path):
    """Where nothing acts from outside, generalized forces from a file say whether the motion is theirs."""
    model, motion, _ = trial
    loads = ss.solve_id(model, motion)
    loads.save(tmp_path / "id.sto")
    again = ss.joint_reactions(model, motion, read_loads(tmp_path / "id.sto", model))
    np.testing.assert_allclose(again.force, ss.joint_reactions(model, motion, loads).force, atol=1e-9)


def test_frames_without_a_measured_force_are_nan(trial):
    model, motion, recording = trial
    force = recording.forces[0]
    hole = np.array(force.force)
    hole[30:34] = np.nan
    broken = recording.replace(forces=(dataclasses.replace(force, force=hole), *recording.forces[1:]))
    loads = ss.solve_id(model, motion, broken)
    assert 4 <= np.count_nonzero(~loads.known) <= 6
    found = ss.joint_reactions(model, motion, loads)
    np.testing.assert_array_equal(found.known, loads.known)
    assert np.isnan(found.force[~loads.known]).all() and np.isfinite(found.force[loads.known]).all()
    assert np.isfinite(found.point).all() and found.balance < 1e-10


# forces


def given(model, time, value=200.0):
    return forces(("quad",), time, np.full((len(time), 1), value))


def test_forces_at_other_instants_are_interpolated(trial):
    model, motion, recording = trial
    loads = ss.solve_id(model, motion, recording)
    ramp = 100.0 + 50.0 * motion.time
    exact = ss.joint_reactions(model, motion, loads, forces(("quad",), motion.time, ramp[:, None]))
    few = np.linspace(-0.1, 1.5, 9)
    rare = ss.joint_reactions(model, motion, loads, forces(("quad",), few, (100.0 + 50.0 * few)[:, None]))
    np.testing.assert_allclose(rare.force, exact.force, atol=1e-9)
    assert "reactions.forces-interpolated" in codes(rare.notes)
    assert "reactions.forces-interpolated" not in codes(exact.notes)


def test_frames_beyond_the_forces_have_no_reactions(trial):
    model, motion, recording = trial
    loads = ss.solve_id(model, motion, recording)
    found = ss.joint_reactions(model, motion, loads, given(model, motion.time[20:90]))
    assert np.flatnonzero(found.known).tolist() == list(range(20, 90))
    (note,) = (note for note in found.notes if note.code == "reactions.forces-end")
    assert "50 of 120 frames" in str(note) and note.values["frames"] == 50
    with pytest.raises(InputError, match="do not overlap the loads"):
        ss.joint_reactions(model, motion, loads, given(model, motion.time + 7.0))


def test_forces_that_do_not_fit_are_refused(trial):
    model, motion, recording = trial
    loads = ss.solve_id(model, motion, recording)
    with pytest.raises(InputError, match=r"none of the forces belongs to 'walker'.*its muscles are 'quad'"):
        ss.joint_reactions(model, motion, loads, forces(("soleus",), motion.time, [1.0]))
    with pytest.raises(InputError, match=r"'quad' would push with 3000 N"):
        ss.joint_reactions(model, motion, loads, given(model, motion.time, -3000.0))
    bad = forces(("quad",), motion.time[::-1], [1.0])
    with pytest.raises(InputError, match="must increase"):
        ss.joint_reactions(model, motion, loads, bad)
    bad = forces(("quad", "rectus"), motion.time, [1.0, 2.0])
    bad.force = bad.force[:, :1]
    with pytest.raises(InputError, match=r"forces must be \(n, 2\)"):
        ss.joint_reactions(model, motion, loads, bad)


def test_notes_say_who_pulls_nothing_and_what_is_a_reserve(trial):
    model, motion, recording = trial
    model = with_muscles(
        model, *model.muscles.values(), cable("idle", ("trunk", (0, 0, 0)), ("thigh_l", (0, -0.1, 0)))
    )
    motion = ss.Motion(model, motion.time, motion.q)
    loads = ss.solve_id(model, motion, recording)
    found = ss.joint_reactions(
        model, motion, loads, forces(("quad", "knee_reserve"), motion.time, [100.0, 7.0])
    )
    assert found.muscles == ("quad",)
    told = {note.code: note for note in found.notes}
    idle, reserves = told["reactions.muscles-without-force"], told["reactions.taken-as-reserves"]
    assert idle.names == ("idle",) and "which pull nothing: idle" in str(idle)
    assert "knee_reserve" in reserves.names and "taken as reserves" in str(reserves)
    alone = ss.joint_reactions(model, motion, loads, forces(("quad",), motion.time, [100.0]))
    np.testing.assert_array_equal(found.force, alone.force)


def test_a_nan_in_the_forces_costs_its_frame_alone(trial):
    model, motion, recording = trial
    loads = ss.solve_id(model, motion, recording)
    values = np.full((len(motion), 1), 100.0)
    values[5] = np.nan
    found = ss.joint_reactions(model, motion, loads, forces(("quad",), motion.time, values))
    assert np.flatnonzero(~found.known).tolist() == [5]


def test_actuators_on_links_are_no_part_of_the_joint():
    """A push on the boom and a torque from the world take the load off the pin; a motor at the pin does not."""
    model = crane().replace(
        actuators={
            "push": PointActuator("push", link="boom", point=(3.0, 0.0, 0.0), direction=(0.0, 1.0, 0.0)),
            "twist": TorqueActuator("twist", link="boom"),
            "motor": CoordinateActuator("motor", coordinate="boom"),
        }
    )
    motion = at_rest(model, [0.0])
    loads = ss.solve_id(model, motion)

    def pin(name, value):
        found = ss.joint_reactions(
            model, motion, loads, forces((name,), motion.time, [value]), frame="ground"
        )
        return np.concatenate([found.force[0, 0], found.moment[0, 0]])

    np.testing.assert_allclose(pin("push", 1000.0), 0.0, atol=1e-9)
    np.testing.assert_allclose(pin("twist", 3000.0), [0.0, 1000.0, 0.0, 0.0, 0.0, 0.0], atol=1e-9)
    np.testing.assert_allclose(pin("motor", 3000.0), [0.0, 1000.0, 0.0, 0.0, 0.0, 3000.0], atol=1e-9)


@pytest.mark.slow
def test_estimated_loads_will_do(trial):
    """Loads of `estimate_loads` carry the ground reaction and the low pass that they chose."""
    model = the_model("human")
    n = 60
    t = np.arange(n) / 100.0
    x = np.zeros((n, model.nv))
    x[:, list(model.coordinate_names).index("lumbar_3_extension")] = 0.05 * np.sin(6.0 * t)
    q = ss.integrate(model, np.tile(model.neutral(), (n, 1)), x)
    motion = ss.Motion(model, t, q)
    loads = ss.estimate_loads(model, motion)
    found = ss.joint_reactions(model, motion, loads)
    assert found.balance < 1e-9 and np.isfinite(found.force).all()


def test_nothing_is_known_of_loads_that_are_all_nan(trial):
    model, motion, recording = trial
    loads = ss.solve_id(model, motion, recording)
    empty = dataclasses.replace(loads, tau=np.full_like(loads.tau, np.nan))
    with pytest.raises(InputError, match="known in no frame"):
        ss.joint_reactions(model, motion, empty)


def test_a_plate_on_the_world_axes_of_one_frame():
    """One frame is enough."""
    model = crane()
    motion = at_rest(model, [0.3], frames=1)
    plate = ExternalForce(
        "hand",
        np.array([0.0]),
        np.array([[0.0, 50.0, 0.0]]),
        np.array([[1.0, 1.0, 0.0]]),
        np.zeros((1, 3)),
        body="boom",
    )
    loads = ss.solve_id(model, motion, Recording("one", forces=(plate,)))
    found = ss.joint_reactions(model, motion, loads, frame="ground")
    np.testing.assert_allclose(found.joint("boom").force, [[0.0, 950.0, 0.0]], atol=1e-9)
