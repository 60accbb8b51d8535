"""Residual reduction on motions whose truth is known: what was put wrong is found, and bounds are kept."""

from dataclasses import replace

import numpy as np
import pytest
from tests.dynamics.exact import agree
from tests.dynamics.reduction_cases import FRAMES, explained, freed, of, offset, true_motion, with_masses
from tests.models import ROOTS, blade_runner, planar
from tests.refusals import bad_input
from tests.trials import swinging

from softstride import engine
from softstride.capture import ExternalForce, Points, Recording
from softstride.dynamics import IdOptions, load_bands
from softstride.dynamics.reduction.options import ReductionOptions
from softstride.dynamics.reduction.reduce import reduce_residuals
from softstride.errors import InputError, Option
from softstride.kinematics import Motion
from softstride.model import ModelBuilder
from softstride.notes import codes

CHEAP = {"inertia_weight": 1e-9, "displacement": 1e3, "tolerance": 1e-9}  # nothing but the residual counts
STILL = {"base_shift": 0.0, "base_turn": 0.0}
RIGID = {"total_mass": "fixed", "mass_change": 0.0, "trunk_centre_change": 0.0, "centre_change": 0.0}


# what was put wrong is found


@pytest.mark.parametrize("root", ROOTS)
def test_masses_and_the_centre_of_the_trunk_are_found(root):
    truth, motion = true_motion(root)
    recording = explained(truth, motion)
    factors = {
        "trunk": 0.95,
        "thigh_r": 0.92,
        "thigh_l": 0.95,
        "shank_r": 0.97,
        "shank_l": 0.90,
        "foot_r": 0.94,
    }
    wrong = with_masses(truth, factors, {"trunk": (0.01, -0.007, 0.005)})
    others = {name: 0.0 for name in truth.link_names if name != "trunk"}
    found = reduce_residuals(wrong, of(wrong, motion), recording, centres=others, **STILL, **CHEAP)
    assert found.converged and found.limits == ()
    assert found.before.residual_force_rms > 20.0 and found.before.residual_moment_rms > 3.0
    assert found.after.residual_force_rms < 1e-5 * found.before.residual_force_rms
    assert found.after.residual_moment_rms < 1e-5 * found.before.residual_moment_rms
    for name in truth.link_names:
        assert found.model.link(name).mass == pytest.approx(truth.link(name).mass, rel=1e-4)
        assert found.mass_change[name] == pytest.approx(
            truth.link(name).mass - wrong.link(name).mass, abs=1e-3
        )
    assert np.allclose(found.centre_change["trunk"], (-0.01, 0.007, -0.005), atol=1e-5)
    assert found.total_mass_change == pytest.approx(truth.mass - wrong.mass, rel=1e-5)
    assert not found.base_shift.any()


SINES = {"tx": (0.004, 10 / 3), "ty": (0.003, 8 / 3), "tz": (0.003, 2.0), "tilt": (0.010, 8 / 3)}
COLUMNS = {"tx": 0, "ty": 1, "tz": 2, "tilt": 5}
FIRM = {"displacement": 0.3, "tolerance": 1e-9}


def shift_of(motion, sines):
    """Return what takes sines out again, as `base_shift`: the tilt is the first angle of the base, about z."""
    shift = np.zeros((len(motion), 6))
    for name, (size, hertz) in sines.items():
        shift[:, COLUMNS[name]] = size * np.sin(2.0 * np.pi * hertz * motion.time)
    return shift


def rms(x):
    return np.sqrt(np.mean(np.square(x), axis=0))


