"""Forward simulation: motion from forces, with events, constraints and impacts; and static equilibrium.

`simulate` integrates the equation of motion on the configuration manifold and returns a `Trajectory`;
`equilibrium` finds the configuration where all forces balance.
"""

from softstride.simulation.constraints import Constraint, PointConstraint
from softstride.simulation.equilibrium import Equilibrium, equilibrium
from softstride.simulation.events import Event
from softstride.simulation.kkt import Impact, assemble, constrained_acceleration, plastic_impact
from softstride.simulation.rolling import RollingConstraint
from softstride.simulation.simulate import simulate
from softstride.simulation.trajectory import EventFound, SimulationStopped, Statistics, Trajectory

__all__ = [
    "Constraint",
    "Equilibrium",
    "Event",
    "EventFound",
    "Impact",
    "PointConstraint",
    "RollingConstraint",
    "SimulationStopped",
    "Statistics",
    "Trajectory",
    "assemble",
    "constrained_acceleration",
    "equilibrium",
    "plastic_impact",
    "simulate",
]
