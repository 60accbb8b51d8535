"""The tables of `softstride segments`: over time, by gait cycle, by method, and beside the file's own channels."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from softstride.dynamics.validation.curves import GaitCurves
from softstride.errors import InputError
from softstride.files import write_whole
from softstride.harmless import csv_line
from softstride.naming import SIDES
from softstride.segments.analysis import four_methods
from softstride.segments.body_size import UNITS, Normalisation, normalise
from softstride.segments.compare import compare_with_file
from softstride.segments.cycle_sums import cycle_work
from softstride.segments.cycles import curve_unit, study_cycles
from softstride.segments.study import SegmentStudy


def write_tables(study: SegmentStudy, out: Path, by: Normalisation, *, overwrite: bool = False) -> list[Path]:
    """Write all tables that a study has and return their paths; nothing is written before all of it is found."""
    cycles = cycles_of(study, by)
    texts = {
        "cycles.csv": _cycle_table(cycles, by) if cycles else "",
        "work.csv": _work_table(study, by),
        "methods.csv": "" if study.loads is None else _method_table(study),
        "file.csv": _file_table(study),
    }
    written = [out / "joints.csv"]
    study.save(written[0], overwrite=overwrite)
    if study.loads is not None:
        written.append(out / "loads.csv")
        study.loads.save(written[-1], overwrite=overwrite)
    for name, text in texts.items():
        if text:
            written.append(out / name)
            write_whole(written[-1], text.encode("utf-8"), overwrite=overwrite)
    return written


def cycles_of(study: SegmentStudy, by: Normalisation) -> dict[str, GaitCurves]:
    """Return the cycles of each side that has whole ones."""
    found: dict[str, GaitCurves] = {}
    for side in SIDES:
        try:
            found[side] = study_cycles(study, side, by=by)
        except InputError:
            continue  # no whole cycle of this foot, or no joints on this side: there is nothing to write
    return found


def _cycle_table(cycles: dict[str, GaitCurves], by: Normalisation) -> str:
    lines = ["side,curve,unit,percent,mean,sd,cycles"]
    for side, each in cycles.items():
        for i, label in enumerate(each.labels):
            unit = curve_unit(label, by)
            for k, percent in enumerate(each.percent):
                mean, sd, count = each.mean[k, i], each.sd[k, i], each.count[k, i]
                values = (f"{percent:g}", repr(float(mean)), repr(float(sd)), int(count))
                lines.append(csv_line((side, label, unit, *values)))
    return "\n".join(lines) + "\n"


def _work_table(study: SegmentStudy, by: Normalisation) -> str:
    """Return the work of each joint in each cycle, in J and normalised, nan where unknown; "" where there is none."""
    rows = cycle_work(study)
    if not rows:
        return ""
    lines = ["side,joint,start,end,positive_J,negative_J,net_J,positive,negative,net,unit"]
    for each in rows:
        done = each.work
        joules = [np.nan] * 3 if done is None else [done.positive, done.negative, done.net]
        values = [*joules, *normalise(joules, "work", by, study.person)]
        told = (repr(float(x)) for x in (each.start, each.end, *values))
        lines.append(csv_line((each.side, each.joint, *told, UNITS[by]["work"])))
    return "\n".join(lines) + "\n"


def _method_table(study: SegmentStudy) -> str:
    """Return the moment on each segment about its proximal end by the four methods, world axes [N m]."""
    found = four_methods(study)
    names = next(iter(found.values())).names
    head = [
        "time",
        *(
            f"{name.replace(' ', '_')}_{axis}_{method}"
            for name in names
            for method in found
            for axis in "xyz"
        ),
    ]
    columns = [study.time] + [
        loads.moment_on(name)[:, k] for name in names for loads in found.values() for k in range(3)
    ]
    rows = np.stack(columns, axis=1)
    return "\n".join([csv_line(head), *(",".join(repr(float(x)) for x in row) for row in rows)]) + "\n"


def _file_table(study: SegmentStudy) -> str:
    """Return ours and the file's channels over time, and nothing where the file has none."""
    channels = compare_with_file(study)
    if not channels:
        return ""
    head, columns = ["time"], [study.time]
    for each in channels:
        base = "_".join([*each.joint.split(), *([each.plane] if each.plane else []), each.quantity])
        head += [f"{base}_own", f"{base}_file"]
        columns += [each.own, each.file]
    rows = np.stack(columns, axis=1)
    return "\n".join([csv_line(head), *(",".join(repr(float(x)) for x in row) for row in rows)]) + "\n"
