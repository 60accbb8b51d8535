"""Plates while unloaded, body weight, doubts about feet."""

import numpy as np
import pytest

from softstride.capture.force import ExternalForce
from softstride.capture.plates import FeetDoubt
from softstride.capture.plates.doubts import Reason
from softstride.capture.quality import assess
from softstride.capture.quality.body_weight import body_weight
from softstride.capture.recording import Event, Recording, Subject
from softstride.notes import Note

RATE = 1000.0
WEIGHT = 70.0 * 9.80665


def step(n: int = 3000, offset: float = 0.0, drift: float = 0.0) -> np.ndarray:
    """One contact of 0.7 s on a plate that shows an offset, changing over the recording."""
    time = np.arange(n) / RATE
    s = (time - 1.0) / 0.7
    force = np.where((s > 0) & (s < 1), 800.0 * np.sin(np.pi * np.clip(s, 0, 1)) ** 2, 0.0)
    return force + offset + drift * time / time[-1] + np.random.default_rng(0).standard_normal(n)


def force_of(vertical: np.ndarray, name: str = "f", side: str | None = None) -> ExternalForce:
    force = np.zeros((len(vertical), 3))
    force[:, 1] = vertical
    time = np.arange(len(vertical)) / RATE
    return ExternalForce(name, time, force, np.zeros_like(force), np.zeros_like(force), side=side)


def test_a_plate_at_zero(plate) -> None:
    assert assess(Recording("a", plates=(plate(step()),))).findings == ()


@pytest.mark.parametrize("offset", [-20.0, 15.0, 200.0])
def test_an_offset_is_measured(plate, offset: float) -> None:
    findings = assess(Recording("a", plates=(plate(step(offset=offset)),))).about("plates")
    if offset > 100.0:  # nobody can tell it from a person who never steps off
        assert findings == ()
    else:
        assert [f.subject for f in findings] == ["plate 1"]
        assert findings[0].value == pytest.approx(offset, abs=0.5)  # noise of 1 N, mean of 50 samples


def test_a_drift_is_measured(plate) -> None:
    """Of +9 N over the recording, thirds of the unloaded blocks at both ends show 2.4 s / 3 s of it or less."""
    (finding,) = assess(Recording("a", plates=(plate(step(drift=9.0)),))).about("plates")
    assert "drifts" in finding.message
    assert 5.0 < finding.value < 9.0
    assert (finding.start, finding.stop) == (pytest.approx(0.0), pytest.approx(3.0))


def test_a_plate_that_somebody_stands_on_has_no_baseline(plate) -> None:
    standing = 450.0 + np.random.default_rng(0).standard_normal(3000)
    assert assess(Recording("a", plates=(plate(standing),))).findings == ()


def test_a_plate_without_numbers(plate) -> None:
    (finding,) = assess(Recording("a", plates=(plate(np.full(3000, np.nan)),))).errors
    assert finding.message == "no force was measured"


def test_weight_from_standing() -> None:
    sway = 3.0 * np.sin(2 * np.pi * 0.5 * np.arange(3000) / RATE)
    right, left = force_of(0.6 * WEIGHT + sway, "r", "right"), force_of(0.4 * WEIGHT + sway, "l", "left")
    weight = body_weight(Recording("a", forces=(right, left)))
    assert weight.value == pytest.approx(WEIGHT, rel=0.01)
    assert "standing" in weight.how


def test_weight_from_whole_strides(treadmill) -> None:
    """The synthetic stances average to the weight exactly; 1000 Hz and the threshold leave a few newtons."""
    weight = body_weight(treadmill(WEIGHT))
    assert weight.value == pytest.approx(WEIGHT, rel=0.005)
    assert weight.how == "mean over 2 whole strides"


@pytest.mark.parametrize(("mass", "severity"), [(70.0, "info"), (75.0, "warning"), (154.0, "error")])
def test_weight_against_the_subject(treadmill, mass: float, severity: str) -> None:
    recording = treadmill(WEIGHT).replace(subject=Subject(mass=mass))
    (finding,) = assess(recording).about("weight")
    assert finding.severity == severity
    assert finding.value == pytest.approx(100 * (70.0 / mass - 1.0), abs=0.5)


