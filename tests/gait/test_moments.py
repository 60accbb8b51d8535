"""Moments, perturbations and recipes as data."""

import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.refusals import bad_input

from softstride.errors import InputError, ModelError
from softstride.gait import MomentHistory, Perturbation, Recipe, SevenSegment, load_recipe
from softstride.gait.perturbation import effect

HISTORY = MomentHistory([0.0, 0.1, 0.3], np.arange(18.0).reshape(3, 6))


def test_linear_between_nodes_and_constant_outside():
    np.testing.assert_allclose(HISTORY.at(0.2), np.arange(9.0, 15.0))
    np.testing.assert_array_equal(HISTORY.at([-1.0, 9.0]), HISTORY.values[[0, 2]])
    assert HISTORY.at(0.05).shape == (6,) and HISTORY.at(np.zeros((2, 3))).shape == (2, 3, 6)


def test_editing_by_name():
    changed = HISTORY.changed(left_knee=5.0, right_hip=[1.0, 2.0, 3.0])
    np.testing.assert_array_equal(changed.joint("left knee"), 5.0)
    np.testing.assert_array_equal(changed.joint("Right-Hip"), [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(changed.joint("left_hip"), HISTORY.joint("left_hip"))
    np.testing.assert_array_equal(
        HISTORY.scaled("left_ankle", 1.2).joint("left_ankle"), 1.2 * HISTORY.values[:, 5]
    )
    np.testing.assert_array_equal(HISTORY.mirrored().joint("left_ankle"), HISTORY.joint("right_ankle"))
    np.testing.assert_array_equal(HISTORY.mirrored().mirrored().values, HISTORY.values)
    finer = HISTORY.resampled(np.linspace(0.0, 0.3, 7))
    np.testing.assert_allclose(finer.at([0.07, 0.22]), HISTORY.at([0.07, 0.22]))
    only = MomentHistory.from_joints([0.0, 1.0], {"left_hip": [1.0, 2.0]})
    assert only.values[:, 3].tolist() == [1.0, 2.0] and np.abs(only.values).sum() == 3.0
    assert MomentHistory.constant([1, 2, 3, 4, 5, 6]).at(3.0).tolist() == [1, 2, 3, 4, 5, 6]


@given(st.lists(st.floats(-1e6, 1e6), min_size=12, max_size=12))
def test_text_keeps_every_digit(numbers):
    history = MomentHistory([0.0, 1.0 / 3.0], np.reshape(numbers, (2, 6)))
    again = MomentHistory.from_toml(history.to_toml())
    np.testing.assert_array_equal(again.values, history.values)
    np.testing.assert_array_equal(again.time, history.time)


@pytest.mark.parametrize(
    ("time", "values", "words"),
    [
        ([0.0, 0.0], np.zeros((2, 6)), "increasing"),
        ([], np.zeros((0, 6)), "increasing"),
        ([0.0], np.zeros((1, 5)), r"shape \(1, 6\)"),
        ([0.0], np.full((1, 6), np.nan), "must be finite"),
        ([0.0], [["a"] * 6], "values of moments must be made of real numbers"),
    ],
)
def test_histories_that_cannot_be(time, values, words):
    with pytest.raises(InputError, match=words):
        MomentHistory(time, values)


def test_bad_texts():
    with pytest.raises(ModelError, match="is no TOML"):
        MomentHistory.from_toml("time = [")
    with pytest.raises(ModelError, match="unknown key 'left_elbow'"):
        MomentHistory.from_toml("time = [0.0]\nleft_elbow = [1.0]")
    with pytest.raises(InputError, match="need the row 'time'"):
        MomentHistory.from_toml("left_hip = [1.0]")
    with pytest.raises(InputError, match=r"moments of left_hip must be finite numbers of shape \(1,\)"):
        MomentHistory.from_toml("time = [0.0]\nleft_hip = [1.0, 2.0]")
    with pytest.raises(InputError, match="no joint of the walker"):
        HISTORY.joint("left_elbow")


# perturbations


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("left_ankle:1=+20%", Perturbation("left_ankle", (1,), 1.2)),
        ("left ankle : 1 = -20 %", Perturbation("left_ankle", (1,), 0.8)),
        ("right_ankle:1-2=+2", Perturbation("right_ankle", (1, 2), added=2.0)),
        ("right_hip:1,3=-1.5 N m", Perturbation("right_hip", (1, 3), added=-1.5)),
        ("left_knee=5e-1", Perturbation("left_knee", added=0.5)),
        ("left_knee:4@2=+10%", Perturbation("left_knee", (4,), 1.1, steps=(2,))),
        ("left_knee@all=+1", Perturbation("left_knee", added=1.0, steps=())),
        ("left_knee:2-4@1,3=+1", Perturbation("left_knee", (2, 3, 4), added=1.0, steps=(1, 3))),
    ],
)
def test_parsing(text, expected):
    found = Perturbation.parse(text)
    assert found.factor == pytest.approx(expected.factor)
    assert (found.joint, found.phases, found.added, found.steps) == (
        expected.joint,
        expected.phases,
        expected.added,
        expected.steps,
    )
    again = Perturbation.parse(str(found))
    assert (
        again.factor == pytest.approx(found.factor)
        and again.added == found.added
        and again.steps == found.steps
    )


