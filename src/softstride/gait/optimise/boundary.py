"""Where a step begins, where its phases meet, and where it ends."""

from __future__ import annotations

from softstride.gait.optimise.blocks import Block
from softstride.gait.optimise.casadi import load_casadi
from softstride.gait.optimise.equations import Equations
from softstride.gait.optimise.layout import ACCELERATION_UNIT, MOMENT_UNIT, Run
from softstride.gait.optimise.path import FORCE_UNIT, HOLD_UNIT
from softstride.gait.optimise.rows import INF, Rows
from softstride.gait.optimise.wanted import WantedStep

SHORTEST_PHASE = 0.01
"""Of phases whose ends are to be chosen [s]."""


def start_block(equations: Equations, run: Run) -> Block:
    """Return that both feet stand, and that the hips are together and stay so: r = 0, v = 0."""
    ca = load_casadi()
    state, separation = ca.SX.sym("state", 14), ca.SX.sym("separation")
    rows = Rows()
    for axis, gap, rate in zip(
        ("forward", "up"),
        equations.hip_gap(state[:7], separation),
        equations.hip_gap_rate(state[:7], state[7:]),
        strict=True,
    ):
        rows.zero(gap, f"hips together, {axis}")
        rows.zero(rate, f"hips stay together, {axis}")
    rows.between(state[7], -run.limits.foot_drop, INF, "right foot does not fall too fast")
    rows.between(state[4] - state[5], -INF, run.limits.first_knee, "flexion of the left knee")
    return rows.block("start", [(state, run.start), (separation, run.separation)])


def toe_off_block(equations: Equations, run: Run) -> Block:
    """Return that the toe carries nothing when it leaves, and that nothing else changes."""
    ca = load_casadi()
    before, after, a = ca.SX.sym("before", 14), ca.SX.sym("after", 14), ca.SX.sym("a", 7)
    separation = ca.SX.sym("separation")
    rows = Rows()
    force = equations.toe_force(before[:7], before[7:], ACCELERATION_UNIT * a, separation)
    rows.zero(force[1] / FORCE_UNIT, "no force on the toe")
    for i in range(14):
        rows.zero(after[i] - before[i], "state kept")
    variables = [
        (before, run.end(1)),
        (after, run.nodes[1][0]),
        (a, run.last_acceleration(1)),
        (separation, run.separation),
    ]
    return rows.block("left toe-off", variables)


def foot_flat_block(equations: Equations, run: Run, rff: str) -> Block:
    """Return that the sole is on the floor, and what becomes of the rates.

    "impulse": M_22 (ω⁺ − ω⁻)_{2..7} = M_21 ω⁻_1 with the matrix of phase 2; "keep": ω⁺ = ω⁻.
    """
    ca = load_casadi()
    before, after = ca.SX.sym("before", 14), ca.SX.sym("after", 12)
    rows = Rows()
    rows.zero(before[0], "sole on the floor")
    matrix = equations.mass_matrix(2, before[:7])
    for i in range(6):
        rows.zero(after[i] - before[1 + i], "angles kept")
        if rff == "keep":
            rows.zero(after[6 + i] - before[8 + i], "rates kept")
        else:
            taken = sum(matrix[1 + i][1 + j] * (after[6 + j] - before[8 + j]) for j in range(6))
            rows.zero(taken - matrix[1 + i][0] * before[7], "plastic impact")
    return rows.block("right foot flat", [(before, run.end(2)), (after, run.nodes[2][0])])


def heel_off_block(equations: Equations, run: Run) -> Block:
    """Return that nothing holds the heel down when it rises, and that nothing else changes."""
    ca = load_casadi()
    before, after, a = ca.SX.sym("before", 12), ca.SX.sym("after", 14), ca.SX.sym("a", 6)
    first, second = ca.SX.sym("first", 6), ca.SX.sym("second", 6)
    part = run.mesh[2]
    share = float(part.weight[-1, 1])
    given = MOMENT_UNIT * ((1.0 - share) * first + share * second)
    moments = ca.DM(run.factor[2]) * given + ca.DM(run.added[2])
    rows = Rows()
    theta, omega, acc = (ca.vertcat(0.0, each) for each in (before[:6], before[6:], ACCELERATION_UNIT * a))
    rows.zero(equations.heel_hold(theta, omega, acc, moments) / HOLD_UNIT, "nothing holds the heel")
    rows.zero(after[0], "sole on the floor")
    rows.zero(after[7], "sole at rest")
    for i in range(6):
        rows.zero(after[1 + i] - before[i], "angles kept")
        rows.zero(after[8 + i] - before[6 + i], "rates kept")
    knot = int(part.knot[-1])
    variables = [
        (before, run.end(3)),
        (after, run.nodes[3][0]),
        (a, run.last_acceleration(3)),
        (first, run.knots[knot]),
        (second, run.knots[knot + 1]),
    ]
    return rows.block("right heel-off", variables)


def heel_strike_block(equations: Equations, run: Run, wanted: WantedStep) -> Block:
    """Return that the left heel comes down on the floor, where and when it is wanted."""
    ca = load_casadi()
    state, times = ca.SX.sym("state", 14), ca.SX.sym("times", 4)
    rows = Rows()
    heel = equations.left_heel(4, state[:7])
    if (
        wanted.repeat != "exact" or run.name
    ):  # an exact mirror of the start, where both feet stand, says it already
        rows.zero(heel[1], "heel on the floor")
    fall = ca.jtimes(heel[1], state[:7], state[7:])
    rows.between(fall, -INF, -run.limits.heel_speed, "heel comes down")
    if not run.name:
        rows.between(heel[0], *wanted.length_span, "length of the step")
        low, high = wanted.speed_span
        if low > 0.0:
            rows.positive(heel[0] - low * times[3], "least speed")
        if high < INF:
            rows.positive(high * times[3] - heel[0], "largest speed")
    own, fixed = run.clock(times)
    if own:
        for i in range(3):
            rows.between(times[i + 1] - times[i], SHORTEST_PHASE, INF, "phases follow one another")
    return rows.block("left heel strike", [(state, run.end(4)), *own], fixed)


def shorter_block(equations: Equations, run: Run, other: Run, shorter: float) -> Block:
    """Return that the step of the other run is shorter, at least by so much [m]."""
    ca = load_casadi()
    mine, theirs = ca.SX.sym("mine", 14), ca.SX.sym("theirs", 14)
    rows = Rows()
    difference = equations.left_heel(4, mine[:7])[0] - equations.left_heel(4, theirs[:7])[0]
    rows.positive(difference - shorter, "shorter step")
    return rows.block("perturbed run", [(mine, run.end(4)), (theirs, other.end(4))])
