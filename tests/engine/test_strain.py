"""Rods at zero, tiny, large and very large strain: no jump, no loss of digits, on one set of formulas."""

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles import joints as jt
from tests.oracles.errors import relative
from tests.oracles.reference import Snapshot

from softstride import engine
from softstride.model import Frame, Inertia, ModelBuilder, Rod, Segment

# Stumpff functions are good to 4e-15 up to one turn a segment; a handful of products follow. Over one turn
# the argument of sine and cosine grows, and with it their absolute error: 1e-15 a radian.
TOLERANCE = 1e-12
# Largest turn of a segment tried here [rad].
TURN = 25.0
LENGTH = 0.25
SWITCH = np.sqrt(40.0) / LENGTH  # curvature where the series gives way to sine and cosine, [1/m]

unit = st.floats(-1, 1).filter(lambda x: abs(x) > 0.05)
directions = st.tuples(*[unit] * 6).map(np.array)
decades = st.floats(-12, 0)


def build(free=jt.STRAINS, quadrature=6):
    """Return a floating body with one rod, straight at q = 0."""
    density = Inertia(0.8, (0.002, -0.001, 0.003), np.diag([2e-4, 1.1e-4, 1.9e-4]))
    segment = Segment(LENGTH, np.array([0, 0, 0, 1.0, 0, 0]), density, np.eye(6), np.eye(6), free)
    builder = ModelBuilder("strained", gravity=(1.0, -9.0, 2.0))
    builder.free("base", mass=2.0, com=(0.1, 0.0, 0.2), inertia=(0.02, 0.03, 0.025))
    tip = {"mass": 0.2, "com": (0.05, 0.01, 0.02), "inertia": (1e-4, 2e-4, 2e-4)}
    builder.rod("rod", parent="base", rod=Rod((segment,), quadrature), **tip)
    return builder.build()


MODEL = build()
BASE = np.array([0.1, 0.2, 0.3, 0.1, 0.2, -0.1, np.sqrt(0.94)])
V = np.array([0.3, -0.2, 0.5, 1.0, 0.2, -0.4, 2.0, -1.0, 0.5, 0.1, -0.2, 0.05])
A = np.array([1.0, 2, 0.5, 3, -2, 1, 10, 5, -8, 1, 0.5, -1.5])


def results(strain):
    """Return everything the engine says about a strain: tip pose, Jacobian, acceleration, M, bias, tau."""
    q = np.concatenate([BASE, strain])
    return (
        engine.poses(MODEL, q, "rod"),
        engine.jacobian(MODEL, q, "rod"),
        engine.jacobian(MODEL, q, Frame("rod", at=0.4 * LENGTH)),
        engine.accelerations(MODEL, q, V, A, "rod"),
        engine.mass_matrix(MODEL, q),
        engine.bias(MODEL, q, V),
        engine.inverse_dynamics(MODEL, q, V, A),
    )


def expected(strain):
    """Return the same from the matrix oracle."""
    snap = Snapshot(MODEL, np.concatenate([BASE, strain]), V)
    places = snap.pose("rod"), snap.jacobian("rod"), snap.jacobian(Frame("rod", at=0.4 * LENGTH))
    return *places, snap.acceleration("rod", A), snap.mass_matrix, snap.bias, snap.inverse_dynamics(A)


def check(strain, tolerance=TOLERANCE):
    for i, (got, want) in enumerate(zip(results(strain), expected(strain), strict=True)):
        assert relative(got, want) < tolerance, f"quantity {i}: {relative(got, want):.1e}"


def test_zero_strain():
    check(np.zeros(6))


@settings(max_examples=60)
@given(directions, decades)
def test_strain_over_twelve_decades(direction, decade):
    """From 1e-12 to about one radian a segment."""
    check(direction * 10**decade * np.array([4, 4, 4, 0.3, 0.3, 0.3]))


@settings(max_examples=40)
@given(directions, st.floats(1, TURN))
def test_large_strain(direction, turn):
    """From one radian to four turns a segment: on both sides of the switch to sine and cosine."""
    strain = 0.2 * direction
    strain[:3] = direction[:3] / np.linalg.norm(direction[:3]) * turn / LENGTH
    check(strain, 10 * TOLERANCE)


@settings(max_examples=30)
@given(directions, decades)
def test_continuous_at_zero(direction, decade):
    """Moving away from zero strain by eps changes nothing by more than a multiple of eps."""
    eps = 10**decade
    for near, at in zip(results(eps * direction), results(np.zeros(6)), strict=True):
        assert relative(near, at) < 100 * eps + TOLERANCE


@settings(max_examples=30)
@given(directions, st.floats(-14, -6))
def test_continuous_at_the_switch(direction, decade):
    """One whole turn: the formulas on the two sides of the switch agree."""
    strain = 0.2 * direction
    strain[:3] = direction[:3] / np.linalg.norm(direction[:3]) * SWITCH
    factor = np.array([1, 1, 1, 0, 0, 0]) * 10**decade
    below, above = results(strain * (1 - factor)), results(strain * (1 + factor))
    for one, other in zip(below, above, strict=True):
        assert relative(one, other) < 1e3 * 10**decade + 10 * TOLERANCE


def exact_tip(xi):
    """Return pose (4, 4) and T_R (6, 6) of a segment with 50 digits."""
    with mpmath.workdps(50):
        k, e = [mpmath.mpf(float(x)) for x in xi[:3]], [mpmath.mpf(float(x)) for x in xi[3:]]

        def skew(w):
            return mpmath.matrix([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])

        hat, block = mpmath.zeros(4), mpmath.zeros(12)
        for i in range(3):
            hat[i, 3] = e[i]
            for j in range(3):
                hat[i, j] = skew(k)[i, j]
                block[i, j] = block[3 + i, 3 + j] = -skew(k)[i, j]
                block[3 + i, j] = -skew(e)[i, j]
            block[i, 6 + i] = block[3 + i, 9 + i] = 1
        pose = mpmath.expm(hat * mpmath.mpf(LENGTH), method="taylor")
        tangent = mpmath.expm(block * mpmath.mpf(LENGTH), method="taylor")
        return np.array(pose.tolist(), dtype=float), np.array(tangent.tolist(), dtype=float)[:6, 6:]


@pytest.mark.parametrize(
    "size", [0.0, 1e-12, 1e-8, 1e-4, 1e-2, 1.0, 8.0, SWITCH * 0.999, SWITCH * 1.001, 60.0]
)
def test_pose_and_tangent_to_the_last_digits(size):
    """Against 50 digits: the tip and its columns, clamped base."""
    strain = np.array([0.3, 2.0, -0.4, 0.01, 0.02, -0.03])
    strain[:3] *= size / np.linalg.norm(strain[:3])
    segment = Segment(LENGTH, np.array([0, 0, 0, 1.0, 0, 0]), Inertia(1.0), np.eye(6), np.eye(6), jt.STRAINS)
    builder = ModelBuilder("clamped")
    builder.rod("rod", rod=Rod((segment,)))
    model = builder.build()
    pose, tangent = exact_tip(strain + np.array([0, 0, 0, 1.0, 0, 0]))
    last_digits = 4e-15 * (1 + size * LENGTH)  # rounding of the argument grows with the angle
    assert relative(engine.poses(model, strain, "rod"), pose) < last_digits
    assert relative(engine.jacobian(model, strain, "rod"), tangent) < last_digits
