"""Fibres on rigid tendons, and the curves, beside OpenSim 4.6's own muscles."""

import numpy as np
import pytest
from tests.models import the_model
from tests.muscles.hill.made import model, muscle, random_states

from softstride.muscles import hill_muscles, rigid_tendon

osim = pytest.importorskip("opensim", reason="the peer of these tests")

from tests.oracles.opensim_muscle import Slider  # noqa: E402

ROUNDING = 1e-11
"""Of the maximal force: our tables meet the curves to 1e-12, OpenSim solves for its Bezier parameters to 2e-14."""

THELEN_SOLVED = 1e-6
"""OpenSim inverts Thelen's force-velocity relation to 1e-6 of a velocity; ours is solved exactly."""

MILLARD = {
    "ActiveForceLengthCurve.min_norm_active_fiber_length": 0.25,
    "ActiveForceLengthCurve.transition_norm_fiber_length": 0.77,
    "ActiveForceLengthCurve.max_norm_active_fiber_length": 1.9,
    "ActiveForceLengthCurve.shallow_ascending_slope": 0.75,
    "ForceVelocityCurve.isometric_slope": 4.0,
    "ForceVelocityCurve.max_eccentric_velocity_force_multiplier": 1.6,
    "FiberForceLengthCurve.strain_at_zero_force": -0.1,
    "FiberForceLengthCurve.strain_at_one_norm_force": 0.6,
    "FiberForceLengthCurve.stiffness_at_low_force": 0.25,
    "FiberForceLengthCurve.stiffness_at_one_norm_force": 3.0,
    "FiberForceLengthCurve.curviness": 0.6,
    "TendonForceLengthCurve.strain_at_one_norm_force": 0.06,
    "fiber_damping": 0.01,
}
THELEN = {
    "FmaxTendonStrain": 0.033, "FmaxMuscleStrain": 0.55, "KshapeActive": 0.5, "KshapePassive": 4.0, "Af": 0.3,
    "Flen": 1.8,
}  # fmt: skip
DEGROOTE = {"active_force_width_scale": 1.3, "passive_fiber_strain_at_one_norm_force": 0.5}

CASES = [
    ("thelen2003", {}), ("thelen2003", THELEN), ("millard2012", {}), ("millard2012", MILLARD),
    ("millard2012", {"fiber_damping": 0.0}), ("degrootefregly2016", {}), ("degrootefregly2016", DEGROOTE),
]  # fmt: skip


def ours_and_theirs(curves, parameters, pennation=0.3, fastest=0.99, **changes):
    one = muscle(curves=curves, parameters=parameters, pennation=pennation, **changes)
    hill = hill_muscles(model(one))
    length, speed = random_states(hill, 120, shortest=0.5, longest=1.6, fastest=fastest)
    return hill, Slider(one), length, speed


@pytest.mark.parametrize("pennation", [0.0, 0.3])
@pytest.mark.parametrize(("curves", "parameters"), CASES)
def test_the_strength_of_static_optimisation_is_opensims(curves, parameters, pennation):
    """Projected as OpenSim projects, and, for unpennated muscles and Thelen's, in any case."""
    hill, slider, length, speed = ours_and_theirs(curves, parameters, pennation)
    theirs = np.array([slider.inextensible(*state) for state in zip(length[:, 0], speed[:, 0], strict=True)])
    tolerance = THELEN_SOLVED if curves == "thelen2003" else ROUNDING
    mine = rigid_tendon(hill, length, speed, as_opensim=True)
    np.testing.assert_allclose(mine.active[:, 0], theirs, atol=tolerance * 1000.0)
    honest = rigid_tendon(hill, length, speed).active[:, 0]
    if pennation == 0.0 or curves == "thelen2003":
        np.testing.assert_array_equal(honest, mine.active[:, 0])
    else:
        assert np.max(np.abs(honest - theirs)) > 10.0  # the projection is no small matter


@pytest.mark.parametrize("curves", ["millard2012", "degrootefregly2016"])
def test_a_muscle_with_a_rigid_tendon_pulls_as_opensims(curves):
    """With its true projection, passive force and damping: OpenSim's own muscle that ignores tendon compliance."""
    hill, slider, length, speed = ours_and_theirs(curves, {"fiber_damping": 0.05}, rigid_tendon=True)
    mine = rigid_tendon(hill, length, speed)
    for f, (L, V) in enumerate(zip(length[:, 0], speed[:, 0], strict=True)):
        slider.move(L, V, 0.4)
        theirs = slider.answer()
        assert mine.fibre_length[f, 0] == pytest.approx(theirs.fibre_length, abs=1e-14)
        assert mine.fibre_velocity[f, 0] == pytest.approx(theirs.fibre_velocity, abs=1e-13)
        assert mine.pennation[f, 0] == pytest.approx(theirs.pennation, abs=1e-12)
        assert mine.tendon_length[f, 0] == pytest.approx(0.2, abs=1e-14)
        force = max(theirs.tendon_force, 0.0)  # De Groote's damper may push
        assert mine.tendon_force(0.4)[f, 0] == pytest.approx(force, abs=1e-11 * 1000.0)


