"""Models that come with the package."""

from softstride.model.library.athlete import athlete

__all__ = ["athlete"]
