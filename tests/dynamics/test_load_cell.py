"""The force on a blade from its deformation."""

import numpy as np
import pytest
from tests.dynamics.blade_trials import (
    ROD,
    at_section,
    bend,
    coarser,
    finer,
    heavier,
    hop,
    leaning,
    noisy,
    packaged,
    pushes,
    rolling,
    runner,
    stance,
    usual_stance,
    without_a_blade,
)
from tests.refusals import bad_input

from softstride import engine
from softstride.capture import ExternalForce, Points, Recording
from softstride.dynamics import estimate_loads, solve_id
from softstride.dynamics.blade.fit import identify_blade
from softstride.dynamics.blade.load_cell import BLIND, blade_force
from softstride.dynamics.blade.rows import with_stiffness
from softstride.errors import InputError
from softstride.kinematics import Motion, solve_ik
from softstride.model import Frame, ModelBuilder, Rod, Section


@pytest.fixture(scope="module")
def model():
    return runner()


@pytest.fixture(scope="module")
def trial():
    return usual_stance()


def error_of(found, force):
    """Return the error of each frame as a share of the force, shape (n,)."""
    return np.linalg.norm(found.force - force, axis=1) / np.linalg.norm(force, axis=1)


def rms_of(found, force):
    """Return the error of a trial as a share of the force, both root mean squares."""
    return float(np.sqrt(np.mean((found.force - force) ** 2) / np.mean(force**2)))


@pytest.mark.parametrize("unknown", ["force", "wrench"])
@pytest.mark.parametrize("moving", [False, True])
def test_a_consistent_deformation_gives_the_force(model, unknown, moving):
    """Strains by Newton's method on the engine's rows; inertia and damping of a moving blade are accounted for."""
    motion, recording = stance(model, pushes(6), moving=moving)
    truth = recording.forces[0]
    found = blade_force(model, motion, point=truth.point, unknown=unknown)
    assert np.abs(found.force - truth.force).max() < 1e-8 * np.abs(truth.force).max()
    assert np.abs(found.wrench.moment).max() < 1e-8
    assert found.misfit.max() < 1e-8 and found.observable.all() and found.seen.all()
    assert found.components[-3:] == ("force_x", "force_y", "force_z")
    assert len(found.components) == (3 if unknown == "force" else 6)


def test_the_socket_is_that_of_the_plates(model, trial):
    motion, recording = trial
    found = blade_force(model, motion, point=recording.forces[0].point)
    loads = solve_id(model, motion, recording)
    assert list(found.socket) == ["socket_r"]
    expected = loads.socket["socket_r"]
    assert np.abs(found.socket["socket_r"].values - expected.values).max() < 1e-7
    assert found.socket["socket_r"].link == "tibia_r"


def test_the_mass_of_the_body_does_not_matter(model, trial):
    """Only the rod's own rows are used: a body of twice the mass has the same force on its blade."""
    motion, recording = trial
    point = recording.forces[0].point
    double = heavier(model, 2.0)
    same = Motion(double, motion.time, motion.q, rates=motion.rates)
    first, second = blade_force(model, motion, point=point), blade_force(double, same, point=point)
    assert np.abs(first.force - second.force).max() < 1e-8
    assert second.limit == pytest.approx(9.80665 * double.mass)


def test_standard_deviations_are_those_of_repeated_measurements(model, trial):
    """By drawing: errors of the force by noise of the strains, in units of the stated standard deviation."""
    motion, recording = trial
    truth = recording.forces[0]
    z, sockets = [], []
    clean = blade_force(model, motion, point=truth.point).socket["socket_r"].values
    for seed in range(12):
        found = blade_force(
            model,
            noisy(motion, 0.01, seed),
            point=truth.point,
            strain_error=0.01,
            profile_error=0.0,
            blade_error=0.0,
            point_error=0.0,
        )
        z.append((found.force - truth.force) / found.std)
        sockets.append((found.socket["socket_r"].values - clean) / found.socket_std["socket_r"])
    assert np.all(np.abs(np.sqrt(np.mean(np.square(z), axis=(0, 1))) - 1.0) < 0.1)  # of 480 draws
    assert np.all(
        np.abs(np.sqrt(np.mean(np.square(sockets), axis=(0, 1))) - 1.0) < 0.2
    )  # weight, arm move too


