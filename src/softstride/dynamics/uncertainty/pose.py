r"""How noise of markers becomes errors of a pose, frame by frame.

Inverse kinematics minimises sum_m w_m |x_m - p_m(q)|^2 + prior, so that errors e of the markers move the pose by

    d = (J^T W J + L)^-1 J^T W e,        cov(d) = A^-1 (J^T W S^2 W J) A^-1,    A = J^T W J + L,

with W the weights that counted in a frame, L the strengths of goals, priors and elastic energy, and S the standard
deviations of the markers' coordinates. A factor F with cov(d) = F F^T is kept. A measured orientation of weight w_o
counts as a turn with the deviation s / sqrt(w_o), s being that of a marker.

What no marker determines is held by the prior here, and so its error is not in the bands; `Motion.std` says which
coordinates these are. Coordinates at a limit count as free, which is more than they move.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.engine.kinematics import jacobian
from softstride.errors import InputError
from softstride.kinematics.motion import Motion
from softstride.model.frame import Point
from softstride.model.model import Model

Array = NDArray[np.float64]

REGULAR = 1e-9
"""Least strength of a direction, as a share of the mean one: makes the matrix regular, determines nothing."""


@dataclass(frozen=True, eq=False)
class Sights:
    """What was seen of a model in the frames of a motion.

    Attributes:
        markers: Points of the model, m of them.
        weights: That counted in each frame, shape (n, m); 0 where a marker was not seen.
        strengths: Of goals, priors and elastic energy on each velocity, shape (nv,).
        locked: Coordinates that were not to move, shape (nv,).
        turned: Places whose orientation was measured, k of them.
        turn_weights: In each frame, shape (n, k).
    """

    markers: tuple[Point, ...]
    weights: Array
    strengths: Array
    locked: NDArray[np.bool_]
    turned: tuple[str, ...]
    turn_weights: Array


def sights(model: Model, motion: Motion) -> Sights:
    """Return what a motion was found from; all markers of the model, if the motion does not say.

    Raises:
        InputError: Neither motion nor model has markers.
    """
    n, fit = motion.n_frames, motion.fit
    names = list(model.coordinates)
    if fit is None:
        if not model.markers:
            raise InputError(
                f"model {model.name!r} has no markers and the motion none either: give noise=0 and artefact=0, so that "
                "markers count for nothing, or a motion of solve_ik"
            )
        markers = tuple(model.markers.values())
        locked = np.array([coordinate.locked for coordinate in model.coordinates.values()])
        return Sights(markers, np.ones((n, len(markers))), np.zeros(model.nv), locked, (), np.zeros((n, 0)))
    weights = np.where(np.isfinite(fit.error), fit.weights, 0.0)
    if fit.huber is not None:
        far = np.nan_to_num(fit.error) > fit.huber
        weights = weights * np.where(far, fit.huber / np.where(far, fit.error, 1.0), 1.0)
    locked = np.zeros(model.nv, dtype=bool)
    locked[[names.index(name) for name in fit.locked]] = True
    turned = tuple(fit.orientations)
    turn_weights = fit.turned * np.array([fit.orientations[name] for name in turned])
    markers = tuple(model.markers[name] for name in fit.names)
    return Sights(
        markers, weights, fit.prior + fit.aims, locked, turned, turn_weights.reshape(n, len(turned))
    )


def pose_factor(
    model: Model,
    q: Array,
    seen: Sights,
    frames: slice,
    deviation: Array,
    turn_deviation: float,
    threads: int | None = None,
) -> Array:
    """Return F with cov(d) = F F^T of the errors d of poses, q [+] d, shape (n, nv, r), r <= nv.

    Args:
        model: The model.
        q: Configurations of these frames, shape (n, nq).
        seen: What was seen in all frames of the motion.
        frames: Which of these frames are meant, n of them.
        deviation: Standard deviation of a coordinate of each marker [m], shape (m,).
        turn_deviation: That of a marker of weight one [m], for measured orientations.
        threads: How many threads may be used.
    """
    n, nv = len(q), model.nv
    parts, weights, spreads = [np.zeros((n, 0, nv))], [np.zeros((n, 0))], [np.zeros((n, 0))]
    if seen.markers:
        J = jacobian(model, q, list(seen.markers), threads=threads)
        w = np.repeat(seen.weights[frames], 3, axis=1)
        parts.append(J.reshape(n, -1, nv))
        weights.append(w)
        spreads.append(w * np.repeat(deviation, 3))
    if seen.turned:
        places = [model.place(name) for name in seen.turned]
        J = jacobian(model, q, places, threads=threads)[:, :, :3]
        w = np.repeat(seen.turn_weights[frames], 3, axis=1)
        parts.append(J.reshape(n, -1, nv))
        weights.append(w)
        spreads.append(np.sqrt(w) * turn_deviation)
    J = np.concatenate(parts, axis=1)
    J[:, :, seen.locked] = 0.0
    A = np.swapaxes(J, 1, 2) @ (np.concatenate(weights, axis=1)[..., None] * J)
    own = np.arange(nv)
    size = np.trace(A, axis1=1, axis2=2)[:, None] / nv
    blind = size[:, 0] == 0.0  # nothing was seen
    A[:, own, own] += np.where(seen.locked, 1.0, seen.strengths + REGULAR * size) + blind[:, None]
    scaled = np.concatenate(spreads, axis=1)[..., None] * J
    if scaled.shape[1] > nv:
        scaled = np.asarray(np.linalg.qr(scaled, mode="r"))  # the same Gram matrix in fewer rows
    return np.asarray(np.linalg.solve(A, np.swapaxes(scaled, 1, 2)))
