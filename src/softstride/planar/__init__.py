"""The closed-form planar chain: which muscle, weight, contact or motion loads which joint.

A `Chain` is a constant description, a `State` says how it moves and what acts on it, frame by frame:

    >>> from softstride.planar import Chain, Muscle, State
    >>> arm = Chain(
    ...     length=[0.1, 0.3],
    ...     mass=[0, 2],
    ...     com=[(0, 0), (0.15, 0)],
    ...     inertia=[0, 0.02],
    ...     muscles=[Muscle("flexor", [(0, 0.0, 0.05), (1, 0.05, 0.02)])],
    ... )
    >>> arm.contributions(State(theta=[0.0, 0.5], tension={"flexor": 100.0})).by("kind").total_force

`load_chain` and `read_chain` take chains from files, `MarkerChain` makes one from markers and a force plate, and
`chain_from_motion` from a motion of a model.
"""

from typing import TYPE_CHECKING, Any

from softstride.planar.case import Case
from softstride.planar.chain import Chain
from softstride.planar.chain_file import read_chain
from softstride.planar.induced import Induced
from softstride.planar.library import chain_names, load_chain
from softstride.planar.markers import MarkerChain, MarkerLink
from softstride.planar.parts import Contact, Muscle
from softstride.planar.results import Reactions, Torques
from softstride.planar.simulate import Simulation
from softstride.planar.sources import Source
from softstride.planar.state import Shape, State
from softstride.planar.symbolic import ClosedForm, closed_form
from softstride.planar.table import Contributions
from softstride.planar.vectors import polar

if TYPE_CHECKING:
    from softstride.planar.from_motion import chain_from_motion

__all__ = [
    "Case",
    "Chain",
    "ClosedForm",
    "Contact",
    "Contributions",
    "Induced",
    "MarkerChain",
    "MarkerLink",
    "Muscle",
    "Reactions",
    "Shape",
    "Simulation",
    "Source",
    "State",
    "Torques",
    "chain_from_motion",
    "chain_names",
    "closed_form",
    "load_chain",
    "polar",
    "read_chain",
]


def __getattr__(name: str) -> Any:
    if name == "chain_from_motion":  # needs the engine, which loads a compiler: on first use
        from softstride.planar.from_motion import chain_from_motion

        return chain_from_motion
    raise AttributeError(f"module 'softstride.planar' has no attribute {name!r}")
