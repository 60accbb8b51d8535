"""Forward gait: what a walker does under given joint moments, and what would happen if one of them changed.

    >>> from softstride.gait import SevenSegment
    >>> walk = SevenSegment().simulate("B", perturb="left_ankle:1=+20%")
    >>> round(walk.event_times["left_heel_strike"], 3)
    0.45

`SevenSegment` is the Lagrangian model of [Onyshko1980] with its misprints corrected; `docs/theory/gait.md` has the
equations, what is proved about them, and how far an open-loop walk is to be trusted.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from softstride.gait.body import JOINTS, PHASES, SEGMENTS, Body, Coefficients, moments_on_segments
from softstride.gait.moments import MomentHistory
from softstride.gait.passive import Ligament, Ligaments, ToeSpring
from softstride.gait.perturbation import Perturbation
from softstride.gait.recipe import Recipe, load_recipe

if TYPE_CHECKING:
    from softstride.gait.feedback import Impedance
    from softstride.gait.hard_support import compare_double_support, hard_double_support
    from softstride.gait.optimise import (
        FoundStep,
        GaitNorms,
        StepLimits,
        StepWeights,
        WantedStep,
        compare_with_norms,
        find_step,
        fit_normative,
    )
    from softstride.gait.options import Limits
    from softstride.gait.person import body_from_lengths
    from softstride.gait.person_model import walker_model
    from softstride.gait.seven_segment import SevenSegment
    from softstride.gait.start import Start
    from softstride.gait.states import POINTS, evaluate_states, joint_angles
    from softstride.gait.walk import STICKS, Walk

_LAZY = {  # these load a compiler: on first use
    "POINTS": "states",
    "STICKS": "walk",
    "FoundStep": "optimise",
    "GaitNorms": "optimise",
    "Impedance": "feedback",
    "Limits": "options",
    "SevenSegment": "seven_segment",
    "Start": "start",
    "StepLimits": "optimise",
    "StepWeights": "optimise",
    "Walk": "walk",
    "WantedStep": "optimise",
    "body_from_lengths": "person",
    "compare_double_support": "hard_support",
    "compare_with_norms": "optimise",
    "evaluate_states": "states",
    "find_step": "optimise",
    "fit_normative": "optimise",
    "hard_double_support": "hard_support",
    "joint_angles": "states",
    "walker_model": "person_model",
}

__all__ = [
    "JOINTS",
    "PHASES",
    "POINTS",
    "SEGMENTS",
    "STICKS",
    "Body",
    "Coefficients",
    "FoundStep",
    "GaitNorms",
    "Impedance",
    "Ligament",
    "Ligaments",
    "Limits",
    "MomentHistory",
    "Perturbation",
    "Recipe",
    "SevenSegment",
    "Start",
    "StepLimits",
    "StepWeights",
    "ToeSpring",
    "Walk",
    "WantedStep",
    "body_from_lengths",
    "compare_double_support",
    "compare_with_norms",
    "evaluate_states",
    "find_step",
    "fit_normative",
    "hard_double_support",
    "joint_angles",
    "load_recipe",
    "moments_on_segments",
    "walker_model",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        value = getattr(import_module(f"softstride.gait.{_LAZY[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'softstride.gait' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
