"""Options of the library by the names that they have in the shell: notes and errors as a command tells them.

The declaration of a command is the only place that knows these names. Options that are made from fields of the library
know theirs (`softstride.cli.declare`). A parameter of the same name as in the library needs nothing; others say what
they stand for: ``in_: Annotated[..., typer.Option("--in"), Takes("frame")]``.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from typing import Any, get_type_hints

import typer

from softstride.errors import Blank, Option, SoftstrideError
from softstride.notes import Said

SAFE = re.compile(r"[\w@%+=:,./-]+")
"""What a shell takes as it is."""


@dataclass(frozen=True, init=False)
class Takes:
    """What an option of a command stands for, beside a parameter of its own name.

    Attributes:
        names: Parameters and functions of the library: "links", "height of a hop".
        nothing: What is given for None: "auto".
    """

    names: tuple[str, ...]
    nothing: str

    def __init__(self, *names: str, nothing: str = "") -> None:
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "nothing", nothing)


class Spelling:
    """How the options of the library are spelt in one command.

    Attributes:
        command: The command, as Typer has it.
        commands: Commands by the function of the library that they call.
    """

    def __init__(self, command: Any, commands: Mapping[str, str]) -> None:
        self.command, self.commands = command, commands

    def __call__(self, option: Option) -> str | None:
        """Return an option as the command has it; None: it has none like it."""
        if option.alone and option.name in self.commands:
            return f"softstride {self.commands[option.name]}"
        param, nothing = self._params.get(option.key, (None, ""))
        return None if param is None else _shell(option, param, nothing)

    def tell(self, said: Said | SoftstrideError) -> str:
        """Return a note or an error in the words of the command."""
        if isinstance(said, str):
            return said
        own = next((each for each, name in self.commands.items() if name == self.command.name), "")
        foreign = any(not each.alone and self(each) is None for each in said.options)
        return said.told(self) + (f". That needs Python: {own}" if foreign and own else "")

    @cached_property
    def _params(self) -> dict[str, tuple[Any, str]]:
        """Options by what the library calls them, and what is given for None."""
        hints = get_type_hints(inspect.unwrap(self.command.callback), include_extras=True)
        found: dict[str, tuple[Any, str]] = {}
        for param in self.command.get_params(typer.Context(self.command)):
            if param.param_type_name == "option":
                extras = (getattr(param, "takes", None), *getattr(hints.get(param.name), "__metadata__", ()))
                taken = next((each for each in extras if isinstance(each, Takes)), Takes())
                found |= dict.fromkeys((param.name, *taken.names), (param, taken.nothing))
        return found


_spelling: ContextVar[Spelling | None] = ContextVar("_spelling", default=None)


@contextmanager
def spelt_for(command: Any, commands: Mapping[str, str]) -> Iterator[None]:
    """Tell notes and errors in the words of a command inside; see `Spelling`."""
    token = _spelling.set(Spelling(command, commands))
    try:
        yield
    finally:
        _spelling.reset(token)


def shell_words(said: Said | SoftstrideError) -> str:
    """Return a note or an error in the words of the command that runs; in those of Python, if none does."""
    spelling = _spelling.get()
    return str(said) if spelling is None else spelling.tell(said)


def _shell(option: Option, param: Any, nothing: str) -> str:
    """Return an option and its value as they are written in a shell."""
    name, value = next(each for each in param.opts if each.startswith("--")), option.value
    if option.alone:
        return name
    if value is bool:
        return " or ".join([name, *param.secondary_opts])
    if value is None:
        return f"{name} {nothing}" if nothing else f"no {name}"
    if isinstance(value, bool):
        return name if value else next(iter(param.secondary_opts), f"no {name}")
    forms = (param.metavar or "").split("|")
    if isinstance(value, Mapping):
        key_form, _, form = next((each for each in forms if "=" in each), "NAME=VALUE").partition("=")
        pairs = [(_word(key, key_form), *_word_and_unit(each, form)) for key, each in value.items()]
        return " ".join(f"{name} {_quoted(f'{key}={word}')}{unit}" for key, word, unit in pairs)
    word, unit = _word_and_unit(value, next((each for each in forms if each and "=" not in each), "VALUE"))
    return f"{name} {_quoted(word)}{unit}" if word else name


def _word_and_unit(value: object, form: str) -> tuple[str, str]:
    if isinstance(value, Blank):
        return value.word.upper(), f" in {value.unit}" if value.unit else ""
    return _word(value, form), ""


def _word(value: object, form: str) -> str:
    """Return what is filled in, or what the command calls it where the user has to."""
    return form if value is ... else str(value)


def _quoted(text: str) -> str:
    return text if SAFE.fullmatch(text) else f'"{text}"'
