"""Values of options that name what they are for: NAME=NUMBER and NAME=NAME."""

from __future__ import annotations

from typing import Any

from softstride.errors import InputError


def numbers_by_name(
    texts: list[str], option: str, *, alone: bool = False
) -> tuple[float | None, dict[str, float]]:
    """Return the number without a name, and numbers by name.

    Args:
        texts: Such as "knee_angle_r=0.5", or "0.5" if that is allowed.
        option: Its name, for errors.
        alone: Whether a number may stand alone, once.

    Raises:
        InputError: A text that is neither, or the same name twice.
    """
    every: float | None = None
    found: dict[str, float] = {}
    for text in texts:
        name, sign, value = text.rpartition("=")
        if not sign and not alone:
            raise InputError(f"{option} {text}: must be NAME=NUMBER")
        try:
            number = float(value)
        except ValueError:
            form = "a number or NAME=NUMBER" if alone else "NAME=NUMBER"
            raise InputError(f"{option} {text}: must be {form}") from None
        if not sign:
            if every is not None:
                raise InputError(f"{option} {text}: a number for all is given already, {every:g}")
            every = number
        elif not name or name in found:
            raise InputError(f"{option} {text}: {'a name is missing' if not name else 'named twice'}")
        else:
            found[name] = number
    return every, found


def names_by_muscle(texts: list[str], option: str) -> dict[str, str]:
    """Return channels of muscles from MUSCLE=CHANNEL."""
    found: dict[str, str] = {}
    for text in texts:
        muscle, sign, channel = text.partition("=")
        if not sign or not muscle or not channel:
            raise InputError(f"{option} {text}: must be MUSCLE=CHANNEL, such as soleus_r=soleus")
        if muscle in found:
            raise InputError(f"{option} {text}: {muscle} has a channel already, {found[muscle]}")
        found[muscle] = channel
    return found


def mvc_of(texts: list[str]) -> Any:
    """Return what counts as full activation: "trial", one number, or numbers by channel; None if nothing is said."""
    if not texts:
        return None
    if texts == ["trial"]:
        return "trial"
    every, named = numbers_by_name(texts, "--mvc", alone=True)
    if every is not None and named:
        raise InputError("--mvc: give one number for all channels, or one by channel, not both")
    return named if every is None else every
