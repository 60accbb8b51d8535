"""Programs of blocks: derivatives gathered from copies are those of the whole."""

import numpy as np
import pytest

from softstride.gait.body import Body
from softstride.gait.optimise import Fineness, PerturbedRun, StepWeights, WantedStep, textbook_courses
from softstride.gait.optimise.blocks import Program
from softstride.gait.optimise.course import Course
from softstride.gait.optimise.equations import Equations
from softstride.gait.optimise.guess import crude_guess
from softstride.gait.optimise.program import StepProgram, build_program
from softstride.gait.optimise.rows import Rows
from softstride.gait.perturbation import Perturbation

casadi = pytest.importorskip("casadi")

COARSE = Fineness(2, (0.05, 0.05, 0.1, 0.1))


def chain() -> Program:
    """Return Σ p (x_k x_{k+1})² with x_k² + x_{k+1} ≥ 1, three copies on four variables, and 7 x_0 beside it."""
    a, b, p = (casadi.SX.sym(name) for name in "abp")
    rows = Rows()
    rows.positive(a**2 + b - 1.0, "parabola", not_first=True)
    index = np.arange(4)
    pairs = [(a, index[:-1, None]), (b, index[1:, None])]
    links = rows.block("links", pairs, [(p, np.array([[1.0], [2.0], [3.0]]))], {"links": p * (a * b) ** 2})
    return Program(4, [links, Rows().block("pull", [(b, index[:1])], costs={"pull": 7.0 * b})])


def test_a_small_program_by_hand() -> None:
    program = chain()
    x = np.array([1.0, 2.0, -1.0, 0.5])
    costs, g = program.evaluate(x)
    assert costs == {"links": pytest.approx(4.0 + 8.0 + 0.75), "pull": pytest.approx(7.0)}
    np.testing.assert_allclose(g, [2.0, 2.0, 0.5])
    gradient = program.gradient(x, [])[1].full().ravel()
    np.testing.assert_allclose(gradient, [7 + 2 * 4, 2 * 2 + 4 * 2, -4 * 4 - 6 * 0.25, 6 * 0.5])
    jacobian = program.jacobian(x, [])[1].full()
    np.testing.assert_allclose(jacobian, [[2, 1, 0, 0], [0, 4, 1, 0], [0, 0, -2, 1]])
    hessian = program.hessian(x, [], 1.0, [1.0, 10.0, 100.0]).full()
    expected = [
        [2 * 4 + 2, 4 * 2, 0, 0],
        [0, 2 * 1 + 4 * 1 + 20, 8 * -2, 0],
        [0, 0, 4 * 4 + 6 * 0.25 + 200, 12 * -0.5],
        [0, 0, 0, 6],
    ]
    np.testing.assert_allclose(hessian, expected)


def test_misses_are_named_and_a_copy_may_go_without() -> None:
    program = chain()
    assert program.lower.tolist() == [-np.inf, 0.0, 0.0]
    size, words = program.worst(program.evaluate(np.array([0.0, 0.0, 0.0, -2.0]))[1])
    assert size == pytest.approx(3.0)
    assert words == "links: parabola"


def whole_steps() -> list[StepProgram]:
    """Return a step with all that a step may want, and one with a perturbed run."""
    equations = Equations(Body())
    forces = {"right_vertical": Course.constant(800.0), "left_forward": Course.constant(50.0)}
    rich = WantedStep(
        times=((0.03, 0.06), 0.08, (0.25, 0.35), (0.5, 0.6)),
        speed=(1.0, 1.5),
        repeat="exact",
        forces=forces,
        angles=textbook_courses(),
        weights=StepWeights(forces=3.0),
        spacing=0.1,
    )
    run = PerturbedRun(Perturbation("left_ankle", (1,), 1.2, 3.0), (0.0448, 0.0755, 0.306, 0.45))
    double = WantedStep(rff="keep", perturbed=run, spacing=0.1)
    return [build_program(equations, each, each.middle_times, COARSE) for each in (rich, double)]


@pytest.mark.parametrize("which", [0, 1])
def test_derivatives_of_a_whole_step_are_those_of_finite_differences(which: int) -> None:
    problem = whole_steps()[which]
    program = problem.program
    rng = np.random.default_rng(which)
    x = crude_guess(problem, Body(), textbook_courses()) + 0.02 * rng.normal(size=program.n)
    direction, step = rng.normal(size=program.n), 1e-6
    lam = rng.normal(size=len(program.lower))

    def lagrangian_gradient(at: np.ndarray) -> np.ndarray:
        slope = 0.7 * program.gradient(at, [])[1].full().ravel()
        return slope + (program.jacobian(at, [])[1].T @ lam).full().ravel()

    ahead, behind = x + step * direction, x - step * direction
    (costs_ahead, g_ahead), (costs_behind, g_behind) = program.evaluate(ahead), program.evaluate(behind)
    slope = (sum(costs_ahead.values()) - sum(costs_behind.values())) / (2.0 * step)
    cost, gradient = program.gradient(x, [])
    assert float(cost) == pytest.approx(sum(program.evaluate(x)[0].values()), rel=1e-12)
    assert gradient.full().ravel() @ direction == pytest.approx(slope, rel=1e-6)
    g, jacobian = program.jacobian(x, [])
    np.testing.assert_allclose(g.full().ravel(), program.evaluate(x)[1], atol=1e-12)
    scale = np.max(np.abs(g.full()))
    np.testing.assert_allclose(
        (jacobian @ direction).full().ravel(),
        (g_ahead - g_behind) / (2.0 * step),
        rtol=1e-5,
        atol=1e-6 * scale,
    )
    upper = program.hessian(x, [], 0.7, lam).full()
    hessian = upper + np.triu(upper, 1).T
    change = (lagrangian_gradient(ahead) - lagrangian_gradient(behind)) / (2.0 * step)
    np.testing.assert_allclose(hessian @ direction, change, rtol=1e-5, atol=1e-6 * np.max(np.abs(change)))
