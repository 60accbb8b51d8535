"""Blades: deflection, energy and its return, load from the deformation beside the ground's, load in the socket."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.blade.load_cell import BladeForce
from softstride.dynamics.validation.feet import foot_loads
from softstride.naming import split_side
from softstride.report.blade_energy import Rebound, blade_links, blade_work, deflection, rebounds
from softstride.report.context import Context, Section, missing
from softstride.report.curves import Curve, Figure, Panel
from softstride.report.html import paragraph, table
from softstride.report.names import in_words
from softstride.report.numbers import mean_of, plain
from softstride.report.peaks import peaks_table
from softstride.report.sections.ground import TITLES, force_std, kinds

Array = NDArray[np.float64]

STIFFNESS = 0.1
"""Standard deviation of the stiffness of a blade, as a share; as bands of loads have it."""

AWAY = 0.03
"""Time to the nearest contact from which on a blade counts as in flight [s]."""

FEWEST = 10
"""Frames in flight that tell of an error."""


def section(context: Context) -> Section:
    """Return the section of blades."""
    names = blade_links(context.study.model)
    if not names:
        return missing("blades", "Blade", "The model has no blade.")
    html = "".join(_energy(context, name) + _load_cell(context, name) for name in names)
    return Section("blades", "Blade" if len(names) == 1 else "Blades", html + _socket(context))


def _energy(context: Context, name: str) -> str:
    side = split_side(name)[0]
    state, loads = context.state, context.study.loads
    bent = 1e3 * deflection(context.study.model, state.q, name)
    noise = _in_flight(context, side, state.time, bent)
    std = None if np.isnan(noise) else np.full_like(bent, noise)
    panels = [Panel("deflection of the tip", "mm", (Curve("", side, state.time, bent, std),))]
    caption = "Deflection, by the markers: how far the tip is from its place on the unloaded blade, seen from base. "
    if std is not None:
        caption += f"In flight, where it should be zero, it is {plain(noise, 2)} mm rms: that is taken as its error. "
    work = None
    if loads is not None and len(loads) == len(state.time) > 1:
        work = blade_work(context.study.model, state.time, state.q, name, loads.wrenches)
        panels += [
            Panel(
                title, unit, (Curve("", side, work.time, x, STIFFNESS * np.abs(x), doubtful=loads.doubtful),)
            )
            for title, unit, x in (
                ("energy that it holds", "J", work.energy),
                ("power that it gives", "W", work.power),
            )
        ]
        caption += (
            f"Energy and power of the blade as the {next(iter(kinds(context)))} ground reaction bends it; the power is "
            f"below zero while it is loaded. Their errors are those of its stiffness, {100 * STIFFNESS:g} %."
        )
    else:
        caption += "Without loads its energy is not known."
    html = context.figure(Figure(f"{name}-energy", in_words(name), caption, tuple(panels)))
    if work is None or loads is None or side is None:
        return html
    sure = replace(work, energy=np.where(loads.doubtful, np.nan, work.energy))
    steps = rebounds(sure, context.strides.contacts[side].stances)
    if not steps:
        return html + paragraph("No whole contact of the blade is known: no return of energy.", "missing")
    largest = [float(bent[(state.time >= step.start) & (state.time <= step.end)].max()) for step in steps]
    return html + _returns(steps, largest)


def _in_flight(context: Context, side: str | None, time: Array, bent: Array) -> float:
    """Return the root mean square of a deflection in flight; NaN where there is too little of it."""
    if side is None or len(time) < 2 or not len(context.strides.contacts[side].strikes):
        return float("nan")
    on = context.strides.on_ground(side, time)
    near = max(round(AWAY / float(np.median(np.diff(time)))), 1)
    flight = ~np.convolve(on, np.ones(2 * near + 1), mode="same").astype(bool)
    return float(np.sqrt(np.mean(bent[flight] ** 2))) if flight.sum() > FEWEST else float("nan")


def _returns(steps: tuple[Rebound, ...], largest: list[float]) -> str:
    columns = (
        largest,
        [each.energy for each in steps],
        [each.taken for each in steps],
        [each.returned for each in steps],
        [100.0 * each.share for each in steps],
    )
    rows = [
        [f"{each.start:.2f} to {each.end:.2f} s", *(plain(column[i]) for column in columns)]
        for i, each in enumerate(steps)
    ]
    rows.append([f"mean of {len(steps)}", *(str(mean_of(np.array(column))) for column in columns)])
    return table(
        ["contact", "deflection [mm]", "energy held [J]", "taken [J]", "returned [J]", "returned [%]"],
        rows,
        caption="Energy return of the blade, contact by contact: the largest deflection and energy, and what it took "
        "and gave back by the model's elasticity and damping. The last row is the mean ± 1 standard deviation over "
        f"contacts; joules besides have the error of the stiffness, {100 * STIFFNESS:g} %.",
        kind="numbers lastrow",
    )


def _load_cell(context: Context, name: str) -> str:
    found = context.study.blades.get(name)
    if found is None:
        return paragraph(f"No load from the deformation. {context.why('blades')}", "missing")
    side = split_side(name)[0]
    panels = tuple(_force_panel(context, found, side, axis) for axis in range(3))
    legend = [("from its deformation", "solid")]
    styles = {"measured": "dash", "estimated": "dot"}
    legend += [(source, styles[source]) for source in kinds(context)]
    caption = (
        "Force of the ground on the blade: from its deformation alone (solid line), which knows nothing of plates or "
        "of the rest of the body, beside the other sources. In flight there is nothing to measure, and its error is "
        "what the noise of markers makes."
    )
    figure = Figure(f"{name}-force", f"{in_words(name)} as a load cell", caption, panels, tuple(legend))  # type: ignore[arg-type]
    return (
        context.figure(figure)
        + peaks_table(
            panels, ("max", "min"), context.strides, caption="Load from the deformation.", name="deformation"
        )
        + _against(context, found, side)
    )


def _force_panel(context: Context, found: BladeForce, side: str | None, axis: int) -> Panel:
    mirrored = -1.0 if axis == 2 and side == "right" else 1.0
    place = found.components.index(f"force_{'xyz'[axis]}")
    curves = [
        Curve(
            "deformation",
            side,
            found.time,
            mirrored * found.force[:, axis] / context.weight,
            found.std[:, place] / context.weight,
        )
    ]
    for source, loads in kinds(context).items():
        foot = foot_loads(loads.wrenches).get(side or "")
        if foot is not None:
            std = force_std(context.study.bands.get(source), foot) if source == "measured" else None
            curves.append(
                Curve(
                    source,
                    side,
                    loads.time,
                    mirrored * foot.force[:, axis] / context.weight,
                    None if std is None else std[:, axis] / context.weight,
                    "dash" if source == "measured" else "dot",
                    loads.doubtful,
                )
            )
    return Panel(TITLES[axis], "BW", tuple(curves))


def _against(context: Context, found: BladeForce, side: str | None) -> str:
    """Return how far the load from the deformation is from the others while the blade is on the ground."""
    rows = []
    for source, loads in kinds(context).items():
        foot = foot_loads(loads.wrenches).get(side or "")
        if foot is None or len(found.time) != len(loads) or not np.allclose(found.time, loads.time):
            continue
        on = foot.vertical > 0.05 * context.weight
        if on.any():
            off = found.force[on] - foot.force[on]
            error = np.sqrt(np.nanmean(off**2, axis=0))
            wide = np.ptp(foot.force[on], axis=0)
            cells = [f"{plain(a)} ({plain(100 * a / b, 2)} %)" for a, b in zip(error, wide, strict=True)]
            rows.append([f"against {source}", *cells])
    if not rows:
        return ""
    return table(
        ["", "forward [N]", "up [N]", "to the right [N]"],
        rows,
        caption="Load from the deformation beside the other sources while the blade is on the ground: root mean "
        "square difference, in brackets as a share of the range of the other.",
        kind="numbers",
    )


def _socket(context: Context) -> str:
    loads = context.study.loads
    if loads is None or not loads.socket:
        return ""
    source = next(iter(kinds(context)))
    forces, moments = [], []
    for name, wrench in loads.socket.items():
        side = split_side(name)[0]
        force = np.linalg.norm(wrench.force, axis=1) / context.weight
        forces.append(Curve("", side, loads.time, force, doubtful=loads.doubtful))
        moment = np.linalg.norm(wrench.moment, axis=1)
        moments.append(Curve("", side, loads.time, moment, doubtful=loads.doubtful))
    panels = (Panel("force", "BW", tuple(forces)), Panel("moment", "N·m", tuple(moments)))
    caption = (
        "Size of force and moment of the prosthesis on the stump, about the origin of the socket, with "
        f"{source} ground reaction."
    )
    return context.figure(Figure("socket", "Socket", caption, panels)) + peaks_table(
        panels, ("max",), context.strides, caption="Load in the socket."
    )
