"""`SegmentStudy`: what a trial says about joints without a multibody model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from softstride.capture.recording import Recording
from softstride.dynamics.loads import AppliedWrench
from softstride.errors import InputError
from softstride.model.checks import names_hint
from softstride.notes import Note
from softstride.results import Labels, Result, values
from softstride.segments.body import BodySegment
from softstride.segments.body_size import Size
from softstride.segments.build import BuiltSegment
from softstride.segments.joints import UNITS, Joint
from softstride.segments.landmarks import Landmarks
from softstride.segments.loads import SegmentLoads
from softstride.segments.motion import SegmentMotion
from softstride.segments.options import SegmentOptions
from softstride.segments.solid import Deformation

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

Array = NDArray[np.float64]


class SegmentStudy(Result, of="a study of segments", kw_only=True):
    """Angles, loads and powers of joints from landmarks and force plates.

    Attributes:
        name: Of the recording.
        time: Instants [s], shape (n,).
        joints: By name, such as "right knee".
        segments: As landmarks show them, by name.
        motion: Of each segment, made rigid where asked for, with derivatives.
        bodies: The segments with their inertia.
        loads: Of the segments, in world axes; None where no forces were measured.
        external: What acts from outside, on feet and hands.
        deformation: How far each segment was from rigid before that.
        landmarks: Where all of it comes from.
        person: Mass, height and leg length.
        pelvis: Tilt (forward +), obliquity (right side up +) and rotation (to the left +) of the pelvis against the
            world, shape (n, 3), [rad]; None without a pelvis.
        options: What was asked for.
        recording: With events and the outputs of other models.
        notes: What was decided on the way.
    """

    WHOLE: ClassVar[str] = "take the frames of its motion, joints or loads"

    name: str
    time: Array = values("time", "s")
    joints: Mapping[str, Joint]
    segments: Mapping[str, BuiltSegment]
    motion: Mapping[str, SegmentMotion]
    bodies: Mapping[str, BodySegment]
    loads: SegmentLoads | None
    external: tuple[AppliedWrench, ...]
    deformation: Mapping[str, Deformation]
    landmarks: Landmarks
    person: Size
    pelvis: Array | None = values("time rotation", "rad", default=None)
    options: SegmentOptions
    recording: Recording
    notes: tuple[Note, ...] = ()

    LABELS: ClassVar[Mapping[str, Labels]] = {"rotation": lambda _: ("tilt", "obliquity", "rotation")}

    def __repr__(self) -> str:
        """Say what it is in one line."""
        return f"SegmentStudy({self.name!r}, {len(self.time)} frames, joints: {', '.join(self.joints) or 'none'})"

    def __len__(self) -> int:
        """Return the number of frames."""
        return len(self.time)

    def joint(self, name: str) -> Joint:
        """Return a joint.

        Raises:
            InputError: There is none of this name.
        """
        if name not in self.joints:
            raise InputError(f"no joint {name!r}; there are: {names_hint(self.joints)}")
        return self.joints[name]

    def columns(self) -> dict[str, Array]:
        """Return all angles [rad], moments [N m] and powers [W] by name, shape (n,) each."""
        found: dict[str, Array] = {}
        for joint in self.joints.values():
            found |= dict(zip(joint.labels(), joint.table().T, strict=True))
        if self.pelvis is not None:
            words = [f"pelvis_{word}_angle" for word in self.labels_of("rotation") or ()]
            found |= dict(zip(words, self.pelvis.T, strict=True))
        return found

    def units(self) -> dict[str, str]:
        """Return the unit of each of `columns`."""
        found: dict[str, str] = {}
        for joint in self.joints.values():
            found |= dict(zip(joint.labels(), UNITS, strict=True))
        return {name: found.get(name, "rad") for name in self.columns()}

    def to_dataframe(self) -> pd.DataFrame:
        """Return `columns` as a `pandas.DataFrame` indexed by time."""
        import pandas as pd

        return pd.DataFrame(self.columns(), index=pd.Index(self.time, name="time"))

    def to_xarray(self) -> xr.Dataset:
        """Return an `xarray.Dataset` of `columns`, and of the segments' loads where they are known."""
        import xarray as xr

        units = self.units()
        data = {name: ("time", values, {"units": units[name]}) for name, values in self.columns().items()}
        found = xr.Dataset(
            data, coords={"time": self.time}, attrs={"name": self.name, "notes": [*map(str, self.notes)]}
        )
        if self.loads is None:
            return found
        return found.merge(self.loads.to_xarray(), combine_attrs="override")

    def save(self, path: str | Path, *, overwrite: bool = False) -> tuple[Note, ...]:
        """Write `columns` as a table (.csv, .sto or .mot), in rad, N m and W; see `tables.save_table`."""
        from softstride.segments.tables import save_table

        columns = self.columns()
        values = np.stack(list(columns.values()), axis=1) if columns else np.zeros((len(self), 0))
        return save_table(
            path, "time", self.time, tuple(columns), values, overwrite=overwrite, name=self.name
        )
