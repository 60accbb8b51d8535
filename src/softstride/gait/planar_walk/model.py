"""The planar walker as a model of the engine: pelvis on two sliders and a hinge, trunk, and two legs of hinges.

Coordinates: "pelvis_x" and "pelvis_y" [m], where the hips are; "pelvis_tilt" and "lumbar", positive leaning back; hip
flexion "hip_r", knee flexion "knee_r", ankle dorsiflexion "ankle_r" and, with metatarsal joints, toes up "mtp_r" [rad];
likewise "_l". At zero the walker stands upright, its feet flat. Frames "sole_r" and "sole_l" have the axes of the
soles. After the schematic model of [Caspers], figure 2.
"""

from __future__ import annotations

import numpy as np

from softstride.errors import ModelError
from softstride.gait.planar_walk.body import Floats, Part, PlanarBody
from softstride.model.builder import ModelBuilder
from softstride.model.model import Model
from softstride.naming import LETTERS
from softstride.notes import Note

ROOT = ("pelvis_x", "pelvis_y", "pelvis_tilt")
TURN, BACK = (0.0, 0.0, 1.0), (0.0, 0.0, -1.0)

METATARSAL_STIFFNESS, METATARSAL_DAMPING = 25.0, 0.5
"""Of the metatarsal joint, [N m/rad] and [N m s/rad]: k_an,L of Table 2 of [Caspers] is read so; damping is assumed."""


def planar_model(
    body: PlanarBody,
    *,
    metatarsal: bool = False,
    stiffness: float = METATARSAL_STIFFNESS,
    damping: float = METATARSAL_DAMPING,
    gravity: float = 9.80665,
) -> Model:
    """Return the walker.

    Args:
        body: Its sizes.
        metatarsal: Whether hind- and forefoot are joined by a hinge with spring and damper, or are one.
        stiffness: Of that hinge [N m/rad].
        damping: Of that hinge [N m s/rad].
        gravity: [m/s²].
    """
    if not (np.isfinite(gravity) and gravity >= 0.0):
        raise ModelError(f"gravity must be zero or above, however it is {gravity!r}")
    builder = ModelBuilder("planar walker", gravity=(0.0, -gravity, 0.0))
    builder.prismatic("pelvis_x", axis=(1.0, 0.0, 0.0))
    builder.prismatic("pelvis_y", "pelvis_x", axis=(0.0, 1.0, 0.0))
    _turning(builder, "pelvis", "pelvis_y", "pelvis_tilt", np.zeros(2), body.pelvis)
    _turning(builder, "trunk", "pelvis", "lumbar", body.lumbar, body.trunk)
    for side in LETTERS:
        _turning(builder, f"thigh_{side}", "pelvis", f"hip_{side}", np.zeros(2), body.thigh)
        knee, ankle = np.array([0.0, -body.thigh_length]), np.array([0.0, -body.shank_length])
        _turning(builder, f"shank_{side}", f"thigh_{side}", f"knee_{side}", knee, body.shank, BACK)
        hind, fore = _foot(body)
        foot = f"foot_{side}"
        _turning(
            builder, foot, f"shank_{side}", f"ankle_{side}", ankle, hind if metatarsal else _both(hind, fore)
        )
        if metatarsal:
            builder.revolute(
                f"toes_{side}",
                foot,
                axis=TURN,
                coordinate=f"mtp_{side}",
                position=_space(body.metatarsal - body.ankle),
                mass=body.forefoot.mass,
                com=_space(body.forefoot.centre),
                inertia=(body.forefoot.inertia,) * 3,
                stiffness=stiffness,
                damping=damping,
            )
        builder.frame(f"sole_{side}", foot, _space(-body.ankle))
        for name, place in (("heel", (body.heel, 0.0)), ("ball", (body.metatarsal[0], 0.0))):
            builder.frame(f"{name}_{side}", foot, _space(np.asarray(place) - body.ankle))
        tip = np.array([body.toe_length, -body.metatarsal[1]])
        if metatarsal:
            builder.frame(f"tip_{side}", f"toes_{side}", _space(tip))
        else:
            builder.frame(f"tip_{side}", foot, _space(body.metatarsal - body.ankle + tip))
    builder.frame("shoulders", "trunk", (0.0, body.trunk_length, 0.0))
    builder.note(Note("body.sizes", f"sizes: {body.source}", topic="body"))
    return builder.build()


def driven_names(side: str) -> tuple[str, ...]:
    """Return the coordinates that are driven while this side stands: trunk, hips, knees and the other ankle."""
    other = "l" if side == "r" else "r"
    return ("lumbar", "hip_r", "hip_l", "knee_r", "knee_l", f"ankle_{other}")


def _turning(
    builder: ModelBuilder,
    name: str,
    parent: str,
    coordinate: str,
    at: Floats,
    part: Part,
    axis: tuple[float, float, float] = TURN,
) -> None:
    builder.revolute(
        name,
        parent,
        axis=axis,
        coordinate=coordinate,
        position=_space(at),
        mass=part.mass,
        com=_space(part.centre),
        inertia=(part.inertia,) * 3,
    )


def _foot(body: PlanarBody) -> tuple[Part, Part]:
    """Return hind- and forefoot about the ankle, in axes of the sole."""
    hind, fore = body.hindfoot, body.forefoot
    return (
        Part(hind.mass, hind.centre - body.ankle, hind.inertia),
        Part(fore.mass, fore.centre + body.metatarsal - body.ankle, fore.inertia),
    )


def _both(a: Part, b: Part) -> Part:
    mass = a.mass + b.mass
    centre = (a.mass * a.centre + b.mass * b.centre) / mass
    apart = a.mass * np.sum((a.centre - centre) ** 2) + b.mass * np.sum((b.centre - centre) ** 2)
    return Part(mass, centre, a.inertia + b.inertia + float(apart))


def _space(place: Floats) -> Floats:
    return np.array([place[0], place[1], 0.0])
