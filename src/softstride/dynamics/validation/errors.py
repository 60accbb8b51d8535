"""Errors of ground reactions: of one strike, and of all strikes of a trial."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from softstride.frozen import Table
from softstride.notes import Note
from softstride.results import AXES, Result, frozen_floats, values

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]

SCALARS = ("cop", "cop_single", "free_moment", "peak", "peak_measured")


class StrikeErrors(Result, of="a strike"):
    """How far a ground reaction is from the measured one while a foot is on a plate.

    "Corrected" is said of loads times `Validation.scale`.

    Attributes:
        foot: "right" or "left" (or the link, where its name tells no side).
        force: Names of the measured forces that the foot was on.
        start: First frame [s].
        end: Last frame [s].
        frames: How many frames were compared.
        partial: Whether the foot was on the plate already in the first frame, or still in the last one.
        rmse: Root mean square error by axis, shape (3,), [N].
        rrmse: The same as a share of the mean of both ranges [%], shape (3,); equation 39 of the paper.
        correlation: Of both curves, shape (3,); NaN where one is constant.
        floor: Root mean square of the base residual under the measured forces as a share of the same range [%], shape
            (3,); in double support of both feet together. NaN where it is not known, and along axes that the base does
            not transmit.
        floor_shared: As `floor`, of the part of the residual that the foot has if both share it as their measured
            vertical forces share the load [%], shape (3,): what an estimate reaches that balances the body and knows
            how the feet share. In single support it is the floor, in double support less.
        rmse_corrected: As `rmse`, corrected.
        rrmse_corrected: As `rrmse`, corrected.
        floor_corrected: As `floor`, with the mass corrected.
        cop: Root mean square distance of the centres of pressure [m].
        cop_single: The same in single support [m]; NaN where there is none.
        free_moment: Root mean square error of the vertical free moment [N·m].
        peak: Largest vertical force [N].
        peak_measured: The measured one [N].
    """

    foot: str
    force: str
    start: float
    end: float
    frames: int
    partial: bool
    rmse: Array = values("axis", "N")
    rrmse: Array = values("axis", "%")
    correlation: Array = values("axis", "1")
    floor: Array = values("axis", "%")
    floor_shared: Array = values("axis", "%")
    rmse_corrected: Array = values("axis", "N")
    rrmse_corrected: Array = values("axis", "%")
    floor_corrected: Array = values("axis", "%")
    cop: float
    cop_single: float
    free_moment: float
    peak: float
    peak_measured: float


BY_AXIS = tuple(StrikeErrors.ARRAYS)


class Validation(Result, of="a validation"):
    """Errors of ground reactions, strike by strike.

    Attributes:
        model: Name of the model.
        strikes: Each contact of a foot with a measured force, in order of time.
        scale: What loads are multiplied by where "corrected" is said: the mass that was measured over that of the
            model.
        threshold: Vertical force of a contact [N].
        least: Vertical force, measured and estimated, above which centres of pressure are compared [N].
        notes: What was decided on the way.
    """

    model: str
    strikes: tuple[StrikeErrors, ...]
    scale: float
    threshold: float
    least: float
    notes: tuple[Note, ...] = ()

    def __repr__(self) -> str:
        """Say what it is in one line."""
        mean = " / ".join(f"{x:.1f}" for x in self.means["rrmse"])
        return f"Validation({self.model!r}, {len(self.strikes)} strikes, rRMSE {mean} % (x, y, z))"

    def __len__(self) -> int:
        """Return the number of strikes."""
        return len(self.strikes)

    def __iter__(self) -> Iterator[StrikeErrors]:
        """Iterate over the strikes."""
        return iter(self.strikes)

    @cached_property
    def means(self) -> Mapping[str, Array]:
        """Means over the strikes by the name of the figure, shape (3,) or (); those that are NaN are left out."""
        return self.mean_of()

    def mean_of(self, *, whole: bool = False) -> Mapping[str, Array]:
        """Return means over the strikes by the name of the figure.

        Args:
            whole: Leave out strikes that the trial cuts off.
        """
        kept = [each for each in self.strikes if not (whole and each.partial)]
        return Table(
            {name: _mean([getattr(each, name) for each in kept], name) for name in (*BY_AXIS, *SCALARS)}
        )

    def to_dataframe(self) -> pd.DataFrame:
        """Return a `pandas.DataFrame`: a row for each strike and axis, figures of the whole strike in each of them."""
        import pandas as pd

        single = [each.name for each in fields(StrikeErrors) if each.name not in BY_AXIS]
        rows = []
        for i, strike in enumerate(self.strikes):
            for k, axis in enumerate(AXES):
                row = {"strike": i, "axis": axis} | {name: getattr(strike, name) for name in single}
                rows.append(row | {name: float(getattr(strike, name)[k]) for name in BY_AXIS})
        columns = ["strike", "axis", *single, *BY_AXIS]
        return pd.DataFrame(rows, columns=columns)

    def table(self) -> str:
        """Return the strikes as lines of text: rRMSE (floor) of each axis, raw and corrected, centre of pressure.

        Means are over all strikes and, where the trial cuts off some, over the others besides.
        """
        head = f"{'strike':<26}{'rRMSE % x, y, z (floor)':<39}{f'corrected, mass x {self.scale:.3f}':<39}"
        lines = [head + f"{'COP mm':>7}{'single':>8}"]
        for each in self.strikes:
            name = f"{each.foot} {each.start:.3f} to {each.end:.3f}{'*' if each.partial else ''}"
            lines.append(_line(name, {key: getattr(each, key) for key in (*BY_AXIS, *SCALARS)}))
        lines.append(_line("mean", self.means))
        cut = [each.partial for each in self.strikes]
        if any(cut):
            if not all(cut):
                lines.append(_line("mean of whole strikes", self.mean_of(whole=True)))
            lines.append("* the foot was on the plate already in the first frame, or still in the last one")
        return "\n".join(lines)


def _line(name: str, figures: Mapping[str, Array | float]) -> str:
    cells = [
        "".join(f"{_pair(x, y):<13}" for x, y in zip(figures[a], figures[b], strict=True))  # type: ignore[arg-type]
        for a, b in (("rrmse", "floor"), ("rrmse_corrected", "floor_corrected"))
    ]
    places = "".join(
        f"{1e3 * float(figures[key]):>{width}.1f}" for key, width in (("cop", 7), ("cop_single", 8))
    )
    return f"{name:<26}{''.join(cells)}{places}"


def _pair(error: float, floor: float) -> str:
    return f"{error:.1f} ({floor:.1f})" if np.isfinite(floor) else f"{error:.1f}"


def _mean(values: list[Array | float], name: str) -> Array:
    shape = (3,) if name in BY_AXIS else ()
    stack = np.array(values, dtype=np.float64).reshape(len(values), *shape)
    seen = np.isfinite(stack)
    count = seen.sum(axis=0)
    total = np.where(seen, stack, 0.0).sum(axis=0)
    return frozen_floats(np.where(count > 0, total / np.maximum(count, 1), np.nan))
