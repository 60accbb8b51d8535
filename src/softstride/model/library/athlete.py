"""A schematic sprinter with a below-knee amputation on the right side, and a blade.

Fifty rigid links: floating pelvis, 38 ball joints, 10 hinges, the weld of the socket; every vertebra moves.
Link frames sit in their joints and are parallel to the world (x forward, y up, z right) in the neutral pose.
Sizes and masses are rounded means of an adult of 1.8 m and 70 kg; the centreline of the blade is invented.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np

from softstride.model.builder import ModelBuilder
from softstride.model.centreline import centreline_frames
from softstride.model.checks import FloatArray
from softstride.model.inertia import Inertia
from softstride.model.model import Model
from softstride.model.rod import Rod
from softstride.model.section import Section
from softstride.notes import Note

HIP_HEIGHT = 0.92
"""Height of the pelvis in the default pose [m]: the left sole is on the ground y = 0."""

BLADE_LENGTH = 0.62
BLADE_WIDTH = 0.065
BLADE_THICKNESS = 0.009
"""Sizes of the blade [m]."""

J_CURVE = (  # x forward, y up [m], from the clamp to the tip; scaled to BLADE_LENGTH
    (0.000, 0.000),
    (0.004, -0.062),
    (0.002, -0.124),
    (-0.009, -0.185),
    (-0.033, -0.242),
    (-0.061, -0.297),
    (-0.075, -0.357),
    (-0.059, -0.416),
    (-0.014, -0.458),
    (0.046, -0.474),
    (0.108, -0.472),
)

CLAMP = (-0.07, 0.074, 0.0)
"""Where the blade is bolted to the back of the socket, in socket axes [m]: its heel touches the ground."""

SPINE = (  # level, vertebrae, mass [kg] and height [m] of one slice, its half axes forward and right [m]
    ("lumbar", 5, 1.90, 0.036, 0.11, 0.15),
    ("thoracic", 12, 0.98, 0.023, 0.11, 0.16),
    ("cervical", 7, 0.13, 0.017, 0.05, 0.06),
)

Vector = tuple[float, float, float]


class Part(NamedTuple):
    """One rigid link, a solid ellipsoid: a ball joint, or a hinge where there is an axis."""

    name: str
    parent: str
    joint: Vector  # in the parent frame [m]
    mass: float  # [kg]
    half: Vector  # half axes [m]
    com: Vector  # [m]
    axis: Vector | None = None
    range: tuple[float, float] | None = None  # of the hinge [rad]


HEAD = Part("head", "cervical_1", (0, 0.017, 0), 4.1, (0.10, 0.13, 0.08), (0.02, 0.11, 0))

LIMBS = (  # of the right side; the left mirrors z. A "-" stands for the side
    Part("-clavicle", "thoracic_1", (0.06, 0, 0.02), 0.25, (0.02, 0.02, 0.07), (-0.02, 0, 0.07)),
    Part("-scapula", "-clavicle", (-0.05, 0.01, 0.14), 0.75, (0.03, 0.08, 0.06), (-0.05, -0.06, -0.04)),
    Part("-humerus", "-scapula", (0, -0.03, 0.02), 1.95, (0.045, 0.17, 0.045), (0, -0.15, 0)),
    Part("-ulna", "-humerus", (0, -0.3, 0), 0.65, (0.03, 0.13, 0.03), (0, -0.11, 0), (0, 0, 1), (0, 2.6)),
    Part(
        "-radius", "-ulna", (0, -0.02, 0.01), 0.52, (0.03, 0.13, 0.03), (0, -0.13, 0), (0, 1, 0), (-1.6, 1.6)
    ),
    Part("-hand", "-radius", (0, -0.24, 0), 0.3, (0.03, 0.05, 0.02), (0, -0.05, 0)),
    Part("-thumb", "-hand", (0.03, -0.03, 0), 0.04, (0.012, 0.035, 0.012), (0.01, -0.03, 0)),
    Part(
        "-fingers", "-hand", (0, -0.09, 0), 0.1, (0.035, 0.045, 0.01), (0, -0.045, 0), (1, 0, 0), (-1.6, 1.6)
    ),
    Part("-thigh", "pelvis", (0, 0, 0.085), 10.2, (0.08, 0.23, 0.08), (0, -0.18, 0)),
)

LEFT_LEG = (
    Part("-shank", "-thigh", (0, -0.42, 0), 3.1, (0.05, 0.22, 0.05), (0, -0.18, 0), (0, 0, 1), (-2.4, 0.05)),
    Part("-foot", "-shank", (0, -0.42, 0), 0.8, (0.11, 0.035, 0.04), (0.04, -0.045, 0)),
    Part(
        "-toes", "-foot", (0.13, -0.07, 0.02), 0.12, (0.03, 0.01, 0.03), (0.03, 0, 0), (0, 0, 1), (-0.6, 1.2)
    ),
    Part(
        "-hallux",
        "-foot",
        (0.13, -0.07, -0.03),
        0.07,
        (0.03, 0.01, 0.01),
        (0.03, 0, 0),
        (0, 0, 1),
        (-0.6, 1.2),
    ),
)

RIGHT_LEG = (  # ends in the residual limb
    Part("-shank", "-thigh", (0, -0.42, 0), 1.5, (0.05, 0.08, 0.05), (0, -0.06, 0), (0, 0, 1), (-2.4, 0.05)),
)

LINK_MARKERS = (  # link, position [m]; limbs on both sides
    ("head", (0.12, 0.14, 0.0)),
    ("head", (0.0, 0.14, 0.09)),
    ("head", (0.0, 0.14, -0.09)),
    ("cervical_7", (-0.05, 0.0, 0.0)),
    ("thoracic_10", (-0.09, 0.0, 0.0)),
    ("thoracic_4", (0.12, 0.0, 0.0)),
    ("pelvis", (0.09, 0.09, 0.12)),
    ("pelvis", (0.09, 0.09, -0.12)),
    ("pelvis", (-0.10, 0.09, 0.05)),
    ("pelvis", (-0.10, 0.09, -0.05)),
    ("-scapula", (0.0, 0.02, 0.0)),
    ("-humerus", (0.0, -0.29, 0.05)),
    ("-radius", (0.03, -0.23, 0.0)),
    ("-ulna", (-0.03, -0.23, 0.0)),
    ("-hand", (0.0, -0.08, 0.02)),
    ("-thigh", (0.0, -0.20, 0.09)),
    ("-thigh", (0.0, -0.41, 0.06)),
    ("-shank", (0.0, -0.08, 0.06)),
    ("left_shank", (0.0, -0.41, -0.04)),
    ("left_foot", (-0.05, -0.06, 0.0)),
    ("left_hallux", (0.03, 0.01, 0.0)),
    ("right_socket", (0.0, -0.02, 0.06)),
)


def athlete(blade: bool = True) -> Model:
    """Return the athlete: nv = 130 without the blade, 148 with it (six segments, three curvatures each).

    Args:
        blade: Whether the blade hangs on the socket of the right leg.
    """
    builder = ModelBuilder("athlete with a blade" if blade else "athlete")
    pelvis = Inertia.ellipsoid(8.0, (0.09, 0.09, 0.13), com=(0, 0.05, 0))
    builder.free("pelvis", inertia=pelvis, default=(0, 0, 0, 0, HIP_HEIGHT, 0))
    _add_spine(builder)
    _add_part(builder, HEAD)
    for side, parts in (("left", LIMBS + LEFT_LEG), ("right", LIMBS + RIGHT_LEG)):
        for part in parts:
            _add_part(builder, part, side)
    socket = Inertia.ellipsoid(0.9, (0.06, 0.08, 0.06), com=(-0.01, 0, 0))
    builder.fixed("right_socket", "right_shank", position=(0, -0.10, 0), inertia=socket)
    _add_markers(builder)
    if blade:
        _add_blade(builder)
    schematic = "Schematic anthropometry and an invented blade centreline: for tests and demonstrations."
    builder.note(Note("athlete.schematic", schematic))
    return builder.build()


def _on_side(side: str, name: str, vector: Vector) -> tuple[str, Vector]:
    """Return a name and a vector of the right side for one side: names get it in front, left mirrors z."""
    x, y, z = vector
    return name.replace("-", f"{side}_"), (x, y, -z if side == "left" else z)


def _add_part(builder: ModelBuilder, part: Part, side: str = "") -> None:
    name, com = _on_side(side, part.name, part.com)
    parent, joint = _on_side(side, part.parent, part.joint)
    body = Inertia.ellipsoid(part.mass, part.half, com)
    if part.axis is None:
        builder.spherical(name, parent, position=joint, inertia=body)
    else:
        builder.revolute(name, parent, position=joint, inertia=body, axis=part.axis, range=part.range)


def _add_spine(builder: ModelBuilder) -> None:
    """Add the vertebrae from the pelvis up, numbered as in anatomy: from the head down."""
    parent, joint = "pelvis", 0.10
    for level, count, mass, height, forward, right in SPINE:
        body = Inertia.ellipsoid(mass, (forward, height, right), com=(0.02, height / 2, 0))
        for number in range(count, 0, -1):
            name = f"{level}_{number}"
            builder.spherical(name, parent, position=(0, joint, 0), inertia=body)
            parent, joint = name, height


def _add_markers(builder: ModelBuilder) -> None:
    """Add the thirty markers on the rigid links, numbered on each link."""
    count: Counter[str] = Counter()
    for link, position in LINK_MARKERS:
        for side in ("left", "right") if link.startswith("-") else ("",):
            name, place = _on_side(side, link, position)
            count[name] += 1
            builder.marker(f"{name}_m{count[name]}", name, place)


def blade_centreline() -> FloatArray:
    """Return points on the centreline of the blade, socket axes, origin at the clamp, shape (n, 3), [m]."""
    flat = np.array(J_CURVE)
    points = np.column_stack([flat, np.zeros(len(flat))])
    _, lengths = centreline_frames(points, (0, 0, 1), 4)
    return points * (BLADE_LENGTH / float(np.sum(lengths)))


def _add_blade(builder: ModelBuilder) -> None:
    points, across = blade_centreline(), (0.0, 0.0, 1.0)
    carbon = Section.rectangle(
        BLADE_WIDTH, BLADE_THICKNESS, density=1600.0, young=60e9, shear=5e9, damping=2e-4
    )
    base = centreline_frames(points, across, 6)[0][0]
    builder.rod(
        "blade",
        "right_socket",
        rod=Rod.from_centreline(points, across, 6, carbon),
        position=np.array(CLAMP) + base[:3, 3],
        rotation=base[:3, :3],
    )
    for station in range(1, 8):
        at = BLADE_LENGTH * station / 8
        for name, right in (("in", -0.5), ("mid", 0.0), ("out", 0.5)):
            offset = (0.0, right * BLADE_WIDTH, 0.5 * BLADE_THICKNESS)
            builder.marker(f"blade_{station}_{name}", "blade", offset, at=at)
