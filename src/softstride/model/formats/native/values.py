"""How single values stand in the file: numbers, names, flags, arrays and poses.

Every codec writes a value as JSON, reads it back exactly, and describes itself as JSON Schema.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Protocol

import numpy as np

from softstride.model.checks import FloatArray
from softstride.model.formats.native.place import Place, shown

Schema = dict[str, Any]

INFINITIES = {"inf": math.inf, "-inf": -math.inf}
"""JSON has no infinities: they are written as these words."""


class Codec(Protocol):
    """Writes one type of value as JSON and reads it back."""

    def write(self, value: Any, place: Place) -> Any:
        """Return the value as JSON: dict, list, str, bool, int or float."""

    def read(self, value: Any, place: Place) -> Any:
        """Return what `write` was given; raise a `ModelError` that names the place if it is something else."""

    def schema(self, definitions: Schema) -> Schema:
        """Return a JSON Schema of what `write` gives; parts with names go into `definitions`."""


@dataclass(frozen=True)
class Number:
    """A real number; `infinite` allows the words "inf" and "-inf"."""

    infinite: bool = False

    def write(self, value: Any, place: Place) -> float | str:
        """Return a finite float, or a word for an infinite one."""
        number = float(value)
        if math.isfinite(number):
            return number
        if self.infinite and not math.isnan(number):
            return "inf" if number > 0.0 else "-inf"
        raise place.fault(f"{number} cannot be written: give a finite number.")

    def read(self, value: Any, place: Place) -> float:
        """Return the float."""
        if type(value) is float or type(value) is int:
            return float(value)
        if self.infinite and isinstance(value, str) and value in INFINITIES:
            return INFINITIES[value]
        words = ', "inf" or "-inf"' if self.infinite else ""
        raise place.fault(f"must be a finite number{words}, however it is {shown(value)}.")

    def schema(self, definitions: Schema) -> Schema:
        """Return "number", or also the two words."""
        return (
            {"anyOf": [{"type": "number"}, {"enum": list(INFINITIES)}]}
            if self.infinite
            else {"type": "number"}
        )


@dataclass(frozen=True)
class Whole:
    """A whole number."""

    def write(self, value: Any, place: Place) -> int:
        """Return the int."""
        if isinstance(value, bool) or not isinstance(value, int | np.integer):
            raise place.fault(f"must be a whole number to be written, however it is {value!r}.")
        return int(value)

    def read(self, value: Any, place: Place) -> int:
        """Return the int."""
        if type(value) is not int:
            raise place.fault(f"must be a whole number, however it is {shown(value)}.")
        return value

    def schema(self, definitions: Schema) -> Schema:
        """Return "integer"."""
        return {"type": "integer"}


@dataclass(frozen=True)
class Flag:
    """True or false."""

    def write(self, value: Any, place: Place) -> bool:
        """Return the bool."""
        return bool(value)

    def read(self, value: Any, place: Place) -> bool:
        """Return the bool."""
        if not isinstance(value, bool):
            raise place.fault(f"must be true or false, however it is {shown(value)}.")
        return value

    def schema(self, definitions: Schema) -> Schema:
        """Return "boolean"."""
        return {"type": "boolean"}


@dataclass(frozen=True)
class Text:
    """A string; `choices`, if any, are all that it may be."""

    choices: tuple[str, ...] = ()

    def write(self, value: Any, place: Place) -> str:
        """Return the string."""
        if not isinstance(value, str):
            raise place.fault(f"must be a string to be written, however it is {value!r}.")
        return value

    def read(self, value: Any, place: Place) -> str:
        """Return the string."""
        if not isinstance(value, str):
            raise place.fault(f"must be a string, however it is {shown(value)}.")
        if self.choices and value not in self.choices:
            raise place.fault(f"must be one of {', '.join(self.choices)}, however it is {shown(value)}.")
        return value

    def schema(self, definitions: Schema) -> Schema:
        """Return "string" or the choices."""
        return {"enum": list(self.choices)} if self.choices else {"type": "string"}


class Sentence(Text):
    """A note as its sentence."""

    def write(self, value: Any, place: Place) -> str:
        """Return the sentence."""
        return str(value)


@dataclass(frozen=True)
class Array:
    """An array of finite numbers, as lists of rows.

    Attributes:
        shape: Its shape; -1 for any length from one up.
        diagonal: Whether a square matrix with nothing beside its diagonal is written as that alone.
    """

    shape: tuple[int, ...]
    diagonal: bool = False

    def write(self, value: Any, place: Place) -> list[Any]:
        """Return nested lists of floats."""
        array = np.asarray(value, dtype=np.float64)
        if not np.all(np.isfinite(array)):
            raise place.fault("must be finite to be written, however it has NaN or infinite entries.")
        if self.diagonal and same_bits(np.diag(np.diag(array)), array):
            array = np.diag(array)
        result: list[Any] = array.tolist()
        return result

    def read(self, value: Any, place: Place) -> FloatArray:
        """Return the array; of a matrix given by its diagonal, the whole matrix."""
        if self.diagonal and isinstance(value, list) and not any(isinstance(row, list) for row in value):
            return np.diag(np.array(_rows(value, self.shape[:1], place), dtype=np.float64))
        return np.array(_rows(value, self.shape, place), dtype=np.float64)

    def schema(self, definitions: Schema) -> Schema:
        """Return lists of this many numbers."""
        full = _nested(self.shape)
        return {"anyOf": [_nested(self.shape[:1]), full]} if self.diagonal else full


def _rows(value: Any, shape: tuple[int, ...], place: Place) -> list[Any]:
    n = shape[0]
    if not isinstance(value, list) or (len(value) != n if n >= 0 else not value):
        size = " × ".join(str(k) if k >= 0 else "one or more" for k in shape)
        raise place.fault(f"must be a list of {size} numbers, however it is {shown(value)}.")
    if len(shape) > 1:
        return [_rows(row, shape[1:], place / i) for i, row in enumerate(value)]
    for i, item in enumerate(value):
        if type(item) is not float and type(item) is not int:
            raise (place / i).fault(f"must be a finite number, however it is {shown(item)}.")
    return value


def _nested(shape: tuple[int, ...]) -> Schema:
    inner: Schema = {"type": "number"} if len(shape) == 1 else _nested(shape[1:])
    count = {"minItems": 1} if shape[0] < 0 else {"minItems": shape[0], "maxItems": shape[0]}
    return {"type": "array", "items": inner} | count


def same_bits(a: FloatArray, b: FloatArray) -> bool:
    """Return whether two arrays are equal, signs of zeros included."""
    return a.shape == b.shape and a.tobytes() == b.tobytes()


POSITION = Array((3,))
ROTATION = Array((3, 3))
MATRIX = Array((4, 4))


class Pose:
    """A rigid transform: {"position": [x, y, z], "rotation": rows of R}, each left out if nothing moves.

    Four rows of the whole matrix are read too, and written where a zero of the last row has a minus sign.
    """

    def write(self, value: Any, place: Place) -> Any:
        """Return the object, or the four rows."""
        T = np.ascontiguousarray(value, dtype=np.float64)
        if not same_bits(T[3], np.array([0.0, 0.0, 0.0, 1.0])):
            return MATRIX.write(T, place)
        result: dict[str, Any] = {}
        if not same_bits(T[:3, 3], np.zeros(3)):
            result["position"] = POSITION.write(T[:3, 3], place / "position")
        if not same_bits(T[:3, :3], np.eye(3)):
            result["rotation"] = ROTATION.write(T[:3, :3], place / "rotation")
        return result

    def read(self, value: Any, place: Place) -> FloatArray:
        """Return the matrix (4, 4)."""
        if isinstance(value, list):
            return MATRIX.read(value, place)
        entries = check_object(value, ("position", "rotation"), place)
        T = np.eye(4)
        if "position" in entries:
            T[:3, 3] = POSITION.read(entries["position"], place / "position")
        if "rotation" in entries:
            T[:3, :3] = ROTATION.read(entries["rotation"], place / "rotation")
        return T

    def schema(self, definitions: Schema) -> Schema:
        """Return the object or the matrix."""
        definitions.setdefault(
            "Pose",
            {
                "description": "A rigid transform: position [m] and rotation matrix, or the four rows of both.",
                "anyOf": [
                    {
                        "type": "object",
                        "properties": {
                            "position": POSITION.schema(definitions),
                            "rotation": ROTATION.schema(definitions),
                        },
                        "additionalProperties": False,
                    },
                    MATRIX.schema(definitions),
                ],
            },
        )
        return {"$ref": "#/$defs/Pose"}


def check_object(value: Any, known: tuple[str, ...], place: Place) -> dict[str, Any]:
    """Return a JSON object after checking that it is one, with no key twice and none that is not known."""
    if not isinstance(value, dict):
        raise place.fault(f"must be an object {{...}}, however it is {shown(value)}.")
    check_repeated(value, place)
    for key in value:
        if key not in known:
            near = get_close_matches(key, known, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known) or 'none'}."
            raise place.fault(f"unknown key {shown(key)}; {hint}")
    return value


def check_repeated(value: dict[str, Any], place: Place) -> None:
    """Check that the file gives no key of an object twice."""
    repeated = getattr(value, "repeated", None)
    if repeated is not None:
        raise place.fault(f"key {shown(repeated)} is given twice; keep one.")
