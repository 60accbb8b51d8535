"""Tables 1 to 3 of [Hybrid2026] in form, of the digital athlete, and the numbers of the paper beside them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softstride.cli.output import print_table
from softstride.dynamics.loads import Loads
from softstride.study.emg_comparison import EmgErrors, emg_errors
from softstride.study.study import Study

AXES = (("forward", 0), ("sideways", 2), ("up", 1))
"""The paper's x, y and z, and where they are in a world whose y is up."""

PAPER_GROUND = {"walking": (13.0, 12.0, 12.0), "running": (15.0, 20.0, 11.0)}
"""Means over its force plates in %, forward, sideways and up: one subject, another one."""

PAPER_MUSCLES = {"bflh_r": (7.5, 10.6, 10.4), "semiten_r": (8.8, 10.4, 12.3)}
MUSCLES = {
    "bflh_r": "biceps femoris, long head, amputated leg",
    "semiten_r": "semitendinosus, amputated leg",
    "bflh_l": "biceps femoris, long head, intact leg",
    "semiten_l": "semitendinosus, intact leg",
}
ORDINALS = ("1st", "2nd", "3rd")


def print_ground(study: Study, number: int) -> None:
    """Print table 1 or 2: the ground reaction without plates against plates, of each whole strike."""
    print_table(
        ("strike", "on", *(f"{axis}: N (%)" for axis, _ in AXES)),
        [*_ground_rows(study), _paper_row(study.name)],
        title=f"Table {number}. {study.name.capitalize()}: ground reaction without plates against plates, RMSE (rRMSE)",
        numbers=(2, 3, 4),
    )


def _ground_rows(study: Study) -> Iterable[tuple[str, ...]]:
    strikes = [] if study.validation is None else [each for each in study.validation if not each.partial]
    for i, strike in enumerate(strikes):
        cells = (f"{strike.rmse[k]:.1f} ({strike.rrmse[k]:.0f} %)" for _, k in AXES)
        yield (_ordinal(i), "blade" if strike.foot == "right" else "foot", *cells)
    if strikes:
        means = [float(np.mean([strike.rrmse[k] for strike in strikes])) for _, k in AXES]
        yield ("mean", "", *(f"{value:.0f} %" for value in means))


def _paper_row(gait: str) -> tuple[str, ...]:
    return ("paper, mean", "", *(f"{value:.0f} %" for value in PAPER_GROUND[gait]))


def print_muscles(study: Study) -> None:
    """Print table 3: muscle forces by optimisation against EMG, in each phase of single support."""
    errors = emg_errors(study)
    if errors is None:
        return
    sides = [phase.side for phase in errors.phases]
    print_table(
        ("muscle", *(f"{_ordinal(i)} ({side})" for i, side in enumerate(sides))),
        _muscle_rows(errors, paper=study.name == "running"),
        title=f"Table 3. {study.name.capitalize()}: muscle forces by optimisation against EMG in single support, RMSE, "
        "% of maximal force",
        numbers=range(1, len(sides) + 1),
    )


def _muscle_rows(errors: EmgErrors, paper: bool) -> Iterable[tuple[str, ...]]:
    n = len(errors.phases)
    for muscle, words in MUSCLES.items():
        if muscle in errors.errors:
            yield (words, *(f"{value:.1f}" for value in errors.errors[muscle]))
        if paper and muscle in PAPER_MUSCLES:
            cells = [f"{value:.1f}" for value in PAPER_MUSCLES[muscle]][:n]
            yield ("  the paper's runner", *cells, *[""] * (n - len(cells)))


def print_blades(studies: Iterable[Study]) -> None:
    """Print the force that the ground puts on the blade: by plates, without them, and by its deformation alone."""
    found = [(study.name, each) for study in studies for each in blade_figures(study).values()]
    print_table(
        ("trial", "plates, N", "without plates, N", "deformation alone, N"),
        [
            (
                name,
                f"{each['plates']:.0f}",
                f"{each['estimated']:.0f}",
                f"{each['peak']:.0f} ± {each['std']:.0f}",
            )
            for name, each in found
        ],
        title="Blade: peak of the upward force",
        numbers=(1, 2, 3),
    )


def blade_figures(study: Study) -> dict[str, dict[str, float]]:
    """Return peaks of the upward force on each blade [N]: "plates", "estimated", and "peak" with its "std".

    The last two are from the deformation alone, and its own standard deviation at the peak.
    """
    found = {}
    for link, blade in study.blades.items():
        if study.measured is None or study.estimated is None:
            continue
        plates = _upward(study.measured, link)
        own, std = np.asarray(blade.force)[:, 1], np.asarray(blade.std)[:, 1]
        top = int(np.nanargmax(np.where(plates > 0.0, own, -np.inf)))
        found[link] = {
            "plates": float(plates.max()),
            "estimated": float(_upward(study.estimated, link).max()),
            "peak": float(own[top]),
            "std": float(std[top]),
        }
    return found


def _upward(loads: Loads, link: str) -> NDArray[np.float64]:
    forces = [np.nan_to_num(each.force[:, 1]) for each in loads.wrenches.values() if each.link == link]
    return np.asarray(np.sum(forces, axis=0)) if forces else np.zeros(len(loads))


def demo_figures(study: Study) -> dict[str, Any]:
    """Return the numbers of the tables, flat: `running_strike1_rrmse_up_percent`, `running_bflh_r_phase1_percent`."""
    found: dict[str, Any] = {f"{study.name}_{key}": value for key, value in study.figures.items()}
    strikes = [] if study.validation is None else [each for each in study.validation if not each.partial]
    for i, strike in enumerate(strikes, 1):
        for axis, k in AXES:
            found[f"{study.name}_strike{i}_rmse_{axis}_N"] = float(strike.rmse[k])
            found[f"{study.name}_strike{i}_rrmse_{axis}_percent"] = float(strike.rrmse[k])
    for link, values in blade_figures(study).items():
        found |= {f"{study.name}_{link}_{key}_N": value for key, value in values.items()}
    errors = emg_errors(study)
    for muscle, row in ({} if errors is None else errors.errors).items():
        found |= {f"{study.name}_{muscle}_phase{i}_percent": value for i, value in enumerate(row, 1)}
    return found


def _ordinal(i: int) -> str:
    return ORDINALS[i] if i < len(ORDINALS) else f"{i + 1}th"
