"""Forces from outside: the plates that measured them, and the wrench that acts on a body."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.capture.series import Floats, rate_of, turned
from softstride.naming import Side
from softstride.results import AXES, Labels, Result, values

if TYPE_CHECKING:
    import pandas as pd


class Plate(Result, of="a plate"):
    """A force plate and the whole wrench that it measured, before any threshold.

    Attributes:
        name: "plate 1" and so on, in the order of the file.
        kind: Type 1 to 5 of the C3D format.
        corners: Corners of the surface, shape (4, 3), in [m], world axes, in the order of the file.
        rotation: Plate axes as columns in world axes, shape (3, 3).
        time: Time of each sample, shape (n,), in [s].
        wrench: Moment about the centre of the surface, then force, acting on the subject, shape (n, 6), in
            [N·m] and [N], world axes.
        channels: Labels of the analog channels that it was computed from.
        offset: Mean raw wrench that zeroing took away, shape (6,), as `wrench`; zero without zeroing.
    """

    name: str
    kind: int
    corners: Floats = values("corner axis", "m")
    rotation: Floats = values("axis plate_axis", "1")
    time: Floats = values("time", "s")
    wrench: Floats = values("time component", "N m, N")
    channels: tuple[str, ...] = ()
    offset: Floats = values("component", "N m, N", default=0.0)

    LABELS: ClassVar[Mapping[str, Labels]] = {
        "corner": lambda _: ("1", "2", "3", "4"),
        "plate_axis": lambda _: AXES,
    }

    def whose(self) -> str:
        """Say which one."""
        return self.name or self.OF

    @property
    def centre(self) -> Floats:
        """Centre of the surface, shape (3,), in [m], world axes."""
        return self.corners.mean(axis=0)

    @property
    def normal(self) -> Floats:
        """Unit normal of the surface that points out of the floor, towards the subject, shape (3,)."""
        return -self.rotation[:, 2]

    def rotated(self, rotation: Floats) -> Self:
        """Return the same plate in other axes, x' = R x."""
        wrench = np.concatenate(
            [turned(self.wrench[:, :3], rotation), turned(self.wrench[:, 3:], rotation)], axis=1
        )
        offset = np.concatenate([turned(self.offset[:3], rotation), turned(self.offset[3:], rotation)])
        return replace(
            self,
            corners=turned(self.corners, rotation),
            rotation=turned(self.rotation.T, rotation).T,
            wrench=wrench,
            offset=offset,
        )


class ExternalForce(Result, of="a force"):
    """A force, a moment and the point where they act on a body, over time.

    Attributes:
        name: Of the plate, or as in an external-loads file.
        time: Time of each sample, shape (n,), in [s].
        force: Acting on the body, shape (n, 3), in [N].
        point: Where it acts (for a plate: the centre of pressure), shape (n, 3), in [m]; NaN where unloaded.
        moment: About `point`, shape (n, 3), in [N·m]; for a plate the free moment, along its normal.
        body: Body of the model that it acts on ("calcn_r"), if a file says so.
        side: Foot that it acts on, if known.
        force_in: Body whose axes force and moment are given in; "ground" is the world.
        point_in: Body whose frame the point is given in; "ground" is the world.
        plate: Name of the plate that measured it, if one did.
    """

    name: str
    time: Floats = values("time", "s")
    force: Floats = values("time axis", "N")
    point: Floats = values("time axis", "m")
    moment: Floats = values("time axis", "N m")
    body: str | None = None
    side: Side | None = None
    force_in: str = "ground"
    point_in: str = "ground"
    plate: str | None = None

    def whose(self) -> str:
        """Say which one."""
        return self.name or self.OF

    @property
    def rate(self) -> float:
        """Samples per second [Hz], from the median step of time; NaN with fewer than two samples."""
        return rate_of(self.time)

    @property
    def loaded(self) -> NDArray[np.bool_]:
        """True where a force acts, shape (n,)."""
        return (self.force != 0.0).any(axis=1)

    def wrench(self, about: ArrayLike = (0.0, 0.0, 0.0)) -> Floats:
        """Return moment and force about one point, w = [m + (p - o) x f, f].

        Args:
            about: The point o, shape (3,), in [m].

        Returns:
            Shape (n, 6), in [N·m] and [N]; zero where no force acts, even if the point is not known there.
        """
        arm = np.where(self.loaded[:, None], self.point - np.asarray(about, dtype=np.float64), 0.0)
        return np.concatenate([self.moment + np.cross(arm, self.force), self.force], axis=1)

    def rotated(self, rotation: Floats) -> Self:
        """Return the same force in other world axes, x' = R x; what is given in a body's axes stays."""
        changes: dict[str, Floats] = {}
        if self.force_in == "ground":
            changes |= {"force": turned(self.force, rotation), "moment": turned(self.moment, rotation)}
        if self.point_in == "ground":
            changes["point"] = turned(self.point, rotation)
        return replace(self, **changes)  # type: ignore[arg-type]

    def _attrs(self) -> dict[str, Any]:
        return {"name": self.name, "body": self.body or "", "side": self.side or ""}

    def to_dataframe(self) -> pd.DataFrame:
        """Return a `pandas.DataFrame` indexed by time, with columns (quantity, axis)."""
        import pandas as pd

        columns = pd.MultiIndex.from_product([("force", "point", "moment"), AXES], names=["quantity", "axis"])
        values = np.concatenate([self.force, self.point, self.moment], axis=1)
        return pd.DataFrame(values, index=pd.Index(self.time, name="time"), columns=columns)
