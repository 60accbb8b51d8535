"""What bands of loads are to take for uncertain, and by how much."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypedDict

from softstride.dynamics.estimate.options import EstimateOptions
from softstride.fields import Limits, Numbers, declared
from softstride.options import Options


@dataclass(frozen=True, eq=False)
class BandOptions(Options, of="bands of loads"):
    """How uncertain measurements and models are; all numbers are one standard deviation."""

    noise: float | Literal["motion"] = declared(
        0.001,
        'Of each coordinate of a marker, from frame to frame. "motion": what the residuals of the inverse kinematics '
        "say. These hold errors that last, too, of model and soft tissue, taken as noise from frame to frame: wider "
        "bands, and no bound of anything.",
        unit="m",
        least=0.0,
    )
    artefact: float | None = declared(
        None,
        "Of each coordinate of a marker, by soft tissue that moves with the step; None: what the inverse kinematics "
        "was told.",
        unit="m",
        least=0.0,
        example=0.005,
    )
    artefact_frequency: float = declared(1.0, "Of that movement.", unit="Hz", above=0.0)
    mass_error: float = declared(
        0.03, "Of the mass of each link, as a share; the moments of inertia go along.", least=0.0
    )
    centre_error: float = declared(
        0.01, "Of the centre of mass of each link, along each of its axes.", unit="m", least=0.0
    )
    inertia_error: float = declared(
        0.1, "Of the moments of inertia of each link about its centre of mass, as a share.", least=0.0
    )
    total_mass_error: float | None = declared(
        0.01,
        "Of the mass of the whole body, as a share: somebody put it on scales; None: nobody did, and errors of the "
        "links add up freely.",
        least=0.0,
    )
    weighed: tuple[str, ...] = declared((), "Links whose inertia is known exactly; rods are.", of="links")
    force_error: tuple[float, float] = declared(
        (0.01, 2.0),
        "Of measured forces: a share of the force, and an offset of each component [N].",
        rule=Numbers((2,), Limits(least=0.0), "a share of the force and an offset [N], numbers of 0 or more"),
    )
    point_error: float = declared(
        0.003, "Of their centre of pressure, along each horizontal axis.", unit="m", least=0.0
    )
    cutoff: float | None = declared(
        None,
        "Of the smoothing spline that a motion without markers went through; None: none did, or the motion is of "
        "`solve_ik`, which remembers it.",
        unit="Hz",
        above=0.0,
        example=6.0,
    )
    lowpass: float | None = declared(None, "That `solve_id` was given.", unit="Hz", above=0.0, example=6.0)
    estimate: EstimateOptions | None = declared(
        None, "Options that `estimate_loads` was given; None: those that the loads remember."
    )


class BandChanges(TypedDict, total=False):
    """The fields of `BandOptions` as keywords; written by tools/keywords.py."""

    noise: float | Literal["motion"]
    artefact: float | None
    artefact_frequency: float
    mass_error: float
    centre_error: float
    inertia_error: float
    total_mass_error: float | None
    weighed: tuple[str, ...]
    force_error: tuple[float, float]
    point_error: float
    cutoff: float | None
    lowpass: float | None
    estimate: EstimateOptions | None
