"""Labels that changed places: found from the errors of a fit, said in a sentence, and put right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.errors import InputError
from softstride.kinematics.ik.swap_search import search
from softstride.notes import Note
from softstride.results import Result, values

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

MOST_SPANS = 3  # stretches of frames that a sentence lists


class Swap(Result, of="a swap"):
    """Markers whose labels changed places.

    Attributes:
        first: A label.
        second: The marker that carries it. It carries the first marker's label, or that of `further`.
        frames: Frames in which it is so, increasing, frames between them in which the markers were not seen included.
        gain: 1 - S/C, with C the squared error of the markers as labelled, and S with the labels put right, both
            against the same fit, over the frames in which all of them were seen.
        further: Of a ring of more than two: the marker that carries the second's label, and so on; the last one's
            label is on the first.
        rate: Frames per second [Hz]; None where not known.
        start: Time of frame 0 [s].
    """

    first: str
    second: str
    frames: Integers = values("frame", dtype=np.int64)
    gain: float
    further: tuple[str, ...] = ()
    rate: float | None = None
    start: float = 0.0

    @property
    def labels(self) -> tuple[str, ...]:
        """All labels of the ring: what is labelled as each of them is the next one, and the last is the first."""
        return (self.first, self.second, *self.further)

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """First and last frame of each stretch."""
        after = np.flatnonzero(np.diff(self.frames) > 1) + 1
        parts = np.split(self.frames, after) if len(self.frames) else []
        return tuple((int(part[0]), int(part[-1])) for part in parts)

    @property
    def span(self) -> tuple[float, float] | None:
        """Times of the first and the last frame [s]; None where they are not known."""
        if self.rate is None or not len(self.frames):
            return None
        return self.start + self.frames[0] / self.rate, self.start + self.frames[-1] / self.rate

    def note(self, code: str, text: str, **facts: Any) -> Note:
        """Return a note on it: its labels, when it is so, and how much of the error goes."""
        values = {"frames": len(self.frames), "gain": self.gain}
        return Note(code, text, topic="labels", names=self.labels, span=self.span, values=values, **facts)

    def __str__(self) -> str:
        labels = self.labels
        if self.further:
            who = ", ".join(labels[:-1]) + f" and {labels[-1]} are exchanged in a ring"
            ring = ", ".join(
                f"{b} is labelled {a}" for a, b in zip(labels, (*labels[1:], labels[0]), strict=True)
            )
            who += f" ({ring})"
        else:
            who = f"{self.first} and {self.second} are exchanged"
        share = f"{100.0 * self.gain:.0f} % of their squared error goes if the labels change places"
        return f"{who} in {self._when()}: {share}"

    def __repr__(self) -> str:
        return f"<Swap {'/'.join(self.labels)}: {len(self.frames)} frames, gain {self.gain:.2f}>"

    def _when(self) -> str:
        spans = self.spans
        if not spans:
            return "no frame"
        a, b = spans[0][0], spans[-1][1]
        if len(spans) > MOST_SPANS:
            text = f"{len(self.frames)} of the frames {a} to {b}"
        else:
            parts = [f"{i} to {k}" if k > i else f"{i}" for i, k in spans]
            word = "frames" if len(self.frames) > 1 else "frame"
            text = f"{word} {parts[0] if len(parts) == 1 else ', '.join(parts[:-1]) + ' and ' + parts[-1]}"
        if self.span is None:
            return text
        from_, to = self.span
        return f"{text} ({from_:.4g} to {to:.4g} s)" if b > a else f"{text} ({from_:.4g} s)"


def find_swaps(
    names: Sequence[str],
    seen: ArrayLike,
    predicted: ArrayLike,
    *,
    rate: float | None = None,
    start: float = 0.0,
) -> tuple[Swap, ...]:
    """Find markers whose labels changed places, from where a fitted model has them.

    The fit was made with the wrong labels and gave way to them, so the errors that remain understate the swap. Two
    (or three) labels are taken for exchanged where errors, large against the usual one of the trial, all fall when
    the labels change places, together over the frames through which the markers keep their arrangement; fewer than
    three frames must be unmistakable. Where the model can follow the wrong labels altogether, as a forearm with two
    markers at the wrist that turns over, nothing shows. Of several swaps at a time the largest may hide others: put
    it right (`exchanged`), fit, and look again.

    Args:
        names: The markers, m of them.
        seen: Their positions as labelled, shape (n_frames, m, 3), [m]; NaN where not seen.
        predicted: Their positions in the fitted model, the same shape; NaN where not known.
        rate: Frames per second [Hz], for times in the sentence.
        start: Time of the first frame [s].

    Returns:
        The swaps, those that take away most error first.
    """
    x, p = np.asarray(seen, dtype=np.float64), np.asarray(predicted, dtype=np.float64)
    if x.ndim != 3 or x.shape[1:] != (len(names), 3) or p.shape != x.shape:
        raise InputError(
            f"seen and predicted must have the shape (n_frames, {len(names)}, 3), one row for each name, "
            f"not {x.shape} and {p.shape}"
        )
    swaps = []
    for found in search(x, p):
        first, second, *further = (names[i] for i in found.ring)
        swaps.append(Swap(first, second, found.frames, found.gain, tuple(further), rate, start))
    return tuple(swaps)


def exchanged(seen: ArrayLike, names: Sequence[str], swaps: Sequence[Swap]) -> Array:
    """Return marker positions with the labels put right, shape (n_frames, m, 3), [m].

    Args:
        seen: Positions as labelled, shape (n_frames, m, 3), [m].
        names: The markers.
        swaps: What to put right; one after the other where they share markers.
    """
    out = np.array(seen, dtype=np.float64)
    place = {name: i for i, name in enumerate(names)}
    for swap in swaps:
        unknown = [label for label in swap.labels if label not in place]
        if unknown:
            raise InputError(
                f"the swap is of {unknown[0]!r}, which is not among the markers {', '.join(names)}"
            )
        if len(swap.frames) and not 0 <= swap.frames[0] <= swap.frames[-1] < len(out):
            raise InputError(f"the swap is in {swap._when()}, but there are {len(out)} frames")
        source = np.array([place[label] for label in swap.labels])
        target = np.roll(source, -1)
        out[np.ix_(swap.frames, target)] = out[np.ix_(swap.frames, source)]
    return out
