r"""Steps on the configuration manifold: q [+] d, q1 [-] q0, and the chart that integrators work in.

A configuration is a point of R^k x SO(3)^b x SE(3)^f: plain coordinates add, a quaternion turns by its
exponential, a free joint moves by the exponential of a body twist,

    q [+] d:   x + d        quat o exp(d / 2)        T exp(hat(d)),

so that v = d/dt of d at d = 0 is the velocity of the model: angular velocity and twist in the child's axes,
scalar-last quaternions, free joints as [position; quaternion] against [omega; v]. All frames and all joints
of a kind at once.

Around a centre q, every configuration less than half a turn away is q [+] x, and its velocity obeys v =
T_R(x) dx/dt with the right tangent map of the exponential; `chart_rate` inverts it in closed form. An ODE
on the manifold is thereby an ODE in x in R^nv, and any Runge-Kutta or Rosenbrock method keeps its order (H.
Munthe-Kaas, "High order Runge-Kutta methods on manifolds", Appl. Numer. Math. 29, 1999; here dexpinv is
exact, not a truncated series).
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.engine import inputs
from softstride.errors import InputError
from softstride.model.joints import Free, Spherical
from softstride.model.model import Model
from softstride.spatial import se3, so3

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Layout:
    """Where each kind of coordinate sits in q and v: index arrays, one row a joint."""

    nq: int
    nv: int
    plain_q: IntArray  # (k,)
    plain_v: IntArray  # (k,)
    spherical_q: IntArray  # (b, 4)
    spherical_v: IntArray  # (b, 3)
    free_q: IntArray  # (f, 7)
    free_v: IntArray  # (f, 6)

    @property
    def quaternions(self) -> IntArray:
        """Places in q of all quaternions, shape (b + f, 4): spherical joints first, then free joints."""
        return np.concatenate([self.spherical_q, self.free_q[:, 3:]])

    @property
    def rotations(self) -> IntArray:
        """Places in v of the angular velocities that belong to `quaternions`, shape (b + f, 3)."""
        return np.concatenate([self.spherical_v, self.free_v[:, :3]])

    @property
    def flat(self) -> bool:
        """Whether the manifold is R^nv: no quaternion anywhere."""
        return not (self.spherical_q.size or self.free_q.size)


_layouts: WeakKeyDictionary[Model, Layout] = WeakKeyDictionary()


def layout(model: Model) -> Layout:
    """Return the index arrays of a model's coordinates, made once for a model."""
    found = _layouts.get(model)
    if found is None:
        found = _layouts[model] = _build_layout(model)
    return found


def _build_layout(model: Model) -> Layout:
    blocks: dict[type, list[tuple[tuple[int, ...], tuple[int, ...]]]] = {Spherical: [], Free: []}
    plain: dict[int, int] = {}  # shared coordinates of custom joints appear once
    for link in model.links:
        places = tuple(model.q_indices(link.name)), tuple(model.v_indices(link.name))
        kind = type(link.joint)
        if kind in blocks:
            blocks[kind].append(places)
        else:
            plain.update(zip(*places, strict=True))

    def table(kind: type, which: int, width: int) -> IntArray:
        return np.array([pair[which] for pair in blocks[kind]], dtype=np.intp).reshape(-1, width)

    ordered = sorted(plain.items())
    return Layout(
        nq=model.nq,
        nv=model.nv,
        plain_q=np.array([i for i, _ in ordered], dtype=np.intp),
        plain_v=np.array([i for _, i in ordered], dtype=np.intp),
        spherical_q=table(Spherical, 0, 4),
        spherical_v=table(Spherical, 1, 3),
        free_q=table(Free, 0, 7),
        free_v=table(Free, 1, 6),
    )


def normalise(model: Model, q: ArrayLike) -> FloatArray:
    """Return q with every quaternion of length one.

    Args:
        model: The model.
        q: Configurations, shape (n_frames, nq) or (nq,).

    Raises:
        InputError: If q has the wrong shape, or a quaternion is too short to have a direction.
    """
    rows, single = inputs.configuration(model, q)
    out = _unit_quaternions(layout(model), rows.copy())
    return out[0] if single else out


def integrate(model: Model, q: ArrayLike, v: ArrayLike, dt: ArrayLike = 1.0) -> FloatArray:
    """Move along the constant velocity v for a time dt: q [+] v dt.

    Plain coordinates: q + v dt. Quaternions: q o exp(omega dt / 2), renormalised. Free joints: T exp(hat(v
    dt)).

    Args:
        model: The model.
        q: Configurations, shape (n_frames, nq) or (nq,).
        v: Velocities, shape (n_frames, nv) or (nv,); free joints as body twists [omega; v].
        dt: Time [s], a number or one for each frame, shape (n_frames,).

    Returns:
        Configurations, shape (n_frames, nq), or (nq,) if neither q nor v had a frame axis.

    Raises:
        InputError: If shapes do not fit, or a quaternion of q is zero.
    """
    places = layout(model)
    start, one_q = inputs.configuration(model, q)
    speed, one_v = inputs.velocity(model, v, "v")
    times = inputs.numbers(dt, "dt")
    if not np.isfinite(times).all():
        raise InputError(f"dt must be finite, however it is {dt!r}.")
    n = _common_length(len(start), len(speed), times.size if times.ndim else 1)
    if times.ndim > 1 or any(size not in (1, n) for size in (len(start), len(speed), times.size)):
        raise InputError(
            f"q, v and dt must agree in frames, however they have {len(start)}, {len(speed)} and shape "
            f"{times.shape}."
        )
    d = speed * times.reshape(-1, 1)
    out = _unit_quaternions(places, np.broadcast_to(start, (n, places.nq)).copy())
    d = np.broadcast_to(d, (n, places.nv))
    out[:, places.plain_q] += d[:, places.plain_v]
    if places.free_v.size:
        phi, rho = d[:, places.free_v[:, :3]], d[:, places.free_v[:, 3:]]  # (n, f, 3)
        step = np.einsum("...ij,...j->...i", so3.tangent_left(phi), rho)
        R = so3.quat_to_matrix(out[:, places.free_q[:, 3:]])
        out[:, places.free_q[:, :3]] += np.einsum("...ij,...j->...i", R, step)
    if not places.flat:
        turned = so3.quat_multiply(out[:, places.quaternions], so3.quat_exp(d[:, places.rotations]))
        out[:, places.quaternions] = turned / np.linalg.norm(turned, axis=-1, keepdims=True)
    return out[0] if one_q and one_v and times.ndim == 0 else out


