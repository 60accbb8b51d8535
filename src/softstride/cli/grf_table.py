"""What `softstride grf` says: figures for programs, lines and tables for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from softstride.cli.output import print_lines, print_table
from softstride.cli.spelling import shell_words
from softstride.dynamics.ground import LOADED

if TYPE_CHECKING:
    from softstride.dynamics.loads import Loads
    from softstride.dynamics.validation.validate import StrikeErrors, Validation
    from softstride.notes import Said

AXES = ("x", "y", "z")
BY_AXIS = {
    "rmse": "rmse_{}_n",
    "rrmse": "rrmse_{}_percent",
    "correlation": "correlation_{}",
    "floor": "error_floor_{}_percent",
    "rmse_corrected": "rmse_corrected_{}_n",
    "rrmse_corrected": "rrmse_corrected_{}_percent",
    "floor_corrected": "error_floor_corrected_{}_percent",
}
"""Names of figures by axis, by the name that `Validation.means` has."""


def grf_figures(
    loads: Loads, seconds: float, judged: Validation | None = None, notes: Iterable[Said] = ()
) -> dict[str, Any]:
    """Return the key numbers as one flat mapping, in [N], [m], [m/s], percent and seconds."""
    n = len(loads)
    weight = loads.model.mass * float(np.linalg.norm(loads.model.gravity))
    figures: dict[str, Any] = {
        "frames": n,
        "seconds": seconds,
        "frames_per_second": n / max(seconds, 1e-9),
        "frames_doubtful": int(np.count_nonzero(loads.doubtful)),
        "body_weight_n": weight,
        "residual_force_rms_n": loads.residual_force_rms,
        "residual_force_peak_n": loads.residual_force_peak,
        "residual_force_rms_bw": loads.residual_force_rms / weight,
        "residual_moment_rms_nm": loads.residual_moment_rms,
        "residual_moment_peak_nm": loads.residual_moment_peak,
        "forces": list(loads.wrenches),
        "links": [wrench.link for wrench in loads.wrenches.values()],
        "force_peaks_n": [_largest(wrench.force[:, 1]) for wrench in loads.wrenches.values()],
        "frames_loaded": [
            int(np.count_nonzero(wrench.force[:, 1] > LOADED)) for wrench in loads.wrenches.values()
        ],
    }
    figures |= _ground_figures(loads)
    if judged is not None:
        figures |= _errors(judged)
    return figures | {"notes": [shell_words(note) for note in notes]}


def print_grf(loads: Loads, figures: dict[str, Any], judged: Validation | None = None) -> None:
    """Print what was decided, what acts on each foot, what is left over and, if it was measured, the errors."""
    print_lines(_lines(loads, figures), title=f"{loads.model.name}: ground reactions from the motion")
    print_table(
        ("force", "on", "peak [N]", "[BW]", f"above {LOADED:g} N"),
        _forces(loads, figures),
        title="\nGround reactions, upwards",
        numbers=range(2, 5),
    )
    if judged is not None:
        print_errors(judged)
    if figures["notes"]:
        notes = [("-", "", note) for note in figures["notes"]]
        print_lines(notes, title="\nNotes: what was decided on the way")


def print_errors(judged: Validation) -> None:
    """Print the errors of each strike beside their floors, and the means."""
    print_table(
        (
            "strike",
            "on",
            "RMSE [N] x, y, z",
            "rRMSE [%] (floor) x",
            "y",
            "z",
            "r x, y, z",
            "COP [mm]",
            "single",
        ),
        _strikes(judged),
        title="\nErrors while a foot is on a plate; in brackets what measured forces leave unexplained",
        numbers=range(2, 9),
    )
    print_table(
        ("strike", "rRMSE [%] (floor) x", "y", "z", "free moment [N m]"),
        _corrected(judged),
        title=f"\nThe same with loads times {judged.scale:.3f}, the mass that was measured over that of the model",
        numbers=range(1, 5),
    )
    if any(each.partial for each in judged.strikes):
        print_lines(
            [("*", "", "the foot was on the plate already in the first frame, or still in the last one")]
        )


def _ground_figures(loads: Loads) -> dict[str, Any]:
    """Return what was found about the ground; nothing for loads that were not estimated."""
    ground = loads.ground
    if ground is None:
        return {}
    converged = np.asarray(ground.converged)
    return {
        "lowpass_hz": loads.lowpass,
        "floor_height_m": float(ground.floor),
        "belt_m_s": [float(x) for x in ground.belt],
        "contacts": list(ground.names),
        "frames_converged": int(np.count_nonzero(converged)),
        "converged_share": float(converged.mean()) if len(converged) else float("nan"),
        "friction": float(ground.friction),
        "friction_used": _largest(np.asarray(ground.friction_used)),
        "friction_margin_n": _least(np.asarray(ground.friction_margin)),
    }


def _errors(judged: Validation) -> dict[str, Any]:
    figures: dict[str, Any] = {"strikes": len(judged), "mass_scale": judged.scale}
    for name, told in BY_AXIS.items():
        figures |= {told.format(axis): float(x) for axis, x in zip(AXES, judged.means[name], strict=True)}
    return figures | {
        "cop_rms_m": float(judged.means["cop"]),
        "cop_single_support_rms_m": float(judged.means["cop_single"]),
        "free_moment_rms_nm": float(judged.means["free_moment"]),
        "strike_feet": [each.foot for each in judged.strikes],
        "strike_starts_s": [each.start for each in judged.strikes],
        "strike_partial": [each.partial for each in judged.strikes],
        "strike_rrmse_percent": [each.rrmse.tolist() for each in judged.strikes],
        "strike_error_floor_percent": [each.floor.tolist() for each in judged.strikes],
    }


def _lines(loads: Loads, figures: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    n, time = figures["frames"], loads.time
    yield "frames", "", f"{n}, {time[0]:.3f} to {time[-1]:.3f} s"
    speed = f"{figures['frames_per_second']:.0f} frames per second"
    yield "solved in", "", f"{1e3 * figures['seconds']:.1f} ms, {speed}"
    if "floor_height_m" in figures:
        yield "floor", "", f"at {1e3 * figures['floor_height_m']:.1f} mm"
        x, y, z = figures["belt_m_s"]
        moves = any(abs(each) > 0.0 for each in (x, y, z))
        told = f"the ground moves at {x:.3f}, {y:.3f}, {z:.3f} m/s (x, y, z)"
        yield "belt", "", told if moves else "none: the ground rests"
        yield "contacts", "", f"{len(figures['contacts'])} places that may touch"
        bad = n - figures["frames_converged"]
        told = f"{100 * figures['converged_share']:.1f} % of the frames"
        yield "converged", "bold red" if bad else "", told + (f": {bad} did not" if bad else "")
        beyond = max(0.0, -figures["friction_margin_n"])
        told = f"a foot uses {100 * figures['friction_used']:.0f} % of mu = {figures['friction']:g} at most; "
        yield "friction", "", told + f"no place is beyond its cone by more than {beyond:.1g} N"
    share = f"{100 * figures['residual_force_rms_bw']:.2f} % of body weight"
    yield (
        "residual",
        "",
        f"on {loads.base}: {figures['residual_force_rms_n']:.2f} N rms ({share}), "
        f"{figures['residual_force_peak_n']:.2f} N at most; {figures['residual_moment_rms_nm']:.2f} N m rms, "
        f"{figures['residual_moment_peak_nm']:.2f} N m at most",
    )
    bad = figures["frames_doubtful"]
    yield "doubtful", "bold red" if bad else "", f"{bad} of {n} frames" if bad else "no frame"
    for word, key in (("forces", "out"), ("document", "loads_out"), ("loads", "id_out")):
        if key in figures:
            yield word, "", figures[key]


def _forces(loads: Loads, figures: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for (name, wrench), peak, count in zip(
        loads.wrenches.items(), figures["force_peaks_n"], figures["frames_loaded"], strict=True
    ):
        yield name, wrench.link, f"{peak:.1f}", f"{peak / figures['body_weight_n']:.2f}", f"{count} frames"


def _strikes(judged: Validation) -> Iterator[tuple[str, ...]]:
    for each in judged.strikes:
        pairs = [_pair(x, y) for x, y in zip(each.rrmse, each.floor, strict=True)]
        places = (_number(1e3 * each.cop), _number(1e3 * each.cop_single))
        yield _name(each), each.force, _three(each.rmse, 1), *pairs, _three(each.correlation, 2), *places
    mean = judged.means
    pairs = [_pair(x, y) for x, y in zip(mean["rrmse"], mean["floor"], strict=True)]
    places = (_number(1e3 * float(mean["cop"])), _number(1e3 * float(mean["cop_single"])))
    yield "mean", "", _three(mean["rmse"], 1), *pairs, _three(mean["correlation"], 2), *places


def _corrected(judged: Validation) -> Iterator[tuple[str, ...]]:
    for name, errors in [(_name(each), each.__dict__) for each in judged.strikes] + [
        ("mean", dict(judged.means))
    ]:
        pairs = zip(errors["rrmse_corrected"], errors["floor_corrected"], strict=True)
        yield name, *(_pair(x, y) for x, y in pairs), _number(float(errors["free_moment"]))


def _name(strike: StrikeErrors) -> str:
    return f"{strike.foot} {strike.start:.3f} to {strike.end:.3f} s{'*' if strike.partial else ''}"


def _pair(x: float, floor: float) -> str:
    return f"{x:.1f} ({floor:.1f})" if np.isfinite(floor) else f"{x:.1f}"


def _three(values: Iterable[float], digits: int) -> str:
    return " ".join(f"{x:.{digits}f}" for x in values)


def _number(x: float) -> str:
    return f"{x:.1f}" if np.isfinite(x) else "-"


def _largest(x: np.ndarray[Any, np.dtype[np.float64]]) -> float:
    return float(np.nanmax(x)) if np.isfinite(x).any() else float("nan")


def _least(x: np.ndarray[Any, np.dtype[np.float64]]) -> float:
    return float(np.nanmin(x)) if np.isfinite(x).any() else float("nan")
