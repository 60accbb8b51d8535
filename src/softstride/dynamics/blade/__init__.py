"""A blade as a load cell: force from deformation, and stiffness from force and deformation."""

from softstride.dynamics.blade.fit import identify_blade
from softstride.dynamics.blade.load_cell import blade_force

__all__ = ["blade_force", "identify_blade"]
