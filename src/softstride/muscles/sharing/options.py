"""What sharing forces among muscles is told to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, TypedDict

from softstride.errors import InputError, Option
from softstride.fields import Choice, Either, Named, Names, Span, Text, declared
from softstride.muscles.emg.neural import Mvc
from softstride.muscles.emg.pairs import Pairs
from softstride.options import Options

Effort = Literal["activation", "force"]
Tendon = Literal["rigid", "elastic"]

OTHERS = "*"
"""Stands for all coordinates that are not named."""

DEFAULT_RESERVE = 1.0
"""Optimal force of reserves [N·m] or [N]: a reserve of that much costs as much as one muscle fully active."""


@dataclass(frozen=True, eq=False)
class MuscleOptions(Options, of="sharing forces"):
    """How to share joint loads among muscles.

    The defaults are the criterion of OpenSim's StaticOptimization: sum of squared activations and reserve controls,
    rigid tendons, no passive forces. `as_opensim` goes further, down to how OpenSim 4.6 projects fibre forces.

    References:
        [Crowninshield1981] Crowninshield, Brand, J Biomech 14 (1981) 793.
    """

    power: int = declared(2, "Power of the criterion.", rule=Choice((2, 3)))
    effort: Effort = declared(
        "activation",
        'What the criterion raises to its power: "activation", or "force" for tension over maximal isometric force, '
        "muscle stress in other words [Crowninshield1981].",
    )
    weights: Mapping[str, float] | Literal["volume"] = declared(
        {},
        'Weight of each muscle in the criterion, by name, 1 for others; or "volume": maximal force times optimal fibre '
        "length over their mean. 0 only where EMG speaks of the muscle in every frame.",
        least=0.0,
        of="muscles",
    )
    muscles: tuple[str, ...] | None = declared(
        None,
        "Muscles that take part, in this order; None: all that are enabled.",
        rule=Names("muscles", some=True),
    )
    coordinates: tuple[str, ...] | None = declared(
        None,
        "Coordinates whose moments are to be met; None: all that some muscle or coordinate actuator moves and nothing "
        "locks. Those of the floating base are never met: nothing of the body moves it.",
        rule=Names("coordinates", some=True),
    )
    reserve: float | Mapping[str, float] = declared(
        DEFAULT_RESERVE,
        'Optimal force of the reserve of each coordinate [N·m] or [N]: one number, or by name, "*" for others (1 '
        "unless given); 0: no reserve, muscles have to do. A coordinate that an actuator of the model moves without "
        "limits has none unless it is named.",
        least=0.0,
        of="coordinates",
    )
    actuators: bool = declared(
        True,
        "Whether coordinate actuators of the model take part, at the cost of their control to the power.",
    )
    lower: float | Mapping[str, float] | None = declared(
        None,
        "Least activation: one number, or by muscle; None: `Muscle.min_activation` of each.",
        least=0.0,
        of="muscles",
        example=0.01,
    )
    upper: float | Mapping[str, float] = declared(
        1.0, "Greatest activation: one number, or by muscle and 1 for others.", least=0.0, of="muscles"
    )
    tendon: Tendon = declared(
        "rigid",
        'Kind of tendons: "rigid", or "elastic", with which forces at least and greatest activation are those of '
        "fibres in balance with their tendons, and those in between in proportion to activation.",
    )
    passive: bool | None = declared(
        None,
        "Whether the parallel spring and the damper of fibres count; None: with elastic tendons only, whose balance "
        "has them anyway.",
    )
    smoothness: float = declared(
        0.0,
        "Time constant c of smoothing: c² times the squared rate of what the criterion raises to its power is added to "
        "its square; 0: none. Frames then know each other.",
        unit="s",
        least=0.0,
    )
    emg_weight: float | Mapping[str, float] = declared(
        1.0,
        'Weight of squared differences from the activation, or with `effort` "force" the force, that EMG speaks of: '
        "one number, or by muscle and 1 for others; 1 is that of a squared activation.",
        least=0.0,
        of="muscles",
    )
    emg_muscles: Pairs | None = declared(
        None,
        "Channel of each muscle, or muscles of each channel, for EMG given as channels; None: channels called like "
        "muscles.",
        rule=Named(Either((Text("a name"), Names())), of="muscles or channels"),
    )
    mvc: Mvc | None = declared(
        None, "For EMG given as channels: what counts as 1, see `emg_activation`.", of="channels"
    )
    emg_delay: float = declared(0.0, "Electromechanical delay of EMG given as channels.", unit="s", least=0.0)
    lowpass: float | None = declared(
        None,
        "Cut-off of the low pass of the coordinates that the loads were found with; None: the one that the loads "
        "remember. Loads of a file remember none.",
        unit="Hz",
        above=0.0,
        example=6.0,
    )
    time_range: tuple[float, float] | None = declared(
        None,
        "First and last instant; None: all frames of the loads.",
        unit="s",
        rule=Span(finite=False),
        example=(0.5, 1.8),
    )
    as_opensim: bool = declared(
        False,
        "Whether active forces are projected as OpenSim 4.6 does in static optimisation (see `rigid_tendon`), and "
        "reserves are raised to `power` too, not squared. Tendons must be rigid, and nothing passive.",
    )
    tolerance: float = declared(
        1e-6,
        "Tolerance of the conditions of optimality, from which on a frame counts as converged.",
        above=0.0,
    )

    def check(self) -> None:
        """Elastic tendons have passive forces; OpenSim's way has neither."""
        elastic = self.tendon == "elastic"
        if self.passive is None:
            object.__setattr__(self, "passive", elastic)
        elif not self.passive and elastic:
            option = Option("passive", False)
            raise InputError(
                f"{option} is not possible with elastic tendons: their balance has passive forces in it",
                parameter="passive",
                value=False,
                options=(option,),
            )
        if self.as_opensim and (elastic or self.passive):
            option = Option("as_opensim")
            raise InputError(
                f"{option} means rigid tendons and no passive forces, as in OpenSim's StaticOptimization: leave "
                "tendon and passive as they are",
                parameter="as_opensim",
                value=True,
                options=(option,),
            )

    def changed(self, **changes: Any) -> Self:
        """Return options with some changed; another tendon decides about passive forces anew."""
        if "tendon" in changes and "passive" not in changes:
            changes = {**changes, "passive": None}
        return super().changed(**changes)


class MuscleChanges(TypedDict, total=False):
    """The fields of `MuscleOptions` as keywords; written by tools/keywords.py."""

    power: int
    effort: Effort
    weights: Mapping[str, float] | Literal["volume"]
    muscles: tuple[str, ...] | None
    coordinates: tuple[str, ...] | None
    reserve: float | Mapping[str, float]
    actuators: bool
    lower: float | Mapping[str, float] | None
    upper: float | Mapping[str, float]
    tendon: Tendon
    passive: bool | None
    smoothness: float
    emg_weight: float | Mapping[str, float]
    emg_muscles: Pairs | None
    mvc: Mvc | None
    emg_delay: float
    lowpass: float | None
    time_range: tuple[float, float] | None
    as_opensim: bool
    tolerance: float
