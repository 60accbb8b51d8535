"""A function and the coordinate that drives it, the pair that axes and moving points are made of."""

from __future__ import annotations

from typing import Any

from softstride.model.formats.native.place import Place
from softstride.model.formats.native.values import Codec, Schema, Text, check_object

NAME = Text()


class Term:
    """A pair (coordinate, function) as {"coordinate": name, "function": {...}}; no name for a constant."""

    def __init__(self, function: Codec) -> None:
        """Say how functions are written."""
        self._function = function

    def write(self, value: Any, place: Place) -> dict[str, Any]:
        """Return the object."""
        coordinate, function = value
        name = NAME.write(coordinate, place / "coordinate")
        return ({"coordinate": name} if name else {}) | {
            "function": self._function.write(function, place / "function")
        }

    def read(self, value: Any, place: Place) -> tuple[str, Any]:
        """Return the pair."""
        entries = check_object(value, ("coordinate", "function"), place)
        if "function" not in entries:
            raise place.fault("'function' is missing; every term needs one.")
        return (
            NAME.read(entries.get("coordinate", ""), place / "coordinate"),
            self._function.read(entries["function"], place / "function"),
        )

    def schema(self, definitions: Schema) -> Schema:
        """Register the object and return a reference to it."""
        if "Term" not in definitions:
            entry: Schema = definitions.setdefault("Term", {})
            entry |= {
                "description": "A function of one coordinate; a constant needs no coordinate.",
                "type": "object",
                "properties": {
                    "coordinate": NAME.schema(definitions),
                    "function": self._function.schema(definitions),
                },
                "required": ["function"],
                "additionalProperties": False,
            }
        return {"$ref": "#/$defs/Term"}
