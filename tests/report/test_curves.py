"""What a page draws is what the curves are: means and bands over cycles, peaks and gaps over time."""

import numpy as np
import pytest
from tests.report.test_numbers import strides

from softstride.report.curves import MOST, Clocks, Curve, Norm, Panel, drawn, over_cycle, over_time, thinned
from softstride.scene.compact import unpack

TIME = np.arange(0.0, 2.001, 0.01)
WAVE = np.sin(2 * np.pi * TIME)


def test_mean_and_band_over_cycles():
    lifted = WAVE + (TIME >= 1.0)
    page = over_cycle(Curve("", "right", TIME, lifted), "right", strides([0.0, 1.0], [1.0, 2.0]))
    percent = np.linspace(0.0, 1.0, 101)
    mean = np.sin(2 * np.pi * percent) + 0.5
    assert page["n"] == 2
    inside = slice(0, 100)  # the step itself is the end of the first cycle and the start of the second
    assert unpack(page["y"])[inside] == pytest.approx(mean[inside], abs=1e-3)
    away = np.sqrt(0.5)
    assert unpack(page["hi"])[inside] == pytest.approx(mean[inside] + away, abs=1e-3)
    assert unpack(page["lo"])[inside] == pytest.approx(mean[inside] - away, abs=1e-3)


def test_one_cycle_has_the_band_of_its_error():
    curve = Curve("", "right", TIME, WAVE, std=np.full_like(TIME, 0.25))
    page = over_cycle(curve, "right", strides([0.5], [1.5]))
    assert unpack(page["hi"]) - unpack(page["lo"]) == pytest.approx(1.0, abs=1e-3)


def test_doubtful_frames_are_left_out_over_the_cycle_and_drawn_over_time():
    doubtful = (TIME > 0.2) & (TIME < 0.4)
    curve = Curve("", "right", TIME, WAVE, doubtful=doubtful)
    y = unpack(over_cycle(curve, "right", strides([0.0], [1.0]))["y"])
    assert np.isnan(y[21:40]).all() and np.isfinite(y[:20]).all() and np.isfinite(y[41:]).all()
    assert np.isfinite(unpack(over_time(curve, Clocks())["y"])).all()


def test_nothing_is_drawn_where_nothing_is_known():
    curve = Curve("", "right", TIME, np.full_like(TIME, np.nan))
    page = drawn(Panel("p", "m", (curve,)), strides([0.0], [1.0]), Clocks())
    assert page["time"] == [] and page["cycle"] == []


def test_thinning_keeps_peaks_and_gaps_of_one_frame():
    values = np.zeros(10_000)
    values[[1234, 7777]] = 5.0, -3.0
    values[4321] = np.nan
    kept = thinned(values, MOST)
    assert len(kept) <= 1.2 * MOST and {0, 1234, 4321, 7777, 9999} <= set(kept.tolist())
    assert np.all(np.diff(kept) > 0)
    assert thinned(values[:50], MOST).tolist() == list(range(50))


def test_curves_of_one_clock_share_it():
    clocks = Clocks()
    panel = Panel("p", "m", (Curve("a", "right", TIME, WAVE), Curve("b", "left", TIME, -WAVE)))
    first, second = drawn(panel, strides([0.0], [1.0]), clocks)["time"]
    assert first["x"] == second["x"] == 0 and len(clocks.packed) == 1
    assert unpack(clocks.packed[0]) == pytest.approx(TIME, abs=1e-4)


def test_a_curve_of_the_trunk_is_cut_by_both_sides():
    cycles = strides([0.0], [1.0])
    page = drawn(Panel("p", "m", (Curve("", None, TIME, WAVE),)), cycles, Clocks())
    assert [curve["side"] for curve in page["cycle"]] == ["right"]  # the left has no cycle here
    assert page["time"][0]["side"] == ""


def test_norms_are_drawn_over_the_cycle():
    norm = Norm(np.array([0.0, 100.0]), np.array([1.0, 2.0]), np.array([0.1, 0.2]))
    page = drawn(Panel("p", "m", (Curve("", "right", TIME, WAVE),), norm), strides([0.0], [1.0]), Clocks())
    assert unpack(page["norm"]["hi"]) == pytest.approx([1.1, 2.2], abs=1e-3)