@pytest.mark.parametrize("root", ROOTS)
def test_a_change_of_the_base_is_found(root):
    """Forces say how the base accelerates. Where it is and how fast it goes at one instant, twelve numbers, they hardly
    say: of these the smallest change is taken. So a change of whole periods is found to a part of it, its acceleration
    to a few per cent, and nothing is left over."""
    _, motion = true_motion("custom")
    wrong = offset(motion, **SINES)
    truth = motion.model
    recording = explained(truth, motion)
    if root == "free":
        truth, motion = freed(motion)
        _, wrong = freed(wrong)
    found = reduce_residuals(truth, wrong, recording, **RIGID, **FIRM)
    assert found.converged and found.limits == () and found.model.mass == truth.mass
    assert found.before.residual_force_rms > 50.0 and found.before.residual_moment_rms > 10.0
    assert found.after.residual_force_rms < 0.02 * found.before.residual_force_rms
    assert found.after.residual_moment_rms < 0.01 * found.before.residual_moment_rms
    error = rms(found.base_shift - shift_of(motion, SINES))
    assert (error[:3] < 0.2 * 0.003).all() and (error[3:] < 0.3 * 0.010).all()
    exact, before, after = (
        engine.accelerations(truth, each.q, each.v, each.a, "trunk") for each in (motion, wrong, found.motion)
    )
    assert (rms(after - exact)[3:] < 0.05 * rms(before - exact)[3:].max()).all()
    assert (rms(after - exact)[:3] < 0.05 * rms(before - exact)[:3].max()).all()
    T, old = (engine.poses(truth, each.q, "trunk")[:, :3, 3] for each in (found.motion, wrong))
    agree(T - old, found.base_shift[:, :3], 1e-6)
    assert np.array_equal(found.motion.q[:, -10:], wrong.q[:, -10:])


def test_both_at_once_leave_little():
    truth, motion = true_motion("custom")
    recording = explained(truth, motion)
    wrong = with_masses(truth, {"trunk": 0.93, "thigh_l": 0.97}, {"trunk": (0.01, 0.0, 0.0)})
    found = reduce_residuals(wrong, of(wrong, offset(motion, **SINES)), recording)  # as it stands, no option
    assert found.converged and found.limits == ()
    assert found.after.residual_force_rms < 0.1 * found.before.residual_force_rms
    assert found.after.residual_moment_rms < 0.1 * found.before.residual_moment_rms
    assert found.after.residual_force_peak < found.allowed[0]
    assert found.after.residual_moment_peak < found.allowed[1]
    assert found.model.mass == pytest.approx(truth.mass, rel=0.01)
    assert (np.diff(found.objective) <= 0.0).all() and found.iterations == len(found.objective) - 1


def test_a_planar_base():
    truth = planar()
    motion = swinging(truth, n=FRAMES)
    recording = explained(truth, motion)
    sines = {"tx": (0.004, 10 / 3), "tilt": (0.010, 8 / 3)}
    found = reduce_residuals(truth, offset(motion, **sines), recording, **RIGID, **FIRM)
    error = rms(found.base_shift - shift_of(motion, sines))
    assert (error[:3] < 0.001).all() and error[5] < 0.004
    assert not found.base_shift[:, 2:5].any()
    assert found.after.residual_force_rms < 0.03 * found.before.residual_force_rms
    assert "reduction.some-axes-only" in codes(found.notes)


def test_a_locked_coordinate_of_the_base_stays():
    truth, motion = true_motion("custom")
    locked = {name: replace(each, locked=name == "tz") for name, each in truth.coordinates.items()}
    model = truth.replace(coordinates=locked)
    wrong = of(model, offset(motion, **SINES))
    found = reduce_residuals(model, wrong, explained(truth, motion), **RIGID, **FIRM)
    column = model.coordinate_names.index("tz")
    assert not found.base_shift[:, 2].any() and found.base_shift[:, 0].any()
    assert np.abs(found.motion.q[:, column] - wrong.q[:, column]).max() < 1e-10
    left = found.residual()
    assert left["fy rms"][1] < 0.1 * left["fy rms"][0] and left["fz rms"][1] > 0.5 * left["fz rms"][0]


def test_a_force_in_the_axes_of_a_link_goes_with_it():
    truth, motion = true_motion("custom")
    world = explained(truth, motion).forces[0]
    T = engine.poses(truth, motion.q, "foot_r")
    back = np.swapaxes(T[:, :3, :3], 1, 2)
    f, m, p = (
        np.einsum("nij,nj->ni", back, x) for x in (world.force, world.moment, world.point - T[:, :3, 3])
    )
    force = ExternalForce("all", motion.time, f, p, m, body="trunk", force_in="foot_r", point_in="foot_r")
    wrong = offset(motion, ty=(0.008, 2.0))
    found = reduce_residuals(truth, wrong, Recording("trial", forces=(force,)), **RIGID, **FIRM)
    assert found.converged and found.after.residual_force_rms < 0.05 * found.before.residual_force_rms
    T = engine.poses(truth, found.motion.q, "foot_r")
    agree(found.after.wrenches["all"].force, np.einsum("nij,nj->ni", T[:, :3, :3], f))


