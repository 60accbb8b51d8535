"""Loads without force plates: a runner with a blade, from markers to ground reaction, beside the truth.

The digital athlete runs over five force plates. Its motion obeys the laws of mechanics, with a finer blade, another
contact and other inertia than the model that is given to the estimate, so that nothing fits by construction. Markers
go to a motion, the motion to forces under shoe and blade; the plates only judge. Once with clean markers, which leaves
the errors of the model alone, once as a laboratory sees them: 1 mm of noise, and skin that moves over bone. The error
of an axis is eq. 39 of the hybrid-link paper, 100 RMSE over the mean of both ranges; its own figures for one runner
are 15 % forward, 11 % up and 20 % to the right. The force in the blade is compared with the truth itself.

Expected: with clean markers below 5 %, 4 % and 10 %; with noise and soft tissue below the paper's figures along each
axis. The blade's peak force within 5 % of the truth, with clean markers. Nobody pulls on the ground and no friction
cone is broken: 0 N beyond, to 1e-8 of body weight.

Homework: give `load_cell=False`. What does the bend of the blade contribute, with clean markers and with noisy ones?
"""

import numpy as np

import softstride as ss

G = 9.80665  # [m/s²]


def estimate(clean: bool) -> tuple[dict[str, float], ss.Loads]:
    """Return errors [%] by name, and the loads."""
    trial = ss.load_athlete("running", noise=not clean, artefact=not clean)
    motion = ss.solve_ik(trial.model, trial.recording)
    loads = ss.estimate_loads(trial.model, motion)  # sees no plate
    means = ss.validate_loads(loads, trial.recording, motion=motion).means
    right = loads.wrenches["ground_right"].force[:, 1]
    truth = trial.truth.blade_force[:, 1]
    peaks = [
        (right[part].max(), truth[part].max())
        for part in np.array_split(np.arange(len(truth)), 3)  # one stance of the blade in each third
    ]
    errors = dict(zip(("forward", "up", "right"), (float(x) for x in means["rrmse"]), strict=True))
    errors["blade_peak"] = max(100.0 * abs(ours - true) / true for ours, true in peaks)
    errors["centre_mm"] = 1e3 * float(means["cop"])
    return errors, loads


def main() -> dict[str, float]:
    clean, loads = estimate(clean=True)
    noisy, seen = estimate(clean=False)
    print("error [%]            clean markers   1 mm of noise, soft tissue")
    for name in ("forward", "up", "right", "blade_peak"):
        print(f"{name:<20} {clean[name]:13.1f}   {noisy[name]:27.1f}")
    print(f"{'centre of pressure':<20} {clean['centre_mm']:10.0f} mm   {noisy['centre_mm']:24.0f} mm")
    beyond = 0.0
    for each in (loads, seen):
        ground = each.ground
        assert ground is not None
        weight = G * each.model.mass
        beyond = max(
            beyond, -float(ground.normal.min()) / weight, -float(ground.friction_margin.min()) / weight
        )
        print(f"{ground}, {each.doubtful.sum()} frames doubtful")
    return {
        "clean_forward_percent": clean["forward"],
        "clean_up_percent": clean["up"],
        "clean_right_percent": clean["right"],
        "clean_blade_peak_percent": clean["blade_peak"],
        "noisy_forward_percent": noisy["forward"],
        "noisy_up_percent": noisy["up"],
        "noisy_right_percent": noisy["right"],
        "beyond_cones_body_weights": beyond,
    }


if __name__ == "__main__":
    main()
