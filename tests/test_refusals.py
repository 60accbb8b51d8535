"""A table of bad input fails where a row is accepted, refused otherwise, or the valid call is broken."""

import pytest
from tests.refusals import Refusal, bad_input

from softstride.errors import InputError, ModelError


def half(number, *, whole=False):
    """A function with one guard."""
    if number < 0:
        raise InputError(f"number must be at least 0, however it is {number}")
    return number // 2 if whole else number / 2


@bad_input(
    InputError,
    ({"number": -1}, "number must be at least 0, however it is -1$"),
    (lambda number: -number, r"however it is -4\.5"),
    (lambda number, whole: (-number, not whole), r"however it is -4\.5"),
    ({"number": "four"}, "not supported between", TypeError),
    ({"part": True}, "unexpected keyword argument 'part'", TypeError),
)
def test_rows_and_the_valid_call(refuses):
    refuses(half, number=4.5, whole=True)


def test_every_row_is_a_case_of_its_own_and_the_valid_call_is_one():
    (mark,) = test_rows_and_the_valid_call.pytestmark
    assert mark.kwargs["ids"] == [
        "nothing changed",
        "number must be at least 0, however it is -1$",
        "however it is -4.5",
        "however it is -4.5",
        "not supported between",
        "unexpected keyword argument 'part'",
    ]
    assert [row.error for row in mark.args[1]] == [None, *[InputError] * 3, *[TypeError] * 2]


def test_a_broken_valid_call_fails():
    with pytest.raises(InputError, match="however it is -3"):
        Refusal({})(half, number=-3)


@pytest.mark.parametrize(
    ("row", "failure"),
    [
        (Refusal({"number": 3}, InputError, "number"), "DID NOT RAISE"),
        (Refusal({"number": -3}, InputError, "number must be above 0"), "did not match"),
        (Refusal({}, InputError, "number"), "changes nothing"),
        (Refusal(lambda number: number, InputError, "number"), "changes nothing"),
    ],
    ids=["accepted", "other words", "nothing changed", "the same value"],
)
def test_a_row_that_is_not_refused_as_it_says_fails(row, failure):
    with pytest.raises((AssertionError, pytest.fail.Exception), match=failure):
        row(half, number=1)


def test_an_error_of_another_class_fails():
    with pytest.raises(InputError, match="number"):
        Refusal({"number": -3}, ModelError, "number")(half, number=1)
