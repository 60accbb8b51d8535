"""From a recording to a study: landmarks, joint centres, segments, inertia, loads, joints. One call a step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from softstride.capture.labels import subjects
from softstride.capture.prepare import smooth_markers
from softstride.capture.recording import Recording
from softstride.capture.series import Points
from softstride.dynamics.loads import AppliedWrench
from softstride.errors import InputError
from softstride.notes import Note, Notes
from softstride.segments.acting import segment_loads
from softstride.segments.bodies import segment_bodies
from softstride.segments.body_size import Size
from softstride.segments.build import BuiltSegment, build_segment, build_segments, lacking
from softstride.segments.calibration import NO_HELP, carry_landmarks
from softstride.segments.centres import joint_centres
from softstride.segments.functional.apply import JOINTS, functional_joint
from softstride.segments.gaps import bridge_clusters
from softstride.segments.inverse import inverse_dynamics
from softstride.segments.jcs import proximal_frame
from softstride.segments.joints import Joint, build_joint
from softstride.segments.landmark_definitions import definitions
from softstride.segments.landmarks import Landmarks, find_landmarks
from softstride.segments.limbs import known_limbs
from softstride.segments.loads import SegmentLoads
from softstride.segments.methods import METHODS, Method
from softstride.segments.motion import SegmentMotion
from softstride.segments.options import SegmentChanges, SegmentOptions
from softstride.segments.solid import deformation, solidified
from softstride.segments.study import SegmentStudy
from softstride.signals.inputs import check_cutoff

Array = NDArray[np.float64]


def analyze(
    recording: Recording,
    static: Recording | None = None,
    options: SegmentOptions | None = None,
    *,
    functional: Mapping[str, Recording] | None = None,
    external: Iterable[AppliedWrench] = (),
    landmarks: Landmarks | None = None,
    **changes: Unpack[SegmentChanges],
) -> SegmentStudy:
    """Find joint angles, net joint forces and moments, and powers from landmarks and force plates.

    Args:
        recording: With markers, and forces where loads are wanted.
        static: A standing trial of the same person, for landmarks that the trial does not show.
        options: What to do; see `SegmentOptions`.
        functional: Movement trials for functional joints, by joint, such as {"right hip": circles}; SCoRE for hip and
            shoulder, SARA for the others. See `functional_joint` for a choice.
        external: What else acts from outside, at the frames of the markers, such as AppliedWrench("right hand", ...).
        landmarks: Found before; taken as they are, without a filter. None: found here.
        **changes: Options to change.

    Returns:
        The study.

    Raises:
        InputError: Landmarks, sizes or options do not do.
    """
    chosen = (options or SegmentOptions()).changed(**changes)
    if landmarks is None:
        landmarks = _landmarks(recording, static, chosen, carries=bool(functional))
    for joint, movement in (functional or {}).items():
        how = chosen.changed(
            protocol=chosen.protocol or landmarks.protocol, subject=_whose(movement, chosen.subject)
        )
        landmarks, _ = functional_joint(landmarks, _landmarks(movement, None, how, carries=True), joint)
    with_centres = joint_centres(
        landmarks, centres=chosen.centres, hip=chosen.hip, leg_length=chosen.leg_length, sex=chosen.sex
    )
    built, left_out = build_segments(with_centres, chosen.segments)
    _check(built, left_out, with_centres)
    _check_asked(functional or (), built, with_centres)
    notes = Notes(with_centres.notes, left_out)
    person = _person(recording, chosen, with_centres)
    motion = {name: _moved(each, chosen) for name, each in built.items()}
    if chosen.solidify:
        notes.add("segments.made-rigid", "segments: made rigid about their proximal ends", topic="segments")
    bodies, said = segment_bodies(built, with_centres, chosen, person)
    notes.extend(said)
    acting, loads, said = segment_loads(recording, motion, bodies, chosen, tuple(external))
    notes.extend(said)
    joints: dict[str, Joint] = {}
    for name in built:
        found = build_joint(built, motion, bodies, loads, name, chosen.ankle)
        if found is not None:
            joints[found.name] = found
            notes.extend(found.notes)
    return SegmentStudy(
        name=recording.name,
        time=with_centres.time,
        joints=joints,
        segments=built,
        motion=motion,
        bodies=bodies,
        loads=loads,
        external=acting,
        deformation={name: deformation(each.motion, each.triad) for name, each in built.items()},
        landmarks=with_centres,
        person=person,
        pelvis=_pelvis(motion["pelvis"]) if "pelvis" in motion else None,
        options=chosen,
        recording=recording,
        notes=tuple(notes),
    )


def four_methods(study: SegmentStudy) -> dict[Method, SegmentLoads]:
    """Return the loads of a study by each of the four methods, from the same segments.

    Each method differentiates its own coordinates.

    Raises:
        InputError: The study has no loads.
    """
    if study.loads is None:
        raise InputError(f"study {study.name!r} has no loads to compare: the recording has no forces")
    found: dict[Method, SegmentLoads] = {}
    plain = {name: SegmentMotion(moved.time, moved.coordinates) for name, moved in study.motion.items()}
    for method in METHODS:
        loads = inverse_dynamics(
            list(study.bodies.values()),
            plain,
            study.external,
            method=method,
            gravity=study.options.gravity,
            differentiator=study.options.differentiator,
        )
        found[method] = known_limbs(loads, study.bodies)[0]
    return found


def _landmarks(
    recording: Recording, static: Recording | None, options: SegmentOptions, *, carries: bool
) -> Landmarks:
    """Return the landmarks of a recording; gaps of clusters that carry some are bridged before the low pass."""
    found = find_landmarks(recording, options.protocol, subject=options.subject)
    if carries or static is not None:
        found = bridge_clusters(found)
    if options.lowpass is not None:
        found = _smoothed(found, recording, options, options.lowpass)
    if static is None:
        return found
    stood = find_landmarks(
        static, options.protocol or found.protocol, subject=_whose(static, options.subject)
    )
    return carry_landmarks(found, stood)


def _smoothed(
    landmarks: Landmarks, recording: Recording, options: SegmentOptions, cutoff: float
) -> Landmarks:
    """Return landmarks, and clusters as they were bridged, after the low pass."""
    if recording.markers is not None:
        check_cutoff("lowpass", cutoff, recording.markers.rate)
    smooth = find_landmarks(
        smooth_markers(recording, cutoff), options.protocol or landmarks.protocol, subject=options.subject
    )
    clusters = {}
    for name, (labels, markers) in landmarks.clusters.items():
        alone = recording.replace(markers=Points(landmarks.time, labels, markers))
        clusters[name] = (labels, smooth_markers(alone, cutoff).markers.values)
    note = Note(
        "markers.low-pass",
        f"markers: low pass of {cutoff:g} Hz, fourth order, no phase shift",
        topic="markers",
        values={"cutoff_hz": cutoff},
    )
    return replace(smooth, clusters=clusters, notes=(*landmarks.notes, note))


def _whose(recording: Recording, subject: str | None) -> str | None:
    """Return whose markers to take of another file of the same person, whose labels may have no prefix."""
    people = subjects(recording.markers.labels) if recording.markers else ()
    return subject if any(people) else None


def _check(built: dict[str, BuiltSegment], left_out: tuple[Note, ...], landmarks: Landmarks) -> None:
    """Refuse a trial that shows no joint at all, with the reasons."""
    joints = [name for name in built if definitions().parent_of(name) in built]
    if not joints:
        absent = [name for note in left_out for name in note.names]
        reasons = " ".join(f"{lacking(landmarks, name)}." for name in absent) or "No landmark is known."
        stood = " ".join(f"The {note}." for note in landmarks.notes if note.code in NO_HELP)
        raise InputError(f"no joint can be built from these landmarks. {reasons} {stood}".rstrip())


def _check_asked(joints: Iterable[str], built: dict[str, BuiltSegment], landmarks: Landmarks) -> None:
    """Refuse a trial that lacks a segment of a joint for which somebody recorded a movement."""
    for joint in joints:
        side, _, kind = joint.partition(" ")
        distal = f"{side} {JOINTS[kind][2]}"
        for name in (distal, definitions().parent_of(distal) or distal):
            if name in built:
                continue
            try:
                build_segment(landmarks, name)
            except InputError as error:
                raise InputError(f"the {joint} was asked for and cannot be built: {error}") from error


def _person(recording: Recording, options: SegmentOptions, landmarks: Landmarks) -> Size:
    subject = recording.subject
    mass = options.mass if options.mass is not None else subject.mass
    height = options.height if options.height is not None else subject.height
    leg = options.leg_length
    if leg is None:
        told = [
            x for side in ("right", "left") if (x := landmarks.measures.get(f"{side} leg_length")) is not None
        ]
        leg = sum(told) / len(told) if told else _leg(landmarks)
    return Size(mass, height, leg, float(np.linalg.norm(options.gravity)))


def _leg(landmarks: Landmarks) -> float | None:
    """Return the mean length from hip over knee to ankle [m]; None where a centre is missing."""
    lengths = []
    for side in ("right", "left"):
        keys = [f"{side} {centre}" for centre in ("HJC", "KJC", "AJC")]
        if all(key in landmarks for key in keys):
            hip, knee, ankle = (landmarks[key] for key in keys)
            parts = np.linalg.norm(hip - knee, axis=1) + np.linalg.norm(knee - ankle, axis=1)
            if np.isfinite(parts).any():
                lengths.append(float(np.nanmean(parts)))
    return sum(lengths) / len(lengths) if lengths else None


def _moved(each: BuiltSegment, options: SegmentOptions) -> SegmentMotion:
    moved = solidified(each.motion, each.triad) if options.solidify else each.motion
    return moved.differentiated(options.differentiator)


def _pelvis(motion: SegmentMotion) -> Array:
    """Return tilt (forward +), obliquity (right side up +) and rotation (to the left +) against the world [rad]."""
    R = proximal_frame(motion)
    rotation = np.arctan2(-R[:, 2, 0], R[:, 0, 0])
    tilt = -np.arcsin(np.clip(R[:, 1, 0], -1.0, 1.0))
    obliquity = np.arctan2(R[:, 1, 2], R[:, 1, 1])
    return np.stack([tilt, obliquity, rotation], axis=-1)
