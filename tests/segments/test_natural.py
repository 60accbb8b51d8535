"""Natural coordinates: derivatives by complex steps, virtual work, the mass matrix as a sum over points."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.segments.bodies import random_body

from softstride.errors import ModelError
from softstride.segments.body import BodySegment
from softstride.segments.motion import SegmentMotion
from softstride.segments.natural import (
    axes_of,
    constraint_jacobian,
    constraints,
    interpolation,
    pseudo_interpolation,
)
from softstride.segments.reference import reference_limb
from softstride.segments.triad import Triad, orthonormal_frame

Array = NDArray[np.float64]


def phi(q: Array) -> Array:
    """The six products of axes of one frame, for any type of number."""
    u, v, w = q[:3], q[3:6] - q[6:9], q[9:]
    return np.array([u @ u, u @ v, u @ w, v @ v, v @ w, w @ w])


def test_the_jacobian_by_complex_steps() -> None:
    limb = reference_limb([0.3])
    for segment in limb.segments:
        jet = limb.motion[segment.name].jet()
        q = jet.x.reshape(12)
        K = constraint_jacobian(*axes_of(jet.x))[0]
        steps = np.stack([phi(q + 1e-30j * np.eye(12)[k]).imag / 1e-30 for k in range(12)], axis=1)
        assert np.allclose(K, steps, rtol=1e-14, atol=1e-15)
        assert np.abs(K @ jet.d.reshape(12)).max() < 1e-13  # a rigid motion keeps the constraints
        assert np.abs(constraints(jet.x, segment.triad)).max() < 1e-14


def test_virtual_work_of_a_moment() -> None:
    """Over any rigid displacement th, dp: (N*^T M) . dQ = M . th, whatever the translation."""
    rng = np.random.default_rng(4)
    limb = reference_limb([0.3])
    for segment in limb.segments:
        u, v, w = axes_of(limb.motion[segment.name].coordinates)
        Nt = pseudo_interpolation(u, v, w)[0]
        for _ in range(10):
            M, turn, shift = rng.normal(0.0, 1.0, (3, 3))
            dq = np.concatenate(
                [np.cross(turn, u[0]), shift, shift - np.cross(turn, v[0]), np.cross(turn, w[0])]
            )
            assert (Nt @ M) @ dq == pytest.approx(M @ turn, rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("handed", [1, -1])
def test_the_mass_matrix_is_a_sum_over_points(handed: int) -> None:
    rng = np.random.default_rng(9)
    for _ in range(10):
        body = random_body(rng, "body", handed)
        n = body.places @ body.segment.triad.inverse.T
        N = interpolation(n)  # (k, 3, 12)
        G = np.einsum("k,kia,kib->ab", body.masses, N, N)
        assert np.allclose(
            np.kron(body.segment.natural_mass, np.eye(3)), G, rtol=1e-11, atol=1e-12 * np.abs(G).max()
        )
        # the same points, placed through Q
        q = body.motion.coordinates.reshape(-1, 12)
        places = np.einsum("kia,na->nki", N, q)
        assert np.allclose(places - body.motion.proximal[:, None], body.arms, atol=1e-13)


def test_angular_velocity_of_a_rigid_triad() -> None:
    limb = reference_limb(np.linspace(0.0, 1.0, 20))
    for motion in limb.motion.values():
        jet, omega = motion.jet(), motion.angular_velocity()
        for axis, rate in zip(axes_of(jet.x), axes_of(jet.d), strict=True):
            assert np.allclose(np.cross(omega, axis), rate, atol=1e-12)


def test_a_triad_is_found_again() -> None:
    rng = np.random.default_rng(6)
    for handed in (1, -1):
        body = random_body(rng, "body", handed)
        u, v, w = axes_of(body.motion.coordinates)
        found = Triad.of(u, v, w)
        assert found.handed == handed
        assert np.allclose(found.basis, body.segment.triad.basis, atol=1e-13)
        R = orthonormal_frame(u, v)
        assert np.allclose(np.einsum("nij,jk->nik", R, found.basis), np.stack([u, v, w], axis=-1), atol=1e-13)


def test_triads_that_do_not_exist() -> None:
    with pytest.raises(
        ModelError, match=r"length of a segment must be a number above 0 \[m\], however it is 0"
    ):
        Triad(0.0, 1.5, 1.5, 1.5)
    for end in (0.0, np.pi):
        with pytest.raises(
            ModelError, match=r"beta of a segment must be a number above 0 and below 3\.14159 \[rad\]"
        ):
            Triad(0.4, 1.5, end, 1.5)
    with pytest.raises(ModelError, match=r"no three axes have the angles alpha 10\.00"):
        Triad(0.4, *np.radians([10.0, 90.0, 90.0 + 15.0]))
    with pytest.raises(ModelError, match="in one plane"):
        Triad(0.4, *np.radians([60.0, 30.00001, 90.0]))
    with pytest.raises(
        ModelError,
        match=r"handed of a segment must be 1 \(right-handed\) or -1 .*, however it is 0",
    ):
        Triad(0.4, 1.5, 1.5, 1.5, handed=0)
    with pytest.raises(ModelError, match="known in no frame"):
        Triad.of(np.full((3, 3), np.nan), np.ones((3, 3)), np.ones((3, 3)))
    with pytest.raises(ModelError, match="in one plane"):
        Triad.of([[1.0, 0.0, 0.0]], [[0.0, 0.4, 0.0]], [[0.6, 0.8, 0.0]])


def test_bodies_that_do_not_exist() -> None:
    triad = Triad(0.4, 1.5, 1.5, 1.5)
    with pytest.raises(
        ModelError, match=r"mass of segment 'thigh' must be a number above 0 \[kg\], however it is -1"
    ):
        BodySegment("thigh", triad, -1.0, np.zeros(3), np.eye(3))
    with pytest.raises(ModelError, match="symmetric"):
        BodySegment(
            "thigh", triad, 1.0, np.zeros(3), np.array([[1.0, 0.1, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
        )
    with pytest.raises(ModelError, match="none may be negative"):
        BodySegment("thigh", triad, 1.0, np.zeros(3), np.diag([1.0, 1.0, -0.1]))
    with pytest.raises(
        ModelError,
        match=r"com of segment 'thigh' must be finite numbers of shape \(3,\)",
    ):
        BodySegment("thigh", triad, 1.0, np.zeros(2), np.eye(3))
    odd = BodySegment("trunk", triad, 1.0, np.zeros(3), np.diag([1.0, 1.0, 2.1]))
    assert str(odd.notes[0]) == (
        "trunk: no distribution of mass has this inertia tensor: one principal moment exceeds the sum of the others by "
        "0.1 kg m^2"
    )
    assert odd.notes[0].values["excess_kg_m2"] == pytest.approx(0.1)
    assert len(replace(odd, notes=("weighed", *odd.notes)).notes) == 2  # known already
    assert len(replace(odd, inertia=np.diag([1.0, 1.0, 2.2])).notes) == 2  # another one


def test_motions_that_do_not_fit() -> None:
    from softstride.errors import InputError

    with pytest.raises(InputError, match=r"must be \(5, 4, 3\) or \(5, 12\)"):
        SegmentMotion(np.arange(5.0), np.zeros((5, 9)))
    with pytest.raises(InputError, match="come together") as caught:
        SegmentMotion(np.arange(5.0), np.zeros((5, 12)), np.zeros((5, 12)))
    assert caught.value.parameter == "accelerations"
    with pytest.raises(InputError, match="come together") as caught:
        SegmentMotion(np.arange(5.0), np.zeros((5, 12)), accelerations=np.zeros((5, 12)))
    assert caught.value.parameter == "rates"
    with pytest.raises(InputError, match="no derivatives"):
        SegmentMotion(np.arange(5.0), np.zeros((5, 12))).jet()
