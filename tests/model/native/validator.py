"""As much of JSON Schema (draft 2020-12) as our schema uses; an unknown keyword is an error of the schema."""

from collections.abc import Iterator
from typing import Any

TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "number": (int, float),
    "integer": int,
}
REMARKS = {"$schema", "title", "description", "default", "$defs"}


def faults(value: Any, schema: dict[str, Any], root: dict[str, Any], place: str = "$") -> Iterator[str]:
    """Yield what is wrong with a document."""
    for keyword, wanted in schema.items():
        if keyword in REMARKS:
            continue
        yield from globals()[f"_{keyword.removeprefix('$')}"](value, wanted, schema, root, place)


def _ref(value, wanted, schema, root, place):
    yield from faults(value, root["$defs"][wanted.removeprefix("#/$defs/")], root, place)


def _type(value, wanted, schema, root, place):
    good = isinstance(value, TYPES[wanted]) and (wanted == "boolean" or not isinstance(value, bool))
    if not good:
        yield f"{place}: {value!r:.40} is no {wanted}"


def _const(value, wanted, schema, root, place):
    if value != wanted or type(value) is not type(wanted):
        yield f"{place}: {value!r:.40} is not {wanted!r}"


def _enum(value, wanted, schema, root, place):
    if value not in wanted:
        yield f"{place}: {value!r:.40} is none of {wanted}"


def _properties(value, wanted, schema, root, place):
    for key, inner in wanted.items():
        if isinstance(value, dict) and key in value:
            yield from faults(value[key], inner, root, f"{place}.{key}")


def _required(value, wanted, schema, root, place):
    for key in wanted:
        if isinstance(value, dict) and key not in value:
            yield f"{place}: {key} is missing"


def _additionalProperties(value, wanted, schema, root, place):
    for key in value if isinstance(value, dict) else ():
        if key not in schema.get("properties", {}):
            if wanted is False:
                yield f"{place}: {key} is not allowed"
            else:
                yield from faults(value[key], wanted, root, f"{place}.{key}")


def _items(value, wanted, schema, root, place):
    for i, item in enumerate(value if isinstance(value, list) else ()):
        yield from faults(item, wanted, root, f"{place}[{i}]")


def _minItems(value, wanted, schema, root, place):
    if isinstance(value, list) and len(value) < wanted:
        yield f"{place}: fewer than {wanted} items"


def _maxItems(value, wanted, schema, root, place):
    if isinstance(value, list) and len(value) > wanted:
        yield f"{place}: more than {wanted} items"


def _anyOf(value, wanted, schema, root, place):
    found = [list(faults(value, each, root, place)) for each in wanted]
    if all(found):
        yield f"{place}: fits none of {len(wanted)}: {min(found, key=len)}"


def _oneOf(value, wanted, schema, root, place):
    found = [list(faults(value, each, root, place)) for each in wanted]
    if sum(not each for each in found) != 1:
        yield f"{place}: fits {sum(not each for each in found)} of {len(wanted)}: {min(found, key=len)}"
