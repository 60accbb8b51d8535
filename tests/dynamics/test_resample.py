"""Forces reach the frames of a motion as they were then."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from tests.models import walker
from tests.trials import force, smooth, swinging

from softstride.capture import Recording
from softstride.dynamics import solve_id
from softstride.dynamics.resample import at_frames
from softstride.errors import InputError


def test_a_frame_at_a_sample_has_that_sample():
    t = np.arange(200) / 1000.0
    f, p, m = smooth(t)
    got = at_frames(force(t, f, p, m), t[::10] + 3e-10)
    for found, expected in ((got.force, f), (got.point, p), (got.moment, m)):
        assert np.array_equal(found, expected[::10])
    assert got.known.all() and got.acts.all()


def test_between_samples_there_is_a_natural_cubic_spline_of_the_wrench():
    t = np.sort(np.concatenate([np.arange(100) / 100.0, np.arange(10) / 71.3 + 0.003]))
    f, p, m = smooth(t)
    x = np.linspace(0.0, 0.98, 77)
    got = at_frames(force(t, f, p, m), x)
    whole = np.concatenate([f, m + np.cross(p, f)], axis=1)
    expected = CubicSpline(t, whole, bc_type="natural")(x)
    found = np.concatenate([got.force, got.moment + np.cross(got.point, got.force)], axis=1)
    assert np.allclose(found, expected, rtol=1e-12, atol=1e-12)
    assert np.allclose(got.point, smooth(x)[1], atol=1e-4)


def test_a_long_record_is_the_same_near_few_frames():
    """Only samples near the frames are looked at, without changing the result."""
    t = np.arange(5000) / 1000.0
    f = np.random.default_rng(0).normal(size=(5000, 3))
    x = np.array([2.00031, 2.0107])
    got = at_frames(force(t, f), x)
    assert np.allclose(got.force, CubicSpline(t, f, bc_type="natural")(x), rtol=0, atol=1e-13)


@pytest.mark.parametrize("n", [2, 3])
def test_two_or_three_samples_have_straight_lines(n):
    t = np.arange(float(n))
    f = np.array([[0.0, 1.0, 5.0], [2.0, 3.0, 1.0], [8.0, 0.0, 1.0]])[:n]
    assert np.allclose(at_frames(force(t, f), np.array([0.25])).force, 0.75 * f[0] + 0.25 * f[1])


def test_no_load_rings_into_swing():
    """A foot lands between two samples: a spline overshoots before it, here nothing acts until the sample before."""
    t = np.arange(40) / 100.0
    f = np.zeros((40, 3))
    f[20:, 1] = 500.0
    point = np.full((40, 3), np.nan)
    point[20:] = (0.3, 0.0, 0.1)
    x = np.arange(0.0, 0.385, 0.0037)
    got = at_frames(force(t, f, point), x)
    assert np.abs(CubicSpline(t, f, bc_type="natural")(x)[x < 0.19]).max() > 5.0
    assert not got.force[x < 0.19].any() and not got.acts[x < 0.19].any()
    landing = (x > 0.19) & (x < 0.2)
    assert landing.any() and (got.force[landing, 1] > 0).all()
    assert np.allclose(got.point[got.acts], (0.3, 0.0, 0.1))
    assert np.allclose(got.moment, 0.0, atol=1e-9)  # the wrench stays on the line through the point


def test_where_the_foot_lands_the_moment_is_in_between():
    """OpenSim's spline of a point that jumps from elsewhere would put the force far off; the wrench is continuous."""
    t = np.arange(10) / 10.0
    f, p = np.zeros((10, 3)), np.full((10, 3), np.nan)
    f[5:, 1], p[5:] = 100.0, (2.0, 0.0, 0.0)
    got = at_frames(force(t, f, p), np.array([0.45]))
    about_origin = got.moment + np.cross(got.point, got.force)
    assert np.allclose(about_origin, [[0.0, 0.0, 2.0 * got.force[0, 1]]])
    assert got.force[0, 1] == pytest.approx(50.0, abs=20.0)


