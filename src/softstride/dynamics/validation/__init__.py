"""Ground reactions beside measured ones: errors of each strike, their floors, curves over the gait cycle."""

from softstride.dynamics.validation.validate import validate_loads

__all__ = ["validate_loads"]
