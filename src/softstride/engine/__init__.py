"""The compiled recursions over a whole trial: one tree of rigid and soft links, frames first, analytic.

Every function takes the model first and arrays with time as axis 0; see `docs/conventions.md` for the layout of q and
v. Kernels are compiled on first need and kept on disk.
"""

from softstride.engine.balance import (
    Energy,
    centre_of_mass,
    com_jacobian,
    com_jacobian_dot_v,
    com_velocity,
    energy,
    momentum,
    momentum_matrix,
    momentum_rate,
    moving_mass,
)
from softstride.engine.dynamics import (
    bias,
    forward_dynamics,
    generalized_forces,
    inverse_dynamics,
    inverse_dynamics_derivatives,
    mass_matrix,
)
from softstride.engine.kinematics import (
    accelerations,
    jacobian,
    jacobian_dot_v,
    poses,
    positions,
    velocities,
)
from softstride.engine.manifold import difference, integrate
from softstride.engine.passive import elastic_energy, passive_derivatives, passive_forces
from softstride.engine.pose_fit import PoseFit
from softstride.engine.run import get_threads, set_threads

__all__ = [
    "Energy",
    "PoseFit",
    "accelerations",
    "bias",
    "centre_of_mass",
    "com_jacobian",
    "com_jacobian_dot_v",
    "com_velocity",
    "difference",
    "elastic_energy",
    "energy",
    "forward_dynamics",
    "generalized_forces",
    "get_threads",
    "integrate",
    "inverse_dynamics",
    "inverse_dynamics_derivatives",
    "jacobian",
    "jacobian_dot_v",
    "mass_matrix",
    "momentum",
    "momentum_matrix",
    "momentum_rate",
    "moving_mass",
    "passive_derivatives",
    "passive_forces",
    "poses",
    "positions",
    "set_threads",
    "velocities",
]
