"""What sharing forces among muscles is told to do."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, get_args

from softstride.dynamics.option_checks import number, time_range
from softstride.errors import InputError, Option
from softstride.frozen import Table
from softstride.muscles.emg.neural import Mvc
from softstride.muscles.emg.pairs import Pairs

Effort = Literal["activation", "force"]
Tendon = Literal["rigid", "elastic"]

OTHERS = "*"
"""Stands for all coordinates that are not named."""

DEFAULT_RESERVE = 1.0
"""Optimal force of reserves [N·m] or [N]: a reserve of that much costs as much as one muscle fully active."""


@dataclass(frozen=True, eq=False)
class MuscleOptions:
    """How to share joint loads among muscles.

    The defaults are the criterion of OpenSim's StaticOptimization: sum of squared activations and reserve controls,
    rigid tendons, no passive forces. `as_opensim` goes further, down to how OpenSim 4.6 projects fibre forces.

    Attributes:
        power: Of the criterion, 2 or 3.
        effort: What is raised to that power: "activation", or "force" for tension over maximal isometric force, muscle
            stress in other words [Crowninshield1981].
        weights: Of each muscle in the criterion, by name, 1 for others; or "volume" for maximal force times optimal
            fibre length over their mean. 0 only where EMG speaks of the muscle in every frame.
        muscles: Which take part, in this order; None: all that are enabled.
        coordinates: Which moments are to be met; None: all that some muscle or coordinate actuator moves and nothing
            locks. Those of the floating base are never met: nothing of the body moves it.
        reserve: Optimal force of the reserve of each coordinate [N·m] or [N]: one number, or by name, "*" for others (1
            unless given); 0: no reserve, muscles have to do. A coordinate that an actuator of the model moves without
            limits has none unless it is named.
        actuators: Whether coordinate actuators of the model take part, at the cost of their control to the power.
        lower: Least activation: one number, or by muscle; None: `Muscle.min_activation` of each.
        upper: Greatest activation: one number, or by muscle and 1 for others.
        tendon: "rigid", or "elastic": forces at least and greatest activation are those of fibres in balance with their
            tendons, and in between in proportion to activation.
        passive: Whether the parallel spring and the damper of fibres count; None: with elastic tendons only, whose
            balance has them anyway.
        smoothness: Time constant [s]: c² times the squared rate of what is raised to the power is added to its square,
            0 for none. Frames then know each other.
        emg_weight: Weight of squared differences from the activation (with effort "force": the force) that EMG speaks
            of: one number, or by muscle and 1 for others; 1 is that of a squared activation.
        emg_muscles: For EMG given as channels: channel of each muscle, or muscles of each channel; None: channels
            called like muscles.
        mvc: For EMG given as channels: what counts as 1, see `emg_activation`.
        emg_delay: For EMG given as channels: electromechanical delay [s], 0 or above.
        lowpass: Cut-off of the low pass of the coordinates that the loads were found with [Hz]; None: the one that the
            loads remember. Loads of a file remember none.
        time_range: First and last instant [s]; None: all frames of the loads.
        as_opensim: Whether active forces are projected as OpenSim 4.6 does in static optimisation (see `rigid_tendon`),
            and reserves are raised to `power` too, not squared. Tendons must be rigid, and nothing passive.
        tolerance: Of the conditions of optimality, from which on a frame counts as converged.

    References:
        [Crowninshield1981] Crowninshield, Brand, J Biomech 14 (1981) 793.
    """

    power: int = 2
    effort: Effort = "activation"
    weights: Mapping[str, float] | Literal["volume"] = field(default_factory=Table)
    muscles: tuple[str, ...] | None = None
    coordinates: tuple[str, ...] | None = None
    reserve: float | Mapping[str, float] = DEFAULT_RESERVE
    actuators: bool = True
    lower: float | Mapping[str, float] | None = None
    upper: float | Mapping[str, float] = 1.0
    tendon: Tendon = "rigid"
    passive: bool | None = None
    smoothness: float = 0.0
    emg_weight: float | Mapping[str, float] = 1.0
    emg_muscles: Pairs | None = None
    mvc: Mvc | None = None
    emg_delay: float = 0.0
    lowpass: float | None = None
    time_range: tuple[float, float] | None = None
    as_opensim: bool = False
    tolerance: float = 1e-6

    def __post_init__(self) -> None:
        """Check what can be checked without a model."""
        if isinstance(self.power, bool) or self.power not in (2, 3):
            raise InputError(f"power must be 2 or 3, however it is {self.power!r}")
        for name, known in (("effort", get_args(Effort)), ("tendon", get_args(Tendon))):
            if getattr(self, name) not in known:
                raise InputError(
                    f"{name} must be {' or '.join(map(repr, known))}, however it is {getattr(self, name)!r}"
                )
        if isinstance(self.weights, str):
            if self.weights != "volume":
                option = Option("weights")
                raise InputError(
                    f"{option} must map muscles to numbers, or be 'volume', however they are {self.weights!r}",
                    parameter="weights",
                    value=self.weights,
                    options=[option],
                )
        else:
            self._set(weights=_by_name(self.weights, "weights", 0.0))
        for name in ("muscles", "coordinates"):
            if getattr(self, name) is not None:
                self._set(**{name: _names(getattr(self, name), name)})
        for name in ("reserve", "lower", "upper", "emg_weight"):
            given = getattr(self, name)
            if isinstance(given, Mapping):
                self._set(**{name: _by_name(given, name, 0.0)})
            elif given is not None:
                self._set(**{name: _at_least(given, name, 0.0)})
        self._set(
            smoothness=_at_least(self.smoothness, "smoothness", 0.0),
            emg_delay=_at_least(self.emg_delay, "emg_delay", 0.0),
        )
        for name in ("actuators", "as_opensim", *(() if self.passive is None else ("passive",))):
            if not isinstance(getattr(self, name), bool):
                raise InputError(f"{name} must be True or False, however it is {getattr(self, name)!r}")
        if self.lowpass is not None:
            cutoff = number(self.lowpass, "lowpass")
            if not 0.0 < cutoff < math.inf:
                raise InputError(f"lowpass must be a frequency above 0 Hz, however it is {cutoff:g}")
            self._set(lowpass=cutoff)
        if self.time_range is not None:
            self._set(time_range=time_range(self.time_range))
        self._check_passive()

    def _check_passive(self) -> None:
        elastic = self.tendon == "elastic"
        if self.passive is None:
            self._set(passive=elastic)
        elif not self.passive and elastic:
            raise InputError(
                "passive=False is not possible with elastic tendons: their balance has passive forces in it"
            )
        if self.as_opensim and (elastic or self.passive):
            options = [Option(name) for name in ("as_opensim", "tendon", "passive")]
            raise InputError(
                f"{options[0]} means rigid tendons and no passive forces, as in OpenSim's StaticOptimization: leave "
                f"{options[1]} and {options[2]} as they are",
                parameter="as_opensim",
                value=True,
                options=options,
            )

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def changed(self, **changes: Any) -> MuscleOptions:
        """Return options with some fields changed; an unknown field is an error that lists the known ones."""
        known = [each.name for each in fields(self)]
        unknown = [name for name in changes if name not in known]
        if unknown:
            raise InputError(f"{unknown[0]!r} is no option of sharing forces; known: {', '.join(known)}")
        if "tendon" in changes and "passive" not in changes:
            changes = {**changes, "passive": None}
        return replace(self, **changes)


def _names(names: Iterable[str], what: str) -> tuple[str, ...]:
    if isinstance(names, str):
        raise InputError(f"{what} must be a list of names, however they are the one text {names!r}")
    found = tuple(names)
    if not found:
        raise InputError(f"{what} must name at least one, however there is none: leave {what} away for all")
    if len(set(found)) < len(found):
        twice = next(name for name in found if found.count(name) > 1)
        raise InputError(f"{what}: {twice!r} is named twice")
    return found


def _by_name(given: Mapping[str, float], what: str, least: float) -> Table[float]:
    if not isinstance(given, Mapping):
        option = Option(what)
        raise InputError(
            f"{option} must map names to numbers, however they are {given!r}",
            parameter=what,
            value=given,
            options=[option],
        )
    return Table({str(name): _at_least(value, what, least, f" of {name!r}") for name, value in given.items()})


def _at_least(value: object, what: str, least: float, part: str = "") -> float:
    option = Option(what)
    found = number(value, what, part)
    if not least <= found < math.inf:
        raise InputError(
            f"{option}{part} must be {least:g} or above, however it is {found:g}",
            parameter=what,
            value=found,
            options=[option],
        )
    return found
