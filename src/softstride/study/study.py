"""`Study`: everything that one trial produced, from the recording to the forces in the joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from softstride._version import __version__
from softstride.capture.recording import Recording
from softstride.capture.series import Channels
from softstride.dynamics.blade.load_cell import BladeForce
from softstride.dynamics.loads import Loads
from softstride.dynamics.uncertainty.bands import LoadBands
from softstride.dynamics.validation.errors import Validation
from softstride.engine.balance import centre_of_mass
from softstride.engine.run import sealed
from softstride.errors import InputError
from softstride.frozen import Table
from softstride.kinematics.motion import Motion
from softstride.model.model import Model
from softstride.muscles.reactions.knee import KneeContact
from softstride.muscles.reactions.result import JointReactions
from softstride.muscles.sharing.forces import MuscleForces
from softstride.notes import Note, as_notes

if TYPE_CHECKING:
    import xarray as xr

State = Literal["done", "skipped", "failed", "unwritten"]


@dataclass(frozen=True)
class Stage:
    """One step of an analysis.

    Attributes:
        name: Of the step: "capture", "kinematics", "estimated loads", ...
        state: "done"; "skipped": there was nothing to do it with, or it was not asked for; "failed";
            "unwritten": the results are there, however files that are made from them could not be written.
        words: Why it was skipped, or how it failed; "" for what is done.
        seconds: How long it took [s], compilation left out.
        compiling: How long the compilation of kernels took [s], once on each machine.
    """

    name: str
    state: State = "done"
    words: str = ""
    seconds: float = 0.0
    compiling: float = 0.0


@dataclass(frozen=True, eq=False, repr=False)
class Study:
    """Everything that one trial produced. What was not asked for, or could not be had, is None or empty.

    Attributes:
        name: Of the trial.
        recording: What was measured, with its events; gaps filled and marked.
        model: The person.
        motion: What the markers say.
        measured: Loads with the measured forces of the ground.
        estimated: Loads and ground reaction found without them.
        validation: The estimated ground reaction beside the measured one, strike by strike.
        bands: How well loads are known, by "measured" and "estimated".
        blades: Load of each blade from its deformation alone, by the link of the blade.
        forces: Who pulls, and how hard.
        reactions: What joints transmit.
        knees: Shared between compartments, by "right" and "left".
        emg: Envelopes; each divided by its maximal voluntary contraction if that is known, else by its largest value.
        electrodes: The channel of `emg` that lies on each muscle.
        emg_forces: What EMG alone says of forces, for the muscles with electrodes.
        stages: What was done, in order.
        options: What was asked for, in plain values.
        notes: What was decided on the way; those of the parts are with the parts.
        version: Of softstride that made it.
    """

    name: str
    recording: Recording
    model: Model
    motion: Motion
    measured: Loads | None = None
    estimated: Loads | None = None
    validation: Validation | None = None
    bands: Mapping[str, LoadBands] = field(default_factory=Table)
    blades: Mapping[str, BladeForce] = field(default_factory=Table)
    forces: MuscleForces | None = None
    reactions: JointReactions | None = None
    knees: Mapping[str, KneeContact] = field(default_factory=Table)
    emg: Channels = field(default_factory=Channels.none)
    electrodes: Mapping[str, str] = field(default_factory=Table)
    emg_forces: MuscleForces | None = None
    stages: tuple[Stage, ...] = ()
    options: Mapping[str, Any] = field(default_factory=Table)
    notes: tuple[Note, ...] = ()
    version: str = __version__

    def __post_init__(self) -> None:
        """Freeze the parts."""
        for name in ("bands", "blades", "knees", "electrodes"):
            object.__setattr__(self, name, Table(getattr(self, name)))
        plain = {
            key: Table(each) if isinstance(each, Mapping) else each for key, each in self.options.items()
        }
        object.__setattr__(self, "options", Table(plain))
        object.__setattr__(self, "stages", tuple(self.stages))
        object.__setattr__(self, "notes", as_notes(self.notes))

    def __repr__(self) -> str:
        """Say what it is in one line."""
        parts = [name for name in ("measured", "estimated", "forces", "reactions") if getattr(self, name)]
        return f"Study({self.name!r}, {self.motion.n_frames} frames, {', '.join(['motion', *parts])})"

    @property
    def loads(self) -> Loads | None:
        """Loads that muscles and reactions were found from: the measured ones where there are any."""
        return self.estimated if self.measured is None else self.measured

    @property
    def weight(self) -> float:
        """Body weight [N]."""
        return self.model.mass * sum(g * g for g in self.model.gravity) ** 0.5

    @cached_property
    def centre_of_mass(self) -> NDArray[np.float64]:
        """Where the centre of mass is, shape (n, 3), [m]."""
        return sealed(centre_of_mass(self.model, self.motion.q))

    @cached_property
    def all_notes(self) -> tuple[Note, ...]:
        """Notes of all parts in order of the analysis, each sentence once."""
        parts = (self.recording, self.model, self.motion, self.measured, self.estimated, self.validation)
        later = (*self.bands.values(), *self.blades.values(), self.emg_forces, self.forces, self.reactions)
        known = [part for part in (*parts, *later, *self.knees.values()) if part is not None]
        found: dict[str, Note] = {}
        for note in as_notes(note for part in (*known, self) for note in part.notes):
            found.setdefault(str(note), note)
        return tuple(found.values())

    @property
    def failed(self) -> tuple[Stage, ...]:
        """Steps that failed."""
        return tuple(stage for stage in self.stages if stage.state == "failed")

    @property
    def unwritten(self) -> tuple[Stage, ...]:
        """Files that could not be written: nothing of the study is missing for it."""
        return tuple(stage for stage in self.stages if stage.state == "unwritten")

    def stage(self, name: str) -> Stage:
        """Return a step by its name.

        Raises:
            InputError: There was no such step.
        """
        for stage in self.stages:
            if stage.name == name:
                return stage
        known = ", ".join(stage.name for stage in self.stages)
        raise InputError(f"there is no step {name!r} in this study; there are: {known or 'none'}")

    @cached_property
    def figures(self) -> Mapping[str, float]:
        """Figures of merit by name, flat; see `softstride.study.figures`."""
        from softstride.study.figures import figures_of_merit

        return figures_of_merit(self)

    def changed(self, **changes: Any) -> Study:
        """Return a study with some parts changed."""
        return replace(self, **changes)

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the study as one netCDF file, `NAME.study.nc`; see `save_study`."""
        from softstride.study.files import save_study

        save_study(self, path, overwrite=overwrite)

    def to_xarray(self) -> xr.DataTree:
        """Return an `xarray.DataTree`, a node for each part that has one."""
        import xarray as xr

        nodes = {
            f"/{name}": getattr(self, name).to_xarray()
            for name in ("motion", "measured", "estimated", "forces", "reactions")
            if getattr(self, name) is not None
        }
        return xr.DataTree.from_dict(nodes, name=self.name)
