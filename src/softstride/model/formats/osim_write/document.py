"""`write_osim`: a model as an OpenSim document, whole or not at all."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Comment, Element, indent, tostring

from softstride.errors import ModelError, inside
from softstride.files import write_whole
from softstride.model.formats.osim_write.bodies import add_attached, add_body, add_contacts, add_markers
from softstride.model.formats.osim_write.elements import Names, add, add_numbers, add_set, plain
from softstride.model.formats.osim_write.joints import add_joint
from softstride.model.formats.osim_write.muscles import add_actuator, add_ligament, add_muscle
from softstride.model.formats.osim_write.plan import GROUND, Plan
from softstride.model.formats.osim_write.rods import without_rods
from softstride.model.formats.osim_write.springs import add_springs
from softstride.model.link import WORLD
from softstride.model.model import Model
from softstride.notes import Note

VERSION = "40000"
"""Format of the document; OpenSim 4.0 and later read it."""


def write_osim(
    model: Model, path: str | Path, *, overwrite: bool = False, pieces: int = 1
) -> tuple[Note, ...]:
    """Write a model as an .osim document of format 4.

    Links become bodies of the same names, joints Weld, Pin, Slider or CustomJoints with the same axes and functions,
    so that all poses, masses and path lengths are those of the model. Rods become rigid bodies with bushings, an
    approximation that their names, a comment and the notes tell of.

    Args:
        model: The model.
        path: Where to; its folder must exist.
        overwrite: Whether an existing file may be replaced.
        pieces: Rigid pieces for each segment of a rod; with one, a strain times the length of its segment is the
            coordinate of one joint.

    Returns:
        Notes on what OpenSim cannot express or expresses differently; empty if it holds everything.

    Raises:
        ModelError: The file exists, cannot be written, or the model cannot be expressed at all.
    """
    data, notes = format_osim(model, pieces=pieces)
    with inside(raising=ModelError):
        write_whole(Path(path), data, overwrite=overwrite)
    return notes


def format_osim(model: Model, *, pieces: int = 1) -> tuple[bytes, tuple[Note, ...]]:
    """Return the document of `write_osim` as bytes, and its notes."""
    rigid = without_rods(model, pieces)
    plan = Plan.of(model, rigid)
    root = Element("OpenSimDocument", Version=VERSION)
    for note in rigid.notes:
        root.append(Comment(f" Approximation: {plain(str(note)).replace('--', '- -')} "))
    element = add(root, "Model", name=Names().new(model.name))
    _add_skeleton(element, plan)
    if plan.angles:
        plan.notes.add(
            "osim.rotations-as-angles",
            f"the rotations of {', '.join(plan.angles)} are written as successive angles about x, y and z: these "
            f"coordinates are not ours, and are badly conditioned at 90 degrees about y.",
            names=plan.angles,
        )
    if plan.modern:
        text = f"only OpenSim 4.6 and later can read: {', '.join(dict.fromkeys(plan.modern))}."
        plan.notes.add("osim.needs-newer", text)
    indent(root, "\t")
    return tostring(root, encoding="UTF-8", xml_declaration=True) + b"\n", tuple(plan.notes)


def _add_skeleton(element: Element, plan: Plan) -> None:
    model = plan.model
    wrap_names = Names()
    wraps = {name: wrap_names.new(name) for name in model.wraps}
    add_attached(add(element, "Ground", name=GROUND), WORLD, wraps, plan)
    add_numbers(element, "gravity", model.gravity)
    for tag, words in (("credits", plan.source.credits), ("publications", plan.source.publications)):
        if words:
            add(element, tag, words)  # whose work it is stays with it
    add(element, "length_units", "meters")
    add(element, "force_units", "N")
    bodies = add_set(element, "BodySet", "bodyset")
    joints = add_set(element, "JointSet", "jointset")
    constraints = add_set(element, "ConstraintSet", "constraintset")
    for link in model.links:
        add_body(bodies, link.name, wraps, plan)
        add_joint(joints, constraints, link, plan)
    forces = add_set(element, "ForceSet", "forceset")
    _add_forces(forces, wraps, plan)
    add_markers(add_set(element, "MarkerSet", "markerset"), plan)
    add_contacts(add_set(element, "ContactGeometrySet", "contactgeometryset"), plan)


def _add_forces(forces: Element, wraps: dict[str, str], plan: Plan) -> None:
    names, source = Names(), plan.source
    for muscle in source.muscles.values():
        add_muscle(forces, muscle, wraps, plan, names)
    for band in source.ligaments.values():
        add_ligament(forces, band, wraps, plan, names)
    for actuator in source.actuators.values():
        add_actuator(forces, actuator, plan, names)
    plan.tell_changed("force", names)
    add_springs(forces, plan, names)
