"""The words for points and directions: what they mean, and what is said about those that mean nothing."""

import numpy as np
import pytest

from softstride.errors import InputError
from softstride.segments.landmark_definitions import definitions
from softstride.segments.recipes import evaluate, flatness, parse

PLACES = {
    "A": np.array([[0.0, 0.0, 0.0]]),
    "B": np.array([[2.0, 0.0, 0.0]]),
    "C": np.array([[0.0, 4.0, 0.0]]),
    "right A": np.array([[0.0, 0.0, 1.0]]),
    "axis knee": np.array([[0.0, 0.0, 1.0]]),
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("B", [2.0, 0.0, 0.0]),
        ("right A", [0.0, 0.0, 1.0]),
        ("mid(A, B)", [1.0, 0.0, 0.0]),
        ("mid(A, B, C)", [2.0 / 3.0, 4.0 / 3.0, 0.0]),
        ("along(A, C, 0.25)", [0.0, 1.0, 0.0]),
        ("A -> mid(B, C)", [1.0, 2.0, 0.0]),
        ("normal(A, B, C)", [0.0, 0.0, 8.0]),
        ("normal(A, C, B)", [0.0, 0.0, -8.0]),
        ("axis(knee)", [0.0, 0.0, 1.0]),
        ("  mid( A ,B )->C ", [-1.0, 4.0, 0.0]),
    ],
)
def test_recipes(text: str, value: list[float]) -> None:
    recipe = parse(text)
    assert np.allclose(evaluate(recipe, lambda name: PLACES[name]), [value])
    assert recipe.is_direction == ("->" in text or "normal" in text or "axis" in text)
    assert parse(recipe.text) == recipe  # what is shown says the same


@pytest.mark.parametrize(
    "text",
    [
        "",
        "mid(A)",
        "mid(A, B",
        "along(A, B)",
        "normal(A, B)",
        "A ->",
        "A B C D",
        "A -> normal(A, B, C)",
        "3",
        "A + B",
    ],
)
def test_what_is_no_recipe(text: str) -> None:
    with pytest.raises(
        InputError, match=r"is no recipe for a point or a direction|an arrow goes from a point"
    ):
        parse(text)


def test_flatness_tells_points_on_a_line() -> None:
    assert flatness(parse("normal(A, B, C)"), lambda name: PLACES[name])[0] == pytest.approx(1.0)
    assert flatness(parse("normal(A, B, mid(A, B))"), lambda name: PLACES[name])[0] == pytest.approx(0.0)


def test_every_packaged_recipe_is_what_its_part_needs() -> None:
    for each in definitions().segments.values():
        for part in ("proximal", "distal"):
            assert not any(recipe.is_direction for recipe in each.recipes(part)), each.kind
        for part in ("forward", "across"):
            assert all(recipe.is_direction for recipe in each.recipes(part)), each.kind
        assert each.joint in definitions().joints
        assert each.parent is None or each.parent in definitions().segments
    with pytest.raises(InputError, match="no segment 'thigh'; there are: right foot, left foot"):
        definitions().segment("thigh")
    assert (
        definitions().parent_of("left foot") == "left shank"
        and definitions().parent_of("right thigh") == "pelvis"
    )