def test_errors_of_stiffness_and_place(model, trial):
    """A blade softer by 5 % has a force smaller by 5 %: the standard deviation that a common error adds."""
    motion, recording = trial
    point = recording.forces[0].point
    none = {"profile_error": 0.0, "strain_error": 1e-6, "point_error": 0.0}
    found = blade_force(model, motion, point=point, blade_error=0.05, **none)
    assert np.allclose(found.std, np.abs(0.05 * found.force), rtol=1e-3, atol=1e-3)
    soft = runner(0.95)
    less = blade_force(soft, Motion(soft, motion.time, motion.q, rates=motion.rates), point=point)
    lost = (found.force - less.force) / np.linalg.norm(found.force, axis=1)[:, None]
    assert np.allclose(np.linalg.norm(lost, axis=1), 0.05, rtol=0.05)  # weight of the blade aside
    moved = [blade_force(model, motion, point=point + 1e-5 * axis, **none).force for axis in np.eye(3)]
    change = (np.stack(moved) - found.force) / 1e-5  # with a place on another section, too
    none["point_error"] = 0.004
    stated = blade_force(model, motion, point=point, blade_error=0.0, **none).std
    linear = 0.004 * np.sqrt((change**2).sum(axis=0))
    assert np.all(np.abs(np.log(stated / linear)) < np.log(3.0))
    assert np.median(np.abs(np.log(stated / linear))) < np.log(1.3)