@pytest.mark.parametrize(
    ("kind", "curve", "lower", "upper"),
    [
        ("ForceVelocityCurve", "force_velocity", -1.4, 1.4),
        ("FiberForceLengthCurve", "passive_length", 0.2, 2.2),
        ("TendonForceLengthCurve", "tendon_force", 0.9, 1.2),
        ("ActiveForceLengthCurve", "active_length", 0.0, 2.4),
    ],
)
@pytest.mark.parametrize("parameters", [{}, MILLARD])
def test_millards_curves_and_slopes_are_opensims(kind, curve, lower, upper, parameters):
    numbers = {k: v for k, v in parameters.items() if k.startswith(kind)} | {
        "fiber_damping": 0.1,
    }
    slider = Slider(muscle(parameters=numbers))
    theirs = getattr(osim.Millard2012EquilibriumMuscle.safeDownCast(slider.muscle), f"get{kind}")()
    hill = hill_muscles(model(muscle(parameters=numbers)))
    x = np.linspace(lower, upper, 2001)
    value, slope = getattr(hill, curve)(x[:, None])
    np.testing.assert_allclose(value[:, 0], [theirs.calcValue(each) for each in x], atol=1e-11)
    np.testing.assert_allclose(
        slope[:, 0], [theirs.calcDerivative(each, 1) for each in x], rtol=1e-8, atol=1e-8
    )


@pytest.mark.parametrize("parameters", [{}, DEGROOTE])
def test_de_grootes_curves_and_slopes_are_opensims(parameters):
    one = muscle(curves="degrootefregly2016", parameters=parameters)
    slider = Slider(one)  # owns the muscle
    theirs = osim.DeGrooteFregly2016Muscle.safeDownCast(slider.muscle)
    hill = hill_muscles(model(one))
    lengths, speeds, tendons = (
        np.linspace(0.21, 1.8, 500),
        np.linspace(-1.5, 1.5, 500),
        np.linspace(1.0, 1.1, 500),
    )
    for mine, x, name in (
        (hill.active_length, lengths, "calcActiveForceLengthMultiplier"),
        (hill.passive_length, lengths, "calcPassiveForceMultiplier"),
        (hill.tendon_force, tendons, "calcTendonForceMultiplier"),
    ):
        value, slope = mine(x[:, None])
        np.testing.assert_allclose(value[:, 0], [getattr(theirs, name)(each) for each in x], atol=1e-11)
        derivative = [getattr(theirs, f"{name}Derivative")(each) for each in x]
        if name != "calcTendonForceMultiplier" or x[0] != 1.0:
            np.testing.assert_allclose(slope[1:, 0], derivative[1:], rtol=1e-8, atol=1e-8)
    value, _ = hill.force_velocity(speeds[:, None])
    np.testing.assert_allclose(
        value[:, 0], [theirs.calcForceVelocityMultiplier(x) for x in speeds], atol=1e-11
    )


@pytest.mark.parametrize("parameters", [{}, THELEN])
def test_thelens_length_curves_are_opensims(parameters):
    """Through the multipliers of a state with a set fibre length; the slopes are tested against differences."""
    one = muscle(curves="thelen2003", parameters=parameters)
    slider, hill = Slider(one), hill_muscles(model(one))
    for length in np.linspace(0.4, 1.9, 100):
        slider.move(0.31, 0.0, 0.5)
        slider.model.setStateVariableValue(
            slider.state, f"/forceset/{one.name}/fiber_length", length * one.fibre_length
        )
        theirs = slider.answer()
        assert hill.active_length([length])[0] == pytest.approx(theirs.active_multiplier, abs=1e-11)
        assert hill.passive_length([length])[0] == pytest.approx(theirs.passive_multiplier, abs=1e-11)
        stretched = theirs.tendon_length / one.tendon_length
        assert hill.tendon_force([stretched])[0] * 1000.0 == pytest.approx(theirs.tendon_force, abs=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize(
    "file",
    [
        "walk_rajagopal_emg/subject_walk_scaled.osim",
        "walk_gait2354/subject01_simbody.osim",
        "walk_opencap_s4/manually_scaled.osim",
        "knee_gc5_ps/GC5.osim",
        "planar_gait/moco_2d_walk/2D_gait.osim",
        "run_hamner_s01/final.osim",
    ],
)
def test_every_muscle_of_a_model_is_opensims(shared_data, file):
    """Strength of every muscle in a few random states, with all numbers as our reader found them in the file."""
    osim.Logger.setLevelString("Off")
    path = shared_data / file
    subject = the_model(path)
    hill = hill_muscles(subject)
    theirs = osim.Model(str(path))
    state = theirs.initSystem()
    muscles = {each.getName(): each for each in theirs.getMuscleList()}
    rng = np.random.default_rng(1)
    coordinates = [c for c in _coordinates(theirs) if not c.isConstrained(state)]
    for _ in range(3):
        for c in coordinates:
            low, high = max(c.getRangeMin(), -0.5), min(c.getRangeMax(), 0.5)
            c.setValue(state, float(rng.uniform(min(low, high), max(low, high))), False)
            c.setSpeedValue(state, float(rng.uniform(-1.0, 1.0)))
        theirs.assemble(state)
        theirs.realizeVelocity(state)
        known = [muscles[name] for name in hill.names]
        length = np.array([m.getLength(state) for m in known])
        speed = np.array([m.getLengtheningSpeed(state) for m in known])
        expected = np.array([m.calcInextensibleTendonActiveFiberForce(state, 1.0) for m in known])
        mine = rigid_tendon(hill, length, speed, as_opensim=True)
        clear = ~mine.short[0] & (mine.fibre_velocity[0] > -hill.fibre_length * hill.max_velocity)
        error = np.abs(mine.active[0] - expected) / hill.max_force
        assert error[clear].max() <= THELEN_SOLVED
        assert np.all(expected[mine.short[0]] == 0.0)
        assert clear.sum() > 0.8 * len(clear)


def _coordinates(theirs):
    return [theirs.getCoordinateSet().get(i) for i in range(theirs.getCoordinateSet().getSize())]
