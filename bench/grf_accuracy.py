"""Ground reactions from kinematics alone beside measured ones: errors of each strike, their floors, and means.

Each trial has a model, a motion that others found, and measured forces, which only judge. The floor of an axis is the
base residual that model and motion leave with the measured forces, over the same frames and range; all of it is charged
to each foot of a double support. The shared floor charges each foot with its share of the measured vertical force: what
a method could reach that balances the body and knows how both feet share. Means are over all strikes, pieces of them at
both ends of a trial among them, and over whole strikes alone, as on the digital athlete (`bench/athlete.py`); then come
the goals, beside both means and both floors. With --ideal the estimate is the measured force plus its share of the
residual, which shows what the shared floor is.

With --markers the motion is our own, from the markers of the trial, over the same frames; with --smooth its frames are
coupled in time by the cut-off that --auto would take, in place of a low pass afterwards. With --inertia the mass of the
model is shared among its links as tables of an average person have it. None of them looks at a force.

    python -m bench.grf_accuracy [NAME ...] [--ideal] [--auto] [--markers] [--smooth] [--inertia]
                                 [--set OPTION=VALUE] [--force-lowpass HZ] [--json]
    softstride bench grf_accuracy [--json]

Names are beginnings of names of trials. Recordings are in SOFTSTRIDE_TEST_DATA or ../shared/data.
"""

from __future__ import annotations

import argparse
import ast
import json as json_format
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))  # for bench itself and for tests/oracles

import numpy as np  # noqa: E402
from tests.oracles.opensim_id_trials import TRIALS  # noqa: E402

import softstride as ss  # noqa: E402
from bench import _grf_goals as _goals  # noqa: E402
from softstride.dynamics.validation.validate import Validation, validate_loads  # noqa: E402
from softstride.kinematics import read_motion  # noqa: E402

PLANAR = "walk_planar10dof"  # no lateral forces, and the same walk as walk_gait2354
LOADED = 20.0  # N: feet that carry less share nothing

MARKERS = {
    "walk_gait2354": "walk_gait2354/subject01_walk1.trc",
    "walk_rajagopal_emg": "walk_rajagopal_emg/markers_walk.trc",
    "walk_opencap_s4": "walk_opencap_s4/walking1.trc",
    "knee_gc5_ps_ss1": "knee_gc5_ps/PS_ngait_og_ss1.trc",
    "knee_gc5_ps_ss11": "knee_gc5_ps/PS_ngait_og_ss11.trc",
    "run_hamner_s01_2": "run_hamner_s01/run200.trc",
    "run_hamner_s01_5": "run_hamner_s01/run500.trc",
    "run_overground_bmc": "run_overground_bmc/motion_capture_run.trc",
}

Estimate = Callable[["Trial", ss.Loads], ss.Loads]


@dataclass(frozen=True)
class Trial:
    """What is read of a trial: name, model, motion, measured forces, low pass of the coordinates [Hz], frames [s]."""

    name: str
    model: ss.Model
    motion: ss.Motion
    recording: ss.Recording
    lowpass: float | None
    time_range: tuple[float, float] | None

    @property
    def group(self) -> str:
        """What means are taken over: all walks, each set of runs."""
        return "walking" if self.name.startswith(("walk", "knee")) else self.name.rstrip("_25")

    def measured(self) -> ss.Loads:
        """Return the inverse dynamics with the measured forces: its residual is the floor."""
        return ss.solve_id(
            self.model, self.motion, self.recording, lowpass=self.lowpass, time_range=self.time_range
        )


def data_folder() -> Path | None:
    """Return the folder of recordings; None where there is none."""
    folder = Path(os.environ.get("SOFTSTRIDE_TEST_DATA") or ROOT.parent / "shared" / "data")
    return folder if folder.is_dir() else None


