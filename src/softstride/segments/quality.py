"""What the rigid-body multipliers say about the markers: how hard constraints must pull to hold a segment together.

The multipliers of the 12 x 12 system are not zero in a rigid motion: they are the forces inside it. What soft tissue,
lost markers and noise add to them is the difference between the multipliers of the segment as landmarks show it and of
the same segment made rigid. That of v . v is a force along the segment, 2 L dlambda: it tells accelerations of its
length, which no bone has.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.segments.inverse import inverse_dynamics
from softstride.segments.motion import SegmentMotion
from softstride.segments.natural import CONSTRAINTS
from softstride.segments.solid import solidified
from softstride.segments.study import SegmentStudy

Array = NDArray[np.float64]

STRETCH = CONSTRAINTS.index("v.v")


@dataclass(frozen=True, eq=False)
class Excess:
    """What non-rigid motion adds to the multipliers of a segment.

    Attributes:
        multipliers: As shown minus as rigid, shape (n, 6), in the order of `natural.CONSTRAINTS`.
        length: Of the segment, L [m].
    """

    multipliers: Array
    length: float

    @property
    def stretch(self) -> Array:
        """Force along the segment that would hold its length, 2 L dlambda of v . v, shape (n,), [N]."""
        return np.asarray(2.0 * self.length * self.multipliers[:, STRETCH])

    @property
    def stretch_rms(self) -> float:
        """Root mean square of `stretch` [N]; NaN where nothing is known."""
        known = self.stretch[np.isfinite(self.stretch)]
        return float(np.sqrt(np.mean(known**2))) if len(known) else float("nan")


def multiplier_excess(study: SegmentStudy) -> dict[str, Excess]:
    """Return what non-rigid motion adds to the multipliers of each segment with inertia."""
    found: dict[str, Excess] = {}
    options = study.options
    for name, body in study.bodies.items():
        shown = study.segments[name].motion
        both = []
        for motion in (shown, solidified(shown, body.triad)):
            plain = {name: SegmentMotion(motion.time, motion.coordinates)}
            loads = inverse_dynamics(
                [body],
                plain,
                gravity=options.gravity,
                multipliers=True,
                differentiator=options.differentiator,
            )
            both.append(np.zeros((len(shown), 6)) if loads.multipliers is None else loads.multipliers[:, 0])
        found[name] = Excess(both[0] - both[1], body.triad.length)
    return found
