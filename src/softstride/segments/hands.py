"""What acts on hands: forces of an external-loads file that name a hand as their body, such as hand_r."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softstride.capture.recording import Recording
from softstride.dynamics.loads import AppliedWrench
from softstride.naming import SIDES
from softstride.segments.external import hand_of
from softstride.segments.wrenches import summed

Array = NDArray[np.float64]


def hand_loads(recording: Recording, time: Array) -> tuple[AppliedWrench, ...]:
    """Return what acts on "right hand" and "left hand" at the frames of a motion, NaN where it is not known.

    Args:
        recording: With forces whose bodies are hands.
        time: Instants of the frames [s], shape (n,).
    """
    found = []
    for side in SIDES:
        forces = [force for force in recording.forces if hand_of(force) == side]
        if forces:
            about, known = summed(forces, time)
            about[~known] = np.nan
            found.append(AppliedWrench(f"{side} hand", about[:, 3:], np.zeros((len(time), 3)), about[:, :3]))
    return tuple(found)
