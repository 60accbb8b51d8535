"""A decoded C3D file as a `Recording`, still in the axes of the laboratory."""

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from softstride.capture.c3d import C3DFile, Parameter, point_kinds, texts_of
from softstride.capture.emg_channels import find_emg
from softstride.capture.plates import PlateZero, read_plates
from softstride.capture.recording import Event, Recording, Subject
from softstride.capture.series import Channels, Floats, Points
from softstride.capture.units import (
    ANGLE,
    FORCE,
    LENGTH,
    MOMENT,
    POWER,
    Unit,
    in_si,
    read_length_unit,
    read_unit,
)
from softstride.naming import LETTERS, SIDE_WORDS
from softstride.notes import Notes
from softstride.results import owned

Groups = Mapping[str, Mapping[str, Parameter]]

# kind -> parameter of POINT with its unit, units, unit if none is named, SI
KINDS = {
    "angle": ("ANGLE_UNITS", ANGLE, "deg", "rad"),
    "force": ("FORCE_UNITS", FORCE, "N", "N"),
    "moment": ("MOMENT_UNITS", MOMENT, "Nmm", "N m"),
    "power": ("POWER_UNITS", POWER, "W", "W"),
    "scalar": ("SCALAR_UNITS", LENGTH, "mm", "m"),
    "reaction": ("REACTION_UNITS", FORCE, "N", "N"),
}

STRIKES = {
    "foot strike",
    "heel strike",
    "foot contact",
    "initial contact",
    "fs",
    "hs",
    "ic",
    "rhs",
    "lhs",
    "rfs",
    "lfs",
}
OFFS = {"foot off", "toe off", "fo", "to", "rto", "lto", "rfo", "lfo"}


def recording_from_c3d(file: C3DFile, path: Path, zero: PlateZero = None) -> Recording:
    """Return everything that a C3D file holds, in SI units and lab axes.

    Args:
        file: The decoded file.
        path: Where it came from.
        zero: How the plates are zeroed, see `read_plates`.
    """
    notes = Notes(replace(note, text=f"file {path.name}: {note.text}") for note in file.notes)
    start = (file.first_frame - 1) / file.rate
    time = start + np.arange(len(file.points)) / file.rate
    members = _group_points(file, notes)
    markers, unit = _markers(file, time, members["marker"], notes)
    outputs = {
        kind: _output(file, time, kind, indices, notes)
        for kind, indices in members.items()
        if kind != "marker" and indices
    }
    analog_time = start + np.arange(len(file.analog)) / file.analog_rate if file.analog.size else np.zeros(0)
    analog = Channels.none()
    if file.analog.size:
        analog = Channels(analog_time, file.analog_labels, owned(file.analog), file.analog_units)
    plates, plate_notes = read_plates(file, zero=zero, length_unit=unit)
    emg = find_emg(analog, frozenset(label for plate in plates for label in plate.channels))
    if emg:
        said = f"emg: {len(emg)} analog channels in volts name a muscle or say EMG: {', '.join(emg)}"
        notes.add("emg.channels-found", said, topic="emg", names=emg)
    return Recording(
        name=path.stem,
        files=(path.name,),
        markers=markers,
        outputs=outputs,
        analog=analog,
        emg=analog.select(emg) if emg else Channels.none(),
        plates=plates,
        events=_events(file, start, time, notes),
        subject=_subject(file.groups, notes),
        parameters=file.groups,
        notes=(*notes, *plate_notes),
    )


def _markers(file: C3DFile, time: Floats, indices: list[int], notes: Notes) -> tuple[Points, Unit]:
    raw = file.points if len(indices) == file.points.shape[1] else file.points[:, indices]
    unit, note = read_length_unit(file.point_units, raw)
    notes.extend([note] if note else [])
    markers = Points(
        time,
        tuple(file.point_labels[i] for i in indices),
        owned(in_si(raw, unit)),
        "m",
        residuals=owned(in_si(file.residuals[:, indices], unit)),
        cameras=owned(file.cameras[:, indices]),
    )
    return markers, unit


def _group_points(file: C3DFile, notes: Notes) -> dict[str, list[int]]:
    """Return the columns of each kind of point: markers, and what a model computed."""
    kind_of = point_kinds(file.groups)
    members: dict[str, list[int]] = {kind: [] for kind in ("marker", *KINDS)}
    for i, label in enumerate(file.point_labels):
        members[kind_of.get(label, "marker")].append(i)
    computed = {kind: len(found) for kind, found in members.items() if kind != "marker" and found}
    if computed:
        listed = ", ".join(f"{count} {kind}" for kind, count in computed.items())
        said = f"points: besides {len(members['marker'])} positions the file holds {listed} series of a model"
        values = {"positions": len(members["marker"]), **computed}
        notes.add("points.series-of-a-model", said, topic="points", values=values)
    return members


