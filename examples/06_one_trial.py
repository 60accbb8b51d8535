"""From files to gait cycles: a walk with known truth is written, read back, and its feet, events and gap are found.

A foot stands for D = 0.682 s of every stride of T = 1.1 s and the force under it is half a sine,

    F(t) = F₀ sin(π t / D),   F₀ = π T W / (4 D),   W = 70 kg · g,

so that both feet together carry the weight W. The centre of pressure moves from heel to toe. The files know
neither left nor right of the forces, and one marker of the pelvis is lost for eight frames (h = 0.09 s from the
frame before to the frame after).

Expected: peak force F₀ = 869.5947 N; stance above the threshold of 20 N, D (1 - 2/π · asin(20 N / F₀)) = 0.6720 s;
mean over a cycle W/2 = 343.2327 N; body weight 686.4655 N. The spline misses the lost marker, which rises and
sinks by A cos ωt, by at most 5/384 h⁴ ω⁴ A = 0.29 mm. Strikes from markers lie within one frame, 10 ms, of the plates'.

Homework: lose the marker for 0.3 s. Which way does fill_gaps go now, and how far is it off?
"""

import tempfile
from pathlib import Path

import numpy as np

import softstride as ss
from softstride.signals import cycle_mean, pair_cycles, time_normalize

STRIDE, STANCE, LENGTH = 1.1, 0.62, 1.3  # [s], share of the stride, [m]
WEIGHT, FOOT, WIDTH = 70.0 * 9.80665, 0.18, 0.16  # [N], heel to toe [m], right to left foot [m]
BOB, OMEGA = 0.02, 4 * np.pi / STRIDE  # the pelvis rises and sinks twice a stride [m], [rad/s]
LOST = slice(200, 208)  # frames without the sacrum


def foot(t: np.ndarray, side: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return heel and toe, shape (n, 3), and the share of the stance that is over, 0 to 1."""
    phase = (t - 0.3) / STRIDE + (0.5 if side < 0 else 0.0)  # whole at each strike
    k, p = np.floor(phase), phase % 1.0
    s = np.clip((p - STANCE) / (1 - STANCE), 0.0, 1.0)  # share of the swing that is over
    start = LENGTH * (k + s - (0.5 if side < 0 else 0.0))
    heel = np.stack([start, 0.03 + 0.24 * s * (1 - s), np.full_like(t, side * WIDTH / 2)], axis=1)
    return heel, heel + np.array([FOOT, 0.0, 0.0]), np.minimum(p / STANCE, 1.0)


def walk() -> ss.Recording:
    """Return four seconds of walking: eight markers at 100 Hz, two forces at 1000 Hz."""
    t, fast = np.arange(400) / 100, np.arange(4000) / 1000
    middle = LENGTH / STRIDE * (t - 0.3 - STANCE * STRIDE / 2) + FOOT / 2
    height = 0.95 + BOB * np.cos(OMEGA * (t - 0.3 - STANCE * STRIDE / 2))  # high in the middle of stance
    pelvis = {"RASI": (0.1, 0.12), "LASI": (0.1, -0.12), "SACR": (-0.1, 0.0)}
    tracks = {n: np.stack([middle + x, height, np.full_like(t, z)], axis=1) for n, (x, z) in pelvis.items()}
    tracks["C7"] = tracks["SACR"] + [0.05, 0.5, 0.0]
    forces = []
    for letter, side in (("L", -1.0), ("R", 1.0)):
        tracks[f"{letter}HEE"], tracks[f"{letter}TOE"], _ = foot(t, side)
        heel, toe, over = foot(fast, side)
        push = np.pi * WEIGHT / (4 * STANCE) * np.sin(np.pi * over)[:, None] * [0.0, 1.0, 0.0]
        centre = (heel + over[:, None] * (toe - heel)) * [1.0, 0.0, 1.0]
        forces.append(ss.ExternalForce(letter, fast, push, centre, np.zeros_like(push)))
    markers = ss.Points(t, tuple(tracks), np.stack(list(tracks.values()), axis=1))
    return ss.Recording("walk", markers=markers, forces=tuple(forces))


def main() -> dict[str, float]:
    truth = walk()
    seen = truth.markers.values.copy()
    seen[LOST, truth.markers.index("SACR")] = np.nan
    measured = truth.replace(markers=ss.Points(truth.markers.time, truth.markers.labels, seen))
    with tempfile.TemporaryDirectory() as folder:
        trc, mot = Path(folder) / "walk.trc", Path(folder) / "walk.mot"
        measured.save(trc)
        measured.save(mot)
        trial = ss.read(trc, mot)
    print("feet:  " + ", ".join(f"{force.name} is the {force.side} one" for force in trial.forces))

    trial = ss.fill_gaps(ss.find_events(ss.find_events(trial, "plates"), "markers"))
    gap = np.abs(trial.markers["SACR"] - truth.markers["SACR"]).max()
    print(f"gap:   {trial.markers.filled.sum()} frames filled, at most {1e3 * gap:.3f} mm off")

    strikes, offs = (trial.events_of(label, "right", "plates") for label in ("strike", "off"))
    stance = offs[offs > strikes[0]][0] - strikes[0]
    by_markers = trial.events_of("strike", "right", "markers")
    apart = np.abs(strikes[:, None] - by_markers).min(axis=1).max()
    print(f"right: stance {stance:.4f} s, strikes from markers at most {1e3 * apart:.1f} ms from the plate's")

    force = trial.force("right")
    curves = time_normalize(force.time, force.force[:, 1], *pair_cycles(strikes))
    mean = cycle_mean(curves).mean
    weight = trial.quality().figures["body_weight_N"]
    print(f"cycle: {len(curves)} cycles, {mean[:-1].mean():.2f} N on average; body weight {weight:.2f} N")
    return {
        "peak_force_N": float(force.force[:, 1].max()),
        "stance_s": float(stance),
        "mean_over_cycle_N": float(mean[:-1].mean()),
        "body_weight_N": weight,
        "gap_error_m": float(gap),
        "strikes_apart_s": float(apart),
    }


if __name__ == "__main__":
    main()