@pytest.mark.slow
def test_a_blade_keeps_its_mass():
    """Rods and what hangs on them take part in the wrench, but were weighed."""
    athlete = blade_runner()
    rng = np.random.default_rng(11)
    t = np.arange(60) / 100.0
    slow = np.sin(np.outer(t, rng.uniform(2.0, 5.0, athlete.nv)) + rng.uniform(0.0, 6.0, athlete.nv))
    start = np.tile(athlete.neutral(), (len(t), 1))
    motion = Motion(athlete, t, engine.integrate(athlete, start, 0.05 * slow))
    recording = explained(athlete, motion, "pelvis")
    wrong = with_masses(athlete, {"femur_l": 0.9, "thoracic_1": 0.9}, {})
    found = reduce_residuals(wrong, of(wrong, motion), recording, **STILL)
    assert "blade_r" not in found.mass_change and "femur_l" in found.mass_change
    assert found.model.link("blade_r").mass == athlete.link("blade_r").mass > 0.1
    assert any("keep their mass: blade_r" in str(note) for note in found.notes)
    assert found.model.mass == pytest.approx(athlete.mass, rel=0.005)
    assert found.after.residual_force_rms < 0.1 * found.before.residual_force_rms


# bounds


@pytest.fixture(scope="module")
def far_off():
    """Return model, motion and recording that no small change brings together."""
    truth, motion = true_motion("custom")
    recording = explained(truth, motion)
    wrong = with_masses(truth, {"trunk": 0.6, "thigh_r": 1.5, "shank_l": 0.5}, {"trunk": (0.05, 0.0, -0.06)})
    return wrong, of(wrong, offset(motion, tx=(0.06, 1.5), ty=(0.05, 1.0), tilt=(0.15, 1.2))), recording


def test_bounds_are_kept(far_off):
    model, motion, recording = far_off
    options = ReductionOptions(
        base_shift=0.015, base_turn=0.04, mass_change=0.08, total_change=0.12, frames="known"
    )
    found = reduce_residuals(model, motion, recording, options)
    assert np.abs(found.base_shift[:, :3]).max() <= 0.015 and np.abs(found.base_shift[:, 3:]).max() <= 0.04
    assert np.abs(found.base_shift[:, 0]).max() > 0.0149
    total = found.total_mass_change / model.mass
    assert abs(total) <= 0.12 + 1e-12
    for name, change in found.mass_change.items():
        assert abs(change / model.link(name).mass - total) <= 0.08 + 1e-9
        bound = 0.02 if name == "trunk" else 0.005
        assert np.abs(found.centre_change[name]).max() <= bound
        moved = found.model.link(name).inertia.com - model.link(name).inertia.com
        assert np.allclose(moved, found.centre_change[name], atol=1e-15)
    assert {"shift of trunk along x", "centre of trunk along x"} <= set(found.limits)
    assert found.after.residual_force_rms < found.before.residual_force_rms


def test_the_total_mass_at_its_bound_is_said(far_off):
    model, motion, recording = far_off
    found = reduce_residuals(model, motion, recording, total_change=0.03, frames="known")
    assert found.total_mass_change == pytest.approx(0.03 * model.mass) and "total mass" in found.limits
    (told,) = [note for note in found.notes if note.code == "reduction.total-mass-at-bound"]
    assert "at its bound, +3 %: the forces ask for more of it; weigh the person and give total_mass" in str(
        told
    )
    assert told.options == (Option("total_mass"), Option("total_change"))
    assert "reduction.total-mass-found" not in codes(found.notes)


@pytest.mark.slow
def test_the_total_mass_may_be_fixed_or_given(far_off):
    model, motion, recording = far_off
    fixed = reduce_residuals(model, motion, recording, total_mass="fixed", frames="known")
    assert fixed.model.mass == pytest.approx(model.mass, abs=1e-9)
    assert max(abs(change) for change in fixed.mass_change.values()) > 0.1
    given = reduce_residuals(model, motion, recording, total_mass=1.3 * model.mass, frames="known")
    assert given.model.mass == pytest.approx(1.3 * model.mass, abs=1e-9)
    assert "total mass" not in given.limits
    assert any("+30 % from the model's" in str(note) and "total_change" in str(note) for note in given.notes)
    near = reduce_residuals(model, motion, recording, total_mass=1.1 * model.mass, frames="known")
    assert not any("total mass" in str(note) for note in near.notes)


