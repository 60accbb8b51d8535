"""Frozen dataclasses as plain text and arrays, and back: what a study file is made of.

A value becomes a *form*, made of what JSON knows, and arrays by their path in the value ("motion/q"). A dataclass is
`{"is": "Motion", "of": {field: form}}`, an array `{"array": path}`, a model `{"model": number}`, and what was written
before `{"same": path}`, of an array its first path: parts that share loads, a state or numbers share them after
reading too. Where a model comes first its
notes stand beside the number: a model file has their sentences only. Only classes that are named here are ever made, by
their own constructors, which check what they are given. In files of layout 1 notes are sentences, of which results make
notes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from softstride.frozen import Table
from softstride.harmless import storable
from softstride.model.model import Model
from softstride.notes import SAID, Note, Severity, as_notes, codes
from softstride.results import TIME, owned

Form = Any
"""What JSON knows: numbers, texts, lists and objects."""

LEFT_OUT = {"Recording": {"parameters", "analog"}, "Note": {"options"}}
"""Fields that a study does not keep: what the file that they came from has, and how to say a sentence elsewhere."""

SPARSE = frozenset({"Note"})
"""Classes of which only what is not the default is written: they are many, and most say little."""

DEEPEST = 40
"""Of forms in forms."""

NUMBERS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


@cache
def known_classes() -> dict[str, type]:
    """Return the classes that a study may hold, by name."""
    from softstride.capture.force import ExternalForce, Plate
    from softstride.capture.recording import Axes, Event, Recording, Subject
    from softstride.capture.series import Channels, Points
    from softstride.contact.sole import Sole
    from softstride.dynamics.blade.load_cell import BladeForce
    from softstride.dynamics.estimate.footholds import BladeEdge, FootSole
    from softstride.dynamics.estimate.observe import Contacts, FootContact
    from softstride.dynamics.estimate.options import EstimateOptions
    from softstride.dynamics.ground import Ground
    from softstride.dynamics.loads import AppliedWrench, Loads, Wrench
    from softstride.dynamics.options import IdOptions
    from softstride.dynamics.prepare import State
    from softstride.dynamics.uncertainty.bands import Deviations, LoadBands, WrenchStd
    from softstride.dynamics.validation.errors import StrikeErrors, Validation
    from softstride.kinematics.ik.swaps import Swap
    from softstride.kinematics.marker_fit import MarkerFit
    from softstride.kinematics.motion import Motion
    from softstride.model.frame import Frame, Point
    from softstride.muscles.reactions.joints import ModelJoint
    from softstride.muscles.reactions.knee import KneeContact
    from softstride.muscles.reactions.result import Evidence, JointReactions
    from softstride.muscles.sharing.forces import MuscleForces
    from softstride.study.study import Stage, Study

    classes = (
        *(Recording, Points, Channels, Plate, ExternalForce, Event, Subject, Axes),
        *(Motion, MarkerFit, Swap, State, Frame, Point, ModelJoint),
        *(IdOptions, EstimateOptions, Sole, FootSole, BladeEdge, FootContact, Contacts),
        *(Loads, AppliedWrench, Wrench, Ground, Validation, StrikeErrors, LoadBands, Deviations, WrenchStd),
        *(BladeForce, MuscleForces, JointReactions, Evidence, KneeContact, Stage, Study, Note),
    )
    return {each.__name__: each for each in classes}


class Writer:
    """Turns values into forms.

    Attributes:
        arrays: The arrays by path.
        owners: The dataclasses that each array belongs to, innermost last, with their paths: for its dimensions.
        models: Models in the order of their numbers.
    """

    def __init__(self) -> None:
        self.arrays: dict[str, NDArray[Any]] = {}
        self.owners: dict[str, tuple[tuple[Any, str], ...]] = {}
        self.models: list[Model] = []
        self._seen: dict[int, tuple[Any, str]] = {}
        self._stored: dict[int, str] = {}
        self._paths: set[str] = set()

    def form(self, value: Any, path: str = "", owners: tuple[tuple[Any, str], ...] = ()) -> Form:
        """Return the form of a value.

        Raises:
            TypeError: The value has no form.
        """
        if value is None or isinstance(value, (bool, str)):
            return value
        if isinstance(value, (int, np.integer)):
            return int(value)
        if isinstance(value, (float, np.floating)):
            number = float(value)
            return number if math.isfinite(number) else {"number": str(number)}
        if isinstance(value, np.ndarray):
            return {"array": self._array(value, path, owners)}
        if isinstance(value, Model):
            return self._model(value, path)
        if isinstance(value, Mapping):
            return {
                "table": {
                    str(key): self.form(each, _step(path, str(key)), owners) for key, each in value.items()
                }
            }
        if isinstance(value, (tuple, list)):
            return [self.form(each, _step(path, str(i)), owners) for i, each in enumerate(value)]
        if is_dataclass(value) and known_classes().get(type(value).__name__) is type(value):
            return self._dataclass(value, path, owners)
        raise TypeError(f"a study holds no {type(value).__name__} ({path})")

    def _array(self, array: NDArray[Any], path: str, owners: tuple[tuple[Any, str], ...]) -> str:
        """Return the path of an array, the first one; instants stand beside what is measured by them each time."""
        shared = path.rpartition("/")[2] != TIME
        if shared and id(array) in self._stored:
            return self._stored[id(array)]
        while path in self.arrays:  # of keys that are two, and one as names of files
            path += "_"
        self.arrays[path], self.owners[path] = array, owners
        if shared:
            self._stored[id(array)] = path
        return path

    def _dataclass(self, value: Any, path: str, owners: tuple[tuple[Any, str], ...]) -> Form:
        if id(value) in self._seen:
            return {"same": self._seen[id(value)][1]}
        if path not in self._paths:  # else nobody could tell the two apart by it
            self._seen[id(value)] = (value, path)
            self._paths.add(path)
        name = type(value).__name__
        inside = (*owners, (value, path))
        left_out = LEFT_OUT.get(name, ())
        kept = [each.name for each in fields(value) if each.name not in left_out and not _usual(value, each)]
        parts = {each: self.form(getattr(value, each), _step(path, each), inside) for each in kept}
        return {"is": name, "of": parts}

    def _model(self, model: Model, path: str) -> Form:
        for i, each in enumerate(self.models):
            if each is model:
                return {"model": i}
        self.models.append(model)
        notes = as_notes(model.notes)
        told = {} if set(codes(notes)) <= {SAID} else {"notes": self.form(notes, _step(path, "notes"))}
        return {"model": len(self.models) - 1, **told}


class Reader:
    """Turns forms back into values.

    Args:
        array: Returns the array of a path.
        models: The models.
    """

    def __init__(self, array: Callable[[str], NDArray[Any]], models: list[Model]) -> None:
        self._array = array
        self._models = models
        self._made: dict[str, Any] = {}
        self._taken: dict[str, NDArray[Any]] = {}

    def value(self, form: Form, path: str = "", depth: int = 0) -> Any:
        """Return the value of a form.

        Raises:
            ValueError: The form makes no sense. What constructors raise goes through.
        """
        if depth > DEEPEST:
            raise ValueError(f"{path} is nested too deeply")
        if form is None or isinstance(form, (bool, int, float, str)):
            return form
        if isinstance(form, list):
            return tuple(self.value(each, _step(path, str(i)), depth + 1) for i, each in enumerate(form))
        parts = list(form.items()) if isinstance(form, dict) else []
        if "is" in dict(parts):
            return self._dataclass(form, path, depth)
        if "model" in dict(parts):
            return self._model(form, path, depth)
        (kind, inside), *others = parts or [("", None)]
        if others:
            raise ValueError(f"{path} is of no known kind")
        if kind == "number" and inside in NUMBERS:
            return NUMBERS[inside]
        if kind == "array" and isinstance(inside, str):
            if inside not in self._taken:
                self._taken[inside] = owned(self._array(inside))
            return self._taken[inside]
        if kind == "same" and inside in self._made:
            return self._made[inside]
        if kind == "table" and isinstance(inside, dict):
            return Table({key: self.value(each, _step(path, key), depth + 1) for key, each in inside.items()})
        raise ValueError(f"{path} is of no known kind")

    def _model(self, form: dict[str, Form], path: str, depth: int) -> Model:
        number = form["model"]
        known = isinstance(number, int) and 0 <= number < len(self._models)
        if not known or not form.keys() <= {"model", "notes"}:
            raise ValueError(f"{path} is of no known kind")
        if "notes" in form:
            notes = self.value(form["notes"], _step(path, "notes"), depth + 1)
            self._models[number] = self._models[number].replace(notes=notes)
        return self._models[number]

    def _dataclass(self, form: dict[str, Form], path: str, depth: int) -> Any:
        kind, parts = known_classes().get(str(form["is"])), form.get("of")
        if kind is None or not isinstance(parts, dict):
            raise ValueError(f"{path} holds something unknown, {form['is']!r}")
        given = {name: self.value(each, _step(path, name), depth + 1) for name, each in parts.items()}
        unknown = given.keys() - {each.name for each in fields(kind)}
        if unknown:
            raise ValueError(f"{path} has a field that {kind.__name__} does not know: {min(unknown)!r}")
        if kind is Note and not _says(given):
            raise ValueError(f"{path} is no note")
        self._made[path] = kind(**given)
        return self._made[path]


def _usual(owner: Any, field: Field[Any]) -> bool:
    """Return whether a field goes without saying."""
    if type(owner).__name__ not in SPARSE:
        return False
    usual = field.default if field.default_factory is MISSING else field.default_factory()
    return usual is not MISSING and getattr(owner, field.name) == usual


def _says(given: Mapping[str, Any]) -> bool:
    """Return whether a note would be made of texts and numbers: it takes what it is given."""
    texts = [given.get(name, "") for name in ("code", "text", "topic", "fix")]
    values = given.get("values", {})
    return (
        all(isinstance(each, str) for each in (*texts, *given.get("names", ())))
        and given.get("severity", "info") in get_args(Severity)
        and isinstance(values, Mapping)
        and all(isinstance(each, int | float) for each in values.values())
    )


def _step(path: str, name: str) -> str:
    """Return the path of a part. Names are those of files too: a slash or only dots would lead elsewhere."""
    safe = storable(name).replace("/", "|")
    safe = safe.replace(".", "·") or "·" if not safe.strip(". ") else safe
    return f"{path}/{safe}" if path else safe
