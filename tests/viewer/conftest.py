"""The browser, a server, and the scene of the digital athlete, for the tests of what the viewer shows."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.browser import browser, page  # noqa: F401
from tests.scene.conftest import scene  # noqa: F401

from softstride.viewer.server import find_address, start_server, stop_server
from softstride.viewer.walk_bench import WalkBench


@pytest.fixture
def server() -> Iterator[Any]:
    started = start_server(find_address(port=0), "test")
    yield started
    stop_server(started)


@pytest.fixture
def bench() -> WalkBench:
    return WalkBench()
