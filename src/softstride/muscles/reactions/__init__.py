"""What joints transmit: force and moment at every joint, with or without muscles."""

from typing import TYPE_CHECKING

from softstride.on_demand import on_demand

if TYPE_CHECKING:
    from softstride.muscles.force_files import GivenForces, read_forces
    from softstride.muscles.reactions.knee import KneeContact, knee_contact
    from softstride.muscles.reactions.reactions import joint_reactions
    from softstride.muscles.reactions.result import JointReactions, Reaction

__all__ = [
    "GivenForces",
    "JointReactions",
    "KneeContact",
    "Reaction",
    "joint_reactions",
    "knee_contact",
    "read_forces",
]

__getattr__, __dir__ = on_demand(__name__, __file__)
