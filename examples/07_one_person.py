"""One person, from mass and height to a running blade: scaled to a standing trial, cut, fitted, saved.

A gait person of 70 kg and 1.70 m is the start. The trial shows somebody of the same shape, 5 % larger and 78 kg: 49
markers with 2 mm of noise, 300 frames. The right shank, 3.3774 kg with its centre of mass at f = 0.4395 of its length
L, is cut d = 0.16 m below the knee. As a frustum its end radii have the ratio k with

    (4 f - 3) k² + (4 f - 2) k + (4 f - 1) = 0,
    stump / shank = d/L (1 + n + n²) / (1 + k + k²),   n = 1 + (k - 1) d/L.

The foot is 0.0137 of the body mass; socket and clamp weigh 0.9 and 0.15 kg. A packaged blade comes on top.

Expected: factors of 1.05, none more than 0.004 off; 78.0 kg; a stump of 1.5268 kg; 76.1308 kg without the blade. Both
files give mass and markers back.

Homework: leave only the markers of pelvis and legs in the trial. Which factors still are right, which widths grow?
"""

import tempfile
from pathlib import Path

import numpy as np

import softstride as ss
from softstride.model import scaled
from softstride.model.library.blades import blade

FACTOR, MASS, NOISE = 1.05, 78.0, 0.002  # of the person in the trial; [kg], [m]
CUT, SOCKET, CLAMP = 0.16, 0.9, 0.15  # below the knee [m], [kg], [kg]
FOOT = ("talus_r", "calcn_r", "toes_r")


def standing(person: ss.Model) -> ss.Recording:
    """Return three seconds of somebody larger who stands still."""
    larger = scaled(person, dict.fromkeys(person.link_names, FACTOR), mass=MASS)
    places = ss.positions(larger, larger.neutral(), list(larger.markers))  # (49, 3)
    noise = NOISE * np.random.default_rng(7).standard_normal((300, *places.shape))
    points = ss.Points(np.arange(300) / 100, tuple(larger.markers), places + noise)
    return ss.Recording("standing", markers=points)


def through_file(model: ss.Model, path: Path) -> ss.Model:
    """Write a model and read it back."""
    notes = ss.save_model(model, path)
    print(f"{path.suffix:<6} {path.stat().st_size / 1024:.0f} kB, {len(notes)} notes on what it cannot hold")
    return ss.load_model(path)


def markers_of(model: ss.Model, names: list[str]) -> np.ndarray:
    """Return where the markers are in the default pose, shape (m, 3), [m]."""
    return ss.positions(model, model.neutral(), names)


def main() -> dict[str, float]:
    generic = ss.load_model("gait", mass=70.0, height=1.70, sex="male")
    print(generic.summary().splitlines()[0])

    fit = ss.fit_scaling(generic, standing(generic), mass=MASS)
    factors = np.array(list(fit.factors.values()))
    worst = np.abs(factors - FACTOR).max()
    print(f"scaled: factors {factors.min():.4f} to {factors.max():.4f}, markers {1e3 * fit.rms:.2f} mm off")

    person, running = fit.model, blade("c-medium")
    cut = ss.amputate(person, "right", below_knee=CUT)
    athlete = ss.attach_blade(cut, "right", running, socket_mass=SOCKET, clamp_mass=CLAMP)
    lost = sum(person.link(name).mass for name in (*FOOT, "tibia_r")) - cut.link("tibia_r").mass
    gained = SOCKET + CLAMP + running.mass
    print(f"cut:    {lost:.4f} kg and {len(person.muscles) - len(cut.muscles)} muscles are gone")
    print(f"blade:  {gained:.4f} kg come, {athlete.nv} degrees of freedom, {athlete.mass:.4f} kg")

    with tempfile.TemporaryDirectory() as folder:
        opened = through_file(athlete, Path(folder) / "athlete.osim")
        native = through_file(athlete, Path(folder) / "athlete.json")
    names = list(athlete.markers)
    gaps = [np.abs(markers_of(m, names) - markers_of(athlete, names)).max() for m in (opened, native)]
    return {
        "mean_factor": float(factors.mean()),
        "largest_factor_error": float(worst),
        "mass_kg": person.mass,
        "stump_kg": cut.link("tibia_r").mass,
        "mass_without_blade_kg": athlete.mass - running.mass,
        "imbalance_kg": athlete.mass - (person.mass - lost + gained),
        "osim_mass_error_kg": opened.mass - athlete.mass,
        "osim_marker_gap_m": float(gaps[0]),
        "native_mass_error_kg": native.mass - athlete.mass,
        "native_marker_gap_m": float(gaps[1]),
    }


if __name__ == "__main__":
    main()
