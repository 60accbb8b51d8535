"""Cut a leg below the knee: bone, mass and inertia, and all that hung below."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from softstride.errors import ModelError
from softstride.model import checks
from softstride.model.actuator import CoordinateActuator, PointActuator, TorqueActuator
from softstride.model.checks import FloatArray
from softstride.model.frame import Frame
from softstride.model.leg import Leg, descendants, find_leg, side_letter, words_of
from softstride.model.model import Model
from softstride.model.path import MovingPathPoint, Path
from softstride.model.posture import default_poses
from softstride.model.residual_limb import cut_segment

SURGERIES = ("myodesis", "myoplasty", "osteomyoplasty", "none")
"""How the ends of cut muscles are fixed: to the bone, to each other, over a bone bridge, not at all."""

ARTIFICIAL = {"amputated", "socket", "pylon", "prosthesis", "prosthetic", "blade"}
"""Words in the names of links that show an amputation."""

SHORTEST = 0.03
"""Shortest stump, and shortest part that is cut off [m]."""

LEAST_FORWARD = 0.2
"""Part of the world's x across the shank, in the default pose, below which forward is not known."""

LOST = {
    "muscle": "lost a point of its path or a coordinate that it depends on",
    "ligament": "lost a point of its path or a coordinate that it depends on",
    "actuator": "lost its coordinate, link or point",
    "marker": "was below the cut",
}
"""Why something is left out, one note each."""


def amputate(
    model: Model,
    side: str = "right",
    below_knee: float = 0.13,
    *,
    surgery: str = "myodesis",
    shank: str | None = None,
) -> Model:
    """Cut a leg below the knee.

    The shank is cut across its axis, from the centre of the knee to that of the ankle. What is above keeps the name of
    the link and has the inertia of `cut_segment` (a solid of revolution of one density). All links that hung below the
    cut are gone, with their coordinates, markers, frames, contact shapes, wrapping surfaces and actuators, and what was
    on the shank below the cut. Muscles and ligaments that lost a point of their path are left out, and those that stay
    lose the wrapping surfaces below the cut; `notes` names all that is gone.

    Two frames are added on the shank: "stump_r" (or "_l") at the cut, y along the bone towards the knee, x forward (the
    world's x in the default pose, across the bone); and "ground_r", where the ground was under the standing leg, on the
    same axis.

    Args:
        model: A model with a whole leg on this side.
        side: "right" or "left".
        below_knee: Distance of the cut from the centre of the knee [m].
        surgery: How the muscles are fixed, one of `SURGERIES`; only recorded in the notes here.
        shank: Name of the shank link, if its name does not tell.

    Returns:
        A new model.

    Raises:
        ModelError: No shank was found, the leg is cut already, the cut is not on the shank, or the shank lies along
            the world's x in the default pose, so that forward is not known.
    """
    letter = side_letter(side)
    if surgery not in SURGERIES:
        raise ModelError(f"surgery must be one of {', '.join(SURGERIES)}, however it is {surgery!r}.")
    if f"stump_{letter}" in model.frames:
        raise ModelError(
            f"the {side} leg of {model.name!r} is cut already: it has the frame 'stump_{letter}'."
        )
    leg = find_leg(model, side, shank)
    made = [name for name in (leg.shank, *descendants(model, leg.shank)) if words_of(name) & ARTIFICIAL]
    if made:
        raise ModelError(f"the {side} leg of {model.name!r} is cut already: it has the link {made[0]!r}.")
    distance = checks.number(below_knee, "below_knee")
    if not SHORTEST <= distance <= leg.length - SHORTEST:
        raise ModelError(
            f"below_knee must be between {SHORTEST} and {leg.length - SHORTEST:.3f} m on {leg.shank!r}, which is "
            f"{leg.length:.3f} m long from knee to ankle, however it is {distance:g} m."
        )
    return _Cut(model, leg, distance, letter).model_left(surgery)


