"""The types of a recording: constant, checked, and handed on to xarray and pandas unchanged."""

import copy
import pickle
from collections.abc import Callable

import numpy as np
import pytest

from softstride.capture.force import ExternalForce, Plate
from softstride.capture.recording import Axes, Event, Recording, Subject
from softstride.capture.series import Channels, Points, turned
from softstride.errors import InputError
from softstride.notes import SAID, Note

TIME = np.array([0.0, 0.01, 0.02])
RNG = np.random.default_rng(3)


def points() -> Points:
    return Points(TIME, ("a", "b"), RNG.normal(size=(3, 2, 3)))


def force(**changes: object) -> ExternalForce:
    arrays = {name: RNG.normal(size=(3, 3)) for name in ("force", "point", "moment")}
    return ExternalForce("heel", TIME, **(arrays | changes))  # type: ignore[arg-type]


def test_values_are_constant_and_apart_from_the_caller_s() -> None:
    mine = RNG.normal(size=(3, 2, 3))
    series = Points(TIME, ("a", "b"), mine)
    before = series.values.copy()
    mine[:] = 0.0
    np.testing.assert_array_equal(series.values, before)
    with pytest.raises(ValueError, match="read-only"):
        series.values[0] = 1.0


def test_columns_by_name() -> None:
    series = points()
    np.testing.assert_array_equal(series["b"], series.values[:, 1])
    assert "b" in series and "c" not in series
    assert series.select(("b", "a")).labels == ("b", "a")
    with pytest.raises(InputError, match="no 'c' among: a, b"):
        series["c"]


@pytest.mark.parametrize("shape", [(3, 2), (2, 2, 3), (3, 3, 3), (3, 2, 2)])
def test_a_wrong_shape_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match="shape"):
        Points(TIME, ("a", "b"), np.zeros(shape))


def test_labels_must_differ() -> None:
    with pytest.raises(InputError, match="more than once: a"):
        Points(TIME, ("a", "a"), np.zeros((3, 2, 3)))


def test_parts_beside_the_values_must_fit() -> None:
    with pytest.raises(InputError, match="residuals"):
        Points(TIME, ("a", "b"), np.zeros((3, 2, 3)), residuals=np.zeros((3, 3)))
    with pytest.raises(InputError, match="units"):
        Channels(TIME, ("a", "b"), np.zeros((3, 2)), ("V",))


PLATE = {"corners": np.zeros((4, 3)), "rotation": np.eye(3), "time": TIME, "wrench": np.zeros((3, 6))}


@pytest.mark.parametrize(
    ("make", "parameter", "message"),
    [
        (lambda: Points(TIME, ("a",), np.zeros((3, 1, 2))), "values", "values of points must have shape"),
        (lambda: Points(TIME[:2], ("a",), np.zeros((3, 1, 3))), "time", "time of points must have shape"),
        (lambda: Points(TIME, ("a", "a"), np.zeros((3, 2, 3))), "labels", "labels must differ"),
        (lambda: Points(TIME, ("a",), np.zeros((3, 1, 3)), filled=np.zeros((3, 2))), "filled", "filled of"),
        (lambda: Channels(TIME, ("a",), np.zeros((3, 1)), ("V", "V")), "units", "1 channels need"),
        (
            lambda: Plate("plate 1", 2, **(PLATE | {"corners": np.zeros((3, 3))})),
            "corners",
            r"corners of plate 1 must have shape \(4, 3\) \(corner, axis\), however it has \(3, 3\)",
        ),
        (lambda: Plate("p", 2, **(PLATE | {"rotation": np.zeros((3, 2))})), "rotation", "rotation of p must"),
        (lambda: Plate("p", 2, **(PLATE | {"wrench": np.zeros((3, 3))})), "wrench", "wrench of p must have"),
        (lambda: Plate("p", 2, **PLATE, offset=np.zeros(3)), "offset", r"offset of p .* \(6,\)"),
        (
            lambda: force(point=np.zeros((2, 3))),
            "point",
            r"point of heel must have shape \(3, 3\) \(time, axis\)",
        ),
        (lambda: Axes(np.eye(2)), "rotation", r"rotation of axes must have shape \(3, 3\)"),
        (lambda: force(moment=[["x"] * 3] * 3), "moment", "moment of heel must be made of real numbers"),
    ],
)
def test_a_part_of_another_shape_is_refused_by_its_name(
    make: Callable[[], object], parameter: str, message: str
) -> None:
    with pytest.raises(InputError, match=message) as refused:
        make()
    assert refused.value.parameter == parameter


