"""Numbers have the digits that their errors leave."""

import math

import numpy as np
import pytest

from softstride.frozen import Table
from softstride.report.curves import Curve
from softstride.report.numbers import Number, extreme, mean_of, plain, written
from softstride.report.strides import Strides
from softstride.signals.force_events import ContactEvents


@pytest.mark.parametrize(
    ("value", "error", "shown"),
    [
        (12.345, 0.4, "12.3 ± 0.4"),
        (12.345, 0.123, "12.35 ± 0.12"),
        (-1234.5, 56.0, "−1234 ± 56"),
        (0.70049, 0.00071, "0.7005 ± 0.0007"),
        (8.0, 0.0000012, "8.00"),  # an error that four digits do not show
        (0.0, 0.63, "0.0 ± 0.6"),
        (-0.001, 0.5, "0.0 ± 0.5"),  # no minus before zero
        (1.234, math.nan, "1.23"),
        (math.nan, 1.0, "–"),
        (0.0, 0.0, "0"),
        (123456.0, math.nan, "123456"),
        (1.23e-7, math.nan, "1.23e-07"),
    ],
)
def test_written(value, error, shown):
    assert written(value, error) == shown


def test_plain_keeps_its_digits():
    assert [plain(x) for x in (1.0, 99.96, 0.012345, -5.0)] == ["1.00", "100.0", "0.0123", "−5.00"]


def test_mean_of_leaves_out_what_is_not_known():
    number = mean_of(np.array([1.0, np.nan, 3.0]))
    assert (number.value, number.n) == (2.0, 2)
    assert number.error == pytest.approx(math.sqrt(2.0))
    assert math.isnan(mean_of(np.array([5.0])).error)
    assert math.isnan(mean_of(np.array([np.nan])).value)


def test_rounding_becomes_zero():
    assert str(Number(6e-14, 3e-15).snapped(1e-6)) == "0"
    assert Number(1.0, 0.1).snapped(1e-6) == Number(1.0, 0.1)


def strides(starts, ends):
    none = ContactEvents(np.zeros(0), np.zeros(0))
    sides = ("right", "left")
    return Strides(
        Table(dict.fromkeys(sides, none)),
        Table({"right": np.array(starts), "left": np.zeros(0)}),
        Table({"right": np.array(ends), "left": np.zeros(0)}),
        "test",
    )


def test_an_extreme_is_the_mean_of_those_of_the_cycles():
    time = np.arange(0.0, 3.001, 0.01)
    values = np.sin(2 * np.pi * time) * np.where(time < 1.0, 1.0, np.where(time < 2.0, 2.0, 3.0))
    found = extreme(Curve("", "right", time, values), "max", strides([0.0, 1.0, 2.0], [1.0, 2.0, 3.0]))
    assert found.value == pytest.approx(2.0, abs=1e-6) and found.error == pytest.approx(1.0, abs=1e-6)
    assert (found.n, found.kind) == (3, "spread")


def test_a_single_cycle_has_the_error_of_its_curve_at_that_place():
    time = np.arange(0.0, 1.001, 0.01)
    curve = Curve("", "right", time, np.sin(2 * np.pi * time), std=time)
    found = extreme(curve, "range", strides([0.0], [1.0]))
    assert found.value == pytest.approx(2.0) and found.kind == "error"
    assert found.error == pytest.approx(math.hypot(0.25, 0.75))
    assert (
        extreme(Curve("", "left", time, time, time), "max", strides([0.0], [1.0])).n == 0
    )  # the whole trial


def test_what_is_doubtful_does_not_count():
    time = np.arange(0.0, 2.001, 0.01)
    values = np.where(time > 1.2, 100.0, 1.0)
    doubtful = time > 1.1
    curve = Curve("", "right", time, values, doubtful=doubtful)
    found = extreme(curve, "max", strides([0.0, 1.0], [1.0, 2.0]))
    assert (found.value, found.n) == (1.0, 1)  # most of the second cycle is not known: it is left out
    assert math.isnan(extreme(curve, "max", strides([1.2], [2.0])).value)
