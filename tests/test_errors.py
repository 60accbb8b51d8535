"""One `except` catches everything softstride raises."""

import pytest

from softstride import errors


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (errors.ModelError, ValueError),
        (errors.InputError, ValueError),
        (errors.SimulationError, RuntimeError),
    ],
)
def test_errors_share_one_root_and_a_builtin(
    error: type[errors.SoftstrideError], builtin: type[Exception]
) -> None:
    assert issubclass(error, errors.SoftstrideError)
    assert issubclass(error, builtin)