def _output(file: C3DFile, time: Floats, kind: str, indices: list[int], notes: Notes) -> Points:
    unit_name, table, fallback, si = KINDS[kind]
    named = next(iter(texts_of(file.groups.get("POINT", {}), unit_name)), "")
    unit = read_unit(named or fallback, table)
    if unit is None:
        said = f"units: POINT:{unit_name} {named!r} is not known; {kind} series are left in it"
        notes.add("units.unit-unknown", said, topic="units", names=(f"POINT:{unit_name}",))
        unit, si = Unit(1.0), named
    elif not named:
        said = f"units: the file has no POINT:{unit_name}; {kind} series are read as {fallback}"
        notes.add("units.unit-missing", said, topic="units", names=(f"POINT:{unit_name}",))
    return Points(
        time,
        tuple(file.point_labels[i] for i in indices),
        owned(in_si(file.points[:, indices], unit)),
        si + ("/kg" if unit.per_mass else ""),
    )


def _events(file: C3DFile, start: float, time: Floats, notes: Notes) -> tuple[Event, ...]:
    group = file.groups.get("EVENT", {})
    labels, contexts, times = texts_of(group, "LABELS"), texts_of(group, "CONTEXTS"), _event_times(group)
    if labels and len(times):
        used = (
            int(group["USED"].counts().flat[0])
            if "USED" in group and not group["USED"].is_text
            else len(labels)
        )
        if len({used, len(labels), len(times), len(contexts)}) > 1:
            said = (
                f"events: the file says {used} and holds {len(labels)} labels, {len(times)} times and {len(contexts)} "
                "sides; those that have a label and a time are read"
            )
            values = {"used": used, "labels": len(labels), "times": len(times), "sides": len(contexts)}
            notes.add("events.counts-differ", said, topic="events", values=values)
        found = list(zip(labels, times, (*contexts, *([""] * len(labels))), strict=False))
    else:
        found = [(label, at, "") for label, at, shown in file.header_events if shown]
    known = [(label, float(at), context) for label, at, context in found if math.isfinite(at)]
    if not known or not len(time):
        return ()
    instants = np.array([at for _, at, _ in known])
    slack = 1.5 / file.rate
    absolute = (instants >= time[0] - slack) & (instants <= time[-1] + slack)
    relative = (instants >= -slack) & (instants <= time[-1] - start + slack)
    shift = 0.0
    if start > 0 and not absolute.any() and relative.all():
        shift = start
        said = f"events: their times count from the first frame, not from the clock; {start:.3f} s added"
        notes.add("events.shifted", said, topic="events", values={"added_s": start})
    elif not absolute.all():
        outside = int((~absolute).sum())
        said = f"events: {outside} of {len(instants)} lie outside the recording"
        values = {"outside": outside, "events": len(instants)}
        notes.add("events.outside", said, severity="warning", topic="events", values=values)
    return tuple(_event(label, at + shift, context) for label, at, context in known)


def _event_times(group: Mapping[str, Parameter]) -> Floats:
    """Return the instants of all events [s]; the file holds minutes and seconds."""
    parts = []
    for key in ("TIMES", *(f"TIMES{i}" for i in range(2, 100))):
        if key not in group or group[key].is_text or group[key].numbers().size % 2:
            break
        parts.append(group[key].numbers().reshape(-1, 2) @ (60.0, 1.0))
    return np.concatenate(parts) if parts else np.zeros(0)


def _event(label: str, at: float, context: str) -> Event:
    word, side_word = label.strip().lower(), context.strip().lower()
    side = SIDE_WORDS.get(side_word)
    if side is None and len(word) == 3 and word in STRIKES | OFFS:
        side = LETTERS.get(word[0])
    meaning = "strike" if word in STRIKES else "off" if word in OFFS else label.strip()
    return Event(meaning, at, side)


def _subject(groups: Groups, notes: Notes) -> Subject:
    measures: dict[str, float] = {}
    for group in ("PROCESSING", "SUBJECT", "SUBJECTS", "ANTHROPOMETRY"):
        for name, parameter in groups.get(group, {}).items():
            if parameter.kind == 4 and parameter.numbers().size == 1:
                measures.setdefault(name, parameter.scalar())
    names = (*texts_of(groups.get("SUBJECTS", {}), "NAMES"), *texts_of(groups.get("SUBJECT", {}), "NAME"))
    mass = next(
        (measures[key] for key in ("BODYMASS", "MASS", "WEIGHT", "BODYWEIGHT") if measures.get(key, 0) > 0),
        None,
    )
    height = next(
        (measures[key] for key in ("HEIGHT", "BODYHEIGHT", "STATURE") if measures.get(key, 0) > 0), None
    )
    if mass is not None and not 2.0 <= mass <= 400.0:
        said = f"subject: a mass of {mass:.4g} kg is not a person's; not used"
        notes.add("subject.mass-odd", said, topic="subject", values={"mass_kg": mass})
        mass = None
    if height is not None:
        height = next((height / per for per in (1.0, 100.0, 1000.0) if 0.4 <= height / per <= 2.6), None)
        if height is None:
            said = "subject: the height in the file is not a person's; not used"
            notes.add("subject.height-odd", said, topic="subject")
    return Subject(names[0].strip() if names else "", mass, height, measures)
