"""Run every check on a recording."""

from collections.abc import Callable

from softstride.capture.quality.analog import check_clipping, check_dead, check_hum
from softstride.capture.quality.bodily import bodily, check_infinite
from softstride.capture.quality.body_weight import GRAVITY, body_weight, check_body_weight
from softstride.capture.quality.clock import check_events, check_time
from softstride.capture.quality.collisions import check_collisions, check_frozen
from softstride.capture.quality.finding import Finding, Quality
from softstride.capture.quality.gaps import check_gaps, missing_percent
from softstride.capture.quality.jitter import check_noise, check_spikes, typical_noise
from softstride.capture.quality.places import check_extent, check_places, extent
from softstride.capture.quality.plates import check_plates
from softstride.capture.quality.remarks import check_notes
from softstride.capture.quality.sides import check_sides
from softstride.capture.quality.switches import check_switches
from softstride.capture.recording import Recording

Check = Callable[[Recording], list[Finding]]

CHECKS: tuple[Check, ...] = (
    check_time,
    check_extent,
    check_places,
    check_gaps,
    check_noise,
    check_spikes,
    check_collisions,
    check_frozen,
    check_dead,
    check_clipping,
    check_hum,
    check_plates,
    check_body_weight,
    check_notes,
    check_events,
)


def assess(recording: Recording) -> Quality:
    """Look for what is wrong with a recording; nothing in it is changed.

    Points that were computed or never labelled are left out: their faults are those of the markers.

    Args:
        recording: In SI units and world axes, as `read` gives it.

    Returns:
        What was found, errors first, and the figures behind it.
    """
    subject = bodily(recording)
    findings = [finding for check in CHECKS for finding in check(subject)]
    return Quality((*check_infinite(recording), *findings, *_labels(subject)), _figures(subject))


def _labels(recording: Recording) -> list[Finding]:
    """Find exchanged labels; a pair of both sides that exchanges in one frame is told once."""
    switches = check_switches(recording)
    told = {frozenset(finding.subject.split("/")) for finding in switches}
    sides = [
        f for f in check_sides(recording) if f.start is None or frozenset(f.subject.split("/")) not in told
    ]
    return sides + switches


def _figures(recording: Recording) -> dict[str, float]:
    weight = body_weight(recording).value
    figures = {
        "missing_percent": missing_percent(recording.markers),
        "noise_mm": typical_noise(recording.markers),
        "extent_m": extent(recording.markers.values),
        "body_weight_N": weight,
        "mass_from_forces_kg": weight / GRAVITY,
    }
    return {name: value for name, value in figures.items() if value == value}
