"""Foot and ground: rolling surfaces, viscoelastic spheres, friction. Arrays in, arrays out; no model is known here.

RollingSurface        the kinematic rolling foot in two branches of exponentials; `fit_rolling_surface` finds one of two
                      terms a branch, `fit_exponential_surface` one of several, `place_surface` lays one of another foot
SplineSurface         any convex rollover, its radius a spline of the tilt; `fit_spline_surface` finds one
OutlineSurface        any convex outline given by points: a blade, a shoe
RollingJoint          their constraint rows and derivatives for equations of motion
RollingBody           two of them across each other in space, for `simulation.SurfaceConstraint`
CompliantRolling      a surface that presses into the ground (`NormalLaw`) and grips it (`Bristle`, `SlipFriction`);
CompliantBody         the same in space
plastic_landing       the impact onto a rolling joint, with the energy lost
load_rollover         rollovers of walking people, fitted; `measure_rollover` and `rollover_figure` for your own
SphereContact         viscoelastic spheres; `three_sphere_foot` is a foot of three
friction_margin, project_cone, project_pyramid, pyramid_rows    Coulomb friction
Sole                  places by which a foot may touch the ground; an average foot's, or your own
"""

from typing import TYPE_CHECKING

from softstride.on_demand import on_demand

if TYPE_CHECKING:
    from softstride.contact.compliant import CompliantRolling, Touch
    from softstride.contact.compliant_body import BodyTouch, CompliantBody
    from softstride.contact.friction import (
        friction_margin,
        project_cone,
        project_pyramid,
        pyramid_rows,
        split_force,
        tangents,
    )
    from softstride.contact.landing import Landing, plastic_landing
    from softstride.contact.laws import Bristle, NormalLaw, SlipFriction
    from softstride.contact.outline import OutlineSurface
    from softstride.contact.placing import PlacedSurface, place_surface
    from softstride.contact.rolling import RollingSurface
    from softstride.contact.rolling_fit import RollingFit, fit_rolling_surface
    from softstride.contact.rolling_joint import RollingCheck, RollingJoint
    from softstride.contact.rollovers import (
        MeasuredRollover,
        Rollover,
        load_rollover,
        measure_rollover,
        rollover_figure,
        rollover_names,
    )
    from softstride.contact.sole import Sole
    from softstride.contact.solid import RollingBody
    from softstride.contact.spheres import SphereContact, SphereFoot, three_sphere_foot
    from softstride.contact.spline import SplineSurface
    from softstride.contact.spline_fit import SplineFit, fit_spline_surface
    from softstride.contact.surface import Roll, Surface, check_range, outside
    from softstride.contact.terms_fit import ExponentialFit, fit_exponential_surface

__all__ = [
    "BodyTouch",
    "Bristle",
    "CompliantBody",
    "CompliantRolling",
    "ExponentialFit",
    "Landing",
    "MeasuredRollover",
    "NormalLaw",
    "OutlineSurface",
    "PlacedSurface",
    "Roll",
    "RollingBody",
    "RollingCheck",
    "RollingFit",
    "RollingJoint",
    "RollingSurface",
    "Rollover",
    "SlipFriction",
    "Sole",
    "SphereContact",
    "SphereFoot",
    "SplineFit",
    "SplineSurface",
    "Surface",
    "Touch",
    "check_range",
    "fit_exponential_surface",
    "fit_rolling_surface",
    "fit_spline_surface",
    "friction_margin",
    "load_rollover",
    "measure_rollover",
    "outside",
    "place_surface",
    "plastic_landing",
    "project_cone",
    "project_pyramid",
    "pyramid_rows",
    "rollover_figure",
    "rollover_names",
    "split_force",
    "tangents",
    "three_sphere_foot",
]

__getattr__, __dir__ = on_demand(__name__, __file__)
