"""Two custom links on one coordinate: a kneecap follows the knee and gives the thigh muscle its moment arm.

Splines of the knee angle q (extension positive) drive tibia and patella on the femur; in knee axes [m]:

    patella: x = 0.050 - 0.005 q²,  y = 0.030 + 0.045 q + 0.003 q²;      tibia: x = 0.004 - 0.004 q².

A SimmSpline through points of a cubic is that cubic, so these parabolas come back exactly. A muscle from
o = (0.03, 0.25) m on the femur to the patella p has the length l = |p - o| and the moment arm

    r = -dl/dq = -uᵀ dp/dq,    u = (p - o) / l,    moment at the knee = r · tension.

Expected: at q = -1 rad, p - o = (0.015, -0.262) m and dp/dq = (0.010, 0.039) m/rad give r = 38.3647 mm; the hip
feels nothing, since the muscle does not cross it. Jacobians agree with central differences to 1e-10 m/rad.

Homework: draw r from 0 to -2 rad, with the muscle at p and 2 cm above it on the turning patella.
"""

import numpy as np

import softstride as ss
from softstride.model import Axis, SimmSpline

KNOTS = np.linspace(-2.2, 0.2, 9)  # knee angle [rad]
X, Y, Z = np.eye(3)


def follow(direction: np.ndarray, *coefficients: float) -> Axis:
    """Return an axis with the spline through a polynomial (ascending powers) of the knee angle."""
    return Axis(direction, (("knee", SimmSpline(KNOTS, np.polynomial.Polynomial(coefficients)(KNOTS))),))


def knee() -> ss.Model:
    leg = ss.ModelBuilder("knee")  # three links, two coordinates: hip, knee
    leg.revolute("femur", axis=Z, coordinate="hip", mass=8, com=(0, -0.2, 0), inertia=(0.1, 0.02, 0.1))
    hinge, glide = (follow(Z, 0, 1), Axis(X), Axis(Y)), (follow(X, 0.004, 0, -0.004), Axis(Y), Axis(Z))
    leg.custom("tibia", "femur", position=-0.4 * Y, rotations=hinge, translations=glide, mass=3.5)
    turn = (follow(Z, 0, 0.6, 0.05), Axis(X), Axis(Y))
    track = (follow(X, 0.050, 0, -0.005), follow(Y, 0.030, 0.045, 0.003), Axis(Z))
    leg.custom("patella", "femur", position=-0.4 * Y, rotations=turn, translations=track, mass=0.1)
    return leg.build()


def main() -> dict[str, float]:
    model, q, steps = knee(), np.array([0.3, -1.0]), 1e-5 * np.eye(2)
    tips = [ss.Point("patella", -0.04 * Y), ss.Point("tibia", -0.4 * Y)]
    ahead, behind = ss.positions(model, q + steps, tips), ss.positions(model, q - steps, tips)
    slopes = np.moveaxis(ahead - behind, 0, -1) / 2e-5  # (2 tips, 3, nv)
    gap = np.max(np.abs(ss.jacobian(model, q, tips) - slopes))
    ends = [ss.Point("patella"), ss.Point("femur", (0.03, -0.15, 0))]
    path = np.subtract(*ss.positions(model, q, ends))
    arms = -1e3 * path / np.linalg.norm(path) @ np.subtract(*ss.jacobian(model, q, ends))  # -dl/dq [mm]
    print(f"Jacobians minus differences {gap:9.1e} m/rad")
    print(f"moment arm at the knee      {arms[1]:9.4f} mm   (closed form 38.3647)")
    print(f"moment arm at the hip       {arms[0]:9.1e} mm")
    return {"gap_m_per_rad": float(gap), "knee_arm_mm": float(arms[1]), "hip_arm_mm": float(arms[0])}


if __name__ == "__main__":
    main()
