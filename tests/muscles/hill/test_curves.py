"""The curves by themselves: what they pass through, their slopes, and that the tables are as good as they are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softstride.errors import ModelError
from softstride.muscles.hill.degroote2016 import (
    DeGrooteActive,
    DeGrootePassive,
    DeGrooteTendon,
    DeGrooteVelocity,
)
from softstride.muscles.hill.millard2012 import MillardActive, MillardPassive, MillardTendon, MillardVelocity
from softstride.muscles.hill.schutte1993 import Hyperbolas, SchutteActive, SchuttePassive, SchutteTendon
from softstride.muscles.hill.table import TOLERANCE, pack
from softstride.muscles.hill.thelen2003 import GaussActive, ThelenPassive, ThelenTendon, ThelenVelocity

ACTIVE = [MillardActive(), MillardActive(0.25, 0.77, 1.9, 0.75, 0.0), GaussActive(), GaussActive(0.5), DeGrooteActive(),
          DeGrooteActive(1.5)]  # fmt: skip
PASSIVE = [MillardPassive(), MillardPassive(-0.2, 0.5, 0.2, 3.0, 0.75), ThelenPassive(), ThelenPassive(0.5, 4.0),
           DeGrootePassive(), SchuttePassive()]  # fmt: skip
VELOCITY = [MillardVelocity(), MillardVelocity(0.1, 0.25, 5.0, 0.1, 0.15, 1.8), ThelenVelocity(),
            ThelenVelocity(0.3, 1.8), DeGrooteVelocity(), Hyperbolas(), Hyperbolas(0.25, 1.4, 0.04)]  # fmt: skip
TENDON = [
    MillardTendon(),
    MillardTendon(0.033),
    ThelenTendon(),
    ThelenTendon(0.033),
    DeGrooteTendon(),
    SchutteTendon(),
]
ALL = [*ACTIVE, SchutteActive(), *PASSIVE, *VELOCITY, *TENDON]
ids = repr


def reach(curve):
    """Points all over a curve and beyond its ends, no break among them."""
    breaks = np.array(curve.breaks())
    span = breaks[-1] - breaks[0]
    x = np.linspace(breaks[0] - 0.3 * span, breaks[-1] + 0.3 * span, 4001)
    near = breaks[:, None] + np.geomspace(1e-6, 0.1, 40) * np.array([[-1.0], [1.0]])[:, None]
    x = np.concatenate([x, near.ravel()])
    return x[np.min(np.abs(x[:, None] - breaks), axis=1) > 1e-7]


@pytest.mark.parametrize("curve", ALL, ids=ids)
def test_slope_is_the_derivative(curve):
    """Differences of fourth order; steps of 1e-5 of the curve's span balance rounding and the fifth derivative."""
    breaks = np.array(curve.breaks())
    h = 1e-5 * np.min(np.diff(breaks))
    x = reach(curve)
    x = x[np.min(np.abs(x[:, None] - breaks), axis=1) > 3 * h]
    ahead, far = curve(x + h)[0] - curve(x - h)[0], curve(x + 2 * h)[0] - curve(x - 2 * h)[0]
    slope, size = curve(x)[1], 1.0 + np.abs(curve(x)[0])
    error = np.abs((8.0 * ahead - far) / (12.0 * h) - slope)
    rounding = 4e-16 * size / h
    assert (error <= 20.0 * rounding + 1e-9 * (1.0 + np.abs(slope))).all()


@pytest.mark.parametrize("curve", ALL, ids=ids)
def test_the_table_is_as_good_as_the_curve(curve):
    from softstride.engine.kernels.hill_curve import hill_curves
    from softstride.engine.run import sealed

    tables, numbers = pack([GaussActive(0.3), curve])
    x = np.concatenate([reach(curve), curve.breaks()])
    value, slope = np.empty((len(x), 1)), np.empty((len(x), 1))
    hill_curves(tables, sealed(np.array([numbers[curve]])), sealed(x[:, None].copy()), value, slope)
    expected = curve(x)
    np.testing.assert_allclose(value[:, 0], expected[0], rtol=4 * TOLERANCE, atol=4 * TOLERANCE)
    inner = slice(None, -len(curve.breaks()))  # a table takes the slope of one side of a break
    np.testing.assert_allclose(
        slope[inner, 0], expected[1][inner], rtol=4e3 * TOLERANCE, atol=4e3 * TOLERANCE
    )


@pytest.mark.parametrize("curve", ALL, ids=ids)
def test_nan_stays_nan_and_shapes_stay(curve):
    value, slope = curve([[1.0, np.nan]])
    assert value.shape == slope.shape == (1, 2)
    assert np.isnan(value[0, 1]) and np.isfinite(value[0, 0])


@pytest.mark.parametrize("curve", ALL, ids=ids)
def test_straight_beyond_the_ends(curve):
    for end, side in ((curve.breaks()[0], -1.0), (curve.breaks()[-1], 1.0)):
        value, slope = curve(end + side * np.array([0.5, 1.0, 3.0]))
        np.testing.assert_allclose(slope, slope[0])
        np.testing.assert_allclose(np.diff(value), side * slope[0] * np.array([0.5, 2.0]), atol=1e-12)


@pytest.mark.parametrize("curve", ACTIVE, ids=ids)
def test_active_is_one_at_optimal_length_and_nowhere_more(curve):
    """The three bells of De Groote add up to 1 at length 1, and to slightly more beside it."""
    assert curve(1.0)[0] == pytest.approx(1.0, abs=1e-12)
    more = 4e-3 if isinstance(curve, DeGrooteActive) else 1e-12
    value = curve(np.linspace(0.2, 2.5, 2000))[0]
    assert value.max() <= 1.0 + more and value.min() >= 0.0


