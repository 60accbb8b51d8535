"""What holds for the options of every step, whatever they are: see `softstride.options`."""

import inspect
import json
import math
import pickle
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import FrozenInstanceError, fields
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tools.keywords import PACKAGE, modules

from softstride.errors import InputError
from softstride.fields import (
    DECLARED,
    Anything,
    Array,
    Choice,
    Either,
    Function,
    Instance,
    Limits,
    Named,
    Names,
    Number,
    Numbers,
    Rule,
    Span,
    Switch,
    Text,
    Unfit,
    Whole,
    rules,
)
from softstride.files import toml_key, toml_value
from softstride.options import Options, default_of
from softstride.pipeline import AnalyzeOptions, read_settings
from softstride.pipeline.settings import TABLES


def classes() -> Iterator[type[Options]]:
    """Yield the options of all steps."""
    for file in modules():
        name = ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts)
        for kind in vars(import_module(name)).values():
            if isinstance(kind, type) and issubclass(kind, Options) and kind.__module__ == name:
                yield kind


KINDS = tuple(classes())
FIELDS = [pytest.param(kind, name, id=f"{kind.__name__}.{name}") for kind in KINDS for name in kind.names()]
each_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
each_field = pytest.mark.parametrize(("kind", "name"), FIELDS)

TOGETHER: dict[tuple[str, str], dict[str, Any]] = {
    ("ReductionOptions", "total_change"): {"mass_change": 0.0},
    ("AnalyzeOptions", "emg_weight"): {"mvc": {"EMG": 1.0}},
}
"""Options that some values of another need."""

FOLLOWS = {("MuscleOptions", "tendon"): {"passive"}}
"""Options that are decided anew with another."""


def test_the_options_of_all_steps_are_here() -> None:
    assert {kind.__name__ for kind in KINDS} >= {
        "AnalyzeOptions",
        "BandOptions",
        "EstimateOptions",
        "IdOptions",
        "IkOptions",
        "MuscleOptions",
        "ReductionOptions",
        "SegmentOptions",
    }


# what a rule takes, and what not


def numbers_within(limits: Limits) -> list[float]:
    """Return numbers at the limits, or as near as can be, and between them."""
    low = limits.least if limits.least is not None else limits.above
    high = limits.most if limits.most is not None else limits.below
    found = [] if low is not None else [-1e300]
    if low is not None:
        found.append(low if limits.least is not None else math.nextafter(low, math.inf))
        found.append(low + 0.5 if high is None else (low + high) / 2.0)
    if high is not None:
        found.append(high if limits.most is not None else math.nextafter(high, -math.inf))
    return [*found, 0.0] if low is None and high is None else found


def numbers_outside(limits: Limits) -> list[float]:
    """Return numbers beyond the limits, as near as can be: those that must not be reached are such themselves."""
    found = [limits.above, limits.below]
    found += [None if x is None else math.nextafter(x, -math.inf) for x in (limits.least, limits.above)]
    found += [None if x is None else math.nextafter(x, math.inf) for x in (limits.most, limits.below)]
    return [x for x in found if x is not None]


NO_NUMBERS = (
    math.nan,
    math.inf,
    -math.inf,
    10**400,
    True,
    np.False_,
    "1",
    b"1",
    1j,
    np.complex128(1.0),
    np.ones(1),
)
NOTHING = (object(), print, (), {})


def right(rule: Rule) -> list[Any]:
    """Return values that a rule takes."""
    match rule:
        case Number(limits):
            whole = 0 if limits.allow(0.0) else 1
            return [*numbers_within(limits), np.float32(0.25), np.array(0.25), whole, np.int64(whole)]
        case Whole(limits):
            least = int(limits.least or 0)
            return [least, np.int64(least + 1), *([] if limits.most is None else [int(limits.most)])]
        case Switch():
            return [True, False, np.True_]
        case Choice(values):
            texts = [np.str_(x) for x in values if isinstance(x, str)]
            return [*values, *texts, *(np.int64(x) for x in values if not isinstance(x, str))]
        case Text():
            return ["a", "a name"]
        case Names():
            found: list[Any] = [["a", "b"], ("a",), (x for x in "ab"), np.array(["a"])]
            return found + ([] if rule.some else [[]]) + (["a"] if rule.one else [])
        case Numbers(counts, limits):
            x = numbers_within(limits)[0]
            return [made((x,) * n) for n in counts for made in (tuple, list, np.array)]
        case Span():
            return [(0, 1), [1.0, 1.0], np.array([0.5, 1.8])]
        case Named(inner, keys):
            key = keys[0] if keys else "a"
            return [{}, *({key: x} for x in right(inner))]
        case Array(_, dimensions):
            return [np.zeros((2,) * dimensions), np.ones((3,) * dimensions, dtype=int).tolist()]
        case Function():
            return [print]
        case Anything():
            return [np.zeros((3, 4))]
        case Instance(kind):
            return [Path("a") if kind is Path else kind() if issubclass(kind, Options) else hollow(kind)]
        case Either(inner, none):
            return [x for each in inner for x in right(each)] + ([None] if none else [])
    raise TypeError(f"say what {rule!r} takes")


