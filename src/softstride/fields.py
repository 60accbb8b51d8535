"""What the field of a dataclass may hold, said once: its type by the annotation, limits and unit by the declaration.

    lowpass: float | Literal["auto"] | None = declared("auto", "Low pass of the coordinates.", unit="Hz", above=0.0)

From such a declaration come the conversion and the check of what a user gives, the words of the refusal, a JSON schema,
and the tables of the documentation. A rule answers what a value has to be (`expected`), and turns what was given
into what is kept (`take`).
"""

from __future__ import annotations

import dataclasses
import math
import operator
import types
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Literal, Protocol, Self, Union, get_args, get_origin, get_type_hints

import numpy as np

from softstride.errors import Expected, InputError, Option, Part, SoftstrideError, names_hint, one_of
from softstride.frozen import Table
from softstride.notes import as_notes

DECLARED = "softstride"
"""Key of a `Declaration` in the metadata of a dataclass field."""

LONGEST = 80
"""Of what was given, as a refusal shows it."""


class Unfit(Exception):
    """A value is not what a rule asks for.

    Attributes:
        said: What is wrong, in words that follow "however"; "": the value itself says it.
        value: The part of it that is wrong, if it is not the whole.
        place: The names that lead to that part, from the outside in.
        expected: What that part has to be, if `place` is given.
    """

    def __init__(
        self, said: str = "", value: object = ..., place: tuple[str, ...] = (), expected: str = ""
    ) -> None:
        super().__init__(said)
        self.said, self.value, self.place, self.expected = said, value, place, expected


class Rule(Protocol):
    """What a value may be."""

    @property
    def expected(self) -> str:
        """What it has to be, in words that follow "must be"."""

    def take(self, value: Any) -> Any:
        """Return the value as it is kept.

        Raises:
            Unfit: It is something else.
        """

    def schema(self) -> dict[str, Any]:
        """Return its JSON schema."""


@dataclass(frozen=True)
class Limits:
    """What a number may be, and its unit."""

    unit: str = ""
    least: float | None = None
    above: float | None = None
    most: float | None = None
    below: float | None = None

    @property
    def words(self) -> str:
        """Say them, as " from 0 to 1 [m]"."""
        said = ""
        if self.least is not None:
            said = f" from {self.least:g}" if self.most is not None else f" of {self.least:g} or more"
        elif self.above is not None:
            said = f" above {self.above:g}"
        if self.most is not None:
            said += (
                f" to {self.most:g}"
                if self.least is not None
                else f"{' and' * bool(said)} at most {self.most:g}"
            )
        elif self.below is not None:
            said += f"{' and' * bool(said)} below {self.below:g}"
        return said + (f" [{self.unit}]" if self.unit else "")

    def allow(self, x: float) -> bool:
        """Return whether a number is within them."""
        return (
            (self.least is None or x >= self.least)
            and (self.above is None or x > self.above)
            and (self.most is None or x <= self.most)
            and (self.below is None or x < self.below)
        )

    def in_units(self, unit: str, size: float) -> Limits:
        """Return them in another unit, one of which has this size in their own."""
        ends = (self.least, self.above, self.most, self.below)
        return Limits(unit, *(end if end is None else end / size for end in ends))

    def schema(self) -> dict[str, Any]:
        """Return them as parts of a JSON schema."""
        words = {"minimum": self.least, "exclusiveMinimum": self.above}
        words |= {"maximum": self.most, "exclusiveMaximum": self.below}
        return {key: value for key, value in words.items() if value is not None}


NO_LIMITS = Limits()


@dataclass(frozen=True)
class Number:
    """A number that is finite."""

    limits: Limits = NO_LIMITS

    @property
    def expected(self) -> str:
        return f"a number{self.limits.words}" if self.limits.words else "a finite number"

    def take(self, value: Any) -> float:
        try:
            if isinstance(value, str | bytes | bool | np.bool_) or np.iscomplexobj(value) or np.ndim(value):
                raise TypeError
            found = float(value)
        except (TypeError, ValueError, OverflowError):
            raise Unfit from None
        if not math.isfinite(found) or not self.limits.allow(found):
            raise Unfit
        return found

    def schema(self) -> dict[str, Any]:
        return {"type": "number"} | self.limits.schema()


