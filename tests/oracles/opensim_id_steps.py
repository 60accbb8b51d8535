"""What OpenSim's InverseDynamicsTool does to motion and loads, step by step, in NumPy and SciPy.

`opensim_id` says it in words. Tests run these steps and our recursion beside the tool: that they meet shows that the
words are true, and where `solve_id` differs from the tool, the steps tell which one is responsible.
"""

from xml.etree import ElementTree

import numpy as np
from scipy.interpolate import BSpline, make_interp_spline
from scipy.signal import lfilter, lfiltic

from softstride import engine

from . import opensim_id

EPS = np.finfo(float).eps


def natural_spline(x, y, degree):
    """Return the interpolating spline whose derivatives (degree + 1) / 2 to degree - 1 vanish at both ends."""
    ends = [(k, np.zeros(y.shape[1:])) for k in range((degree + 1) // 2, degree)]
    return make_interp_spline(x, y, k=degree, bc_type=(ends, ends))


def pad(signal, size):
    """Return the signal with `size` frames before and after, mirrored through its end points, (n + 2 size, ...)."""
    before = 2.0 * signal[0] - signal[size:0:-1]
    after = 2.0 * signal[-1] - signal[-2 : -2 - size : -1]
    return np.concatenate([before, signal, after])


def resample(time, values):
    """Return (time, values, step) at multiples of the least step, added up one by one, unless all steps are equal."""
    least, mean = np.diff(time).min(), (time[-1] - time[0]) / (len(time) - 1)
    if mean - least <= EPS:
        return time, values, least
    grid = time[0] + np.concatenate([[0.0], np.cumsum(np.full(len(time) + 10, least))])
    grid = grid[grid <= time[-1]]
    return grid, natural_spline(time, values, 5)(grid), least


def butterworth(values, cutoff, step):
    """Return the values after one pass forward and one backward of the third-order filter, (n, m)."""
    w = np.tan(np.pi * min(cutoff, 0.49 / step if cutoff >= 0.5 / step else cutoff) * step)
    b = np.array([1.0, 3.0, 3.0, 1.0]) * w**3
    a = np.polymul([w + 1.0, w - 1.0], [w * w + w + 1.0, 2.0 * (w * w - 1.0), w * w - w + 1.0])
    b, a = b / a[0], a / a[0]
    for _ in range(2):
        done = np.empty_like(values)
        for j in range(values.shape[1]):
            x = values[:, j]
            state = lfiltic(b, a, x[2::-1], x[2::-1])
            done[:, j] = np.concatenate([x[:3], lfilter(b, a, x[3:], zi=state)[0]])
        values = done[::-1]
    return values


def instants(time, start, stop):
    """Return the range of frames that the tool solves."""
    first, last = (max(int(np.searchsorted(time, t, side="right")) - 1, 0) for t in (start, stop))
    return slice(first, last + 1)


def motion(time, q, lowpass, time_range):
    """Return (time, q, v, a) as the tool has them."""
    start, stop = time_range or (time[0], time[-1])
    if lowpass is not None:
        size = len(time) // 2
        time, q, step = resample(pad(time, size), pad(q, size))
        q = butterworth(q, lowpass, step)
    spline: BSpline = natural_spline(time, q, 5)
    wanted = time[instants(time, start, stop)]
    return wanted, *(spline(wanted, k) for k in range(3))


def forces(files, time):
    """Return (body, force (n, 3), point (n, 3), moment (n, 3)) of each external force, all in ground."""
    root = ElementTree.parse(files.loads).getroot()
    source = files.loads.parent / root.findtext(".//datafile").strip()
    table = opensim_id.read_table(source)
    found = []
    for each in root.iter("ExternalForce"):
        assert each.findtext("force_expressed_in_body").strip() == "ground"
        assert each.findtext("point_expressed_in_body").strip() == "ground"
        keys = [each.findtext(f"{kind}_identifier").strip() for kind in ("force", "point", "torque")]
        columns = [[i for i, label in enumerate(table.labels) if label.startswith(key)] for key in keys]
        assert all(len(three) == 3 for three in columns)
        values = (natural_spline(table.time, table.values[:, three], 3)(time) for three in columns)
        found.append((each.findtext("applied_to_body").strip(), *values))
    return found


def inverse_dynamics(model, time, q, v, a, loads):
    """Return tau of our recursion under loads from `forces`, (n, nv)."""
    wrenches = {}
    for body, force, point, moment in loads:
        origin = engine.positions(model, q, [body])[:, 0]
        wrench = np.concatenate([moment + np.cross(point - origin, force), force], axis=1)
        wrenches[body] = wrenches.get(body, 0.0) + wrench
    return engine.inverse_dynamics(model, q, v, a, wrenches)
