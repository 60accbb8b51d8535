"""From plates to joints: forces that `solve_muscles` shared, in memory and through its files."""

import numpy as np
import pytest
from tests.trials import recorded_walk

import softstride as ss


@pytest.fixture(scope="module")
def trial(shared_data):
    model, motion, recording = recorded_walk(shared_data)
    loads = ss.solve_id(model, motion, recording, lowpass=6.0, time_range=(0.6, 1.2))
    return model, motion, loads, ss.solve_muscles(model, motion, loads, lowpass=6.0)


def test_what_muscles_leave_over_is_what_reserves_give(trial):
    """Reserves of the sharing are inside the joints: `rest` of each coordinate that was to be met."""
    model, motion, loads, forces = trial
    found = ss.joint_reactions(model, motion, loads, forces)
    columns = [model.coordinate_names.index(name) for name in forces.coordinates]
    given = np.array(forces.reserve)
    for i, name in enumerate(forces.actuator_coordinates):
        given[:, forces.coordinates.index(name)] += forces.actuator_force[:, i]
    scale = np.abs(loads.tau[:, columns]).max()
    assert np.abs((found.rest - loads.elastic)[:, columns] - given).max() < 1e-8 * scale
    assert found.muscles == forces.names and found.balance < 1e-10


def test_muscles_load_the_knee_far_beyond_the_net_force(trial):
    model, motion, loads, forces = trial
    with_muscles, net = (ss.joint_reactions(model, motion, loads, each) for each in (forces, None))
    knee, bare = (each.force_bw[:, each.index("knee_r")] for each in (with_muscles, net))
    assert 2.0 < np.linalg.norm(knee, axis=1).max() < 6.0 and np.linalg.norm(bare, axis=1).max() < 1.3
    contact = ss.knee_contact(with_muscles, model, "right")
    np.testing.assert_allclose(contact.medial + contact.lateral, contact.total, rtol=1e-12)
    assert contact.total.max() > 1.5 * with_muscles.body_weight
    assert any(
        {"R.Knee.Med", "R.Knee.Lat"} == set(note.names)
        for note in contact.notes
        if note.code == "knees.width-assumed"
    )


def test_the_files_of_the_sharing_are_read(trial, tmp_path):
    model, motion, loads, forces = trial
    forces.save(tmp_path / "so")
    read = ss.read_forces(tmp_path / "so_force.sto", model.muscles)
    direct = ss.joint_reactions(model, motion, loads, forces)
    np.testing.assert_allclose(ss.joint_reactions(model, motion, loads, read).force, direct.force, atol=1e-9)
    again = ss.read_muscles(tmp_path / "so", model)
    np.testing.assert_allclose(ss.joint_reactions(model, motion, loads, again).force, direct.force, atol=1e-9)
