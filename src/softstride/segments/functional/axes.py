"""Axes of hinges: what two moving frames have in common (SARA), and the mean of helical axes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.errors import InputError
from softstride.notes import Note
from softstride.results import Result, values
from softstride.segments.clusters import Poses
from softstride.segments.functional.blocks import BLOCKS, Index, jackknife
from softstride.segments.functional.centres import centre_system, common_frames
from softstride.segments.functional.helical import helical_axis
from softstride.spatial.vectors import as_array

Array = NDArray[np.float64]

LEAST_ANGLE = np.radians(10.0)
"""Turn between two frames below which their helical axis is mostly noise."""

MOST_FRAMES = 80
"""Frames that pairs are made of: 3,160 pairs; more say nothing new."""

FIXED = 0.3
"""Ratio of singular values above which no axis stands out."""


class JointAxis(Result, of="a joint axis", kw_only=True):
    """The axis of a joint, in the frame of its proximal cluster.

    Attributes:
        direction: Unit vector, shape (3,).
        point: A point of the axis, shape (3,), [m].
        distal_direction: The same axis in the frame of the distal cluster, shape (3,); None for helical axes.
        sd_direction: Standard deviation of the direction, both ways together [rad].
        sd_point: Standard deviation of the point across the axis [m].
        ratio: Of the two smallest singular values: 0 for a perfect hinge, 1 where no axis stands out.
        method: "sara" or "helical".
        frames: Number of frames that it rests on.
        notes: What is doubtful.
    """

    direction: Array = values("axis")
    point: Array = values("axis", "m")
    distal_direction: Array | None = values("axis", default=None)
    sd_direction: float
    sd_point: float
    ratio: float
    method: str
    frames: int
    notes: tuple[Note, ...] = ()

    def __repr__(self) -> str:
        """Say what it is in one line."""
        n = ", ".join(f"{x:.3f}" for x in self.direction)
        return (
            f"JointAxis({self.method}, ({n}) +- {np.degrees(self.sd_direction):.2f} degrees, "
            f"{1e3 * self.sd_point:.1f} mm, {self.frames} frames)"
        )


def sara(
    proximal: Poses,
    distal: Poses,
    *,
    near: ArrayLike | None = None,
    towards: ArrayLike | None = None,
    blocks: int = BLOCKS,
) -> JointAxis:
    """Find the direction that rests in two moving frames: R1 a1 = R2 a2 in the least squares sense [Ehrig2007].

    (a1; a2) is the last right singular vector of the stacked [R1, -R2]; its halves, each made a unit vector, are the
    axis in the two frames. A point comes from the least squares of `score` without that direction.

    Args:
        proximal: Poses of the proximal cluster.
        distal: Poses of the distal cluster, same frames.
        near: Point of the proximal frame that the point of the axis shall be nearest to, such as the middle of the
            epicondyles, shape (3,), [m]; None: the mean place of the distal cluster.
        towards: Direction of the proximal frame that the axis shall point to, shape (3,); None: either way.
        blocks: Stretches that are left out for the uncertainty.

    Raises:
        InputError: Too few frames in which both poses are known.
    """
    frames = common_frames(proximal, distal)
    A, b = centre_system(proximal, distal)
    place = _near(near, proximal, distal, frames)

    def estimate(chosen: Index, against: Array) -> tuple[Array, Array, Array, float]:
        system = A[chosen].reshape(-1, 6)
        U, S, Vt = np.linalg.svd(system, full_matrices=False)
        a1, a2 = Vt[5, :3], Vt[5, 3:]
        sign = 1.0 if a1 @ against >= 0.0 else -1.0
        a1, a2 = sign * a1 / np.linalg.norm(a1), sign * a2 / np.linalg.norm(a2)
        both = Vt[:5].T @ ((U[:, :5].T @ b[chosen].reshape(-1)) / S[:5])
        point = both[:3] + a1 * (a1 @ (place - both[:3]))
        return a1, a2, point, float(S[5] / S[4])

    a1, a2, point, ratio = estimate(frames, _against(towards))
    spread = jackknife(lambda chosen: np.concatenate(estimate(chosen, a1)[::2]), frames, blocks)
    sd_direction, sd_point = _deviations(spread, a1)
    return JointAxis(
        direction=a1,
        point=point,
        distal_direction=a2,
        sd_direction=sd_direction,
        sd_point=sd_point,
        ratio=ratio,
        method="sara",
        frames=len(frames),
        notes=_doubt(ratio),
    )


def mean_helical_axis(
    proximal: Poses,
    distal: Poses,
    *,
    least_angle: float = LEAST_ANGLE,
    near: ArrayLike | None = None,
    towards: ArrayLike | None = None,
    blocks: int = BLOCKS,
) -> JointAxis:
    """Average the helical axes of pairs of frames that turn far enough [Woltring1985; Cheze1998].

    The direction is the first eigenvector of sum sin^2(th/2) n n^T, the point the minimiser of sum sin^2(th/2) |(E - n
    n^T)(s0 - s)|^2.

    Args:
        proximal: Poses of the proximal cluster.
        distal: Poses of the distal cluster, same frames.
        least_angle: Smallest turn of a pair that counts [rad].
        near: As for `sara`.
        towards: As for `sara`.
        blocks: Stretches that are left out for the uncertainty.

    Raises:
        InputError: Too few frames, or none that turn far enough.
    """
    known = common_frames(proximal, distal)
    frames = known[np.unique(np.linspace(0, len(known) - 1, MOST_FRAMES).astype(np.intp))]
    back = np.swapaxes(proximal.rotation, -1, -2)
    R = back @ distal.rotation
    t = np.einsum("nij,nj->ni", back, distal.position - proximal.position)
    place = _near(near, proximal, distal, frames)

    def estimate(chosen: Index, against: Array) -> tuple[Array, Array, float]:
        first, second = (chosen[i] for i in np.triu_indices(len(chosen), 1))
        turn = R[second] @ np.swapaxes(R[first], -1, -2)
        axis = helical_axis(turn, t[second] - np.einsum("nij,nj->ni", turn, t[first]))
        wide = axis.angle > least_angle
        if not wide.any():
            raise InputError(
                f"no two frames are turned by more than {np.degrees(least_angle):.0f} degrees against each other: a "
                "mean helical axis needs a wider movement, or a smaller least_angle"
            )
        n, s, weight = axis.direction[wide], axis.point[wide], np.sin(axis.angle[wide] / 2.0) ** 2
        values, vectors = np.linalg.eigh(np.einsum("k,ki,kj->ij", weight, n, n))
        direction = vectors[:, 2] * (1.0 if vectors[:, 2] @ against >= 0.0 else -1.0)
        across = weight[:, None, None] * (np.eye(3) - n[:, :, None] * n[:, None, :])
        pivot = np.linalg.pinv(across.sum(axis=0), rcond=1e-6) @ np.einsum("kij,kj->i", across, s)
        pivot = pivot + direction * (direction @ (place - pivot))
        return direction, pivot, float(np.sqrt(max(values[1], 0.0) / values[2]))

    direction, point, ratio = estimate(frames, _against(towards))
    spread = jackknife(lambda chosen: np.concatenate(estimate(chosen, direction)[:2]), frames, blocks)
    sd_direction, sd_point = _deviations(spread, direction)
    return JointAxis(
        direction=direction,
        point=point,
        sd_direction=sd_direction,
        sd_point=sd_point,
        ratio=ratio,
        method="helical",
        frames=len(frames),
        notes=_doubt(ratio),
    )


def _near(near: ArrayLike | None, proximal: Poses, distal: Poses, frames: Index) -> Array:
    if near is not None:
        return as_array("near", near, 3)
    back = np.swapaxes(proximal.rotation[frames], -1, -2)
    off = distal.position[frames] - proximal.position[frames]
    return np.asarray(np.einsum("nij,nj->ni", back, off).mean(axis=0))


def _against(towards: ArrayLike | None) -> Array:
    return np.zeros(3) if towards is None else as_array("towards", towards, 3)


def _deviations(covariance: Array, direction: Array) -> tuple[float, float]:
    """Return the deviations of direction [rad] and of point [m] across the axis."""
    across = np.eye(3) - np.outer(direction, direction)
    turn = across @ covariance[:3, :3] @ across
    place = across @ covariance[3:, 3:] @ across
    return float(np.sqrt(np.trace(turn))), float(np.sqrt(np.trace(place)))


def _doubt(ratio: float) -> tuple[Note, ...]:
    if ratio < FIXED:
        return ()
    return (
        Note(
            "functional-joints.no-axis",
            f"no axis stands out (ratio {ratio:.2f}): the movement is not that of a hinge",
            "warning",
            topic="functional joints",
            values={"ratio": ratio},
            fix="take score for a centre",
        ),
    )
