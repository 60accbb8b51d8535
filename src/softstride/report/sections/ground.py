"""What the ground does: estimated and measured, over the cycle, and strike by strike."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.loads import Loads
from softstride.dynamics.uncertainty.bands import LoadBands
from softstride.dynamics.validation.errors import Validation
from softstride.dynamics.validation.feet import FootLoad, foot_loads
from softstride.naming import SIDES
from softstride.report.context import Context, Section, missing
from softstride.report.curves import Curve, Figure, Norm, Panel, Style
from softstride.report.html import bullets, paragraph, table
from softstride.report.numbers import mean_of, plain
from softstride.report.peaks import peaks_table

Array = NDArray[np.float64]

AXES = ("forward", "up", "to the right")

TITLES = ("forward", "up", "towards the midline")
"""Of the panels: the third axis is mirrored for the right foot, so that both feet compare."""


def section(context: Context) -> Section:
    """Return the section of ground reactions."""
    title, study = "Ground reaction", context.study
    if study.loads is None:
        return missing("ground", title, f"No ground reaction. {context.why('estimated loads')}", "Ground")
    sources = {name: loads for name, loads in kinds(context).items() if foot_loads(loads.wrenches)}
    if not sources:
        return missing("ground", title, "Nothing acted on the feet.", "Ground")
    panels = tuple(_panel(context, sources, axis) for axis in range(3))
    legend = tuple((name, STYLES[name]) for name in sources)
    words = " and ".join(f"{name} ({LINES[STYLES[name]]})" for name in sources)
    caption = f"Force of the ground on each foot, {words}, in body weights (1 BW = {context.weight:.0f} N)."
    if context.norms is not None and any(panel.norm is not None for panel in panels):
        caption += f" Norm: {context.norms.source}."
    html = context.figure(Figure("ground-forces", "Force on each foot", caption, panels, legend))
    for name in sources:
        html += peaks_table(
            panels, ("max", "min"), context.strides, caption=f"Ground reaction, {name}.", name=name
        )
    if study.validation is not None and len(study.validation):
        html += validation_tables(study.validation)
    elif len(sources) < 2:
        have = next(iter(sources))
        other = "measured loads" if have == "estimated" else "estimated loads"
        html += paragraph(f"Only the {have} ground reaction is known: no comparison. {context.why(other)}")
    else:
        html += paragraph(f"Estimated and measured are not compared. {context.why('comparison')}")
    return Section("ground", title, html, "Ground")


STYLES: dict[str, Style] = {"measured": "solid", "estimated": "dash"}
LINES: dict[Style, str] = {"solid": "solid line", "dash": "broken line", "dot": "dotted line"}


def kinds(context: Context) -> dict[str, Loads]:
    """Return the loads of a study by their source."""
    pairs = (("measured", context.study.measured), ("estimated", context.study.estimated))
    return {name: loads for name, loads in pairs if loads is not None}


def validation_tables(judged: Validation) -> str:
    """Return errors of the estimate for each strike and axis: RMSE, then rRMSE with its floor, and the place."""
    rows, shares = [], []
    for strike in judged:
        name = f"{strike.foot}, {strike.start:.2f} to {strike.end:.2f} s{' *' if strike.partial else ''}"
        rows.append([name, *(plain(x) for x in strike.rmse), *(plain(x, 2) for x in strike.correlation)])
        shares.append(
            [
                name,
                *(_with_floor(x, y) for x, y in zip(strike.rrmse, strike.floor, strict=True)),
                plain(1e3 * strike.cop),
                plain(strike.free_moment),
                f"{plain(strike.peak, 4)} / {plain(strike.peak_measured, 4)}",
            ]
        )
    whole = [strike for strike in judged if not strike.partial] or list(judged)
    mean = f"mean of {len(whole)}"
    columns = [
        [getattr(strike, key)[k] for strike in whole] for key in ("rmse", "correlation") for k in range(3)
    ]
    rows.append([mean, *(str(mean_of(np.array(column))) for column in columns)])
    shares.append(
        [
            mean,
            *(
                str(mean_of(np.array([strike.rrmse[k] for strike in whole])))
                + f" ({plain(mean_of(np.array([strike.floor[k] for strike in whole])).value, 2)})"
                for k in range(3)
            ),
            str(mean_of(np.array([1e3 * strike.cop for strike in whole]))),
            str(mean_of(np.array([strike.free_moment for strike in whole]))),
            "",
        ]
    )
    html = table(
        ["strike", *(f"RMSE {axis} [N]" for axis in AXES), *(f"correlation {axis}" for axis in AXES)],
        rows,
        caption="Estimated against measured ground reaction: root mean square errors. The last row is the mean of "
        "whole strikes ± 1 standard deviation.",
        kind="numbers lastrow",
    )
    html += table(
        [
            "strike",
            *(f"rRMSE {axis} [%]" for axis in AXES),
            "centre of pressure [mm]",
            "free moment [N·m]",
            "peak up, estimated / measured [N]",
        ],
        shares,
        caption="The same over the mean of both ranges, with the floor in brackets: what the residual under the "
        "measured forces alone makes, which no estimate with this model and motion can be expected to beat.",
        kind="numbers lastrow",
    )
    notes = [str(note) for note in judged.notes]
    if any(strike.partial for strike in judged):
        notes.append("* the trial begins or ends while this foot is on the plate")
    return html + (bullets(notes) if notes else "")


def force_std(bands: LoadBands | None, foot: FootLoad) -> Array | None:
    """Return the standard deviation of the force on a foot, shape (n, 3), [N]; None: not known."""
    if bands is None:
        return None
    parts = [bands.ground_std[name].force for name in foot.parts if name in bands.ground_std]
    return np.sqrt(np.sum([part**2 for part in parts], axis=0)) if len(parts) == len(foot.parts) else None


def _panel(context: Context, sources: dict[str, Loads], axis: int) -> Panel:
    curves = []
    for name, loads in sources.items():
        feet = foot_loads(loads.wrenches)
        for side in SIDES:
            if side not in feet:
                continue
            mirrored = -1.0 if axis == 2 and side == "right" else 1.0
            std = force_std(context.study.bands.get(name), feet[side])
            curves.append(
                Curve(
                    name,
                    side,
                    loads.time,
                    mirrored * feet[side].force[:, axis] / context.weight,
                    None if std is None else std[:, axis] / context.weight,
                    STYLES[name],
                    loads.doubtful,
                )
            )
    return Panel(TITLES[axis], "BW", tuple(curves), _norm(context, axis))


def _norm(context: Context, axis: int) -> Norm | None:
    key = ("forward", "vertical", None)[axis]
    if context.norms is None or key is None:
        return None
    return context.norms.get(key, context.study.model.mass / context.weight)


def _with_floor(error: float, floor: float) -> str:
    return f"{plain(error, 2)} ({plain(floor, 2)})" if np.isfinite(floor) else plain(error, 2)