AT_LEAST_0, ABOVE_0 = Number(Limits(least=0.0)), Number(Limits(above=0.0))


@dataclass(frozen=True)
class Whole:
    """A whole number."""

    limits: Limits = NO_LIMITS

    @property
    def expected(self) -> str:
        return f"a whole number{self.limits.words}"

    def take(self, value: Any) -> int:
        try:
            if isinstance(value, bool | np.bool_):
                raise TypeError
            found = operator.index(value)
        except TypeError:
            raise Unfit from None
        if not self.limits.allow(found):
            raise Unfit
        return found

    def schema(self) -> dict[str, Any]:
        return {"type": "integer"} | self.limits.schema()


@dataclass(frozen=True)
class Switch:
    """True or false."""

    expected: str = "True or False"

    def take(self, value: Any) -> bool:
        if not isinstance(value, bool | np.bool_):
            raise Unfit
        return bool(value)

    def schema(self) -> dict[str, Any]:
        return {"type": "boolean"}


@dataclass(frozen=True)
class Choice:
    """One of a few values, each a text or a number; `words` may say more of them."""

    values: tuple[Any, ...]
    words: str = ""

    @property
    def expected(self) -> str:
        return self.words or one_of([repr(value) for value in self.values])

    def take(self, value: Any) -> Any:
        kinds = str | float | int | np.number
        if not isinstance(value, kinds) or isinstance(value, bool) or value not in self.values:
            raise Unfit
        return self.values[self.values.index(value)]

    def schema(self) -> dict[str, Any]:
        return {"enum": list(self.values)}


@dataclass(frozen=True)
class Text:
    """A text; `empty`: it may be empty."""

    expected: str = "a text"
    empty: bool = False

    def take(self, value: Any) -> str:
        if not isinstance(value, str) or not (self.empty or value.strip()):
            raise Unfit
        return value

    def schema(self) -> dict[str, Any]:
        return {"type": "string"} | ({} if self.empty else {"pattern": r"\S"})


@dataclass(frozen=True)
class Names:
    """Names of what `of` says, each once.

    One text is no list of names, but where `one` says so; `some`: there has to be one.
    """

    of: str = ""
    some: bool = False
    one: bool = False

    @property
    def expected(self) -> str:
        several = (
            f"a list of names{f' of {self.of}' if self.of else ''}{', at least one' if self.some else ''}"
        )
        return f"a name or {several}" if self.one else several

    def take(self, value: Any) -> tuple[str, ...]:
        if self.one and isinstance(value, str):
            return (value,)
        found = _items(value)
        if self.some and not found:
            raise Unfit("there is none: leave it away for all")
        for name in found:
            if not isinstance(name, str):
                raise Unfit(f"one of them is {short(name)}", name)
        for name in found:
            if found.count(name) > 1:
                raise Unfit(f"{name!r} is named twice", name)
        return found

    def schema(self) -> dict[str, Any]:
        several: dict[str, Any] = {"type": "array", "items": {"type": "string"}, "uniqueItems": True}
        several |= {"minItems": 1} if self.some else {}
        return {"anyOf": [{"type": "string"}, several]} if self.one else several


@dataclass(frozen=True)
class Numbers:
    """A few numbers, such as a velocity; `words` may say more of them."""

    counts: tuple[int, ...]
    limits: Limits = NO_LIMITS
    words: str = ""

    @property
    def expected(self) -> str:
        return self.words or f"{one_of([str(count) for count in self.counts])} numbers{self.limits.words}"

    def take(self, value: Any) -> tuple[float, ...]:
        given = _items(value)
        if len(given) not in self.counts:
            raise Unfit
        found = []
        for each in given:
            try:
                found.append(Number(self.limits).take(each))
            except Unfit:
                raise Unfit(f"one of them is {short(each)}", each) from None
        return tuple(found)

    def schema(self) -> dict[str, Any]:
        item = Number(self.limits).schema()
        return {"type": "array", "items": item, "minItems": min(self.counts), "maxItems": max(self.counts)}


