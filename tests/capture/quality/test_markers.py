"""Gaps, jitter, spikes, places and the unit: each fault planted once, the clean walker beside it."""

import numpy as np
import pytest

from softstride.capture.quality import assess
from softstride.capture.quality.jitter import noise_levels
from softstride.capture.series import Points


def test_the_clean_walker_has_nothing(walker) -> None:
    assert assess(walker).findings == ()


def test_figures_of_the_clean_walker(walker) -> None:
    figures = assess(walker).figures
    assert figures["missing_percent"] == 0.0
    # the median of 295 differences of 15 markers estimates 0.2 mm to a few percent
    assert figures["noise_mm"] == pytest.approx(0.2, rel=0.1)
    assert figures["extent_m"] == pytest.approx(1.40, abs=0.05)


def test_a_gap_is_found_with_its_length(with_markers) -> None:
    def cut(values, markers) -> None:
        values[50:80, markers.index("RKNE")] = np.nan
        values[200:205, markers.index("LTOE")] = np.nan

    quality = assess(with_markers(cut))
    (long,), (short,) = quality.about("gaps", "RKNE"), quality.about("gaps", "LTOE")
    assert (long.severity, long.start, long.stop) == ("warning", pytest.approx(0.50), pytest.approx(0.79))
    assert long.value == pytest.approx(100 * 30 / 301)
    assert "the longest 0.30 s" in long.message
    assert (short.severity, short.start) == ("info", pytest.approx(2.00))
    assert len(quality.findings) == 2
    assert quality.figures["missing_percent"] == pytest.approx(100 * 35 / (301 * 15))


def test_a_marker_never_seen(with_markers) -> None:
    quality = assess(with_markers(lambda v, m: v.__setitem__((slice(None), m.index("LKNE")), np.nan)))
    assert [f.subject for f in quality.findings] == ["LKNE"]
    assert quality.findings[0].message == "never seen"


def test_a_subject_out_of_sight_is_one_finding(with_markers) -> None:
    quality = assess(with_markers(lambda v, m: v.__setitem__(slice(0, 60), np.nan)))
    (finding,) = quality.findings
    assert (finding.severity, finding.subject, finding.stop) == ("info", "all markers", pytest.approx(0.59))


def test_computed_and_unlabelled_points_are_left_out(walker) -> None:
    values = np.full((len(walker.markers), 6, 3), np.nan)
    labels = ("*52", "V_Pelvis", "PELO", "PELA", "PELL", "PELP")
    markers = Points(
        walker.markers.time, walker.markers.labels + labels, np.append(walker.markers.values, values, axis=1)
    )
    assert assess(walker.replace(markers=markers)).findings == ()


def test_a_trembling_marker(with_markers) -> None:
    noise = 4e-3 * np.random.default_rng(1).standard_normal((301, 3))

    def shake(values, markers) -> None:
        values[:, markers.index("RANK")] += noise

    (finding,) = assess(with_markers(shake)).about("jitter")
    assert finding.subject == "RANK"
    assert finding.value == pytest.approx(4.0, rel=0.15)  # a median of 295 values


def test_noise_is_that_of_white_noise_and_not_of_motion() -> None:
    """A motion of 5 Hz and 50 mm at 100 Hz leaves (2 sin(pi 0.05))^6 50 mm / sqrt(2 · 924) = 1 µm in the estimate."""
    time = np.arange(2000) / 100.0
    motion = 0.05 * np.sin(2 * np.pi * 5.0 * time)
    smooth = np.repeat(motion[:, None, None], 3, axis=2)
    noisy = smooth + 1e-3 * np.random.default_rng(3).standard_normal(smooth.shape)
    assert noise_levels(Points(time, ("a",), smooth))[0] < 2e-6
    assert noise_levels(Points(time, ("a",), noisy))[0] == pytest.approx(1e-3, rel=0.05)


@pytest.mark.parametrize("size", [0.05, 0.5])
def test_a_spike_is_found_in_its_frame(with_markers, size: float) -> None:
    def spike(values, markers) -> None:
        values[123, markers.index("C7"), 1] += size

    (finding,) = assess(with_markers(spike)).about("spikes")
    assert (finding.subject, finding.start) == ("C7", pytest.approx(1.23))
    assert finding.value == pytest.approx(1e3 * size, rel=0.1)


def test_an_impact_is_no_spike(with_markers) -> None:
    """A kink of 1 m/s, as of a heel that hits the floor, bends the path by 10 mm a frame and stays."""

    def hit(values, markers) -> None:
        values[150:, markers.index("RHEE"), 1] += 0.01 * np.arange(151)

    assert assess(with_markers(hit)).about("spikes") == ()


def test_a_marker_far_away(with_markers) -> None:
    def throw(values, markers) -> None:
        values[30:33, markers.index("RTOE")] = 400.0

    (finding,) = assess(with_markers(throw)).about("places")
    assert (finding.severity, finding.subject) == ("error", "RTOE")
    assert (finding.start, finding.stop) == (pytest.approx(0.30), pytest.approx(0.32))
    assert finding.value == pytest.approx(400.0)


def test_a_marker_below_the_floor(with_markers) -> None:
    def sink(values, markers) -> None:
        values[100:120, markers.index("LHEE"), 1] = -0.3

    (finding,) = assess(with_markers(sink)).about("places")
    assert (finding.severity, finding.subject) == ("warning", "LHEE")
    assert finding.value == pytest.approx(0.3)


def test_the_floor_is_that_of_the_plates(with_markers, plate) -> None:
    def sink(values, markers) -> None:
        values[:, :, 1] -= 1.0

    lowered = with_markers(sink)
    (finding,) = assess(lowered).about("places")
    assert finding.subject == "most markers"
    below = plate(np.zeros(10)).rotated(np.eye(3))
    deep = type(below)(
        below.name, 2, below.corners - (0.0, 1.0, 0.0), below.rotation, below.time, below.wrench
    )
    assert assess(lowered.replace(plates=(deep,))).about("places") == ()


@pytest.mark.parametrize(("factor", "severity"), [(1e3, "error"), (1e-3, "error"), (4.0, "warning")])
def test_a_wrong_unit(with_markers, factor: float, severity: str) -> None:
    def scale(values, markers) -> None:
        values *= factor

    (finding,) = assess(with_markers(scale)).about("unit")
    assert finding.severity == severity
    assert ("factor of 1000" in finding.message) == (severity == "error")
