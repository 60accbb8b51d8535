"""`C3DFile` -> bytes, for every processor and storage.

The parameters of the file are written as they are, except where they contradict the arrays and names beside them:
those are made to agree. Floats hold 24 bits of each number; integers hold multiples of POINT:SCALE and of the scale
of a channel.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from softstride.capture.c3d.channels import Channels, find_channels
from softstride.capture.c3d.file import C3DFile
from softstride.capture.c3d.findings import Findings
from softstride.capture.c3d.header import BLOCK, MOST_EVENTS, Header, format_header
from softstride.capture.c3d.lookup import Lookup
from softstride.capture.c3d.numbers import NumberFormat
from softstride.capture.c3d.parameter_writer import format_parameters
from softstride.capture.c3d.settle import settle_groups, with_data_start

_PARAMETER_BLOCK = 2
_USE_REAL = 'write it with storage="real"'


def encode_c3d(file: C3DFile, path: str = "new C3D file") -> bytes:
    """Return the bytes of a C3D file, the inverse of `decode_c3d`.

    Args:
        file: What to write. A point with NaN in any coordinate is written as not measured.
        path: Its name, for messages.

    Returns:
        The whole file, a multiple of 512 bytes.

    Raises:
        CaptureError: If shapes do not agree, or the format cannot hold a count or a number.
    """
    findings = Findings(path)
    _check_shapes(file, findings)
    groups = settle_groups(file, findings)
    form = NumberFormat(file.processor)
    section = format_parameters(groups, file.group_headers, form, findings)
    n_blocks = -(-len(section) // BLOCK)
    data_start = _PARAMETER_BLOCK + n_blocks
    groups = with_data_start(groups, data_start)
    section = format_parameters(groups, file.group_headers, form, findings)
    section = section[:2] + bytes((min(n_blocks, 255),)) + section[3:]
    lookup = Lookup(groups, findings)
    scale = lookup.number("POINT", "SCALE") or 1.0
    header = Header(
        points=len(file.point_labels),
        analog_per_frame=len(file.analog_labels) * file.samples_per_frame,
        first=file.first_frame,
        last=file.first_frame + file.n_frames - 1,
        max_gap=file.max_gap,
        scale=scale,
        data_start=data_start,
        samples=file.samples_per_frame,
        rate=file.rate,
        events=file.header_events,
    )
    channels = find_channels(lookup, len(file.analog_labels))
    blocks = [_pack_points(file, abs(scale), findings), _pack_analog(file, channels, findings)]
    numbers = np.concatenate(blocks, axis=1)
    packed = form.pack_floats(numbers, path) if file.storage == "real" else form.pack_words(numbers)
    head = format_header(header, _PARAMETER_BLOCK, form) + _padded(section)
    return head + _padded(packed)


def _padded(part: bytes) -> bytes:
    return part + bytes(-len(part) % BLOCK)


def _check_shapes(file: C3DFile, findings: Findings) -> None:
    n, m, c = len(file.points), len(file.point_labels), len(file.analog_labels)
    expected: list[tuple[str, tuple[int, ...], tuple[int, ...]]] = [
        ("points", file.points.shape, (n, m, 3)),
        ("residuals", file.residuals.shape, (n, m)),
        ("cameras", file.cameras.shape, (n, m)),
        ("point_descriptions", (len(file.point_descriptions),), (m,)),
        ("analog_units", (len(file.analog_units),), (c,)),
    ]
    if c:
        expected.append(("analog", file.analog.shape, (n * file.samples_per_frame, c)))
    for name, shape, wanted in expected:
        if shape != wanted:
            raise findings.error(name, f"shape {shape}, expected {wanted}", "give all arrays the same frames")
    limits = [
        ("point_labels", m, 65535),
        ("analog", c * file.samples_per_frame, 65535),
        ("header_events", len(file.header_events), MOST_EVENTS),
        ("first_frame", file.first_frame, 2**31 - n),
        ("max_gap", file.max_gap, 65535),
    ]
    for name, count, most in limits:
        if not 0 <= count <= most:
            raise findings.error(name, f"{count}, where the format holds at most {most}", "write less")


def _pack_points(file: C3DFile, scale: float, findings: Findings) -> NDArray[Any]:
    """Return the points as stored, shape (n, 4 m): coordinates, then cameras and residual in one number."""
    n, m = file.residuals.shape
    missing: NDArray[np.bool_] = ~np.all(np.isfinite(file.points), axis=-1)
    residual = np.clip(np.where(missing, 0.0, np.nan_to_num(file.residuals)) / scale, 0.0, 255.0)
    numbers = np.empty((n, m, 4), np.float64 if file.storage == "real" else np.int16)
    coordinates = np.where(missing[..., None], 0.0, file.points)
    if file.storage == "integer":
        coordinates = np.rint(coordinates / scale)
        if coordinates.size and np.abs(coordinates).max() > 32767:
            raise findings.error("POINT:SCALE", f"{scale:g} is too small for the coordinates", _USE_REAL)
        residual = np.rint(residual)
    numbers[..., :3] = coordinates
    numbers[..., 3] = np.where(missing, -1.0, residual + 256.0 * (file.cameras & 0x7F))
    return numbers.reshape(n, 4 * m)


def _pack_analog(file: C3DFile, channels: Channels, findings: Findings) -> NDArray[Any]:
    """Return the raw numbers of the channels as stored, shape (n, k c); raw = value / factor + offset."""
    n, c = file.n_frames, len(file.analog_labels)
    if c == 0:
        return np.empty((n, 0), np.float64 if file.storage == "real" else np.int16)
    scaled = ~np.isnan(channels.factor)
    values = file.analog.reshape(n, file.samples_per_frame, c)
    raw = values / np.where(scaled, channels.factor, 1.0) + channels.offset
    raw[..., ~scaled] = 0.0
    if file.storage == "integer":
        raw = np.rint(raw)
        low, high = (0, 65535) if channels.unsigned else (-32768, 32767)
        if raw.size and not (raw.min() >= low and raw.max() <= high):
            raise findings.error(
                "ANALOG:SCALE", f"a value is missing or beyond {low} to {high} counts", _USE_REAL
            )
        raw = raw.astype(np.int64).astype(np.uint16).view(np.int16)
    return raw.reshape(n, -1)
