r"""Inverse kinematics of one frame with dense matrices, from the definition of the objective.

    F(q) = sum_m w_m rho(|p_m(q) - x_m|) + W sum_c w_c (q_c - g_c)^2 + sum_o 4 w_o sin^2(angle_o(q) / 2)
           + sum_i mu_i d_i(q)^2 + 2 w_E E(q),                W = sum_m w_m over the markers seen,

with rho(r) = r^2, or Huber's r^2 up to delta and 2 delta r - delta^2 beyond; d the distance from the default posture
(a ball joint: twice the vector part of the quaternion), E the elastic energy of rods. Derivatives are sixth-order
differences of positions along q [+] d: no Jacobian, no tree algorithm and no solver of the package is used.
"""

from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

from softstride import engine
from softstride.model import Free, Rod, Spherical

from .manifold import OFFSETS, WEIGHTS

STEP = 1e-3  # of the differences [rad], [m]; sixth order: 1e-15 of truncation, 1e-13 of rounding
RANK = 1e-7  # singular values below this share of the largest are zero: those of a person are 1e-3, or 1e-16
AT_LIMIT = 1e-12  # a coordinate this close to its limit is there
LARGEST_STEP = 1.0  # [rad], [m], [1/m]
NULL = 1e-6  # share of a coordinate in the null space from which it is not determined


