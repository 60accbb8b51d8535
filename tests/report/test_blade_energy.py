"""Energy from the load on a blade is that of its true strains, which the digital athlete knows."""

import numpy as np
import pytest
from tests.trials import the_athlete

from softstride.dynamics.loads import AppliedWrench
from softstride.engine.passive import elements
from softstride.engine.passive_elements import Rods
from softstride.errors import InputError
from softstride.report.blade_energy import BladeWork, blade_links, blade_work, deflection, rebounds

BLADE = "blade_r"


@pytest.fixture(scope="module")
def truth():
    return the_athlete().truth


def test_deflection_is_zero_on_an_unloaded_blade(truth):
    q = truth.q[:2].copy()
    q[:, list(truth.model.q_indices(BLADE))] = 0.0
    assert deflection(truth.model, q, BLADE) == pytest.approx(0.0, abs=1e-12)
    assert deflection(truth.model, truth.q, BLADE).max() == pytest.approx(0.124, abs=0.01)  # m


def test_energy_is_that_of_the_true_strains(truth):
    rods = next(element for element in elements(truth.model) if isinstance(element, Rods))
    true = rods.energy(truth.q)
    found = blade_work(truth.model, truth.time, truth.q, BLADE, truth.wrenches)
    assert true.max() > 40.0  # J
    assert found.energy == pytest.approx(true, abs=0.04 * true.max())  # the inertia of the blade is left out


def test_a_blade_without_load_holds_nothing_and_one_whose_load_is_not_known_is_not_known(truth):
    n = len(truth.time)
    none = blade_work(truth.model, truth.time, truth.q, BLADE, {})
    assert none.energy == pytest.approx(0.0) and none.power == pytest.approx(0.0)
    force = np.zeros((n, 3))
    force[5] = np.nan
    gone = AppliedWrench(BLADE, force, np.full((n, 3), np.nan), np.zeros((n, 3)))
    assert np.flatnonzero(
        np.isnan(blade_work(truth.model, truth.time, truth.q, BLADE, {"p": gone}).energy)
    ) == [5]


def test_two_forces_are_one(truth):
    whole = next(wrench for wrench in truth.wrenches.values() if wrench.link == BLADE)
    parts = {
        name: AppliedWrench(BLADE, share * whole.force, whole.point, share * whole.moment)
        for name, share in (("a", 0.3), ("b", 0.7))
    }
    one, two = (blade_work(truth.model, truth.time, truth.q, BLADE, w).energy for w in ({"w": whole}, parts))
    assert two == pytest.approx(one, rel=1e-9, abs=1e-9)


def test_rebounds_integrate_the_power():
    time = np.linspace(0.0, 1.0, 1001)
    power = -100.0 * np.sin(2 * np.pi * time)  # takes and gives 100 / pi J
    energy = 100.0 / (2 * np.pi) * (1.0 - np.cos(2 * np.pi * time))
    (step,) = rebounds(BladeWork(time, energy, power), np.array([[0.0, 1.0]]))
    assert step.taken == pytest.approx(100.0 / np.pi, rel=1e-5) and step.share == pytest.approx(1.0)
    assert step.energy == pytest.approx(100.0 / np.pi, rel=1e-5)
    assert rebounds(BladeWork(time, energy, power), np.array([[0.5, 1.5], [0.1, 0.1005]])) == ()


def test_only_blades_have_energy(truth):
    assert blade_links(truth.model) == (BLADE,)
    with pytest.raises(InputError, match="'pelvis' is no blade; blades are: blade_r"):
        deflection(truth.model, truth.q, "pelvis")
