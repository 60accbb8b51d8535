"""Contact geometry as shapes on links."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

from softstride.model.contact_shape import ContactMesh, ContactPlane, ContactShape, ContactSphere
from softstride.model.formats.osim.frames import euler_pose

if TYPE_CHECKING:
    from softstride.model.formats.osim.context import Context

KINDS = ("ContactSphere", "ContactHalfSpace", "ContactMesh")


def read_contact(element: Element, context: Context) -> ContactShape:
    """Return a contact geometry of one of `KINDS`."""
    frame = context.socket(element, "frame") or context.text(element, "body_name")
    link, T_link_frame = context.link_of(frame, element)
    T = T_link_frame @ euler_pose(context.vector(element, "location"), context.vector(element, "orientation"))
    if element.tag == "ContactSphere":
        return context.build(element, ContactSphere, link, T[:3, 3], context.number(element, "radius", 0.0))
    if element.tag == "ContactHalfSpace":
        return context.build(element, ContactPlane, link, T)
    return context.build(element, ContactMesh, link, T, context.text(element, "filename", ""))
