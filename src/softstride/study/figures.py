"""Figures of merit of a study: one number each, by name, with units in the names.

They certify the parts: how well markers are met, what nothing explains, how far an estimated ground reaction is from
the measured one, whether everything converged. NaN figures are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.loads import Loads
from softstride.frozen import Table

if TYPE_CHECKING:
    from softstride.study.study import Study

AXES = ("forward", "up", "right")

SATURATED = 0.99
"""Activation from which on a muscle gives all it has."""


def figures_of_merit(study: Study) -> Table[float]:
    """Return figures of merit by name."""
    found: dict[str, float] = {
        "frames": float(study.motion.n_frames),
        "duration_s": study.motion.duration,
        "mass_kg": study.model.mass,
    }
    fit = study.motion.fit
    if fit is not None:
        found |= {
            "marker_rms_mm": 1e3 * fit.rms,
            "marker_max_mm": 1e3 * fit.max_error,
            "ik_converged_percent": _percent(fit.converged),
        }
    for name, loads in (("measured", study.measured), ("estimated", study.estimated)):
        if loads is not None:
            found |= _residual(name, loads, study.weight)
    if study.estimated is not None and study.estimated.ground is not None:
        ground = study.estimated.ground
        found["estimated_converged_percent"] = _percent(ground.converged)
        found["friction_margin_min_bw"] = float(ground.friction_margin.min()) / study.weight
    if study.validation is not None:
        found |= _validation(study)
    for name, force in study.blades.items():
        found[f"blade_{name}_peak_N"] = float(np.nanmax(np.linalg.norm(force.force, axis=1)))
    if study.forces is not None:
        found |= _forces(study)
        found |= _emg(study)
    if study.reactions is not None:
        found["reactions_balance"] = study.reactions.balance
    for side, knee in study.knees.items():
        if np.isfinite(knee.total).any():
            found[f"knee_{side}_{knee_kind(study)}_peak_bw"] = float(np.nanmax(knee.total)) / knee.body_weight
    return Table({name: float(value) for name, value in found.items() if np.isfinite(value)})


def knee_kind(study: Study) -> str:
    """Return what the forces of the knees are called: "contact", or "net" where no muscles pull."""
    return "net" if study.reactions is None else study.reactions.kind


def _residual(name: str, loads: Loads, weight: float) -> dict[str, float]:
    """Return residuals over all frames, and over those that are believed: where no force is missing."""
    force = np.linalg.norm(loads.residual[~loads.doubtful, 3:], axis=1)
    believed = float(np.sqrt(np.nanmean(force**2))) if np.isfinite(force).any() else float("nan")
    return {
        f"{name}_residual_force_believed_rms_percent_bw": 100.0 * believed / weight,
        f"{name}_residual_force_rms_percent_bw": 100.0 * loads.residual_force_rms / weight,
        f"{name}_residual_moment_rms_Nm": loads.residual_moment_rms,
        f"{name}_doubtful_percent": _percent(loads.doubtful),
    }


def _validation(study: Study) -> dict[str, float]:
    judged = study.validation
    assert judged is not None  # noqa: S101 -- for the type checker: asked for only where there is one
    whole = any(not strike.partial for strike in judged)
    means, found = judged.mean_of(whole=whole), {"strikes": float(len(judged))}
    for i, axis in enumerate(AXES):
        found[f"grf_rrmse_{axis}_percent"] = float(means["rrmse"][i])
        found[f"grf_rmse_{axis}_N"] = float(means["rmse"][i])
        found[f"grf_floor_{axis}_percent"] = float(means["floor"][i])
    found["cop_mm"] = 1e3 * float(means["cop"])
    return found


def _forces(study: Study) -> dict[str, float]:
    forces = study.forces
    assert forces is not None  # noqa: S101 -- as above
    found = {"muscles_converged_percent": _percent(forces.converged[forces.known])}
    found["muscles_known_percent"] = _percent(forces.known)
    if forces.known.any():
        full = forces.activation[forces.known] > SATURATED
        found["muscles_saturated_percent"] = _percent(full.ravel())
        found["muscles_kkt_max"] = float(np.nanmax(forces.kkt))
        peak = np.nanmax(np.abs(forces.demand), axis=0) if forces.demand.size else np.zeros(0)
        left = np.sqrt(np.nanmean(forces.moment_residual**2, axis=0)) if forces.demand.size else np.zeros(0)
        share = left[peak > 1.0] / peak[peak > 1.0]
        if len(share):
            found["moment_residual_rms_worst_percent_of_peak"] = 100.0 * float(share.max())
    return found


def _emg(study: Study) -> dict[str, float]:
    """Return the mean error against EMG, where EMG tells sizes: with maximal contractions."""
    from softstride.study.emg_comparison import emg_errors

    errors = emg_errors(study) if study.options.get("mvc") is not None else None
    return {} if errors is None else {"emg_rmse_percent_of_fmax": errors.mean}


def _percent(flags: NDArray[np.bool_]) -> float:
    return 100.0 * float(np.mean(flags)) if len(flags) else float("nan")
