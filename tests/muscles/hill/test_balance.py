"""Fibres in balance with elastic tendons: the balance itself, its properties, and OpenSim's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.models import the_model
from tests.muscles.hill.made import SETS, model, muscle, random_states

from softstride.errors import InputError
from softstride.muscles import equilibrium, fibre_dynamics, hill_muscles, rigid_tendon
from softstride.notes import codes

MIXED = hill_muscles(model(*(muscle(each, each) for each in SETS)))


def balance(hill, state, activation):
    """Return tendon force minus fibre force along the tendon over the maximal force, from the curves by name."""
    length, velocity = (
        state.fibre_length / hill.fibre_length,
        state.fibre_velocity / (hill.fibre_length * hill.max_velocity),
    )
    top = np.where(np.array(hill.curves) == "thelen2003", 0.25 + 0.75 * activation, 1.0)
    fibre = activation * hill.active_length(length)[0] * hill.force_velocity(velocity / top)[0]
    fibre += hill.passive_length(length)[0] + hill.damping * velocity
    return hill.tendon_force(state.tendon_length / hill.tendon_length)[0] - fibre * np.cos(state.pennation)


@pytest.mark.parametrize("moving", [False, True])
def test_fibre_and_tendon_pull_alike(moving):
    length, speed = random_states(MIXED, 300, shortest=0.6, longest=1.5, fastest=0.3)
    activation = np.random.default_rng(3).uniform(0.05, 1.0, length.shape)
    state = equilibrium(MIXED, length, speed if moving else None, activation)
    assert state.converged.all() and np.abs(state.residual).max() <= 1e-9 * 1000.0
    elastic = ~MIXED.rigid & (state.damping + state.passive + activation * state.active > 1e-9)
    assert np.abs(balance(MIXED, state, activation)[elastic]).max() < 1e-11
    force = state.tendon_force(activation)
    tendon = MIXED.max_force * MIXED.tendon_force(state.tendon_length / MIXED.tendon_length)[0]
    np.testing.assert_allclose(force[elastic], tendon[elastic], rtol=1e-9, atol=1e-8)


def test_the_balance_is_stable():
    """A little more fibre, a little less tendon: the fibre must then pull more than the tendon."""
    length, _ = random_states(MIXED, 200, longest=1.7)
    state = equilibrium(MIXED, length, None, 0.7)
    h = 1e-7

    def excess(along):
        fibre = np.sqrt(along**2 + MIXED.height**2)
        force = 0.7 * MIXED.active_length(fibre / MIXED.fibre_length)[0]
        force += MIXED.passive_length(fibre / MIXED.fibre_length)[0]
        return force * along / fibre - MIXED.tendon_force((length - along) / MIXED.tendon_length)[0]

    along = state.fibre_length * state.cosine
    assert (excess(along + h) > excess(along - h))[:, ~MIXED.rigid].all()


def test_a_stiff_tendon_is_a_rigid_one():
    """The stretch of the tendon, and with it the difference in force, goes with its strain at maximal force."""
    differences = []
    for strain in (0.02, 0.002, 0.0002):
        hill = hill_muscles(model(muscle(curves="thelen2003", parameters={"FmaxTendonStrain": strain})))
        length, speed = random_states(hill, 50, shortest=0.8, longest=1.2, fastest=0.2)
        rigid = rigid_tendon(hill, length, speed, activation=0.6).tendon_force(0.6)
        differences.append(np.abs(equilibrium(hill, length, speed, 0.6).tendon_force(0.6) - rigid).max())
    assert differences[1] < 0.2 * differences[0] and differences[2] < 0.2 * differences[1]


@given(
    st.sampled_from(SETS), st.floats(0.1, 2.0), st.floats(-0.6, 0.6), st.floats(0.0, 1.0), st.floats(0.0, 0.9),
    st.floats(0.02, 1.0),
)  # fmt: skip
def test_there_is_always_an_answer(curves, stretch, speed, activation, pennation, tendon):
    """Any path, speed, activation, pennation and tendon: a balance, or a fibre at its least length."""
    one = muscle(curves=curves, pennation=pennation, tendon_length=tendon)
    hill = hill_muscles(model(one))
    state = equilibrium(hill, [[tendon + 0.1 * stretch]], [[speed]], [[activation]])
    assert state.converged.all()
    assert (
        np.isfinite(state.fibre_length).all() and (state.fibre_length >= hill.min_length * (1 - 1e-12)).all()
    )
    assert (state.tendon_force(activation) >= 0.0).all()
    assert bool(state.short[0, 0]) == ("fibres.too-short" in codes(state.notes))


def test_a_path_that_is_too_short_is_said():
    hill = hill_muscles(model(muscle("soleus"), muscle("gracilis", "thelen2003")))
    length = np.array([[0.3, 0.3], [0.205, 0.3], [0.2, 0.3], [0.3, 0.15]])
    for state in (equilibrium(hill, length), rigid_tendon(hill, length)):
        np.testing.assert_array_equal(
            state.short, [[False, False], [True, False], [True, False], [False, True]]
        )
        short = {note.names: str(note) for note in state.notes if note.code == "fibres.too-short"}
        assert "'soleus' cannot reach its minimum fibre length in frames 1 to 2" in short["soleus",]
        assert "'gracilis'" in short["gracilis",] and "frame 3" in short["gracilis",]
        np.testing.assert_array_equal(state.tendon_force(1.0)[state.short], 0.0)
        np.testing.assert_array_equal(
            state.fibre_length[state.short], np.broadcast_to(hill.min_length, length.shape)[state.short]
        )


@pytest.mark.parametrize("strain", [1e-4, 5e-4, 1e-3])
def test_a_fibre_that_would_be_shorter_leaves_its_tendon_what_its_strain_says(strain):
    """At its least length the fibre would pull harder than the tendon does: the force is the tendon's, whatever it is.

    Thelen's fibre at 84 degrees, fully active, pulls with 3 % of its force along the tendon; a tendon of this strain
    with less. It is passive force: activation does not change it.
    """
    hill = hill_muscles(model(muscle(curves="thelen2003")))
    along = np.sqrt(hill.min_length**2 - hill.height**2)
    tendon = hill.max_force * hill.tendon_force([1.0 + strain])[0]
    for state in (
        equilibrium(hill, along + hill.tendon_length * (1.0 + strain)),
        fibre_dynamics(hill, [0.0], [along + hill.tendon_length * (1.0 + strain)]),
    ):
        assert state.short[0, 0] and state.fibre_length[0, 0] == hill.min_length[0]
        assert 0.0 < tendon[0] < 0.03 * hill.max_force[0]
        assert state.passive[0] == pytest.approx(tendon, rel=1e-9)
        assert state.tendon_force(1.0)[0] == pytest.approx(tendon, rel=1e-9)
        assert state.active[0, 0] == state.damping[0, 0] == state.residual[0, 0] == 0.0


def test_nan_stays_where_it_is():
    length = np.array([[0.3, 0.3], [np.nan, 0.3]])
    hill = hill_muscles(model(muscle("a"), muscle("b", "thelen2003")))
    for state in (equilibrium(hill, length, None, 0.5), rigid_tendon(hill, length)):
        for part in (
            state.fibre_length,
            state.active,
            state.passive,
            state.pennation,
            state.tendon_force(0.5),
        ):
            np.testing.assert_array_equal(np.isnan(part), [[False, False], [True, False]])
        assert not state.notes
        np.testing.assert_array_equal(state.converged, [[True, True], [False, True]])
    unknown = equilibrium(hill, [0.3, 0.3], None, [0.5, np.nan])
    np.testing.assert_array_equal(np.isnan(unknown.fibre_length), [[False, True]])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([0.3, 0.3],), r"shape \(n_frames, 1\)"),
        (([[np.inf]],), "frame 0 of 'm' is infinite"),
        (([["x"]],), "real numbers"),
        (([[0.3]], [[0.0], [0.0]]), "as many frames"),
        (([[0.3]], None, 1.5), "between 0 and 1, however that of 'm' is 1.5 in frame 0"),
        (([[0.3]], None, -0.1), "between 0 and 1"),
    ],
)
def test_bad_input_is_refused(arguments, words):
    with pytest.raises(InputError, match=words):
        equilibrium(hill_muscles(model(muscle())), *arguments)


def opensim_cases():
    for curves in ("thelen2003", "millard2012", "degrootefregly2016"):
        for pennation in (0.0, 0.4):
            yield curves, pennation, {}
    yield "millard2012", 0.3, {"fiber_damping": 0.0}
    yield "millard2012", 0.3, {"TendonForceLengthCurve.strain_at_one_norm_force": 0.1}
    yield "thelen2003", 0.3, {"FmaxTendonStrain": 0.033, "KshapePassive": 4.0, "Flen": 1.8}


@pytest.mark.parametrize(("curves", "pennation", "parameters"), list(opensim_cases()))
def test_static_balance_is_opensims(curves, pennation, parameters):
    """OpenSim stops at 1e-8 of the maximal force (De Groote's bisection: at 1e-10 of it)."""
    pytest.importorskip("opensim")
    from tests.oracles.opensim_muscle import Slider

    one = muscle(curves=curves, pennation=pennation, parameters=parameters)
    slider, hill = Slider(one), hill_muscles(model(one))
    compared = 0
    for stretch in np.linspace(0.6, 1.5, 10):
        for activation in (0.02, 0.3, 1.0):
            length = 0.2 + 0.1 * stretch * np.cos(pennation)
            mine = equilibrium(hill, [[length]], None, activation)
            if mine.tendon_force(activation)[0, 0] < 1e-3:
                continue  # slack: any fibre length is one
            theirs = slider.equilibrium(length, 0.0, activation)
            assert mine.tendon_force(activation)[0, 0] == pytest.approx(theirs.tendon_force, abs=1e-4)
            assert mine.fibre_length[0, 0] == pytest.approx(theirs.fibre_length, abs=1e-8)
            assert mine.tendon_length[0, 0] == pytest.approx(theirs.tendon_length, abs=1e-8)
            assert mine.pennation[0, 0] == pytest.approx(theirs.pennation, abs=1e-6)
            compared += 1
    assert compared >= 20


def test_a_moving_path_is_de_grootes():
    """OpenSim's DeGrooteFregly2016 muscle keeps the tendon force still too, so that the fibre takes all the speed."""
    pytest.importorskip("opensim")
    from tests.oracles.opensim_muscle import Slider

    one = muscle(curves="degrootefregly2016")
    slider, hill = Slider(one), hill_muscles(model(one))
    for speed in (-0.4, -0.1, 0.2, 0.6):
        mine = equilibrium(hill, [[0.31]], [[speed]], 0.5)
        theirs = slider.equilibrium(0.31, speed, 0.5)
        assert mine.tendon_force(0.5)[0, 0] == pytest.approx(theirs.tendon_force, abs=1e-4)
        assert mine.fibre_length[0, 0] == pytest.approx(theirs.fibre_length, abs=1e-8)


def test_schuttes_balance_is_opensims():
    """Its old solver stops at 0.01 N."""
    pytest.importorskip("opensim")
    from tests.oracles.opensim_muscle import Slider

    one = muscle(curves="schutte1993")
    slider, hill = Slider(one), hill_muscles(model(one))
    for length in (0.28, 0.3, 0.31, 0.33):
        for activation in (0.1, 0.5, 1.0):
            slider.move(length, 0.0)
            slider.muscle.setActivation(slider.state, activation)
            slider.muscle.computeEquilibrium(slider.state)
            slider.model.realizeDynamics(slider.state)
            mine = equilibrium(hill, [[length]], None, activation)
            theirs = slider.muscle.getActuation(slider.state)
            assert mine.tendon_force(activation)[0, 0] == pytest.approx(theirs, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(
    "file",
    [
        "walk_rajagopal_emg/subject_walk_scaled.osim",
        "walk_gait2354/subject01_simbody.osim",
        "knee_gc5_ps/GC5.osim",
    ],
)
def test_every_muscle_of_a_model_balances_as_opensims(shared_data, file):
    """All muscles in the model's neutral pose; OpenSim stops at 1e-8 of the maximal force."""
    osim = pytest.importorskip("opensim")
    osim.Logger.setLevelString("Off")
    path = shared_data / file
    hill = hill_muscles(the_model(path))
    theirs = osim.Model(str(path))
    state = theirs.initSystem()
    theirs.realizeVelocity(state)
    muscles = {each.getName(): each for each in theirs.getMuscleList()}
    known = [muscles[name] for name in hill.names]
    length = np.array([each.getLength(state) for each in known])
    mine = equilibrium(hill, length, None, 0.3)
    assert mine.converged.all()
    compared = 0
    for j, each in enumerate(known):
        each.setActivation(state, 0.3)
        if mine.short[0, j] or mine.tendon_force(0.3)[0, j] < 1e-3:
            continue
        each.computeEquilibrium(state)
        theirs.realizeDynamics(state)
        force = each.getTendonForce(state)
        assert mine.tendon_force(0.3)[0, j] == pytest.approx(force, abs=2e-7 * hill.max_force[j]), hill.names[
            j
        ]
        assert mine.fibre_length[0, j] == pytest.approx(each.getFiberLength(state), abs=1e-8)
        compared += 1
    assert compared > 0.8 * len(hill)
