"""What a scaling is told to do: measurements, manual factors, marker and coordinate weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from softstride.errors import ModelError
from softstride.fields import Frozen
from softstride.frozen import Table
from softstride.model import Point
from softstride.notes import Note

Array = NDArray[np.float64]
ORDERS = ("measurements", "manualScale")


@dataclass(frozen=True)
class Measurement(Frozen):
    """A size of the body taken between markers: the mean of measured over modelled distance of its pairs.

    Attributes:
        name: Its name.
        pairs: Pairs of marker names.
        links: Names of the links it applies to, each with the axes ("xyz", "y", ...).
    """

    name: str
    pairs: tuple[tuple[str, str], ...]
    links: Mapping[str, str]

    def check(self) -> None:
        """Check the axes."""
        for link, axes in self.links.items():
            if not axes or any(axis not in "xyz" for axis in axes):
                raise ModelError(
                    f"measurement {self.name!r}: axes of {link!r} must be some of x, y, z, however they are {axes!r}."
                )


@dataclass(frozen=True)
class SetupMarker:
    """A marker that a scaling puts on the model.

    Attributes:
        point: Where it is on the unscaled model.
        fixed: Whether marker placement leaves it there.
    """

    point: Point
    fixed: bool = False


@dataclass(frozen=True)
class CoordinateGoal:
    """A value that a coordinate should have in the standing trial.

    Attributes:
        weight: Its weight.
        value: In [rad] or [m]; None: the coordinate's default.
    """

    weight: float
    value: float | None = None


@dataclass(frozen=True, eq=False)
class ScaleSetup(Frozen):
    """The content of an OpenSim ScaleTool setup.

    Attributes:
        name: Its name.
        mass: Of the person [kg]; None: not given.
        markers: Markers to put on the model before scaling; they replace those of the same name.
        measurements: In the order in which they are applied; a later one wins.
        manual: Factors by link, shape (3,).
        order: Which of "measurements" and "manualScale" are applied, in order; the later one wins.
        time_range: Part of the static trial for measurements [s]; None: all.
        keep_mass_distribution: See `scaled`.
        scale: Whether links are scaled at all.
        place: Whether markers are moved onto the measured ones.
        marker_weights: Weights of the markers that fix the static pose.
        goals: Coordinates that are drawn to a value in the static pose.
        place_range: Part of the static trial for the static pose [s]; None: all.
        notes: What of the file was not used.
    """

    name: str = ""
    mass: float | None = None
    markers: Mapping[str, SetupMarker] = field(default_factory=Table)
    measurements: tuple[Measurement, ...] = ()
    manual: Mapping[str, Array] = field(default_factory=Table)
    order: tuple[Literal["measurements", "manualScale"], ...] = ("measurements", "manualScale")
    time_range: tuple[float, float] | None = None
    keep_mass_distribution: bool = True
    scale: bool = True
    place: bool = True
    marker_weights: Mapping[str, float] = field(default_factory=Table)
    goals: Mapping[str, CoordinateGoal] = field(default_factory=Table)
    place_range: tuple[float, float] | None = None
    notes: tuple[Note, ...] = ()
