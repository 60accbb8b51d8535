"""What an analysis is told to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypedDict

from softstride.errors import InputError
from softstride.fields import Choice, Either, Named, Names, Span, Text, declared
from softstride.options import Options

DELAY = 0.03
"""From EMG to force, where nothing else is said [s]: the middle of what is published for leg muscles."""


@dataclass(frozen=True, eq=False)
class AnalyzeOptions(Options, of="an analysis"):
    """How to analyse a trial. The defaults ask for everything that can be had."""

    time_range: tuple[float, float] | None = declared(
        None,
        "Part of the trial; None: all of it.",
        unit="s",
        rule=Span(finite=False),
        example=(0.5, 1.8),
    )
    fill_gaps: bool = declared(True, "Whether gaps in the markers are filled, and marked.")
    weights: Mapping[str, float] | None = declared(
        None,
        "Weight of each marker; only those named are used. None: all that model and recording share.",
        least=0.0,
        of="markers",
        example={"RASI": 10.0, "RKNE": 5.0},
    )
    cutoff: float | None = declared(
        None,
        "Couples the frames of the inverse kinematics in time, see `IkOptions.cutoff`; None: frame by frame.",
        unit="Hz",
        above=0.0,
        example=6.0,
    )
    lowpass: float | Literal["auto"] | None = declared(
        "auto",
        'Low pass of the coordinates before they are differentiated; "auto": by residual analysis; None: none.',
        unit="Hz",
        above=0.0,
    )
    plates: bool = declared(True, "Whether measured forces are used.")
    estimate: bool = declared(True, "Whether ground reaction and loads are also found without them.")
    friction: float = declared(0.8, "Coefficient of friction of the ground, for the estimate.", least=0.0)
    bands: bool = declared(
        True, "Whether errors of markers, inertia and plates are carried on to bands of loads."
    )
    muscles: bool = declared(True, "Whether loads are shared among muscles.")
    power: int = declared(2, "Of activations in the criterion.", rule=Choice((2, 3)))
    passive: bool = declared(
        False,
        "Whether passive forces of muscles count. They hang on the slack lengths of tendons, which no scaling knows: "
        "without them the force in a measured knee is met better.",
    )
    coordinates: tuple[str, ...] | None = declared(
        None,
        "Whose moments muscles have to make; None: all that they move but those of toes, which shoe and plantar fascia "
        "hold.",
        rule=Names("coordinates", one=True),
        example=("hip_flexion_r", "knee_angle_r"),
    )
    emg: Mapping[str, str] | Mapping[str, tuple[str, ...]] | None = declared(
        None,
        "Channel of each muscle, or muscles of each channel; None: by the names of the channels.",
        rule=Named(Either((Text("a name"), Names())), of="muscles or channels"),
        example={"soleus_r": "EMG R soleus"},
    )
    emg_side: Literal["right", "left"] | None = declared(
        None, "The leg of channels whose names do not say it; None: those are left out.", example="left"
    )
    emg_lowpass: float | None = declared(
        None,
        "Low pass of the envelopes of raw EMG, Butterworth of 4th order without phase shift; None: the recipe of "
        "`emg_envelopes`.",
        unit="Hz",
        above=0.0,
        example=12.0,
    )
    mvc: Mapping[str, float] | float | None = declared(
        None,
        "Envelope of each channel in a maximal voluntary contraction, in the unit of the channel; 1 for envelopes that "
        "were divided already; None: not known, each channel is divided by its largest value and only compared.",
        of="channels",
        example={"EMG R soleus": 0.00031},
    )
    emg_weight: float = declared(
        0.0, "Weight of EMG in the sharing of forces, with `mvc`; 0: EMG is only compared.", least=0.0
    )
    emg_delay: float = declared(DELAY, "From EMG to force.", unit="s", least=0.0)
    reactions: bool = declared(True, "Whether joint reactions are found.")

    def check(self) -> None:
        """EMG leads only where it is known what counts as 1."""
        if self.emg_weight > 0.0 and self.mvc is None:
            raise InputError(
                "emg_weight is for EMG over maximal contractions: give mvc, or leave it at 0",
                parameter="emg_weight",
                value=self.emg_weight,
            )


class AnalyzeChanges(TypedDict, total=False):
    """The fields of `AnalyzeOptions` as keywords; written by tools/keywords.py."""

    time_range: tuple[float, float] | None
    fill_gaps: bool
    weights: Mapping[str, float] | None
    cutoff: float | None
    lowpass: float | Literal["auto"] | None
    plates: bool
    estimate: bool
    friction: float
    bands: bool
    muscles: bool
    power: int
    passive: bool
    coordinates: tuple[str, ...] | None
    emg: Mapping[str, str] | Mapping[str, tuple[str, ...]] | None
    emg_side: Literal["right", "left"] | None
    emg_lowpass: float | None
    mvc: Mapping[str, float] | float | None
    emg_weight: float
    emg_delay: float
    reactions: bool
