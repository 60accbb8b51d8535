"""Tensions as wrenches on links: summed over paths, and with guides as much as the moment arms say."""

import numpy as np
import pytest
from tests.models import the_model
from tests.muscles.reactions.machines import cable, with_muscles

import softstride as ss
from softstride.engine import generalized_forces
from softstride.muscles.paths.wrenches import muscle_pulls


@pytest.mark.parametrize("name", ["walk_gait2354/subject01_simbody.osim", "knee_gc5_ps/GC5.osim"])
@pytest.mark.parametrize("frames", [1, 5, 300])
def test_wrenches_and_guides_make_the_moments_of_the_arms(shared_data, name, frames):
    """Points that coordinates move (gait2354) give coordinates a force besides; other paths do not."""
    model = the_model(shared_data / name)
    rng = np.random.default_rng(1)
    q = model.neutral() + 0.2 * rng.uniform(-1.0, 1.0, (frames, model.nq))
    tension = rng.uniform(0.0, 500.0, (frames, len(model.muscles)))
    names = tuple(model.muscles)
    wrenches, guided = muscle_pulls(model, q, tension, names)
    arms = ss.muscle_paths(model, q).arms
    moments = np.einsum("nmv,nm->nv", arms, tension)
    found = generalized_forces(model, q, dict(wrenches)) + guided
    assert np.abs(found - moments).max() < 1e-9 * np.abs(moments).max()
    moving = sorted(
        name for name, x in zip(model.coordinate_names, np.abs(guided).max(axis=0), strict=True) if x > 0.0
    )
    assert moving == (["knee_angle_l", "knee_angle_r"] if "gait2354" in name else [])


def test_all_wrenches_of_a_muscle_add_up_to_nothing():
    b = ss.ModelBuilder("two")
    b.free("trunk", mass=1.0, inertia=(0.1, 0.1, 0.1))
    b.spherical("arm", parent="trunk", position=(0.1, 0.3, 0.0), mass=1.0, inertia=(0.1, 0.1, 0.1))
    model = with_muscles(
        b.build(),
        cable("deltoid", ("trunk", (0.0, 0.35, 0.1)), ("arm", (0.05, -0.1, 0.02))),
        cable("biceps", ("trunk", (0.1, 0.3, 0.05)), ("arm", (0.05, -0.05, 0.0)), ("arm", (0.0, -0.3, 0.0))),
    )
    rng = np.random.default_rng(2)
    q = ss.integrate(model, np.tile(model.neutral(), (20, 1)), rng.normal(size=(20, model.nv)))
    wrenches = ss.muscle_wrenches(model, q, rng.uniform(0.0, 100.0, (20, 2)))
    total = np.zeros((20, 6))
    for link, wrench in wrenches.items():
        at = ss.positions(model, q, link)
        total += np.concatenate([wrench[:, :3] + np.cross(at, wrench[:, 3:]), wrench[:, 3:]], axis=1)
    assert np.abs(total).max() < 1e-10
    one = ss.muscle_wrenches(model, q[0], [50.0, 0.0])
    assert one["arm"].shape == (6,) and np.linalg.norm(one["arm"][3:]) == pytest.approx(50.0)
