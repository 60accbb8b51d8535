"""Rods as chains of rigid bodies: what OpenSim can hold of a blade.

A segment of a rod is cut into pieces of length l. All its bending sits in one joint at the middle of each piece (the
midpoint rule), which moves by l times the strain and resists with K / l: E I / l for bending, E A / l for stretch,
k G A / l for shear. Bodies reach from one joint to the next, so n joints make n + 1 bodies. Under a load at the tip of
a straight cantilever the deflection is (1 - 1 / (4 n²)) that of the beam: second order in the length of a piece.

OpenSim's bushings measure rotations as successive angles about x, y and z, which differ from a rotation vector by terms
of second order. Every other bushing is turned round, so that these terms cancel in pairs; they would otherwise leave an
error of first order where a blade bends and twists at once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from softstride.errors import ModelError
from softstride.model.checks import FloatArray
from softstride.model.contact_shape import ContactShape, ContactSphere
from softstride.model.coordinate import Coordinate
from softstride.model.formats.osim_write.chain import Bushing, Chain, build_links, cut, orthonormal
from softstride.model.frame import Frame, Point
from softstride.model.link import Link
from softstride.model.model import Model
from softstride.model.rod import Rod
from softstride.notes import Note


@dataclass(frozen=True)
class Rigid:
    """A model without rods.

    Attributes:
        model: The model; what stood on rods stands on their pieces.
        bushings: What resists the joints of the pieces.
        chains: The pieces by the name of their rod.
        coordinates: Coordinates of rods: the new ones that stand for each, and the length of a piece [m], by which a
            strain is multiplied.
        notes: What was approximated.
    """

    model: Model
    bushings: tuple[Bushing, ...]
    chains: dict[str, Chain]
    coordinates: dict[str, tuple[tuple[str, ...], float]]
    notes: tuple[Note, ...]


def without_rods(model: Model, pieces: int) -> Rigid:
    """Return the model with every rod cut into rigid pieces.

    Args:
        model: The model.
        pieces: Pieces of each segment of a rod.
    """
    if isinstance(pieces, bool) or not isinstance(pieces, int) or pieces < 1:
        raise ModelError(f"pieces must be a whole number of at least 1, however it is {pieces!r}.")
    taken = set(model.link_names)
    chains = {
        link.name: cut(link.name, link.joint, pieces, taken)
        for link in model.links
        if isinstance(link.joint, Rod)
    }
    if not chains:
        return Rigid(model, (), {}, {}, ())
    links: list[Link] = []
    bushings: list[Bushing] = []
    springs: dict[str, Coordinate] = {}
    targets: dict[str, tuple[tuple[str, ...], float]] = {}
    for link in model.links:
        base = _rehung(link, model, chains)
        if link.name not in chains:
            links.append(base)
            springs |= {name: model.coordinates[name] for name in link.coordinate_names}
            continue
        chain = chains[link.name]
        own, own_bushings = build_links(base, chain)
        links += own
        bushings += own_bushings
        for name, (news, length) in _targets(link.name, chain).items():
            targets[name] = (news, length)
            springs |= {new: _coordinate(model.coordinates[name], new, length, len(news)) for new in news}
    rigid = replace(
        model,
        links=tuple(links),
        coordinates=springs,
        markers={name: _point(place, model, chains) for name, place in model.markers.items()},
        frames={name: _frame(place, model, chains) for name, place in model.frames.items()},
        contacts={name: _contact(shape, model, chains) for name, shape in model.contacts.items()},
        actuators={},
        muscles={},
        ligaments={},
    )
    return Rigid(rigid, tuple(bushings), chains, targets, tuple(_note(n, c) for n, c in chains.items()))


def _rehung(link: Link, model: Model, chains: dict[str, Chain]) -> Link:
    """Return the link on the piece that it hangs on."""
    if link.at is None:
        return link
    rod = model.link(link.parent).joint
    if not isinstance(rod, Rod):
        return link
    body, pose = chains[link.parent].place(rod, link.at)
    return replace(link, parent=body, placement=orthonormal(pose @ link.placement), at=None)


def _moved(
    place: Point | Frame | ContactSphere, model: Model, chains: dict[str, Chain]
) -> tuple[str, FloatArray] | None:
    """Return the piece under a place between the ends of a rod, and the section's pose in it; None elsewhere."""
    if place.at is None:
        return None
    rod = model.link(place.link).joint
    return chains[place.link].place(rod, place.at) if isinstance(rod, Rod) else None


def _point(point: Point, model: Model, chains: dict[str, Chain]) -> Point:
    found = _moved(point, model, chains)
    return point if found is None else Point(found[0], _on(found[1], point.position))


def _frame(frame: Frame | Point, model: Model, chains: dict[str, Chain]) -> Frame | Point:
    if isinstance(frame, Point):
        return _point(frame, model, chains)
    found = _moved(frame, model, chains)
    if found is None:
        return frame
    body, pose = found
    return Frame(body, _on(pose, frame.position), orthonormal(pose)[:3, :3] @ frame.rotation)


def _contact(shape: ContactShape, model: Model, chains: dict[str, Chain]) -> ContactShape:
    found = _moved(shape, model, chains) if isinstance(shape, ContactSphere) else None
    if found is None or not isinstance(shape, ContactSphere):
        return shape
    return ContactSphere(found[0], _on(found[1], shape.position), shape.radius)


def _on(pose: FloatArray, position: FloatArray) -> FloatArray:
    return np.asarray(pose[:3, :3] @ position + pose[:3, 3])


def _targets(link: str, chain: Chain) -> dict[str, tuple[tuple[str, ...], float]]:
    """Return, for each coordinate of the rod, the new coordinates and the length of their pieces."""
    found: dict[str, tuple[tuple[str, ...], float]] = {}
    for i, piece in enumerate(chain.pieces):
        for strain in piece.segment.free:
            name = f"{link}.{piece.number + 1}.{strain}"
            before = found.get(name, ((), piece.length))[0]
            found[name] = ((*before, f"{chain.bodies[i + 1]}_{strain}"), piece.length)
    return found


def _coordinate(old: Coordinate, name: str, length: float, count: int) -> Coordinate:
    """Return the coordinate of one joint, x = l q: what acts on q is shared by the joints, each with 1 / (m l²)."""
    share = 1.0 / (count * length**2)
    return replace(
        old,
        name=name,
        default=length * old.default,
        lower=length * old.lower,
        upper=length * old.upper,
        rest=length * old.rest,
        stiffness=share * old.stiffness,
        damping=share * old.damping,
        limit_stiffness=share * old.limit_stiffness,
        limit_damping=share * old.limit_damping,
    )


def _note(name: str, chain: Chain) -> Note:
    n = len(chain.pieces)
    text = (
        f"rod {name!r} is approximated by {n + 1} rigid bodies ({chain.bodies[0]} to {chain.bodies[-1]}) with {n} "
        f"elastic joints; the error falls with the square of the length of a piece."
    )
    return Note("osim.rod-in-pieces", text, names=(name,), values={"bodies": n + 1, "joints": n})
