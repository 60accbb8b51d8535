"""What a scaling found, and how well it fits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.engine import positions
from softstride.kinematics.scaling.static import Targets
from softstride.model import Model, Point
from softstride.notes import Note
from softstride.results import Result, values

Array = NDArray[np.float64]

FAR = 0.04
"""Markers that were moved farther than this on their link are noted [m]."""

WORST = 0.06
"""A person whose markers are off by more than this [m, rms], not moved, is none: honest fits have 7 to 25 mm, shuffled
labels, swapped sides or one swapped pair 120 mm and more."""

NOT_CONVERGED = "scaling.not-converged"
"""Code of the note that the solver did not come to rest."""


@dataclass(frozen=True)
class MarkerError:
    """Distance between a marker of the model and the measured one over the frames, in [m].

    Attributes:
        rms: Root of the mean square.
        max: Greatest.
    """

    rms: float
    max: float


class Scaling(Result, of="a scaling"):
    """A scaled person.

    Attributes:
        model: The scaled model, its markers placed.
        factors: Along x, y, z of each link, shape (3,).
        factor_std: Their standard deviations, given the widths of the fit, shape (3,); NaN from measurements.
        marker_error: Distance of each marker from the measured one, in the pose found, markers placed.
        unplaced_error: The same before the markers were moved on their links.
        moved: How far each marker was moved on its scaled link, shape (3,), link axes, [m].
        q: The pose in each frame used, shape (n, nq).
        time: Of these frames, shape (n,), [s].
        method: "measurements" or "fit".
        iterations: Steps of the solver.
        converged: Whether it came to rest.
        notes: What was assumed, ignored or missing.
    """

    model: Model
    factors: Mapping[str, Array] = values("axis", parts=())
    factor_std: Mapping[str, Array] = values("axis", parts=())
    marker_error: Mapping[str, MarkerError]
    unplaced_error: Mapping[str, MarkerError]
    moved: Mapping[str, Array] = values("axis", "m", parts=())
    q: Array = values("time configuration")
    time: Array = values("time", "s")
    method: str
    iterations: int
    converged: bool
    notes: tuple[Note, ...] = ()

    @property
    def rms(self) -> float:
        """How well the person fits: root mean square of all markers before they were moved [m]; NaN without any."""
        return self.unplaced_rms

    @property
    def unplaced_rms(self) -> float:
        """Root mean square of all markers before they were moved [m]; NaN without any."""
        return overall(self.unplaced_error)

    @property
    def placed_rms(self) -> float:
        """Root mean square of all markers as placed [m]; NaN without any. Moved markers always fit."""
        return overall(self.marker_error)

    @property
    def largest_move(self) -> tuple[str, float]:
        """The marker that was moved farthest on its link, and how far [m]; ("", 0) if none was."""
        far = {name: float(np.linalg.norm(step)) for name, step in self.moved.items() if step.any()}
        return max(far.items(), key=lambda pair: pair[1], default=("", 0.0))

    def report(self) -> str:
        """Return a table of factors and marker errors for people to read."""
        state = "converged" if self.converged else "DID NOT CONVERGE"
        name, far = self.largest_move
        moves = f"markers moved by up to {1e3 * far:.1f} mm ({name})" if far > 0.0 else "no marker moved"
        lines = [
            f"{self.model.name}: scaled by {self.method}, {self.model.mass:.2f} kg",
            f"markers off by {1e3 * self.unplaced_rms:.1f} mm rms; {moves}, then {1e3 * self.placed_rms:.1f} mm; "
            f"{state} after {self.iterations} steps",
            "link                     x       y       z    +/-",
        ]
        for name, factor in self.factors.items():
            std = float(np.max(self.factor_std[name]))
            width = "" if np.isnan(std) else f"  {std:.3f}"
            lines.append(f"{name:20s}{factor[0]:8.3f}{factor[1]:8.3f}{factor[2]:8.3f}{width}")
        lines.append("marker              rms mm  moved mm  then mm")
        for name, error in self.unplaced_error.items():
            step, after = self.moved.get(name, np.zeros(3)), self.marker_error[name].rms
            lines.append(
                f"{name:18s}{1e3 * error.rms:8.1f}{1e3 * float(np.linalg.norm(step)):10.1f}{1e3 * after:9.1f}"
            )
        return "\n".join([*lines, *map(str, self.notes)])


def overall(errors: Mapping[str, MarkerError]) -> float:
    """Return the root mean square over markers [m]."""
    return float(np.sqrt(np.mean([error.rms**2 for error in errors.values()]))) if errors else float("nan")


def marker_errors(
    model: Model, q: Array, seen: Targets, *others: Mapping[str, Point]
) -> list[dict[str, MarkerError]]:
    """Return the distances of markers from where they were seen, in poses q, shape (n, nq).

    First those of the model's own markers, then those of other markers by the same names, each on the model.
    """
    tables = (model.markers, *others)
    at = positions(model, q, [table[name] for table in tables for name in seen.names])
    at = at.reshape(len(at), len(tables), *seen.values.shape[1:])
    distance = np.linalg.norm(at - seen.values[:, None], axis=3)  # (n, tables, m)
    rms, most = np.sqrt(np.nanmean(distance**2, axis=0)), np.nanmax(distance, axis=0)
    return [
        {name: MarkerError(float(a), float(b)) for name, a, b in zip(seen.names, *each, strict=True)}
        for each in zip(rms, most, strict=True)
    ]


def doubts(unplaced: float, moved: Mapping[str, Array], converged: bool) -> Iterator[Note]:
    """Yield notes on what speaks against a scaling: its marker error, markers moved far, a solver not at rest."""
    if unplaced > WORST:
        text = (
            f"markers are off by {1e3 * unplaced:.0f} mm rms before they were moved (above {1e3 * WORST:.0f} mm): "
            f"shuffled or swapped labels, or a wrong model"
        )
        values = {"rms_mm": 1e3 * unplaced}
        yield Note("scaling.markers-met-badly", text, severity="warning", topic="scaling", values=values)
    steps = {name: float(np.linalg.norm(step)) for name, step in moved.items()}
    far = {name: 100.0 * d for name, d in steps.items() if d > FAR}
    if far:
        words = ", ".join(f"{name} {d:.1f} cm" for name, d in far.items())
        text = f"markers moved more than {100.0 * FAR:g} cm on their links: {words}"
        yield Note(
            "scaling.markers-moved-far",
            text,
            severity="warning",
            topic="scaling",
            names=tuple(far),
            values={"most_cm": max(far.values())},
        )
    if not converged:
        yield Note(NOT_CONVERGED, "scaling did not converge", severity="warning", topic="scaling")
