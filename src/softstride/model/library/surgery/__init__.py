"""Tables of surgery that come with the package: what becomes of each muscle that an amputation cuts.

Data are in the TOML files beside this one, a file for each surgery and level; each says where its rows are from.
"""

from __future__ import annotations

from functools import cache

from softstride.errors import ModelError
from softstride.files import packaged_text
from softstride.model.surgery.file import parse_surgery
from softstride.model.surgery.table import Surgery

FILES = {
    "transtibial": {
        "myodesis": "transtibial_myodesis",
        "myoplasty": "transtibial_myoplasty",
        "osteomyoplasty": "transtibial_osteomyoplasty",
        "unattached": "unattached",
    },
    "transfemoral": {
        "myodesis": "transfemoral_myodesis",
        "myoplasty": "transfemoral_myoplasty",
        "unattached": "unattached",
    },
}


def surgery_names(level: str = "transtibial") -> tuple[str, ...]:
    """Return the names of the packaged surgeries of a level, "transtibial" or "transfemoral"."""
    return tuple(FILES[_checked(level)])


def surgery_text(name: str, level: str = "transtibial") -> str:
    """Return the file of a packaged surgery, comments and sources included: a start for an own table.

    Raises:
        ModelError: No surgery of this name at this level.
    """
    known = FILES[_checked(level)]
    if name not in known:
        bridge = (
            "; an osteomyoplasty bridges tibia and fibula, and a thigh has one bone"
            if name == "osteomyoplasty"
            else ""
        )
        raise ModelError(f"no {level} surgery {name!r}; there are: {', '.join(known)}{bridge}.")
    return packaged_text(__package__, f"{known[name]}.toml")


@cache
def surgery(name: str, level: str = "transtibial") -> Surgery:
    """Return a packaged surgery by name and level, see `surgery_names`.

    Raises:
        ModelError: No surgery of this name at this level.
    """
    return parse_surgery(surgery_text(name, level), f"packaged {level} surgery {name!r}")


def _checked(level: str) -> str:
    if level not in FILES:
        raise ModelError(f"level must be one of {', '.join(FILES)}, however it is {level!r}.")
    return level


__all__ = ["surgery", "surgery_names", "surgery_text"]
