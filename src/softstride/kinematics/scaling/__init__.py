"""A model becomes this person: sizes of links and places of markers from a standing trial."""

from softstride.kinematics.scaling.muscle_lengths import path_lengths, scale_lengths
from softstride.kinematics.scaling.priors import Widths
from softstride.kinematics.scaling.result import MarkerError, Scaling
from softstride.kinematics.scaling.scaling import fit_scaling, scale_model
from softstride.kinematics.scaling.setup import CoordinateGoal, Measurement, ScaleSetup, SetupMarker
from softstride.kinematics.scaling.setup_xml import read_scale_setup

__all__ = [
    "CoordinateGoal",
    "MarkerError",
    "Measurement",
    "ScaleSetup",
    "Scaling",
    "SetupMarker",
    "Widths",
    "fit_scaling",
    "path_lengths",
    "read_scale_setup",
    "scale_lengths",
    "scale_model",
]
