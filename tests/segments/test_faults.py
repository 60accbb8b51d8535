"""What faults would cost at the hip of the reference motion: the figures that docs/theory/segments.md gives.

Each fault is put into the equations as they are printed, over a whole period, and compared with the right answer.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from softstride.segments.inertia import read_inertia_table, row_tensor
from softstride.segments.inverse import inverse_dynamics
from softstride.segments.methods import prepare
from softstride.segments.methods.nonorthonormal import generalized_forces
from softstride.segments.natural import axes_of, constraint_jacobian, natural_mass, pseudo_interpolation
from softstride.segments.reference import ReferenceLimb, reference_limb
from softstride.spatial.vectors import cross

Array = NDArray[np.float64]


@pytest.fixture(scope="module")
def limb() -> ReferenceLimb:
    return reference_limb(np.linspace(0.0, 1.0, 1001))


@pytest.fixture(scope="module")
def theory() -> str:
    text = (Path(__file__).resolve().parents[2] / "docs" / "theory" / "segments.md").read_text(
        encoding="utf-8"
    )
    return " ".join(text.split())


def largest(vectors: Array) -> float:
    """Return the largest component."""
    return float(np.abs(vectors).max())


def moment_of(A: Array, coordinates: Array, accelerations: Array) -> Array:
    """Return u x p_u - v x p_D + w x p_w of p = G Qdd with G = kron(A, E)."""
    u, v, w = axes_of(coordinates)
    p = np.einsum("ij,njk->nik", A, accelerations)
    return np.asarray(cross(u, p[:, 0]) - cross(v, p[:, 2]) + cross(w, p[:, 3]))


def test_the_tensor_for_the_second_moment(limb: ReferenceLimb, theory: str) -> None:
    """Eq. 9 as printed: moments of all three segments reach the hip, forces are right."""
    wrong = np.zeros((1001, 3))
    for segment in limb.segments:
        c, m, back = segment.com, segment.mass, segment.triad.inverse
        tensor = segment.inertia + m * (c @ c * np.eye(3) - np.outer(c, c))
        printed = natural_mass(m, segment.natural_com, back @ tensor @ back.T)
        jet = limb.motion[segment.name].jet()
        wrong += moment_of(printed - segment.natural_mass, jet.x, jet.dd)
    assert f"up to {largest(wrong):.1f} N m at the hip of the reference motion" in theory


def test_a_second_moment_left_at_the_centre_of_mass(limb: ReferenceLimb, theory: str) -> None:
    """Homogeneous matrices with S about the centre of mass, in all segments and in the thigh alone."""

    def moments(faulty: tuple[str, ...]) -> Array:
        segments = []
        for segment in limb.segments:
            copy = replace(segment)
            if segment.name in faulty:
                lost = segment.mass * np.outer(segment.com, segment.com)
                vars(copy)["second_moment"] = segment.second_moment - lost
            segments.append(copy)
        loads = inverse_dynamics(
            segments, limb.motion, limb.external, method="homogeneous", gravity=limb.gravity
        )
        return loads.moment_on("thigh")

    right = moments(())
    every = largest(moments(("foot", "shank", "thigh")) - right)
    alone = largest(moments(("thigh",)) - right)
    words = f"S would cost up to {every:.1f} N m at the hip, that of the thigh alone {alone:.1f}"
    assert words in theory


def system(coordinates: Array, printed: bool) -> Array:
    """Return [N_P^T  N*^T  -K^T], shape (n, 12, 12), with the row of rP of N* as printed in eq. 12 or as it must be."""
    u, v, w = axes_of(coordinates)
    N = pseudo_interpolation(u, v, w)
    if printed:
        couple = np.linalg.inv(np.stack([cross(w, u), cross(u, v), -cross(v, w)], axis=-1))
        N[:, 3:6] = np.stack([-u, -v, -w], axis=-1) @ couple
    found = np.zeros((len(coordinates), 12, 12))
    found[:, 3:6, :3] = np.eye(3)
    found[:, :, 3:6] = N
    found[:, :, 6:] = -np.swapaxes(constraint_jacobian(u, v, w), -1, -2)
    return found


def recursion(limb: ReferenceLimb, printed: bool) -> tuple[Array, Array]:
    """Return force and moment at the hip by 12 x 12 systems from the foot up."""
    (ground,) = limb.external
    force, moment, point = -ground.force, -ground.moment, ground.point
    for segment in limb.segments:
        jet = prepare("nonorthonormal", segment, limb.motion[segment.name], "spline").own
        p = generalized_forces(segment, jet.dd, np.array(limb.gravity)).reshape(-1, 12)
        A, here = system(jet.x, printed), limb.motion[segment.name].proximal
        below = np.concatenate([force, moment + cross(point - here, force)], axis=1)
        right = p + np.einsum("nij,nj->ni", A[:, :, :6], below)
        found = np.linalg.solve(A, right[..., None])[..., 0]
        force, moment, point = found[:, :3], found[:, 3:6], here
    return force, moment


def test_the_printed_row_of_the_moment(limb: ReferenceLimb, theory: str) -> None:
    """Eq. 12 as printed: a force of its own in every segment, which is a moment at the joints above."""
    right = inverse_dynamics(limb.segments, limb.motion, limb.external, gravity=limb.gravity)
    force, moment = recursion(limb, printed=False)
    np.testing.assert_allclose(force, right.force_on("thigh"), rtol=0.0, atol=1e-8)
    np.testing.assert_allclose(moment, right.moment_on("thigh"), rtol=0.0, atol=1e-8)
    force, moment = (
        bad - good for bad, good in zip(recursion(limb, printed=True), (force, moment), strict=True)
    )
    words = f"adds a force, up to {largest(force):.1f} N and {largest(moment):.1f} N m at the hip of the reference"
    assert words in theory


def test_condition_of_the_full_system(limb: ReferenceLimb, theory: str) -> None:
    """It depends on the shape of the axes alone: the same in every frame."""
    found = {}
    for segment in limb.segments:
        condition = np.linalg.cond(system(limb.motion[segment.name].coordinates[::100], printed=False))
        assert np.ptp(condition) < 1e-6 * condition[0]
        found[segment.name] = condition[0]
    thigh, shank, foot = (found[name] for name in ("thigh", "shank", "foot"))
    assert f"is {thigh:.1f} for the thigh, {shank:.1f} for the shank and {foot:.0f} for the foot" in theory


def test_the_female_torso(theory: str) -> None:
    """An eigenvalue of its second moment of mass is negative: no body has it."""
    tensor = row_tensor(read_inertia_table("dumas").row("torso", "female"), "frame")
    second = 0.5 * np.trace(tensor) * np.eye(3) - tensor
    assert f"{np.linalg.eigvalsh(second)[0]:.4f} m L²".replace("-", "−") in theory
