"""`softstride walk --model blade`: a leg on a running blade is dropped and pushes off, told and tabled."""

from __future__ import annotations

import time as clock
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from softstride.cli.output import print_lines, print_table
from softstride.cli.spelling import shell_words

if TYPE_CHECKING:
    from softstride.gait.hop import HopResult

Floats = NDArray[np.float64]

ROWS = (  # figure, words, unit, layout
    ("rise_m", "rise of the hip, top over landing", "m", ".3f"),
    ("contact_time_s", "time on the ground", "s", ".3f"),
    ("peak_vertical_force_bw", "largest upward force", "body weights", ".2f"),
    ("impact_loss_J", "lost in the landing", "J", ".2f"),
    ("stored_J", "stored in the blade at most", "J", ".1f"),
    ("returned_J", "returned by the blade until take-off", "J", ".1f"),
    ("return_percent", "returned over taken up", "%", ".1f"),
    ("joint_work_J", "net work of hip and knee", "J", ".1f"),
    ("energy_gap_J", "energy balance left open", "J", ".1e"),
    ("integrator_steps", "steps of the integrator", "", "d"),
)


def simulate_hop(
    drop: float | None, push: float | None, dt: float | Literal["auto"] | None
) -> tuple[HopResult, float]:
    """Return the hop of the packaged athlete's leg, and how long that took [s].

    Args:
        drop: Height of the fall [m].
        push: Moment of the knee [N m].
        dt: Fixed step [s]; "auto": steps by control of errors. None, of all three: as the library has it.
    """
    from softstride.gait.hop import hop

    start = clock.perf_counter()
    named = {"height": drop, "push": push, "dt": dt}
    given: dict[str, Any] = {name: value for name, value in named.items() if value is not None}
    if dt == "auto":
        given["dt"] = None
    return hop(**given), clock.perf_counter() - start


def hop_figures(result: HopResult, seconds: float) -> dict[str, Any]:
    """Return the figures of a hop; events in seconds from the start."""
    from softstride.gait.hop.phases import ENDED

    energy = result.energy
    early = next((note for note in result.motion.notes if note.code == ENDED), None)
    names = ("landing", "lowest", "take-off", "apex")
    return {
        "model": "blade",
        "mass_kg": result.leg.model.mass,
        "completed": result.completed,
        "reason": shell_words(early or ""),
        "events": {name.replace("-", "_"): result.events.get(name) for name in names},
        "duration_s": float(result.motion.time[-1]),
        "rise_m": result.rise,
        "contact_time_s": result.contact_time,
        "peak_vertical_force_bw": result.peak_force / hop_weight(result),
        "impact_loss_J": energy.impact_loss,
        "stored_J": energy.stored,
        "absorbed_J": energy.absorbed,
        "returned_J": energy.returned,
        "return_percent": 100.0 * energy.return_ratio,
        "joint_work_J": energy.joint_work,
        "energy_gap_J": energy.gap,
        "integrator_steps": int(result.statistics.steps),
        "notes": [shell_words(note) for note in result.motion.notes if note is not early],
        "seconds": seconds,
    }


def print_hop(figures: Mapping[str, Any]) -> None:
    """Print the tables of a hop, how it ended if it did, and what is doubtful about it."""
    events = [
        (name.replace("take_off", "take-off"), f"{at:.4f}")
        for name, at in figures["events"].items()
        if at is not None
    ]
    told = f"A leg on a running blade, {figures['mass_kg']:.1f} kg, dropped and pushed off"
    print_table(("event", "time [s]"), events, title=told, numbers=(1,))
    rows = [(words, format(figures[name], layout), unit) for name, words, unit, layout in ROWS]
    print_table(("hop", "value", "unit"), rows, numbers=(1,))
    lines = [] if figures["completed"] else [("ended", "bold red", figures["reason"])]
    lines += [("note", "bold yellow", note) for note in figures["notes"]]
    if lines:
        print_lines(lines)


def hop_columns(result: HopResult) -> dict[str, Floats]:
    """Return the frames of a hop as named columns: coordinates, ground force, energies."""
    columns = {"time": result.motion.time}
    for name in ("hip_x", "hip_y", "hip", "knee"):
        columns[name] = result.motion.coordinate(name)
    columns |= {"force_x": result.ground.force[:, 0], "force_y": result.ground.force[:, 1]}
    columns["contact_x"] = result.ground.point[:, 0]
    return columns | dict(result.energies)


def hop_weight(result: HopResult) -> float:
    """Return the weight on the leg [N]."""
    model = result.leg.model
    return model.mass * float(np.linalg.norm(model.gravity))
