"""Random cone programs, and the conditions a solution must meet, written down without the solver."""

import numpy as np


def random_programs(n, c, condition, seed=0):
    """H with eigenvalues spread evenly in their logarithm from 1 to 1 / condition, g of a random free optimum."""
    rng = np.random.default_rng(seed)
    q = np.linalg.qr(rng.normal(size=(n, 3 * c, 3 * c)))[0]
    values = 10.0 ** -rng.uniform(0.0, np.log10(condition), (n, 3 * c))
    values[:, 0], values[:, 1] = 1.0, 1.0 / condition
    H = np.einsum("tij,tj,tkj->tik", q, values, q)
    H = 0.5 * (H + H.transpose(0, 2, 1))
    return H, -np.einsum("tij,tj->ti", H, rng.normal(size=(n, 3 * c)))


def feet(n, c, regular, seed=0):
    """Two feet whose wrenches are to be met by points under them: rank 12 plus a little on the diagonal."""
    rng = np.random.default_rng(seed)
    places = rng.uniform(-0.1, 0.1, (n, c, 3))
    A = np.zeros((n, 12, 3 * c))
    for i in range(c):
        k, (x, y, z) = 6 * (i >= c // 2), places[:, i].T
        o = np.zeros(n)
        A[:, k : k + 3, 3 * i : 3 * i + 3] = np.eye(3)
        cross = np.array([[o, -z, y], [z, o, -x], [-y, x, o]]).transpose(2, 0, 1)
        A[:, k + 3 : k + 6, 3 * i : 3 * i + 3] = 10.0 * cross
    b = rng.normal(size=(n, 12))
    b[:, [0, 6]] += 2.0
    H = np.einsum("tki,tkj->tij", A, A) + regular * np.eye(3 * c)
    return H, -np.einsum("tki,tk->ti", A, b)


def cost(H, g, x):
    return 0.5 * np.einsum("ti,tij,tj->t", x, H, x) + np.einsum("ti,ti->t", g, x)


def slopes(H, g, x):
    return np.einsum("tij,tj->ti", H, x) + g


def check_conditions(H, g, x, friction, tolerance, facets=None):
    """Karush, Kuhn and Tucker: x in the cone, H x + g in the dual cone, the two at right angles; point by point."""
    n = len(g)
    points, pushes = x.reshape(n, -1, 3), slopes(H, g, x).reshape(n, -1, 3)
    high, push = np.abs(points).max(axis=(1, 2)), np.abs(g).max(axis=1)
    normal, side = points[..., 0], points[..., 1:]
    if facets is None:
        assert (np.sqrt((side**2).sum(-1)) <= friction * normal).all()
        inward = friction * np.sqrt((pushes[..., 1:] ** 2).sum(-1))
    else:
        angles = (2 * np.arange(facets) + 1) * np.pi / facets
        u = np.stack([np.cos(angles), np.sin(angles)])
        assert ((side @ u).max(-1) <= friction * np.cos(np.pi / facets) * normal).all()
        angles = 2 * np.arange(facets) * np.pi / facets  # edges: the dual cone is {z : z . edge >= 0}
        edges = np.stack([np.cos(angles), np.sin(angles)])
        inward = friction * (-(pushes[..., 1:] @ edges)).max(-1)
    assert ((pushes[..., 0] - inward).min(axis=1) >= -tolerance * push).all()
    assert (np.abs((points * pushes).sum(-1)).max(axis=1) <= tolerance * push * np.maximum(high, 1e-12)).all()
