"""One interval of a collocated step: dynamics at its stages, what must hold there, and its share of the cost.

With accelerations a_k at the stages c_k of Radau IIA and the state (θ_0, ω_0) at the beginning of an interval of
length h,

    ω_k = ω_0 + h Σ_l A_kl a_l,        θ_k = θ_0 + h Σ_l A_kl ω_l,

the equations of motion hold at every stage, and the last stage is where the next interval begins. Joint moments are
linear between nodes, and no interval reaches over a node.
"""

from __future__ import annotations

from typing import Any

from softstride.gait.optimise.blocks import Block
from softstride.gait.optimise.casadi import load_casadi
from softstride.gait.optimise.equations import Equations
from softstride.gait.optimise.following import following_costs
from softstride.gait.optimise.layout import ACCELERATION_UNIT, MOMENT_UNIT, MOVING, Run
from softstride.gait.optimise.path import Instant, path_rows
from softstride.gait.optimise.radau import Tableau
from softstride.gait.optimise.rows import Rows
from softstride.gait.optimise.wanted import WantedStep


def interval_block(
    equations: Equations, tableau: Tableau, run: Run, phase: int, wanted: WantedStep | None
) -> Block:
    """Return the intervals of one phase of a run; without `wanted` it follows nothing."""
    ca = load_casadi()
    moving = MOVING[phase]
    n, s = len(moving), len(tableau.c)
    here, there, scaled = ca.SX.sym("here", 2 * n), ca.SX.sym("there", 2 * n), ca.SX.sym("a", n * s)
    before, after = ca.SX.sym("before", 6), ca.SX.sym("after", 6)
    times, separation, place = ca.SX.sym("times", 4), ca.SX.sym("separation"), ca.SX.sym("place", 4)
    begin = times[phase - 2] if phase > 1 else 0.0
    duration = times[phase - 1] - begin
    start, length, first, last = (place[i] for i in range(4))
    h = length * duration
    a = [ACCELERATION_UNIT * scaled[k * n : (k + 1) * n] for k in range(s)]
    omega = _integrals(tableau, here[n:], h, a)
    theta = _integrals(tableau, here[:n], h, omega)
    factor, added = ca.DM(run.factor[phase - 1]), ca.DM(run.added[phase - 1])
    rows = Rows()
    costs: dict[str, Any] = {}
    for k in range(s):
        share = first + float(tableau.c[k]) * (last - first)
        at = Instant(
            theta=_all(ca, theta[k], n),
            omega=_all(ca, omega[k], n),
            acceleration=_all(ca, a[k], n),
            moments=factor * MOMENT_UNIT * ((1.0 - share) * before + share * after) + added,
            separation=separation,
            time=begin + (start + float(tableau.c[k]) * length) * duration,
            times=times,
        )
        rho = equations.residual(phase, at.theta, at.omega, at.acceleration, at.moments, separation)
        for i in moving:
            rows.zero(rho[i] / MOMENT_UNIT, f"equation of motion of segment {i + 1}")
        path_rows(rows, equations, phase, at, run.limits, last=k == s - 1)
        if wanted is not None:
            for name, value in following_costs(equations, phase, at, wanted).items():
                costs[name] = costs.get(name, 0.0) + float(tableau.b[k]) * h / times[3] * value
    for i in range(n):
        rows.zero(there[i] - theta[-1][i], "continuity of angles")
        rows.zero(there[n + i] - omega[-1][i], "continuity of rates")
    part, nodes = run.mesh[phase - 1], run.nodes[phase - 1]
    own, fixed = run.clock(times)
    variables = [
        (here, nodes[:-1]),
        (there, nodes[1:]),
        (scaled, run.accelerations[phase - 1].reshape(len(part.start), -1)),
        (before, run.knots[part.knot]),
        (after, run.knots[part.knot + 1]),
        *own,
    ]
    if phase == 1:
        variables.append((separation, run.separation))
    name = f"phase {phase}" + (f" of the {run.name}" if run.name else "")
    return rows.block(name, variables, [(place, part.table()), *fixed], costs)


def _integrals(tableau: Tableau, start: Any, h: Any, rates: list[Any]) -> list[Any]:
    """Return start + h Σ_l A_kl rate_l, for every stage k."""
    return [start + h * sum(float(w) * rate for w, rate in zip(row, rates, strict=True)) for row in tableau.a]


def _all(ca: Any, moving: Any, n: int) -> Any:
    """Return values of all seven segments; a flat foot has zeros."""
    return moving if n == 7 else ca.vertcat(0.0, moving)