@dataclass(eq=False)
class _Cut:
    """One cut through one leg."""

    model: Model
    leg: Leg
    distance: float
    letter: str

    def __post_init__(self) -> None:
        hung = [child for child in self.model.children(self.leg.shank) if self.below(child.placement[:3, 3])]
        self.gone = {name for child in hung for name in (child.name, *descendants(self.model, child.name))}

    def below(self, place: FloatArray) -> bool:
        """Whether a place on the shank, shape (3,), is below the cut."""
        return float(self.leg.axis @ (np.asarray(place) - self.leg.knee)) > self.distance

    def lost(self, link: str, place: FloatArray | None) -> bool:
        """Whether a place on a link is cut off."""
        return link in self.gone or (link == self.leg.shank and place is not None and self.below(place))

    def model_left(self, surgery: str) -> Model:
        """Return the model without what is cut off."""
        model, shank = self.model, self.leg.shank
        above, removed = cut_segment(model.link(shank).inertia, self.leg.knee, self.leg.ankle, self.distance)
        links = tuple(
            dataclasses.replace(link, inertia=above) if link.name == shank else link
            for link in model.links
            if link.name not in self.gone
        )
        names = {name for link in links for name in link.coordinate_names}
        coordinates = {name: item for name, item in model.coordinates.items() if name in names}
        wraps, bare = _split(model.wraps, lambda wrap: self.lost(wrap.link, wrap.pose[:3, 3]))
        muscles, cut = _split(model.muscles, lambda muscle: self.path_lost(muscle.path, names))
        ligaments, torn = _split(model.ligaments, lambda band: self.path_lost(band.path, names))
        actuators, idle = _split(model.actuators, lambda actuator: self.idle(actuator, names))
        markers, unseen = _split(model.markers, lambda point: self.lost(point.link, point.position))
        frames, unplaced = _split(model.frames, lambda frame: self.lost(frame.link, frame.position))
        contacts, untouched = _split(
            model.contacts,
            lambda shape: self.lost(
                shape.link, shape.pose[:3, 3] if hasattr(shape, "pose") else shape.position
            ),
        )
        mass = removed.mass + sum(model.link(name).mass for name in self.gone)
        notes = [
            f"amputation: {shank!r} is cut {self.distance:.3f} m below the knee centre ({surgery}); its stump of "
            f"{above.mass:.3f} kg is a solid of revolution of one density; {mass:.3f} kg are gone with "
            f"{_listed(sorted(self.gone, key=model.index))}",
            f"amputation: the ground is {self.leg.sole:.3f} m below the knee, "
            + (
                "where the contact shapes of the foot were"
                if self.leg.by_contact
                else "by the share of an adult's ankle height"
            ),
        ]
        for kind, missing in (("muscle", cut), ("ligament", torn), ("actuator", idle), ("marker", unseen)):
            notes += [f"amputation: {kind} {name!r} {LOST[kind]} and is left out" for name in missing]
        for kind, missing in (("frame", unplaced), ("contact shape", untouched), ("wrapping surface", bare)):
            if missing:
                plural = "s are" if len(missing) > 1 else " is"
                notes.append(
                    f"amputation: {len(missing)} {kind}{plural} left out, below the cut: {_listed(missing)}"
                )
        for kind, bands in (("muscle", muscles), ("ligament", ligaments)):
            for name, band in bands.items():
                surfaces = [wrap.surface for wrap in band.path.wraps if wrap.surface not in wraps]
                if surfaces:
                    notes.append(
                        f"amputation: {kind} {name!r} stays, no longer wrapped on {_listed(surfaces)}"
                    )
        return model.replace(
            links=links,
            coordinates=coordinates,
            markers=markers,
            frames=frames | self.new_frames(),
            muscles={name: self.unwrapped(item, wraps) for name, item in muscles.items()},
            wraps=wraps,
            ligaments={name: self.unwrapped(item, wraps) for name, item in ligaments.items()},
            actuators=actuators,
            contacts=contacts,
            notes=(*model.notes, *notes),
        )

    def new_frames(self) -> dict[str, Frame]:
        """Return the frames of the stump and of the ground."""
        up = -self.leg.axis
        x = default_poses(self.model)[self.leg.shank][0, :3]  # the world's x in link axes
        forward = x - (x @ up) * up
        size = float(np.linalg.norm(forward))
        if size < LEAST_FORWARD:
            raise ModelError(
                f"{self.leg.shank!r} lies along the world's x in the default pose of {self.model.name!r}, so that "
                "forward is not known: let the coordinates have defaults at which the leg hangs down."
            )
        forward /= size
        rotation = np.column_stack([forward, up, np.cross(forward, up)])
        return {
            f"{name}_{self.letter}": Frame(self.leg.shank, self.leg.knee - depth * up, rotation)
            for name, depth in (("stump", self.distance), ("ground", self.leg.sole))
        }

    def path_lost(self, path: Path, names: set[str]) -> bool:
        """Whether a path lost a point, or a coordinate that it depends on."""
        points = [
            self.lost(point.link, None if isinstance(point, MovingPathPoint) else point.position)
            for point in path.points
        ]
        return any(points) or any(name not in names for name in path.coordinates)

    def idle(self, actuator: Any, names: set[str]) -> bool:
        """Whether an actuator lost its coordinate, its link or the point where it acts."""
        if isinstance(actuator, CoordinateActuator):
            return actuator.coordinate not in names
        if isinstance(actuator, TorqueActuator) and actuator.reaction in self.gone:
            return True
        held = isinstance(actuator, PointActuator) and not actuator.point_in_world
        return self.lost(actuator.link, actuator.point if held else None)

    @staticmethod
    def unwrapped(band: Any, wraps: dict[str, Any]) -> Any:
        """Return a muscle or ligament without the surfaces that are gone."""
        kept = tuple(wrap for wrap in band.path.wraps if wrap.surface in wraps)
        if len(kept) == len(band.path.wraps):
            return band
        return dataclasses.replace(band, path=dataclasses.replace(band.path, wraps=kept))


def _split(table: Any, lost: Callable[[Any], bool]) -> tuple[dict[str, Any], list[str]]:
    """Return the items that are kept, and the names of the others."""
    gone = [name for name, item in table.items() if lost(item)]
    return {name: item for name, item in table.items() if name not in gone}, gone


def _listed(names: list[str]) -> str:
    return ", ".join(map(repr, names)) or "nothing else"
