"""A stance of the planar walker: inputs reproduce the reference, both contacts run on them, falls are told."""

from dataclasses import replace

import numpy as np
import pytest
from tests.gait.planar_walk.test_reference import changed

from softstride import engine
from softstride.contact import three_sphere_foot
from softstride.errors import InputError
from softstride.gait.planar_walk import Gains, packaged_stance, planar_model, simulate_stance, walk
from softstride.gait.planar_walk.actuation import ComputedTorque, GivenForce
from softstride.gait.planar_walk.model import driven_names
from softstride.gait.planar_walk.reference import COORDINATES
from softstride.gait.planar_walk.result import _on_floor
from softstride.gait.planar_walk.stance import stance_task
from softstride.model import Frame
from softstride.notes import codes
from softstride.simulation import DrivenCoordinates
from softstride.simulation.constraints import ConstraintSet
from softstride.simulation.system import System

SPHERES = three_sphere_foot(1.5).contact


@pytest.fixture(scope="module")
def packaged():
    return packaged_stance()


@pytest.fixture(scope="module")
def results():
    return {contact: walk(contact) for contact in ("rolling", "spheres")}


def ground(packaged):
    found = packaged.rollover
    return {"surface": found.surface, "origin": found.origin, "floor": found.floor}


def test_with_the_measured_force_the_walker_does_what_was_measured(packaged):
    """Driven joints and computed torque are the inverse of the dynamics: accelerations are those of the reference."""
    model, reference = planar_model(packaged.body), packaged.reference
    feet = {side: Frame(f"foot_{side}") for side in "rl"}
    names = driven_names("l")
    system = System(
        model,
        constraints=ConstraintSet(model, [DrivenCoordinates(names, reference.part(names))]),
        fields=(
            ComputedTorque(reference, "ankle_l", Gains(), feet),
            GivenForce(feet["r"], reference.forces["r"]),
            GivenForce(feet["l"], reference.forces["l"]),
        ),
    )
    t = np.linspace(0.65, 1.0, 9)
    q, v = (np.stack(part) for part in zip(*(reference.state(model, each) for each in t), strict=True))
    a, moments = system.acceleration(t, q, v)
    places = [model.coordinate_names.index(name) for name in COORDINATES]
    np.testing.assert_allclose(a[:, places], reference.course(t, 2), atol=1e-8)
    assert np.max(np.abs(moments)) > 20.0, "the drives work"


def test_off_the_reference_the_error_dies_out_as_the_gains_say(packaged):
    """Pelvis: e'' + 2 w e' + w^2 e = 0; ankle: stiffness and damping add to the moment."""
    model, reference = planar_model(packaged.body), packaged.reference
    feet = {side: Frame(f"foot_{side}") for side in "rl"}
    gains = Gains(pelvis=8.0, damping=0.7, ankle_stiffness=300.0, ankle_damping=9.0)
    control = ComputedTorque(reference, "ankle_l", gains, feet)
    t = np.array([0.8])
    q, v = (part[None] for part in reference.state(model, 0.8))
    off, slow = q.copy(), v.copy()
    off[0, 1] += 0.01
    slow[0, 0] -= 0.1
    change = control.forces(model, t, off, slow) - control.forces(model, t, q, v)
    M = engine.mass_matrix(model, q)[0]
    wanted = np.zeros(model.nv)
    wanted[0], wanted[1] = 2.0 * 0.7 * 8.0 * 0.1, -64.0 * 0.01
    ankle = model.coordinate_names.index("ankle_l")
    held = [0, 1, 2, ankle]
    # lifting the body also changes the moment of the measured force about its joints by nothing but the shift
    shifted = GivenForce(feet["l"], reference.forces["l"]), GivenForce(feet["r"], reference.forces["r"])
    moved = sum(each.forces(model, t, off, v) - each.forces(model, t, q, v) for each in shifted)
    np.testing.assert_allclose(change[0, held], (M @ wanted - moved[0])[held], atol=1e-6)
    turned, turning = q.copy(), v.copy()
    turned[0, ankle] += 0.02
    turning[0, ankle] += 0.5
    stiff = control.forces(model, t, turned, turning)[0, ankle]
    loose = ComputedTorque(reference, "ankle_l", replace(gains, ankle_stiffness=0.0, ankle_damping=0.0), feet)
    assert stiff - loose.forces(model, t, turned, turning)[0, ankle] == pytest.approx(
        -300.0 * 0.02 - 9.0 * 0.5
    )


