"""What the room refuses in several places."""

from __future__ import annotations

from collections.abc import Sequence

from softstride.errors import InputError, Option


def no_choice(name: str, given: object, known: Sequence[str]) -> InputError:
    """Return the error about an option that is none of its choices."""
    option = Option(name)
    return InputError(
        f"{option} must be one of {', '.join(known)}, however it is {given!r}",
        parameter=name,
        value=given,
        known=known,
        options=[option],
    )
