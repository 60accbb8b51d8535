"""Runs without NaN: found, grouped and treated on their own; arguments that every function refuses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softstride.errors import InputError
from softstride.signals.inputs import as_signal, as_time, check_count, check_cutoff, check_positive
from softstride.signals.runs import contiguous_runs, map_runs

NAN = np.nan


def test_runs_by_hand():
    """Channel 0 and 2 share the run 1..3; channel 1 has two runs; channel 3 none."""
    x = np.array([[NAN, 0, NAN, NAN], [1, 1, 1, NAN], [2, NAN, 2, NAN], [NAN, 3, NAN, NAN]])
    found = {(run.start, run.stop): run.columns.tolist() for run in contiguous_runs(x)}
    assert found == {(0, 2): [1], (1, 3): [0, 2], (3, 4): [1]}
    assert [len(run) for run in contiguous_runs(x)] == [2, 2, 1]


@given(st.integers(0, 12), st.integers(0, 4), st.integers(0, 2**16))
def test_runs_cover_every_measured_sample_once(n_frames, n_columns, seed):
    rng = np.random.default_rng(seed)
    x = np.where(rng.random((n_frames, n_columns)) < 0.3, NAN, 1.0)
    count = np.zeros(x.shape, int)
    for run in contiguous_runs(x):
        count[run.start : run.stop, run.columns] += 1
        outside = [row for row in (run.start - 1, run.stop) if 0 <= row < n_frames]
        assert np.isnan(x[np.ix_(outside, run.columns)]).all()  # as long as possible
    assert np.array_equal(count, ~np.isnan(x))


def test_map_keeps_shape_and_gaps():
    x = np.arange(24.0).reshape(6, 2, 2)
    x[3, 1] = NAN
    result = map_runs(x, lambda samples: samples - samples[0])
    assert np.array_equal(result[:, 0, 0], 4.0 * np.arange(6))
    assert np.array_equal(result[:, 1, 1], [0, 4, 8, NAN, 0, 4], equal_nan=True)
    assert map_runs(np.empty((0, 3)), np.negative).shape == (0, 3)
    assert map_runs(np.empty((5, 0)), np.negative).shape == (5, 0)


def test_signals_are_copies():
    x = np.zeros(3)
    as_signal(x)[0] = 1.0
    assert x[0] == 0.0
    assert as_signal([1, 2, 3]).dtype == np.float64


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: as_signal(1.0), "time along axis 0"),
        (lambda: as_signal([1.0, np.inf]), "infinite at frame 1"),
        (lambda: as_signal([1j]), "real numbers"),
        (lambda: as_signal(["a"]), "real numbers"),
        (lambda: as_signal([[1.0], [1.0, 2.0]]), "real numbers"),
        (lambda: as_time([0.0, 1.0], 3), r"shape \(3,\)"),
        (lambda: as_time([0.0, NAN], 2), "NaN at frame 1"),
        (lambda: as_time([0.0, 1.0, 1.0], 3), "frame 2 is at 1 s"),
        (lambda: check_positive("rate", 0.0, "Hz"), "rate must be a finite number above zero"),
        (lambda: check_positive("rate", NAN, "Hz"), "above zero"),
        (lambda: check_positive("rate", np.inf, "Hz"), "above zero"),
        (lambda: check_positive("rate", "100", "Hz"), "above zero"),
        (lambda: check_positive("rate", None, "Hz"), "above zero"),
        (lambda: check_positive("rate", [100.0], "Hz"), "above zero"),
        (lambda: check_cutoff("cutoff", 50.0, 100.0), "below half the sampling rate, 50 Hz"),
        (lambda: check_count("order", 2.0, 1), "whole number of at least 1"),
        (lambda: check_count("order", True, 1), "whole number"),
        (lambda: check_count("order", 0, 1), "whole number"),
    ],
)
def test_refusals(call, words):
    with pytest.raises(InputError, match=words):
        call()
