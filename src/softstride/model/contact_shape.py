"""Shapes by which links touch the ground, as data: spheres, planes, and candidates for points of contact."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from softstride.errors import ModelError
from softstride.model import checks
from softstride.model.checks import ArrayField, Frozen, constant


@dataclass(frozen=True, eq=False)
class ContactSphere(Frozen):
    """A sphere on a link; of radius zero it is a point that may touch the ground.

    Attributes:
        link: Name of the link.
        position: Centre in link axes, shape (3,), [m]; on a rod with `at`, in section axes there.
        radius: [m].
        at: Arc length from the base of a rod [m]; None: the link frame.
    """

    link: str
    position: ArrayField = field(default_factory=constant(np.zeros(3)))
    radius: float = 0.0
    at: float | None = None

    def __post_init__(self) -> None:
        """Copy and check the fields."""
        what = f"contact sphere on {checks.text(self.link, 'link of a contact')!r}"
        self._set(
            position=checks.array(self.position, (3,), f"{what}: position"),
            radius=checks.number(self.radius, f"{what}: radius", lower=0.0),
            at=None if self.at is None else checks.number(self.at, f"{what}: at", lower=0.0),
        )


@dataclass(frozen=True, eq=False)
class ContactPlane(Frozen):
    """A half space: the positive x side of its pose is solid, as in OpenSim's ContactHalfSpace.

    Attributes:
        link: Name of the link, "world" for the ground.
        pose: T_link_plane, shape (4, 4), [m]; its x axis points into the solid.
    """

    link: str = "world"
    pose: ArrayField = field(default_factory=constant(np.eye(4)))

    def __post_init__(self) -> None:
        """Copy and check the fields."""
        self._set(pose=checks.pose(self.pose, f"contact plane on {self.link!r}: pose"))


@dataclass(frozen=True, eq=False)
class ContactMesh(Frozen):
    """A surface in a file.

    Attributes:
        link: Name of the link.
        pose: T_link_mesh, shape (4, 4), [m].
        file: Name of the file, as the source gave it; it is not read.
    """

    link: str
    pose: ArrayField = field(default_factory=constant(np.eye(4)))
    file: str = ""

    def __post_init__(self) -> None:
        """Copy and check the fields."""
        self._set(pose=checks.pose(self.pose, f"contact mesh on {self.link!r}: pose"))
        if not isinstance(self.file, str):
            raise ModelError(
                f"contact mesh on {self.link!r}: file must be a name, however it is {self.file!r}."
            )


ContactShape = ContactSphere | ContactPlane | ContactMesh
