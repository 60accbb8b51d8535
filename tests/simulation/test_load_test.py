"""The virtual load test: closed forms, PyElastica, energy, published trends, fits and refusals."""

import math

import numpy as np
import pytest
from tests.oracles.pyelastica import HOOK, extrapolated
from tests.oracles.rods import static_rod
from tests.refusals import bad_input

from softstride import engine
from softstride.errors import InputError, SimulationError
from softstride.model.blade import Blade
from softstride.model.blade_shape import arc_points
from softstride.model.library.blades import blade, blade_names
from softstride.simulation import simulate
from softstride.simulation.equilibrium import equilibrium
from softstride.simulation.load_curve import fit_curve, work
from softstride.simulation.load_test import fit_stiffness, held_blade, load_test

RADIUS, WIDTH, THICKNESS, YOUNG, SHEAR, DENSITY = 0.2, 0.06, 0.008, 60e9, 5e9, 1600.0
DAILY = ("c-medium", "j-stiff")
"""Blades that are tested by day."""

EI = YOUNG * WIDTH * THICKNESS**3 / 12.0
LENGTH = 0.5 * math.pi * RADIUS


def quarter(n=6, **options):
    """A quarter circle from the clamp, straight down, to the toe, forward."""
    points = arc_points([(LENGTH, 0.5 * math.pi)])
    return Blade.from_centreline(points, WIDTH, THICKNESS, YOUNG, SHEAR, DENSITY, n=n, **options)


def toe_under(own, force):
    """Return the displacement of the toe, shape (3,), under a dead force [N] at the tip of the rod."""
    model = held_blade(own)
    rest = equilibrium(model, np.zeros(model.nq), {"blade": (0, 0, 0, *force)})
    tips = engine.positions(model, np.array([rest.q, np.zeros(model.nq)]), ["blade"])[:, 0]
    return tips[0] - tips[1]


def orders(errors):
    return np.log2(np.array(errors[:-1]) / np.array(errors[1:]))


def test_small_load_on_a_quarter_circle_and_its_order():
    """Castigliano: up π P R³ / 4 EI, forward P R³ / 2 EI; segments of constant strain err by 1/n² (spec: order 2)."""
    P = 1e-3  # [N]: displacements are 1e-9 of the radius, and their squares rounding
    exact = P * RADIUS**3 / EI * np.array([0.5, 0.25 * math.pi, 0.0])
    gaps = [toe_under(quarter(n), (0, P, 0)) - exact for n in (2, 4, 8, 16)]
    errors = [float(np.linalg.norm(gap) / np.linalg.norm(exact)) for gap in gaps]
    assert errors[-1] < 1.2e-3
    assert np.allclose(orders(errors), 2.0, atol=0.1)


@pytest.mark.slow
def test_large_load_on_a_quarter_circle_and_its_order():
    """Against the boundary value problem of the continuous rod, P R² / EI = 2: the toe moves by 0.6 radius."""
    P = 2.0 * EI / RADIUS**2
    compliance = np.zeros((6, 6))
    compliance[1, 1] = 1.0 / EI
    own = quarter()
    strain = np.array([0.0, own.rod.segments[0].reference[1], 0.0, 1.0, 0.0, 0.0])
    R = own.clamp[:3, :3]
    tip = R @ static_rod(lambda s: strain, compliance, R.T @ (0.0, P, 0.0), LENGTH)
    exact = tip - np.array([RADIUS, -RADIUS, 0.0])
    errors = [
        float(np.linalg.norm(toe_under(quarter(n), (0, P, 0)) - exact)) / RADIUS for n in (4, 8, 16, 32)
    ]
    assert np.linalg.norm(exact) > 0.5 * RADIUS
    assert errors[1] < 2e-2 and errors[-1] < 1e-3
    assert np.allclose(orders(errors), 2.0, atol=0.15)


