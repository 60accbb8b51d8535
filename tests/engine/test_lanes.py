"""Traced formulas: every frame in its own lane, the right operation, the right place in memory."""

import os
import subprocess
import sys
from typing import NamedTuple

import numba
import numpy as np
import pytest
from tests.oracles.errors import relative

from softstride import engine
from softstride.engine import lanes
from softstride.engine.kernels.joints import rotation_quaternion
from softstride.engine.kernels.rods import stumpff
from softstride.engine.lanes import LANES, Frames, Index, Params, Rows, straight
from softstride.model import athlete
from softstride.spatial import stumpff as reference_stumpff

ROUNDING = 2.3e-16  # one unit in the last place of numbers near one


def rows(values):
    """Scratch that holds one value a row in lane 0, and twice, three times ... that in the others."""
    aligned = np.zeros(len(values) * LANES + 8)
    first = (-aligned.ctypes.data // 8) % 8
    m = aligned[first : first + len(values) * LANES].reshape(len(values), LANES)
    m[:] = np.asarray(values, dtype=float)[:, None] * np.arange(1, LANES + 1)
    return m


def call(function, *arguments):
    """Run a straight function in a kernel of its own."""
    traced = straight(function)
    names = ", ".join(f"x{i}" for i in range(len(arguments)))
    scope = {"traced": traced}
    exec(f"def kernel({names}):\n    traced({names})", scope)
    numba.njit(scope["kernel"])(*arguments)


def test_arithmetic_works_lane_by_lane():
    def formula(m: Rows) -> None:
        x, y = m[0], m[1]
        m[2] = (x + y) * x - y / x + 2.0 - x * 3
        m[3] = -x + (1.0 - y) + 1.0 / y
        m[4] = lanes.sqrt(x * x)
        m[5] = lanes.fma(x, y, 0.5)
        m[6] = lanes.select(x, "<=", 2.0, x, -1.0)

    m = rows([1.5, -0.25, 0, 0, 0, 0, 0])
    x, y = m[0].copy(), m[1].copy()
    call(formula, m)
    expected = [
        (x + y) * x - y / x + 2.0 - x * 3,
        -x + (1 - y) + 1 / y,
        x,
        x * y + 0.5,
        np.where(x <= 2, x, -1),
    ]
    np.testing.assert_allclose(m[2:], expected, rtol=4 * ROUNDING, atol=8 * ROUNDING)


def test_known_zeros_and_ones_cost_nothing():
    seen = []

    def formula(m: Rows) -> None:
        x = m[0]
        seen.extend([x * 0.0, x + 0.0, x * 1.0, x])

    call(formula, rows([2.0]))
    product, total, same, x = seen
    assert product == 0.0 and total is x and same is x


def test_columns_of_frames_are_gathered_and_scattered():
    def formula(x: Frames, c: Params, f: Index, out: Frames) -> None:
        out[f, 1] = x[f, 2] * c[1]

    x = np.random.default_rng(0).normal(size=(3 * LANES, 4))
    out = np.zeros((3 * LANES, 2))
    call(formula, x, np.array([5.0, 7.0]), LANES, out)
    expected = np.zeros_like(out)
    expected[LANES : 2 * LANES, 1] = 7.0 * x[LANES : 2 * LANES, 2]
    np.testing.assert_array_equal(out, expected)


def test_tiles_are_transposed():
    def formula(m: Rows, out: Frames, f: Index) -> None:
        out.put_tile(f, f * 0 + 1, [m[k] for k in range(LANES)])

    m = rows(np.arange(1.0, LANES + 1))
    out = np.zeros((2 * LANES, LANES + 2))
    call(formula, m, out, LANES)
    expected = np.zeros_like(out)
    expected[LANES:, 1:-1] = m.T
    np.testing.assert_array_equal(out, expected)


def test_variants_are_chosen_when_the_kernel_runs():
    def formula(m: Rows, n: int, twice: bool) -> None:
        m[0] = m[0] * float(n) * (2.0 if twice else 1.0)

    chosen = straight(formula, n=(2, 3), twice=(0, 1))
    kernel = numba.njit(lambda m, n, twice: chosen(m, n, twice))
    for n, twice, factor in ((2, 0, 2), (3, 0, 3), (2, 1, 4), (3, 1, 6), (5, 1, 1)):
        m = rows([1.0])
        kernel(m, n, twice)
        np.testing.assert_array_equal(m[0], factor * np.arange(1, LANES + 1))


class Bundle(NamedTuple):
    table: np.ndarray
    constants: np.ndarray
    row: int


def test_named_tuples_give_their_fields():
    def formula(bundle: Bundle, m: Rows) -> None:
        m[bundle.row] = bundle.constants[bundle.table[1, 0] + 1] * m[bundle.table[0, 1]]

    m = rows([3.0, 0.0])
    call(formula, Bundle(np.array([[9, 0], [1, 9]]), np.array([0.0, 0.0, 5.0]), 1), m)
    np.testing.assert_array_equal(m[1], 5.0 * m[0])


@pytest.mark.parametrize("scale", [0.0, 1e-300, 1e-8, 1e-3, 1.0, 10.0, 1e3, 1e6])
def test_sine_and_cosine_to_the_last_place(scale):
    def formula(m: Rows) -> None:
        m[1], m[2] = lanes.sincos(m[0])

    generator = np.random.default_rng(1)
    worst = 0.0
    for _ in range(200):
        m = rows([0.0, 0.0, 0.0])
        m[0] = scale * generator.uniform(-1, 1, LANES)
        call_kernel = _sincos_kernel(formula)
        call_kernel(m)
        worst = max(worst, np.max(np.abs(m[1] - np.sin(m[0]))), np.max(np.abs(m[2] - np.cos(m[0]))))
    assert worst <= 2 * ROUNDING


_kernels = {}


def _sincos_kernel(formula):
    if "sincos" not in _kernels:
        traced = straight(formula)
        _kernels["sincos"] = numba.njit(lambda m: traced(m))
    return _kernels["sincos"]


@pytest.mark.parametrize("x", [0.0, 1e-12, 1e-3, 1.0, 39.9, 40.0, 40.1, 1e3, 1e6])
def test_stumpff_functions_on_both_sides_of_the_switch(x):
    def formula(m: Rows) -> None:
        for k, value in enumerate(stumpff(m[8])):
            m[k] = value

    m = rows(np.zeros(9))
    m[8] = x
    call(formula, m)
    # docs/theory/rods.md promises 4e-15 / k!, and c0 loses a factor x to the recurrence
    tolerance = 4e-15 / np.array([0.1, 1, 2, 6, 24, 120, 720, 5040])
    expected = np.array(reference_stumpff(np.array(x)))
    assert np.all(
        np.abs(m[:8, 0] - expected) <= tolerance + 4 * ROUNDING * np.abs(expected) * max(1, np.sqrt(x))
    )


def test_a_quaternion_need_not_have_norm_one():
    def formula(m: Rows) -> None:
        R = rotation_quaternion(m[0], m[1], m[2], m[3])
        for k, value in enumerate(x for row in R for x in row):
            m[4 + k] = value

    m = rows([0.3, -0.2, 0.5, 0.7, *np.zeros(9)])
    call(formula, m)
    R = m[4:].reshape(3, 3, LANES)
    np.testing.assert_allclose(R, R[:, :, :1] * np.ones(LANES), atol=4 * ROUNDING)
    np.testing.assert_allclose(R[:, :, 0] @ R[:, :, 0].T, np.eye(3), atol=4 * ROUNDING)


OUT_OF_BOUNDS = """
import numba, numpy as np
from softstride.engine.lanes import LANES, Frames, Index, Params, Rows, straight
@straight
def rows(m: Rows, i: Index) -> None:
    m[i] = m[0]
@straight
def frames(x: Frames, m: Rows, f: Index, j: Index) -> None:
    m[0] = x[f, j]
@straight
def params(c: Params, m: Rows, i: Index) -> None:
    m[0] = c[i]
calls = [lambda m, i: rows(m, i), lambda x, m, f, j: frames(x, m, f, j), lambda c, m, i: params(c, m, i)]
kernels = [numba.njit(call) for call in calls]
flat = np.zeros(4 * LANES + 8)
start = (-flat.ctypes.data // 8) % 8
m = flat[start : start + 2 * LANES].reshape(2, LANES)
good = [(m, 1), (np.zeros((LANES, 3)), m, 0, 2), (np.zeros(4), m, 3)]
bad = [(m, 2), (np.zeros((LANES, 3)), m, 0, 3), (np.zeros(4), m, -1)]
bad_frame = (np.zeros((LANES, 3)), m, 1, 2)
for kernel, arguments in zip(kernels, good):
    kernel(*arguments)
for kernel, arguments in [*zip(kernels, bad), (kernels[1], bad_frame)]:
    try:
        kernel(*arguments)
    except IndexError:
        continue
    raise SystemExit("an index out of bounds went unnoticed")
"""


def test_bounds_checks_catch_every_kind_of_access():
    environment = {**os.environ, "SOFTSTRIDE_BOUNDSCHECK": "1"}
    result = subprocess.run(
        [sys.executable, "-c", OUT_OF_BOUNDS], env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr or result.stdout


SOME_RESULTS = """
import sys
import numpy as np
import softstride as ss
model = ss.athlete()
generator = np.random.default_rng(5)
v, a = generator.normal(size=(2, 19, model.nv))  # a whole block of 16 and a rest
q = ss.integrate(model, np.tile(model.neutral(), (19, 1)), v, 0.1)
results = {
    "tau": lambda: ss.inverse_dynamics(model, q, v, a),
    "T": lambda: ss.poses(model, q),
    "M": lambda: ss.mass_matrix(model, q),
    "a": lambda: ss.forward_dynamics(model, q, v, a),
    "d": lambda: np.concatenate(ss.inverse_dynamics_derivatives(model, q, v, a)),
    "V": lambda: ss.velocities(model, q, v),
    "A": lambda: ss.accelerations(model, q, v, a),
    "J": lambda: ss.jacobian(model, q, list(model.link_names)),
    "h": lambda: ss.momentum(model, q, v),
    "H": lambda: ss.momentum_matrix(model, q),
    "w": lambda: ss.generalized_forces(model, q, {"head": v[:, :6]}),
}
np.savez(sys.argv[1], **{name: results[name]() for name in sys.argv[2:] or results})
"""


def results_in_lanes(tmp_path, count, *names):
    file = tmp_path / f"{count}.npz"
    environment = {**os.environ, "SOFTSTRIDE_LANES": str(count), "SOFTSTRIDE_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", SOME_RESULTS, str(file), *names]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    with np.load(file) as arrays:
        return dict(arrays)


def check_alike(found, wanted):
    assert found.keys() == wanted.keys() and found
    for name, want in wanted.items():
        # frame by frame: its largest entry is the scale of the rounding
        assert relative(found[name], want, tuple(range(1, want.ndim))) < 1e-12, name


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 16])
def test_the_number_of_lanes_does_not_matter_to_inverse_dynamics(tmp_path, count):
    """A processor with other registers gets the same numbers, entry by entry, up to the order of a few additions."""
    model = athlete()
    generator = np.random.default_rng(5)
    v, a = generator.normal(size=(2, 19, model.nv))
    q = engine.integrate(model, np.tile(model.neutral(), (19, 1)), v, 0.1)
    here = {"tau": engine.inverse_dynamics(model, q, v, a), "T": engine.poses(model, q)}
    check_alike(results_in_lanes(tmp_path, count, "tau", "T"), here)


@pytest.mark.nightly
def test_the_number_of_lanes_does_not_matter(tmp_path):
    wanted = results_in_lanes(tmp_path, 2)
    assert len(wanted) == 11
    for count in (4, 8, 16):
        check_alike(results_in_lanes(tmp_path, count), wanted)
