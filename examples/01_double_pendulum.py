"""Inverse dynamics of a whole trial: the leg as a planar double pendulum, against its closed form.

Thigh and shank turn about z; q1 is the hip, q2 the knee, both zero where the leg hangs straight down:

    tau1 = M11 a1 + M12 a2 - h (2 v1 v2 + v2²) + g [(m1 c1 + m2 l1) sin q1 + m2 c2 sin(q1 + q2)]
    tau2 = M12 a1 + M22 a2 + h v1²             + g m2 c2 sin(q1 + q2),        h = m2 l1 c2 sin q2,

    M11 = I1 + m1 c1² + M22 + m2 (l1² + 2 l1 c2 cos q2),  M12 = M22 + m2 l1 c2 cos q2,  M22 = I2 + m2 c2².

Expected: held still and straight out, the hip carries g (m1 c1 + m2 l1 + m2 c2) = 4 kg·m · g = 39.2266 N·m; in
motion, 1000 frames agree with the closed form to rounding.

Homework: weld the knee (builder.fixed). Which terms of tau1 are left, and does the engine agree?
"""

import numpy as np

import softstride as ss

M1, M2 = 8.0, 4.0  # mass [kg]
L1, C1, C2 = 0.4, 0.2, 0.2  # length of the thigh, distances of the centres of mass from the joints [m]
I1, I2 = 0.12, 0.05  # about z through the centre of mass [kg·m²]


def double_pendulum() -> ss.Model:
    leg = ss.ModelBuilder("leg")
    leg.revolute("thigh", axis=(0, 0, 1), mass=M1, com=(0, -C1, 0), inertia=(I1, 0.02, I1))
    joint = {"axis": (0, 0, 1), "position": (0, -L1, 0)}
    leg.revolute("shank", "thigh", **joint, mass=M2, com=(0, -C2, 0), inertia=(I2, 0.01, I2))
    return leg.build()


def closed_form(q: np.ndarray, v: np.ndarray, a: np.ndarray, g: float) -> np.ndarray:
    (q1, q2), (v1, v2), (a1, a2) = q.T, v.T, a.T
    lower, h = I2 + M2 * C2**2, M2 * L1 * C2 * np.sin(q2)
    corner = lower + M2 * L1 * C2 * np.cos(q2)
    upper = I1 + M1 * C1**2 + lower + M2 * (L1**2 + 2 * L1 * C2 * np.cos(q2))
    knee = corner * a1 + lower * a2 + h * v1**2 + g * M2 * C2 * np.sin(q1 + q2)
    hip = upper * a1 + corner * a2 - h * (2 * v1 * v2 + v2**2)
    hip += g * ((M1 * C1 + M2 * L1) * np.sin(q1) + M2 * C2 * np.sin(q1 + q2))
    return np.stack([hip, knee], axis=1)  # (n_frames, 2)


def main() -> dict[str, float]:
    model = double_pendulum()
    held = ss.inverse_dynamics(model, q=[np.pi / 2, 0], v=[0, 0], a=[0, 0])  # one frame: shape (2,)
    swing, rate = np.array([0.7, 1.1]), np.array([5.0, 8.0])  # [rad], [rad/s]
    angle = rate * np.linspace(0, 10, 1000)[:, None] + (0.0, 1.0)  # (1000, 2)
    q, v, a = swing * np.sin(angle), swing * rate * np.cos(angle), -swing * rate**2 * np.sin(angle)
    tau = ss.inverse_dynamics(model, q, v, a)  # (1000, 2) [N·m]
    error = np.max(np.abs(tau - closed_form(q, v, a, g=-model.gravity[1])))
    print(f"hip moment, leg held straight out {held[0]:10.4f} N·m   (closed form 39.2266)")
    print(f"largest hip moment in motion      {np.max(np.abs(tau[:, 0])):10.4f} N·m")
    print(f"largest error of 1000 frames      {error:10.1e} N·m")
    return {"held_hip_moment_Nm": float(held[0]), "largest_error_Nm": float(error)}


if __name__ == "__main__":
    main()