@pytest.mark.parametrize("contact", ["rolling", "spheres"])
def test_a_stance_is_simulated_and_certifies_itself(results, contact):
    result = results[contact]
    assert result.completed and result.ended == "" and result.contact == contact
    assert result.certificate.least_force > 100.0 and result.certificate.friction_margin > 0.0
    assert result.certificate.constraint_drift < 1e-11
    assert result.certificate.tilt_outside == ""
    assert result.certificate.energy_gap < {"rolling": 1e-4, "spheres": 0.02}[contact]
    assert result.ankle_rms_deg < 3.0
    assert result.motion.time[0] == pytest.approx(0.615 + 0.03 * 1.05)
    assert result.motion.time[-1] == pytest.approx(0.615 + 0.35 * 1.05)
    labels = {event.label: event for event in result.motion.events}
    assert labels["off"].side == "right" and labels["off"].time == pytest.approx(0.71, abs=0.01)
    assert labels["foot flat"].side == "left"


def test_both_contacts_have_the_same_inputs_and_rolling_is_no_worse(results):
    rolling, spheres = results["rolling"], results["spheres"]
    assert rolling.reference is spheres.reference
    assert rolling.ankle_rms_deg < spheres.ankle_rms_deg
    assert rolling.motion.coordinate("hip_l")[0] == pytest.approx(
        spheres.motion.coordinate("hip_l")[0], abs=1e-12
    )
    assert rolling.motion.coordinate("ankle_l")[0] == pytest.approx(
        spheres.motion.coordinate("ankle_l")[0], abs=1e-12
    )
    frames, force = rolling.measured_force()
    simulated = np.interp(frames, rolling.motion.time, rolling.ground.force[:, 1])
    assert np.sqrt(np.mean((simulated - force[:, 1]) ** 2)) < 0.1 * force[:, 1].max()


@pytest.mark.parametrize("contact", ["rolling", "spheres"])
def test_loads_are_the_forces_that_were_simulated(packaged, results, contact):
    """Inverse dynamics of the result: computed torque at pelvis and ankle, drives at the driven joints."""
    result = results[contact]
    task = stance_task(
        packaged.body, packaged.reference, contact, packaged.rollover.surface, packaged.rollover.origin,
        packaged.rollover.floor, SPHERES, Gains(), (0.03, 0.35),
    )  # fmt: skip
    motion, model = result.motion, task.model
    control = task.fields[0].forces(model, motion.time, motion.q, motion.v)
    held = [model.coordinate_names.index(name) for name in ("pelvis_x", "pelvis_y", "pelvis_tilt", "ankle_l")]
    np.testing.assert_allclose(result.loads.tau[:, held], control[:, held], atol=2e-4)
    system = System(model, constraints=ConstraintSet(model, task.constraints), fields=task.fields)
    _, drives = system.acceleration(motion.time, motion.q, motion.v)
    driven = [model.coordinate_names.index(name) for name in driven_names("l")]
    np.testing.assert_allclose(result.loads.tau[:, driven], drives[:, : len(driven)], atol=2e-4)
    if contact == "spheres":
        toes = model.coordinate_names.index("mtp_l")
        np.testing.assert_allclose(result.loads.active[:, toes], 0.0, atol=2e-4)  # a spring alone
    np.testing.assert_allclose(
        motion.coordinate("knee_r"), packaged.reference.part(("knee_r",))(motion.time)[:, 0], atol=1e-10
    )


def test_the_centre_of_pressure_of_a_rolling_foot_is_on_its_surface(packaged, results):
    result = results["rolling"]
    place = packaged.rollover.origin + packaged.rollover.surface.s(result.tilt)
    np.testing.assert_allclose(result.ground.point[:, 0], place, atol=1e-12)
    np.testing.assert_allclose(result.ground.point[:, 1], packaged.rollover.floor, atol=1e-12)


def test_stick_figures_are_joined(results):
    for result in results.values():
        lines = result.sticks()
        assert set(lines) == {"trunk", "leg_r", "leg_l", "foot_r", "foot_l"}
        np.testing.assert_array_equal(lines["trunk"][:, 0], lines["leg_r"][:, 0])
        np.testing.assert_array_equal(lines["leg_l"][:, -1], lines["foot_l"][:, 0])
        assert lines["trunk"].shape == (len(result.motion), 3, 2)


@pytest.mark.slow
def test_a_result_does_not_depend_on_the_tolerance(packaged):
    tight = simulate_stance(packaged.body, packaged.reference, rtol=1e-9, **ground(packaged))
    usual = simulate_stance(packaged.body, packaged.reference, **ground(packaged))
    assert abs(tight.ankle[-1] - usual.ankle[-1]) < 1e-5
    assert tight.certificate.energy_gap < 1e-5  # by quadrature between steps of 2 ms