@pytest.mark.parametrize(
    "text", ["", "left_ankle", "left_ankle:0=+1", "left_ankle:1=20 mm", "=1", "left_ankle:1+20%"]
)
def test_texts_that_are_no_perturbation(text):
    with pytest.raises(InputError, match="no perturbation; write for example"):
        Perturbation.parse(text)


def test_perturbations_that_cannot_be():
    with pytest.raises(InputError, match="phases of a perturbation"):
        Perturbation("left_hip", (0,))
    with pytest.raises(InputError, match="steps of a perturbation"):
        Perturbation("left_hip", steps=(0,))
    with pytest.raises(InputError, match="must be finite"):
        Perturbation("left_hip", added=np.inf)
    with pytest.raises(InputError, match="phases of a perturbation"):
        Perturbation.parse("left_hip:3-1=+1")


def test_effects_by_phase_step_and_side():
    changes = [Perturbation.parse("left_ankle:1=+20%"), Perturbation.parse("right_knee:2-3@2=+4")]
    factor, added = effect(changes, 1, False)
    assert factor[0, 5] == 1.2 and np.sum(factor != 1.0) == 1 and not added.any()
    factor, added = effect(changes, 2, True)
    assert np.all(factor == 1.0) and added[1, 4] == added[2, 4] == 4.0 and np.sum(added != 0.0) == 2
    both = [Perturbation.parse("left_hip:1=+1"), Perturbation.parse("left_hip:1=+100%")]
    factor, added = effect(both, 1, False)
    assert factor[0, 3] == 2.0 and added[0, 3] == 2.0  # in the order given


def test_a_perturbation_acts_in_its_phase_alone():
    plain = SevenSegment().simulate("B", rate=1000.0)
    found = SevenSegment().simulate("B", perturb="left_hip:3=+7", rate=1000.0)
    expected = np.where(found.phase == 3, 7.0, 0.0)
    n = min(plain.n_frames, found.n_frames) - 1
    recipe = load_recipe("B")
    added = found.moments[:n, 3] - recipe.moments.at(found.time[:n])[:, 3]
    np.testing.assert_allclose(added, expected[:n], atol=1e-9)
    before = found.time < plain.event_times["right_foot_flat"]
    np.testing.assert_array_equal(plain.theta[: before.sum()], found.theta[before])


# recipes


@pytest.mark.parametrize("name", ["A", "B"])
def test_packaged_recipes_have_the_digits_of_their_source(name, shared_data):
    source = shared_data.parent / "specs" / "onyshko-winter.md"
    if not source.is_file():
        pytest.skip(f"no recipes at {source}")
    text = source.read_text(encoding="utf-8")
    block = re.search(rf"Recipe {name}\n```json\n(.*?)```", text, re.DOTALL)
    given_ = json.loads(block[1])
    recipe = load_recipe(name)
    np.testing.assert_array_equal(recipe.theta0, given_["theta0"])
    np.testing.assert_array_equal(recipe.omega0, given_["omega0"])
    np.testing.assert_array_equal(recipe.moments.time, given_["t_nodes"])
    np.testing.assert_array_equal(recipe.moments.values.T, given_["moments"])
    assert recipe.separation == given_["S"] and recipe.rff == given_["rff"]
    assert "Onyshko1980" in recipe.source


def test_recipes_from_files(tmp_path):
    recipe = load_recipe("A")
    file = tmp_path / "mine.toml"
    file.write_text(recipe.to_toml(), encoding="utf-8")
    again = load_recipe(file)
    for name in ("theta0", "omega0", "separation", "rff", "name", "source"):
        np.testing.assert_array_equal(getattr(again, name), getattr(recipe, name))
    np.testing.assert_array_equal(again.moments.values, recipe.moments.values)
    odd = Recipe(recipe.theta0, recipe.omega0, 0.4, recipe.moments, name='a "b"\n\\c')
    assert Recipe.from_toml(odd.to_toml()).name == odd.name
    assert load_recipe("b").name == "B"


@bad_input(
    InputError,
    ({"text": "theta0 = [0]"}, "needs 'moments'", ModelError),
    ({"text": "speed = 1"}, "unknown key 'speed'", ModelError),
    ({"text": "moments = 1\ntheta0 = [0]\nomega0 = [0]\nseparation = 0"}, r"must be a table \[moments\]"),
    (
        lambda text: text.replace("theta0 = [", "theta0 = [1.0, "),
        r"theta0 of a recipe must have shape \(7,\)",
    ),
    (
        lambda text: re.sub("separation = .*", 'separation = "wide"', text),
        r"separation of a recipe must be a number \[m\], however it is 'wide'",
    ),
)
def test_bad_recipes(refuses):
    refuses(Recipe.from_toml, text=load_recipe("A").to_toml())


def test_moments_of_a_recipe_are_a_history():
    recipe = load_recipe("A")
    with pytest.raises(InputError, match="moments of a recipe must be a MomentHistory") as caught:
        Recipe(recipe.theta0, recipe.omega0, 0.4, "none")
    assert (caught.value.parameter, caught.value.value) == ("moments", "none")


def test_a_recipe_that_is_not_there():
    with pytest.raises(InputError, match="no recipe; there are A, B"):
        load_recipe("C")
