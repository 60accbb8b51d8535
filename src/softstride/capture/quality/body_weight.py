"""Body weight: what the plates say, how they say it, and whether it is that of the subject."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from softstride.capture.force import ExternalForce
from softstride.capture.quality.finding import Finding, Severity
from softstride.capture.quality.spans import GAUSSIAN, find_spans
from softstride.capture.recording import Recording
from softstride.capture.series import Floats

GRAVITY = 9.80665  # m/s², to turn weights into masses as scales do
CONTACT = 20.0  # N; the usual threshold of a plate
STANDING = 0.03  # of the weight; sway moves the vertical force by 1 %, a step by a third
LONG_ENOUGH = 0.5  # s of standing
WALKED = 0.1  # m; somebody who stands does not travel as far
ALWAYS_LOADED = 0.4  # of the weight; a walker's valley in mid-stance is at 0.6 or above
STEP = 0.1  # s; a shorter contact is a touch, not a step
SOMEBODY = 100.0  # N; less than the weight of any subject who walks alone
MISMATCH = 5.0  # %; clothes and shoes weigh 2 to 3 %
SEVERE = 25.0  # %; not clothes: another subject, pounds for kilograms, or half of the person beside the plate


@dataclass(frozen=True)
class Weight:
    """Body weight from measured forces: value in [N] (NaN if it cannot be told), and how it was found."""

    value: float
    how: str


def check_body_weight(recording: Recording) -> list[Finding]:
    """Compare the weight from the plates with the mass of the subject; say how it was found, or why not."""
    if not recording.forces:
        return []
    weight = body_weight(recording)
    if not np.isfinite(weight.value):
        return [Finding("info", "weight", "body weight", f"cannot be told from the forces: {weight.how}")]
    measured = weight.value / GRAVITY
    found = f"{weight.value:.0f} N = {measured:.1f} kg from the forces ({weight.how})"
    mass = recording.subject.mass
    if mass is None or not mass > 0.0:
        return [Finding("info", "weight", "body weight", found, value=weight.value, unit="N")]
    percent = 100.0 * (measured / mass - 1.0)
    message = f"{found}, {mass:.1f} kg in the file: {percent:+.1f} %"
    severity: Severity = (
        "error" if abs(percent) > SEVERE else "warning" if abs(percent) > MISMATCH else "info"
    )
    return [Finding(severity, "weight", "body weight", message, value=percent, unit="%")]


def body_weight(recording: Recording) -> Weight:
    """Find the body weight: the median force of standing, or the mean over whole strides.

    Over a whole number of steady strides the vertical momentum returns, so the mean vertical force is the weight,
    if every contact of both feet was measured: strikes of one foot with one strike of the other in between.

    Returns:
        The weight and how it was found.
    """
    forces = [force for force in recording.forces if force.force_in == "ground" and len(force.time) > 1]
    forces = [force for force in forces if (np.diff(force.time) > 0.0).all()]
    if not forces:
        return Weight(float("nan"), "no force in world axes on a forward clock")
    time, feet = _by_foot(forces)
    total = np.sum(list(feet.values()), axis=0)
    if not (total > SOMEBODY).any():
        return Weight(float("nan"), "nobody on the plates")
    return (
        _standing(recording, time, total)
        or _striding(time, feet, total)
        or _between_events(recording, time, total)
        or Weight(float("nan"), "neither quiet standing nor a whole stride with every contact of both feet")
    )


def _by_foot(forces: list[ExternalForce]) -> tuple[Floats, dict[str, Floats]]:
    """Return the vertical force on each foot over the common time; a force of unknown side is its own foot."""
    begin, end = max(f.time[0] for f in forces), min(f.time[-1] for f in forces)
    time = forces[0].time[(forces[0].time >= begin) & (forces[0].time <= end)]
    feet: dict[str, Floats] = {}
    for force in forces:
        vertical = np.interp(time, force.time, np.nan_to_num(force.force[:, 1]))
        foot = force.side or force.body or force.name
        feet[foot] = feet.get(foot, 0.0) + vertical
    return time, feet


def _standing(recording: Recording, time: Floats, total: Floats) -> Weight | None:
    level = float(np.median(total))
    sway = GAUSSIAN * float(np.median(np.abs(total - level)))
    steady = bool(np.quantile(np.abs(total - level), 0.95) < 3.0 * STANDING * level)
    if level < SOMEBODY or sway > STANDING * level or not steady or time[-1] - time[0] < LONG_ENOUGH:
        return None
    if _travel(recording.markers.values) > WALKED:
        return None
    return Weight(level, f"standing, median over {time[-1] - time[0]:.1f} s")


def _travel(values: Floats) -> float:
    """Return how far the markers seen in the first and in the last frame moved horizontally, median, in [m]."""
    if len(values) < 2:
        return 0.0
    way = np.linalg.norm((values[-1] - values[0])[:, [0, 2]], axis=1)
    way = way[np.isfinite(way)]
    return float(np.median(way)) if len(way) else 0.0


def _striding(time: Floats, feet: dict[str, Floats], total: Floats) -> Weight | None:
    """Average over strides from strike to strike of one foot, with one strike of the other in between.

    At each of these strikes the other foot must carry load (walking), or at none (running): where it carries load
    at some only, a contact was not measured.
    """
    strikes = sorted((row, foot) for foot, force in feet.items() for row in _strikes(time, force))
    supported = [bool(total[row] - feet[foot][row] > CONTACT) for row, foot in strikes]
    best = (0, 0)  # strides, first strike
    for i in range(len(strikes)):
        stop = i
        while stop + 1 < len(strikes) and supported[stop + 1] == supported[i]:
            foot, before = strikes[stop + 1][1], strikes[stop][1]
            if foot == before or (stop > i and foot != strikes[stop - 1][1]):
                break
            stop += 1
        best = max(best, ((stop - i) // 2, -i))
    strides, i = best[0], -best[1]
    return _mean(time, total, strikes[i][0], strikes[i + 2 * strides][0], strides) if strides else None


def _between_events(recording: Recording, time: Floats, total: Floats) -> Weight | None:
    """Average over a walking stride between two strikes of one foot that are known as events.

    If the sum of the measured forces never comes near zero in between, every contact was measured.
    """
    for side in ("right", "left"):
        rows = np.searchsorted(time, recording.events_of("strike", side))
        for first, last in pairwise(int(row) for row in rows if 0 < row < len(time)):
            found = _mean(time, total, first, last, 1) if last - first > 1 else None
            if found is not None and total[first : last + 1].min() > ALWAYS_LOADED * found.value:
                return found
    return None


def _mean(time: Floats, total: Floats, first: int, last: int, strides: int) -> Weight:
    part = slice(first, last + 1)
    mean = float(np.trapezoid(total[part], time[part]) / (time[last] - time[first]))
    return Weight(mean, f"mean over {strides} whole stride{'s' if strides > 1 else ''}")


def _strikes(time: Floats, force: Floats) -> list[int]:
    """Return the rows in which a foot meets the ground; a contact under way at the start has none."""
    _, first, last = find_spans(force > CONTACT)
    gap = np.concatenate([[np.inf], time[first[1:]] - time[last[:-1]]]) if len(first) else np.zeros(0)
    lasting = time[last] - time[first] >= STEP
    return [int(row) for row in first[lasting & (gap >= STEP) & (first > 0)]]
