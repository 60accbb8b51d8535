"""The coordinates that each method differentiates, with their derivatives.

The four methods differ in what they differentiate: natural coordinates, Euler angles, pose matrices or quaternions. On
samples each differentiates its own; where a motion brings exact derivatives, those of the other coordinates follow from
them by the chain rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softstride.errors import InputError
from softstride.notes import Note
from softstride.segments.body import BodySegment
from softstride.segments.jets import Jet, arctan2
from softstride.segments.motion import Differentiator, SegmentMotion, differentiate
from softstride.segments.triad import orthonormal_frame
from softstride.spatial import matrix_to_quat, quat_multiply, vee

Array = NDArray[np.float64]

GIMBAL = np.radians(80.0)
"""Second Euler angle beyond which the rates of the other two lose more than a digit."""


@dataclass(frozen=True, eq=False)
class Prepared:
    """What a method needs of a motion.

    Attributes:
        kind: The method that it is for.
        own: Its coordinates with derivatives: Q (n, 4, 3), angles (n, 3), rotations (n, 3, 3) or quaternions (n, 4),
            scalar last.
        point: The point that is differentiated with them, shape (n, 3), [m]: the centre of mass, or P.
        rotation: Orthonormal segment frame, shape (n, 3, 3).
        notes: What was doubtful on the way.
    """

    kind: str
    own: Jet
    point: Jet
    rotation: Array
    notes: tuple[Note, ...] = ()

    def frames(self, part: slice) -> Prepared:
        """Return some of the frames."""
        own, point = (Jet(jet.x[part], jet.d[part], jet.dd[part]) for jet in (self.own, self.point))
        return Prepared(self.kind, own, point, self.rotation[part], self.notes)


def prepare(
    method: str, segment: BodySegment, motion: SegmentMotion, differentiator: Differentiator, **options: Any
) -> Prepared:
    """Return the coordinates of a method with their derivatives.

    Args:
        method: One of the four.
        segment: For its centre of mass, and its name in messages.
        motion: Of the segment.
        differentiator: How samples are differentiated; unused where derivatives are given.
        **options: Of the differentiator.

    Raises:
        InputError: The second Euler angle reaches 90 degrees, where the first and the third are one.
    """
    if method == "nonorthonormal":
        moved = motion.differentiated(differentiator, **options)
        jet = moved.jet()
        return Prepared(method, jet, jet.part(1), np.zeros((len(motion), 0, 0)))
    rotation, proximal = _pose(motion)
    if method == "homogeneous":
        own, point = rotation, proximal
    elif motion.exact:
        own = euler_angles(rotation) if method == "euler" else _quaternion_jet(rotation)
        point = proximal + Jet(*(matrix @ segment.com for matrix in (rotation.x, rotation.d, rotation.dd)))
    else:
        samples = _unwrapped(euler_angles(rotation).x) if method == "euler" else _continuous(rotation.x)
        own = Jet(samples, samples, samples)
        centre = proximal.x + rotation.x @ segment.com
        point = Jet(centre, centre, centre)
    notes = _gimbal(segment.name, own.x) if method == "euler" else ()
    if not motion.exact:
        own, point = (_sampled(motion.time, jet.x, differentiator, **options) for jet in (own, point))
    return Prepared(method, own, point, rotation.x, notes)


def _sampled(time: Array, x: Array, differentiator: Differentiator, **options: Any) -> Jet:
    return Jet(x, *differentiate(time, x, differentiator, **options))


def _pose(motion: SegmentMotion) -> tuple[Jet, Jet]:
    """Return the orthonormal frame and P; without given derivatives theirs are placeholders."""
    if not motion.exact:
        rotation = orthonormal_frame(motion.forward, motion.long)
        return Jet(rotation, rotation, rotation), Jet(motion.proximal, motion.proximal, motion.proximal)
    jet = motion.jet()
    u, proximal, distal = (jet.part(i) for i in range(3))
    x, z = u.unit(), u.cross(proximal - distal).unit()
    columns = (x, z.cross(x), z)
    fields = (np.stack([getattr(axis, name) for axis in columns], axis=-1) for name in ("x", "d", "dd"))
    return Jet(*fields), proximal


def euler_angles(rotation: Jet) -> Jet:
    """Return the angles a, b, c of R = Rz(a) Ry(b) Rx(c), shape (n, 3), [rad]."""
    a = arctan2(rotation.part(1, 0), rotation.part(0, 0))
    b = -rotation.part(2, 0).arcsin()
    c = arctan2(rotation.part(2, 1), rotation.part(2, 2))
    fields = (np.stack([getattr(angle, name) for angle in (a, b, c)], axis=-1) for name in ("x", "d", "dd"))
    return Jet(*fields)


def _gimbal(name: str, angles: Array) -> tuple[Note, ...]:
    """Refuse angles at which two axes are one; note those that come near."""
    tilt = np.abs(angles[:, 1])
    if not np.isfinite(tilt).any():
        return ()
    frame = int(np.nanargmax(tilt))
    if tilt[frame] > np.radians(89.9):
        raise InputError(
            f"segment {name!r}: its second Euler angle is {np.degrees(tilt[frame]):.2f} degrees in frame {frame}: "
            "there the first and the third are about one axis: take another method"
        )
    if tilt[frame] > GIMBAL:
        degrees = float(np.degrees(tilt[frame]))
        words = f"{name}: the second Euler angle reaches {degrees:.0f} degrees, near its singularity at 90"
        return (
            Note(
                "angles.near-singularity",
                words,
                "warning",
                topic="angles",
                names=(name,),
                frames=(frame,),
                values={"angle_deg": degrees},
            ),
        )
    return ()


def _unwrapped(angles: Array) -> Array:
    """Return angles without jumps of a whole turn; gaps stay gaps."""
    result = angles.copy()
    known = np.isfinite(angles).all(axis=1)
    result[known] = np.unwrap(angles[known], axis=0)
    return result


def _continuous(rotation: Array) -> Array:
    """Return quaternions whose sign does not jump; gaps stay gaps."""
    known = np.isfinite(rotation).all(axis=(1, 2))
    result = np.full((len(rotation), 4), np.nan)
    if known.any():
        quaternions = matrix_to_quat(rotation[known])
        turns = np.sum(quaternions[1:] * quaternions[:-1], axis=1)
        signs = np.cumprod(np.concatenate([[1.0], np.where(turns < 0.0, -1.0, 1.0)]))
        result[known] = quaternions * signs[:, None]
    return result


def _quaternion_jet(rotation: Jet) -> Jet:
    """Return unit quaternions with derivatives, q' = omega q / 2 and q'' = alpha q / 2 + omega q' / 2."""
    q = matrix_to_quat(rotation.x)
    back = np.swapaxes(rotation.x, -1, -2)
    omega, alpha = (_pure(vee(part @ back)) for part in (rotation.d, rotation.dd))
    rate = 0.5 * quat_multiply(omega, q)
    return Jet(q, rate, 0.5 * (quat_multiply(alpha, q) + quat_multiply(omega, rate)))


def _pure(vector: Array) -> Array:
    return np.concatenate([vector, np.zeros((*vector.shape[:-1], 1))], axis=-1)
