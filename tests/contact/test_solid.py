"""Rolling bodies in space: support functions, the planar case, closed forms, and yielding ground."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.contact.surfaces import derivative, reference

from softstride.contact import (
    Bristle,
    CompliantBody,
    CompliantRolling,
    NormalLaw,
    OutlineSurface,
    RollingBody,
    SlipFriction,
    SplineSurface,
)
from softstride.errors import InputError

FOOT = RollingBody(
    reference(), OutlineSurface([[-0.03, 0.01], [-0.02, 0.0], [0.03, 0.0], [0.04, 0.01]], 0.3), 0.004
)
TORUS = RollingBody(SplineSurface.arc(0.3, (0.0, -0.3)), rounding=0.05)


def directions(count=7, lean=0.4, seed=2):
    """Unit vectors towards the ground, the foot up to about `lean` away from flat."""
    rng = np.random.default_rng(seed)
    d = np.concatenate(
        [rng.uniform(-0.15, lean, (count, 1)), -np.ones((count, 1)), rng.uniform(-lean, lean, (count, 1))], 1
    )
    return d / np.linalg.norm(d, axis=1, keepdims=True)


@pytest.mark.parametrize("body", [FOOT, TORUS], ids=["foot", "torus"])
def test_the_contact_is_the_gradient_of_the_support(body):
    """∇H of the support function, which is homogeneous of degree one; and its rate is the second derivative."""
    d, step = directions(), 1e-4

    def support(x):
        size = np.linalg.norm(x, axis=-1, keepdims=True)
        return size[..., 0] * body.support(x / size)

    for i in range(3):
        slope = derivative(lambda t, i=i: support(d + t * np.eye(3)[i]), 0.0, step)
        np.testing.assert_allclose(body.contact(d)[:, i], slope, atol=1e-8)
    turning = np.cross([0.4, -0.7, 0.9], d)
    along = derivative(
        lambda t: body.contact(Rotation.from_rotvec(t * np.array([0.4, -0.7, 0.9])).apply(d)), 0.0, step
    )
    np.testing.assert_allclose(body.contact_rate(d, turning), along, atol=1e-7)
    np.testing.assert_allclose(np.sum(body.contact_rate(d, turning) * d, axis=1), 0.0, atol=1e-14)


def test_no_other_point_is_below_the_ground():
    d = directions(60, 0.6)
    heights = FOOT.support(d)[:, None] - d @ FOOT.contact(d).T
    assert heights.min() > -1e-14, "the contact is the lowest point of a convex body"


def test_upright_it_is_the_planar_surface():
    surface, a = reference(), np.linspace(-0.2, 0.5, 8)
    body = RollingBody(surface, SplineSurface.arc(0.04))
    d = np.stack([np.sin(a), -np.cos(a), np.zeros_like(a)], axis=1)
    np.testing.assert_allclose(body.tilts(d), [a, np.zeros_like(a)], atol=1e-15)
    np.testing.assert_allclose(body.contact(d)[:, :2], surface.outline(a), atol=1e-15)
    np.testing.assert_allclose(body.contact(d)[:, 2], 0.0, atol=1e-15)
    np.testing.assert_allclose(body.support(d), surface.h(a), atol=1e-15)
    turning = np.stack(
        [np.cos(a), np.sin(a), np.zeros_like(a)], axis=1
    )  # of d when the tilt grows by 1 rad/s
    np.testing.assert_allclose(
        np.linalg.norm(body.contact_rate(d, turning), axis=1), surface.rho(a), atol=1e-13
    )


def test_a_leaning_sole_touches_with_its_edge():
    wide = RollingBody(reference(), OutlineSurface([[-0.04, 0.0], [0.04, 0.0]], 0.05))
    for b, edge in ((0.06, 0.04), (-0.06, -0.04), (0.0, 0.0)):
        assert wide.contact([0.0, -np.cos(b), np.sin(b)])[2] == pytest.approx(edge, abs=1e-15)


def test_torus_and_sphere():
    d = directions()
    sagittal = d * [1, 1, 0] / np.linalg.norm(d[:, :2], axis=1, keepdims=True)
    np.testing.assert_allclose(TORUS.contact(d), 0.3 * sagittal + 0.05 * d, atol=1e-14)
    ball = RollingBody(SplineSurface.arc(0.0), rounding=0.2)
    np.testing.assert_allclose(ball.contact(d), 0.2 * d, atol=1e-15)
    np.testing.assert_allclose(ball.support(d), 0.2)


def pose(a, b=0.0):
    """Rotation of a foot tilted by a (clockwise with x to the right, y up) after leaning by b, right side down."""
    return (Rotation.from_euler("x", b) * Rotation.from_euler("z", -a)).as_matrix()


def test_yielding_ground_in_space_is_that_of_the_plane():
    law, grip = NormalLaw(1e5, 1.0, 3.0), Bristle(0.6, 2e4, 50.0)
    planar = CompliantRolling(reference(), law, grip)
    space = CompliantBody(RollingBody(reference()), law, grip)
    a, rate, velocity = 0.2, 1.5, np.array([0.1, -0.3])
    position = np.array([0.7, reference().h(a) - 0.004])
    flat = planar.touch(position, a, velocity, rate, 0.002)
    found = space.touch(pose(a), [*position, 0.1], [0.0, 0.0, -rate], [*velocity, 0.0], [0.002, 0.0, 0.0])
    np.testing.assert_allclose(found.force, [*flat.force, 0.0], atol=1e-10)
    np.testing.assert_allclose(found.point, [flat.place, -0.004, 0.1], atol=1e-15)
    assert found.depth == pytest.approx(flat.depth)
    np.testing.assert_allclose(found.wrench[:3], [0.0, 0.0, -flat.moment], atol=1e-12)
    np.testing.assert_array_equal(found.wrench[3:], found.force)
    np.testing.assert_allclose(found.stretch_rate, [flat.stretch_rate, 0.0, 0.0], atol=1e-12)


def test_power_of_the_ground_in_space():
    """The wrench about the origin has the power of the force on the foot particle that is lowest."""
    contact = CompliantBody(FOOT, NormalLaw(1e5, 1.5, 3.0), SlipFriction(0.6), normal=(0.1, 1.0, -0.2))
    rng = np.random.default_rng(9)
    R = np.stack([pose(0.2, 0.1), pose(-0.1, -0.2), pose(0.0, 0.0)])
    spin, velocity = rng.normal(size=(2, 3, 3))
    n = contact.normal
    down = -np.einsum("fij,i->fj", R, n)
    x = n * (FOOT.support(down)[:, None] - 0.003) + np.cross(n, rng.normal(size=(3, 3)))
    touch = contact.touch(R, x, spin, velocity)
    np.testing.assert_allclose(touch.depth, 0.003)
    particle = velocity + np.cross(spin, touch.point - x)
    power = np.sum(touch.wrench[:, :3] * spin + touch.wrench[:, 3:] * velocity, axis=1)
    np.testing.assert_allclose(power, np.sum(touch.force * particle, axis=1), rtol=1e-12)
    tangential = touch.force - (touch.force @ n)[:, None] * n
    dragged = np.sum(tangential * particle, axis=1)
    pressed = touch.force @ n > 0.0  # the second leaves faster than its damper yields
    assert pressed.sum() == 2 and (dragged[pressed] < 0.0).all() and dragged[~pressed] == 0.0
    above = contact.touch(R, x + 0.01 * n, spin, velocity)
    np.testing.assert_array_equal(above.force, 0.0)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: RollingBody("flat"), "the sagittal outline of a rolling body must be"),
        (lambda: RollingBody(reference(), "flat"), "the frontal outline"),
        (lambda: RollingBody(reference(), rounding=-0.1), "rounding"),
        (lambda: FOOT.contact([0.0, 1.0]), r"down must have shape \(\.\.\., 3\)"),
        (lambda: TORUS.contact([0.0, 0.0, 1.0]), "lies on its side"),
        (lambda: CompliantBody("foot", NormalLaw(1.0), SlipFriction(0.5)), "must be a RollingBody"),
    ],
)
def test_what_is_no_body_is_refused(call, words):
    with pytest.raises(InputError, match=words):
        call()
