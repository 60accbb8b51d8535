"""What is left of a segment that is cut through: its mass, centre of mass and inertia."""

from __future__ import annotations

import math

import numpy as np

from softstride.errors import ModelError
from softstride.model.checks import FloatArray
from softstride.model.inertia import Inertia

NARROWEST, WIDEST = 0.27, 0.73
"""Centre of mass of the frustum as a share of the length; a cone has 1/4 and 3/4."""


def cut_segment(
    inertia: Inertia, top: FloatArray, bottom: FloatArray, distance: float
) -> tuple[Inertia, Inertia]:
    """Cut a segment across its axis and return the inertia of the part above and of the part below.

    The segment is taken as a solid of revolution of one density: a frustum of a cone between `top` and `bottom`, whose
    radii follow from the mass, the centre of mass along the axis and the moment about the axis. With r = R (1 + (k - 1)
    x / L), the ratio k of the end radii solves

        (4 f - 3) k² + (4 f - 2) k + (4 f - 1) = 0,        f = centre of mass / L,
        I_axis = 3/10 m R² (1 - k⁵) / (1 - k³),

    and the part above has the mass of the shorter frustum. A segment is no frustum: its moments about axes along and
    across are those of the segment times the ratio of upper to whole frustum, I_above = D I D with D² that ratio, and
    its centre of mass moves along the axis as that of the frustum does, as far off the axis as before. A centre of
    mass that no frustum has is taken at `NARROWEST` or `WIDEST` for k, and moves in proportion to that of the frustum.

    Args:
        inertia: Of the whole segment, in link axes.
        top: Upper end of the axis, shape (3,), [m], in link axes.
        bottom: Lower end.
        distance: Of the cut from the upper end, along the axis [m].

    Returns:
        Inertia of the part above and of the part below, in link axes. The part below is the difference: both together
        have the mass and the centre of mass of the segment, and its moments too unless the difference of the moments
        is not positive (a segment far from a frustum); then those of the part below are raised until they are.

    Raises:
        ModelError: The cut is not between the ends, or the segment has no mass.
    """
    length = float(np.linalg.norm(bottom - top))
    if not 0.0 < distance < length:
        raise ModelError(f"the cut must be between 0 and {length:.3f} m, however it is at {distance:g} m.")
    if inertia.mass <= 0.0:
        raise ModelError("a segment without mass cannot be cut.")
    basis = _basis((bottom - top) / length)
    along = float(basis[0] @ (inertia.com - top))
    k = _ratio(min(max(along / length, NARROWEST), WIDEST))
    own = basis @ inertia.matrix @ basis.T
    radius = math.sqrt(max(own[0, 0], 1e-300) / inertia.mass / (0.3 * _quotient(k)))
    whole = _frustum(inertia.mass, radius, k * radius, length)
    share = distance / length
    narrow = radius * (1.0 + (k - 1.0) * share)
    mass = inertia.mass * share * (1.0 + narrow / radius + (narrow / radius) ** 2) / (1.0 + k + k * k)
    upper = _frustum(mass, radius, narrow, distance)
    D = np.sqrt(upper[1:] / whole[1:])
    com = inertia.com + (upper[0] - whole[0]) * basis[0]
    if not NARROWEST <= along / length <= WIDEST:  # a centre of mass that no frustum has
        com = inertia.com + (along * upper[0] / whole[0] - along) * basis[0]
    matrix = basis.T @ (D[:, None] * own * D) @ basis
    above = _as_physical(mass, com, matrix, inertia.physical)
    return above, _difference(inertia, above)


def _as_physical(mass: float, com: FloatArray, matrix: FloatArray, physical: bool) -> Inertia:
    """Return an inertia that obeys the triangle inequality, or else one that is marked as not doing so."""
    try:
        return Inertia(mass, com, matrix, physical)
    except ModelError:
        return Inertia(mass, com, matrix, physical=False)


def _basis(axis: FloatArray) -> FloatArray:
    """Return a rotation whose first row is the axis, shape (3, 3)."""
    other = np.eye(3)[int(np.argmin(np.abs(axis)))]
    second = np.cross(axis, other)
    second /= np.linalg.norm(second)
    return np.array([axis, second, np.cross(axis, second)])


def _ratio(f: float) -> float:
    """Return k = r/R of a frustum whose centre of mass is at the share f of its length from the end with radius R."""
    a, b, c = 4.0 * f - 3.0, 4.0 * f - 2.0, 4.0 * f - 1.0
    return (-b - math.sqrt(b * b - 4.0 * a * c)) / (2.0 * a)


def _quotient(k: float) -> float:
    """Return (1 - k⁵) / (1 - k³), regular at k = 1."""
    return (1.0 + k + k**2 + k**3 + k**4) / (1.0 + k + k**2)


def _frustum(mass: float, R: float, r: float, length: float) -> FloatArray:
    """Return centre of mass from the end R [m], and moments about the axis and across it through the centre, (4,)."""
    k = r / R
    area = 1.0 + k + k * k
    centre = length * (1.0 + 2.0 * k + 3.0 * k * k) / (4.0 * area)
    square = length * length * (1.0 + 3.0 * k + 6.0 * k * k) / (10.0 * area)  # mean of x²
    axial = 0.3 * mass * R * R * _quotient(k)
    across = 0.5 * axial + mass * (square - centre * centre)
    return np.array([centre, axial, across, across])


def _difference(whole: Inertia, part: Inertia) -> Inertia:
    """Return what is left of a body when a part is taken away."""
    mass = whole.mass - part.mass
    com = (whole.mass * whole.com - part.mass * part.com) / mass
    arm = part.com - com
    steiner = (part.mass * mass / whole.mass) * ((arm @ arm) * np.eye(3) - np.outer(arm, arm))
    matrix = whole.matrix - part.matrix - steiner
    lowest = float(np.linalg.eigvalsh(matrix)[0])
    if lowest < 0.0:  # a segment whose moments no frustum has
        matrix = matrix - 1.0000001 * lowest * np.eye(3)
    return Inertia(mass, com, matrix, physical=False)
