"""Fitting polynomials to paths."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from softstride.engine import inputs
from softstride.engine.path_plan import path_plan
from softstride.errors import InputError
from softstride.frozen import Table
from softstride.model import Model
from softstride.model.checks import names_hint
from softstride.muscles.paths.names import named_paths
from softstride.muscles.paths.paths import MusclePaths, muscle_paths
from softstride.muscles.paths.polynomial import basis, exponents
from softstride.muscles.paths.surrogate import PathSurrogate, SurrogateGroup, plain_columns
from softstride.signals.inputs import check_count, check_positive

Array = NDArray[np.float64]
IntArray = NDArray[np.int64]
Ranges = Mapping[str, tuple[float, float]]

_ROWS_A_TERM = 6  # poses of the fit for each term, at least
_LEAST = 300  # poses of the fit, at least
_WIDEST = 2.0 * np.pi  # range of a coordinate that is taken from the model without being asked for


def fit_path_surrogate(
    model: Model,
    muscles: Iterable[str] | str | None = None,
    ranges: Ranges | None = None,
    *,
    tolerance: float = 2e-4,
    max_degree: int = 6,
    max_terms: int = 500,
    samples: int = 500,
    seed: int = 0,
    threads: int | None = None,
) -> PathSurrogate:
    """Fit polynomials to the paths of muscles.

    Poses are drawn evenly from the ranges; lengths and arms are fitted together by least squares. The degree of a group
    of muscles that the same coordinates move grows until the root mean square error of their arms on poses that the fit
    did not see is below the tolerance, or a limit is reached.

    Args:
        model: The model.
        muscles: Names of muscles or ligaments; None: all muscles that are enabled.
        ranges: Range of coordinates [rad] or [m] by name; those left out have the range of the model.
        tolerance: Wanted error of arms, root mean square over the muscles of a group [m].
        max_degree: Highest total degree; 0: constants.
        max_terms: Largest number of terms of a polynomial.
        samples: Poses on which errors are stated.
        seed: Of the poses.
        threads: How many threads may be used.

    Returns:
        The polynomials with their errors.

    Raises:
        InputError: No such muscle or coordinate; a range that is empty, or that is needed and missing; a muscle over a
            spherical or free joint, whose rotation is no set of numbers with ranges; numbers that make no fit.
    """
    check_positive("tolerance", tolerance, "m")
    check_count("max_degree", max_degree, 0)
    check_count("max_terms", max_terms, 1)
    check_count("samples", samples, 1)
    check_count("seed", seed, 0)
    chosen = named_paths(model, muscles)
    given = _checked_ranges(model, ranges)
    moved = _moving(model, tuple(chosen))
    used = sorted({v for columns in moved for v in columns})
    limits = {model.coordinate_names[v]: _range(model, model.coordinate_names[v], given) for v in used}
    columns = plain_columns(model)
    rng = np.random.default_rng(seed)

    def poses(n: int) -> Array:
        q = np.tile(model.neutral(), (n, 1))
        for name, (low, high) in limits.items():
            q[:, columns[name][0]] = rng.uniform(low, high, n)
        return q

    unseen = poses(samples)
    truth = muscle_paths(model, unseen, muscles=list(chosen), threads=threads)
    groups, degrees = [], np.zeros(len(chosen), dtype=np.int64)
    for places in dict.fromkeys(moved):
        members = np.array([i for i, own in enumerate(moved) if own == places], dtype=np.int64)
        names = [model.coordinate_names[v] for v in places]
        bounds = np.array([limits[name] for name in names]).reshape(-1, 2)
        at = np.array([columns[name][0] for name in names], dtype=np.int64)
        frame = at, np.array(places, dtype=np.int64), bounds.mean(axis=1), 0.5 * (bounds[:, 1] - bounds[:, 0])
        group = None
        for degree in range(min(1, max_degree) if places else 0, max_degree + 1):
            terms = exponents(len(places), degree)
            if group is not None and len(terms) > max_terms:
                break
            q = poses(max(_LEAST, _ROWS_A_TERM * len(terms)))
            sample = muscle_paths(model, q, muscles=[truth.names[i] for i in members], threads=threads)
            group = _fit(members, frame, terms, q, sample)
            degrees[members] = degree
            error = group.evaluate(unseen)[1] - truth.arms[:, members][:, :, group.places]
            if not places or np.sqrt(np.mean(error**2)) <= tolerance:
                break
        if group is not None:
            groups.append(group)
    return _stated(model, tuple(chosen), moved, degrees, limits, tuple(groups), unseen, truth)


def _fit(
    members: IntArray,
    frame: tuple[IntArray, IntArray, Array, Array],
    terms: IntArray,
    q: Array,
    sample: MusclePaths,
) -> SurrogateGroup:
    """Fit the coefficients to lengths and arms, arms in units of half the range."""
    columns, places, centre, half = frame
    values, slopes = basis((q[:, columns] - centre) / half, terms)
    A = np.concatenate([values, *slopes])
    arms = [-sample.arms[:, :, v] * h for v, h in zip(places, half, strict=True)]
    b = np.concatenate([sample.length, *arms])
    coefficients = np.linalg.lstsq(A, b, rcond=None)[0]
    return SurrogateGroup(members, columns, places, centre, half, terms, coefficients)


def _stated(
    model: Model,
    names: tuple[str, ...],
    moved: list[tuple[int, ...]],
    degrees: IntArray,
    limits: Mapping[str, tuple[float, float]],
    groups: tuple[SurrogateGroup, ...],
    unseen: Array,
    truth: MusclePaths,
) -> PathSurrogate:
    """Return the surrogate with its errors on unseen poses."""
    errors = np.zeros((4, len(names)))
    for group in groups:
        fitted, slopes = group.evaluate(unseen)
        e = fitted - truth.length[:, group.muscles]
        errors[:2, group.muscles] = np.sqrt(np.mean(e**2, axis=0)), np.abs(e).max(axis=0)
        if len(group.places):
            d = slopes - truth.arms[:, group.muscles][:, :, group.places]
            errors[2:, group.muscles] = np.sqrt(np.mean(d**2, axis=(0, 2))), np.abs(d).max(axis=(0, 2))
    return PathSurrogate(
        model=model,
        names=names,
        coordinates=tuple(tuple(model.coordinate_names[v] for v in own) for own in moved),
        degree=degrees,
        length_rms=errors[0],
        length_max=errors[1],
        arms_rms=errors[2],
        arms_max=errors[3],
        ranges=Table(limits),
        groups=groups,
    )


def _moving(model: Model, names: tuple[str, ...]) -> list[tuple[int, ...]]:
    """Return the columns in v of the coordinates that move each muscle."""
    plan = path_plan(model, named_paths(model, names))
    plain = plain_columns(model)
    result = []
    for i, name in enumerate(names):
        own = sorted(plan.moved_by(i))
        for v in own:
            coordinate = model.coordinate_names[v]
            if coordinate not in plain:
                raise InputError(
                    f"{name!r} is moved by {coordinate!r}, part of a rotation by quaternion, which no polynomial in "
                    f"the coordinates describes; use a Custom joint there"
                )
        result.append(tuple(own))
    return result


def _checked_ranges(model: Model, ranges: Ranges | None) -> dict[str, tuple[float, float]]:
    """Return the ranges that were given as numbers."""
    if ranges is None:
        return {}
    if not isinstance(ranges, Mapping):
        raise InputError(f"ranges must be (low, high) by name of coordinate, however they are {ranges!r}")
    found = {}
    for name, bounds in ranges.items():
        if name not in model.coordinates:
            raise InputError(
                f"{name!r} in ranges is no coordinate of {model.name!r}; it has {names_hint(model.coordinates, name)}"
            )
        pair = inputs.numbers(bounds, f"range of {name!r}")
        if pair.shape != (2,) or not np.isfinite(pair).all() or pair[0] >= pair[1]:
            raise InputError(
                f"range of {name!r} must be (low, high) with low below high, however it is {bounds!r}"
            )
        found[name] = (float(pair[0]), float(pair[1]))
    return found


def _range(model: Model, name: str, given: Ranges) -> tuple[float, float]:
    if name in given:
        return given[name]
    coordinate = model.coordinates[name]
    low, high = coordinate.lower, coordinate.upper
    if not (np.isfinite(low) and np.isfinite(high)) or not 0.0 < high - low <= _WIDEST:
        raise InputError(
            f"coordinate {name!r} has the range {low:g} to {high:g}, which is no range for a polynomial; give one: "
            f"ranges={{{name!r}: (low, high)}}"
        )
    return low, high
