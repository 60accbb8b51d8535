"""A residual reduction in words and numbers: lines for people, a table of links for programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

    from softstride.dynamics.reduction.result import Reduction

Row = tuple[str, ...]

LEFT_OVER = ("residual", "unit", "before", "after", "allowed")
LINKS = ("link", "mass [kg]", "new [kg]", "[%]", "x [mm]", "y [mm]", "z [mm]")


def residual_rows(reduction: Reduction) -> Iterator[Row]:
    """Yield what is left over: name, unit, before, after, what Hicks et al. allow."""
    for name, (before, after) in reduction.residual().items():
        unit = "N" if name.startswith("f") else "N m"
        allowed = reduction.allowed[0 if unit == "N" else 1]
        whole = name.split()[0] in ("force", "moment")
        yield name, unit, f"{before:.2f}", f"{after:.2f}", f"{allowed:.1f}" if whole else ""


def link_rows(reduction: Reduction) -> Iterator[Row]:
    """Yield the links: name, mass before and after [kg], change [%], shift of the centre along its axes [mm]."""
    for name, change in reduction.mass_change.items():
        after = reduction.model.link(name).inertia.mass
        before = after - change
        shift = [f"{1e3 * x:+.2f}" for x in reduction.centre_change[name]]
        yield name, f"{before:.3f}", f"{after:.3f}", f"{100.0 * change / before:+.2f}", *shift


def summary_rows(reduction: Reduction) -> Iterator[tuple[str, str]]:
    """Yield what else was changed: a word and a sentence."""
    mass, change = reduction.model.mass, reduction.total_mass_change
    old = mass - change
    yield "mass", f"{old:.3f} to {mass:.3f} kg ({100.0 * change / old:+.2f} %)"
    shift, turn = reduction.largest_shift
    rms = np.sqrt(np.mean(np.sum(reduction.base_shift.reshape(-1, 2, 3) ** 2, axis=2), axis=0))
    yield (
        "base",
        f"moved by {1e3 * rms[0]:.2f} mm rms, {1e3 * shift:.2f} mm at most; turned by {np.degrees(rms[1]):.3f} deg "
        f"rms, {np.degrees(turn):.3f} deg at most",
    )
    before, after = reduction.marker_rms
    if np.isfinite(after):
        yield "markers", f"met to {1e3 * before:.2f} mm rms before, {1e3 * after:.2f} mm after"
    else:
        yield "markers", "not known: the recording has none that the model has too"
    yield "limits", "reached by " + ", ".join(reduction.limits) if reduction.limits else "none reached"
    state = "steady" if reduction.converged else "not steady yet"
    yield "frames", f"{int(reduction.used.sum())} of {len(reduction.used)} were to agree"
    yield "steps", f"{reduction.iterations}, {state}"


def describe(reduction: Reduction) -> str:
    """Return all of it as text."""
    words = [f"{word:<9}{said}" for word, said in summary_rows(reduction)]
    parts = [
        _aligned([LEFT_OVER, *residual_rows(reduction)], 2),
        words,
        _aligned([LINKS, *link_rows(reduction)], 1),
    ]
    return "\n\n".join("\n".join(part) for part in parts)


def _aligned(rows: list[Row], left: int) -> list[str]:
    width = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(w) if i < left else cell.rjust(w)
            for i, (cell, w) in enumerate(zip(row, width, strict=True))
        )
        for row in rows
    ]


def links_frame(reduction: Reduction) -> pd.DataFrame:
    """Return the links as a table; see `Reduction.to_dataframe`."""
    import pandas as pd

    names = list(reduction.mass_change)
    change = np.array([reduction.mass_change[name] for name in names])
    after = np.array([reduction.model.link(name).inertia.mass for name in names])
    shift = np.array([reduction.centre_change[name] for name in names])
    data = {"mass_before": after - change, "mass_after": after, "mass_change": change}
    data |= {f"centre_{axis}": shift[:, i] for i, axis in enumerate("xyz")}
    return pd.DataFrame(data, index=pd.Index(names, name="link"))
