"""A stance that needs no recording: the intact leg of the packaged athlete, walking.

The athlete walks at 1.3 m/s with a blade on the right; the left foot strikes at 0.61 s. A whole person of the same size
takes the place: coordinates by name, the right ankle, which the athlete has not, held at zero; the ground pushes the
right foot as it pushed the blade. `softstride.digital_athlete` says how that walking was made: it is no recording.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from softstride.contact import three_sphere_foot
from softstride.digital_athlete import load_athlete
from softstride.digital_athlete.person import HEIGHT, MASS, SEX
from softstride.gait.planar_walk.body import PlanarBody
from softstride.gait.planar_walk.person import planar_person
from softstride.gait.planar_walk.reference import StanceReference, reference_from_track
from softstride.gait.planar_walk.result import StanceResult
from softstride.gait.planar_walk.rollover import Rollover, fit_rollover
from softstride.gait.planar_walk.stance import WINDOW, Contact, simulate_stance
from softstride.gait.planar_walk.track import SagittalTrack, sagittal_track
from softstride.kinematics.motion import Motion
from softstride.model.load import load_model

SPAN = (0.56, 1.6)
"""Part of the athlete's walking with one whole stance of the left leg [s]."""


@dataclass(frozen=True, eq=False)
class PackagedStance:
    """All that a stance needs.

    Attributes:
        body: The walker.
        reference: Its motion.
        rollover: Of its left foot.
        track: The motion seen from the side.
    """

    body: PlanarBody
    reference: StanceReference
    rollover: Rollover
    track: SagittalTrack


@cache
def packaged_stance() -> PackagedStance:
    """Return the packaged stance, found once."""
    truth = load_athlete("walking", noise=False, artefact=False).truth
    person = load_model("gait", mass=MASS, height=HEIGHT, sex=SEX)
    frames = np.flatnonzero((truth.time >= SPAN[0]) & (truth.time <= SPAN[1]))
    walked = Motion(
        truth.model, truth.time[frames], truth.q[frames], rates=(truth.v[frames], truth.a[frames])
    )
    q = np.tile(person.neutral(), (len(frames), 1))
    for column, name in enumerate(person.coordinate_names):
        if name in truth.model.coordinate_names:
            q[:, column] = walked.coordinate(name)
    track = sagittal_track(Motion(person, walked.time, q))
    forces = {side[0]: truth.wrenches[f"ground_{side}"] for side in ("left", "right")}
    wrenches = {
        side: type(wrench)(wrench.link, wrench.force[frames], wrench.point[frames], wrench.moment[frames])
        for side, wrench in forces.items()
    }
    rollover = fit_rollover(track, wrenches["l"], "l")
    body = planar_person(person, track, rollover, "l")
    reference = reference_from_track(
        track,
        wrenches,
        "l",
        rollover,
        (body.thigh_length, body.shank_length),
        source="left leg of the packaged athlete, walking",
    )
    return PackagedStance(body, reference, rollover, track)


def walk(
    contact: Contact = "rolling",
    *,
    window: tuple[float, float] = WINDOW,
    exponent: float = 1.5,
) -> StanceResult:
    """Simulate a stance of the packaged walker.

    Args:
        contact: "rolling" or "spheres".
        window: Shares of the gait cycle where to begin and to end.
        exponent: Of the spheres of Table 2 of [Caspers]: 1.5 after Hertz; 1, as the unit in the table suggests, is some
            thirty times the work, since toes of 1e9 N/m rattle.
    """
    found = packaged_stance()
    return simulate_stance(
        found.body,
        found.reference,
        contact=contact,
        surface=found.rollover.surface,
        origin=found.rollover.origin,
        floor=found.rollover.floor,
        spheres=three_sphere_foot(exponent).contact,
        window=window,
    )
