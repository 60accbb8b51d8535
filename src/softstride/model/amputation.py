"""Cut a leg below or above the knee: bone, mass and inertia, muscles, and all that hung below."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from os import PathLike
from typing import Any

from softstride.errors import ModelError
from softstride.model import checks
from softstride.model.cut import Cut
from softstride.model.leg import (
    JOINTS,
    Bone,
    descendants,
    find_shank_bone,
    find_thigh_bone,
    side_letter,
)
from softstride.model.model import Model
from softstride.model.residual_limb import cut_segment
from softstride.model.roles import ARTIFICIAL
from softstride.model.surgery.file import read_surgery, surgery_from
from softstride.model.surgery.operate import operate
from softstride.model.surgery.table import Surgery
from softstride.naming import words_of
from softstride.notes import Note, Notes

SURGERIES = ("myodesis", "myoplasty", "osteomyoplasty", "unattached", "none")
"""How the ends of cut muscles are fixed: to the bone, to each other, to each other over a bone bridge, not at all."""

BELOW_KNEE = 0.13
"""Distance of the cut from the knee if none is given [m]."""

SHORTEST = 0.03
"""Shortest stump, and shortest part that is cut off [m]."""

LOST = {
    "ligament": "lost a point of its path or a coordinate that it depends on",
    "actuator": "lost its coordinate, link or point",
    "marker": "was below the cut",
}
"""Why something is left out, one note each."""


def amputate(
    model: Model,
    side: str = "right",
    below_knee: float | None = None,
    *,
    below_hip: float | None = None,
    surgery: str | PathLike[str] | Mapping[str, Any] | Surgery = "myodesis",
    muscles: Mapping[str, Mapping[str, Any]] | None = None,
    pose: Mapping[str, float] | None = None,
    shank: str | None = None,
) -> Model:
    """Cut a leg below the knee (transtibial) or above it (transfemoral).

    The bone is cut across its axis, from the centre of the joint above to that of the joint below. What is above keeps
    the name of the link and has the inertia of `cut_segment` (a solid of revolution of one density). All links that
    hung below the cut are gone, with their coordinates, markers, frames, contact shapes, wrapping surfaces and
    actuators, and what was on the bone below the cut. Ligaments that lost a point of their path are left out, and
    those that stay lose the wrapping surfaces below the cut.

    Muscles that are cut are treated as the table of the surgery says, row by row: secured to the bone end, sewn to
    each other over it, or left out; see `Surgery`, `Treatment`, and for the mechanics `severed`, `in_series` and
    `tensioned`. `notes` names all that is gone or changed.

    Frames are added on the bone: "stump_r" (or "_l") at the cut, y along the bone towards the joint above, x forward
    (the world's x in the default pose, across the bone); "ground_r", where the ground was under the standing leg, on
    the same axis; and above the knee "stump_knee_r", where the knee was.

    Args:
        model: A model with a whole leg on this side.
        side: "right" or "left".
        below_knee: Distance of a cut through the shank from the centre of the knee [m]; 0.13 if neither is given.
        below_hip: Distance of a cut through the thigh from the centre of the hip [m].
        surgery: One of `SURGERIES` ("none" is "unattached"), or an own table: the path of a .toml file, a mapping with
            its keys, or a `Surgery`.
        muscles: What differs from the table, by muscle, as its rows have it:
            {"soleus_r": {"strength": 0.3}, "tibant": {"to": "front", "origin": 0.5}}. Names are those of the model,
            or those of the tables, without a side. Muscles that are not cut may be given a strength.
        pose: Values of coordinates [rad] or [m] in which the surgeon sets the tension of the muscles; coordinates that
            are not named, and all if None, have their defaults.
        shank: Name of the shank link, if its name does not tell.

    Returns:
        A new model.

    Raises:
        ModelError: No shank or thigh was found, the leg is cut already, the cut is not on the bone, the bone lies along
            the world's x in the default pose, so that forward is not known, or a table that cannot be or does not fit.
    """
    letter = side_letter(side)
    if below_knee is not None and below_hip is not None:
        raise ModelError(
            f"a leg is cut once: give below_knee or below_hip, however they are {below_knee!r} and {below_hip!r}."
        )
    if f"stump_{letter}" in model.frames:
        raise ModelError(
            f"the {side} leg of {model.name!r} is cut already: it has the frame 'stump_{letter}'."
        )
    bone = (find_shank_bone if below_hip is None else find_thigh_bone)(model, side, shank)
    table = _surgery(surgery, bone)
    made = [name for name in (bone.link, *descendants(model, bone.link)) if words_of(name) & ARTIFICIAL]
    if made:
        raise ModelError(f"the {side} leg of {model.name!r} is cut already: it has the link {made[0]!r}.")
    above, below = JOINTS[bone.level]
    given = below_hip if below_hip is not None else BELOW_KNEE if below_knee is None else below_knee
    distance = checks.number(given, f"below_{above}")
    if not SHORTEST <= distance <= bone.length - SHORTEST:
        raise ModelError(
            f"below_{above} must be between {SHORTEST} and {bone.length - SHORTEST:.3f} m on {bone.link!r}, which is "
            f"{bone.length:.3f} m long from {above} to {below}, however it is {distance:g} m."
        )
    return _left(Cut(model, bone, distance, letter), table, muscles, pose)


def _surgery(given: object, bone: Bone) -> Surgery:
    """Return the table that the caller means."""
    from softstride.model.library.surgery import surgery as packaged

    if isinstance(given, Surgery):
        return given
    if isinstance(given, Mapping):
        return surgery_from(given)
    if isinstance(given, PathLike) or (isinstance(given, str) and given.lower().endswith(".toml")):
        return read_surgery(given)
    if not isinstance(given, str) or given not in SURGERIES:
        raise ModelError(
            f"surgery must be one of {', '.join(SURGERIES)}, or an own table (a .toml file, a mapping or a Surgery), "
            f"however it is {given!r}."
        )
    return packaged("unattached" if given == "none" else given, bone.level)


def _left(
    cut: Cut,
    surgery: Surgery,
    changes: Mapping[str, Mapping[str, Any]] | None,
    pose: Mapping[str, float] | None,
) -> Model:
    """Return the model without what is cut off."""
    model, bone = cut.model, cut.bone
    above, removed = cut_segment(model.link(bone.link).inertia, bone.top, bone.bottom, cut.distance)
    links = tuple(
        dataclasses.replace(link, inertia=above) if link.name == bone.link else link
        for link in model.links
        if link.name not in cut.gone
    )
    coordinates = {name: item for name, item in model.coordinates.items() if name in cut.coordinates}
    wraps, bare = _split(model.wraps, lambda wrap: cut.lost(wrap.link, wrap.pose[:3, 3]))
    ligaments, torn = _split(model.ligaments, lambda band: cut.path_lost(band.path))
    actuators, idle = _split(model.actuators, cut.idle)
    markers, unseen = _split(model.markers, lambda point: cut.lost(point.link, point.position))
    frames, unplaced = _split(model.frames, lambda frame: cut.lost(frame.link, frame.position))
    contacts, untouched = _split(
        model.contacts,
        lambda shape: cut.lost(shape.link, shape.pose[:3, 3] if hasattr(shape, "pose") else shape.position),
    )
    operated = operate(cut, surgery, changes, pose)
    joint = JOINTS[bone.level][0]
    mass = removed.mass + sum(model.link(name).mass for name in cut.gone)
    source = f", {surgery.source}" if surgery.source else ""
    gone = sorted(cut.gone, key=model.index)
    notes = Notes()
    notes.add(
        "amputation.cut",
        f"{bone.link!r} is cut {cut.distance:.3f} m below the {joint} centre ({surgery.name}{source}); its stump of "
        f"{above.mass:.3f} kg is a solid of revolution of one density; {mass:.3f} kg are gone with {_listed(gone)}",
        names=(bone.link, *gone),
        values={"below_joint_m": cut.distance, "stump_kg": above.mass, "gone_kg": mass},
    )
    notes.add(
        "amputation.ground-by-contact" if bone.by_contact else "amputation.ground-by-table",
        f"the ground is {bone.sole:.3f} m below the {joint}, "
        + (
            "where the contact shapes of the foot were"
            if bone.by_contact
            else "by the share of an adult's ankle height"
        ),
        values={"below_joint_m": bone.sole},
    )
    notes.extend(operated.notes)
    for kind, missing in (("ligament", torn), ("actuator", idle), ("marker", unseen)):
        for name in missing:
            text = f"{kind} {name!r} {LOST[kind]} and is left out"
            notes.add(f"amputation.{kind}-left-out", text, names=(name,))
    for kind, missing in (("frame", unplaced), ("contact shape", untouched), ("wrapping surface", bare)):
        if missing:
            plural = "s are" if len(missing) > 1 else " is"
            text = f"{len(missing)} {kind}{plural} left out, below the cut: {_listed(missing)}"
            notes.add(f"amputation.{kind.replace(' ', '-')}s-left-out", text, names=missing)
    bands: dict[str, dict[str, Any]] = {"muscle": operated.muscles, "ligament": ligaments}
    for kind, table in bands.items():
        for name, band in table.items():
            surfaces = [wrap.surface for wrap in band.path.wraps if wrap.surface not in wraps]
            if surfaces:
                text = f"{kind} {name!r} stays, no longer wrapped on {_listed(surfaces)}"
                notes.add("amputation.unwrapped", text, names=(name, *surfaces))
    return model.replace(
        links=links,
        coordinates=coordinates,
        markers=markers,
        frames=frames | cut.frames(),
        muscles={name: _unwrapped(muscle, wraps) for name, muscle in operated.muscles.items()},
        wraps=wraps,
        ligaments={name: _unwrapped(band, wraps) for name, band in ligaments.items()},
        actuators=actuators,
        contacts=contacts,
        notes=(*model.notes, *(_of_the_amputation(note) for note in notes)),
    )


def _of_the_amputation(note: Note) -> Note:
    return dataclasses.replace(note, text=f"amputation: {note.text}", topic="amputation")


def _unwrapped(band: Any, wraps: dict[str, Any]) -> Any:
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
