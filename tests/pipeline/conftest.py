"""The digital athlete as files, and one study of it that all tests of this folder look at."""

from pathlib import Path

import pytest
from tests.study.studies import packaged, running_study

import softstride as ss
from softstride.digital_athlete.person import estimator_model
from softstride.pipeline import Request

SHORT = (0.40, 0.50)  # s: a strike of the left foot begins in it


@pytest.fixture(scope="session")
def study():
    return running_study()


@pytest.fixture(scope="session")
def recording():
    return ss.read(packaged())


@pytest.fixture(scope="session")
def model():
    return estimator_model()


@pytest.fixture(scope="session")
def model_file(tmp_path_factory, model) -> Path:
    file = tmp_path_factory.mktemp("athlete") / "athlete.json"
    ss.save_model(model, file)
    return file


@pytest.fixture(scope="session")
def short(tmp_path_factory, model) -> Request:
    """A request that is done in a moment: 21 frames, plates alone, nobody with muscles."""
    file = tmp_path_factory.mktemp("bare") / "bare.json"
    ss.save_model(model.replace(muscles={}, wraps={}), file)
    options = ss.AnalyzeOptions(time_range=SHORT, lowpass=8.0, estimate=False, bands=False, reactions=False)
    return Request((packaged(),), model=str(file), options=options)
