"""Forces in a body from its motion, with measured external forces or with the ground reaction estimated."""

from typing import TYPE_CHECKING

from softstride.on_demand import on_demand

if TYPE_CHECKING:
    from softstride.dynamics.blade.fit import BladeFit, identify_blade
    from softstride.dynamics.blade.load_cell import BladeForce, blade_force
    from softstride.dynamics.estimate import EstimateOptions, estimate_loads
    from softstride.dynamics.ground import Ground
    from softstride.dynamics.ground_files import save_ground
    from softstride.dynamics.inverse import solve_id
    from softstride.dynamics.loads import AppliedWrench, Loads, Wrench
    from softstride.dynamics.loads_files import read_loads
    from softstride.dynamics.options import IdOptions
    from softstride.dynamics.reduction.options import ReductionOptions
    from softstride.dynamics.reduction.reduce import reduce_residuals
    from softstride.dynamics.reduction.result import Reduction
    from softstride.dynamics.uncertainty.bands import LoadBands
    from softstride.dynamics.uncertainty.options import BandOptions
    from softstride.dynamics.uncertainty.propagate import load_bands
    from softstride.dynamics.validation.curves import GaitCurves, gait_cycles
    from softstride.dynamics.validation.errors import StrikeErrors, Validation
    from softstride.dynamics.validation.validate import validate_loads

__all__ = [
    "AppliedWrench",
    "BandOptions",
    "BladeFit",
    "BladeForce",
    "EstimateOptions",
    "GaitCurves",
    "Ground",
    "IdOptions",
    "LoadBands",
    "Loads",
    "Reduction",
    "ReductionOptions",
    "StrikeErrors",
    "Validation",
    "Wrench",
    "blade_force",
    "estimate_loads",
    "gait_cycles",
    "identify_blade",
    "load_bands",
    "read_loads",
    "reduce_residuals",
    "save_ground",
    "solve_id",
    "validate_loads",
]

__getattr__, __dir__ = on_demand(__name__, __file__)