def straight(free=("kx", "ky", "kz")):
    """Return a straight blade that hangs down from the world: 0.4 m, 5 segments, no gravity."""
    builder = ModelBuilder("straight", gravity=(0.0, 0.0, 0.0))
    down = np.array(
        [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    )  # rod's x to -y of the world, y to x
    section = Section.rectangle(0.06, 0.01, density=1600.0, young=60e9, shear=5e9)
    builder.rod("blade", rod=Rod.uniform(0.4, 5, section, free=free), rotation=down)
    return builder.build()


def cantilever(model, force):
    """Return the motion of one frame of a straight blade under a small force at its tip, by beam theory."""
    rod = model.link("blade").joint
    middle = 0.08 * (np.arange(5) + 0.5)
    k = np.diag(rod.segments[0].stiffness)
    q = np.zeros((5, 3))
    # section axes in the world: x down, y forward (x of the world), z to the right
    q[:, 1], q[:, 2] = -force[2] * (0.4 - middle) / k[1], force[0] * (0.4 - middle) / k[2]
    still = np.zeros((1, 15))
    return Motion(model, [0.0], q.reshape(1, 15), rates=(still, still))


def test_a_force_along_a_straight_blade_bends_nothing():
    """Closed form: a cantilever under a transverse force at its tip; the force along it is not seen, and said so."""
    model = straight()
    force = np.array([2e-3, 0.0, -1e-3])
    motion = cantilever(model, force)
    tip = engine.positions(model, motion.q, "blade")
    found = blade_force(model, motion, point=tip, limit=500.0, strain_error=1e-3)
    assert np.allclose(found.force, force, rtol=1e-4, atol=1e-8)
    assert found.observable.tolist() == [[True, False, True]]
    assert found.seen.tolist() == [[True, True, False]]
    assert abs(found.directions[0, 2, 1]) > 1.0 - 1e-6 and found.direction_std[0, 2] > 0.01 * BLIND
    assert "does not tell of a load along (0.00, 1.00, 0.00)" in str(found.notes[-1])
    sigma = 1e-3 * 0.08 * np.diag(model.link("blade").joint.segments[0].stiffness)[1:3]
    arms = 0.08 * (0.4 - 0.08 * (np.arange(5) + 0.5))
    expected = np.sort(sigma / np.linalg.norm(arms))
    assert np.allclose(found.direction_std[0, :2], expected, rtol=1e-6)


def test_a_blade_that_bends_one_way_sees_one_component():
    model = straight(free=("ky",))
    still = np.zeros((1, 5))
    motion = Motion(model, [0.0], still, rates=(still, still))
    found = blade_force(model, motion, point=(0.0, -0.4, 0.0), limit=500.0)
    assert found.observable.tolist() == [[False, False, True]] and found.seen.sum() == 1


def test_a_bent_blade_sees_every_direction(model, trial):
    """A curved blade is bent by forces of every direction: in-plane to some newtons, the vertical worst."""
    found = blade_force(model, trial[0], point=trial[1].forces[0].point)
    assert found.observable.all() and len(found.notes) == 1
    assert np.all(
        found.direction_std.max(axis=0) < (5.0, 20.0, 40.0)
    )  # with 0.02 1/m of noise in the strains


def test_the_place_of_contact_is_found():
    """Pressed where its sole is lowest, which is for the load cell to find: place within 3 mm, force within 3 %."""
    model, blade, n = runner(), packaged("j-medium"), 6
    force = pushes(n)
    q, point = rolling(model, blade, force, leaning(model, n))
    still = np.zeros((n, model.nv))
    found = blade_force(model, Motion(model, np.arange(n) / 100.0, q, rates=(still, still)))
    assert np.linalg.norm(found.wrench.point - point, axis=1).max() < 0.003
    assert error_of(found, force).max() < 0.03
    assert np.all(np.abs(found.force - force) < 2.0 * found.std)


@pytest.mark.slow
def test_a_coarser_blade_than_the_true_one():
    """Truth has 24 segments. Fewer are stiffer, a part that falls with the square of their number.

    With six, calibrated by another trial with plates, the force is within 5 %; with twelve without calibration.
    """
    fine, n = finer(4), 5
    truth = runner(blade=fine)
    force, other = pushes(n), pushes(n, peak=900.0, seed=9)
    q, _ = rolling(truth, fine, force, leaning(truth, n))
    q_other, point_other = rolling(truth, fine, other, leaning(truth, n)[::-1])
    errors = {}
    for count, blade in ((6, packaged("j-medium")), (12, finer(2))):
        model = runner(blade=blade)
        still = np.zeros((n, model.nv))
        time = np.arange(n) / 100.0
        seen = Motion(model, time, coarser(truth, fine, q, model, blade), rates=(still, still))
        errors[count] = rms_of(blade_force(model, seen), force)
        if count == 6:
            before = Motion(model, time, coarser(truth, fine, q_other, model, blade), rates=(still, still))
            plate = ExternalForce("plate", time, other, point_other, np.zeros_like(other), body=ROD)
            fit = identify_blade(model, before, Recording("b", forces=(plate,)), scales="segments")
            after = Motion(fit.model, time, seen.q, rates=seen.rates)
            errors["calibrated"] = rms_of(blade_force(fit.model, after), force)
    assert errors["calibrated"] < 0.04
    assert errors[12] < 0.03 and errors[12] < 0.5 * errors[6] < 0.05


def test_standard_deviations_of_markers_are_used(model):
    """A motion from markers knows how well it knows its strains."""
    n = 5
    force = pushes(n)
    q = bend(
        model,
        leaning(model, n),
        *np.zeros((2, n, model.nv)),
        at_section(force, Frame(ROD, at=0.875 * model.link(ROD).joint.length)),
    )
    time = np.arange(n) / 100.0
    names = tuple(model.markers)
    noise = np.random.default_rng(1).normal(scale=2e-4, size=(n, len(names), 3))
    values = engine.positions(model, q, list(names)) + noise
    motion = solve_ik(model, Recording("m", markers=Points(time, names, values)))
    still = np.zeros((n, model.nv))
    motion = Motion(model, time, motion.q, rates=(still, still), fit=motion.fit)
    point = engine.positions(model, q, Frame(ROD, at=0.875 * model.link(ROD).joint.length))
    found = blade_force(model, motion, point=point)
    assert str(found.notes[0]).endswith("from the noise of the markers")
    columns = list(model.v_indices(ROD))
    assert 1e-3 < np.median(motion.std[:, columns]) < 1.0
    assert np.all(np.abs(found.force - force) < 4.0 * found.std)
    rough = Motion(model, time, motion.q, rates=(still, still))
    assert not np.allclose(blade_force(model, rough, point=point).std, found.std)


@pytest.fixture(scope="module")
def hopping(model):
    return hop(model, packaged("j-medium"), n=12)


@pytest.mark.parametrize("factor", [0.95, 1.05])
def test_the_blade_corrects_a_body_of_the_wrong_mass(model, hopping, factor):
    """The base asks for 5 % too much or too little; rows of the blade draw the ground reaction to the truth."""
    motion, force, _ = hopping
    wrong = heavier(model, factor)
    same = Motion(wrong, motion.time, motion.q, rates=motion.rates)
    error = {}
    for name, options in {
        "without": {"load_cell": False},
        "with": {},
        "sharper": {"blade_error": 0.02, "strain_error": 0.005},
    }.items():
        loads = estimate_loads(wrong, same, lowpass=None, **options)
        found = loads.wrenches["ground_right"].force
        error[name] = float(np.sqrt(np.mean((found - force) ** 2)) / np.sqrt(np.mean(force**2)))
    assert error["without"] == pytest.approx(0.05, abs=0.006)  # the prosthesis has its true mass
    assert error["sharper"] < error["with"] < error["without"]
    right = estimate_loads(model, motion, lowpass=None, load_cell=False).wrenches["ground_right"].force
    assert np.abs(right - force).max() < 5e-3 * np.abs(force).max()


def limp(model, motion):
    model = with_stiffness(model, ROD, np.zeros((6, 6)))
    return model, Motion(model, motion.time, motion.q, rates=motion.rates)


@bad_input(
    InputError,
    (without_a_blade, "has no rod"),
    ({"link": "tibia_l"}, "'tibia_l' is no rod and does not bend; rods are blade_r"),
    ({"link": "tail"}, "link 'tail' is none of model"),
    ({"motion": None}, "takes a Model and a Motion"),
    ({"unknown": "moment"}, "unknown must be 'force' or 'wrench'"),
    ({"point": np.zeros((2, 3))}, "point must have shape"),
    ({"point": (0.0, np.nan, 0.0)}, "point must be finite"),
    ({"strain_error": 0.0}, "strain_error must be a number above 0, however it is 0"),
    ({"blade_error": -0.1}, "blade_error must be a number of 0 or more, however it is -0.1"),
    (limp, "rod 'blade_r' has no stiffness"),
)
def test_what_a_load_cell_refuses(refuses, model, trial):
    refuses(blade_force, model=model, motion=trial[0])
