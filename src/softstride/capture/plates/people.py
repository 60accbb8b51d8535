"""Whose foot it is, where the markers are of several people."""

from collections.abc import Sequence
from dataclasses import replace

from softstride.capture.force import ExternalForce, Plate
from softstride.capture.labels import subjects
from softstride.capture.plates.contacts import Contact, FootLimits
from softstride.capture.plates.doubts import Reason
from softstride.capture.plates.footprint import Foot, find_feet
from softstride.capture.plates.judgement import judge_contacts
from softstride.capture.series import Floats, Points
from softstride.naming import Side

Feet = dict[str, dict[Side, Foot]]  # by the prefix of the labels; "" where they have none


def feet_of_all(markers: Points, time: Floats, up: Floats) -> Feet:
    """Return the feet of everybody who has one; of nobody in particular where nobody does."""
    everybody = {who: find_feet(markers, time, up, who) for who in subjects(markers.labels)}
    return {who: feet for who, feet in everybody.items() if feet} or {"": {}}


def judge_people(
    contacts: Sequence[Contact],
    force: ExternalForce,
    plate: Plate | None,
    feet: Feet,
    limits: FootLimits,
    up: Floats,
    every: int,
) -> list[Contact]:
    """Return the contacts with the foot of whoever is there; at most one person is, as feet of others raise doubts."""
    judged: list[list[Contact]] = []
    for who, own in feet.items():
        others = {name: list(theirs.values()) for name, theirs in feet.items() if name != who}
        mine = judge_contacts(contacts, force, plate, own, limits, up, every, others)
        judged.append([replace(contact, subject=who) for contact in mine])
    return [_settle(same) for same in zip(*judged, strict=True)]


def _settle(same: tuple[Contact, ...]) -> Contact:
    """Return one contact from what it is for each person."""
    there = [contact for contact in same if contact.side is not None]
    if there or len(same) == 1:
        return (there or same)[0]
    if len({contact.doubt for contact in same}) == 1:
        return same[0]
    each = (replace(reason, person=contact.subject) for contact in same for reason in contact.doubt)
    return replace(same[0], doubt=tuple(each))


def sides_of_one_person(found: list[list[Contact]]) -> list[list[Contact]]:
    """Take the sides away if contacts are of several people."""
    people = sorted({contact.subject for contacts in found for contact in contacts if contact.side})
    if len(people) < 2:
        return found

    def open_again(contact: Contact) -> Contact:
        if contact.side is None:
            return contact
        reason = Reason.of("several-people", contact.side, contact.subject, *people)
        return replace(contact, side=None, doubt=(reason,))

    return [[open_again(contact) for contact in contacts] for contacts in found]
