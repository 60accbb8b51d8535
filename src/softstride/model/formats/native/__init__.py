"""The native model file: JSON text for all that a `Model` can hold, read back exactly."""

from softstride.model.formats.native.files import (
    MAX_BYTES,
    SCHEMA,
    format_native,
    parse_native,
    read_native,
    write_native,
)
from softstride.model.formats.native.parts import FORMAT, VERSION

__all__ = [
    "FORMAT",
    "MAX_BYTES",
    "SCHEMA",
    "VERSION",
    "format_native",
    "parse_native",
    "read_native",
    "write_native",
]
