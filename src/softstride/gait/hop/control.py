"""What hip and knee do in a hop: hold a posture like springs with dampers, and push the knee straight."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.fields import Frozen, declared
from softstride.gait.hop.leg import COORDINATES
from softstride.model.model import Model

Floats = NDArray[np.float64]

HIP, KNEE = COORDINATES.index("hip"), COORDINATES.index("knee")


@dataclass(frozen=True)
class Muscles(Frozen, of="the leg"):
    """Joint impedance of the leg.

    Attributes:
        hip_stiffness: [N m/rad].
        hip_damping: [N m s/rad].
        knee_stiffness: [N m/rad].
        knee_damping: [N m s/rad].
    """

    hip_stiffness: float = declared(1500.0, unit="N m/rad", least=0.0)
    hip_damping: float = declared(30.0, unit="N m s/rad", least=0.0)
    knee_stiffness: float = declared(2500.0, unit="N m/rad", least=0.0)
    knee_damping: float = declared(25.0, unit="N m s/rad", least=0.0)


@dataclass(frozen=True, eq=False)
class LegControl:
    """Moments of hip and knee, a force field: tau = k (wanted - q) - d v, and a push that straightens the knee.

    Attributes:
        posture: Flexion of hip and knee that is held [rad].
        muscles: How stiffly.
        push: Extending moment of the knee [N m].
    """

    posture: tuple[float, float]
    muscles: Muscles
    push: float = 0.0

    def forces(self, model: Model, t: Floats, q: Floats, v: Floats) -> Floats:
        """Return the generalized forces, shape (F, nv)."""
        m = self.muscles
        tau = np.zeros_like(v)
        tau[:, HIP] = m.hip_stiffness * (self.posture[0] - q[:, HIP]) - m.hip_damping * v[:, HIP]
        tau[:, KNEE] = (
            m.knee_stiffness * (self.posture[1] - q[:, KNEE]) - m.knee_damping * v[:, KNEE] - self.push
        )
        return tau

    def derivatives(self, model: Model, t: float, q: Floats, v: Floats) -> tuple[Floats, Floats]:
        """Return their derivatives by q and v, each of shape (nv, nv)."""
        m = self.muscles
        by_q, by_v = np.zeros((model.nv, model.nv)), np.zeros((model.nv, model.nv))
        by_q[HIP, HIP], by_q[KNEE, KNEE] = -m.hip_stiffness, -m.knee_stiffness
        by_v[HIP, HIP], by_v[KNEE, KNEE] = -m.hip_damping, -m.knee_damping
        return by_q, by_v
