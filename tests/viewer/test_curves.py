"""Curves beside the view are those of the motion, the loads and the plates, at the frames of the scene."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.scene.runner import running

from softstride.capture.recording import Event
from softstride.dynamics import solve_id
from softstride.errors import InputError
from softstride.scene import Scene
from softstride.viewer.chart import MOST, Chart
from softstride.viewer.curves import LEFT, RIGHT, Curve, Plot, _pairs, curves
from softstride.viewer.words import frame_words


def test_angles_are_in_degrees_and_by_side(scene: Scene) -> None:
    _, motion, _ = running()
    plots = curves(scene, motion)
    assert set(plots) == {"Angle", "Ground"}
    right, left = plots["Angle"]["knee_angle"].curves
    assert (right.name, right.colour, left.name, left.colour) == ("right", RIGHT, "left", LEFT)
    assert right.values == pytest.approx(np.degrees(motion.coordinate("knee_angle_r")))
    assert not any(name.startswith(("pelvis", "blade")) for name in plots["Angle"])


def test_pairs_whatever_the_style_of_their_names() -> None:
    names = ("right_knee", "left_knee", "knee_angle_l_beta", "knee_angle_r_beta", "lumbar")
    assert _pairs(names) == [
        ("knee", ("right_knee", "left_knee")),
        ("knee_angle_beta", ("knee_angle_r_beta", "knee_angle_l_beta")),
        ("lumbar", ("lumbar",)),
    ]


def test_forces_of_several_plates_are_added_by_side(scene: Scene) -> None:
    _, motion, _ = running()
    right, left = curves(scene, motion)["Ground"]["up"].curves
    for curve in (right, left):
        arrows = [arrow for arrow in scene.arrows if arrow.side == curve.name]
        assert curve.values == pytest.approx(sum(np.nan_to_num(a.force[:, 1]) for a in arrows), abs=1e-2)
    assert right.values.max() > 1.5 * scene.weight


def test_moments_are_those_of_the_loads(scene: Scene) -> None:
    model, motion, recording = running()
    loads = solve_id(model, motion, recording)
    plots = curves(scene, motion, measured=loads)
    assert plots["Moment"]["hip_flexion"].curves[1].values == pytest.approx(loads.coordinate("hip_flexion_l"))
    both = curves(scene, motion, estimated=loads, measured=loads)["Moment"]["hip_flexion"]
    assert [(c.name, c.dashed) for c in both.curves] == [
        ("right est.", False),
        ("left est.", False),
        ("right meas.", True),
        ("left meas.", True),
    ]


def test_a_plot_has_room_around_its_curves_and_knows_no_gaps() -> None:
    plot = Plot("a", "N", (Curve("x", [1.0, np.nan, 3.0], "red"),))
    low, high = plot.range
    assert 0.8 < low < 1.0 and 3.0 < high < 3.2
    assert Plot("a", "N", (Curve("x", [np.nan, np.nan], "red"),)).range == (0.0, 1.0)
    assert Plot("a", "N", (Curve("x", [2.0, 2.0], "red"),)).range == (1.0, 3.0)
    with pytest.raises(InputError, match=r"values of curve 'x' must have shape \(time,\), however it has"):
        Curve("x", np.zeros((2, 2)), "red")


def test_the_cursor_stands_at_the_instant_and_on_the_curve(server: Any) -> None:
    time = np.arange(100) / 100.0
    chart = Chart(server.gui, time, Plot("a", "N", (Curve("x", np.sin(time), "red"),)), "#000")
    chart.go(0.305)
    x, y, line = chart._handle.data
    at = np.flatnonzero(np.isfinite(line))
    assert np.all(x[at] == 0.305) and line[at] == pytest.approx(chart.plot.range)
    assert y[at] == pytest.approx(np.sin(0.305), abs=1e-4) and np.all(np.diff(x) >= 0.0)


def test_a_long_curve_is_thinned(server: Any) -> None:
    time = np.arange(10_000) / 100.0
    chart = Chart(server.gui, time, Plot("a", "N", (Curve("x", time, "red"),)), "#000")
    assert len(chart._handle.data[0]) <= MOST + 2
    chart.show(Plot("b", "N", (Curve("x", time[:50], "red"),)), time[:50])
    assert len(chart._handle.data[0]) == 52 and chart._handle.scales["x"]["range"] == (0.0, 0.49)


def test_words_on_a_frame(scene: Scene) -> None:
    peak = int(np.argmax(sum(np.nan_to_num(arrow.force[:, 1]) for arrow in scene.arrows)))
    doubtful = np.zeros(scene.n_frames, dtype=bool)
    doubtful[peak] = True
    told = frame_words(
        replace(scene, events=(Event("<strike>", scene.time[peak] - 0.1, "right"),), doubtful=doubtful),
        peak,
    )
    assert f"<b>{scene.time[peak]:.3f} s</b>, frame {peak + 1} of {scene.n_frames}; 100 ms after" in told
    assert "&lt;strike&gt;" in told and "<strike>" not in told  # files come from strangers
    assert "measured: right" in told and "BW)" in told and "mm rms" in told and "doubtful" in told
