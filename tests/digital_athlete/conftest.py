import pytest
from tests.trials import the_athlete


@pytest.fixture(scope="session")
def running():
    """The running trial as an analyst gets it."""
    return the_athlete()


@pytest.fixture(scope="session")
def clean():
    """The running trial with neither noise nor artefact."""
    return the_athlete("running", noise=False, artefact=False)
