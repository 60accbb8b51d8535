"""The contests with Pinocchio: what each engine computes, and that both get the same.

| contest     | softstride                              | Pinocchio                                           |
|-------------|-----------------------------------------|-----------------------------------------------------|
| rnea        | `inverse_dynamics`                      | `rneaInParallel`, or `rnea` in a compiled loop      |
| rnea, blade | the same with six soft segments more    | as above: it has no blade                           |
| aba         | `forward_dynamics`                      | `abaInParallel`, or `aba` in a compiled loop        |
| crba        | `mass_matrix`: M, both triangles        | `crba` in world axes, M mirrored if stored          |
| jacobian    | `jacobian`, body-fixed, of five links   | `computeJointJacobians`, `getFrameJacobian` (LOCAL) |
| derivatives | dtau/dq, dtau/dv, M                     | `computeRNEADerivatives`, M mirrored if stored      |

The five links are those that touch the world: head, hands, toes and socket. Jacobians of all 50 links are timed as
well, without a target: their 312 kB a frame are a contest of memory, as the time of a plain fill beside it shows.

Ours are the public functions with their checks of the input. Inputs and results are in the order and the
conventions of each engine; putting them into the other's order is not timed.

`abaInParallel` (4.1) works in world axes, where rounding errors multiply from ball joint to ball joint: along
the spine of this model nothing is left of the result. Its time counts all the same; the results compared are
those of `aba` in body axes. M is ill conditioned (3e7), so accelerations are compared by the forces they need.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tests.oracles.errors import relative

from bench._pinocchio import CompiledLoop, Peer, PythonLoop
from bench._scaling import random_motion
from bench._timing import best_of
from softstride import engine
from softstride.model import athlete

Array = NDArray[np.float64]
Loop = CompiledLoop | PythonLoop
Differ = Callable[[Array], float]

FRAMES = 2048
MATRIX_FRAMES = 512  # 69 MB for M, 160 MB for the Jacobians, 208 MB for the derivatives: beyond the caches
ENDS = ("head", "left_hand", "right_hand", "left_toes", "right_socket")
CACHED_FRAMES = 32  # unstored: our results go round and round in 4 to 13 MB


@dataclass(frozen=True)
class Contest:
    """One algorithm: what we call, what they call, and the least ratio we want."""

    key: str
    label: str
    target: float | None
    frames: int
    ours: Callable[[], object]
    theirs: dict[str, Callable[[], object]]  # several ways by name; the fastest counts
    difference: float | None  # of both results, relative to the largest entry; None: they differ in kind
    algorithm: str
    loop: Loop
    unstored: tuple[Callable[[], object], Callable[[], object]] | None = None  # ours, theirs
    fill: Callable[[], object] | None = None  # writing the result's memory and nothing else


@dataclass(frozen=True)
class Outcome:
    """Microseconds a frame."""

    ours: float
    theirs: float
    unstored: "Outcome | None" = None  # the same without storing matrices
    fill: float | None = None  # a plain fill of the stored result

    @property
    def ratio(self) -> float:
        """Frames per second, ours over theirs."""
        return self.theirs / self.ours


def hold(contest: Contest, rounds: int) -> Outcome:
    """Let both engines take turns."""
    tasks = {"ours": contest.ours} | contest.theirs
    if contest.unstored:
        tasks |= dict(zip(("ours unstored", "loop unstored"), contest.unstored, strict=True))
    if contest.fill:
        tasks["fill"] = contest.fill
    best = best_of(tasks, rounds)
    for name in best:
        if name.startswith("loop"):
            best[name] = contest.loop.correct(contest.algorithm, best[name], contest.frames)
    us = {name: 1e6 * seconds / contest.frames for name, seconds in best.items()}
    unstored = Outcome(us["ours unstored"], us["loop unstored"]) if contest.unstored else None
    return Outcome(us["ours"], min(us[name] for name in contest.theirs), unstored, us.get("fill"))


def contests(peer: Peer, loop: Loop, ends: tuple[Peer, Loop]) -> Iterator[Contest]:
    """Yield the contests one after the other; their arrays live as long as they do."""
    model, soft = athlete(False), athlete(True)
    q, v, a = random_motion(model, FRAMES)
    tau = engine.inverse_dynamics(model, q, v, a)
    out = np.zeros_like(tau)

    theirs, difference = _vectors("rnea", (q, v, a), lambda x: relative(tau, x), peer, loop)
    ours: Callable[[], object] = lambda: engine.inverse_dynamics(model, q, v, a, threads=1, out=out)  # noqa: E731
    yield Contest("rnea_rigid", "rnea, 130 dof", 4.0, FRAMES, ours, theirs, difference, "rnea", loop)

    state = random_motion(soft, FRAMES)
    soft_out = np.zeros((FRAMES, soft.nv))
    ours = lambda: engine.inverse_dynamics(soft, *state, threads=1, out=soft_out)  # noqa: E731
    label = "rnea, 148 dof with blade / without"
    yield Contest("rnea_blade", label, 2.5, FRAMES, ours, theirs, None, "rnea", loop)

    ours = lambda: engine.forward_dynamics(model, q, v, tau, threads=1)  # noqa: E731
    needed = engine.inverse_dynamics(model, q, v, engine.forward_dynamics(model, q, v, tau))
    differ: Differ = lambda x: relative(needed, engine.inverse_dynamics(model, q, v, x))  # noqa: E731
    theirs, difference = _vectors("aba", (q, v, tau), differ, peer, loop)
    yield Contest("aba", "aba, 130 dof", 2.0, FRAMES, ours, theirs, difference, "aba", loop)

    links, square = list(model.link_names), (model.nv, model.nv)
    yield _matrices(
        ("crba", "crba", "crba"),
        lambda x, r: engine.mass_matrix(model, x[0], threads=1, out=r[0]),
        (q,),
        (square,),
        peer,
        loop,
    )
    for key, label, names, team in (
        ("jacobian", "jacobians of 5 links", list(ENDS), ends),
        ("jacobian_all", "jacobians of 50 links", links, (peer, loop)),
    ):
        yield _matrices(
            (key, label, "jacobians"),
            lambda x, r, names=names: engine.jacobian(model, x[0], names, threads=1, out=r[0]),  # type: ignore[misc]
            (q,),
            ((len(names), 6, model.nv),),
            *team,
        )
    yield _matrices(
        ("rnea_derivatives", "rnea derivatives", "derivatives"),
        lambda x, r: engine.inverse_dynamics_derivatives(model, *x, threads=1, out=(r[0], r[1], r[2])),
        (q, v, a),
        (square,) * 3,
        peer,
        loop,
    )


def _peer_inputs(peer: Peer, inputs: Sequence[Array]) -> list[Array]:
    return [peer.q(inputs[0]), *(peer.v(x) for x in inputs[1:])]


def _vectors(
    algorithm: str, inputs: Sequence[Array], differ: Differ, peer: Peer, loop: Loop
) -> tuple[dict[str, Callable[[], object]], float]:
    """Return Pinocchio's ways to a result (n_frames, nv), and how far the loop's is from ours."""
    arranged = _peer_inputs(peer, inputs)
    result = np.zeros_like(inputs[-1])
    looped = loop.task(algorithm, arranged, (result,))
    looped()
    return {"parallel": peer.in_parallel(algorithm, *arranged), "loop": looped}, differ(peer.back(result))


def _matrices(
    names: tuple[str, str, str],
    call: Callable[[Sequence[Array], Sequence[Array]], object],
    inputs: Sequence[Array],
    shapes: Sequence[tuple[int, ...]],
    peer: Peer,
    loop: Loop,
) -> Contest:
    """Return the contest of an algorithm with matrix results; both engines store into the same arrays."""
    key, label, algorithm = names
    frames = FRAMES if key == "jacobian" else MATRIX_FRAMES
    inputs = [np.ascontiguousarray(x[:frames]) for x in inputs]
    results = [np.full((frames, *shape), np.nan) for shape in shapes]  # every entry has to be written
    arranged = _peer_inputs(peer, inputs)
    theirs = loop.task(algorithm, arranged, results)
    theirs()
    back = peer.back_jacobian if algorithm == "jacobians" else peer.back_matrix
    wanted = [back(x) for x in loop.full(algorithm, results)]
    for x in results:
        x.fill(np.nan)
    call(inputs, results)
    difference = max(relative(x, y) for x, y in zip(results, wanted, strict=True))
    small = [x[:CACHED_FRAMES] for x in results]

    def unstored() -> None:
        for first in range(0, frames - CACHED_FRAMES + 1, CACHED_FRAMES):
            call([x[first : first + CACHED_FRAMES] for x in inputs], small)

    return Contest(
        key,
        label,
        None if key == "jacobian_all" else 2.0,
        frames,
        lambda: call(inputs, results),
        {"loop": theirs},
        difference,
        algorithm,
        loop,
        (unstored, loop.task(algorithm, arranged, [None] * len(results))),
        lambda: [x.fill(0.0) for x in results],
    )
