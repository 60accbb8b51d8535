"""Sharing joint loads among muscles."""

from softstride.muscles.sharing.files import read_muscles, save_muscles
from softstride.muscles.sharing.forces import MuscleForces
from softstride.muscles.sharing.options import MuscleOptions
from softstride.muscles.sharing.solve import solve_muscles

__all__ = ["MuscleForces", "MuscleOptions", "read_muscles", "save_muscles", "solve_muscles"]
