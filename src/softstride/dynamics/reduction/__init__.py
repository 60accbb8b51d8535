"""Residual reduction: small changes of masses and base motion that make recording and plates agree."""

from typing import TYPE_CHECKING

from softstride.on_demand import on_demand

if TYPE_CHECKING:
    from softstride.dynamics.reduction.reduce import reduce_residuals

__all__ = ["reduce_residuals"]

__getattr__, __dir__ = on_demand(__name__, __file__)
