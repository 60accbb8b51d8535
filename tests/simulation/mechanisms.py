"""Small mechanisms with closed-form motions. Gravity 9.81 along -y."""

import numpy as np
from scipy.special import ellipj, ellipk

from softstride.model import ModelBuilder, Rod, Segment
from softstride.model.inertia import Inertia

G = 9.81
DOWN = (0.0, -G, 0.0)
STRAINS = ("kx", "ky", "kz", "ex", "ey", "ez")


def pendulum(**passive):
    """A point mass of 1 kg on a massless rod of 1 m about z, hanging along -y at q = 0."""
    builder = ModelBuilder("pendulum", gravity=DOWN)
    builder.revolute("rod", axis=(0, 0, 1), mass=1.0, com=(0, -1, 0), **passive)
    return builder.build()


def pendulum_angle(start, t):
    """Return the angle of `pendulum` released at rest at `start`, by Jacobi's elliptic functions."""
    k = np.sin(start / 2.0)
    sn, _, _, _ = ellipj(ellipk(k**2) - np.sqrt(G) * np.asarray(t), k**2)
    return 2.0 * np.arcsin(k * sn)


UPPER = {"mass": 1.3, "inertia": (0.04, 0.01, 0.05)}
LOWER = {"axis": (0, 0, 1), "mass": 0.9, "com": (-0.01, -0.2, 0), "inertia": (0.02, 0.01, 0.02)}
SHIFT = np.array([0.1, -0.25, 0.05])


def ball(mass):
    """A slider along y, height q."""
    builder = ModelBuilder("ball", gravity=DOWN)
    builder.prismatic("ball", axis=(0, 1, 0), mass=mass)
    return builder.build()


def double_pendulum():
    """Two hinged bars with different masses, out-of-line centres of mass."""
    builder = ModelBuilder("double", gravity=DOWN)
    builder.revolute("upper", axis=(0, 0, 1), com=(0.02, -0.3, 0.0), **UPPER)
    builder.revolute("lower", "upper", position=(0, -0.6, 0), **LOWER)
    return builder.build()


def floating_double_pendulum():
    """The same bars on a free joint, its frame at SHIFT from the hinge: hold the hinge for the open tree."""
    builder = ModelBuilder("floating", gravity=DOWN)
    builder.free("upper", com=(0.02, -0.3, 0.0) - SHIFT, **UPPER)
    builder.revolute("lower", "upper", position=(0, -0.6, 0) - SHIFT, **LOWER)
    return builder.build()


def reference_leg():
    """The foot of 0.94 kg slides and tilts; the upper body of 64.06 kg stands on the ankle; x forward, y up."""
    builder = ModelBuilder("leg", gravity=DOWN)
    builder.prismatic("x", axis=(1, 0, 0))
    builder.prismatic("y", "x", axis=(0, 1, 0))
    builder.revolute(
        "foot", "y", axis=(0, 0, -1), mass=0.94, com=(0.03, 0.035, 0), inertia=(0.004, 0.004, 0.004)
    )
    builder.revolute(
        "upper", "foot", position=(-0.04, 0.068, 0), axis=(0, 0, -1), mass=64.06, com=(0, 0.90, 0), inertia=(7, 7, 7)
    )  # fmt: skip
    return builder.build()


def free_body(inertia, mass=2.0, com=(0.0, 0.0, 0.0), gravity=DOWN):
    """One floating rigid body."""
    builder = ModelBuilder("body", gravity=gravity)
    builder.free("body", mass=mass, com=com, inertia=inertia)
    return builder.build()


def conical_pendulum(length=0.7, inertia=0.05):
    """A ball-jointed bob with equal inertia about all axes."""
    builder = ModelBuilder("conical", gravity=DOWN)
    builder.spherical("bob", mass=1.5, com=(0, -length, 0), inertia=(inertia,) * 3)
    return builder.build()


def soft_rod(
    segments=3, free=("kx", "ky", "kz"), damping=0.0, length=0.6, mass=0.2, K=(0.8, 1.0, 2.0, 1e6, 4e5, 4e5)
):
    """A clamped rod along x with a tip mass; section density of the hybrid-link specification."""
    density = Inertia(0.8, (0, 0, 0), (2e-4, 1e-5, 1.9e-4))
    part = Segment(
        length / segments, density=density, stiffness=K, damping=damping * np.asarray(K), free=free
    )
    builder = ModelBuilder("rod", gravity=DOWN)
    builder.rod("rod", rod=Rod((part,) * segments), mass=mass, inertia=(1e-3, 1.5e-3, 2e-3))
    return builder.build()


def orders(errors):
    """Return the observed orders when the step is halved."""
    errors = np.asarray(errors)
    return np.log2(errors[:-1] / errors[1:])
