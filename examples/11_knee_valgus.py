"""The moment of a knee in axes that are not orthogonal: which number is the flexion moment?

A leg walks with 15 degrees of knee valgus. Its thigh has the axes of a clinical measurement: u forward, v from knee to
hip, and w, the axis about which the knee bends in a squat, 25 degrees away from the perpendicular to v. One moment
vector, found by two methods, has four first numbers: about the z axis of the laboratory; about w, as a projection (what
a motor about w would have to give, conjugate to the angle) and as a component (how much of w the vector is made of);
and about Z of the orthonormal axes that classical methods need. The first is the same by both methods, and the others
differ by more than a quarter: with a moment belongs the axis that it is about.

The reference limb at 0.3 s shows it in known numbers. Give the path of a picture as argument to draw the walk.

Expected: 131.2056 N m projected on w, a component of 184.9932 N m along w, 161.9473 N m about Z of the orthonormal
axes; nothing between the two methods, and the powers of joints, ground and hip add up to the rate of energy of the leg.
Homework: how far may w be turned in the frontal plane before projection and component differ by ten percent?
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from softstride import segments

STRIDE = 1.1  # s


def knee(leg, method="nonorthonormal"):
    loads = segments.inverse_dynamics(
        leg.segments, leg.motion, leg.external, gravity=leg.gravity, method=method
    )
    return loads, loads.moment_on("shank")


def first_numbers(leg, moment):
    natural = segments.segment_axes(leg.motion["thigh"])
    square = segments.segment_axes(leg.motion["thigh"], "orthonormal")
    return {
        "z of the laboratory": moment[:, 2],
        "w, projection": segments.express(moment, natural)[:, 2],
        "w, component": segments.express(moment, natural, "component")[:, 2],
        "Z of orthonormal axes": segments.express(moment, square)[:, 2],
    }


def energy_gap(leg, loads, time):
    power = np.zeros(len(time))
    for name, parent in (("foot", "shank"), ("shank", "thigh"), ("thigh", None)):
        above = leg.motion.get(parent)
        power += segments.joint_power(
            loads.force_on(name), loads.moment_on(name), leg.motion[name], above
        ).total
    foot, (ground,) = leg.motion["foot"], leg.external
    omega = foot.angular_velocity()
    speed = foot.jet().d[:, 1] + np.cross(omega, ground.point - foot.proximal)
    power += np.sum(ground.force * speed + ground.moment * omega, axis=1)
    energy = sum(sum(segments.segment_energy(s, leg.motion[s.name], leg.gravity)) for s in leg.segments)
    rate = np.gradient(energy, time)
    return np.abs(rate - power)[2:-2].max() / np.abs(power).max()


def draw(walk, moments, percent, file):
    figure = Figure(figsize=(9.0, 3.8), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    for method, style, told in (
        ("nonorthonormal", "-", "natural coordinates"),
        ("euler", "o", "Euler angles"),
    ):
        every = slice(None, None, 1 if style == "-" else len(percent) // 40)
        curves = first_numbers(walk, moments[method])
        for (name, values), colour in zip(
            curves.items(), ("#22303c", "#c8442e", "#d9a441", "#2f6690"), strict=True
        ):
            axes = left if name.endswith("laboratory") else right
            label = told if axes is left else name if style == "-" else None
            axes.plot(
                percent[every], values[every], style, color=colour, label=label, linewidth=1.8, markersize=3.0
            )
    left.set_title("a  about z of the laboratory, by two methods", loc="left", fontsize=10)
    right.set_title("b  about axes of the thigh (circles: Euler angles)", loc="left", fontsize=10)
    left.set_ylabel("knee extension moment [N m]")
    for axes in (left, right):
        axes.set_xlabel("gait cycle [%]")
        axes.axhline(0.0, color="#9aa5ad", linewidth=0.7)
        axes.grid(color="#e3e6e8", linewidth=0.6)
        axes.set_xlim(0.0, 100.0)
        axes.legend(frameon=False, fontsize=9)
    figure.savefig(file, dpi=200)


def main(picture=None):
    limb = segments.reference_limb([0.3])
    known = {name: float(values[0]) for name, values in first_numbers(limb, knee(limb)[1]).items()}
    print("reference limb at 0.3 s:", ", ".join(f"{x:.4f} N m about {name}" for name, x in known.items()))
    time = np.linspace(0.0, STRIDE, 11001)
    walk = segments.valgus_walk(time)
    loads, moment = knee(walk)
    moments = {"nonorthonormal": moment, "euler": knee(walk, "euler")[1]}
    apart = np.abs(moments["euler"] - moment).max()
    for name, values in first_numbers(walk, moment).items():
        print(f"walk, knee about {name}: {values.min():.1f} to {values.max():.1f} N m")
    if picture is not None:
        draw(walk, moments, 100.0 * time / STRIDE, picture)
    gap = energy_gap(walk, loads, time)
    print(f"two methods differ by {apart:.1e} N m; powers miss the rate of energy by {gap:.1e} of it")
    return {
        "projection_on_w_Nm": known["w, projection"],
        "component_along_w_Nm": known["w, component"],
        "about_orthonormal_z_Nm": known["Z of orthonormal axes"],
        "methods_apart_Nm": apart,
        "energy_gap": gap,
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
