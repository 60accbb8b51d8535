"""What an analysis by segments is told to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, get_args

from softstride.errors import InputError
from softstride.frozen import Table
from softstride.segments.body import BodySegment
from softstride.segments.centres import CentreSource, HipMethod
from softstride.segments.hip_centres import HipRegression
from softstride.segments.inertia_tables import SEXES, InertiaTable, Sex
from softstride.segments.inverse import GRAVITY
from softstride.segments.jcs import Sequence
from softstride.segments.methods import Method, check_method
from softstride.segments.motion import Differentiator
from softstride.segments.protocol import Protocol


@dataclass(frozen=True, eq=False)
class SegmentOptions:
    """How to find joint angles and loads from landmarks.

    Attributes:
        protocol: Table of landmarks: its name, the path of a file, or a `Protocol`; None: the packaged one that knows
            most of the markers.
        subject: Whose markers, the "A" of "A:RKNE"; None: those of the only one.
        segments: Which, such as ("right foot", "right shank"); None: all that the landmarks allow.
        mass: Of the person [kg]; None: as the file tells.
        height: Of the person [m]; None: as the file tells.
        leg_length: [m]; None: as the file tells, or else from hip over knee to ankle.
        sex: "female" or "male", for tables and regressions that differ.
        inertia: Table of body segment parameters: "dumas", "deleva", "winter", the path of a file or a table; None:
            dumas where the sex is given, winter, which needs none, where it is not.
        bodies: Inertia of one's own, by the name of the segment, in place of the table: mass, and centre of mass and
            tensor in the orthonormal frame. Axes and parent are those of the segment that is built.
        centres: Joint centres by "own" means, those of the "file"'s own model, or "auto": own where possible.
        hip: Regression for hip centres that nothing else shows, see `softstride.segments.hip_centres`; "auto": hara
            where the length of the leg is known, harrington where it is not.
        lowpass: Cut-off frequency of a zero-phase Butterworth filter of fourth order on the markers [Hz]; None: none.
        lowpass_forces: Likewise of the forces, at their own rate [Hz]; None: as measured. The same for both suits
            landings and running, where the mismatch makes peaks in the moments; walking needs none, and the filter
            spreads a force over frames in which the foot is in the air.
        solidify: Whether segments are made rigid about their proximal ends.
        method: "nonorthonormal", "euler", "homogeneous" or "quaternion".
        ankle: Joint coordinate system of the ankle: "zyx", third axis along the foot, or "isb".
        differentiator: How coordinates are differentiated: "spline", "central" or "savgol".
        gravity: [m/s^2], world axes.
    """

    protocol: Protocol | str | Path | None = None
    subject: str | None = None
    segments: tuple[str, ...] | None = None
    mass: float | None = None
    height: float | None = None
    leg_length: float | None = None
    sex: Sex | None = None
    inertia: InertiaTable | str | Path | None = None
    bodies: Mapping[str, BodySegment] = field(default_factory=Table)
    centres: CentreSource = "auto"
    hip: HipMethod = "auto"
    lowpass: float | None = 6.0
    lowpass_forces: float | None = None
    solidify: bool = True
    method: Method = "nonorthonormal"
    ankle: Sequence = "zyx"
    differentiator: Differentiator = "spline"
    gravity: tuple[float, float, float] = GRAVITY

    def __post_init__(self) -> None:
        """Check what can be checked without a recording."""
        check_method(self.method)
        if self.sex is not None and self.sex not in SEXES:
            raise InputError(f"sex must be 'female' or 'male', however it is {self.sex!r}")
        if self.ankle not in ("zyx", "isb"):
            raise InputError(f"ankle must be 'zyx' or 'isb', however it is {self.ankle!r}")
        if self.hip not in ("auto", *get_args(HipRegression)):
            known = ", ".join(("auto", *get_args(HipRegression)))
            raise InputError(f"hip must be one of {known}, however it is {self.hip!r}")
        for name in ("mass", "height", "leg_length", "lowpass", "lowpass_forces"):
            value = getattr(self, name)
            if value is not None and not 0.0 < value < float("inf"):
                raise InputError(f"{name} must be a number above zero, however it is {value!r}")
        if self.segments is not None:
            if isinstance(self.segments, str):
                raise InputError(
                    f"segments must be a list of names, however they are the one text {self.segments!r}"
                )
            object.__setattr__(self, "segments", tuple(self.segments))
        object.__setattr__(self, "bodies", Table(self.bodies))

    def changed(self, **changes: Any) -> SegmentOptions:
        """Return options with some fields changed; an unknown field is an error that lists the known ones."""
        known = [each.name for each in fields(self)]
        unknown = [name for name in changes if name not in known]
        if unknown:
            raise InputError(
                f"{unknown[0]!r} is no option of an analysis by segments; known: {', '.join(known)}"
            )
        return replace(self, **changes)
