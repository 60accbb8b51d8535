"""Numbers of the three processors, against bytes worked out by hand and against the standard library."""

import struct
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softstride.capture.c3d.numbers import LARGEST_VAX, NumberFormat, float_to_vax, vax_to_float
from softstride.errors import CaptureError

# sign, exponent + 128 of a mantissa in [0.5, 1), 23 bits of fraction; then the two words, each low byte first.
#  1.0  = 0.5 * 2^1   : 0 10000001 0...      0x4080 0000
# -2.5  = 0.625 * 2^2 : 1 10000010 0100...   0xC120 0000
#  100  = 0.78125*2^7 : 0 10000111 1001...   0x43C8 0000
#  0.1f = 0.8 * 2^-3  : 0 01111101 1001 1001 1001 1001 1001 101   0x3ECC CCCD
BY_HAND = [
    (1.0, "80400000"),
    (-2.5, "20c10000"),
    (100.0, "c8430000"),
    (float(np.float32(0.1)), "cc3ecdcc"),
    (0.0, "00000000"),
]


@pytest.mark.parametrize(("value", "stored"), BY_HAND)
def test_vax_floats_by_hand(value: float, stored: str) -> None:
    dec = NumberFormat("dec")
    assert dec.floats(bytes.fromhex(stored), 0, 1)[0] == value
    assert dec.pack_floats(value).hex() == stored


def test_vax_extremes() -> None:
    # e = 255: 2^126 (1 + f) up to 2^127 (1 - 2^-24), which as an IEEE pattern would be no number at all
    assert vax_to_float(np.array([0x7FFFFFFF], np.uint32))[0] == LARGEST_VAX == 2.0**127 * (1 - 2.0**-24)
    assert vax_to_float(np.array([0x00800000], np.uint32))[0] == 2.0**-128  # e = 1, the smallest
    assert np.isnan(vax_to_float(np.array([0x80000000, 0x80000001], np.uint32))).all()  # reserved
    assert vax_to_float(np.array([0x00000001], np.uint32))[0] == 0.0  # e = 0: zero, whatever the fraction
    np.testing.assert_array_equal(float_to_vax([2.0**-130, 0.0, -0.0]), 0)
    np.testing.assert_array_equal(float_to_vax([np.nan, np.inf, -np.inf, 2.0**127]), 0x80000000)


@given(st.integers(0, 1), st.integers(1, 255), st.integers(0, 2**23 - 1))
def test_vax_floats_follow_their_definition(sign: int, exponent: int, fraction: int) -> None:
    bits = np.array([sign << 31 | exponent << 23 | fraction], np.uint32)
    exact = (-1) ** sign * (1 + Fraction(fraction, 2**23)) * Fraction(2) ** (exponent - 129)
    value = vax_to_float(bits)
    assert Fraction(float(value[0])) == exact
    assert float_to_vax(value)[0] == bits[0]


@given(st.floats(-1e30, 1e30))
def test_vax_rounds_like_a_float_of_24_bits(value: float) -> None:
    rounded = vax_to_float(float_to_vax([value]))[0]
    # below 1.2e-38 IEEE singles lose bits, VAX ones do not
    assert rounded == np.float32(value) or abs(value) < 1.2e-38


@pytest.mark.parametrize(("processor", "order"), [("intel", "<"), ("dec", "<"), ("sgi", ">")])
def test_words_and_ieee_floats(processor: str, order: str) -> None:
    form = NumberFormat(processor)  # type: ignore[arg-type]
    words = [0, 1, -1, 32767, -32768, 12345]
    assert form.pack_words(words) == struct.pack(order + "6h", *words)
    assert form.words(struct.pack(order + "6h", *words), 0, 6).tolist() == words
    assert form.pack_words(65535) == b"\xff\xff"
    assert form.unsigned(struct.pack(order + "2H", 1, 65535), 2, 1).tolist() == [65535]
    if processor != "dec":
        assert form.pack_floats([1.5, -0.1]) == struct.pack(order + "2f", 1.5, -0.1)
        assert form.floats(struct.pack(order + "2f", 1.5, -0.1), 0, 2).tolist() == [1.5, np.float32(-0.1)]


@pytest.mark.parametrize("processor", ["intel", "dec", "sgi"])
def test_what_no_float_can_be_is_refused(processor: str) -> None:
    form = NumberFormat(processor)  # type: ignore[arg-type]
    with pytest.raises(CaptureError, match=r"x\.c3d: numbers: 1e\+39 is larger"):
        form.pack_floats([1.0, 1e39], "x.c3d")
    largest = LARGEST_VAX if processor == "dec" else float(np.finfo(np.float32).max)
    assert form.floats(form.pack_floats([largest, -largest]), 0, 2).tolist() == [largest, -largest]
    assert np.isnan(form.floats(form.pack_floats(np.nan), 0, 1)[0])
