"""What an analyst believes of the surgery, beside the truth: errors and changes of forces and of the knee force."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import softstride as ss
from bench._athlete_analysis import analyse, knee_force, rmse, single_support
from bench._intact_set import intact_set
from bench._script import Say
from softstride.digital_athlete.person import estimator_model

Array = NDArray[np.float64]

HEAD = (
    f"{'':<32}{'bflh':>8}{'semiten':>9}{'change':>8}   {'most changed':<18}"
    f"{'knee peak':>10}{'error':>8}{'change':>8}{'in all':>8}"
)
UNITS = f"{'':<32}{'%':>8}{'%':>9}{'%':>8}   {'%':<18}{'BW':>10}{'BW':>8}{'BW':>8}{'BW':>8}"


def beliefs(trial: ss.AthleteTrial) -> dict[str, ss.Model]:
    """Return the analyst's model after each surgery; the first is what was done."""
    return {
        "myodesis, as it is": trial.model,
        "myoplasty": estimator_model("myoplasty"),
        "cut ones left out": estimator_model("unattached"),
        "intact set": intact_set(),
    }


@dataclass(frozen=True, eq=False)
class Outcome:
    """Forces and the knee force [BW] that an analyst finds."""

    forces: ss.MuscleForces
    knee: Array

    def changes(self, first: "Outcome") -> dict[str, float]:
        """Return by how much muscles of the right leg that both have differ over the trial, in % of maximal force."""
        both = [name for name in self.forces.names if name.endswith("_r") and name in first.forces.names]
        uncut = [name for name in both if name not in ("gasmed_r", "gaslat_r", "soleus_r")]
        every = np.ones(len(self.knee), dtype=bool)
        model = first.forces.model
        return {
            name: rmse(model, name, self.forces.muscle(name), first.forces.muscle(name), every)
            for name in uncut
        }


def true_knee(trial: ss.AthleteTrial) -> Array:
    """Return the true force along the right tibia in the knee [BW], shape (n,)."""
    truth = trial.truth
    plates = ss.load_athlete(trial.name, noise=False, artefact=False).recording
    moved = ss.Motion(truth.model, truth.time, truth.q, rates=(truth.v, truth.a))
    pulls = ss.MuscleForces(truth.model, truth.time, truth.muscle_names, truth.muscle_force, truth.activation)
    return knee_force(truth.model, moved, ss.solve_id(truth.model, moved, plates), pulls)


def surgeries(say: Say, trial: ss.AthleteTrial, *, quick: bool) -> dict[str, float]:
    """Print the table and return its figures by name: of the right leg, errors over its single support."""
    gait, truth, real = trial.name, trial.truth, true_knee(trial)
    phases = [phase.frames for phase in single_support(trial.recording, truth.time) if phase.side == "right"]
    stance = np.any(phases, axis=0)
    say(
        f"\n{gait}, right leg, by what is believed of the surgery; true peak of the knee force {real.max():.2f} BW"
    )
    say(HEAD)
    say(UNITS)
    figures = {f"{gait}_knee_true_peak": float(real.max())}
    for emg in (False,) if quick else (False, True):
        first: Outcome | None = None
        for label, model in beliefs(trial).items():
            found = analyse(trial, model)
            forces = found.share(emg=emg)
            here = Outcome(forces, found.knee(forces))
            first = first or here
            changed = here.changes(first)
            most = max(changed, key=lambda name: changed[name])
            values = {
                name: rmse(model, name, forces.muscle(name), _true(truth, name), stance)
                for name in ("bflh_r", "semiten_r")
            }
            values |= {
                "change": float(np.sqrt(np.mean(np.square(list(changed.values()))))),
                "most_changed": changed[most],
                "knee_peak": float(np.nanmax(here.knee)),
                "knee_error": _rms((here.knee - real)[stance]),
                "knee_change": _rms((here.knee - first.knee)[stance]),
                "knee_change_in_all": _rms(here.knee - first.knee),
            }
            key = f"{gait}_{'informed' if emg else 'plain'}_{label.split(',')[0].replace(' ', '_')}"
            figures |= {f"{key}_{name}": x for name, x in values.items()}
            told = f"{most} {changed[most]:.1f}" if here is not first else ""
            say(
                f"{'with EMG' if emg else 'plain':<10}{label:<22}{values['bflh_r']:>8.1f}{values['semiten_r']:>9.1f}"
                f"{values['change']:>8.1f}   {told:<18}{values['knee_peak']:>10.2f}{values['knee_error']:>8.2f}"
                f"{values['knee_change']:>8.2f}{values['knee_change_in_all']:>8.2f}"
            )
    return figures


def _true(truth: ss.AthleteTruth, name: str) -> Array:
    return truth.muscle_force[:, truth.muscle_names.index(name)]


def _rms(x: Array) -> float:
    return float(np.sqrt(np.nanmean(x**2)))
