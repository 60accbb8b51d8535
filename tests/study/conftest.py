"""One study that all tests of this folder look at."""

import pytest
from tests.study.studies import running_study

from softstride.study.files import encode_study


@pytest.fixture(scope="session")
def study():
    return running_study()


@pytest.fixture(scope="session")
def encoded(study) -> bytes:
    return encode_study(study)