def trials(shared: Path | None = None, names: tuple[str, ...] = ()) -> Iterator[Trial]:
    """Yield the trials with a model whose name begins with one of `names` (all without), read when asked for."""
    folder = shared or data_folder()
    if folder is None:
        return
    for each in TRIALS:
        if each.name == PLANAR or (names and not each.name.startswith(names)):
            continue
        model = ss.load_model(folder / each.model)
        motion = read_motion(folder / each.motion, model)
        recording = ss.read(folder / each.loads)
        if each.plates:  # no document says which foot is on which plate
            bodies = {force.removesuffix("_v"): body for body, force, _, _ in each.plates.values()}
            named = tuple(replace(force, body=bodies[force.name]) for force in recording.forces)
            recording = replace(recording, forces=named)
        yield Trial(each.name, model, motion, recording, each.lowpass, each.time_range)


def from_markers(trial: Trial, shared: Path, smooth: bool) -> Trial:
    """Return the trial with a motion of our own, of the same frames, and the low pass that it asks for."""
    from softstride.dynamics.estimate.cutoff import choose_cutoff

    seen = ss.read(shared / MARKERS[trial.name])
    motion = ss.solve_ik(trial.model, seen)
    cutoff, _ = choose_cutoff(trial.model, motion)
    if smooth and cutoff is not None:
        motion, cutoff = ss.solve_ik(trial.model, seen, cutoff=cutoff), None
    times = trial.time_range or (trial.motion.time[0], trial.motion.time[-1])
    first, last = max(times[0], motion.time[0]), min(times[1], motion.time[-1])
    return replace(trial, motion=motion, lowpass=cutoff, time_range=(float(first), float(last)))


def with_table_masses(trial: Trial) -> Trial:
    """Return the trial with the mass of its model shared among the links as in the packaged person.

    Centres of mass stay, moments of inertia change with the masses; what the packaged person has besides (arms) goes
    to the torso.
    """
    table = {link.name: link.mass for link in ss.load_model("gait", mass=trial.model.mass).links}
    own = [link.name for link in trial.model.links if link.mass > 0.0]
    masses = {name: table[name] for name in own if name in table}
    rest = sum(table.values()) - sum(masses.values())
    masses["torso"] += rest - sum(link.mass for link in trial.model.links if link.name not in masses)
    links = []
    for link in trial.model.links:
        ratio = masses[link.name] / link.mass if link.name in masses else 1.0
        inertia = replace(link.inertia, mass=ratio * link.inertia.mass, matrix=ratio * link.inertia.matrix)
        links.append(replace(link, inertia=inertia))
    model = trial.model.replace(links=tuple(links))
    rates = (trial.motion.v, trial.motion.a)
    motion = replace(trial.motion, model=model, rates=rates)
    return replace(trial, model=model, motion=motion)


def estimated(trial: Trial, measured: ss.Loads, **changes: Any) -> ss.Loads:
    """Return the loads from kinematics alone."""
    from softstride.dynamics.estimate import estimate_loads

    options = {"lowpass": trial.lowpass, "time_range": trial.time_range} | changes
    return estimate_loads(trial.model, trial.motion, **options)


def ideal(trial: Trial, measured: ss.Loads) -> ss.Loads:
    """Return measured forces plus the residual force, shared as the measured vertical forces are."""
    up = {name: np.maximum(w.force[:, 1:2], 0.0) for name, w in measured.wrenches.items()}
    total = np.sum(list(up.values()), axis=0)
    share = {name: np.where(total > LOADED, x / np.maximum(total, LOADED), 0.0) for name, x in up.items()}
    wrenches = {
        name: replace(w, force=w.force + share[name] * measured.residual[:, 3:])
        for name, w in measured.wrenches.items()
    }
    return replace(measured, wrenches=wrenches)


def judge(trial: Trial, estimate: Estimate = estimated, force_lowpass: float | None = None) -> Validation:
    """Return the errors of an estimate of a trial."""
    measured = trial.measured()
    return validate_loads(estimate(trial, measured), measured, force_lowpass=force_lowpass)


