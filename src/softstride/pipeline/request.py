"""`Request`: files and wishes; `prepare_trial` reads them and finds out what was not said."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from softstride._version import __version__
from softstride.capture.reading import read
from softstride.capture.recording import Recording
from softstride.errors import InputError
from softstride.files import read_digest
from softstride.frozen import Table
from softstride.model.load import PACKAGED
from softstride.model.model import Model
from softstride.notes import Note
from softstride.pipeline.beside import datafiles, model_files, parts_beside, standing_files, tasks_beside
from softstride.pipeline.options import AnalyzeOptions
from softstride.pipeline.person import SEXES, find_person
from softstride.pipeline.weights import task_weights


@dataclass(frozen=True, eq=False)
class Request:
    """What to analyse.

    Attributes:
        trial: Files of the trial: a C3D file, or markers and forces in files of their own.
        model: A model file, or the name of a packaged model; None: found beside the trial, or a packaged person.
        static: A standing trial, to which the model is scaled; None: found beside the trial if the model is packaged.
        mass: Of the person [kg]; None: from the files.
        height: Of the person [m]; None: from the files.
        sex: "male" or "female", for the tables of a packaged person; None: the mean of both.
        prosthesis: Side, level, surgery and blade of an amputation: `side`, `below_knee` or `below_hip` [m], `surgery`,
            `blade`; empty: none.
        options: How to analyse.
        tasks: Weights of markers, a setup or task set of OpenSim's inverse kinematics; None: found beside the trial,
            unless the options have weights or the model is packaged.
    """

    trial: tuple[Path, ...]
    model: str | None = None
    static: Path | None = None
    mass: float | None = None
    height: float | None = None
    sex: str | None = None
    prosthesis: Table[Any] = field(default_factory=Table)
    options: AnalyzeOptions = field(default_factory=AnalyzeOptions)
    tasks: Path | None = None

    def __post_init__(self) -> None:
        """Check what can be checked without the files."""
        given = (self.trial,) if isinstance(self.trial, str | Path) else self.trial
        object.__setattr__(self, "trial", tuple(Path(file) for file in given))
        for name in ("static", "tasks"):
            file = getattr(self, name)
            object.__setattr__(self, name, None if file is None else Path(file))
        object.__setattr__(self, "model", None if self.model is None else str(self.model))
        object.__setattr__(self, "prosthesis", Table(self.prosthesis))
        if not self.trial:
            raise InputError("there is no trial to analyse: name its file")
        for name in ("mass", "height"):
            value = getattr(self, name)
            if value is not None and not (
                isinstance(value, int | float) and not isinstance(value, bool) and 0.0 < value < 1000.0
            ):
                raise InputError(f"{name} must be a number above 0, however it is {value!r}")
        if self.sex not in (None, *SEXES):
            raise InputError(f"sex must be {' or '.join(SEXES)}, however it is {self.sex!r}")

    @property
    def name(self) -> str:
        """Name of the trial."""
        return self.trial[0].stem

    def changed(self, **changes: Any) -> Request:
        """Return a request with some fields changed."""
        known = {each.name for each in fields(self)}
        unknown = [name for name in changes if name not in known]
        if unknown:
            raise InputError(f"{unknown[0]!r} is no field of a request; known: {', '.join(sorted(known))}")
        return replace(self, **changes)

    def completed(self) -> Request:
        """Return the request with what lies beside a file of markers by its name: forces, EMG, weights of markers."""
        trial = (*self.trial, *parts_beside(self.trial[0])) if len(self.trial) == 1 else self.trial
        tasks = self.tasks
        if tasks is None and self.options.weights is None and self.model not in PACKAGED:
            tasks = tasks_beside(self.trial[0])
        return replace(self, trial=trial, tasks=tasks)

    def digest(self) -> str:
        """Return a digest of all files, wishes and the version: equal digests, equal results.

        Raises:
            CaptureError: A file cannot be read.
            InputError: A folder stands in the place of a trial.
        """
        for file in self.trial:
            _check_file(file)
        plain: dict[str, Any] = {name: getattr(self, name) for name in ("mass", "height", "sex")}
        plain["model"] = self.model if self.model in PACKAGED else None
        plain["prosthesis"] = {k: v for k, v in self.prosthesis.items() if not Path(str(v)).is_file()}
        known = json.dumps([__version__, plain, self.options.plain()], sort_keys=True, default=str)
        total = hashlib.sha256(known.encode())
        for file in self._files():
            total.update(read_digest(file))
        return total.hexdigest()

    def _files(self) -> list[Path]:
        """Return all files that results may come from, as far as names tell; data of external loads among them."""
        found = list(self.trial)
        for document in (file for file in self.trial if file.suffix.lower() == ".xml"):
            found += [document.parent / name for name in sorted(datafiles(document))]
        found += [Path(str(value)) for value in self.prosthesis.values() if Path(str(value)).is_file()]
        if self.model is None:
            found += model_files(self.trial[0])
        elif self.model not in PACKAGED:
            found.append(Path(self.model))
        if self.static is not None:
            found.append(self.static)
        elif self.model is None or self.model in PACKAGED:
            found += standing_files(self.trial[0])
        return [
            *(file for file in found if file.exists() or file in self.trial),
            *([self.tasks] if self.tasks else []),
        ]


def prepare_trial(request: Request) -> tuple[Recording, Model, AnalyzeOptions]:
    """Return recording, model and options of a request; notes of the first two say what was found out and how.

    Raises:
        CaptureError: A file cannot be read.
        ModelError: The model cannot be read or made, or cannot be that of this person.
        InputError: Something is needed that no file says; the message names the option.
    """
    for file in request.trial:
        _check_file(file)
    whole = request.completed()
    recording = read(*whole.trial)
    if len(whole.trial) > 1:
        names = ", ".join(file.name for file in whole.trial)
        recording = recording.noted(
            Note("recording.files-of-trial", f"files of this trial: {names}", topic="files")
        )
    model = find_person(whole, recording)
    if whole.tasks is None:
        return recording, model, whole.options
    weights, note = task_weights(whole.tasks, model, recording)
    return recording, model.replace(notes=(*model.notes, note)), whole.options.changed(weights=weights)


def _check_file(file: Path) -> None:
    """Refuse a folder in the place of a trial, and say what is in it."""
    if not file.is_dir():
        return
    inside = sorted(each.name for each in file.iterdir() if each.suffix.lower() in (".c3d", ".trc"))
    some = f", such as {inside[0]}" if inside else "; there is none in this one"
    raise InputError(f"{file} is a folder: name a trial in it, a .c3d or .trc file{some}")
