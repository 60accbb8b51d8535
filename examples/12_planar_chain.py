"""Which muscle, weight or contact loads which joint: planar chains, from a forearm by hand to a spine of 24 vertebrae.

A forearm of 1.6 kg holds a ball of 3 kg, horizontal, by one muscle from 25 cm above the elbow to 5 cm ahead of it:

    moment 1.6 g 0.15 + 3 g 0.32,   arm 0.05 · 0.25 / √(0.25² + 0.05²) m,   tension = moment / arm.

The squat along a wall has a force plate under the feet and nothing behind the back: loads come from proximal data, and
the balance of the whole gives the wall's force, which the file does not contain. In the finger the superficial flexor
ends at the middle phalanx: at the last joint it has no direct effect, and all of its effect there comes by way of
accelerations. Of the spine, contributions of 114 sources at 24 joints add up to the totals. A falling chain shows that
forces and motion agree: what its energy gains is the work of its forces. Give the table of a recorded step as argument,
such as rawdata.txt of the planar gait analysis, and the stance leg follows: what the ground does, and what swings.

Expected: a tension of 240.0206 N, and 190.2490 N upward on the elbow. The wall presses with 308.2479 N at the bottom of
the squat, within what a plate rounded to 0.1 N and 0.1 mm can tell. Distal and proximal reactions, columns and totals,
energy and work agree to rounding; the superficial flexor's direct effect at the last joint is 0 N, exactly.

Homework: hold the squat's trunk 10° forward in the file. Which muscles pay for it?
"""

import sys
from pathlib import Path

import numpy as np

from softstride.planar import Chain, Contact, Muscle, State, load_chain

G = 9.80665  # [m/s²]


def forearm() -> tuple[Chain, State]:
    """Return a forearm that hangs on a vertical upper arm, with the tension that holds it."""
    arm = Chain(
        length=[0.30, 0.35],
        mass=[0.0, 1.6],
        com=[(0.0, 0.0), (0.15, 0.0)],
        inertia=[0.0, 0.02],
        muscles=[Muscle("biceps", [(0, 0.05, 0.0), (1, 0.05, 0.0)])],
        contacts=[Contact("ball", 1, (0.32, 0.0))],
    )
    state = State(theta=[-np.pi / 2, 0.0], tension={"biceps": 1.0}, force={"ball": (0.0, -3.0 * G)})
    torques = arm.torques(state)
    return arm, state.changed(tension={"biceps": torques.required[0] / torques.given[0]})


def stance(recording: Path) -> dict[str, float]:
    """Return the largest torques of a leg that walks [N·m/kg], and what the ground gives of that at the ankle."""
    leg = load_chain("stance", recording)
    columns = leg.chain.contributions(leg.state)
    kinds, body = columns.by("kind"), 67.2  # [kg]
    torques = columns.required_torque / body
    peaks = np.abs(torques).max(axis=0)
    ankle = leg.chain.joints.index("ankle")
    peak = int(np.abs(torques[:, ankle]).argmax())
    shares = kinds.torque[peak, ankle] / torques[peak, ankle] / body
    for joint, size in zip(leg.chain.joints, peaks, strict=True):
        print(f"stance leg, {joint}: torques up to {size:.2f} N·m/kg")
    told = ", ".join(f"{kind} {100 * share:.1f} %" for kind, share in zip(kinds.labels, shares, strict=True))
    print(f"of the largest one at the ankle: {told}")
    found = {f"{joint}_Nm_kg": float(size) for joint, size in zip(leg.chain.joints, peaks, strict=True)}
    share = float(shares[kinds.labels.index("contact")])
    return found | {"ground_share": share, "stance_sum_error": columns.sum_error(leg.state)}


def main(recording: Path | None = None) -> dict[str, float]:
    arm, held = forearm()
    table = arm.contributions(held)
    print("what loads the elbow          compression      shear [N]")
    for label, compression, shear in zip(table.labels, table.compression[0], table.shear[0], strict=True):
        if compression or shear:
            print(f"  {label:<26} {compression:10.2f} {shear:10.2f}")

    squat = load_chain("squat")
    whole = squat.chain.balanced(squat.state, "wall")
    bottom = squat.state.n_frames // 2
    wall = float(np.asarray(whole.force["wall"])[bottom, 0])
    forms = [squat.chain.reactions(whole, form=form).force for form in ("distal", "proximal")]
    print(f"the wall presses with {wall:.1f} N at the bottom of the squat")

    finger = load_chain("finger")
    direct, causes = finger.chain.contributions(finger.state), finger.chain.induced(finger.state)
    last, name = finger.chain.joints.index("DIP"), "muscle:superficial flexor"
    induced = np.abs(causes.force[:, last, causes.column(name)]).max()
    print(f"superficial flexor at the last joint: 0 N direct, up to {induced:.1f} N by accelerations")

    spine = load_chain("spine")
    columns = spine.chain.contributions(spine.state)
    kinds = columns.by("kind")
    lumbar = kinds.compression[:, 0].max(axis=0)
    shares = ", ".join(f"{kind} {size:.0f} N" for kind, size in zip(kinds.labels, lumbar, strict=True))
    print(f"lumbosacral joint, largest compression by kind: {shares}")

    walked = {} if recording is None else stance(recording)

    fall = arm.simulate(held.changed(tension={"biceps": 100.0}), np.linspace(0.0, 0.3, 31))
    return {
        "tension_N": float(np.asarray(held.tension["biceps"])),
        "elbow_upward_N": float(arm.reactions(held).force[0, 1]),
        "wall_N": wall,
        "forms_apart_N": float(np.abs(forms[0] - forms[1]).max()),
        "direct_at_last_joint_N": float(np.abs(direct.force[:, last, direct.column(name)]).max()),
        "sum_error": columns.sum_error(spine.state),
        "energy_error_J": fall.energy_error,
        **walked,
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
