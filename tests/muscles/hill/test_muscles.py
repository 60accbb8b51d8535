"""The muscles of a model as arrays: names, numbers of the file, mixed sets, and what is refused."""

import math
import pickle
from concurrent.futures import ThreadPoolExecutor
from itertools import permutations

import numpy as np
import pytest
from tests.model.shared_models import SHARED_MODELS
from tests.models import the_model
from tests.muscles.hill.made import SETS, model, muscle, random_states

from softstride.errors import InputError, ModelError
from softstride.muscles import hill_muscles, rigid_tendon
from softstride.muscles.hill import muscles

MIXED = tuple(muscle(name, name, max_force=500.0 + 100.0 * k) for k, name in enumerate(SETS))


def test_numbers_are_the_models_in_its_order():
    hill = hill_muscles(model(muscle("b", max_force=700.0), muscle("a", "thelen2003", rise_time=0.02)))
    assert hill.names == ("b", "a") and hill.curves == ("millard2012", "thelen2003") and len(hill) == 2
    np.testing.assert_array_equal(hill.max_force, [700.0, 1000.0])
    np.testing.assert_array_equal(hill.rise_time, [0.010, 0.02])
    np.testing.assert_allclose(hill.height, 0.1 * math.sin(0.3))
    np.testing.assert_allclose(hill.min_length[1], hill.height[1] / math.sin(math.acos(0.1)))
    np.testing.assert_allclose(hill.min_length[0], 0.4441 * 0.1)
    assert hill.column("a") == 1
    assert not hill.max_force.flags.writeable


def test_names_choose_and_order_and_switched_off_muscles_stay_out():
    person = model(muscle("a"), muscle("b", enabled=False), muscle("c"))
    assert hill_muscles(person).names == ("a", "c")
    assert hill_muscles(person, ["c", "b"]).names == ("c", "b")
    assert hill_muscles(person) is hill_muscles(person)


def test_choices_of_a_model_are_kept_up_to_a_number():
    """Every choice that was ever asked for would stay as long as the model."""
    person = model(*(muscle(f"m{k}") for k in range(9)))
    for first in range(9):
        for second in set(range(9)) - {first}:
            assert hill_muscles(person, [f"m{first}", f"m{second}"]).names == (f"m{first}", f"m{second}")
            assert len(muscles._known._of[person]) <= 64


def test_the_choice_that_is_asked_for_again_and_again_is_kept():
    """What goes is what was asked for longest ago, not all of it."""
    person = model(*(muscle(f"m{k}") for k in range(9)))
    all_of_them, once = hill_muscles(person), hill_muscles(person, ["m0"])
    for first, second in permutations(range(9), 2):
        hill_muscles(person, [f"m{first}", f"m{second}"])
        assert hill_muscles(person) is all_of_them
    assert hill_muscles(person, ["m0"]) is not once


def test_threads_that_ask_at_once_get_the_same_muscles():
    person = model(*(muscle(f"m{k}") for k in range(30)))
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: hill_muscles(person), range(32)))
    assert all(each is found[0] for each in found)


def test_mixed_sets_are_each_as_if_alone():
    together = hill_muscles(model(*MIXED))
    length, speed = random_states(together, 60)
    whole = rigid_tendon(together, length, speed)
    for j, each in enumerate(MIXED):
        alone = rigid_tendon(hill_muscles(model(each)), length[:, j : j + 1], speed[:, j : j + 1])
        for part in ("fibre_length", "fibre_velocity", "active", "passive", "damping", "pennation"):
            np.testing.assert_array_equal(getattr(whole, part)[:, j], getattr(alone, part)[:, 0])


def test_a_frame_without_axis_is_one_frame():
    hill = hill_muscles(model(*MIXED))
    length, speed = random_states(hill, 1)
    np.testing.assert_array_equal(
        rigid_tendon(hill, length[0], speed[0]).active, rigid_tendon(hill, length, speed).active
    )
    value, slope = hill.active_length(np.ones(len(hill)))
    assert value.shape == slope.shape == (5,)
    value, _ = hill.active_length(np.ones((3, len(hill))))
    assert value.shape == (3, 5)


def test_thelens_greatest_velocity_goes_with_activation():
    """A quarter of it without activation: at -0.3 of the full one an idle muscle has no force left."""
    hill = hill_muscles(model(muscle(curves="thelen2003", pennation=0.0)))
    speed = [[-0.3 * 0.1 * 10.0]]
    full, none, half = (
        rigid_tendon(hill, [[0.3]], speed, activation=a).active[0, 0] for a in (1.0, 0.0, 0.5)
    )
    assert none == 0.0 and 0.0 < half < full
    assert half == pytest.approx(1000.0 * hill.force_velocity([[-0.3 / 0.625]])[0][0, 0])


