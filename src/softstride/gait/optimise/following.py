"""Shares of the cost: angles and forces to follow, effort and smoothness of the moments."""

from __future__ import annotations

from typing import Any

from softstride.gait.body import JOINTS
from softstride.gait.optimise.blocks import Block
from softstride.gait.optimise.casadi import load_casadi
from softstride.gait.optimise.equations import Equations, joint_angles
from softstride.gait.optimise.layout import MOMENT_UNIT, Run
from softstride.gait.optimise.limits import StepWeights
from softstride.gait.optimise.path import Instant
from softstride.gait.optimise.rows import Rows
from softstride.gait.optimise.wanted import WantedStep


def following_costs(equations: Equations, phase: int, at: Instant, wanted: WantedStep) -> dict[str, Any]:
    """Return weighted squares of deviations at one instant, by term."""
    weights, fraction = wanted.weights, at.time / at.times[3]
    costs: dict[str, Any] = {}
    followed = [
        (value - wanted.angles[name].expression(fraction)) ** 2
        for name, value in zip(JOINTS, joint_angles(at.theta), strict=True)
        if name in wanted.angles
    ]
    if followed and weights.angles:
        costs["angles"] = weights.angles * sum(followed)
    if "trunk" in wanted.angles and weights.trunk:
        costs["trunk"] = weights.trunk * (at.theta[3] - wanted.angles["trunk"].expression(fraction)) ** 2
    if wanted.forces and weights.forces:
        forward, up = at.stance_force(equations, phase)
        forces = {"right_forward": forward, "right_vertical": up}
        if phase == 1:
            forward, up = at.toe_force(equations)
            forces |= {"left_forward": forward, "left_vertical": up}
        weight = equations.body.mass * equations.body.gravity
        costs["forces"] = weights.forces * sum(
            ((value - wanted.forces[name].expression(fraction)) / weight) ** 2
            for name, value in forces.items()
            if name in wanted.forces
        )
    return costs


def moment_blocks(run: Run, weights: StepWeights) -> list[Block]:
    """Return the costs of the moments at their nodes: squares, and squares of second differences."""
    ca = load_casadi()
    count = len(run.knots)
    a, b, c = (ca.SX.sym(name, 6) for name in "abc")
    effort = weights.effort * MOMENT_UNIT**2 / count * ca.sumsqr(a)
    blocks = [Rows().block("moments", [(a, run.knots)], costs={"effort": effort})]
    if count > 2:
        bend = weights.smoothness * MOMENT_UNIT**2 / count * ca.sumsqr(a - 2.0 * b + c)
        columns = [(a, run.knots[:-2]), (b, run.knots[1:-1]), (c, run.knots[2:])]
        blocks.append(Rows().block("moments", columns, costs={"smoothness": bend}))
    return blocks
