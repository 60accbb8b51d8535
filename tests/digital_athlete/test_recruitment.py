"""The athlete's own optimiser beside another one, and activation dynamics there and back."""

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, minimize

from softstride.digital_athlete.excitation import activation_of, excitation, kept_share
from softstride.digital_athlete.recruitment import RESERVE, SMOOTH, Recruitment, recruit


def small(draw, n=8, m=3, k=1):
    slow = 1.0 + 0.2 * np.sin(np.linspace(0.0, 2.0, n) + draw.uniform(0.0, 6.0))
    arms = (
        slow[:, None, None]
        * draw.uniform(20.0, 60.0, (m, k))
        * np.where(np.arange(m) < m - 1, 1.0, -1.0)[:, None]
    )
    wanted = 15.0 + 10.0 * np.sin(np.linspace(0.0, 3.0, n))[:, None] * np.ones(k)
    return Recruitment(
        matrix=arms,
        moment=wanted,
        weight=draw.uniform(0.5, 2.0, m),
        least=np.full((n, m), 0.05) + 0.1 * draw.uniform(size=(n, m)),
        most=0.9,
        rise=np.full(m, kept_share(0.005, 0.01)),
        fall=np.full(m, kept_share(0.005, 0.04)),
    )


def cost(program, a):
    second = a[2:] - 2.0 * a[1:-1] + a[:-2]
    left = program.moment - np.einsum("nmk,nm->nk", program.matrix, a)
    return (
        (program.weight * np.abs(a) ** 3).sum() / 3.0
        + 0.5 * SMOOTH * (second**2).sum()
        + 0.5 * ((left / RESERVE) ** 2).sum()
    )


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_as_another_solver_finds_it(seed):
    """SLSQP with the moments as equations: the reserve is so dear that both programs have one solution."""
    program = small(np.random.default_rng(seed))
    n, m, _ = program.matrix.shape
    ours = recruit(program)
    A = np.zeros((n, n * m))
    for k in range(n):
        A[k, k * m : (k + 1) * m] = program.matrix[k, :, 0]
    steps = np.zeros((2 * (n - 1) * m, n * m))
    bound = np.zeros(2 * (n - 1) * m)
    for k in range(n - 1):
        for i in range(m):
            row = 2 * (k * m + i)
            steps[row, [(k + 1) * m + i, k * m + i]] = 1.0, -program.fall[i]
            steps[row + 1, [(k + 1) * m + i, k * m + i]] = -1.0, program.rise[i]
            bound[row + 1] = program.rise[i] - 1.0

    def effort(x):
        a = x.reshape(n, m)
        second = a[2:] - 2.0 * a[1:-1] + a[:-2]
        return (program.weight * np.abs(a) ** 3).sum() / 3.0 + 0.5 * SMOOTH * (second**2).sum()

    def slope(x):
        a = x.reshape(n, m)
        second = a[2:] - 2.0 * a[1:-1] + a[:-2]
        out = program.weight * a * np.abs(a)
        out[2:] += SMOOTH * second
        out[1:-1] -= 2.0 * SMOOTH * second
        out[:-2] += SMOOTH * second
        return out.ravel()

    theirs = minimize(
        effort,
        np.clip(ours.ravel() + 0.05 * np.random.default_rng(9).uniform(-1, 1, n * m), 0.0, 1.0),
        jac=slope,
        method="SLSQP",
        bounds=[(low, program.most) for low in program.least.ravel()],
        constraints=[
            LinearConstraint(A, program.moment[:, 0], program.moment[:, 0]),
            LinearConstraint(steps, bound, np.inf),
        ],
        options={"maxiter": 500, "ftol": 1e-13},
    )
    assert theirs.success
    assert effort(ours.ravel()) == pytest.approx(theirs.fun, rel=1e-5)
    np.testing.assert_allclose(
        ours.ravel(), theirs.x, atol=2e-3
    )  # SLSQP stops by the cost, flat around its least
    np.testing.assert_allclose(np.einsum("nmk,nm->nk", program.matrix, ours), program.moment, atol=1e-4)


def test_nothing_near_is_better():
    draw = np.random.default_rng(4)
    program = small(draw)
    ours = recruit(program)
    best = cost(program, ours)
    for _ in range(300):
        other = ours + 1e-3 * draw.uniform(-1.0, 1.0, ours.shape)
        low, high = program.least, program.most
        now, then = other[:-1], other[1:]
        within = (other >= low).all() and (other <= high).all()
        reachable = (then >= program.fall * now).all() and (then <= 1.0 - program.rise * (1.0 - now)).all()
        if within and reachable:
            assert cost(program, other) >= best
    assert best < cost(program, np.clip(ours * 1.01, program.least, program.most))


def test_limits_of_activation_bind():
    """A moment that vanishes from one frame to the next: activation falls no faster than its time constant lets it."""
    n = 12
    program = Recruitment(
        matrix=np.stack([np.full((n, 1), 50.0), np.full((n, 1), -50.0)], axis=1),
        moment=np.where(np.arange(n) < 6, 30.0, 0.0)[:, None],
        weight=np.ones(2),
        least=np.full((n, 2), 0.01),
        most=1.0,
        rise=np.full(2, kept_share(0.005, 0.01)),
        fall=np.full(2, kept_share(0.005, 0.04)),
    )
    a = recruit(program)
    u = excitation(a, 0.005, np.full(2, 0.01), np.full(2, 0.04))
    assert u.min() > -1e-7 and u.max() < 1.0 + 1e-7
    assert u[5:8, 0].min() < 1e-4, "the agonist is let go"
    assert a[6:9, 1].max() > 0.3, "and the antagonist takes up what it still pulls"


def test_excitation_there_and_back():
    draw = np.random.default_rng(5)
    rise, fall = np.array([0.01, 0.012]), np.array([0.04, 0.05])
    u = draw.uniform(0.0, 1.0, (50, 2))
    a = activation_of(u, np.array([0.1, 0.5]), 0.005, rise, fall)
    np.testing.assert_allclose(excitation(a, 0.005, rise, fall)[:-1], u[:-1], atol=1e-12)
    assert a.min() >= 0.0 and a.max() <= 1.0
