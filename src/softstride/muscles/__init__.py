"""Muscles: where they run, how hard they pull, and what the joints feel."""

from typing import TYPE_CHECKING

from softstride.on_demand import on_demand

if TYPE_CHECKING:
    from softstride.muscles.activation import activation_dynamics, excitation_from_activation
    from softstride.muscles.emg import EmgActivation, EmgForces, emg_activation, emg_forces
    from softstride.muscles.hill import (
        FibreState,
        HillMuscles,
        equilibrium,
        fibre_dynamics,
        hill_muscles,
        rigid_tendon,
    )
    from softstride.muscles.paths import (
        MusclePaths,
        PathSurrogate,
        fit_path_surrogate,
        muscle_paths,
        muscle_wrenches,
        path_points,
    )
    from softstride.muscles.reactions import (
        JointReactions,
        KneeContact,
        joint_reactions,
        knee_contact,
        read_forces,
    )
    from softstride.muscles.sharing import MuscleForces, MuscleOptions, read_muscles, solve_muscles

__all__ = [
    "EmgActivation",
    "EmgForces",
    "FibreState",
    "HillMuscles",
    "JointReactions",
    "KneeContact",
    "MuscleForces",
    "MuscleOptions",
    "MusclePaths",
    "PathSurrogate",
    "activation_dynamics",
    "emg_activation",
    "emg_forces",
    "equilibrium",
    "excitation_from_activation",
    "fibre_dynamics",
    "fit_path_surrogate",
    "hill_muscles",
    "joint_reactions",
    "knee_contact",
    "muscle_paths",
    "muscle_wrenches",
    "path_points",
    "read_forces",
    "read_muscles",
    "rigid_tendon",
    "solve_muscles",
]

__getattr__, __dir__ = on_demand(__name__, __file__)
