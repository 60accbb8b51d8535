"""Units of files: what they mean, and a unit that the data contradict."""

import math

import numpy as np
import pytest

from softstride.capture.units import (
    ANGLE,
    FORCE,
    LENGTH,
    MOMENT,
    POWER,
    Unit,
    in_si,
    read_length_unit,
    read_unit,
)

PERSON = np.random.default_rng(0).uniform((-0.3, 0.0, -0.25), (0.3, 1.7, 0.25), (20, 30, 3))
TALL = 1.6  # [m] what thirty random points on a person span, about


@pytest.mark.parametrize(
    ("text", "table", "value", "si"),
    [
        ("mm", LENGTH, 1500.0, 1.5),
        (" MM ", LENGTH, 1500.0, 1.5),
        ("in", LENGTH, 10.0, 0.254),
        ("Meters", LENGTH, 1.5, 1.5),
        ("metre", LENGTH, 1.5, 1.5),
        ("millimetres", LENGTH, 1500.0, 1.5),
        ("centimeter", LENGTH, 150.0, 1.5),
        ("inches", LENGTH, 10.0, 0.254),
        ("feet", LENGTH, 10.0, 3.048),
        ("newton-meters", MOMENT, 2.5, 2.5),
        ("Newton metre", MOMENT, 2.5, 2.5),
        ("N-m", MOMENT, 2.5, 2.5),
        ("newton millimeters", MOMENT, 2500.0, 2.5),
        ("Ncm", MOMENT, 250.0, 2.5),
        ("deg", ANGLE, 180.0, math.pi),
        ("N.mm", MOMENT, 2500.0, 2.5),
        ("N*mm", MOMENT, 2500.0, 2.5),
        ("ntmm", MOMENT, 2500.0, 2.5),
        ("kN", FORCE, 0.8, 800.0),
        ("mW", POWER, 1000.0, 1.0),
    ],
)
def test_units_in_si(text: str, table: dict[str, float], value: float, si: float) -> None:
    unit = read_unit(text, table)
    assert unit is not None and not unit.per_mass
    assert in_si(np.array([value]), unit)[0] == pytest.approx(si, rel=1e-15)


def test_division_by_mass_is_told_and_kept() -> None:
    assert read_unit("Nmm/kg", MOMENT) == Unit(1000.0, True)
    assert read_unit("N/s", FORCE) is None
    assert read_unit("furlong", LENGTH) is None


def test_millimetres_round_once() -> None:
    """617.24762 mm is the double nearest to 0.61724762 m: no error from a factor of 0.001."""
    assert in_si(np.array([617.24762]), Unit(1000.0))[0] == 0.61724762


@pytest.mark.parametrize("word", ["m", "cm", "mm"])
def test_the_unit_of_the_file_is_taken_where_it_can_be(word: str) -> None:
    assert read_length_unit(word, PERSON * LENGTH[word]) == (Unit(LENGTH[word]), None)


@pytest.mark.parametrize(
    ("said", "true"), [("mm", "m"), ("m", "mm"), ("", "mm"), ("", "m"), ("parsec", "cm")]
)
def test_a_unit_that_lies_is_read_by_the_data(said: str, true: str) -> None:
    unit, note = read_length_unit(said, PERSON * LENGTH[true])
    assert unit == Unit(LENGTH[true])
    assert note is not None and f"read as {true}" in str(note)


@pytest.mark.parametrize("word", ["meters", "Meter", "metres", "m"])
def test_a_known_word_is_never_read_as_millimetres(word: str) -> None:
    """One marker, or two that are a centimetre apart, contradict nothing."""
    assert read_length_unit(word, np.full((5, 1, 3), 0.9)) == (Unit(1.0), None)
    near = np.array([[[0.2, 0.3, 0.9], [0.21, 0.3, 0.9]]])
    assert read_length_unit(word, near)[0] == Unit(1.0)


def test_what_cannot_be_decided_is_said() -> None:
    unit, note = read_length_unit("m", PERSON * 1e9)
    assert unit == Unit(1.0) and note is not None and note.code == "units.extent-odd"
    unit, note = read_length_unit("", np.full((3, 4, 3), np.nan))
    assert unit == Unit(1000.0) and note is not None and note.code == "units.length-guessed"
    assert read_length_unit("mm", np.zeros((3, 1, 3))) == (Unit(1000.0), None)  # one point has no extent
