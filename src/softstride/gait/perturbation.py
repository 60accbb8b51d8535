"""What if: a change of one joint moment, in some phases of some steps, written in a few characters."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.errors import InputError, Option
from softstride.gait.body import JOINTS, PHASES
from softstride.gait.moments import joint_index

Floats = NDArray[np.float64]

_NUMBER = r"[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?"
_FORM = re.compile(
    rf"\s*(?P<joint>[A-Za-z_ -]+?)\s*(?::\s*(?P<phases>[1-4](?:\s*[-,]\s*[1-4])*))?"
    rf"\s*(?:@\s*(?P<steps>all|\d+(?:\s*,\s*\d+)*))?"
    rf"\s*=\s*(?P<amount>{_NUMBER})\s*(?P<unit>%|N\s*m)?\s*"
)
HOW = 'write for example "left_ankle:1=+20%", "right_ankle:1-2=+2" (N m) or "left_hip:4@2=-10%" (second step)'


@dataclass(frozen=True)
class Perturbation:
    """M -> factor M + added for one joint, in some phases of some steps.

    Attributes:
        joint: One of `JOINTS`; left and right are those of the person, whichever leg stands.
        phases: Phases of the step, each 1 to 4.
        factor: What the moment is multiplied by.
        added: What is added to it [N m].
        steps: Steps that it acts in, counted from 1; empty: all.
    """

    joint: str
    phases: tuple[int, ...] = PHASES
    factor: float = 1.0
    added: float = 0.0
    steps: tuple[int, ...] = (1,)

    def __post_init__(self) -> None:
        """Check the fields."""
        object.__setattr__(self, "joint", JOINTS[joint_index(self.joint)])
        object.__setattr__(self, "phases", tuple(sorted(set(self.phases))))
        object.__setattr__(self, "steps", tuple(self.steps))
        if not self.phases or any(phase not in PHASES for phase in self.phases):
            raise InputError(
                f"phases of a perturbation are numbers from 1 to 4, however they are {self.phases}"
            )
        if any(step < 1 for step in self.steps):
            raise InputError(f"steps of a perturbation are counted from 1, however they are {self.steps}")
        if not (math.isfinite(self.factor) and math.isfinite(self.added)):
            raise InputError(
                f"a perturbation must be finite, however it is {self.factor:g} and {self.added:g} N m"
            )

    @classmethod
    def parse(cls, text: str) -> Perturbation:
        """Return the perturbation of a text such as "left_ankle:1=+20%".

        Joint, phases after a colon (all where left out; "1-2" or "1,2" for several), steps after an @ (the first where
        left out; "all"), then what is added: a percentage of the moment, or N m.

        Raises:
            InputError: A text of another form, or an unknown joint.
        """
        found = _FORM.fullmatch(text)
        if found is None:
            option = Option("perturb", text, named=False)
            raise InputError(
                f"{option} is no perturbation; {HOW}", parameter="text", value=text, options=[option]
            )
        amount = float(found["amount"])
        percent = found["unit"] == "%"
        steps = found["steps"]
        return cls(
            joint=found["joint"],
            phases=PHASES if found["phases"] is None else _phases(found["phases"]),
            factor=1.0 + amount / 100.0 if percent else 1.0,
            added=0.0 if percent else amount,
            steps=(1,)
            if steps is None
            else ()
            if steps == "all"
            else tuple(int(x) for x in steps.split(",")),
        )

    def __str__(self) -> str:
        """Return the text that `parse` reads."""
        change = f"{self.added:+.12g}" if self.factor == 1.0 else f"{100.0 * (self.factor - 1.0):+.12g}%"
        steps = "" if self.steps == (1,) else "@" + (",".join(map(str, self.steps)) or "all")
        return f"{self.joint}:{','.join(map(str, self.phases))}{steps}={change}"


def _phases(text: str) -> tuple[int, ...]:
    """Return 1, 2, 3 of "1-3" and 1, 3 of "1,3"."""
    found: list[int] = []
    for part in re.split(r"\s*,\s*", text):
        ends = [int(x) for x in re.split(r"\s*-\s*", part)]
        found += range(ends[0], ends[-1] + 1)
    return tuple(found)


def effect(perturbations: Iterable[Perturbation], step: int, mirrored: bool) -> tuple[Floats, Floats]:
    """Return factors and additions by phase and joint, each (4, 6), for one step.

    Joints are in the order of the equations, whose right leg stands: in a mirrored step the left ankle of the person is
    their right one.
    """
    factor, added = np.ones((4, 6)), np.zeros((4, 6))
    for each in perturbations:
        if each.steps and step not in each.steps:
            continue
        column = JOINTS.index(each.joint)
        column = 5 - column if mirrored else column
        for phase in each.phases:
            factor[phase - 1, column] *= each.factor
            added[phase - 1, column] = each.factor * added[phase - 1, column] + each.added
    return factor, added
