"""Courses: what is sampled comes back, expressions and rates agree with values."""

import numpy as np
import pytest

from softstride.errors import InputError
from softstride.gait.optimise import Course, courses_of_stride, textbook_courses

S = np.linspace(0.0, 1.0, 51)


def test_a_smooth_curve_comes_back() -> None:
    course = Course.through(S, np.sin(3.0 * S))
    fine = np.linspace(0.0, 1.0, 333)
    np.testing.assert_allclose(course.at(fine), np.sin(3.0 * fine), atol=1e-6)
    np.testing.assert_allclose(course.rate(fine), 3.0 * np.cos(3.0 * fine), atol=1e-4)
    assert course.misfit < 1e-6


def test_what_a_polynomial_cannot_follow_is_told() -> None:
    step = Course.through(S, np.where(S < 0.5, 0.0, 1.0))
    assert step.misfit == pytest.approx(np.sqrt(np.mean((step.at(S) - (S >= 0.5)) ** 2)))
    assert step.misfit > 0.02


def test_legs_take_their_halves_of_a_stride_and_knees_extend() -> None:
    percent = np.linspace(0.0, 100.0, 51)
    wave = np.sin(2.0 * np.pi * percent / 100.0)
    courses = courses_of_stride(percent, wave, 2.0 * wave, 3.0 * wave)
    for fraction in (0.0, 0.4, 1.0):
        right, left = np.sin(np.pi * fraction), np.sin(np.pi * (1.0 + fraction))
        for name, size in (("ankle", 1.0), ("knee", -2.0), ("hip", 3.0)):
            assert courses[f"right_{name}"].at(fraction) == pytest.approx(size * right, abs=1e-4)
            assert courses[f"left_{name}"].at(fraction) == pytest.approx(size * left, abs=1e-4)


def test_the_textbook_bends_knees_the_right_way() -> None:
    courses = textbook_courses()
    assert np.all(courses["left_knee"].at(S) < 0.02)
    assert np.degrees(np.min(courses["left_knee"].at(S))) < -55.0
    assert courses["right_hip"].at(0.0) > 0.3 > courses["right_hip"].at(1.0)


@pytest.mark.parametrize(
    ("fraction", "values", "words"),
    [
        ([0.0, 0.5, 1.0], [1.0, 2.0, 3.0], "4 or more"),
        ([0.0, 0.5, 0.7, 1.0], [1.0, 2.0, 3.0], "shapes"),
        ([0.0, 0.5, 0.4, 1.0], [1.0, 2.0, 3.0, 4.0], "increasing"),
        ([0.0, 0.5, 0.7, 1.0], [1.0, np.nan, 3.0, 4.0], "finite"),
        ([0.1, 0.5, 0.7, 1.0], [1.0, 2.0, 3.0, 4.0], "from 0 to 1"),
    ],
)
def test_samples_that_do_not_fit_are_refused(fraction: list[float], values: list[float], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Course.through(fraction, values)


def test_a_stride_must_be_whole() -> None:
    wave = np.zeros(11)
    with pytest.raises(InputError, match="0 to 100"):
        courses_of_stride(np.linspace(0.0, 90.0, 11), wave, wave, wave)
    with pytest.raises(InputError, match="knee"):
        courses_of_stride(np.linspace(0.0, 100.0, 11), wave, np.full(11, np.nan), wave)
