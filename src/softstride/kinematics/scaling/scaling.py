"""From a model and a standing trial to the model of this person."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from softstride.capture.recording import Recording
from softstride.errors import InputError, ModelError
from softstride.kinematics.frames import Range
from softstride.kinematics.scaling.fit import LARGE, SMALL, fit_sizes
from softstride.kinematics.scaling.measure import mean_targets, measured_factors, place_markers
from softstride.kinematics.scaling.muscle_lengths import scale_lengths
from softstride.kinematics.scaling.priors import Widths
from softstride.kinematics.scaling.result import (
    NOT_CONVERGED,
    WORST,
    Scaling,
    doubts,
    marker_errors,
    overall,
)
from softstride.kinematics.scaling.setup import ScaleSetup
from softstride.kinematics.scaling.setup_xml import read_scale_setup
from softstride.kinematics.scaling.static import BLOCKS, check_enough, check_spread, targets
from softstride.model import Model
from softstride.model.scaled_inertia import InertiaRule
from softstride.model.scaled_links import carriers, inherited
from softstride.model.scaling import scaled
from softstride.notes import Note, Notes

Array = NDArray[np.float64]
Method = Literal["auto", "measurements", "fit"]

MASS_RATIO = 8.0
"""A person is less than this many times as heavy or light as the model."""


def fit_scaling(
    model: Model,
    static: Recording,
    mass: float | None = None,
    *,
    setup: ScaleSetup | str | Path | None = None,
    method: Method = "auto",
    time_range: Range | None = None,
    markers: Iterable[str] | None = None,
    marker_widths: Mapping[str, float] | None = None,
    widths: Widths | None = None,
    frames: int = BLOCKS,
    fixed: Iterable[str] = (),
) -> Scaling:
    """Fit the sizes of a model's links and the places of its markers to a standing trial.

    "measurements" does what OpenSim's ScaleTool does with a setup: factors from distances between markers and by hand,
    mass, then the static pose and markers moved onto the measured ones. "fit" needs no setup: sizes, places of markers
    and poses in one weighted least-squares problem with priors (see `softstride.kinematics.scaling.fit`).

    What speaks against the result is in its notes, and in those of its model: `scale_model` refuses the worst of it.
    The fit is tested by finding again the sizes of the published model of walk_opencap_s4, each segment made up to
    10 % wrong: pelvis, trunk and legs within 3 % of the model itself. Its arms are compared with the fit that starts
    from the published model instead, since its elbow and wrist markers do not fit its own static trial (the fit makes
    the humerus 4 to 5 % longer).

    Args:
        model: The model; it is not changed.
        static: A standing trial.
        mass: Of the person [kg]. None: that of the setup, or else of the recording's subject, or else the model's.
        setup: A `ScaleSetup`, or the path of an OpenSim setup (.xml).
        method: "auto": by measurements if there is a setup.
        time_range: Part of the trial [s]; None: that of the setup, or else all of it.
        markers: Names of the markers to fit to ("fit" only); None: all that the recording has.
        marker_widths: Prior width of single markers [m] ("fit" only): small for those on bone.
        widths: All other prior widths ("fit" only).
        frames: How many median frames stand for the trial ("fit" only).
        fixed: Markers that stay where they are on their links, beside those that the setup fixes.

    Returns:
        The scaled model with factors, marker errors, pose and notes.

    Raises:
        InputError: No marker in common, nothing seen, a time range outside the trial, an unknown method or marker, a
            mass that is no number, less than one frame.
        ModelError: A setup that cannot be read, a factor or mass that cannot be meant.
    """
    chosen = read_scale_setup(setup) if isinstance(setup, str | Path) else setup
    if method == "auto":
        method = "measurements" if chosen is not None else "fit"
    if method not in ("measurements", "fit"):
        raise InputError(f"method must be auto, measurements or fit, however it is {method!r}")
    if chosen is not None:
        model = _with_markers(model, chosen)
        mass = chosen.mass if mass is None else mass
    if mass is None:
        mass = static.subject.mass
    _check_mass(model, mass)
    if isinstance(frames, bool) or not isinstance(frames, int | np.integer) or frames < 1:
        raise InputError(f"frames must be a whole number of at least 1, however it is {frames!r}")
    _check_names(model, fixed, "fixed")
    _check_names(model, marker_widths or (), "marker_widths")
    if method == "measurements":
        if chosen is None:
            raise InputError(
                "measurements need a setup that says which markers measure which link: give setup=, or method='fit'"
            )
        return _by_measurements(model, static, mass, chosen, time_range, set(fixed))
    if any(not width > 0.0 for width in (marker_widths or {}).values()):
        raise InputError("marker_widths must be above zero; name markers that may not move in fixed=")
    given = dict(marker_widths or {}) | dict.fromkeys(fixed, 0.0)
    return _by_fit(model, static, mass, chosen, time_range, markers, given, widths or Widths(), frames)


def scale_model(
    model: Model,
    static: Recording,
    mass: float | None = None,
    *,
    setup: ScaleSetup | str | Path | None = None,
    method: Method = "auto",
    time_range: Range | None = None,
) -> Model:
    """Return the model of the person of a standing trial: `fit_scaling(...).model`, if it is one.

    Its notes say all that `Scaling.notes` says: labels ignored, markers moved far, links at the bounds of the fit,
    "scaling did not converge".

    Args:
        model: See `fit_scaling`, as for all others.
        static: A standing trial.
        mass: Of the person [kg].
        setup: A `ScaleSetup`, or the path of an OpenSim setup (.xml).
        method: "auto", "measurements" or "fit".
        time_range: Part of the trial [s].

    Raises:
        InputError: As `fit_scaling`.
        ModelError: As `fit_scaling`; fewer than 3 markers or 2 links in common; markers that are off by more than
            6 cm (rms, before they are moved on their links).
    """
    chosen = read_scale_setup(setup) if isinstance(setup, str | Path) else setup
    check_enough(model if chosen is None else _with_markers(model, chosen), static)
    found = fit_scaling(model, static, mass, setup=chosen, method=method, time_range=time_range)
    if found.unplaced_rms > WORST:
        worst = sorted(found.unplaced_error, key=lambda name: -found.unplaced_error[name].rms)[:5]
        raise ModelError(
            f"{model.name!r} does not fit {static.name!r}: its markers are off by {1e3 * found.unplaced_rms:.0f} mm "
            f"rms, most of all {', '.join(worst)}; above {1e3 * WORST:.0f} mm labels are shuffled or swapped, or the "
            f"model is another. Check the labels and axes of the recording; `fit_scaling` shows all errors."
        )
    return found.model


def _check_mass(model: Model, mass: float | None) -> None:
    if mass is not None and (isinstance(mass, bool) or not isinstance(mass, int | float | np.number)):
        raise InputError(f"mass must be a number of kg, however it is {mass!r}")
    if mass is not None and model.mass > 0.0 and not 1.0 / MASS_RATIO < mass / model.mass < MASS_RATIO:
        raise ModelError(
            f"mass {mass:g} kg is too far from the {model.mass:.4g} kg of {model.name!r} to be that of a person: give "
            f"it in kg; `scaled` takes any."
        )


def _check_names(model: Model, names: Iterable[str], what: str) -> None:
    unknown = [name for name in names if name not in model.markers]
    if unknown:
        raise InputError(
            f"{what}: {unknown[0]!r} is no marker of {model.name!r}; it has: {', '.join(model.markers)}"
        )


def _with_markers(model: Model, setup: ScaleSetup) -> Model:
    """Put the markers of a setup on the model."""
    lost = [
        name for name, each in setup.markers.items() if each.point.link not in (*model.link_names, "world")
    ]
    if lost:
        raise ModelError(
            f"marker {lost[0]!r} of the setup is on {setup.markers[lost[0]].point.link!r}, which is no link of "
            f"{model.name!r}."
        )
    extra = {name: each.point for name, each in setup.markers.items()}
    return model.replace(markers=dict(model.markers) | extra) if extra else model


def _by_measurements(
    model: Model,
    static: Recording,
    mass: float | None,
    setup: ScaleSetup,
    time_range: Range | None,
    fixed: set[str],
) -> Scaling:
    factors: dict[str, Array] = {name: np.ones(3) for name in model.link_names}
    notes = Notes(setup.notes)
    grown = model
    if setup.scale:
        factors, found = measured_factors(model, static, setup, time_range)
        notes.extend(found)
        inside = carriers(model)
        factors = inherited(model, {name: row for name, row in factors.items() if name not in inside})
        grown = _grow(model, factors, mass, setup.keep_mass_distribution, "cylinder")
    seen = mean_targets(grown, static, time_range or setup.place_range)
    notes.extend(seen.notes)
    unknown = [name for name in setup.goals if name not in model.coordinates]
    if unknown:
        text = f"coordinate tasks that the model does not have were ignored: {', '.join(unknown)}"
        notes.add("scaling.goals-ignored", text, topic="scaling", names=unknown)
    stay = fixed | {name for name, each in setup.markers.items() if each.fixed}
    if not setup.place:
        stay = set(model.markers)
    placed = place_markers(grown, seen, setup.marker_weights, setup.goals, stay)
    q = placed.q[None]
    after, before = marker_errors(placed.model, q, seen, grown.markers)
    notes.extend(doubts(overall(before), placed.moved, placed.converged))
    return Scaling(
        model=_noted(placed.model, "measurements", factors, notes),
        factors=factors,
        factor_std={name: np.full(3, np.nan) for name in factors},
        marker_error=after,
        unplaced_error=before,
        moved=placed.moved,
        q=q,
        time=seen.time,
        method="measurements",
        iterations=placed.iterations,
        converged=placed.converged,
        notes=tuple(notes),
    )


def _by_fit(
    model: Model,
    static: Recording,
    mass: float | None,
    setup: ScaleSetup | None,
    time_range: Range | None,
    markers: Iterable[str] | None,
    marker_widths: Mapping[str, float],
    widths: Widths,
    frames: int,
) -> Scaling:
    if setup is not None and time_range is None:
        time_range = setup.time_range
    seen = targets(model, static, time_range=time_range, blocks=frames, only=markers)
    each = np.array([marker_widths.get(name, widths.marker) for name in seen.names])
    check_spread(model, seen)
    fit = fit_sizes(model, seen, each, widths)
    factors = {name: fit.factors[name].copy() for name in model.link_names}
    keep = setup.keep_mass_distribution if setup is not None else True
    grown = _grow(model, factors, mass, keep, "affine")
    moved = dict(zip(seen.names, fit.state.d, strict=True))
    placed = grown.replace(
        markers={
            name: replace(point, position=point.position + moved[name]) if name in moved else point
            for name, point in grown.markers.items()
        }
    )
    doubtful = [name for name, trust in fit.trust.items() if trust < 0.2]
    notes = Notes(seen.notes)
    if doubtful:
        text = f"markers that fit badly and had little weight: {', '.join(doubtful)}"
        notes.add("scaling.markers-fit-badly", text, severity="warning", topic="scaling", names=doubtful)
    stuck = [name for name, u in zip(model.link_names, fit.state.u, strict=True) if u in (SMALL, LARGE)]
    if stuck:
        notes.add(
            "scaling.links-at-bounds",
            f"links at the bounds of the fit ({SMALL:g} to {LARGE:g} times the model), so larger or smaller than it "
            f"can make them: {', '.join(stuck)}",
            severity="warning",
            topic="scaling",
            names=stuck,
            values={"least": SMALL, "most": LARGE},
        )
    if not fit.started:
        text = "the fit was not tried: the markers are decimetres off the model in its best pose"
        notes.add("scaling.not-tried", text, severity="warning", topic="scaling")
    after, before = marker_errors(placed, fit.state.q, seen, grown.markers)
    notes.extend(doubts(overall(before), moved, fit.converged))
    return Scaling(
        model=_noted(placed, "fit", factors, notes),
        factors=factors,
        factor_std=dict(zip(model.link_names, fit.factor_std, strict=True)),
        marker_error=after,
        unplaced_error=before,
        moved=moved,
        q=fit.state.q,
        time=seen.time,
        method="fit",
        iterations=fit.iterations,
        converged=fit.converged,
        notes=tuple(notes),
    )


def _grow(
    model: Model, factors: Mapping[str, Array], mass: float | None, keep: bool, rule: InertiaRule
) -> Model:
    grown = scaled(model, factors, mass=mass, keep_mass_distribution=keep, inertia=rule)
    return scale_lengths(model, grown) if model.muscles or model.ligaments else grown


def _noted(model: Model, method: str, factors: Mapping[str, Array], notes: Iterable[Note]) -> Model:
    every = np.array(list(factors.values()))
    least, most = float(every.min()), float(every.max())
    text = f"scaled to a standing trial by {method}, factors {least:.3f} to {most:.3f}"
    note = Note("scaling.to-a-trial", text, topic="scaling", values={"least": least, "most": most})
    told = (
        each if each.code == NOT_CONVERGED else replace(each, text=f"scaling: {each.text}") for each in notes
    )
    return model.replace(notes=(*model.notes, note, *told))
