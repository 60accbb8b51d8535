"""Powers and work of joints, and the energy of segments that they account for.

A joint between a parent p and its child c transmits (F, M) at P of the child. It gives to both together

    P = M . (omega_c - omega_p) + F . (rP' - v_p(P))

the first part by rotation, the second where the ends of the two segments drift apart (zero in an ideal joint); v_p(P)
is the velocity of the parent's material point at P. Their sum over the joints, the powers of external loads and, at a
root, M . omega + F . rP', is the rate of energy of the segments.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.errors import InputError
from softstride.results import Result, values
from softstride.segments.body import BodySegment
from softstride.segments.motion import SegmentMotion
from softstride.segments.natural import point_weights
from softstride.signals.inputs import as_signal, as_time
from softstride.spatial.vectors import cross

Array = NDArray[np.float64]


class JointPower(Result, of="the power of a joint"):
    """What a joint gives to its two segments.

    Attributes:
        rotation: M . omega_rel, shape (n,), [W]; positive: generated.
        translation: F . v_rel, shape (n,), [W].
    """

    rotation: Array = values("time", "W")
    translation: Array = values("time", "W")

    @property
    def total(self) -> Array:
        """Both together, shape (n,), [W]."""
        return np.asarray(self.rotation + self.translation)


def joint_power(
    force: ArrayLike, moment: ArrayLike, child: SegmentMotion, parent: SegmentMotion | None = None
) -> JointPower:
    """Return the power of a joint.

    Args:
        force: On the child at its proximal end, shape (n, 3), [N].
        moment: On the child about it, shape (n, 3), [N m].
        child: Motion with derivatives.
        parent: Likewise; None: the world, which rests.

    Raises:
        InputError: A motion has no derivatives.
    """
    rates = child.jet().d
    turn, drift = child.angular_velocity(), rates[:, 1]
    if parent is not None:
        above = parent.jet().d
        spin = parent.angular_velocity()
        turn = turn - spin
        drift = drift - above[:, 1] - cross(spin, child.proximal - parent.proximal)
    return JointPower(
        np.asarray(np.sum(np.asarray(moment) * turn, axis=-1)),
        np.asarray(np.sum(np.asarray(force) * drift, axis=-1)),
    )


def segment_energy(segment: BodySegment, motion: SegmentMotion, gravity: ArrayLike) -> tuple[Array, Array]:
    """Return the kinetic energy, Q'^T G Q' / 2, and the potential energy, -m g . r_C, shape (n,) each, [J]."""
    rates = motion.jet().d
    kinetic = 0.5 * np.einsum("nik,ij,njk->n", rates, segment.natural_mass, rates)
    centre = np.einsum("k,nkj->nj", point_weights(segment.natural_com), motion.coordinates)
    return np.asarray(kinetic), np.asarray(-segment.mass * centre @ np.asarray(gravity, dtype=np.float64))


@dataclass(frozen=True)
class Work:
    """Work over a stretch of time [J].

    Attributes:
        positive: Generated.
        negative: Absorbed, below zero.
    """

    positive: float
    negative: float

    @property
    def net(self) -> float:
        """The sum of both."""
        return self.positive + self.negative


def work(time: ArrayLike, power: ArrayLike) -> Work:
    """Return the work of a power over time, by straight lines between samples, split where they cross zero.

    Args:
        time: Instants [s], shape (n,).
        power: Shape (n,), [W]; without NaN.

    Raises:
        InputError: Fewer than two samples, or one that is not known.
    """
    values = as_signal(power, "power")
    t = as_time(time, len(values))
    if values.ndim != 1 or len(t) < 2 or not np.isfinite(values).all():
        raise InputError("work needs the power at two instants or more, known at each of them")
    left, right, step = values[:-1], values[1:], np.diff(t)
    whole = 0.5 * (left + right) * step
    changes = left * right < 0.0
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(changes, left / (left - right), 1.0)
    first, second = 0.5 * left * share * step, 0.5 * right * (1.0 - share) * step
    parts = np.concatenate([np.where(changes, first, whole), np.where(changes, second, 0.0)])
    return Work(float(parts[parts > 0.0].sum()), float(parts[parts < 0.0].sum()))
