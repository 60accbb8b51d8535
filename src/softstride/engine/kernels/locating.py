"""Which samples belong to which frames, by their instants."""

from __future__ import annotations

from softstride.engine.jit import kernel
from softstride.engine.kernels.tables import Array, IntArray


@kernel
def locate_frames(
    t: Array, time: Array, half: float, same: float, x: Array, at: IntArray, covered: Array, found: IntArray
) -> None:
    """Find the samples at t that belong to frames.

    ``x`` are the frames, moved to the first or the last sample where they are beyond; ``covered`` are those up to half
    a step beyond. If each has a sample at its own instant, found[0] is 1 and ``at`` has these samples, or else the ones
    before. found[1] and found[2] are the first and the last of them.
    """
    last = t.shape[0] - 1
    exact = True
    j = 0
    for k in range(time.shape[0]):
        x[k] = min(max(time[k], t[0]), t[last])
        covered[k] = t[0] - half - same <= time[k] <= t[last] + half + same
        # Frames mostly increase: the search goes on where it was, and begins anew only if time runs back.
        if x[k] < t[j]:
            j = 0
        while j + 1 < last and t[j + 1] <= x[k]:
            j += 1
        at[k] = j
        exact = exact and min(abs(x[k] - t[j]), abs(t[min(j + 1, last)] - x[k])) <= same
    found[0], found[1], found[2] = exact, last, 0
    for k in range(time.shape[0]):
        # The sample at the same instant may be the one before or the one after.
        if exact and at[k] < last and not x[k] - t[at[k]] < t[at[k] + 1] - x[k]:
            at[k] += 1
        found[1], found[2] = min(found[1], at[k]), max(found[2], at[k])
