"""Static rods as boundary value problems, without segments of constant strain."""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import root


def static_rod(reference, compliance, force, length, steps=6):
    """Return the tip position (3,) of a clamped Cosserat rod under a dead tip force.

    The rod starts at the origin along x. At arc length s the internal wrench in section axes is
    [R^T ((p_tip - p) x f); R^T f] = K (xi - reference(s)), and H' = H hat(xi). The tip p_tip is found by
    shooting, with the load raised in steps.

    Args:
        reference: Function of s: reference strain, shape (6,).
        compliance: Inverse of K, shape (6, 6); zero rows and columns for strains that do not move.
        force: Tip force in world axes, shape (3,), [N].
        length: Arc length, [m].
        steps: Load steps.
    """

    def shoot(tip, f):
        def rate(s, y):
            R, p = y[:9].reshape(3, 3), y[9:]
            wrench = np.concatenate([R.T @ np.cross(tip - p, f), R.T @ f])
            xi = reference(s) + compliance @ wrench
            k = xi[:3]
            curvature = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
            return np.concatenate([(R @ curvature).ravel(), R @ xi[3:]])

        start = np.concatenate([np.eye(3).ravel(), np.zeros(3)])
        return solve_ivp(rate, (0, length), start, method="DOP853", rtol=1e-12, atol=1e-13).y[9:, -1]

    force = np.asarray(force, dtype=float)
    tip = shoot(np.zeros(3), np.zeros(3))
    for share in np.linspace(0, 1, steps + 1)[1:]:
        solution = root(lambda x, f=share * force: shoot(x, f) - x, tip, tol=1e-12)
        tip = solution.x
        assert np.max(np.abs(shoot(tip, share * force) - tip)) < 1e-10 * length
    return tip


def elastica_tip(load):
    """Return (x, y) / L of a cantilever along x under a dead tip load along y, `load` = P L^2 / EI."""
    compliance = np.zeros((6, 6))
    compliance[2, 2] = 1.0
    straight = np.array([0, 0, 0, 1.0, 0, 0])
    return static_rod(lambda s: straight, compliance, [0, load, 0], 1.0)[:2]