@dataclass(frozen=True)
class Span:
    """A start and an end, not before it; `finite`: neither may be infinite."""

    finite: bool = True

    @property
    def expected(self) -> str:
        return "a start and an end [s]"

    def take(self, value: Any) -> tuple[float, float]:
        given = _items(value)
        if len(given) != 2:
            raise Unfit
        for what, each in zip(("start", "end"), given, strict=True):
            try:
                Number().take(each)
            except Unfit:
                if self.finite or not _infinite(each):
                    raise Unfit(f"its {what} is {short(each)}", each) from None
        start, end = map(float, given)
        if start > end:
            raise Unfit(f"it is {start:g} to {end:g}")
        return start, end

    def schema(self) -> dict[str, Any]:
        return Numbers((2,)).schema()


@dataclass(frozen=True)
class Named:
    """A table of names of what `of` says, with a value of one kind for each; `keys`: the names there may be."""

    rule: Rule
    keys: tuple[str, ...] = ()
    of: str = ""

    @property
    def expected(self) -> str:
        whose = f"names{f' of {self.of}' if self.of else ''}"
        if self.keys:
            whose = f"{self.of or 'names'}, {one_of([repr(key) for key in self.keys])}"
        return f"a table of {whose}, each with {self.rule.expected}"

    def take(self, value: Any) -> Table[Any]:
        if not isinstance(value, Mapping):
            raise Unfit
        found = {}
        for key, each in value.items():
            if not isinstance(key, str) or (self.keys and key not in self.keys):
                raise Unfit(f"one of its names is {short(key)}", key)
            try:
                found[key] = self.rule.take(each)
            except Unfit as unfit:
                part = each if unfit.value is ... else unfit.value
                expected = unfit.expected or self.rule.expected
                raise Unfit(unfit.said, part, (key, *unfit.place), expected) from None
        return Table(found)

    def schema(self) -> dict[str, Any]:
        names = {"propertyNames": {"enum": list(self.keys)}} if self.keys else {}
        return {"type": "object", "additionalProperties": self.rule.schema()} | names


@dataclass(frozen=True)
class Array:
    """Finite numbers of so many dimensions, or of a shape, kept as a constant float64 array."""

    words: str = ""
    dimensions: int = 1
    shape: tuple[int, ...] | None = None

    @property
    def expected(self) -> str:
        return self.words or f"finite numbers of shape {self.shape}"

    def take(self, value: Any) -> Any:
        try:
            given = np.asarray(value)
            found = np.array(given, dtype=np.float64) if _numeric(given) else None
        except (TypeError, ValueError):
            found = None
        if found is None:
            raise Unfit
        if found.shape != self.shape if self.shape is not None else found.ndim != self.dimensions:
            raise Unfit(f"its shape is {found.shape}")
        if not np.isfinite(found).all():
            place = np.argwhere(~np.isfinite(found))[0]
            wrong = float(found[tuple(place)])
            raise Unfit(f"number {', '.join(map(str, place))} is {wrong:g}", wrong)
        found.setflags(write=False)
        return found

    def schema(self) -> dict[str, Any]:
        found: dict[str, Any] = {"type": "number"}
        for _ in range(self.dimensions if self.shape is None else len(self.shape)):
            found = {"type": "array", "items": found}
        return found


@dataclass(frozen=True)
class OneOrEach:
    """A finite number, or an array with one for each frame, NaN where there is none."""

    expected: str

    def take(self, value: Any) -> Any:
        try:
            given = np.asarray(value)
            found = np.array(given, dtype=np.float64) if _numeric(given) else None
        except (TypeError, ValueError):
            found = None
        if found is None or (found.ndim == 0 and not np.isfinite(found)):
            raise Unfit
        if found.ndim > 1:
            raise Unfit(f"its shape is {found.shape}")
        found.setflags(write=False)
        return float(found) if found.ndim == 0 else found

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [{"type": "number"}, {"type": "array", "items": {"type": ["number", "null"]}}]}


@dataclass(frozen=True)
class Anything:
    """What only its user can check."""

    expected: str

    def take(self, value: Any) -> Any:
        return value

    def schema(self) -> dict[str, Any]:
        return {}


@dataclass(frozen=True)
class Function(Anything):
    """Something that can be called."""

    expected: str = "a function"

    def take(self, value: Any) -> Any:
        if not callable(value):
            raise Unfit
        return value


