"""What an analysis is told to do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from softstride.dynamics.option_checks import number, time_range
from softstride.errors import InputError
from softstride.frozen import Table

DELAY = 0.03
"""From EMG to force, where nothing else is said [s]: the middle of what is published for leg muscles."""

SWITCHES = ("fill_gaps", "plates", "estimate", "bands", "muscles", "reactions")


@dataclass(frozen=True, eq=False)
class AnalyzeOptions:
    """How to analyse a trial. The defaults ask for everything that can be had.

    Attributes:
        time_range: Part of the trial [s]; None: all of it.
        fill_gaps: Whether gaps in the markers are filled, and marked.
        weights: Weight of each marker; only those named are used. None: all that model and recording share.
        cutoff: Couples the frames of the inverse kinematics in time, see `IkOptions.cutoff` [Hz]; None: frame by frame.
        lowpass: Low pass of the coordinates before they are differentiated [Hz]; "auto": by residual analysis; None:
            none.
        plates: Whether measured forces are used.
        estimate: Whether ground reaction and loads are also found without them.
        friction: Coefficient of friction of the ground, for the estimate.
        bands: Whether errors of markers, inertia and plates are carried on to bands of loads.
        muscles: Whether loads are shared among muscles.
        power: Of activations in the criterion, 2 or 3.
        passive: Whether passive forces of muscles count. They hang on the slack lengths of tendons, which no scaling
            knows: without them the force in a measured knee is met better.
        coordinates: Whose moments muscles have to make; None: all that they move but those of toes, which shoe and
            plantar fascia hold.
        emg: Channel of each muscle, or muscles of each channel; None: by the names of the channels.
        emg_side: "right" or "left": the leg of channels whose names do not say it; None: those are left out.
        emg_lowpass: Low pass of the envelopes of raw EMG, Butterworth of 4th order without phase shift [Hz]; None: the
            recipe of `emg_envelopes`.
        mvc: Envelope of each channel in a maximal voluntary contraction, in the unit of the channel; 1 for envelopes
            that were divided already; None: not known, each channel is divided by its largest value and only compared.
        emg_weight: Weight of EMG in the sharing of forces, with `mvc`; 0: EMG is only compared.
        emg_delay: From EMG to force [s].
        reactions: Whether joint reactions are found.
    """

    time_range: tuple[float, float] | None = None
    fill_gaps: bool = True
    weights: Mapping[str, float] | None = None
    cutoff: float | None = None
    lowpass: float | Literal["auto"] | None = "auto"
    plates: bool = True
    estimate: bool = True
    friction: float = 0.8
    bands: bool = True
    muscles: bool = True
    power: int = 2
    passive: bool = False
    coordinates: tuple[str, ...] | None = None
    emg: Mapping[str, str] | Mapping[str, tuple[str, ...]] | None = None
    emg_side: Literal["right", "left"] | None = None
    emg_lowpass: float | None = None
    mvc: Mapping[str, float] | float | None = None
    emg_weight: float = 0.0
    emg_delay: float = DELAY
    reactions: bool = True

    def __post_init__(self) -> None:
        """Check what can be checked without a trial."""
        for name in (*SWITCHES, "passive"):
            if not isinstance(getattr(self, name), bool):
                raise InputError(f"{name} must be true or false, however it is {getattr(self, name)!r}")
        if self.time_range is not None:
            object.__setattr__(self, "time_range", time_range(self.time_range))
        if self.lowpass != "auto":
            self._check_frequency("lowpass", " or 'auto'")
        for name in ("cutoff", "emg_lowpass"):
            self._check_frequency(name)
        if self.power not in (2, 3) or isinstance(self.power, bool):
            raise InputError(f"power must be 2 or 3, however it is {self.power!r}")
        if self.emg_side not in (None, "right", "left"):
            raise InputError(f"emg_side must be 'right' or 'left', however it is {self.emg_side!r}")
        for name in ("emg_weight", "emg_delay", "friction"):
            if not number(getattr(self, name), name) >= 0.0:
                raise InputError(f"{name} must be at least 0, however it is {getattr(self, name)!r}")
        for name in ("weights", "emg", "mvc"):
            given = getattr(self, name)
            if isinstance(given, Mapping):
                self._check_table(name, given)
                object.__setattr__(self, name, Table(given))
            elif given is not None and name != "mvc":
                raise InputError(f"{name} must be a table of names, however it is {given!r}")
            elif given is not None:
                number(given, "mvc")
        if self.emg_weight > 0.0 and self.mvc is None:
            raise InputError("emg_weight is for EMG over maximal contractions: give mvc, or leave it at 0")
        if self.coordinates is not None:
            chosen = names(self.coordinates)
            if chosen is None:
                raise InputError(f"coordinates must be names, however they are {self.coordinates!r}")
            object.__setattr__(self, "coordinates", chosen)

    def _check_table(self, name: str, given: Mapping[Any, Any]) -> None:
        """Refuse keys that are no names, and values that are no numbers, or no names of channels or muscles."""
        for key, value in given.items():
            if not isinstance(key, str):
                raise InputError(f"{name} must be a table of names, however one of them is {key!r}")
            if name != "emg":
                number(value, f"{name} of {key!r}")
            elif names(value) is None:
                raise InputError(f"emg of {key!r} must be a name or several, however it is {value!r}")

    def _check_frequency(self, name: str, other: str = "") -> None:
        value = getattr(self, name)
        try:
            fits = value is None or number(value, name) > 0.0
        except InputError:
            fits = False
        if not fits:
            raise InputError(f"{name} must be a frequency above 0 Hz{other}, however it is {value!r}")

    def changed(self, **changes: Any) -> AnalyzeOptions:
        """Return options with some changed; an unknown one is an error that lists the known ones."""
        known = [each.name for each in fields(self)]
        unknown = [name for name in changes if name not in known]
        if unknown:
            raise InputError(f"{unknown[0]!r} is no option of an analysis; known: {', '.join(known)}")
        return replace(self, **changes)

    def plain(self) -> dict[str, Any]:
        """Return the options as values that JSON and TOML know."""
        found: dict[str, Any] = {}
        for each in fields(self):
            value = getattr(self, each.name)
            found[each.name] = dict(value) if isinstance(value, Mapping) else value
        return found


def names(given: object) -> tuple[str, ...] | None:
    """Return a name or several as a tuple; None if they are something else."""
    if isinstance(given, str):
        return (given,)
    found = tuple(given) if isinstance(given, Iterable) and not isinstance(given, Mapping) else (None,)
    return found if all(isinstance(name, str) for name in found) else None
