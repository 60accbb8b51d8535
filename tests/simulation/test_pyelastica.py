"""A rod in motion against PyElastica: matched material, all six strains, a tip force that turns in space."""

import numpy as np
import pytest
from tests.oracles.pyelastica import WHIP, extrapolated
from tests.simulation import mechanisms as mech

from softstride import engine
from softstride.model import ModelBuilder, Rod, Section
from softstride.simulation import simulate


def our_tip(segments):
    section = Section.circle(
        WHIP.radius, WHIP.density, WHIP.young, WHIP.shear, shear_factor=27 / 28
    )  # PyElastica's factor
    builder = ModelBuilder("rod", gravity=(0, 0, 0))
    builder.rod("rod", rod=Rod.uniform(WHIP.length, segments, section, free=mech.STRAINS))
    model = builder.build()
    rest = np.zeros(model.nv)
    run = simulate(
        model,
        rest,
        rest,
        (0.0, WHIP.end),
        f_ext=lambda t, q, v: {"rod": (0, 0, 0, *WHIP.force(t))},
        rtol=1e-6,
        atol=1e-8,
    )
    return engine.positions(model, run.q[-1], ["rod"])[0]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_tip_converges_to_that_of_pyelastica():
    """Its clamp holds the first element, an error of first order, so the reference is extrapolated from two grids."""
    reference = extrapolated("whip")
    errors = np.array([np.linalg.norm(our_tip(n) - reference) for n in (4, 8, 16)])
    assert np.linalg.norm(reference[1:]) > 0.2
    assert errors[2] < 6e-4 and np.all(errors[:-1] > 4.0 * errors[1:])  # order 2 or better
