"""Forward simulation: motion from forces, with events, constraints and impacts; and static equilibrium.

`simulate` integrates the equation of motion on the configuration manifold and returns a `Trajectory`;
`equilibrium` finds the configuration where all forces balance; `energy_balance` says who did work on the way.
Constraints hold points, close loops, let bodies roll or drive coordinates along functions of time
(`DrivenCoordinates`); `PointForces` is for contacts, however stiff.
"""

from softstride.simulation.constraints import Constraint, PointConstraint, Rheonomic
from softstride.simulation.driven import DrivenCoordinates
from softstride.simulation.equilibrium import Equilibrium, equilibrium
from softstride.simulation.events import Event
from softstride.simulation.fields import ForceField, StiffForceField
from softstride.simulation.kkt import Impact, assemble, constrained_acceleration, plastic_impact
from softstride.simulation.planar_sole import PlanarSole
from softstride.simulation.point_forces import PointForces, PointLaw
from softstride.simulation.rolling import RollingConstraint
from softstride.simulation.rolling_curve import RollingCurve
from softstride.simulation.simulate import simulate
from softstride.simulation.stability import largest_stable_step
from softstride.simulation.surface_rolling import RollingShape, SurfaceConstraint
from softstride.simulation.trajectory import EventFound, SimulationStopped, Statistics, Trajectory
from softstride.simulation.work import EnergyBalance, energy_balance, work_along

__all__ = [
    "Constraint",
    "DrivenCoordinates",
    "EnergyBalance",
    "Equilibrium",
    "Event",
    "EventFound",
    "ForceField",
    "Impact",
    "PlanarSole",
    "PointConstraint",
    "PointForces",
    "PointLaw",
    "Rheonomic",
    "RollingConstraint",
    "RollingCurve",
    "RollingShape",
    "SimulationStopped",
    "Statistics",
    "StiffForceField",
    "SurfaceConstraint",
    "Trajectory",
    "assemble",
    "constrained_acceleration",
    "energy_balance",
    "equilibrium",
    "largest_stable_step",
    "plastic_impact",
    "simulate",
    "work_along",
]
