"""Centres of ball joints: by a sphere around them, and by what two moving frames have in common (SCoRE)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.errors import InputError
from softstride.notes import Note
from softstride.results import Result, values
from softstride.segments.clusters import Poses
from softstride.segments.functional.blocks import BLOCKS, Index, jackknife
from softstride.spatial.vectors import as_array

Array = NDArray[np.float64]

FEWEST = 10
"""Frames below which a movement says nothing about a joint."""

HINGE = 0.05
"""Ratio of the two smallest singular values below which a movement is that of a hinge: its centre may be anywhere on
the axis, as good as."""


class JointCentre(Result, of="a joint centre", kw_only=True):
    """The centre of a joint, in the frames of its two segments.

    Attributes:
        proximal: In the frame of the proximal cluster, shape (3,), [m].
        distal: In the frame of the distal cluster, shape (3,), [m]; None for a sphere fit.
        covariance: Of `proximal`, shape (3, 3), [m^2], from leaving out stretches of the movement.
        residual: Root mean square distance of the centre as both segments have it, or of the markers from their
            spheres [m].
        conditioning: How well the movement determines it: ratio of the smallest to the next singular value.
        method: "sphere" or "score".
        frames: Number of frames that it rests on.
        notes: What is doubtful.
    """

    proximal: Array = values("axis", "m")
    distal: Array | None = values("axis", "m", default=None)
    covariance: Array = values("axis other_axis", "m^2")
    residual: float
    conditioning: float
    method: str
    frames: int
    notes: tuple[Note, ...] = ()

    def __repr__(self) -> str:
        """Say what it is in one line."""
        place = ", ".join(f"{1e3 * x:.1f}" for x in self.proximal)
        return f"JointCentre({self.method}, ({place}) mm +- {1e3 * self.sd:.1f} mm, {self.frames} frames)"

    @property
    def sd(self) -> float:
        """Standard deviation of its place, all directions together [m]."""
        return float(np.sqrt(np.trace(self.covariance)))


def sphere_fit(markers: ArrayLike, *, blocks: int = BLOCKS) -> JointCentre:
    """Fit one centre and a radius for each marker to markers that move about a joint.

        A c = b,  A = 2 sum_p (mean(x x^T) - mean x mean x^T),  b = sum_p (mean(x |x|^2) - mean x mean|x|^2)

    Noise and small arcs pull the centre towards the markers: `score` is the better choice where both segments have
    clusters [GamageLasenby2002; Halvorsen2003].

    Args:
        markers: Of the distal segment, in the frame of the proximal one, shape (n, p, 3), [m]; NaN where not seen.
        blocks: Stretches that are left out for the uncertainty.

    Raises:
        InputError: Too few frames, or a movement that determines no centre.
    """
    x = as_array("markers", markers, 3)
    if x.ndim != 3:
        raise InputError(f"markers must be (n, p, 3), however they are {x.shape}")
    frames = _known(np.asarray(np.isfinite(x).all(axis=(1, 2))))

    def estimate(chosen: Index) -> Array:
        return np.asarray(np.linalg.solve(*_sphere_system(x[chosen])))

    A, _ = _sphere_system(x[frames])
    values = np.linalg.eigvalsh(A)
    if not values[0] > 1e-9 * values[2]:
        raise InputError(
            "the markers move in one plane or less: a sphere fit needs movement in all directions"
        )
    centre = estimate(frames)
    distance = np.linalg.norm(x[frames] - centre, axis=2)
    residual = float(np.sqrt(np.mean((distance - distance.mean(axis=0)) ** 2)))
    ratio = float(np.sqrt(values[0] / values[1]))
    return JointCentre(
        proximal=centre,
        covariance=jackknife(estimate, frames, blocks),
        residual=residual,
        conditioning=ratio,
        method="sphere",
        frames=len(frames),
        notes=_doubt(ratio),
    )


def score(proximal: Poses, distal: Poses, *, blocks: int = BLOCKS) -> JointCentre:
    """Find the point that rests in two moving frames: R1 c1 + t1 = R2 c2 + t2 in the least squares sense [Ehrig2006].

    Args:
        proximal: Poses of the proximal cluster.
        distal: Poses of the distal cluster, same frames.
        blocks: Stretches that are left out for the uncertainty.

    Raises:
        InputError: Too few frames in which both poses are known.
    """
    frames = common_frames(proximal, distal)
    A, b = centre_system(proximal, distal)

    def estimate(chosen: Index) -> Array:
        return np.asarray(np.linalg.lstsq(A[chosen].reshape(-1, 6), b[chosen].reshape(-1), rcond=None)[0])

    both = estimate(frames)
    values = np.linalg.svd(A[frames].reshape(-1, 6), compute_uv=False)
    ratio = float(values[5] / values[4])
    left = A[frames] @ both - b[frames]
    return JointCentre(
        proximal=both[:3],
        distal=both[3:],
        covariance=jackknife(lambda chosen: estimate(chosen)[:3], frames, blocks),
        residual=float(np.sqrt(np.mean(np.sum(left**2, axis=1)))),
        conditioning=ratio,
        method="score",
        frames=len(frames),
        notes=_doubt(ratio),
    )


def centre_system(proximal: Poses, distal: Poses) -> tuple[Array, Array]:
    """Return [R1, -R2] and t2 - t1 of each frame, shapes (n, 3, 6) and (n, 3)."""
    A = np.concatenate([proximal.rotation, -distal.rotation], axis=2)
    return A, distal.position - proximal.position


def common_frames(proximal: Poses, distal: Poses) -> Index:
    """Return the frames in which both poses are known.

    Raises:
        InputError: Different numbers of frames, or too few.
    """
    if len(proximal.position) != len(distal.position):
        raise InputError(
            f"both clusters need the same frames, however they have {len(proximal.position)} and "
            f"{len(distal.position)}"
        )
    known = np.isfinite(proximal.rotation).all(axis=(1, 2)) & np.isfinite(distal.rotation).all(axis=(1, 2))
    return _known(np.asarray(known))


def _known(mask: NDArray[np.bool_]) -> Index:
    frames = np.flatnonzero(mask)
    if len(frames) < FEWEST:
        raise InputError(
            f"a functional joint needs a movement of {FEWEST} frames or more with all markers seen, however there are "
            f"{len(frames)}"
        )
    return frames


def _sphere_system(x: Array) -> tuple[Array, Array]:
    mean = x.mean(axis=0)  # (p, 3)
    square = np.sum(x**2, axis=2)  # (n, p)
    A = 2.0 * (np.einsum("npi,npj->ij", x, x) / len(x) - mean.T @ mean)
    b = np.einsum("npi,np->i", x, square) / len(x) - np.einsum("pi,p->i", mean, square.mean(axis=0))
    return A, b


def _doubt(ratio: float) -> tuple[Note, ...]:
    if ratio >= HINGE:
        return ()
    words = (
        f"the movement is that of a hinge (singular values {ratio:.3g} of each other): the place of the centre along "
        "its axis is hardly known"
    )
    return (
        Note(
            "functional-joints.moves-as-a-hinge",
            words,
            "warning",
            topic="functional joints",
            values={"ratio": ratio},
            fix="move in more directions, or take sara",
        ),
    )
