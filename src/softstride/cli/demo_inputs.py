"""The files of the digital athlete as a laboratory would have them: recordings, the model, settings of the analysis."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from softstride.digital_athlete.emg import DELAY, maximal_contractions
from softstride.digital_athlete.laboratory import synthesise
from softstride.digital_athlete.person import estimator_model
from softstride.digital_athlete.trial import load_athlete
from softstride.files import write_whole
from softstride.model.load import save_model
from softstride.pipeline.request import Request
from softstride.pipeline.settings import read_settings

GAITS = ("walking", "running")
MODEL, SETTINGS = "athlete.json", "athlete.toml"

TEXT = """\
# How `softstride demo` analyses its athlete; what is not said here is as `softstride analyze` has it.
[person]
model = "{model}"

[analysis]
passive = true        # the athlete's muscles have passive forces, and those of the tables are near them
emg_delay = {delay}      # s
emg_lowpass = 12.0    # Hz; running is too fast for the usual 6 Hz

[mvc]                 # V, from maximal voluntary contractions
{mvc}
"""


def write_inputs(folder: Path) -> list[Request]:
    """Write the files of the athlete and return a request for each gait.

    Raises:
        CaptureError: A file cannot be written.
        ModelError: Likewise, the model.
    """
    for gait in GAITS:
        packaged = files("softstride.digital_athlete").joinpath("data", f"{gait}.c3d")
        if packaged.is_file():
            write_whole(folder / f"{gait}.c3d", packaged.read_bytes(), overwrite=True)
        else:  # its motion is packaged, and the laboratory records it anew, always alike
            synthesise(load_athlete(gait).truth, gait).save(folder / f"{gait}.c3d", overwrite=True)
    save_model(estimator_model(), folder / MODEL, overwrite=True)
    mvc = "\n".join(
        f'"{channel}" = {value:.6g}' for channel, value in maximal_contractions(noise=True).items()
    )
    text = TEXT.format(model=MODEL, delay=DELAY, mvc=mvc)
    write_whole(folder / SETTINGS, text.encode("utf-8"), overwrite=True)
    settings = read_settings(folder / SETTINGS)
    return [Request((folder / f"{gait}.c3d",), **settings) for gait in GAITS]
