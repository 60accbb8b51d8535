"""Joint kinds: sizes, names, neutral poses and guards."""

import math

import numpy as np
import pytest
from tests.refusals import bad_input

from softstride.errors import ModelError
from softstride.model import (
    Axis,
    Constant,
    Custom,
    Fixed,
    Free,
    Joint,
    Linear,
    Prismatic,
    Revolute,
    SimmSpline,
    Spherical,
)

KNEE = SimmSpline([-2, -1, 0], [0.1, 0.05, 0.0])
X, Y, Z = np.eye(3)


def custom(**changes):
    return Custom(
        **{
            "rotations": (Axis.along(Z, "flexion"), Axis(X, (("twist", Linear()),)), Axis(Y)),
            "translations": (Axis(X, (("flexion", KNEE),)), Axis(Y, (("", Constant(0.1)),)), Axis(Z)),
        }
        | changes
    )


@pytest.mark.parametrize(
    ("joint", "nq", "nv", "names"),
    [
        (Fixed(), 0, 0, ()),
        (Revolute(Z), 1, 1, ("hip",)),
        (Revolute(Z, "flexion"), 1, 1, ("flexion",)),
        (Prismatic(Z), 1, 1, ("hip",)),
        (Spherical(), 4, 3, ("hip.x", "hip.y", "hip.z")),
        (Free(), 7, 6, ("hip.rx", "hip.ry", "hip.rz", "hip.tx", "hip.ty", "hip.tz")),
        (custom(), 2, 2, ("flexion", "twist")),
        (Custom(), 0, 0, ()),
    ],
)
def test_sizes_and_names(joint, nq, nv, names):
    assert isinstance(joint, Joint)
    assert (joint.nq, joint.nv) == (nq, nv)
    assert joint.coordinate_names("hip") == names and len(names) == nv
    assert joint.neutral().shape == (nq,)


def test_neutral_quaternions_are_units_with_the_scalar_last():
    np.testing.assert_array_equal(Spherical().neutral(), [0, 0, 0, 1])
    np.testing.assert_array_equal(Free().neutral(), [0, 0, 0, 0, 0, 0, 1])


@pytest.mark.parametrize("kind", [Revolute, Prismatic, Axis])
def test_axes_are_normalised_and_read_only(kind):
    joint = kind((3, 0, 4))
    direction = joint.direction if kind is Axis else joint.axis
    np.testing.assert_allclose(direction, [0.6, 0, 0.8], rtol=1e-15)
    assert not direction.flags.writeable


@pytest.mark.parametrize("kind", [Revolute, Prismatic, Axis])
@pytest.mark.parametrize(
    ("axis", "message"),
    [
        ((0, 0, 0), "must not be zero"),
        ((0, math.nan, 1), "finite"),
        ((1, 2), "shape"),
        ("z", "numbers"),
        (None, "numbers"),
    ],
)
def test_axis_guards(kind, axis, message):
    with pytest.raises(ModelError, match=message):
        kind(axis)


def test_coordinate_must_be_a_name():
    with pytest.raises(ModelError, match="coordinate of Revolute must be a name"):
        Revolute(Z, 3)


def test_coordinates_appear_in_order_rotations_first():
    joint = Custom(
        translations=(Axis.along(X, "tx"), Axis(Y), Axis(Z)),
        rotations=(Axis(Z), Axis.along(X, "rx"), Axis(Y)),
    )
    assert joint.coordinates == ("rx", "tx")


def test_coordinates_may_be_given_in_another_order_and_with_idle_ones():
    assert custom(coordinates=("twist", "flexion")).coordinates == ("twist", "flexion")
    assert custom(coordinates=["twist", "idle", "flexion"]).nq == 3


@bad_input(
    ModelError,
    ({"rotations": (Axis(X), Axis(Y))}, "rotations of a Custom joint must be three Axis"),
    ({"translations": (X, Y, Z)}, "translations of a Custom joint must be three Axis"),
    ({"rotations": None}, "three Axis"),
    ({"coordinates": ("flexion",)}, r"must list \['twist'\]"),
    ({"coordinates": ("flexion", "twist", "twist")}, "different"),
    ({"coordinates": "flexion"}, "tuple of names"),
    ({"coordinates": ("flexion", "twist", "")}, "string that is not empty"),
    ({"coordinates": ("flexion", "twist", ["x"])}, "string that is not empty"),
)
def test_custom_guards(refuses):
    refuses(custom)


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ((("", Linear()),), "only a Constant term"),
        (("flexion", Linear()), "pairs"),
        (((3, Linear()),), "pairs"),
        ((("flexion", 2.0),), "pairs"),
        ((("flexion", Linear),), "pairs"),
        ((("flexion",),), "pairs"),
        ("flexion", "pairs"),
        (7, "pairs"),
    ],
)
def test_term_guards(terms, message):
    with pytest.raises(ModelError, match=message):
        Axis(X, terms)
