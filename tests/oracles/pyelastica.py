"""PyElastica as an oracle of soft round rods: one at rest under a load, one in motion."""

import math
from dataclasses import asdict, dataclass

import numpy as np
from tests import peers


@dataclass(frozen=True)
class Hook:
    """A quarter circle, clamped where it points straight down, with a force along y on its other end.

    Attributes:
        bend: Its radius [m].
        length: [m].
        young: [Pa]; the shear modulus is a third of it.
        radius: Of the section [m].
        density: [kg/m^3].
        force: [N].
    """

    bend: float
    length: float
    young: float
    radius: float
    density: float
    force: float


@dataclass(frozen=True)
class Whip:
    """A straight rod along x, clamped at the origin, whose tip a force moves until `end` [s]; sizes as of a Hook."""

    length: float
    radius: float
    density: float
    young: float
    shear: float
    end: float

    @staticmethod
    def force(t):
        """Return the force on the tip at an instant [N]."""
        return np.array([0.0, -2.0, 1.5 * np.sin(8.0 * t)])


def _hook():
    bend, young, radius = 0.2, 2e6, 0.008
    stiffness = young * math.pi * radius**4 / 4
    return Hook(bend, 0.5 * math.pi * bend, young, radius, 1000.0, 1.5 * stiffness / bend**2)


HOOK, HOOK_GRIDS = _hook(), (24, 48)
WHIP, WHIP_GRIDS = Whip(1.0, 0.025, 1000.0, 2e6, 2e6 / 3, 0.3), (80, 160)


def questions(_):
    """Return what is asked: where the ends of both rods are, for two numbers of elements."""
    return [
        peers.Question(
            "pyelastica",
            name,
            lambda _, rod=rod, grids=grids, end=end: {"ends": np.stack([end(rod, n) for n in grids])},
            parameters=[asdict(rod), grids],
            within=1e-8,
        )
        for name, rod, grids, end in (
            ("hook", HOOK, HOOK_GRIDS, hook_toe),
            ("whip", WHIP, WHIP_GRIDS, whip_tip),
        )
    ]


def extrapolated(name):
    """Return where the end of a rod would be with elements without number, (3,) [m].

    PyElastica's clamp holds the first element, an error of first order, and the second grid has twice the elements.
    """
    (question,) = (each for each in questions(None) if each.name == name)
    coarse, fine = peers.answer(question)["ends"]
    return 2.0 * fine - coarse


def hook_toe(hook, elements):
    """Return by how much the toe has moved at rest, (3,) [m]: damped until it rests."""
    import elastica as ea

    class Rods(ea.BaseSystemCollection, ea.Constraints, ea.Forcing, ea.Damping):
        pass

    angle = np.linspace(0.0, 0.5 * np.pi, elements + 1)
    position = np.array([hook.bend * (1 - np.cos(angle)), -hook.bend * np.sin(angle), 0 * angle])
    simulator = Rods()
    rod = ea.CosseratRod.straight_rod(
        elements, position[:, 0], np.array([0.0, -1.0, 0.0]), np.array([0.0, 0.0, 1.0]), hook.length, hook.radius,
        hook.density, youngs_modulus=hook.young, shear_modulus=hook.young / 3, position=position,
    )  # fmt: skip
    tangents = np.diff(position, axis=1)
    tangents /= np.linalg.norm(tangents, axis=0)
    across = np.tile(np.array([[0.0], [0.0], [1.0]]), (1, elements))
    rod.director_collection[0], rod.director_collection[2] = across, tangents
    rod.director_collection[1] = np.cross(tangents, across, axis=0)
    rod.compute_internal_forces_and_torques(0.0)
    rod.rest_kappa[:], rod.rest_sigma[:] = rod.kappa, rod.sigma
    simulator.append(rod)
    simulator.constrain(rod).using(
        ea.OneEndFixedBC, constrained_position_idx=(0,), constrained_director_idx=(0,)
    )
    simulator.add_forcing_to(rod).using(
        ea.EndpointForces, np.zeros(3), np.array([0.0, hook.force, 0.0]), ramp_up_time=0.2
    )
    dt = 0.1 * hook.length / elements / math.sqrt(hook.young / hook.density)
    simulator.dampen(rod).using(ea.AnalyticalLinearDamper, uniform_damping_constant=12.0, time_step=dt)
    simulator.finalize()
    end = 2.2  # its first mode, 6 rad/s, is nearly critically damped
    ea.integrate(ea.PositionVerlet(), simulator, end, round(end / dt), progress_bar=False)
    return rod.position_collection[:, -1] - position[:, -1]


def whip_tip(whip, elements):
    """Return where the last node is at the end, (3,) [m]; steps of one tenth of what its waves need."""
    import elastica as ea

    class Tip(ea.NoForces):
        def apply_forces(self, system, time=0.0):
            system.external_forces[..., -1] += whip.force(time)

    class Rods(ea.BaseSystemCollection, ea.Constraints, ea.Forcing):
        pass

    simulator = Rods()
    rod = ea.CosseratRod.straight_rod(
        elements, np.zeros(3), np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]), whip.length, whip.radius,
        whip.density, youngs_modulus=whip.young, shear_modulus=whip.shear,
    )  # fmt: skip
    simulator.append(rod)
    simulator.constrain(rod).using(
        ea.OneEndFixedBC, constrained_position_idx=(0,), constrained_director_idx=(0,)
    )
    simulator.add_forcing_to(rod).using(Tip)
    simulator.finalize()
    ea.integrate(
        ea.PositionVerlet(), simulator, whip.end, round(whip.end * elements / 2e-3), progress_bar=False
    )
    return rod.position_collection[:, -1].copy()
