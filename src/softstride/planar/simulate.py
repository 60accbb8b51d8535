"""Motion of a chain from its forces, with the work that each kind of force does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.integrate import solve_ivp

from softstride.errors import InputError, SimulationError
from softstride.planar import matrices
from softstride.planar.chain import Chain
from softstride.planar.contributions import fill, named_sources
from softstride.planar.forward import accelerations, differences
from softstride.planar.frames import resolve
from softstride.planar.geometry import Geometry
from softstride.planar.results import ChainResult
from softstride.planar.state import State
from softstride.planar.totals import checked
from softstride.planar.vectors import Floats, dot, to_complex
from softstride.results import TIME, Labels, values
from softstride.signals.inputs import as_time

if TYPE_CHECKING:
    import pandas as pd

Drive = Callable[[float, Floats, Floats], State]
"""Forces at an instant: (time [s], theta, omega) -> a `State` of one frame."""

TOLERANCE = 1e-10
"""Relative and absolute error of a step."""


class Simulation(ChainResult, of="a simulation"):
    """A simulated motion of a chain.

    Attributes:
        chain: The chain.
        state: Motion and forces, shape (n_frames, ...).
        kinetic: Kinetic energy against the base, shape (n_frames,), [J].
        potential: Energy in the field of gravity, zero at J_1, shape (n_frames,), [J].
        work: Work done since the start by muscles, motors, contacts and the base's acceleration, (n_frames, 4), [J].
    """

    WHOLE: ClassVar[str] = "its work is since the start"

    chain: Chain
    state: State
    kinetic: Floats = values("time", "J")
    potential: Floats = values("time", "J")
    work: Floats = values("time kind", "J")

    KINDS: ClassVar[tuple[str, ...]] = ("muscle", "torque", "contact", "base_acceleration")
    LABELS: ClassVar[Mapping[str, Labels]] = {"kind": lambda own: own.KINDS}

    def __repr__(self) -> str:
        """Say what it is in one line."""
        return f"Simulation({self.chain.name!r}, {self.state!r}, energy error {self.energy_error:.1e} J)"

    @property
    def energy(self) -> Floats:
        """Kinetic and potential energy together, shape (n_frames,), [J]."""
        return np.asarray(self.kinetic + self.potential)

    @property
    def energy_error(self) -> float:
        """Largest change of energy that work does not explain [J]."""
        left = self.energy - self.work.sum(axis=1)
        return float(np.max(np.abs(left - left[0])))

    def _variables(self) -> dict[str, Any]:
        units = {"theta": "rad", "omega": "rad/s", "alpha": "rad/s^2"}
        motion = {
            name: self._variable((TIME, "link"), getattr(self.state, name), x) for name, x in units.items()
        }
        return motion | super()._variables()

    def _coords(self) -> dict[str, Any]:
        own = {TIME: (TIME, self.state.time, {"units": "s"}), "link": list(self.chain.links)}
        return own | super()._coords()

    def _attrs(self) -> dict[str, Any]:
        return {"chain": self.chain.name}

    def to_dataframe(self) -> pd.DataFrame:
        """Return a `pandas.DataFrame` indexed by time: angles, rates, energies and work, in [rad], [s] and [J]."""
        import pandas as pd

        columns: dict[str, Any] = {}
        for name in ("theta", "omega", "alpha"):
            rows = np.asarray(getattr(self.state, name))
            columns |= {f"{name}:{link}": rows[:, i] for i, link in enumerate(self.chain.links)}
        columns |= {"kinetic": self.kinetic, "potential": self.potential}
        columns |= {f"work:{kind}": self.work[:, k] for k, kind in enumerate(self.KINDS)}
        return pd.DataFrame(columns, index=pd.Index(self.state.time, name=TIME))


def simulate(chain: Chain, start: State, time: Iterable[float], drive: Drive | None = None) -> Simulation:
    """Integrate the link equations from one frame on.

    Args:
        chain: The chain; rigid links.
        start: Posture, velocities and forces of one frame; the forces stay as they are unless `drive` is given.
        time: Instants to report, shape (n_frames,), [s], the first is that of the start.
        drive: Forces at an instant, as a function of time, angles and angular velocities.

    Returns:
        The motion, with energies and work.

    Raises:
        InputError: The start is not one frame, or time does not increase.
        SimulationError: The integrator gave up.
    """
    given = np.asarray(list(time), dtype=np.float64)
    instants = as_time(given, len(given))
    if not start.single or start.shape is not None:
        raise InputError(
            "a simulation starts from one frame of rigid links: theta must have the shape (n+1,)."
        )
    if len(instants) < 2:
        raise InputError("a simulation needs two instants or more.")
    n = chain.n
    base_angle = float(start.theta[0])

    def state_at(t: float, y: Floats) -> State:
        theta = np.concatenate([[base_angle], y[:n]])
        omega = np.concatenate([[0.0], y[n : 2 * n]])
        if drive is None:
            return start.changed(theta=theta, omega=omega, alpha=None, time=None)
        driven = drive(t, theta, omega)
        if not isinstance(driven, State) or not driven.single:
            raise InputError(f"drive must return a State of one frame, however it returned {driven!r}.")
        return driven.changed(theta=theta, omega=omega, alpha=None, time=None)

    def rates(t: float, y: Floats) -> Floats:
        state = state_at(t, y)
        return np.concatenate([y[n : 2 * n], accelerations(chain, state)[1:], powers(chain, state)])

    y0 = np.concatenate([start.theta[1:], np.asarray(start.omega)[1:], np.zeros(len(Simulation.KINDS))])
    solution = solve_ivp(
        rates,
        (instants[0], instants[-1]),
        y0,
        method="DOP853",
        t_eval=instants,
        rtol=TOLERANCE,
        atol=TOLERANCE,
    )
    if not solution.success:
        raise SimulationError(f"the simulation of {chain.name!r} stopped: {solution.message}")
    states = [state_at(t, y) for t, y in zip(solution.t, solution.y.T, strict=True)]
    whole = stacked(states, instants)
    whole = whole.changed(alpha=accelerations(chain, whole))
    kinetic, potential = energies(chain, whole)
    return Simulation(chain, whole, kinetic, potential, solution.y[2 * n :].T)


def powers(chain: Chain, state: State) -> Floats:
    """Return the power of muscles, motors, contacts and the base's acceleration in one frame, shape (4,), [W]."""
    frames = checked(chain, state, "distal")
    sources = named_sources(frames)
    torque = np.empty((1, chain.n, len(sources)))
    fill(Geometry.of(frames), "distal", np.empty(torque.shape, dtype=np.complex128), torque)
    omega = np.asarray(state.omega)[1:]
    result = np.zeros(len(Simulation.KINDS))
    for power, source in zip(omega @ differences(torque)[0], sources, strict=True):
        if source.kind in Simulation.KINDS:
            result[Simulation.KINDS.index(source.kind)] += power if source.actuator else -power
    return result


def energies(chain: Chain, state: State) -> tuple[Floats, Floats]:
    """Return kinetic energy against the base and potential energy, each (n_frames,), [J]."""
    place = Geometry.of(resolve(chain, state))
    omega = place.frames.omega[:, 1:]
    kinetic = 0.5 * np.einsum("fi,fij,fj->f", omega, matrices.mass_matrix(place), omega)
    height = dot(place.centre[:, 1:], to_complex(chain.gravity))  # times -g
    return kinetic, -height @ chain.mass[1:]


def stacked(states: list[State], time: Floats) -> State:
    """Return states of one frame each as one state of many."""
    first = states[0]
    mappings = {
        field: {
            name: np.stack([getattr(each, field)[name] for each in states]) for name in getattr(first, field)
        }
        for field in ("tension", "force", "couple", "point")
    }
    vectors = {
        field: None
        if getattr(first, field) is None
        else np.stack([np.asarray(getattr(each, field)) for each in states])
        for field in ("torque", "base_position", "base_acceleration")
    }
    theta, omega = (
        np.stack([np.asarray(getattr(each, name)) for each in states]) for name in ("theta", "omega")
    )
    return State(theta=theta, omega=omega, time=time, **mappings, **vectors)  # type: ignore[arg-type]
