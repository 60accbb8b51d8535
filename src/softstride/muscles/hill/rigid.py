"""Fibres on tendons that do not stretch: what static optimisation takes a muscle's strength from."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from softstride.engine.kernels.hill_fibre import hill_rigid
from softstride.engine.run import sealed
from softstride.muscles.hill.curve import Array
from softstride.muscles.hill.inputs import activations, like, matrix
from softstride.muscles.hill.muscles import HillMuscles
from softstride.muscles.hill.state import FibreState, fibre_state, new_fibres
from softstride.notes import Note


def rigid_tendon(
    hill: HillMuscles,
    length: ArrayLike,
    speed: ArrayLike | None = None,
    *,
    activation: ArrayLike = 1.0,
    as_opensim: bool = False,
) -> FibreState:
    """Return fibres and forces with tendons of their slack lengths.

    With the path length L, its speed V, the tendon slack length l_s and the thickness h of the muscle

        l = √((L - l_s)² + h²),  cos α = (L - l_s) / l,  v = V cos α,
        active = F_max f_l(l) f_v(v) cos α,  passive = F_max f_p(l) cos α,  damping = F_max β v cos α.

    A factor f_v below zero counts as zero: a fibre does not push. OpenSim's static optimisation takes `active` as what
    a muscle can do, and leaves `passive` and `damping` out.

    Args:
        hill: The muscles.
        length: Of their paths, shape (n, m) or (m,), [m]; NaN stays NaN.
        speed: Lengthening of their paths, shape as length, [m/s]; None: at rest.
        activation: Enters the force-velocity relation of thelen2003 alone, whose greatest velocity is 0.25 + 0.75 a of
            that at full activation; OpenSim's static optimisation uses 1.
        as_opensim: Project active forces as OpenSim 4.6 does in static optimisation, for comparison. Its Millard2012
            muscle takes the pennation angle at the fibre length in optimal lengths as if these were metres, hence
            nearly none; its DeGrooteFregly2016 muscle does not project at all.

    Returns:
        The state; one frame without axis gives a state of one frame.

    Raises:
        InputError: Shapes that do not fit, or an infinite number.
    """
    L, _ = matrix(length, hill.names, "length")
    V = like(speed, L.shape, hill.names, "speed", 0.0)
    found = new_fibres(L.shape)
    hill_rigid(hill.packed, sealed(L), sealed(V), sealed(activations(activation, L.shape, hill.names)), found)
    notes: tuple[Note, ...] = ()
    if as_opensim:
        theirs = _opensim_cosine(hill, found.length, found.cosine)
        # a short fibre has no force, and a cosine of zero if it stands across the tendon
        found.active[:] *= np.divide(theirs, found.cosine, out=np.ones(L.shape), where=~found.short)
        notes = (
            Note(
                "fibres.projected-as-opensim",
                "active forces of millard2012 and degrootefregly2016 are projected as OpenSim 4.6 projects them",
                topic="fibres",
            ),
        )
    return fibre_state(hill, L, found, notes)


def _opensim_cosine(hill: HillMuscles, fibre: Array, cosine: Array) -> Array:
    """Return the cosine that OpenSim multiplies active forces with in static optimisation."""
    result = cosine.copy()
    sets = np.array(hill.curves)
    result[:, sets == "degrootefregly2016"] = 1.0
    odd = sets == "millard2012"
    with np.errstate(divide="ignore"):
        sine = np.minimum(hill.height[odd] * hill.fibre_length[odd] / fibre[:, odd], 1.0)
    result[:, odd] = np.sqrt(1.0 - sine**2)
    return result
