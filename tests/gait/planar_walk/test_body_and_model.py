"""The planar walker: its masses, its joints, and its two kinds of feet."""

import numpy as np
import pytest

from softstride import engine
from softstride.errors import ModelError
from softstride.gait.planar_walk import Part, planar_model, table_body


def places(model, q, *names):
    return engine.positions(model, np.asarray(q)[None], list(names))[0, :, :2]


def test_the_table_makes_65_kg_of_segments():
    body = table_body()
    assert body.mass == pytest.approx(65.0, rel=1e-12)
    model = planar_model(body)
    assert model.mass == pytest.approx(65.0, rel=1e-12)
    assert model.nv == 10 and planar_model(body, metatarsal=True).nv == 12
    assert body.hip_height == pytest.approx(0.417 + 0.435 + 0.043 + 0.025)
    thigh = body.thigh  # Winter: 10 %, 43.3 % and 32.3 % of 0.417 m
    assert thigh.mass == pytest.approx(6.5) and thigh.centre[1] == pytest.approx(-0.433 * 0.417)
    assert thigh.inertia == pytest.approx(6.5 * (0.323 * 0.417) ** 2)
    feet = body.hindfoot.mass + body.forefoot.mass
    assert feet == pytest.approx(0.0145 * 65.0)


def test_pelvis_and_trunk_are_the_hat_of_the_table():
    """67.8 % of the mass, centre 62.6 % and radius 49.6 % of 0.556 m above the hips."""
    body = table_body()
    parts = [(body.pelvis, np.zeros(2)), (body.trunk, body.lumbar)]
    mass = sum(part.mass for part, _ in parts)
    centre = sum(part.mass * (part.centre + at) for part, at in parts) / mass
    inertia = sum(part.inertia + part.mass * np.sum((part.centre + at - centre) ** 2) for part, at in parts)
    assert mass == pytest.approx(0.678 * 65.0)
    np.testing.assert_allclose(centre, [0.0, 0.626 * 0.556], atol=1e-12)
    assert inertia == pytest.approx(mass * (0.496 * 0.556) ** 2)


def test_upright_it_stands_on_flat_feet():
    body = table_body()
    model = planar_model(body)
    q = np.zeros(10)
    q[1] = body.hip_height
    at = places(model, q, "sole_r", "heel_r", "ball_l", "tip_l", "shank_r", "foot_r", "shoulders")
    np.testing.assert_allclose(at[:4, 1], 0.0, atol=1e-15)
    assert at[1, 0] < at[0, 0] < at[2, 0] < at[3, 0]
    assert at[4, 1] == pytest.approx(body.hip_height - 0.417)
    assert at[5, 1] == pytest.approx(0.068)
    assert at[6, 1] == pytest.approx(body.hip_height + 0.556)


@pytest.mark.parametrize(
    ("name", "point", "axis", "sign"),
    [
        ("pelvis_tilt", "shoulders", 0, -1),
        ("lumbar", "shoulders", 0, -1),
        ("hip_r", "shank_r", 0, +1),
        ("knee_r", "foot_r", 0, -1),
        ("ankle_r", "tip_r", 1, +1),
        ("ankle_l", "heel_l", 1, -1),
        ("mtp_l", "tip_l", 1, +1),
    ],
)
def test_flexion_dorsiflexion_and_leaning_back_are_positive(name, point, axis, sign):
    model = planar_model(table_body(), metatarsal=True)
    q = np.zeros(12)
    before = places(model, q, point)[0, axis]
    q[model.coordinate_names.index(name)] = 0.1
    assert sign * (places(model, q, point)[0, axis] - before) > 1e-3


def test_a_foot_with_a_stiff_joint_is_the_rigid_foot():
    """At mtp = 0 the mass matrix of the rigid walker is that of the other without its metatarsal joints."""
    body = table_body(70.0, foot=0.2)
    rigid, bending = planar_model(body), planar_model(body, metatarsal=True)
    q = np.random.default_rng(0).uniform(-0.5, 0.5, 10)
    places = [bending.coordinate_names.index(name) for name in rigid.coordinate_names]
    whole = np.zeros(12)
    whole[places] = q
    M = engine.mass_matrix(bending, whole[None])[0][np.ix_(places, places)]
    np.testing.assert_allclose(engine.mass_matrix(rigid, q[None])[0], M, atol=1e-12)


def test_what_is_no_body_is_told():
    with pytest.raises(ModelError, match=r"thigh of a body must be a number above 0, however it is -1"):
        table_body(thigh=-1.0)
    with pytest.raises(
        ModelError, match=r"inertia of a part must be a number above 0 \[kg m\^2\], however it is 0"
    ):
        Part(1.0, np.zeros(2), 0.0)
    with pytest.raises(ModelError, match=r"shape \(2,\)"):
        Part(1.0, np.zeros(3), 1.0)
    with pytest.raises(ModelError, match="gravity"):
        planar_model(table_body(), gravity=np.nan)
