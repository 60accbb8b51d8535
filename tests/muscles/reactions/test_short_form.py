"""`f(loads, ...)` beside `f(model, motion, loads, ...)`: the same answers, and clear words where loads do not know."""

from dataclasses import replace

import numpy as np
import pytest
from tests.models import walker
from tests.trials import pushed_walker

import softstride as ss
from softstride.dynamics import read_loads
from softstride.errors import InputError
from softstride.model.path import Path, PathPoint


@pytest.fixture(scope="module")
def trial():
    model, motion, recording = pushed_walker()
    path = Path((PathPoint("thigh_r", (0.05, -0.1, 0.0)), PathPoint("shank_r", (0.05, -0.1, 0.0))))
    model = model.replace(muscles={"quad": ss.Muscle("quad", path, 3000.0, 0.1, 0.3)})
    return model, motion, ss.solve_id(model, motion, recording, lowpass=6.0)


def quad(loads):
    return ss.solve_muscles(loads, coordinates=("knee_r",))


def test_both_forms_answer_the_same(trial):
    model, motion, loads = trial
    forces = quad(loads)
    assert np.array_equal(forces.force, ss.solve_muscles(*trial, coordinates=("knee_r",)).force)
    assert np.array_equal(forces.force, ss.solve_muscles(loads=loads, coordinates=("knee_r",)).force)
    named = ss.joint_reactions(loads=loads, forces=forces, on="parent")
    for found in (
        ss.joint_reactions(loads, forces, on="parent"),
        ss.joint_reactions(*trial, forces, on="parent"),
    ):
        assert np.array_equal(found.force, named.force) and found.evidence.state is loads.state
    bands = ss.load_bands(loads, noise=0.0)
    assert np.array_equal(bands.tau_std, ss.load_bands(model, motion, loads, noise=0.0).tau_std)


def test_loads_that_know_model_and_motion_are_not_looked_at_again(trial, monkeypatch):
    from softstride.dynamics import loads_state
    from softstride.kinematics import curve

    def never(*_, **__):
        raise AssertionError

    for name in ("prepare", "balance_of_forces"):
        monkeypatch.setattr(loads_state, name, never)
    monkeypatch.setattr(curve, "fit_curve", never)
    for given in ((trial[2],), trial):
        ss.joint_reactions(*given)
        ss.solve_muscles(*given, coordinates=("knee_r",))
        ss.load_bands(*given, noise=0.0)


def test_another_model_before_the_loads(trial):
    """A weaker person needs the same moments; a heavier one needs others, and joints that transmit them."""
    model, motion, loads = trial
    weak = model.replace(muscles={"quad": replace(model.muscles["quad"], max_force=300.0)})
    got = ss.solve_muscles(weak, motion, loads, coordinates=("knee_r",))
    assert got.model is weak and np.nanmax(got.force) < np.nanmax(quad(loads).force)
    same = ss.joint_reactions(weak, motion, loads)
    assert np.array_equal(same.force, ss.joint_reactions(loads).force)
    links = [replace(link, inertia=replace(link.inertia, mass=2.0 * link.mass)) for link in model.links]
    with pytest.raises(InputError, match="not those of this motion with a low pass of 6 Hz") as told:
        ss.joint_reactions(model.replace(links=tuple(links)), motion, loads)
    assert told.value.parameter == "loads" and told.value.names and told.value.frames


def test_another_motion_before_the_loads_is_refused(trial):
    model, motion, loads = trial
    twin = ss.Motion(model, motion.time, motion.q, motion.rates)
    assert np.array_equal(ss.joint_reactions(model, twin, loads).force, ss.joint_reactions(loads).force)
    other = ss.Motion(model, motion.time, 1.01 * motion.q)
    for function in (ss.solve_muscles, ss.joint_reactions, ss.load_bands):
        with pytest.raises(
            InputError, match="not those of this motion with a low pass of 6 Hz and 2 outside"
        ) as told:
            function(model, other, loads)
        assert told.value.parameter == "loads" and told.value.names and told.value.frames


@pytest.mark.parametrize("function", [ss.solve_muscles, ss.joint_reactions, ss.load_bands])
def test_loads_alone_that_do_not_know_their_motion_are_refused(trial, tmp_path, function):
    model, _, loads = trial
    loads.save(tmp_path / "id.sto")
    for each in (read_loads(tmp_path / "id.sto", model), replace(loads, lowpass=None)):
        with pytest.raises(
            InputError, match=f"do not know their motion.*give {function.__name__} the model"
        ) as told:
            function(each)
        assert told.value.parameter == "loads"


