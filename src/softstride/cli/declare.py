"""Options of a command, made from where the library declares them; what a shell spells its own way is said beside.

    ESTIMATE = ShellOptions(
        "softstride.dynamics.estimate.options:EstimateOptions",
        Form("links", "--foot SIDE=LINK", example="right=calcn_r"),
        leave="reach torque load",
    )

    def command(estimate: Annotated[Given, ESTIMATE] = NOTHING) -> None: ...

Each field of the class is an option of the command, `max_iterations` is --max-iterations: kind, limits, unit, default
and sentence are those of its declaration. Fields that a shell has no words for, such as arrays, are left to Python, as
are those that the command leaves away. The function gets what was given and nothing else, by field, converted and
checked. The class is imported where its options are needed: not where commands are listed, nor where another one runs.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand
from typer.main import get_command
from typer.models import OptionInfo

from softstride.cli.spelling import Takes
from softstride.errors import InputError, one_of
from softstride.frozen import Table

if TYPE_CHECKING:
    from softstride.fields import Declaration, Limits, Rule
    from softstride.options import Options

Given = Mapping[str, Any]
"""What was given in a shell, by field."""

NOTHING: Given = Table()

SMALLER = {"mm": 1e-3}
"""Units of a shell: what one is in that of the library."""

WORDS = {"m": "metres", "s": "seconds"}
"""Units whose sign alone is easily taken for something else."""

LONGEST = 24
"""Letters in the form of a value; choices that take more stand in the sentence."""


@dataclass(frozen=True)
class Form:
    """How an option is given in a shell, where that is not what its declaration makes.

    Attributes:
        field: The option of the library.
        words: Its name, and the form of its value: "--foot SIDE=LINK".
        help: The sentence, without a full stop and without the default.
        example: A value.
        unit: In which it is given, if that is a smaller one: "mm".
        nothing: What is given for None: "0".
        others: The name that stands for those not named, where a value for all may be given beside names.
        first: Whether a value begins behind the first = and not behind the last.
        read: Makes what the field may be of what was given.
        kind: What is given to `read`, if not what the declaration makes.
    """

    field: str
    words: str = ""
    help: str = ""
    example: str = ""
    unit: str = ""
    nothing: str = ""
    others: str = ""
    first: bool = False
    read: Callable[[Any], Any] | None = None
    kind: Any = None

    @property
    def flag(self) -> str:
        """The name of the option."""
        return self.words.partition(" ")[0] or f"--{self.field.replace('_', '-')}"


class ShellOptions(OptionInfo):
    """The options of a command that a class of options declares; for Typer one option, which the command replaces.

    Args:
        where: Module and class.
        forms: Fields that are given in a way of their own.
        only: Names of the fields that the command takes; "": all that a shell has words for.
        leave: Names of fields that it does not take.
    """

    def __init__(self, where: str, *forms: Form, only: str = "", leave: str = "") -> None:
        super().__init__(default=..., parser=str, hidden=True)
        self.where, self.forms = where, {form.field: form for form in forms}
        self.only, self.leave = tuple(only.split()), tuple(leave.split())

    @property
    def declaring(self) -> type[Options]:
        """The class of options."""
        module, _, name = self.where.partition(":")
        found: type[Options] = getattr(import_module(module), name)
        return found

    def fields(self) -> list[ShellField]:
        """Return the options of the command."""
        from dataclasses import fields

        from softstride.fields import declaration, rules
        from softstride.options import default_of

        kind, found = self.declaring, []
        for each in fields(kind):
            form, rule = self.forms.get(each.name, Form(each.name)), rules(kind)[each.name]
            field = ShellField(form, declaration(each), rule, tuple(_spoken(rule)), default_of(each))
            if each.name in (self.only or kind.names()) and each.name not in self.leave and field.kind:
                found.append(field)
        return found


@dataclass(frozen=True, eq=False)
class ShellField:
    """An option of a command that is a field of a class of options.

    Attributes:
        form: How it is given.
        said: Its declaration.
        rule: What it may be.
        spoken: The parts of the rule that a shell has words for.
        default: Without it.
    """

    form: Form
    said: Declaration
    rule: Rule
    spoken: tuple[Rule, ...]
    default: Any

    @cached_property
    def kind(self) -> Any:
        """What Typer reads; None: a shell has no words for it."""
        from softstride.fields import Named, Names, Number, Numbers, Span, Switch, Whole

        if self.form.kind is not None or not self.spoken:
            return self.form.kind
        if any(isinstance(rule, Named | Names) for rule in self.spoken):
            return list[str]
        match self.spoken:
            case [Switch()]:
                return bool
            case [Number()]:
                return float
            case [Whole()]:
                return int
            case [Span()]:
                return tuple[float, float]
            case [Numbers([count])]:
                return tuple[(float,) * count]  # type: ignore[misc]
        return str

    @property
    def both_ways(self) -> bool:
        """Whether it is a switch that is on unless it is put off by its own name."""
        return self.kind is bool and self.default is True and not self.form.words

    @cached_property
    def metavar(self) -> str:
        """The form of its value: "N|COORDINATE=N"."""
        return self.form.words.partition(" ")[2] or "|".join(dict.fromkeys(map(self._form_of, self.spoken)))

    def _form_of(self, rule: Rule) -> str:
        from softstride.fields import Choice, Named, Number, Numbers, Span, Whole

        match rule:
            case Choice(values):
                listed = "|".join(map(str, values))
                return listed if len(listed) <= LONGEST else "NAME"
            case Named(inner):
                return "|".join(f"NAME={self._form_of(each)}" for each in _spoken(inner, inside=True))
            case Number(limits) | Whole(limits):
                return (self.form.unit or limits.unit).upper() or "N"
            case Numbers([count], limits):
                return " ".join([limits.unit.upper() or "N"] * count)
            case Span():
                return "START STOP"
        return "NAME"

    def param(self, flags: Mapping[str, str]) -> inspect.Parameter:
        """Return the option as the parameter of a function that Typer reads; `flags`: names of options by field."""
        flag, kind, default = self.form.flag, self.kind, None
        if self.both_ways:
            flag, kind = f"{flag}/--no-{flag.removeprefix('--')}", bool | None
        elif kind is bool:
            default = False
        else:
            kind = kind | None
        metavar = None if self.kind is bool else self.metavar
        told = typer.Option(flag, metavar=metavar, help=self.help(flags), show_default=False)
        name = self.form.flag.removeprefix("--").replace("-", "_")
        return inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, told]
        )

    def help(self, flags: Mapping[str, str]) -> str:
        """Return the sentence in words of a shell, and the facts that neither it nor the form of the value says."""
        from rich.markup import escape

        words = self.form.help or _in_shell(self.said.text, self._none, flags)
        facts = "; ".join(self._facts(words))
        return escape(f"{words}. [{facts}]" if facts else f"{words}.")

    def _facts(self, words: str) -> Iterator[str]:
        """Yield unit, limits, choices, an example, how often and the default."""
        from softstride.fields import Choice

        unit = self._limits.unit
        if unit in WORDS or (unit and unit.upper() not in re.split("[ |=]", self.metavar)):
            yield f"in {WORDS.get(unit, unit)}"
        bounds = replace(self._limits, unit="").words.strip().removeprefix("of ")
        if bounds not in ("", "above 0", "0 or more"):
            yield bounds
        choices = [str(x) for rule in self.spoken if isinstance(rule, Choice) for x in rule.values]
        if any(choice not in self.metavar and choice not in words for choice in choices):
            yield f"one of {', '.join(choices)}"
        if example := self.form.example or self._example:
            yield f"for example {example}"
        if self.kind == list[str]:
            yield "may be given several times"
        if isinstance(self.default, str | float | int) and (self.both_ways or self.kind is not bool):
            yield f"default: {'yes' if self.both_ways else _short(self.default)}"

    @property
    def _limits(self) -> Limits:
        """The limits of its numbers, in the unit in which they are given."""
        unit, limits = self.form.unit, self.said.limits
        return limits.in_units(unit, SMALLER[unit]) if unit else limits

    @property
    def _example(self) -> str:
        """The example of the declaration, if it is of numbers."""
        example, size = self.said.example, SMALLER.get(self.form.unit, 1.0)
        numbers = example if isinstance(example, tuple) else (example,)
        if self.form.kind is not None or not all(isinstance(x, int | float) for x in numbers):
            return ""
        return " ".join(_short(x / size) for x in numbers)

    @property
    def _none(self) -> str:
        """What says None, in words."""
        return ", or ".join(
            each for each in ("unless given" * (self.default is None), self.form.nothing) if each
        )

    def read(self, given: Any) -> Any:
        """Return what was given as the field keeps it.

        Raises:
            InputError: It is not what the field may be.
        """
        from softstride.fields import Either, Number, checked

        form, value = self.form, _number(given, self.spoken) if self.kind is str else given
        if form.nothing and _short(value) == form.nothing:
            return None
        if form.read is not None:
            if self.kind is float:
                given = checked(Number(self._limits), given, form.field)
            return checked(self.rule, form.read(given), form.field)
        if self.kind is bool:
            value = given if self.both_ways else not self.default
        elif self.kind == list[str] and "=" in self.metavar:
            value = self._by_name(given)
        if form.unit:
            value = SMALLER[form.unit] * float(checked(Number(self._limits), value, form.field))
        return checked(Either(self.spoken), value, form.field)

    def _by_name(self, texts: Sequence[str]) -> Any:
        """Return values by name, of texts such as "knee_angle_r=0.5", or the one that stands for all."""
        from softstride.fields import Choice, Either, Named, Number, checked

        form, of_all, found = self.form, list[Any](), dict[str, Any]()
        (named,) = (rule for rule in self.spoken if isinstance(rule, Named))
        alone = [rule for rule in self.spoken if isinstance(rule, Number | Choice)]
        for text in texts:
            name, sign, value = text.partition("=") if form.first else text.rpartition("=")
            one = _number(text, alone)
            if not sign and any(one in x.values if isinstance(x, Choice) else one != text for x in alone):
                if of_all:
                    raise InputError(f"{form.flag} {text}: one for all is given already, {_short(of_all[0])}")
                of_all.append(checked(Either(tuple(alone)), one, form.field))
            elif not (name and value) or (named.keys and name not in named.keys):
                example = f", such as {form.example}" if form.example else ""
                raise InputError(f"{form.flag} {text}: must be {self._forms}{example}")
            elif name in found:
                raise InputError(
                    f"{form.flag} {text}: {name} is named twice, with {_short(found[name])} before"
                )
            else:
                found[name] = _number(value, tuple(_spoken(named.rule, inside=True)))
        if not of_all or not found:
            return of_all[0] if of_all else found
        if not form.others:
            what = of_all[0] if isinstance(of_all[0], str) else "one number"
            raise InputError(
                f"{form.flag}: give {what} for all {named.of}, or one by {self._key.lower()}, not both"
            )
        return {form.others: of_all[0], **found}

    @property
    def _key(self) -> str:
        """What stands before the = in the form of its value."""
        return self.metavar.partition("=")[0].rpartition("|")[2]

    @property
    def _forms(self) -> str:
        """What may be given where values have names: "a number or COORDINATE=NUMBER"."""
        from softstride.fields import Choice, Named, Number

        value = self.metavar.partition("=")[2].partition("|")[0]
        found = []
        for rule in self.spoken:
            if isinstance(rule, Named):
                found.append(f"{self._key}={'NUMBER' if isinstance(rule.rule, Number) else value}")
            else:
                found += list(map(str, rule.values)) if isinstance(rule, Choice) else ["a number"]
        return one_of(found)


class DeclaredCommand(TyperCommand):
    """A command some of whose options are declared by the library; see the module."""

    @cached_property
    def declared(self) -> dict[str, list[ShellField]]:
        """Those options, by the parameter of the function that takes them."""
        hints = get_type_hints(inspect.unwrap(self.callback or _nothing), include_extras=True)
        extras = {name: getattr(hint, "__metadata__", ()) for name, hint in hints.items()}
        return {
            name: each.fields()
            for name, own in extras.items()
            for each in own
            if isinstance(each, ShellOptions)
        }

    @cached_property
    def made(self) -> dict[str, list[Any]]:
        """The same as Typer has them."""
        return {name: _made(fields) for name, fields in self.declared.items()}

    def get_params(self, ctx: Any) -> list[Any]:
        """Return all options; those that are declared elsewhere stand where the function takes them."""
        params = super().get_params(ctx)
        return [each for param in params for each in self.made.get(param.name or "", [param])]

    def invoke(self, ctx: Any) -> Any:
        """Call the function with what was given."""
        for name, fields in self.declared.items():
            found = {}
            for field, param in zip(fields, self.made[name], strict=True):
                given = ctx.params.pop(param.name)
                if given not in (None, (), param.default):
                    found[field.form.field] = field.read(given)
            ctx.params[name] = Table(found)
        return super().invoke(ctx)


def _made(fields: Sequence[ShellField]) -> list[Any]:
    """Return options as Typer has them, each with what it stands for."""
    flags = {field.form.field: field.form.flag for field in fields}

    def hollow() -> None: ...

    hollow.__signature__ = inspect.Signature([field.param(flags) for field in fields])  # type: ignore[attr-defined]
    alone = typer.Typer(add_completion=False)
    alone.command("declared")(hollow)
    params: list[Any] = list(get_command(alone).params)
    for field, param in zip(fields, params, strict=True):
        param.takes = Takes(field.form.field, nothing=field.form.nothing)
    return params


def _nothing() -> None: ...


def _spoken(rule: Rule, *, inside: bool = False) -> Iterator[Rule]:
    """Yield the parts of a rule that a shell has words for; `inside`: in a table of names."""
    from softstride.fields import Choice, Either, Named, Names, Number, Numbers, Span, Switch, Text, Whole

    match rule:
        case Either(rules):
            for each in rules:
                yield from _spoken(each, inside=inside)
        case Number() | Whole() | Choice() | Text():
            yield rule
        case Switch() | Names() | Span() | Numbers([_]) if not inside:
            yield rule
        case Named(inner) if not inside and any(_spoken(inner, inside=True)):
            yield rule


def _number(text: str, rules: Sequence[Rule]) -> Any:
    """Return a text as the number that it is, where one may be given."""
    from softstride.fields import Choice, Number, Whole

    for rule in rules:
        whole = isinstance(rule, Whole) or (isinstance(rule, Choice) and isinstance(rule.values[0], int))
        if whole or isinstance(rule, Number):
            try:
                found = float(text)
            except ValueError:
                continue
            return int(found) if whole and found.is_integer() else found
    return text


def _in_shell(text: str, none: str, flags: Mapping[str, str]) -> str:
    """Return the sentence of a declaration without its full stop, None by its `none`, and options by their names."""
    text = re.sub(r" \(see `[^`]*`\)|,? see `[^`]*`| \[\w+\d{4}\]", "", text.removesuffix("."))
    text = re.sub(r"\bNone: ", f"{none}: ", text) if none else re.sub(r"[;.] None: [^;.]*", "", text)
    text = re.sub(r"`(\w+)`", lambda found: flags.get(found[1], found[1]), text.replace('"', ""))
    return re.sub(r"(?:^|(?<=\. ))unless given", "Unless given", text)


def _short(value: Any) -> str:
    return f"{value + 0.0:g}" if isinstance(value, float) else str(value)
