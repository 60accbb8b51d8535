"""A packaged person: axes of the world and of links, and what positive joint angles do."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from docs.drawings.sheet import (
    ACTIVE,
    AXES,
    BONE,
    FAINT,
    GRID,
    INK,
    Array,
    Sheet,
    View,
    draw_frame,
    oblique,
    shifted,
)

import softstride as ss

CHAINS = (
    ("vertex", "suprasternale", "lumbosacral"),
    ("shoulder_l", "suprasternale", "shoulder_r"),
    ("shoulder_r", "elbow_r", "wrist_r"),
    ("shoulder_l", "elbow_l", "wrist_l"),
    ("lumbosacral", "hip_r", "knee_r", "ankle_r", "heel_r", "toe_tip_r", "ankle_r"),
    ("lumbosacral", "hip_l", "knee_l", "ankle_l", "heel_l", "toe_tip_l", "ankle_l"),
    ("hip_l", "hip_r"),
)
"""Frames of a packaged person, joined by lines."""

CLOSE = {
    "ankle_angle_r": (400.0, (125.0, 275.0), (("knee_r", "ankle_r", "heel_r", "toe_tip_r", "ankle_r"),)),
    "hip_rotation_r": (420.0, (112.0, 190.0), CHAINS[4:]),
}
"""What is drawn from near: pixels a metre, where the origin of the world lies in the panel, and which chains."""

FRAMED = ("torso", "pelvis", "femur_r", "tibia_r", "calcn_r", "femur_l", "tibia_l", "calcn_l")
LEGS = {
    "hip_flexion_r": 28.0,
    "knee_angle_r": 12.0,
    "hip_flexion_l": -18.0,
    "knee_angle_l": 18.0,
    "ankle_angle_l": 8.0,
}
ARMS = {"arm_flex_r": -20.0, "elbow_flex_r": 25.0, "arm_flex_l": 25.0, "elbow_flex_l": 35.0}
STRIDE = LEGS | ARMS | {"arm_add_r": -6.0, "arm_add_l": -6.0}
"""Coordinates of a person in stride [deg]."""

SIDES = {  # where the reader stands: directions of the sheet's right and of its upper edge
    "from the right": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
    "from behind": ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0)),
    "from above": ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0)),
}
PANELS = (
    ("pelvis_tilt", 20.0, "from the right"),
    ("lumbar_extension", 20.0, "from the right"),
    ("hip_flexion_r", 35.0, "from the right"),
    ("knee_angle_r", 50.0, "from the right"),
    ("ankle_angle_r", 20.0, "from the right"),
    ("hip_adduction_r", 15.0, "from behind"),
    ("pelvis_list", 10.0, "from behind"),
    ("hip_rotation_r", 30.0, "from above"),
)
"""Coordinate, its angle [deg], and where the reader stands."""


def world() -> Sheet:
    """Draw a person in stride in the axes of the world, with the axes of some links."""
    sheet = Sheet(720, 560)
    view = oblique(265.0, (290.0, 455.0))
    for z in np.arange(-0.75, 0.80, 0.25):
        sheet.line(view(np.array([[-0.8, 0.0, z], [1.2, 0.0, z]])), GRID, 1.0)
    for x in np.arange(-0.75, 1.30, 0.25):
        sheet.line(view(np.array([[x, 0.0, -0.75], [x, 0.0, 0.75]])), GRID, 1.0)
    model = ss.load_model("gait")
    q = pose(model, STRIDE)
    lowest = min(ss.positions(model, q, name)[1] for name in ("heel_r", "toe_tip_l", "toe_joint_l"))
    q[model.coordinate_names.index("pelvis_ty")] -= lowest
    draw_person(sheet, view, model, q, BONE, 3.0)
    for name in FRAMED:
        draw_frame(sheet, view, ss.poses(model, q, name), 0.13)
    corner = np.eye(4)
    corner[:3, 3] = (0.75, 0.0, 0.1)
    draw_frame(sheet, view, corner, 0.34)
    for along, words, shift, anchor in (
        ((0.38, 0.0, 0.0), "x  forward", 5.0, "start"),
        ((0.0, 0.38, 0.0), "y  up", 0.0, "middle"),
        ((0.0, 0.0, 0.40), "z  to the right", 14.0, "middle"),
    ):
        at = view(corner[:3, 3] + along)
        sheet.text(shifted(at, 0.0, shift), words, AXES[words[0]], 16.0, anchor, bold=True)
    return sheet


def joints() -> Sheet:
    """Draw what a positive angle does, one coordinate a panel: before in grey, after in colour."""
    sheet = Sheet(900, 700)
    model = ss.load_model("gait")
    still = pose(model, {})
    for k, (name, angle, seen) in enumerate(PANELS):
        left, top = 225.0 * (k % 4), 350.0 * (k // 4)
        right, up = (np.array(direction) for direction in SIDES[seen])
        scale, (x, y), chains = CLOSE.get(name, (146.0, (112.0, 310.0), CHAINS))
        view = View(right, up, scale, (left + x, top + y))
        sheet.box((left + 6, top + 6), (left + 219, top + 344))
        draw_person(sheet, view, model, still, FAINT, 2.5, chains=chains)
        draw_person(sheet, view, model, pose(model, {name: angle}), ACTIVE, 3.0, chains=chains, beside=still)
        sheet.text((left + 112, top + 30), f"{name}  +{angle:g}°", ACTIVE, 14.0, bold=True)
        sheet.text((left + 112, top + 334), seen, INK, 12.0)
    return sheet


def pose(model: ss.Model, degrees: dict[str, float]) -> Array:
    """Return coordinates of the standing person with some turned [deg]."""
    q = model.neutral().copy()
    for name, angle in degrees.items():
        q[model.coordinate_names.index(name)] += np.radians(angle)
    return q


def draw_person(
    sheet: Sheet,
    view: View,
    model: ss.Model,
    q: Array,
    colour: str,
    width: float,
    *,
    chains: tuple[tuple[str, ...], ...] = CHAINS,
    beside: Array | None = None,
) -> None:
    """Draw chains of a person, and the head with all of them; beside another pose, only what differs from it."""
    names = sorted({name for chain in chains for name in chain})
    at = dict(zip(names, ss.positions(model, q, names), strict=True))
    before = at if beside is None else dict(zip(names, ss.positions(model, beside, names), strict=True))
    moved = {name: beside is None or np.linalg.norm(at[name] - before[name]) > 1e-3 for name in names}
    whole = chains is CHAINS
    if whole:
        neck, vertex = at["suprasternale"], at["vertex"]
        at["vertex"] = neck + 0.2 * (vertex - neck)  # where the head begins
    for chain in chains:
        for one, other in pairwise(chain):
            if moved[one] or moved[other]:
                sheet.line(view(np.stack([at[one], at[other]])), colour, width)
    if whole and moved["vertex"]:
        radius = 0.4 * view.scale * float(np.linalg.norm(vertex - neck))
        sheet.ring(view(neck + 0.6 * (vertex - neck)), radius, colour, width)
