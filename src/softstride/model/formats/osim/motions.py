"""Kinds of joints of OpenSim as chains of our joints.

Most kinds are one joint. Two need links without mass in between: a joint that the tree runs through backwards and
that both turns and shifts, and an ellipsoid joint.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from softstride.model.checks import ArrayField, FloatArray, constant
from softstride.model.formats.osim.couplers import affine
from softstride.model.functions import Linear, Scaled
from softstride.model.joints import Axes, Axis, Custom, Fixed, Joint, Prismatic, Revolute, Terms

X, Y, Z = np.eye(3)
STILL: Axes = (Axis(X), Axis(Y), Axis(Z))


@dataclass(frozen=True)
class Step:
    """A joint and the constant pose after it.

    Attributes:
        joint: The joint.
        after: Pose of the next frame in its moving frame, shape (4, 4), [m].
    """

    joint: Joint
    after: ArrayField = field(default_factory=constant(np.eye(4)))


def one_axis(
    kind: type[Revolute] | type[Prismatic], direction: FloatArray, terms: Terms, shared: bool
) -> Step:
    """Return a pin or slider: our plain joint, or a custom one if its coordinate is shared or is a function."""
    name, function = terms[0]
    plain = isinstance(function, Linear) and function.slope == 1.0 and function.intercept == 0.0
    if plain and not shared:
        return Step(kind(direction, name))
    axis = Axis(direction, terms)
    if kind is Revolute:
        return Step(Custom((axis, Axis(X), Axis(Y)), STILL))
    return Step(Custom(STILL, (axis, Axis(Y), Axis(Z))))


def reverse(steps: list[Step]) -> list[Step]:
    """Return the steps whose product is the inverse of that of the given ones, which must end without a pose after.

    (J1 A1 J2)⁻¹ = J2⁻¹ A1⁻¹ J1⁻¹.
    """
    result: list[Step] = []
    for i in range(len(steps) - 1, -1, -1):
        parts = _reverse_joint(steps[i].joint)
        before = inverse(steps[i - 1].after) if i else np.eye(4)
        result += [*(Step(part) for part in parts[:-1]), Step(parts[-1], before)]
    return result


def inverse(T: FloatArray) -> FloatArray:
    """Return the inverse of a pose, shape (4, 4)."""
    R, p = T[:3, :3], T[:3, 3]
    result = np.eye(4)
    result[:3, :3], result[:3, 3] = R.T, -R.T @ p
    return result


def _reverse_joint(joint: Joint) -> list[Joint]:
    """Return the joints whose product is the inverse of this one.

    [R1 R2 R3, t]⁻¹ = [R3⁻¹ R2⁻¹ R1⁻¹, 0] [E, -t], and x about -a is -x about a.
    """
    if isinstance(joint, Revolute | Prismatic):
        return [type(joint)(-joint.axis, joint.coordinate)]
    if not isinstance(joint, Custom):
        return [Fixed()]
    rotations = tuple(Axis(-axis.direction, axis.terms) for axis in joint.rotations[::-1])
    shifts = tuple(Axis(-axis.direction, axis.terms) for axis in joint.translations)
    turn, shift = Custom(rotations, STILL), Custom(STILL, shifts)  # type: ignore[arg-type]
    turns, slides = (any(axis.terms for axis in axes) for axes in (joint.rotations, joint.translations))
    return [part for part, used in ((turn, turns), (shift, slides)) if used] or [Fixed()]


def ellipsoid(radii: FloatArray, angles: tuple[Terms, Terms, Terms]) -> list[Step]:
    """Return the steps of an ellipsoid joint: the child's origin slides on an ellipsoid whose normal is its z axis.

    R = Rx(q1) Ry(q2) Rz(q3), p = (a sin q2, -b sin q1 cos q2, c cos q1 cos q2), the z axis of R times the half axes.
    With s = q1 + q2 and d = q1 - q2 the last two are sums of circles run through in both senses,

        (p_y, p_z) = Σ_{θ = s, d} (b + c)/4 (-sin θ, cos θ) + (c - b)/4 (sin θ, cos θ),

    and p_x = a/2 (sin q2, cos q2) - a/2 (-sin q2, cos q2) in x and z. Each circle is a turn, a constant arm along z
    and the turn back.

    Args:
        radii: Half axes a, b, c, shape (3,), [m].
        angles: Terms of the three angles.
    """
    a, b, c = (float(r) for r in radii)
    first, second, third = angles
    turns: list[tuple[FloatArray, Terms, float]] = []
    for angle in ((*first, *second), (*first, *scaled(second, -1.0))):
        turns += [(X, angle, (b + c) / 4.0), (X, scaled(angle, -2.0), (c - b) / 4.0), (X, angle, 0.0)]
    turns += [(Y, second, a / 2.0), (Y, scaled(second, -2.0), -a / 2.0), (Y, second, 0.0)]
    turns += [(X, first, 0.0), (Y, second, 0.0), (Z, third, 0.0)]
    return _packed(turns)


def _packed(turns: list[tuple[FloatArray, Terms, float]]) -> list[Step]:
    """Return turns (axis, terms, arm along z after it) as custom joints of up to three turns each."""
    steps: list[Step] = []
    waiting: list[Axis] = []
    for i, (direction, terms, arm) in enumerate(turns):
        waiting.append(Axis(direction, terms))
        if arm or len(waiting) == 3 or i == len(turns) - 1:
            axes = (*waiting, *(Axis(Z) for _ in range(3 - len(waiting))))
            after = np.eye(4)
            after[2, 3] = arm
            steps.append(Step(Custom(axes, STILL), after))  # type: ignore[arg-type]
            waiting = []
    return steps


def scaled(terms: Terms, factor: float) -> Terms:
    """Return terms whose sum is `factor` times as large."""
    return tuple(
        (name, affine(function, factor, 0.0) or Scaled(function, factor)) for name, function in terms
    )
