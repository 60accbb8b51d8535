r"""Sizes of links, places of markers and poses in one weighted least-squares problem.

    minimise   Σ_f Σ_m |x_fm - p_m(q_f, s, d)|² / (n σ_noise²)  +  Σ_m ρ(|d_m|) + prior(s) + prior(q)

over the poses q_f of a few median frames, the factors s_l = u_l + w_l of links (u one number, w by axis) and the
displacements d_m of markers on their scaled links. Rotations do not depend on s and d, so p and its Jacobian are linear
in both,

    p_m(q, s, d) = p_m(q, s, 0) + R_m d_m,    J_m(q, s, d) = J_m(q, s, 0) - (R_m d_m)^ J_l(m),

and all is computed from poses of the model as it is (see `levers`): no scaled model is made on the way. ρ is Student's
t, by reweighting. All frames of a standing trial together count as one posture: more frames do not make it surer.

References:
    Reinbolt et al., Determination of patient-specific multi-joint kinematic models through two-level optimization,
    J. Biomech. 38 (2005): sizes and poses as nested problems. Werling et al., AddBiomechanics, PLoS ONE 18 (2023):
    sizes, marker offsets and poses together with priors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.engine import difference, integrate, jacobian, poses, positions
from softstride.kinematics.coordinates import Bounds
from softstride.kinematics.scaling.least_squares import Minimum, minimise
from softstride.kinematics.scaling.levers import Levers
from softstride.kinematics.scaling.pose import static_pose
from softstride.kinematics.scaling.priors import SizePrior, Widths, pose_widths, size_prior
from softstride.kinematics.scaling.static import Targets, spread
from softstride.model import Model
from softstride.model.scaled_links import carriers, prosthesis
from softstride.model.scaling import scaled

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

SMALL, LARGE = 0.5, 2.0
"""Bounds of the mean size of a link."""

ROUNDS = 20
"""Most rounds of reweighting."""

START = 0.12
"""A start pose that is off by more than this [m, rms], the model brought to the spread of the markers, is no person."""


@dataclass(frozen=True, eq=False)
class State:
    """A person and a pose.

    Attributes:
        q: Shape (n, nq).
        u: Mean size of each link, shape (n_links,).
        w: Deviation by axis, shape (n_links, 3).
        d: Displacement of each marker on its scaled link, shape (m, 3), [m].
        rotations: World axes of the links, shape (n, n_links, 3, 3).
        levers: What the factors of links do to the markers, shape (n, m, 3, n_links, 3), [m] (`Levers.own`).
        markers: Where the markers are, shape (n, m, 3), world axes [m].
    """

    q: Array
    u: Array
    w: Array
    d: Array
    rotations: Array
    levers: Array
    markers: Array


class FitProblem:
    """The sum of squares of the joint fit; variables: all poses, then u, w and d."""

    def __init__(
        self, model: Model, seen: Targets, marker_widths: Array, widths: Widths, start: Array
    ) -> None:
        self.model = model
        self.seen, self.widths, self.reference = seen, widths, start
        self.names = list(seen.names)
        self.visible = np.isfinite(seen.values)
        self.target = np.where(self.visible, seen.values, 0.0)
        self.link = np.array([model.index(model.markers[name].link) for name in self.names])
        marked = Counter(model.markers[name].link for name in self.names)
        self.prior: SizePrior = size_prior(model, marked, widths)
        on_section = np.array([model.markers[name].at is not None for name in self.names])
        self.still = (marker_widths <= 0.0) | on_section
        self.marker_widths = np.where(self.still, 1.0, marker_widths)
        self.trust = np.ones(len(self.names))
        self.bounds = Bounds(model)
        self.levers = Levers(model, self.names)
        keep = {*carriers(model), *prosthesis(model)}
        self.sized = np.array([link.name not in keep for link in model.links])
        self.posed = 1.0 / pose_widths(model, widths)
        n, links, m = len(seen.values), len(model.links), len(self.names)
        self.share = 1.0 / np.sqrt(n)
        ends = np.cumsum([n * model.nv, links, 3 * links, 3 * m])
        self.parts = [slice(a, b) for a, b in zip([0, *ends[:-1]], ends, strict=True)]

    def factors(self, u: Array, w: Array) -> Array:
        """Return the factors of all links, shape (n_links, 3); links inside a joint take those of their carrier."""
        return self.levers.all_factors(u[:, None] + w)

    def state(self, q: Array, u: Array, w: Array, d: Array) -> State:
        """Return the person of these sizes and markers in these poses."""
        R = poses(self.model, q)[..., :3, :3]
        own = self.levers.own(q, R)
        markers = positions(self.model, q, self.names)
        markers += np.einsum("fmila,la->fmi", own, self.factors(u, w) - 1.0)
        markers += np.einsum("fmij,mj->fmi", R[:, self.link], d)
        return State(q, u, w, d, R, own, markers)

    def residual(self, state: State) -> Array:
        """Return the weighted rows, shape (n,)."""
        gap = (state.markers - self.target) * self.visible
        lean = difference(self.model, self.reference, state.q) * self.posed
        place = state.d * np.sqrt(self.trust)[:, None] / self.marker_widths[:, None]
        return np.concatenate(
            [
                (gap * (self.share / self.widths.noise)).ravel(),
                (lean * self.share).ravel(),
                self.prior.size @ (state.u - 1.0) + self.prior.offset,
                self.prior.axis @ state.w.ravel(),
                place.ravel(),
            ]
        )

    def in_poses(self, state: State) -> Array:
        """Return the Jacobians of the markers, shape (n, m, 3, nv), world axes."""
        q, R, m = state.q, state.rotations, np.arange(len(self.names))
        spins = R @ jacobian(self.model, q, self.model.link_names)[:, :, :3]
        factors = self.factors(state.u, state.w)
        fixed = np.einsum("fmila,la->fmli", state.levers, factors - 1.0)
        fixed[:, m, self.link] += np.einsum("fmij,mj->fmi", R[:, self.link], state.d)
        return jacobian(self.model, q, self.names) + self.levers.turned(q, R, spins, fixed, factors)

    def jacobian(self, state: State) -> Array:
        """Return the derivatives of the residual, exact, shape (n, n_variables)."""
        n, nv, m = len(state.q), self.model.nv, len(self.names)
        in_q = self.in_poses(state)
        in_s = self.levers.shared(state.levers)  # (n, m, 3, links, 3)
        data = np.zeros((n, m, 3, self.parts[-1].stop))
        for f in range(n):
            data[f, :, :, f * nv : (f + 1) * nv] = in_q[f]
        data[..., self.parts[1]] = in_s.sum(axis=-1)
        data[..., self.parts[2]] = in_s.reshape(n, m, 3, -1)
        for j in range(m):
            first = self.parts[3].start + 3 * j
            data[:, j, :, first : first + 3] = state.rotations[:, self.link[j]]
        data *= (self.share / self.widths.noise) * self.visible[..., None]
        blocks = [data.reshape(-1, data.shape[-1])]
        place = np.repeat(np.sqrt(self.trust) / self.marker_widths, 3)
        beliefs = (
            np.diag(np.tile(self.posed, n)) * self.share,
            self.prior.size,
            self.prior.axis,
            np.diag(place),
        )
        for part, rows in zip(self.parts, beliefs, strict=True):
            block = np.zeros((len(rows), data.shape[-1]))
            block[:, part] = rows
            blocks.append(block)
        return np.concatenate(blocks)

    def move(self, state: State, step: Array) -> State:
        """Return the state after a step, cut at its bounds."""
        n, nv = len(state.q), self.model.nv
        q = self.bounds.clip(integrate(self.model, state.q, step[self.parts[0]].reshape(n, nv)))
        u = np.clip(state.u + step[self.parts[1]], SMALL, LARGE)
        w = np.clip(state.w + step[self.parts[2]].reshape(-1, 3), -0.5 * SMALL, 0.5 * SMALL)
        return self.state(q, u, w, state.d + step[self.parts[3]].reshape(-1, 3))

    def held(self, state: State, downhill: Array) -> Mask:
        """Return which variables may not move: locked, at a bound, sizes of prostheses, fixed markers."""
        n = len(state.q)
        poses_held = self.bounds.held(state.q, downhill[self.parts[0]].reshape(n, -1)).ravel()
        way = downhill[self.parts[1]]
        ends = ((state.u <= SMALL) & (way < 0.0)) | ((state.u >= LARGE) & (way > 0.0)) | ~self.sized
        return np.concatenate([poses_held, ends, np.repeat(~self.sized, 3), np.repeat(self.still, 3)])

    def reweigh(self, state: State) -> float:
        """Trust markers less that had to be moved far: 1 / (1 + |d|² / (tail σ)²); return the greatest change."""
        far = np.linalg.norm(state.d, axis=1) / (self.widths.tail * self.marker_widths)
        trust = 1.0 / (1.0 + far**2)
        change = float(np.max(np.abs(trust - self.trust)))
        self.trust = trust
        return change


@dataclass(frozen=True, eq=False)
class Fit:
    """The solution of the joint fit: `state`, factors by link, and their standard deviations, shape (n_links, 3).

    `started` is False if the start pose was so far off that the fit was not tried.
    """

    state: State
    factors: Mapping[str, Array]
    factor_std: Array
    iterations: int
    converged: bool
    trust: Mapping[str, float]
    started: bool = True


def fit_sizes(model: Model, seen: Targets, marker_widths: Array, widths: Widths) -> Fit:
    """Solve the joint fit.

    It is not tried where the start pose is off by more than `START`: labels that mean other markers.

    Args:
        model: The model to scale.
        seen: Median frames of the standing trial.
        marker_widths: Width of the prior of each marker's place, shape (m,), [m]; zero for one that may not move.
        widths: Of all other priors.
    """
    middle = int(np.argmax(np.isfinite(seen.values).all(axis=2).sum(axis=1)))
    first = static_pose(model, seen.names, seen.values[middle], tolerance=1e-2)  # only a start
    reference = _upright(model, first.state)
    problem = FitProblem(model, seen, marker_widths, widths, np.tile(reference, (len(seen.values), 1)))
    links, m = len(model.links), len(seen.names)
    q = np.tile(first.state, (len(seen.values), 1))
    state = problem.state(q, np.ones(links), np.zeros((links, 3)), np.zeros((m, 3)))
    iterations, settled = first.iterations, False
    started = _plausible(model, seen, middle, first)
    for _ in range(ROUNDS if started else 0):
        found = minimise(problem, state, limit=60, tolerance=1e-7)
        state, iterations = found.state, iterations + found.iterations
        settled = found.converged and problem.reweigh(state) < 1e-3
        if settled:
            break
    trust = dict(zip(seen.names, problem.trust.tolist(), strict=True))
    factors = dict(zip(model.link_names, problem.factors(state.u, state.w), strict=True))
    return Fit(state, factors, _deviations(problem, state), iterations, settled, trust, started)


def _plausible(model: Model, seen: Targets, frame: int, found: Minimum[Array]) -> bool:
    """Return whether the markers are near a person of some size in the start pose.

    The cost of a pose with equal weights is half the mean square distance. A person of quite another size gets a
    second pose, the model brought to the spread of the markers.
    """
    if np.sqrt(2.0 * found.cost) < START:
        return True
    size = float(np.clip(spread(model, seen), SMALL, LARGE))
    keep = {*carriers(model), *prosthesis(model)}
    other = scaled(model, {name: size for name in model.link_names if name not in keep})
    again = static_pose(other, seen.names, seen.values[frame], tolerance=1e-2)
    return bool(np.sqrt(2.0 * again.cost) < START)


def _upright(model: Model, q: Array) -> Array:
    """Return the default pose with the root of `q`."""
    pose = model.neutral()
    for link in model.children("world"):
        own = list(model.q_indices(link.name))
        pose[own] = q[own]
    return pose


def _deviations(problem: FitProblem, state: State) -> Array:
    """Return standard deviations of the factors from the curvature of the whole sum, shape (n_links, 3)."""
    J = problem.jacobian(state)
    free = ~problem.held(state, np.zeros(J.shape[1]))
    H = J[:, free].T @ J[:, free]
    columns = np.flatnonzero(free)
    where = np.full(J.shape[1], -1)
    where[columns] = np.arange(len(columns))
    links = len(state.u)
    pick = np.zeros((3 * links, len(columns)))
    for i in np.flatnonzero(problem.sized):
        for axis in range(3):
            pick[3 * i + axis, where[problem.parts[1].start + i]] = 1.0
            pick[3 * i + axis, where[problem.parts[2].start + 3 * i + axis]] = 1.0
    scale = 1.0 / np.sqrt(np.maximum(np.diag(H), 1e-300))  # unseen coordinates have no curvature
    scaled_H = scale[:, None] * H * scale + 1e-12 * np.eye(len(H))
    half = np.linalg.solve(np.linalg.cholesky(scaled_H), (pick * scale).T)
    return np.sqrt(np.sum(half**2, axis=0)).reshape(links, 3)
