r"""From errors of a motion, and of forces, to deviations of loads.

A `Response` holds what an error d(t) of the pose does to rows of output y in some frames,

    y = Y_0 d + Y_1 d' + Y_2 d''  +  sum_m b_m h_m(omega) (c_m0 d + c_m1 d' + c_m2 d''),

where the sum, of an estimate that is smooth in time, takes away what its modes m do not follow: at the phase omega from
frame to frame, h_m = s / (1 + s e_m), s = smoothness (2 sin(omega / 2))^4. For a d of covariance F F^T and a spectrum
of (d, d', d'') the variance of each row is a sum of squares.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.loads import AppliedWrench, Loads
from softstride.dynamics.prepare import State
from softstride.dynamics.uncertainty.motion import applied_map, base_maps, motion_maps
from softstride.dynamics.uncertainty.time import Spectrum
from softstride.model.model import Model

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Response:
    """What errors do to the rows of output in n frames.

    Attributes:
        direct: Y_i, shape (n, 3, rows, nv).
        constant: Rows of output by generalized forces that are wrong for a long time, shape (n, rows, nv).
        leads: b_m, shape (n, rows, modes).
        felt: c_mi, shape (n, modes, 3, nv).
        yielding: e_m, shape (n, modes).
        smoothness: Weight of squared second differences.
        springs: Rows of output by errors of stiffness of one standard deviation, one a column, shape (n, rows, s).
    """

    direct: Array
    constant: Array
    leads: Array
    felt: Array
    yielding: Array
    smoothness: float = 0.0
    springs: Array = field(default_factory=lambda: np.zeros((0, 0, 0)))

    def of_motion(self, F: Array, spectrum: Spectrum, gram: Array | None = None) -> Array:
        """Return variances of the rows, shape (n, rows).

        Args:
            F: Factor of the covariance of d, shape (n, nv, r).
            spectrum: Of (d, d', d'').
            gram: Gram matrix of each frame, shape (n, 3, 3), near the ends of a trial another one than the sum of the
                spectrum; None: that sum. A response that is smooth in time takes its diagonal.
        """
        n = len(self.direct)
        Y = self.direct @ F[:, None]  # (n, 3, rows, r)
        modes = self.leads.shape[2]
        if modes == 0:
            all_frames = np.broadcast_to(spectrum.power.sum(axis=0), (n, 3, 3))
            return _squares(all_frames if gram is None else gram, Y)
        ends = np.ones((n, 3))
        if gram is not None:
            ends = np.sqrt(np.einsum("nii->ni", gram) / np.diag(spectrum.power.sum(axis=0)))
        Y = Y * ends[:, :, None, None]
        stiff = self.smoothness * (2.0 * np.sin(0.5 * spectrum.angle)) ** 4
        taken = stiff / (1.0 + stiff * self.yielding[..., None])  # (n, modes, f)
        gain = np.concatenate([np.ones((n, 1, len(stiff))), taken], axis=1)
        power = spectrum.power.reshape(-1, 9)
        first, second = np.triu_indices(1 + modes)
        joint = np.empty((n, 1 + modes, 1 + modes, 3, 3))
        joint[:, first, second] = ((gain[:, first] * gain[:, second]) @ power).reshape(n, -1, 3, 3)
        joint[:, second, first] = joint[:, first, second]  # power is symmetric
        c = self.felt @ F[:, None] * ends[:, None, :, None]
        c = c.reshape(n, 3 * modes, -1)  # rows of (mode, derivative)
        among = np.swapaxes(joint[:, 1:, 1:], 2, 3).reshape(n, 3 * modes, 3 * modes)
        among = (among * (c @ np.swapaxes(c, 1, 2))).reshape(n, modes, 3, modes, 3).sum(axis=(2, 4))
        felt = joint[:, 0, 1:] @ c.reshape(n, modes, 3, -1)  # (n, modes, 3, r)
        across = np.einsum("niar,nmir->nam", Y, felt, optimize=True)
        both = (self.leads * (2.0 * across + self.leads @ among)).sum(axis=2)
        return np.maximum(_squares(np.broadcast_to(joint[:, 0, 0], (n, 3, 3)), Y) + both, 0.0)

    def of_forces(self, columns: Array) -> Array:
        """Return variances of the rows from independent generalized forces, one a column (n, nv, s)."""
        return np.asarray(((self.constant @ columns) ** 2).sum(axis=2))

    def of_springs(self) -> Array:
        """Return variances of the rows from errors of stiffness."""
        return np.asarray((self.springs**2).sum(axis=2))


def _squares(gram: Array, Y: Array) -> Array:
    """Return sum_st gram_st (Y_s . Y_t) of each row; gram (n, s, s), Y (n, s, rows, r)."""
    n, s, rows, r = Y.shape
    scale = np.sqrt(np.maximum(np.diagonal(gram, axis1=1, axis2=2), 1e-300))
    values, axes = np.linalg.eigh(gram / scale[:, :, None] / scale[:, None])
    factor = axes * np.sqrt(np.maximum(values, 0.0))[:, None] * scale[..., None]
    mixed = (np.swapaxes(factor, 1, 2) @ Y.reshape(n, s, rows * r)).reshape(n, s, rows, r)
    return np.asarray(np.einsum("nsar,nsar->na", mixed, mixed))


class Responding(Protocol):
    """Gives the response of some frames."""

    def response(self, frames: slice) -> Response:
        """Return it."""
        ...


@dataclass(frozen=True, eq=False)
class MeasuredResponse:
    """Responses of loads under measured forces, tau = M a + b - J^T w: rows are tau and the residual."""

    model: Model
    state: State
    loads: Loads
    threads: int | None = None

    def response(self, frames: slice) -> Response:
        """Return what errors do in some frames."""
        model, state, loads = self.model, self.state.take(frames), self.loads
        maps = motion_maps(model, state, self.threads)
        wrenches = {name: taken(wrench, frames) for name, wrench in loads.wrenches.items()}
        maps[:, 0] -= applied_map(model, state.q, wrenches, self.threads)
        B, (change,) = base_maps(model, loads.base, state.q, (loads.tau[frames],), self.threads)
        left = B[:, None] @ maps
        left[:, 0] += change
        n = len(state.q)
        unit = np.broadcast_to(np.eye(model.nv), (n, model.nv, model.nv))
        none = np.zeros((n, model.nv + 6, 0)), np.zeros((n, 0, 3, model.nv)), np.zeros((n, 0))
        return Response(np.concatenate([maps, left], axis=2), np.concatenate([unit, B], axis=1), *none)


def taken(wrench: AppliedWrench, frames: slice) -> AppliedWrench:
    """Return a load in some frames."""
    return AppliedWrench(wrench.link, wrench.force[frames], wrench.point[frames], wrench.moment[frames])
