"""How the parts of a model stand in the file: an object for each dataclass, its fields as keys, defaults left out."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from softstride.errors import inside
from softstride.model.checks import locked
from softstride.model.formats.native.docstrings import summary_of, words_of
from softstride.model.formats.native.place import Place, shown
from softstride.model.formats.native.values import Codec, Schema, check_object, check_repeated

MAX_DEPTH = 60
"""Most levels of lists and objects; a function of a custom joint stands on level 11."""

MOST_ENTRIES = 20_000
"""Most entries of a list or table of parts; large models have a thousand. Hostile files could keep a reader busy."""

ROUNDING = 1e-12
"""A stored array this close to what a constructor makes of it is kept as it is: the constructor only rounded."""


class Record:
    """A dataclass as a JSON object.

    Attributes:
        made: The dataclass.
        kind: Value of the key "kind" that tells it from others; empty: it has no such key.
        kind_shown: Whether "kind" is written; the usual kind of a `Union` goes without.
        codecs: How each field is written, by name, in the order of writing.
    """

    def __init__(
        self,
        made: type,
        kind: str = "",
        *,
        title: str = "",
        named: bool = False,
        always: tuple[str, ...] = (),
        required: tuple[str, ...] = (),
        exact: tuple[str, ...] = (),
        check: Callable[[Any, Place], None] | None = None,
        **codecs: Codec,
    ) -> None:
        """Describe a dataclass.

        Args:
            made: The dataclass.
            kind: See the attributes.
            title: What the schema calls it; empty: the name of the dataclass.
            named: Whether its field "name" is the key of the table that it stands in.
            always: Fields that are written even if they have their default.
            required: Fields that must be given although the dataclass has a default for them.
            exact: Array fields that the constructor rounds; see `ROUNDING`.
            check: A further check of a value, before it is written and before it is read.
            codecs: How each field is written.
        """
        self.made, self.kind, self.kind_shown, self.codecs = made, kind, True, codecs
        self.title, self._named, self._always = title or made.__name__, named, always
        self._exact, self._check = exact, check
        self._defaults: dict[str, Any] = {}
        for field in dataclasses.fields(made):
            if field.name in required:
                continue
            if field.default is not dataclasses.MISSING:
                default = field.default
            elif field.default_factory is not dataclasses.MISSING:
                default = field.default_factory()
            else:
                continue
            self._defaults[field.name] = (
                None if default is None else codecs[field.name].write(default, Place())
            )

    @property
    def keys(self) -> tuple[str, ...]:
        """Every key that it may have."""
        return (("kind",) if self.kind else ()) + tuple(self.codecs)

    @property
    def required(self) -> tuple[str, ...]:
        """The keys that it must have; "kind" and a name from outside apart."""
        return tuple(name for name in self.codecs if name not in self._defaults)

    def write(self, value: Any, place: Place, name: str | None = None) -> dict[str, Any]:
        """Return the object; `name` is what its table calls it, and is not repeated inside."""
        if type(value) is not self.made:
            raise place.fault(f"must be a {self.made.__name__} to be written, however it is {value!r:.60}.")
        if place.depth > MAX_DEPTH:
            raise place.fault("functions inside functions are nested too deep to be written.")
        if self._check:
            self._check(value, place)
        result: dict[str, Any] = {"kind": self.kind} if self.kind and self.kind_shown else {}
        for key, codec in self.codecs.items():
            field = getattr(value, key)
            if field is None or (key == "name" and name is not None and field == name):
                continue
            written = codec.write(field, place / key)
            usual = key in self._defaults and repr(written) == repr(self._defaults[key])  # -0.0 is not 0.0
            if not usual or key in self._always:
                result[key] = written
        return result

    def read(self, value: Any, place: Place, name: str | None = None) -> Any:
        """Return the dataclass."""
        if place.depth > MAX_DEPTH:
            raise place.fault(f"is nested too deep; at most {MAX_DEPTH} levels are read.")
        entries = check_object(value, self.keys, place)
        fields: dict[str, Any] = {} if name is None else {"name": name}
        for key, codec in self.codecs.items():
            if key in entries:
                fields[key] = codec.read(entries[key], place / key)
            elif key not in self._defaults and key not in fields:
                raise place.fault(f"{key!r} is missing; {self.made.__name__} needs it.")
        return self._make(fields, place)

    def _make(self, fields: dict[str, Any], place: Place) -> Any:
        if self._check:
            self._check(SimpleNamespace(**fields), place)
        try:
            with inside(part=place):
                made = self.made(**fields)
        except (ArithmeticError, np.linalg.LinAlgError) as error:
            raise place.fault(str(error)) from error
        for key in self._exact:
            if key in fields:
                given, kept = fields[key], getattr(made, key)
                if np.max(np.abs(given - kept)) <= ROUNDING * np.max(np.abs(kept)):
                    made._set(**{key: locked(given)})
        return made

    def schema(self, definitions: Schema) -> Schema:
        """Register the object by the name of its class and return a reference to it."""
        if self.title not in definitions:
            entry: Schema = definitions.setdefault(
                self.title, {}
            )  # there before its parts: functions hold functions
            entry |= {"description": summary_of(self.made), "type": "object"}
            entry["properties"] = self.properties(definitions)
            required = (["kind"] if self.kind and self.kind_shown else []) + [
                key for key in self.required if not (key == "name" and self._named)
            ]
            if required:
                entry["required"] = required
            entry["additionalProperties"] = False
        return {"$ref": f"#/$defs/{self.title}"}

    def properties(self, definitions: Schema) -> Schema:
        """Return the schema of each key."""
        words = words_of(self.made)
        result: Schema = {"kind": {"const": self.kind}} if self.kind else {}
        for key, codec in self.codecs.items():
            result[key] = codec.schema(definitions)
            if key in words:
                result[key] = {"description": words[key]} | result[key]
            if self._defaults.get(key) is not None:
                result[key] |= {"default": self._defaults[key]}
        return result


class Union:
    """One of several dataclasses, told apart by "kind"."""

    def __init__(self, what: str, *records: Record, usual: str | None = None) -> None:
        """Join records; the kind `usual` is written without its "kind"."""
        self.what, self.usual = what, usual
        self._by_kind: dict[str, Record] = {}
        self._by_type: dict[type, Record] = {}
        self.add(*records)

    @property
    def records(self) -> tuple[Record, ...]:
        """The records in order."""
        return tuple(self._by_kind.values())

    def add(self, *records: Record) -> None:
        """Add further kinds, such as functions that hold functions."""
        for record in records:
            record.kind_shown = record.kind != self.usual
            self._by_kind[record.kind] = record
            self._by_type[record.made] = record

    def write(self, value: Any, place: Place, name: str | None = None) -> dict[str, Any]:
        """Return the object of its kind."""
        record = self._by_type.get(type(value))
        if record is None:
            known = ", ".join(made.__name__ for made in self._by_type)
            raise place.fault(
                f"{self.what} of type {type(value).__name__} cannot be written; there are: {known}."
            )
        return record.write(value, place, name)

    def read(self, value: Any, place: Place, name: str | None = None) -> Any:
        """Return the dataclass of its kind."""
        if not isinstance(value, dict):
            raise place.fault(f"must be an object {{...}}, however it is {shown(value)}.")
        kind = value.get("kind", self.usual)
        if kind is None:
            raise place.fault(f"'kind' is missing; a {self.what} is one of {', '.join(self._by_kind)}.")
        record = self._by_kind.get(kind) if isinstance(kind, str) else None
        if record is None:
            raise (place / "kind").fault(
                f"must be one of {', '.join(self._by_kind)}, however it is {shown(kind)}."
            )
        return record.read(value, place, name)

    def schema(self, definitions: Schema) -> Schema:
        """Return a choice."""
        return {"oneOf": [record.schema(definitions) for record in self._by_kind.values()]}


class List:
    """A tuple as a list."""

    def __init__(self, item: Codec) -> None:
        """Say how each item is written."""
        self._item = item

    def write(self, value: Any, place: Place) -> list[Any]:
        """Return the list."""
        _check_count(len(value), place)
        return [self._item.write(item, place / i) for i, item in enumerate(value)]

    def read(self, value: Any, place: Place) -> tuple[Any, ...]:
        """Return the tuple."""
        if not isinstance(value, list):
            raise place.fault(f"must be a list [...], however it is {shown(value)}.")
        _check_count(len(value), place)
        return tuple(self._item.read(item, place / i) for i, item in enumerate(value))

    def schema(self, definitions: Schema) -> Schema:
        """Return "array"."""
        return {"type": "array", "items": self._item.schema(definitions)}


class Names:
    """A mapping as an object: names as keys.

    Attributes:
        named: Whether the parts know their names, which are then not repeated.
        sparse: Whether parts of which nothing is to be said are left out.
    """

    def __init__(self, item: Any, *, named: bool = False, sparse: bool = False) -> None:
        """Say how each part is written."""
        self._item, self.named, self.sparse = item, named, sparse

    def write(self, value: Mapping[str, Any], place: Place) -> dict[str, Any]:
        """Return the object."""
        _check_count(len(value), place)
        result: dict[str, Any] = {}
        for name, part in value.items():
            if not isinstance(name, str):
                raise place.fault(f"names must be strings to be written, however one is {name!r}.")
            hint = (name,) if self.named else ()
            written = self._item.write(part, place / name, *hint)
            if written or not self.sparse:
                result[name] = written
        return result

    def read(self, value: Any, place: Place) -> dict[str, Any]:
        """Return the mapping."""
        if not isinstance(value, dict):
            raise place.fault(f"must be an object {{...}}, however it is {shown(value)}.")
        check_repeated(value, place)
        _check_count(len(value), place)
        hints = {name: (name,) if self.named else () for name in value}
        return {name: self._item.read(part, place / name, *hints[name]) for name, part in value.items()}

    def schema(self, definitions: Schema) -> Schema:
        """Return "object" with any names."""
        return {"type": "object", "additionalProperties": self._item.schema(definitions)}


def _check_count(count: int, place: Place) -> None:
    if count > MOST_ENTRIES:
        raise place.fault(f"has {count:,} entries, more than {MOST_ENTRIES:,}: simplify the model.")
