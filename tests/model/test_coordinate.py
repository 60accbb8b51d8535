"""Coordinates and their limits."""

import math

import pytest
from tests.refusals import bad_input

from softstride.errors import ModelError
from softstride.model import Coordinate


def test_plain_coordinate_has_no_force_and_no_limit():
    knee = Coordinate("knee")
    assert not knee.passive and knee.lower == -math.inf and knee.upper == math.inf
    assert knee == Coordinate("knee") and knee != Coordinate("knee", damping=1.0)


@pytest.mark.parametrize("field", ["stiffness", "damping", "limit_stiffness", "limit_damping"])
def test_any_force_makes_it_passive(field):
    assert Coordinate("knee", **{field: 2}).passive


@bad_input(
    ModelError,
    ({"name": ""}, "name of a coordinate"),
    ({"default": math.nan}, "coordinate 'knee': default"),
    ({"default": math.inf}, "coordinate 'knee': default"),
    ({"rest": "slack"}, "coordinate 'knee': rest"),
    ({"stiffness": -1}, "coordinate 'knee': stiffness must be at least 0"),
    ({"damping": -1}, "coordinate 'knee': damping must be at least 0"),
    ({"limit_stiffness": -1}, "limit_stiffness"),
    ({"limit_damping": math.nan}, "limit_damping"),
    ({"lower": 1, "upper": 0}, "lower limit 1 must not be above the upper limit 0"),
    ({"lower": math.nan}, "coordinate 'knee': lower"),
    ({"lower": math.inf}, "holds no number"),
    ({"upper": -math.inf}, "holds no number"),
)
def test_guards(refuses):
    refuses(Coordinate, name="knee")