@dataclass(frozen=True)
class Instance:
    """An object of a class."""

    kind: type

    @property
    def expected(self) -> str:
        return f"{'an' if self.kind.__name__[0] in 'AEIOU' else 'a'} {self.kind.__name__}"

    def take(self, value: Any) -> Any:
        if not isinstance(value, self.kind):
            raise Unfit
        return value

    def schema(self) -> dict[str, Any]:
        schema = getattr(self.kind, "schema", None)
        return schema() if callable(schema) else {}


@dataclass(frozen=True)
class Either:
    """What one of several rules allows; None as well, where `none` says so."""

    rules: tuple[Rule, ...]
    none: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """What each allows, in words; choices one by one, tables last."""
        choices = [repr(x) for rule in self.rules if isinstance(rule, Choice) for x in rule.values]
        others = [rule.expected for rule in self.rules if not isinstance(rule, Choice | Named)]
        return (*others, *choices, *(rule.expected for rule in self.rules if isinstance(rule, Named)))

    @property
    def expected(self) -> str:
        return one_of((*self.words, "None") if self.none else self.words)

    def take(self, value: Any) -> Any:
        if value is None and self.none:
            return None
        inner: Unfit | None = None
        for rule in self.rules:
            try:
                return rule.take(value)
            except Unfit as unfit:
                inner = unfit if unfit.said or unfit.place else inner
        raise inner or Unfit

    def schema(self) -> dict[str, Any]:
        all_ = [rule.schema() for rule in self.rules] + ([{"type": "null"}] if self.none else [])
        return all_[0] if len(all_) == 1 else {"anyOf": all_}


@dataclass(frozen=True)
class Declaration:
    """What is said of a field beside its name, type and default.

    Attributes:
        text: What it is, sentences that end with a full stop; "" where the docstring of its class says it.
        limits: Of its numbers.
        rule: In place of the one that its annotation makes; whether None is allowed is the annotation's to say.
        of: What names are names of, in their lists and tables: "markers".
        example: A value to show where the default is None.
        run: Whether it concerns the run alone and not the result: threads, progress.
    """

    text: str
    limits: Limits = NO_LIMITS
    rule: Rule | None = None
    of: str = ""
    example: Any = None
    run: bool = False


