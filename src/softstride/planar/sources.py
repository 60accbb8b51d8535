"""What a load is attributed to: sources with a label and a kind, and the ways to group them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from softstride.errors import InputError
from softstride.planar.chain import Chain

Kind = Literal[
    "muscle", "torque", "weight", "contact", "omega2", "alpha", "base_acceleration", "stretch", "residual"
]
Grouping = Literal["kind", "link", "spanning"]

ACTUATORS = ("muscle", "torque")
"""Kinds whose torques are given; those of the others are required."""

LOADS, MOTION = ("weight", "contact"), ("omega2", "alpha", "base_acceleration", "stretch")


@dataclass(frozen=True)
class Source:
    """One cause.

    Attributes:
        label: "muscle:soleus", "weight:shank", "contact:ground", "omega2:thigh", "alpha:thigh", ...; the name of a
            group after grouping.
        kind: What sort of cause.
        link: Number of its link; None for muscles, motors and what belongs to the whole chain.
    """

    label: str
    kind: str
    link: int | None = None

    @property
    def actuator(self) -> bool:
        """Whether it is a muscle or a motor."""
        return self.kind in ACTUATORS


def muscle_sources(chain: Chain) -> list[Source]:
    """Return one source for each muscle."""
    return [Source(f"muscle:{muscle.name}", "muscle") for muscle in chain.muscles]


def torque_sources(chain: Chain) -> list[Source]:
    """Return one source for each motor."""
    return [Source(f"torque:{joint}", "torque") for joint in chain.joints]


def load_sources(chain: Chain) -> list[Source]:
    """Return the weights of links 0 to n and the contacts."""
    weights = [Source(f"weight:{name}", "weight", i) for i, name in enumerate(chain.links)]
    pairs = zip(chain.contacts, chain.contact_links, strict=True)
    return weights + [Source(f"contact:{contact.name}", "contact", link) for contact, link in pairs]


def link_sources(chain: Chain, kind: str) -> list[Source]:
    """Return one source for each of links 1 to n."""
    return [Source(f"{kind}:{name}", kind, i) for i, name in enumerate(chain.links[1:], start=1)]


def groups(
    sources: tuple[Source, ...], chain: Chain, by: Grouping
) -> tuple[list[Source], NDArray[np.float64]]:
    """Return groups, and which source belongs to which at each joint.

    Args:
        sources: The sources.
        chain: The chain.
        by: "kind"; "link": weight, contacts and motion of each link, all muscles together; "spanning": muscles that
            span the joint, muscles that do not, other loads, motion.

    Returns:
        Groups, and memberships (n, n_sources, n_groups) of zeros and ones.

    Raises:
        InputError: An unknown way to group.
    """
    if by == "spanning":
        return _by_span(sources, chain)
    if by not in ("kind", "link"):
        raise InputError(f"by must be kind, link or spanning, however it is {by!r}.")
    named: dict[str, Source] = {}
    rows: list[str] = []
    for source in sources:
        if by == "kind":
            group = Source(source.kind, source.kind)
        elif source.link is not None:
            group = Source(f"link:{chain.links[source.link]}", "link", source.link)
        else:
            group = Source(f"{source.kind}s" if source.actuator else source.kind, source.kind)
        named.setdefault(group.label, group)
        rows.append(group.label)
    member = np.array([[label == name for name in named] for label in rows], dtype=np.float64)
    return list(named.values()), np.broadcast_to(member, (chain.n, *member.shape))


def _by_span(sources: tuple[Source, ...], chain: Chain) -> tuple[list[Source], NDArray[np.float64]]:
    kinds = {
        "spanning muscles": "muscle",
        "other muscles": "muscle",
        "torques": "torque",
        "weights and contacts": "load",
        "motion": "motion",
        "residual": "residual",
    }
    spans = muscle_spans(chain)
    order = {f"muscle:{muscle.name}": k for k, muscle in enumerate(chain.muscles)}
    member = np.zeros((chain.n, len(sources), len(kinds)))
    places = {name: k for k, name in enumerate(kinds)}
    for s, source in enumerate(sources):
        if source.kind == "muscle":
            span = spans[:, order[source.label]]
            member[span, s, places["spanning muscles"]] = 1.0
            member[~span, s, places["other muscles"]] = 1.0
            continue
        kind = (
            "weights and contacts"
            if source.kind in LOADS
            else "motion"
            if source.kind in MOTION
            else source.kind
        )
        member[:, s, places["torques" if kind == "torque" else kind]] = 1.0
    used = [k for k, name in enumerate(kinds) if member[:, :, k].any() or (name == "other muscles" and order)]
    names = [name for k, name in enumerate(kinds) if k in used]
    return [Source(name, kinds[name]) for name in names], member[:, :, used]


def muscle_spans(chain: Chain) -> NDArray[np.bool_]:
    """Return which muscle has a line across which joint, shape (n, n_muscles)."""
    spans = np.zeros((chain.n, len(chain.muscles)), dtype=bool)
    lines = chain.lines
    for column, muscle in zip(lines.spans(chain.n).T, lines.muscle, strict=True):
        spans[:, muscle] |= column
    return spans
