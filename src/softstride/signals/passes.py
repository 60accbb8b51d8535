"""Runs a recursive filter over a signal, forward once, or forward and backward so that no phase is left.

Where a run of samples begins and ends the filter needs a past it never saw. For the zero-phase filter the run is
continued by odd (point) reflection, x(-k) = 2 x(0) - x(k), repeated where the run is short, until the slowest pole
has decayed below `SETTLED`; the filter starts there in its steady state. Values and slopes are continuous at the
ends, and a straight line passes unchanged. Runs of any length can thus be filtered.
"""

from __future__ import annotations

import numpy as np

from softstride.errors import InputError
from softstride.signals.inputs import FloatArray, check_count
from softstride.signals.runs import map_runs

# What is left of the unknown past at the first sample; roots of multiplicity four need the margin.
SETTLED = 1e-9
# A run shorter than this is reflected more than once; a longer one is reflected once at most.
LONGEST_REPEATED = 1000
# A pole nearer than this to the unit circle costs the gain at 0 Hz six digits (rounding over its square).
NEAREST_POLE = 1e-5


def split_order(order: int, passes: int) -> int:
    """Return the order of each pass, given the order of the whole filter.

    Args:
        order: Order after all passes.
        passes: 1 for a causal filter; 2 (or 4, 6, ...) for forward and backward, without phase.

    Returns:
        order / passes.

    Raises:
        InputError: If passes is neither 1 nor even, or does not divide the order.
    """
    check_count("order", order, 1)
    check_count("passes", passes, 1)
    if passes > 1 and passes % 2:
        raise InputError(
            f"passes must be 1 (causal) or even (forward and backward, no phase), however it is {passes}."
        )
    if order % passes:
        raise InputError(
            f"order is that of the whole filter and must be a multiple of its {passes} passes, however it is "
            f"{order}; two passes of a 2nd-order filter are order 4."
        )
    return order // passes


def filter_runs(x: FloatArray, sections: FloatArray, passes: int) -> FloatArray:
    """Run second-order sections over every run of a signal.

    Args:
        x: Samples, shape (n_frames, ...); NaN stays NaN.
        sections: Second-order sections of one pass, shape (n_sections, 6).
        passes: 1 or an even number.

    Returns:
        Filtered samples, the shape of x.
    """
    from scipy.signal import sosfilt, sosfilt_zi  # loads half of SciPy: when it is needed

    settling = _settling(sections)
    start = sosfilt_zi(sections)[:, None, :]

    def forward(rows: FloatArray) -> FloatArray:
        return sosfilt(sections, rows, axis=1, zi=start * rows[:, :1])[0]

    def filter_run(samples: FloatArray) -> FloatArray:
        rows = np.ascontiguousarray(samples.T)  # one channel after the other is how the recursion reads
        if passes == 1:
            return forward(rows).T
        n = rows.shape[1]
        pad = min(settling, max(n - 1, LONGEST_REPEATED))
        rows = np.pad(rows, ((0, 0), (pad, pad)), mode="reflect", reflect_type="odd")
        for _ in range(passes):
            rows = np.ascontiguousarray(forward(rows)[:, ::-1])
        return rows[:, pad : pad + n].T

    return map_runs(x, filter_run)


def _settling(sections: FloatArray) -> int:
    """Return the samples after which the slowest pole has decayed to `SETTLED`."""
    b, c = sections[:, 4].astype(complex), sections[:, 5]
    half = np.sqrt(b * b - 4.0 * c)
    slowest = float(np.max(np.abs(np.concatenate([half - b, -half - b])))) / 2.0
    if slowest > 1.0 - NEAREST_POLE:
        raise InputError(
            "the cutoff is too near 0 Hz or half the sampling rate for a recursive filter in double precision; "
            "move it, or for a very low one take every tenth sample first."
        )
    if slowest <= SETTLED:
        return 1
    return int(np.ceil(np.log(SETTLED) / np.log(slowest)))
