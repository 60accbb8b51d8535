"""The reference leg compiled, on a rolling foot and on spheres: the same language and compiler for both.

`RollingLeg` of `rolling_leg` and the leg on three spheres (five coordinates: x and z of the ankle, tilt of hindfoot and
forefoot, lean) as right-hand sides in scalar code. Both eliminate what they can by hand: the rolling leg solves two
equations, the sphere leg three, since x and z of the ankle enter the kinetic energy only through the whole mass.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softstride.contact import RollingSurface, SphereFoot, SplineSurface
from softstride.contact.kernels.rolling import roll_exponential, rolling_table
from softstride.contact.kernels.spheres import sphere_force, sphere_table
from softstride.contact.kernels.spline import roll_spline, spline_table
from softstride.engine.jit import inlined, kernel
from softstride.selfcheck import rolling_leg as leg

Floats = NDArray[np.float64]
Rates = Callable[[float, Floats], Floats]

HIND_MASS, HIND_INERTIA, HIND_CENTRE = 0.80, 0.003, (0.015, 0.036)  # centre in foot axes
FORE_MASS, FORE_INERTIA, FORE_CENTRE = 0.14, 1e-4, (0.025, 0.0)  # centre from the metatarsal joint
JOINT_STIFFNESS, JOINT_DAMPING = 25.0, 0.5  # of that joint [N m/rad], [N m s/rad]
HEEL_LOAD = 400.0  # [N] that the heel carries at the start

# as plain numbers, which the compiler knows
_G, _MF, _IF, _MB, _IB, _LC = (
    leg.GRAVITY,
    leg.FOOT_MASS,
    leg.FOOT_INERTIA,
    leg.BODY_MASS,
    leg.BODY_INERTIA,
    leg.BODY_HEIGHT,
)
_FX, _FZ = (float(each) for each in leg.FOOT_CENTRE)
_AX, _AZ = (float(each) for each in leg.ANKLE)
_HX, _HZ = HIND_CENTRE[0] - _AX, HIND_CENTRE[1] - _AZ
_MASS = HIND_MASS + FORE_MASS + _MB
_STIFFNESS, _DAMPING = leg.STIFFNESS, leg.DAMPING


@inlined
def ankle_moment(reference: Any, t: float, angle: float, rate: float) -> float:
    """Return τ [N m] from ψ − a and its rate; reference: start and four coefficients of each piece, shape (n, 5)."""
    i = 0
    while i + 1 < reference.shape[0] and reference[i + 1, 0] <= t:
        i += 1
    u = t - reference[i, 0]
    wanted = ((reference[i, 1] * u + reference[i, 2]) * u + reference[i, 3]) * u + reference[i, 4]
    slope = (3.0 * reference[i, 1] * u + 2.0 * reference[i, 2]) * u + reference[i, 3]
    return _STIFFNESS * (angle - wanted) + _DAMPING * (rate - slope)


@inlined
def roll_leg(s: float, h: float, dh: float, rho: float, tau: float, y: Any, out: Any) -> None:
    """Set the rates of (a, ψ, ȧ, ψ̇) from the surface at a and the ankle moment."""
    a, psi, da, dpsi = y[0], y[1], y[2], y[3]
    sine, cosine = math.sin(a), math.cos(a)
    fx, fz = _FX * cosine + _FZ * sine - dh, _FZ * cosine - _FX * sine + h  # from the contact
    ax, az = _AX * cosine + _AZ * sine - dh, _AZ * cosine - _AX * sine + h
    px, pz = _LC * math.cos(psi), -_LC * math.sin(psi)
    square, lean = da * da, dpsi * dpsi
    foot_x, foot_z = -fx * square, (rho - fz) * square + _G
    body_x, body_z = -ax * square + pz * lean, (rho - az) * square - px * lean + _G
    M11 = _IF + _MF * (fx * fx + fz * fz) + _MB * (ax * ax + az * az)
    M12 = _MB * (az * px - ax * pz)
    M22 = _IB + _MB * _LC * _LC
    Q1 = tau - _MF * (fz * foot_x - fx * foot_z) - _MB * (az * body_x - ax * body_z)
    Q2 = -tau - _MB * (px * body_x + pz * body_z)
    one = 1.0 / (M11 * M22 - M12 * M12)
    out[0], out[1] = da, dpsi
    out[2], out[3] = (M22 * Q1 - M12 * Q2) * one, (M11 * Q2 - M12 * Q1) * one


@kernel
def exponential_leg_rates(t: float, y: Any, table: Any, reference: Any, out: Any) -> None:
    """Set the rates of the leg on a `RollingSurface`."""
    s, h, dh, rho = roll_exponential(table, y[0])
    roll_leg(s, h, dh, rho, ankle_moment(reference, t, y[1] - y[0], y[3] - y[2]), y, out)


@kernel
def spline_leg_rates(t: float, y: Any, table: Any, reference: Any, out: Any) -> None:
    """Set the rates of the leg on a `SplineSurface`."""
    s, h, dh, rho = roll_spline(table, y[0])
    roll_leg(s, h, dh, rho, ankle_moment(reference, t, y[1] - y[0], y[3] - y[2]), y, out)


@kernel
def sphere_leg_rates(t: float, y: Any, table: Any, places: Any, reference: Any, out: Any) -> None:
    """Set the rates of (x, z, a, b, ψ) and their rates of the leg on spheres.

    Args:
        t: Time [s].
        y: State, shape (10,).
        table: Of the spheres, shape (n, 6).
        places: Of each centre, its arm in hindfoot axes from the ankle, its arm in forefoot axes, and 1 if the forefoot
            carries it, shape (n + 1, 5); the last row is the metatarsal joint.
        reference: Of the ankle moment.
        out: Rates, shape (10,).
    """
    sa, ca = math.sin(y[2]), math.cos(y[2])
    sb, cb = math.sin(y[3]), math.cos(y[3])
    dx, dz, da, db, dpsi = y[5], y[6], y[7], y[8], y[9]
    last = table.shape[0]
    jx, jz = places[last, 0] * ca + places[last, 1] * sa, places[last, 1] * ca - places[last, 0] * sa
    hx, hz = _HX * ca + _HZ * sa, _HZ * ca - _HX * sa
    gx, gz = FORE_CENTRE[0] * cb + FORE_CENTRE[1] * sb, FORE_CENTRE[1] * cb - FORE_CENTRE[0] * sb
    px, pz = _LC * math.sin(y[4]), _LC * math.cos(y[4])
    # generalised forces: ground
    Fx, Fz, Qa, Qb = 0.0, 0.0, 0.0, 0.0
    for i in range(last):
        ux, uz = places[i, 0] * ca + places[i, 1] * sa, places[i, 1] * ca - places[i, 0] * sa
        wx, wz = places[i, 2] * cb + places[i, 3] * sb, places[i, 3] * cb - places[i, 2] * sb
        r = table[i, 0]
        rb = places[i, 4] * r  # the segment that carries it turns it
        ra = r - rb
        slip = dx + (uz - ra) * da + (wz - rb) * db
        drag, press = sphere_force(table, i, y[1] + uz + wz, dz - ux * da - wx * db, slip)
        Fx += drag
        Fz += press
        Qa += drag * (uz - ra) - press * ux
        Qb += drag * (wz - rb) - press * wx
    tau = ankle_moment(reference, t, y[4] - y[2], dpsi - da)
    toes = JOINT_STIFFNESS * (y[3] - y[2]) + JOINT_DAMPING * (db - da)
    # centripetal accelerations and weight
    a2, b2, p2 = da * da, db * db, dpsi * dpsi
    hind_x, hind_z = -hx * a2, -hz * a2 + _G
    fore_x, fore_z = -jx * a2 - gx * b2, -jz * a2 - gz * b2 + _G
    body_x, body_z = -px * p2, -pz * p2 + _G
    Qx = Fx - HIND_MASS * hind_x - FORE_MASS * fore_x - _MB * body_x
    Qz = Fz - HIND_MASS * hind_z - FORE_MASS * fore_z - _MB * body_z
    Qa += tau + toes - HIND_MASS * (hz * hind_x - hx * hind_z) - FORE_MASS * (jz * fore_x - jx * fore_z)
    Qb += -toes - FORE_MASS * (gz * fore_x - gx * fore_z)
    Qp = -tau - _MB * (pz * body_x - px * body_z)
    # mass matrix: x and z carry the whole mass; their columns are (z, -x) of what turns, weighted
    xa, za = HIND_MASS * hz + FORE_MASS * jz, -(HIND_MASS * hx + FORE_MASS * jx)
    xb, zb = FORE_MASS * gz, -FORE_MASS * gx
    xp, zp = _MB * pz, -_MB * px
    inverse = 1.0 / _MASS
    Maa = HIND_INERTIA + HIND_MASS * (hx * hx + hz * hz) + FORE_MASS * (jx * jx + jz * jz)
    Mab = FORE_MASS * (jx * gx + jz * gz)
    Mbb = FORE_INERTIA + FORE_MASS * (gx * gx + gz * gz)
    Mpp = _IB + _MB * _LC * _LC
    Saa, Sab, Sap = (
        Maa - inverse * (xa * xa + za * za),
        Mab - inverse * (xa * xb + za * zb),
        -inverse * (xa * xp + za * zp),
    )
    Sbb, Sbp, Spp = (
        Mbb - inverse * (xb * xb + zb * zb),
        -inverse * (xb * xp + zb * zp),
        Mpp - inverse * (xp * xp + zp * zp),
    )
    Ta = Qa - inverse * (xa * Qx + za * Qz)
    Tb = Qb - inverse * (xb * Qx + zb * Qz)
    Tp = Qp - inverse * (xp * Qx + zp * Qz)
    # three equations by elimination
    lb, lp = Sab / Saa, Sap / Saa
    Sbb -= lb * Sab
    Sbp -= lb * Sap
    Spp -= lp * Sap
    Tb -= lb * Ta
    Tp -= lp * Ta
    lq = Sbp / Sbb
    p = (Tp - lq * Tb) / (Spp - lq * Sbp)
    b = (Tb - Sbp * p) / Sbb
    a = (Ta - Sab * b - Sap * p) / Saa
    out[0], out[1], out[2], out[3], out[4] = dx, dz, da, db, dpsi
    out[5] = inverse * (Qx - xa * a - xb * b - xp * p)
    out[6] = inverse * (Qz - za * a - zb * b - zp * p)
    out[7], out[8], out[9] = a, b, p


def reference_table() -> Floats:
    """Return the wanted ankle angle as `ankle_moment` takes it, shape (7, 5)."""
    return np.concatenate([leg.REFERENCE.x[:-1, None], leg.REFERENCE.c.T], axis=1)


def rolling_rates(surface: RollingSurface | SplineSurface) -> Rates:
    """Return the compiled right-hand side of the leg on a rolling foot, (t, y) -> rates, shape (4,)."""
    if isinstance(surface, SplineSurface):
        table, run = spline_table(surface), spline_leg_rates
    else:
        table, run = rolling_table(surface), exponential_leg_rates
    return _called(run, 4, np.ascontiguousarray(table), reference_table())


def sphere_rates(foot: SphereFoot) -> Rates:
    """Return the compiled right-hand side of the leg on spheres, (t, y) -> rates, shape (10,)."""
    fore = np.asarray(foot.on_forefoot)[:, None]
    joint = foot.joint - leg.ANKLE
    places = np.concatenate(
        [np.where(fore, joint, foot.centres - leg.ANKLE), np.where(fore, foot.centres, 0.0), fore], axis=1
    )
    places = np.concatenate([places, [[*joint, 0.0, 0.0, 0.0]]])
    return _called(sphere_leg_rates, 10, sphere_table(foot.contact), places, reference_table())


def _called(run: Any, size: int, *tables: Floats) -> Rates:
    run(0.0, np.zeros(size), *tables, np.empty(size))  # compiles
    compiled = run.dispatcher

    def rates(t: float, y: Floats) -> Floats:
        out = np.empty(size)
        compiled(t, y, *tables, out)
        return out

    return rates