def difference(model: Model, q0: ArrayLike, q1: ArrayLike) -> FloatArray:
    """Return d with q0 [+] d = q1, the shortest way.

    Plain coordinates subtract; quaternions and free joints take the logarithm, d = log(T0^-1 T1).

    Args:
        model: The model.
        q0: Start, shape (n_frames, nq) or (nq,).
        q1: End, shape (n_frames, nq) or (nq,).

    Returns:
        Tangent vectors in the axes of v, shape (n_frames, nv), or (nv,) if neither had a frame axis.

    Raises:
        InputError: If shapes do not fit, or a quaternion is zero.
    """
    places = layout(model)
    start, one_0 = inputs.configuration(model, q0, "q0")
    end, one_1 = inputs.configuration(model, q1, "q1")
    n = _common_length(len(start), len(end))
    if len(start) not in (1, n) or len(end) not in (1, n):
        raise InputError(f"q0 and q1 must agree in frames, however they have {len(start)} and {len(end)}.")
    start = _unit_quaternions(places, np.broadcast_to(start, (n, places.nq)).copy())
    end = _unit_quaternions(places, np.broadcast_to(end, (n, places.nq)).copy())
    out = np.empty((n, places.nv))
    out[:, places.plain_v] = end[:, places.plain_q] - start[:, places.plain_q]
    if not places.flat:
        backward = start[:, places.quaternions] * np.array([-1.0, -1.0, -1.0, 1.0])
        out[:, places.rotations] = so3.quat_log(so3.quat_multiply(backward, end[:, places.quaternions]))
    if places.free_v.size:
        R = so3.quat_to_matrix(start[:, places.free_q[:, 3:]])
        moved = end[:, places.free_q[:, :3]] - start[:, places.free_q[:, :3]]
        local = np.einsum("...ji,...j->...i", R, moved)
        inverse = so3.tangent_left_inverse(out[:, places.free_v[:, :3]])
        out[:, places.free_v[:, 3:]] = np.einsum("...ij,...j->...i", inverse, local)
    return out[0] if one_0 and one_1 else out


def chart_rate(model: Model, x: FloatArray, v: FloatArray) -> FloatArray:
    """Return dx/dt = T_R(x)^-1 v of the chart q = q_centre [+] x.

    Args:
        model: The model.
        x: Chart coordinates, shape (..., nv); rotations of less than one turn.
        v: Velocities at q_centre [+] x, shape (..., nv).

    Returns:
        Rates of x, shape (..., nv).
    """
    places = layout(model)
    out = np.array(np.broadcast_to(v, np.broadcast_shapes(x.shape, v.shape)))
    if places.spherical_v.size:
        inverse = so3.tangent_right_inverse(x[..., places.spherical_v])
        out[..., places.spherical_v] = np.einsum("...ij,...j->...i", inverse, v[..., places.spherical_v])
    if places.free_v.size:
        inverse = se3.tangent_right_inverse(x[..., places.free_v])
        out[..., places.free_v] = np.einsum("...ij,...j->...i", inverse, v[..., places.free_v])
    return out


def chart_rate_derivative(model: Model, v: FloatArray) -> FloatArray:
    """Return d(dx/dt)/dx at x = 0: -hat(omega)/2 and -ad(twist)/2 on joints with a quaternion, else zero.

    From T_R(x)^-1 = 1 + 1/2 ad(x) + O(x^2) and ad(x) v = -ad(v) x. Shape (nv,) -> (nv, nv).
    """
    places = layout(model)
    out = np.zeros((places.nv, places.nv))
    for columns in places.spherical_v:
        out[np.ix_(columns, columns)] = -0.5 * so3.hat(v[columns])
    for columns in places.free_v:
        out[np.ix_(columns, columns)] = -0.5 * se3.ad(v[columns])
    return out


def largest_turn(model: Model, x: FloatArray) -> float:
    """Return the largest rotation angle [rad] in a tangent vector x, shape (nv,), over all quaternions."""
    places = layout(model)
    return 0.0 if places.flat else float(np.max(np.linalg.norm(x[..., places.rotations], axis=-1)))


def _common_length(*lengths: int) -> int:
    """Return how many frames there are where one may stand for many; none if any has none."""
    return 0 if 0 in lengths else max(lengths)


def _unit_quaternions(places: Layout, q: FloatArray) -> FloatArray:
    """Normalise in place; q has shape (n_frames, nq) and no quaternion of norm zero."""
    if not places.flat:
        quats = q[:, places.quaternions]
        q[:, places.quaternions] = quats / np.linalg.norm(quats, axis=-1, keepdims=True)
    return q
