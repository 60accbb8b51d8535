"""One link."""

import math

import numpy as np
import pytest
from tests.refusals import bad_input

from softstride.errors import ModelError
from softstride.model import Fixed, Inertia, Link, Revolute, Rod, Section


def test_defaults():
    link = Link("thigh", "pelvis", Revolute((0, 0, 1)))
    np.testing.assert_array_equal(link.placement, np.eye(4))
    np.testing.assert_array_equal(link.offset, np.eye(4))
    assert link.at is None and link.mass == 0.0 and not link.soft
    assert link.coordinate_names == ("thigh",)
    assert not link.placement.flags.writeable


def test_mass_of_a_rod_includes_rod_and_tip():
    rod = Rod.uniform(0.5, 2, Section.rectangle(0.1, 0.01, 1000.0, 1e9, 1e9))
    link = Link("blade", "world", rod, inertia=Inertia(0.2))
    assert link.soft and link.mass == pytest.approx(0.5 + 0.2)


@bad_input(
    ModelError,
    ({"name": ""}, "name of a link"),
    ({"name": 3}, "name of a link"),
    ({"name": "world"}, "belongs to the fixed world"),
    ({"parent": None}, "link 'thigh': parent"),
    ({"joint": "hinge"}, "link 'thigh': joint must be one of"),
    ({"joint": Fixed}, "link 'thigh': joint must be one of"),
    ({"placement": np.zeros((4, 4))}, "link 'thigh': placement"),
    ({"placement": np.eye(3)}, "link 'thigh': placement"),
    ({"offset": np.diag([1, 1, -1, 1])}, "link 'thigh': offset"),
    ({"inertia": 3.0}, "link 'thigh': inertia must be an Inertia"),
    ({"at": -0.1}, "link 'thigh': at"),
    ({"at": math.nan}, "link 'thigh': at"),
    ({"at": "tip"}, "link 'thigh': at"),
)
def test_guards(refuses):
    refuses(Link, name="thigh", parent="world", joint=Fixed())
