"""The JSON Schema of the native model file, made from the same descriptions as writer and reader."""

from __future__ import annotations

from typing import Any

from softstride.model.formats.native.docstrings import summary_of
from softstride.model.formats.native.layout import lay_out
from softstride.model.formats.native.parts import FORMAT, MODEL, VERSION

DIALECT = "https://json-schema.org/draft/2020-12/schema"
SCHEMA_NAME = f"{FORMAT}.schema.json"
"""What a model file calls its schema: an editor finds it under this name beside the file."""


def build_schema() -> dict[str, Any]:
    """Return the schema (draft 2020-12)."""
    definitions: dict[str, Any] = {}
    properties: dict[str, Any] = {
        "$schema": {"description": "Where an editor finds this schema.", "type": "string"},
        "format": {"description": "What the file is.", "const": FORMAT},
        "version": {"description": "Version of the format.", "const": VERSION},
    }
    properties |= MODEL.properties(definitions)
    return {
        "$schema": DIALECT,
        "title": "softstride model",
        "description": f"{summary_of(MODEL.made)} SI units and radians; world x forward, y up, z right.",
        "type": "object",
        "properties": properties,
        "required": ["format", "version", *MODEL.required],
        "additionalProperties": False,
        "$defs": dict(sorted(definitions.items())),
    }


def format_schema() -> str:
    """Return the text of schema.json."""
    return lay_out(build_schema())
