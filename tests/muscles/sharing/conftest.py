"""Recordings with what both sides found in them, once a session."""

import pytest
from tests.muscles.sharing.recordings import Recorded, Trials


@pytest.fixture(scope="session")
def trials(shared_data, tmp_path_factory) -> Trials:
    """Motion and loads of recordings by name, and OpenSim's forces for them."""
    return Trials(shared_data, tmp_path_factory.mktemp("trials"))


@pytest.fixture(scope="session")
def walk(trials) -> Recorded:
    """The walk with EMG."""
    return trials["walk_rajagopal_emg"]
