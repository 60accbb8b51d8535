"""The critically damped filter against its closed-form gain and step."""

import numpy as np
import pytest
from tests.signals.test_butterworth import measured_gain

from softstride.errors import InputError
from softstride.signals.butterworth import butterworth
from softstride.signals.critically_damped import critically_damped

RATE = 200.0


@pytest.mark.parametrize(
    ("order", "passes"), [(4, 2), (2, 2), (8, 2), (8, 4), (1, 1), (2, 1), (3, 1), (6, 2)]
)
@pytest.mark.parametrize("cutoff", [3.0, 15.0, 80.0])
def test_closed_form_gain(order, passes, cutoff):
    """(1 + (W/Wc)^2)^(-order/2) with half power at the cutoff; only rounding is allowed."""

    def method(x):
        return critically_damped(x, RATE, cutoff, order=order, passes=passes)

    assert abs(measured_gain(method, cutoff)) == pytest.approx(np.sqrt(0.5), abs=1e-9)
    for frequency in (1.0, 7.0, 30.0, 90.0):
        ratio = np.tan(np.pi * frequency / RATE) / np.tan(np.pi * cutoff / RATE)
        exact = (1.0 + (2.0 ** (1.0 / order) - 1.0) * ratio**2) ** (-order / 2.0)
        gain = measured_gain(method, frequency)
        assert abs(gain) == pytest.approx(exact, abs=1e-9)
        if passes > 1:
            assert abs(gain.imag) < 1e-9


def test_the_correction_of_robertson_and_dowling():
    """n = 2 filters of 2nd order: C = 1 / sqrt(2^(1/4) - 1) = 2.2990; one pass of each is (1 + (W/CWc)^2)^-1."""
    warped = np.tan(np.pi * 15.0 / RATE) / np.sqrt(2.0**0.25 - 1.0)
    once = measured_gain(lambda x: critically_damped(x, RATE, 15.0, order=4, passes=2), 20.0)
    assert abs(once) == pytest.approx((1 + (np.tan(np.pi * 20.0 / RATE) / warped) ** 2) ** -2, abs=1e-9)


@pytest.mark.parametrize(("order", "passes"), [(4, 2), (8, 2), (2, 1), (4, 1)])
def test_steps_are_monotone(order, passes):
    """No overshoot at all, up to rounding; a Butterworth filter of the same order overshoots by percents."""
    step = np.repeat([0.0, 1.0], 300)
    y = critically_damped(step, RATE, 6.0, order=order, passes=passes)
    assert np.min(np.diff(y)) > -1e-12
    assert y.min() > -1e-9 and y.max() < 1 + 1e-9 and y[0] < 1e-6 and y[-1] > 1 - 1e-6
    assert butterworth(step, RATE, 6.0, order=order, passes=passes).max() > 1.03


def test_step_of_one_pole():
    """First order, causal: after k samples 1 - y falls by the pole (1 - Wc)/(1 + Wc) each."""
    step = np.repeat([0.0, 1.0], [10, 40])
    y = critically_damped(step, RATE, 6.0, order=1, passes=1)
    Wc = np.tan(np.pi * 6.0 / RATE)
    exact = 1.0 - (1.0 / (1.0 + Wc)) * ((1.0 - Wc) / (1.0 + Wc)) ** np.arange(40)
    assert y[10:] == pytest.approx(exact, abs=1e-12)


def test_monotone_only_up_to_the_stated_cutoff():
    """Order 4: the poles turn negative at Wc = 1, a cutoff of 0.1305 of the rate."""
    step = np.repeat([0.0, 1.0], 200)
    assert np.diff(critically_damped(step, 100.0, 13.0)).min() > -1e-12
    assert np.diff(critically_damped(step, 100.0, 30.0)).min() < -1e-3


def test_gaps_and_lines():
    x = np.stack([np.arange(60.0), 3.0 - np.arange(60.0)], axis=1)
    x[20:22, 1] = np.nan
    y = critically_damped(x, 100.0, 5.0)
    assert np.array_equal(np.isnan(x), np.isnan(y))
    assert np.nanmax(np.abs(x - y)) < 1e-5  # odd reflection continues a line; what SETTLED leaves


@pytest.mark.parametrize(
    "options", [{"cutoff": 50.0}, {"cutoff": 0.0}, {"cutoff": np.nan}, {"order": 3}, {"passes": 3}]
)
def test_refusals(options):
    with pytest.raises(InputError):
        critically_damped(np.zeros(10), 100.0, **{"cutoff": 5.0, **options})
