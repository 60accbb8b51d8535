"""Polynomials in place of paths: exact where paths are polynomials, honest about their errors elsewhere."""

import numpy as np
import pytest
from tests.muscles.paths import scenes
from tests.refusals import bad_input
from tests.trials import recorded_walk

import softstride as ss
from softstride.errors import InputError
from softstride.model import ModelBuilder
from softstride.muscles.paths.polynomial import basis, exponents


@pytest.fixture(scope="module")
def walker(shared_data):
    model, motion, _ = recorded_walk(shared_data)
    low, high = motion.q.min(axis=0) - 0.05, motion.q.max(axis=0) + 0.05
    names = ["soleus_r", "glut_med1_r", "bifemlh_r", "tib_ant_l"]
    ranges = dict(zip(model.coordinates, zip(low, high, strict=True), strict=True))
    return model, motion, ss.fit_path_surrogate(model, names, ranges)


def test_basis_and_its_derivatives():
    terms = exponents(3, 4)
    assert len(terms) == 35
    x = np.random.default_rng(0).uniform(-1, 1, (5, 3))
    values, slopes = basis(x, terms)
    assert values[:, 0] == pytest.approx(np.ones(5))
    h = 1e-6
    for j in range(3):
        d = np.zeros(3)
        d[j] = h
        by_differences = (basis(x + d, terms)[0] - basis(x - d, terms)[0]) / (2.0 * h)
        assert slopes[j] == pytest.approx(by_differences, abs=1e-8)


def test_a_path_on_one_link_is_a_constant():
    builder = ModelBuilder("one")
    builder.revolute("arm", axis=(0, 0, 1))
    points = [("arm", (0.0, 0.0, 0.0)), ("arm", (0.1, 0.0, 0.0))]
    model = builder.build().replace(muscles={"m": scenes.muscle("m", points)})
    fitted = ss.fit_path_surrogate(model)
    assert fitted.coordinates == ((),)
    assert fitted.paths([0.3]).length[0] == pytest.approx(0.1, abs=1e-15)
    assert fitted.paths([0.3]).arms[0, 0] == 0.0


def test_errors_hold_over_the_recorded_motion(walker):
    """The motion lies within the ranges: its errors are about the largest that was stated for 500 random poses."""
    model, motion, fitted = walker
    truth = ss.muscle_paths(model, motion.q, motion.v, muscles=fitted.names)
    found = fitted.paths(motion.q, motion.v)
    assert found.notes == ()
    assert np.all(np.abs(found.length - truth.length).max(axis=0) < 1.5 * fitted.length_max)
    assert np.all(np.abs(found.arms - truth.arms).max(axis=(0, 2)) < 1.5 * fitted.arms_max)
    assert fitted.arms_rms.max() < 2e-4
    assert found.speed == pytest.approx(truth.speed, abs=5e-3)


def test_arms_are_exact_derivatives(walker):
    _, motion, fitted = walker
    q = motion.q[::20]
    found = fitted.paths(q)
    h = 1e-6
    for j in range(q.shape[1]):
        d = np.zeros(q.shape[1])
        d[j] = h
        rate = -(fitted.paths(q + d).length - fitted.paths(q - d).length) / (2.0 * h)
        assert found.arms[:, :, j] == pytest.approx(rate, abs=1e-9)


def test_coordinates_are_those_that_move_the_muscle(walker):
    _, _, fitted = walker
    assert fitted.coordinates[0] == ("ankle_angle_r", "subtalar_angle_r")
    assert set(fitted.coordinates[2]) == {
        "hip_flexion_r",
        "hip_adduction_r",
        "hip_rotation_r",
        "knee_angle_r",
    }


def test_outside_the_ranges_is_said(walker):
    _, motion, fitted = walker
    q = motion.q[:5].copy()
    q[3, list(fitted.model.coordinates).index("knee_angle_r")] = -2.5
    (note,) = fitted.paths(q).notes
    assert note.code == "paths.outside-fit" and note.names == ("knee_angle_r",)
    assert str(note).startswith("knee_angle_r is outside the range of the fit")
    assert str(note).endswith("in frame 3: polynomials say little there.")