@pytest.mark.parametrize("function", [ss.solve_muscles, ss.joint_reactions, ss.load_bands])
def test_mixtures_are_refused(trial, function):
    model, motion, loads = trial
    mixed = [
        (),
        (model,),
        (motion, loads),
        (model, loads),
        (loads, motion),
        (loads, loads),
        (model, loads, motion),
    ]
    for given in mixed:
        with pytest.raises(InputError, match="takes a Model, a Motion and Loads, or Loads alone"):
            function(*given)
    for named in ({"loads": loads, "model": model}, {"loads": loads, "motion": motion}, {"loads": model}):
        with pytest.raises(InputError, match="takes a Model, a Motion and Loads, or Loads alone"):
            function(**named)


def test_a_low_pass_beside_loads_that_know_theirs(trial):
    for function in (ss.solve_muscles, ss.load_bands):
        with pytest.raises(InputError, match="low pass of 6 Hz, however lowpass is 8 Hz: leave it out"):
            function(trial[2], lowpass=8.0)


def test_bands_of_an_estimate_by_another_low_pass_are_refused():
    from tests.dynamics.estimate.people import swaying_loads

    loads = swaying_loads()
    with pytest.raises(
        InputError, match=r"made with .*, however estimate=EstimateOptions\(\.\.\.\) says"
    ) as told:
        ss.load_bands(loads, estimate=loads.options.changed(lowpass=4.5))
    assert told.value.parameter == "estimate"


def test_a_knee_of_reactions_that_know_their_model():
    model = walker()
    reactions = ss.joint_reactions(ss.solve_id(*pushed_walker()))
    given = {"medial": (0.0, 0.0, -0.02), "lateral": (0.0, 0.0, 0.02), "shank": "shank_r"}
    long = ss.knee_contact(reactions, model, "right", **given)
    for short in (
        ss.knee_contact(reactions, "right", **given),
        ss.knee_contact(reactions, side="right", **given),
    ):
        assert np.array_equal(short.medial, long.medial)
    for wrong in ((), (model,), ("right", "left")):
        with pytest.raises(InputError, match="takes JointReactions and a side"):
            ss.knee_contact(reactions, *wrong)


def changed_loads(model, loads):
    """Yield loads that are not what the solver returned, and whether a model goes with them."""
    yield replace(loads, wrenches={}), model
    yield replace(loads, tau=2.0 * loads.tau), model
    heavier = model.replace(gravity=(0.0, -20.0, 0.0))
    yield replace(loads, model=heavier), heavier


@pytest.mark.parametrize("number", range(3))
def test_loads_that_were_changed_are_looked_at_again(trial, number):
    """A state that comes along proves nothing: forces, moments or weights may have been changed since."""
    model, motion, loads = trial
    other, its = list(changed_loads(model, loads))[number]
    for ask in (ss.joint_reactions, lambda *given: ss.load_bands(*given, noise=0.0)):
        for given in ((other,), (its, motion, other)):
            with pytest.raises(InputError, match="not those of this motion"):
                ask(*given)


def test_loads_that_are_cut_or_noted_are_still_those_of_the_motion(trial):
    loads = trial[2]
    whole = ss.joint_reactions(loads)
    for same in (replace(loads, notes=("seen",)), loads.take(slice(0, None)), loads.take(slice(10, 40))):
        first = int(np.searchsorted(loads.time, same.time[0]))
        assert not same.solved
        np.testing.assert_array_equal(ss.joint_reactions(same).force, whole.force[first : first + len(same)])


@pytest.mark.parametrize("name", ["state", "contacts"])
def test_a_state_of_loads_is_that_of_a_solver(trial, name):
    with pytest.raises(
        InputError, match=f"{name} of loads must be that of a solver, however it is 5"
    ) as told:
        replace(trial[2], **{name: 5})
    assert told.value.parameter == name


def test_what_is_no_state_and_no_low_pass_is_refused(trial):
    model, motion, loads = trial
    with pytest.raises(InputError, match="state must be one of loads"):
        ss.solve_id(model, motion, state=5)
    with pytest.raises(InputError, match="lowpass"):
        ss.blade_force(loads, link="shank_r", lowpass="auto")
