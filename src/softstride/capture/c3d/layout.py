"""Where the numbers of a frame are, and how many frames there are.

Header and parameters say it twice. Where they disagree, the length of the file decides: the data end within the last
block of 512 bytes. Where nothing that they say fits, the file is refused.

A frame has m points of four numbers, then k samples of c channels, each number of two (integer) or four (real) bytes.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from softstride.capture.c3d.file import Storage
from softstride.capture.c3d.header import BLOCK, Header
from softstride.capture.c3d.lookup import Lookup
from softstride.capture.c3d.plausible import is_rate, is_scale

_FITS, _LEAVES_BYTES, _CUT = 0, 1, 2


@dataclass(frozen=True)
class Layout:
    """The arrangement of the data.

    Attributes:
        storage: "integer" or "real".
        points: Points m in a frame.
        channels: Analog channels c.
        samples: Analog samples k in a frame.
        frames: Frames n.
        start: Where the data start [bytes].
    """

    storage: Storage
    points: int
    channels: int
    samples: int
    frames: int
    start: int

    @property
    def numbers(self) -> int:
        """Numbers in a frame."""
        return 4 * self.points + self.channels * self.samples

    @property
    def frame_bytes(self) -> int:
        """Length of a frame [bytes]."""
        return self.numbers * (4 if self.storage == "real" else 2)


def find_layout(header: Header, lookup: Lookup, parameters: tuple[int, int], data: bytes) -> Layout:
    """Return the arrangement that header, parameters and length of the file agree on best.

    Args:
        header: The first block.
        lookup: The parameters, and the notes on disagreement.
        parameters: Where the parameter section starts and ends [bytes].
        data: The whole file.

    Returns:
        The arrangement; all its numbers lie within the file.

    Raises:
        CaptureError: If nothing that header and parameters say fits the length.
    """
    findings, size = lookup.findings, len(data)
    points = _distinct(lookup.count("POINT", "USED"), header.points)
    channels = _channel_candidates(header, lookup)
    storages = _storages(header, lookup)
    starts = _starts(header, lookup, parameters, size)
    best: tuple[int, Layout] | None = None
    for m, (c, k), storage, start in itertools.product(points, channels, storages, starts):
        candidate = Layout(storage, m, c, k, 0, start)
        room = (parameters[0] if start < parameters[0] else size) - start
        quality, frames = _count_frames(candidate, data, room, _frame_claims(header, lookup))
        if best is None or quality < best[0]:
            best = quality, Layout(storage, m, c, k, frames, start)
    if best is None:  # the lists above are never empty
        raise findings.error("header", "no counts of points and channels", "write the file again")
    quality, layout = best
    sizes = {(m, c * k, storage) for m, (c, k), storage in itertools.product(points, channels, storages)}
    if quality != _FITS and len(sizes) > 1:
        said = ", ".join(f"{m} points and {a} analog values ({s})" for m, a, s in sorted(sizes))
        raise findings.error(
            "POINT:USED, ANALOG:USED and header words 2, 3, 10",
            f"they describe different frames ({said}) and none fits the {size} bytes of the file",
            "write the file again with counts that agree, or get the whole file",
        )
    _note_disagreement(layout, header, lookup, quality, size)
    return layout


def _distinct(*values: int | None) -> list[int]:
    return list(dict.fromkeys(value for value in values if value is not None))


def _storages(header: Header, lookup: Lookup) -> list[Storage]:
    """Return the storage by the sign of each plausible scale, that of the parameter first."""
    scales = [s for s in (lookup.number("POINT", "SCALE"), header.scale) if s is not None and is_scale(s)]
    if not scales:
        raise lookup.findings.error(
            "POINT:SCALE",
            f"{lookup.number('POINT', 'SCALE')} there and {header.scale} in the header are no scales",
            "set POINT:SCALE: positive for integers, negative for floats",
        )
    return list(dict.fromkeys("real" if scale < 0 else "integer" for scale in scales))


def _starts(header: Header, lookup: Lookup, parameters: tuple[int, int], size: int) -> list[int]:
    """Return the possible starts of the data [bytes]: whole blocks in the file, behind or before the parameters."""
    said = _distinct(lookup.count("POINT", "DATA_START"), header.data_start)
    starts = [(block - 1) * BLOCK for block in said]
    starts = [
        start
        for start in starts
        if BLOCK <= start <= size and (start < parameters[0] or start >= parameters[1])
    ]
    if not starts:
        raise lookup.findings.error(
            "POINT:DATA_START and header word 9",
            f"data in block {' or '.join(map(str, said))}, which is outside of the file or among its parameters",
            "write the file again, or get the whole file",
        )
    return starts


def _channel_candidates(header: Header, lookup: Lookup) -> list[tuple[int, int]]:
    """Return what channels and samples a frame may have, parameters before header."""
    used, total, samples = lookup.count("ANALOG", "USED"), header.analog_per_frame, header.samples
    analog_rate, rate = lookup.number("ANALOG", "RATE"), lookup.number("POINT", "RATE")
    rate = rate if rate is not None and is_rate(rate) else header.rate
    ratio = 0
    if analog_rate is not None and is_rate(analog_rate) and is_rate(rate):
        exact = analog_rate / rate
        ratio = round(exact) if exact < 65535.5 and abs(exact - round(exact)) < 1e-3 * exact else 0
    pairs: list[tuple[int, int]] = []
    if used is not None:
        pairs += [(used, k) for k in (ratio, samples) if k]
        if used and total and total % used == 0:
            pairs.append((used, total // used))
    pairs += [(total // k, k) for k in (samples, ratio) if k and total % k == 0]
    if not pairs:
        pairs.append((total, 1))
    # Four places speak of two numbers: what most of them say comes first.
    pairs.sort(key=lambda p: (p[0] != used) + (p[1] != ratio) + (p[1] != samples) + (p[0] * p[1] != total))
    return list(dict.fromkeys((c, k) if c else (0, 1) for c, k in pairs))


def _frame_claims(header: Header, lookup: Lookup) -> list[int]:
    """Return what the file says about the number of frames, counts beyond 16 bits first."""
    start, end = (
        lookup.long_count("TRIAL", "ACTUAL_START_FIELD"),
        lookup.long_count("TRIAL", "ACTUAL_END_FIELD"),
    )
    actual = end - start + 1 if start is not None and end is not None and end >= start else None
    claims = _distinct(lookup.count("POINT", "FRAMES"), lookup.count("POINT", "LONG_FRAMES"), actual)
    # The largest word stands for any frame beyond it, where another place knows of such a frame.
    if header.last != 65535 or not any(header.first + claim > 65535 for claim in claims):
        claims = _distinct(*claims[:1], (header.last - header.first + 1) % 65536, *claims[1:])
    return sorted(claims, key=lambda claim: claim <= 65535)


def _count_frames(layout: Layout, data: bytes, room: int, claims: list[int]) -> tuple[int, int]:
    """Return how well the claims fit the room for data, and the number of frames to read.

    Where frames are short, several counts end in the last block: more than the least is read if what it leaves is not
    all zero, as padding is.
    """
    if layout.frame_bytes == 0:
        return _FITS, 0
    whole = room // layout.frame_bytes
    if whole > 65535:  # a count of 16 bits that ran over
        claims = claims + [claim + (whole - claim) // 65536 * 65536 for claim in claims if claim <= 65535]
    fitting = [claim for claim in claims if 0 <= room - claim * layout.frame_bytes < BLOCK]
    if fitting:
        least, most = min(fitting), max(fitting)
        left = data[layout.start + least * layout.frame_bytes : layout.start + most * layout.frame_bytes]
        return _FITS, most if any(left) else least
    if 65535 in claims and whole > 65535:
        return _LEAVES_BYTES, whole
    for claim in claims:
        if 0 < claim <= whole:
            return _LEAVES_BYTES, claim
    return (_CUT if any(claims) else _LEAVES_BYTES), whole


def _note_disagreement(layout: Layout, header: Header, lookup: Lookup, quality: int, size: int) -> None:
    """Note each number in the file that the chosen arrangement contradicts; refuse a file without a whole frame."""
    findings = lookup.findings
    claims = _frame_claims(header, lookup)
    if quality == _CUT and layout.frames == 0:
        raise findings.error(
            "data section",
            f"{size - layout.start} bytes, less than one frame of {layout.frame_bytes}",
            "get the whole file",
        )
    n_block = layout.start // BLOCK + 1
    per_frame = layout.channels * layout.samples
    said: list[tuple[str, int | None, int]] = [
        ("POINT:USED", lookup.count("POINT", "USED"), layout.points),
        ("header word 2 (points)", header.points, layout.points),
        ("ANALOG:USED", lookup.count("ANALOG", "USED"), layout.channels),
        ("header word 3 (analog values a frame)", header.analog_per_frame, per_frame),
        ("POINT:DATA_START", lookup.count("POINT", "DATA_START"), n_block),
        ("header word 9 (block of the data)", header.data_start, n_block),
    ]
    if layout.channels:
        said.append(("header word 10 (analog samples a frame)", header.samples, layout.samples))
    for name, value, truth in said:
        if value is not None and value != truth:
            line = f"{name} says {value}, but the file is consistent with {truth}; read as {truth}"
            findings.note("count-wrong", line, name, said=value, read=truth)
    if layout.frame_bytes == 0:
        findings.note("empty", "the file holds neither points nor analog channels, so no frames")
        return
    short = {claim for claim in claims if claim != layout.frames and claim != min(layout.frames, 65535)}
    if quality == _CUT:
        line = f"the file is cut: {claims[0]} frames are announced, {layout.frames} whole ones are there and read"
        findings.note("cut", line, severity="warning", announced=claims[0], read=layout.frames)
    elif short:
        findings.note(
            "frames-wrong",
            f"the file announces {' or '.join(str(claim) for claim in sorted(short))} frames in one place, "
            f"but its length is consistent with {layout.frames}; read as {layout.frames}",
            read=layout.frames,
        )
    left = size - layout.start - layout.frames * layout.frame_bytes
    if quality == _FITS and left and size % BLOCK:
        findings.note(
            "bytes-added-or-lost",
            f"the file has {size} bytes, neither whole blocks of {BLOCK} nor whole frames: "
            "bytes were added or lost, so later frames may be wrong",
            severity="warning",
            bytes=size,
        )
    if quality == _LEAVES_BYTES:
        findings.note("bytes-left", f"{left} bytes behind the last announced frame are not read", bytes=left)
