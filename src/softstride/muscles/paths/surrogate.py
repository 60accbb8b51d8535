"""Polynomials in place of paths: lengths over ranges of the coordinates, arms as their exact derivatives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.engine import inputs
from softstride.engine.manifold import layout
from softstride.kinematics.frames import in_words
from softstride.model import Model
from softstride.muscles.paths.notes import counted
from softstride.muscles.paths.paths import MusclePaths
from softstride.muscles.paths.polynomial import basis
from softstride.notes import Note, Notes

Array = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SurrogateGroup:
    """Muscles that the same coordinates move, with polynomials of one degree.

    L = sum_t coefficients[t] prod_j T_{terms[t, j]}(x_j), x = (q - centre) / half, with Chebyshev polynomials T.

    Attributes:
        muscles: Numbers of the muscles among all.
        columns: Columns in q of the coordinates.
        places: Their columns in v.
        centre: Middle of the range of each coordinate.
        half: Half of it.
        terms: Degrees in each term, shape (n_terms, n_coordinates).
        coefficients: Shape (n_terms, n_muscles), [m].
    """

    muscles: IntArray
    columns: IntArray
    places: IntArray
    centre: Array
    half: Array
    terms: IntArray
    coefficients: Array

    def evaluate(self, q: Array) -> tuple[Array, Array]:
        """Return lengths (n, m) and arms -dL/dq (n, m, n_coordinates)."""
        x = (q[:, self.columns] - self.centre) / self.half
        values, slopes = basis(x, self.terms)
        arms = -np.stack([slope @ self.coefficients for slope in slopes], axis=2) if len(slopes) else None
        length = values @ self.coefficients
        return length, np.zeros((*length.shape, 0)) if arms is None else arms / self.half


@dataclass(frozen=True, eq=False)
class PathSurrogate:
    """Polynomials that stand for paths.

    Attributes:
        model: The model.
        names: Names of the muscles.
        coordinates: Names of the coordinates that move each muscle.
        degree: Total degree of each muscle's polynomial, shape (m,).
        length_rms: Root mean square error of length on poses that the fit did not see, shape (m,), [m].
        length_max: Largest error of length there [m].
        arms_rms: Root mean square error of the arms about its coordinates there, shape (m,), [m].
        arms_max: Largest error of an arm there [m].
        ranges: Range of each coordinate of the fit [rad] or [m].
        groups: The polynomials.
    """

    model: Model
    names: tuple[str, ...]
    coordinates: tuple[tuple[str, ...], ...]
    degree: IntArray
    length_rms: Array
    length_max: Array
    arms_rms: Array
    arms_max: Array
    ranges: Mapping[str, tuple[float, float]]
    groups: tuple[SurrogateGroup, ...]

    def paths(self, q: ArrayLike, v: ArrayLike | None = None) -> MusclePaths:
        """Return lengths, speeds and arms as `muscle_paths` does, from the polynomials.

        Notes say in which frames a coordinate is outside the range of the fit.
        """
        array, single = inputs.configuration(self.model, q)
        velocity = None if v is None else inputs.tangent(self.model, v, "v", len(array))
        length = np.full((len(array), len(self.names)), np.nan)
        arms = np.zeros((len(array), len(self.names), self.model.nv))
        for group in self.groups:
            length[:, group.muscles], slopes = group.evaluate(array)
            arms[:, group.muscles[:, None], group.places] = slopes
        speed = None if velocity is None else -np.einsum("fmv,fv->fm", arms, velocity)
        notes = self._outside(array)
        if single:
            length, arms, speed = length[0], arms[0], None if speed is None else speed[0]
        return MusclePaths(self.names, length, arms, speed, notes, tuple(self.model.coordinate_names))

    def _outside(self, q: Array) -> tuple[Note, ...]:
        notes = Notes()
        columns = plain_columns(self.model)
        for name, (low, high) in self.ranges.items():
            x = q[:, columns[name][0]]
            frames = np.flatnonzero((x < low) | (x > high))
            if len(frames):
                notes.add(
                    "paths.outside-fit",
                    f"{name} is outside the range of the fit, {low:.3g} to {high:.3g}, in {in_words(frames)}: "
                    "polynomials say little there.",
                    severity="warning",
                    topic="paths",
                    names=[name],
                    values={"low": low, "high": high, **counted(frames)},
                )
        return tuple(notes)


def plain_columns(model: Model) -> dict[str, tuple[int, int]]:
    """Return columns in q and v of the coordinates that are plain numbers."""
    plain, names = layout(model), model.coordinate_names
    pairs = zip(plain.plain_q.tolist(), plain.plain_v.tolist(), strict=True)
    return {names[v]: (q, v) for q, v in pairs}
