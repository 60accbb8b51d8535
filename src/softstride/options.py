"""`Options`: how a step is told what to do. A subclass declares each option once, as a dataclass field.

    @dataclass(frozen=True, eq=False)
    class IdOptions(Options, of="inverse dynamics"):
        lowpass: float | None = declared(None, "Cut-off frequency of a low pass.", unit="Hz", above=0.0)

Type and limits are checked when options are made; from the same declarations come the settings of a TOML file, their
template and schema, the table of the documentation, and the typed keywords of the functions that take them
(``**changes: Unpack[IdChanges]``; tools/keywords.py writes `IdChanges`, and a test holds it to the class).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, replace
from inspect import cleandoc
from textwrap import fill
from typing import Any, ClassVar, Self

from softstride.errors import InputError
from softstride.fields import Declaration, Frozen, declaration, rules


class Options(Frozen):
    """Base of the options of a step, which are those of what `OF` says; see the module."""

    ALSO: ClassVar[str] = ""
    """Field that holds other options, which may be given by their own names as well."""

    def __init_subclass__(cls, of: str = "", also: str = "", **more: Any) -> None:
        super().__init_subclass__(of=of, **more)
        cls.ALSO = also or cls.ALSO
        said = {name: vars(cls).get(name) for name in cls.__annotations__}
        lines = [_line(name, declaration(each)) for name, each in said.items() if isinstance(each, Field)]
        cls.__doc__ = "\n\n".join([cleandoc(cls.__doc__ or ""), "Attributes:\n" + "\n".join(lines)])

    def whose(self) -> str:
        """Return nothing: a refusal names an option alone."""
        return ""

    def changed(self, **changes: Any) -> Self:
        """Return options with some changed.

        Raises:
            InputError: An unknown option; the known ones are listed.
        """
        inner: Options | None = getattr(self, self.ALSO) if self.ALSO else None
        others = () if inner is None else inner.names()
        known = (*self.names(), *others)
        for name in changes:
            if name not in known:
                raise InputError(
                    f"{name!r} is no option of {self.OF}; known: {', '.join(known)}",
                    parameter=name,
                    known=known,
                )
        below = {name: changes.pop(name) for name in others if name in changes}
        if below:
            whole = changes.get(self.ALSO, inner)
            changes[self.ALSO] = whole.changed(**below) if isinstance(whole, Options) else whole
        return replace(self, **changes)

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the names of the options."""
        return tuple(each.name for each in fields(cls))

    @classmethod
    def declarations(cls) -> dict[str, Declaration]:
        """Return what is said of each option."""
        return {each.name: declaration(each) for each in fields(cls)}

    def plain(self) -> dict[str, Any]:
        """Return the options as values that JSON and TOML know."""
        return {name: _plain(getattr(self, name)) for name in self.names()}

    @classmethod
    def schema(cls) -> dict[str, Any]:
        """Return the JSON schema of the options."""
        known = rules(cls)
        parts = {}
        for each in fields(cls):
            parts[each.name] = {"description": declaration(each).text, **known[each.name].schema()}
            parts[each.name]["default"] = _plain(default_of(each))
        return {"type": "object", "additionalProperties": False, "properties": parts}

    @classmethod
    def table(cls) -> str:
        """Return the options as a Markdown table: name, what it may be, default, meaning."""
        rows = ["| option | may be | default | |", "|---|---|---|---|"]
        for each in fields(cls):
            default = default_of(each)
            shown = f"`{dict(default)!r}`" if isinstance(default, Mapping) else f"`{default!r}`"
            may = rules(cls)[each.name].expected.replace("|", "\\|")
            rows.append(f"| `{each.name}` | {may} | {shown} | {declaration(each).text} |")
        return "\n".join(rows)


def _line(name: str, said: Declaration) -> str:
    unit = f"[{said.limits.unit}] " if said.limits.unit else ""
    return fill(f"{name}: {unit}{said.text}", 100, initial_indent=" " * 4, subsequent_indent=" " * 8)


def _plain(value: Any) -> Any:
    if isinstance(value, Options):
        return value.plain()
    return {name: _plain(each) for name, each in value.items()} if isinstance(value, Mapping) else value


def default_of(field: Field[Any]) -> Any:
    """Return the default of a field."""
    return field.default if field.default_factory is MISSING else field.default_factory()
