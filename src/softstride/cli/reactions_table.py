"""What `softstride reactions` says: figures for programs, lines and a table for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from softstride.cli.output import print_lines, print_table
from softstride.cli.peaks import instant, peak_of, shown
from softstride.cli.reactions_knees import knee_rows
from softstride.cli.spelling import shell_words
from softstride.muscles.reactions.joints import body_name

if TYPE_CHECKING:
    from softstride.muscles.reactions import JointReactions, KneeContact
    from softstride.notes import Said


def reactions_figures(
    reactions: JointReactions, seconds: float, notes: Iterable[Said] = ()
) -> dict[str, Any]:
    """Return the key numbers as one flat mapping, in [N], [N m] and seconds."""
    n, weight = len(reactions), reactions.body_weight
    force = [peak_of(x)[0] for x in reactions.magnitude.T]
    moment = [peak_of(x)[0] for x in np.linalg.norm(reactions.moment, axis=2).T]
    return {
        "frames": n,
        "frames_known": int(np.count_nonzero(reactions.known)),
        "seconds": seconds,
        "frames_per_second": n / max(seconds, 1e-9),
        "body_weight_n": weight,
        "joints": list(reactions.names),
        "columns": list(reactions.labels),
        "muscles": len(reactions.muscles),
        "force_peaks_n": force,
        "force_peaks_bw": [x / weight for x in force] if weight > 0.0 else [],
        "moment_peaks_nm": moment,
        "balance": reactions.balance,
        "notes": [shell_words(note) for note in notes],
    }


def print_reactions(
    reactions: JointReactions, figures: dict[str, Any], knees: Sequence[KneeContact] = ()
) -> None:
    """Print what was solved, the peaks of each joint and compartment, and what was decided on the way."""
    print_lines(_lines(reactions, figures), title=f"{reactions.model.name}: joint reactions")
    print_table(
        ("joint", "on", "in", "peak force [N]", "[BW]", "at [s]", "peak moment [N m]", "at [s]"),
        _joints(reactions),
        title="\nJoints",
        numbers=range(3, 8),
    )
    if knees:
        head = ("knee", f"{reactions.kind} force along the tibia", "peak [N]", "[BW]", "at [s]")
        print_table(head, knee_rows(knees), title="\nKnees", numbers=range(2, 5))
    if figures["notes"]:
        print_lines(
            [("-", "", note) for note in figures["notes"]], title="\nNotes: what was decided on the way"
        )


def _lines(reactions: JointReactions, figures: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    time = reactions.time
    yield "frames", "", f"{figures['frames']}, {time[0]:.3f} to {time[-1]:.3f} s"
    speed = f"{figures['frames_per_second']:.0f} frames per second"
    yield "solved in", "", f"{1e3 * figures['seconds']:.1f} ms with the loads, {speed}"
    unknown = figures["frames"] - figures["frames_known"]
    if unknown:
        yield (
            "not known",
            "yellow",
            f"{unknown} of {figures['frames']} frames, in which a force is not known: nan",
        )
    yield (
        "muscles",
        "",
        f"{figures['muscles']}" if figures["muscles"] else "none: joints transmit all moments",
    )
    yield "balance", "", f"Newton and Euler hold to {figures['balance']:.1e} beyond every joint"
    yield "reactions", "", figures["out"]


def _joints(reactions: JointReactions) -> Iterator[tuple[str, ...]]:
    weight = reactions.body_weight
    moment = np.linalg.norm(reactions.moment, axis=2)
    for i, joint in enumerate(reactions.joints):
        force, at = peak_of(reactions.magnitude[:, i])
        turning, when = peak_of(moment[:, i])
        on = body_name(joint.child if reactions.on == "child" else joint.parent)
        share = f"{force / weight:.2f}" if weight > 0.0 and np.isfinite(force) else "-"
        cells = (
            shown(force),
            share,
            instant(reactions.time, at),
            shown(turning),
            instant(reactions.time, when),
        )
        yield joint.name, on, reactions.axes[i], *cells
