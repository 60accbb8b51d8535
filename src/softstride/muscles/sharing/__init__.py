"""Sharing joint loads among muscles."""

from typing import TYPE_CHECKING

from softstride.on_demand import on_demand

if TYPE_CHECKING:
    from softstride.muscles.sharing.files import read_muscles, save_muscles
    from softstride.muscles.sharing.forces import MuscleForces
    from softstride.muscles.sharing.options import MuscleOptions
    from softstride.muscles.sharing.solve import solve_muscles

__all__ = ["MuscleForces", "MuscleOptions", "read_muscles", "save_muscles", "solve_muscles"]

__getattr__, __dir__ = on_demand(__name__, __file__)
