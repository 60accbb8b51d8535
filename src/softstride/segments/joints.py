"""What a joint does: angles, loads and power in the axes that matter anatomically."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from softstride.naming import Side
from softstride.notes import Note
from softstride.results import Labels, Result, values
from softstride.segments.body import BodySegment
from softstride.segments.build import BuiltSegment
from softstride.segments.components import express
from softstride.segments.jcs import Sequence, joint_angles
from softstride.segments.landmark_definitions import JointDefinition, definitions
from softstride.segments.loads import SegmentLoads
from softstride.segments.motion import SegmentMotion
from softstride.segments.power import JointPower, joint_power

Array = NDArray[np.float64]


class Joint(Result, of="a joint"):
    """A joint over time.

    Loads act on the distal segment, from the proximal one; on the left the second and third axis are mirrored, so that
    words mean the same on both sides.

    Attributes:
        name: "right knee", "lumbar", ...
        side: Its side; None in the middle of the body.
        proximal: The segment that carries the first axis.
        distal: The segment that carries the third, on which the loads act.
        words: For positive angles and moments about the three axes, such as ("extension", "adduction", ...).
        angles: About e1, e2, e3, shape (n, 3), [rad].
        gimbal: Where the second angle is within 5 degrees of 90, so that the first and the third can hardly be told
            apart, shape (n,).
        axes: e1, e2, e3, shape (n, 3, 3), one a row, world axes.
        projection: Moment on each axis, M . e_k, shape (n, 3), [N m]; NaN where loads are not known.
        component: Moment as a sum of axes, M = sum m_k e_k, shape (n, 3), [N m].
        moment: In world axes about the joint, shape (n, 3), [N m].
        force: In world axes, shape (n, 3), [N].
        power: By rotation and by translation; NaN where loads are not known.
    """

    name: str
    side: Side | None
    proximal: str
    distal: str
    words: tuple[str, str, str]
    angles: Array = values("time rotation", "rad")
    gimbal: NDArray[np.bool_] = values("time", dtype=bool)
    axes: Array = values("time rotation axis")
    projection: Array = values("time rotation", "N m")
    component: Array = values("time rotation", "N m")
    moment: Array = values("time axis", "N m")
    force: Array = values("time axis", "N")
    power: JointPower

    LABELS: ClassVar[Mapping[str, Labels]] = {"rotation": lambda own: own.words}

    def __repr__(self) -> str:
        """Say what it is in one line."""
        return f"Joint({self.name!r}, {self.proximal!r} - {self.distal!r}, {len(self.angles)} frames)"

    @property
    def notes(self) -> tuple[Note, ...]:
        """What is doubtful about its numbers."""
        count = int(self.gimbal.sum())
        if not count:
            return ()
        first, second, third = self.words
        words = (
            f"{self.name}: {second} is near 90 degrees in {count} frames: there {first} and {third} can hardly be told "
            "apart, and components of the moment grow without bound; projections and power stand"
        )
        return (
            Note(
                "joints.near-lock",
                words,
                "warning",
                topic="joints",
                names=(self.name,),
                values={"frames": count},
            ),
        )

    def labels(self) -> tuple[str, ...]:
        """Return the names of the columns of `table`."""
        base = self.name.replace(" ", "_")
        words = [word.replace(" ", "_") for word in self.words]
        return (
            *(f"{base}_{word}_angle" for word in words),
            *(f"{base}_{word}_moment" for word in words),
            *(f"{base}_{word}_moment_component" for word in words),
            f"{base}_power",
            f"{base}_translation_power",
        )

    def table(self) -> Array:
        """Return angles, projections, components and powers side by side, shape (n, 11)."""
        power = np.stack([self.power.rotation, self.power.translation], axis=1)
        return np.concatenate([self.angles, self.projection, self.component, power], axis=1)


UNITS = ("rad",) * 3 + ("N m",) * 6 + ("W",) * 2
"""Of the columns of `Joint.table`."""


def build_joint(
    built: dict[str, BuiltSegment],
    motion: dict[str, SegmentMotion],
    bodies: dict[str, BodySegment],
    loads: SegmentLoads | None,
    distal: str,
    ankle: Sequence,
) -> Joint | None:
    """Return the joint at the proximal end of a segment; None where its parent was not built.

    Args:
        built: The segments.
        motion: Of each, with derivatives.
        bodies: Those that have inertia.
        loads: Of these; None without any.
        distal: The segment.
        ankle: Joint coordinate system of the ankle.
    """
    proximal = definitions().parent_of(distal)
    if proximal is None or proximal not in built:
        return None
    child, parent = built[distal], built[proximal]
    each: JointDefinition = definitions().joints[child.definition.joint]
    sequence: Sequence = ankle if each.name == "ankle" else each.sequence
    words = each.positive
    if each.name == "ankle" and ankle == "isb":
        words = (words[0], words[2], words[1])
    rises = (parent.definition.rises, child.definition.rises)
    found = joint_angles(motion[proximal], motion[distal], sequence=sequence, side=child.side, rises=rises)
    n = len(found.angles)
    if loads is not None and distal in bodies:
        force, moment = loads.force_on(distal), loads.moment_on(distal)
    else:
        force = moment = np.full((n, 3), np.nan)
    name = f"{child.side} {each.name}" if child.side else each.name
    return Joint(
        name=name,
        side=child.side,
        proximal=proximal,
        distal=distal,
        words=words,
        angles=found.angles,
        gimbal=found.gimbal,
        axes=found.axes,
        projection=express(moment, found.axes),
        component=express(moment, found.axes, "component"),
        moment=moment,
        force=force,
        power=joint_power(force, moment, motion[distal], motion[proximal]),
    )
