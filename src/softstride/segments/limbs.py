"""What the absence of a segment means for the loads of those that it would hang on."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

import numpy as np

from softstride.notes import Note
from softstride.segments.landmark_definitions import definitions
from softstride.segments.loads import SegmentLoads

LEG = ("foot", "shank", "thigh")
"""Segments that the ground acts through."""


def known_limbs(loads: SegmentLoads, bodies: Container[str]) -> tuple[SegmentLoads, list[Note]]:
    """Return loads that are not known above a leg whose lower parts were not built; arms and heads are only noted.

    The ground acts on the foot: without it nothing is known of the leg. A hand that is missing is a mass that is.

    Args:
        loads: Of the segments of a person, by their usual names.
        bodies: Segments that have inertia.

    Returns:
        The loads, NaN where they are not known, and notes.
    """
    notes: list[Note] = []
    force, moment = loads.force.copy(), loads.moment.copy()
    for i, name in enumerate(loads.names):
        absent = [each for each in segments_below(name) if each not in bodies]
        legs = [each for each in absent if definitions().segment(each)[0].kind in LEG]
        if legs:
            force[:, i] = moment[:, i] = np.nan
            words = f"{name}: its load is not known without {', '.join(legs)}"
            notes.append(Note("loads.limb-unknown", words, "warning", topic="loads", names=(name, *legs)))
        elif absent:
            words = f"{name}: its load lacks what {', '.join(absent)} would add"
            notes.append(Note("loads.limb-lacking", words, topic="loads", names=(name, *absent)))
    return replace(loads, force=force, moment=moment), notes


def segments_below(name: str) -> list[str]:
    """Return all segments that hang on a segment, directly or not."""
    known = definitions()
    children = [each for each in known.names() if known.parent_of(each) == name]
    return children + [each for child in children for each in segments_below(child)]
