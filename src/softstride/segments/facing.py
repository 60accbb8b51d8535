"""Whether the segments of a leg face the way the body does: exchanged landmarks turn them back to front.

The across axis of thigh, shank and foot points to the right of the person in every posture; no joint of a leg turns it
by a right angle. Where it points to the left of its neighbour above, medial and lateral landmarks are exchanged, or
those of the two sides. An across axis that is functional stays right then, and the forward axis alone is reversed: the
three axes are left-handed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from softstride.errors import InputError
from softstride.segments.landmark_definitions import definitions

if TYPE_CHECKING:
    from softstride.segments.build import BuiltSegment

LEG = ("thigh", "shank", "foot")


def check_facing(built: Mapping[str, BuiltSegment]) -> None:
    """Refuse segments of a leg that point the other way than their neighbours above.

    Raises:
        InputError: One does; the message names it and its landmarks.
    """
    for name in reversed(tuple(built)):  # from the pelvis on: the first one told is the one at fault
        each = built[name]
        if each.definition.kind not in LEG:
            continue
        forward, across = each.recipes["forward"], each.recipes["across"]
        above = definitions().parent_of(name) or ""
        turned = _turned(each, built[above]) if above in built else 0.0
        if turned > 90.0:
            raise InputError(
                f"segment {name!r}: {across} points to the left of the {above}, {turned:.0f} degrees from its right; "
                "are medial and lateral landmarks exchanged, or those of the right and the left side?"
            )
        if each.triad.handed < 0:
            raise InputError(
                f"segment {name!r} faces backwards: {forward} points back where {across} points to the right; are "
                "medial and lateral landmarks exchanged?"
            )


def _turned(each: BuiltSegment, above: BuiltSegment) -> float:
    """Return the angle between two across axes, the middle one of all frames [degrees]; 0 where none is known."""
    cosine = np.sum(each.motion.across * above.motion.across, axis=1)
    known = np.clip(cosine[np.isfinite(cosine)], -1.0, 1.0)
    return float(np.degrees(np.arccos(np.median(known)))) if len(known) else 0.0
