"""The muscles of a whole leg on one that was cut: what an analysis has that knows nothing of the amputation."""

import dataclasses

import numpy as np

import softstride as ss
from softstride.digital_athlete.person import estimator_model, whole_person
from softstride.model import Muscle, Path, PathPoint

CUT = ("gaslat_r", "gasmed_r")
BONE = "tibia_r"


def intact_set() -> ss.Model:
    """Return the analyst's model of the digital athlete with gastrocnemius as before the amputation.

    Its strength is whole, and its path leads to where the heel was in the standing pose, on the shank. Muscles from
    shank to foot would have both ends on one bone: they could move nothing, and are left out.
    """
    cut, whole = estimator_model("unattached"), whole_person()
    return cut.replace(
        muscles={**cut.muscles, **{name: _brought(whole, whole.muscles[name]) for name in CUT}}
    )


def _brought(whole: ss.Model, muscle: Muscle) -> Muscle:
    """Return a muscle whose points on the foot are on the shank."""
    q = whole.neutral()[None]
    points = []
    for point in muscle.path.points:
        if isinstance(point, PathPoint) and point.link not in ("femur_r", BONE):
            T_bone_link = (
                np.linalg.inv(ss.poses(whole, q, [BONE])[0, 0]) @ ss.poses(whole, q, [point.link])[0, 0]
            )
            place = T_bone_link[:3, :3] @ point.position + T_bone_link[:3, 3]
            point = dataclasses.replace(point, link=BONE, position=place)
        points.append(point)
    return dataclasses.replace(muscle, path=Path(tuple(points), muscle.path.wraps))
