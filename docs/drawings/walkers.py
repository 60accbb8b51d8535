"""The walker of seven segments, and the angles that it is given by."""

from __future__ import annotations

import numpy as np
from docs.drawings.sheet import ACTIVE, FAINT, INK, SECOND, Array, Sheet, shifted

from softstride.gait import SevenSegment

FRAME_SHARE, SCALE, FLOOR = 0.66, 250.0, 430.0


def angles() -> Sheet:
    """Draw a frame of recipe B: segment angles from x, and the signs of joint angles."""
    sheet = Sheet(720, 480)
    walk = SevenSegment().simulate("B")
    frame = int(FRAME_SHARE * len(walk.time))
    centre = walk.point("right_hip")[frame, 0]

    def at(name: str) -> Array:
        x, y = walk.point(name)[frame]
        return np.array([260.0 + SCALE * (x - centre), FLOOR - SCALE * y])

    sheet.line([(30.0, FLOOR), (500.0, FLOOR)], FAINT, 1.5)
    hip = at("right_hip")
    up = at("hat") - hip
    up /= np.linalg.norm(up)
    for side, colour in (("left", FAINT), ("right", INK)):
        sheet.line([at(f"{side}_{name}") for name in ("hip", "knee", "ankle")], colour, 4.0)
        sheet.line([at(f"{side}_{name}") for name in ("ankle", "toe", "heel", "ankle")], colour, 3.0)
    sheet.line([hip, hip + 132.0 * up], INK, 4.0)
    sheet.ring(hip + 162.0 * up, 28.0, INK, 3.0)
    for low, high, words in (
        ("right_ankle", "right_knee", "θ of the shank"),
        ("right_knee", "right_hip", "θ of the thigh"),
    ):
        start, end = at(low), at(high)
        angle = float(np.arctan2(start[1] - end[1], end[0] - start[0]))
        sheet.line([start, shifted(start, 62.0, 0.0)], ACTIVE, 1.2, "4 4")
        sheet.arc(start, 40.0, 0.0, angle, ACTIVE)
        sheet.text(shifted(start, 68.0, 5.0), words, ACTIVE, 14.0, "start")
    rows = (
        ("segments", "angles from x, counter-clockwise,"),
        ("", "pointing up the leg; feet: toe up"),
        ("ankle", "dorsiflexion positive"),
        ("knee", "extension positive"),
        ("hip", "flexion positive"),
        ("moments", "on the distal segment"),
    )
    for row, (name, words) in enumerate(rows):
        sheet.text((500.0 - 20.0, 70.0 + 24.0 * row), name, SECOND, 14.0, "end", True)
        sheet.text((500.0 - 10.0, 70.0 + 24.0 * row), words, INK, 14.0, "start")
    return sheet
