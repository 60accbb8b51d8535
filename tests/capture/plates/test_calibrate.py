"""Every plate type gives back a load that was turned into sensor outputs by statics."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.capture.plates.plate_files import (
    Described,
    Truth,
    make_file,
    random_load,
    random_pose,
    six_outputs,
)

from softstride.capture.plates import plate_force, read_plates
from softstride.capture.plates.calibrate import plate_wrench, surface_origin, wrench_matrix
from softstride.errors import InputError

seeds = st.integers(0, 2**32 - 1)

# Loads are below 1 kN and 1 kN m, lever arms of some metres: 1e-9 is a few hundred roundings of those.
ROUNDING = 1e-9


def check(file, truth: Truth) -> None:
    (plate,), _ = read_plates(file)
    np.testing.assert_allclose(plate.wrench[:, 3:], truth.force, atol=ROUNDING)
    np.testing.assert_allclose(plate.wrench[:, :3], truth.moment, atol=ROUNDING)
    np.testing.assert_allclose(plate.centre, truth.centre, atol=ROUNDING)
    np.testing.assert_allclose(plate.normal, -truth.axes[:, 2], atol=ROUNDING)


@given(seed=seeds)
def test_type_1_from_pressure_centre_and_free_moment(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth, points, twist = random_load(rng)
    places = (points - truth.centre) @ truth.axes
    channels = np.column_stack([truth.force @ truth.axes, places[:, :2], twist])
    described = Described(1, truth.corners, np.zeros(3), channels, ["N", "N", "N", "m", "m", "Nm"])
    check(make_file([described]), truth)


@given(seed=seeds, towards_origin=st.booleans())
def test_type_2_from_force_and_moment_at_a_point_below_the_surface(seed: int, towards_origin: bool) -> None:
    rng = np.random.default_rng(seed)
    truth, _, _ = random_load(rng)
    origin = np.array([*rng.uniform(-0.01, 0.01, 2), -rng.uniform(0.02, 0.1)])
    written = -origin if towards_origin else origin  # old data sheets give the vector the other way round
    check(make_file([Described(2, truth.corners, written, six_outputs(truth, origin))]), truth)


@given(seed=seeds, sign=st.sampled_from([-1.0, 1.0]))
def test_type_3_from_four_sensors_that_carry_the_load(seed: int, sign: float) -> None:
    rng = np.random.default_rng(seed)
    axes, centre = random_pose(rng)
    a, b, depth = rng.uniform(0.1, 0.2), rng.uniform(0.1, 0.2), rng.uniform(0.02, 0.1)
    sensors = np.array([[a, b, depth], [-a, b, depth], [-a, -b, depth], [a, -b, depth]])
    carried = rng.uniform(-60.0, 60.0, (40, 4, 3))  # what each sensor pushes up with, plate axes
    carried[:, :, 2] = -rng.uniform(50.0, 300.0, (40, 4))
    fx, fy, fz = carried[:, :, 0], carried[:, :, 1], carried[:, :, 2]
    channels = np.column_stack(
        [fx[:, 0] + fx[:, 1], fx[:, 2] + fx[:, 3], fy[:, 0] + fy[:, 3], fy[:, 1] + fy[:, 2], fz]
    )
    force = carried.sum(axis=1) @ axes.T
    moment = np.cross(sensors, carried).sum(axis=1) @ axes.T
    truth = Truth(axes, centre, force, moment)
    described = Described(3, truth.corners, np.array([a, b, sign * depth]), channels, ["N"] * 8)
    check(make_file([described]), truth)


@given(seed=seeds)
def test_type_4_through_its_calibration_matrix(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth, _, _ = random_load(rng)
    origin = np.array([0.001, -0.002, -0.04])
    matrix = np.diag(rng.uniform(100.0, 900.0, 6)) + rng.uniform(-10.0, 10.0, (6, 6))
    volts = np.linalg.solve(matrix, six_outputs(truth, origin).T).T
    check(make_file([Described(4, truth.corners, origin, volts, ["V"] * 6, matrix)]), truth)


@given(seed=seeds, transposed=st.booleans())
def test_type_5_through_six_by_eight(seed: int, transposed: bool) -> None:
    rng = np.random.default_rng(seed)
    truth, _, _ = random_load(rng)
    origin = np.array([0.001, -0.002, -0.04])
    matrix = np.hstack([np.diag(rng.uniform(100.0, 900.0, 6)), np.zeros((6, 2))]) + rng.uniform(
        -10.0, 10.0, (6, 8)
    )
    outputs = six_outputs(truth, origin)
    unseen = rng.uniform(-1.0, 1.0, (len(outputs), 8))
    back = np.linalg.inv(matrix @ matrix.T) @ matrix  # channels that give an output, among the many that do
    volts = outputs @ back + unseen - unseen @ matrix.T @ back
    file = make_file(
        [Described(5, truth.corners, origin, volts, ["V"] * 8, matrix.T if transposed else matrix)]
    )
    check(file, truth)


def test_moments_follow_the_unit_that_the_channels_name() -> None:
    truth, _, _ = random_load(np.random.default_rng(1))
    origin = np.array([0.0, 0.0, -0.04])
    outputs = six_outputs(truth, origin)
    in_mm = outputs * [1, 1, 1, 1e3, 1e3, 1e3]
    for unit, words, channels in [
        ("mm", ["N", "N", "N", "N.mm", "N.mm", "N.mm"], in_mm),
        ("mm", ["N"] * 3 + ["Nm"] * 3, outputs),
        ("mm", ["N"] * 3 + [""] * 3, in_mm),
        ("m", ["nt"] * 3 + [""] * 3, outputs),
        ("m", ["kN"] * 3 + ["Nmm"] * 3, in_mm / [1e3, 1e3, 1e3, 1, 1, 1]),
    ]:
        check(make_file([Described(2, truth.corners, origin, channels, words)], unit=unit), truth)


def test_rows_of_a_calibration_matrix_follow_the_length_of_the_file() -> None:
    truth, _, _ = random_load(np.random.default_rng(2))
    origin = np.array([0.0, 0.0, -0.04])
    matrix = np.diag([100.0, 100.0, 400.0, 50.0, 50.0, 30.0])
    volts = np.linalg.solve(matrix, six_outputs(truth, origin).T).T
    in_mm = matrix * np.array([1, 1, 1, 1e3, 1e3, 1e3])[:, None]
    check(make_file([Described(4, truth.corners, origin, volts, ["V"] * 6, in_mm)], unit="mm"), truth)
    check(make_file([Described(4, truth.corners, origin, volts, ["V"] * 6, matrix)], unit="m"), truth)


def test_kistler_by_hand() -> None:
    """100 N straight down on sensor 1 at (+a, +b): the reaction lifts there, mx = -100 b, my = +100 a."""
    channels = np.array([[0.0, 0.0, 0.0, 0.0, -100.0, 0.0, 0.0, 0.0]])
    wrench = plate_wrench(3, channels, np.array([0.12, 0.2, -0.05]))
    np.testing.assert_allclose(wrench, [[-20.0, 12.0, 0.0, 0.0, 0.0, -100.0]], atol=1e-12)


def test_origin_is_read_by_its_depth() -> None:
    kept, silent = surface_origin(2, np.array([0.001, 0.002, -0.03]))
    turned, note = surface_origin(2, np.array([-0.001, -0.002, 0.03]))
    np.testing.assert_array_equal(kept, turned)
    assert silent is None
    assert note is not None and "30.0 mm above" in str(note)
    np.testing.assert_array_equal(surface_origin(3, np.array([0.1, 0.2, 0.03]))[0], [0.1, 0.2, -0.03])
    np.testing.assert_array_equal(
        surface_origin(2, np.array([0.0, 0.0, 0.03]), z_down=False)[0], [0.0, 0.0, 0.03]
    )


@pytest.mark.parametrize(("kind", "width"), [(2, 8), (3, 6), (6, 6), (0, 6)])
def test_channels_that_fit_no_type_are_refused(kind: int, width: int) -> None:
    with pytest.raises(InputError, match=f"type {kind}"):
        plate_wrench(kind, np.zeros((3, width)), np.zeros(3))


def test_a_matrix_that_does_not_fit_is_refused() -> None:
    with pytest.raises(InputError, match=r"\(6, 8\)"):
        wrench_matrix(5, np.zeros(3), np.eye(6))
    with pytest.raises(InputError, match=r"\(6, 6\)"):
        wrench_matrix(4, np.zeros(3))


@given(seed=seeds)
def test_force_centre_and_free_moment_come_back(seed: int) -> None:
    truth, points, twist = random_load(np.random.default_rng(seed))
    origin = np.array([0.0, 0.0, -0.04])
    (plate,), _ = read_plates(make_file([Described(2, truth.corners, origin, six_outputs(truth, origin))]))
    force = plate_force(plate)
    np.testing.assert_allclose(force.point, points, atol=ROUNDING)
    np.testing.assert_allclose(force.moment, twist[:, None] * truth.axes[:, 2], atol=ROUNDING)
