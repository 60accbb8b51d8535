"""What muscles are called: one name for each, whatever a model calls it, and its side."""

from __future__ import annotations

import re
from functools import cache

from softstride.files import packaged_text, parse_toml
from softstride.naming import LETTERS, split_side


def plain_name(muscle: str, letter: str) -> str | None:
    """Return the name of a muscle without its side.

    Args:
        muscle: Name in the model: soleus_r, soleus.right, r_soleus, ...
        letter: "r" or "l".

    Returns:
        The name, whole if it tells no side; None if the muscle is on the other side.
    """
    side, plain = split_side(muscle)
    return plain if side in (None, LETTERS[letter]) else None


def common_name(name: str) -> str | None:
    """Return the name that the packaged tables use for a muscle without its side; None if they do not know it."""
    return _known().get(_squeezed(name))


def known_names() -> tuple[str, ...]:
    """Return the names that the packaged tables use."""
    return tuple(dict.fromkeys(_known().values()))


@cache
def _known() -> dict[str, str]:
    text = packaged_text("softstride.model.library.surgery", "names.toml")
    return {_squeezed(word): name for name, others in parse_toml(text).items() for word in (name, *others)}


def _squeezed(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
