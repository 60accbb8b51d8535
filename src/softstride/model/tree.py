"""The shape of the tree: parents before children, coordinates of all links, groups that share coordinates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from softstride.errors import ModelError
from softstride.model import checks
from softstride.model.joints import Custom
from softstride.model.link import WORLD, Link
from softstride.model.rod import Rod

MAX_GROUP = 6
"""Most coordinates that one custom joint, or a group of them with shared coordinates, may have."""


def by_name(links: Iterable[Link]) -> dict[str, Link]:
    """Return the links by name.

    Raises:
        ModelError: Two links with one name.
    """
    table: dict[str, Link] = {}
    for link in links:
        if link.name in table:
            raise ModelError(f"link {link.name!r} exists twice: give each link its own name.")
        table[link.name] = link
    return table


def sort_links(links: Sequence[Link]) -> tuple[Link, ...]:
    """Return the links with parents before children, otherwise in the given order.

    Raises:
        ModelError: Two links with one name, an unknown parent or a cycle.
    """
    table = by_name(links)
    done: dict[str, Link] = {}
    for link in links:
        for ancestor in reversed(_path_up(link, table, done)):
            done[ancestor.name] = ancestor
    return tuple(done.values())


def _path_up(link: Link, table: dict[str, Link], done: dict[str, Link]) -> list[Link]:
    """Return the link and its ancestors that are not done yet, from the link up."""
    path: dict[str, Link] = {}
    here = link
    while here.name not in done:
        if here.name in path:
            cycle = [*list(path)[list(path).index(here.name) :], here.name]
            raise ModelError(
                f"links hang on each other in a cycle: {' -> '.join(map(repr, cycle))}; one must hang on "
                f"'world'."
            )
        path[here.name] = here
        if here.parent == WORLD:
            break
        here = parent_of(here, table)
    return list(path.values())


def parent_of(link: Link, table: dict[str, Link]) -> Link:
    """Return the parent of a link that does not hang on the world.

    Raises:
        ModelError: An unknown parent.
    """
    if link.parent not in table:
        raise ModelError(
            f"link {link.name!r}: parent {link.parent!r} is no link; known: 'world', "
            f"{checks.names_hint(table)}."
        )
    return table[link.parent]


def check_order(links: Sequence[Link]) -> None:
    """Check that parents come before children and that `at` names a place on a rod.

    Raises:
        ModelError: An unknown or later parent, `at` on what is no rod, or beyond its end.
    """
    table = by_name(links)
    seen: set[str] = set()
    for link in links:
        if link.parent != WORLD:
            parent = parent_of(link, table)
            if link.parent not in seen:
                sort_links(links)  # a cycle has its own message
                raise ModelError(
                    f"link {link.name!r} comes before its parent {link.parent!r}: sort_links puts them in "
                    f"order."
                )
            check_at(link.at, parent, f"link {link.name!r}")
        elif link.at is not None:
            raise ModelError(
                f"link {link.name!r}: at={link.at:g} needs a rod as parent, however it is the world."
            )
        seen.add(link.name)


def outline(links: Sequence[Link]) -> list[tuple[object, ...]]:
    """Return what all else in a model may refer to: names, parents, kinds and coordinates of joints, lengths of rods.

    Links with equal outlines have the same order, layout and groups, and hold the same places.
    """
    return [
        (
            link.name,
            link.parent,
            link.at,
            type(link.joint),
            link.coordinate_names,
            link.joint.length if isinstance(link.joint, Rod) else None,
        )
        for link in links
    ]


def check_at(at: float | None, link: Link, what: str) -> None:
    """Check that an arc length `at` exists on `link`.

    Raises:
        ModelError: The link is no rod, or is shorter.
    """
    if at is None:
        return
    if not isinstance(link.joint, Rod):
        raise ModelError(f"{what}: at={at:g} needs a rod, however {link.name!r} is rigid: leave out `at`.")
    if not 0.0 <= at <= link.joint.length * (1.0 + 1e-12):
        raise ModelError(
            f"{what}: at={at:g} m lies beyond the rod {link.name!r}, which is {link.joint.length:g} m long."
        )


@dataclass(frozen=True)
class Layout:
    """Where the coordinates of every link stand in q and v.

    Attributes:
        names: Coordinate names in the order of v.
        q: For each link, the indices into q in the order of its joint's coordinates.
        v: For each link, the indices into v.
        q_new: For each link, the slice of q that it brings (shared coordinates belong to the first link).
        v_new: For each link, the slice of v that it brings.
        nq: Length of q.
        nv: Length of v.
    """

    names: tuple[str, ...]
    q: tuple[tuple[int, ...], ...]
    v: tuple[tuple[int, ...], ...]
    q_new: tuple[slice, ...]
    v_new: tuple[slice, ...]
    nq: int
    nv: int


def lay_out(links: Sequence[Link]) -> Layout:
    """Number the coordinates: q is the concatenation over links of the new coordinates each one brings.

    Raises:
        ModelError: A coordinate name that belongs to two links which may not share it.
    """
    places: dict[str, tuple[int, int, Link]] = {}  # name -> index in q, index in v, owner
    q: list[tuple[int, ...]] = []
    v: list[tuple[int, ...]] = []
    q_new: list[slice] = []
    v_new: list[slice] = []
    nq = nv = 0
    for link in links:
        q_start, v_start = nq, nv
        names = link.coordinate_names
        for name in names:
            if name in places:
                _check_sharing(name, places[name][2], link)
            elif isinstance(link.joint, Custom):
                places[name] = (nq, nv, link)
                nq, nv = nq + 1, nv + 1
            else:
                places[name] = (-1, nv, link)
                nv += 1
        if isinstance(link.joint, Custom):
            q.append(tuple(places[name][0] for name in names))
        else:
            nq += link.joint.nq
            q.append(tuple(range(q_start, nq)))
        v.append(tuple(places[name][1] for name in names))
        q_new.append(slice(q_start, nq))
        v_new.append(slice(v_start, nv))
    return Layout(tuple(places), tuple(q), tuple(v), tuple(q_new), tuple(v_new), nq, nv)


def _check_sharing(name: str, owner: Link, link: Link) -> None:
    if owner is link or not (isinstance(owner.joint, Custom) and isinstance(link.joint, Custom)):
        raise ModelError(
            f"coordinate {name!r} belongs to link {owner.name!r} and to link {link.name!r}: rename one, or "
            f"make both "
            f"Custom joints if they are to share it."
        )


def coordinate_groups(links: Sequence[Link]) -> tuple[tuple[str, ...], ...]:
    """Return the groups of two or more custom links that share coordinates, each as names in link order.

    A group moves as one joint with several frames, so all of it must hang on one outside parent (at one
    place of it): each member's parent is that parent or another member.

    Raises:
        ModelError: A group with two outside parents, or with more than `MAX_GROUP` coordinates.
    """
    groups: list[tuple[set[str], list[Link]]] = []
    for link in links:
        if not isinstance(link.joint, Custom):
            continue
        names, members = set(link.joint.coordinates), [link]
        apart = []
        for other_names, others in groups:
            if names & other_names:
                names, members = names | other_names, others + members
            else:
                apart.append((other_names, others))
        groups = [*apart, (names, members)]
    order = {link.name: i for i, link in enumerate(links)}
    result = []
    for names, members in groups:
        members.sort(key=lambda link: order[link.name])
        _check_group(names, members)
        if len(members) > 1:
            result.append(tuple(link.name for link in members))
    return tuple(sorted(result, key=lambda group: order[group[0]]))


def _check_group(names: set[str], members: Sequence[Link]) -> None:
    inside = {link.name for link in members}
    listed = ", ".join(repr(link.name) for link in members)
    if len(names) > MAX_GROUP:
        raise ModelError(
            f"custom joints of {listed} have {len(names)} coordinates together, at most {MAX_GROUP} are "
            f"possible: "
            f"split the joint in two links."
        )
    outside = {(link.parent, link.at) for link in members if link.parent not in inside}
    if len(outside) > 1:
        parents = ", ".join(
            repr(parent) + ("" if at is None else f" at {at:g} m") for parent, at in sorted(outside, key=str)
        )
        raise ModelError(
            f"links {listed} share coordinates but hang on different places ({parents}): each must hang on "
            f"one common "
            f"parent or on another of them."
        )
