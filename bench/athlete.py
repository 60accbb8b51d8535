"""The digital athlete judged as the hybrid-link paper judges its own: tables 1 and 2, blade and foot apart.

From markers to ground reaction without a look at the plates; then RMSE [N] and rRMSE [%] of each whole strike along x
(forward), y (up) and z (right), eq. 39. Then with one cause after the other: contact alone (the truth's model, clean
markers), the analyst's model besides (six segments for 24, inertia 5 % off), noise or soft tissue on top.

    python bench/athlete.py [--json] [--quick]      or: softstride bench athlete [--json] [--quick]
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from bench import _script, _timing  # noqa: E402

_timing.use_one_thread()  # before NumPy is loaded

import numpy as np  # noqa: E402

import softstride as ss  # noqa: E402

PAPER = {"walking": (13.0, 12.0, 12.0), "running": (15.0, 11.0, 20.0)}  # means over its plates, one subject
ALL = "noise and soft tissue"
CASES = {
    ALL: {"noise": True, "artefact": True},
    "noise": {"noise": True, "artefact": False},
    "soft tissue": {"noise": False, "artefact": True},
    "model": {"noise": False, "artefact": False},
    "contact": {"noise": False, "artefact": False},
}
"""What is wrong besides what is wrong in the cases below; in the last one the model is the truth's."""


def main(json: bool = False, quick: bool = False) -> dict[str, float]:
    """Print both tables and how errors split, and return the means by name.

    Args:
        json: Print nothing: the caller prints the figures.
        quick: Running only, with everything on and with contact alone.

    Returns:
        Means over whole strikes in %, such as "walking_rrmse_x"; the error of the blade's peak, "running_blade_peak",
        and of its force over the trial, "running_blade_y", in % of the peak and the range.
    """
    say: _script.Say = (lambda _: None) if json else (lambda line: print(line, flush=True))
    figures: dict[str, float] = {}
    for gait in ("running",) if quick else ("walking", "running"):
        for case, given in CASES.items():
            if quick and case not in (ALL, "contact"):
                continue
            trial = ss.load_athlete(gait, **given)
            model = trial.truth_model if case == "contact" else trial.model
            motion = ss.solve_ik(model, trial.recording)
            loads = ss.estimate_loads(model, motion)
            judged = ss.validate_loads(loads, trial.recording, motion=motion)
            means = judged.mean_of(whole=True)
            if case == ALL:
                say(f"{gait}: whole strikes, x, y, z; RMSE [N] (rRMSE [%])")
                for strike in judged.strikes:
                    if not strike.partial:
                        cells = "".join(
                            f"{a:8.1f} ({b:4.1f})" for a, b in zip(strike.rmse, strike.rrmse, strict=True)
                        )
                        under = "blade" if strike.foot == "right" else "foot"
                        say(f"  {under:<6}{strike.start:6.3f} s{cells}")
                paper = " / ".join(f"{x:g}" for x in PAPER[gait])
                say(f"  the paper's means, one subject: {paper} %")
                figures |= {f"{gait}_rrmse_{a}": float(x) for a, x in zip("xyz", means["rrmse"], strict=True)}
                figures |= _blade(gait, loads, trial)
                say(
                    f"  force of the blade, rms over range: "
                    f"{' / '.join(format(figures[f'{gait}_blade_{a}'], '.1f') for a in 'xyz')} %; "
                    f"peak {figures[f'{gait}_blade_peak']:+.1f} %"
                )
            cells = " / ".join(
                f"{x:.1f} ({f:.1f})" for x, f in zip(means["rrmse"], means["floor"], strict=True)
            )
            say(f"  {case:<24} mean rRMSE (floor) {cells} %")
            figures |= {
                f"{gait}_{case.replace(' ', '_')}_{a}": float(x)
                for a, x in zip("xyz", means["rrmse"], strict=True)
            }
    return figures


def _blade(gait: str, loads: ss.Loads, trial: ss.AthleteTrial) -> dict[str, float]:
    ours, truth = loads.wrenches["ground_right"].force, trial.truth.blade_force
    off = 100.0 * np.sqrt(np.mean((ours - truth) ** 2, axis=0)) / np.ptp(truth, axis=0)
    peak = 100.0 * (ours[:, 1].max() / truth[:, 1].max() - 1.0)
    return {f"{gait}_blade_{a}": float(x) for a, x in zip("xyz", off, strict=True)} | {
        f"{gait}_blade_peak": float(peak)
    }


if __name__ == "__main__":
    _script.run(main, __doc__)
