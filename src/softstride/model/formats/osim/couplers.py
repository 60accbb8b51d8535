"""Coordinates that follow others: coupler constraints, eliminated by substitution.

A coupler says dependent = scale · f(independent). The dependent coordinate leaves the model; where it drove an axis
by g, the independent one drives it by g(scale · f).
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

import numpy as np

from softstride.model.formats.osim.functions import read_function
from softstride.model.functions import (
    Composed,
    Constant,
    Function,
    Linear,
    PiecewiseLinear,
    Polynomial,
    Scaled,
    SimmSpline,
)

if TYPE_CHECKING:
    from softstride.model.formats.osim.context import Context

MAX_DEGREE = 30
"""Highest degree of a polynomial of a polynomial."""

_COUPLER = "CoordinateCouplerConstraint"


def is_constant(function: Function) -> bool:
    """Whether a function is a `Constant`."""
    return isinstance(function, Constant)


def affine(function: Function, slope: float, intercept: float) -> Function | None:
    """Return slope · function + intercept as a function; None if its kind is not known here."""
    if isinstance(function, Constant):
        return Constant(slope * function.value + intercept)
    if isinstance(function, Linear):
        return Linear(slope * function.slope, slope * function.intercept + intercept)
    if isinstance(function, Polynomial):
        coefficients = slope * function.coefficients
        return Polynomial(np.concatenate([[coefficients[0] + intercept], coefficients[1:]]))
    if isinstance(function, SimmSpline | PiecewiseLinear):
        return type(function)(function.x, slope * function.y + intercept)
    if isinstance(function, Scaled):
        return affine(function.function, slope * function.factor, intercept)
    return Scaled(function, slope) if intercept == 0.0 else None


def compose(outer: Function, inner: Function) -> Function | None:
    """Return outer(inner(x)) as a function; None if no kind of function expresses it.

    Exact where the inner function has straight pieces, where the outer is linear, and for two polynomials.
    """
    if isinstance(outer, Constant):
        return outer
    if isinstance(inner, Constant):
        return Constant(float(outer(inner.value)))
    if isinstance(inner, Linear) and inner.slope == 1.0 and inner.intercept == 0.0:
        return outer
    if isinstance(outer, Scaled):
        within = compose(outer.function, inner)
        return None if within is None else affine(within, outer.factor, 0.0)
    if isinstance(outer, Linear):
        return affine(inner, outer.slope, outer.intercept)
    straight = inner.pieces().coefficients
    if straight.shape[1] <= 2 or not np.any(straight[:, 2:]):
        return Composed(outer, inner)
    if isinstance(outer, Polynomial) and isinstance(inner, Polynomial):
        return _polynomial_of_polynomial(outer, inner)
    return None


def _polynomial_of_polynomial(outer: Polynomial, inner: Polynomial) -> Polynomial | None:
    if (len(outer.coefficients) - 1) * (len(inner.coefficients) - 1) > MAX_DEGREE:
        return None
    result = np.zeros(1)
    for coefficient in outer.coefficients[::-1]:  # Horner
        result = np.convolve(result, inner.coefficients)
        result[0] += coefficient
    return Polynomial(result)


def read_couplers(context: Context) -> dict[str, tuple[str, Function]]:
    """Read all constraints: couplers become a table, dependent name -> (independent name, function).

    Chains (a follows b, b follows c) are resolved, so that no independent name is a dependent one.

    Raises:
        ModelError: A constraint that is no coupler and is switched on; couplers in a circle; two for one coordinate.
    """
    direct: dict[str, tuple[str, Function]] = {}
    elements: dict[str, Element] = {}
    for element in (*context.objects("ConstraintSet"), *context.components("Constraint")):
        if context.disabled(element):
            text = f"{context.label(element)} is switched off in the file and was left out"
            context.note("osim.switched-off", text, element)
            continue
        if element.tag != _COUPLER:
            raise context.error(
                element,
                "closes a loop between bodies or coordinates, which a tree of links cannot hold; disable it, or "
                f"replace it by a {_COUPLER}.",
            )
        dependent, independent, function = _read_coupler(context, element)
        if dependent in direct:
            raise context.error(
                element, f"coordinate {dependent!r} follows another already; keep one coupler."
            )
        direct[dependent], elements[dependent] = (independent, function), element
    return {name: _resolve(context, name, direct, elements[name]) for name in direct}


def _read_coupler(context: Context, element: Element) -> tuple[str, str, Function]:
    independent = context.names(element, "independent_coordinate_names")
    if len(independent) != 1:
        raise context.error(
            element,
            f"must have one independent coordinate, however it has {len(independent)}: {independent}.",
        )
    dependent = context.text(element, "dependent_coordinate_name")
    for name in (dependent, *independent):
        context.coordinate(name, element)
    holder = element.find("coupled_coordinates_function")
    if holder is None or len(holder) != 1:
        raise context.error(element, "has no <coupled_coordinates_function> with one function in it.")
    scaled = affine(read_function(holder[0], context), context.number(element, "scale_factor", 1.0), 0.0)
    if isinstance(scaled, Constant):
        raise context.error(
            element,
            f"holds {dependent!r} at a constant; OpenSim 4 holds {independent[0]!r} there instead. Lock the coordinate "
            f"that is meant.",
        )
    if scaled is None:  # not reachable for functions that were read
        raise context.error(element, "has a function that cannot be scaled.")
    return dependent, independent[0], scaled


def _resolve(
    context: Context, name: str, direct: dict[str, tuple[str, Function]], element: Element
) -> tuple[str, Function]:
    independent, function = direct[name]
    seen = {name}
    while independent in direct:
        if independent in seen:
            raise context.error(element, f"coordinates follow each other in a circle: {sorted(seen)}.")
        seen.add(independent)
        independent, inner = direct[independent]
        composed = compose(function, inner)
        if composed is None:
            raise context.error(
                element, "is a curve of a coordinate that itself follows a curve; use LinearFunction."
            )
        function = composed
    return independent, function