def test_a_fibre_across_its_tendon_has_no_force_as_opensim_projects():
    """Greatest pennation a right angle, and a path as long as the tendon: the cosine is zero, and so is the force."""
    one = muscle(pennation=0.6, parameters={"maximum_pennation_angle": 0.5 * math.pi})
    hill = hill_muscles(model(one))
    state = rigid_tendon(hill, [[0.19], [0.2], [0.2 + 0.1 * math.cos(0.6)]], as_opensim=True)
    assert state.short[:, 0].tolist() == [True, True, False]
    assert state.cosine[:2, 0].tolist() == [0.0, 0.0]
    assert state.active[:2, 0].tolist() == [0.0, 0.0] and state.active[2, 0] > 900.0


def test_a_model_without_muscles_gives_none():
    hill = hill_muscles(model())
    assert len(hill) == 0
    assert rigid_tendon(hill, np.zeros((4, 0))).active.shape == (4, 0)


def test_numbers_of_a_file_change_the_curves():
    plain, other = (
        hill_muscles(model(muscle(curves=c, parameters=p)))
        for c, p in (("gaussian", {}), ("gaussian", {"width": 0.3, "curvature": 0.4, "stretched_force": 1.6}))
    )
    assert other.active_length([0.5])[0][0] < plain.active_length([0.5])[0][0]
    assert other.force_velocity([-0.5])[0][0] == pytest.approx(0.5 / (1.0 + 0.5 / 0.4))
    assert other.force_velocity([1e4])[0][0] > 1.59
    quick = hill_muscles(model(muscle(curves="schutte1993", parameters={"time_scale": 0.05, "damping": 0.2})))
    assert quick.max_velocity[0] == 20.0 and quick.damping[0] == 0.2
    silent = hill_muscles(
        model(muscle(curves="degrootefregly2016", parameters={"ignore_passive_fiber_force": 1.0}))
    )
    assert silent.passive_length([1.6])[0][0] == 0.0
    steep = hill_muscles(model(muscle(parameters={"maximum_pennation_angle": 0.5})))
    assert steep.min_length[0] == pytest.approx(0.1 * math.sin(0.3) / math.sin(0.5))


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["a", "z"], "no muscle 'z'; it has 'a', 'b'"),
        (["a", "a"], "'a' is named twice"),
        ("a", "one text 'a'"),
        (5, "list of names of muscles, however they are 5"),
        ([["a"]], r"no muscle \['a'\]; it has 'a', 'b'"),
        ([3], "no muscle 3; it has 'a', 'b'"),
    ],
)
def test_names_that_do_not_fit_are_refused(names, words):
    with pytest.raises(InputError, match=words):
        hill_muscles(model(muscle("a"), muscle("b")), names)


@pytest.mark.parametrize(
    ("curves", "parameters", "words"),
    [
        ("millard2012", {"ActiveForceLengthCurve.min_norm_active_fiber_length": 0.9}, "must increase"),
        (
            "millard2012",
            {"FiberForceLengthCurve.curviness": 0.5},
            "must be given together.*stiffness_at_low_force",
        ),
        ("millard2012", {"TendonForceLengthCurve.norm_force_at_toe_end": 0.5}, "must be given together"),
        ("millard2012", {"fiber_damping": -1.0}, "damping"),
        ("millard2012", {"maximum_pennation_angle": 0.2}, "above the angle at optimal length"),
        ("thelen2003", {"Flen": 0.5}, "exceed 1"),
        ("gaussian", {"curvature": -1.0}, "curvature"),
        ("schutte1993", {"time_scale": 0.0}, "time_scale"),
    ],
)
def test_numbers_that_make_no_muscle_name_it(curves, parameters, words):
    with pytest.raises(ModelError, match=rf"muscle 'soleus': .*{words}"):
        hill_muscles(model(muscle("soleus", curves, parameters=parameters)))


def test_an_unknown_column_is_refused():
    with pytest.raises(InputError, match="no muscle 'x' here"):
        hill_muscles(model(muscle())).column("x")


def test_states_travel_between_processes():
    hill = hill_muscles(model(*MIXED))
    state = rigid_tendon(hill, *random_states(hill, 3))
    again = pickle.loads(pickle.dumps(state))
    np.testing.assert_array_equal(again.active, state.active)
    assert not state.active.flags.writeable and not again.active.flags.writeable
    assert state.to_xarray()["active"].sel(muscle="thelen2003").shape == (3,)
    assert not again.muscles.max_force.flags.writeable and not again.muscles.packed.numbers.flags.writeable
    np.testing.assert_array_equal(
        rigid_tendon(again.muscles, state.length).active, rigid_tendon(hill, state.length).active
    )


@pytest.mark.slow
def test_every_shared_model_has_muscles_that_can_be_made(shared_data):
    for name in SHARED_MODELS:
        subject = the_model(shared_data / name)
        hill = hill_muscles(subject)
        state = rigid_tendon(hill, hill.tendon_length + hill.fibre_length * np.cos(hill.pennation))
        np.testing.assert_allclose(state.active[0], hill.max_force * np.cos(hill.pennation), rtol=1e-9)
        assert not state.short.any()
