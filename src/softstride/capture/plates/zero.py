"""Which samples of a plate are its baseline: those that the file names, that the user names, or that it finds."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from softstride.capture.c3d.file import C3DFile
from softstride.capture.series import Floats
from softstride.errors import InputError
from softstride.notes import Note, Severity

ZeroBy = Literal["file", "unloaded"] | tuple[float, float]
PlateZero = ZeroBy | None

Rows = slice | NDArray[np.bool_]

# A person who stands still loads a plate as steadily as an offset does: below this the two are told apart [N].
QUIET = 20.0
# Least difference between loaded and unloaded, and longest wait in the baseline that proves it.
STEP, DWELL = 50.0, 0.05  # [N], [s]

GIVE_WINDOW = "give a window (t0, t1)"


def check_zero(zero: PlateZero) -> None:
    """Raise InputError unless `zero` is None, "file", "unloaded" or a window (t0, t1) with t0 < t1."""
    if zero is None or (isinstance(zero, str) and zero in ("file", "unloaded")):
        return
    if isinstance(zero, tuple) and len(zero) == 2:
        start, stop = zero
        if (
            isinstance(start, (int, float))
            and isinstance(stop, (int, float))
            and -np.inf < start < stop < np.inf
        ):
            return
    raise InputError(f'zero must be None, "file", "unloaded" or a window (t0, t1) in seconds, not {zero!r}')


def baseline_rows(file: C3DFile, time: Floats, pressing: Floats, zero: ZeroBy) -> tuple[Rows | None, Note]:
    """Return the samples that hold the baseline of a plate, or None, and a note on it.

    Args:
        file: The file.
        time: Time of each sample, shape (n,), in [s].
        pressing: Normal force on the subject with its offset, positive under load, shape (n,), in [N].
        zero: How to find them.
    """
    finite = np.isfinite(pressing)
    if not finite.any():
        return None, not_zeroed("its channels hold no numbers", "channels-empty")
    pressing = np.where(finite, pressing, np.median(pressing[finite]))
    if zero == "file":
        return _named_by_file(file, pressing)
    if zero == "unloaded":
        return _unloaded(pressing, file.analog_rate)
    rows = (time >= zero[0]) & (time <= zero[1])
    if not rows.any():
        said = f"no sample between {zero[0]:g} s and {zero[1]:g} s"
        return None, not_zeroed(said, "window-empty", span=zero)
    loaded = _warn_if_loaded(pressing, rows)
    said = f"zeroed on {zero[0]:g} s to {zero[1]:g} s{loaded and ', though ' + loaded}"
    severity: Severity = "warning" if loaded else "info"
    return rows, _zeroed(said, span=zero, severity=severity)


def not_zeroed(why: str, code: str, **facts: Any) -> Note:
    """Return the note on a plate that is not zeroed."""
    return Note(f"plates.not-zeroed-{code}", f"not zeroed: {why}", "warning", "plates", **facts)


def _zeroed(said: str, **facts: Any) -> Note:
    return Note("plates.zeroed", said, topic="plates", **facts)


def _named_by_file(file: C3DFile, pressing: Floats) -> tuple[Rows | None, Note]:
    """FORCE_PLATFORM:ZERO, first and last frame, counted as the file counts its frames; 1-0 and 0-0 mean none."""
    parameter = file.groups.get("FORCE_PLATFORM", {}).get("ZERO")
    frames = [] if parameter is None or parameter.is_text else parameter.counts().ravel().tolist()[:2]
    if len(frames) < 2 or not 0 <= frames[0] <= frames[1] or frames[1] == 0:
        return None, not_zeroed(f"FORCE_PLATFORM:ZERO names no frames ({frames})", "frames-unnamed")
    first, last = max(1, frames[0]), frames[1]
    values = {"first_frame": first, "last_frame": last}
    start = (first - file.first_frame) * file.samples_per_frame
    stop = (last + 1 - file.first_frame) * file.samples_per_frame
    if start < 0 or stop > len(pressing):
        said = f"frames {first} to {last} of FORCE_PLATFORM:ZERO are not all in the file"
        return None, not_zeroed(said, "frames-outside", values=values)
    rows = slice(start, stop)
    loaded = _warn_if_loaded(pressing, rows)
    if loaded:
        said = f"not zeroed on frames {first} to {last} of FORCE_PLATFORM:ZERO: {loaded}"
        return None, Note("plates.not-zeroed-loaded", said, "warning", "plates", values=values)
    return rows, _zeroed(f"zeroed on frames {first} to {last} of FORCE_PLATFORM:ZERO", values=values)


def _warn_if_loaded(pressing: Floats, rows: Rows) -> str:
    """Return why the plate seems loaded at these samples: more than at its least, or steadily more than STEP."""
    inside, lowest = float(np.mean(pressing[rows])), float(np.quantile(pressing, 0.02))
    if inside - lowest > STEP:
        return f"the plate carries {inside - lowest:.0f} N more there than at its least"
    if inside > max(STEP, 0.5 * (float(np.max(pressing)) - inside)):
        return f"the plate carries {inside:.0f} N there and hardly ever another load"
    return ""


def _unloaded(pressing: Floats, rate: float) -> tuple[Rows | None, Note]:
    """Find the samples with nobody on the plate.

    The least load that lasts is the baseline: its level is the 2 % quantile of the normal force smoothed over
    DWELL, and its samples are those whose smoothed force stays within a band around it (six times the noise, at
    least 3 N, at most half of STEP). It is refused where the plate never gets rid of its load: where the level
    is more than half of the range of the force, or where the force hardly changes and is not close to zero.
    """
    width = max(1, min(len(pressing), round(DWELL * rate)))
    smooth = np.convolve(pressing, np.full(width, 1.0 / width), mode="valid")
    level, top = float(np.quantile(smooth, 0.02)), float(smooth.max())
    if top - level < STEP:
        middle = float(np.median(smooth))
        if abs(middle) <= QUIET:
            return slice(None), _zeroed("zeroed on the whole recording: never loaded")
        said = f"a steady {middle:.0f} N may be offset or load"
        return None, not_zeroed(said, "steady", fix=GIVE_WINDOW, values={"load_N": middle})
    if abs(level) > 0.5 * (top - level):
        said = f"never unloaded, it always carries {level:.0f} N or more"
        return None, not_zeroed(said, "never-unloaded", fix=GIVE_WINDOW, values={"load_N": level})
    noise = float(np.median(np.abs(np.diff(pressing)))) if len(pressing) > 1 else 0.0
    band = min(max(3.0, 6.0 * noise), STEP / 2.0)
    calm = np.zeros(len(pressing), dtype=bool)
    # centre of each smoothing window, so that no sample of a step's first and last instants is taken
    calm[width // 2 : width // 2 + len(smooth)] = np.abs(smooth - level) <= band
    calm &= np.abs(pressing - level) <= 2.0 * band
    if calm.sum() < width:
        return None, not_zeroed("no unloaded stretch", "no-unloaded-stretch", fix=GIVE_WINDOW)
    lasting = float(calm.sum() / rate)
    return calm, _zeroed(f"zeroed on {lasting:.2f} s without load", values={"unloaded_s": lasting})