def test_wrong_moments_do_not_change_the_total_mass():
    """They would trade it against arms; forces that are right say what it is."""
    truth, motion = true_motion("custom")
    force = explained(truth, motion).forces[0]
    moment = force.moment + 0.08 * np.stack([0 * motion.time, 0 * motion.time, force.force[:, 1]], axis=1)
    recording = Recording("trial", forces=(replace(force, moment=moment),))
    found = reduce_residuals(truth, motion, recording, frames="known")
    assert abs(found.total_mass_change) < 1e-6 * truth.mass
    assert found.after.residual_moment_rms < 0.5 * found.before.residual_moment_rms


@pytest.mark.slow
def test_changes_cost_something(far_off):
    model, motion, recording = far_off
    sizes = []
    for displacement in (0.03, 0.003):
        found = reduce_residuals(model, motion, recording, displacement=displacement, frames="known")
        sizes.append((np.abs(found.base_shift).mean(), found.after.residual_force_rms))
    assert sizes[0][0] > 2.0 * sizes[1][0] and sizes[0][1] < sizes[1][1]
    stiff = reduce_residuals(model, motion, recording, inertia_weight=1e6, total_mass="fixed", frames="known")
    assert max(abs(change) for change in stiff.mass_change.values()) < 1e-3


@pytest.mark.slow
def test_moments_may_be_left(far_off):
    model, motion, recording = far_off
    found = reduce_residuals(model, motion, recording, angular=False, frames="known")
    assert not found.base_shift[:, 3:].any() and found.base_shift[:, :3].any()
    whole = reduce_residuals(model, motion, recording, frames="known")
    assert whole.after.residual_moment_rms < 0.8 * found.after.residual_moment_rms


def test_the_change_of_the_base_is_slow():
    """A vibration above the cut-off stays."""
    truth, motion = true_motion("custom")
    recording = explained(truth, motion)
    wrong = offset(motion, ty=(0.001, 15.0))
    slow = reduce_residuals(truth, wrong, recording, **RIGID, **FIRM, frames="known")
    assert slow.after.residual_force_rms > 0.9 * slow.before.residual_force_rms
    fast = reduce_residuals(truth, wrong, recording, **RIGID, **FIRM, frames="known", cutoff=30.0)
    assert fast.after.residual_force_rms < 0.05 * fast.before.residual_force_rms


# frames


def test_where_a_force_is_missing_the_residual_stays():
    truth, motion = true_motion("custom")
    force = explained(truth, motion).forces[0]
    wrong = offset(motion, ty=(0.008, 2.0))
    gone = force.force.copy()
    gone[60:90] = 0.0
    recording = Recording("trial", forces=(replace(force, force=gone),))
    found = reduce_residuals(truth, wrong, recording, **RIGID)
    assert found.before.doubtful[60:90].all() and not found.used[60:90].any()
    assert any("30 of 150 frames were left out" in str(note) for note in found.notes)
    change = np.linalg.norm((found.after.residual - found.before.residual)[:, 3:], axis=1)
    before = found.before.residual_force
    used = found.used
    assert found.after.residual_force[used].mean() < 0.3 * before[used].mean()
    assert change[70:80].max() < 0.1 * truth.mass * 9.8 < 0.2 * before[70:80].min()
    assert found.residual()["force rms"][1] == pytest.approx(
        np.sqrt(np.mean(found.after.residual_force[used] ** 2))
    )


def test_frames_that_nobody_measured():
    truth, motion = true_motion("custom")
    force = explained(truth, motion).forces[0]
    part = ExternalForce(
        "all", force.time[:100], force.force[:100], force.point[:100], force.moment[:100], body="trunk"
    )
    found = reduce_residuals(
        truth, offset(motion, ty=(0.008, 2.0)), Recording("trial", forces=(part,)), **RIGID
    )
    assert found.used.sum() == 100 and np.isnan(found.after.tau[100:]).all()
    assert np.abs(found.base_shift[110:]).max() < 0.02
    assert found.after.residual_force_rms < 0.3 * found.before.residual_force_rms


