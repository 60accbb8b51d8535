"""Muscles that are sewn together over the bone end, as one muscle for each pair.

The seam slides over the bone end, so both muscles of a pair have one tension T, from the origin of one to the origin of
the other; the length of the whole is L = L_a + L_b and its moment arm about a coordinate q

    r = -dL/dq = r_a + r_b,        τ = r T.

A pair is therefore one muscle, and whoever shares forces needs to know nothing of it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from softstride.model.muscle import Muscle
from softstride.model.path import Path


def allotted(pairs: Sequence[tuple[str, str]], strength: Mapping[str, float]) -> dict[tuple[str, str], float]:
    """Return how strong each pair is [N].

    A muscle in several pairs shares its strength F among them as its partners are strong, and a pair is as strong as
    the weaker of what its two muscles give it:

        F_ab = min( F_a F_b / Σ_b' F_b',  F_b F_a / Σ_a' F_a' ),        b' partners of a, a' partners of b.

    So no muscle is used beyond its strength, two that have only each other have the strength of the weaker one, and two
    groups that are sewn together all with all have that of the weaker group.

    Args:
        pairs: Names of two muscles each.
        strength: Maximal force along the tendon of each muscle [N].
    """
    partners: dict[str, float] = {}
    for a, b in pairs:
        partners[a] = partners.get(a, 0.0) + strength[b]
        partners[b] = partners.get(b, 0.0) + strength[a]
    return {(a, b): strength[a] * strength[b] / max(partners[a], partners[b]) for a, b in pairs}


def in_series(name: str, a: Muscle, b: Muscle, force: float, path: Path) -> Muscle:
    """Return one muscle that acts as two in series.

    Lengths add up at one tension: with the optimal fibre lengths l, their parts along the tendon l cos α, the slack
    lengths lₜ and the greatest velocities v (in l a second)

        l = l_a + l_b,    l cos α = l_a cos α_a + l_b cos α_b,    lₜ = lₜ_a + lₜ_b,    l v = l_a v_a + l_b v_b,
        F cos α = force.

    Exact for two muscles of one strength with the same curves; a stronger partner would be stretched less than the
    weaker one, which is not seen here. Of time constants and least activations the larger is taken, curves and their
    further numbers from `a`; the pair is enabled if both are.

    Args:
        name: Name of the new muscle.
        a: One muscle.
        b: The other.
        force: Maximal force of the pair along the tendon [N], see `allotted`.
        path: From the origin of `a` over the bone end to the origin of `b`.
    """
    fibre = a.fibre_length + b.fibre_length
    cosine = (a.fibre_length * math.cos(a.pennation) + b.fibre_length * math.cos(b.pennation)) / fibre
    return replace(
        a,
        name=name,
        path=path,
        max_force=force / cosine,
        fibre_length=fibre,
        tendon_length=a.tendon_length + b.tendon_length,
        pennation=math.acos(min(cosine, 1.0)),
        max_velocity=(a.fibre_length * a.max_velocity + b.fibre_length * b.max_velocity) / fibre,
        rise_time=max(a.rise_time, b.rise_time),
        fall_time=max(a.fall_time, b.fall_time),
        min_activation=max(a.min_activation, b.min_activation),
        rigid_tendon=a.rigid_tendon and b.rigid_tendon,
        enabled=a.enabled and b.enabled,
    )
