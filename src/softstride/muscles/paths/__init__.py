"""Lengths, lengthening speeds and moment arms of muscles and ligaments."""

from typing import TYPE_CHECKING

from softstride.on_demand import on_demand

if TYPE_CHECKING:
    from softstride.muscles.paths.line import path_points
    from softstride.muscles.paths.paths import MusclePaths, muscle_paths
    from softstride.muscles.paths.surrogate import PathSurrogate
    from softstride.muscles.paths.surrogate_fit import fit_path_surrogate
    from softstride.muscles.paths.wrenches import muscle_wrenches

__all__ = [
    "MusclePaths",
    "PathSurrogate",
    "fit_path_surrogate",
    "muscle_paths",
    "muscle_wrenches",
    "path_points",
]

__getattr__, __dir__ = on_demand(__name__, __file__)
