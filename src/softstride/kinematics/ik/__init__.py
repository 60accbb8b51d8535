"""Inverse kinematics: from markers, and orientations, to a motion."""

from typing import TYPE_CHECKING

from softstride.on_demand import on_demand

if TYPE_CHECKING:
    from softstride.kinematics.ik.options import ELASTIC, POSTURE, Goal, IkOptions
    from softstride.kinematics.ik.solve import solve_ik

__all__ = ["ELASTIC", "POSTURE", "Goal", "IkOptions", "solve_ik"]

__getattr__, __dir__ = on_demand(__name__, __file__)
