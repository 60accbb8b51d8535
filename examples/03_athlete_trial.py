"""A whole athlete: 2000 frames of 148 coordinates, a force under the foot, and the balance of power.

Every joint swings along its own constant axis or screw d_j, so that q, v and a are known without differences:

    q = q0 ⊞ d sin(ω t + φ),    v = d ω cos(ω t + φ),    a = -d ω² sin(ω t + φ).

Inverse dynamics leaves springs and the elasticity of the blade out, so the power of tau and of the ground is

    v · tau + η · w = d/dt (kinetic energy + energy in gravity),      η: twist of the sole, w: wrench on it.

The trial is ten whole strides, so Fourier differentiates the energy to rounding, and momentum is the same at both
ends: the ground and the residual force at the pelvis carry, in the mean, the weight.

Expected: both sides agree to 1e-10 of the peak; mean support m g = 70.86032 kg · 9.80665 = 694.9024 N.

Homework: no muscle pulls the pelvis from outside. Which wrench on the sole, frame by frame, makes tau[:, :6] zero?
"""

import numpy as np

import softstride as ss

FRAMES, DURATION, STRIDES = 2000, 10.0, 10  # [-], [s], [-]: 200 frames a second
SOLE = ss.Frame("left_foot", (0.05, -0.08, 0.0))


def synthetic_motion(model: ss.Model, time: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random, omega = np.random.default_rng(0), 2 * np.pi * STRIDES / DURATION
    d = random.uniform(-0.2, 0.2, model.nv)  # [rad], [m] at the pelvis, [1/m] in the blade
    phase = np.repeat(random.uniform(0, 2 * np.pi, len(model.links)), [x.joint.nv for x in model.links])
    angle = omega * time[:, None] + phase  # (n_frames, nv), one phase for all coordinates of a joint
    q = ss.integrate(model, model.neutral(), d * np.sin(angle))
    return q, d * omega * np.cos(angle), -d * omega**2 * np.sin(angle)


def main() -> dict[str, float]:
    model, time = ss.athlete(), np.arange(FRAMES) * DURATION / FRAMES
    q, v, a = synthetic_motion(model, time)
    wrench = np.zeros((FRAMES, 6))  # [moment; force], world axes, about the sole
    step = 2 * np.pi * STRIDES / DURATION * time
    wrench[:, 1], wrench[:, 3], wrench[:, 4] = 5 * np.sin(step), 80 * np.sin(step), 350 * (1 - np.cos(step))
    tau = ss.inverse_dynamics(model, q, v, a, {SOLE: wrench})  # (2000, 148)

    R = ss.poses(model, q, [SOLE, "pelvis"])[..., :3, :3]
    twist = ss.velocities(model, q, v, SOLE).reshape(FRAMES, 2, 3)  # angular, linear in axes of the foot
    ground = np.einsum("fij,fkj,fki->f", R[:, 0], twist, wrench.reshape(FRAMES, 2, 3))  # power η · w [W]
    state = ss.energy(model, q, v)
    spectrum = np.fft.rfft(state.kinetic + state.gravity) * 2j * np.pi * np.fft.rfftfreq(FRAMES, time[1])
    rate = np.fft.irfft(spectrum, FRAMES)  # dE/dt [W]
    imbalance = np.max(np.abs(np.sum(v * tau, axis=1) + ground - rate)) / np.max(np.abs(rate))
    support = np.mean(np.einsum("fj,fj->f", R[:, 1, 1], tau[:, 3:6]) + wrench[:, 4])  # world y
    print(f"{FRAMES} frames, {model.nv} coordinates, {model.mass:.3f} kg; peak power {np.max(rate):.0f} W")
    print(f"imbalance of power {imbalance:10.1e} of the peak")
    print(f"mean support       {support:10.4f} N   (weight 694.9024)")
    return {"imbalance": float(imbalance), "mean_support_N": float(support)}


if __name__ == "__main__":
    main()
