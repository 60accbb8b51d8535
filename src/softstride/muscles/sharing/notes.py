"""What is worth saying about shared forces: moments that cannot be made, muscles at limits, frames without loads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.loads_labels import CONJUGATE
from softstride.kinematics.frames import spans
from softstride.kinematics.motion_table import describe_columns
from softstride.model.checks import names_hint

if TYPE_CHECKING:
    from softstride.muscles.sharing.program import Program

Array = NDArray[np.float64]

NOTICED = 0.05
"""Part of the largest moment about a coordinate that its reserve may take before it is noted."""

LEAST = 1.0
"""Reserve that is never noted [N·m] or [N]."""

MISSED = 1e-6
"""Part of the largest moment about a coordinate without reserve that may be missing before it is noted."""


def sharing_notes(program: Program, found: dict[str, Any]) -> tuple[str, ...]:
    """Return one sentence for each thing that was decided or went wrong."""
    return (
        *_criterion(program),
        *_frames(program, found),
        *_moments(program, found),
        *_muscles(program),
    )


def _criterion(program: Program) -> Iterator[str]:
    options = program.options
    what = "activations" if options.effort == "activation" else "tensions over maximal forces"
    tendon = "rigid tendons" if options.tendon == "rigid" else "elastic tendons"
    passive = "with passive forces" if options.passive else "without passive forces"
    weighted = (
        ""
        if not len(options.weights)
        else ", weighted by " + ("volume" if isinstance(options.weights, str) else "muscle")
    )
    yield (
        f"minimised: sum of {what} to the power {options.power}{weighted}, {tendon}, {passive}, "
        f"{len(program.rows.names)} coordinates"
    )
    backed = int((program.rows.reserve > 0.0).sum())
    if backed:
        sizes = np.unique(program.rows.reserve[program.rows.reserve > 0.0])
        said = f"{sizes[0]:g}" if len(sizes) == 1 else f"{sizes[0]:g} to {sizes[-1]:g}"
        yield f"{backed} coordinates have a reserve of optimal force {said} N·m or N"
    if options.tendon == "elastic":
        yield "on elastic tendons forces between least and greatest activation count as if in proportion to activation"
    if options.as_opensim:
        yield "active forces are projected as OpenSim 4.6 projects them in static optimisation"
    if options.smoothness > 0.0:
        yield f"smooth in time, with a time constant of {options.smoothness:g} s"


def _frames(program: Program, found: dict[str, Any]) -> Iterator[str]:
    time = program.demand.time
    unknown = np.flatnonzero(~program.known)
    if len(unknown):
        yield f"loads are not known in {len(unknown)} of {len(time)} frames, {spans(unknown, time)}: nan there"
    stuck = np.flatnonzero(program.known & ~found["converged"])
    if len(stuck):
        kkt = np.maximum(found["stationarity"], found["feasibility"])[stuck]
        yield (
            f"{len(stuck)} of {len(time)} frames, {spans(stuck, time)}, do not meet the conditions of optimality to "
            f"{program.options.tolerance:g}: off by up to {kkt.max():.2g}"
        )


def _moments(program: Program, found: dict[str, Any]) -> Iterator[str]:
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
        helpers = {"the reserve": found["reserve"], "actuators of the model": motors if shared else None}
        for helper, gives in helpers.items():
            taken = np.zeros(len(time)) if gives is None else np.abs(gives[:, j])
            many = np.flatnonzero(known & (taken > max(NOTICED * peaks[j], LEAST)))
            if len(many):
                yield (
                    f"{name}: muscles leave up to {taken[many].max():.3g} of {of} to {helper} in "
                    f"{len(many)} of {len(time)} frames, {spans(many, time)}"
                )
        for told, bad in _missed(program, lost, j):
            yield (
                f"{name}: {told} in {len(bad)} of {len(time)} frames, {spans(bad, time)}: up to "
                f"{np.abs(missing[bad, j]).max():.3g} of {of} is missing; allow a reserve, or check loads and strengths"
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


def _muscles(program: Program) -> Iterator[str]:
    names, time = program.muscles.hill.names, program.demand.time
    full = program.at_most.sum(axis=0)
    if full.any():
        most = np.argsort(-full, kind="stable")[: int((full > 0).sum())]
        said = ", ".join(f"{names[i]} ({full[i]})" for i in most[:12])
        more = f" and {len(most) - 12} more" if len(most) > 12 else ""
        yield f"fully active, with the number of frames of {len(time)}: {said}{more}"
    for i in np.flatnonzero(program.short.any(axis=0)):
        frames = np.flatnonzero(program.short[:, i])
        yield (
            f"{names[i]}: the path is too short for the fibre in {len(frames)} of {len(time)} frames, "
            f"{spans(frames, time)}: it has no force there"
        )
