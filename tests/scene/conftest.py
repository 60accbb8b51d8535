"""The scene of the digital athlete, built once."""

import pytest
from tests.scene.runner import running_scene

from softstride.scene import Scene


@pytest.fixture(scope="session")
def scene() -> Scene:
    return running_scene()
