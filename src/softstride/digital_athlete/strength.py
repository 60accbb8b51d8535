"""The muscles of the digital athlete: those of a trained person, and how the true ones differ from the analyst's.

Both models have the muscles of the packaged person, stronger, faster and more supple: mean adults could not run so. The
cut ones are those that the surgeon secured to the bone end (myodesis). Tendons do not stretch and fibres have no
damper, so that a muscle pulls with a F_active(l, v) + F_passive(l). Path and curves are the same in both models.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from softstride.model.model import Model
from softstride.model.muscle import Muscle

STRENGTH = 1.75
"""Maximal forces relative to the packaged person, whose muscles have the volume of the average."""

SPEED = 12.0
"""Greatest shortening velocity [optimal lengths a second]; 10 in the packaged person."""

STRAIN = 1.0
"""Stretch of a fibre at which it resists with its maximal force; 0.7 in the packaged person, whose quadriceps would
hold a knee that is bent as in the swing of running with 100 N·m."""

SPREAD = {"max_force": 0.10, "fibre_length": 0.05, "rise_time": 0.15, "fall_time": 0.15}
"""Largest relative difference between a true muscle and the analyst's."""

SLACK = 0.05
"""The same for the tendon slack length, in optimal fibre lengths."""

SEED = 27


def trained(model: Model) -> Model:
    """Return a model with the muscles of an athlete."""
    curves = {"FiberForceLengthCurve.strain_at_one_norm_force": STRAIN, "fiber_damping": 0.0}
    return model.replace(
        muscles={
            name: dataclasses.replace(
                muscle,
                max_force=STRENGTH * muscle.max_force,
                max_velocity=SPEED,
                rigid_tendon=True,
                parameters={**muscle.parameters, **curves},
            )
            for name, muscle in model.muscles.items()
        }
    )


def differing(model: Model) -> Model:
    """Return a model whose muscles differ from these as one person does from tables.

    With r uniform within the spread, drawn for each muscle and number: x' = (1 + r) x; slack length l_s + r l_opt.
    """
    draw = np.random.default_rng(SEED)
    return model.replace(muscles={name: _changed(muscle, draw) for name, muscle in model.muscles.items()})


def _changed(muscle: Muscle, draw: np.random.Generator) -> Muscle:
    numbers = {
        name: getattr(muscle, name) * (1.0 + draw.uniform(-spread, spread)) for name, spread in SPREAD.items()
    }
    slack = muscle.tendon_length + draw.uniform(-SLACK, SLACK) * muscle.fibre_length
    return dataclasses.replace(muscle, **numbers, tendon_length=max(slack, 0.0))


__all__ = ["differing", "trained"]
