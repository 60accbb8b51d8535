"""`SegmentLoads`: the force and the moment at the proximal end of each segment."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from softstride.errors import InputError
from softstride.model.checks import names_hint
from softstride.notes import Note, as_notes
from softstride.results import frozen_floats
from softstride.segments.natural import CONSTRAINTS

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

Array = NDArray[np.float64]
AXES = ("x", "y", "z")


@dataclass(frozen=True, eq=False, repr=False)
class SegmentLoads:
    """Net loads of segments, acting on each at its proximal end P, from its parent; world axes.

    Attributes:
        time: Instants [s], shape (n,).
        names: The segments, each before its parent.
        parents: What each hangs on; None for a root.
        point: P of each, shape (n, k, 3), [m].
        force: Shape (n, k, 3), [N]; NaN where motion or external forces are not known.
        moment: About P, shape (n, k, 3), [N m].
        method: How they were found.
        multipliers: Of the six rigid-body constraints, shape (n, k, 6); None where not asked for.
        notes: What is doubtful.
    """

    time: Array
    names: tuple[str, ...]
    parents: tuple[str | None, ...]
    point: Array
    force: Array
    moment: Array
    method: str = "nonorthonormal"
    multipliers: Array | None = None
    notes: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        """Freeze the arrays and check their shapes."""
        n, k = len(self.time), len(self.names)
        object.__setattr__(self, "time", frozen_floats(self.time))
        for name, width in (("point", 3), ("force", 3), ("moment", 3), ("multipliers", 6)):
            value = getattr(self, name)
            if value is None:
                continue
            array = frozen_floats(value)
            if array.shape != (n, k, width):
                raise InputError(f"{name} must be ({n}, {k}, {width}), not {array.shape}")
            object.__setattr__(self, name, array)
        object.__setattr__(self, "notes", as_notes(self.notes))

    def __repr__(self) -> str:
        """Say what it is in one line."""
        return f"SegmentLoads({len(self.time)} frames, {', '.join(self.names)}; {self.method})"

    def __len__(self) -> int:
        """Return the number of frames."""
        return len(self.time)

    @cached_property
    def _column(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    def index(self, name: str) -> int:
        """Return the place of a segment.

        Raises:
            InputError: There is none of this name.
        """
        if name not in self._column:
            raise InputError(f"{name!r} is none of the segments; known: {names_hint(self.names)}")
        return self._column[name]

    def force_on(self, name: str) -> Array:
        """Return the force on a segment at its proximal end, shape (n, 3), [N]."""
        return self.force[:, self.index(name)]

    def moment_on(self, name: str) -> Array:
        """Return the moment on a segment about its proximal end, shape (n, 3), [N m]."""
        return self.moment[:, self.index(name)]

    @property
    def known(self) -> NDArray[np.bool_]:
        """Where the load of a segment is known, shape (n, k)."""
        return np.asarray(np.isfinite(self.moment).all(axis=2))

    def to_xarray(self) -> xr.Dataset:
        """Return an `xarray.Dataset` of point, force, moment and multipliers by time and segment."""
        import xarray as xr

        parts = (("point", self.point, "m"), ("force", self.force, "N"), ("moment", self.moment, "N m"))
        data = {name: (("time", "segment", "axis"), x, {"units": unit}) for name, x, unit in parts}
        coords = {"time": self.time, "segment": list(self.names), "axis": list(AXES)}
        if self.multipliers is not None:
            data["multipliers"] = (("time", "segment", "constraint"), self.multipliers, {"units": ""})
            coords["constraint"] = list(CONSTRAINTS)
        return xr.Dataset(
            data, coords=coords, attrs={"method": self.method, "notes": [*map(str, self.notes)]}
        )

    def to_dataframe(self) -> pd.DataFrame:
        """Return forces and moments as a `pandas.DataFrame` indexed by time, columns (segment, quantity, axis)."""
        import pandas as pd

        columns = pd.MultiIndex.from_product(
            [self.names, ("force", "moment"), AXES], names=["segment", "quantity", "axis"]
        )
        values = np.concatenate([self.force, self.moment], axis=2).reshape(len(self.time), -1)
        return pd.DataFrame(values, index=pd.Index(self.time, name="time"), columns=columns)

    def save(self, path: str | Path, *, overwrite: bool = False) -> tuple[Note, ...]:
        """Write forces and moments as a table (.csv, .sto or .mot); see `softstride.segments.tables.save_table`."""
        from softstride.segments.tables import save_table

        names = [f"{s}_{q}_{a}" for s in self.names for q in ("force", "moment") for a in AXES]
        columns = tuple(name.replace(" ", "_") for name in names)
        return save_table(
            path, "time", self.time, columns, self.to_dataframe().to_numpy(), overwrite=overwrite
        )
