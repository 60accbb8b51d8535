"""Packaged people: a full body and a lighter one for gait, from mass, height and sex."""

from softstride.model.library.human.people import gait_person, human

__all__ = ["gait_person", "human"]
