"""From markers to people and their motion."""

from typing import TYPE_CHECKING

from softstride.on_demand import on_demand

if TYPE_CHECKING:
    from softstride.kinematics.ik import Goal, IkOptions, solve_ik
    from softstride.kinematics.ik.setup import IkSetup
    from softstride.kinematics.ik.setup_xml import read_ik_setup
    from softstride.kinematics.ik.swaps import Swap
    from softstride.kinematics.marker_fit import MarkerFit
    from softstride.kinematics.motion import Motion
    from softstride.kinematics.motion_files import read_motion
    from softstride.kinematics.scaling import Scaling, fit_scaling, scale_model

__all__ = [
    "Goal",
    "IkOptions",
    "IkSetup",
    "MarkerFit",
    "Motion",
    "Scaling",
    "Swap",
    "fit_scaling",
    "read_ik_setup",
    "read_motion",
    "scale_model",
    "solve_ik",
]

__getattr__, __dir__ = on_demand(__name__, __file__)
