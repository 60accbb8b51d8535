"""A scene is whole or refused; it can be had at other rates, and as numbers for a page."""

import json
from dataclasses import replace

import numpy as np
import pytest

from softstride.errors import InputError
from softstride.scene import Arrow, Muscles, Scene, activity_colours, unpack
from softstride.scene.compact import pack, packed
from softstride.scene.scene import frames_at_rate


def test_frames_at_a_rate_are_those_nearest_to_even_steps() -> None:
    time = np.arange(201) / 200.0
    assert np.array_equal(frames_at_rate(time, 50.0), np.arange(0, 201, 4))
    assert np.array_equal(frames_at_rate(time, 1000.0), np.arange(201))  # never more than there are
    third = frames_at_rate(time, 30.0)
    assert len(third) == 31 and np.abs(time[third] - np.arange(31) / 30.0).max() <= 0.0025 + 1e-12
    uneven = np.array([0.0, 0.1, 0.11, 0.5, 1.0])
    assert np.array_equal(frames_at_rate(uneven, 2.0), [0, 3, 4])


@pytest.mark.parametrize("hz", [0.0, -1.0, np.nan, np.inf])
def test_a_rate_that_is_none_is_refused(scene: Scene, hz: float) -> None:
    with pytest.raises(InputError, match="positive number of frames a second"):
        scene.at_rate(hz)


def test_some_frames_of_all_parts(scene: Scene) -> None:
    some = scene.take(np.array([2, 5, 7]))
    assert some.n_frames == 3 and np.array_equal(some.time, scene.time[[2, 5, 7]])
    assert np.array_equal(some.poses, scene.poses[[2, 5, 7]])
    assert np.array_equal(some.ribbons[0].centre, scene.ribbons[0].centre[[2, 5, 7]])
    assert np.array_equal(some.muscles.points, scene.muscles.points[[2, 5, 7]])
    assert np.array_equal(some.markers.measured, scene.markers.measured[[2, 5, 7]])
    assert np.array_equal(some.arrows[0].force, scene.arrows[0].force[[2, 5, 7]])


def test_the_frame_at_an_instant_is_the_nearest(scene: Scene) -> None:
    for instant in (-1.0, 0.0, 0.024, 0.026, 0.9, 99.0):
        assert scene.frame_at(instant) == int(np.argmin(np.abs(scene.time - instant)))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"time": np.zeros(0)}, r"time of a scene must have shape \(35,\) \(time\), however it has \(0,\)"),
        ({"links": ("pelvis",)}, r"poses of a scene must have shape \(35, 1, 7\)"),
        (
            {"doubtful": np.zeros(3, dtype=bool)},
            r"doubtful of a scene must have shape \(35,\) .* it has \(3,\)",
        ),
        (
            {"arrows": (Arrow("f", "measured", "", np.zeros((2, 3)), np.zeros((2, 3))),)},
            "arrow 'f' of a scene must have 35 frames",
        ),
    ],
)
def test_what_does_not_fit_is_refused(scene: Scene, change: dict, words: str) -> None:
    with pytest.raises(InputError, match=words):
        replace(scene, **change)


def test_a_scene_needs_a_frame_and_instants_that_increase(scene: Scene) -> None:
    with pytest.raises(InputError, match="a scene needs at least one frame"):
        scene.take(slice(0))
    with pytest.raises(InputError, match="time must increase"):
        scene.take(np.array([5, 2]))


def test_nothing_is_doubtful_unless_somebody_says_so(scene: Scene) -> None:
    plain = replace(scene, doubtful=None)
    assert plain.doubtful is not None and plain.doubtful.shape == (35,) and not plain.doubtful.any()


def test_an_arrow_has_a_source() -> None:
    with pytest.raises(InputError, match="source of arrow 'f' must be 'measured' or 'estimated'") as refused:
        Arrow("f", "guessed", "", np.zeros((2, 3)), np.zeros((2, 3)))
    assert refused.value.parameter == "source" and refused.value.value == "guessed"


