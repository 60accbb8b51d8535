"""Bytes of a C3D file -> `C3DFile`: every processor, integers and floats, and files that lie.

A file that contradicts itself is read by what its length allows, with a note; one that cannot be trusted raises
`CaptureError`. No count of the file is believed before it was held against the number of bytes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from softstride.capture.c3d.calibration import find_first_frame, find_rate, find_scale
from softstride.capture.c3d.channels import Channels, find_channels, with_fitting_offsets
from softstride.capture.c3d.file import C3DFile
from softstride.capture.c3d.findings import Findings
from softstride.capture.c3d.header import find_parameters, read_header
from softstride.capture.c3d.layout import Layout, find_layout
from softstride.capture.c3d.lookup import Lookup, padded, unique_names
from softstride.capture.c3d.numbers import NumberFormat
from softstride.capture.c3d.parameters import parse_parameters
from softstride.capture.c3d.point_kinds import point_kinds

LARGEST_COORDINATE = 1e9  # of any unit: a kilometre in micrometres
LARGEST_ANALOG = 1e12
LARGEST_WORD = 32767  # of residual and cameras: a signed word
UNSIGNED_MISSING = 65535  # -1, not measured, by a program that took the word for one without sign
MOST_SENSELESS = 0.1  # share of the numbers; beyond it the data are something else than the file says
PLATE_NUMBERS = ("USED", "TYPE", "ZERO", "CORNERS", "ORIGIN", "CHANNEL", "CAL_MATRIX")
_FIX = "check POINT:SCALE (negative only for floats) and the processor type, or get an undamaged copy"


def decode_c3d(data: bytes, path: str) -> C3DFile:
    """Return what the bytes of a C3D file hold.

    Args:
        data: The whole file.
        path: Its name, for messages.

    Returns:
        Points, analog channels and parameters in the units and axes of the file; `notes` says what was wrong.

    Raises:
        CaptureError: If the bytes are no C3D file, or cannot be trusted; names the field and what to do.
    """
    findings = Findings(path)
    start, form = find_parameters(data, findings)
    header = read_header(data, form, findings)
    section = parse_parameters(data, start, form, findings)
    lookup = Lookup(section.groups, findings)
    layout = find_layout(header, lookup, (start, section.end), data)
    rate = find_rate(layout, header, lookup)
    scale = find_scale(layout, header, lookup)
    channels = find_channels(lookup, layout.channels)
    m, c = layout.points, layout.channels
    point_units = lookup.texts("POINT", "UNITS")
    if m and not any(point_units):
        findings.note("units-missing", "POINT:UNITS is missing", "POINT:UNITS")
    given_labels = lookup.texts("POINT", "LABELS")
    computed = point_kinds(lookup.groups)
    is_position = np.array([label not in computed for label in padded(given_labels, m)], dtype=bool)
    for name in PLATE_NUMBERS:
        lookup.numbers("FORCE_PLATFORM", name)  # raises if text
    stored = _stored_numbers(data, layout, form)
    points, residuals, cameras = _decode_points(stored, layout, scale, is_position, form, findings)
    return C3DFile(
        processor=form.processor,
        storage=layout.storage,
        first_frame=find_first_frame(header, lookup),
        rate=rate,
        groups=section.groups,
        point_labels=unique_names(given_labels, m, "point", "POINT:LABELS", findings),
        point_descriptions=padded(lookup.texts("POINT", "DESCRIPTIONS"), m),
        point_units=next((unit for unit in point_units if unit), ""),
        points=points,
        residuals=residuals,
        cameras=cameras,
        analog=_decode_analog(stored, layout, channels, lookup),
        analog_labels=unique_names(lookup.texts("ANALOG", "LABELS"), c, "analog", "ANALOG:LABELS", findings),
        analog_units=padded(lookup.texts("ANALOG", "UNITS"), c),
        analog_rate=rate * layout.samples,
        header_events=header.events,
        notes=findings.notes(),
        group_headers=section.headers,
        max_gap=header.max_gap,
    )


def _stored_numbers(data: bytes, layout: Layout, form: NumberFormat) -> NDArray[Any]:
    """Return the numbers of all frames, shape (n, 4 m + k c), as stored."""
    count = layout.frames * layout.numbers
    if layout.storage == "real":
        numbers = form.floats(data, layout.start, count)
    else:
        numbers = form.words(data, layout.start, count)
    return numbers.reshape(layout.frames, layout.numbers)


def _decode_points(
    stored: NDArray[Any],
    layout: Layout,
    scale: float,
    is_position: NDArray[np.bool_],
    form: NumberFormat,
    findings: Findings,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.uint8]]:
    """Return coordinates, residuals and cameras.

    The fourth number of a point holds the cameras in its high byte and the residual, over the scale, in its low one;
    it is negative where the point was not measured. Floats may add a fraction to the residual. A position of
    exactly 0, 0, 0 was not measured either; an angle or a power may well be zero.
    """
    block = stored[:, : 4 * layout.points].reshape(layout.frames, layout.points, 4)
    points = np.empty((layout.frames, layout.points, 3))
    if layout.storage == "real":
        with np.errstate(invalid="ignore"):  # a NaN that signals
            points[...] = block[..., :3]
            fourth = block[..., 3].astype(np.float64)
        missing = _unmeasured(points, fourth, form, findings)
        fourth[missing] = 0.0
        masks = fourth.astype(np.int16) >> 8
        residuals = fourth
        residuals -= 256.0 * masks
    else:
        np.multiply(block[..., :3], scale, out=points, dtype=np.float64)
        missing = block[..., 3] < 0
        masks = np.where(missing, 0, block[..., 3]) >> 8
        residuals = (block[..., 3] & 0xFF).astype(np.float64)
    residuals *= scale
    at_origin = ~(block[..., :3] != 0).any(axis=-1) & ~missing & is_position
    if at_origin.any():
        count = int(at_origin.sum())
        line = f"{count} positions with a valid residual are exactly 0, 0, 0: taken as missing"
        findings.note("points-at-origin", line, points=count)
        missing |= at_origin
        masks[at_origin] = 0
    points[missing] = np.nan
    residuals[missing] = np.nan
    return points, residuals, masks.astype(np.uint8)


def _unmeasured(
    points: NDArray[np.float64], fourth: NDArray[np.float64], form: NumberFormat, findings: Findings
) -> NDArray[np.bool_]:
    """Return which points stored as floats were not measured, shape (n, m).

    What is said to be missing is not judged, nor is a point at 0, 0, 0. `fourth` is corrected in place where it is a
    word that was stored as it is.
    """
    missing: NDArray[np.bool_] = ~(fourth >= 0) | (fourth == UNSIGNED_MISSING)
    if (beyond := ~missing & (fourth > LARGEST_WORD)).any():
        fourth[beyond] = _words_stored_twice(fourth[beyond], form, findings)
        senseless = beyond & (fourth > LARGEST_WORD)
        _judge("residuals", senseless, findings, harmless=(points == 0).all(axis=-1))
        missing |= senseless
    if not points.size or (points.min() >= -LARGEST_COORDINATE and points.max() <= LARGEST_COORDINATE):
        return missing
    huge: NDArray[np.bool_] = (np.abs(points) > LARGEST_COORDINATE).any(axis=-1) & ~missing
    filled = huge & (points == points[..., :1]).all(axis=-1)
    if filled.any() and len(np.unique(points[filled])) == 1:
        count, value = int(filled.sum()), float(points[filled][0, 0])
        line = f"{count} points have {value:g} in all coordinates: taken as missing"
        findings.note("points-filled-with-one-number", line, points=count, value=value)
        missing |= filled
        huge &= ~filled
    _judge("coordinates", huge, findings)
    return missing | huge | np.isnan(points).any(axis=-1)


def _words_stored_twice(
    fourth: NDArray[np.float64], form: NumberFormat, findings: Findings
) -> NDArray[np.float64]:
    """Return fourth numbers, shape (p,), of which both halves are one word as that word; the others as they are.

    Such a program stored the bits of cameras and residual instead of a float of the same value: no camera mask of
    seven bits and no residual reads as 1.708e38, but the bits of 0x7F00, all cameras and no residual, twice.
    """
    halves = form.words(form.pack_floats(fourth), 0, 2 * len(fourth)).reshape(-1, 2)
    twice = (halves[:, 0] == halves[:, 1]) & (halves[:, 0] >= 0)
    if twice.any():
        count = int(twice.sum())
        line = f"cameras and residuals of {count} points are stored as words instead of floats: read as words"
        findings.note("residuals-as-words", line, points=count)
    return np.where(twice, halves[:, 0].astype(np.float64), fourth)


def _judge(
    what: str, senseless: NDArray[np.bool_], findings: Findings, harmless: NDArray[np.bool_] | bool = False
) -> None:
    """Note points without sense; refuse the file if those that are not harmless are many."""
    count = int(np.count_nonzero(senseless))
    if count == 0:
        return
    if np.count_nonzero(senseless & ~np.asarray(harmless)) > MOST_SENSELESS * senseless.size:
        raise findings.error(
            "data section", f"{what} of {count} of {senseless.size} points are far out of any range", _FIX
        )
    line = f"{what} of {count} points are far out of any range: taken as missing"
    findings.note(f"{what}-senseless", line, points=count)


def _decode_analog(
    stored: NDArray[Any], layout: Layout, channels: Channels, lookup: Lookup
) -> NDArray[np.float64]:
    """Return the values of all channels, shape (n k, c)."""
    block = stored[:, 4 * layout.points :]
    if channels.unsigned and layout.storage == "integer":
        block = block.view(np.dtype(block.dtype.str.replace("i", "u")))
    raw = block.reshape(layout.frames, layout.samples, layout.channels)
    if layout.storage == "real":
        channels = with_fitting_offsets(channels, raw, lookup)
    values: NDArray[np.float64] = np.empty((layout.frames, layout.samples, layout.channels))
    with np.errstate(invalid="ignore"):  # a NaN that signals
        if channels.offset.any():
            np.subtract(raw, channels.offset, out=values, dtype=np.float64)
            values *= channels.factor
        else:
            np.multiply(raw, channels.factor, out=values, dtype=np.float64)
    values = values.reshape(layout.frames * layout.samples, layout.channels)
    if values.size and not (values.min() >= -LARGEST_ANALOG and values.max() <= LARGEST_ANALOG):
        _remove_senseless(values, channels, lookup.findings)
    return values


def _remove_senseless(values: NDArray[np.float64], channels: Channels, findings: Findings) -> None:
    """Set samples that are no numbers, or far out of any range, to NaN, in place."""
    scaled = ~np.isnan(channels.factor)
    senseless = ~(np.abs(values) <= LARGEST_ANALOG) & scaled
    count, total = int(np.count_nonzero(senseless)), len(values) * int(scaled.sum())
    huge = int(np.count_nonzero(np.abs(values) > LARGEST_ANALOG))
    if huge > MOST_SENSELESS * total:
        raise findings.error(
            "data section", f"{huge} of {total} analog samples are far out of any range", _FIX
        )
    if count:
        line = f"{count} of {total} analog samples are no sensible numbers: taken as not measured"
        findings.note("samples-senseless", line, samples=count, of=total)
    values[senseless] = np.nan
