"""What OpenSim's own interface says about muscles, wrap objects, actuators and contact geometry of a file."""

import re

import opensim as osim
from tests.oracles.opensim import pose_matrix

helper = osim.PropertyHelper


def opened(path, folder):
    """Return (model, state) of a file; arm26 as a copy with a least activation that OpenSim accepts."""
    data = path.read_bytes()
    accepted = re.sub(rb"<minimum_activation>\s*0(\.0*)?\s*<", b"<minimum_activation>0.01<", data)
    if accepted != data:
        accepted = re.sub(rb"<min_control>[^<]*<", b"<min_control>0.01<", accepted)  # must not be below it
        path = folder / path.name
        path.write_bytes(accepted)
    model = osim.Model(str(path))
    return model, model.initSystem()


def number(thing, name):
    """Return a number, or a flag as 1 or 0, from a property; "Curve.value" looks inside an object."""
    curve, dot, inner = name.partition(".")
    if dot:
        return number(thing.getPropertyByName(curve).getValueAsObject(0), inner)
    found = thing.getPropertyByName(name)
    if found.getTypeName() == "bool":
        return float(helper.getValueBool(found, 0))
    return helper.getValueDouble(found, 0)


def numbers(thing, name, count):
    """Return numbers of a property."""
    found = thing.getPropertyByName(name)
    if found.getTypeName() == "Vec3":
        return [helper.getValueVec3(found, i) for i in range(count)]
    if found.getTypeName() == "int":
        return [helper.getValueInt(found, i) for i in range(count)]
    return [helper.getValueDouble(found, i) for i in range(count)]


def text(thing, name):
    """Return a text property."""
    return helper.getValueString(thing.getPropertyByName(name), 0)


def link(frame):
    """Return our name of the body under a frame, and T_link_frame (4, 4)."""
    name = frame.findBaseFrame().getName()
    return ("world" if name == "ground" else name), pose_matrix(frame.findTransformInBaseFrame())


def components(model, kind):
    """Return all components of a class, by name; the model keeps them alive."""
    found = {}
    for component in model.getComponentsList():
        down = kind.safeDownCast(component)
        if down is not None:
            found[down.getName()] = down
    return found
