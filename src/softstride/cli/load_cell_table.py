"""What is said about the force on a blade and about its stiffness: figures for programs, tables for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softstride.cli.output import print_lines, print_table
from softstride.cli.spelling import shell_words

if TYPE_CHECKING:
    from softstride.dynamics.blade.fit import BladeFit
    from softstride.dynamics.blade.load_cell import BladeForce


def blade_force_figures(found: BladeForce) -> dict[str, Any]:
    """Return the key numbers of a force on a blade, in [N] and seconds."""
    size = np.linalg.norm(found.force, axis=1)
    at = int(size.argmax())
    return {
        "blade": found.link,
        "frames": len(found.time),
        "force_peak_n": float(size[at]),
        "force_peak_time": float(found.time[at]),
        "force_at_peak_n": found.force[at].tolist(),
        "std_at_peak_n": found.std[at, -3:].tolist(),
        "misfit_median": float(np.median(found.misfit)),
        "frames_not_seen_in_all_directions": int((~found.seen.all(axis=1)).sum()),
        "notes": [shell_words(note) for note in found.notes],
    }


def print_blade_force(found: BladeForce) -> None:
    """Print the load on a blade at its peak, component by component."""
    size = np.linalg.norm(found.force, axis=1)
    at = int(size.argmax())
    whole = np.concatenate([found.wrench.moment, found.force], axis=1)[:, 6 - len(found.components) :]
    rows = [
        (
            name,
            "N m" if name.startswith("moment") else "N",
            f"{whole[at, k]:.1f}",
            f"{found.std[at, k]:.1f}",
            f"{np.mean(found.observable[:, k]):.0%}",
        )
        for k, name in enumerate(found.components)
    ]
    print_table(
        ("load", "unit", "at peak", "± std", "seen in"),
        rows,
        title=f"{found.link}: load from its deformation, peak {size[at]:.0f} N at {found.time[at]:.3f} s, "
        f"misfit {np.median(found.misfit):.2f} of the rows' errors",
        numbers=range(2, 5),
    )
    print_lines([("-", "", shell_words(note)) for note in found.notes])


def blade_fit_figures(fit: BladeFit) -> dict[str, Any]:
    """Return the key numbers of a stiffness that was identified."""
    return {
        "blade": fit.link,
        "frames": fit.frames,
        "trials": len(fit.used),
        "force_peak_n": fit.peak,
        "r2": fit.r2,
        "scales": dict(zip(fit.names, fit.scale.tolist(), strict=True)),
        "std": dict(zip(fit.names, fit.std.tolist(), strict=True)),
        "notes": [shell_words(note) for note in fit.notes],
    }


def print_blade_fit(fit: BladeFit) -> None:
    """Print the factors of the stiffness of a blade with their standard errors."""
    rows = [
        (name, f"{scale:.4f}", f"{std:.4f}", f"{expected:.4f}", f"{alike:.2f}")
        for name, scale, std, expected, alike in zip(
            fit.names, fit.scale, fit.std, fit.expected_std, fit.correlation, strict=True
        )
    ]
    print_table(
        ("stiffness of", "factor", "± std", "expected", "neighbours alike"),
        rows,
        title=f"{fit.link}: {fit.frames} frames of {len(fit.used)} trials, up to {fit.peak:.0f} N, R² {fit.r2:.4f}",
        numbers=range(1, 5),
    )
    print_lines([("-", "", shell_words(note)) for note in fit.notes])
