"""The closed form in symbols: its numbers, its count of terms, and what is said where SymPy is missing."""

import subprocess
import sys

import numpy as np
import pytest

from softstride.errors import InputError
from softstride.planar import Chain, Contact, State, polar
from softstride.planar.symbolic import closed_form

pytest.importorskip("sympy")


@pytest.mark.parametrize("n", [1, 2, 3, 4, pytest.param(5, marks=pytest.mark.slow)])
def test_symbols_are_the_numbers(n):
    rng = np.random.default_rng(n)
    shape = rng.uniform(0.1, 0.5, (4, n + 1))
    points = rng.uniform(-0.1, 0.1, (n + 1, 2))
    theta, omega, alpha = (np.concatenate([[0.0], row]) for row in rng.standard_normal((3, n)))
    forces = 50.0 * rng.standard_normal((n + 1, 2))
    chain = Chain(
        length=shape[0] + 0.2,
        mass=10.0 * shape[1],
        com=polar(shape[2], shape[3]),
        inertia=shape[1],
        contacts=[Contact(f"c{i}", i, tuple(points[i])) for i in range(1, n + 1)],
        gravity=9.81,
    )
    state = State(theta=theta, omega=omega, alpha=alpha, force={f"c{i}": forces[i] for i in range(1, n + 1)})
    form = closed_form(n)
    values = {"g": 9.81}
    for i in range(1, n + 1):
        about_joint = chain.inertia[i] + chain.mass[i] * shape[2, i] ** 2
        numbers = (
            chain.length[i],
            chain.mass[i],
            shape[2, i],
            shape[3, i],
            about_joint,
            theta[i],
            omega[i],
            alpha[i],
        )
        letters = ("l", "m", "lC", "eps", "I", "theta", "w", "a")
        values |= {f"{letter}{i}": number for letter, number in zip(letters, numbers, strict=True)}
        values |= {f"X{i}": forces[i, 0], f"Y{i}": forces[i, 1], f"x{i}": points[i, 0], f"y{i}": points[i, 1]}
    given = {form.symbols[name]: value for name, value in values.items()}
    torque = [float(tau.subs(given)) for tau in form.torque]
    force = [[float(part.subs(given)) for part in pair] for pair in form.force]
    np.testing.assert_allclose(torque, chain.torques(state).required, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(force, chain.reactions(state).force, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize(("n", "counts"), [(2, [7, 3]), (3, [22, 13, 5]), (4, [50, 34, 19, 7])])
def test_inertial_terms_are_counted_as_in_the_appendix(n, counts):
    """tau_1 has n(n+1)(4n-1)/6 terms, tau_n 2n-1; the paper counts 3, 7 and 5, 13, 22."""
    form = closed_form(n)
    assert [form.inertial_terms(j) for j in range(1, n + 1)] == counts
    assert counts[0] == n * (n + 1) * (4 * n - 1) // 6 and counts[-1] == 2 * n - 1


def joint_space_terms(form, *, split):
    """Count inertial terms of tau_n to tau_1 in angles between neighbours, with I_J whole, or as I_C + m l_C^2."""
    import sympy

    n, s = form.n, form.symbols
    angle, rate, acceleration = (
        sympy.symbols(f"{letter}1:{n + 1}", real=True) for letter in ("q", "dq", "ddq")
    )
    swap = {}
    for i in range(1, n + 1):
        for letter, parts in (("theta", angle), ("w", rate), ("a", acceleration)):
            swap[s[f"{letter}{i}"]] = sum(parts[:i], start=sympy.Integer(0))
        if split:
            swap[s[f"I{i}"]] = sympy.Symbol(f"IC{i}") + s[f"m{i}"] * s[f"lC{i}"] ** 2
    counts = []
    for tau in reversed(form.torque):
        whole = sympy.expand(tau.subs(swap, simultaneous=True))
        counts.append(
            sum(1 for term in sympy.Add.make_args(whole) if term.free_symbols & {*rate, *acceleration})
        )
    return counts


@pytest.mark.parametrize(("n", "split", "whole"), [(2, [6, 11], [4, 8]), (3, [13, 24, 38], [10, 19, 32])])
def test_terms_in_joint_space(n, split, whole):
    """The paper compares with 6, 11 and 13, 24, 35, in which I_J is split; the last one is 38 by that rule."""
    form = closed_form(n)
    assert joint_space_terms(form, split=True) == split
    assert joint_space_terms(form, split=False) == whole


def test_only_squares_of_velocities_appear():
    """Absolute angles: no products of two velocities."""
    form = closed_form(3)
    rates = [form.symbols[f"w{i}"] for i in (1, 2, 3)]
    for tau in form.torque:
        for a in range(3):
            for b in range(a):
                assert tau.diff(rates[a]).diff(rates[b]).simplify() == 0


def test_it_prints():
    form = closed_form(2)
    lines = form.text().splitlines()
    assert [line.partition(" =")[0] for line in lines] == [
        "tau_1",
        "tau_2",
        "phi_1x",
        "phi_1y",
        "phi_2x",
        "phi_2y",
    ]
    assert "cos(eps2 + theta2)" in lines[1]
    assert form.latex().startswith("\\begin{align}") and r"\tau_{2} &=" in form.latex()


@pytest.mark.parametrize("n", [0, 6, 2.0, True])
def test_only_few_links(n):
    with pytest.raises(InputError, match="1 to 5 links"):
        closed_form(n)


def test_sympy_is_not_needed_before_it_is_asked_for():
    code = (
        "import sys, softstride.planar, softstride.planar.symbolic as s\n"
        "assert 'sympy' not in sys.modules\n"
        "sys.modules['sympy'] = None\n"
        "from softstride.errors import InputError\n"
        "try:\n    s.closed_form(2)\n"
        "except InputError as error:\n    assert \"pip install 'softstride[symbolic]'\" in str(error)\n"
        "else:\n    raise SystemExit('no error')\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
