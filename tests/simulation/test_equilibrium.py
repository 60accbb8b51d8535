"""Static equilibrium: the elastica, springs, hanging loops, stability."""

import numpy as np
import pytest
from tests.simulation import mechanisms as mech

from softstride import engine
from softstride.errors import InputError, SimulationError
from softstride.model import Inertia, ModelBuilder, Point, Rod, Segment
from softstride.simulation import PointConstraint, equilibrium

# Dead transverse tip load P on a cantilever: exact tip (x, y) / L and tip error / L of n segments, by P L^2 / EI
# (hybrid-link specification, section 9; the errors have two digits).
ELASTICA = {
    0.5: ((0.984081, 0.162144), {1: 4.0e-2, 2: 9.9e-3, 4: 2.5e-3, 8: 6.2e-4, 16: 1.5e-4}),
    2.0: ((0.839358, 0.493457), {1: 1.1e-1, 2: 2.6e-2, 4: 6.5e-3, 8: 1.6e-3, 16: 4.0e-4}),
    10.0: ((0.445004, 0.810609), {1: 1.8e-1, 2: 5.1e-2, 4: 1.2e-2, 8: 3.0e-3, 16: 7.6e-4}),
}


def cantilever(n, free=("kz",), EI=3.0, length=1.5, EA=1e7):
    segment = Segment(length / n, density=Inertia(0.5), stiffness=(EI, EI, EI, EA, EA, EA), free=free)
    builder = ModelBuilder("cantilever", gravity=(0, 0, 0))
    builder.rod("rod", rod=Rod((segment,) * n))
    return builder.build()


@pytest.mark.parametrize("load", list(ELASTICA))
def test_elastica(load):
    exact, table = ELASTICA[load]
    force = load * 3.0 / 1.5**2
    found = []
    for n, expected in table.items():
        model = cantilever(n)
        rest = equilibrium(model, np.zeros(model.nv), {"rod": (0, 0, 0, 0, force, 0)})
        tip = engine.positions(model, rest.q, ["rod"])[0] / 1.5
        found.append(np.hypot(*(tip[:2] - exact)))
        assert found[-1] == pytest.approx(expected, rel=0.06)  # the table has two digits
        assert rest.residual < 1e-10 and rest.stable
    assert mech.orders(found)[-1] == pytest.approx(2.0, abs=0.05)


def test_elastica_in_space_with_all_strains():
    """The same load along z, six free strains: the tip of the planar bend, to the compliance of EA."""
    model = cantilever(8, free=mech.STRAINS)
    rest = equilibrium(model, np.zeros(model.nv), {"rod": (0, 0, 0, 0, 0, 2.0 * 3.0 / 1.5**2)})
    planar = cantilever(8)
    flat = equilibrium(planar, np.zeros(8), {"rod": (0, 0, 0, 0, 2.0 * 3.0 / 1.5**2, 0)})
    tip, other = engine.positions(model, rest.q, ["rod"])[0], engine.positions(planar, flat.q, ["rod"])[0]
    assert np.allclose(tip, other[[0, 2, 1]], atol=1e-6)


def test_a_follower_free_moment_bends_a_circle():
    """A moment at the tip: constant curvature M / EI, exact for any number of segments."""
    model = cantilever(3)
    rest = equilibrium(model, np.zeros(3), {"rod": (0, 0, 3.7, 0, 0, 0)})
    assert np.allclose(rest.q, 3.7 / 3.0, atol=1e-12)


def test_a_spring_against_gravity_and_a_given_moment():
    model = mech.pendulum(stiffness=20.0)
    rest = equilibrium(model, [0.3], tau=[4.0])
    assert 20.0 * rest.q[0] + mech.G * np.sin(rest.q[0]) == pytest.approx(4.0, abs=1e-12)
    assert rest.stiffness[0, 0] == pytest.approx(20.0 + mech.G * np.cos(rest.q[0]), rel=1e-9)


def test_an_upright_pendulum_is_an_unstable_equilibrium():
    rest = equilibrium(mech.pendulum(), [3.0])
    assert rest.q[0] == pytest.approx(np.pi, abs=1e-12) and not rest.stable
    assert equilibrium(mech.pendulum(), [0.4]).stable


def test_a_ball_joint_hangs_down():
    model = mech.conical_pendulum()
    builder_q = engine.integrate(model, model.neutral(), [0.5, 0.0, -0.8])
    rest = equilibrium(model, builder_q)  # turning about the vertical is free: least squares
    hanging = engine.positions(model, rest.q, [Point("bob", (0, -0.7, 0))])[0]
    assert np.allclose(hanging, (0, -0.7, 0), atol=1e-9)


def test_a_hanging_loop_shares_its_weight():
    """A V of two bars of 1 m between pins 1 m apart: each pin carries the weight of one bar, 2 g."""
    builder = ModelBuilder("V", gravity=mech.DOWN)
    bar = {"axis": (0, 0, 1), "mass": 2.0, "com": (0, -0.5, 0), "inertia": (0.1, 0.1, 0.1)}
    builder.revolute("left", **bar)
    builder.revolute("right", "left", position=(0, -1, 0), **bar)
    model = builder.build()
    pin = PointConstraint(Point("right", (0, -1, 0)), (1.0, 0, 0))
    rest = equilibrium(model, [0.6, 2.0], constraints=[pin])
    assert rest.q == pytest.approx([np.pi / 6, np.pi - np.pi / 3], abs=1e-10)
    assert rest.multipliers[1] == pytest.approx(2.0 * mech.G, rel=1e-9)
    # moments about the left pin: F_y * 1 = 2 * g * 2 * 1/2 (both centres), F_x by the right bar alone
    assert rest.multipliers[0] == pytest.approx(mech.G * np.tan(np.pi / 6), rel=1e-9)
    assert rest.stable and rest.residual < 1e-10


def test_where_nothing_holds_there_is_no_equilibrium():
    builder = ModelBuilder("fall", gravity=mech.DOWN)
    builder.prismatic("slider", axis=(0, 1, 0), mass=1.0)
    with pytest.raises(SimulationError, match="no equilibrium"):
        equilibrium(builder.build(), [0.0])


def test_guards():
    with pytest.raises(InputError, match="q must have shape"):
        equilibrium(mech.pendulum(), [0.0, 1.0])
    with pytest.raises(InputError, match="tau must have shape"):
        equilibrium(mech.pendulum(), [0.0], tau=[1.0, 2.0])
