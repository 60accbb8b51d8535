"""What is true of a trial: motion, joint torques, ground forces, the load that crosses the socket, muscle forces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softstride.digital_athlete.curve import Curve
from softstride.digital_athlete.excitation import excitation
from softstride.digital_athlete.foundation import FEET, FRICTION, LINK, Pressing, elements, press
from softstride.digital_athlete.muscle_truth import Pull, pull_of
from softstride.digital_athlete.person import true_model
from softstride.dynamics.loads import AppliedWrench, Wrench
from softstride.dynamics.prepare import State
from softstride.dynamics.socket import socket_wrenches
from softstride.engine.dynamics import inverse_dynamics
from softstride.engine.passive import passive_forces
from softstride.engine.places import PlaceLike
from softstride.frozen import Table
from softstride.model.frame import Frame
from softstride.model.model import Model
from softstride.results import frozen_floats
from softstride.spatial.vectors import cross

Array = NDArray[np.float64]

RATE = 200.0
"""Frames per second of motion and markers [Hz]."""

TOUCH = 1e-9
"""Vertical force below which a foot is off the ground [N]."""


@dataclass(frozen=True, eq=False)
class AthleteTruth:
    """The truth of a trial at the frames of its markers.

    Attributes:
        model: The model that moved.
        time: Shape (n,), [s].
        q: Configurations, shape (n, nq).
        v: Velocities, shape (n, nv): the exact derivative of one smooth curve through q.
        a: Accelerations, shape (n, nv), likewise.
        tau: Generalized forces, shape (n, nv); zero for the pelvis, and `elastic` for the blade.
        elastic: Generalized forces of the blade as a spring, shape (n, nv).
        wrenches: "ground_left" and "ground_right": force, centre of pressure on the floor and free moment. The whole of
            the left foot stands for its heel and its toes.
        socket: "socket_r": the load of the prosthesis on the stump, about the origin of the socket.
        element_places: The elements of shoe and blade.
        element_forces: What the ground gives each, shape (n, k, 3), [N].
        curve: The motion between frames.
        activation: Of the muscles in the order of `muscle_names`, shape (n, m); NaN while it has not been chosen.
    """

    model: Model
    time: Array
    q: Array
    v: Array
    a: Array
    tau: Array
    elastic: Array
    wrenches: Mapping[str, AppliedWrench]
    socket: Mapping[str, Wrench]
    element_places: tuple[Frame, ...]
    element_forces: Array
    curve: Curve
    activation: Array

    @property
    def muscle_names(self) -> tuple[str, ...]:
        """Names of the muscles: those of the model."""
        return tuple(self.model.muscles)

    @cached_property
    def excitation(self) -> Array:
        """Excitation of the muscles from each frame to the next, shape (n, m); EMG is ahead of it by `emg.DELAY`."""
        muscles = self.model.muscles.values()
        rise, fall = (np.array([getattr(x, name) for x in muscles]) for name in ("rise_time", "fall_time"))
        found = excitation(self.activation, 1.0 / RATE, rise, fall)
        return frozen_floats(np.clip(found, 0.0, 1.0))  # single precision leaves it by 1e-6

    @cached_property
    def pull(self) -> Pull:
        """What the muscles can do in this motion."""
        return pull_of(self.model, self.q, self.v)

    @cached_property
    def muscle_force(self) -> Array:
        """Forces of the muscles, along their tendons, shape (n, m), [N]."""
        return frozen_floats(self.pull.force(self.activation))

    @cached_property
    def reserve(self) -> Array:
        """What torque motors give beside muscles and elasticity, at toes, trunk and arms, shape (n, nv), [N·m]."""
        return frozen_floats(self.tau - self.elastic - self.pull.moment(self.muscle_force))

    @property
    def friction(self) -> float:
        """Coefficient of friction of the ground."""
        return FRICTION

    @property
    def blade_force(self) -> Array:
        """Force of the ground on the blade, shape (n, 3), [N]."""
        return self.wrenches["ground_right"].force

    def external(self) -> dict[PlaceLike, ArrayLike]:
        """Return the forces of the ground as `inverse_dynamics` takes them: [0; f] at every element, shape (n, 6)."""
        return as_external(self.element_places, self.element_forces)


def as_external(places: tuple[Frame, ...], forces: Array) -> dict[PlaceLike, ArrayLike]:
    """Return forces (n, k, 3) at k places as wrenches about them."""
    return {
        place: np.concatenate([np.zeros_like(forces[:, i]), forces[:, i]], axis=1)
        for i, place in enumerate(places)
    }


def ground_wrenches(pressing: Pressing) -> dict[str, AppliedWrench]:
    """Return the resultant of the elements of each foot about its centre of pressure on the floor, y = 0.

    With force f and moment m about the origin of the world, p = (m_z / f_y, 0, -m_x / f_y) leaves a moment about the
    vertical only: its part along y is the free moment m_y - (p x f)_y. p is NaN where nothing acts.
    """
    feet = elements().foot
    out = {}
    for foot, side in enumerate(FEET):
        f = pressing.force[:, feet == foot]
        total = f.sum(axis=1)
        moment = cross(pressing.position[:, feet == foot], f).sum(axis=1)
        on = total[:, 1] > TOUCH
        up = np.where(on, total[:, 1], 1.0)
        point = np.column_stack([moment[:, 2] / up, np.zeros(len(up)), -moment[:, 0] / up])
        free = np.zeros_like(total)
        free[:, 1] = np.where(on, (moment - cross(point, total))[:, 1], 0.0)
        out[f"ground_{side}"] = AppliedWrench(
            LINK[side],
            np.where(on[:, None], total, 0.0),
            np.where(on[:, None], point, np.nan),
            free,
        )
    return out


def build_truth(curve: Curve, activation: Array | None = None) -> AthleteTruth:
    """Return all that is true of a motion of the true model, at those of its knots that are frames.

    Args:
        curve: The motion.
        activation: Of the muscles, shape (n, m); None: not chosen yet.
    """
    model = true_model()
    every = round(1.0 / (RATE * curve.step))
    q, v, a = (x[::every] for x in curve.at_knots())
    time = np.arange(len(q)) / RATE
    pressing = press(q, v)
    places = elements().places
    tau = inverse_dynamics(model, q, v, a, as_external(places, pressing.force))
    wrenches = ground_wrenches(pressing)
    return AthleteTruth(
        model=model,
        time=frozen_floats(time),
        q=frozen_floats(q),
        v=frozen_floats(v),
        a=frozen_floats(a),
        tau=frozen_floats(tau),
        elastic=frozen_floats(passive_forces(model, q, v)),
        wrenches=Table(wrenches),
        socket=Table(socket_wrenches(model, State(time, q, v, a), wrenches.values())),
        element_places=places,
        element_forces=frozen_floats(pressing.force),
        curve=curve,
        activation=frozen_floats(
            np.full((len(q), len(model.muscles)), np.nan) if activation is None else activation
        ),
    )


__all__ = ["RATE", "AthleteTruth", "as_external", "build_truth", "ground_wrenches"]
