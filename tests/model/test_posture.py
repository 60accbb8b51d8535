"""The default pose, against the engine."""

import numpy as np
import pytest
from hypothesis import given, settings
from tests.model.native.zoo import zoo
from tests.oracles.trees import models

from softstride.engine import poses, positions
from softstride.model import ContactSphere, Coordinate, Frame, ModelBuilder, athlete
from softstride.model.posture import default_poses, default_positions, height_of


def check(model) -> None:
    """A few products of matrices of size one: rounding of 1e-12 at most, of lengths of about a metre."""
    got = default_poses(model)
    want = poses(model, model.neutral(), list(model.link_names))
    scale = max(1.0, float(np.max(np.abs(want))))
    np.testing.assert_allclose(np.array([got[name] for name in model.link_names]), want, atol=1e-11 * scale)
    if model.markers:
        here = default_positions(model)
        want = positions(model, model.neutral(), list(model.markers))
        np.testing.assert_allclose(np.array([here[name] for name in model.markers]), want, atol=1e-11 * scale)


@pytest.mark.parametrize("blade", [True, False])
def test_athlete(blade: bool) -> None:
    check(athlete(blade))


def test_zoo() -> None:
    check(zoo())


@settings(max_examples=30)
@given(models())
def test_random_trees(drawn) -> None:
    model, rng = drawn
    defaults = {name: Coordinate(name, 0.3 * rng.standard_normal()) for name in model.coordinate_names}
    check(model.replace(coordinates=defaults))


def test_height_by_hand() -> None:
    """A stick of 1 m on a hinge that stands 0.2 m above the ground, a ball of 0.1 m radius below it."""
    builder = ModelBuilder("stick")
    builder.revolute("stick", axis=(0, 0, 1), position=(0, 0.2, 0), mass=1.0)
    builder.marker("top", "stick", position=(0, 1.0, 0))
    builder.marker("ground", "world", position=(0, -5.0, 0))
    stick = builder.build()
    assert height_of(stick) == pytest.approx(1.0, abs=1e-15)
    ball = stick.replace(contacts={"ball": ContactSphere("stick", (0, -0.05, 0), 0.1)})
    assert height_of(ball) == pytest.approx(1.15, abs=1e-15)
    crown = stick.replace(frames={"crown": Frame("stick", (0, 1.1, 0)), "lamp": Frame("world", (0, 9.0, 0))})
    assert height_of(crown) == pytest.approx(1.1, abs=1e-15)
    leaning = stick.replace(coordinates={"stick": Coordinate("stick", np.pi / 3)})
    assert height_of(leaning) == pytest.approx(0.5, abs=1e-15)  # cos 60°
    assert height_of(stick.replace(gravity=(0, 0, 0))) is None
    assert height_of(stick.replace(gravity=(-9.8, 0, 0))) == pytest.approx(0.0, abs=1e-15)
