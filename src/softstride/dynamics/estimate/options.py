"""What an estimate of loads without force plates is told to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypedDict

from softstride.contact.sole import Sole
from softstride.fields import Instance, Named, Numbers, Span, Text, declared
from softstride.naming import SIDES
from softstride.options import Options


@dataclass(frozen=True, eq=False)
class EstimateOptions(Options, of="an estimate of loads"):
    """How to estimate the ground reaction and the loads of a motion.

    Forces are weighed in units of body weight, moments in body weight times metres.
    """

    lowpass: float | Literal["auto"] | None = declared(
        "auto",
        'Cut-off of a low pass of the coordinates; "auto": chosen from the motion, see '
        "`softstride.dynamics.estimate.cutoff`; None: the motion's own velocities and accelerations.",
        unit="Hz",
        above=0.0,
    )
    time_range: tuple[float, float] | None = declared(
        None,
        "First and last instant to solve; None: the whole motion.",
        unit="s",
        rule=Span(finite=False),
        example=(0.5, 1.8),
    )
    friction: float = declared(0.8, "Coefficient of friction mu of the ground.", least=0.0)
    facets: int | None = declared(
        None, "Sides of a pyramid in place of the friction cone; None: the cone itself.", least=4, example=8
    )
    floor: float | None = declared(
        None, "Height of the floor; None: estimated from the standing feet.", unit="m", example=0.0
    )
    belt: tuple[float, ...] | None = declared(
        None,
        "Velocity of the ground, (forward, right) or three components in world axes; None: estimated from the standing "
        "feet.",
        unit="m/s",
        rule=Numbers((2, 3), words="a velocity, (forward, right) or three components [m/s]"),
        example=(-1.3, 0.0),
    )
    links: Mapping[str, str] = declared(
        {},
        "Link that carries the load of each foot, by side; others are found by name.",
        rule=Named(Text("the name of a link"), SIDES, of="sides"),
    )
    soles: Mapping[str, Sole] = declared(
        {},
        "Soles by side, in place of those that model or averages give.",
        rule=Named(Instance(Sole), SIDES, of="sides"),
    )
    load_cell: bool = declared(
        True,
        "Whether the deformation of blades, whose stiffness the model knows, tells of the force in them.",
    )
    blade_error: float = declared(
        0.1, "Standard deviation of the stiffness of blades, as a share of it.", above=0.0
    )
    strain_error: float | None = declared(
        None,
        "Standard deviation of the strains of blades; None: from the markers that the motion comes from, see "
        "`softstride.dynamics.estimate.demand`, or 0.04 1/m for a motion without markers.",
        unit="1/m",
        above=0.0,
        example=0.04,
    )
    reach: float = declared(
        4.0,
        "Length over which a force of one body weight in error counts as much as a moment of one body weight times "
        "metre: moments about the base come from the swing of trunk and arms and are known worse than forces.",
        unit="m",
        above=0.0,
    )
    torque: float = declared(
        1e-3,
        "Weight of joint torques against the balance of the base: what shares a double support between the legs.",
        least=0.0,
    )
    load: float = declared(2e-4, "Weight of the load of a foot, divided by its activation.", above=0.0)
    spread: float = declared(
        5e-4, "Weight of a distribution over the sole other than that of the activation.", above=0.0
    )
    smoothness: float | None = declared(
        30.0,
        "Frequency above which changes of the ground reaction cost more than they explain; None: frames are "
        "independent.",
        unit="Hz",
        above=0.0,
    )
    sockets: tuple[str, ...] | None = declared(
        None, "Links whose joint is a socket, as in `IdOptions`.", of="links"
    )
    tolerance: float = declared(1e-6, "Of the solution, relative.", above=0.0)
    max_iterations: int = declared(200, "Of the solver.", least=1)

    def check(self) -> None:
        """A velocity along the floor is kept with three components."""
        if self.belt is not None and len(self.belt) == 2:
            object.__setattr__(self, "belt", (self.belt[0], 0.0, self.belt[1]))


class EstimateChanges(TypedDict, total=False):
    """The fields of `EstimateOptions` as keywords; written by tools/keywords.py."""

    lowpass: float | Literal["auto"] | None
    time_range: tuple[float, float] | None
    friction: float
    facets: int | None
    floor: float | None
    belt: tuple[float, ...] | None
    links: Mapping[str, str]
    soles: Mapping[str, Sole]
    load_cell: bool
    blade_error: float
    strain_error: float | None
    reach: float
    torque: float
    load: float
    spread: float
    smoothness: float | None
    sockets: tuple[str, ...] | None
    tolerance: float
    max_iterations: int