def test_the_muscles_share_out_all_points() -> None:
    with pytest.raises(InputError, match="first of muscles must be 3 numbers from 0 to 4") as refused:
        Muscles(("a", "b"), np.zeros((2, 4, 3)), np.array([0, 2, 3]), np.zeros((2, 2)))
    assert refused.value.parameter == "first"


def test_a_page_gives_the_scene_back(scene: Scene) -> None:
    page = json.loads(json.dumps(scene.to_json(hz=None), allow_nan=False))
    assert page["form"] == "softstride scene 1" and page["links"] == list(scene.links)
    assert np.abs(unpack(page["time"]) - scene.time).max() < 1e-4
    assert np.abs(unpack(page["position"]) - scene.poses[..., :3]).max() <= 0.5e-3 + 1e-6
    assert np.abs(unpack(page["quaternion"]) - scene.poses[..., 3:]).max() < 1e-4
    for ribbon, kept in zip(scene.ribbons, page["ribbons"], strict=True):
        assert np.abs(unpack(kept["centre"]) - ribbon.centre).max() <= 0.5e-3 + 1e-6
    for arrow, kept in zip(scene.arrows, page["arrows"], strict=True):
        assert unpack(kept["force"]) == pytest.approx(arrow.force, abs=0.26, nan_ok=True)
        assert unpack(kept["point"]) == pytest.approx(arrow.point, abs=0.51e-3, nan_ok=True)
    assert np.abs(unpack(page["muscles"]["points"]) - scene.muscles.points).max() <= 0.51e-3
    assert np.isnan(unpack(page["muscles"]["activity"])).all()
    shapes = [(shape["kind"], page["links"][shape["link"]], shape["layer"]) for shape in page["shapes"]]
    assert shapes == [(shape.kind, shape.link, shape.layer) for shape in scene.shapes]


def test_a_page_without_muscles_and_markers_is_small(scene: Scene) -> None:
    page = pack(scene.at_rate(10.0), muscles=False, markers=False)
    assert "muscles" not in page and "markers" not in page
    assert len(json.dumps(page)) < 90_000


def test_what_is_missing_stays_missing() -> None:
    values = np.array([[0.0, np.nan], [1.5, -2.0], [np.inf, 3.0]])
    again = unpack(packed(values, 1e-3))
    assert np.array_equal(np.isnan(again), ~np.isfinite(values))
    known = np.isfinite(values)
    assert np.abs(again[known] - values[known]).max() <= 0.5e-3
    assert np.isnan(unpack(packed(np.full((2, 3), np.nan), 1e-3))).all()
    assert unpack(packed(np.zeros((0, 4)), 1e-3)).shape == (0, 4)


def test_a_long_way_is_told_in_coarser_steps() -> None:
    walked = np.linspace(0.0, 500.0, 1000)
    page = packed(walked, 1e-3)
    assert page["scale"] > 1e-3
    assert np.abs(unpack(page) - walked).max() <= 0.5 * page["scale"] + 1e-9


@pytest.mark.parametrize("precision", [0.0, -1e-3, np.nan])
def test_a_precision_that_is_none_is_refused(scene: Scene, precision: float) -> None:
    with pytest.raises(InputError, match="precision must be a positive length"):
        scene.to_json(precision=precision)


def test_activity_goes_from_green_over_yellow_to_red() -> None:
    colours = activity_colours([0.0, 0.5, 1.0, -3.0, 7.0, np.nan]).astype(int)
    green, yellow, red, below, above, unknown = colours
    assert green[1] > 2 * green[0] and red[0] > 4 * red[1] and min(yellow[:2]) > 180
    assert np.array_equal(below, green) and np.array_equal(above, red)
    assert np.ptp(unknown) == 0  # grey
    ramp = activity_colours(np.linspace(0.0, 1.0, 101)).astype(int)
    assert np.abs(np.diff(ramp, axis=0)).max() <= 5
