"""The study of the running athlete, analysed once, its report, and a browser to open it in."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.browser import browser, page  # noqa: F401
from tests.once import once
from tests.trials import the_athlete

from softstride.kinematics.motion import Motion
from softstride.notes import Note
from softstride.pipeline import AnalyzeOptions, analyze
from softstride.report import render_report
from softstride.study import Stage, Study, open_study

NOTHING = {
    "measured": None,
    "estimated": None,
    "validation": None,
    "bands": {},
    "blades": {},
    "forces": None,
    "reactions": None,
    "knees": {},
    "emg_forces": None,
}
"""Everything but the motion taken away."""


def analyze_athlete(file: Path) -> None:
    athlete = the_athlete()
    options = AnalyzeOptions(emg=athlete.electrodes, mvc=athlete.mvc)
    analyze(athlete.recording, athlete.model, options).save(file)


@pytest.fixture(scope="session")
def study() -> Study:
    return open_study(once("athlete.study.nc", analyze_athlete))


@pytest.fixture(scope="session")
def report(study: Study) -> str:
    return render_report(study)


@pytest.fixture(scope="session")
def report_file(report: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("report") / "running.html"
    file.write_text(report, encoding="utf-8")
    return file


def without_events(study: Study) -> Study:
    motion = study.motion
    still = Motion(study.model, motion.time, motion.q, motion.rates, motion.fit)
    return study.changed(motion=still, recording=study.recording.replace(events=()))


def cut(study: Study, frames: int) -> Study:
    motion = study.motion
    first = slice(0, frames)
    short = Motion(study.model, motion.time[first], motion.q[first], (motion.v[first], motion.a[first]))
    return study.changed(motion=short, recording=study.recording.replace(events=()), **NOTHING)


def with_gaps(study: Study) -> Study:
    """One frame without loads, ten without, one marker lost for a frame and another for thirty."""
    loads = study.measured
    tau = loads.tau.copy()
    tau[100] = tau[200:210] = np.nan
    lost = np.isnan(tau[:, :1])
    wrenches = {
        name: replace(wrench, force=np.where(lost, np.nan, wrench.force))
        for name, wrench in loads.wrenches.items()
    }
    markers = study.recording.markers
    values = markers.values.copy()
    values[50, 3] = values[60:90, 5] = np.nan
    return study.changed(
        measured=replace(loads, tau=tau, wrenches=wrenches),
        recording=study.recording.replace(markers=replace(markers, values=values)),
    )


def odd_studies(study: Study) -> dict[str, tuple[Study, tuple[str, ...]]]:
    """Return studies that lack something, with what their pages must say."""
    nowhere = replace(study.measured, tau=np.full_like(study.measured.tau, np.nan))
    failed = (Stage("kinematics"), Stage("estimated loads", "failed", "no <floor> was found"))
    quiet = {"forces": None, "emg_forces": None, "reactions": None, "knees": {}}
    quiet |= {"emg": type(study.emg).none(), "electrodes": {}}
    told = (Note("knees.no-compartments", "no compartments of the left knee: who knows"), "it rained")
    return {
        "motion": (
            study.changed(**NOTHING),
            ("No ground reaction.", "No joint moments.", "No muscle forces."),
        ),
        "plates": (
            study.changed(measured=None, validation=None),
            ("Only the estimated ground reaction is known",),
        ),
        "estimate": (
            study.changed(estimated=None, validation=None),
            ("Only the measured ground reaction is known",),
        ),
        "muscles": (study.changed(**quiet), ("No muscle forces.", "No EMG.", "No joint forces.")),
        "events": (
            without_events(study).changed(**NOTHING),
            ("no gait events are known: everything is shown over time",),
        ),
        "events, with loads": (without_events(study), ("by the measured vertical force, above 20 N",)),
        "gaps": (with_gaps(study), ("loads are not known in 11 of 350 frames", "not seen [% of frames]")),
        "nothing known": (study.changed(measured=nowhere), ("loads are not known in 350 of 350 frames",)),
        "one frame": (cut(study, 1), ("Nothing moves.", "1 frame<")),
        "two frames": (cut(study, 2), ("no gait events are known",)),
        "knees": (
            study.changed(knees={}, notes=told),
            (
                "not shared between the compartments of knees. no compartments of the left knee: who knows</p>",
            ),
        ),
        "failed": (
            study.changed(**NOTHING, stages=failed),
            ("The step “estimated loads” failed: no &lt;floor&gt; was found",),
        ),
    }
