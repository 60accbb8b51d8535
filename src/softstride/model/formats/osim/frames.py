"""All frames of a document: bodies, the ground and offset frames, found by name or path."""

from __future__ import annotations

import math
from posixpath import normpath
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import ArrayLike

from softstride.model import checks
from softstride.model.checks import FloatArray
from softstride.model.link import WORLD

if TYPE_CHECKING:
    from softstride.model.formats.osim.context import Context

GROUND = "ground"
OFFSET_FRAME = "PhysicalOffsetFrame"
MAX_FRAMES = 20_000
"""Most frames that are read."""

_CONTAINERS = ("objects", "components", "frames", "coordinates")


def euler_pose(position: ArrayLike, angles: ArrayLike) -> FloatArray:
    """Return [[Rx(a) Ry(b) Rz(c), p], [0, 1]], shape (4, 4): OpenSim's location [m] and orientation [rad], (3,) each.

    The angles turn about successive body-fixed axes.
    """
    (ca, sa), (cb, sb), (cc, sc) = ((math.cos(x), math.sin(x)) for x in np.asarray(angles, dtype=np.float64))
    T = np.eye(4)
    T[:3, :3] = [
        [cb * cc, -cb * sc, sb],
        [ca * sc + sa * sb * cc, ca * cc - sa * sb * sc, -sa * cb],
        [sa * sc - ca * sb * cc, sa * cc + ca * sb * sc, ca * cb],
    ]
    T[:3, 3] = position
    return T


class FrameTable:
    """Frames by path; poses of offset frames are composed down to their link."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.bodies: dict[str, Element] = {}
        self._places: dict[str, tuple[str, FloatArray]] = {f"/{GROUND}": (WORLD, checks.locked(np.eye(4)))}
        self._offsets: dict[str, Element] = {}
        for body in (*context.objects("BodySet"), *context.components("Body")):
            if body.tag == "Body":
                self._add_body(context.name(body), body)
            else:
                raise context.error(body, "is a kind of body that is not understood; make it a Body.")
        for element in context.model.iter(OFFSET_FRAME):
            self._offsets.setdefault(self.path_of(element), element)
            if len(self._offsets) > MAX_FRAMES:
                raise context.error(element, f"the model has more than {MAX_FRAMES} frames.")
        self._by_name: dict[str, list[str]] = {}
        for path in (*self._places, *self._offsets):
            self._by_name.setdefault(path.rsplit("/", 1)[-1], []).append(path)

    def _add_body(self, name: str, body: Element) -> None:
        if name == GROUND:
            return
        if name in self.bodies:
            raise self._context.error(body, "exists twice; give each body its own name.")
        self.bodies[name] = body
        self._places[self.path_of(body)] = (name, checks.locked(np.eye(4)))

    @property
    def offsets(self) -> dict[str, Element]:
        """The elements of offset frames by path."""
        return dict(self._offsets)

    def path_of(self, element: Element) -> str:
        """Return the path of a component: "/jointset/hip_r/pelvis_offset"."""
        parts: list[str] = []
        here: Element | None = element
        while here is not None and here is not self._context.model:
            if here.tag not in _CONTAINERS:
                name = here.get("name", "").strip()
                parts.append(here.tag.lower() if here.tag.endswith("Set") else name or here.tag.lower())
            here = self._context.parent(here)
        return "/" + "/".join(reversed(parts))

    def find(self, reference: str, owner: Element) -> tuple[str, FloatArray]:
        """Return (link, T_link_frame (4, 4)) of what a reference in `owner` points to.

        Raises:
            ModelError: No such frame, or offset frames that hang on each other in a circle.
        """
        path = self._locate(reference.strip(), owner)
        chain: dict[str, None] = {}
        while path not in self._places:
            if path in chain:
                raise self._context.error(
                    self._offsets[path], "hangs on itself: offset frames form a circle."
                )
            chain[path] = None
            frame = self._offsets[path]
            parent = self._context.socket(frame, "parent")
            if parent is None:
                raise self._context.error(frame, "has no <socket_parent>; name the frame it stands on.")
            path = self._locate(parent, frame)
        link, T = self._places[path]
        for name in reversed(chain):  # remember the pose of every frame on the way
            T = checks.locked(T @ self._offset_pose(self._offsets[name]))
            self._places[name] = (link, T)
        return link, T

    def _offset_pose(self, element: Element) -> FloatArray:
        context = self._context
        return euler_pose(context.vector(element, "translation"), context.vector(element, "orientation"))

    def _locate(self, reference: str, owner: Element) -> str:
        if reference.startswith("/"):
            tries = [reference]
        else:  # seen from the owner itself, then from what is around it
            parts = self.path_of(owner).strip("/").split("/")
            tries = [normpath("/" + "/".join([*parts[:n], reference])) for n in range(len(parts), -1, -1)]
        for path in tries:
            if path in self._places or path in self._offsets:
                return path
        candidates = self._by_name.get(reference.rsplit("/", 1)[-1], [])
        bodies = [path for path in candidates if path not in self._offsets]
        for group in (bodies, candidates):
            if len(group) == 1:
                return group[0]
        if candidates:
            raise self._context.error(
                owner, f"{reference!r} may be any of {checks.names_hint(candidates)}; give the whole path."
            )
        raise self._context.error(
            owner, f"{reference!r} is no body or frame; known: {checks.names_hint([GROUND, *self.bodies])}."
        )