def test_points_of_unloaded_samples_mean_nothing():
    """Files hold hundreds of metres where no force acts."""
    t = np.arange(40) / 100.0
    f, near = np.zeros((40, 3)), np.tile([0.3, 0.0, 0.1], (40, 1))
    f[20:, 1] = 500.0
    far = near.copy()
    far[:20] = (800.0, 0.0, -300.0)
    x = np.arange(0.0, 0.385, 0.0037)
    one, other = at_frames(force(t, f, near), x), at_frames(force(t, f, far), x)
    assert np.array_equal(one.moment, other.moment) and np.array_equal(
        one.point[one.acts], other.point[one.acts]
    )


def test_gaps_stay_gaps():
    t = np.arange(50) / 100.0
    f, p, m = smooth(t)
    f = f.copy()
    f[20:23] = np.nan
    x = np.array([0.1903, 0.19, 0.195, 0.21, 0.225, 0.23, 0.2349])
    got = at_frames(force(t, f, p, m), x)
    assert got.known.tolist() == [False, True, False, False, False, True, True]
    assert got.covered.all() and not got.force[~got.known].any()
    same = at_frames(force(t, f, p, m), t)
    assert np.array_equal(np.flatnonzero(~same.known), [20, 21, 22])


def test_half_a_sample_beyond_the_ends_is_covered():
    t = 1.0 + np.arange(100) / 100.0
    f, p, m = smooth(t)
    got = at_frames(force(t, f, p, m), np.array([0.99, 0.996, 1.0, 1.5032, 1.994, 1.996]))
    assert got.covered.tolist() == [False, True, True, True, True, False]
    assert got.known.tolist() == got.covered.tolist() and not got.force[[0, -1]].any()
    assert np.allclose(got.force[[1, 4]], f[[0, -1]])


@pytest.mark.parametrize("time", [[0.0, 0.1, 0.1], [0.0, 0.2, 0.1], [0.0, np.nan, 0.2]])
def test_times_must_increase(time):
    with pytest.raises(InputError, match="'plate': its times must increase"):
        at_frames(force(np.array(time), np.ones((3, 3))), np.array([0.05]))


def test_a_force_without_samples():
    with pytest.raises(InputError, match="'plate' has no samples"):
        at_frames(force(np.zeros(0), np.zeros((0, 3))), np.array([0.0]))


def test_a_force_without_a_point():
    t = np.arange(10.0)
    with pytest.raises(InputError, match="'plate' has no point"):
        at_frames(force(t, np.ones((10, 3)), np.full((10, 3), np.nan)), t)
    free = at_frames(force(t, np.zeros((10, 3)), np.full((10, 3), np.nan), np.ones((10, 3))), t)
    assert np.array_equal(free.moment, np.ones((10, 3)))  # a moment needs none


def test_one_sample_is_known_at_its_instant_alone():
    got = at_frames(force(np.array([1.0]), [[1.0, 2.0, 3.0]]), np.array([0.9, 1.0]))
    assert got.known.tolist() == [False, True] and np.array_equal(got.force[1], [1.0, 2.0, 3.0])


def test_loads_of_another_rate():
    """1000 Hz plates, 100 Hz motion, another phase: nearly what plates with the motion's own clock give."""
    model = walker("custom")
    motion = swinging(model)

    def plates(t):
        at = np.array([0.1, -0.9, 0.1]) + 0.02 * np.sin(6 * t)[:, None]
        f = np.stack([50 * np.sin(8 * t), 400 + 200 * np.cos(9 * t), 20 * np.sin(5 * t)], axis=1)
        return Recording("r", forces=(force(t, f, at, name="p", body="foot_r"),))

    same = solve_id(model, motion, plates(motion.time))
    other = solve_id(model, motion, plates(np.arange(-20, 530) / 1000.0 + 0.00037))
    assert np.abs(other.tau - same.tau).max() < 1e-5
    assert np.abs(other.tau - same.tau).max() > 0.0
