"""One leg with a blade: the body's weight on the hip, a thigh, a shank with its socket, and the soft blade.

The hip slides forward and up; the trunk stays upright above it. Hip and knee are hinges across the sagittal plane. The
blade keeps all its strains: it bends, twists and bends sideways in space.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride import engine
from softstride.errors import ModelError
from softstride.model.builder import ModelBuilder
from softstride.model.contact_shape import ContactSphere
from softstride.model.frame import Frame, Point
from softstride.model.inertia import Inertia
from softstride.model.leg import descendants
from softstride.model.link import WORLD, Link
from softstride.model.model import Model
from softstride.model.rod import Rod
from softstride.notes import Note

Floats = NDArray[np.float64]

COORDINATES = ("hip_x", "hip_y", "hip", "knee")
"""Of the leg, before the strains of the blade: place of the hip [m], flexion of hip and knee [rad]."""

SOLE_FROM = 0.55
"""Share of the length of a blade behind which its sole may touch, where the model does not say."""

SOLE_POINTS = 60


@dataclass(frozen=True, eq=False)
class BladeLeg:
    """A leg on a blade.

    Attributes:
        model: The leg.
        blade: Name of the rod.
        arcs: Arc lengths along the sole, shape (k,), [m].
        offsets: From the centreline to the sole in section axes, shape (k, 3), [m].
        length: Of the blade [m].
    """

    model: Model
    blade: str
    arcs: Floats
    offsets: Floats
    length: float

    @property
    def sole(self) -> tuple[Point, ...]:
        """Points of the sole."""
        return tuple(
            Point(self.blade, offset, float(at)) for at, offset in zip(self.arcs, self.offsets, strict=True)
        )

    def centreline(self, q: Floats, shares: Floats) -> Floats:
        """Return points of the blade's middle at shares of its length, shape (F, k, 3), [m]."""
        points = [Point(self.blade, at=float(share * self.length)) for share in shares]
        return engine.positions(self.model, q, points)

    def section(self, at: float) -> Frame:
        """Return a frame on the sole at an arc length [m], with the axes of the world when the leg hangs unloaded."""
        offset = np.array([np.interp(at, self.arcs, column) for column in self.offsets.T])
        here = Frame(self.blade, offset, at=at)
        R = engine.poses(self.model, self.model.neutral()[None], here)[0, :3, :3]
        return Frame(self.blade, offset, R.T, at=at)