@pytest.mark.slow
def test_a_part_and_a_low_pass():
    truth, motion = true_motion("custom")
    recording = explained(truth, motion)
    found = reduce_residuals(
        truth, offset(motion, ty=(0.008, 2.0)), recording, lowpass=10.0, time_range=(0.2, 1.0)
    )
    assert len(found.motion) == 81 and found.motion.time[0] == pytest.approx(0.2)
    assert found.before.residual_force_rms > found.after.residual_force_rms
    assert any("after the low pass at 10 Hz" in str(note) for note in found.notes)
    assert found.motion.lowpass == 10.0 and found.after.lowpass is None
    before, after = (
        load_bands(each, noise=0.001).sources["markers"].tau for each in (found.before, found.after)
    )
    assert np.median(after / before) == pytest.approx(1.0, abs=0.05)
    same = reduce_residuals(
        truth,
        offset(motion, ty=(0.008, 2.0)),
        recording,
        ReductionOptions(inverse=IdOptions(lowpass=10.0, time_range=(0.2, 1.0))),
    )
    assert np.array_equal(same.motion.q, found.motion.q)


# what is said


def test_markers_are_met_better_after_a_wrong_base():
    truth, motion = true_motion("custom")
    names = list(truth.markers)
    markers = Points(motion.time, tuple(names), engine.positions(truth, motion.q, names))
    recording = replace(explained(truth, motion), markers=markers)
    found = reduce_residuals(truth, offset(motion, ty=(0.01, 2.0)), recording, **RIGID, **FIRM)
    assert found.marker_rms[0] == pytest.approx(0.01 / np.sqrt(2.0), rel=0.02)
    assert found.marker_rms[1] < 0.3 * found.marker_rms[0]
    assert "markers  met to 7.0" in found.table()


