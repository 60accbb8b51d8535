"""What acts on the segments of a person from outside, and the loads that follow."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softstride.capture.recording import Recording
from softstride.dynamics.loads import AppliedWrench
from softstride.naming import SIDES
from softstride.notes import Note
from softstride.segments.body import BodySegment
from softstride.segments.external import ground_loads, without_hands
from softstride.segments.hands import hand_loads
from softstride.segments.inverse import inverse_dynamics
from softstride.segments.limbs import known_limbs
from softstride.segments.loads import SegmentLoads
from softstride.segments.motion import SegmentMotion
from softstride.segments.options import SegmentOptions

Array = NDArray[np.float64]


def segment_loads(
    recording: Recording,
    motion: dict[str, SegmentMotion],
    bodies: dict[str, BodySegment],
    options: SegmentOptions,
    given: tuple[AppliedWrench, ...],
) -> tuple[tuple[AppliedWrench, ...], SegmentLoads | None, list[Note]]:
    """Return what acts, the loads that follow, and notes; no loads where nothing acts that is known."""
    if not recording.forces and not given:
        words = "loads: the recording has no forces, so that only angles are known"
        return given, None, [Note("loads.no-forces", words, topic="loads")]
    if not bodies:
        words = "loads: no segment has inertia, so that only angles are known"
        return given, None, [Note("loads.no-inertia", words, topic="loads")]
    time = next(iter(motion.values())).time
    hands, said = _hands(recording, bodies, time)
    given = (*hands, *given)
    feet, notes = _feet(without_hands(recording), bodies, options, given, time)
    notes = [*notes, *said]
    if not feet and not given:
        return given, None, notes
    moved = motion
    if options.method != "nonorthonormal":  # each method differentiates its own coordinates
        moved = {name: SegmentMotion(each.time, each.coordinates) for name, each in motion.items()}
    acting = (*feet, *given)
    loads = inverse_dynamics(
        list(bodies.values()),
        moved,
        acting,
        method=options.method,
        gravity=options.gravity,
        multipliers=options.method == "nonorthonormal",
        differentiator=options.differentiator,
    )
    loads, missing = known_limbs(loads, bodies)
    return acting, loads, [*notes, *missing]


def _hands(
    recording: Recording, bodies: dict[str, BodySegment], time: Array
) -> tuple[list[AppliedWrench], list[Note]]:
    """Return what files say to act on hands that were built, and notes."""
    found = hand_loads(recording, time)
    left_out = [wrench.link for wrench in found if wrench.link not in bodies]
    notes = [
        Note(
            "forces.on-no-hand",
            f"forces: what acts on the {hand} is left out: that segment was not built, or has no inertia",
            "warning",
            topic="forces",
            names=(hand,),
        )
        for hand in left_out
    ]
    return [wrench for wrench in found if wrench.link in bodies], notes


def _feet(
    recording: Recording,
    bodies: dict[str, BodySegment],
    options: SegmentOptions,
    given: tuple[AppliedWrench, ...],
    time: Array,
) -> tuple[list[AppliedWrench], list[Note]]:
    """Return what the ground does to the feet that were built, and notes.

    Without plates it is not known, and not zero, on a foot for which nothing is given.
    """
    if recording.forces:
        ground = ground_loads(recording, time, subject=options.subject, lowpass=options.lowpass_forces)
        feet = [wrench for wrench in ground.wrenches if wrench.link in bodies]
        words = "loads: no foot was built, so that the ground has nothing to act on"
        footless = [] if feet else [Note("loads.no-foot", words, "warning", topic="loads")]
        return feet, [*_filtering(options), *ground.notes, *footless]
    told = {wrench.link for wrench in given}
    open_feet = [foot for side in SIDES if (foot := f"{side} foot") in bodies and foot not in told]
    unknown = np.full((len(time), 3), np.nan)
    notes = [
        Note(
            "loads.foot-not-measured",
            f"loads: nothing measured what acts on the {foot}: not known from there up",
            "warning",
            topic="loads",
            names=(foot,),
        )
        for foot in open_feet
    ]
    return [AppliedWrench(foot, unknown, unknown, unknown) for foot in open_feet], notes


def _filtering(options: SegmentOptions) -> list[Note]:
    """Return how forces were filtered, or that markers were and they were not."""
    cutoff, of_markers = options.lowpass_forces, options.lowpass
    if cutoff is not None:
        words = f"forces: low pass of {cutoff:g} Hz, fourth order, no phase shift"
        return [Note("forces.low-pass", words, topic="forces", values={"cutoff_hz": cutoff})]
    if of_markers is None:
        return []
    words = (
        f"forces: as measured, without the low pass of {of_markers:g} Hz of the markers (--lowpass-forces)"
    )
    return [Note("forces.not-filtered", words, topic="forces", values={"marker_cutoff_hz": of_markers})]
