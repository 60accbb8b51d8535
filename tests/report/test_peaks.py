"""Tables have right beside left, and a difference only where there are two sides."""

import math
import re

import numpy as np
from tests.report.test_numbers import strides

from softstride.report.curves import Curve, Panel
from softstride.report.numbers import Number
from softstride.report.peaks import apart, peaks_table

TIME = np.arange(0.0, 2.001, 0.01)


def cells(html):
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in re.findall(r"<tr>(.*?)</tr>", html)[1:]]


def test_sides_and_their_difference():
    pair = (Curve("", "right", TIME, 3.0 + 0 * TIME), Curve("", "left", TIME, 1.0 + 0 * TIME))
    trunk = (Curve("", None, TIME, 7.0 + 0 * TIME),)
    html = peaks_table(
        [Panel("knee", "°", pair), Panel("pelvis", "°", trunk)], ("max",), strides([], []), caption="c"
    )
    assert cells(html) == [["knee [°]", "3.00", "1.00", "2.00"], ["pelvis [°]", "7.00", "7.00", "–"]]


def test_rounding_beside_large_numbers_is_zero():
    wave = np.where(TIME > 1.0, 1000.0, 1e-11)
    html = peaks_table(
        [Panel("up", "N", (Curve("", "right", TIME, wave),))], ("max", "min"), strides([], []), caption=""
    )
    assert cells(html) == [["up [N]", "1000", "0"]]  # and nothing of the left side, of which nothing is known


def test_curves_of_another_name_have_no_row():
    panel = Panel("up", "N", (Curve("estimated", "right", TIME, TIME),))
    assert peaks_table([panel], ("max",), strides([], []), caption="c", name="measured") == ""


def test_errors_of_both_sides_add():
    found = apart(Number(3.0, 0.3, 2), Number(1.0, 0.4, 2))
    assert (found.value, found.error) == (2.0, 0.5)
    assert apart(Number(1.0), None) is None and apart(Number(math.nan), Number(1.0)) is None