@pytest.mark.filterwarnings("ignore")
def test_large_load_against_pyelastica():
    """A soft round rod with all six strains free, loaded as far; PyElastica's clamp is of first order in its elements,
    so its toe is extrapolated from two grids."""
    from softstride.model import ModelBuilder, Rod, Section
    from softstride.model.centreline import centreline_frames
    from softstride.model.rod import STRAINS

    assert (HOOK.bend, HOOK.length) == (RADIUS, LENGTH)
    young, P = HOOK.young, HOOK.force
    reference = extrapolated("hook")
    section = Section.circle(HOOK.radius, HOOK.density, young, young / 3, shear_factor=27 / 28)
    points = arc_points([(LENGTH, 0.5 * math.pi)])
    errors = []
    for n in (4, 8, 16):
        builder = ModelBuilder("rod", gravity=(0, 0, 0))
        base = centreline_frames(points, (0, 0, 1), n)[0][0]
        builder.rod(
            "rod", rod=Rod.from_centreline(points, (0, 0, 1), n, section, free=STRAINS), rotation=base[:3, :3]
        )
        model = builder.build()
        rest = equilibrium(model, np.zeros(model.nq), {"rod": (0, 0, 0, 0, P, 0)})
        toe = engine.positions(model, rest.q, ["rod"])[0] - (RADIUS, -RADIUS, 0.0)
        errors.append(float(np.linalg.norm(toe - reference)) / RADIUS)
    assert np.linalg.norm(reference) > 0.4 * RADIUS
    assert errors[2] < 3e-3 and errors[0] > 3.0 * errors[1]


@pytest.fixture(scope="module")
def pressed():
    """A C shape and a J shape at three angles with few loads."""
    loads = np.linspace(0.0, 1500.0, 9)[1:]
    return {name: load_test(blade(name), loads=loads) for name in ("c-medium", "j-medium")}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["c-medium", "j-medium"])
def test_published_trends(pressed, name):
    """Beck et al. 2016, 55 blades: 10 to 39 % softer at 10 to 25 degrees than at 0; parabolas explain 4.4 % more.

    The linear fit misses 2.6 and 5 % of the variance at 0 degrees, the quadratic less than 0.1 %.
    """
    test = pressed[name]
    assert test.converged.all()
    k = np.array([fit.linear for fit in test.fits])
    first = test.fits[0]
    assert first.r2_quadratic > 0.999 and first.r2_quadratic - first.r2_linear > 0.01
    assert first.quadratic[1] > 0.0  # it stiffens: the contact moves towards the clamp
    assert np.all(np.diff(test.contact[0]) < 0.0)
    assert 20e3 < k[0] < 40e3


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [name if name in DAILY else pytest.param(name, marks=pytest.mark.nightly) for name in blade_names()],
)
def test_every_packaged_blade_passes_its_own_test(name):
    """At its own largest load all angles converge, and it is softer when turned by what its source says.

    In the linear fit the C shapes are 18 and 33 to 34 % softer at 10 and 25 degrees, inside the 10 to 39 % of Beck et
    al. 2016; the J shapes 7 to 8 and 16 to 19 %, which at 10 degrees is outside. The stiffness for small loads falls
    too, but that of the J shapes at 25 degrees is 35 % higher. All rounded to a percent.
    """
    own = blade(name)
    test = load_test(own)
    assert test.converged.all() and np.isnan(test.gives_way).all()
    assert test.force[0, -1] == pytest.approx(own.max_load, rel=1e-4) and own.max_load >= 1200.0
    k = np.array([fit.linear for fit in test.fits])
    first = np.array([own.initial_stiffness(angle) for angle in test.angles])
    softer, at_first = (np.round(100.0 * (1.0 - values[1:] / values[0])) for values in (k, first))
    if name.startswith("c"):
        assert softer[0] == 18 and 33 <= softer[1] <= 34
        assert tuple(at_first) == (15, 4)
    else:
        assert 7 <= softer[0] <= 8 and 16 <= softer[1] <= 19
        assert at_first[0] == 9 and -36 <= at_first[1] <= -35
        for words in ("7 to 8 %", "16 to 19 %", "35 % stiffer at first at 25 degrees"):
            assert words in own.source


@pytest.mark.slow
@pytest.mark.parametrize("friction", [0.5, pytest.param(0.8, marks=pytest.mark.nightly)])
def test_much_friction_makes_a_blade_give_way(friction):
    """A C shape on a rough ground jams and snaps over: no states of the other branch, no energy beyond the curves.

    Along what is left the deflection rises, the contact moves by less than 2 % of the length between loads, and the
    compliance is never above that without friction.
    """
    own = blade("c-medium")
    test, free = load_test(own, friction=friction), load_test(own)
    assert not test.converged.all(axis=1).any()
    assert np.isnan(test.energy_return).all() and np.isnan(test.dissipated).all()
    assert np.all((test.gives_way > 300.0) & (test.gives_way <= 1300.0))
    assert np.all(test.stiffness > free.stiffness)
    for i, ok in enumerate(test.converged):
        assert not ok[int(np.argmin(ok)) :].any()  # nothing after the load where it gives way
        d, place = test.deflection[i][ok], test.contact[i][ok]
        assert np.all(np.diff(d) > 0.0) and np.all(d[1:] < free.deflection[i][ok][1:])
        assert np.all(np.abs(np.diff(place)) < 0.02 * own.length)
    small = load_test(own, loads=(50.0, 100.0, 150.0, 200.0), friction=friction)
    assert small.converged.all()
    assert small.sticks.all() and np.isnan(small.energy_return).all()  # friction would push the toe


