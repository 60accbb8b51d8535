"""What `softstride muscles` and `softstride reactions` take from a setup of OpenSim's AnalyzeTool, unless given."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softstride.cli.declare import Given
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
class Sources:
    """What there is to work with.

    Attributes:
        model: The model, file or name.
        motion: The motion.
        files: External loads.
        actuator_files: Further actuators of the model.
        inverse: How joint loads are found, fields of `IdOptions`.
        out: Where results go: a file, or the beginning of the names of two.
        setup: The setup itself; None: there is none.
    """

    model: str
    motion: Path
    files: list[Path]
    actuator_files: tuple[Path, ...]
    inverse: dict[str, Any]
    out: Path
    setup: AnalyzeSetup | None

    @property
    def notes(self) -> tuple[Note, ...]:
        """What of the setup was not used."""
        return () if self.setup is None else self.setup.notes


def sources_of(
    analysis: str,
    setup: Path | None,
    model: str | None,
    motion: Path | None,
    files: list[Path],
    inverse: Given,
    out: Path | None,
) -> Sources:
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
        return Sources(model, motion, files, (), dict(inverse), out, None)
    from softstride.muscles.setup_xml import read_analyze_setup

    request = read_analyze_setup(setup, analysis)
    subject = model or from_setup(request.model_file, setup, "--model", "a model")
    moving = motion or Path(from_setup(request.motion_file, setup, "--motion", "a motion"))
    if not files and request.external_loads_file is not None:
        files = [Path(from_setup(request.external_loads_file, setup, "--external-loads", "external loads"))]
    return Sources(
        subject,
        moving,
        files,
        request.actuator_files,
        {"lowpass": request.lowpass, "time_range": request.time_range, **inverse},
        out or request.output,
        request,
    )