def test_a_missed_step_gives_no_weight(treadmill) -> None:
    """The right foot alone: its mean would be half a person."""
    recording = treadmill(WEIGHT)
    weight = body_weight(recording.replace(forces=recording.forces[:1]))
    assert np.isnan(weight.value)
    (finding,) = assess(recording.replace(forces=recording.forces[:1])).about("weight")
    assert (finding.severity, "cannot be told" in finding.message) == ("info", True)
    assert "body_weight_N" not in assess(recording.replace(forces=recording.forces[:1])).figures


def test_two_steps_overground_give_no_weight(treadmill) -> None:
    recording = treadmill(WEIGHT)
    once = [
        force_of(np.where((f.time > a) & (f.time < a + 0.7), f.force[:, 1], 0.0), f.name, f.side)
        for f, a in zip(recording.forces, (0.05, 0.6), strict=True)
    ]
    assert np.isnan(body_weight(recording.replace(forces=tuple(once))).value)


def test_one_foot_over_two_plates_is_one_contact(treadmill) -> None:
    recording = treadmill(WEIGHT)
    right, left = recording.forces
    heel = force_of(0.4 * right.force[:, 1], "plate 1", "right")
    toe = force_of(0.6 * right.force[:, 1], "plate 2", "right")
    assert body_weight(recording.replace(forces=(heel, toe, left))).value == pytest.approx(WEIGHT, rel=0.005)


def test_empty_plates_weigh_nobody() -> None:
    weight = body_weight(Recording("a", forces=(force_of(np.zeros(2000)),)))
    assert np.isnan(weight.value)
    assert weight.how == "nobody on the plates"


def test_an_unmeasured_double_support_gives_no_weight(treadmill) -> None:
    """Right, left, right on plates, but the left foot was on the floor when the first of them began."""
    recording = treadmill(WEIGHT)
    right, left = recording.forces
    once = np.where((left.time > 0.5) & (left.time < 1.5), left.force[:, 1], 0.0)
    cut = recording.replace(forces=(_first(right, 1.9), force_of(once, "left", "left")))
    assert np.isnan(body_weight(cut).value)


def test_events_tell_a_stride_that_ends_beside_the_plates(treadmill) -> None:
    """The left foot strikes at 0.65 s and 1.75 s, the second time on the floor; until then all is measured."""
    recording = treadmill(WEIGHT)
    right, left = recording.forces
    once = force_of(np.where(left.time < 1.5, left.force[:, 1], 0.0), "left", "left")
    cut = recording.replace(forces=(right, once))
    assert np.isnan(body_weight(cut.replace(forces=(once,))).value)
    events = (Event("strike", 0.65, "left"), Event("strike", 1.75, "left"))
    weight = body_weight(cut.replace(forces=(_first(right, 2.1), once), events=events))
    assert weight.value == pytest.approx(WEIGHT, rel=0.005)


def _first(force: ExternalForce, until: float) -> ExternalForce:
    return force_of(np.where(force.time < until, force.force[:, 1], 0.0), force.name, force.side)


def test_doubts_about_feet_become_findings() -> None:
    doubts = (
        FeetDoubt("plate 2", 0.50, 0.62, (Reason.of("both-on-plate", both_s=0.12),)),
        FeetDoubt("left: belt", 1.0, 60.0, (Reason.of("equally-near", apart_cm=2.0),), 50),
    )
    notes = (
        Note("plates.origin-reversed", "plate 1: ORIGIN puts the sensors 40 mm above the surface"),
        Note("feet.split-by-side", "feet: plate 1: split by side: 0.10 s to 0.40 s left", topic="feet"),
        "feet: plate 1: 0.50 s to 0.62 s: a sentence is not read",
        *(doubt.note for doubt in doubts),
    )
    first, second = assess(Recording("a", notes=notes)).findings
    assert (first.severity, first.topic, first.subject) == ("warning", "feet", "plate 2")
    assert (first.start, first.stop) == (0.50, 0.62)
    assert first.message == "both feet are on the plate for 0.12 s"
    assert (second.subject, second.message) == (
        "left: belt",
        "the two feet are equally near, 2 cm apart, 50 contacts",
    )
    assert (second.start, second.stop) == (1.0, 60.0)
