"""Parameters -> bytes of the parameter section; `parameters` describes the records."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from softstride.capture.c3d.file import (
    BYTE,
    INTEGER,
    MOST_IN_A_DIMENSION,
    Group,
    GroupHeader,
    Groups,
    Parameter,
)
from softstride.capture.c3d.findings import Findings
from softstride.capture.c3d.numbers import CODES, NumberFormat
from softstride.capture.c3d.parameters import MOST_DIMENSIONS
from softstride.capture.c3d.text import encode_text, fit_text


def format_parameters(
    groups: Groups, headers: Mapping[str, GroupHeader], form: NumberFormat, findings: Findings
) -> bytes:
    """Return the parameter section as bytes, the inverse of `parse_parameters`.

    Args:
        groups: Parameters by group and name.
        headers: Description and lock of each group, where it has them.
        form: How the processor writes numbers.
        findings: Names the file in errors.

    Returns:
        The section with its header of four bytes (number of blocks left 0), not padded.

    Raises:
        CaptureError: If there are more than 127 groups, or a name or an array is too long for the format.
    """
    if len(groups) > 127:
        raise findings.error("parameter section", f"{len(groups)} groups, at most 127 fit", "leave some out")
    bodies: list[tuple[str, int, bool, bytes]] = []
    for number, (name, group) in enumerate(groups.items(), start=1):
        header = headers.get(name, GroupHeader())
        bodies.append((name, -number, header.locked, _packed_description(header.description)))
        bodies += _format_group(name, number, group, form, findings)
    section = bytearray((1, 80, 0, CODES[form.processor]))
    for i, (name, number, locked, body) in enumerate(bodies):
        raw = encode_text(name, len(name))
        if not 0 < len(raw) <= 127 or len(body) + 2 > 65535:
            raise findings.error(f"parameter {name!r}", "its name or its values are too long", "shorten it")
        length = -len(raw) if locked else len(raw)
        section += bytes((length & 0xFF, number & 0xFF)) + raw
        section += form.pack_words(len(body) + 2 if i + 1 < len(bodies) else 0) + body
    return bytes(section) + b"\0\0"


def _packed_description(text: str) -> bytes:
    raw = encode_text(text, len(text))
    if len(raw) > 255:
        raw = raw[:255].decode("utf-8", "ignore").encode()
    return bytes((len(raw),)) + raw


def _format_group(
    name: str, number: int, group: Group, form: NumberFormat, findings: Findings
) -> list[tuple[str, int, bool, bytes]]:
    bodies = []
    for key, parameter in group.items():
        dims, packed = _pack_values(parameter, form)
        if len(dims) > MOST_DIMENSIONS or max(dims, default=0) > MOST_IN_A_DIMENSION:
            raise findings.error(
                f"{name}:{key}", f"dimensions {dims}; a dimension holds at most 255", "split it into parts"
            )
        head = bytes((parameter.kind & 0xFF, len(dims), *dims))
        bodies.append(
            (key, number, parameter.locked, head + packed + _packed_description(parameter.description))
        )
    return bodies


def _pack_values(parameter: Parameter, form: NumberFormat) -> tuple[tuple[int, ...], bytes]:
    """Return dimensions and bytes; strings that outgrew their width make it wider."""
    if isinstance(parameter.values, tuple):
        width = parameter.dims[0] if parameter.dims else 1
        needed = max((len(encode_text(text, width)) for text in parameter.values), default=0)
        wider = min(max(width, needed), MOST_IN_A_DIMENSION)
        dims = (wider, *parameter.dims[1:]) if parameter.dims or wider > 1 else ()
        return dims, b"".join(fit_text(text, wider) for text in parameter.values)
    if parameter.kind == BYTE:
        return parameter.dims, parameter.values.astype(np.uint8).tobytes()
    if parameter.kind == INTEGER:
        return parameter.dims, form.pack_words(parameter.values)
    return parameter.dims, form.pack_floats(parameter.values)
