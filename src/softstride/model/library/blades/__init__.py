"""Running blades that come with the package: a C and a J shape, each soft, medium and stiff.

Data are in the TOML files beside this one; each says whether its shape is published or invented.
"""

from __future__ import annotations

from functools import cache

from softstride.errors import ModelError
from softstride.files import packaged_text
from softstride.model.blade import Blade
from softstride.model.blade_file import blade_from_text

SHAPES = ("c", "j")
CATEGORIES = ("soft", "medium", "stiff")


def blade_names() -> tuple[str, ...]:
    """Return the names of the blades: "c-soft", "c-medium", ..."""
    return tuple(f"{shape}-{category}" for shape in SHAPES for category in CATEGORIES)


@cache
def blade(name: str) -> Blade:
    """Return a blade by name, see `blade_names`.

    Raises:
        ModelError: No blade of this name.
    """
    if name not in blade_names():
        raise ModelError(f"no packaged blade {name!r}; there are: {', '.join(blade_names())}.")
    shape, category = name.split("-")
    text = packaged_text(__package__, f"{shape}.toml")
    return blade_from_text(text, f"packaged blade {name!r}", name=name, category=category)


__all__ = ["CATEGORIES", "SHAPES", "blade", "blade_names"]
