"""Chains that come with the package, one for each use that the paper names.

| name | what | known |
|---|---|---|
| squat | a squat along a wall, both legs together | ground reaction; the wall's force is not |
| finger | a finger with deep and superficial flexor presses a key | the key's force |
| spine | 24 vertebrae with segmental and global muscles, a lift | the load |
| stance | a leg from markers and a force plate | the plate; needs a recording |

Numbers of the first three are invented, plausible and consistent: tensions give the torques that the motion requires.
`python -m softstride.planar.library.generate` makes them again.
"""

from __future__ import annotations

from pathlib import Path

from softstride.errors import InputError, ModelError, inside
from softstride.files import packaged, packaged_text
from softstride.planar.case import Case
from softstride.planar.chain_file import chain_from_text
from softstride.planar.marker_file import is_recipe, recorded_chain
from softstride.planar.toml_table import read_text

NAMES = ("squat", "finger", "spine", "stance")


def chain_names() -> tuple[str, ...]:
    """Return the names of the packaged chains."""
    return NAMES


def load_chain(name: str | Path, table: str | Path | None = None) -> Case:
    """Return a packaged chain by name, or one from a file.

    Args:
        name: "squat", "finger", "spine", "stance", or a TOML file, known by its suffix.
        table: Recording of a chain from markers ("stance").

    Raises:
        ModelError: No chain of this name, or a file that is none.
        InputError: A chain from markers without a recording, or a recording that nothing needs.
    """
    with inside(raising=ModelError):
        found = packaged(name, NAMES, "packaged chain")
    if isinstance(found, str):
        origin, text = f"packaged chain {found!r}", packaged_text(__package__, f"{found}.toml")
    else:
        origin, text = str(name), read_text(found)
    if not is_recipe(text):
        if table is not None:
            raise InputError(f"{origin} holds its own numbers, however a table is given: leave it out.")
        return chain_from_text(text, origin, Path(name).stem)
    if table is None:
        raise InputError(
            f"{origin} is a recipe for markers: give the table of a recording, such as rawdata.txt, with --table."
        )
    return recorded_chain(text, origin, table)


__all__ = ["NAMES", "chain_names", "load_chain"]