def test_it_is_told_in_full():
    truth, motion = true_motion("custom")
    wrong = with_masses(truth, {"trunk": 0.9}, {})
    found = reduce_residuals(wrong, of(wrong, motion), explained(truth, motion))
    text = found.table()
    assert f"{found.residual()['force rms'][0]:.2f}" in text and f"{found.allowed[0]:.1f}" in text
    assert f"61.000 to {found.model.mass:.3f} kg" in text
    for name in truth.link_names:
        assert name in text
    frame = found.to_dataframe()
    assert list(frame.index) == list(truth.link_names)
    assert np.allclose(frame["mass_after"] - frame["mass_before"], frame["mass_change"])
    assert frame["mass_change"].sum() == pytest.approx(found.total_mass_change)
    assert "Reduction('walker', 150 frames, residual" in repr(found) and "kg" in repr(found)
    assert found.marker_rms[0] != found.marker_rms[0] and "markers  not known" in text
    with pytest.raises(ValueError, match="read-only"):
        found.base_shift[0, 0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        found.centre_change["trunk"][0] = 1.0
    with pytest.raises(InputError, match=r"base_shift of a reduction must have shape \(150, 6\)"):
        replace(found, base_shift=np.zeros((149, 6)))
    part = found.take(slice(10, 20))
    assert len(part.motion) == len(part.after) == len(part.used) == 10
    assert found.to_xarray()["base_shift"].sel(shift="rx").shape == (150,)
    net = np.linalg.norm(found.before.wrenches["all"].force, axis=1).max()
    assert found.allowed[0] == pytest.approx(0.05 * max(net, wrong.mass * 9.80665))
    assert found.before.model is wrong and found.after.model is found.model is found.motion.model


# what cannot be


@pytest.mark.slow
@bad_input(
    InputError,
    ({"total": 3.0}, "'total' is no option of residual reduction; known: inverse"),
    (
        {"total_mass": "heavy"},
        r"total_mass must be a number above 0 \[kg\], 'fixed' or 'free', however it is 'heavy'",
    ),
    ({"total_mass": -4.0}, r"total_mass must be a number above 0 \[kg\], .*, however it is -4"),
    (
        {"total_mass": 1.0},
        "total_mass 1 kg is not that of somebody like 'walker', which has 65 kg: give one from 32.5",
    ),
    ({"total_mass": 131.0}, "or scale the model first"),
    ({"total_mass": 33.0, "mass_change": 0.6}, "leaves nothing for some links"),
    ({"mass_change": -0.1}, "mass_change must be a number of 0 or more, however it is -0.1"),
    ({"total_change": 1.0}, "total_change must be a number of 0 or more and below 1, however it is 1"),
    ({"masses": {"trunk": -0.1}}, r"masses\['trunk'\] must be a number of 0 or more, however it is -0.1"),
    ({"mass_change": 0.9}, "less than 1 together"),
    ({"masses": {"trunk": 0.9}}, "must leave mass"),
    ({"masses": {"tail": 0.1}}, "masses names 'tail'"),
    ({"centres": {"tail": 0.1}}, "centres names 'tail'"),
    ({"centres": 0.1}, r"centres must be a table of names of links, each with .* \[m\], however it is 0.1"),
    ({"base_turn": 3.0}, r"base_turn must be a number from 0 to 0.5 \[rad\], however it is 3"),
    ({"cutoff": 0.0}, r"cutoff must be a number above 0 \[Hz\], however it is 0"),
    ({"cutoff": 80.0}, "half the rate"),
    ({"displacement": float("nan")}, r"displacement must be a number above 0 \[m\], however it is nan"),
    ({"frames": "some"}, "frames must be 'believed' or 'known', however it is 'some'"),
    ({"iterations": 0}, "iterations must be a whole number of 1 or more, however it is 0"),
    ({"inverse": 6.0}, "inverse must be an IdOptions, however it is 6"),
    ({"lowpass": -1.0}, r"lowpass must be a number above 0 \[Hz\] or None, however it is -1"),
    ({"bodies": {"some": "trunk"}}, "bodies names the force 'some'"),
)
def test_options_that_cannot_be(refuses):
    truth, motion = true_motion("custom")
    refuses(reduce_residuals, model=truth, motion=motion, recording=explained(truth, motion))


def test_without_forces_or_base_there_is_nothing_to_reduce():
    truth, motion = true_motion("custom")
    with pytest.raises(InputError, match="forces of a Recording"):
        reduce_residuals(truth, motion, None)
    with pytest.raises(InputError, match="holds no forces"):
        reduce_residuals(truth, motion, Recording("bare"))
    builder = ModelBuilder("arm")
    builder.revolute("foot_r", axis=(0, 0, 1), mass=2.0, com=(0.1, 0, 0))
    arm = builder.build()
    still = Motion(arm, np.arange(20) / 100.0, np.zeros((20, 1)))
    push = ExternalForce(
        "all", still.time, np.ones((20, 3)), np.zeros((20, 3)), np.zeros((20, 3)), body="foot_r"
    )
    with pytest.raises(InputError, match="no floating base"):
        reduce_residuals(arm, still, Recording("trial", forces=(push,)))
    force = explained(truth, motion).forces[0]
    heavy = Recording("trial", forces=(replace(force, force=-force.force),))
    with pytest.raises(InputError, match='frames="known" takes them all the same'):
        reduce_residuals(truth, motion, heavy)


@pytest.mark.slow
def test_too_few_frames_say_nothing_of_masses():
    truth, motion = true_motion("custom")
    recording = explained(truth, motion)
    with pytest.raises(InputError, match="4 of 4 frames can be believed, too few"):
        reduce_residuals(truth, motion, recording, time_range=(0.0, 0.03))
    for last, told in ((0.05, "6 frames over 0.05 s"), (0.19, "20 frames over 0.19 s"), (0.25, "")):
        found = reduce_residuals(truth, motion, recording, time_range=(0.0, last))
        said = [str(note) for note in found.notes if note.code == "reduction.too-few-frames"]
        assert [note.startswith(told) for note in said] == ([True] if told else [])


def test_too_few_steps_are_said(far_off):
    model, motion, recording = far_off
    found = reduce_residuals(model, motion, recording, iterations=1, frames="known")
    assert not found.converged and found.iterations == 1
    assert "not converged" in repr(found) and any(
        "not steady after 1 steps" in str(note) for note in found.notes
    )
