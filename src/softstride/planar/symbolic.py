"""The closed form in symbols, for teaching: torques and joint reactions of a chain of few links, by SymPy.

    tau_2 = m2 g lC2 cos(theta2 + epsC2) - ... + I_J2 thdd2

SymPy is an extra (`pip install 'softstride[symbolic]'`) and is loaded when first asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from softstride.errors import InputError

MOST_LINKS = 5
"""Links of a chain that can still be read."""


@dataclass(frozen=True, eq=False)
class ClosedForm:
    """Equations of a chain of n links with one contact on each, angles absolute.

    Symbols: l_i, m_i, lC_i and eps_i (centre of mass, polar), I_i (about J_i), g; theta_i, w_i (angular velocity), a_i
    (angular acceleration); X_i, Y_i (force at a contact), x_i, y_i (its point in the frame of the link).

    Attributes:
        n: Number of links.
        torque: Required torques tau_1 to tau_n, SymPy expressions [N·m].
        force: Joint reactions (x, y) of phi_1 to phi_n without muscles, SymPy expressions [N].
        symbols: The symbols by name.
    """

    n: int
    torque: tuple[Any, ...]
    force: tuple[tuple[Any, Any], ...]
    symbols: dict[str, Any]

    def inertial_terms(self, joint: int) -> int:
        """Return how many terms of tau_joint hold a velocity or an acceleration, each mass its own term."""
        sympy = load_sympy()
        rates = {self.symbols[f"{letter}{i}"] for letter in "wa" for i in range(1, self.n + 1)}
        whole = sympy.expand(self.torque[joint - 1])
        return sum(1 for term in sympy.Add.make_args(whole) if term.free_symbols & rates)

    def text(self) -> str:
        """Return the equations as lines of text."""
        lines = [f"tau_{j} = {tau}" for j, tau in enumerate(self.torque, start=1)]
        for j, pair in enumerate(self.force, start=1):
            lines += [f"phi_{j}{axis} = {part}" for axis, part in zip("xy", pair, strict=True)]
        return "\n".join(lines)

    def latex(self) -> str:
        """Return the equations for LaTeX, one `align` environment."""
        sympy = load_sympy()
        rows = [rf"\tau_{{{j}}} &= {sympy.latex(tau)}" for j, tau in enumerate(self.torque, start=1)]
        for j, pair in enumerate(self.force, start=1):
            rows += [rf"\phi_{{{j}{a}}} &= {sympy.latex(part)}" for a, part in zip("xy", pair, strict=True)]
        return "\\begin{align}\n" + " \\\\\n".join(rows) + "\n\\end{align}"


def load_sympy() -> Any:
    """Return SymPy.

    Raises:
        InputError: It is not installed; the message says how to install it.
    """
    try:
        import sympy
    except ModuleNotFoundError as error:
        raise InputError("equations in symbols need SymPy: pip install 'softstride[symbolic]'") from error
    return sympy


def closed_form(n: int) -> ClosedForm:
    """Return the closed form of a chain of n links.

    It is made from the formulas of docs/theory/planar.md (eqs. 9, 13 and 23 of [PlanarChain]), with cosines and sines
    of differences of angles.

    Args:
        n: Number of links, 1 to 5.

    Raises:
        InputError: n is out of range, or SymPy is not installed.
    """
    sympy = load_sympy()
    if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= MOST_LINKS:
        raise InputError(f"equations in symbols are for 1 to {MOST_LINKS} links, however n is {n!r}.")
    names = [
        f"{letter}{i}" for i in range(1, n + 1) for letter in ("l", "m", "lC", "eps", "I", "theta", "w", "a")
    ]
    names += [f"{letter}{i}" for i in range(1, n + 1) for letter in ("X", "Y", "x", "y")] + ["g"]
    s = {name: sympy.Symbol(name, real=True) for name in names}
    torque = tuple(_torque(sympy, s, n, j) for j in range(1, n + 1))
    force = tuple(_force(sympy, s, n, j) for j in range(1, n + 1))
    return ClosedForm(n, torque, force, s)


def _masses(s: dict[str, Any], first: int, n: int) -> Any:
    return sum((s[f"m{r}"] for r in range(first, n + 1)), start=0)


def _pieces(s: dict[str, Any], n: int, i: int) -> list[tuple[Any, Any]]:
    """Return the augmented link i as lengths times masses, each with the angle of its direction."""
    pieces = [(s[f"m{i}"] * s[f"lC{i}"], s[f"theta{i}"] + s[f"eps{i}"])]
    if i < n:
        pieces.append((_masses(s, i + 1, n) * s[f"l{i}"], s[f"theta{i}"]))
    return pieces


def _row(sympy: Any, s: dict[str, Any], n: int, k: int) -> Any:
    """Return the inertial side of the link equation k (eq. 20)."""
    result = (s[f"I{k}"] + _masses(s, k + 1, n) * s[f"l{k}"] ** 2) * s[f"a{k}"]
    for i in range(1, n + 1):
        if i == k:
            continue
        low, high = min(i, k), max(i, k)
        for size, angle in _pieces(s, n, high):
            lever = size * s[f"l{low}"]
            turn = angle - s[f"theta{low}"]
            sign = 1 if i < k else -1
            result += lever * (s[f"a{i}"] * sympy.cos(turn) + sign * s[f"w{i}"] ** 2 * sympy.sin(turn))
    return result


def _torque(sympy: Any, s: dict[str, Any], n: int, j: int) -> Any:
    """Return the required tau_j: inertial rows j to n, weights and contacts."""
    total = sum((_row(sympy, s, n, k) for k in range(j, n + 1)), start=sympy.Integer(0))
    for i in range(j, n + 1):
        for size, angle in _pieces(s, n, i):
            total += size * s["g"] * sympy.cos(angle)
        total -= _contact_moment(sympy, s, j, i)
    return total


def _contact_moment(sympy: Any, s: dict[str, Any], j: int, i: int) -> Any:
    """Return (P_i - J_j) x R_i."""
    x, y, theta = s[f"x{i}"], s[f"y{i}"], s[f"theta{i}"]
    across = x * sympy.cos(theta) - y * sympy.sin(theta)
    up = x * sympy.sin(theta) + y * sympy.cos(theta)
    for r in range(j, i):
        across += s[f"l{r}"] * sympy.cos(s[f"theta{r}"])
        up += s[f"l{r}"] * sympy.sin(s[f"theta{r}"])
    return across * s[f"Y{i}"] - up * s[f"X{i}"]


def _force(sympy: Any, s: dict[str, Any], n: int, j: int) -> tuple[Any, Any]:
    """Return phi_j without muscles (eq. 9)."""
    x = sum((s[f"X{i}"] for i in range(j, n + 1)), start=sympy.Integer(0))
    y = sum((s[f"Y{i}"] for i in range(j, n + 1)), start=sympy.Integer(0)) - _masses(s, j, n) * s["g"]
    for i in range(1, n + 1):
        pieces = _pieces(s, n, i) if i >= j else [(_masses(s, j, n) * s[f"l{i}"], s[f"theta{i}"])]
        for size, angle in pieces:
            square, turn = s[f"w{i}"] ** 2, s[f"a{i}"]
            x += size * (square * sympy.cos(angle) + turn * sympy.sin(angle))
            y += size * (square * sympy.sin(angle) - turn * sympy.cos(angle))
    return x, y
