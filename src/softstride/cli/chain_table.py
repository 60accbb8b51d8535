"""The tables and figures of `softstride chain`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softstride.cli.output import print_lines, print_table
from softstride.cli.spelling import shell_words
from softstride.errors import InputError
from softstride.planar.case import Case
from softstride.planar.induced import Induced
from softstride.planar.results import Reactions, Torques
from softstride.planar.state import State
from softstride.planar.table import Contributions

Floats = NDArray[np.float64]

SMALL = 0.005
"""Sources below this share of the largest at a joint are summed up in tables."""

MOST_ROWS = 12
"""Sources of a joint that are shown one by one."""


@dataclass(frozen=True, eq=False)
class View:
    """What is shown of a case.

    Attributes:
        case: The chain and its state.
        result: Columns by source, direct or induced; many frames.
        reactions: Joint reactions.
        torques: Torques.
        joints: Numbers of the joints shown, from 0.
        frame: The frame of the tables.
        sum_error: How far columns are from the totals, relative.
    """

    case: Case
    result: Contributions | Induced
    reactions: Reactions
    torques: Torques
    joints: tuple[int, ...]
    frame: int
    sum_error: float

    @staticmethod
    def of(case: Case, *, induced: bool, joints: tuple[str, ...], most: int, time: float | None) -> View:
        """Compute everything that is shown."""
        chain, state = case.chain, _many(case.state)
        form = "distal" if induced else case.form
        reactions = chain.reactions(state, form=form)
        table = chain.contributions(state, form=form)
        table.check(state)
        result = chain.induced(state) if induced else table
        peak = int(np.argmax(reactions.magnitude.max(axis=1)))
        return View(
            case,
            result,
            reactions,
            chain.torques(state, form=form),
            _chosen(chain.joints, joints, most),
            peak if time is None else _nearest(state, time),
            table.sum_error(state),
        )

    @property
    def time(self) -> Floats | None:
        """Instants [s]."""
        return self.result.time

    @property
    def single(self) -> bool:
        """Whether there is one frame only."""
        return len(self.reactions.force) == 1

    @property
    def driven(self) -> bool:
        """Whether the chain has muscles or motors, so that torques are given."""
        return any(source.actuator for source in self.result.sources)

    @property
    def unexplained(self) -> Floats:
        """Torque that is given and not required, root mean square of each joint [N·m]."""
        return np.asarray(np.sqrt(np.mean(self.torques.mismatch**2, axis=0)))


def _many(state: State) -> State:
    """Return a state with a frame axis."""
    if not state.single:
        return state
    return state.changed(
        theta=state.theta[None],
        omega=np.asarray(state.omega)[None],
        alpha=np.asarray(state.alpha)[None],
    )


def _chosen(names: tuple[str, ...], wanted: tuple[str, ...], most: int) -> tuple[int, ...]:
    for name in wanted:
        if name not in names:
            raise InputError(f"--joint {name}: no such joint; there are: {', '.join(names)}")
    if wanted:
        return tuple(dict.fromkeys(names.index(name) for name in wanted))
    if len(names) <= most:
        return tuple(range(len(names)))
    return tuple(int(k) for k in np.linspace(0, len(names) - 1, most).round())


def _nearest(state: State, time: float) -> int:
    if state.time is None:
        raise InputError("--time: the chain has one frame without an instant; leave it out")
    if not state.time[0] <= time <= state.time[-1]:
        raise InputError(
            f"--time {time:g}: the chain is known from {state.time[0]:g} to {state.time[-1]:g} s"
        )
    return int(np.argmin(np.abs(state.time - time)))


def view_figures(view: View) -> dict[str, Any]:
    """Return the key numbers by name; lists have one entry a joint, tables one row a joint and one column a source."""
    chain, frame = view.case.chain, view.frame
    shown: dict[str, Any] = {
        "chain": chain.name,
        "source": view.case.source,
        "form": view.case.form if isinstance(view.result, Contributions) else "induced",
        "frames": len(view.reactions.force),
        "joints": list(chain.joints),
        "largest_reaction_N": view.reactions.magnitude.max(axis=0).tolist(),
        "largest_compression_N": view.reactions.compression.max(axis=0).tolist(),
        "required_torque_rms_Nm": np.sqrt(np.mean(view.torques.required**2, axis=0)).tolist(),
        "torque_mismatch_rms_Nm": view.unexplained.tolist(),
        "force_residual_N": view.reactions.consistency,
        "moment_residual_Nm": view.torques.consistency,
        "sum_error": view.sum_error,
        "time_s": None if view.time is None else float(view.time[frame]),
        "reaction_N": view.reactions.force[frame].tolist(),
        "compression_N": view.reactions.compression[frame].tolist(),
        "shear_N": view.reactions.shear[frame].tolist(),
        "required_torque_Nm": view.torques.required[frame].tolist(),
        "given_torque_Nm": view.torques.given[frame].tolist(),
        "sources": list(view.result.labels),
        "contributions_force_N": view.result.force[frame].tolist(),
        "notes": [shell_words(note) for note in view.case.notes],
    }
    if isinstance(view.result, Contributions):
        return shown | {"contributions_torque_Nm": view.result.torque[frame].tolist()}
    return shown | {"contributions_acceleration_rad_per_s2": view.result.acceleration[frame].tolist()}


def print_view(view: View) -> None:
    """Print the totals of all joints shown, then what makes them up at one instant."""
    chain, frame = view.case.chain, view.frame
    induced = isinstance(view.result, Induced)
    what = "induced effects" if induced else f"{view.case.form} form"
    count = len(view.reactions.force)
    span = "one frame" if view.time is None else f"{count} frames, {view.time[0]:g} to {view.time[-1]:g} s"
    rows = []
    for j in view.joints:
        peak = int(np.argmax(view.reactions.magnitude[:, j]))
        when = "" if view.time is None else f"{view.time[peak]:.2f} s"
        rows.append(
            (
                chain.joints[j],
                f"{view.reactions.magnitude[peak, j]:.0f} N",
                when,
                f"{view.reactions.compression[peak, j]:.0f} N",
                f"{view.reactions.shear[peak, j]:.0f} N",
                f"{view.torques.required[peak, j]:.4g} N·m",
                f"{view.unexplained[j]:.2g} N·m" if view.driven else "no muscles",
            )
        )
    heads = ("joint", "largest reaction", "at", "compression", "shear", "required torque", "mismatch rms")
    title = f"{chain.name}: {chain.n} joints, {len(view.result.sources)} sources, {span}, {what}"
    print_table(heads, rows, title=title, numbers=range(1, 7))
    for j in view.joints:
        _print_joint(view, j, frame)
    lines = [("source", "", view.case.source)] if view.case.source else []
    lines += [("note", "", shell_words(note)) for note in view.case.notes]
    if view.reactions.residual is not None:
        lines.append(
            (
                "balance",
                "",
                f"forces of the whole chain agree to {view.reactions.consistency:.2g} N, moments to "
                f"{view.torques.consistency:.2g} N·m",
            )
        )
    lines.append(("sums", "", f"columns add up to the totals within {view.sum_error:.1e} of the largest"))
    print_lines(lines)


def _print_joint(view: View, j: int, frame: int) -> None:
    """Print what makes up the load of one joint: the largest sources one by one, the others together."""
    result = view.result
    direct = isinstance(result, Contributions)
    third = (result.torque if isinstance(result, Contributions) else result.acceleration)[frame, j]
    columns = np.stack([result.compression[frame, j], result.shear[frame, j], third], axis=1)  # (sources, 3)
    largest = np.maximum(np.abs(columns).max(axis=0, initial=0.0), 1e-12)
    largest[:2] = largest[:2].max()
    size = (np.abs(columns) / largest).max(axis=1)
    order = [int(s) for s in np.argsort(-size, kind="stable")[:MOST_ROWS] if size[s] > SMALL]
    rest = [s for s in range(len(size)) if s not in order]
    units = ("N", "N", "N·m" if direct else "rad/s²")
    rows = [(result.labels[s], *_cells(columns[s], largest, units)) for s in order]
    if size[rest].any():
        rows.append((f"{len(rest)} others", *_cells(columns[rest].sum(axis=0), largest, units)))
    totals = np.array([view.reactions.compression[frame, j], view.reactions.shear[frame, j], third.sum()])
    last = _cells(totals, largest, units)
    if direct and view.driven:
        torque = np.array([view.torques.required[frame, j], view.torques.given[frame, j]])
        required, given = (_cells(np.full(3, value), largest, units)[2] for value in torque)
        last = (last[0], last[1], f"{required} required, {given} given")
    when = "" if view.time is None else f" at {view.time[frame]:.2f} s"
    print_table(
        ("source", "compression", "shear", "torque" if direct else f"of {view.case.chain.links[j + 1]}"),
        [*rows, ("total", *last)],
        title=f"\n{view.case.chain.joints[j]}{when}",
        numbers=(1, 2, 3),
    )


def _cells(values: Floats, largest: Floats, units: tuple[str, str, str]) -> tuple[str, ...]:
    """Return numbers with units, with as many digits as the largest of a column needs."""
    cells = []
    for value, top, unit in zip(values, largest, units, strict=True):
        digits = int(np.clip(3 - np.ceil(np.log10(top)), 0, 5))
        cells.append(f"{round(float(value), digits) + 0.0:.{digits}f} {unit}")
    return tuple(cells)
