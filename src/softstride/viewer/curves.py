"""Curves beside the view: joint angles, moments, ground reaction and activations, at the frames of a scene."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from softstride.dynamics.loads import Loads
from softstride.kinematics.motion import Motion
from softstride.model.joints import Free, Prismatic, Spherical
from softstride.model.model import Model
from softstride.muscles.sharing.forces import MuscleForces
from softstride.naming import side_of, split_side
from softstride.results import Result, values
from softstride.scene.scene import Scene

if TYPE_CHECKING:
    from softstride.study.study import Study

Floats = NDArray[np.float64]

RIGHT, LEFT, OTHER = "#0b7285", "#c2255c", "#5f3dc4"
"""Colours of sides: right, left, neither."""

SHORT = {"estimated": "est.", "measured": "meas."}

AXES = {"up": 1, "forward": 0, "to the right": 2}


class Curve(Result):
    """One line of a plot.

    Attributes:
        name: In the legend.
        values: Shape (n,), in the unit of the plot; NaN where there is none.
        colour: As CSS has it.
        dashed: Whether the line is broken: what was measured.
    """

    name: str
    values: Floats = values("time")
    colour: str
    dashed: bool = False

    def whose(self) -> str:
        """Say which one."""
        return f"curve {self.name!r}"


@dataclass(frozen=True, eq=False)
class Plot:
    """Curves that share their axes.

    Attributes:
        title: What they show.
        unit: Of their values.
        curves: One or more.
    """

    title: str
    unit: str
    curves: tuple[Curve, ...]

    @property
    def range(self) -> tuple[float, float]:
        """From a little below the lowest to a little above the highest value."""
        values = np.concatenate([curve.values for curve in self.curves])
        values = values[np.isfinite(values)]
        if not len(values):
            return 0.0, 1.0
        low, high = float(values.min()), float(values.max())
        margin = 0.06 * (high - low) or 1.0
        return low - margin, high + margin


Plots = Mapping[str, Mapping[str, Plot]]
"""By what they show ("Angle", ...), then by which one."""


def study_curves(study: Study, scene: Scene) -> Plots:
    """Return the plots of a study at the frames of its scene."""
    return curves(scene, study.motion, study.estimated, study.measured, study.forces)


def curves(
    scene: Scene,
    motion: Motion,
    estimated: Loads | None = None,
    measured: Loads | None = None,
    forces: MuscleForces | None = None,
) -> Plots:
    """Return plots of what there is: angles, ground reaction, moments, activations.

    Args:
        scene: Whose frames the curves have.
        motion: For angles.
        estimated: Loads that were estimated.
        measured: Loads under measured forces; their moments are shown where there are both.
        forces: For activations.
    """
    angles = _angular(motion.model)
    found: dict[str, dict[str, Plot]] = {
        "Angle": {},
        "Ground": {},
        "Moment": {},
        "Muscle": {},
    }
    for stem, names in _pairs(angles):
        found["Angle"][stem] = Plot(
            f"{_spoken(stem)} [°]",
            "°",
            tuple(
                _curve(name, np.degrees(_at(scene, motion.time, motion.coordinate(name)))) for name in names
            ),
        )
    for word, axis in AXES.items():
        lines = _reactions(scene, axis)
        if lines:
            found["Ground"][word] = Plot(f"ground reaction {word} [N]", "N", lines)
    given = (("estimated", estimated), ("measured", measured))
    sources = {SHORT[name]: each for name, each in given if each is not None}
    for stem, names in _pairs(angles if sources else ()):
        found["Moment"][stem] = Plot(
            f"{_spoken(stem)}, moment [N·m]",
            "N·m",
            tuple(
                _curve(
                    name, _at(scene, loads.time, loads.coordinate(name)), words if len(sources) > 1 else ""
                )
                for words, loads in sources.items()
                for name in names
            ),
        )
    for stem, names in _pairs(() if forces is None else forces.names):
        if forces is not None:
            found["Muscle"][stem] = Plot(
                f"{stem}, activation [%]",
                "%",
                tuple(
                    _curve(
                        name, 100.0 * _at(scene, forces.time, forces.activation[:, forces.names.index(name)])
                    )
                    for name in names
                ),
            )
    return {group: plots for group, plots in found.items() if plots}


def _angular(model: Model) -> tuple[str, ...]:
    """Return the coordinates that are angles of joints, those of pelvis and of rods left out."""
    names = []
    for link in model.links:
        if link.soft or link.parent == "world" or isinstance(link.joint, (Free, Spherical, Prismatic)):
            continue
        names += [name for name in link.coordinate_names if name not in names]
    return tuple(names)


def _pairs(names: Iterable[str]) -> list[tuple[str, tuple[str, ...]]]:
    """Return names by their stem: "knee_angle" has "knee_angle_r" and "knee_angle_l"."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(split_side(name)[1], []).append(name)
    return [(stem, tuple(sorted(each, reverse=True))) for stem, each in found.items()]


def _spoken(stem: str) -> str:
    return stem.replace("_", " ")


def _curve(name: str, values: Floats, words: str = "") -> Curve:
    side = side_of(name) or name
    colour = {"right": RIGHT, "left": LEFT}.get(side, OTHER)
    return Curve(f"{side} {words}".strip(), values, colour, words == SHORT["measured"])


def _reactions(scene: Scene, axis: int) -> tuple[Curve, ...]:
    """Return one curve for each side and source, forces of several plates added."""
    found: dict[tuple[str, str], Floats] = {}
    for arrow in scene.arrows:
        force = arrow.force[:, axis].astype(np.float64)
        key = arrow.side, arrow.source
        found[key] = found[key] + np.nan_to_num(force) if key in found else np.nan_to_num(force)
    both = len({source for _, source in found}) > 1
    order = sorted(found.items(), key=lambda item: (item[0][1], item[0][0] != "right"))
    return tuple(
        Curve(
            f"{side or 'force'} {SHORT[source] if both else ''}".strip(),
            values,
            {"right": RIGHT, "left": LEFT}.get(side, OTHER),
            both and source == "measured",
        )
        for (side, source), values in order
    )


def _at(scene: Scene, time: Floats, values: Floats) -> Floats:
    """Return values at the frames of a scene, by the straight line between samples; NaN outside."""
    return np.asarray(np.interp(scene.time, time, values, left=np.nan, right=np.nan))
