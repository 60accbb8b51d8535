"""Hill muscles: curves, and fibres on rigid and elastic tendons."""

from typing import TYPE_CHECKING

from softstride.on_demand import on_demand

if TYPE_CHECKING:
    from softstride.muscles.hill.balance import equilibrium
    from softstride.muscles.hill.dynamics import fibre_dynamics
    from softstride.muscles.hill.muscles import HillMuscles, hill_muscles
    from softstride.muscles.hill.rigid import rigid_tendon
    from softstride.muscles.hill.state import FibreState

__all__ = ["FibreState", "HillMuscles", "equilibrium", "fibre_dynamics", "hill_muscles", "rigid_tendon"]

__getattr__, __dir__ = on_demand(__name__, __file__)
