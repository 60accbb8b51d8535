"""Small models with one muscle over surfaces, poses at random, and derivatives by differences."""

import numpy as np

import softstride as ss
from softstride.model import ModelBuilder, Muscle
from softstride.model.path import Path, PathPoint, PathWrap


def muscle(name, points, wraps=()):
    """A muscle whose strength does not matter; points are (link, position) or path points."""
    points = [point if not isinstance(point, tuple) else PathPoint(*point) for point in points]
    wraps = [wrap if isinstance(wrap, PathWrap) else PathWrap(wrap) for wrap in wraps]
    return Muscle(name, Path(tuple(points), tuple(wraps)), 100.0, 0.1, 0.1)


def over(surface, start, end, **surfaces):
    """A model whose "body" floats freely and carries a surface; a muscle of the world runs from start to end over it.

    Further surfaces have names; "s" is the first.
    """
    builder = ModelBuilder("scene")
    builder.free("body", mass=1.0)
    wraps = {"s": surface, **surfaces}
    return builder.build().replace(
        wraps=wraps, muscles={"m": muscle("m", [("world", start), ("world", end)], wraps)}
    )


def hinge(points, **parts):
    """A lower link on a hinge about z below an upper one, and a muscle through some points."""
    builder = ModelBuilder("hinge")
    builder.revolute("upper", axis=(0, 0, 1))
    builder.revolute("lower", "upper", axis=(0, 0, 1), position=(0, -0.4, 0))
    return builder.build().replace(muscles={"m": muscle("m", points)}, **parts)


def at_rest(model, n=1):
    """Frames of the default pose, (n, nq)."""
    return np.tile(model.neutral(), (n, 1))


def random_poses(n, spread, seed=0):
    """Poses of a free body, its place spread about the origin [m], any attitude; (n, 7)."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 4))
    return np.concatenate(
        [spread * rng.normal(size=(n, 3)), x / np.linalg.norm(x, axis=1, keepdims=True)], axis=1
    )


def poses_in_range(model, n, seed=0, widest=1.5):
    """Random poses with every coordinate in its range, at most `widest` to either side [rad] or [m]."""
    rng = np.random.default_rng(seed)
    low = np.array([max(c.lower, -widest) for c in model.coordinates.values()])
    high = np.array([min(c.upper, widest) for c in model.coordinates.values()])
    return rng.uniform(low, high, (n, model.nv))


def arms_by_differences(model, q, step=1e-5, **options):
    """Return -dL/dq by central differences, (n, m, nv), and the paths in between.

    The three poses of a difference follow each other, so that a path stays on its side in all of them.
    """
    nv = model.nv
    d = np.zeros((len(q), nv, 3, nv))
    d[:, np.arange(nv), 0, np.arange(nv)] = -step
    d[:, np.arange(nv), 2, np.arange(nv)] = step
    all_q = np.repeat(q, 3 * nv, axis=0)
    moved = ss.integrate(model, all_q, d.reshape(-1, nv), 1.0)
    found = ss.muscle_paths(model, moved, **options)
    shape = (len(q), nv, 3)
    length = found.length.reshape(*shape, -1)
    arms = -(length[:, :, 2] - length[:, :, 0]) / (2.0 * step)
    own = found.arms.reshape(*shape, len(found.names), nv)[:, np.arange(nv), 1, :, np.arange(nv)]
    return arms.transpose(0, 2, 1), own.transpose(1, 2, 0), found
