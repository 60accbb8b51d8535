"""Bodies of the document with their wrap objects and frames, markers and contact geometry."""

from __future__ import annotations

from xml.etree.ElementTree import Element

import numpy as np

from softstride.model.checks import FloatArray
from softstride.model.contact_shape import ContactPlane, ContactSphere
from softstride.model.formats.osim_write.elements import Names, add, add_flag, add_numbers, add_set, angles
from softstride.model.formats.osim_write.joints import add_offset_frame
from softstride.model.formats.osim_write.plan import Plan
from softstride.model.frame import Frame
from softstride.model.inertia import Inertia
from softstride.model.path import WrapCylinder, WrapEllipsoid, WrapSphere, WrapSurface, WrapTorus


def add_body(parent: Element, link: str, wraps: dict[str, str], plan: Plan) -> None:
    """Append the body of a link."""
    element = add(parent, "Body", name=plan.bodies[link])
    add_attached(element, link, wraps, plan)
    add_inertia(element, plan.model.link(link).inertia)


def add_inertia(element: Element, inertia: Inertia) -> None:
    """Append mass, centre of mass and inertia about it: xx yy zz xy xz yz."""
    add_numbers(element, "mass", [inertia.mass])
    add_numbers(element, "mass_center", inertia.com)
    m = inertia.matrix
    add_numbers(element, "inertia", [m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2]])


def add_attached(element: Element, link: str, wraps: dict[str, str], plan: Plan) -> None:
    """Append frames and wrap objects on a link, or on the ground."""
    model = plan.model
    frames = {name: place for name, place in model.frames.items() if place.link == link}
    if frames:
        components = add(element, "components")
        names = Names([plan.body(link), "wrapobjectset"])
        for name, place in frames.items():
            T = np.eye(4)
            T[:3, 3] = place.position
            if isinstance(place, Frame):
                T[:3, :3] = place.rotation
            add_offset_frame(components, names.new(name), plan.frame(link), T)
    surfaces = {name: surface for name, surface in model.wraps.items() if surface.link == link}
    if surfaces:
        objects = add_set(element, "WrapObjectSet", "wrapobjectset")
        for name, surface in surfaces.items():
            _add_surface(objects, wraps[name], surface)


def _add_surface(parent: Element, name: str, surface: WrapSurface) -> None:
    element = add(parent, type(surface).__name__, name=name)
    add_flag(element, "active", surface.active)
    _add_pose(element, surface.pose, "translation", "xyz_body_rotation")
    add(element, "quadrant", surface.quadrant)
    if isinstance(surface, WrapCylinder):
        add_numbers(element, "radius", [surface.radius])
        add_numbers(element, "length", [surface.length])
    elif isinstance(surface, WrapSphere):
        add_numbers(element, "radius", [surface.radius])
    elif isinstance(surface, WrapEllipsoid):
        add_numbers(element, "dimensions", [surface.a, surface.b, surface.c])
    elif isinstance(surface, WrapTorus):
        add_numbers(element, "inner_radius", [surface.inner])
        add_numbers(element, "outer_radius", [surface.outer])


def _add_pose(element: Element, T: FloatArray, position: str, turn: str) -> None:
    add_numbers(element, turn, angles(T[:3, :3]))
    add_numbers(element, position, T[:3, 3])


def add_markers(parent: Element, plan: Plan) -> None:
    """Append the markers."""
    names = Names()
    for name, place in plan.model.markers.items():
        element = add(parent, "Marker", name=names.new(name))
        add(element, "socket_parent_frame", plan.frame(place.link))
        add_numbers(element, "location", place.position)
        add_flag(element, "fixed", True)
    plan.tell_changed("marker", names)


def add_contacts(parent: Element, plan: Plan) -> None:
    """Append the contact geometry; OpenSim has no spheres of radius zero, so points are left out."""
    names = Names()
    points = []
    for name, shape in plan.model.contacts.items():
        if isinstance(shape, ContactSphere) and shape.radius == 0.0:
            points.append(name)
            continue
        if isinstance(shape, ContactSphere):
            element = add(parent, "ContactSphere", name=names.new(name))
            T = np.eye(4)
            T[:3, 3] = shape.position
        elif isinstance(shape, ContactPlane):
            element, T = add(parent, "ContactHalfSpace", name=names.new(name)), shape.pose
        else:
            element, T = add(parent, "ContactMesh", name=names.new(name)), shape.pose
            add(element, "filename", shape.file)
            text = f"contact {name!r}: the file {shape.file!r} must stand beside the model."
            plan.notes.add("osim.mesh-beside", text, names=(name,))
        add(element, "socket_frame", plan.frame(shape.link))
        _add_pose(element, T, "location", "orientation")
        if isinstance(shape, ContactSphere):
            add_numbers(element, "radius", [shape.radius])
    if points:
        text = f"contact points (spheres of radius zero) are left out: {', '.join(points)}."
        plan.notes.add("osim.contact-points-left-out", text, names=points)
    plan.tell_changed("contact", names)
