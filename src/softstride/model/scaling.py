"""A person of another size: every link stretched along its own axes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from softstride.errors import ModelError
from softstride.model import checks
from softstride.model.actuator import PointActuator
from softstride.model.checks import FloatArray
from softstride.model.contact_shape import ContactSphere
from softstride.model.coordinate import Coordinate
from softstride.model.functions import Constant, Function, Linear, Scaled
from softstride.model.joints import Axes, Axis, Custom, Joint
from softstride.model.link import WORLD, Link
from softstride.model.model import Model
from softstride.model.muscle import Ligament, Muscle
from softstride.model.path import (
    AnyPathPoint,
    MovingPathPoint,
    WrapCylinder,
    WrapEllipsoid,
    WrapSphere,
    WrapSurface,
    WrapTorus,
)
from softstride.model.rod import BENDS, Rod
from softstride.model.scaled_inertia import INERTIA_RULES, InertiaRule, scaled_inertia, scaled_rod
from softstride.model.scaled_links import inherited, prosthesis, unequal_joints
from softstride.notes import Note, constant, recognised

SMALLEST, LARGEST = 0.05, 20.0
"""Factors outside this range are an error of units."""

LENGTHS_KEPT = constant(
    "scaling.lengths-kept",
    "scaling left the fibre, tendon and resting lengths of muscles and ligaments as they were",
    topic="scaling",
)
"""Code of the note that muscles and ligaments have the lengths of the model that was scaled."""

Band = TypeVar("Band", Muscle, Ligament)


def scaled(
    model: Model,
    factors: Mapping[str, ArrayLike],
    *,
    mass: float | None = None,
    keep_mass_distribution: bool = True,
    inertia: InertiaRule = "affine",
) -> Model:
    """Return the model with links stretched: x' = S x in the axes of each link, S = diag(factors).

    Everything fixed on a link moves with it: the placements of its children, its own joint, centre of mass, markers,
    frames, path points, wrapping surfaces, points of actuators and contacts; rotations stay. Sizes of wrapping surfaces
    grow as in OpenSim: along an axis e of the surface by |S e|, radii by the mean over their axes, spheres by the mean
    factor. A translation of a custom joint along t grows by tᵀ S t with the parent's S (t in the parent's axes), unless
    it is the coordinate itself (`Linear(1, 0)`: a degree of freedom). OpenSim uses Σ |tᵢ| sᵢ there, in the axes of the
    joint: the same along an axis of the parent, wrong for oblique ones even when factors are equal.

    Rods take one factor for all axes, see `scaled_rod`. Coordinates keep their values, except curvatures of rods.
    Massless links inside an ellipsoid or reversed joint take the mean factor of the link whose joint it is, unless
    they are given their own.

    Args:
        model: The model; it is not changed.
        factors: One factor, or three along x, y, z of the link, by name of the link. Others stay as they are.
        mass: New mass of the whole [kg]; the masses of the body are multiplied to reach it, those of a prosthesis
            (rods, "socket_*", "clamp_*" and what hangs on these) stay. None: as the links give it.
        keep_mass_distribution: Whether links keep their masses before that; otherwise they change with their volume,
            by the product of the factors.
        inertia: How moments follow unequal factors, see `scaled_inertia`.

    Raises:
        ModelError: An unknown link, a factor that is not positive or cannot be meant, unequal factors for a rod.
    """
    table = _checked_factors(model, factors)
    if inertia not in INERTIA_RULES:
        raise ModelError(f"inertia must be one of {', '.join(INERTIA_RULES)}, not {inertia!r}.")
    grown = {link.name: _mass_ratio(table[link.name], keep_mass_distribution) for link in model.links}
    notes = [*_notes(model, table)]
    if mass is not None:
        notes += _reach_mass(model, grown, checks.number(mass, "mass of a scaled model"))
    links = tuple(_scaled_link(link, table, grown[link.name], inertia) for link in model.links)

    def at_link(part: Any) -> Any:
        return _scaled_place(part, table)

    return model.replace(
        links=links,
        coordinates=_scaled_coordinates(model, table),
        markers={name: at_link(point) for name, point in model.markers.items()},
        frames={name: at_link(frame) for name, frame in model.frames.items()},
        muscles={name: _scaled_band(muscle, table) for name, muscle in model.muscles.items()},
        ligaments={name: _scaled_band(ligament, table) for name, ligament in model.ligaments.items()},
        wraps={name: _scaled_wrap(surface, table[surface.link]) for name, surface in model.wraps.items()},
        actuators={name: _scaled_actuator(each, table) for name, each in model.actuators.items()},
        contacts={name: _scaled_contact(each, table) for name, each in model.contacts.items()},
        notes=(*model.notes, *notes),
    )


def _notes(model: Model, table: Mapping[str, FloatArray]) -> Iterator[Note]:
    if (model.muscles or model.ligaments) and LENGTHS_KEPT not in recognised(model.notes):
        yield LENGTHS_KEPT
    joints = unequal_joints(model, table)
    if joints:
        text = f"scaling by unequal factors: joints that grew by their mean: {', '.join(joints)}"
        yield Note("scaling.joints-by-mean", text, topic="scaling", names=tuple(joints))


def _reach_mass(model: Model, grown: dict[str, float], wanted: float) -> list[Note]:
    """Multiply the mass ratios of the body, in place, so that the whole has the mass wanted; return notes."""
    kept = prosthesis(model)
    now = sum(ratio * model.link(name).mass for name, ratio in grown.items())
    artificial = sum(grown[name] * model.link(name).mass for name in kept)
    if wanted <= artificial or now <= artificial:
        besides = f", beside {artificial:g} kg of prosthesis" if kept else ""
        raise ModelError(
            f"mass of a scaled model must be above zero, and so must be the model's own{besides}, however they are "
            f"{wanted:g} and {now:g} kg."
        )
    total = (wanted - artificial) / (now - artificial)
    for name in grown:
        grown[name] *= 1.0 if name in kept else total
    if not kept or abs(total - 1.0) < 1e-12:
        return []
    text = (
        f"scaling to {wanted:g} kg left the {artificial:.3f} kg of the prosthesis ({', '.join(kept)}); the body took "
        f"the difference"
    )
    values = {"mass_kg": wanted, "prosthesis_kg": artificial}
    return [Note("scaling.prosthesis-kept", text, topic="scaling", names=tuple(kept), values=values)]


def _checked_factors(model: Model, factors: Mapping[str, ArrayLike]) -> dict[str, FloatArray]:
    """Return three factors for every link, and for the world."""
    own: dict[str, FloatArray] = {}
    for name, given in factors.items():
        model.index(name)
        value = checks.any_array(given, f"scale factors of {name!r}")
        if value.shape not in ((), (3,)):
            raise ModelError(
                f"scale factors of {name!r} must be one number or three, however the shape is {value.shape}."
            )
        value = np.broadcast_to(value, 3).astype(np.float64)
        if np.any(value < SMALLEST) or np.any(value > LARGEST):
            raise ModelError(
                f"scale factors of {name!r} must be between {SMALLEST:g} and {LARGEST:g}, however they are "
                f"{value.tolist()}: check the units of model and measurement."
            )
        if model.link(name).soft and np.ptp(value) > 0.0:
            raise ModelError(
                f"link {name!r} is a rod and takes one factor for all axes, however they are {value.tolist()}."
            )
        own[name] = value
    ones = {name: np.ones(3) for name in (WORLD, *model.link_names)}
    return ones | inherited(model, own)


def _mass_ratio(factors: FloatArray, keep: bool) -> float:
    return 1.0 if keep else float(np.prod(factors))


def _moved(T: FloatArray, factors: FloatArray) -> FloatArray:
    """Return a pose in link axes with its position stretched."""
    new = np.array(T)
    new[:3, 3] *= factors
    return new


def _scaled_link(link: Link, table: Mapping[str, FloatArray], mass_ratio: float, rule: InertiaRule) -> Link:
    own, parent = table[link.name], table[link.parent]
    R, p = link.offset[:3, :3], link.offset[:3, 3]
    offset = np.array(link.offset)
    offset[:3, 3] = R @ (own * (R.T @ p))  # the joint stands at -Rᵀ p in link axes
    joint: Joint = link.joint
    if isinstance(joint, Custom):
        joint = replace(joint, translations=_scaled_axes(joint.translations, link.placement[:3, :3], parent))
    elif isinstance(joint, Rod):
        joint = scaled_rod(joint, float(own[0]), mass_ratio)
    return replace(
        link,
        joint=joint,
        placement=_moved(link.placement, parent),
        offset=offset,
        inertia=scaled_inertia(link.inertia, own, mass_ratio * link.inertia.mass, rule),
        at=None if link.at is None else link.at * float(parent[0]),
    )


def translation_weights(axis: Axis, rotation: FloatArray) -> FloatArray:
    """Return w, shape (3,), with which a translation axis grows: by w · s for the parent's factors s.

    w = (R t)², elementwise, R the joint's axes in the parent link.
    """
    return (rotation @ axis.direction) ** 2


def is_free_translation(function: Function) -> bool:
    """Return whether a translation is its coordinate itself, which no scaling changes."""
    return isinstance(function, Linear) and function.slope == 1.0 and function.intercept == 0.0


def _scaled_axes(axes: Axes, rotation: FloatArray, factors: FloatArray) -> Axes:
    def one(axis: Axis) -> Axis:
        k = float(translation_weights(axis, rotation) @ factors)
        terms = tuple((name, f if is_free_translation(f) else _times(f, k)) for name, f in axis.terms)
        return Axis(axis.direction, terms)

    return one(axes[0]), one(axes[1]), one(axes[2])


def _times(function: Function, k: float) -> Function:
    if k == 1.0:
        return function
    if isinstance(function, Constant):
        return Constant(k * function.value)
    if isinstance(function, Scaled):
        return Scaled(function.function, k * function.factor)
    return Scaled(function, k)


def _scaled_place(place: Any, table: Mapping[str, FloatArray]) -> Any:
    """Return a Point, Frame or ContactSphere moved with its link."""
    s = table[place.link]
    at = None if place.at is None else place.at * float(s[0])
    return replace(place, position=s * place.position, at=at)


def _scaled_point(point: AnyPathPoint, table: Mapping[str, FloatArray]) -> AnyPathPoint:
    s = table[point.link]
    if isinstance(point, MovingPathPoint):
        (x, fx), (y, fy), (z, fz) = point.x, point.y, point.z
        return replace(
            point,
            x=(x, _times(fx, float(s[0]))),
            y=(y, _times(fy, float(s[1]))),
            z=(z, _times(fz, float(s[2]))),
        )
    return replace(point, position=s * point.position)


def _scaled_band(band: Band, table: Mapping[str, FloatArray]) -> Band:
    points = tuple(_scaled_point(point, table) for point in band.path.points)
    return replace(band, path=replace(band.path, points=points))


def _scaled_wrap(surface: WrapSurface, s: FloatArray) -> WrapSurface:
    """Return a wrapping surface stretched as in OpenSim (`WrapCylinder::extendScale` and the like)."""
    x, y, z = (float(k) for k in np.linalg.norm(s[:, None] * surface.pose[:3, :3], axis=0))
    moved = replace(surface, pose=_moved(surface.pose, s))
    round_ = 0.5 * (x + y)
    if isinstance(moved, WrapCylinder):
        return replace(moved, radius=moved.radius * round_, length=moved.length * z)
    if isinstance(moved, WrapTorus):
        return replace(moved, inner=moved.inner * round_, outer=moved.outer * round_)
    if isinstance(moved, WrapEllipsoid):
        return replace(moved, a=moved.a * x, b=moved.b * y, c=moved.c * z)
    if isinstance(moved, WrapSphere):
        return replace(moved, radius=moved.radius * float(np.mean(s)))
    raise ModelError(f"{type(surface).__name__} on {surface.link!r}: no rule how it grows.")


def _scaled_actuator(actuator: Any, table: Mapping[str, FloatArray]) -> Any:
    if isinstance(actuator, PointActuator) and not actuator.point_in_world:
        return replace(actuator, point=table[actuator.link] * actuator.point)
    return actuator


def _scaled_contact(shape: Any, table: Mapping[str, FloatArray]) -> Any:
    s = table[shape.link]
    if isinstance(shape, ContactSphere):
        return replace(_scaled_place(shape, table), radius=shape.radius * float(np.mean(s)))
    return replace(shape, pose=_moved(shape.pose, s))


def _scaled_coordinates(model: Model, table: Mapping[str, FloatArray]) -> dict[str, Coordinate]:
    """Return the coordinates; curvatures of a rod [1/m] fall as the rod grows."""
    coordinates = dict(model.coordinates)
    for link in model.links:
        if not link.soft:
            continue
        s = float(table[link.name][0])
        for name in link.coordinate_names:
            old = coordinates[name]
            if name.rsplit(".", 1)[-1] in BENDS and s != 1.0:
                coordinates[name] = replace(
                    old, default=old.default / s, rest=old.rest / s, lower=old.lower / s, upper=old.upper / s
                )
    return coordinates
