"""Which moments muscles are asked for where nobody says it."""

import dataclasses

import numpy as np
import pytest
from tests.muscles.paths.scenes import muscle

from softstride.dynamics.loads import Loads
from softstride.engine import path_plan
from softstride.model import Model, ModelBuilder
from softstride.muscles.hill import hill_muscles
from softstride.muscles.paths.names import named_paths
from softstride.pipeline.toes import without_toes


@pytest.fixture
def leg() -> Model:
    """A leg on a hip, with a muscle over each joint."""
    builder = ModelBuilder("leg")
    below = "world"
    for name in ("hip", "knee", "mtp"):
        builder.revolute(name, below, axis=(0, 0, 1), position=(0.0, -0.4, 0.0), mass=1.0)
        below = name
    over = {"hip": ("world", "hip"), "knee": ("hip", "knee"), "mtp": ("knee", "mtp")}
    muscles = {
        name: muscle(name, [(first, (0.05, -0.3, 0.0)), (then, (0.05, -0.1, 0.0))])
        for name, (first, then) in over.items()
    }
    return builder.build().replace(muscles=muscles)


def loads_of(model: Model) -> Loads:
    return Loads(model, np.arange(3) / 100.0, np.ones((3, model.nv)))


def test_toes_are_left_out(leg: Model) -> None:
    assert without_toes(leg, loads_of(leg)) == ("hip", "knee")
    still = dataclasses.replace(leg.coordinates["mtp"], locked=True)
    assert (
        without_toes(leg.replace(coordinates=dict(leg.coordinates) | {"mtp": still}), loads_of(leg)) is None
    )


def test_a_muscle_that_is_switched_off_asks_for_nothing(leg: Model) -> None:
    off = dataclasses.replace(leg.muscles["knee"], enabled=False)
    some = leg.replace(muscles=dict(leg.muscles) | {"knee": off})
    assert without_toes(some, loads_of(some)) == ("hip",)
    off = {name: dataclasses.replace(each, enabled=False) for name, each in leg.muscles.items()}
    assert without_toes(leg.replace(muscles=off), loads_of(leg)) is None  # sharing says that nobody is there


def test_the_plan_of_the_paths_is_that_of_the_muscles_that_share(
    leg: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_toes(leg, loads_of(leg))
    monkeypatch.setattr(path_plan, "make_path_plan", lambda *_: pytest.fail("a plan is made twice"))
    path_plan.path_plan(leg, named_paths(leg, hill_muscles(leg).names))
