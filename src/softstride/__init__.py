"""Dynamics of human movement with rigid and soft links, from the files of a laboratory on.

`read` turns recordings (C3D, TRC, MOT, STO) into a `Recording` in SI units and world axes.

A `Model` is a tree of links, rigid bodies or soft rods; the engine evaluates its equation of motion

    M(q) a + b(q, v) = tau + tau_passive(q, v) + sum_i J_i(q)^T w_i

for every frame of a trial at once. SI units and radians; world x forward, y up, z right; spatial vectors
angular first. See `docs/conventions.md`.

    >>> import softstride as ss
    >>> builder = ss.ModelBuilder("pendulum")
    >>> builder.revolute("rod", axis=(0, 0, 1), mass=1.0, com=(0, -1, 0))
    >>> ss.inverse_dynamics(builder.build(), q=[0.5], v=[0.0], a=[0.0])

Names are imported on first use (PEP 562): `import softstride` neither compiles nor loads a compiler.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from softstride import errors
from softstride._version import __version__
from softstride.errors import CaptureError, InputError, ModelError, SimulationError, SoftstrideError

if TYPE_CHECKING:
    from softstride import capture, dynamics, engine, kinematics, model, signals, simulation, spatial
    from softstride.capture import (
        Axes,
        Channels,
        Event,
        ExternalForce,
        Plate,
        Points,
        Recording,
        emg_envelopes,
        fill_gaps,
        find_events,
        read,
        smooth_markers,
        write,
    )
    from softstride.dynamics import AppliedWrench, IdOptions, Loads, Wrench, read_loads, solve_id
    from softstride.engine import (
        Energy,
        accelerations,
        bias,
        centre_of_mass,
        com_jacobian,
        com_velocity,
        difference,
        energy,
        forward_dynamics,
        generalized_forces,
        get_threads,
        integrate,
        inverse_dynamics,
        inverse_dynamics_derivatives,
        jacobian,
        jacobian_dot_v,
        mass_matrix,
        momentum,
        momentum_matrix,
        momentum_rate,
        passive_derivatives,
        passive_forces,
        poses,
        positions,
        set_threads,
        velocities,
    )
    from softstride.kinematics import (
        Goal,
        IkOptions,
        IkSetup,
        MarkerFit,
        Motion,
        Scaling,
        Swap,
        fit_scaling,
        read_ik_setup,
        read_motion,
        scale_model,
        solve_ik,
    )
    from softstride.model import (
        Blade,
        Coordinate,
        Frame,
        Inertia,
        Link,
        Model,
        ModelBuilder,
        Muscle,
        Point,
        Rod,
        Section,
        Segment,
        amputate,
        athlete,
        attach_blade,
        load_model,
        save_model,
    )

_LAZY_ROOMS = ("capture", "dynamics", "engine", "kinematics", "model", "signals", "simulation", "spatial")

_LAZY_NAMES = {
    "softstride.capture": (
        "Axes",
        "Channels",
        "Event",
        "ExternalForce",
        "Plate",
        "Points",
        "Recording",
        "emg_envelopes",
        "fill_gaps",
        "find_events",
        "read",
        "smooth_markers",
        "write",
    ),
    "softstride.dynamics": ("AppliedWrench", "IdOptions", "Loads", "Wrench", "read_loads", "solve_id"),
    "softstride.engine": (
        "Energy",
        "accelerations",
        "bias",
        "centre_of_mass",
        "com_jacobian",
        "com_velocity",
        "difference",
        "energy",
        "forward_dynamics",
        "generalized_forces",
        "get_threads",
        "integrate",
        "inverse_dynamics",
        "inverse_dynamics_derivatives",
        "jacobian",
        "jacobian_dot_v",
        "mass_matrix",
        "momentum",
        "momentum_matrix",
        "momentum_rate",
        "passive_derivatives",
        "passive_forces",
        "poses",
        "positions",
        "set_threads",
        "velocities",
    ),
    "softstride.kinematics": (
        "Goal",
        "IkOptions",
        "IkSetup",
        "MarkerFit",
        "Motion",
        "Scaling",
        "Swap",
        "fit_scaling",
        "read_ik_setup",
        "read_motion",
        "scale_model",
        "solve_ik",
    ),
    "softstride.model": (
        "Blade",
        "Coordinate",
        "Frame",
        "Inertia",
        "Link",
        "Model",
        "ModelBuilder",
        "Muscle",
        "Point",
        "Rod",
        "Section",
        "Segment",
        "amputate",
        "athlete",
        "attach_blade",
        "load_model",
        "save_model",
    ),
}

_HOME = {name: module for module, names in _LAZY_NAMES.items() for name in names}

__all__ = [
    "AppliedWrench",
    "Axes",
    "Blade",
    "CaptureError",
    "Channels",
    "Coordinate",
    "Energy",
    "Event",
    "ExternalForce",
    "Frame",
    "Goal",
    "IdOptions",
    "IkOptions",
    "IkSetup",
    "Inertia",
    "InputError",
    "Link",
    "Loads",
    "MarkerFit",
    "Model",
    "ModelBuilder",
    "ModelError",
    "Motion",
    "Muscle",
    "Plate",
    "Point",
    "Points",
    "Recording",
    "Rod",
    "Scaling",
    "Section",
    "Segment",
    "SimulationError",
    "SoftstrideError",
    "Swap",
    "Wrench",
    "__version__",
    "accelerations",
    "amputate",
    "athlete",
    "attach_blade",
    "bias",
    "capture",
    "centre_of_mass",
    "com_jacobian",
    "com_velocity",
    "difference",
    "dynamics",
    "emg_envelopes",
    "energy",
    "engine",
    "errors",
    "fill_gaps",
    "find_events",
    "fit_scaling",
    "forward_dynamics",
    "generalized_forces",
    "get_threads",
    "integrate",
    "inverse_dynamics",
    "inverse_dynamics_derivatives",
    "jacobian",
    "jacobian_dot_v",
    "kinematics",
    "load_model",
    "mass_matrix",
    "model",
    "momentum",
    "momentum_matrix",
    "momentum_rate",
    "passive_derivatives",
    "passive_forces",
    "poses",
    "positions",
    "read",
    "read_ik_setup",
    "read_loads",
    "read_motion",
    "save_model",
    "scale_model",
    "set_threads",
    "signals",
    "simulation",
    "smooth_markers",
    "solve_id",
    "solve_ik",
    "spatial",
    "velocities",
    "write",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY_ROOMS:
        return import_module(f"softstride.{name}")
    if name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'softstride' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
