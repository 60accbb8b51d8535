"""`render_report` and `write_report`: a study in, one HTML page out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from softstride.errors import InputError, SoftstrideError
from softstride.files import write_whole
from softstride.naming import SIDES
from softstride.report.blade_energy import blade_links
from softstride.report.context import Context, Section
from softstride.report.html import paragraph
from softstride.report.norms import Norms, read_norms, textbook_norms
from softstride.report.page import compose
from softstride.report.sections import (
    blades,
    contacts,
    ground,
    joints,
    kinematics,
    muscles,
    quality,
    summary,
)
from softstride.report.sections.replay import contacts_of, replay_html, replay_scene
from softstride.report.strides import find_strides, stretches
from softstride.study.study import Study

PARTS: tuple[tuple[str, Callable[[Context], Section]], ...] = (
    ("Summary", summary.section),
    ("Data quality", quality.section),
    ("Kinematics", kinematics.section),
    ("Ground reaction", ground.section),
    ("Joint moments and powers", joints.section),
    ("Blade", blades.section),
    ("Muscle forces and EMG", muscles.section),
    ("Joint contact forces", contacts.section),
)
"""The parts of a page in their order, with the title of each."""


def render_report(study: Study, *, norms: Norms | str | Path | None = None, replay: bool = True) -> str:
    """Return a study as one HTML page.

    Args:
        study: The study.
        norms: To lay behind curves, or their CSV file, see `read_norms`; None: round angles of textbooks where the
            trial is walking, nothing where it is not.
        replay: Whether the page has a replay in 3D.

    Raises:
        InputError: No study was given, or the plotly package, whose script the page holds, is not installed.
        CaptureError: The file of norms cannot be read.
    """
    if not isinstance(study, Study):
        raise InputError(f"a report is made of a Study, however it was given {type(study).__name__}")
    strides = find_strides(study)
    if isinstance(norms, str | Path):
        norms = read_norms(norms)
    elif norms is None and strides.running is False:
        norms = textbook_norms()
    context = Context(study, strides, norms)
    sections = [part(context) for name, part in PARTS if name != "Blade" or blade_links(study.model)]
    data: dict[str, Any] = {"panels": context.drawn(), "clocks": context.clocks.packed}
    data |= {"cycle": strides.any, "duty": _duty(context), "contacts": contacts_of(context)}
    loads = study.loads
    data["doubtful"] = [] if loads is None else stretches(loads.doubtful, loads.time)
    scene, stage = None, ""
    if replay:
        try:
            scene, words = replay_scene(context)
            stage = replay_html(scene, words)
        except SoftstrideError as error:
            stage = paragraph(f"No replay: {error}", "missing")
    return compose(study.name, sections, stage, data, scene)


def write_report(
    study: Study,
    path: str | Path,
    *,
    norms: Norms | str | Path | None = None,
    replay: bool = True,
    overwrite: bool = False,
) -> None:
    """Write a study as one HTML page, whole or not at all; see `render_report`.

    Args:
        study: The study.
        path: Where to.
        norms: As in `render_report`.
        replay: As in `render_report`.
        overwrite: Whether a file that exists may be replaced.

    Raises:
        InputError: As in `render_report`.
        CaptureError: The file exists or cannot be written, or that of norms cannot be read.
    """
    page = render_report(study, norms=norms, replay=replay)
    write_whole(Path(path), page.encode("utf-8"), overwrite=overwrite)


def _duty(context: Context) -> dict[str, float]:
    """Return the mean share of the cycle on the ground by side [%], where it is known."""
    shares = {side: context.strides.duty(side) for side in SIDES}
    return {side: round(100.0 * float(share.mean()), 1) for side, share in shares.items() if len(share)}