def test_what_a_plate_may_leave_out() -> None:
    plate = Plate("p", 2, **PLATE)
    np.testing.assert_array_equal(plate.offset, np.zeros(6))
    assert plate.offset.flags.writeable is False and Axes().rotation.tolist() == np.eye(3).tolist()


def test_labels_and_units_of_series_and_forces() -> None:
    series = points().to_xarray()
    assert series.dims == ("time", "label", "axis") and list(series.label.values) == ["a", "b"]
    assert list(series.axis.values) == ["x", "y", "z"] and series.attrs == {"units": "m"}
    channels = Channels(TIME, ("u", "w"), np.zeros((3, 2)), ("V", "N")).to_xarray()
    assert channels.dims == ("time", "label") and list(channels.units.values) == ["V", "N"]
    data = force(side="left").to_xarray()
    assert data.attrs == {"name": "heel", "body": "", "side": "left"}
    assert {name: each.attrs["units"] for name, each in data.data_vars.items()} == {
        "force": "N",
        "point": "m",
        "moment": "N m",
    }
    assert all(each.dims == ("time", "axis") for each in data.data_vars.values())


def test_nothing_measured_is_false() -> None:
    assert not Points.none() and not Channels.none()
    assert points() and np.isnan(Points.none().rate)
    assert points().rate == pytest.approx(100.0)


def test_missing_is_any_coordinate() -> None:
    values = np.zeros((3, 2, 3))
    values[1, 0, 2] = np.nan
    np.testing.assert_array_equal(Points(TIME, ("a", "b"), values).missing, [[0, 0], [1, 0], [0, 0]])


