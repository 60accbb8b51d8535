r"""The blade as a load cell: the force on it from its deformation alone.

The rows of a rod (`softstride.dynamics.blade.rows`) are linear in the load w at the place of contact,

    A w = y,      A = (J^T)_rod,      y = (M a + b)_rod + L B^T (K B q + D B v),

more rows than unknowns, each with the error of its strain and of its stiffness. Weighted least squares gives w and its
covariance. What the strains do not see, such as a force along a straight blade, is not guessed: singular directions of
the weighted A whose standard deviation is beyond a limit are left at zero and named.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.dynamics.blade.rows import (
    check_stiff,
    find_rod,
    load_changes,
    row_matrices,
    strain_deviations,
    unit_loads,
)
from softstride.dynamics.estimate.footholds import blade_foothold
from softstride.dynamics.estimate.observe import over
from softstride.dynamics.loads import AppliedWrench, Loads, Wrench
from softstride.dynamics.loads_state import motion_of, state_of
from softstride.dynamics.options import IdOptions
from softstride.dynamics.prepare import State, prepare
from softstride.dynamics.socket import SOCKETS, links_beyond, socket_wrenches
from softstride.engine import inputs
from softstride.engine.dynamics import inverse_dynamics
from softstride.engine.passive import passive_forces
from softstride.errors import InputError
from softstride.fields import ABOVE_0, AT_LEAST_0, checked, rules
from softstride.kinematics.frames import spans
from softstride.kinematics.motion import Motion
from softstride.model.model import Model
from softstride.notes import Note
from softstride.results import Labels, Result, values
from softstride.spatial.so3 import hat

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Unknown = Literal["force", "wrench"]

ARM = 0.1
"""Length by which moments are divided to stand beside forces [m]: about half the depth of a blade."""

BLIND = 1e6
"""Standard deviation of what is not seen at all [N]."""

NAMES = ("moment_x", "moment_y", "moment_z", "force_x", "force_y", "force_z")


class BladeForce(Result, of="the load on a blade"):
    """The load on a blade from its deformation, in world axes.

    Attributes:
        link: The rod.
        time: Shape (n,), [s].
        wrench: The load on the rod at its place of contact: force, point, moment about it (zero unless asked for).
        components: Names of what was solved for, p of them: three of the force, moments before them if asked for.
        covariance: Of these, shape (n, p, p), [N] and [N·m]; the part of the strains, of the profile, of the scale of
            the stiffness and of the place of contact.
        directions: Rows are the directions in which the strains see the load, best first, moments in units of
            N times `ARM`; shape (n, p, p).
        direction_std: Standard deviation along each by the strains and the profile alone, shape (n, p), [N].
        limit: Standard deviation from which on a direction is not seen [N]; the load along it is left at zero.
        misfit: Root mean square of what the load leaves in the rows, in units of their errors, shape (n,): about one
            where model and deformation agree within these, 0 where they agree exactly.
        socket: Wrench of the prosthesis on the stump that follows, by socket.
        socket_std: Its standard deviation, [moment; force], shape (n, 6) each.
        notes: What was decided, and what is not seen.
    """

    link: str
    time: Array = values("time", "s")
    wrench: AppliedWrench
    components: tuple[str, ...]
    covariance: Array = values("time load other_load", "N, N m")
    directions: Array = values("time load direction", "1")
    direction_std: Array = values("time direction", "N")
    limit: float
    misfit: Array = values("time", "1")
    socket: Mapping[str, Wrench]
    socket_std: Mapping[str, Array] = values("time component", "N m, N", parts=())
    notes: tuple[Note, ...] = ()

    LABELS: ClassVar[Mapping[str, Labels]] = {
        "load": lambda own: own.components,
        "other_load": lambda own: own.components,
    }

    @property
    def force(self) -> Array:
        """Force of the ground on the blade, shape (n, 3), [N]."""
        return self.wrench.force

    @property
    def std(self) -> Array:
        """Standard deviation of each component, shape (n, p), [N] and [N·m]."""
        return np.sqrt(np.maximum(np.diagonal(self.covariance, axis1=1, axis2=2), 0.0))

    @property
    def seen(self) -> Mask:
        """Which directions the strains see, shape (n, p)."""
        return np.asarray(self.direction_std <= self.limit)

    @property
    def observable(self) -> Mask:
        """Which components no unseen direction has a part in, shape (n, p)."""
        blind = np.abs(self.directions) * ~self.seen[:, :, None]
        return np.asarray(blind.max(axis=1) < 1e-3)


@overload
def blade_force(
    loads: Loads,
    *,
    link: str | None = None,
    unknown: Unknown = "force",
    point: ArrayLike | None = None,
    strain_error: float | None = None,
    profile_error: float = 0.02,
    blade_error: float = 0.05,
    point_error: float = 0.005,
    limit: float | None = None,
    threads: int | None = None,
) -> BladeForce: ...


@overload
def blade_force(
    model: Model,
    motion: Motion,
    *,
    link: str | None = None,
    unknown: Unknown = "force",
    point: ArrayLike | None = None,
    lowpass: float | None = None,
    strain_error: float | None = None,
    profile_error: float = 0.02,
    blade_error: float = 0.05,
    point_error: float = 0.005,
    limit: float | None = None,
    threads: int | None = None,
) -> BladeForce: ...


def blade_force(  # type: ignore[misc]  # what comes first has another name in each form
    model: Model | Loads | None = None,
    motion: Motion | None = None,
    *,
    loads: Loads | None = None,
    link: str | None = None,
    unknown: Unknown = "force",
    point: ArrayLike | None = None,
    lowpass: float | None = None,
    strain_error: float | None = None,
    profile_error: float = 0.02,
    blade_error: float = 0.05,
    point_error: float = 0.005,
    limit: float | None = None,
    threads: int | None = None,
) -> BladeForce:
    """Return the load on a blade that its deformation tells of, without plates and without the rest of the body.

    Either ``blade_force(model, motion)``, or ``blade_force(loads)`` beside other loads of the motion.

    Args:
        model: The model; its rod has a stiffness.
        motion: Its motion.
        loads: Loads that know model, motion and low pass, in place of these; nothing else is taken from them.
        link: The rod; None: the only one.
        unknown: "force": one force at the place of contact; "wrench": a moment about that place as well, so that an
            error of the place does no harm, at the price of a larger standard deviation.
        point: Where the load acts, shape (n, 3) or (3,), [m], world axes; None: where the sole is lowest, which moves
            along it as the blade rolls.
        lowpass: Cut-off of a low pass of the coordinates [Hz], as in `solve_id`; None: the motion's own rates.
        strain_error: Standard deviation of the strains [1/m]; None: that of the motion (`Motion.std`) or, of one that
            does not come from markers, `rows.STRAIN_ERROR`. Errors of strains count as
            independent of each other.
        profile_error: Standard deviation of the stiffness of each row, as a share, apart from the others.
        blade_error: Standard deviation of the stiffness of the whole blade, as a share: all rows are off together, so
            that the load is off by the same share.
        point_error: Standard deviation of each coordinate of the place of contact [m]; of no consequence to a wrench.
        limit: Standard deviation from which on a direction is not seen [N]; None: the weight of the body.
        threads: How many threads may be used.

    Raises:
        InputError: No rod, no stiffness, an error that is not above zero, or a motion of another model.
    """
    model, motion, state = _trial(model, motion, loads, lowpass)
    if unknown not in ("force", "wrench"):
        raise InputError(f"unknown must be 'force' or 'wrench', however it is {unknown!r}")
    name, rod = find_rod(model, link)
    K, D = row_matrices(rod)
    check_stiff(name, K)
    sigma, source = strain_deviations(model, motion, name, strain_error)
    sigma = sigma[np.searchsorted(motion.time, state.time)]
    profile = checked(AT_LEAST_0, profile_error, "profile_error")
    scale = checked(AT_LEAST_0, blade_error, "blade_error")
    weight = model.mass * float(np.linalg.norm(model.gravity))
    astray = checked(AT_LEAST_0, point_error, "point_error")
    most = checked(ABOVE_0, weight if limit is None else limit, "limit")
    place = _place(model, state.q, name, threads) if point is None else _given(point, len(state.time))

    q, v = state.q[:, list(model.q_indices(name))], state.v[:, list(model.v_indices(name))]
    elastic = -(q @ K.T + v @ D.T)
    tau = inverse_dynamics(model, state.q, state.v, state.a, threads=threads)
    y = (tau - passive_forces(model, state.q, state.v))[:, list(model.v_indices(name))]
    error = np.sqrt((sigma**2) @ (K.T**2) + (profile * elastic) ** 2)
    units = np.array([ARM] * 3 + [1.0] * 3)[0 if unknown == "wrench" else 3 :]
    G = unit_loads(model, state.q, name, place, threads)
    x, std, directions, misfit, P = _least_squares(G[:, :, 6 - len(units) :] * units, y, error, most)
    full = np.zeros((len(x), 6))
    full[:, 6 - len(units) :] = x * units
    wrench = AppliedWrench(name, full[:, 3:], place, full[:, :3])

    turning = load_changes(model, state.q, name, _place if point is None else place, full, threads)
    by_strain = P @ (K - turning)
    spread = _squared(by_strain * sigma[:, None, :]) + _squared(P * (profile * elastic)[:, None, :])
    spread += scale**2 * x[:, :, None] * x[:, None, :]
    blind = np.where(std > most, std, 0.0)
    spread += _squared(np.swapaxes(directions, 1, 2) * blind[:, None, :])
    if unknown == "force":
        turned = np.cross(np.eye(3), x[:, None, :])  # moment of the force moved by a metre along each axis
        spread += astray**2 * _squared(P @ np.einsum("nki,nji->nkj", G[:, :, :3], turned))
    cov = spread * np.outer(units, units)
    own = [s for s in SOCKETS if s in model.link_names and name in links_beyond(model, s)]
    sockets = socket_wrenches(model, state, [wrench], tuple(own))
    return BladeForce(
        name,
        state.time,
        wrench,
        NAMES[6 - len(units) :],
        cov,
        directions,
        std,
        most,
        misfit,
        sockets,
        {s: _carried(cov, place - at.point) for s, at in sockets.items()},
        (
            Note("blade.strain-errors", f"standard deviations of strains are {source}", topic="blade"),
            *_blind_notes(name, directions, std, most, state.time),
        ),
    )


def _trial(
    model: Model | Loads | None, motion: Motion | None, loads: Loads | None, lowpass: float | None
) -> tuple[Model, Motion, State]:
    """Return model, motion and state: those that are given, or those that loads know."""
    if isinstance(model, Loads) and loads is None:
        model, loads = None, model
    if isinstance(loads, Loads) and model is None and motion is None:
        if checked(rules(IdOptions)["lowpass"], lowpass, "lowpass") not in (None, loads.lowpass):
            raise InputError(
                f"the loads were found with {'no low pass' if loads.lowpass is None else f'{loads.lowpass:g} Hz'}, "
                f"however lowpass is {lowpass:g} Hz: leave it out, they remember their own",
                parameter="lowpass",
            )
        motion = motion_of(loads, "blade_force")
        return loads.model, motion, state_of(loads.model, motion, loads)
    if loads is not None or not isinstance(model, Model) or not isinstance(motion, Motion):
        given = " and ".join(type(each).__name__ for each in (model, motion, loads) if each is not None)
        raise InputError(
            f"blade_force takes a Model and a Motion, or Loads alone that know both, however it was given "
            f"{given or 'nothing'}"
        )
    return model, motion, prepare(model, motion, lowpass)


def _place(model: Model, q: Array, link: str, threads: int | None) -> Array:
    """Return where the sole of a blade is lowest, shape (n, 3), [m]."""
    up = -np.asarray(model.gravity) / float(np.linalg.norm(model.gravity))
    blade = blade_foothold(model, "right", link)
    still = np.zeros((len(q), model.nv))
    state = State(np.arange(len(q), dtype=np.float64), q, still, still)
    return np.asarray(over(model, blade, state, up, threads).place.mean(axis=1))


def _squared(B: Array) -> Array:
    """Return B B^T of each frame."""
    return np.asarray(B @ np.swapaxes(B, 1, 2))


def _given(point: ArrayLike, n: int) -> Array:
    array = inputs.numbers(point, "point")
    if array.shape not in ((3,), (n, 3)):
        raise InputError(f"point must have shape ({n}, 3) or (3,), however it has {array.shape}")
    if not np.isfinite(array).all():
        raise InputError(
            "point must be finite in every frame; where nothing acts, any place on the blade will do"
        )
    return np.array(np.broadcast_to(array, (n, 3)))


def _least_squares(A: Array, y: Array, error: Array, most: float) -> tuple[Array, Array, Array, Array, Array]:
    """Return x (n, p), deviations along directions (n, p), these (n, p, p), the misfit (n,) and x = P y (n, p, k)."""
    told = error > 0.0  # rows without stiffness tell nothing: anything may act there
    w = np.where(told, 1.0 / np.where(told, error, 1.0), 0.0)
    U, s, Vt = np.linalg.svd(A * w[:, :, None], full_matrices=False)
    std = 1.0 / np.maximum(s, 1.0 / BLIND)
    kept = np.where(std <= most, std, 0.0)
    P = np.einsum("npi,np,nkp,nk->nik", Vt, kept, U, w, optimize=True)
    x = np.einsum("nik,nk->ni", P, y)
    left = (y - np.einsum("nkp,np->nk", A, x)) * w
    free = np.maximum(told.sum(axis=1) - (std <= most).sum(axis=1), 1)
    return x, std, Vt, np.sqrt((left**2).sum(axis=1) / free), P


def _carried(cov: Array, arm: Array) -> Array:
    """Return standard deviations of a wrench about another point, [moment; force], shape (n, 6)."""
    p = cov.shape[1]
    X = np.zeros((len(arm), 6, p))
    X[:, :3, p - 3 :] = hat(arm)
    X[:, 3:, p - 3 :] = np.eye(3)
    if p == 6:
        X[:, :3, :3] = np.eye(3)
    return np.sqrt(np.maximum(np.einsum("nip,npq,niq->ni", X, cov, X), 0.0))


def _blind_notes(link: str, directions: Array, std: Array, most: float, time: Array) -> list[Note]:
    worst = np.flatnonzero(std[:, -1] > most)
    if not len(worst):
        return []
    mean = directions[worst, -1]
    mean = mean * np.sign(mean[np.arange(len(worst)), np.abs(mean).argmax(axis=1)])[:, None]
    axis = mean.mean(axis=0)
    axis = np.round(axis[-3:] / max(float(np.linalg.norm(axis[-3:])), 1e-12), 2) + 0.0
    told = (
        f"in {len(worst)} of {len(time)} frames ({spans(worst, time)}) the deformation does not tell of a load along "
        f"({axis[0]:.2f}, {axis[1]:.2f}, {axis[2]:.2f}): its standard deviation is {std[worst, -1].min():.3g} N or "
        f"more, above {most:.3g} N; it is left at zero"
    )
    return [
        Note(
            "blade.direction-not-seen",
            told,
            severity="warning",
            topic="blade",
            names=(link,),
            span=(time[worst[0]], time[worst[-1]]),
            values={"frames": len(worst), "least_std_n": float(std[worst, -1].min()), "limit_n": most},
        )
    ]


__all__ = ["BladeForce", "blade_force"]
