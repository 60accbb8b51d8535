"""What holds a joint without muscles: ligaments at the ends of its range, and a spring under the toes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.fields import Frozen, declared
from softstride.gait.body import JOINTS

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Ligament(Frozen, of="a ligament"):
    """Moments that grow exponentially beyond the ends of a joint's range.

        M = a e^{−b (x − low)} − c e^{d (x − high)},        damped by  −e ẋ (|first| + |second|)

    with x the joint angle as `joint_angles` has it: dorsiflexion of an ankle, extension of a knee, flexion of a hip.
    The damping is in proportion to what pulls, so a free joint is not damped.

    Attributes:
        low: Where the lower moment is `low_moment` [rad].
        low_moment: a [N m]; zero: no lower end.
        low_rate: b [1/rad].
        high: Where the upper moment is `high_moment` [rad].
        high_moment: c [N m]; zero: no upper end.
        high_rate: d [1/rad].
        damping: e [s/rad].
    """

    low: float = declared(0.0, unit="rad")
    low_moment: float = declared(0.0, unit="N m", least=0.0)
    low_rate: float = declared(0.0, unit="1/rad", least=0.0)
    high: float = declared(0.0, unit="rad")
    high_moment: float = declared(0.0, unit="N m", least=0.0)
    high_rate: float = declared(0.0, unit="1/rad", least=0.0)
    damping: float = declared(0.0, unit="s/rad", least=0.0)

    def moment(self, angle: NDArray[np.float64] | float, rate: NDArray[np.float64] | float = 0.0) -> Floats:
        """Return the moment at joint angles [rad] and rates [rad/s], [N m]."""
        x, v = np.asarray(angle, dtype=np.float64), np.asarray(rate, dtype=np.float64)
        below = self.low_moment * np.exp(-self.low_rate * (x - self.low))
        above = self.high_moment * np.exp(self.high_rate * (x - self.high))
        return np.asarray(below - above - self.damping * v * (below + above))


KNEE = Ligament(high=0.05, high_moment=10.0, high_rate=40.0, damping=0.05)
"""A knee that hardly bends backwards: 10 N m at 3 degrees of hyperextension, 74 N m at 6, 0.2 N m at 3 of flexion.

Assumption: no source; chosen so that hyperextension stays below ten degrees in walking and flexed knees feel nothing.
"""


@dataclass(frozen=True)
class Ligaments:
    """Ligaments by joint; legs are alike. The default limits hyperextension of the knees and leaves the rest free.

    Attributes:
        ankle: Of both ankles; None: none.
        knee: Of both knees.
        hip: Of both hips.
    """

    ankle: Ligament | None = None
    knee: Ligament | None = KNEE
    hip: Ligament | None = None

    def table(self) -> Floats:
        """Return a, b, low, c, d, high, e of all joints, shape (6, 7), in the order of `JOINTS`."""
        rows = np.zeros((len(JOINTS), 7))
        for j, name in enumerate(JOINTS):
            each = getattr(self, name.partition("_")[2])
            if each is not None:
                rows[j] = (
                    each.low_moment,
                    each.low_rate,
                    each.low,
                    each.high_moment,
                    each.high_rate,
                    each.high,
                    each.damping,
                )
        return rows


@dataclass(frozen=True)
class ToeSpring(Frozen, of="a toe spring"):
    """A spring between the foot and its toes, which lie on the floor while the heel is up (phase 4).

    A torque M = −k θ − d θ̇ on the foot, θ the angle of the sole (below zero, heel up): it turns the foot back to the
    floor as bent toes do, and moves the centre of pressure ahead of the pivot by M over the upward force.

    Attributes:
        stiffness: k [N m/rad].
        damping: d [N m s/rad].
    """

    stiffness: float = declared(..., unit="N m/rad", least=0.0)
    damping: float = declared(0.0, unit="N m s/rad", least=0.0)
