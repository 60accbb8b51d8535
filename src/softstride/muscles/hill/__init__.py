"""Hill muscles: curves, and fibres on rigid and elastic tendons."""

from softstride.muscles.hill.dynamics import fibre_dynamics
from softstride.muscles.hill.equilibrium import equilibrium
from softstride.muscles.hill.muscles import HillMuscles, hill_muscles
from softstride.muscles.hill.rigid import rigid_tendon
from softstride.muscles.hill.state import FibreState

__all__ = ["FibreState", "HillMuscles", "equilibrium", "fibre_dynamics", "hill_muscles", "rigid_tendon"]
