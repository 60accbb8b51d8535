"""A twist and a wrench at the origin of a link."""

from __future__ import annotations

import numpy as np
from docs.drawings.sheet import ACTIVE, AXES, BONE, FAINT, INK, SECOND, Sheet, shifted

TURN, PUSH = np.array([58.0, -88.0]), np.array([142.0, -42.0])
"""Where the angular and the linear part point [px]."""

ARMS = {"x": (62.0, 12.0), "y": (-10.0, -66.0), "z": (-36.0, 30.0)}
PICTURES = (
    (
        "twist  η = [ω; v]",
        "ω",
        "v",
        ("ω turns the link, v moves its origin;", "both in the axes of the link"),
    ),
    ("wrench  [n; f]", "n", "f", ("n about the origin, f through it;", "a user's f_ext is in world axes")),
)


def twist_and_wrench() -> Sheet:
    """Draw both side by side: the angular part first, with two heads."""
    sheet = Sheet(720, 340)
    angles = np.linspace(0.0, 2.0 * np.pi, 60)
    wobble = 1.0 + 0.10 * np.cos(2.0 * angles) + 0.05 * np.sin(3.0 * angles)
    outline = np.stack([115.0 * wobble * np.cos(angles), 82.0 * wobble * np.sin(angles)], axis=1)
    for k, (title, angular, linear, words) in enumerate(PICTURES):
        centre = np.array([360.0 * k + 170.0, 170.0])
        sheet.area(centre + outline, FAINT, 0.35)
        sheet.line(centre + outline, BONE, 1.5)
        origin = shifted(centre, -30.0, 25.0)
        for name, arm in ARMS.items():
            sheet.arrow(origin, origin + np.array(arm), AXES[name], 2.0, 8.0)
            sheet.text(shifted(origin + 1.25 * np.array(arm), 0.0, 5.0), name, AXES[name], 14.0, bold=True)
        sheet.arrow(origin, origin + TURN, ACTIVE, 3.0, 11.0)
        sheet.arrow(origin, origin + 0.86 * TURN, ACTIVE, 3.0, 11.0)
        sheet.arrow(origin, origin + PUSH, SECOND, 3.0, 11.0)
        sheet.text(shifted(origin + TURN, 2.0, -8.0), angular, ACTIVE, 19.0, bold=True)
        sheet.text(shifted(origin + PUSH, 14.0, 2.0), linear, SECOND, 19.0, bold=True)
        sheet.dot(origin)
        sheet.text((centre[0], 34.0), title, INK, 17.0, bold=True)
        for row, line in enumerate(words):
            sheet.text((centre[0], 304.0 + 19.0 * row), line, INK, 14.0)
    return sheet