@pytest.mark.slow
def test_only_the_zero_load_is_reached():
    """1 MN: no stiffness, and no division of zero by zero."""
    test = load_test(blade("c-medium"), (0.0,), (1e5, 2e5, 3e5))
    assert test.converged.sum() == 1 and test.gives_way[0] == 1e5
    assert np.isnan(test.energy_return[0]) and np.isnan(test.fits[0].linear)
    with pytest.raises(SimulationError, match="gives way before the first load of 100000 N at 0 degrees"):
        _ = test.stiffness


def test_a_blade_above_its_clamp_is_refused():
    points = arc_points([(LENGTH, 0.5 * math.pi)]) * (1.0, -1.0, 1.0)
    above = Blade.from_centreline(points, WIDTH, THICKNESS, YOUNG, SHEAR, DENSITY, n=2)
    with pytest.raises(InputError, match="no part below its clamp"):
        load_test(above)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["c-medium", "j-medium"])
def test_the_work_is_stored(pressed, name):
    """∫ F dδ is the elastic energy, though the place of contact moves; the spline through nine points errs by 1e-3."""
    test = pressed[name]
    for i in range(3):
        assert work(test.deflection[i], test.force[i]) == pytest.approx(test.energy[i, -1], rel=2e-3)


def test_the_slope_at_zero_is_castiglianos():
    """With 12 segments the rod is 0.6 % stiffer (order 2); loads of 1 N and less do not move the contact."""
    own = quarter(12)
    test = load_test(own, (0,), (0.25, 0.5, 1.0), contact="toe")
    assert test.stiffness[0] == pytest.approx(own.initial_stiffness(at=own.length), rel=7e-3)
    assert test.stiffness[0] > own.initial_stiffness(at=own.length)


def test_strain_and_energy_of_a_small_load():
    """U = F δ / 2; the strain at the clamp is M t / 2 EI with M = F R, in the mean of the first segment."""
    own = quarter(24)
    test = load_test(own, (0,), (1.0, 2.0, 4.0), contact="toe")
    assert test.energy[0, -1] == pytest.approx(0.5 * 4.0 * test.deflection[0, -1], rel=1e-3)
    assert test.strain[0, -1] == pytest.approx(4.0 * RADIUS * 0.5 * THICKNESS / EI, rel=2e-3)


def test_energy_return_of_a_small_load():
    """A linear spring with retardation time η gives back 1 - η π² / T of its energy at first order.

    The load is small enough for the curve to be a line to 1e-3.
    """
    eta, T = 4e-4, 0.15
    test = load_test(quarter(8, damping=eta), (0,), (1.0, 2.0, 4.0, 8.0), contact="toe", duration=T)
    lost = eta * math.pi**2 / T
    assert test.dissipated[0] / test.energy[0, -1] == pytest.approx(lost, rel=1e-3)
    assert test.energy_return[0] == pytest.approx((1 - 0.5 * lost) / (1 + 0.5 * lost), rel=1e-4)


@pytest.mark.slow
def test_energy_return_against_a_simulation():
    """The blade in motion, its toe pushed by half a sine of force of 60 N in 0.5 s, far below its first frequency.

    What damping takes out of it is the work of the load less what is left; inertia and the second order of the
    damping change it by some percent.
    """
    eta, T, P = 2e-3, 0.5, 60.0
    own = quarter(4, damping=eta, free=("ky",))
    model = held_blade(own)
    rest = np.zeros(model.nv)

    def push(t, q, v):
        return {"blade": (0, 0, 0, 0, P * math.sin(math.pi * t / T), 0)}

    times = np.linspace(0.0, T, 2001)
    run = simulate(model, rest, rest, (0.0, T), f_ext=push, method="rosenbrock", times=times, rtol=1e-7)
    tip = engine.positions(model, run.q, ["blade"])[:, 0, 1]
    force = P * np.sin(math.pi * times / T)
    done = float(np.sum(0.5 * (force[1:] + force[:-1]) * np.diff(tip)))
    lost = done - float(run.energy.total[-1] - run.energy.total[0])
    test = load_test(own, (0,), np.linspace(0.0, P, 7)[1:], contact="toe", duration=T)
    assert lost == pytest.approx(test.dissipated[0], rel=0.05)


