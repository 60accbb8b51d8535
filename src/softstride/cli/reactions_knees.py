"""Compartments of knees in `softstride reactions`: what is asked, found and said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softstride.cli.peaks import instant, peak_of, shown
from softstride.errors import InputError
from softstride.naming import SIDES

if TYPE_CHECKING:
    from softstride.dynamics.loads import Loads
    from softstride.muscles.force_files import GivenForces
    from softstride.muscles.reactions import KneeContact

PARTS = ("total", "medial", "lateral")


def check_knees(sides: Sequence[str], width: float | None, out: Path | None) -> tuple[str, ...]:
    """Return the sides of --knee.

    Raises:
        InputError: A side that is none, twice the same one, or options of knees without a knee.
    """
    for side in sides:
        if side not in SIDES:
            raise InputError(f"--knee {side}: must be {' or '.join(SIDES)}")
    if len(set(sides)) < len(sides):
        raise InputError(f"--knee {sides[0]}: is given twice")
    if not sides and (width is not None or out is not None):
        raise InputError(
            "--knee-width and --knee-out are about a knee: give --knee right, --knee left, or both"
        )
    return tuple(sides)


def knee_forces(
    loads: Loads,
    pulls: GivenForces | None,
    sides: Sequence[str],
    width: float | None,
    threads: int,
) -> list[KneeContact]:
    """Return the forces of the compartments, whichever joints and axes the reactions themselves are asked for."""
    from softstride.model.leg import find_shank
    from softstride.muscles.reactions import joint_reactions, knee_contact

    if not sides:
        return []
    tibias = [find_shank(loads.model, side, None) for side in sides]
    found = joint_reactions(loads, pulls, joints=tibias, threads=threads)
    return [knee_contact(found, side, width=width) for side in sides]


def knee_figures(knees: Sequence[KneeContact], kind: str) -> dict[str, Any]:
    """Return peaks of the compartments [N], and frames in which one lifts off.

    Args:
        knees: The knees.
        kind: What the forces are, see `JointReactions.kind`.
    """
    figures: dict[str, Any] = {}
    for each in knees:
        for part in PARTS:
            figures[f"knee_{each.side}_{kind}_{part}_peak_n"] = peak_of(getattr(each, part))[0]
        figures[f"knee_{each.side}_lift_off_frames"] = int(np.count_nonzero(each.lifts_off.any(axis=1)))
    return figures


def knee_rows(knees: Sequence[KneeContact]) -> Iterator[tuple[str, ...]]:
    """Yield the lines of a table: knee, part, peak [N], [BW], when."""
    for each in knees:
        for part in PARTS:
            force, at = peak_of(getattr(each, part))
            share = (
                f"{force / each.body_weight:.2f}" if each.body_weight > 0.0 and np.isfinite(force) else "-"
            )
            yield each.side, part, shown(force), share, instant(each.time, at)
