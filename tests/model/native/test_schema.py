"""The schema that editors use says the same as the reader and the writer."""

import dataclasses
import inspect
import json
import math
from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import pytest
from tests.model.native.validator import faults
from tests.model.native.zoo import zoo

import softstride.model
from softstride.errors import ModelError
from softstride.model import Model, athlete
from softstride.model.formats.native import SCHEMA, format_native, parse_native
from softstride.model.formats.native import parts as described
from softstride.model.formats.native.records import Record, Union
from softstride.model.formats.native.schema import build_schema, format_schema

NOT_IN_FILES = {"Pieces", "Section"}  # made from what is in the file; made into segments


def records() -> list[Record]:
    """Every record of the format."""
    found: dict[int, Record] = {}

    def visit(codec: Any) -> None:
        if isinstance(codec, Union):
            for record in codec.records:
                visit(record)
        elif isinstance(codec, Record):
            if id(codec) not in found:
                found[id(codec)] = codec
                for inner in codec.codecs.values():
                    visit(inner)
        else:
            for name in ("_item", "_function"):
                if hasattr(codec, name):
                    visit(getattr(codec, name))

    visit(described.MODEL)
    return list(found.values())


def document(model: Model) -> dict[str, Any]:
    return json.loads(format_native(model))


def test_the_shipped_schema_is_the_present_one() -> None:
    """If this fails, write `format_schema()` to schema.json."""
    assert SCHEMA.read_text(encoding="utf-8") == format_schema()
    assert json.loads(format_schema()) == build_schema()


@pytest.mark.parametrize("record", records(), ids=lambda record: record.title)
def test_every_field_is_written(record: Record) -> None:
    fields = [field.name for field in dataclasses.fields(record.made)]
    assert sorted(record.codecs) == sorted(fields)
    if record.made is not Model:
        entry = build_schema()["$defs"][record.title]
        assert set(entry["properties"]) == set(record.keys)


def test_every_dataclass_of_a_model_is_described() -> None:
    """A part that is added to the model room and forgotten here would be lost in files."""
    known = {record.made for record in records()}
    bases = {base for made in known for base in made.__mro__}
    reachable = set()
    for module in iter_modules(softstride.model.__path__, "softstride.model."):
        if module.ispkg or module.name.rpartition(".")[2] not in PARTS:
            continue
        for _, made in inspect.getmembers(import_module(module.name), inspect.isclass):
            if dataclasses.is_dataclass(made) and made.__module__ == module.name:
                reachable.add(made)
    assert {made.__name__ for made in reachable - bases} <= NOT_IN_FILES
    assert len(reachable) > 40


PARTS = (
    "actuator",
    "contact_shape",
    "coordinate",
    "frame",
    "functions",
    "inertia",
    "joints",
    "link",
    "model",
    "muscle",
    "path",
    "rod",
    "section",
)


def keys_of(value: Any) -> Iterator[tuple[str, str]]:
    """Yield (kind, key) of all objects in a document."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield str(value.get("kind", "")), key
            yield from keys_of(item)
    elif isinstance(value, list):
        for item in value:
            yield from keys_of(item)


def test_the_zoo_uses_every_key() -> None:
    """So what is shown for the zoo is shown for all that can be written."""
    used = set(keys_of(document(zoo())))
    for record in records():
        for key in record.codecs:
            kind = record.kind if record.kind_shown else ""
            assert (kind, key) in used or key == "name", f"{record.title}.{key}"


@pytest.mark.parametrize(
    "model", [athlete(), athlete(False), zoo(1), zoo(2)], ids=lambda model: model.name[:20]
)
def test_what_is_written_is_valid(model: Model) -> None:
    assert list(faults(document(model), build_schema(), build_schema())) == []


def test_opensim_models_are_valid(shared_data) -> None:
    osim = pytest.importorskip("softstride.model.formats.osim")
    if not hasattr(osim, "read_osim"):
        pytest.skip("no reader of .osim files")
    (file,) = shared_data.rglob("gait2354_simbody.osim")
    assert list(faults(document(osim.read_osim(file)), build_schema(), build_schema())) == []


def places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to every value inside a document."""
    if place:
        yield place
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*place, key))


def changed(text: str, place: tuple[Any, ...], value: Any) -> dict[str, Any]:
    result = json.loads(text)
    here = result
    for key in place[:-1]:
        here = here[key]
    if value is ...:
        del here[place[-1]]
    else:
        here[place[-1]] = value
    return result


@pytest.mark.slow
@pytest.mark.parametrize("count", [25, pytest.param(400, marks=pytest.mark.nightly)])
def test_the_reader_refuses_what_the_schema_refuses(count: int) -> None:
    """Whatever one changed value makes invalid by the schema, the reader refuses too; it may refuse more."""
    text, schema = format_native(zoo()), build_schema()
    every = list(places(json.loads(text)))
    refused = 0
    for place in every[:: max(1, len(every) // count)]:
        for value in (..., None, True, -1.5, "text", [], {}, {"kind": "fixed"}):
            document = changed(text, place, value)
            if not list(faults(document, schema, schema)):
                continue
            refused += 1
            with pytest.raises(ModelError):
                parse_native(json.dumps(document).encode())
    assert refused > 3 * count


def test_descriptions_come_from_the_docstrings() -> None:
    schema = build_schema()
    assert schema["$defs"]["Muscle"]["properties"]["max_force"]["description"].endswith("[N].")
    assert schema["$defs"]["WrapTorus"]["properties"]["link"]["description"] == "Name of the link."
    bare = [
        f"{name}.{key}"
        for name, entry in schema["$defs"].items()
        for key, inner in entry.get("properties", {}).items()
        if "description" not in inner and "const" not in inner
    ]
    functions = {"Constant", "Linear", "Polynomial", "PiecewiseLinear", "SimmSpline", "Scaled", "Term"}
    assert {name.partition(".")[0] for name in bare} <= functions  # these say it as an equation


def test_no_default_is_out_of_range() -> None:
    """JSON Schema has no infinities: defaults of that kind are words."""
    assert build_schema()["$defs"]["Coordinate"]["properties"]["lower"]["default"] == "-inf"
    assert math.isinf(parse_native(format_native(athlete()).encode()).coordinates["left_hand.x"].lower)
