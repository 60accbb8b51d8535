"""Settings of an analysis in a TOML file: read, checked, and a commented template."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from pathlib import Path
from textwrap import wrap
from typing import Any

from softstride.errors import CaptureError, SoftstrideError
from softstride.fields import Either, Rule, Switch, Unfit, declaration, misfit, named_values, rules, short
from softstride.files import parse_toml, read_toml, toml_key, toml_value
from softstride.frozen import Table
from softstride.model.load import PACKAGED
from softstride.options import Options, default_of
from softstride.pipeline.options import AnalyzeOptions

MAX_BYTES = 1 << 20


@dataclass(frozen=True)
class Kind:
    """What a setting may be.

    Attributes:
        expected: In words.
        way: How it is written.
        fits: Whether a value is of this kind.
    """

    expected: str
    way: str
    fits: Callable[[Any], bool]


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


FILE = Kind("the name of a file", "write it in quotes", _is_text)
TEXT = Kind("a word", "write it in quotes", _is_text)
NUMBER = Kind("a number", "write it without quotes", _is_number)
PERSON = {"model": FILE, "static": FILE, "tasks": FILE, "mass": NUMBER, "height": NUMBER, "sex": TEXT}
PROSTHESIS = {"side": TEXT, "below_knee": NUMBER, "below_hip": NUMBER, "surgery": TEXT, "blade": TEXT}
TABLES = ("weights", "emg", "mvc")
"""Options that are tables of their own."""

HEAD = """\
#   Settings of `softstride analyze TRIAL --options THIS.toml`. Everything is optional: what stands here behind a # is
#   the default, or an example where the default, called None, is what holds without the setting. Names of files are
#   relative to this file.

[person]
# model = "subject.osim"      # .osim or .json, or a packaged person: "gait", "human"; else found beside the trial
# static = "standing.c3d"     # a packaged person, or a model named here, is scaled to it
# tasks = "ik_tasks.xml"      # weights of markers, as OpenSim has them; else found beside the trial
# mass = 72.6                 # kg; else from the files
# height = 1.80               # m; else from the files
# sex = "female"              # or "male": which tables a packaged person is made from

[prosthesis]
# side = "right"
# below_knee = 0.13           # m from the knee to the cut; or below_hip
# surgery = "myodesis"        # or "myoplasty", "osteomyoplasty", "unattached", or a .toml file
# blade = "c-medium"          # a packaged blade, or a blade file; see softstride blade --help

"""


def template() -> str:
    """Return all settings with their defaults, or an example where the default is to find out, behind #."""
    lines = [HEAD.rstrip(), "", "[analysis]"]
    lines += template_lines(AnalyzeOptions, TABLES)
    for name in TABLES:
        said = AnalyzeOptions.declarations()[name]
        lines += ["", f"[{name}]", *_comment(said.text)]
        lines += [f"# {toml_key(key)} = {toml_value(value)}" for key, value in (said.example or {}).items()]
    return "\n".join(lines) + "\n"


def template_lines(kind: type[Options], besides: tuple[str, ...] = ()) -> list[str]:
    """Return the options of a class as `template` has them, but for some, and for what TOML has no value for."""
    lines = []
    for field in fields(kind):
        said, default = declaration(field), default_of(field)
        value = said.example if default is None else default
        if field.name not in besides and isinstance(value, bool | int | float | str | tuple):
            may = _in_toml(rules(kind)[field.name]).expected
            may += ", or 0 for none" if field.name == "lowpass" else ""
            lines += [*_comment(said.text), f"# {field.name} = {toml_value(value)}".ljust(29) + f" # {may}"]
    return lines


def _in_toml(rule: Rule) -> Rule:
    """Return what a setting may be: TOML has no None, and its true and false are small."""
    if isinstance(rule, Switch):
        return Switch("true or false")
    if isinstance(rule, Either):
        kept = tuple(map(_in_toml, rule.rules))
        return kept[0] if len(kept) == 1 else Either(kept)
    return rule


