"""The standing trial: which frames and which markers of it are used."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softstride.capture.recording import Recording
from softstride.engine import positions
from softstride.errors import InputError, ModelError
from softstride.kinematics.frames import Range, frame_range
from softstride.model import Model
from softstride.notes import Note, Notes

Array = NDArray[np.float64]

BLOCKS = 5
"""How many median frames stand for a trial."""

SPREAD = 2.5
"""Markers of a person are spread less than this many times as widely or narrowly as the model's."""

FEWEST_MARKERS, FEWEST_LINKS = 3, 2
"""What a trial must show of a person for `scale_model`."""


@dataclass(frozen=True, eq=False)
class Targets:
    """Where the markers of the model were seen.

    Attributes:
        names: Markers that both the model and the recording have, in the order of the model.
        values: World positions, shape (n, m, 3), [m]; NaN where not seen.
        time: Middle of each frame or block, shape (n,), [s].
        notes: What was left out.
    """

    names: tuple[str, ...]
    values: Array
    time: Array
    notes: tuple[Note, ...] = ()


def targets(
    model: Model,
    static: Recording,
    *,
    time_range: Range | None = None,
    blocks: int = BLOCKS,
    only: Iterable[str] | None = None,
) -> Targets:
    """Return median positions over equal blocks of a standing trial.

    Args:
        model: The model whose markers are wanted.
        static: The trial.
        time_range: Part of it [s]; None: all.
        blocks: How many blocks; less if there are fewer frames.
        only: Names of the markers to use; None: all.

    Raises:
        InputError: No marker in common, or nothing seen.
    """
    points = static.markers
    span = frame_range(points.time, time_range)
    allowed = set(model.markers) if only is None else set(only)
    names = tuple(
        name
        for name, point in model.markers.items()
        if name in points and name in allowed and point.link != "world"
    )
    if not names:
        raise InputError(
            f"the recording {static.name!r} has none of the markers of {model.name!r}; it has: "
            f"{', '.join(points.labels) or 'none'}; the model has: {', '.join(model.markers) or 'none'}"
        )
    chosen = points.values[span][:, [points.index(name) for name in names]]
    pieces = np.array_split(np.arange(len(chosen)), max(1, min(blocks, len(chosen))))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a marker that a block never saw stays NaN
        values = np.stack([np.nanmedian(chosen[piece], axis=0) for piece in pieces])
    seen: NDArray[np.bool_] = np.atleast_1d(np.isfinite(values).all(axis=2).any(axis=0))
    if not seen.any():
        raise InputError(f"no marker of {model.name!r} was seen in {static.name!r} in the chosen time")
    kept = tuple(name for name, yes in zip(names, seen, strict=True) if yes)
    time = np.array([float(np.mean(points.time[span][piece])) for piece in pieces])
    return Targets(kept, values[:, seen], time, _left_out(model, static, kept))


def spread(model: Model, seen: Targets) -> float:
    """Return how far apart the markers lie over those of the model in its default pose; 1 if there is but one."""
    frame = seen.values[int(np.argmax(np.isfinite(seen.values).all(axis=2).sum(axis=1)))]
    there = np.flatnonzero(np.isfinite(frame).all(axis=1))
    at = positions(model, model.neutral(), seen.names)
    measured, modelled = (float(np.sqrt(np.mean(np.var(x[there], axis=0)))) for x in (frame, at))
    return measured / modelled if modelled > 0.0 else 1.0


def check_spread(model: Model, seen: Targets) -> None:
    """Refuse markers that lie far wider or narrower than the model's in its default pose: wrong units or labels.

    Raises:
        ModelError: Their root mean square distance from their middle differs by more than `SPREAD`.
    """
    ratio = spread(model, seen)
    if not 1.0 / SPREAD < ratio < SPREAD:
        raise ModelError(
            f"the markers lie {ratio:.3g} times as far apart as on {model.name!r}: check the units of the recording, "
            f"and that its labels mean the markers of the model."
        )


def check_enough(model: Model, static: Recording) -> None:
    """Refuse a trial that shows too little of a person.

    Raises:
        ModelError: Fewer than `FEWEST_MARKERS` of the model's markers are seen, or on fewer than `FEWEST_LINKS` links.
    """
    points = static.markers
    common = [
        name
        for name, point in model.markers.items()
        if name in points and point.link != "world" and np.isfinite(points[name]).all(axis=1).any()
    ]
    links = list(dict.fromkeys(model.markers[name].link for name in common))
    if len(common) < FEWEST_MARKERS or len(links) < FEWEST_LINKS:
        raise ModelError(
            f"a person needs {FEWEST_MARKERS} markers on {FEWEST_LINKS} links, however {static.name!r} and "
            f"{model.name!r} have {len(common)} in common on {len(links)} ({', '.join(common) or 'none'}). "
            f"The recording has: {', '.join(points.labels) or 'none'}; the model has: "
            f"{', '.join(model.markers) or 'none'}. Rename markers, or take `fit_scaling` to go on with so few."
        )


def _left_out(model: Model, static: Recording, kept: tuple[str, ...]) -> tuple[Note, ...]:
    unknown = [label for label in static.markers.labels if label not in model.markers]
    missing = [name for name in model.markers if name not in kept]
    notes = Notes()
    if unknown:
        text = f"labels that the model does not have were ignored: {', '.join(unknown)}"
        notes.add("scaling.labels-ignored", text, topic="scaling", names=unknown)
    if missing:
        text = f"markers of the model that were not used or not seen: {', '.join(missing)}"
        notes.add("scaling.markers-not-used", text, topic="scaling", names=missing)
    return tuple(notes)
