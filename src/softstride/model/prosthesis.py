"""Prostheses: a leg is cut (`amputate`), and a socket with a running blade is put on the stump (`attach_blade`)."""

from __future__ import annotations

import dataclasses

import numpy as np

from softstride.errors import ModelError
from softstride.model import checks
from softstride.model.amputation import SURGERIES, amputate
from softstride.model.blade import Blade, turned
from softstride.model.checks import FloatArray
from softstride.model.frame import Frame
from softstride.model.inertia import Inertia
from softstride.model.joints import Fixed
from softstride.model.leg import joint_centre, side_letter
from softstride.model.link import Link
from softstride.model.model import Model
from softstride.notes import Note
from softstride.spatial import se3

SOCKET_RADIUS = 0.055
"""Of the shell around the stump [m]."""

BEHIND = 0.065
"""How far behind the axis of the stump a posterior mount holds the blade [m]."""

STEEPEST = np.radians(30.0)

LONGEST_PYLON, LARGEST_SHIFT, HEAVIEST = 0.45, 0.2, 5.0
"""Longest pylon [m], largest shift of the clamp [m], heaviest socket or clamp [kg]: beyond, units are mistaken."""

PLANAR = 1e-6
"""How far [m], and by what angle [rad], the sections of a blade may leave the sagittal plane on the left leg."""


def attach_blade(
    model: Model,
    side: str = "right",
    blade: Blade | str | None = None,
    *,
    socket_mass: float = 0.9,
    clamp_mass: float = 0.15,
    alignment: float = 0.0,
    shift: float = 0.0,
    length: float | None = None,
) -> Model:
    """Put a socket and a running blade on the stump of a cut leg.

    Three links hang on each other: "socket_r" (or "_l"), a thin cylinder around the stump, welded to it; "clamp_r",
    where the blade is bolted, welded to the socket; and the rod "blade_r". The unloaded sole just reaches the
    ground of the standing leg: a blade with a distal mount hangs under the stump on a pylon of the length that is
    left, one with a posterior mount is bolted behind the socket at the height that is needed, as prosthetists do
    [Taboga2019].

    Args:
        model: A model from `amputate`.
        side: "right" or "left".
        blade: The blade, or the name of a packaged one such as "c-medium"; its markers and places of contact come with
            it, "blade_r_toe", "blade_r_sole_1", ... For the left leg medial and lateral change sides, and the blade
            must lie in the sagittal plane.
        socket_mass: [kg], 5 at most.
        clamp_mass: Of clamp and pylon [kg], 5 at most.
        alignment: Turn of the blade against the bone in the sagittal plane [rad]; positive turns the toe down.
        shift: Of the clamp forward [m], ±0.2 at most.
        length: Of the leg with the blade, from the centre of the knee to the ground [m]; None: as the leg was.

    Returns:
        A new model.

    Raises:
        ModelError: The leg is not cut, is cut above the knee, has a prosthesis already, the blade is too long for it
            or, on the left, not in one plane, or a size or mass is beyond what a prosthesis has.
    """
    letter = side_letter(side)
    if isinstance(blade, str):
        from softstride.model.library.blades import blade as packaged

        blade = packaged(blade)
    if not isinstance(blade, Blade):
        raise ModelError(
            f"blade must be a Blade or the name of a packaged one, however it is {blade!r}: Blade.from_centreline "
            "makes one."
        )
    if letter == "l":
        _check_plane(blade)
    stump, ground = (model.frames.get(f"{name}_{letter}") for name in ("stump", "ground"))
    if not isinstance(stump, Frame) or not isinstance(ground, Frame):
        raise ModelError(
            f"the {side} leg of {model.name!r} is not cut: call amputate(model, {side!r}, ...) first."
        )
    if f"stump_knee_{letter}" in model.frames:
        raise ModelError(
            f"the {side} leg of {model.name!r} is cut above the knee: a blade hangs on a shank stump, and on a thigh "
            "stump a prosthetic knee comes first, which attach_blade does not make; build socket, knee and shank with "
            f"links at the frames 'stump_{letter}', 'stump_knee_{letter}' and 'ground_{letter}'."
        )
    names = [f"{part}_{letter}" for part in ("socket", "clamp", "blade")]
    taken = [name for name in names if name in model.link_names]
    if taken:
        raise ModelError(f"the {side} leg of {model.name!r} has a prosthesis already: link {taken[0]!r}.")
    if abs(checks.number(alignment, "alignment")) > STEEPEST:
        raise ModelError(f"alignment must be within ±0.52 rad (30 degrees), however it is {alignment:g} rad.")
    knee = joint_centre(model.link(stump.link))
    residual = float(np.linalg.norm(stump.position - knee))
    whole = (
        float(np.linalg.norm(ground.position - knee)) if length is None else checks.number(length, "length")
    )
    where = _clamp_place(blade, alignment, whole - residual, residual, side)
    where[0] += _within(shift, "shift", -LARGEST_SHIFT, LARGEST_SHIFT, "m")
    _within(max(-where[1], 0.0), f"the pylon of blade {blade.name!r}", 0.0, LONGEST_PYLON, "m")
    links = _links(stump, names, blade, turned(alignment), where, residual, socket_mass, clamp_mass)
    mirror = np.array([1.0, -1.0 if letter == "l" else 1.0, 1.0])
    markers = {
        f"{names[2]}_{name}": dataclasses.replace(point, link=names[2], position=mirror * point.position)
        for name, point in blade.markers.items()
    }
    contacts = {
        f"{names[2]}_{name}": dataclasses.replace(shape, link=names[2])
        for name, shape in blade.contacts.items()
    }
    note = Note(
        "prosthesis.attached",
        f"prosthesis: blade {blade.name!r} ({blade.mass:.3f} kg, {blade.source or 'no source given'}) on the {side} "
        f"stump, {blade.mount} mount {abs(where[1]):.3f} m {'below' if where[1] < 0.0 else 'above'} its end; socket "
        f"{socket_mass:g} kg, clamp {clamp_mass:g} kg; knee to ground {whole:.3f} m",
        names=tuple(names),
        values={"blade_kg": blade.mass, "below_stump_m": -where[1], "knee_to_ground_m": whole},
    )
    return model.replace(
        links=(*model.links, *links),
        markers={**model.markers, **markers},
        contacts={**model.contacts, **contacts},
        notes=(*model.notes, note),
    )


