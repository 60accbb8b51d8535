"""OpenSim's functions of one coordinate as ours."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

from softstride.model.functions import (
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

KNOWN = (
    "Constant",
    "LinearFunction",
    "PolynomialFunction",
    "PiecewiseLinearFunction",
    "SimmSpline",
    "MultiplierFunction",
)
"""Functions that are understood, by their names in format 3 and 4."""

_OLD_NAMES = {
    "natCubicSpline": "SimmSpline",
    "NaturalCubicSpline": "SimmSpline",
    "ConstantFunction": "Constant",
}
_MAX_DEGREE = 30


def read_function(element: Element, context: Context) -> Function:
    """Return the function that an element describes.

    A multiple of a constant is folded into a constant, a spline through one point likewise.

    Args:
        element: The element of the function itself, for example `<LinearFunction>`.
        context: The document.

    Raises:
        ModelError: A function that is not understood, or numbers that do not make one.
    """
    factor = 1.0
    while element.tag == "MultiplierFunction":
        factor *= context.number(element, "scale", 1.0)
        element = inner_function(element, "function", context)
    function = _plain(element, context)
    if isinstance(function, Constant):
        return Constant(factor * function.value)
    return function if factor == 1.0 else Scaled(function, factor)


def is_function(element: Element) -> bool:
    """Whether an element describes a function, known or not."""
    tag = element.tag
    return tag in KNOWN or tag in _OLD_NAMES or tag.endswith(("Function", "Spline")) or tag == "Sine"


def inner_function(element: Element, tag: str, context: Context) -> Element:
    """Return the element of the function that a property holds.

    Format 3 wraps it, `<function><SimmSpline>...`; format 4 may name it, `<SimmSpline name="function">`.
    """
    for holder in element.findall(tag):
        for child in holder:
            return child
    for child in element:
        if child.get("name") == tag:
            return child
    raise context.error(element, f"has no function in <{tag}>; add one.")


def _plain(element: Element, context: Context) -> Function:
    kind = _OLD_NAMES.get(element.tag, element.tag)
    if kind == "Constant":
        return Constant(context.number(element, "value", 0.0))
    if kind == "LinearFunction":
        slope, intercept = context.numbers(element, "coefficients", 2, (1.0, 0.0))
        return Linear(float(slope), float(intercept))
    if kind == "PolynomialFunction":
        coefficients = context.numbers(element, "coefficients")
        if len(coefficients) > _MAX_DEGREE + 1:
            raise context.error(
                element, f"is of degree {len(coefficients) - 1}; at most {_MAX_DEGREE} is read."
            )
        return Polynomial(coefficients[::-1])
    if kind in ("SimmSpline", "PiecewiseLinearFunction"):
        x, y = context.numbers(element, "x"), context.numbers(element, "y")
        if len(x) != len(y):
            raise context.error(
                element, f"must have as many y as x, however it has {len(x)} x and {len(y)} y."
            )
        if len(x) == 1:
            return Constant(float(y[0]))
        return context.build(element, SimmSpline if kind == "SimmSpline" else PiecewiseLinear, x, y)
    raise context.error(
        element,
        f"is a function that is not understood here; known: {', '.join(KNOWN)}. Replace it by a SimmSpline.",
    )
