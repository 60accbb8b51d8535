"""What bands of loads are to take for uncertain, and by how much."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from softstride.dynamics.estimate.options import EstimateOptions
from softstride.dynamics.option_checks import number
from softstride.errors import InputError


@dataclass(frozen=True, eq=False)
class BandOptions:
    """How uncertain measurements and models are; all numbers are one standard deviation.

    Attributes:
        noise: Of each coordinate of a marker, from frame to frame [m]. "motion": what the residuals of the inverse
            kinematics say. These hold errors that last, too, of model and soft tissue, taken as noise from frame to
            frame: wider bands, and no bound of anything.
        artefact: Of each coordinate of a marker, by soft tissue that moves with the step [m]; None: what the inverse
            kinematics was told.
        artefact_frequency: Of that movement [Hz].
        mass_error: Of the mass of each link, as a share; the moments of inertia go along.
        centre_error: Of the centre of mass of each link, along each of its axes [m].
        inertia_error: Of the moments of inertia of each link about its centre of mass, as a share.
        total_mass_error: Of the mass of the whole body, as a share: somebody put it on scales; None: nobody did, and
            errors of the links add up freely.
        weighed: Links whose inertia is known exactly; rods are.
        force_error: Of measured forces: a share of the force, and an offset of each component [N].
        point_error: Of their centre of pressure, along each horizontal axis [m].
        cutoff: Of the smoothing spline that a motion without markers went through [Hz]; None: none did, or the motion
            is of `solve_ik`, which remembers it.
        lowpass: That `solve_id` was given [Hz].
        estimate: Options that `estimate_loads` was given; None: those that the loads remember.
    """

    noise: float | Literal["motion"] = 0.001
    artefact: float | None = None
    artefact_frequency: float = 1.0
    mass_error: float = 0.03
    centre_error: float = 0.01
    inertia_error: float = 0.1
    total_mass_error: float | None = 0.01
    weighed: tuple[str, ...] = ()
    force_error: tuple[float, float] = (0.01, 2.0)
    point_error: float = 0.003
    cutoff: float | None = None
    lowpass: float | None = None
    estimate: EstimateOptions | None = None

    def __post_init__(self) -> None:
        """Check what can be checked without a model."""
        for name in ("mass_error", "centre_error", "inertia_error", "point_error"):
            self._number(name)
        if isinstance(self.noise, str):
            if self.noise != "motion":
                raise InputError(f'noise must be a length [m] or "motion", however it is {self.noise!r}')
        else:
            self._number("noise")
        for name in ("artefact", "total_mass_error"):
            if getattr(self, name) is not None:
                self._number(name)
        for name in ("artefact_frequency", "cutoff", "lowpass"):
            if getattr(self, name) is not None:
                self._number(name, positive=True)
        try:
            share, offset = (_checked(value, "force_error") for value in self.force_error)
        except (TypeError, ValueError):
            raise InputError(
                f"force_error must be a share of the force and an offset [N], however it is {self.force_error!r}"
            ) from None
        object.__setattr__(self, "force_error", (share, offset))
        if isinstance(self.weighed, str) or not isinstance(self.weighed, Iterable):
            raise InputError(f"weighed must be names of links, however it is {self.weighed!r}")
        object.__setattr__(self, "weighed", tuple(self.weighed))
        if self.estimate is not None and not isinstance(self.estimate, EstimateOptions):
            raise InputError(f"estimate must be EstimateOptions, however it is {self.estimate!r}")

    def _number(self, name: str, positive: bool = False) -> None:
        object.__setattr__(self, name, _checked(getattr(self, name), name, positive))

    def changed(self, **changes: Any) -> BandOptions:
        """Return options with some fields changed; an unknown field is an error that lists the known ones."""
        known = [each.name for each in fields(self)]
        unknown = [name for name in changes if name not in known]
        if unknown:
            raise InputError(f"{unknown[0]!r} is no option of bands of loads; known: {', '.join(known)}")
        return replace(self, **changes)


def _checked(given: Any, name: str, positive: bool = False) -> float:
    value = number(given, name)
    if not (value > 0.0 if positive else value >= 0.0) or math.isinf(value):
        least = "above 0" if positive else "at least 0"
        raise InputError(f"{name} must be finite and {least}, however it is {value:g}")
    return value
