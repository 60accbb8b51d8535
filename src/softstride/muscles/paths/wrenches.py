"""What tensions of muscles do to the links that they run over."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.engine import inputs, paths
from softstride.engine.path_plan import path_plan
from softstride.engine.places import WORLD
from softstride.errors import InputError
from softstride.frozen import Table
from softstride.model import Model
from softstride.muscles.paths.names import named_paths

Array = NDArray[np.float64]


def muscle_wrenches(
    model: Model,
    q: ArrayLike,
    forces: ArrayLike,
    muscles: Iterable[str] | str | None = None,
    *,
    threads: int | None = None,
) -> Table[Array]:
    """Return the wrenches that muscles with given tensions put on links.

    A point of a path is pulled toward both its neighbours; a surface takes the pull of both ends of the path that lies
    on it, since the path slides on it without friction. The wrenches of a muscle add up to zero over all links and the
    world. Moving points slide along a guide that is part of their link: the part of their force along the guide, which
    the coordinate itself takes, is in the wrench too, so `generalized_forces` of these wrenches lacks what
    `MusclePaths.arms` has for them.

    Args:
        model: The model.
        q: Configurations, shape (n_frames, nq), or (nq,) for one frame.
        forces: Tensions, shape (n_frames, n_muscles) or (n_muscles,), [N].
        muscles: Names of muscles or ligaments; None: all muscles that are enabled.
        threads: How many threads may be used; None: as set by `set_threads`. Results do not depend on it.

    Returns:
        By name of link [moment about the link's origin; force], shape (n_frames, 6), in world axes, in [N·m] and [N];
        without the axis n_frames for a single frame. Links that no muscle runs over are left out.

    Raises:
        InputError: No such muscle; q or forces of the wrong shape or not finite.
    """
    array, single = inputs.configuration(model, q)
    chosen = named_paths(model, muscles)
    tension = _tensions(forces, len(array), tuple(chosen), single)
    wrenches, _ = muscle_pulls(model, array, tension, tuple(chosen), threads=threads)
    return Table({link: wrench[0] for link, wrench in wrenches.items()}) if single else wrenches


def muscle_pulls(
    model: Model, q: Array, tension: Array, muscles: tuple[str, ...], *, threads: int | None = None
) -> tuple[Table[Array], Array]:
    """Return wrenches on links, and what moving points give coordinates besides.

    Args:
        model: The model.
        q: Configurations, shape (n_frames, nq).
        tension: Shape (n_frames, n_muscles), [N], finite.
        muscles: Names.
        threads: How many threads may be used.

    Returns:
        Wrenches as of `muscle_wrenches`; and generalized forces of guides, shape (n_frames, nv): with them the
        generalized forces of the wrenches are those of the moment arms.
    """
    plan = path_plan(model, named_paths(model, muscles))
    on = [link for link in model.link_names if link in plan.links and link != WORLD]
    links = np.array([on.index(link) if link in on else -1 for link in plan.links], dtype=np.int64)
    owners = np.array(plan.owners, dtype=np.int64)
    whole = paths.padded(np.asarray(tension, dtype=np.float64)) if len(q) else np.empty((0, len(muscles)))
    out, guided = np.empty((len(whole), 6 * len(on))), np.zeros((len(q), model.nv))
    for piece in paths.walk(model, plan, q, threads):
        paths.pull(owners, links, piece, whole, out)
        for k, term in enumerate(plan.terms):
            guided[piece.frames, term.v] += piece.extra[:, k] * tension[piece.frames, term.path]
    wrenches = out[: len(q)].reshape(len(q), len(on), 6)
    return Table({link: np.ascontiguousarray(wrenches[:, i]) for i, link in enumerate(on)}), guided


def _tensions(forces: ArrayLike, n_frames: int, names: tuple[str, ...], single: bool) -> Array:
    """Return tensions as (n_frames, n_muscles), all finite."""
    array = inputs.numbers(forces, "forces")
    if array.shape == (len(names),):
        array = np.broadcast_to(array, (n_frames, len(names)))
    if array.shape != (n_frames, len(names)):
        wanted = f"({len(names)},)" if single else f"({n_frames}, {len(names)})"
        raise InputError(
            f"forces must have shape {wanted}, one column a muscle, however they have {array.shape}"
        )
    bad = np.argwhere(~np.isfinite(array))
    if len(bad):
        frame, muscle = bad[0]
        raise InputError(
            f"forces must be finite, however frame {frame} of {names[muscle]!r} is {array[frame, muscle]}"
        )
    return array
