"""The force on the subject: centre of pressure, free moment, threshold, in any axes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from tests.capture.plates.plate_files import random_load

from softstride.capture.force import Plate
from softstride.capture.plates import plate_force
from softstride.errors import InputError

# z up, plate on the floor around (1, 2, 0.1), its own z down
CORNERS = np.array([[1.2, 2.3, 0.1], [1.2, 1.7, 0.1], [0.8, 1.7, 0.1], [0.8, 2.3, 0.1]])
ROTATION = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])


def make_plate(wrench: np.ndarray) -> Plate:
    return Plate("plate 1", 2, CORNERS, ROTATION, np.arange(len(wrench)) / 100.0, wrench)


def test_by_hand() -> None:
    """500 N up and 60 N along X at 0.1 m in X and 0.05 m in Y from the centre, with 3 N m of twist.

    (0.1, 0.05, 0) x (60, 0, 500) = (25, -50, -3); with the twist the moment about the vertical is zero.
    """
    force = plate_force(make_plate(np.array([[25.0, -50.0, 0.0, 60.0, 0.0, 500.0]])))
    np.testing.assert_allclose(force.point, [[1.1, 2.05, 0.1]])
    np.testing.assert_allclose(force.moment, [[0.0, 0.0, 3.0]], atol=1e-12)
    np.testing.assert_array_equal(force.force, [[60.0, 0.0, 500.0]])
    assert (force.name, force.plate, force.side) == ("plate 1", "plate 1", None)


def test_below_the_threshold_nothing_acts() -> None:
    wrench = np.array([[1.0, 1.0, 1.0, 5.0, 5.0, load] for load in (19.999, 20.0, -300.0, 0.0)])
    force = plate_force(make_plate(wrench))
    np.testing.assert_array_equal(force.loaded, [False, True, False, False])
    np.testing.assert_array_equal(force.force[[0, 2, 3]], np.zeros((3, 3)))
    np.testing.assert_array_equal(force.moment[[0, 2, 3]], np.zeros((3, 3)))
    assert np.isnan(force.point[[0, 2, 3]]).all() and np.isfinite(force.point[1]).all()


def test_without_threshold_everything_with_a_normal_force_is_kept() -> None:
    wrench = np.array([[1.0, 1.0, 1.0, 5.0, 5.0, load] for load in (1e-3, -300.0, 0.0)])
    force = plate_force(make_plate(wrench), threshold=0.0)
    np.testing.assert_array_equal(force.loaded, [True, True, False])
    np.testing.assert_array_equal(force.force[:2], wrench[:2, 3:])
    assert np.isnan(force.point[2]).all()


@given(seed=st.integers(0, 2**32 - 1))
def test_force_and_free_moment_at_the_centre_of_pressure_are_the_whole_wrench(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth, _, _ = random_load(rng)
    plate = Plate(
        "p",
        2,
        truth.corners,
        truth.axes,
        np.arange(40.0),
        np.concatenate([truth.moment, truth.force], axis=1),
    )
    force = plate_force(plate)
    # 1 kN at 3 m: 1e-9 is some hundred roundings
    np.testing.assert_allclose(force.wrench(plate.centre), plate.wrench, atol=1e-9)
    np.testing.assert_allclose((force.point - plate.centre) @ plate.normal, 0.0, atol=1e-12)
    rotation = Rotation.from_rotvec(rng.normal(size=3)).as_matrix()
    turned, expected = plate_force(plate.rotated(rotation)), force.rotated(rotation)
    np.testing.assert_allclose(turned.point, expected.point, atol=1e-9)
    np.testing.assert_allclose(turned.moment, expected.moment, atol=1e-9)


@pytest.mark.parametrize("threshold", [-1.0, np.nan])
def test_a_threshold_that_is_no_force_is_refused(threshold: float) -> None:
    with pytest.raises(InputError, match="threshold"):
        plate_force(make_plate(np.zeros((1, 6))), threshold=threshold)
