"""Tables of extremes: of each quantity the right side beside the left one, every number with its error."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

from softstride.naming import SIDES
from softstride.report.curves import Curve, Panel
from softstride.report.html import table
from softstride.report.numbers import Number, Which, extreme
from softstride.report.strides import Strides

NOTHING = 1e-6
"""Share of the largest number of a row below which one is zero."""

HEADS = {"max": "largest", "min": "smallest", "range": "range", "mean": "mean"}


def peaks_table(
    panels: Iterable[Panel], which: tuple[Which, ...], strides: Strides, *, caption: str, name: str = ""
) -> str:
    """Return a table of extremes, right, left and the difference of the first one; columns without any are left out.

    Args:
        panels: A row each, of the curves that are called `name`; those without any are left out.
        which: The extremes.
        strides: The cycles.
        caption: Of the table; what errors are is added.
        name: Of the curves.
    """
    rows = []
    errors: set[Literal["spread", "error"]] = set()
    for panel in panels:
        own = [curve for curve in panel.curves if curve.name == name]
        if not own:
            continue
        pairs = [[_of_side(own, side, each, strides) for side in SIDES] for each in which]
        known = [number for pair in pairs for number in pair if number is not None]
        least = NOTHING * max((abs(number.value) for number in known), default=0.0)
        pairs = [[None if each is None else each.snapped(least) for each in pair] for pair in pairs]
        errors |= {number.kind for number in known if math.isfinite(number.error)}
        sided = all(curve.side is not None for curve in own)
        numbers = [*(number for pair in pairs for number in pair), apart(*pairs[0]) if sided else None]
        title = f"{panel.title} [{panel.unit}]" if panel.unit else panel.title
        rows.append([title, *("–" if number is None else str(number) for number in numbers)])
    if not rows:
        return ""
    columns = ["", *(f"{HEADS[each]}, {side}" for each in which for side in SIDES)]
    columns.append(f"{HEADS[which[0]]}, right − left")
    told = [i for i in range(len(columns)) if i == 0 or any(row[i] != "–" for row in rows)]
    return table(
        [columns[i] for i in told],
        [[row[i] for i in told] for row in rows],
        caption=f"{caption} {error_words(errors, strides)}",
        kind="numbers",
    )


def apart(right: Number | None, left: Number | None) -> Number | None:
    """Return how much more the right side has; its error is that of both. None where a side is not known."""
    if right is None or left is None or not (math.isfinite(right.value) and math.isfinite(left.value)):
        return None
    kind: Literal["spread", "error"] = "spread" if "spread" in (right.kind, left.kind) else "error"
    return Number(right.value - left.value, math.hypot(right.error, left.error), min(right.n, left.n), kind)


def error_words(kinds: set[Literal["spread", "error"]], strides: Strides) -> str:
    """Return what stands behind ± in a table."""
    counts = ", ".join(f"{strides.count(side)} {side}" for side in SIDES)
    words = []
    if "spread" in kinds:
        words.append(f"± 1 standard deviation over cycles ({counts})")
    if "error" in kinds:
        words.append(f"± 1 standard deviation of the {'error of a single cycle' if strides.any else 'error'}")
    if not words:
        return "Errors are not known."
    return f"{'; '.join(words)}."


def _of_side(curves: list[Curve], side: str, which: Which, strides: Strides) -> Number | None:
    for curve in curves:
        if curve.side in (None, side):
            number = extreme(replace(curve, side=side), which, strides)
            return number if math.isfinite(number.value) else None
    return None
