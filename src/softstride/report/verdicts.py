"""Traffic lights: what a figure of merit means, by limits that stand here with their reasons.

Limits are for people who want to know where to look, no standard. Residuals, moments that muscles do not meet and
errors of markers follow the advice in [Hicks2015] and the guide of OpenSim: a residual force within 5 % of the largest
force of the ground, a residual moment within 1 % of that force times the height of the centre of mass, reserves within
5 % of the moments, markers met to 20 mm at most. Those of ground reactions found without plates are round numbers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.loads import Loads
from softstride.dynamics.validation.feet import foot_loads
from softstride.study.study import Study

Light = Literal["good", "look", "bad", "info"]

ORDER: tuple[Light, ...] = ("info", "good", "look", "bad")

WORDS: Mapping[Light, str] = {
    "good": "good",
    "look": "look closer",
    "bad": "do not rely on it",
    "info": "for information",
}


@dataclass(frozen=True)
class Rule:
    """How a figure is judged.

    Attributes:
        name: Of the figure, in words.
        unit: Of its limits.
        good: Up to here (from here on, where more is better) it is good.
        fair: Up to here it wants a closer look; beyond it is bad.
        more: Whether more is better.
    """

    name: str
    unit: str
    good: float = math.nan
    fair: float = math.nan
    more: bool = False

    def judge(self, value: float) -> Light:
        """Return the light of a value."""
        if not math.isfinite(self.good):
            return "info"
        sign = -1.0 if self.more else 1.0
        if sign * value <= sign * self.good:
            return "good"
        return "look" if sign * value <= sign * self.fair else "bad"

    @property
    def limits(self) -> str:
        """Return the limits in words."""
        if not math.isfinite(self.good):
            return ""
        word = "at least" if self.more else "up to"
        return f"good {word} {self.good:g}, fair {word} {self.fair:g}"


RULES: Mapping[str, Rule] = {
    "marker_rms_mm": Rule("distance of markers, rms", "mm", 10.0, 20.0),
    "marker_max_mm": Rule("distance of markers, largest", "mm", 40.0, 60.0),
    "ik_converged_percent": Rule("frames whose pose converged", "%", 100.0, 95.0, more=True),
    "measured_residual_force_percent_of_peak": Rule(
        "residual force with plates, rms, of the largest ground force", "%", 5.0, 10.0
    ),
    "measured_residual_moment_percent": Rule(
        "residual moment with plates, rms, of that force times the height of the centre of mass",
        "%",
        1.0,
        2.0,
    ),
    "measured_doubtful_percent": Rule("frames with an unbelievable residual, with plates", "%", 2.0, 10.0),
    "estimated_residual_force_percent_of_peak": Rule(
        "residual force without plates, rms, of the largest ground force", "%", 5.0, 10.0
    ),
    "estimated_residual_moment_percent": Rule(
        "residual moment without plates, rms, of that force times the height of the centre of mass",
        "%",
        1.0,
        2.0,
    ),
    "estimated_doubtful_percent": Rule(
        "frames with an unbelievable residual, without plates", "%", 2.0, 10.0
    ),
    "estimated_converged_percent": Rule(
        "frames whose ground reaction converged", "%", 100.0, 95.0, more=True
    ),
    "grf_rrmse_forward_percent": Rule("ground reaction without plates, forward, rRMSE", "%", 15.0, 25.0),
    "grf_rrmse_up_percent": Rule("ground reaction without plates, up, rRMSE", "%", 10.0, 20.0),
    "grf_rrmse_right_percent": Rule("ground reaction without plates, to the right, rRMSE", "%", 20.0, 35.0),
    "cop_mm": Rule("centre of pressure without plates, rms distance", "mm", 25.0, 50.0),
    "muscles_converged_percent": Rule("frames whose muscle forces converged", "%", 100.0, 99.0, more=True),
    "muscles_kkt_max": Rule("conditions of optimality of muscle forces, largest violation", "", 1e-6, 1e-4),
    "moment_residual_rms_worst_percent_of_peak": Rule(
        "moment that muscles leave to reserves, rms, worst joint, of its peak", "%", 5.0, 10.0
    ),
    "reactions_balance": Rule("Newton and Euler beyond each joint, largest violation", "", 1e-8, 1e-5),
}


@dataclass(frozen=True)
class Verdict:
    """A figure and its light.

    Attributes:
        key: Of the figure.
        rule: How it was judged.
        value: Of the figure.
        light: The verdict.
        beside: What helps to read it, such as the least that can be reached; "" for nothing.
    """

    key: str
    rule: Rule
    value: float
    light: Light
    beside: str = ""


def verdicts_of(study: Study) -> tuple[Verdict, ...]:
    """Return the verdicts on a study, in the order of the rules."""
    figures = dict(study.figures) | more_figures(study)
    found = []
    for key, rule in RULES.items():
        if key in figures:
            found.append(Verdict(key, rule, figures[key], rule.judge(figures[key]), _beside(key, figures)))
    return tuple(found)


def more_figures(study: Study) -> dict[str, float]:
    """Return residuals as shares of the largest force of the ground, and of that force times a height [%].

    Of frames that are not doubtful: how many are has a figure of its own.
    """
    found: dict[str, float] = {}
    height: float | None = None
    for name, loads in (("measured", study.measured), ("estimated", study.estimated)):
        peak = 0.0 if loads is None else _peak(loads)
        if loads is None or peak <= 0.0:
            continue
        if height is None:
            height = _height(study)
        believed = ~loads.doubtful & loads.known
        force, moment = (_rms(each[believed]) for each in (loads.residual_force, loads.residual_moment))
        found[f"{name}_residual_force_percent_of_peak"] = 100.0 * force / peak
        found[f"{name}_residual_moment_percent"] = 100.0 * moment / (peak * height)
    return {key: value for key, value in found.items() if math.isfinite(value)}


def worst(lights: list[Light]) -> Light:
    """Return the worst of some lights."""
    return max(lights, key=ORDER.index, default="info")


def _rms(x: NDArray[np.float64]) -> float:
    return float(np.sqrt(np.mean(x * x))) if len(x) else math.nan


def _peak(loads: Loads) -> float:
    """Return the largest force of the ground on both feet together [N]."""
    feet = foot_loads(loads.wrenches)
    if not feet:
        return 0.0
    total = np.linalg.norm(np.sum([np.nan_to_num(foot.force) for foot in feet.values()], axis=0), axis=1)
    return float(total.max())


def _height(study: Study) -> float:
    """Return the mean height of the centre of mass over the floor [m]."""
    ground = None if study.estimated is None else study.estimated.ground
    floor = 0.0 if ground is None else ground.floor
    return max(float(np.mean(study.centre_of_mass[:, 1])) - floor, 0.1)


def _beside(key: str, figures: Mapping[str, float]) -> str:
    floor = key.replace("rrmse", "floor")
    if "rrmse" in key and floor in figures:
        return f"floor {figures[floor]:.1f} %: what the residual under the plates alone makes"
    return ""
