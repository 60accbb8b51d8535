"""A rod in motion against PyElastica: matched material, all six strains, a tip force that turns in space."""

import numpy as np
import pytest
from tests.simulation import mechanisms as mech

from softstride import engine
from softstride.model import ModelBuilder, Rod, Section
from softstride.simulation import simulate

LENGTH, RADIUS, DENSITY, YOUNG, SHEAR = 1.0, 0.025, 1000.0, 2e6, 2e6 / 3
END = 0.3  # [s]: the tip moves by 0.25 m


def force(t):
    return np.array([0.0, -2.0, 1.5 * np.sin(8.0 * t)])


def elastica_tip(elements):
    """Return where PyElastica's last node is at END; steps of one tenth of what its waves need."""
    import elastica as ea

    class Tip(ea.NoForces):
        def apply_forces(self, system, time=0.0):
            system.external_forces[..., -1] += force(time)

    class Rods(ea.BaseSystemCollection, ea.Constraints, ea.Forcing):
        pass

    simulator = Rods()
    rod = ea.CosseratRod.straight_rod(
        elements, np.zeros(3), np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]), LENGTH, RADIUS, DENSITY,
        youngs_modulus=YOUNG, shear_modulus=SHEAR,
    )  # fmt: skip
    simulator.append(rod)
    simulator.constrain(rod).using(
        ea.OneEndFixedBC, constrained_position_idx=(0,), constrained_director_idx=(0,)
    )
    simulator.add_forcing_to(rod).using(Tip)
    simulator.finalize()
    ea.integrate(ea.PositionVerlet(), simulator, END, round(END * elements / 2e-3), progress_bar=False)
    return rod.position_collection[:, -1].copy()


def our_tip(segments):
    section = Section.circle(RADIUS, DENSITY, YOUNG, SHEAR, shear_factor=27 / 28)  # PyElastica's factor
    builder = ModelBuilder("rod", gravity=(0, 0, 0))
    builder.rod("rod", rod=Rod.uniform(LENGTH, segments, section, free=mech.STRAINS))
    model = builder.build()
    rest = np.zeros(model.nv)
    run = simulate(
        model,
        rest,
        rest,
        (0.0, END),
        f_ext=lambda t, q, v: {"rod": (0, 0, 0, *force(t))},
        rtol=1e-6,
        atol=1e-8,
    )
    return engine.positions(model, run.q[-1], ["rod"])[0]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_tip_converges_to_that_of_pyelastica():
    """Its clamp holds the first element, an error of first order, so the reference is extrapolated from two grids."""
    coarse, fine = elastica_tip(80), elastica_tip(160)
    reference = 2.0 * fine - coarse
    errors = np.array([np.linalg.norm(our_tip(n) - reference) for n in (4, 8, 16)])
    assert np.linalg.norm(reference[1:]) > 0.2
    assert errors[2] < 6e-4 and np.all(errors[:-1] > 4.0 * errors[1:])  # order 2 or better
