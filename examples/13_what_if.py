"""What if push-off were stronger: a walker of seven segments, its step, and what one joint moment does to it.

Six joint moments and a start make a step, from the strike of the right heel to that of the left one; four events
divide it: left toe-off, right foot flat, right heel-off, left heel strike. The recipe was sought for the times that
Onyshko and Winter reported in 1980, 8, 13, 57 and 100 % of 0.55 s; with 20 % more moment of the left ankle before toe-
off, theirs and ours strikes at 0.45 s. What was not sought: more push-off presses harder on the floor, and a foot that
is pulled up more comes down later. A weaker push-off is no mirror of a stronger one, and without feedback no walker
goes far. Held about its nominal step it makes ten, and forgets a push in the first of them.

Expected: events at 0.0440, 0.0715, 0.3135 and 0.5500 s, heel strike at 0.4500 s with the stronger push-off. The tenth
step lasts as long with a push in the first one as without. Energy changes by the work of the joints and of the damper
between the hips, in every phase, and weight and floor change the momentum of the body as Newton says, to rounding.

Homework: which moment, raised by 1 N m in phases 1 and 2, delays foot flat most?
"""

import numpy as np

from softstride import engine
from softstride.gait import Impedance, SevenSegment


def momentum_gap(walk):
    """Return how far weight and floor are from the rate of momentum of the model from foot flat on [N]."""
    frames = walk.phase >= 3
    rate = engine.momentum_rate(walk.model, walk.q[frames], walk.v[frames], walk.a[frames])[:, 3:5]
    force = walk.ground_force[frames].sum(axis=1) - (0.0, walk.body.mass * walk.body.gravity)
    return np.abs(rate - force).max()


def print_walk(name, walk):
    times = ", ".join(f"{at:.4f}" for at in walk.event_times.values())
    floor = walk.ground_force[0, 1, 1]
    end = f"{walk.steps[0].length:.2f} m" if walk.completed else f"fell {walk.reason}"
    print(f"{name:<24} events {times} s; left toe pushes {floor:.0f} N at first; {end}")


def main():
    model = SevenSegment()
    step = model.simulate("B")
    print_walk("as it is", step)
    stronger = model.simulate("B", perturb="left_ankle:1=+20%")
    for change in ("left_ankle:1=+20%", "left_ankle:1=-20%", "right_ankle:1-2=+1", "right_knee=-150"):
        print_walk(change, model.simulate("B", perturb=change))

    held = model.changed(feedback=Impedance.from_walk(step))
    ten, pushed = (held.simulate("B", steps=10, perturb=change) for change in ((), "left_ankle:1=+20%"))
    print(f"without feedback: {model.simulate('B', steps=10).reason}")
    for name, walk in (("with feedback", ten), ("and a push", pushed)):
        print(f"{name}: steps of", ", ".join(f"{each.duration:.4f}" for each in walk.steps), "s")

    events = step.event_times
    return {
        "left_toe_off_s": events["left_toe_off"],
        "right_foot_flat_s": events["right_foot_flat"],
        "right_heel_off_s": events["right_heel_off"],
        "left_heel_strike_s": events["left_heel_strike"],
        "stronger_heel_strike_s": stronger.event_times["left_heel_strike"],
        "left_of_a_push_s": abs(pushed.steps[-1].duration - ten.steps[-1].duration),
        "energy_error_J": step.certificate.energy_error,
        "momentum_gap_N": momentum_gap(step),
    }


if __name__ == "__main__":
    main()
