"""The planar body of a person: masses, centres and inertia of a model in space, seen from the side."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softstride import engine
from softstride.errors import ModelError
from softstride.gait.planar_walk.body import Part, PlanarBody
from softstride.gait.planar_walk.rollover import Rollover
from softstride.gait.planar_walk.track import SagittalTrack
from softstride.model.leg import descendants
from softstride.model.model import Model

Floats = NDArray[np.float64]

TOES = 0.05 / 0.182
"""Length of the toes over heel to metatarsal joint, as in Table 2 of [Caspers]: models have no tip of the toes."""


def planar_person(model: Model, track: SagittalTrack, rollover: Rollover, side: str) -> PlanarBody:
    """Return the planar body of a person.

    Lengths are medians of what is seen of the leg `side`, both legs get its sizes; masses and inertia are those of the
    links of the model in its neutral pose, head and arms with the trunk, the kneecap with the thigh, the talus with the
    foot. The mass of the model is kept.

    Args:
        model: The model, with links "pelvis", "torso", "femur_r", "tibia_r", "talus_r", "calcn_r", "toes_r", ...
        track: A motion of it seen from the side.
        rollover: Of the foot of that side: where its sole is.
        side: "r" or "l".
    """
    T = dict(
        zip(
            model.link_names,
            engine.poses(model, model.neutral()[None], list(model.link_names))[0],
            strict=True,
        )
    )
    joints = {
        name: T[f"{link}_{side}"][:2, 3]
        for name, link in (("hip", "femur"), ("knee", "tibia"), ("ankle", "talus"))
    }
    trunk = ["torso", *descendants(model, "torso")]
    knees = [name for name in (f"patella_{side}",) if name in model.link_names]
    thigh = _part(model, T, [f"femur_{side}", *knees], joints["hip"], _lean(joints["hip"], joints["knee"]))
    shank = _part(model, T, [f"tibia_{side}"], joints["knee"], _lean(joints["knee"], joints["ankle"]))
    calcn = T[f"calcn_{side}"]
    level = float(np.arctan2(calcn[1, 0], calcn[0, 0])) - rollover.flat
    hind = _part(model, T, [f"talus_{side}", f"calcn_{side}"], joints["ankle"], level)
    ball = T[f"toes_{side}"][:2, 3]
    fore = _part(model, T, [f"toes_{side}"], ball, level)
    ahead = {name: _seen(track, side, name, rollover) for name in ("heel", "ball")}
    pelvis_place = 0.5 * (T["femur_r"][:2, 3] + T["femur_l"][:2, 3])
    pelvis = _part(model, T, ["pelvis"], pelvis_place, 0.0)
    upper = _part(model, T, trunk, T["torso"][:2, 3], 0.0)
    spare = model.mass - pelvis.mass - upper.mass - 2.0 * (thigh.mass + shank.mass + hind.mass + fore.mass)
    if abs(spare) > 0.02 * model.mass:
        raise ModelError(
            f"the legs of {model.name!r} differ by {abs(spare):.3g} kg: a planar walker has two that are alike"
        )
    return PlanarBody(
        pelvis=Part(pelvis.mass + spare, pelvis.centre, pelvis.inertia),
        trunk=upper,
        thigh=thigh,
        shank=shank,
        hindfoot=Part(hind.mass, hind.centre + rollover.ankle, hind.inertia),
        forefoot=fore,
        lumbar=T["torso"][:2, 3] - pelvis_place,
        thigh_length=_length(track, f"hip_{side}", f"knee_{side}"),
        shank_length=_length(track, f"knee_{side}", f"ankle_{side}"),
        trunk_length=2.0 * float(upper.centre[1]),
        ankle=rollover.ankle,
        metatarsal=rollover.ankle + ahead["ball"],
        heel=float(rollover.ankle[0] + ahead["heel"][0]),
        toe_length=TOES * float(ahead["ball"][0] - ahead["heel"][0]),
        source=f"{model.name}, {model.mass:.1f} kg",
    )


def _part(model: Model, T: dict[str, Floats], names: list[str], origin: Floats, turn: float) -> Part:
    """Return links as one part from an origin in the plane, in axes turned by an angle [rad]."""
    bodies = [model.link(name) for name in names]
    mass = np.array([link.inertia.mass for link in bodies])
    if mass.sum() <= 0.0:
        raise ModelError(f"{', '.join(names)} of {model.name!r} have no mass, which a planar walker needs")
    places = np.array([(T[link.name] @ [*link.inertia.com, 1.0])[:2] for link in bodies])
    centre = mass @ places / mass.sum()
    own = [T[link.name][2, :3] @ link.inertia.matrix @ T[link.name][2, :3] for link in bodies]
    apart = mass @ np.sum((places - centre) ** 2, axis=1)
    return Part(float(mass.sum()), _turned(centre - origin, -turn), float(np.sum(own) + apart))


def _lean(top: Floats, bottom: Floats) -> float:
    """Return the angle of a segment that hangs from top to bottom [rad]."""
    down = bottom - top
    return float(np.arctan2(down[0], -down[1]))


def _turned(place: Floats, angle: float) -> Floats:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * place[0] - s * place[1], s * place[0] + c * place[1]])


def _seen(track: SagittalTrack, side: str, name: str, rollover: Rollover) -> Floats:
    """Return the median of a place on the foot from the ankle, in axes of the sole, shape (2,), [m]."""
    away = track.points[f"{name}_{side}"] - track.points[f"ankle_{side}"]
    angle = rollover.flat - track.angles[f"foot_{side}"]  # turns the foot level
    c, s = np.cos(angle), np.sin(angle)
    level = np.stack([c * away[:, 0] - s * away[:, 1], s * away[:, 0] + c * away[:, 1]], axis=1)
    return np.median(level, axis=0)


def _length(track: SagittalTrack, top: str, bottom: str) -> float:
    return float(np.median(np.linalg.norm(track.points[bottom] - track.points[top], axis=1)))