@pytest.mark.slow
def test_friction_costs_energy():
    own = quarter(4)
    loads = (50.0, 100.0, 150.0, 200.0)
    free, rough = (load_test(own, (0,), loads, friction=mu) for mu in (0.0, 0.2))
    assert free.energy_return[0] == pytest.approx(1.0, abs=1e-12)  # nothing is damped
    assert 0.3 < rough.energy_return[0] < 0.95
    assert not free.sticks[0] and not rough.sticks[0]
    assert np.all(rough.deflection[0, 1:] < free.deflection[0, 1:])


@pytest.mark.slow
def test_friction_against_the_closed_form():
    """A dead force (-μ P, P) on the sole under the toe lifts it by P R³/EI (π/4 - μ (1/2 + t/2R)), by Castigliano.

    24 segments are stiffer by 1e-3 (order 2).
    """
    own, mu = quarter(24), 0.3
    test = load_test(own, (0,), (0.5, 1.0, 2.0), contact="toe", friction=mu)
    exact = 2.0 * RADIUS**3 / EI * (0.25 * math.pi - mu * (0.5 + 0.5 * THICKNESS / RADIUS))
    assert test.deflection[0, -1] == pytest.approx(exact, rel=2e-3)


@pytest.mark.slow
@pytest.mark.parametrize("unknown", ["young", pytest.param("thickness", marks=pytest.mark.nightly)])
def test_the_fit_recovers_a_hidden_stiffness(unknown):
    """A table made by the virtual test of a blade that is 1.4 times as stiff, at two angles, with large deflection."""
    own = quarter(4)
    hidden = own.stiffened(1.4) if unknown == "young" else own.thickened(1.4 ** (1 / 3))
    made = load_test(hidden, (0, 8), np.linspace(0.0, 600.0, 7)[1:])
    rows = [
        (made.deflection[i, j], made.force[i, j], (0, 8)[i])
        for i in range(2)
        for j in range(1, 7)
        if made.converged[i, j]
    ]
    found = fit_stiffness(own, rows, unknown=unknown)
    assert len(rows) > 8
    ratio = found.rod.segments[0].stiffness[1, 1] / own.rod.segments[0].stiffness[1, 1]
    assert ratio == pytest.approx(1.4, rel=2e-3)  # interpolation of the curve between 24 loads


def test_fit_curve_of_a_parabola():
    d = np.linspace(0.0, 0.05, 11)
    fit = fit_curve(d, 2e4 * d + 3e5 * d * d)
    assert np.allclose(fit.quadratic, (2e4, 3e5), rtol=1e-10) and fit.r2_quadratic == pytest.approx(1.0)
    assert fit.r2_linear < fit.r2_quadratic
    with pytest.raises(InputError, match="three"):
        fit_curve([0.0, 0.1], [0.0, 1.0])


def test_a_blade_that_gives_way_is_reported():
    """A thin blade under loads far beyond what it carries: what was reached is kept, the rest is not converged."""
    test = load_test(quarter(4).thickened(0.5), (0,), np.linspace(0.0, 3000.0, 7)[1:])
    assert test.converged[0, 0] and not test.converged.all()
    assert np.isnan(test.deflection[~test.converged]).all()
    assert np.isfinite(test.force).all()


@bad_input(
    InputError,
    ({"loads": (100.0, 50.0, 200.0)}, "loads"),
    ({"loads": (0.0, 50.0, 200.0)}, "loads"),
    ({"loads": "abc"}, "loads"),
    ({"angles_deg": "abc"}, "angles_deg"),
    ({"angles_deg": (0.0, 95.0)}, "angles_deg"),
    ({"angles_deg": ()}, "angles_deg"),
    ({"friction": -0.1}, "friction"),
    ({"duration": 0.0}, "duration"),
    ({"contact": "heel"}, "contact"),
    ({"contact": 3.0}, "contact"),
)
def test_bad_requests(refuses):
    refuses(load_test, blade=quarter(2), angles_deg=(0.0,), loads=(50.0, 100.0, 200.0), duration=0.03)


@pytest.mark.parametrize(
    "table", [[[0.01, 100.0]], [[0.0, 0.0]] * 5, [[0.1, 1, 2, 3]] * 4, [[np.nan, 1.0]] * 4]
)
def test_bad_tables(table):
    with pytest.raises(InputError, match="table"):
        fit_stiffness(quarter(2), table)


def test_a_table_in_millimetres():
    with pytest.raises(InputError, match="millimetres"):
        fit_stiffness(quarter(2), [[10.0, 300.0], [20.0, 700.0], [30.0, 1200.0]])
