import pytest

from softstride.digital_athlete import load_athlete


@pytest.fixture(scope="session")
def running():
    """The running trial as an analyst gets it."""
    return load_athlete("running")


@pytest.fixture(scope="session")
def clean():
    """The running trial with neither noise nor artefact."""
    return load_athlete("running", noise=False, artefact=False)