def blade_leg(model: Model, blade: str | None = None) -> BladeLeg:
    """Return the leg of a model that ends in a blade.

    Links between blade and hip are taken in the neutral pose of the model; everything that is not on the leg becomes a
    mass at the hip. Thigh and shank are the two links above the blade with joints that move.

    Args:
        model: An athlete with a blade, such as `load_model("athlete")` or the result of `attach_blade`.
        blade: Name of the rod; None: the only one.

    Raises:
        ModelError: No rod, several, or no knee and hip above it.
    """
    rod = _rod(model, blade)
    chain = [rod]
    while chain[-1].parent != WORLD:
        chain.append(model.link(chain[-1].parent))
    moving = [link for link in chain[1:-1] if link.coordinate_names and link.mass > 0.0]
    if len(moving) < 2:
        raise ModelError(
            f"above the blade {rod.name!r} of {model.name!r} are {len(moving)} links with joints that move; a leg has "
            "a shank and a thigh"
        )
    shank, thigh = moving[0], moving[1]
    names = list(model.link_names)
    T = dict(zip(names, engine.poses(model, model.neutral()[None], names)[0], strict=True))
    base = engine.poses(model, model.neutral()[None], Frame(rod.name, at=0.0))[0]
    below = {thigh.name, *descendants(model, thigh.name)}
    lower = {shank.name, *descendants(model, shank.name)} - {rod.name}
    upper = below - lower - {rod.name, *descendants(model, rod.name)}
    hip, knee = T[thigh.name][:3, 3], T[shank.name][:3, 3]
    builder = ModelBuilder(f"leg of {model.name}", gravity=model.gravity)
    body = model.mass - sum(model.link(name).mass for name in below)
    builder.prismatic("hip_x", axis=(1.0, 0.0, 0.0))
    builder.prismatic("hip_y", "hip_x", axis=(0.0, 1.0, 0.0), mass=body)
    for name, parent, axis, group, place in (
        ("thigh", "hip_y", (0.0, 0.0, 1.0), upper, hip),
        ("shank", "thigh", (0.0, 0.0, -1.0), lower, knee),
    ):
        inertia = _together(model, T, group, place)
        builder.revolute(
            name,
            parent,
            axis=axis,
            coordinate={"thigh": "hip", "shank": "knee"}[name],
            position=np.zeros(3) if name == "thigh" else knee - hip,
            mass=inertia.mass,
            com=inertia.com,
            inertia=inertia.matrix,
        )
    soft = rod.joint
    if not isinstance(soft, Rod):
        raise ModelError(f"{rod.name!r} of {model.name!r} is no rod, so it is no blade")
    builder.rod(
        "blade",
        "shank",
        rod=soft,
        position=base[:3, 3] - knee,
        rotation=base[:3, :3],
        mass=rod.inertia.mass,
        com=rod.inertia.com,
        inertia=rod.inertia.matrix,
    )
    words = f"hip and below of {model.name!r}; {body:.1f} kg of the body at the hip, upright"
    builder.note(Note("body.at-the-hip", words, topic="body", values={"mass_kg": body}))
    arcs, offsets = _sole(model, rod.name, soft)
    return BladeLeg(builder.build(), "blade", arcs, offsets, soft.length)


def _rod(model: Model, blade: str | None) -> Link:
    rods = [link for link in model.links if link.soft]
    if blade is not None:
        if not model.link(blade).soft:
            raise ModelError(f"{blade!r} of {model.name!r} is no rod, so it is no blade")
        return model.link(blade)
    if len(rods) != 1:
        listed = ", ".join(repr(link.name) for link in rods) or "none"
        raise ModelError(f"{model.name!r} must have one blade, or say which: its rods are {listed}")
    return rods[0]


def _together(model: Model, T: dict[str, Floats], names: set[str], origin: Floats) -> Inertia:
    """Return rigid links as one, in world axes about an origin."""
    links = [model.link(name) for name in names if not model.link(name).soft and model.link(name).mass > 0.0]
    mass = sum(link.mass for link in links)
    places = [(T[link.name] @ [*link.inertia.com, 1.0])[:3] - origin for link in links]
    com = sum(link.mass * place for link, place in zip(links, places, strict=True)) / mass
    total = np.zeros((3, 3))
    for link, place in zip(links, places, strict=True):
        R, away = T[link.name][:3, :3], place - com
        total += R @ link.inertia.matrix @ R.T + link.mass * (away @ away * np.eye(3) - np.outer(away, away))
    return Inertia(mass, com, total)


def _sole(model: Model, name: str, rod: Rod) -> tuple[Floats, Floats]:
    """Return arc lengths and offsets of the sole: where the model has places of contact, or else the centreline."""
    spheres = sorted(
        (shape.at, tuple(shape.position))
        for shape in model.contacts.values()
        if isinstance(shape, ContactSphere) and shape.link == name and shape.at is not None
    )
    if len(spheres) > 2:
        known = np.array([at for at, _ in spheres]), np.array([place for _, place in spheres])
        arcs = np.linspace(known[0][0], known[0][-1], SOLE_POINTS)
        return arcs, np.stack([np.interp(arcs, known[0], column) for column in known[1].T], axis=1)
    return np.linspace(SOLE_FROM * rod.length, rod.length, SOLE_POINTS), np.zeros((SOLE_POINTS, 3))