def test_a_range_that_is_missing_or_wrong():
    builder = ModelBuilder("arm")
    builder.revolute("arm", axis=(0, 0, 1))
    points = [("world", (0.0, 0.1, 0.0)), ("arm", (0.1, 0.0, 0.0))]
    model = builder.build().replace(muscles={"m": scenes.muscle("m", points)})
    with pytest.raises(InputError, match=r"give one: ranges=\{'arm': \(low, high\)\}"):
        ss.fit_path_surrogate(model)
    with pytest.raises(InputError, match="low below high"):
        ss.fit_path_surrogate(model, ranges={"arm": (1.0, 0.0)})
    with pytest.raises(InputError, match="'elbow' in ranges is no coordinate"):
        ss.fit_path_surrogate(model, ranges={"elbow": (0.0, 1.0)})


def test_a_ball_joint_has_no_polynomial():
    builder = ModelBuilder("ball")
    builder.spherical("arm")
    points = [("world", (0.0, 0.1, 0.0)), ("arm", (0.1, 0.0, 0.0))]
    model = builder.build().replace(muscles={"m": scenes.muscle("m", points)})
    with pytest.raises(InputError, match="rotation by quaternion"):
        ss.fit_path_surrogate(model)


@pytest.fixture
def bicep():
    return scenes.hinge([("upper", (0.03, -0.1, 0.0)), ("lower", (0.03, -0.05, 0.0))])


def test_degree_zero_is_a_constant_with_its_true_error(bicep):
    """The mean length, no arm: what the fit misses is all of the arm, and it says so."""
    fitted = ss.fit_path_surrogate(bicep, ranges={"lower": (0.2, 1.2)}, max_degree=0)
    q = np.stack([np.zeros(201), np.linspace(0.2, 1.2, 201)], axis=1)
    truth, found = ss.muscle_paths(bicep, q), fitted.paths(q)
    assert fitted.degree.tolist() == [0]
    assert np.all(found.length == found.length[0]) and np.all(found.arms == 0.0)
    assert found.length[0, 0] == pytest.approx(truth.length.mean(), abs=2e-3)  # 300 random poses
    assert fitted.arms_rms[0] == pytest.approx(np.sqrt(np.mean(truth.arms[:, 0, 1] ** 2)), rel=0.05)
    assert fitted.length_max[0] == pytest.approx(np.abs(found.length - truth.length).max(), rel=0.05)


@bad_input(
    InputError,
    ({"max_degree": -1}, "max_degree must be a whole number of at least 0, however it is -1"),
    ({"max_degree": 2.0}, "max_degree must be a whole number"),
    ({"max_terms": 0}, "max_terms must be a whole number of at least 1"),
    ({"samples": 0}, "samples must be a whole number of at least 1, however it is 0"),
    ({"samples": -1}, "samples must be a whole number"),
    ({"samples": 1.5}, "samples must be a whole number"),
    ({"seed": "a"}, "seed must be a whole number of at least 0, however it is 'a'"),
    ({"tolerance": 0.0}, "tolerance must be a finite number above zero"),
    ({"tolerance": "a"}, "tolerance must be a finite number above zero"),
    (
        {"ranges": {"lower": 5}},
        r"range of 'lower' must be \(low, high\) with low below high, however it is 5",
    ),
    ({"ranges": {"lower": ("a", "b")}}, "range of 'lower' must be made of numbers"),
    ({"ranges": 5}, r"ranges must be \(low, high\) by name of coordinate, however they are 5"),
    ({"muscles": 5}, "muscles must be a list of names"),
)
def test_numbers_that_make_no_fit(refuses, bicep):
    refuses(ss.fit_path_surrogate, model=bicep, ranges={"lower": (0.2, 1.2)})
