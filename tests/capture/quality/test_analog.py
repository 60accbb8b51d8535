"""Clipped and dead channels, and hum of the mains."""

import numpy as np
import pytest

from softstride.capture.quality import assess
from softstride.capture.quality.analog import hum_share
from softstride.capture.recording import Recording
from softstride.capture.series import Channels

RATE = 1000.0


def emg_like(seed: int = 2, seconds: float = 4.0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(round(seconds * RATE))


def test_a_clipped_channel(channel) -> None:
    values = 3.0 * np.sin(2 * np.pi * 3.0 * np.arange(4000) / RATE) + 0.01 * emg_like()
    assert assess(channel(values)).about("analog") == ()
    (finding,) = assess(channel(np.minimum(values, 2.5))).about("analog")
    assert (finding.severity, finding.subject) == ("warning", "ch1")
    assert "flat at its maximum, 2.5 V, 12 times" in finding.message
    # 3 sin passes 2.5 at asin(5/6)/(2 pi 3) = 52.3 ms of each period
    assert finding.start == pytest.approx(0.0523, abs=0.001)
    assert finding.value == pytest.approx(100 * (1 - 2 * np.arcsin(5 / 6) / np.pi) / 2, abs=0.5)


def test_clipping_below_and_of_a_plate(channel, plate) -> None:
    values = 500.0 * np.sin(2 * np.pi * np.arange(4000) / RATE) + emg_like()
    recording = channel(np.maximum(values, -450.0), label="Fz1")
    assert assess(recording).about("analog")[0].severity == "warning"
    (finding,) = assess(recording.replace(plates=(plate(np.zeros(4000)),))).errors
    assert "flat at its minimum, -450 V" in finding.message


@pytest.mark.parametrize(
    "values",
    [
        np.round(
            100.0 * np.sin(2 * np.pi * np.arange(4000) / RATE)
        ),  # a smooth peak of few digits is flat too
        np.where(np.arange(4000) % 500 < 30, 5.0, 0.0),  # a trigger
        np.maximum(emg_like(), 0.0),  # a channel that rests at its minimum
        np.where(np.arange(4000) < 60, 0.0, -500.0 - emg_like() ** 2),  # zeros where samples were left out
        np.round(20.0 * emg_like()),  # coarse counts of noise
    ],
    ids=["rounded", "trigger", "resting", "zeros", "counts"],
)
def test_what_looks_flat_but_is_not_clipped(channel, values: np.ndarray) -> None:
    assert not [f for f in assess(channel(values)).findings if "clipped" in f.message]


def test_a_dead_channel_matters_where_it_is_used(channel) -> None:
    constant = np.full(2000, 0.3)
    (unused,) = assess(channel(constant)).about("analog")
    (used,) = assess(channel(constant, emg=True)).about("analog")
    assert (unused.severity, used.severity) == ("info", "warning")
    assert "never changes" in used.message
    (absent,) = assess(channel(np.full(2000, np.nan))).about("analog")
    assert absent.message == "never measured"


@pytest.mark.parametrize("mains", [50.0, 60.0])
def test_hum_is_measured(channel, mains: float) -> None:
    """A sine of amplitude 1 has the power 1/2; white noise has 430 of 500 Hz of its power 1 in the band."""
    noise, hum = emg_like(seconds=10.0), np.sin(2 * np.pi * mains * np.arange(10_000) / RATE)
    (finding,) = assess(channel(noise + hum, emg=True)).about("emg")
    assert f"{mains:.0f} Hz" in finding.message
    assert finding.value == pytest.approx(100 * 0.5 / (0.5 + 0.86), abs=3.0)  # noise of the noise
    assert assess(channel(noise, emg=True)).findings == ()


def test_bursts_of_emg_do_not_hum() -> None:
    time = np.arange(4000) / RATE
    bursts = emg_like(4) * np.exp(-(((time % 1.1) - 0.4) ** 2) / 0.01)
    emg = Channels(time, ("TA",), bursts[:, None])
    assert hum_share(emg, 50.0)[0] < 0.05
    assert hum_share(emg, 60.0)[0] < 0.05


def test_short_and_slow_emg_is_left_alone() -> None:
    for n, rate in ((500, 1000.0), (500, 100.0)):
        emg = Channels(np.arange(n) / rate, ("TA",), np.ones((n, 1)) * np.arange(n)[:, None] % 2)
        assert assess(Recording("a", emg=emg)).findings == ()
