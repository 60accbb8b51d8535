"""One link of the tree: a rigid body or a rod, the joint that carries it, and where it hangs."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from softstride.errors import ModelError
from softstride.model import checks
from softstride.model.checks import ArrayField, Frozen, constant
from softstride.model.inertia import Inertia
from softstride.model.joints import Custom, Fixed, Free, Joint, Prismatic, Revolute, Spherical
from softstride.model.rod import Rod

WORLD = "world"

KINDS = (Fixed, Revolute, Prismatic, Spherical, Free, Custom, Rod)
"""The joints that the engine knows."""


@dataclass(frozen=True, eq=False)
class Link(Frozen):
    """A link: T_world_link = T_world_parent · placement · joint(q) · offset.

    For a rod the joint carries the base of the rod to the tip of its last segment, and `inertia` is lumped
    on the tip.

    Attributes:
        name: Name of the link.
        parent: Name of the parent link; "world" for a root.
        joint: Its joint (see `softstride.model.joints`) or its `Rod`.
        placement: Pose of the joint frame in the parent's link frame, shape (4, 4), [m].
        offset: Pose of the link frame in the joint's moving frame, shape (4, 4), [m].
        inertia: Inertia in the link frame.
        at: Arc length [m] from the base of a parent rod where this link hangs; the placement is then
            relative to the section frame there. None: the parent's link frame (of a rod: its tip).
        joint_name: What the file that it comes from calls its joint; empty: it has no name of its own. A joint that
            takes several links, those in between without mass, has all of them by this name.
    """

    name: str
    parent: str
    joint: Joint
    placement: ArrayField = field(default_factory=constant(np.eye(4)))
    offset: ArrayField = field(default_factory=constant(np.eye(4)))
    inertia: Inertia = field(default_factory=Inertia)
    at: float | None = None
    joint_name: str = ""

    def __post_init__(self) -> None:
        """Copy and check the fields."""
        name = checks.text(self.name, "name of a link")
        what = f"link {name!r}"
        if name == WORLD:
            raise ModelError(f"{what}: this name belongs to the fixed world, choose another.")
        checks.text(self.parent, f"{what}: parent")
        if not isinstance(self.joint, KINDS):
            raise ModelError(
                f"{what}: joint must be one of softstride.model.joints or a Rod, however it is "
                f"{self.joint!r}."
            )
        if not isinstance(self.joint_name, str):
            raise ModelError(f"{what}: joint_name must be a text, however it is {self.joint_name!r}.")
        if not isinstance(self.inertia, Inertia):
            raise ModelError(f"{what}: inertia must be an Inertia, however it is {self.inertia!r}.")
        self._set(
            placement=checks.pose(self.placement, f"{what}: placement"),
            offset=checks.pose(self.offset, f"{what}: offset"),
            at=None if self.at is None else checks.number(self.at, f"{what}: at", lower=0.0),
        )

    @property
    def soft(self) -> bool:
        """Whether the link is a rod."""
        return isinstance(self.joint, Rod)

    @property
    def mass(self) -> float:
        """Mass of the link [kg], a rod's own included."""
        return self.inertia.mass + (self.joint.mass if isinstance(self.joint, Rod) else 0.0)

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """Names of the coordinates of its joint, one for each velocity."""
        return self.joint.coordinate_names(self.name)
