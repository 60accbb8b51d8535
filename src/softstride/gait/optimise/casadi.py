"""CasADi, loaded when first asked for: expressions with exact derivatives, and the interior-point solver IPOPT."""

from __future__ import annotations

from typing import Any

from softstride.errors import InputError


def load_casadi() -> Any:
    """Return CasADi.

    Raises:
        InputError: It is not installed; the message says how to install it.
    """
    try:
        import casadi
    except ModuleNotFoundError as error:
        raise InputError("finding a step needs CasADi: pip install 'softstride[optimise]'") from error
    return casadi
