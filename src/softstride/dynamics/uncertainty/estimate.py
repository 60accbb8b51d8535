r"""How an estimated ground reaction answers errors, by the implicit function theorem at its solution.

Forces x at the places of contact minimise 1/2 x^T H x + g^T x in friction cones. What may move at the solution is in
the projector P: all of a force inside its cone, the tangent plane of one on it (whose curvature adds to H), nothing of
a place that bears nothing. So an error changes the forces by

    dx = -Z dr,    Z = P (P H P + 1 - P)^-1 P,    dr = d(H x + g) at this x,

where dr holds what the error does to the wrench that the base needs, to the joint torques, and to the geometry: places
of contact, their activation, Jacobians, the deformation of blades (by differences along the coordinates of the legs and
their rates). Floor, belt and low pass are what they are, and so are the sets of places inside and on their cones.

A blade that is stiffer than the model's, as a whole, says more of the force in it: dr is that of a target of its rows
which is larger by that share.

Smoothness in time couples frames through the sums of the forces of each foot, S x. Taken as if H stayed the same for as
long as errors are related, at the phase omega from frame to frame Z becomes Z - U diag(s / (1 + s e)) U^T with
s = smoothness (2 sin(omega / 2))^4, S Z S^T = V diag(e) V^T and U = Z S^T V (Woodbury).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.estimate.options import EstimateOptions
from softstride.dynamics.estimate.rows import Demand
from softstride.dynamics.loads import Loads
from softstride.dynamics.prepare import State
from softstride.dynamics.uncertainty.ground import GroundShape
from softstride.dynamics.uncertainty.motion import base_maps, bracket, motion_maps, section_map, wrench_map
from softstride.dynamics.uncertainty.response import Response, taken
from softstride.engine.manifold import layout
from softstride.model.model import Model

Array = NDArray[np.float64]

IDLE = 1e-6
"""Normal force [body weights] below which a place bears nothing."""

ON_CONE = 1e-4
"""How near to its friction cone a force is on it, as a share of the normal force times mu."""

FAINT = 0.02
"""Load of a foot [body weights] below which its centre of pressure is not said."""


def blades(model: Model, options: EstimateOptions) -> list[str]:
    """Return the blades whose deformation tells an estimate of the force in them."""
    return [link.name for link in model.links if link.soft and options.load_cell]


@dataclass(frozen=True, eq=False)
class EstimateResponse:
    """Responses of estimated loads: rows are tau, the residual, then force and centre of pressure of each foot.

    Attributes:
        model: The model.
        state: Its motion, as it was estimated from.
        loads: The estimate.
        shape: How the ground reaction depends on the motion.
        threads: How many threads may be used.
    """

    model: Model
    state: State
    loads: Loads
    shape: GroundShape
    threads: int | None = None

    @property
    def demand(self) -> Demand:
        """What the motion asks for."""
        return self.shape.demand

    @property
    def options(self) -> EstimateOptions:
        """Of the estimate."""
        return self.shape.options

    def response(self, frames: slice) -> Response:
        """Return what errors do in some frames."""
        model, state, demand = self.model, self.state.take(frames), self.demand
        maps = motion_maps(model, state, self.threads)
        base = self.loads.base
        taus = demand.tau[frames], self.loads.tau[frames]
        B, (needs, leaves) = base_maps(model, base, state.q, taus, self.threads)
        need = B[:, None] @ maps
        need[:, 0] += needs
        by_tau, by_need = self.shape.slopes(frames)
        moved = self.shape.moved(frames)
        dr = by_tau[:, None] @ maps + by_need[:, None] @ need  # (n, 3, 3c, nv)
        dr[:, 0] += moved.gradient_q
        dr[:, 1] += moved.gradient_v
        if not layout(model).flat:
            dr[:, 0] += moved.gradient_v @ bracket(model, state.v)
        Z = self._yield(frames, moved.hessian, moved.gradient)
        by_force = self._by_force(frames, B)
        answer = by_force @ Z  # (n, rows, 3c)
        out = -(answer[:, None] @ dr)
        nv = model.nv
        out[:, :, :nv] += maps
        out[:, 0, :nv] -= moved.applied
        out[:, :, nv : nv + 6] += B[:, None] @ maps
        out[:, 0, nv : nv + 6] += leaves - B @ moved.applied
        for k, point in enumerate(moved.points):
            start = nv + 6 + 6 * k + 3
            out[:, 0, start : start + 3] += point
        long = -(answer @ (by_tau + by_need @ B))
        long[:, :nv] += np.eye(nv)
        long[:, nv : nv + 6] += B
        lead, felt, e = self._modes(Z, by_force, dr)
        springs = answer @ (by_tau @ self._stiffness(frames))
        return Response(out, long, lead, felt, e, self.shape.smoothness, springs)

    def _stiffness(self, frames: slice) -> Array:
        """Return what a blade that is stiffer by its error would say to be in it, one a column, shape (n, nv, s)."""
        elastic = self.demand.elastic[frames]
        rods = blades(self.model, self.options)
        out = np.zeros((*elastic.shape, len(rods)))
        for k, name in enumerate(rods):
            own = list(self.model.v_indices(name))
            out[:, own, k] = self.options.blade_error * elastic[:, own]
        return out

    def _modes(self, Z: Array, by_force: Array, dr: Array) -> tuple[Array, Array, Array]:
        """Return what smoothness in time takes away: b, c and e of a `Response`."""
        n, rows, nv = len(Z), by_force.shape[1], dr.shape[3]
        if self.shape.smoothness == 0.0:
            return np.zeros((n, rows, 0)), np.zeros((n, 0, 3, nv)), np.zeros((n, 0))
        S = self.shape.sums
        e, V = np.linalg.eigh(S @ Z @ S.T)
        U = Z @ S.T @ V  # (n, 3c, modes)
        felt = np.moveaxis(np.swapaxes(U, 1, 2)[:, None] @ dr, 1, 2)
        return by_force @ U, felt, np.maximum(e, 0.0)

    def _yield(self, frames: slice, H: Array, gradient: Array) -> Array:
        """Return Z, shape (n, 3c, 3c)."""
        x = self.shape.x[frames]  # (n, c, 3)
        mu = self.options.friction
        n, c = x.shape[:2]
        normal, along = x[..., 0], x[..., 1:]
        size = np.linalg.norm(along, axis=2)
        idle = normal < IDLE
        on = ~idle & (size >= mu * normal * (1.0 - ON_CONE))
        unit = along / np.maximum(size, 1e-300)[..., None]
        across = np.concatenate([np.full((n, c, 1), -mu), unit], axis=2) / np.hypot(1.0, mu)
        P = np.where(idle[..., None, None], 0.0, np.eye(3))
        P = P - on[..., None, None] * across[..., :, None] * across[..., None, :]
        pressed = gradient.reshape(n, c, 3) + self.shape.held[frames]
        multiplier = np.maximum(-(pressed[..., 1:] * unit).sum(axis=2), 0.0)
        round_ = np.stack([np.zeros((n, c)), -unit[..., 1], unit[..., 0]], axis=2)
        bent = (on * multiplier / np.maximum(size, IDLE))[..., None, None] * (
            round_[..., :, None] * round_[..., None, :]
        )
        at = np.arange(c)
        free, rest = np.zeros((n, c, 3, c, 3)), np.zeros((n, c, 3, c, 3))
        free[:, at, :, at] = np.moveaxis(P, 1, 0)
        rest[:, at, :, at] = np.moveaxis(np.eye(3) - P + bent, 1, 0)
        project, stay = free.reshape(n, 3 * c, 3 * c), rest.reshape(n, 3 * c, 3 * c)
        return np.asarray(project @ np.linalg.inv(project @ H @ project + stay) @ project)

    def _by_force(self, frames: slice, B: Array) -> Array:
        """Return the rows of output by forces x [body weights], shape (n, rows, 3c)."""
        model, shape, demand = self.model, self.shape, self.demand
        q, nv = self.state.q[frames], self.model.nv
        n, size = len(q), 3 * len(shape.contacts.names)
        out = np.zeros((n, nv + 6 + 6 * len(shape.contacts.feet), size))
        for k, (foot, block) in enumerate(shape.blocks()):
            wrench = self.loads.wrenches[f"ground_{foot.foothold.side}"]
            place = shape.contacts.place[frames][:, block.start // 3 : block.stop // 3]
            point = np.where(np.isfinite(wrench.point[frames]), wrench.point[frames], place.mean(axis=1))
            arm = place - point[:, None]
            P = shape.wrench_of(arm) * demand.weight
            out[:, :nv, block] -= wrench_map(model, q, foot.foothold.link, point, self.threads) @ P
            row = nv + 6 + 6 * k
            out[:, row : row + 3, block] = P[:, 3:]
            load = (wrench.force[frames] @ demand.axes[0])[:, None, None]
            shift = np.zeros((n, 3, block.stop - block.start))  # of the centre of pressure
            shift[:, :, ::3] = np.swapaxes(arm, 1, 2) * demand.weight / np.where(load > 0.0, load, np.inf)
            out[:, row + 3 : row + 6, block] = np.where(load > FAINT * demand.weight, shift, np.nan)
            if model.link(foot.foothold.link).soft:
                load_at = taken(wrench, frames)
                out[:, :nv, block] -= section_map(model, q, load_at, demand.axes[1:], self.threads) @ shift
        out[:, nv : nv + 6] = B @ out[:, :nv]
        return out
