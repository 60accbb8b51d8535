"""What `softstride muscles` and `softstride reactions` take from a setup of OpenSim's AnalyzeTool, unless given."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from softstride.cli.files import from_setup
from softstride.errors import InputError
from softstride.notes import Note

if TYPE_CHECKING:
    from softstride.muscles.setup_xml import AnalyzeSetup

AnalyzeOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="OpenSim's setup of the AnalyzeTool with this analysis (.xml): model, motion, external loads, reserves, "
        "times, low pass, what is asked and where results go, unless given here.",
    ),
]


@dataclass(frozen=True)
class Given:
    """What there is to work with.

    Attributes:
        model: The model, file or name.
        motion: The motion.
        files: External loads.
        actuator_files: Further actuators of the model.
        time: Part of the motion [s].
        lowpass: Cut-off, 0 for none.
        out: Where results go: a file, or the beginning of the names of two.
        setup: The setup itself; None: there is none.
    """

    model: str
    motion: Path
    files: list[Path]
    actuator_files: tuple[Path, ...]
    time: tuple[float, float] | None
    lowpass: float | None
    out: Path
    setup: AnalyzeSetup | None

    @property
    def notes(self) -> tuple[Note, ...]:
        """What of the setup was not used."""
        return () if self.setup is None else self.setup.notes


def given(
    analysis: str,
    setup: Path | None,
    model: str | None,
    motion: Path | None,
    files: list[Path],
    time: tuple[float, float] | None,
    lowpass: float | None,
    out: Path | None,
) -> Given:
    """Return what was given, and what a setup adds to it.

    Raises:
        InputError: A model, a motion or a name for the results is missing, or the setup names a file that does not
            exist.
        ModelError: The setup cannot be read.
    """
    if setup is None:
        wanted = (("--model", model), ("--motion", motion), ("--out", out))
        missing = [name for name, value in wanted if value is None]
        if model is None or motion is None or out is None:
            raise InputError(
                f"model, motion and a name for the results are needed: give {', '.join(missing)}, or a --setup that "
                "names them"
            )
        return Given(model, motion, files, (), time, lowpass, out, None)
    from softstride.muscles.setup_xml import read_analyze_setup

    request = read_analyze_setup(setup, analysis)
    subject = model or from_setup(request.model_file, setup, "--model", "a model")
    moving = motion or Path(from_setup(request.motion_file, setup, "--motion", "a motion"))
    if not files and request.external_loads_file is not None:
        files = [Path(from_setup(request.external_loads_file, setup, "--external-loads", "external loads"))]
    return Given(
        subject,
        moving,
        files,
        request.actuator_files,
        time or request.time_range,
        request.lowpass if lowpass is None else lowpass,
        out or request.output,
        request,
    )