def declared(
    default: Any = ...,
    text: str = "",
    *,
    factory: Callable[[], Any] | None = None,
    unit: str = "",
    least: float | None = None,
    above: float | None = None,
    most: float | None = None,
    below: float | None = None,
    rule: Rule | None = None,
    of: str = "",
    example: Any = None,
    run: bool = False,
) -> Any:
    """Return a dataclass field that says what it may hold.

    Args:
        default: A default; ``...``: it has to be given, unless a factory makes one.
        text: As the rest, see `Declaration`.
        factory: Makes the default.
        unit: Of numbers.
        least: They may be so small.
        above: They have to be larger.
        most: They may be so large.
        below: They have to be smaller.
        rule: In place of the one that the annotation makes.
        of: What names are names of.
        example: A value to show.
        run: Whether it concerns the run alone.
    """
    limits = Limits(unit, least, above, most, below)
    metadata = {DECLARED: Declaration(text, limits, rule, of, example, run)}
    if factory is not None:
        return dataclasses.field(default_factory=factory, metadata=metadata)
    if default is ...:
        return dataclasses.field(metadata=metadata)
    if isinstance(default, Mapping):
        fixed = Table(default)
        return dataclasses.field(default_factory=lambda: fixed, metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


def declaration(field: dataclasses.Field[Any]) -> Declaration:
    """Return what is said of a field."""
    return field.metadata.get(DECLARED) or Declaration("")


def rules(kind: Any) -> Mapping[str, Rule]:
    """Return the rules of those fields of a dataclass that are declared; types of others need not be known here."""
    return _rules(kind)


@cache
def _rules(kind: Any) -> Mapping[str, Rule]:
    said = [each for each in dataclasses.fields(kind) if DECLARED in each.metadata]
    hints = get_type_hints(kind) if said else {}
    return Table({each.name: _rule_of_field(each, hints[each.name]) for each in said})


def _rule_of_field(field: dataclasses.Field[Any], annotation: Any) -> Rule:
    said = declaration(field)
    if said.rule is None:
        return rule_of(annotation, said.limits, said.of)
    return _with_none(said.rule, annotation)


def _with_none(rule: Rule, annotation: Any) -> Rule:
    if type(None) not in get_args(annotation):
        return rule
    return Either(rule.rules if isinstance(rule, Either) else (rule,), none=True)


def rule_of(annotation: Any, limits: Limits = NO_LIMITS, of: str = "") -> Rule:
    """Return the rule that a type makes."""
    origin, inside = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        kept = [each for each in inside if each is not type(None)]
        return Either(tuple(rule_of(each, limits, of) for each in kept), none=len(kept) < len(inside))
    if origin is Literal:
        return Choice(tuple(sorted(inside, key=str)))  # typing keeps no order of its own
    if (origin is tuple and inside == (str, ...)) or (origin is Iterable and inside == (str,)):
        return Names(of)
    if origin is Callable:
        return Function()
    if origin is tuple and inside and all(each is float for each in inside):
        return Numbers((len(inside),), limits)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        keys, values = inside
        known = tuple(sorted(get_args(keys))) if get_origin(keys) is Literal else ()
        return Named(rule_of(values, limits), known, of)
    plain: dict[Any, Rule] = {float: Number(limits), int: Whole(limits), bool: Switch(), str: Text()}
    if annotation in plain:
        return plain[annotation]
    if isinstance(annotation, type):
        return Instance(annotation)
    raise TypeError(f"no rule for {annotation!r}: give one")


def checked(
    rule: Rule,
    value: object,
    name: str,
    what: str = "",
    *,
    of: str = "",
    raising: type[SoftstrideError] = InputError,
) -> Any:
    """Return the value of a parameter as a rule keeps it.

    Args:
        rule: What it may be.
        value: As it was given.
        name: The parameter.
        what: What a refusal calls it, if not by its name.
        of: Whose parameter it is, where a refusal says so: "the limits".
        raising: The class of a refusal.

    Raises:
        InputError: It is not what the parameter may be.
    """
    try:
        return rule.take(value)
    except Unfit as unfit:
        whose = Part(name, unfit.place) if unfit.place else Option(name, of=of)
        may = (Expected(rule.words),) if isinstance(rule, Either) and rule.none and not unfit.expected else ()
        raise raising(
            f"{what or whose} {misfit(rule, value, unfit)}",
            parameter=name,
            value=value if unfit.value is ... else unfit.value,
            known=_choices(rule),
            options=(*(() if what else (whose,)), *may),
        ) from None


def refuse_unknown(
    parameter: str, what: str, names: Iterable[str], known: Collection[str], *, there: str = "there are"
) -> None:
    """Refuse names of an option that nothing has: "bodies names the force 'plate 9', however there are 'plate 1'".

    Args:
        parameter: The option.
        what: What it names: "the force".
        names: The names in it.
        known: Those that there are.
        there: How the refusal lists them: "walk.c3d has".

    Raises:
        InputError: One of the names is not known; those that are spelt alike come first.
    """
    unknown = [name for name in names if name not in known]
    if unknown:
        option = Option(parameter)
        raise InputError(
            f"{option} names {what} {unknown[0]!r}, however {there} {names_hint(known, unknown[0])}",
            parameter=parameter,
            names=unknown,
            known=known,
            options=[option],
        )


def _choices(rule: Rule) -> tuple[str, ...]:
    """Return the choices that a rule leaves."""
    if isinstance(rule, Either):
        return tuple(each for inner in rule.rules for each in _choices(inner))
    return tuple(map(str, rule.values)) if isinstance(rule, Choice) else ()


def misfit(rule: Rule, value: object, unfit: Unfit) -> str:
    """Say what is wrong with a value: "must be a number above 0 [Hz], however it is -1"."""
    given = value if unfit.value is ... else unfit.value
    return f"must be {unfit.expected or rule.expected}, however {unfit.said or f'it is {short(given)}'}"


class Frozen:
    """Base of frozen dataclasses that are constant throughout, and checked where a field says what it may hold.

        @dataclass(frozen=True)
        class NormalLaw(Frozen, of="a normal law"):
            stiffness: float = declared(unit="N/m^n", above=0.0)

    Tables, tuples and notes become constant; a field that is `declared` is kept as its rule keeps it.

    Attributes:
        OF: What it is, in refusals: "a normal law"; "": a refusal names the field alone.
        RAISING: The class of its refusals.
    """

    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]
    OF: ClassVar[str] = ""
    RAISING: ClassVar[type[SoftstrideError]] = InputError

    def __init_subclass__(
        cls, of: str = "", raising: type[SoftstrideError] | None = None, **more: Any
    ) -> None:
        super().__init_subclass__(**more)
        cls.OF, cls.RAISING = of or cls.OF, raising or cls.RAISING

    def __post_init__(self) -> None:
        """Freeze and check each field, then what concerns several."""
        self._freeze()
        self.check()

    def check(self) -> None:
        """Check what concerns several fields."""

    def whose(self) -> str:
        """Return whose fields they are in a refusal; "": it names the field alone."""
        return self.OF

    def changed(self, **changes: Any) -> Self:
        """Return a copy with some fields changed; an unknown field is an error that lists the known ones."""
        return changed(self, changes, self.OF or type(self).__name__, self.RAISING)

    def _freeze(self) -> None:
        known = rules(type(self))
        for each in dataclasses.fields(self):
            if not each.init:
                continue
            name, value = each.name, getattr(self, each.name)
            rule = known.get(name)
            if rule is None:
                kept = self._constant(value, each)
            else:
                kept = checked(rule, value, name, of=self.whose(), raising=self.RAISING)
            object.__setattr__(self, name, kept)

    def _constant(self, value: Any, field: dataclasses.Field[Any]) -> Any:
        """Return a value without a rule as it is kept."""
        if field.name == "notes":
            return as_notes(value)
        if isinstance(value, Mapping) and not isinstance(value, Table):
            return Table(value)
        always_tuple = str(field.type).startswith("tuple[") and "None" not in str(field.type)
        if not always_tuple or isinstance(value, tuple):
            return value
        try:
            return _items(value)
        except Unfit:
            whose = Option(field.name, of=self.whose())
            raise self.RAISING(
                f"{whose} must be a list, however it is {short(value)}",
                parameter=field.name,
                value=value,
                options=(whose,),
            ) from None


