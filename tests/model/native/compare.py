"""Whether two models are equal in every field and every bit."""

import dataclasses
import struct
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from softstride.notes import Note


def differences(a: Any, b: Any, place: str = "model") -> Iterator[str]:
    """Yield the places where two values differ: types, fields, order of tables, bits of numbers, signs of zeros."""
    if type(a) is not type(b):
        yield f"{place}: {type(a).__name__} and {type(b).__name__}"
    elif isinstance(a, Note):  # of which a file keeps the sentence
        yield from differences(str(a), str(b), place)
    elif dataclasses.is_dataclass(a):
        for field in dataclasses.fields(a):
            yield from differences(getattr(a, field.name), getattr(b, field.name), f"{place}.{field.name}")
    elif isinstance(a, np.ndarray):
        if a.dtype != b.dtype or a.shape != b.shape or a.tobytes() != b.tobytes():
            yield f"{place}: {a} and {b}"
        if a.flags.writeable or b.flags.writeable:
            yield f"{place}: writeable"
    elif isinstance(a, Mapping):
        if list(a) != list(b):
            yield f"{place}: keys {list(a)} and {list(b)}"
        else:
            for key in a:
                yield from differences(a[key], b[key], f"{place}[{key!r}]")
    elif isinstance(a, tuple):
        if len(a) != len(b):
            yield f"{place}: {len(a)} and {len(b)} items"
        for i, (x, y) in enumerate(zip(a, b, strict=False)):
            yield from differences(x, y, f"{place}[{i}]")
    elif isinstance(a, float):
        if struct.pack("<d", a) != struct.pack("<d", b):
            yield f"{place}: {a!r} and {b!r}"
    elif isinstance(a, (str, int, type(None))):
        if a != b:
            yield f"{place}: {a!r} and {b!r}"
    else:
        yield f"{place}: no comparison for {type(a).__name__}"
