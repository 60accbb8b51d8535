"""A hop on a blade: fall and flight in closed form, energy balance, steps of a millisecond, three kinds of contact."""

import numpy as np
import pytest
from tests.models import the_model

from softstride import engine
from softstride.engine.passive import passive_forces
from softstride.errors import InputError, Option
from softstride.gait.hop import Muscles, hop
from softstride.gait.hop.footing import rolling_blade

G = 9.80665


@pytest.fixture(scope="module")
def hopped():
    return hop(height=0.1, dt=1e-3)


@pytest.mark.slow
def test_it_falls_lands_pushes_off_and_flies(hopped):
    assert hopped.completed and hopped.ended == "" and hopped.motion.notes == ()
    assert [name for name, *_ in hopped.phases] == ["fall", "down", "push", "rise"]
    assert list(hopped.events) == ["landing", "lowest", "take-off", "apex"]
    assert hopped.events["landing"] == pytest.approx(np.sqrt(2 * 0.1 / G), abs=1e-10)
    assert np.all(np.diff(hopped.motion.time) > 0.0)
    assert 0.15 < hopped.contact_time < 0.3 and 0.05 < hopped.rise < 0.1
    assert 2.0 < hopped.peak_force / (hopped.leg.model.mass * G) < 6.0


@pytest.mark.slow
def test_in_flight_the_centre_of_mass_is_thrown(hopped):
    last = hopped.phases[-1]
    flying = (hopped.motion.time >= last[1]) & (hopped.motion.time <= last[2])
    model, t = hopped.leg.model, hopped.motion.time[flying]
    height = engine.centre_of_mass(model, hopped.motion.q[flying])[:, 1]
    parabola = height[-1] - 0.5 * G * (t[-1] - t) ** 2
    np.testing.assert_allclose(height, parabola, atol=1e-5)
    assert not hopped.ground.force[flying][:-1].any()


@pytest.mark.slow
def test_the_energy_balance_closes_at_a_millisecond(hopped):
    """To 1e-4 of the energy in play; with every part what it must be."""
    energy = hopped.energy
    assert energy.relative_gap < 1e-4
    assert energy.impact_loss > 0.0 and energy.blade_loss > 0.0 and energy.contact_work == 0.0
    assert energy.start == pytest.approx(
        energy.end - energy.joint_work + energy.blade_loss + energy.impact_loss, abs=0.02
    )
    assert energy.stored == pytest.approx(hopped.energies["elastic"].max(), rel=1e-9)
    assert energy.stored < energy.absorbed and energy.returned < energy.stored
    assert (
        0.95 < energy.return_ratio < 0.99
    )  # the blade's damping is that of 95 % in 0.12 s; this contact is longer


@pytest.mark.slow
def test_results_converge_with_the_step(hopped):
    """The height of the flight: from 4 to 2 ms its error beside that of 1 ms falls at least eightfold."""
    errors = [abs(hop(height=0.1, dt=dt).rise - hopped.rise) for dt in (4e-3, 2e-3)]
    assert errors[1] < 1e-3
    assert errors[1] < errors[0] / 8.0


@pytest.mark.nightly
def test_results_converge_with_a_fine_step(hopped):
    """The height of the flight: from 2 to 1 ms its error falls at least eightfold."""
    exact = hop(height=0.1, dt=2.5e-4)
    coarse = hop(height=0.1, dt=2e-3)
    errors = [abs(each.rise - exact.rise) for each in (coarse, hopped)]
    assert coarse.completed and errors[1] < 1e-4
    assert errors[1] < errors[0] / 8.0
    assert hopped.energy.returned == pytest.approx(exact.energy.returned, abs=0.05)
    assert exact.energy.relative_gap < 1e-5


@pytest.mark.slow
def test_the_equation_of_motion_holds_in_stance(hopped):
    """M a + b = tau + J^T lambda with the loads that are reported."""
    model, motion = hopped.leg.model, hopped.motion
    middle = np.flatnonzero(hopped.ground.force[:, 1] > 500.0)[::20]
    q, v, a = motion.q[middle], motion.v[middle], motion.a[middle]
    foot = rolling_blade(hopped.leg)
    J = foot.constraint.jacobian(model, q)
    force = hopped.ground.force[middle] @ foot.basis.T
    given = np.einsum("fri,fr->fi", J, force) + hopped.loads.tau[middle]
    need = engine.inverse_dynamics(model, q, v, a)
    np.testing.assert_allclose(given, need, atol=1e-6 * np.abs(need).max())
    np.testing.assert_allclose(hopped.loads.elastic[middle], passive_forces(model, q, v), atol=1e-9)
    moments = hopped.loads.active[middle]
    assert np.abs(moments[:, 4:]).max() < 1e-9 and np.abs(moments[:, :2]).max() < 1e-9, (
        "hip and knee alone act"
    )