def changed(
    whole: Any, changes: Mapping[str, Any], what: str, raising: type[SoftstrideError] = InputError
) -> Any:
    """Return a dataclass with some fields changed; `what` it is in a refusal.

    Raises:
        InputError: An unknown field, or another class where `raising` says so; the known ones are listed.
    """
    known = [each.name for each in dataclasses.fields(whole)]
    for name in changes:
        if name not in known:
            raise raising(
                f"{name!r} is no field of {what}; known: {', '.join(known)}", parameter=name, known=known
            )
    return dataclasses.replace(whole, **changes)


def named_values(kind: type, name: str) -> Rule:
    """Return the rule of the values in a field that may hold a table of names."""
    rule = rules(kind)[name]
    (named,) = (
        each for each in (rule.rules if isinstance(rule, Either) else (rule,)) if isinstance(each, Named)
    )
    return named.rule


def short(value: object) -> str:
    """Return a value as a refusal shows it, in one line."""
    text = f"{value:g}" if isinstance(value, float | np.floating) else " ".join(repr(value).split())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} ..."


def _items(value: Any) -> tuple[Any, ...]:
    """Return what a list, a tuple or an array holds.

    Raises:
        Unfit: It is no such thing, or a text or a table.
    """
    if isinstance(value, str | bytes | Mapping):
        raise Unfit
    try:
        return tuple(value)
    except TypeError:
        raise Unfit from None


def _numeric(array: np.ndarray[Any, Any]) -> bool:
    """Return whether an array holds numbers, as objects too, and no text."""
    if array.dtype.kind != "O":
        return array.dtype.kind in "fiub"
    return all(isinstance(each, int | float | np.number | np.bool_) for each in array.flat)


def _infinite(value: Any) -> bool:
    return isinstance(value, float | np.floating) and math.isinf(value)
