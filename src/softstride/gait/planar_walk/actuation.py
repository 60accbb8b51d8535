"""What moves the planar walker besides its driven joints: computed torque, and a foot whose ground force is given.

Computed torque asks inverse dynamics, at the state the walker is in, for the generalized forces of

    a = r''(t) + 2 z w (r'(t) - v) + w^2 (r(t) - q)          (w and z of the pelvis; w = 0 elsewhere)

under the measured forces of the ground. It applies those of the pelvis, and at the ankle that moment with a stiffness
and a damping about the reference. Were the contact model to give the measured force, errors would die out; what it
gives beyond that disturbs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride import engine
from softstride.fields import Frozen, declared
from softstride.gait.planar_walk.model import ROOT
from softstride.gait.planar_walk.reference import COORDINATES, StanceReference
from softstride.model.frame import Frame, Point
from softstride.model.model import Model

Floats = NDArray[np.float64]
Course = Callable[[Floats], Floats]


@dataclass(frozen=True)
class Gains(Frozen, of="the gains"):
    """How stiffly computed torque holds its coordinates.

    Attributes:
        pelvis: w of the three coordinates of the pelvis [rad/s]; zero: the forces of the reference alone.
        damping: z of the pelvis, one: no overshoot.
        ankle_stiffness: [N m/rad].
        ankle_damping: [N m s/rad].
    """

    pelvis: float = declared(10.0, unit="rad/s", least=0.0)
    damping: float = declared(1.0, least=0.0)
    ankle_stiffness: float = declared(400.0, unit="N m/rad", least=0.0)
    ankle_damping: float = declared(12.0, unit="N m s/rad", least=0.0)


@dataclass(frozen=True, eq=False)
class GivenForce:
    """A foot that the ground pushes as given, a force field.

    Attributes:
        frame: A frame on the foot.
        wrench: (Fx, Fy, Mz about the origin of the world) by time, (F,) -> (F, 3), [N], [N m].
    """

    frame: Frame
    wrench: Course

    def forces(self, model: Model, t: Floats, q: Floats, v: Floats) -> Floats:
        """Return J^T w, shape (F, nv)."""
        wrench = self.wrench(t)
        if not wrench.any():
            return np.zeros_like(v)
        place = engine.positions(model, q, [self.frame])[:, 0]
        return np.asarray(engine.generalized_forces(model, q, {self.frame: _about(place, wrench)}))


@dataclass(frozen=True, eq=False)
class ComputedTorque:
    """Computed torque on the pelvis and one ankle of the walker, a force field.

    Attributes:
        reference: What to follow.
        ankle: Name of the ankle's coordinate.
        gains: How stiffly.
        feet: A frame on each foot, "r" and "l", that the measured forces act on.
    """

    reference: StanceReference
    ankle: str
    gains: Gains
    feet: Mapping[str, Frame]
    _columns: WeakKeyDictionary[Model, tuple[list[int], list[int]]] = field(
        init=False, repr=False, default_factory=WeakKeyDictionary
    )

    def forces(self, model: Model, t: Floats, q: Floats, v: Floats) -> Floats:
        """Return the generalized forces, shape (F, nv), zero in coordinates that are not controlled."""
        known, held = self._places(model)
        wanted, rate, second = (self.reference.course(t, nu) for nu in range(3))
        lag, slow = wanted - q[:, known], rate - v[:, known]
        a = np.zeros_like(v)
        a[:, known] = second
        w, z = self.gains.pelvis, self.gains.damping
        a[:, held[:3]] += w * (w * lag[:, :3] + 2.0 * z * slow[:, :3])  # the root comes first in both orders
        frames = list(self.feet.values())
        places = engine.positions(model, q, frames)
        given: dict[str | Frame | Point, ArrayLike] = {
            frame: _about(places[:, i], self.reference.forces[side](t))
            for i, (side, frame) in enumerate(self.feet.items())
        }
        tau = np.asarray(engine.inverse_dynamics(model, q, v, a, given))
        out = np.zeros_like(tau)
        out[:, held] = tau[:, held]
        i = COORDINATES.index(self.ankle)
        out[:, held[3]] += self.gains.ankle_stiffness * lag[:, i] + self.gains.ankle_damping * slow[:, i]
        return out

    def _places(self, model: Model) -> tuple[list[int], list[int]]:
        """Return the columns of all coordinates of the reference, and of those that are controlled."""
        if model not in self._columns:
            at = model.coordinate_names.index
            self._columns[model] = (
                [at(name) for name in COORDINATES],
                [at(name) for name in (*ROOT, self.ankle)],
            )
        return self._columns[model]


def _about(place: Floats, wrench: Floats) -> Floats:
    """Return planar wrenches about the world's origin (F, 3) as wrenches in space about places (F, 3), shape (F, 6)."""
    out = np.zeros((len(place), 6))
    out[:, 2] = wrench[:, 2] - place[:, 0] * wrench[:, 1] + place[:, 1] * wrench[:, 0]
    out[:, 3:5] = wrench[:, :2]
    return out
