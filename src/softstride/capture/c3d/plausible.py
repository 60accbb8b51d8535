"""Which numbers can be a scale or a rate at all."""

from __future__ import annotations

SMALLEST_SCALE, LARGEST_SCALE = 1e-9, 1e6
SMALLEST_RATE, LARGEST_RATE = 1e-3, 1e6


def is_scale(value: float | None) -> bool:
    """Whether a scale of points can be one."""
    return value is not None and SMALLEST_SCALE < abs(value) < LARGEST_SCALE


def is_rate(value: float | None) -> bool:
    """Whether a rate can be one."""
    return value is not None and SMALLEST_RATE <= value <= LARGEST_RATE
