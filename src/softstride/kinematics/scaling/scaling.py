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
from softstride.kinematics.scaling.fit import LARGE, SMALL, fit_sizes
from softstride.kinematics.scaling.measure import mean_targets, measured_factors, place_markers
from softstride.kinematics.scaling.muscle_lengths import scale_lengths
from softstride.kinematics.scaling.priors import Widths
from softstride.kinematics.scaling.result import Scaling, marker_errors
from softstride.kinematics.scaling.setup import ScaleSetup
from softstride.kinematics.scaling.setup_xml import read_scale_setup
from softstride.kinematics.scaling.static import BLOCKS, Range, check_spread, targets
from softstride.model import Model
from softstride.model.scaled_inertia import InertiaRule
from softstride.model.scaling import scaled

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
        InputError: No marker in common, nothing seen, a time range outside the trial, an unknown method or marker.
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
    """Return the model of the person of a standing trial: `fit_scaling(...).model`."""
    return fit_scaling(model, static, mass, setup=setup, method=method, time_range=time_range).model


def _check_mass(model: Model, mass: float | None) -> None:
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
    notes = list(setup.notes)
    grown = model
    if setup.scale:
        factors, found = measured_factors(model, static, setup, time_range)
        notes += found
        grown = _grow(model, factors, mass, setup.keep_mass_distribution, "cylinder")
    seen = mean_targets(grown, static, time_range or setup.place_range)
    notes += seen.notes
    unknown = [name for name in setup.goals if name not in model.coordinates]
    if unknown:
        notes.append(f"coordinate tasks that the model does not have were ignored: {', '.join(unknown)}")
    stay = fixed | {name for name, each in setup.markers.items() if each.fixed}
    if not setup.place:
        stay = set(model.markers)
    placed = place_markers(grown, seen, setup.marker_weights, setup.goals, stay)
    q = placed.q[None]
    return Scaling(
        model=_noted(placed.model, "measurements", factors),
        factors=factors,
        factor_std={name: np.full(3, np.nan) for name in factors},
        marker_error=marker_errors(placed.model, q, seen),
        unplaced_error=marker_errors(grown, q, seen),
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
    factors = {name: row.copy() for name, row in zip(model.link_names, fit.state.factors, strict=True)}
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
    notes = list(seen.notes)
    if doubtful:
        notes.append(f"markers that fit badly and had little weight: {', '.join(doubtful)}")
    stuck = [name for name, u in zip(model.link_names, fit.state.u, strict=True) if u in (SMALL, LARGE)]
    if stuck:
        notes.append(f"links at the bounds of the fit ({SMALL:g} to {LARGE:g}): {', '.join(stuck)}")
    if not fit.converged:
        notes.append("the fit did not come to rest; check the markers")
    return Scaling(
        model=_noted(placed, "fit", factors),
        factors=factors,
        factor_std=dict(zip(model.link_names, fit.factor_std, strict=True)),
        marker_error=marker_errors(placed, fit.state.q, seen),
        unplaced_error=marker_errors(grown, fit.state.q, seen),
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


def _noted(model: Model, method: str, factors: Mapping[str, Array]) -> Model:
    every = np.array(list(factors.values()))
    note = f"scaled to a standing trial by {method}, factors {every.min():.3f} to {every.max():.3f}"
    return model.replace(notes=(*model.notes, note))
