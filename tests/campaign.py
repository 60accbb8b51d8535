"""How far a test goes: a tenth by day, all of it in `make nightly`.

A campaign is a test that repeats itself over many seeds, trials, files or kills. Its numbers are told to `size`; what
has no small form carries the mark `nightly`.
"""

import os
from typing import TypeVar

from hypothesis import settings

Number = TypeVar("Number", int, float)

NIGHTLY = os.environ.get("SOFTSTRIDE_NIGHTLY", "") not in ("", "0")
"""Whether this run is `make nightly`: everything, from fresh seeds."""


def size(night: Number, day: Number) -> Number:
    """Return how far to go in this run."""
    return night if NIGHTLY else day


def examples(night: int) -> settings:
    """Return the settings of a property test: so many examples by night, a tenth of them by day."""
    return settings(max_examples=size(night, max(night // 10, 10)))
