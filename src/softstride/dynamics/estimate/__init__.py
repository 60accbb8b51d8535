"""Loads without force plates: the ground reaction estimated together with the joint torques."""

from typing import TYPE_CHECKING

from softstride.on_demand import on_demand

if TYPE_CHECKING:
    from softstride.dynamics.estimate.estimate import estimate_loads
    from softstride.dynamics.estimate.options import EstimateOptions

__all__ = ["EstimateOptions", "estimate_loads"]

__getattr__, __dir__ = on_demand(__name__, __file__)