def _comment(text: str) -> list[str]:
    return [f"#   {line}" for line in wrap(text, 110)]


def read_settings(path: str | Path) -> dict[str, Any]:
    """Return settings as fields of a `Request` but for the trial.

    Raises:
        CaptureError: The file cannot be read, is no TOML, or has a name that is not known.
    """
    file = Path(path)
    tables = read_toml(file, MAX_BYTES, "a file of settings", "see softstride analyze --template")
    _check_names(file, "", tables, ("person", "prosthesis", "analysis", *TABLES))
    found = _table(file, tables, "person", PERSON)
    for name in ("model", "static", "tasks"):
        if name in found and found[name] not in PACKAGED:
            found[name] = str(file.parent / found[name])
    prosthesis = _table(file, tables, "prosthesis", PROSTHESIS)
    for name in ("surgery", "blade"):
        if str(prosthesis.get(name, "")).lower().endswith((".toml", ".json", ".csv")):
            prosthesis[name] = str(file.parent / prosthesis[name])
    found["prosthesis"] = Table(prosthesis)
    found["options"] = _options(file, tables)
    return found


def _options(file: Path, tables: Mapping[str, Any]) -> AnalyzeOptions:
    """Return what stands in [analysis] and in the tables of its options."""
    known = tuple(name for name in AnalyzeOptions.names() if name not in TABLES)
    options = _given(file, tables, "analysis")
    _check_names(file, "analysis", options, known)
    for name, value in options.items():
        if name == "lowpass" and value == 0 and not isinstance(value, bool):
            options[name] = None
        else:
            options[name] = _fitting(file, "analysis", name, rules(AnalyzeOptions)[name], value)
    for table in TABLES:
        rule = named_values(AnalyzeOptions, table)
        given = {
            name: _fitting(file, table, name, rule, x) for name, x in _given(file, tables, table).items()
        }
        if given:
            options[table] = given
    try:
        return AnalyzeOptions(**options)
    except SoftstrideError as error:
        raise CaptureError(file, "analysis", str(error), "see softstride analyze --template") from error


def _fitting(file: Path, table: str, name: str, rule: Rule, value: Any) -> Any:
    """Return a setting as its option keeps it."""
    rule = _in_toml(rule)
    try:
        return rule.take(value)
    except Unfit as unfit:
        way = "write it without quotes" if _fits_bare(rule, value) else "see softstride analyze --template"
        raise CaptureError(file, f"[{table}] {name}", misfit(rule, value, unfit), way) from None


def _fits_bare(rule: Rule, value: Any) -> bool:
    """Return whether a text would be a right setting without its quotes."""
    try:
        rule.take(parse_toml(f"it = {value}")["it"] if isinstance(value, str) else value)
    except (CaptureError, Unfit):
        return False
    return True


def _table(file: Path, tables: Mapping[str, Any], name: str, kinds: Mapping[str, Kind]) -> dict[str, Any]:
    """Return a table whose values are of their kinds."""
    given = _given(file, tables, name)
    _check_names(file, name, given, tuple(kinds))
    for key, value in given.items():
        if not kinds[key].fits(value):
            problem = f"must be {kinds[key].expected}, however it is {short(value)}"
            raise CaptureError(file, f"[{name}] {key}", problem, kinds[key].way)
    return given


def _given(file: Path, tables: Mapping[str, Any], name: str) -> dict[str, Any]:
    given = tables.get(name, {})
    if not isinstance(given, dict):
        problem = f"must be a table, however it is {short(given)}"
        raise CaptureError(file, name, problem, f"write [{name}] and lines below it")
    return dict(given)


def _check_names(file: Path, table: str, given: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for name in given:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            meant = f"did you mean {near[0]!r}? " if near else ""
            raise CaptureError(
                file, table or "file", f"{name!r} is not known", f"{meant}known are {', '.join(known)}"
            )
