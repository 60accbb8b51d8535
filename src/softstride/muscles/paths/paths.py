"""Lengths, lengthening speeds and moment arms of all muscles and frames at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.engine import inputs, paths
from softstride.engine.path_plan import path_plan
from softstride.errors import InputError
from softstride.model import Model
from softstride.model.checks import names_hint
from softstride.muscles.paths.names import named_paths
from softstride.muscles.paths.notes import path_notes
from softstride.notes import Note
from softstride.results import Labels, Result, owned, values

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]


class MusclePaths(Result, of="paths"):
    """Paths of muscles in every frame.

    Attributes:
        names: Names of the muscles.
        length: Length of each path, shape (n_frames, n_muscles), [m].
        arms: Moment arms -dL/dq in the order of v, shape (n_frames, n_muscles, nv), [m] for angles and [1] for lengths:
            a tension F adds `arms @ F` to tau. Exactly zero about coordinates that do not move the path.
        speed: Lengthening speed dL/dt = -arms v, shape (n_frames, n_muscles), [m/s]; None if no velocities were given.
        notes: What was found on the way.
        coordinates: Names of the coordinates that the arms are about, nv of them.
    """

    names: tuple[str, ...]
    length: Array = values("frame? muscle", "m")
    arms: Array = values("frame? muscle coordinate", "m, 1", "arm")
    speed: Array | None = values("frame? muscle", "m/s", default=None)
    notes: tuple[Note, ...] = ()
    coordinates: tuple[str, ...] = ()

    LABELS: ClassVar[Mapping[str, Labels]] = {
        "muscle": lambda own: own.names,
        "coordinate": lambda own: own.coordinates or None,
    }

    def check(self) -> None:
        """Check that lengths and arms are of the same frames."""
        if self.arms.ndim != self.length.ndim + 1:
            raise InputError(
                f"length and arms must be of the same frames, however they have the shapes {self.length.shape} "
                f"and {self.arms.shape}",
                parameter="arms",
            )

    def save(self, base: str | Path, time: ArrayLike, *, overwrite: bool = False) -> tuple[Path, ...]:
        """Write lengths and moment arms at instants [s], as OpenSim's MuscleAnalysis does; see `save_paths`."""
        from softstride.muscles.paths.files import save_paths

        return save_paths(self, base, time, overwrite=overwrite)

    def to_dataframe(self, what: str = "length") -> pd.DataFrame:
        """Return a `pandas.DataFrame`, one row a frame and one column a muscle.

        Args:
            what: "length" [m], "speed" [m/s], or the name of a coordinate for moment arms about it [m] or [1].
        """
        import pandas as pd

        if what in self.coordinates:
            values = self.arms[..., self.coordinates.index(what)]
        elif what == "length":
            values = self.length
        elif what == "speed" and self.speed is not None:
            values = self.speed
        else:
            known = ("length", *(() if self.speed is None else ("speed",)), *self.coordinates)
            raise InputError(
                f"a table of paths holds one of {names_hint(known, what)}, not {what!r}",
                parameter="what",
                value=what,
                known=known,
            )
        return pd.DataFrame(np.atleast_2d(values), columns=list(self.names)).rename_axis("frame")


def muscle_paths(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    muscles: Iterable[str] | str | None = None,
    *,
    threads: int | None = None,
) -> MusclePaths:
    """Return length, lengthening speed and moment arms of muscles.

    A path runs straight between its points and takes the shortest way over the surfaces that it wraps around. Points
    with a condition take part while their coordinate is in range. Which segment wraps, and on which side, is chosen as
    OpenSim does where a trial begins, and kept from frame to frame as long as the path touches the surface; a frame in
    which a coordinate differs by more than 0.5 rad (or m) from the frame before it begins anew.

    Args:
        model: The model.
        q: Configurations, shape (n_frames, nq), or (nq,) for one frame.
        v: Velocities, shape (n_frames, nv); None: no speeds.
        muscles: Names of muscles or ligaments; None: all muscles that are enabled.
        threads: How many threads may be used; None: as set by `set_threads`. Results do not depend on it.

    Returns:
        The paths; without the axis n_frames for a single frame.

    Raises:
        InputError: No such muscle; q or v of the wrong shape or not finite.
    """
    array, single = inputs.configuration(model, q)
    velocity = None if v is None else inputs.tangent(model, v, "v", len(array))
    chosen = named_paths(model, muscles)
    plan = path_plan(model, chosen)
    whole = paths.padded(array) if len(array) else array
    length = np.empty((len(array), len(chosen)))
    arms = np.empty((len(whole), len(chosen), model.nv))
    status = np.zeros((len(array), len(plan.wraps)), dtype=np.int64)
    for piece in paths.walk(model, plan, array, threads):
        length[piece.frames], status[piece.frames] = piece.length, piece.status
        paths.arms(plan, whole[piece.whole], piece, arms[piece.whole], threads)
    arms = owned(arms)[: len(array)]
    speed = None if velocity is None else -np.einsum("fmv,fv->fm", arms, velocity)
    notes = path_notes(plan, status, array)
    length, speed = owned(length), None if speed is None else owned(speed)
    if single:
        length, arms, speed = length[0], arms[0], None if speed is None else speed[0]
    return MusclePaths(tuple(chosen), length, arms, speed, notes, tuple(model.coordinate_names))