@pytest.mark.parametrize("curve", PASSIVE, ids=ids)
def test_passive_rises_and_is_one_where_it_says(curve):
    value, slope = curve(np.linspace(0.2, 3.0, 3000))
    assert (np.diff(value) >= 0.0).all() and (slope >= 0.0).all() and value[0] >= -1e-12
    one = curve.unit if isinstance(curve, SchuttePassive) else 1.0 + curve.strain
    assert curve(one)[0] == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("curve", VELOCITY, ids=ids)
def test_force_velocity_passes_its_points_and_rises(curve):
    """De Groote's numbers have sixteen digits of curves that are solved for: 1e-12."""
    assert curve(0.0)[0] == pytest.approx(1.0, abs=1e-12)
    assert curve(-1.0)[0] == pytest.approx(0.0, abs=1e-12)
    value, slope = curve(np.linspace(-1.0, 5.0, 3001))
    assert (np.diff(value) >= -1e-15).all() and (slope >= -1e-12).all()
    assert 1.3 < curve(1.0)[0] < 1.9


@pytest.mark.parametrize("curve", [ThelenVelocity(0.3, 1.8), Hyperbolas()], ids=ids)
def test_shortening_is_hills_hyperbola(curve):
    """(F + a)(v + b) = const: (f + A)(A - v) = A (1 + A), in units of maximal force and velocity."""
    v = np.linspace(-1.0, 0.0, 101)
    A = curve.curvature
    np.testing.assert_allclose((curve(v)[0] + A) * (A - v), A * (1.0 + A), rtol=1e-13)


def test_thelens_equation_6_is_met():
    """v = (0.25 + 0.75 a) (f - a fl) / b with the b of eq. 7, at full activation and optimal length."""
    curve = ThelenVelocity(0.3, 1.8)
    f = np.concatenate([np.linspace(0.0, 1.0, 50), np.linspace(1.001, 0.949 * 1.8, 50)])
    b = np.where(f <= 1.0, 1.0 + f / 0.3, (2.0 + 2.0 / 0.3) * (1.8 - f) / 0.8)
    np.testing.assert_allclose(curve((f - 1.0) / b)[0], f, rtol=1e-12, atol=1e-14)


def test_lengthening_tends_to_its_force():
    assert Hyperbolas()(19.9)[0] == pytest.approx(1.4, abs=1e-3)
    assert MillardVelocity()(50.0)[0] == 1.4


@pytest.mark.parametrize("curve", TENDON, ids=ids)
def test_tendon_is_slack_then_rises_through_one_at_its_strain(curve):
    value, slope = curve(np.linspace(0.9, 1.2, 4000))
    assert (np.diff(value) >= 0.0).all() and (slope >= 0.0).all()
    assert curve(1.0)[0] == pytest.approx(0.0, abs=1e-15) and curve(0.5)[0] == 0.0
    if hasattr(curve, "strain"):
        assert curve(1.0 + curve.strain)[0] == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("curve", [c for c in ALL if "Millard" in repr(c)], ids=ids)
def test_bezier_corners_join_with_slope_and_curvature(curve):
    """No curvature at a joint: slopes on both sides part with the square of the distance, not with the distance."""
    x = np.array(curve.breaks())
    steps = 1e-4 * np.min(np.diff(x)) * np.array([[1.0], [0.5]])
    far, near = np.abs(curve(x + steps)[1] - curve(x - steps)[1])
    assert (near <= 0.3 * far + 1e-11).all()


@given(
    st.floats(0.0, 0.5), st.floats(0.55, 0.9), st.floats(1.3, 2.2), st.floats(0.1, 0.9), st.floats(0.0, 0.1)
)
def test_any_active_curve_of_millard_stays_between_its_ends_and_one(
    shortest, transition, longest, slope, least
):
    curve = MillardActive(shortest, transition, longest, slope, least)
    value = curve(np.linspace(0.0, 3.0, 500))[0]
    assert value.min() >= least - 1e-12 and value.max() <= 1.0 + 1e-12


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: MillardActive(shortest=0.8), "must increase"),
        (lambda: MillardActive(slope=9.0), "slope 9"),
        (lambda: MillardPassive(strain=-0.1), "must exceed"),
        (lambda: MillardPassive(stiffness=0.5), "both sides"),
        (lambda: MillardPassive(curviness=2.0), "between 0 and 1"),
        (lambda: MillardVelocity(stretched_force=0.9), "exceed 1"),
        (lambda: MillardVelocity(isometric_slope=0.5), "slopes"),
        (lambda: MillardVelocity(stretching_slope=0.5), "slopes"),
        (
            lambda: MillardTendon(strain=0.0),
            "strain of the tendon curve must be a number above 0, however it is 0",
        ),
        (lambda: MillardTendon(stiffness=3.0), "stiffness"),
        (
            lambda: GaussActive(width=-1.0),
            "width of the active curve must be a number above 0, however it is -1",
        ),
        (lambda: ThelenPassive(strain=0.0), "strain"),
        (lambda: ThelenVelocity(stretched_force=1.0), "exceed 1"),
        (lambda: ThelenTendon(toe_force=1.5), "above 0 and below 1"),
        (lambda: MillardPassive(low_stiffness=np.nan), "low_stiffness of the passive curve"),
        (lambda: DeGrooteActive(stretch=0.5), "stretch of the active curve must be a number of 1 or more"),
        (lambda: DeGrooteTendon(strain=-0.1), "strain"),
        (lambda: Hyperbolas(curvature=0.0), "curvature of the force-velocity curve must be"),
    ],
)
def test_numbers_that_make_no_curve_are_refused(make, words):
    with pytest.raises(ModelError, match=words):
        make()
