"""Muscle forces, what EMG says of them, and how far both are apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softstride.muscles.sharing.forces import MuscleForces
from softstride.report.context import Context, Section
from softstride.report.curves import Curve, Figure, Panel
from softstride.report.html import folded, paragraph, table
from softstride.report.names import by_base, in_words
from softstride.report.numbers import mean_of, plain
from softstride.report.peaks import peaks_table
from softstride.study.study import Study

Array = NDArray[np.float64]

FIRST = 12
"""Muscles that are drawn at once: those with the largest forces; the others when they are asked for."""

FULL = 0.99
"""Activation from which on a muscle counts as fully active."""


def section(context: Context) -> Section:
    """Return the section of muscles."""
    title, forces = "Muscle forces and EMG", context.study.forces
    html = ""
    if forces is None:
        html += paragraph(f"No muscle forces. {context.why('muscles')}", "missing")
    else:
        html += _forces(context, forces)
    html += _emg(context)
    return Section("muscles", title, html, "Muscles")


def _forces(context: Context, forces: MuscleForces) -> str:
    if not forces.known.any():
        return paragraph("No muscle forces: loads are known in no frame.", "missing")
    groups = by_base(forces.names)
    largest = {
        base: float(np.nanmax(forces.force[:, [forces.index(name) for name in names.values()]]))
        for base, names in groups.items()
    }
    ranked = sorted(groups, key=lambda base: -largest[base])
    panels = {
        base: Panel(
            in_words(base),
            "N",
            tuple(Curve("", side, forces.time, forces.muscle(name)) for side, name in groups[base].items()),
        )
        for base in ranked
    }
    caption = (
        "Tension of each muscle that shares the joint moments at the least sum of activations to a power. Errors of "
        "markers and inertia are not carried on to muscles; what is known is how well the moments are met, below."
    )
    first = tuple(panels[base] for base in ranked[:FIRST])
    title = f"The {len(first)} with the largest forces" if len(ranked) > FIRST else "Forces"
    html = context.figure(Figure("muscle-forces", title, caption, first))
    html += peaks_table(first, ("max", "mean"), context.strides, caption="Muscle forces.")
    html += _moments(forces)
    others = tuple(panels[base] for base in groups if base not in ranked[:FIRST])
    if others:
        inside = context.figure(Figure("other-forces", "Other muscles", caption, others))
        inside += peaks_table(others, ("max", "mean"), context.strides, caption="Muscle forces.")
        html += folded(f"{len(others)} other muscles", inside)
    return html + folded(f"Activation of all {len(forces.names)} muscles", _activations(context, forces))


def _moments(forces: MuscleForces) -> str:
    """Return how well muscles meet the moments."""
    rows = []
    for i, name in enumerate(forces.coordinates):
        demand, left = forces.demand[:, i], forces.moment_residual[:, i]
        if not np.isfinite(demand).any():
            continue
        peak = float(np.nanmax(np.abs(demand)))
        rms = float(np.sqrt(np.nanmean(left**2)))
        share = plain(100.0 * rms / peak, 2) if peak > 0.0 else "–"
        rows.append([in_words(name), plain(peak), plain(rms), plain(float(np.nanmax(np.abs(left)))), share])
    if not rows:
        return ""
    return table(
        [
            "",
            "largest demand [N·m]",
            "not met, rms [N·m]",
            "not met, largest [N·m]",
            "rms of the largest demand [%]",
        ],
        rows,
        caption="Moments that muscles had to make, and what they leave to reserves.",
        kind="numbers",
    )


def _activations(context: Context, forces: MuscleForces) -> str:
    rows = []
    for i, name in enumerate(forces.names):
        own = forces.activation[:, i]
        if np.isfinite(own).any():
            most = forces.model.muscles[name].max_force if name in forces.model.muscles else float("nan")
            largest = float(np.nanmax(forces.force[:, i]))
            full = 100.0 * float(np.nanmean(own >= FULL))
            rows.append(
                [
                    in_words(name),
                    plain(float(np.nanmax(own)), 2),
                    plain(float(np.nanmean(own)), 2),
                    plain(full, 2),
                    plain(largest),
                    plain(100.0 * largest / most, 2),
                ]
            )
    return table(
        [
            "",
            "largest",
            "mean",
            "fully active [% of frames]",
            "largest force [N]",
            "of the isometric maximum [%]",
        ],
        rows,
        caption="Activations, from 0 to 1, over the whole trial.",
        kind="numbers",
    )


def _emg(context: Context) -> str:
    study = context.study
    if not study.emg or not study.electrodes:
        return paragraph(f"No EMG. {context.why('EMG')}", "missing")
    panels = _envelope_panels(study)
    given = study.options.get("mvc") is not None
    scale = "its maximal voluntary contraction" if given else "its largest value in this trial"
    caption = (
        f"Activation that the sharing of loads finds (solid line) beside the envelope of the EMG over {scale} (broken "
        f"line). EMG comes before force by some {1e3 * float(study.options.get('emg_delay') or 0.0):.0f} ms."
    )
    if not given:
        caption += " Maximal contractions are not known: only the shapes compare."
    legend = (("activation", "solid"), ("EMG", "dash"))
    html = context.figure(Figure("emg", "Activation and EMG", caption, panels, legend))  # type: ignore[arg-type]
    if study.forces is not None and study.emg_forces is not None:
        html += _emg_forces(context, study.forces, study.emg_forces, given)
    return html


def _envelope_panels(study: Study) -> tuple[Panel, ...]:
    found = []
    for base, sides in by_base(study.electrodes).items():
        curves = []
        for side, name in sides.items():
            if study.forces is not None and name in study.forces.names:
                own = study.forces.activation[:, study.forces.index(name)]
                curves.append(Curve("activation", side, study.forces.time, own))
            envelope = study.emg.values[:, study.emg.labels.index(study.electrodes[name])]
            curves.append(Curve("EMG", side, study.emg.time, envelope, style="dash"))
        found.append(Panel(in_words(base), "1", tuple(curves)))
    return tuple(found)


def _emg_forces(context: Context, forces: MuscleForces, told: MuscleForces, given: bool) -> str:
    """Return forces from EMG alone beside those of the sharing, and their differences in single support."""
    names = [name for name in told.names if name in forces.names]
    if not names or len(told) != len(forces):
        return ""
    panels = tuple(
        Panel(
            in_words(base),
            "N",
            tuple(
                curve
                for side, name in sides.items()
                for curve in (
                    Curve("shared", side, forces.time, forces.muscle(name)),
                    Curve("EMG", side, told.time, told.muscle(name), style="dash"),
                )
            ),
        )
        for base, sides in by_base(names).items()
    )
    caption = (
        "Tension by sharing the loads (solid line) beside the tension of a Hill muscle that the EMG alone drives "
        "(broken line)."
    )
    if context.study.options.get("passive") is False:
        caption += " Passive forces of muscles are in those of EMG, and not in the sharing, which did not ask for them."
    legend = (("sharing", "solid"), ("EMG alone", "dash"))
    html = context.figure(Figure("emg-forces", "Forces and EMG", caption, panels, legend))  # type: ignore[arg-type]
    return html + emg_table(context, forces, told, names, given)


def emg_table(
    context: Context, forces: MuscleForces, told: MuscleForces, names: list[str], given: bool
) -> str:
    """Return root mean square differences of both in each phase of single support, in % of the isometric maximum."""
    phases = context.strides.single_support(forces.time)
    rows = []
    for name in names:
        one, two = forces.muscle(name), told.muscle(name)
        most = forces.model.muscles[name].max_force
        errors = [
            100.0 * float(np.sqrt(np.mean((one[on] - two[on]) ** 2))) / most
            for _, on in phases
            if np.isfinite(one[on] - two[on]).all()
        ]
        both = np.isfinite(one) & np.isfinite(two)
        alike = float("nan")
        if both.sum() > 2 and np.std(one[both]) > 0.0 and np.std(two[both]) > 0.0:
            alike = float(np.corrcoef(one[both], two[both])[0, 1])
        cells = [plain(x, 2) for x in errors] + ["–"] * (len(phases) - len(errors))
        rows.append([in_words(name), *cells, str(mean_of(np.array(errors))), plain(alike, 2)])
    heads = [f"{i}. {side}" for i, (side, _) in enumerate(phases, 1)]
    scale = "" if given else " Without maximal contractions the size of forces from EMG is a guess."
    return table(
        ["muscle", *heads, "mean", "correlation"],
        rows,
        caption="Sharing against EMG: root mean square difference in each phase of single support, in % of the maximal "
        f"isometric force; mean ± 1 standard deviation over phases; correlation over the trial.{scale}",
        kind="numbers",
    )
