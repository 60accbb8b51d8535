"""Reading plates from a file: what is wrong with one leaves the others, and lies are read by the data."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from tests.capture.plates.plate_files import Described, Truth, make_file, numbers, random_load, six_outputs

from softstride.capture.c3d.file import text_parameter
from softstride.capture.plates import plate_force, read_plates
from softstride.capture.units import Unit
from softstride.errors import InputError
from softstride.notes import codes, sentences

ORIGIN = np.array([0.0, 0.0, -0.04])


def make_two(**kwargs: object):
    truths = [random_load(np.random.default_rng(seed))[0] for seed in (1, 2)]
    described = [Described(2, truth.corners, ORIGIN, six_outputs(truth, ORIGIN)) for truth in truths]
    return make_file(described, **kwargs), truths, described  # type: ignore[arg-type]


def test_two_plates_and_their_clock() -> None:
    file, truths, _ = make_two(first_frame=286)
    plates, notes = read_plates(file)
    assert notes == ()
    assert [plate.name for plate in plates] == ["plate 1", "plate 2"]
    assert plates[1].channels == ("C7", "C8", "C9", "C10", "C11", "C12")
    # frame 286 at 100 Hz is 2.85 s on the clock, analog samples follow at 1000 Hz
    np.testing.assert_allclose(plates[0].time[:3], [2.85, 2.851, 2.852], rtol=1e-15)
    np.testing.assert_allclose(plates[1].wrench[:, 3:], truths[1].force, atol=1e-9)


FLAWS = {
    "an unknown type": ("TYPE", numbers("TYPE", [6, 2]), "TYPE is 6"),
    "a stair": ("TYPE", numbers("TYPE", [21, 2]), "TYPE is 21"),
    "a type that is no number": ("TYPE", numbers("TYPE", [np.nan, 2]), "TYPE is nan"),
    "no calibration matrix": ("TYPE", numbers("TYPE", [4, 2]), "CAL_MATRIX is missing"),
    "too few channels": ("TYPE", numbers("TYPE", [3, 2]), "CHANNEL lists 6"),
    "a channel beyond the last": (
        "CHANNEL",
        numbers("CHANNEL", [[1, 2, 3, 4, 5, 60], [7, 8, 9, 10, 11, 12]]),
        "CHANNEL names channel 60",
    ),
    "channel zero": ("CHANNEL", numbers("CHANNEL", [[0, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]]), "channel 0"),
    "a channel twice": ("CHANNEL", numbers("CHANNEL", [[1, 1, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]]), "twice"),
}


@pytest.mark.parametrize("flaw", FLAWS)
def test_a_flaw_of_one_plate_leaves_the_other(flaw: str) -> None:
    name, parameter, words = FLAWS[flaw]
    file, truths, _ = make_two(changes={name: parameter})
    (plate,), notes = read_plates(file)
    assert plate.name == "plate 2"
    np.testing.assert_allclose(plate.wrench[:, 3:], truths[1].force, atol=1e-9)
    assert (
        len(notes) == 1 and "plate 1 is left out: FORCE_PLATFORM:" in str(notes[0]) and words in str(notes[0])
    )


def test_corners_that_end_early_leave_the_first_plate() -> None:
    file, _, described = make_two()
    short = numbers("CORNERS", described[0].corners)
    file = replace(
        file, groups={**file.groups, "FORCE_PLATFORM": {**file.groups["FORCE_PLATFORM"], "CORNERS": short}}
    )
    plates, notes = read_plates(file)
    assert [plate.name for plate in plates] == ["plate 1"]
    assert sentences(notes) == ("plate 2 is left out: FORCE_PLATFORM:CORNERS ends before this plate",)


@pytest.mark.parametrize("name", ["CORNERS", "ORIGIN", "CHANNEL"])
@pytest.mark.parametrize("text", [True, False])
def test_a_missing_parameter_is_named(name: str, text: bool) -> None:
    file, _, _ = make_two(changes={name: text_parameter(name, ("a", "b")) if text else None})
    plates, notes = read_plates(file)
    assert plates == ()
    assert all(
        f"FORCE_PLATFORM:{name}" in note.names for note in notes if note.code == "plates.plate-left-out"
    )
    assert codes(notes).count("plates.plate-left-out") == 2


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        (np.zeros((0,)), "is empty; type 4 needs 6 by 6"),
        (np.zeros((2, 5, 5)), "is 5 by 5"),
        (np.zeros((2, 6, 6)), "no vertical force"),
        (np.full((2, 6, 6), np.inf), "not finite"),
    ],
)
def test_a_bad_matrix_is_named(matrix: np.ndarray, words: str) -> None:
    file, _, _ = make_two(
        changes={"TYPE": numbers("TYPE", [4, 4]), "CAL_MATRIX": numbers("CAL_MATRIX", matrix)}
    )
    plates, notes = read_plates(file)
    assert plates == ()
    assert len(notes) == 2 and all(
        "FORCE_PLATFORM:CAL_MATRIX" in str(note) and words in str(note) for note in notes
    )


def test_no_plates_no_analog_too_many() -> None:
    file, _, _ = make_two()
    assert read_plates(replace(file, groups={})) == ((), ())
    assert read_plates(make_two(changes={"USED": numbers("USED", [0])})[0]) == ((), ())
    plates, notes = read_plates(replace(file, analog=np.zeros((0, 0))))
    assert plates == () and codes(notes) == ("plates.no-analog-data",)
    plates, notes = read_plates(make_two(changes={"USED": numbers("USED", [65535])})[0])
    assert len(plates) == 2 and sentences(notes) == (
        "FORCE_PLATFORM:USED says 65535 plates, FORCE_PLATFORM:TYPE describes 2",
    )
    plates, notes = read_plates(make_two(changes={"USED": None})[0])
    assert len(plates) == 2 and codes(notes) == ("plates.count-missing",)
    plates, notes = read_plates(replace(file, analog_rate=0.0))
    assert plates == () and codes(notes) == ("plates.no-analog-rate",)


def test_a_unit_that_makes_giants_of_plates_is_read_by_their_size() -> None:
    file, truths, _ = make_two(unit="mm")
    expected = read_plates(file)[0]
    words = tuple("Nmm" if i % 6 > 2 else "N" for i in range(12))
    in_mm = replace(file, analog=file.analog * np.tile([1, 1, 1, 1e3, 1e3, 1e3], 2), analog_units=words)
    for wrong in ("m", "", "furlong"):
        plates, notes = read_plates(replace(in_mm, point_units=wrong))
        assert "POINT:UNITS" in str(notes[0]) and "1000 units make a metre" in str(notes[0])
        for plate, known, truth in zip(plates, expected, truths, strict=True):
            np.testing.assert_array_equal(plate.corners, known.corners)
            np.testing.assert_allclose(plate.wrench[:, :3], truth.moment, atol=1e-9)
    assert read_plates(replace(in_mm, point_units="m"), length_unit=Unit(1000.0))[1] == ()


@pytest.mark.parametrize(
    ("declared", "factor", "words"), [("Nm", 1e3, "only 1000 puts"), ("Nmm", 1.0, "only 1 puts")]
)
def test_moments_in_another_unit_than_declared_are_read_by_where_the_feet_are(
    declared: str, factor: float, words: str
) -> None:
    truth, points, _ = random_load(np.random.default_rng(5))
    channels = six_outputs(truth, ORIGIN) * [1, 1, 1, factor, factor, factor]
    (plate,), notes = read_plates(
        make_file([Described(2, truth.corners, ORIGIN, channels, ["N"] * 3 + [declared] * 3)])
    )
    assert any(words in str(note) for note in notes)
    np.testing.assert_allclose(plate_force(plate).point, points, atol=1e-9)


def upward(truth: Truth) -> Truth:
    """The same load on a plate whose own z axis points up: x as before, y and z reversed."""
    return Truth(truth.axes * [1.0, -1.0, -1.0], truth.centre, truth.force, truth.moment)


@pytest.mark.parametrize("z_up", [False, True])
@pytest.mark.parametrize("on_the_plate", [False, True])
def test_axes_that_point_up_and_forces_on_the_plate(z_up: bool, on_the_plate: bool) -> None:
    truth, points, _ = random_load(np.random.default_rng(7))
    plate_truth = upward(truth) if z_up else truth
    origin = -ORIGIN if z_up else ORIGIN  # the surface is above the sensors
    channels = six_outputs(plate_truth, origin) * (-1.0 if on_the_plate else 1.0)
    markers = truth.centre - truth.axes[:, 2] * np.array([[0.1], [0.5], [1.2]])
    described = Described(2, plate_truth.corners, ORIGIN, channels)
    (plate,), notes = read_plates(make_file([described], markers=markers))
    np.testing.assert_allclose(plate.wrench[:, 3:], truth.force, atol=1e-9)
    np.testing.assert_allclose(plate.wrench[:, :3], truth.moment, atol=1e-9)
    np.testing.assert_allclose(plate.normal, -truth.axes[:, 2], atol=1e-12)
    assert np.linalg.det(plate.rotation) == pytest.approx(1.0)
    np.testing.assert_allclose(plate_force(plate).point, points, atol=1e-9)
    assert ("plates.z-axis-up" in codes(notes)) == z_up
    assert ("plates.force-reversed" in codes(notes)) == on_the_plate
    assert ("plates.corners-may-be-wrong" in codes(notes)) == (z_up and on_the_plate)


def with_offset(n: int = 400) -> tuple[Truth, np.ndarray, np.ndarray]:
    """A plate that is loaded in the second half only, its channels, and the offset on them."""
    truth, _, _ = random_load(np.random.default_rng(11), n)
    loaded = (np.arange(n) >= n // 2)[:, None]
    truth = Truth(truth.axes, truth.centre, truth.force * loaded, truth.moment * loaded)
    offset = np.array([1.0, -2.0, 14.0, 0.5, -0.4, 0.3])
    return truth, six_outputs(truth, ORIGIN) + offset, offset


@pytest.mark.parametrize("zero", ["file", "unloaded", (2.85, 2.949)])
def test_zeroing_takes_the_offset_from_the_channels(zero) -> None:
    truth, channels, _ = with_offset()
    described = Described(2, truth.corners, ORIGIN, channels)
    file = make_file([described], first_frame=286, zero=(287, 296))
    (plate,), notes = read_plates(file, zero=zero)
    np.testing.assert_allclose(plate.wrench[:, 3:], truth.force, atol=1e-9)
    np.testing.assert_allclose(plate.wrench[:, :3], truth.moment, atol=1e-9)
    (raw,), _ = read_plates(file)
    np.testing.assert_allclose(raw.wrench - plate.wrench, np.tile(plate.offset, (400, 1)), atol=1e-9)
    assert np.linalg.norm(plate.offset[3:]) == pytest.approx(np.sqrt(1 + 4 + 196))
    assert "plates.zeroed" in codes(notes)
    np.testing.assert_array_equal(raw.offset, np.zeros(6))


def test_zeroing_of_type_1_keeps_the_centre_of_pressure() -> None:
    truth, points, twist = random_load(np.random.default_rng(3), 400)
    places = (points - truth.centre) @ truth.axes
    loaded = (np.arange(400) >= 200)[:, None]
    channels = np.column_stack(
        [(truth.force * loaded) @ truth.axes + [1.0, 2.0, 9.0], places[:, :2], twist * loaded[:, 0]]
    )
    described = Described(1, truth.corners, np.zeros(3), channels, ["N", "N", "N", "m", "m", "Nm"])
    (plate,), _ = read_plates(make_file([described]), zero="unloaded")
    np.testing.assert_allclose(plate_force(plate).point[200:], points[200:], atol=1e-9)


@pytest.mark.parametrize(
    ("frames", "words"),
    [
        ((1, 0), "names no frames ([1, 0])"),
        ((0, 0), "names no frames"),
        (None, "names no frames ([])"),
        ((1, 10), "not all in the file"),  # the file begins at frame 286
        ((310, 315), "more there than at its least"),
    ],
)
def test_frames_of_the_file_that_hold_no_baseline(frames, words: str) -> None:
    truth, channels, _ = with_offset()
    file = make_file([Described(2, truth.corners, ORIGIN, channels)], first_frame=286, zero=frames)
    (plate,), notes = read_plates(file, zero="file")
    assert any(note.code.startswith("plates.not-zeroed") and words in str(note) for note in notes)
    np.testing.assert_array_equal(plate.wrench, read_plates(file)[0][0].wrench)


def test_frame_zero_means_the_first() -> None:
    truth, channels, _ = with_offset()
    file = make_file([Described(2, truth.corners, ORIGIN, channels)], zero=(0, 10))
    (plate,), notes = read_plates(file, zero="file")
    assert any("frames 1 to 10" in str(note) for note in notes)
    np.testing.assert_allclose(plate.wrench[:, 3:], truth.force, atol=1e-9)


def standing(weight: ArrayLike) -> Described:
    truth, _, _ = random_load(np.random.default_rng(1), 400)
    force = np.broadcast_to(np.asarray(weight, dtype=float), (400,))[:, None] * -truth.axes[:, 2]
    still = Truth(truth.axes, truth.centre, force, np.zeros((400, 3)))
    return Described(2, truth.corners, ORIGIN, six_outputs(still, ORIGIN))


@pytest.mark.parametrize(
    ("weight", "words"),
    [(450.0, "may be offset or load"), (600.0 + 100.0 * np.sin(np.arange(400) / 30.0), "never unloaded")],
)
def test_a_plate_that_is_never_unloaded_is_not_zeroed(weight, words: str) -> None:
    (plate,), notes = read_plates(make_file([standing(weight)]), zero="unloaded")
    assert any(words in str(note) for note in notes)
    np.testing.assert_allclose(plate.wrench[:, 3:] @ plate.normal, weight, rtol=1e-12)


def test_the_file_may_not_zero_a_standing_person_away() -> None:
    (plate,), notes = read_plates(make_file([standing(450.0)], zero=(1, 10)), zero="file")
    assert any("hardly ever another load" in str(note) for note in notes)
    np.testing.assert_allclose(plate.wrench[:, 3:] @ plate.normal, 450.0)


def test_a_window_without_samples_or_under_load_is_noted() -> None:
    truth, channels, _ = with_offset()
    file = make_file([Described(2, truth.corners, ORIGIN, channels)])
    assert any("no sample between 7 s" in str(note) for note in read_plates(file, zero=(7.0, 8.0))[1])
    assert any("though the plate carries" in str(note) for note in read_plates(file, zero=(0.3, 0.39))[1])


@pytest.mark.parametrize("zero", ["first", (1.0,), (2.0, 1.0), (0.0, np.nan), 3])
def test_other_ways_of_zeroing_are_refused(zero) -> None:
    with pytest.raises(InputError, match="zero must be"):
        read_plates(make_two()[0], zero=zero)


def test_numbers_that_are_none_stay_none() -> None:
    file, _, _ = make_two()
    analog = file.analog.copy()
    analog[5, 2] = np.nan
    plates, _ = read_plates(replace(file, analog=analog))
    force = plate_force(plates[0])
    assert np.isnan(force.force[5]).all() and np.isfinite(force.force[6:]).all()


@given(
    seed=st.integers(0, 2**32 - 1),
    name=st.sampled_from(["USED", "TYPE", "CORNERS", "ORIGIN", "CHANNEL", "ZERO"]),
)
def test_garbage_in_a_parameter_never_crashes(seed: int, name: str) -> None:
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(0, 5, rng.integers(0, 4)))
    values = rng.choice([0.0, 1.0, -1.0, 2.0, 3.0, 1e30, -1e38, np.nan, np.inf, 5.0, 7.0], shape)
    file, _, _ = make_two(changes={name: numbers(name, values)})
    for zero in ("file", "unloaded"):
        plates, _ = read_plates(file, zero=zero)
        for plate in plates:
            plate_force(plate)


@given(seed=st.integers(0, 2**32 - 1), share=st.sampled_from([0.01, 0.5, 1.0]))
def test_garbage_in_the_channels_never_crashes(seed: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    file, _, _ = make_two()
    garbage = rng.choice([0.0, 1e300, -1e308, 1e38, np.nan, np.inf, -np.inf], file.analog.shape)
    analog = np.where(rng.random(file.analog.shape) < share, garbage, file.analog)
    for zero in (None, "file", "unloaded", (0.0, 0.02)):
        plates, _ = read_plates(replace(file, analog=analog), zero=zero)  # type: ignore[arg-type]
        for plate in plates:
            plate_force(plate)
