"""The description of a person: links, joints, rods, coordinates, and how to write them down."""

from softstride.model.actuator import Actuator, CoordinateActuator, PointActuator, TorqueActuator
from softstride.model.amputation import amputate
from softstride.model.blade import Blade
from softstride.model.builder import ModelBuilder
from softstride.model.centreline import centreline_frames
from softstride.model.contact_shape import ContactMesh, ContactPlane, ContactShape, ContactSphere
from softstride.model.coordinate import Coordinate
from softstride.model.frame import Frame, Point
from softstride.model.functions import (
    Composed,
    Constant,
    Function,
    Linear,
    Pieces,
    PiecewiseLinear,
    Polynomial,
    Scaled,
    SimmSpline,
)
from softstride.model.inertia import Inertia
from softstride.model.joints import Axis, Custom, Fixed, Free, Joint, Prismatic, Revolute, Spherical
from softstride.model.library import athlete
from softstride.model.link import Link
from softstride.model.load import load_model, save_model
from softstride.model.model import Model
from softstride.model.muscle import Ligament, Muscle
from softstride.model.path import (
    ConditionalPathPoint,
    MovingPathPoint,
    Path,
    PathPoint,
    PathWrap,
    WrapCylinder,
    WrapEllipsoid,
    WrapSphere,
    WrapSurface,
    WrapTorus,
)
from softstride.model.prosthesis import attach_blade
from softstride.model.rod import STRAINS, Rod, Segment
from softstride.model.scaling import scaled
from softstride.model.section import Section
from softstride.model.surgery import Surgery, Treatment, format_surgery, read_surgery

__all__ = [
    "STRAINS",
    "Actuator",
    "Axis",
    "Blade",
    "Composed",
    "ConditionalPathPoint",
    "Constant",
    "ContactMesh",
    "ContactPlane",
    "ContactShape",
    "ContactSphere",
    "Coordinate",
    "CoordinateActuator",
    "Custom",
    "Fixed",
    "Frame",
    "Free",
    "Function",
    "Inertia",
    "Joint",
    "Ligament",
    "Linear",
    "Link",
    "Model",
    "ModelBuilder",
    "MovingPathPoint",
    "Muscle",
    "Path",
    "PathPoint",
    "PathWrap",
    "Pieces",
    "PiecewiseLinear",
    "Point",
    "PointActuator",
    "Polynomial",
    "Prismatic",
    "Revolute",
    "Rod",
    "Scaled",
    "Section",
    "Segment",
    "SimmSpline",
    "Spherical",
    "Surgery",
    "TorqueActuator",
    "Treatment",
    "WrapCylinder",
    "WrapEllipsoid",
    "WrapSphere",
    "WrapSurface",
    "WrapTorus",
    "amputate",
    "athlete",
    "attach_blade",
    "centreline_frames",
    "format_surgery",
    "load_model",
    "read_surgery",
    "save_model",
    "scaled",
]
