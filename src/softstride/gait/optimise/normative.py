"""A step fitted to norms of walking, and how near a walk is to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

from softstride.errors import InputError, SimulationError
from softstride.fields import ABOVE_0, checked
from softstride.gait.body import JOINTS, Body
from softstride.gait.optimise.course import Course
from softstride.gait.optimise.find import find_step
from softstride.gait.optimise.found import FoundStep
from softstride.gait.optimise.limits import StepLimits, StepWeights
from softstride.gait.optimise.norms import GaitNorms
from softstride.gait.optimise.textbook import courses_of_stride
from softstride.gait.optimise.wanted import FORCES, WantedStep
from softstride.results import Result

if TYPE_CHECKING:
    from softstride.gait.walk import Walk

Floats = NDArray[np.float64]

STANCE = 62.0
"""End of stance in norms [% of the stride]."""

RANGES = ((8.0, 13.0), (9.0, 16.0), (25.0, 42.0))
"""Where toe-off of the other foot, foot flat and heel-off may be [% of the stride]."""


class NormComparison(Result, of="a comparison with norms"):
    """How near a walk is to norms.

    Attributes:
        angle_rms: Root mean square difference by joint, over the step [rad].
        vertical_rrmse: Of the vertical force on a foot over its stance: 100 rms / mean of both ranges [%].
        forward_rrmse: The same of the forward force [%].
    """

    angle_rms: Mapping[str, float]
    vertical_rrmse: float
    forward_rrmse: float


@dataclass(frozen=True, eq=False)
class NormativeFit:
    """A step fitted to norms.

    Attributes:
        found: The step.
        comparison: How near its replay by the simulator is to the norms.
    """

    found: FoundStep
    comparison: NormComparison


def wanted_of_norms(norms: GaitNorms, body: Body, step_time: float) -> WantedStep:
    """Return the step that norms want of a body: the standing leg from 0 to 50 % of the stride, the other from 50 %.

    Toe-off, foot flat and heel-off are free within `RANGES`; the step repeats exactly, through the impact of its heel.
    The swinging foot may come down softly. Weights make ten degrees of a joint and a sixth of body weight count alike.

    Args:
        norms: What to follow.
        body: The walker.
        step_time: Half of a stride [s].

    Raises:
        InputError: A time that is not above zero.
    """
    checked(ABOVE_0, step_time, "step_time")
    angles = courses_of_stride(norms.percent, norms.ankle, norms.knee, norms.hip)
    angles["trunk"] = Course.constant(np.pi / 2.0)
    s = np.linspace(0.0, 1.0, 51)
    forces = {}
    for name in FORCES:
        side, axis = name.split("_")
        begin = 0.0 if side == "right" else 50.0
        values = CubicSpline(norms.percent, getattr(norms, axis))(begin + 50.0 * s)
        forces[name] = Course.through(s, body.mass * values)
    times = tuple((low / 50.0 * step_time, high / 50.0 * step_time) for low, high in RANGES)
    return WantedStep(
        times=(*times, step_time),
        angles=angles,
        forces=forces,
        repeat="exact",
        limits=StepLimits(
            foot_drop=20.0, clearance=0.005, clearance_rate=0.1, heel_speed=0.1, vertical=100.0
        ),
        weights=StepWeights(angles=100.0, trunk=50.0, forces=100.0, effort=1e-5, smoothness=1e-5),
    )


def fit_normative(
    norms: GaitNorms, body: Body | None = None, *, step_time: float, **options: Any
) -> NormativeFit:
    """Fit a step to norms, and compare its replay by the simulator with them.

    Args:
        norms: What to follow.
        body: The walker; that of Table A1 of [Onyshko1980] unless given.
        step_time: Half of a stride [s].
        options: Of `find_step`.

    Raises:
        InputError: Norms or options that do not fit.
        SimulationError: No such step was found; the message has the reason.
    """
    walker = body or Body()
    found = find_step(walker, wanted_of_norms(norms, walker, step_time), **options)
    if not found.converged or found.replay is None:
        raise SimulationError(f"no step follows these norms: {found.status}; {found.violated}")
    return NormativeFit(found, compare_with_norms(found.replay, norms))


def compare_with_norms(walk: Walk, norms: GaitNorms) -> NormComparison:
    """Compare the first step of a walk with norms.

    Angles are compared over the step, those of the standing leg with 0 to 50 % of the stride, those of the other with
    50 to 100 %. The force on a foot is that on the standing foot from 0 to 50 %, and that on the other one, which is in
    the second half of its stance, from there to `STANCE`.

    Raises:
        InputError: The step was not completed.
    """
    step = walk.steps[0]
    if not step.completed:
        raise InputError(f"norms are compared with a whole step, however the walk ended {walk.reason}")
    within = walk.time <= step.heel_strike
    percent = 50.0 * (walk.time[within] - step.start) / step.duration
    angles: dict[str, float] = {}
    for name, values in zip(JOINTS, walk.joint_angles[within].T, strict=True):
        side, joint = name.split("_")
        norm = CubicSpline(norms.percent, getattr(norms, joint))(percent + (0.0 if side == "right" else 50.0))
        angles[name] = float(np.sqrt(np.mean((values - (-norm if joint == "knee" else norm)) ** 2)))
    shares = {}
    for axis, column in (("forward", 0), ("vertical", 1)):
        force = walk.ground_force[within, :, column] / walk.body.mass
        rows = norms.percent <= STANCE
        at = norms.percent[rows]
        model = np.where(
            at <= 50.0, np.interp(at, percent, force[:, 0]), np.interp(at - 50.0, percent, force[:, 1])
        )
        shares[axis] = _rrmse(model, getattr(norms, axis)[rows])
    return NormComparison(angles, shares["vertical"], shares["forward"])


def _rrmse(one: Floats, other: Floats) -> float:
    """Return 100 rms / mean of both ranges [%]."""
    return float(100.0 * np.sqrt(np.mean((one - other) ** 2)) / (0.5 * (np.ptp(one) + np.ptp(other))))
