"""`softstride id --reduce`: what it asks for, writes and says about a residual reduction."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from softstride.cli.output import print_lines, print_table
from softstride.errors import InputError

if TYPE_CHECKING:
    from softstride.capture.recording import Recording
    from softstride.dynamics.reduction.result import Reduction
    from softstride.kinematics.motion import Motion
    from softstride.model.model import Model
    from softstride.notes import Note

MODELS = (".osim", ".json")


def check_reduction(
    reduce: bool, options: Mapping[str, Any], model_out: Path | None, motion_out: Path | None, forces: bool
) -> None:
    """Refuse requests that only make sense with --reduce, and --reduce without forces."""
    given = {"--total-mass": options.get("total_mass"), "--model-out": model_out, "--motion-out": motion_out}
    for option, value in given.items():
        if value is not None and not reduce:
            raise InputError(f"{option} needs --reduce: without it model and motion stay as they are")
    if reduce and not forces:
        raise InputError("--reduce needs forces to agree with: give them with --external-loads")


def reduce_from(
    model: Model,
    motion: Motion,
    recording: Recording | None,
    options: Mapping[str, Any],
    threads: int,
) -> Reduction:
    """Reduce the residual."""
    from softstride.dynamics.reduction.options import ReductionOptions
    from softstride.dynamics.reduction.reduce import reduce_residuals

    if recording is None:
        raise InputError("--reduce needs forces to agree with: give them with --external-loads")
    return reduce_residuals(model, motion, recording, ReductionOptions(**options), threads=threads)


def save_reduction(
    reduction: Reduction, model_out: Path | None, motion_out: Path | None, overwrite: bool
) -> tuple[Note, ...]:
    """Write the changed model and motion where wanted; return notes on what the files could not hold."""
    from softstride.model.load import save_model

    notes: tuple[Note, ...] = ()
    if model_out is not None:
        notes += save_model(reduction.model, model_out, overwrite=overwrite)
    if motion_out is not None:
        notes += reduction.motion.save(motion_out, overwrite=overwrite)
    return notes


def reduction_figures(reduction: Reduction) -> dict[str, Any]:
    """Return the key numbers as one flat mapping, in [N], [N m], [kg], [m] and [rad]."""
    left = reduction.residual()
    figures: dict[str, Any] = {}
    for what, unit in (("force", "n"), ("moment", "nm")):
        for size in ("rms", "peak"):
            before, after = left[f"{what} {size}"]
            figures[f"reduced_{what}_{size}_before_{unit}"] = before
            figures[f"reduced_{what}_{size}_after_{unit}"] = after
    figures |= {
        "allowed_force_n": reduction.allowed[0],
        "allowed_moment_nm": reduction.allowed[1],
        "frames_reduced": int(reduction.used.sum()),
        "mass_before_kg": reduction.model.mass - reduction.total_mass_change,
        "mass_after_kg": reduction.model.mass,
        "mass_changes_kg": dict(reduction.mass_change),
        "centre_changes_m": {name: shift.tolist() for name, shift in reduction.centre_change.items()},
        "base_shift_peak_m": reduction.largest_shift[0],
        "base_turn_peak_rad": reduction.largest_shift[1],
        "marker_rms_before_m": reduction.marker_rms[0],
        "marker_rms_after_m": reduction.marker_rms[1],
        "reduction_limits": list(reduction.limits),
        "reduction_steps": reduction.iterations,
        "reduction_converged": reduction.converged,
    }
    return figures


def print_reduction(reduction: Reduction) -> None:
    """Print what was changed, and what it brought."""
    from softstride.dynamics.reduction.text import LEFT_OVER, LINKS, link_rows, residual_rows, summary_rows

    print_lines(
        [(word, "", said) for word, said in summary_rows(reduction)],
        title=f"{reduction.model.name}: residual reduction",
    )
    print_table(LEFT_OVER, residual_rows(reduction), title="\nResidual", numbers=range(2, 5))
    print_table(LINKS, link_rows(reduction), title="\nMasses and centres", numbers=range(1, 7))
