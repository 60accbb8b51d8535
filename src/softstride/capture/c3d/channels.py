"""Scale and offset of each analog channel: value = (raw - offset) gen_scale scale."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from softstride.capture.c3d.file import INTEGER
from softstride.capture.c3d.lookup import Lookup

SMALLEST_FACTOR, LARGEST_FACTOR = 1e-18, 1e12
LARGEST_OFFSET = 1e9
LARGEST_SIGNED, LARGEST_UNSIGNED = 32767, 65535  # words of 16 bits


class Channels(NamedTuple):
    """How raw numbers become values.

    Attributes:
        offset: Raw number at zero, shape (c,).
        factor: gen_scale times scale, shape (c,), NaN for a channel whose scale is none.
        unsigned: Whether integers are stored without sign.
    """

    offset: NDArray[np.float64]
    factor: NDArray[np.float64]
    unsigned: bool


def find_channels(lookup: Lookup, count: int) -> Channels:
    """Return scale and offset of all channels.

    Args:
        lookup: The parameters; what is missing or senseless becomes a note.
        count: Number of channels c.

    Raises:
        CaptureError: If ANALOG:GEN_SCALE or an offset is no sensible number.
    """
    findings = lookup.findings
    unsigned = any(text.upper() == "UNSIGNED" for text in lookup.texts("ANALOG", "FORMAT"))
    if count == 0:
        return Channels(np.empty(0), np.empty(0), unsigned)
    general = lookup.numbers("ANALOG", "GEN_SCALE")
    if len(general) == 0:
        findings.note("gen-scale-missing", "ANALOG:GEN_SCALE is missing; 1 is used", "ANALOG:GEN_SCALE")
        general = np.ones(1)
    if not SMALLEST_FACTOR < abs(general[0]) < LARGEST_FACTOR:
        raise findings.error(
            "ANALOG:GEN_SCALE",
            f"{general[0]:g} is no scale",
            "set it to the volts of one count, or to 1",
        )
    scale = _filled(lookup, "SCALE", count, 1.0, unsigned)
    offset = _filled(lookup, "OFFSET", count, 0.0, unsigned)
    if not np.all(np.abs(offset) < LARGEST_OFFSET):
        bad = int(np.flatnonzero(~(np.abs(offset) < LARGEST_OFFSET))[0])
        raise findings.error(
            "ANALOG:OFFSET",
            f"{offset[bad]:g} for channel {bad + 1} is no offset",
            "set it to the raw number at zero",
        )
    factor = general[0] * scale
    bad_scale = ~((np.abs(factor) > SMALLEST_FACTOR) & (np.abs(factor) < LARGEST_FACTOR))
    if bad_scale.any():
        listed = ", ".join(str(i + 1) for i in np.flatnonzero(bad_scale)[:10])
        findings.note(
            "scale-senseless",
            f"ANALOG:SCALE is zero or no sensible number for {bad_scale.sum()} channels ({listed}); "
            "they are taken as not measured",
            "ANALOG:SCALE",
            channels=float(bad_scale.sum()),
        )
        factor = np.where(bad_scale, np.nan, factor)
    return Channels(offset, factor, unsigned)


def with_fitting_offsets(channels: Channels, raw: NDArray[Any], lookup: Lookup) -> Channels:
    """Return channels whose offsets are words of the kind that their raw numbers are.

    Raw numbers stored as floats show it: none below 0 and some above 32767 are words without a sign, and so is the
    offset of their zero, even where ANALOG:FORMAT is missing or says otherwise. -32768 is then 32768.

    Args:
        channels: As the parameters have them.
        raw: The numbers as stored, shape (n, k, c).
        lookup: The parameters; a changed offset becomes a note.
    """
    parameter = lookup.find("ANALOG", "OFFSET")
    negative = channels.offset < 0
    if raw.size == 0 or parameter is None or parameter.kind != INTEGER or not negative.any():
        return channels
    with np.errstate(invalid="ignore"):  # a NaN that signals
        least, most = raw.min(axis=(0, 1)), raw.max(axis=(0, 1))
    wrong = negative & (least >= 0) & (most > LARGEST_SIGNED) & (most <= LARGEST_UNSIGNED)
    if not wrong.any():
        return channels
    listed = ", ".join(str(i + 1) for i in np.flatnonzero(wrong)[:10])
    lookup.findings.note(
        "offset-without-sign",
        f"ANALOG:OFFSET is negative for {wrong.sum()} channels ({listed}) whose raw numbers have no sign: "
        "their offsets are read without sign",
        "ANALOG:OFFSET",
        channels=float(wrong.sum()),
    )
    return channels._replace(offset=np.where(wrong, channels.offset + LARGEST_UNSIGNED + 1, channels.offset))


def _filled(lookup: Lookup, name: str, count: int, default: float, unsigned: bool) -> NDArray[np.float64]:
    """Return one number for each channel; missing ones are the default, with a note."""
    given = lookup.numbers("ANALOG", name, unsigned=unsigned and name == "OFFSET")[:count]
    if len(given) < count:
        lookup.findings.note(
            "channels-without-number",
            f"ANALOG:{name} has {len(given)} numbers for {count} channels; {default:g} is used for the rest",
            f"ANALOG:{name}",
            numbers=len(given),
            channels=count,
        )
    return np.concatenate([given, np.full(count - len(given), default)])
