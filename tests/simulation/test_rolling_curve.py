"""A curve that rolls while it bends: rows by differences, a disk, and a blade under load against the load test."""

import dataclasses

import numpy as np
import pytest
from tests.models import the_model
from tests.simulation import mechanisms as mech

from softstride.digital_athlete.person import blade_of
from softstride.errors import InputError
from softstride.gait.hop import blade_leg
from softstride.model import ModelBuilder, Point
from softstride.simulation import (
    Constraint,
    RollingConstraint,
    RollingCurve,
    assemble,
    constrained_acceleration,
    equilibrium,
    simulate,
)
from softstride.simulation.load_test import load_test


@pytest.fixture(scope="module")
def blade():
    return blade_leg(the_model("athlete"))


def test_rows_by_finite_differences(blade):
    model = blade.model
    curve = RollingCurve(blade.sole[::3], floor=0.1)
    assert isinstance(curve, Constraint)
    rng = np.random.default_rng(4)
    q = np.tile(model.neutral(), (5, 1))
    q[:, 2:4] += rng.uniform(-0.2, 0.4, (5, 2))
    q[:, 4:] += 0.3 * rng.normal(size=(5, model.nq - 4))
    v = rng.normal(size=q.shape)
    assert np.ptp(curve.place(model, q)) > 1.0, "they touch in different places"
    h = 1e-6
    rate = (curve.residual(model, q + h * v) - curve.residual(model, q - h * v)) / (2 * h)
    np.testing.assert_allclose(
        np.einsum("fri,fi->fr", curve.jacobian(model, q), v)[:, 0], rate[:, 0], atol=1e-8
    )
    change = (curve.jacobian(model, q + h * v) - curve.jacobian(model, q - h * v)) / (2 * h)
    np.testing.assert_allclose(curve.bias(model, q, v), np.einsum("fri,fi->fr", change, v), atol=1e-6)


def test_a_curve_on_a_circle_is_a_disk():
    """121 points on three quarters of a circle, h = 0.039 rad apart: the curvature of a cubic is off by h^2/12."""
    model = mech.free_body((0.02, 0.03, 0.04), com=(0.03, -0.01, 0.0))
    angle = np.linspace(-1.25 * np.pi, 0.25 * np.pi, 121)
    rim = [Point("body", (0.25 * np.cos(each), 0.25 * np.sin(each), 0.0)) for each in angle]
    curve, disk = RollingCurve(rim), RollingConstraint("body", 0.25, axis=(0, 0, 1))
    start = model.neutral()
    start[1] = 0.25
    q, v = assemble(model, start, [0.0, 0.0, -2.0, 0.5, 0.0, 0.0], [disk])
    on_disk = constrained_acceleration(model, q, v, np.zeros(6), [disk])
    on_curve = constrained_acceleration(model, q, v, np.zeros(6), [curve])
    off = (angle[1] - angle[0]) ** 2 / 12.0
    np.testing.assert_allclose(on_curve[0], on_disk[0], atol=1.1 * off)
    assert on_curve[1][0] == pytest.approx(on_disk[1][0], rel=off)
    rolled = simulate(model, q, v, (0.0, 0.3), constraints=[curve], times=[0.3])
    exact = simulate(model, q, v, (0.0, 0.3), constraints=[disk], times=[0.3])
    np.testing.assert_allclose(rolled.q, exact.q, atol=off)
    assert rolled.energy.total[-1] == pytest.approx(exact.energy.total[-1], rel=1e-5)


@dataclasses.dataclass(frozen=True)
class Greased:
    """The normal row of a rolling curve alone."""

    curve: RollingCurve
    holonomic = (True,)

    def residual(self, model, q):
        return self.curve.residual(model, q)[:, :1]

    def jacobian(self, model, q):
        return self.curve.jacobian(model, q)[:, :1]

    def bias(self, model, q, v):
        return self.curve.bias(model, q, v)[:, :1]


def test_a_blade_pressed_on_the_ground_carries_what_the_load_test_says():
    """Another solver looks for the place of contact by trial; deflection and place must be the same."""
    blade = blade_of(6)
    test = load_test(blade, (0.0,), loads=[300.0, 600.0, 1000.0])
    builder = ModelBuilder("clamped", gravity=(0, 0, 0))
    builder.rod("blade", rod=blade.rod, position=blade.clamp[:3, 3], rotation=blade.clamp[:3, :3])
    model = builder.build()
    arcs = np.linspace(0.6 * blade.length, blade.length, 40)
    sole = [Point("blade", blade.sole_offset(float(s)), float(s)) for s in arcs]
    q = model.neutral()
    for i in (1, 2, 3):
        floor = -blade.height() + test.deflection[0, i]
        curve = RollingCurve(sole, floor)
        found = equilibrium(model, q, constraints=[Greased(curve)])
        q = found.q
        assert found.multipliers[0] == pytest.approx(test.force[0, i], rel=5e-3)
        place = np.interp(curve.place(model, q[None])[0], np.arange(40), arcs)
        assert place == pytest.approx(test.contact[0, i], abs=1e-3)
        assert found.stable


def test_what_is_no_curve_is_told():
    with pytest.raises(InputError, match="6 Points or more"):
        RollingCurve([Point("a")] * 3)
    with pytest.raises(InputError, match="must be finite"):
        RollingCurve([Point("a", (i, 0, 0)) for i in range(8)], floor=np.inf)
