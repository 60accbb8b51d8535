"""A leg on a rolling foot beside the same leg on three stiff spheres: what a simulation of 0.36 s costs.

Both right-hand sides are compiled by the same compiler from scalar code, and run in one process and one thread from the
same ladder of tolerances; for each model and integrator the cheapest run of the ladder counts whose ankle angle stays
within 1e-4 rad of that model's own tight solution. Jacobians are differences, for both. Counted are evaluations of the
right-hand side, which no other process disturbs, and processor time in turns. Spheres are the three of the source with
its stiffness, exponent 1 (as its unit suggests) and 1.5 (Hertz). `rolling_vs_spheres` is the time of the spheres over
that of the rolling foot at exponent 1, each on its own best integrator. `walk_step_ms` is the processor time of one
step of the seven-segment walker, recipe B with all its frames: an interactive view asks for it again and again.

    python bench/contact.py [--json] [--quick]      or: softstride bench contact [--json] [--quick]
"""

import functools
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))  # for bench itself and for tests/oracles

from bench import _script, _timing  # noqa: E402

_timing.use_one_thread()  # before NumPy is loaded

import numpy as np  # noqa: E402
from scipy.integrate import odeint, solve_ivp  # noqa: E402
from tests.oracles.sphere_leg import SphereLeg  # noqa: E402

from softstride.contact import three_sphere_foot  # noqa: E402
from softstride.gait import SevenSegment  # noqa: E402
from softstride.selfcheck.compiled_legs import rolling_rates, sphere_rates  # noqa: E402
from softstride.selfcheck.rolling_leg import START, reference_surface  # noqa: E402

END = 0.36  # [s]
GOAL = 1e-4  # [rad] of the ankle angle
TIMES = np.linspace(0.0, END, 181)
INTEGRATORS = ("RK45", "LSODA", "Radau", "BDF")  # the first is explicit
JUDGED = ("LSODA", "Radau")  # by their ratio of right-hand sides
LADDER = tuple(
    (rtol, share * rtol) for rtol in (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6) for share in (1e-3, 1e-5)
)
TARGET = 10.0  # times the right-hand sides
WANTED = 18.0  # times the time, the source's figure
MOST_STEPS = 200_000
STEPS_A_SECOND = 50.0  # target: a step in 20 ms


class Run(NamedTuple):
    """Ankle angle at TIMES [rad], right-hand sides, and whether the end was reached."""

    ankle: Any
    count: int
    done: bool


class Best(NamedTuple):
    """The cheapest run within a goal."""

    count: int
    rtol: float
    atol: float


@dataclass(frozen=True, eq=False)
class Contender:
    """A leg: its equations, its start, and where tilt and lean are in its state."""

    rates: Callable[[float, Any], Any]
    start: Any
    tilt: int
    lean: int

    def run(self, method: str, rtol: float, atol: float) -> Run:
        """Integrate; loose tolerances may leave the ground, and are then simply not within the goal."""
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            if method == "LSODA":  # the same code as solve_ivp's, without Python between its steps
                y, told = odeint(
                    self.rates,
                    self.start,
                    TIMES,
                    tfirst=True,
                    rtol=rtol,
                    atol=atol,
                    full_output=True,
                    mxstep=MOST_STEPS,
                )
                y, count, done = (
                    y.T,
                    int(told["nfe"][-1]),
                    told["message"].startswith("Integration successful"),
                )
            else:
                told = solve_ivp(
                    self.rates, (0.0, END), self.start, method=method, rtol=rtol, atol=atol, t_eval=TIMES
                )
                y, count, done = told.y, int(told.nfev), bool(told.success)
        return Run(y[self.lean] - y[self.tilt], count, done)


def contenders() -> dict[str, Contender]:
    legs = {"rolling": Contender(rolling_rates(reference_surface()), START, tilt=0, lean=1)}
    for name, exponent in (("spheres", 1.0), ("hertz", 1.5)):
        foot = three_sphere_foot(exponent)
        legs[name] = Contender(sphere_rates(foot), SphereLeg(foot).start(), tilt=2, lean=4)
    return legs


