"""`Chain`: links, joints, muscles and contacts of a planar chain, as a constant description."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from softstride.errors import ModelError
from softstride.fields import changed
from softstride.model import checks
from softstride.model.checks import ArrayField, FloatArray, Frozen, constant
from softstride.planar.parts import Contact, Lines, Muscle
from softstride.planar.reach import check_point, usual_reach
from softstride.planar.vectors import Complex, to_complex

if TYPE_CHECKING:
    from softstride.planar.induced import Induced
    from softstride.planar.results import Form, Reactions, Torques
    from softstride.planar.simulate import Drive, Simulation
    from softstride.planar.state import State
    from softstride.planar.table import Contributions

GRAVITY = 9.80665
"""Standard gravity [m/s²], along -y."""

MOST_LINKS = 1000


@dataclass(frozen=True, eq=False, repr=False)
class Chain(Frozen):
    """A planar chain: link 0 is the base, links 1 to n follow, joint j joins links j-1 and j at the point J_j.

    The plane is (x, y), y up, angles counter-clockwise. The frame of link i has its origin in J_i and its x axis along
    J_i J_(i+1); J_(n+1) is any point of the last link, J_0 any point of the base. Shapes are generic: neither the
    centre of mass nor a point where something acts need lie on that line.

    Attributes:
        length: Distances |J_i J_(i+1)| of links 0 to n, shape (n+1,), [m]; above zero from link 1 on.
        mass: Masses, shape (n+1,), [kg].
        com: Centres of mass in the frames of the links, shape (n+1, 2), [m]; see `polar` for length and angle.
        inertia: Moments of inertia about the centres of mass, shape (n+1,), [kg·m²].
        muscles: Muscles.
        contacts: Places where something from outside acts.
        gravity: Acceleration of gravity [m/s²]: a number (downward), or a vector (2,).
        links: Names of links 0 to n; their numbers unless given.
        joints: Names of joints 1 to n; their numbers unless given.
        reach: How far from the line J_i J_(i+1) a contact may lie, shape (n+1,), [m]; unless given, half the length of
            the link and as far as its centre of mass is off the line. A base of no length counts as the longest link.
        name: Name of the chain.
    """

    length: FloatArray
    mass: FloatArray
    com: FloatArray
    inertia: FloatArray
    muscles: tuple[Muscle, ...] = ()
    contacts: tuple[Contact, ...] = ()
    gravity: ArrayField = GRAVITY  # type: ignore[assignment]
    links: tuple[str, ...] = ()
    joints: tuple[str, ...] = ()
    reach: ArrayField = field(default_factory=constant(()))
    name: str = "chain"

    def __post_init__(self) -> None:
        """Copy and check the fields."""
        checks.text(self.name, "name of a chain")
        length = checks.any_array(self.length, "length of the links")
        if length.ndim != 1 or not 2 <= len(length) <= MOST_LINKS:
            raise ModelError(
                f"length must have one number for the base and each link, 2 to {MOST_LINKS}, however it has the shape "
                f"{length.shape}."
            )
        count = (len(length),)
        self._set(
            length=length,
            mass=checks.array(self.mass, count, "mass of the links"),
            com=checks.array(self.com, (*count, 2), "com of the links"),
            inertia=checks.array(self.inertia, count, "inertia of the links"),
            gravity=_gravity(self.gravity),
            links=_names(self.links, len(length), 0, "links"),
            joints=_names(self.joints, len(length) - 1, 1, "joints"),
        )
        self._check_numbers()
        given = checks.any_array(self.reach, "reach of the links")
        reach = usual_reach(length, self.com_complex) if given.size == 0 else given
        self._set(reach=checks.array(reach, count, "reach of the links"))
        self._set(muscles=_parts(self.muscles, Muscle, "muscles"), contacts=self._checked_contacts())
        _ = self.lines

    def _check_numbers(self) -> None:
        for i, name in enumerate(self.links):
            if self.length[i] < 0.0 or (i > 0 and self.length[i] == 0.0):
                raise ModelError(
                    f"link {name!r}: length must be above zero, however it is {self.length[i]:g} m."
                )
            for what in ("mass", "inertia"):
                value = getattr(self, what)[i]
                if value < 0.0:
                    raise ModelError(f"link {name!r}: {what} must not be negative, however it is {value:g}.")

    def _checked_contacts(self) -> tuple[Contact, ...]:
        contacts = _parts(self.contacts, Contact, "contacts")
        for contact in contacts:
            link = self.link_number(contact.link, f"contact {contact.name!r}")
            check_point(self, contact.name, link, complex(*contact.point))
        return contacts

    def __repr__(self) -> str:
        """Say what it is in one line."""
        return (
            f"Chain({self.name!r}, {self.n} links on {self.links[0]!r}, {len(self.muscles)} muscles, "
            f"{len(self.contacts)} contacts)"
        )

    def changed(self, **changes: Any) -> Chain:
        """Return a chain with some fields changed; an unknown field is an error that lists the known ones."""
        found: Chain = changed(self, changes, "a chain", ModelError)
        return found

    # names and numbers

    @property
    def n(self) -> int:
        """Number of links that move, and of joints."""
        return len(self.length) - 1

    def link_number(self, link: str | int, what: str = "link") -> int:
        """Return the number of a link from its name or number.

        Raises:
            ModelError: No such link; the message begins with `what`.
        """
        if isinstance(link, str):
            if link in self.links:
                return self.links.index(link)
        elif not isinstance(link, bool) and isinstance(link, int | np.integer) and 0 <= link <= self.n:
            return int(link)
        raise ModelError(
            f"{what}: there is no link {link!r}; links 0 to {self.n} are: {', '.join(self.links)}."
        )

    @cached_property
    def contact_links(self) -> tuple[int, ...]:
        """Number of the link of each contact."""
        return tuple(self.link_number(contact.link) for contact in self.contacts)

    @cached_property
    def contact_points(self) -> Complex:
        """Points of the contacts in the frames of their links, complex, [m]."""
        return np.array([complex(*contact.point) for contact in self.contacts], dtype=np.complex128)

    @cached_property
    def lines(self) -> Lines:
        """The straight lines of the muscles between different links."""
        rows: list[tuple[int, int, int, complex, complex]] = []
        for number, muscle in enumerate(self.muscles):
            what = f"muscle {muscle.name!r}"
            path = [(self.link_number(link, what), complex(x, y)) for link, x, y in muscle.path]
            if len({link for link, _ in path}) == 1:
                raise ModelError(
                    f"{what}: all points are on link {self.links[path[0][0]]!r}, so it crosses no joint: "
                    "give its insertion on another link."
                )
            for (i, a), (j, b) in pairwise(path):
                if i != j:
                    rows.append((number, i, j, a, b) if i < j else (number, j, i, b, a))
        columns = list(zip(*rows, strict=True)) if rows else [()] * 5
        kinds = (np.int64, np.int64, np.int64, np.complex128, np.complex128)
        return Lines(*(np.array(column, dtype=kind) for column, kind in zip(columns, kinds, strict=True)))

    @cached_property
    def com_complex(self) -> Complex:
        """Centres of mass in the frames of the links, complex, shape (n+1,), [m]."""
        return to_complex(self.com)

    # what it does; see the functions of the same names

    def reactions(self, state: State, *, form: Form = "distal") -> Reactions:
        """Return the joint reaction forces; see `planar.totals.reactions`."""
        from softstride.planar.totals import reactions

        return reactions(self, state, form=form)

    def torques(self, state: State, *, form: Form = "distal") -> Torques:
        """Return the torques that muscles give and that the motion requires; see `planar.totals.torques`."""
        from softstride.planar.totals import torques

        return torques(self, state, form=form)

    def contributions(self, state: State, *, form: Form = "distal") -> Contributions:
        """Return what each muscle, weight, contact and motion adds; see `planar.contributions.contributions`."""
        from softstride.planar.contributions import contributions

        return contributions(self, state, form=form)

    def induced(self, state: State, *, fixed: Iterable[str] = ()) -> Induced:
        """Return what each cause adds by the accelerations that it causes; see `planar.induced.induced`."""
        from softstride.planar.induced import induced

        return induced(self, state, fixed=tuple(fixed))

    def accelerations(self, state: State) -> FloatArray:
        """Return angular accelerations from forces, shape (n_frames, n+1), [rad/s²]; `state.alpha` is not used."""
        from softstride.planar.forward import accelerations

        return accelerations(self, state)

    def simulate(self, start: State, time: Iterable[float], drive: Drive | None = None) -> Simulation:
        """Return the motion that follows from forces; see `planar.simulate.simulate`."""
        from softstride.planar.simulate import simulate

        return simulate(self, start, time, drive)

    def balanced(self, state: State, contact: str) -> State:
        """Return the state with one contact found from the balance of the whole; see `planar.balance.balanced`."""
        from softstride.planar.balance import balanced

        return balanced(self, state, contact)


def _gravity(value: Any) -> FloatArray:
    given = checks.any_array(value, "gravity")
    if given.ndim == 0:
        return checks.locked(np.array([0.0, -checks.number(given, "gravity", lower=0.0)]))
    return checks.array(given, (2,), "gravity")


def _names(given: Iterable[str], count: int, first: int, what: str) -> tuple[str, ...]:
    if isinstance(given, str):
        raise ModelError(f"{what} must be a list of names, however they are the one text {given!r}.")
    names = tuple(checks.text(name, f"name of {what}") for name in given)
    if not names:
        return tuple(str(i) for i in range(first, first + count))
    if len(names) != count or len(set(names)) != count:
        raise ModelError(f"{what} must have {count} different names, however they are {', '.join(names)}.")
    return names


def _parts(given: Iterable[Any], kind: type, what: str) -> tuple[Any, ...]:
    parts = tuple(given)
    if not all(isinstance(part, kind) for part in parts):
        raise ModelError(f"{what} must be {kind.__name__} objects.")
    names = [part.name for part in parts]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ModelError(f"{what} must have different names, however {twice[0]!r} occurs more than once.")
    return parts