def hollow(kind: type) -> Any:
    """Return an object of a class, without what it consists of."""
    plain = {name: getattr(object, name) for name in ("__repr__", "__eq__", "__hash__")}
    return object.__new__(type(kind.__name__, (kind,), plain | {"__slots__": ()}))


def wrong(rule: Rule) -> list[Any]:
    """Return values that a rule refuses."""
    match rule:
        case Number(limits):
            return [*numbers_outside(limits), *NO_NUMBERS, [1.0], None, *NOTHING]
        case Whole(limits):
            ends = [x - 1 for x in (limits.least,) if x is not None] + [
                x + 1 for x in (limits.most,) if x is not None
            ]
            return [*map(int, ends), 2.0, 4.5, True, np.True_, "4", math.nan, math.inf, None, *NOTHING]
        case Switch():
            return [0, 1, 1.0, "yes", "True", None, *NOTHING]
        case Choice(values):
            return ["guess", "", 77, True, False, math.nan, [values[0]], np.array([1, 2]), None, *NOTHING]
        case Text():
            return ["", "  ", 3, b"a", ["a"], True, None, *NOTHING]
        case Names():
            found = [
                3,
                1.5,
                ["a", 3],
                ["a", None],
                ["a", "b", "a"],
                b"ab",
                {"a": 1},
                np.array(1.0),
                True,
                None,
            ]
            found += [] if rule.one else ["a"]
            return [*found, *([[], ()] if rule.some else []), object(), print, {}]
        case Numbers(counts, limits):
            n, x = counts[0], numbers_within(limits)[0]
            short, long = (x,) * (min(counts) - 1), (x,) * (max(counts) + 1)
            parts = [*numbers_outside(limits), *NO_NUMBERS, None]
            return [short, long, *((x,) * (n - 1) + (y,) for y in parts), "1" * n, x, None, *NOTHING]
        case Span():
            ends = [(0.0, y) for y in (math.nan, "1", None, True)] + [
                (y, 1.0) for y in (math.nan, "x", -math.nan)
            ]
            infinite = [(0.0, math.inf), (-math.inf, 0.0)] if rule.finite else []
            return [(2, 1), (1,), (1, 2, 3), "01", 3, np.array(1.0), None, *ends, *infinite, *NOTHING]
        case Named(inner, keys):
            key, good = keys[0] if keys else "a", right(inner)[0]
            found = [{key: x} for x in wrong(inner)] + [{3: good}, {None: good}, {key: good, 3: good}]
            found += [{"nowhere": good}] if keys else []
            return [*found, [(key, good)], 3, "a", True, np.eye(2), None, object(), print, ()]
        case Array(_, dimensions):
            odd = [np.full((2,) * dimensions, x) for x in (math.nan, math.inf, 1j)]
            return [
                np.zeros((2,) * (dimensions + 1)),
                1.0,
                "abc",
                ["a"],
                [[1], [1, 2]],
                *odd,
                None,
                object(),
                {},
            ]
        case Function():
            return [3, "a", None]
        case Anything():
            return []
        case Instance(kind):
            return [kind, 3, "Path", None, object()]
        case Either(inner, none):
            found = [x for each in inner for x in wrong(each)]
            return [x for x in found if not (none and x is None) and all(refused(each, x) for each in inner)]
    raise TypeError(f"say what {rule!r} refuses")


def refused(rule: Rule, value: Any) -> bool:
    """Return whether a rule refuses a value; each rule is tested alone, below."""
    try:
        rule.take(value)
    except Unfit:
        return True
    return False


def single(rule: Rule) -> Iterator[Rule]:
    """Yield the rules that one consists of, each but those that are only a choice of others."""
    if isinstance(rule, Either):
        for each in rule.rules:
            yield from single(each)
    else:
        yield rule
        if isinstance(rule, Named):
            yield from single(rule.rule)


SINGLE = {rule: None for kind in KINDS for each in rules(kind).values() for rule in single(each)}


@pytest.mark.parametrize("rule", SINGLE, ids=repr)
def test_each_rule_alone(rule: Rule) -> None:
    for value in right(rule):
        assert not refused(rule, value), value
    for value in wrong(rule):
        assert refused(rule, value), value


# each option


def same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, Options) and isinstance(b, Options):
        return all(same(getattr(a, name), getattr(b, name)) for name in a.names())
    return type(a) is type(b) and bool(a == b)


