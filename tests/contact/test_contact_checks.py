"""The checks that ship with the package, and the problem they share with the benchmark."""

import numpy as np
import pytest
from tests.contact.surfaces import C_REFERENCE

from softstride.contact import RollingSurface, SphereContact
from softstride.selfcheck import contact as checks


def test_the_values_of_the_checks():
    assert checks.rolling_table() < 1e-12
    assert checks.leg_angle() == pytest.approx(0.209442222770 - 0.012221775268, abs=1e-9)
    assert abs(checks.restitution()) < 1e-6


def test_a_law_that_is_off_is_noticed(monkeypatch):
    right = SphereContact.normal_force
    monkeypatch.setattr(SphereContact, "normal_force", lambda self, z, v: right(self, z, 1.001 * v))
    assert abs(checks.restitution()) > 1e-5


def test_a_surface_that_is_off_is_noticed(monkeypatch):
    rounded = RollingSurface.from_exponents(np.array(C_REFERENCE) * 1.0001, 1.0, 0.026)
    monkeypatch.setattr(checks, "reference_surface", lambda: rounded)
    assert checks.rolling_table() > 1e-6
    assert abs(checks.leg_angle() - 0.197220447502) > 2e-8
