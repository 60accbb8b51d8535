"""Lengths, lengthening speeds and moment arms of muscles and ligaments."""

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
