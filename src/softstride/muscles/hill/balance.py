"""Fibres in balance with tendons that stretch, each frame for itself."""

from __future__ import annotations

from numpy.typing import ArrayLike

from softstride.engine.kernels.hill_balance import hill_equilibrium
from softstride.engine.run import sealed
from softstride.muscles.hill.inputs import activations, like, matrix
from softstride.muscles.hill.muscles import HillMuscles
from softstride.muscles.hill.state import FibreState, fibre_state, new_fibres

TOLERANCE = 1e-9
"""Residual that counts as converged, over the maximal force."""


def equilibrium(
    hill: HillMuscles,
    length: ArrayLike,
    speed: ArrayLike | None = None,
    activation: ArrayLike = 1.0,
    *,
    tolerance: float = TOLERANCE,
) -> FibreState:
    """Return fibres whose force along the tendon is that of the tendon.

    The fibre length l, and with it the pennation angle α and the tendon length L - l cos α, solve

        F_max (a f_l(l) f_v(v) + f_p(l) + β v) cos α = F_max f_t((L - l cos α) / l_s).

    Without speeds v is zero: the static balance. With them the fibre takes all of the path's speed, v = V cos α, as if
    the tendon force did not change; `fibre_dynamics` drops that assumption. A root always lies between a slack tendon
    and the least fibre length, unless the path is too short (`FibreState.short`). Of several the one near a slightly
    stretched tendon is found, and it is stable: stretching the tendon pulls more than the fibre then does.

    Args:
        hill: The muscles; those with a rigid tendon are treated by `rigid_tendon`.
        length: Of their paths, shape (n, m) or (m,), [m]; NaN stays NaN.
        speed: Lengthening of their paths, shape as length, [m/s]; None: at rest.
        activation: 0 to 1: one number, one for each muscle, or shape (n, m).
        tolerance: Residual that counts as converged, over the maximal force.

    Raises:
        InputError: Shapes that do not fit, infinite numbers, or activations beyond 0 to 1.
    """
    L, _ = matrix(length, hill.names, "length")
    V = like(speed, L.shape, hill.names, "speed", 0.0)
    found = new_fibres(L.shape)
    hill_equilibrium(
        hill.packed, sealed(L), sealed(V), sealed(activations(activation, L.shape, hill.names)), found
    )
    return fibre_state(hill, L, found, tolerance=tolerance)
