"""Lengths of paths, and how fibres, tendons and ligaments follow them."""

import numpy as np
import pytest
from tests.models import walker

from softstride.kinematics.scaling import path_lengths, scale_lengths
from softstride.model import (
    ConditionalPathPoint,
    Constant,
    Ligament,
    Linear,
    MovingPathPoint,
    Muscle,
    Path,
    PathPoint,
    PathWrap,
    WrapSphere,
)
from softstride.model.scaling import LENGTHS_KEPT, scaled
from softstride.notes import recognised


def with_muscles():
    """In the default pose the shank frame is 0.41 + 0.02 m below the hip and 0.004 + 0.01 m in front of it."""
    hip = PathPoint("thigh_r", [0.0, 0.0, 0.0])
    knee = PathPoint("shank_r", [-0.014, 0.02 + 0.01, 0.0])  # at (0, -0.4) in the thigh
    side = ConditionalPathPoint("thigh_r", [0.3, 0.0, 0.0], coordinate="knee_r", lower=0.5, upper=1.0)
    moving = MovingPathPoint(
        "thigh_r", ("knee_r", Linear(1.0, 0.3)), ("", Constant(0.0)), ("", Constant(0.0))
    )
    model = walker("custom")
    return model.replace(
        wraps={"ball": WrapSphere("thigh_r", radius=0.01)},
        muscles={
            "straight": Muscle("straight", Path((hip, side, knee)), 1000.0, 0.1, 0.2, pennation=0.2),
            "bent": Muscle("bent", Path((hip, moving, knee), (PathWrap("ball"),)), 1000.0, 0.1, 0.2),
        },
        ligaments={"band": Ligament("band", Path((hip, knee)), 0.39, 100.0, Linear(1.0))},
    )


def test_lengths_by_hand():
    """Straight 0.4 m; by way of a point 0.3 m in front 0.3 + 0.5 m (a triangle 3, 4, 5)."""
    model = with_muscles()
    lengths = path_lengths(model)
    assert np.isclose(lengths["straight"], 0.4, atol=1e-12)
    assert np.isclose(lengths["bent"], 0.8, atol=1e-12)
    q = model.neutral()
    q[model.coordinate_names.index("knee_r")] = 0.75
    assert path_lengths(model, q)["straight"] > 0.6  # now by way of the conditional point
    assert path_lengths(walker()) == {}


def test_lengths_grow_with_the_path():
    model = with_muscles()
    after = scaled(model, dict.fromkeys(model.link_names, 1.2))
    assert LENGTHS_KEPT in recognised(after.notes)
    new = scale_lengths(model, after)
    muscle = new.muscles["straight"]
    assert np.allclose([muscle.fibre_length, muscle.tendon_length], [0.12, 0.24])
    assert (muscle.max_force, muscle.pennation) == (1000.0, 0.2)
    assert np.isclose(new.ligaments["band"].resting_length, 0.39 * 1.2)
    assert LENGTHS_KEPT not in recognised(new.notes)
    assert any("straight paths" in str(note) for note in new.notes)


@pytest.mark.parametrize("factors", [(1.0, 1.3, 1.0)])
def test_unequal_factors_stretch_each_path_by_its_own(factors):
    """Along y by 1.3: the straight muscle 0.4 to 0.52 m; the bent one 0.3 + hypot(0.3, 0.52) over 0.8 m."""
    model = with_muscles()
    new = scale_lengths(model, scaled(model, dict.fromkeys(model.link_names, factors)))
    assert np.isclose(new.muscles["straight"].fibre_length, 0.13)
    assert np.isclose(new.muscles["bent"].fibre_length, 0.1 * (0.3 + np.hypot(0.3, 0.52)) / 0.8)
