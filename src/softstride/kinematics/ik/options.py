"""What an inverse kinematics is told to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.fields import Anything, Frozen, Named, OneOrEach, Span, declared
from softstride.fields import Array as FiniteArray
from softstride.options import Options

Array = NDArray[np.float64]

POSTURE = 1e-3
"""Default posture prior on coordinates that the markers do not determine [m²/rad²]."""

ELASTIC = 5e-8
"""Default weight of twice the elastic energy of rods [m²/J]: 10 J count like a millimetre of one marker."""


@dataclass(frozen=True, eq=False)
class Goal(Frozen, of="a goal"):
    """A value that a coordinate should have.

    Attributes:
        weight: Of its squared error [1/rad²], [1/m²], against the weighted mean of squared marker errors [1/m²].
        value: Its value [rad], [m], a number or one for each frame; None: the coordinate's default.
    """

    weight: float = declared(1.0, "Of its squared error.", least=0.0)
    value: float | Array | None = declared(
        None, "Its value.", rule=OneOrEach("a finite number, or one for each frame")
    )


@dataclass(frozen=True, eq=False)
class IkOptions(Options, of="inverse kinematics"):
    """How to find a motion from markers."""

    weights: Mapping[str, float] | None = declared(
        None,
        "Weight of each marker; only those named here are used. None: all that model and recording share.",
        least=0.0,
        of="markers",
    )
    goals: Mapping[str, Goal] = declared(
        {}, "Values that coordinates should have, as OpenSim's coordinate tasks.", of="coordinates"
    )
    locked: tuple[str, ...] = declared(
        (),
        "Coordinates held at their default (or at their value in `start`), beside those the model locks.",
        of="coordinates",
    )
    orientations: Mapping[str, ArrayLike] = declared(
        {},
        "Measured orientations of links or frames by name (inertial sensors), the axes of the frame in the world: "
        "matrices (n_frames, 3, 3) or quaternions, scalar last, (n_frames, 4); NaN where not measured.",
        rule=Named(Anything("matrices or quaternions"), of="links or frames"),
    )
    orientation_weight: float = declared(
        0.01, "Weight of their squared angles against a marker of weight 1.", unit="m²/rad²", least=0.0
    )
    prior: float | None = declared(
        None,
        "Weight of the squared distance from the default posture [m²/rad²], [m²/m²]. None: `POSTURE` on coordinates "
        "that the markers do not determine and none on the others. One below `POSTURE` is reached in steps, each "
        "starting from the last.",
        least=0.0,
        example=POSTURE,
    )
    elastic: float | None = declared(
        None,
        "Weight of twice the elastic energy of rods. None: `ELASTIC`, and less in proportion where `prior` is below "
        "`POSTURE`: none at 0.",
        unit="m²/J",
        least=0.0,
        example=ELASTIC,
    )
    limits: bool = declared(True, "Whether clamped coordinates stay within their range.")
    time_range: tuple[float, float] | None = declared(
        None,
        "First and last instant to solve; None: the whole recording.",
        unit="s",
        rule=Span(),
        example=(0.5, 1.8),
    )
    cutoff: float | None = declared(
        None,
        "Couples the frames in time: the motion is a smoothing spline that halves a sine of this frequency.",
        unit="Hz",
        above=0.0,
        example=6.0,
    )
    huber: float | None = declared(
        None,
        "Distance from which a marker counts linearly instead of squared; None: always squared.",
        unit="m",
        above=0.0,
        example=0.03,
    )
    noise: float | None = declared(
        None,
        "Standard deviation of each coordinate of a marker of weight 1; None: estimated from the residuals.",
        unit="m",
        least=0.0,
        example=0.001,
    )
    artefact: float | Mapping[str, float] = declared(
        0.0,
        "Standard deviation of soft-tissue artefact, for all markers or by name; widens `Motion.std`, and a marker "
        "that has more of it than others counts less.",
        unit="m",
        least=0.0,
        of="markers",
    )
    mend_swaps: bool = declared(
        False, "Whether labels found to be exchanged change places; they are reported in any case."
    )
    start: ArrayLike | None = declared(
        None,
        "First pose, shape (nq,); None: found from many.",
        rule=FiniteArray("a pose, finite numbers of shape (nq,)"),
    )
    tolerance: float = declared(
        1e-10, "Share of the objective that may be left to gain when a frame ends.", above=0.0
    )
    max_iterations: int = declared(500, "Most steps in one frame.", least=1, most=100_000)


class IkChanges(TypedDict, total=False):
    """The fields of `IkOptions` as keywords; written by tools/keywords.py."""

    weights: Mapping[str, float] | None
    goals: Mapping[str, Goal]
    locked: tuple[str, ...]
    orientations: Mapping[str, ArrayLike]
    orientation_weight: float
    prior: float | None
    elastic: float | None
    limits: bool
    time_range: tuple[float, float] | None
    cutoff: float | None
    huber: float | None
    noise: float | None
    artefact: float | Mapping[str, float]
    mend_swaps: bool
    start: ArrayLike | None
    tolerance: float
    max_iterations: int
