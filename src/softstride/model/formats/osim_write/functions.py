"""Functions of coordinates in OpenSim's words.

An axis of ours is a sum of functions of one coordinate each; OpenSim's has one function. Sums are written as one
function wherever OpenSim has it: polynomials of one coordinate, a spline plus a line, linear functions of several
coordinates. What remains becomes an ExpressionBasedFunction, exact too, which needs OpenSim 4.6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from xml.etree.ElementTree import Element

import numpy as np

from softstride.model.checks import FloatArray
from softstride.model.formats.osim_write.elements import add, add_numbers, number
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

Terms = Sequence[tuple[str, Function]]


def add_function(parent: Element, function: Function, name: str | None = None) -> bool:
    """Append a function of one coordinate.

    Returns:
        Whether it needs OpenSim 4.6.
    """
    plain = simplest(function)
    if isinstance(plain, Constant):
        add_numbers(add(parent, "Constant", name=name), "value", [plain.value])
    elif isinstance(plain, Linear):
        _add_linear(parent, [plain.slope], plain.intercept, name)
    elif isinstance(plain, Polynomial):
        add_numbers(add(parent, "PolynomialFunction", name=name), "coefficients", plain.coefficients[::-1])
    elif isinstance(plain, SimmSpline | PiecewiseLinear):
        tag = "SimmSpline" if isinstance(plain, SimmSpline) else "PiecewiseLinearFunction"
        element = add(parent, tag, name=name)
        add_numbers(element, "x", plain.x)
        add_numbers(element, "y", plain.y)
    else:
        _add_expression(parent, [(0, plain)], name)
        return True
    return False


def add_sum(parent: Element, terms: Terms, name: str | None = None) -> tuple[tuple[str, ...], bool]:
    """Append the sum of functions of coordinates as one function.

    Returns:
        The coordinates it depends on, in the order of its arguments, and whether it needs OpenSim 4.6.
    """
    merged = _merged(terms)
    names = tuple(name for name in merged if name)
    parts = list(merged.values())
    if not parts:
        return (), add_function(parent, Constant(0.0), name)
    if len(parts) == 1 and len(parts[0]) == 1:
        return names, add_function(parent, parts[0][0], name)
    lines = [f for functions in parts for f in functions if isinstance(f, Linear)]
    if len(lines) == sum(len(functions) for functions in parts):  # one line for each coordinate
        _add_linear(parent, [line.slope for line in lines], sum(line.intercept for line in lines), name)
        return names, False
    _add_expression(parent, [(i, f) for i, functions in enumerate(parts) for f in functions], name)
    return names, True


def simplest(function: Function) -> Function:
    """Return the same function as the plainest kind that expresses it, without multiples and compositions."""
    if isinstance(function, Constant | Linear | SimmSpline | PiecewiseLinear):
        return function
    if isinstance(function, Scaled):
        return _affine(simplest(function.function), function.factor, 0.0, 0.0) or function
    if isinstance(function, Composed):
        return _composed(simplest(function.outer), function.inner) or function
    pieces = function.pieces()
    if len(pieces.origins) > 1:
        return function
    return _polynomial(_expanded(pieces.coefficients[0], float(pieces.origins[0])))


def _polynomial(coefficients: FloatArray) -> Function:
    order = max((i for i, value in enumerate(coefficients) if value), default=0)
    if order == 0:
        return Constant(float(coefficients[0]))
    if order == 1:
        return Linear(float(coefficients[1]), float(coefficients[0]))
    return Polynomial(coefficients[: order + 1])


def _expanded(coefficients: FloatArray, origin: float) -> FloatArray:
    """Return the coefficients in powers of x of a polynomial given in powers of x - origin."""
    result = np.zeros(1)
    for value in coefficients[::-1]:  # Horner with polynomials
        result = np.convolve(result, [-origin, 1.0])[: len(coefficients)]
        result[0] += value
    return result


def _affine(function: Function, factor: float, slope: float, intercept: float) -> Function | None:
    """Return factor · f(x) + slope · x + intercept; None if no kind expresses it."""
    if isinstance(function, Constant | Linear | Polynomial):
        coefficients = factor * function.pieces().coefficients[0]
        line = np.array([intercept, slope])
        size = max(len(coefficients), 2)
        return _polynomial(np.pad(coefficients, (0, size - len(coefficients))) + np.pad(line, (0, size - 2)))
    if isinstance(function, SimmSpline | PiecewiseLinear):  # both give straight lines back as they are
        return replace(function, y=factor * function.y + slope * function.x + intercept)
    return None


def _composed(outer: Function, inner: Function) -> Function | None:
    """Return outer(slope · x + intercept) if the inner function is one straight line, else None."""
    rows, origins = inner.pieces().coefficients, inner.pieces().origins
    slopes = rows[:, 1] if rows.shape[1] > 1 else np.zeros(len(rows))
    starts = rows[:, 0] - slopes * origins
    slope, start = float(slopes[0]), float(starts[0])
    scale = np.max(np.abs(starts)) + np.max(np.abs(slopes))
    if slope == 0.0 or np.ptp(slopes) > 1e-13 * scale or np.ptp(starts) > 1e-13 * scale:
        return None
    if isinstance(outer, SimmSpline | PiecewiseLinear):
        x, y = (outer.x - start) / slope, outer.y
        return replace(outer, x=x if slope > 0.0 else x[::-1], y=y if slope > 0.0 else y[::-1])
    if isinstance(outer, Constant | Linear | Polynomial):
        coefficients = outer.pieces().coefficients[0]
        result = np.zeros(1)
        for value in coefficients[::-1]:
            result = np.convolve(result, [start, slope])[: len(coefficients)]
            result[0] += value
        return _polynomial(result)
    return None


def _merged(terms: Terms) -> dict[str, list[Function]]:
    """Return the functions of each coordinate, as few as possible; a constant goes with the first coordinate."""
    constant = 0.0
    parts: dict[str, list[Function]] = {}
    for name, function in terms:
        plain = simplest(function)
        if isinstance(plain, Constant):
            constant += plain.value
        else:
            parts.setdefault(name, []).append(plain)
    if not parts:
        return {"": [Constant(constant)]} if constant else {}
    first = next(iter(parts))
    return {name: _added(functions, constant if name == first else 0.0) for name, functions in parts.items()}


def _added(functions: list[Function], constant: float) -> list[Function]:
    """Return functions of one coordinate, and a constant, as few functions with the same sum."""
    powers = [f.pieces().coefficients[0] for f in functions if isinstance(f, Linear | Polynomial)]
    total = np.zeros(max([2, *(len(row) for row in powers)]))
    total[0] = constant
    for row in powers:
        total[: len(row)] += row
    curves = [f for f in functions if not isinstance(f, Linear | Polynomial)]
    if curves and not np.any(total[2:]):  # a line disappears in a spline
        joined = _affine(curves[0], 1.0, float(total[1]), float(total[0]))
        if joined is not None:
            return [joined, *curves[1:]]
    polynomial = _polynomial(total)
    return curves if curves and not np.any(total) else [polynomial, *curves]


def _add_linear(parent: Element, slopes: Sequence[float], intercept: float, name: str | None) -> None:
    add_numbers(add(parent, "LinearFunction", name=name), "coefficients", [*slopes, intercept])


def _add_expression(parent: Element, parts: list[tuple[int, Function]], name: str | None) -> None:
    """Append the sum of functions, each of the argument with its number, as an expression."""
    element = add(parent, "ExpressionBasedFunction", name=name)
    add(element, "expression", "+".join(_expression(function, f"x{i}") for i, function in parts))
    add(element, "variables", " ".join(dict.fromkeys(f"x{i}" for i, _ in parts)))


def _expression(function: Function, x: str) -> str:
    """Return a piecewise polynomial as text: Σ_i step(x - b_i) (1 - step(x - b_i+1)) p_i(x)."""
    pieces = function.pieces()
    breaks = [number(b) for b in pieces.breaks]
    parts = []
    for i, row in enumerate(pieces.coefficients):
        d = f"({x}-({number(pieces.origins[i])}))"
        text = number(row[-1])
        for value in row[-2::-1]:
            text = f"(({number(value)})+{d}*({text}))"
        inside = f"step({x}-({breaks[i - 1]}))*" if i > 0 else ""
        inside += f"(1-step({x}-({breaks[i]})))*" if i < len(breaks) else ""
        parts.append(f"{inside}({text})")
    return "(" + "+".join(parts) + ")"
