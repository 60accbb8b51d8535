"""What the ground does to the feet at the frames of a motion, and where nobody measured it.

A foot that steps beside the plates is loaded by a force that no channel has. Frames in which a foot is on the ground by
its events (of the file, or found from markers) while no force of its side acts during that stance are therefore not
known, and not zero.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.capture.force import ExternalForce
from softstride.capture.gait_events import find_events
from softstride.capture.plates.doubts import FeetDoubt, doubts_in
from softstride.capture.plates.feet import assign_feet
from softstride.capture.recording import Recording
from softstride.dynamics.loads import AppliedWrench
from softstride.dynamics.resample import at_frames
from softstride.errors import InputError
from softstride.naming import SIDES, Side, side_of
from softstride.notes import Note, Notes
from softstride.segments.wrenches import low_passed, summed

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

MEASURED = 0.5
"""Share of a stance in which a force must act for the stance to count as measured."""

FAINT = 30.0
"""Force without a foot up to which it is ignored [N]."""


ARMS = re.compile(r"arm|humer|ulna|radi|lunate|wrist|elbow", re.IGNORECASE)
"""Bodies of an arm that are no hands; what acts there cannot be told from a table of feet and hands."""


@dataclass(frozen=True, eq=False)
class GroundLoads:
    """Loads on the feet.

    Attributes:
        wrenches: On "right foot" and "left foot", NaN where they are not known.
        known: Where what acts on a foot is known, by side, shape (n,).
        notes: What was decided on the way.
    """

    wrenches: tuple[AppliedWrench, ...]
    known: dict[Side, Mask]
    notes: tuple[Note, ...]


def ground_loads(
    recording: Recording, time: Array, *, subject: str | None = None, lowpass: float | None = None
) -> GroundLoads:
    """Return what acts on each foot, at the frames of a motion.

    Args:
        recording: With forces that tell their side, and events or markers that tell when feet are on the ground.
        time: Instants of the frames [s], shape (n,).
        subject: Whose markers, where there are those of several people.
        lowpass: Cut-off frequency of a zero-phase Butterworth filter of fourth order on the forces, at their own rate
            and on their wrenches about the origin [Hz]; None: as measured.

    Raises:
        InputError: The recording has no forces.
    """
    recording = without_hands(recording)
    if not recording.forces:
        raise InputError(
            f"recording {recording.name!r} has no forces: joint moments need force plates; without them see "
            "softstride grf, which estimates the ground reaction with a model"
        )
    notes = Notes()
    astray = np.zeros(len(time), dtype=bool)
    by_side: dict[Side, list[ExternalForce]] = {"right": [], "left": []}
    forces, doubts = _with_feet(recording)
    for force in forces:
        side = force.side or side_of(force.body or "")
        if side is not None:
            by_side[side].append(force)
            continue
        sampled = at_frames(force, time)
        acts = np.linalg.norm(sampled.force, axis=1) > FAINT
        if acts.any():
            astray |= acts
            reason = _doubt(force, doubts)
            notes.add(
                "forces.foot-unknown",
                f"forces: {force.name} acts in {int(acts.sum())} frames on a foot that nobody names{reason}: not known "
                "there",
                severity="warning",
                topic="forces",
                names=(force.name,),
                values={"frames": int(acts.sum())},
            )
    events, told = _with_events(recording, subject)
    notes.extend(told)
    wrenches, known = [], {}
    for side in SIDES:
        wrench, seen, said = _foot(side, by_side[side], events, time, astray, lowpass)
        wrenches.append(wrench)
        known[side] = seen
        notes.extend(said)
    return GroundLoads(tuple(wrenches), known, tuple(notes))


def hand_of(force: ExternalForce) -> Side | None:
    """Return the side of the hand that a force acts on by the name of its body; None: it acts on no hand.

    Raises:
        InputError: It acts on another part of an arm, or on a hand of no side.
    """
    body = force.body or ""
    if "hand" in body.lower():
        side = force.side or side_of(body)
        if side is None:
            raise InputError(
                f"force {force.name!r} acts on {body!r}, which tells no side: name it hand_r or hand_l"
            )
        return side
    if ARMS.search(body):
        raise InputError(
            f"force {force.name!r} acts on {body!r}: segments take forces on feet and hands (hand_r, hand_l) from "
            "files; others are given in Python as external=[AppliedWrench(...)]"
        )
    return None


def without_hands(recording: Recording) -> Recording:
    """Return the recording with the forces on feet alone."""
    feet = tuple(force for force in recording.forces if hand_of(force) is None)
    return recording if len(feet) == len(recording.forces) else recording.replace(forces=feet)


def _with_feet(recording: Recording) -> tuple[tuple[ExternalForce, ...], tuple[FeetDoubt, ...]]:
    """Return the forces with the foot that each acts on, where markers show it, and what is doubtful about that."""
    if all(force.side is not None or side_of(force.body or "") is not None for force in recording.forces):
        return recording.forces, ()
    forces, told = assign_feet(recording.forces, recording.plates, recording.markers)
    return forces, doubts_in(told)


def _doubt(force: ExternalForce, doubts: tuple[FeetDoubt, ...]) -> str:
    """Return why a force has no foot, in brackets; nothing where nobody said."""
    name = force.name.removesuffix(" unassigned")
    reasons = list(dict.fromkeys(each.reason for each in doubts if each.force == name))
    return f" ({'; '.join(reasons)})" if reasons else ""


def _foot(
    side: Side,
    forces: list[ExternalForce],
    events: Recording,
    time: Array,
    astray: Mask,
    lowpass: float | None,
) -> tuple[AppliedWrench, Mask, Notes]:
    n = len(time)
    about, measured = summed(forces, time)
    known = measured & ~astray
    acts = np.linalg.norm(about[:, 3:], axis=1) > 0.0
    notes = Notes()
    beside = np.zeros(n, dtype=bool)
    for start, stop in stances(events, side, time):
        inside = (time >= start) & (time <= stop)
        if inside.any() and acts[inside].mean() < MEASURED:
            beside |= inside & ~acts
            span = max(start, float(time[0])), min(stop, float(time[-1]))
            notes.add(
                "forces.beside-the-plates",
                f"forces: the {side} foot is on the ground from {span[0]:.2f} to {span[1]:.2f} s, and not on a plate: "
                "not known there",
                severity="warning",
                topic="forces",
                names=(f"{side} foot",),
                span=span,
            )
    known = known & ~beside
    if lowpass is not None:
        about, _ = summed([low_passed(force, lowpass) for force in forces], time)
    force_on, moment = about[:, 3:].copy(), about[:, :3].copy()
    force_on[~known] = moment[~known] = np.nan
    return AppliedWrench(f"{side} foot", force_on, np.zeros((n, 3)), moment), known, notes


def stances(recording: Recording, side: Side, time: Array) -> list[tuple[float, float]]:
    """Return from when to when a foot is on the ground by its events [s]; open at the ends of the trial."""
    changes = sorted(
        [(float(t), True) for t in recording.events_of("strike", side)]
        + [(float(t), False) for t in recording.events_of("off", side)]
    )
    if not changes:
        return []
    found: list[tuple[float, float]] = []
    start: float | None = None if changes[0][1] else float(time[0]) - 1.0
    for at, strikes in changes:
        if strikes:
            start = at if start is None else start
        elif start is not None:
            found.append((start, at))
            start = None
    if start is not None:
        found.append((start, float(time[-1]) + 1.0))
    return found


def _with_events(recording: Recording, subject: str | None) -> tuple[Recording, list[Note]]:
    """Return a recording with strikes and offs of each foot that shows them."""
    lacking = [
        side
        for side in SIDES
        if not (len(recording.events_of("strike", side)) and len(recording.events_of("off", side)))
    ]
    if not lacking:
        return recording, []
    which = " and ".join(lacking)
    feet = tuple(f"{side} foot" for side in lacking)
    try:
        found = find_events(recording, "markers", subject=subject)
    except InputError as error:
        words = f"forces: no events of the {which} foot ({error}): off the plates means in the air"
        return recording, [Note("forces.no-events", words, "warning", topic="forces", names=feet)]
    keep = [e for e in recording.events if e.side not in lacking]
    added = [e for e in found.events if e.source == "markers" and e.side in lacking]
    words = f"forces: when the {which} foot is on the ground was found from markers"
    note = Note("forces.events-of-markers", words, topic="forces", names=feet)
    return recording.replace(events=(*keep, *added)), [note]
