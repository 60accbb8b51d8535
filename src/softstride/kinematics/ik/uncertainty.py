"""How well each coordinate is known, from the Jacobian at the solution and the noise of the markers.

With weights as inverse variances, cov(q) = s² (J^T W J + Λ)^-1, where s is the standard deviation of one coordinate of
a marker of weight one and Λ the strengths of goals and of elastic energy. The posture prior is left out: it is a means
to have a solution, not knowledge. Instead every coordinate is given the width of ignorance, so that what no marker
determines has a standard deviation of that size and no false precision.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softstride.engine.manifold import integrate
from softstride.engine.pose_fit import pose_fit
from softstride.errors import InputError
from softstride.kinematics.ik.aims import goal_strengths, posture_units
from softstride.kinematics.ik.tasks import Task, blocks
from softstride.kinematics.marker_fit import MarkerFit
from softstride.kinematics.motion import Motion

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

IGNORANCE = 10.0
"""Standard deviation of what is not known at all [rad], [m]: more than there is to know."""

NEARBY, POSES = 0.1, 8
"""Poses around the first one [rad] at which the rank is looked at: a single one may be a singular configuration."""

FAINT = 1e-10
"""Strength that makes the normal equations regular without determining anything [m²/rad²], a marker of weight one."""

SHARE = 1e-3
"""Part of a coordinate that lies in directions which the markers do not determine, from which it is called so."""

HELD = 1e15
LEAST = 1e-9  # m: no marker is known better
REGULAR = 1e-13  # of all weights: less would drown in rounding


def null_shares(task: Task, pose: Array, scales: Array, known: Array | float = 0.0) -> Array:
    """Return how much of each coordinate lies in directions that what is measured does not determine, shape (nv,).

    With Λ = ε diag(units), ε units_j ((J^T W J + Λ)^-1)_jj tends to the share of coordinate j in the null space of
    the Jacobian as ε tends to zero: 0 for what is determined, 1 for what nothing is felt of. Their sum is the
    number of coordinates less the rank. `known`, shape (nv,), are strengths that count as measured.
    """
    model = task.model
    rng = np.random.default_rng(0)
    around = NEARBY * rng.uniform(-1.0, 1.0, (POSES, model.nv)) / np.sqrt(posture_units(model))
    around[0] = 0.0
    around[:, task.locked] = 0.0
    q = integrate(model, np.broadcast_to(pose, (POSES, model.nq)), around)
    weights = np.concatenate([task.measured.weights, task.measured.turn_weights])
    total = float(weights.sum())
    share = _null_share(task, q, np.broadcast_to(weights, (POSES, len(weights))), scales, total, known)
    return np.asarray(np.median(share, axis=0))


def _null_share(
    task: Task, q: Array, weights: Array, scales: Array, total: float, known: Array | float = 0.0
) -> Array:
    """Return the share of each coordinate in what is not determined, shape (n, nv)."""
    faint = FAINT * total / weights.shape[1] * posture_units(task.model)
    strengths = np.where(task.locked, HELD * scales, faint + goal_strengths(task, total) + known)
    return np.asarray(task.fit.variances(q, weights, strengths) * faint)


def lost_coordinates(
    task: Task, q: Array, scales: Array, never: Mask
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the frames whose missing markers leave coordinates undetermined that are not so elsewhere, and which.

    Args:
        task: What was solved.
        q: The poses found, shape (n, nq).
        scales: As in `null_shares`.
        never: Coordinates that are not determined in any frame, shape (nv,).
    """
    whole = float(task.weight_seen.max())
    poor = np.flatnonzero((task.weight_seen < whole) & (task.weight_seen > 0.0))
    frames: list[NDArray[np.intp]] = [np.zeros(0, dtype=np.intp)]
    lost = np.zeros(task.model.nv, dtype=bool)
    for block in blocks(len(poor)):
        some = poor[block]
        weights = frame_weights(task, some)
        found = (_null_share(task, q[some], weights, scales, whole) > SHARE) & ~never & ~task.locked
        frames.append(some[np.any(found, axis=1)])
        lost |= np.any(found, axis=0)
    return np.concatenate(frames), np.flatnonzero(lost)


def frame_weights(task: Task, frames: slice | NDArray[np.intp]) -> Array:
    """Return the weights of what was measured in some frames, markers then orientations; zero where it was not."""
    weights = task.seen(frames) * task.measured.weights
    if not task.turned:
        return weights
    there = np.isfinite(task.measured.turned[frames]).all(axis=(2, 3))
    return np.concatenate([weights, there * task.measured.turn_weights], axis=1)


def standard_deviations(motion: Motion, *, threads: int | None = None) -> Array:
    """Return the standard deviation of each coordinate in each frame, shape (n, nv), in units of v times [s].

    Ball and free joints: of the small rotation and displacement in child axes. NaN if the noise is not known.

    Raises:
        InputError: The motion does not come from markers.
    """
    fit = motion.fit
    if fit is None:
        raise InputError("this motion does not come from markers, so nothing is known about its uncertainty")
    model = motion.model
    solver = pose_fit(
        model,
        tuple(model.markers[name] for name in fit.names),
        tuple(model.place(n) for n in fit.orientations),
    )
    if not np.isfinite(fit.noise):
        return np.full((motion.n_frames, model.nv), np.nan)
    noise, relative = marker_noise(fit)
    ignorance = max(noise**2 / IGNORANCE**2, REGULAR * float(np.sum(relative)))
    strengths = fit.aims + ignorance * posture_units(model)
    names = list(model.coordinates)
    strengths[[names.index(name) for name in fit.locked]] = HELD
    out = np.empty((motion.n_frames, model.nv))
    turned = np.array(list(fit.orientations.values()))
    for block in blocks(motion.n_frames):
        error = fit.error[block]
        weights = np.where(np.isfinite(error), relative, 0.0)
        if fit.huber is not None:
            with np.errstate(invalid="ignore", divide="ignore"):
                weights *= np.where(error > fit.huber, fit.huber / error, 1.0)
        both = np.concatenate([weights, fit.turned[block] * turned], axis=1)
        variances = solver.variances(motion.q[block], both, strengths, threads=threads)
        out[block] = noise * np.sqrt(np.maximum(variances, 0.0))
    out[:, [names.index(name) for name in fit.locked]] = 0.0
    return out


def marker_noise(fit: MarkerFit) -> tuple[float, Array]:
    """Return the standard deviation of unit weight [m], and weights by inverse variance, shape (m,).

    Their mean is that of the weights of the fit, so that goals and elastic energy weigh as they did there.
    """
    if not len(fit.names):
        return max(fit.noise, LEAST), np.zeros(0)
    known = np.maximum(fit.spread, LEAST)
    inverse = 1.0 / known**2
    unit = np.mean(fit.weights) / np.mean(inverse)
    return float(np.sqrt(unit)), np.asarray(unit * inverse)
