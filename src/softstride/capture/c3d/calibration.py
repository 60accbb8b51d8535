"""Frame rate, scale of the points and number of the first frame: said in the header and again in the parameters."""

from __future__ import annotations

import math

from softstride.capture.c3d.header import Header
from softstride.capture.c3d.layout import Layout
from softstride.capture.c3d.lookup import Lookup
from softstride.capture.c3d.plausible import is_rate, is_scale


def find_rate(layout: Layout, header: Header, lookup: Lookup) -> float:
    """Return frames a second: POINT:RATE, else the header's; where they disagree, what fits ANALOG:RATE.

    Raises:
        CaptureError: If no rate in the file can be one.
    """
    findings = lookup.findings
    said, analog = lookup.number("POINT", "RATE"), lookup.number("ANALOG", "RATE")
    from_analog = analog / layout.samples if analog is not None and layout.channels else None
    known = [rate for rate in (said, header.rate) if rate is not None and is_rate(rate)]
    if from_analog is not None and is_rate(from_analog):
        known = (
            [rate for rate in known if math.isclose(rate, from_analog, rel_tol=1e-4)]
            or known
            or [from_analog]
        )
    if not known:
        raise findings.error(
            "POINT:RATE",
            f"{said} there and {header.rate} in the header are no frame rates",
            "set POINT:RATE to the frames a second",
        )
    rate = known[0]
    for name, value in (("POINT:RATE", said), ("header words 11, 12 (rate)", header.rate)):
        if value is not None and not math.isclose(value, rate, rel_tol=1e-4):
            findings.note(
                "rate-not-used",
                f"{name} says {value:g} Hz; {rate:g} Hz is used",
                name,
                said_Hz=value,
                used_Hz=rate,
            )
    if analog is not None and from_analog is not None and not math.isclose(rate, from_analog, rel_tol=1e-4):
        used = rate * layout.samples
        findings.note(
            "analog-rate-not-used",
            f"ANALOG:RATE says {analog:g} Hz, but a frame holds {layout.samples} samples; {used:g} Hz is used",
            "ANALOG:RATE",
            said_Hz=analog,
            used_Hz=used,
        )
    return rate


def find_scale(layout: Layout, header: Header, lookup: Lookup) -> float:
    """Return the size of the scale of points: of POINT:SCALE where it fits the storage, else the header's."""
    said = lookup.number("POINT", "SCALE")
    sign = -1.0 if layout.storage == "real" else 1.0
    fitting = [s for s in (said, header.scale) if s is not None and is_scale(s) and s * sign > 0]
    scale = fitting[0]
    for name, value in (("POINT:SCALE", said), ("header words 7, 8 (scale)", header.scale)):
        if value is not None and not math.isclose(value, scale, rel_tol=1e-5):
            line = f"{name} says {value:g}; {scale:g} is used ({layout.storage} storage)"
            lookup.findings.note("scale-not-used", line, name, severity="warning", said=value, used=scale)
    return abs(scale)


def find_first_frame(header: Header, lookup: Lookup) -> int:
    """Return the number of the first frame, beyond 65535 from TRIAL:ACTUAL_START_FIELD."""
    actual = lookup.long_count("TRIAL", "ACTUAL_START_FIELD")
    if actual is None or actual == header.first:
        return header.first
    if actual > 65535 and (header.first == 65535 or actual % 65536 == header.first):
        return actual
    name = "TRIAL:ACTUAL_START_FIELD"
    line = f"{name} says {actual}, header word 4 says {header.first}; the header is used"
    lookup.findings.note("first-frame-not-used", line, name, said=actual, used=header.first)
    return header.first
