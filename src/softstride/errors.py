"""The errors softstride raises, one class for each reason, and what each says as data.

Everything derives from `SoftstrideError`, so one `except` catches all of it. A message says what was
expected, what came, which file, part, link, coordinate or frame it concerns, and the way out; the same facts are its
attributes, so nobody has to read the sentence to act on it. Errors about values are also `ValueError`, and errors
about a computation are also `RuntimeError`, so code that knows nothing of softstride still catches them.
"""

from __future__ import annotations

import copyreg
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

Spelling = Callable[["Option"], str | None]
"""How an option is spelt elsewhere, in a shell for example; None: there is none like it."""


@dataclass(frozen=True)
class Blank:
    """What the user has to fill in, in a word.

    >>> str(Option("mvc", {"SOL": Blank("value", "mV")})), str(Option("width", Blank()))
    ("mvc={'SOL': value in mV}", 'width=')

    Attributes:
        word: What it is; "" for nothing said.
        unit: What it is counted in.
    """

    word: str = ""
    unit: str = ""

    def __str__(self) -> str:
        return f"{self.word} in {self.unit}" if self.unit else self.word


class Option:
    """An option as a sentence names it; as text it is spelt as in Python.

    >>> str(Option("lowpass")), str(Option("links", {"right": ...})), str(Option("mvc", 1))
    ('lowpass', "links={'right': ...}", 'mvc=1')
    >>> (
    ...     str(Option("degrees", bool)),
    ...     str(Option("recipe", "C", named=False)),
    ...     str(Option("height", of="a hop")),
    ... )
    ('degrees=True or False', "'C'", 'height of a hop')

    Attributes:
        name: Of the parameter, or of a function: "solve_id".
        value: What to give it, if the sentence says so; ``...`` and `Blank` stand for what the user has to fill in,
            `bool` for either of its two values.
        of: Whose parameter it is, where the sentence says so.
        named: Whether the sentence names it; else it has the value alone.
    """

    __slots__ = ("name", "named", "of", "value")

    NAME_ALONE = object()

    def __init__(self, name: str, value: object = NAME_ALONE, *, of: str = "", named: bool = True) -> None:
        self.name, self.value, self.of, self.named = name, value, of, named

    @property
    def alone(self) -> bool:
        """Whether the sentence names the option and no value."""
        return self.value is self.NAME_ALONE

    @property
    def key(self) -> str:
        """The name, and whose it is, where the sentence says so."""
        return f"{self.name} of {self.of}" if self.of else self.name

    def __str__(self) -> str:
        if self.alone:
            return self.key
        return f"{self.key}={_python(self.value)}" if self.named else _python(self.value)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Option) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __getstate__(self) -> Any:
        return (self.name, None if self.alone else (self.value,), self.of, self.named)

    def __setstate__(self, state: Any) -> None:
        self.name, given, self.of, self.named = state
        self.value = self.NAME_ALONE if given is None else given[0]

    def spelt(self, spelling: Spelling) -> str:
        """Return the option as it is spelt elsewhere; as in Python, if there is none like it."""
        return spelling(self) or str(self)


class Part(Option):
    """A value inside an option: "weights['RASI']"; elsewhere "--weights of 'RASI'".

    Attributes:
        keys: Where it is, from the outside in.
    """

    __slots__ = ("keys",)

    def __init__(self, name: str, keys: tuple[str, ...]) -> None:
        super().__init__(name)
        self.keys = keys

    def __str__(self) -> str:
        return self.name + "".join(f"[{key!r}]" for key in self.keys)

    def __getstate__(self) -> Any:
        return (self.name, self.keys)

    def __setstate__(self, state: Any) -> None:
        super().__init__(state[0])
        self.keys = state[1]

    def spelt(self, spelling: Spelling) -> str:
        """Return the part as it is spelt elsewhere."""
        whole = spelling(Option(self.name))
        return f"{whole} of {', '.join(map(repr, self.keys))}" if whole else str(self)


class Expected(Option):
    """What an option may be, in words; elsewhere without None, for there an option is left away instead.

    Attributes:
        words: What it may be beside None.
    """

    __slots__ = ("words",)

    def __init__(self, words: tuple[str, ...]) -> None:
        super().__init__("")
        self.words = words

    def __str__(self) -> str:
        return one_of((*self.words, "None"))

    def __getstate__(self) -> Any:
        return self.words

    def __setstate__(self, state: Any) -> None:
        super().__init__("")
        self.words = state

    def spelt(self, spelling: Spelling) -> str:
        """Return the words alone."""
        return one_of(self.words)


class Either(Option):
    """Ways to the same end, as a sentence offers them; elsewhere only those are told that can be gone there.

    >>> pair, width = (Option("medial"), " and ", Option("lateral")), (Option("width"),)
    >>> f"give {Either(pair, width)}"
    'give medial and lateral, or width'

    Attributes:
        ways: Options and the words between them.
    """

    __slots__ = ("ways",)

    def __init__(self, *ways: tuple[Option | str, ...]) -> None:
        super().__init__("")
        self.ways = ways

    def __str__(self) -> str:
        return self.spelt(str)

    def __getstate__(self) -> Any:
        return self.ways

    def __setstate__(self, state: Any) -> None:
        super().__init__("")
        self.ways = state

    def spelt(self, spelling: Spelling) -> str:
        """Return the ways that there are elsewhere; all of them as in Python, if there is none."""
        here = [way for way in self.ways if all(spelling(each) for each in way if isinstance(each, Option))]
        told = [
            "".join(each.spelt(spelling) if isinstance(each, Option) else each for each in way)
            for way in here or self.ways
        ]
        return ", or ".join(told)


