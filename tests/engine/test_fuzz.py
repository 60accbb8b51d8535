"""Whatever the builder accepts, every kernel takes: results of the right shape, finite, or an error that says so."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.campaign import examples
from tests.model.test_builder_fuzz import models
from tests.oracles import trees

from softstride import engine
from softstride.engine.lanes import LANES
from softstride.errors import SoftstrideError
from softstride.model import Frame, Point, Rod

# Up to here no product of a few numbers of a model overflows; beyond, infinity is an honest answer.
MODERATE = 1e6


def places(model, rng):
    """Return (frames, points): every link, what is registered, and places anywhere along the rods."""
    frames, points = [*model.link_names, *model.frames.values()], list(model.markers.values())
    for link in model.links:
        points.append(Point(link.name, rng.standard_normal(3)))
        if isinstance(link.joint, Rod):
            for at in (*rng.uniform(0, link.joint.length, 2), 0.0, link.joint.length):
                points.append(Point(link.name, 0.1 * rng.standard_normal(3), at))
                frames.append(Frame(link.name, 0.1 * rng.standard_normal(3), trees.rotation(rng), at))
    return frames, points


def largest(model, *arrays):
    """Return the largest absolute number of a model and its state, values of its functions included."""
    parts = [model.gravity, *arrays]
    for link in model.links:
        parts += [link.placement, link.offset, link.inertia.mass, link.inertia.com, link.inertia.matrix]
        for axis in (*getattr(link.joint, "rotations", ()), *getattr(link.joint, "translations", ())):
            for _, function in axis.terms:
                pieces = function.pieces()
                parts += [pieces.coefficients, pieces.origins]
    for point in (*model.markers.values(), *model.frames.values()):
        parts.append(point.position)
    return max(np.max(np.abs(part), initial=0.0) for part in parts)


def calls(model, q, v, a, rng):
    """Yield (name, function, shape of each result) for all kernels."""
    F, n, links = len(q), model.nv, len(model.links)
    frames, points = places(model, rng)
    wrenches = {place: rng.standard_normal((F, 6)) for place in (*frames, *points)}
    yield "inverse_dynamics", lambda: engine.inverse_dynamics(model, q, v, a), [(F, n)]
    yield "with wrenches", lambda: engine.inverse_dynamics(model, q, v, a, f_ext=wrenches), [(F, n)]
    yield "mass_matrix", lambda: engine.mass_matrix(model, q), [(F, n, n)]
    for method in ("aba", "crba"):
        yield method, lambda m=method: engine.forward_dynamics(model, q, v, a, method=m), [(F, n)]
    yield "derivatives", lambda: engine.inverse_dynamics_derivatives(model, q, v, a), 3 * [(F, n, n)]
    if frames:
        yield "jacobian", lambda: engine.jacobian(model, q, frames), [(F, len(frames), 6, n)]
        yield "dot", lambda: engine.jacobian_dot_v(model, q, v, frames), [(F, len(frames), 6)]
        yield "velocities there", lambda: engine.velocities(model, q, v, frames), [(F, len(frames), 6)]
        yield (
            "accelerations there",
            lambda: engine.accelerations(model, q, v, a, frames),
            [(F, len(frames), 6)],
        )
    if points:
        yield "of points", lambda: engine.jacobian(model, q, points), [(F, len(points), 3, n)]
        yield "positions", lambda: engine.positions(model, q, points), [(F, len(points), 3)]
    for name in {*model.markers, *model.frames}:
        yield "registered", lambda at=name: engine.poses(model, q, at), [(F, 4, 4)]
    yield "generalized_forces", lambda: engine.generalized_forces(model, q, wrenches), [(F, n)]
    for about in ("origin", "com"):
        yield "momentum", lambda x=about: engine.momentum(model, q, v, about=x), [(F, 6)]
        yield "momentum_matrix", lambda x=about: engine.momentum_matrix(model, q, about=x), [(F, 6, n)]
    yield "poses", lambda: engine.poses(model, q), [(F, links, 4, 4)]
    yield "velocities", lambda: engine.velocities(model, q, v), [(F, links, 6)]
    yield "accelerations", lambda: engine.accelerations(model, q, v, a), [(F, links, 6)]
    yield "passive_forces", lambda: engine.passive_forces(model, q, v), [(F, n)]


MAY_REFUSE = {
    "aba": "no solution",
    "crba": "no solution",
    "momentum": "mass",  # without mass there is no centre of mass
    "momentum_matrix": "mass",
}


def attempt(function):
    """Return what the function returns, or the error that it raises on purpose."""
    try:
        return function()
    except SoftstrideError as error:
        return error


@examples(300)
@given(models(), st.integers(1, 2 * LANES + 1), st.integers(0, 2**32 - 1))
def test_every_kernel_takes_what_the_builder_accepts(model, frames, seed):
    rng = np.random.default_rng(seed)
    q, v, a = trees.random_state(model, rng, frames)
    moderate = largest(model, q, v, a) < MODERATE
    for name, function, shapes in calls(model, q, v, a, rng):
        with np.errstate(all="warn" if moderate else "ignore", under="ignore"):
            result = attempt(function)
        if isinstance(result, SoftstrideError):
            assert name in MAY_REFUSE and MAY_REFUSE[name] in str(result), (name, result)
            continue
        parts = result if isinstance(result, tuple) else (result,)
        assert [part.shape for part in parts] == shapes, name
        assert not moderate or all(np.all(np.isfinite(part)) for part in parts), name
