"""How the end of a step leads to its start again, legs exchanged.

Legs are exchanged by reading angles, rates and moments from the other end. At heel strike the impact is plastic, with
the old toe held to the floor: M (ω⁺ − ω⁻) = Jᵀ Λ, J the Jacobian of the heel in phase 4. A step repeats exactly if the
state after the impact, mirrored, is its start; J ω⁺ = 0 is then what the start says already of the hips.
"""

from __future__ import annotations

from softstride.gait.optimise.blocks import Block, Integers
from softstride.gait.optimise.casadi import load_casadi
from softstride.gait.optimise.equations import Equations
from softstride.gait.optimise.layout import MOMENT_UNIT, Run
from softstride.gait.optimise.limits import StepWeights
from softstride.gait.optimise.rows import Rows

IMPULSE_UNIT = 10.0
"""Impulses are counted in this [N s]."""


def mirror_blocks(run: Run, weights: StepWeights, states: bool) -> list[Block]:
    """Return what it costs that the end is no mirror of the start: moments, and states unless they are made so."""
    ca = load_casadi()
    end, start = ca.SX.sym("end", 14), ca.SX.sym("start", 14)
    last, first = ca.SX.sym("last", 6), ca.SX.sym("first", 6)
    moments = weights.mirror_moments * MOMENT_UNIT**2 * ca.sumsqr(last[::-1] - first)
    columns = [(last, run.knots[-1]), (first, run.knots[0])]
    blocks = [Rows().block("mirror", columns, costs={"mirrored moments": moments})]
    if states:
        angles, rates = end[6::-1] - start[:7], end[:6:-1] - start[7:]
        costs = {
            "mirrored angles": weights.mirror_angles * ca.sumsqr(angles),
            "mirrored rates": weights.mirror_rates * ca.sumsqr(rates),
        }
        blocks.append(Rows().block("mirror", [(end, run.end(4)), (start, run.start)], costs=costs))
    return blocks


def exact_block(equations: Equations, run: Run, impulse: Integers) -> Block:
    """Return that the step repeats exactly; the impulse (2,) of the floor on the heel is a variable."""
    ca = load_casadi()
    end, start, given = ca.SX.sym("end", 14), ca.SX.sym("start", 14), ca.SX.sym("impulse", 2)
    rows = Rows()
    heel = equations.left_heel(4, end[:7])
    matrix = equations.mass_matrix(4, end[:7])
    taken = ca.jtimes(ca.vertcat(*heel), end[:7], IMPULSE_UNIT * given, True)
    for i in range(7):
        rows.zero(end[6 - i] - start[i], "mirrored angles")
        change = sum(matrix[i][j] * (start[13 - j] - end[7 + j]) for j in range(7))
        rows.zero(change - taken[i], "plastic impact of the heel")
    rows.positive(given[1], "heel not pulled at heel strike")
    gained = equations.momentum(4, end[:7], start[:6:-1])[1] - equations.momentum(4, end[:7], end[7:])[1]
    rows.positive(gained / IMPULSE_UNIT - given[1], "old toe not pulled at heel strike")
    return rows.block("repetition", [(end, run.end(4)), (start, run.start), (given, impulse)])
