"""Quadratic programs over friction cones: microseconds a frame of ten points, beside Clarabel and DAQP.

Two feet of five points each are to meet a wrench that changes smoothly in time, with a little on the diagonal. Ours
solves all frames in one call, input checks included; the others are called frame by frame through their packages,
set-up included, as a user would.
"""

from __future__ import annotations

import argparse
import json as json_format
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))  # for bench itself

from bench import _timing  # noqa: E402

_timing.use_one_thread()  # before NumPy is loaded

import numpy as np  # noqa: E402
from tests.solvers._programs import feet  # noqa: E402

from softstride.engine.cone_qp import solve_cone_qp  # noqa: E402
from softstride.solvers import solve_with_clarabel, solve_with_daqp  # noqa: E402

FRAMES, POINTS, REGULAR, FRICTION, FACETS = 2000, 10, 1e-3, 0.8, 8
OTHERS = 50  # frames that the others solve
GROUPS = np.repeat([0, 1], POINTS // 2)


def main(json: bool = False, quick: bool = False) -> dict[str, float]:
    """Measure and return microseconds a frame of one thread (processor time) by name."""
    H, g = feet(FRAMES, POINTS, REGULAR)
    H[:] = H[0]
    weights = np.exp(-(np.arange(-15, 16) ** 2) / 50.0)
    g = np.apply_along_axis(lambda v: np.convolve(v, weights / weights.sum(), "same"), 0, g)
    long_h, long_g = np.tile(H, (4, 1, 1)), np.tile(g, (4, 1))
    before = solve_cone_qp(H, g, FRICTION).x
    given = {"groups": GROUPS, "smoothness": 1.0}
    ours = {
        "cones": lambda: solve_cone_qp(H, g, FRICTION),
        "cones, start of the frame before": lambda: solve_cone_qp(
            H, g, FRICTION, start=np.roll(before, 1, axis=0)
        ),
        "pyramids of 8 sides": lambda: solve_cone_qp(H, g, FRICTION, facets=FACETS),
        "cones, smooth in time": lambda: solve_cone_qp(H, g, FRICTION, **given),
        "cones, four times the frames": lambda: solve_cone_qp(long_h, long_g, FRICTION),
    }
    theirs = {
        "clarabel, cones": lambda: [solve_with_clarabel(H[t], g[t], FRICTION) for t in range(OTHERS)],
        "daqp, pyramids of 8 sides": lambda: [
            solve_with_daqp(H[t], g[t], FRICTION, facets=FACETS) for t in range(OTHERS)
        ],
    }
    for task in ours.values():
        task()
    times = _timing.best_of({**ours, **theirs}, 2 if quick else 5)
    counts = dict.fromkeys(ours, FRAMES) | dict.fromkeys(theirs, OTHERS)
    counts["cones, four times the frames"] = 4 * FRAMES
    figures = {name: 1e6 * times[name] / counts[name] for name in times}
    if not json:
        for name, value in figures.items():
            print(f"{name:40s} {value:8.1f} us a frame")
    return figures


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    result = main(json=options.json, quick=options.quick)
    if options.json:
        print(json_format.dumps(result))
