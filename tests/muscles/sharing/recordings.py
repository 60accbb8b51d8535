"""Recorded trials: model, low-passed motion, loads, our forces and OpenSim's."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from tests.models import the_model
from tests.oracles import opensim_id, opensim_so

import softstride as ss

MAJOR = 100.0
"""Peak force of a muscle [N] from which on it is a major one."""


@dataclass
class Recorded:
    """A trial."""

    folder: Path
    trial: object
    model: ss.Model
    motion: ss.Motion
    loads: ss.Loads

    def solve(self, emg=None, **options):
        """Return our forces."""
        return ss.solve_muscles(
            self.model, self.motion, self.loads, emg, lowpass=self.trial.lowpass, **options
        )

    @cached_property
    def as_opensim(self):
        """Our forces, with OpenSim's projection of fibre forces."""
        return self.solve(as_opensim=True)

    @cached_property
    def opensim(self):
        """OpenSim's forces, with reserves where ours has them, and where no muscle has anything to say."""
        ours = self.as_opensim
        reserves = {
            name: float(size)
            for name, size in zip(ours.coordinates, ours.reserve_size, strict=True)
            if size > 0.0
        }
        assert reserves == dict.fromkeys(opensim_so.RESERVED[self.trial.name], 1.0), "the same reserves"
        own = {motor.coordinate for motor in self.model.actuators.values()}
        base = opensim_id.stored_facts(self.trial.model, self.folder).base
        others = {
            name
            for name, coordinate in self.model.coordinates.items()
            if not coordinate.locked and name not in {*ours.coordinates, *own, *base}
        }
        assert others == opensim_so.OTHERS[self.trial.name], "the same residuals"
        return opensim_so.answered(self.trial, self.folder)


class Trials(dict):
    """Trials by name, prepared when first asked for."""

    def __init__(self, folder, out):
        super().__init__()
        self.folder, self.out = folder, out

    def __missing__(self, name):
        trial = next(each for each in opensim_id.TRIALS if each.name == name)
        out = self.out / name
        out.mkdir()
        files = opensim_id.prepare(
            trial, self.folder, out, known=opensim_id.stored_facts(trial.model, self.folder)
        )
        model = the_model(files.model)
        motion = ss.read_motion(files.motion, model)
        loads = ss.solve_id(model, motion, ss.read(files.loads), lowpass=trial.lowpass)
        self[name] = Recorded(self.folder, trial, model, motion, loads)
        return self[name]


def at_times(time, wanted):
    """Return the frame at each instant, to a microsecond."""
    found = np.abs(time[:, None] - wanted[None, :]).argmin(axis=0)
    assert np.abs(time[found] - wanted).max() < 2e-6
    return found


def correlations(a, b):
    """Return the correlation of columns, (m,); NaN where one does not change."""
    with np.errstate(invalid="ignore"):
        return np.array([np.corrcoef(x, y)[0, 1] for x, y in zip(a.T, b.T, strict=True)])