@pytest.mark.slow
def test_the_blade_does_not_slip_and_stays_on_the_ground(hopped):
    foot = rolling_blade(hopped.leg)
    model, motion = hopped.leg.model, hopped.motion
    standing = hopped.ground.force[:, 1] > 0.0
    height = foot.height(motion.q[standing])
    assert np.max(np.abs(height)) < 1e-6
    slip = np.einsum("fri,fi->fr", foot.constraint.jacobian(model, motion.q[standing]), motion.v[standing])
    assert np.max(np.abs(slip)) < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("contact", ["outline", "spheres"])
def test_other_contacts_hop_alike(hopped, contact):
    other = hop(height=0.1, contact=contact)
    assert other.completed and other.energy.relative_gap < 1e-4
    assert other.energy.returned == pytest.approx(hopped.energy.returned, rel=0.03)
    assert other.contact_time == pytest.approx(hopped.contact_time, rel=0.05)
    assert other.peak_force == pytest.approx(hopped.peak_force, rel=0.05)
    if contact == "spheres":
        assert other.energy.contact_work < 0.0 and other.energy.impact_loss == 0.0


@pytest.mark.slow
def test_a_harder_push_flies_higher(hopped):
    assert hop(height=0.1, push=120.0).rise > hopped.rise + 0.01


@pytest.mark.nightly
def test_the_schematic_athlete_hops(hopped):
    result = hop(the_model("athlete"), dt=None)
    assert result.completed and result.energy.relative_gap < 1e-4
    assert result.energy.returned > 50.0
    rough = hop(the_model("athlete"), dt=2e-3)
    assert rough.energy.relative_gap < 0.01 or rough.motion.notes[-1].code == "energy.balance-open"


@pytest.mark.slow
def test_stick_figures_hang_together(hopped):
    lines = hopped.sticks()
    np.testing.assert_allclose(lines["leg"][:, -1], lines["blade"][:, 0], atol=1e-12)
    assert lines["blade"].shape == (len(hopped.motion), 25, 2)


@pytest.mark.slow
def test_a_leg_that_collapses_says_when():
    result = hop(height=0.3, muscles=Muscles(50.0, 1.0, 50.0, 1.0))
    assert not result.completed and "collapsed at" in result.ended
    assert str(result.motion.notes[0]) == result.ended and len(result.motion) > 100
    assert result.motion.notes[0].code == "hop.ended"


def test_a_limit_of_steps_returns_what_there_is():
    result = hop(max_steps=50)
    assert not result.completed and "max_steps = 50" in result.ended and len(result.motion) == 51
    assert np.isnan(result.rise) and np.isnan(result.contact_time)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"height": -0.02}, "starts 0.02 m below the floor"),
        ({"push": np.nan}, "push of a hop must be a finite number, however it is nan"),
        ({"contact": "glue"}, "'rolling', 'outline' or 'spheres'"),
        ({"method": "rk4"}, r"cannot hold a blade.*explicit steps of 2\.7e-07 s at most.*rosenbrock"),
        ({"knee": 3.0}, "flexed by 0 to 1.5 rad, however by 3 rad"),
    ],
)
def test_what_is_no_hop_is_told(options, words):
    with pytest.raises(InputError, match=words):
        hop(**options)


@pytest.mark.slow
def test_a_push_beyond_all_bounds_returns_what_was_simulated():
    """100 kN m at the knee: the fixed step cannot follow, and the fall, the landing and the way down are there."""
    result = hop(push=1e5)
    assert not result.completed and len(result.motion) > 200 and "lowest" in result.events
    assert "grow beyond all bounds" in result.ended and result.ended.endswith("take dt=None")
    assert Option("dt", None) in result.motion.notes[0].options
    assert np.isfinite(result.motion.q).all()
