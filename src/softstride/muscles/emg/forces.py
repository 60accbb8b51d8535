"""Muscle forces from EMG: activation into the Hill muscle [Hybrid2026, eq. 40]."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from softstride.errors import InputError
from softstride.muscles.emg.activation import EmgActivation
from softstride.muscles.hill.balance import equilibrium
from softstride.muscles.hill.curve import Array
from softstride.muscles.hill.dynamics import fibre_dynamics
from softstride.muscles.hill.inputs import matrix
from softstride.muscles.hill.muscles import HillMuscles
from softstride.muscles.hill.rigid import rigid_tendon
from softstride.muscles.hill.state import FibreState
from softstride.notes import Note
from softstride.results import Labels, Result, values

if TYPE_CHECKING:
    import pandas as pd

Tendon = Literal["rigid", "balance", "dynamics"]


class EmgForces(Result, of="forces from EMG"):
    """Forces that EMG speaks of.

    Attributes:
        names: All muscles that were asked for.
        time: Instants, shape (n,), [s].
        force: Pull of each muscle, shape (n, m), [N]; NaN where its EMG, or its path, was not measured.
        activation: Shape (n, m); NaN likewise.
        state: The fibres.
        notes: What was decided.
    """

    names: tuple[str, ...]
    time: Array = values("time", "s")
    force: Array = values("time muscle", "N")
    activation: Array = values("time muscle", "1")
    state: FibreState
    notes: tuple[Note, ...] = ()

    LABELS: ClassVar[Mapping[str, Labels]] = {"muscle": lambda own: own.names}

    def to_dataframe(self) -> pd.DataFrame:
        """Return the forces [N] as a table indexed by time, one column a muscle."""
        return self._table("force")


def emg_forces(
    hill: HillMuscles,
    activation: EmgActivation,
    length: ArrayLike,
    speed: ArrayLike | None = None,
    *,
    tendon: Tendon = "rigid",
) -> EmgForces:
    """Return the forces of muscles whose activation is known from EMG.

        f = F_max (a f_l(l) f_v(v) + f_p(l) + β v) cos α                                   (eq. 40)

    With the curves "gaussian" this is eq. 40 itself: no passive force, no damping, a rigid tendon. (The paper counts
    tension as negative.)

    Args:
        hill: The muscles.
        activation: From `emg_activation`, at the instants of the path lengths.
        length: Path lengths of the muscles, shape (n, m), [m].
        speed: Their speeds, shape (n, m), [m/s]; None: at rest, or with tendon "dynamics" from the lengths.
        tendon: "rigid"; "balance": elastic, each instant for itself (`equilibrium`); "dynamics": elastic, through the
            trial (`fibre_dynamics`).

    Raises:
        InputError: Lengths and activations of different instants, or a tendon of another kind.
    """
    if tendon not in get_args(Tendon):
        raise InputError(f"tendon must be one of {', '.join(get_args(Tendon))}, however it is {tendon!r}")
    L, _ = matrix(length, hill.names, "length")
    a = activation.of(hill.names)
    if len(L) != len(a):
        raise InputError(
            f"lengths of {len(L)} frames do not fit activations at {len(a)} instants: give emg_activation the "
            "time of the lengths"
        )
    if tendon == "rigid":
        state = rigid_tendon(hill, L, speed, activation=a)
    elif tendon == "balance":
        state = equilibrium(hill, L, speed, a)
    else:
        state = fibre_dynamics(hill, activation.time, L, speed, a)
    force = state.tendon_force(a)
    missing = tuple(name for name in hill.names if name not in activation.names)
    notes = (*activation.notes, *state.notes)
    if missing:
        notes += (
            Note(
                "emg.muscles-without",
                f"{len(missing)} of {len(hill)} muscles have no EMG, and no force here",
                topic="EMG",
                names=missing,
                values={"muscles": len(missing), "of_muscles": len(hill)},
            ),
        )
    return EmgForces(hill.names, activation.time, force, np.where(np.isnan(force), np.nan, a), state, notes)
