"""What joints transmit: force and moment at every joint, with or without muscles."""

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
