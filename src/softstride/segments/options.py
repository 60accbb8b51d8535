"""What an analysis by segments is told to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from softstride.fields import Choice, Either, Instance, Text, declared
from softstride.options import Options
from softstride.segments.body import BodySegment
from softstride.segments.centres import CentreSource, HipMethod
from softstride.segments.inertia_table import InertiaTable, Sex
from softstride.segments.inverse import GRAVITY
from softstride.segments.jcs import Sequence
from softstride.segments.methods import METHODS, Method
from softstride.segments.motion import Differentiator
from softstride.segments.protocol import Protocol


@dataclass(frozen=True, eq=False)
class SegmentOptions(Options, of="an analysis by segments"):
    """How to find joint angles and loads from landmarks."""

    protocol: Protocol | str | Path | None = declared(
        None,
        "Table of landmarks: a packaged one by its name, or one's own (.toml); None: the packaged one that knows most "
        "of the markers.",
        rule=Either((Text("the name or the file of a table"), Instance(Path), Instance(Protocol))),
    )
    subject: str | None = declared(
        None, 'Person whose markers are meant, the "A" of "A:RKNE"; None: the only one.'
    )
    segments: tuple[str, ...] | None = declared(
        None,
        'Segments to build, such as ("right foot", "right shank"); None: all that the landmarks allow.',
        of="segments",
    )
    mass: float | None = declared(None, "Mass of the person; None: as the file tells.", unit="kg", above=0.0)
    height: float | None = declared(
        None, "Height of the person; None: as the file tells.", unit="m", above=0.0
    )
    leg_length: float | None = declared(
        None,
        "Length of a leg; None: as the file tells, or else from hip over knee to ankle.",
        unit="m",
        above=0.0,
    )
    sex: Sex | None = declared(None, "Sex of the person, for tables and regressions that differ.")
    inertia: InertiaTable | str | Path | None = declared(
        None,
        'Table of body segment parameters: "dumas", "deleva", "winter", or one\'s own (.toml); None: dumas where `sex` '
        "is given, winter, which needs none, where it is not.",
        rule=Either((Text("the name or the file of a table"), Instance(Path), Instance(InertiaTable))),
    )
    bodies: Mapping[str, BodySegment] = declared(
        {},
        "Inertia of one's own, by the name of the segment, in place of the table: mass, and centre of mass and tensor "
        "in the orthonormal frame. Axes and parent are those of the segment that is built.",
        of="segments",
    )
    centres: CentreSource = declared(
        "auto",
        'Joint centres by "own" means, those of the "file"\'s own model, or "auto": own where possible.',
    )
    hip: HipMethod = declared(
        "auto",
        'Regression for hip centres that nothing else shows, see `softstride.segments.hip_centres`; "auto": hara where '
        "the length of the leg is known, harrington where it is not.",
    )
    lowpass: float | None = declared(
        6.0,
        "Cut-off frequency of a zero-phase Butterworth filter of fourth order on the markers; None: none.",
        unit="Hz",
        above=0.0,
    )
    lowpass_forces: float | None = declared(
        None,
        "Cut-off frequency of the same filter on the forces, at their own rate; None: as measured. That of the "
        "markers suits landings and running, where the mismatch makes peaks in the moments; walking needs none, and "
        "the filter spreads a force over frames in which the foot is in the air.",
        unit="Hz",
        above=0.0,
    )
    solidify: bool = declared(True, "Whether segments are made rigid about their proximal ends.")
    method: Method = declared(
        "nonorthonormal", "Method of the inverse dynamics; all give the same.", rule=Choice(tuple(METHODS))
    )
    ankle: Sequence = declared(
        "zyx",
        'Joint coordinate system of the ankle: "zyx", third axis along the foot, or "isb".',
        rule=Choice(("zyx", "isb")),
    )
    differentiator: Differentiator = declared(
        "spline", 'How coordinates are differentiated: "spline", "central" or "savgol".'
    )
    gravity: tuple[float, float, float] = declared(GRAVITY, "Gravity in world axes.", unit="m/s^2")


class SegmentChanges(TypedDict, total=False):
    """The fields of `SegmentOptions` as keywords; written by tools/keywords.py."""

    protocol: Protocol | str | Path | None
    subject: str | None
    segments: tuple[str, ...] | None
    mass: float | None
    height: float | None
    leg_length: float | None
    sex: Sex | None
    inertia: InertiaTable | str | Path | None
    bodies: Mapping[str, BodySegment]
    centres: CentreSource
    hip: HipMethod
    lowpass: float | None
    lowpass_forces: float | None
    solidify: bool
    method: Method
    ankle: Sequence
    differentiator: Differentiator
    gravity: tuple[float, float, float]