def main(
    json: bool = False,
    quick: bool = False,
    names: tuple[str, ...] = (),
    estimate: Estimate = estimated,
    force_lowpass: float | None = None,
    auto: bool = False,
    markers: bool = False,
    smooth: bool = False,
    inertia: bool = False,
) -> dict[str, float]:
    """Print the strikes of each trial and the means, and return the means by name.

    Args:
        json: Print nothing: the caller prints the figures.
        quick: One short trial only.
        names: Beginnings of names of trials; all without.
        estimate: Where the loads come from.
        force_lowpass: Of the measured forces [Hz].
        auto: Let the motion choose the low pass of the coordinates, for estimate and floor.
        markers: Take our own motion, from the markers.
        smooth: Couple its frames in time.
        inertia: Share the mass among the links as tables have it.

    Returns:
        Means over all strikes in %, such as "walk_gait2354_rrmse_x", "walking_floor_x" and "walking_floor_shared_x",
        and [mm] "..._cop_single_mm"; those over whole strikes end in "_whole", and are left out where there are none.
    """
    say: Callable[[str], None] = (lambda _: None) if json else (lambda line: print(line, flush=True))
    found: dict[str, tuple[str, Validation]] = {}
    for trial in trials(names=("walk_gait2354",) if quick and not names else names):
        folder = data_folder()
        if (markers or smooth) and folder is not None:
            trial = from_markers(trial, folder, smooth)
        elif auto:
            from softstride.dynamics.estimate.cutoff import choose_cutoff

            trial = replace(trial, lowpass=choose_cutoff(trial.model, trial.motion)[0])
        if inertia:
            trial = with_table_masses(trial)
        checked = judge(trial, estimate, force_lowpass)
        found[trial.name] = trial.group, checked
        passed = "none" if trial.lowpass is None else f"{trial.lowpass:.1f} Hz"
        say(f"\n{trial.name}: {trial.motion.n_frames} frames, {trial.model.mass:.1f} kg, low pass {passed}")
        say(checked.table())
        for note in checked.notes:
            say(f"- {note}")
    if not found:
        say("no recordings: set SOFTSTRIDE_TEST_DATA to their folder")
        return {}
    figures: dict[str, float] = {}
    for whole, words in _goals.SELECTIONS.items():
        rows = _goals.mean_rows(found, whole)
        say("")
        for line in _goals.table(rows, f"means over {words} strikes"):
            say(line)
        say("")
        for line in _goals.lines(rows, words):
            say(line)
        figures |= _goals.figures(rows, "_whole" if whole else "")
    return figures


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", help="beginnings of names of trials")
    parser.add_argument("--ideal", action="store_true", help="measured force plus residual, as the estimate")
    parser.add_argument(
        "--auto", action="store_true", help="low pass of the coordinates chosen from the motion"
    )
    parser.add_argument("--markers", action="store_true", help="our own motion, from the markers")
    parser.add_argument("--smooth", action="store_true", help="the same with frames coupled in time")
    parser.add_argument("--inertia", action="store_true", help="masses of the links as tables share them")
    parser.add_argument("--force-lowpass", type=float, metavar="HZ", help="low pass of the measured forces")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="OPTION=VALUE",
        help="of the estimate, as Python writes it",
    )
    parser.add_argument(
        "--json", action="store_true", help="print the figures as one JSON object, nothing else"
    )
    given = parser.parse_args()
    changes = {
        name: ast.literal_eval(value) for name, _, value in (each.partition("=") for each in given.set)
    }
    means = main(
        json=given.json,
        names=tuple(given.names),
        estimate=ideal if given.ideal else partial(estimated, **changes),
        force_lowpass=given.force_lowpass,
        auto=given.auto,
        markers=given.markers,
        smooth=given.smooth,
        inertia=given.inertia,
    )
    if given.json:
        print(json_format.dumps(means))
