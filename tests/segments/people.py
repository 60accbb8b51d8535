"""A person of landmarks: standing still, or with legs that move as the reference limb does."""

import numpy as np
from numpy.typing import NDArray

from softstride.capture import ExternalForce, Points, Recording, Subject
from softstride.segments.reference import reference_limb

Array = NDArray[np.float64]

# places in metres, x forward, y up, z right; the right side, mirrored for the left
SIDED = {
    "ASIS": (0.05, 1.00, 0.12),
    "PSIS": (-0.12, 1.01, 0.05),
    "LFE": (0.01, 0.50, 0.14),
    "MFE": (0.00, 0.50, 0.05),
    "FH": (-0.02, 0.46, 0.14),
    "TT": (0.05, 0.45, 0.10),
    "LM": (-0.01, 0.08, 0.13),
    "MM": (0.00, 0.09, 0.06),
    "CAL": (-0.05, 0.04, 0.09),
    "M1": (0.13, 0.02, 0.06),
    "M2": (0.14, 0.03, 0.08),
    "M5": (0.11, 0.02, 0.13),
    "TTIP": (0.20, 0.01, 0.08),
    "ACR": (-0.01, 1.46, 0.19),
    "HLE": (0.00, 1.14, 0.25),
    "HME": (0.00, 1.14, 0.17),
    "RS": (0.02, 0.90, 0.26),
    "US": (0.02, 0.90, 0.20),
    "MC2": (0.03, 0.82, 0.26),
    "MC5": (0.03, 0.82, 0.20),
}
MIDDLE = {
    "C7": (-0.08, 1.50, 0.0),
    "IJ": (0.05, 1.44, 0.0),
    "PX": (0.08, 1.27, 0.0),
    "VERTEX": (0.0, 1.75, 0.0),
}
MIDDLE |= {"SEL": (0.10, 1.66, 0.0)}


def standing(n: int = 20, without: tuple[str, ...] = (), **places: tuple[float, float, float]) -> Recording:
    """Return somebody who stands still with ISB labels, some of them missing or elsewhere."""
    points = dict(MIDDLE)
    for name, (x, y, z) in SIDED.items():
        points[f"R{name}"], points[f"L{name}"] = (x, y, z), (x, y, -z)
    points |= places
    labels = tuple(name for name in points if name not in without)
    values = np.tile([points[name] for name in labels], (n, 1, 1))
    return Recording(
        "standing",
        markers=Points(np.arange(n) / 100.0, labels, values),
        subject=Subject(mass=80.0, height=1.75),
    )


def reference_walk(n: int = 101, rate: float = 100.0) -> Recording:
    """Return markers on the reference limb, as a right leg with a pelvis that follows the hip, and its ground reaction.

    Markers are placed so that the landmarks give the limb's own triads: u of thigh and shank is the normal of a plane
    through markers that lie across it, w the line between two others.
    """
    t = np.arange(n) / rate
    limb = reference_limb(t)
    places: dict[str, Array] = {}
    for name, kinds in (("thigh", ("LFE", "MFE")), ("shank", ("LM", "MM"))):
        motion = limb.motion[name]
        places[f"R{kinds[0]}"] = motion.distal + 0.05 * motion.across
        places[f"R{kinds[1]}"] = motion.distal - 0.05 * motion.across
    foot = limb.motion["foot"]
    places["RM5"], places["RM1"] = foot.distal + 0.04 * foot.across, foot.distal - 0.04 * foot.across
    places["RCAL"] = foot.distal - 0.2 * foot.forward
    hip = limb.motion["thigh"].proximal
    places["RHJC"] = hip
    for label, offset in (("RASIS", (0.05, 0.09, 0.04)), ("LASIS", (0.05, 0.09, -0.20))):
        places[label] = hip + offset
    for label, offset in (("RPSIS", (-0.12, 0.1, -0.03)), ("LPSIS", (-0.12, 0.1, -0.13))):
        places[label] = hip + offset
    (ground,) = limb.external
    force = ExternalForce("plate", t, ground.force, ground.point, ground.moment, side="right")
    labels = tuple(places)
    values = np.stack([places[label] for label in labels], axis=1)
    return Recording(
        "reference",
        markers=Points(t, labels, values),
        forces=(force,),
        subject=Subject(mass=80.0, height=1.75),
    )
