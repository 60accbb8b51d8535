"""The errors softstride raises, one class for each reason.

Everything derives from `SoftstrideError`, so one `except` catches all of it. A message says what was
expected, what came, which link, coordinate or frame it concerns, and the way out. Errors about values are
also `ValueError`, and errors about a computation are also `RuntimeError`, so code that knows nothing of
softstride still catches them.
"""


class SoftstrideError(Exception):
    """Root of every error raised by softstride."""


class ModelError(SoftstrideError, ValueError):
    """A model that cannot exist: a cycle, an unknown parent, a negative mass, an axis of length zero."""


class InputError(SoftstrideError, ValueError):
    """Arrays or options that do not fit: a wrong shape, NaN in `q`, a quaternion of length zero."""


class SimulationError(SoftstrideError, RuntimeError):
    """A computation that cannot continue: a singular mass matrix, a step size that shrank to nothing."""
