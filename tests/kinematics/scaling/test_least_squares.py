"""The solver on problems whose minimum is known."""

import numpy as np

from softstride.kinematics.scaling.least_squares import minimise


class Rosenbrock:
    """r = (10 (y - x²), 1 - x), with an upper bound for x."""

    def __init__(self, upper=np.inf):
        self.upper = upper

    def residual(self, p):
        return np.array([10.0 * (p[1] - p[0] ** 2), 1.0 - p[0]])

    def jacobian(self, p):
        return np.array([[-20.0 * p[0], 10.0], [-1.0, 0.0]])

    def move(self, p, step):
        return np.array([min(p[0] + step[0], self.upper), p[1] + step[1]])

    def held(self, p, downhill):
        return np.array([p[0] >= self.upper and downhill[0] > 0.0, False])


def test_the_valley_is_followed_to_its_end():
    found = minimise(Rosenbrock(), np.array([-1.2, 1.0]), tolerance=1e-15)
    assert found.converged
    assert np.allclose(found.state, 1.0, atol=1e-6)


def test_a_bound_stops_one_variable_and_not_the_other():
    found = minimise(Rosenbrock(0.5), np.array([-1.2, 1.0]), tolerance=1e-12)
    assert found.converged
    assert np.allclose(found.state, [0.5, 0.25], atol=1e-6)
    assert np.isclose(found.cost, 0.5 * 0.25)


def test_the_limit_is_told():
    assert not minimise(Rosenbrock(), np.array([-1.2, 1.0]), limit=2).converged


def test_nothing_to_do():
    found = minimise(Rosenbrock(), np.array([1.0, 1.0]))
    assert found.converged
    assert found.iterations == 0