def accepted(kind: type[Options], name: str) -> Iterator[tuple[Any, Options]]:
    """Yield values that fit, and the options with them."""
    for value in right(rules(kind)[name]):
        yield value, kind(**TOGETHER.get((kind.__name__, name), {}), **{name: value})


@each_field
def test_an_option_is_declared(kind: type[Options], name: str) -> None:
    field = kind.__dataclass_fields__[name]  # type: ignore[attr-defined]
    assert DECLARED in field.metadata
    said = kind.declarations()[name]
    assert re.fullmatch(r'["`A-Z].*\.', said.text) and "  " not in said.text
    assert said.limits.least is None or said.limits.above is None
    assert said.limits.most is None or said.limits.below is None
    if said.example is not None:
        kind(**TOGETHER.get((kind.__name__, name), {}), **{name: said.example})


@each_field
def test_the_default_fits(kind: type[Options], name: str) -> None:
    default = default_of(kind.__dataclass_fields__[name])  # type: ignore[attr-defined]
    assert same(rules(kind)[name].take(default), default)
    assert same(getattr(kind(), name), default) or (kind.__name__, name) == ("MuscleOptions", "passive")


@each_field
def test_what_fits_is_kept_and_fits_again(kind: type[Options], name: str) -> None:
    for _, options in accepted(kind, name):
        kept = getattr(options, name)
        assert same(getattr(options.changed(**{name: kept}), name), kept)
        assert not isinstance(kept, np.generic | list | dict | set)
        if isinstance(kept, np.ndarray):
            assert not kept.flags.writeable


@each_field
def test_what_does_not_fit_is_refused_by_name_and_in_words(kind: type[Options], name: str) -> None:
    rule = rules(kind)[name]
    values = wrong(rule)
    assert len(values) >= 3
    for value in values:
        with pytest.raises(InputError) as caught:
            kind(**{name: value})
        assert caught.value.parameter == name
        said = str(caught.value)
        expected = re.escape(rule.expected)
        assert re.match(rf"{name}( must be {expected}|\[.*\] must be [^,].*), however .+ is \S", said), said
        assert "\n" not in said and len(said) < 400
        with pytest.raises(InputError) as again:
            kind().changed(**{name: value})
        assert str(again.value) == said


@each_field
def test_a_change_keeps_the_others(kind: type[Options], name: str) -> None:
    for _, options in accepted(kind, name):
        start = kind(**TOGETHER.get((kind.__name__, name), {}))
        changed = start.changed(**{name: getattr(options, name)})
        for other in set(kind.names()) - {name} - FOLLOWS.get((kind.__name__, name), set()):
            assert same(getattr(changed, other), getattr(start, other))


@each_field
def test_options_travel_to_other_processes(kind: type[Options], name: str) -> None:
    for value, options in accepted(kind, name):
        parts = value.values() if isinstance(value, Mapping) else [value]
        if any(type(each).__module__ == __name__ for each in parts):
            continue  # a hollow object
        again = pickle.loads(pickle.dumps(options))
        assert type(again) is kind and same(again, options)


@each_field
def test_options_are_frozen(kind: type[Options], name: str) -> None:
    options = kind()
    with pytest.raises(FrozenInstanceError):
        setattr(options, name, getattr(options, name))


@each_kind
def test_options_that_are_unknown(kind: type[Options]) -> None:
    for make in (
        kind().changed,
        kind().changed(**{kind.names()[0]: getattr(kind(), kind.names()[0])}).changed,
    ):
        with pytest.raises(InputError) as caught:
            make(nothing_like_it=1)
        assert caught.value.parameter == "nothing_like_it" and set(kind.names()) <= set(caught.value.known)
        assert str(caught.value).startswith(
            f"'nothing_like_it' is no option of {kind.OF}; known: {kind.names()[0]}"
        )


@each_kind
def test_the_class_lists_its_options(kind: type[Options]) -> None:
    text, _, listed = inspect.cleandoc(kind.__doc__ or "").partition("Attributes:\n")
    assert text.strip() and re.findall(r"(?m)^    (\w+): ", listed) == list(kind.names())
    flat = " ".join(listed.split())
    for name, said in kind.declarations().items():
        assert said.text in flat
        assert not said.limits.unit or f"{name}: [{said.limits.unit}] " in flat
    rows = kind.table().splitlines()[2:]
    assert [row.split("`")[1] for row in rows] == list(kind.names())
    assert all(len(re.split(r"(?<!\\)\|", row)) == 6 for row in rows)


def test_options_within_options_go_by_their_own_names() -> None:
    for kind in KINDS:
        if kind.ALSO:
            inner = getattr(kind(), kind.ALSO)
            for name in inner.names():
                value = right(rules(type(inner))[name])[0]
                kept = getattr(inner.changed(**{name: value}), name)
                assert same(getattr(getattr(kind().changed(**{name: value}), kind.ALSO), name), kept)