@pytest.mark.slow
def test_a_walker_that_falls_says_when(packaged):
    """Knee and hip of the standing leg are driven to fold, and nothing holds the pelvis up."""
    time = packaged.reference.time
    fold = 0.5 * (1.0 - np.cos(np.pi * np.clip((time - 0.7) / 0.3, 0.0, 1.0)))
    folding = dict(packaged.reference.measured)
    folding["knee_l"] = folding["knee_l"] + 2.4 * fold
    folding["hip_l"] = folding["hip_l"] + 1.2 * fold
    reference = changed(packaged.reference, measured=folding)
    loose = Gains(pelvis=0.0, ankle_stiffness=0.0)
    result = simulate_stance(
        packaged.body, reference, contact="spheres", spheres=SPHERES, gains=loose, window=(0.05, 0.6)
    )
    assert not result.completed and "fell at" in result.ended and "hips are below" in result.ended
    assert codes(result.motion.notes) == ("stance.ended",)
    assert str(result.motion.notes[0]) == result.ended
    assert result.motion.time[-1] < reference.instant(0.6)
    height = result.motion.coordinate("pelvis_y")
    assert height[-1] == pytest.approx(0.6 * packaged.body.hip_height, abs=1e-6) and height[0] > 0.8


def test_a_ground_that_would_have_to_pull_ends_the_rolling(packaged):
    """The pelvis is pushed up with twice its weight."""
    light = {side: -1.0 * wrench for side, wrench in packaged.reference.wrenches.items()}
    reference = changed(packaged.reference, wrenches=light)
    result = simulate_stance(packaged.body, reference, gains=Gains(pelvis=0.0), **ground(packaged))
    assert not result.completed and "would have to pull" in result.ended


def test_a_limit_of_steps_returns_what_there_is(packaged):
    result = simulate_stance(packaged.body, packaged.reference, max_steps=20, **ground(packaged))
    assert not result.completed and "max_steps = 20" in result.ended
    assert len(result.motion) == 21


@pytest.mark.parametrize("contact", ["rolling", "spheres"])
def test_a_start_off_the_floor_is_refused(packaged, contact):
    there = ground(packaged) | {"contact": contact, "spheres": SPHERES}
    with pytest.raises(InputError, match=r"starts 0\.\d+ m below the floor"):
        simulate_stance(packaged.body, packaged.reference, **(there | {"floor": 0.08}))
    with pytest.raises(InputError, match="above the floor"):
        simulate_stance(packaged.body, packaged.reference, **(there | {"floor": -0.08}))


def test_a_step_that_cannot_hold_the_springs_is_refused(packaged):
    with pytest.raises(InputError, match=r"'rk4' cannot hold.*largest stable step is \S+e-05 s.*rosenbrock"):
        simulate_stance(packaged.body, packaged.reference, contact="spheres", method="rk4", dt=1e-3)
    fine = simulate_stance(
        packaged.body, packaged.reference, method="rk4", dt=2e-3, window=(0.03, 0.1), **ground(packaged)
    )
    assert fine.completed, "rolling needs no small steps"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"contact": "air"}, "contact must be 'rolling' or 'spheres'"),
        ({"contact": "rolling"}, "needs a surface"),
        ({"window": (0.3, 0.1), "contact": "spheres"}, "two rising shares"),
        ({"window": (0.03, 1.5), "contact": "spheres"}, r"covers 0.56 to 1.6 s.*2.19"),
    ],
)
def test_what_makes_no_stance_is_told(packaged, options, words):
    with pytest.raises(InputError, match=words):
        simulate_stance(packaged.body, packaged.reference, **options)
    with pytest.raises(InputError, match="ankle_damping of the gains"):
        Gains(ankle_damping=-1.0)
    soft = three_sphere_foot(stiffness=(300.0, 300.0, 300.0)).contact
    with pytest.raises(InputError, match="cannot carry the"):
        simulate_stance(packaged.body, packaged.reference, contact="spheres", spheres=soft)


@pytest.mark.parametrize("floor", [0.12, -0.05])
def test_a_force_acts_on_the_floor_wherever_that_is(floor):
    """A force of known place on a raised floor, told as a wrench about the origin: its place comes back."""
    force = np.array([[80.0, 700.0], [-60.0, 500.0], [5.0, 0.0]])
    place = np.array([0.3, 0.41, 0.0])
    wrench = np.column_stack([force, place * force[:, 1] - floor * force[:, 0]])
    found = _on_floor("foot_r", wrench, floor)
    np.testing.assert_allclose(found.point[:2], [[0.3, floor, 0.0], [0.41, floor, 0.0]], atol=1e-15)
    np.testing.assert_array_equal(found.force[:, :2], [[80.0, 700.0], [-60.0, 500.0], [0.0, 0.0]])
    assert np.isnan(found.point[2]).all()  # nothing presses
