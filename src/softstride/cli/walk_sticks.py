"""Stick figures of a walk: poses at equal intervals, the legs told apart, the one that stands drawn heavier."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from softstride.cli.picture_style import BLADE, BLUE, GREY, INK
from softstride.cli.walk_study import WalkStudy
from softstride.gait.walk import Walk

Floats = NDArray[np.float64]

COLOURS = {"right": BLADE, "left": BLUE}
MARKS = ("TO", "FF", "HO", "HS")
"""Toe-off, foot flat, heel-off, heel strike."""

INTERVALS = (0.01, 0.02, 0.025, 0.05, 0.1, 0.2, 0.25, 0.5, 1.0, 2.0, 5.0)
"""Between poses [s]."""

SLOT = 1.06
"""From pose to pose where they are drawn apart [m]: a stride with both feet down is as wide."""

APART = 0.55
"""From pose to pose at least where they are drawn where the walker is, on the average [m]."""

HEAD = 0.11
"""Radius of the head [m], so that a figure looks like a person."""

TALLEST = 1.84
"""What is drawn above the floor [m]; marks of events are above that."""

PALE = "#c9d0d5"

LONGEST_STRIP = 1.5
"""Walks up to here are drawn pose by pose, longer ones where they are [s]."""


def interval_of(duration: float, most: int) -> float:
    """Return a round interval that gives `most` poses or fewer [s]."""
    return next((each for each in INTERVALS if duration / each < most), INTERVALS[-1])


def frame_at(walk: Walk, time: float) -> int:
    """Return the frame nearest to an instant."""
    return int(np.argmin(np.abs(walk.time - time)))


def draw_pose(axes: Axes, walk: Walk, frame: int, shift: float, *, ghost: bool = False) -> None:
    """Draw the walker of one frame, moved by `shift` [m]; a ghost in pale grey."""
    stands = walk.stance[frame]
    for side in ("left", "right") if stands == "right" else ("right", "left"):
        names = ("hip", "knee", "ankle"), ("ankle", "toe", "heel", "ankle")
        for part in names:
            line = np.array([walk.point(f"{side}_{name}")[frame] for name in part])
            colour = PALE if ghost else COLOURS[side]
            width = (1.2 if ghost else 1.0) + (0.9 if side == stands and not ghost else 0.0)
            axes.plot(line[:, 0] + shift, line[:, 1], color=colour, linewidth=width, solid_joinstyle="round")
    hip = np.mean([walk.point(f"{side}_hip")[frame] for side in COLOURS], axis=0)
    up = walk.point("hat")[frame] - hip
    shoulder = hip + up * (
        0.53 / np.linalg.norm(up)
    )  # the centre of mass of trunk, arms and head is not their top
    head = shoulder + up * ((0.06 + HEAD) / np.linalg.norm(up))
    colour = PALE if ghost else INK
    axes.plot([hip[0] + shift, shoulder[0] + shift], [hip[1], shoulder[1]], color=colour, linewidth=1.4)
    around = np.linspace(0.0, 2.0 * np.pi, 40)
    axes.plot(
        head[0] + shift + HEAD * np.cos(around), head[1] + HEAD * np.sin(around), color=colour, linewidth=1.0
    )


def draw_strip(axes: Axes, study: WalkStudy) -> None:
    """Draw poses side by side along an axis of time, each above its instant; what is not changed as a ghost behind."""
    every = interval_of(study.longest, 16)
    instants = np.arange(int(study.longest / every + 1e-6) + 1) * every
    drawn = [(study.walk, False)] if study.baseline is None else [(study.baseline, True), (study.walk, False)]
    for walk, ghost in drawn:
        for instant in instants[instants <= walk.time[-1] + 1e-9]:
            frame = frame_at(walk, float(instant))
            centre = float(walk.point("right_hip")[frame, 0])
            draw_pose(axes, walk, frame, SLOT * instant / every - centre, ghost=ghost)
    end = float(study.walk.time[-1])
    if not study.walk.completed and end % every > 0.4 * every:
        centre = float(study.walk.point("right_hip")[-1, 0])
        draw_pose(axes, study.walk, -1, SLOT * end / every - centre)
    right = SLOT * (max(instants[-1], end) / every + 0.7)
    axes.plot([-0.7 * SLOT, right], [0.0, 0.0], color=INK, linewidth=0.8, zorder=0)
    marked = [(study.walk, INK)] + ([] if study.baseline is None else [(study.baseline, GREY)])
    for row, (walk, colour) in enumerate(marked):
        mark = TALLEST + 0.13 * row
        for transition in walk.transitions:
            place = SLOT * transition.time / every
            axes.plot(
                [place, place], [0.0, mark], color=colour, linewidth=0.6, linestyle=(0, (1, 2)), zorder=0
            )
            axes.text(
                place, mark, event_mark(transition.name), color=colour, fontsize=7, ha="center", va="bottom"
            )
    top = TALLEST + 0.13 * len(marked)
    if not study.walk.completed:
        axes.text(SLOT * end / every, top, "ended", color=BLADE, fontsize=7, ha="center", va="bottom")
        top += 0.13
    axes.set_xticks(SLOT * instants / every, [f"{instant:g} s" for instant in instants])
    _finish(axes, (-0.7 * SLOT, right), (0.0, top))
    told = "the leg that stands is drawn heavier; TO toe-off, FF foot flat, HO heel-off, HS heel strike, right or left"
    axes.set_title(f"every {1e3 * every:g} ms; {told}", loc="left", fontsize=8, color=INK)


def strobe_height(walk: Walk, width: float) -> float:
    """Return how high the picture of `draw_strobe` is if it is so wide, in the same unit."""
    return width * (TALLEST + 0.2) / float(np.ptp(walk.points[..., 0]) + 0.2)


def draw_strobe(axes: Axes, walk: Walk, which: str = "") -> None:
    """Draw poses where the walker is, as one picture of many flashes; heels that strike are marked on the floor."""
    hips = walk.point("right_hip")[:, 0]
    every = interval_of(float(walk.time[-1]), max(3, int(np.ptp(hips) / APART) + 2))
    for instant in np.arange(int(walk.time[-1] / every + 1e-6) + 1) * every:
        draw_pose(axes, walk, frame_at(walk, float(instant)), 0.0)
    span = float(walk.points[..., 0].min()) - 0.1, float(walk.points[..., 0].max()) + 0.1
    axes.plot(span, [0.0, 0.0], color=INK, linewidth=0.8, zorder=0)
    heel = 0.0
    for step in walk.steps:
        axes.plot(heel, -0.07, "^", color=COLOURS[step.stance], markersize=4.0)
        heel += step.length
    _finish(axes, span, (-0.12, TALLEST))
    axes.set_xlabel("forward [m]")
    told = "the leg that stands is drawn heavier; triangles: where its heel struck"
    axes.set_title(f"{which}every {1e3 * every:g} ms; {told}", loc="left", fontsize=8, color=INK)


def _finish(axes: Axes, x: tuple[float, float], y: tuple[float, float]) -> None:
    axes.set_xlim(*x)
    axes.set_ylim(*y)
    axes.set_aspect("equal")
    axes.set_yticks([])
    axes.tick_params(axis="x", length=0.0)
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)


def event_mark(name: str) -> str:
    """Return "LTO" for "left_toe_off"."""
    side, _, what = name.partition("_")
    return f"{side[0].upper()}{MARKS[('toe_off', 'foot_flat', 'heel_off', 'heel_strike').index(what)]}"
