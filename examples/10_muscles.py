"""Muscles: from the recording of a runner with a blade to muscle forces and the load of the knee, beside the truth.

The digital athlete has muscles that make its torques, by a criterion of its own, with co-contraction, and with numbers
that the analyst's model does not have. Markers with noise go to a motion, plates to loads, loads to muscle forces: once
by least squares of activations alone, once drawn to the EMG of ten channels. The hamstrings of the cut leg are compared
with what the athlete did, root mean square over the trial in % of maximal force; so is the peak force along the tibia.
Moments are checked in another way than they were met: what tensions leave over in a recursion of forces over all links.

Expected: without EMG off by less than 15 %, since nobody can know that the athlete tenses them; with EMG less than 6 %.
The peak of the knee force within 15 % of the truth. Nothing is missing in the moments: 0 N·m, to 1e-8; conditions of
optimality hold to 1e-9.

Homework: give `power=3` or `weights="volume"`. Which criterion comes nearest to the athlete's own?
"""

import numpy as np

import softstride as ss

HAMSTRINGS = ("bflh_r", "semiten_r")
JOINTS = ("hip", "knee", "ankle", "subtalar")
ENVELOPE = {"band": (50.0, None), "lowpass": 12.0, "lowpass_order": 4, "critically_damped": None}


def tibia(reactions: ss.JointReactions) -> float:
    """Return the largest force along the right tibia in the knee, in body weights."""
    return float(-reactions.force_bw[:, reactions.index("tibia_r"), 1].min())


def truth_of(trial: ss.AthleteTrial) -> float:
    """Return the same of what the athlete did: true motion, forces of the ground and of muscles."""
    truth = trial.truth
    motion = ss.Motion(truth.model, truth.time, truth.q, rates=(truth.v, truth.a))
    plates = ss.load_athlete("running", noise=False, artefact=False).recording
    pulls = ss.MuscleForces(truth.model, truth.time, truth.muscle_names, truth.muscle_force, truth.activation)
    loads = ss.solve_id(truth.model, motion, plates)
    return tibia(ss.joint_reactions(loads, pulls))


def main() -> dict[str, float]:
    trial = ss.load_athlete("running")
    model, truth, recording = trial.model, trial.truth, trial.recording
    motion = ss.solve_ik(model, recording)
    loads = ss.solve_id(model, motion, recording, lowpass=ss.estimate_loads(model, motion).lowpass)
    heard = ss.emg_envelopes(recording, reference=dict.fromkeys(recording.emg.labels, 1.0), **ENVELOPE).emg
    joints = [name for name in model.coordinate_names if name.startswith(JOINTS)]
    given = {"coordinates": joints, "passive": True}
    emg = {"emg_muscles": trial.electrodes, "mvc": trial.mvc, "emg_delay": trial.emg_delay}
    shared = {
        "plain": ss.solve_muscles(loads, **given),
        "with_emg": ss.solve_muscles(loads, heard, emg_weight=10.0, **given, **emg),
    }
    real = truth_of(trial)
    found = {"missing_Nm": 0.0, "kkt": 0.0}
    for words, forces in shared.items():
        reactions = ss.joint_reactions(loads, forces)
        for name in HAMSTRINGS:
            gap = forces.muscle(name) - truth.muscle_force[:, truth.muscle_names.index(name)]
            off = 100.0 * float(np.sqrt(np.mean(gap**2))) / model.muscles[name].max_force
            found[f"{words}_{name}_percent"] = off
            print(f"{words:<9} {name:<10} {off:4.1f} % of {model.muscles[name].max_force:.0f} N")
        peak = tibia(reactions)
        found[f"{words}_knee_percent"] = 100.0 * abs(peak - real) / real
        print(f"{words:<9} knee {peak:10.1f} body weights, {real:.1f} in truth")
        rows = [model.coordinate_names.index(name) for name in joints]
        left = (reactions.rest - loads.elastic)[:, rows] - forces.reserve
        found["missing_Nm"] = max(found["missing_Nm"], float(np.abs(left).max()))
        found["kkt"] = max(found["kkt"], float(forces.kkt.max()))
    print(f"moments: {found['missing_Nm']:.0e} N·m missing; conditions of optimality to {found['kkt']:.0e}")
    return found


if __name__ == "__main__":
    main()