def one_of(words: Iterable[str]) -> str:
    """Return "a, b or c"; a comma sets off the last where the others have an "or" or a comma in them."""
    *others, last = words
    comma = "," if any(" or " in word or ", " in word for word in others) else ""
    return f"{', '.join(others)}{comma} or {last}" if others else last


def names_hint(names: Iterable[str], asked: object = None) -> str:
    """List valid names for the end of an error message, cut after the first twelve.

    Args:
        names: The names.
        asked: What was asked for instead; names that are spelt alike come first.
    """
    listed = list(names)
    if isinstance(asked, str):
        from difflib import get_close_matches

        alike = get_close_matches(asked, listed, n=3)
        listed = [*alike, *(name for name in listed if name not in alike)]
    known = [repr(name) for name in listed]
    more = f" and {len(known) - 12} more" if len(known) > 12 else ""
    return (", ".join(known[:12]) + more) or "none"


def _python(value: object) -> str:
    if value is ...:
        return "..."
    if value is bool:
        return "True or False"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_python(key)}: {_python(each)}" for key, each in value.items()) + "}"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(_python, value)) + ")"
    return str(value) if isinstance(value, Blank) else repr(value)


def respelt(sentence: str, options: Iterable[Option], spelling: Spelling) -> str:
    """Return a sentence with the options that it names spelt in another way.

    Each is looked for where the sentence first says it: "frame must be a link or a frame" names one option once.
    """
    spelt: dict[str, list[str]] = {}
    for option in options:
        spelt.setdefault(str(option), []).append(option.spelt(spelling))
    if not spelt:
        return sentence
    longest_first = "|".join(re.escape(each) for each in sorted(spelt, key=len, reverse=True))

    def instead(found: re.Match[str]) -> str:
        left = spelt[found[0]]
        return left.pop() if left else found[0]

    return re.sub(rf"(?<![\w-])(?:{longest_first})(?!\w)", instead, sentence)


class SoftstrideError(Exception):
    """Root of every error raised by softstride.

    As text: "file: part: problem; fix", without what is not known.

    Attributes:
        problem: What was expected and what came.
        parameter: The parameter of the function, or the field, that is at fault; "" if it is none.
        value: What was given for it, if it is a plain value.
        file: The file that is at fault, as the caller named it.
        part: The part of the file: a parameter, a column, a row, a section.
        link: The link that it is about.
        names: Those that are at fault: markers, coordinates, muscles, columns.
        known: Those that there are instead.
        frames: The frames that it is about.
        fix: What to do about it.
        options: Options that the sentence names.
    """

    def __init__(
        self,
        problem: str = "",
        *,
        parameter: str = "",
        value: object = None,
        file: object = "",
        part: str = "",
        link: str = "",
        names: Iterable[str] = (),
        known: Iterable[str] = (),
        frames: Iterable[int] = (),
        fix: str = "",
        options: Iterable[Option] = (),
    ) -> None:
        super().__init__(problem)
        self.problem, self.fix = problem, fix
        self.parameter, self.value = parameter, value
        self.file, self.part, self.link = str(file), part, link
        self.names, self.known = tuple(names), tuple(known)
        self.frames = tuple(map(int, frames))
        self.options = tuple(options)

    def __str__(self) -> str:
        return self._place + self._said

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel to other processes whole, but for a value that may not be able to."""
        plain = self.value is None or isinstance(self.value, str | int | float | bool)
        state = self.__dict__ | {"value": self.value if plain else repr(self.value)}
        return copyreg.__newobj__, (type(self), *self.args), state  # type: ignore[attr-defined]

    def told(self, spelling: Spelling) -> str:
        """Return the message with the options that it names spelt in another way; files keep their names."""
        return self._place + respelt(self._said, self.options, spelling)

    @property
    def _place(self) -> str:
        return "".join(f"{each}: " for each in (self.file, self.part) if each)

    @property
    def _said(self) -> str:
        return f"{self.problem}; {self.fix}" if self.fix else self.problem


class ModelError(SoftstrideError, ValueError):
    """A model that cannot exist: a cycle, an unknown parent, a negative mass, an axis of length zero."""


class InputError(SoftstrideError, ValueError):
    """Arrays or options that do not fit: a wrong shape, NaN in `q`, a quaternion of length zero."""


class CaptureError(SoftstrideError, ValueError):
    """A file that cannot be read as what it claims to be, or data that a format cannot hold."""

    def __init__(self, file: object, part: str, problem: str, fix: str, **facts: Any) -> None:
        super().__init__(problem, file=file, part=part, fix=fix, **facts)

    @property
    def path(self) -> str:
        """The file; the older name of `file`."""
        return self.file

    @property
    def field(self) -> str:
        """The part of the file; the older name of `part`."""
        return self.part


class SimulationError(SoftstrideError, RuntimeError):
    """A computation that cannot continue: a singular mass matrix, a step size that shrank to nothing."""


@contextmanager
def inside(
    file: object = "", part: object = "", *, raising: type[SoftstrideError] | None = None
) -> Iterator[None]:
    """Add to errors raised inside where they happened, unless they say so already.

    Args:
        file: The file.
        part: The part of the file.
        raising: The class that leaves: errors of other classes become one of it, with all that they say.

    Raises:
        SoftstrideError: As raised inside.
    """
    try:
        yield
    except SoftstrideError as error:
        if not error.file:
            error.file = str(file)
            error.part = error.part or str(part)
        if raising is None or isinstance(error, raising):
            raise
        other = raising.__new__(raising, *error.args)
        other.__dict__.update(error.__dict__)
        raise other from error
