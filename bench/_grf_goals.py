"""Means of `grf_accuracy` over strikes and trials, and the goals they stand beside."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from softstride.dynamics.validation.validate import Validation

AXES = "xyz"
SELECTIONS = {False: "all", True: "whole"}
KEYS = ("rrmse", "floor", "floor_shared", "rrmse_corrected", "floor_corrected")

ABOVE_FLOOR = {"walking": {"x": 3.0, "z": 4.0}, "run_overground_bmc": {"x": 3.0, "y": 3.0, "z": 3.0}}
"""Points above the floor."""

AT_MOST = {"walking": {"y": 8.0}, "run_hamner_s01": {"x": 5.0, "y": 4.0, "z": 10.0}}
"""Per cent."""

PLACE = 25.0
"""Distance of the centres of pressure in single support [mm]."""

Row = Mapping[str, Any]


def mean_rows(found: Mapping[str, tuple[str, Validation]], whole: bool) -> dict[str, Row]:
    """Return means over strikes by trial, and over the trials of a group by its name.

    Args:
        found: Group and errors of each trial.
        whole: Leave out strikes that the trial cuts off, and trials that have no others.
    """
    rows: dict[str, Row] = {}
    for name, (_, checked) in found.items():
        if not (whole and all(each.partial for each in checked.strikes)):
            rows[name] = dict(checked.mean_of(whole=whole))
    trials = dict(rows)
    for group in dict.fromkeys(group for group, _ in found.values()):
        parts = [row for name, row in trials.items() if found[name][0] == group]
        if len(parts) > 1:
            rows[group] = {key: np.nanmean([part[key] for part in parts], axis=0) for key in parts[0]}
    return rows


def table(rows: Mapping[str, Row], title: str) -> Iterator[str]:
    """Yield the means as lines of text."""
    yield f"{title:<26}{'rRMSE % x, y, z (floor, shared floor)':<60}{'mass corrected (floor)':<42}COP mm, single"
    for name, row in rows.items():
        raw = zip(row["rrmse"], row["floor"], row["floor_shared"], strict=True)
        corrected = zip(row["rrmse_corrected"], row["floor_corrected"], strict=True)
        cells = "".join(f"{f'{x:.1f} ({f:.1f}, {s:.1f})':<20}" for x, f, s in raw)
        cells += "".join(f"{f'{x:.1f} ({f:.1f})':<14}" for x, f in corrected)
        yield f"{name:<26}{cells}{1e3 * row['cop']:.1f}, {1e3 * row['cop_single']:.1f}"


def lines(rows: Mapping[str, Row], words: str) -> Iterator[str]:
    """Yield what was asked for, what was reached, and whether that is missed."""
    for name, row in rows.items():
        for axis, points in ABOVE_FLOOR.get(name, {}).items():
            i = AXES.index(axis)
            for key, floor in (("floor", "floor"), ("floor_shared", "shared floor")):
                asked = f"{floor} {row[key][i]:.1f} + {points:g}"
                yield _line(f"{name}, {axis}, {words} strikes", row["rrmse"][i], asked, row[key][i] + points)
        for axis, most in AT_MOST.get(name, {}).items():
            i = AXES.index(axis)
            yield _line(f"{name}, {axis}, {words} strikes", row["rrmse"][i], "", most)
        if name in ABOVE_FLOOR or name in AT_MOST:
            yield _line(f"{name}, centre of pressure [mm]", 1e3 * row["cop_single"], "single support", PLACE)


def _line(label: str, value: float, asked: str, most: float) -> str:
    return (
        f"{label:<46}{value:6.1f}   target {most:4.1f} {asked:<26}{'MISSED' if value > most else ''}".rstrip()
    )


def figures(rows: Mapping[str, Row], end: str) -> dict[str, float]:
    """Return the means by name, each with `end` behind it."""
    found: dict[str, float] = {}
    for name, row in rows.items():
        for key in KEYS:
            found |= {f"{name}_{key}_{axis}{end}": float(x) for axis, x in zip(AXES, row[key], strict=True)}
        found |= {f"{name}_{key}_mm{end}": 1e3 * float(row[key]) for key in ("cop", "cop_single")}
    return found
