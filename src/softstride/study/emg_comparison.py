"""Muscle forces beside those that EMG alone speaks of: table 3 of [Hybrid2026] in form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softstride.study.study import Study
from softstride.study.support import Phase, single_support


@dataclass(frozen=True, eq=False)
class EmgErrors:
    """How far shared muscle forces are from those of EMG, in each phase of single support.

    Attributes:
        phases: The phases, in order of time.
        errors: Root mean square difference of each muscle in each phase, in % of its maximal isometric force; NaN where
            no force is known.
    """

    phases: tuple[Phase, ...]
    errors: dict[str, tuple[float, ...]]

    @property
    def mean(self) -> float:
        """Mean over muscles and phases [%]; NaN without any."""
        known = [value for row in self.errors.values() for value in row if np.isfinite(value)]
        return float(np.mean(known)) if known else float("nan")


def emg_errors(study: Study) -> EmgErrors | None:
    """Return the errors of all muscles with electrodes; None without forces, EMG or a phase of single support.

    They compare sizes only where EMG was divided by maximal contractions.
    """
    shared, told = study.forces, study.emg_forces
    if shared is None or told is None:
        return None
    phases = single_support(study.motion.events, told.time)
    names = [name for name in told.names if name in shared.names]
    if not phases or not names:
        return None
    errors = {}
    for name in names:
        at = np.interp(told.time, shared.time, shared.muscle(name))  # NaN stays NaN
        off = 100.0 * (at - told.muscle(name)) / study.model.muscles[name].max_force
        errors[name] = tuple(_rms(off[phase.frames]) for phase in phases)
    return EmgErrors(phases, errors)


def _rms(values: np.ndarray) -> float:
    known = values[np.isfinite(values)]
    return float(np.sqrt(np.mean(known**2))) if len(known) else float("nan")
