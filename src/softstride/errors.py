"""The errors softstride raises, one class for each reason.

Everything derives from `SoftstrideError`, so one `except` catches all of it. A message says what was
expected, what came, which file, field, link, coordinate or frame it concerns, and the way out. Errors about values are
also `ValueError`, and errors about a computation are also `RuntimeError`, so code that knows nothing of
softstride still catches them.
"""


class SoftstrideError(Exception):
    """Root of every error raised by softstride."""


class ModelError(SoftstrideError, ValueError):
    """A model that cannot exist: a cycle, an unknown parent, a negative mass, an axis of length zero."""


class InputError(SoftstrideError, ValueError):
    """Arrays or options that do not fit: a wrong shape, NaN in `q`, a quaternion of length zero."""


class CaptureError(SoftstrideError, ValueError):
    """A file that cannot be read as what it claims to be, or data that a format cannot hold.

    Attributes:
        path: The file, as the caller named it.
        field: The part of the file at fault: a parameter, a column, a row, a section.
        problem: What was expected there and what came.
        fix: What to do about it.
    """

    def __init__(self, path: object, field: str, problem: str, fix: str) -> None:
        self.path, self.field, self.problem, self.fix = str(path), field, problem, fix
        super().__init__(f"{self.path}: {field}: {problem}; {fix}")

    def __reduce__(self) -> tuple[type["CaptureError"], tuple[str, str, str, str]]:
        return type(self), (self.path, self.field, self.problem, self.fix)


class SimulationError(SoftstrideError, RuntimeError):
    """A computation that cannot continue: a singular mass matrix, a step size that shrank to nothing."""