def _within(value: object, what: str, low: float, high: float, unit: str) -> float:
    """Return a number between two bounds."""
    number = checks.number(value, what)
    if not low <= number <= high:
        wrong = "grams" if unit == "kg" else "millimetres"
        raise ModelError(
            f"{what} must be from {low:g} to {high:g} {unit}, however it is {number:.4g} {unit}: were {wrong} given?"
        )
    return number


def _check_plane(blade: Blade) -> None:
    """Refuse a blade that is not its own mirror image in the sagittal plane."""
    H = blade.poses(blade.sole[:, 0])
    off = max(float(np.max(np.abs(H[:, 2, 3]))), float(np.max(np.abs(H[:, :3, 1] - (0.0, 0.0, 1.0)))))
    if off > PLANAR:
        raise ModelError(
            f"blade {blade.name!r} leaves the sagittal plane, so that on the left leg it would have to be mirrored, "
            "which is not done: take a blade whose points lie in the plane z = 0."
        )


def _clamp_place(blade: Blade, alignment: float, below: float, residual: float, side: str) -> FloatArray:
    """Return where the clamp is in axes of the stump, shape (3,), [m].

    Args:
        blade: The blade.
        alignment: Its turn [rad].
        below: From the end of the stump to the ground [m].
        residual: Length of the stump [m].
        side: For the message.
    """
    height = blade.height(alignment) - below  # of the clamp over the end of the stump
    room = 0.0 if blade.mount == "distal" else residual
    if below <= 0.0 or height > room:
        raise ModelError(
            f"blade {blade.name!r} is too long for the {side} leg: it stands {blade.height(alignment):.3f} m high, and "
            f"{max(below + room, 0.0):.3f} m are free ({blade.mount} mount); take a shorter blade, or give a "
            "greater length."
        )
    return np.array([-BEHIND if blade.mount == "posterior" else 0.0, height, 0.0])


def _links(
    stump: Frame,
    names: list[str],
    blade: Blade,
    turn: FloatArray,
    where: FloatArray,
    residual: float,
    socket_mass: float,
    clamp_mass: float,
) -> tuple[Link, Link, Link]:
    socket, clamp, rod = names
    m, r, h = _within(socket_mass, "socket_mass", 0.0, HEAVIEST, "kg"), SOCKET_RADIUS, residual
    across = m * (0.5 * r * r + h * h / 12.0)
    shell = Inertia(m, np.array([0.0, 0.5 * h, 0.0]), np.array([across, m * r * r, across]))
    c = _within(clamp_mass, "clamp_mass", 0.0, HEAVIEST, "kg")
    pylon = max(-where[1], 0.0) if blade.mount == "distal" else 0.04  # from the socket to the clamp
    side = c * (pylon**2 / 12.0 + 1e-4)
    tube = Inertia(c, np.array([0.0, 0.5 * pylon, 0.0]), np.array([side, 2e-4 * c, side]))
    return (
        Link(socket, stump.link, Fixed(), se3.pose(stump.rotation, stump.position), inertia=shell),
        Link(clamp, socket, Fixed(), se3.pose(np.eye(3), where), inertia=tube),
        Link(rod, clamp, blade.rod, turn @ blade.clamp),
    )


__all__ = ["SURGERIES", "amputate", "attach_blade"]
