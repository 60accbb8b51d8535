"""One `except` catches everything softstride raises."""

import pickle

import pytest

from softstride import errors


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (errors.CaptureError, ValueError),
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


def test_a_capture_error_names_file_field_problem_and_fix() -> None:
    error = errors.CaptureError("walk.c3d", "POINT:SCALE", "is zero", "write the file again")
    assert str(error) == "walk.c3d: POINT:SCALE: is zero; write the file again"
    again = pickle.loads(pickle.dumps(error))  # as it travels from a worker process
    assert (again.path, again.field, again.problem, again.fix) == (
        error.path,
        error.field,
        error.problem,
        error.fix,
    )