def test_turning_by_a_permutation_rounds_nothing() -> None:
    rotation = np.array([[-1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    vectors = RNG.normal(size=(5, 4, 3)) * 1e-3
    np.testing.assert_array_equal(turned(vectors, rotation), vectors[..., [0, 2, 1]] * (-1, 1, 1))


def test_turning_by_any_rotation() -> None:
    c, s = np.cos(0.3), np.sin(0.3)
    rotation = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    vectors = RNG.normal(size=(5, 3))
    expected = np.stack([rotation @ v for v in vectors])
    np.testing.assert_allclose(turned(vectors, rotation), expected, rtol=1e-15, atol=1e-15)


def test_wrench_about_a_point_by_hand() -> None:
    """1 N along x, one metre above the origin: a moment of -1 N·m about z, and what the moment adds."""
    one = ExternalForce("f", [0.0], [[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]], [[0.0, 0.5, 0.0]])
    np.testing.assert_array_equal(one.wrench(), [[0.0, 0.5, -1.0, 1.0, 0.0, 0.0]])
    np.testing.assert_array_equal(one.wrench(about=(0.0, 2.0, 0.0)), [[0.0, 0.5, 1.0, 1.0, 0.0, 0.0]])


def test_an_unloaded_force_has_no_wrench_though_its_point_is_unknown() -> None:
    zero = np.zeros((3, 3))
    nothing = force(force=zero, moment=zero, point=np.full((3, 3), np.nan))
    np.testing.assert_array_equal(nothing.wrench(), 0.0)
    assert not nothing.loaded.any()


def test_turning_a_force_leaves_body_axes_alone() -> None:
    rotation = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    ground, body = force(), force(force_in="calcn_r", point_in="calcn_r")
    np.testing.assert_array_equal(ground.rotated(rotation).point, turned(ground.point, rotation))
    np.testing.assert_array_equal(body.rotated(rotation).force, body.force)
    np.testing.assert_array_equal(body.rotated(rotation).point, body.point)


def test_a_turned_plate_gives_the_turned_wrench() -> None:
    rotation = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    corners = np.array([[1.0, 1, 0], [0, 1, 0], [0, 0, 0], [1, 0, 0]])
    plate = Plate(
        "p", 2, corners, np.diag([1.0, -1.0, -1.0]), TIME, RNG.normal(size=(3, 6)), offset=np.arange(6.0)
    )
    turned_plate = plate.rotated(rotation)
    np.testing.assert_array_equal(turned_plate.centre, rotation @ plate.centre)
    np.testing.assert_array_equal(turned_plate.normal, rotation @ plate.normal)
    np.testing.assert_array_equal(turned_plate.rotation, rotation @ plate.rotation)
    np.testing.assert_array_equal(turned_plate.wrench[:, 3:], plate.wrench[:, 3:] @ rotation.T)
    np.testing.assert_array_equal(turned_plate.offset[:3], rotation @ plate.offset[:3])


def test_forces_and_events_by_name_and_side() -> None:
    recording = Recording(
        "trial",
        forces=(force(side="left"), ExternalForce("plate 2", TIME, *np.zeros((3, 3, 3)), side="right")),
        events=(Event("off", 0.7, "left"), Event("strike", 0.1, "left"), Event("strike", 0.5, "right")),
    )
    assert recording.force("right").name == "plate 2" and recording.force("heel").side == "left"
    np.testing.assert_array_equal(recording.events_of("strike"), [0.1, 0.5])
    np.testing.assert_array_equal(recording.events_of("strike", "left"), [0.1])
    assert [event.time for event in recording.events] == [0.1, 0.5, 0.7]
    with pytest.raises(InputError, match=r"heel \(left\), plate 2 \(right\)"):
        recording.force("plate 9")


def test_to_xarray_and_to_dataframe_hold_the_same_numbers() -> None:
    channels = Channels(TIME, ("u", "w"), RNG.normal(size=(3, 2)), ("V", "N"))
    one = force(side="left")
    recording = Recording(
        "trial", markers=points(), analog=channels, forces=(one,), outputs={"angle": points()}
    )
    tree = recording.to_xarray()
    markers = tree["markers"]["values"]
    np.testing.assert_array_equal(markers.sel(label="b"), recording.markers["b"])
    assert markers.attrs["units"] == "m"
    np.testing.assert_array_equal(tree["forces/heel"]["point"], one.point)
    np.testing.assert_array_equal(recording.to_dataframe()[("b", "z")], recording.markers["b"][:, 2])
    np.testing.assert_array_equal(channels.to_dataframe()["w"], channels["w"])
    np.testing.assert_array_equal(one.to_dataframe()[("moment", "y")], one.moment[:, 1])
    assert set(tree.children) == {"markers", "analog", "forces", "outputs"}


def test_a_recording_is_constant() -> None:
    recording = Recording("trial", subject=Subject(measures={"LEG": 0.8}), outputs={"angle": points()})
    with pytest.raises(TypeError):
        recording.outputs["angle"] = points()  # type: ignore[index]
    with pytest.raises(TypeError):
        recording.subject.measures["LEG"] = 0.9  # type: ignore[index]
    assert recording.noted("x: y").notes == (Note(SAID, "x: y"),) and recording.notes == ()
    assert Axes().rotation.flags.writeable is False


def test_duration_spans_everything() -> None:
    late = Channels([1.0, 1.5], ("a",), [[0.0], [0.0]])
    assert Recording("trial", markers=points(), analog=late).duration == pytest.approx(1.5)
    assert Recording("trial").duration == 0.0


@pytest.mark.parametrize("copied", [lambda r: pickle.loads(pickle.dumps(r)), copy.deepcopy])
def test_a_recording_travels_to_other_processes(copied: Callable[[Recording], Recording]) -> None:
    first = Recording(
        "trial", markers=points(), outputs={"angle": points()}, subject=Subject(measures={"LEG": 0.8})
    )
    again = copied(first)
    np.testing.assert_array_equal(again.markers.values, first.markers.values)
    assert again.subject.measures["LEG"] == 0.8 and "angle" in again.outputs


def test_what_lies_beside_the_values_is_constant_too() -> None:
    series = Points(
        TIME, ("a", "b"), np.zeros((3, 2, 3)), residuals=np.zeros((3, 2)), filled=[[True, False]] * 3
    )  # type: ignore[arg-type]
    for part in (series.residuals, series.filled):
        assert part is not None and not part.flags.writeable