# their schema


def meets(value: Any, schema: Mapping[str, Any]) -> bool:
    """Return whether a value meets a JSON schema, of the words that ours use."""
    tests: dict[str, Callable[[Any], bool]] = {
        "type": lambda x: any(_is(value, each) for each in ([x] if isinstance(x, str) else x)),
        "enum": lambda x: any(each == value and type(each) is type(value) for each in x),
        "anyOf": lambda x: any(meets(value, each) for each in x),
        "minimum": lambda x: not _is(value, "number") or value >= x,
        "maximum": lambda x: not _is(value, "number") or value <= x,
        "exclusiveMinimum": lambda x: not _is(value, "number") or value > x,
        "exclusiveMaximum": lambda x: not _is(value, "number") or value < x,
        "pattern": lambda x: not isinstance(value, str) or re.search(x, value) is not None,
        "items": lambda x: not isinstance(value, list) or all(meets(each, x) for each in value),
        "minItems": lambda x: not isinstance(value, list) or len(value) >= x,
        "maxItems": lambda x: not isinstance(value, list) or len(value) <= x,
        "uniqueItems": lambda x: not isinstance(value, list) or len(set(map(repr, value))) == len(value),
        "properties": lambda x: (
            not isinstance(value, dict) or all(meets(value[k], x[k]) for k in value if k in x)
        ),
        "propertyNames": lambda x: not isinstance(value, dict) or all(meets(key, x) for key in value),
        "additionalProperties": lambda x: (
            not isinstance(value, dict)
            or all(
                (x if isinstance(x, bool) else meets(value[k], x))
                for k in value
                if k not in schema.get("properties", ())
            )
        ),
        "description": lambda x: isinstance(x, str),
        "default": lambda x: True,
    }
    return all(tests[word](x) for word, x in schema.items())


def _is(value: Any, kind: str) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return {
        "null": value is None,
        "boolean": isinstance(value, bool),
        "string": isinstance(value, str),
        "number": number,
        "integer": number and value == int(value),
        "array": isinstance(value, list),
        "object": isinstance(value, dict),
    }[kind]


def as_json(value: Any) -> Any:
    """Return a value as JSON gives it back, or `print` if JSON does not know it."""
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError):
        return print


@each_kind
def test_the_schema_has_the_defaults(kind: type[Options]) -> None:
    schema = kind.schema()
    assert as_json(schema) is not print
    assert list(schema["properties"]) == list(kind.names())
    plain = as_json(kind().plain())
    assert meets(plain, schema) and meets({}, schema) and not meets({"nothing_like_it": 1}, schema)
    for name, part in schema["properties"].items():
        assert part["description"].endswith(".") and meets(as_json(part["default"]), part)
        assert part["default"] == plain[name] or as_json(part["default"]) == plain[name] or name == "passive"


UNTOLD = (2.0, 10**400, {"a": 10**400})
"""To JSON 2.0 is a whole number, and no number is too large."""


@each_field
def test_the_schema_knows_what_fits(kind: type[Options], name: str) -> None:
    part = kind.schema()["properties"][name]
    for _, options in accepted(kind, name):
        plain = as_json(options.plain()[name])
        assert plain is print or meets(plain, part)
    if {} in part.get("anyOf", [part.get("additionalProperties")]):
        return  # objects of classes, which JSON has none of
    for value in wrong(rules(kind)[name]):
        plain = as_json(value)
        if plain is not print and same(plain, value) and value not in UNTOLD:
            assert not meets(plain, part), plain


# their settings


def test_settings_of_a_file_are_the_same_options(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    for name in AnalyzeOptions.names():
        for _, options in accepted(AnalyzeOptions, name):
            if isinstance(options.mvc, float):
                continue  # in a file it is a table
            file.write_text(as_settings(options), encoding="utf-8")
            plain, again = (as_json(each.plain()) for each in (options, read_settings(file)["options"]))
            assert again == plain | {table: plain[table] or None for table in TABLES}, name


def as_settings(options: AnalyzeOptions) -> str:
    """Return options as a file of settings; what is None is left away, but for the low pass, where 0 is none."""
    plain = {name: value for name, value in options.plain().items() if value is not None}
    if options.lowpass is None:
        plain["lowpass"] = 0
    tables = {name: plain.pop(name) for name in TABLES if name in plain}
    lines = ["[analysis]", *(f"{name} = {toml_value(value)}" for name, value in plain.items())]
    for name, table in tables.items():
        lines += [f"[{name}]", *(f"{toml_key(key)} = {toml_value(value)}" for key, value in table.items())]
    return "\n".join(lines) + "\n"


def test_fields_of_options_are_those_of_the_dataclass() -> None:
    for kind in KINDS:
        assert tuple(each.name for each in fields(kind)) == kind.names()  # type: ignore[arg-type]
