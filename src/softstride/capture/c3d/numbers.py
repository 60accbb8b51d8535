"""Integers and floats as the three processors of C3D write them.

| name  | code | integers      | floats                                    |
|-------|------|---------------|-------------------------------------------|
| intel | 84   | little-endian | IEEE, little-endian                       |
| dec   | 85   | little-endian | VAX F: two little-endian words, high first |
| sgi   | 86   | big-endian    | IEEE, big-endian                          |

A VAX F float has sign s, exponent e (8 bits) and fraction f (23 bits) and the value (-1)^s (1 + f/2^23) 2^(e-129);
e = 0 is zero for s = 0 and *reserved*, that is no number, for s = 1. There is no infinity. An IEEE float with the
same bits is four times as large.

Source: The C3D File Format User Guide, "Processor types"; VAX Architecture Reference Manual, F_floating.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.errors import CaptureError

Processor = Literal["intel", "dec", "sgi"]

CODES: dict[Processor, int] = {"intel": 84, "dec": 85, "sgi": 86}
LARGEST_IEEE = float(np.finfo(np.float32).max)
LARGEST_VAX = float(np.ldexp(1.0 - 2.0**-24, 127))
_SMALLEST_VAX = 2.0**-128
_RESERVED_VAX = 0x80000000


def vax_to_float(bits: NDArray[np.uint32]) -> NDArray[np.float64]:
    """Return the values of VAX F floats.

    Args:
        bits: Sign, exponent and fraction from the highest bit down, any shape: the words already in order.

    Returns:
        The values, exact; NaN for the reserved operand.
    """
    wide = bits.astype(np.uint64)
    sign, exponent, fraction = wide >> 31, (wide >> 23) & 0xFF, wide & 0x7FFFFF
    # The same number as an IEEE double: its exponent counts from -1023, that of VAX F from -129.
    values = ((sign << 63) | ((exponent + (1023 - 129)) << 52) | (fraction << 29)).view(np.float64)
    zero = exponent == 0
    if zero.any():
        values[zero] = np.where(sign[zero] == 1, np.nan, 0.0)
    return values


def float_to_vax(values: ArrayLike) -> NDArray[np.uint32]:
    """Return the VAX F bits nearest to given values, the inverse of `vax_to_float`.

    Args:
        values: Any shape. What is too small becomes zero; NaN and what is too large (above 1.7e38) become the
            reserved operand.

    Returns:
        Sign, exponent and fraction from the highest bit down.
    """
    x = np.asarray(values, dtype=np.float64)
    size = np.abs(x)
    held = np.isfinite(x) & (size <= LARGEST_VAX)
    mantissa, exponent = np.frexp(np.where(held, size, 0.0))
    whole = np.rint(np.ldexp(mantissa, 24)).astype(np.int64)
    carried = whole == 1 << 24
    whole, exponent = np.where(carried, 1 << 23, whole), exponent + carried
    bits = (
        (np.signbit(x).astype(np.int64) << 31)
        | ((exponent.astype(np.int64) + 128) << 23)
        | (whole & 0x7FFFFF)
    )
    bits = np.where(size < _SMALLEST_VAX, 0, bits)
    return np.where(held, bits, _RESERVED_VAX).astype(np.uint32)


@dataclass(frozen=True)
class NumberFormat:
    """How one processor writes numbers.

    Attributes:
        processor: Its name.
    """

    processor: Processor

    @property
    def order(self) -> str:
        """Byte order in the notation of NumPy."""
        return ">" if self.processor == "sgi" else "<"

    def words(self, data: bytes, offset: int, count: int) -> NDArray[np.int16]:
        """Return a view of 16-bit signed integers. The caller has checked that they are there."""
        view: NDArray[np.int16] = np.frombuffer(data, self.order + "i2", count, offset)
        return view

    def unsigned(self, data: bytes, offset: int, count: int) -> NDArray[np.uint16]:
        """Return a view of 16-bit unsigned integers. The caller has checked that they are there."""
        view: NDArray[np.uint16] = np.frombuffer(data, self.order + "u2", count, offset)
        return view

    def floats(self, data: bytes, offset: int, count: int) -> NDArray[Any]:
        """Return floats: a view for IEEE, `float64` for VAX. The caller has checked that they are there."""
        if self.processor != "dec":
            return np.frombuffer(data, self.order + "f4", count, offset)
        stored: NDArray[np.uint32] = np.frombuffer(data, "<u4", count, offset)
        return vax_to_float((stored << np.uint32(16)) | (stored >> np.uint32(16)))

    def pack_words(self, values: ArrayLike) -> bytes:
        """Return 16-bit integers, signed or unsigned, as bytes."""
        return (np.atleast_1d(values).astype(np.int64) & 0xFFFF).astype(self.order + "u2").tobytes()

    def pack_floats(self, values: ArrayLike, path: object = "output") -> bytes:
        """Return 32-bit floats as bytes.

        Args:
            values: Any shape; infinity is no number in VAX F, and written as NaN there.
            path: The file to be written, for errors.

        Raises:
            CaptureError: A finite value is too large for the format, from 3.4e38 (IEEE) or 1.7e38 (VAX F) on.
        """
        x = np.atleast_1d(np.asarray(values, dtype=np.float64))
        large = np.isfinite(x) & (np.abs(x) > (LARGEST_VAX if self.processor == "dec" else LARGEST_IEEE))
        if large.any():
            problem = f"{x[large][0]:.3g} is larger than a 32-bit float can be"
            raise CaptureError(path, "numbers", problem, "correct it, or make it NaN")
        if self.processor != "dec":
            return x.astype(self.order + "f4").tobytes()
        bits = float_to_vax(x)
        return ((bits << 16) | (bits >> 16)).astype("<u4").tobytes()
