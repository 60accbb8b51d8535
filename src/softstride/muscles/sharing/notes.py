"""What is worth saying about shared forces: moments that cannot be made, muscles at limits, frames without loads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.loads import CONJUGATE
from softstride.kinematics.frames import spans
from softstride.kinematics.motion_table import describe_columns
from softstride.model.checks import names_hint
from softstride.notes import Note

if TYPE_CHECKING:
    from softstride.muscles.sharing.program import Program

Array = NDArray[np.float64]

TOPIC = "muscles"
"""What most of these notes are about."""

NOTICED = 0.05
"""Part of the largest moment about a coordinate that its reserve may take before it is noted."""

LEAST = 1.0
"""Reserve that is never noted [N·m] or [N]."""

MISSED = 1e-6
"""Part of the largest moment about a coordinate without reserve that may be missing before it is noted."""


def sharing_notes(program: Program, found: dict[str, Any]) -> tuple[Note, ...]:
    """Return one note for each thing that was decided or went wrong."""
    return (
        *_criterion(program),
        *_frames(program, found),
        *_moments(program, found),
        *_muscles(program),
    )


def _criterion(program: Program) -> Iterator[Note]:
    options = program.options
    what = "activations" if options.effort == "activation" else "tensions over maximal forces"
    tendon = "rigid tendons" if options.tendon == "rigid" else "elastic tendons"
    passive = "with passive forces" if options.passive else "without passive forces"
    weighted = (
        ""
        if not len(options.weights)
        else ", weighted by " + ("volume" if isinstance(options.weights, str) else "muscle")
    )
    yield Note(
        "sharing.criterion",
        f"minimised: sum of {what} to the power {options.power}{weighted}, {tendon}, {passive}, "
        f"{len(program.rows.names)} coordinates",
        topic=TOPIC,
        values={"power": options.power, "coordinates": len(program.rows.names)},
    )
    backed = int((program.rows.reserve > 0.0).sum())
    if backed:
        sizes = np.unique(program.rows.reserve[program.rows.reserve > 0.0])
        said = f"{sizes[0]:g}" if len(sizes) == 1 else f"{sizes[0]:g} to {sizes[-1]:g}"
        yield Note(
            "sharing.reserves",
            f"{backed} coordinates have a reserve of optimal force {said} N·m or N",
            topic=TOPIC,
            values={"coordinates": backed, "least": float(sizes[0]), "most": float(sizes[-1])},
        )
    if options.tendon == "elastic":
        yield Note(
            "sharing.in-proportion",
            "on elastic tendons forces between least and greatest activation count as if in proportion to activation",
            topic=TOPIC,
        )
    if options.as_opensim:
        yield Note(
            "fibres.projected-as-opensim",
            "active forces are projected as OpenSim 4.6 projects them in static optimisation",
            topic="fibres",
        )
    if options.smoothness > 0.0:
        yield Note(
            "sharing.smooth",
            f"smooth in time, with a time constant of {options.smoothness:g} s",
            topic=TOPIC,
            values={"time_constant_s": options.smoothness},
        )


def _frames(program: Program, found: dict[str, Any]) -> Iterator[Note]:
    time = program.demand.time
    unknown = np.flatnonzero(~program.known)
    if len(unknown):
        yield Note(
            "sharing.loads-unknown",
            f"loads are not known in {len(unknown)} of {len(time)} frames, {spans(unknown, time)}: nan there",
            topic=TOPIC,
            span=(time[unknown[0]], time[unknown[-1]]),
            values={"frames": len(unknown), "of_frames": len(time)},
        )
    stuck = np.flatnonzero(program.known & ~found["converged"])
    if len(stuck):
        most = float(np.maximum(found["stationarity"], found["feasibility"])[stuck].max())
        yield Note(
            "sharing.not-optimal",
            f"{len(stuck)} of {len(time)} frames, {spans(stuck, time)}, do not meet the conditions of optimality to "
            f"{program.options.tolerance:g}: off by up to {most:.2g}",
            severity="warning",
            topic=TOPIC,
            span=(time[stuck[0]], time[stuck[-1]]),
            values={"frames": len(stuck), "of_frames": len(time), "most": most},
        )


def _moments(program: Program, found: dict[str, Any]) -> Iterator[Note]:
    """Say which moments muscles do not make, in which frames, and how much is missing."""
    time, known = program.demand.time, program.known
    if not known.any():
        return
    units = {column.name: CONJUGATE[column.unit] for column in describe_columns(program.model)}
    motors = np.zeros_like(found["moment"])
    for j, row in enumerate(program.rows.actuator_rows):
        motors[:, row] += found["actuator_force"][:, j]
    missing = found["demand"] - found["moment"] - motors - found["reserve"]
    peaks = np.abs(found["demand"][known]).max(axis=0)
    lost = known[:, None] & (np.abs(missing) > MISSED * np.maximum(peaks, LEAST))
    for j, name in enumerate(program.rows.names):
        of = f"{peaks[j]:.3g} {units[name]}"
        shared = np.abs(found["moment"][known, j]).max() > 0.0  # not a coordinate that has motors alone
        helpers = (
            ("sharing.left-to-reserve", "the reserve", found["reserve"]),
            ("sharing.left-to-actuators", "actuators of the model", motors if shared else None),
        )
        for code, helper, gives in helpers:
            taken = np.zeros(len(time)) if gives is None else np.abs(gives[:, j])
            many = np.flatnonzero(known & (taken > max(NOTICED * peaks[j], LEAST)))
            if len(many):
                most = float(taken[many].max())
                yield Note(
                    code,
                    f"{name}: muscles leave up to {most:.3g} of {of} to {helper} in {len(many)} of {len(time)} frames, "
                    f"{spans(many, time)}",
                    severity="warning",
                    topic=TOPIC,
                    names=(name,),
                    span=(time[many[0]], time[many[-1]]),
                    values={
                        "most": most,
                        "of": float(peaks[j]),
                        "frames": len(many),
                        "of_frames": len(time),
                    },
                )
        for told, bad in _missed(program, lost, j):
            most = float(np.abs(missing[bad, j]).max())
            yield Note(
                "sharing.moment-missing",
                f"{name}: {told} in {len(bad)} of {len(time)} frames, {spans(bad, time)}: up to {most:.3g} of {of} is "
                "missing",
                severity="warning",
                topic=TOPIC,
                names=(name,),
                span=(time[bad[0]], time[bad[-1]]),
                values={"most": most, "of": float(peaks[j]), "frames": len(bad), "of_frames": len(time)},
                fix="allow a reserve, or check loads and strengths",
            )


def _missed(program: Program, lost: NDArray[np.bool_], j: int) -> Iterator[tuple[str, NDArray[np.intp]]]:
    """Say why a moment is missed, and in which frames: by itself, or beside others that muscles have to make."""
    for alone in (True, False):
        bad = np.flatnonzero(lost[:, j] & (program.beyond[:, j] == alone))
        if len(bad):
            names = program.rows.names
            others = [name for i, name in enumerate(names) if i != j and lost[bad, i].any()]
            told = f"muscles cannot make its moment together with {_moments_of(others)}"
            yield "no muscle can make its moment" if alone else told, bad


def _moments_of(names: list[str]) -> str:
    if not names:
        return "those of other coordinates"
    return f"{'that' if len(names) == 1 else 'those'} of {names_hint(names)}"


def _muscles(program: Program) -> Iterator[Note]:
    names, time = program.muscles.hill.names, program.demand.time
    full = program.at_most.sum(axis=0)
    if full.any():
        most = np.argsort(-full, kind="stable")[: int((full > 0).sum())]
        said = ", ".join(f"{names[i]} ({full[i]})" for i in most[:12])
        more = f" and {len(most) - 12} more" if len(most) > 12 else ""
        yield Note(
            "sharing.fully-active",
            f"fully active, with the number of frames of {len(time)}: {said}{more}",
            topic=TOPIC,
            names=tuple(names[i] for i in most),
            values={names[i]: int(full[i]) for i in most},
        )
    for i in np.flatnonzero(program.short.any(axis=0)):
        frames = np.flatnonzero(program.short[:, i])
        yield Note(
            "fibres.too-short",
            f"{names[i]}: the path is too short for the fibre in {len(frames)} of {len(time)} frames, "
            f"{spans(frames, time)}: it has no force there",
            severity="warning",
            topic="fibres",
            names=(names[i],),
            span=(time[frames[0]], time[frames[-1]]),
            values={"frames": len(frames), "of_frames": len(time)},
        )
