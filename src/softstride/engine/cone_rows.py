"""How cone programs are laid out for their kernels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softstride.engine.kernels.cone_lane import ConeFrames
from softstride.engine.kernels.cone_points import ONES, ConeRows
from softstride.engine.run import sealed
from softstride.solvers.cone_problem import ConeProblem, facet_directions

Array = NDArray[np.float64]


def lay_rows(c: int, facets: int, sums: int = 0) -> ConeRows:
    """Return where a block of frames of c points keeps what; `sums` counts the numbers that meet in time."""
    n, half = 3 * c, 9 * (c * (c + 1) // 2)
    sizes = {
        "h": half, "factor": half, "g": n, "x": n, "z": n, "y": c * facets, "slope": n, "b": 6 * c, "r": n, "d": n,
        "e": n, "f": c * facets, "frame": 4 * c, "prox": c, "kept": 3 * n + c * facets, "scale": n, "one": ONES,
        "trig": 2 + 2 * facets if facets else 0, "sums": sums, "columns": n * sums,
    }  # fmt: skip
    ends = np.cumsum([0, *sizes.values()]).tolist()
    return ConeRows(**dict(zip(sizes, ends, strict=False)), end=ends[-1], facets=facets)


def cone_frames(problem: ConeProblem, numbers: Array, *, warm: bool = True) -> ConeFrames:
    """Return the programs as kernels read them."""
    n, width = problem.g.shape
    start = problem.start if warm and problem.start is not None else np.zeros((0, width))
    trig = np.zeros(0)
    if problem.facets:
        half = np.pi / problem.facets
        trig = np.concatenate([[np.cos(half), np.sin(half)], facet_directions(problem.facets).ravel()])
    parts = (
        problem.H.reshape(n, width * width),
        problem.g,
        problem.friction,
        problem.mask.astype(np.int64),
        start,
        trig,
        numbers,
    )
    return ConeFrames(*(sealed(part) for part in parts))


def largest_slope(problem: ConeProblem) -> float:
    """Return the largest slope of the whole trial in the units of `load_frame`."""
    n, width = problem.g.shape
    diagonal = problem.H[:, np.arange(width), np.arange(width)].reshape(n, -1, 3).copy()
    slopes = np.abs(problem.g).reshape(n, -1, 3).copy()
    rough = np.where(problem.friction > 0.0, problem.friction, 1.0)
    slippery = np.broadcast_to(problem.friction == 0.0, slopes.shape[:2])
    diagonal[..., 0] /= rough**2
    slopes[..., 0] /= rough
    slopes[..., 1:][slippery] = 0.0
    mean = np.where(slippery, diagonal[..., 0], diagonal.mean(axis=2))
    slopes *= np.broadcast_to(problem.mask, slopes.shape[:2])[..., None] / np.sqrt(mean)[..., None]
    return float(slopes.max()) or 1.0
