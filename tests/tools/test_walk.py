"""What is counted on the way of a command."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest
from tests.models import the_model
from tools.walk import Walk, plain

import softstride
from softstride.engine import poses
from softstride.model import Model

PACKAGE = Path(softstride.__file__).parent


def test_functions_of_the_package_are_noted_and_no_others():
    model = the_model("gait")
    with Walk(PACKAGE) as walk:
        sorted([3, 1])
        model.neutral()
    assert ("model/model.py", "Model.neutral") in walk.entered
    assert all((PACKAGE / file).is_file() for file in walk.files)
    assert not any(name.startswith("<") for _, name in walk.entered)


@pytest.mark.slow
def test_models_and_plans_are_counted_and_plans_that_are_made_again():
    model = the_model("gait")
    with Walk(PACKAGE) as walk:
        copy: Model = replace(model.replace(name="copy"))  # the second is made and checked anew
        for _ in range(2):
            poses(copy, copy.neutral(), "pelvis")
    assert walk.models == 1
    assert list(walk.plans.values()) == [1]


def test_other_threads_are_walked_along():
    model = the_model("gait")
    with Walk(PACKAGE) as walk:
        thread = threading.Thread(target=model.neutral)
        thread.start()
        thread.join()
    assert walk.entered["model/model.py", "Model.neutral"] == 1


def test_places_are_compared_by_value():
    from softstride.model import Point

    first, second = (Point("tibia_r", (0.0, 0.1, 0.0)) for _ in range(2))
    assert first is not second
    assert plain(first) == plain(second)
    assert plain(first) != plain(Point("tibia_r", (0.0, 0.2, 0.0)))
