"""Courses as expressions; run by test_apart.py."""

import numpy as np
import pytest

from softstride.gait.optimise.course import Course

casadi = pytest.importorskip("casadi")

S = np.linspace(0.0, 1.0, 41)


def test_the_expression_is_the_course() -> None:
    course = Course.through(S, np.exp(-S) * np.cos(5.0 * S))
    s = casadi.SX.sym("s")
    f = casadi.Function("f", [s], [course.expression(s), casadi.jacobian(course.expression(s), s)])
    for fraction in (0.0, 0.123, 0.5, 1.0):
        value, rate = (float(x) for x in f(fraction))
        assert value == pytest.approx(course.at(fraction), abs=1e-13)
        assert rate == pytest.approx(course.rate(fraction), abs=1e-11)
    assert Course.constant(1.5).expression(s) == 1.5
    assert Course.constant(1.5).rate(0.3) == 0.0
