"""`SegmentLoads`: the force and the moment at the proximal end of each segment."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from softstride.errors import InputError
from softstride.model.checks import names_hint
from softstride.notes import Note
from softstride.results import AXES, Labels, Result, values
from softstride.segments.natural import CONSTRAINTS

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]


class SegmentLoads(Result, of="loads of segments"):
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

    time: Array = values("time", "s")
    names: tuple[str, ...]
    parents: tuple[str | None, ...]
    point: Array = values("time segment axis", "m")
    force: Array = values("time segment axis", "N")
    moment: Array = values("time segment axis", "N m")
    method: str = "nonorthonormal"
    multipliers: Array | None = values("time segment constraint", default=None)
    notes: tuple[Note, ...] = ()

    LABELS: ClassVar[Mapping[str, Labels]] = {
        "segment": lambda own: own.names,
        "constraint": lambda _: CONSTRAINTS,
    }

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

    def _attrs(self) -> dict[str, Any]:
        return {"method": self.method, "notes": [*map(str, self.notes)]}

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