@dataclass
class DenseIk:
    """One frame."""

    model: object
    names: list  # of markers
    target: np.ndarray  # (m, 3), NaN: not seen
    weights: np.ndarray | None = None  # (m,)
    prior: np.ndarray | None = None  # (nv,)
    elastic: float = 0.0
    goals: dict = field(default_factory=dict)  # name: (weight, value)
    orientations: dict = field(default_factory=dict)  # frame: (weight, R (3, 3))
    huber: float | None = None
    limits: bool = True
    held: tuple = ()  # coordinates that do not move

    def __post_init__(self):
        model = self.model
        self.target = np.asarray(self.target, dtype=float)
        seen = np.isfinite(self.target).all(axis=1)
        w = np.ones(len(self.names)) if self.weights is None else np.asarray(self.weights, dtype=float)
        self.seen = seen & (w > 0.0)
        self.w = w[self.seen]
        self.used = [name for name, yes in zip(self.names, self.seen, strict=True) if yes]
        self.x = self.target[self.seen]
        self.mu = np.zeros(model.nv) if self.prior is None else np.asarray(self.prior, dtype=float)
        self.names_v = list(model.coordinate_names)
        self.lower, self.upper = np.full(model.nv, -np.inf), np.full(model.nv, np.inf)
        self.q_of = {}  # place in q of plain coordinates, by place in v
        root = set()
        for link in model.links:
            if isinstance(link.joint, (Free, Spherical)):
                continue
            self.q_of |= dict(zip(model.v_indices(link.name), model.q_indices(link.name), strict=True))
            if link.parent == "world" and len(link.coordinate_names) == 6:
                root |= set(model.v_indices(link.name))
        for i in self.q_of:
            c = model.coordinates[self.names_v[i]]
            if self.limits and c.clamped and i not in root:
                self.lower[i], self.upper[i] = c.lower, c.upper
        self.free = np.array(
            [not model.coordinates[n].locked and n not in self.held for n in self.names_v], dtype=bool
        )

    # the objective

    def residuals(self, q):
        """Return the residuals of markers (n, m, 3) and all others (n, rows), weighted; q (n, nq)."""
        q = np.atleast_2d(q)
        n = len(q)
        e = np.zeros((n, 0, 3))
        if self.used:
            e = np.sqrt(self.w)[:, None] * (engine.positions(self.model, q, self.used) - self.x)
        rows = [np.zeros((n, 0))]
        for name, (weight, value) in self.goals.items():
            i = self.q_of[self.names_v.index(name)]
            rows.append(np.sqrt(weight * self.w.sum()) * (q[:, [i]] - value))
        for frame, (weight, R) in self.orientations.items():
            now = engine.poses(self.model, q, frame)[:, :3, :3]
            turn = Rotation.from_matrix(np.swapaxes(now, 1, 2) @ R).as_quat(canonical=True)
            rows.append(np.sqrt(weight) * 2.0 * turn[:, :3])
        rows.append(np.sqrt(self.mu) * self.posture(q))
        if self.elastic:
            rows.append(np.sqrt(self.elastic) * self.strain(q))
        return e, np.concatenate(rows, axis=1)

    def posture(self, q):
        """Return the distance from the default posture, shape (n, nv); zero for free joints' sake where mu is."""
        neutral = self.model.neutral()
        d = engine.difference(self.model, neutral, q)
        for link in self.model.links:
            if isinstance(link.joint, (Spherical, Free)):
                iv = list(self.model.v_indices(link.name))[:3]
                iq = list(self.model.q_indices(link.name))[-4:]
                turn = (Rotation.from_quat(neutral[iq]).inv() * Rotation.from_quat(q[:, iq])).as_quat(
                    canonical=True
                )
                d[:, iv] = 2.0 * turn[:, :3]
        return d

    def strain(self, q):
        """Return sqrt(L) chol(K)^T q of rods, shape (n, rows): twice the elastic energy is its square."""
        parts = [np.zeros((len(q), 0))]
        for link in self.model.links:
            if isinstance(link.joint, Rod):
                at = list(self.model.q_indices(link.name))
                for s in link.joint.segments:
                    own, at = at[: len(s.free)], at[len(s.free) :]
                    K = s.length * s.stiffness[np.ix_(s.free_indices, s.free_indices)]
                    parts.append(q[:, own] @ np.linalg.cholesky(K))
        return np.concatenate(parts, axis=1)

    def objective(self, q):
        """Return F(q) [m^2]."""
        e, other = self.residuals(q)
        return float(self._marker_cost(e[0]) + other[0] @ other[0])

    def _marker_cost(self, e):
        squared = (e**2).sum(axis=1)
        if self.huber is None:
            return squared.sum()
        r = np.sqrt(squared / self.w)
        far = r > self.huber
        return (self.w * np.where(far, 2.0 * self.huber * r - self.huber**2, r**2)).sum()

    def system(self, q):
        """Return (J, r) of the reweighted least squares, all rows; J by differences."""
        e, _ = self.residuals(q)
        down = np.ones(len(self.w))
        if self.huber is not None:
            r = np.linalg.norm(e[0], axis=1) / np.sqrt(self.w)
            down = np.sqrt(np.minimum(1.0, self.huber / np.maximum(r, 1e-300)))
        J = self._differences(q, lambda x: self._flat(x, down))
        return J, self._flat(q, down)[0]

    def _flat(self, q, down):
        e, other = self.residuals(q)
        return np.concatenate([(down[:, None] * e).reshape(len(e), -1), other], axis=1)

    def _differences(self, q, function):
        nv, unit = self.model.nv, np.eye(self.model.nv)
        offsets = np.array([sign * o * STEP for o in OFFSETS for sign in (1.0, -1.0)])
        d = (offsets[:, None, None] * unit).reshape(-1, nv)
        value = function(engine.integrate(self.model, q, d)).reshape(len(offsets), nv, -1)
        weights = np.array([sign * w for w in WEIGHTS for sign in (1.0, -1.0)]) / STEP
        return np.einsum("o,ovr->rv", weights, value)

    def marker_jacobian(self, q):
        """Return J of the markers seen, unweighted, shape (3 m, nv)."""
        return self._differences(q, lambda x: engine.positions(self.model, x, self.used).reshape(len(x), -1))

    # solutions

    def gradient(self, q):
        """Return dF/dd / 2, shape (nv,), zero where a bound or a lock holds against it."""
        J, r = self.system(q)
        g = J.T @ r
        g[self._stopped(q, -g)] = 0.0
        return g

    def promise(self, q):
        """Return what the next full Gauss-Newton step promises to gain, as a share of F: zero at a minimum.

        g^T H^-1 g / F over the coordinates that no bound holds; directions in which nothing is felt are left out.
        """
        J, r = self.system(q)
        go = ~self._stopped(q, -J.T @ r)
        step = np.linalg.lstsq(J[:, go], r, rcond=1e-9)[0]
        return float((J[:, go] @ step) @ r / self.objective(q))

    def _stopped(self, q, way):
        stop = ~self.free
        for i, iq in self.q_of.items():
            low, high = q[iq] <= self.lower[i] + AT_LIMIT, q[iq] >= self.upper[i] - AT_LIMIT
            stop[i] |= (low and way[i] < 0.0) or (high and way[i] > 0.0)
        return stop

    def move(self, q, d):
        """Return q [+] d inside the limits."""
        out = engine.integrate(self.model, q, d)
        for i, iq in self.q_of.items():
            out[iq] = min(max(out[iq], self.lower[i]), self.upper[i])
        return out

    def solve(self, q, limit=300, tolerance=1e-14):
        """Return the minimiser near q by Levenberg and Marquardt, bounds by an active set."""
        q, damping = self.move(q, np.zeros(self.model.nv)), 1e-6
        cost = self.objective(q)
        for _ in range(limit):
            J, r = self.system(q)
            g = J.T @ r
            go = ~self._stopped(q, -g)
            H = J[:, go].T @ J[:, go]
            while True:
                d = np.zeros(self.model.nv)
                d[go] = np.linalg.solve(H + damping * np.eye(len(H)), -g[go])
                d *= min(1.0, LARGEST_STEP / max(np.max(np.abs(d)), 1e-300))  # no angle winds up
                new = self.move(q, d)
                new_cost = self.objective(new)
                if new_cost <= cost or damping > 1e6:
                    break
                damping *= 10.0
            if new_cost > cost or np.max(np.abs(d)) < tolerance:
                return q
            q, cost, damping = new, new_cost, max(damping * 0.1, 1e-14)
        return q

    def scipy_solve(self, q):
        """Return the minimiser by `scipy.optimize.least_squares` in the chart around q (no Huber)."""
        assert self.huber is None
        now = np.array([q[self.q_of[i]] if i in self.q_of else 0.0 for i in range(self.model.nv)])
        room = 1e-12 * ~self.free  # SciPy wants an interval
        lower = np.where(self.free, self.lower - now, -room - 1e-12)
        upper = np.where(self.free, self.upper - now, room + 1e-12)
        ones = np.ones(len(self.w))

        def residual(x):
            return self._flat(engine.integrate(self.model, q, x), ones)[0]

        def jacobian(x):
            unit = np.eye(self.model.nv)
            total = 0.0
            for o, w in zip(OFFSETS, WEIGHTS, strict=True):
                up = self._flat(engine.integrate(self.model, q, x + o * STEP * unit), ones)
                down = self._flat(engine.integrate(self.model, q, x - o * STEP * unit), ones)
                total = total + w * (up - down) / STEP
            return total.T

        inside = np.clip(np.zeros_like(now), lower + 1e-13, upper - 1e-13)
        found = least_squares(
            residual, inside, jacobian, bounds=(lower, upper), xtol=1e-15, ftol=1e-15, gtol=1e-15
        )
        return engine.integrate(self.model, q, found.x)

    # what is known afterwards

    def null_space(self, q, scale=1.0):
        """Return the directions that move no marker seen and turn no measured frame, shape (k, nv), orthonormal.

        Coordinates count in units of `scale`, shape (nv,): 1 rad and 1 m, strains by the length of their segment.
        """
        parts = [self.marker_jacobian(q) if self.used else np.zeros((0, self.model.nv))]
        parts += [engine.jacobian(self.model, q, frame)[:3] for frame in self.orientations]
        J = np.concatenate(parts) / scale
        _, s, V = np.linalg.svd(J[:, self.free])
        rank = int((s > RANK * s[0]).sum())
        out = np.zeros((self.free.sum() - rank, self.model.nv))
        out[:, self.free] = V[rank:]
        return out

    def undetermined(self, q, scale=1.0):
        """Return the names of coordinates that have a part in the null space."""
        size = np.linalg.norm(self.null_space(q, scale), axis=0)
        return tuple(name for name, x in zip(self.names_v, size, strict=True) if x > NULL)

    def deviations(self, q, spread, width):
        """Return the standard deviations of all coordinates, shape (nv,), from the dense inverse of their information.

        A coordinate of marker m varies by spread_m; one of weight one varies by mean(w) / mean(1 / spread^2), which
        turns goals, orientations and elastic energy into information. Every coordinate is known to `width`, shape
        (nv,), beforehand; the posture prior is no knowledge.
        """
        variance = np.asarray(spread, dtype=float)[self.seen] ** 2
        unit = np.mean(self.w) / np.mean(1.0 / variance)
        J = self.marker_jacobian(q).reshape(-1, 3, self.model.nv)
        information = np.einsum("mki,m,mkj->ij", J, 1.0 / variance, J) + np.diag(1.0 / np.asarray(width) ** 2)
        mu, self.mu = self.mu, np.zeros(self.model.nv)
        rest = self._differences(q, lambda x: self.residuals(x)[1])
        self.mu = mu
        information += rest.T @ rest / unit
        free = np.flatnonzero(self.free)
        out = np.zeros(self.model.nv)
        out[free] = np.sqrt(np.diag(np.linalg.inv(information[np.ix_(free, free)])))
        return out
