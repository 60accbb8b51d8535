"""How long the tendon of a muscle with a new path is, so that its fibres have the length that a surgeon wants."""

from __future__ import annotations

import math
from dataclasses import replace

from softstride.errors import ModelError
from softstride.model.muscle import Muscle
from softstride.model.path import Path
from softstride.model.surgery.table import FIBRES


def fibre_share(muscle: Muscle, length: float) -> float:
    """Return the length of the fibres over their optimal length l₀ if the tendon is at its slack length lₜ.

    l = √((L - lₜ)² + w²) with the width w = l₀ sin α₀ that fibres keep; not less than the shortest of `FIBRES`, since a
    slack tendon says nothing.

    Args:
        muscle: The muscle.
        length: Of its path, L [m].
    """
    along = max(length - muscle.tendon_length, 0.0)
    return max(math.hypot(along / muscle.fibre_length, math.sin(muscle.pennation)), FIBRES[0])


def along_tendon(muscle: Muscle, share: float) -> float:
    """Return how much of the path fibres of the length share · l₀ take up [m].

    share · l₀ cos α with sin α = sin α₀ / share.

    Raises:
        ModelError: Fibres so short would stand across the tendon.
    """
    sine = math.sin(muscle.pennation) / share
    if sine >= 0.999:
        raise ModelError(
            f"muscle {muscle.name!r}: fibres of {share:g} optimal lengths would stand across its tendon; its pennation "
            f"angle is {muscle.pennation:.3f} rad: ask for longer ones."
        )
    return share * muscle.fibre_length * math.sqrt(1.0 - sine * sine)


def tensioned(
    muscle: Muscle, path: Path, length: float, share: float, least_tendon: float
) -> tuple[Muscle, str]:
    """Return a muscle on a new path, with the tendon that gives its fibres the length share · l₀.

        lₜ = L - share · l₀ cos α,        sin α = sin α₀ / share.

    Where this is less than `least_tendon` · L, the cut went through the belly and the tendon has that length; then l₀
    is made shorter until the equation holds.

    Args:
        muscle: The muscle; its maximal force stays.
        path: The new path.
        length: Of it in the pose in which the tension is set, L [m].
        share: Wanted length of the fibres in optimal lengths.
        least_tendon: Shortest tendon over the path.

    Returns:
        The muscle, and words for the note.
    """
    taken = along_tendon(muscle, share)
    tendon = length - taken
    words = f"tendon {muscle.tendon_length:.3f} -> {max(tendon, least_tendon * length):.3f} m"
    fibre = muscle.fibre_length
    if tendon < least_tendon * length:
        tendon = least_tendon * length
        fibre *= (length - tendon) / taken
        words += f", optimal fibre {muscle.fibre_length:.3f} -> {fibre:.3f} m"
    words += (
        f", fibres at {100.0 * share:.0f} % of it"
        if fibre != muscle.fibre_length
        else (f", fibres at {100.0 * share:.0f} % of their optimal length")
    )
    return replace(muscle, path=path, tendon_length=tendon, fibre_length=fibre), words
