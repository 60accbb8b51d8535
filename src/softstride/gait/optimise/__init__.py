"""Joint moments for a wanted step: what the authors of the seven-segment model sought by hand.

    >>> from softstride.gait.optimise import StepLimits, WantedStep, find_step
    >>> wanted = WantedStep(times=(0.044, 0.0715, 0.3135, 0.55), length=(0.67, 0.75))
    >>> found = find_step(wanted=wanted)
    >>> found.converged, found.replay.event_times

Needs CasADi (`pip install 'softstride[optimise]'`), which is loaded when a step is first sought.
"""

from softstride.gait.optimise.course import Course
from softstride.gait.optimise.find import LEVELS, find_step
from softstride.gait.optimise.found import FoundStep, Pass
from softstride.gait.optimise.limits import StepLimits, StepWeights
from softstride.gait.optimise.normative import (
    NormativeFit,
    NormComparison,
    compare_with_norms,
    fit_normative,
    wanted_of_norms,
)
from softstride.gait.optimise.norms import GaitNorms
from softstride.gait.optimise.program import Fineness
from softstride.gait.optimise.reading import RunCourse
from softstride.gait.optimise.textbook import courses_of_stride, textbook_courses
from softstride.gait.optimise.wanted import PAPER_TIMES, PerturbedRun, WantedStep

__all__ = [
    "LEVELS",
    "PAPER_TIMES",
    "Course",
    "Fineness",
    "FoundStep",
    "GaitNorms",
    "NormComparison",
    "NormativeFit",
    "Pass",
    "PerturbedRun",
    "RunCourse",
    "StepLimits",
    "StepWeights",
    "WantedStep",
    "compare_with_norms",
    "courses_of_stride",
    "find_step",
    "fit_normative",
    "textbook_courses",
    "wanted_of_norms",
]
