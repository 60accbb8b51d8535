"""Inverse kinematics: from markers, and orientations, to a motion."""

from softstride.kinematics.ik.options import ELASTIC, POSTURE, Goal, IkOptions
from softstride.kinematics.ik.solve import solve_ik

__all__ = ["ELASTIC", "POSTURE", "Goal", "IkOptions", "solve_ik"]
