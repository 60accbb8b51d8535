"""What a Hill curve is: a function of one number with its slope, in smooth sections between breaks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import Any, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.errors import ModelError
from softstride.fields import DECLARED, Declaration, Limits

Array = NDArray[np.float64]
Pair = tuple[Array, Array]
T = TypeVar("T")

NAME = "name"


class Curve(Protocol):
    """A curve of a Hill muscle, without units. Equal numbers make equal curves, so that muscles can share them."""

    def breaks(self) -> tuple[float, ...]:
        """Return the ends of the smooth sections, increasing; beyond the first and the last it is straight."""

    def __call__(self, x: ArrayLike) -> Pair:
        """Return the value and the slope at x, each of the shape of x; NaN where x is NaN."""

    def __hash__(self) -> int:
        """Return the same for the same numbers."""


@dataclass(frozen=True)
class Nothing:
    """A curve that is zero everywhere: an element that a muscle does not have."""

    def breaks(self) -> tuple[float, ...]:
        """Return the ends of a section."""
        return (0.0, 1.0)

    def __call__(self, x: ArrayLike) -> Pair:
        """Return zeros."""
        zero = 0.0 * np.asarray(x, dtype=np.float64)
        return zero, zero.copy()


def sections(x: ArrayLike, breaks: tuple[float, ...]) -> tuple[Array, NDArray[np.intp]]:
    """Return x as float64 and the section of each: 0 before the first break, len(breaks) from the last on."""
    at = np.asarray(x, dtype=np.float64)
    return at, np.searchsorted(np.asarray(breaks), at, side="right")


def tangent(curve_at: Pair, x: Array, end: float) -> Pair:
    """Return a curve's straight continuation from its value and slope at an end."""
    value, slope = curve_at
    return value + slope * (x - end), np.broadcast_to(slope, x.shape).copy()


def spring(x: ArrayLike, breaks: tuple[float, float], between: Callable[[Array], Pair]) -> Pair:
    """Return a curve that stays at its first value before the first break and goes on straight from the second on.

    Args:
        x: Where.
        breaks: The two.
        between: Value and slope between them.
    """
    first, end = breaks
    at, section = sections(x, breaks)
    value, slope = between(np.clip(at, first, end))
    beyond = tangent(between(np.asarray(end)), at, end)
    slope = np.select([section == 0, section == 2], [0.0 * at, beyond[1]], slope)
    return np.where(section == 2, beyond[0], value), slope


def called(name: str, default: float | None, **limits: float) -> Any:
    """Return a field of a curve: its name in model files, the number of its source, and its `Limits`."""
    return field(default=default, metadata={NAME: name, DECLARED: Declaration("", Limits("", **limits))})


def made(kind: type[T], parameters: Mapping[str, float]) -> T:
    """Return a curve with the numbers of a model file, by the names that its fields are called there."""
    names = {each.name: each.metadata[NAME] for each in fields(kind) if NAME in each.metadata}  # type: ignore[arg-type]
    given = ((own, parameters[name]) for own, name in names.items() if name in parameters)
    return cast(T, _built(cast(Any, kind), tuple(given)))


@lru_cache(maxsize=4096)
def _built(kind: Callable[..., Any], numbers: tuple[tuple[str, float], ...]) -> Any:
    """Return a curve; muscles with the same numbers share it."""
    return kind(**dict(numbers))


@contextmanager
def about(muscle: str) -> Iterator[None]:
    """Say which muscle an error is about."""
    try:
        yield
    except ModelError as error:
        raise ModelError(f"muscle {muscle!r}: {error}") from error