def cheapest(leg: Contender, truth: Any, method: str, goal: float = GOAL) -> Best:
    """Return the run of the ladder with the fewest right-hand sides within the goal."""
    found: list[Best] = []
    for rtol, atol in LADDER:
        if len({best.rtol for best in found}) >= 2:
            break  # two decades were within the goal: the next ones only cost more
        run = leg.run(method, rtol, atol)
        if run.done and np.abs(run.ankle - truth).max() <= goal:
            found.append(Best(run.count, rtol, atol))
    if not found:
        raise RuntimeError(f"{method} reaches {goal:g} rad with no tolerance of the ladder")
    return min(found)


def main(json: bool = False, quick: bool = False) -> dict[str, float]:
    """Measure everything and return the figures by name.

    Args:
        json: Print nothing: the caller prints the figures.
        quick: One integrator, exponent 1 and few turns: rough figures.

    Returns:
        `rolling_vs_spheres` and, for exponent 1.5, `rolling_vs_spheres_hertz`; for each integrator the counts and times
        [ms] of `rolling`, `spheres` (exponent 1) and `hertz` (1.5), and the ratios of both kinds of spheres; and
        `walk_step_ms`.
    """
    say: _script.Say = (lambda _: None) if json else (lambda line: print(line, flush=True))
    legs = contenders()
    if quick:
        del legs["hertz"]
    truths = {name: leg.run("LSODA", 1e-8, 1e-11).ankle for name, leg in legs.items()}  # to 1e-8 rad
    figures: dict[str, float] = {}
    least = dict.fromkeys(legs, (np.inf, ""))
    say(f"a leg for {END:g} s, ankle angle within {GOAL:g} rad; spheres with exponent 1, hertz 1.5")
    for method in ("LSODA",) if quick else INTEGRATORS:
        short = method.lower()
        runs = {name: cheapest(leg, truths[name], method) for name, leg in legs.items()}
        tasks = {
            name: functools.partial(leg.run, method, runs[name].rtol, runs[name].atol)
            for name, leg in legs.items()
        }
        times = _timing.best_of(tasks, rounds=2 if quick else 5)
        for name, best in runs.items():
            least[name] = min(least[name], (times[name], method))
            say(
                f"  {method:<6} {name:<8} {best.count:>7} right-hand sides {1e3 * times[name]:>9.2f} ms   "
                f"rtol {best.rtol:g}, atol {best.atol:g}"
            )
            figures[f"{short}_{name}_nfev"] = float(best.count)
            figures[f"{short}_{name}_ms"] = 1e3 * times[name]
        for name in tuple(legs)[1:]:
            end = "" if name == "spheres" else f"_{name}"
            counts, ratio = runs[name].count / runs["rolling"].count, times[name] / times["rolling"]
            target = TARGET if name == "spheres" and method in JUDGED else None
            _script.line(
                say, f"  {method}: {name} over rolling, right-hand sides", f"{counts:.1f}", target, counts
            )
            _script.line(say, f"  {method}: {name} over rolling, time", f"{ratio:.1f}")
            figures |= {f"{short}_nfev_ratio{end}": counts, f"{short}_time_ratio{end}": ratio}
    for name in tuple(legs)[1:]:
        ratio = least[name][0] / least["rolling"][0]
        figures["rolling_vs_spheres" + ("" if name == "spheres" else f"_{name}")] = ratio
        label = f"{name} on {least[name][1]} over rolling on {least['rolling'][1]}, time"
        _script.line(say, label, f"{ratio:.1f}", WANTED if name == "spheres" else None, ratio)
    walker = SevenSegment()
    step = _timing.best_of({"step": lambda: walker.simulate("B")}, rounds=2 if quick else 5)["step"]
    figures["walk_step_ms"] = 1e3 * step
    _script.line(
        say, "steps of the seven-segment walker a second", f"{1.0 / step:.0f}", STEPS_A_SECOND, 1.0 / step
    )
    return figures


if __name__ == "__main__":
    _script.run(main, __doc__)
