"""The data files of the packaged people; each names its sources at its head."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any

from softstride.toml_text import parse_toml


@cache
def table(name: str) -> dict[str, Any]:
    """Return the content of `data/<name>.toml`; it is shared, so it must not be changed."""
    text = resources.files(__package__).joinpath("data", f"{name}.toml").read_text(encoding="utf-8")
    return parse_toml(text)
