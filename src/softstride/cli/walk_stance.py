"""`softstride walk --model planar-rolling` and `planar-spheres`: one stance of the planar walker, told and tabled."""

from __future__ import annotations

import time as clock
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from softstride.cli.output import print_lines, print_table
from softstride.cli.spelling import shell_words
from softstride.naming import LETTERS
from softstride.notes import Note

if TYPE_CHECKING:
    from softstride.gait.planar_walk import StanceResult

Floats = NDArray[np.float64]

NOTICED = 0.005
"""How far below the floor a swinging foot is told to be [m]."""

ROWS = (  # figure, words, unit, layout
    ("ankle_rms_deg", "ankle, simulated less reference, rms", "degrees", ".2f"),
    ("vertical_force_rrmse_percent", "upward force, the same, over its range", "%", ".1f"),
    ("peak_vertical_force_bw", "largest upward force", "body weights", ".2f"),
    ("least_force_N", "least upward force", "N", ".0f"),
    ("friction_margin_N", "friction that is left", "N", ".0f"),
    ("pelvis_force_N", "what holds the pelvis, rms", "N", ".0f"),
    ("constraint_drift", "largest drift of a constraint", "m or rad", ".1e"),
    ("energy_gap", "energy balance left open, over the largest energy", "", ".1e"),
    ("evaluations", "right-hand sides", "", "d"),
    ("integrator_steps", "steps of the integrator", "", "d"),
)


def simulate_stance(contact: str, exponent: float | None) -> tuple[StanceResult, float]:
    """Return the stance of the packaged walker, and how long that took [s]."""
    from softstride.gait.planar_walk import walk

    start = clock.perf_counter()
    given = {} if exponent is None else {"exponent": exponent}
    return walk(contact, **given), clock.perf_counter() - start  # type: ignore[arg-type]


def stance_figures(result: StanceResult, seconds: float) -> dict[str, Any]:
    """Return the figures of a stance; events are counted from heel strike [s]."""
    certificate, statistics, reference = result.certificate, result.statistics, result.reference
    weight = body_weight(result)
    below = swing_depth(result)
    sunk = []
    if below > NOTICED:
        words = (
            f"the foot that swings is driven along its reference and meets no floor: it passes {1e3 * below:.0f} mm "
            "below it at most; what the ground does to it is the force of the reference"
        )
        sunk.append(Note("feet.swing-below-floor", words, topic="feet", values={"depth_mm": 1e3 * below}))
    return {
        "model": f"planar-{result.contact}",
        "source": reference.source,
        "stance": LETTERS[reference.side],
        "completed": result.completed,
        "reason": result.ended,
        "events": stance_events(result),
        "from_s": float(result.motion.time[0] - reference.strike),
        "to_s": float(result.motion.time[-1] - reference.strike),
        "cycle_s": reference.cycle,
        "ankle_rms_deg": result.ankle_rms_deg,
        "vertical_force_rrmse_percent": _force_error(result),
        "peak_vertical_force_bw": float(result.ground.force[:, 1].max()) / weight,
        "least_force_N": certificate.least_force,
        "friction_margin_N": certificate.friction_margin,
        "pelvis_force_N": certificate.pelvis_force,
        "constraint_drift": certificate.constraint_drift,
        "energy_gap": certificate.energy_gap,
        "evaluations": int(statistics.evaluations),
        "integrator_steps": int(statistics.steps),
        "swing_foot_below_floor_m": below,
        "notes": [shell_words(note) for note in (*certificate.doubts, *sunk)],
        "seconds": seconds,
    }


def print_stance(figures: Mapping[str, Any]) -> None:
    """Print the tables of a stance, and how it ended if it did."""
    foot = "a foot that rolls" if figures["model"] == "planar-rolling" else "a foot on three spheres"
    print_lines(
        [("reference", "bold", figures["source"])], title=f"Planar walker, {figures['stance']} stance, {foot}"
    )
    events = [
        (name.replace("_", " "), f"{at:.4f}", f"{100.0 * at / figures['cycle_s']:.1f}")
        for name, at in figures["events"].items()
        if at is not None
    ]
    print_table(("event", "after heel strike [s]", "% of cycle"), events, numbers=(1, 2))
    rows = [(words, format(figures[name], layout), unit) for name, words, unit, layout in ROWS]
    print_table(("stance", "value", "unit"), rows, numbers=(1,))
    lines = [] if figures["completed"] else [("ended", "bold red", figures["reason"])]
    lines += [("note", "bold yellow", note) for note in figures["notes"]]
    if lines:
        print_lines(lines)


def stance_columns(result: StanceResult) -> dict[str, Floats]:
    """Return the frames of a stance as named columns: time from heel strike, angles, force, centre of pressure."""
    columns = {"time": result.motion.time - result.reference.strike, "tilt": result.tilt}
    for name in result.motion.model.coordinate_names:
        columns[name] = result.motion.coordinate(name)
    ground = result.ground
    return columns | {
        "force_x": ground.force[:, 0],
        "force_y": ground.force[:, 1],
        "centre_of_pressure": ground.point[:, 0],
    }


def body_weight(result: StanceResult) -> float:
    """Return the weight of the walker [N]."""
    model = result.motion.model
    return model.mass * float(np.linalg.norm(model.gravity))


def swing_depth(result: StanceResult) -> float:
    """Return how far the foot that swings is below the floor at most [m]; zero where it never is."""
    other = "l" if result.reference.side == "r" else "r"
    floor = float(np.nanmin(result.ground.point[:, 1]))
    return max(0.0, floor - float(result.sticks()[f"foot_{other}"][..., 1].min()))


def _force_error(result: StanceResult) -> float:
    """Return the root mean square difference of the upward force over the mean of both ranges [%]."""
    time, force = result.measured_force()
    if len(time) < 2:  # it ended before a second measured frame
        return float("nan")
    own = np.interp(time, result.motion.time, result.ground.force[:, 1])
    rms = float(np.sqrt(np.mean((own - force[:, 1]) ** 2)))
    return 200.0 * rms / float(np.ptp(own) + np.ptp(force[:, 1]))


def stance_events(result: StanceResult) -> dict[str, float | None]:
    """Return the events in the words of the seven-segment walker; None where one was not reached."""
    from softstride.gait.records import transition_names

    found = {
        f"{each.side}_{'toe_off' if each.label == 'off' else each.label.replace(' ', '_')}": each.time
        - result.reference.strike
        for each in result.motion.events
    }
    return {name: found.get(name) for name in transition_names(LETTERS[result.reference.side])}
