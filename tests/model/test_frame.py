"""Frames and points."""

import math

import numpy as np
import pytest

from softstride.errors import ModelError
from softstride.model import Frame, Point


@pytest.mark.parametrize("kind", [Point, Frame])
def test_defaults_and_use_as_keys(kind):
    place = kind("foot")
    np.testing.assert_array_equal(place.position, np.zeros(3))
    assert place.at is None and {place: 1}[place] == 1
    assert not kind("foot", [1, 2, 3]).position.flags.writeable


def test_a_point_has_no_rotation_and_a_frame_has():
    assert not hasattr(Point("foot"), "rotation")
    np.testing.assert_array_equal(Frame("foot").rotation, np.eye(3))
    assert Frame("blade", at=0.2).at == 0.2


@pytest.mark.parametrize("kind", [Point, Frame])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"link": 3}, "link of a point or frame"),
        ({"link": "foot", "position": (1, 2)}, "on 'foot': position must have shape"),
        ({"link": "foot", "position": (1, 2, math.nan)}, "on 'foot': position must be finite"),
        ({"link": "foot", "at": -1}, "on 'foot': at must be at least 0"),
        ({"link": "foot", "at": math.nan}, "on 'foot': at must be finite"),
        ({"link": "world", "at": 0.1}, "the world is no rod"),
    ],
)
def test_guards(kind, arguments, message):
    with pytest.raises(ModelError, match=message):
        kind(**arguments)


def test_rotation_is_guarded():
    with pytest.raises(ModelError, match="Frame on 'foot': rotation"):
        Frame("foot", rotation=np.ones((3, 3)))
