"""What muscles are called: one name for each, whatever a model calls it, and its side."""

from __future__ import annotations

import re
from functools import cache

from softstride.files import packaged_text, parse_toml
from softstride.model.leg import SIDES

BREAK = re.compile(r"[_. \-]+")


def plain_name(muscle: str, letter: str) -> str | None:
    """Return the name of a muscle without its side.

    Args:
        muscle: Name in the model: soleus_r, soleus.right, r_soleus, ...
        letter: "r" or "l".

    Returns:
        The name, whole if it tells no side; None if the muscle is on the other side.
    """
    own, other = (SIDES[side] for side in (("right", "left") if letter == "r" else ("left", "right")))
    words = BREAK.split(muscle)
    for i in (-1, 0) if len(words) > 1 else ():
        if words[i].lower() in own:
            return "_".join(words[:-1] if i else words[1:])
        if words[i].lower() in other:
            return None
    return muscle


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
