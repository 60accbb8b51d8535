"""Residual reduction: small changes of masses and base motion that make recording and plates agree."""

from softstride.dynamics.reduction.reduce import reduce_residuals

__all__ = ["reduce_residuals"]
