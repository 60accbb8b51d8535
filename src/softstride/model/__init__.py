"""The description of a person: links, joints, rods, coordinates, and how to write them down."""

from softstride.model.builder import ModelBuilder
from softstride.model.centreline import centreline_frames
from softstride.model.coordinate import Coordinate
from softstride.model.frame import Frame, Point
from softstride.model.functions import (
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
from softstride.model.model import Model
from softstride.model.rod import STRAINS, Rod, Segment
from softstride.model.section import Section

__all__ = [
    "STRAINS",
    "Axis",
    "Constant",
    "Coordinate",
    "Custom",
    "Fixed",
    "Frame",
    "Free",
    "Function",
    "Inertia",
    "Joint",
    "Linear",
    "Link",
    "Model",
    "ModelBuilder",
    "Pieces",
    "PiecewiseLinear",
    "Point",
    "Polynomial",
    "Prismatic",
    "Revolute",
    "Rod",
    "Scaled",
    "Section",
    "Segment",
    "SimmSpline",
    "Spherical",
    "athlete",
    "centreline_frames",
]
