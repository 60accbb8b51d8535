"""The first block of a C3D file: counts, rate, scale, where things are, and up to 18 events.

Source: The C3D File Format User Guide, "The C3D header section". Words are numbered from 1 there and in messages.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from softstride.capture.c3d.file import HeaderEvent
from softstride.capture.c3d.findings import Findings
from softstride.capture.c3d.numbers import CODES, NumberFormat, Processor
from softstride.capture.c3d.text import decode_text, fit_text

BLOCK = 512
MAGIC = 80
EVENT_KEY = 12345
MOST_EVENTS = 18
_NOT_C3D = "check that this is a C3D file and that it was transferred whole and as binary"


@dataclass(frozen=True)
class Header:
    """What the first block says; nothing of it is checked against the rest.

    Attributes:
        points: Points in a frame (word 2).
        analog_per_frame: Channels times samples in a frame (word 3).
        first: Number of the first frame (word 4).
        last: Number of the last frame (word 5).
        max_gap: Longest interpolated gap (word 6).
        scale: Scale of integers; negative for floats (words 7, 8).
        data_start: Block in which the data start, counting from 1 (word 9).
        samples: Analog samples in a frame (word 10).
        rate: Frames a second (words 11, 12).
        events: Events (words 150 to 234).
    """

    points: int
    analog_per_frame: int
    first: int
    last: int
    max_gap: int
    scale: float
    data_start: int
    samples: int
    rate: float
    events: tuple[HeaderEvent, ...]


def find_parameters(data: bytes, findings: Findings) -> tuple[int, NumberFormat]:
    """Return where the parameter section starts [bytes] and how the file writes numbers.

    Raises:
        CaptureError: If the bytes are no C3D file.
    """
    if len(data) < 2 * BLOCK:
        raise findings.error(
            "file", f"{len(data)} bytes, where header and parameters take at least {2 * BLOCK}", _NOT_C3D
        )
    if data[1] != MAGIC:
        raise findings.error("header byte 2", f"expected {MAGIC}, found {data[1]}", _NOT_C3D)
    start = (data[0] - 1) * BLOCK
    if not BLOCK <= start <= len(data) - BLOCK:
        raise findings.error(
            "header byte 1",
            f"parameters in block {data[0]}, in a file of {len(data) // BLOCK} blocks",
            _NOT_C3D,
        )
    code = data[start + 3]
    said = next((name for name, number in CODES.items() if number == code), None)
    plausible = [name for name in CODES if _is_plausible(data, NumberFormat(name))]
    if said is None and len(plausible) != 1:
        raise findings.error(
            "parameter section byte 4", f"processor {code}; it is 84 (Intel), 85 (DEC) or 86 (SGI)", _NOT_C3D
        )
    processor: Processor = said or plausible[0]
    if said not in plausible and len(plausible) == 1:
        processor = plausible[0]
        findings.note(
            "processor-by-header",
            f"parameter section byte 4 names processor {code}, but the header is only plausible as {processor}; "
            f"read as {processor}",
            processor,
            code=code,
        )
    return start, NumberFormat(processor)


def _is_plausible(data: bytes, form: NumberFormat) -> bool:
    """Whether scale and rate of the header are numbers of a sensible size."""
    scale, rate = abs(float(form.floats(data, 12, 1)[0])), float(form.floats(data, 20, 1)[0])
    return 1e-6 < scale < 1e4 and 1.0 <= rate <= 1e5


def read_header(data: bytes, form: NumberFormat, findings: Findings) -> Header:
    """Return the contents of the first block."""
    words = form.unsigned(data, 0, BLOCK // 2).tolist()
    return Header(
        points=words[1],
        analog_per_frame=words[2],
        first=words[3],
        last=words[4],
        max_gap=words[5],
        scale=float(form.floats(data, 12, 1)[0]),
        data_start=words[8],
        samples=words[9],
        rate=float(form.floats(data, 20, 1)[0]),
        events=_read_events(data, words[149], words[150], form, findings),
    )


def _read_events(
    data: bytes, key: int, count: int, form: NumberFormat, findings: Findings
) -> tuple[HeaderEvent, ...]:
    if count == 0:
        return ()
    if key != EVENT_KEY:
        line = f"header word 151 counts {count} events, but word 150 lacks their key; none is read"
        findings.note("header-events-without-key", line, events=count)
        return ()
    if count > MOST_EVENTS:
        line = f"header word 151 counts {count} events, at most {MOST_EVENTS} fit; none is read"
        findings.note("header-events-too-many", line, events=count)
        return ()
    events = []
    times = form.floats(data, 2 * 152, count).tolist()
    for i, time in enumerate(times):
        if not (math.isfinite(time) and abs(time) < 1e7):
            line = f"header event {i + 1} has no sensible time and is left out"
            findings.note("header-event-without-time", line, event=i + 1)
            continue
        raw = data[2 * 198 + 4 * i : 2 * 198 + 4 * i + 4]
        events.append(HeaderEvent(decode_text(raw).rstrip(" \0"), time, data[2 * 188 + i] == 0))
    return tuple(events)


def format_header(header: Header, parameter_block: int, form: NumberFormat) -> bytes:
    """Return the first block as bytes, the inverse of `read_header`. Counts beyond 65535 become 65535."""
    block = bytearray(BLOCK)
    block[0:2] = bytes((parameter_block, MAGIC))
    counts = (header.points, header.analog_per_frame, header.first, header.last, header.max_gap)
    block[2:12] = form.pack_words([min(count, 65535) for count in counts])
    block[12:16] = form.pack_floats(header.scale)
    block[16:20] = form.pack_words([header.data_start, header.samples])
    block[20:24] = form.pack_floats(header.rate)
    block[298:302] = form.pack_words([EVENT_KEY, len(header.events)])
    block[304 : 304 + 4 * len(header.events)] = form.pack_floats([event.time for event in header.events])
    for i, event in enumerate(header.events):
        block[376 + i] = 0 if event.shown else 1
        block[396 + 4 * i : 400 + 4 * i] = fit_text(event.label, 4)
    return bytes(block)
