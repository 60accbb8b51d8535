"""The data files of the packaged people; each names its sources at its head."""

from __future__ import annotations

from functools import cache
from typing import Any

from softstride.files import packaged_text, parse_toml


@cache
def table(name: str) -> dict[str, Any]:
    """Return the content of `data/<name>.toml`; it is shared, so it must not be changed."""
    return parse_toml(packaged_text(__package__, "data", f"{name}.toml"), f"packaged table {name!r}")
