"""Inertia of a stretched segment: exactly, or as OpenSim does it."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from softstride.model.checks import FloatArray
from softstride.model.inertia import Inertia
from softstride.model.rod import Rod, Segment

InertiaRule = Literal["affine", "cylinder"]
INERTIA_RULES = ("affine", "cylinder")


def scaled_inertia(inertia: Inertia, factors: FloatArray, mass: float, rule: InertiaRule) -> Inertia:
    """Return the inertia of a link after x' = S x, S = diag(factors), with a new mass.

    The centre of mass becomes S c. With the second moments Σ = ½ tr(I) E - I,

        affine:    Σ' = (m'/m) S Σ S,  I' = tr(Σ') E - Σ'

    which is exact for matter that moves with the stretch: the radius of gyration along each axis grows by its factor.
    Equal factors give (m'/m) s² I in either rule. The rule "cylinder" is that of OpenSim's ScaleTool
    (`Body::scaleInertialProperties`) for factors that differ: a cylinder about the axis of the smallest moment,

        I_aa = ½ m r²,  I_bb = I_cc = m (l²/12 + r²/4),  l' = s_a l,  r'² = s_b s_c r²,

    with r and l from I_aa and the first other moment, and products I_ij' = (m'/m) s_i s_j I_ij.

    Args:
        inertia: Of the link, about its centre of mass.
        factors: Shape (3,).
        mass: New mass [kg].
        rule: "affine" or "cylinder".

    Returns:
        The new inertia. A matrix that no matter can have (`physical=False`) is stretched by the geometric mean
        of the factors, since its Σ has a negative direction.
    """
    ratio = mass / inertia.mass if inertia.mass > 0.0 else 1.0
    com = factors * inertia.com
    if np.ptp(factors) == 0.0:
        return Inertia(mass, com, ratio * factors[0] ** 2 * inertia.matrix, inertia.physical)
    if rule == "cylinder" and inertia.mass > 0.0:
        return Inertia(mass, com, _cylinder(inertia, factors, ratio), physical=False)
    second = 0.5 * np.trace(inertia.matrix) * np.eye(3) - inertia.matrix
    if not inertia.physical and np.linalg.eigvalsh(second)[0] < 0.0:
        mean = float(np.prod(factors)) ** (2.0 / 3.0)
        return Inertia(mass, com, ratio * mean * inertia.matrix, physical=False)
    stretched = ratio * factors[:, None] * second * factors
    return Inertia(mass, com, np.trace(stretched) * np.eye(3) - stretched, inertia.physical)


def _cylinder(inertia: Inertia, s: FloatArray, ratio: float) -> FloatArray:
    """Return OpenSim's inertia matrix for unequal factors."""
    m, moments = inertia.mass, np.diag(inertia.matrix)
    a = int(np.argmin(moments))  # the first of equal ones, as in OpenSim
    other = 1 if a == 0 else 0
    r2 = max(2.0 * moments[a] / m, 0.0)
    l2 = max(12.0 * (moments[other] - 0.25 * m * r2) / m, 0.0)
    across = [i for i in range(3) if i != a]
    r2 *= float(s[across[0]] * s[across[1]])
    l2 *= float(s[a]) ** 2
    new = ratio * s[:, None] * inertia.matrix * s
    new[a, a] = 0.5 * ratio * m * r2
    for i in across:
        new[i, i] = ratio * m * (l2 / 12.0 + 0.25 * r2)
    return new


def scaled_rod(rod: Rod, s: float, mass_ratio: float) -> Rod:
    """Return a rod of the same shape and material, s times as large, and `mass_ratio` times as heavy.

    L' = s L, κ0' = κ0 / s; stiffness and damping D K D with D = diag(s², s², s², s, s, s), as the sections grow too;
    mass per metre times mass_ratio / s.
    """
    size = np.array([s, s, s, 1.0, 1.0, 1.0]) * s

    def segment(old: Segment) -> Segment:
        density = old.density
        return replace(
            old,
            length=s * old.length,
            reference=np.concatenate([old.reference[:3] / s, old.reference[3:]]),
            density=Inertia(
                density.mass * mass_ratio / s,
                s * density.com,
                s * mass_ratio * density.matrix,
                density.physical,
            ),
            stiffness=size[:, None] * old.stiffness * size,
            damping=size[:, None] * old.damping * size,
        )

    return replace(rod, segments=tuple(segment(each) for each in rod.segments))
