"""The digital athlete: a runner with a blade whose motion and forces are known exactly, and a recording of it.

    >>> from softstride.digital_athlete import load_athlete
    >>> trial = load_athlete("running", noise=False)
    >>> trial.recording, trial.truth.wrenches["ground_right"].force

`python -m softstride.digital_athlete FOLDER` makes the packaged files again.
"""

from softstride.digital_athlete.trial import TRIALS, AthleteTrial, load_athlete
from softstride.digital_athlete.truth import AthleteTruth

__all__ = ["TRIALS", "AthleteTrial", "AthleteTruth", "load_athlete"]
