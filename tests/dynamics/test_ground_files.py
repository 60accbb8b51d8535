"""Ground reactions as files: what is written reads back to the same loads, by ours and by OpenSim."""

import re
from dataclasses import replace

import numpy as np
import pytest
from tests.models import the_model
from tests.trials import pushed_walker

from softstride.capture import read
from softstride.dynamics import solve_id
from softstride.dynamics.ground_files import save_ground
from softstride.errors import CaptureError, InputError
from softstride.kinematics import read_motion


@pytest.fixture(scope="module")
def case():
    model, motion, recording = pushed_walker()
    return model, motion, solve_id(model, motion, recording)


def test_table_and_document_give_the_same_loads(case, tmp_path):
    model, motion, loads = case
    assert save_ground(loads, tmp_path / "grf.mot", tmp_path / "grf.xml") == ()
    again = solve_id(model, motion, read(tmp_path / "grf.xml"))
    assert np.abs(again.tau - loads.tau).max() < 1e-9 * np.abs(loads.tau).max()
    assert {w.link for w in again.wrenches.values()} == {"foot_r", "foot_l"}
    alone = solve_id(model, motion, read(tmp_path / "grf.mot"))  # by side, from the names of the columns
    assert np.array_equal(alone.tau, again.tau)
    head = (tmp_path / "grf.mot").read_text()
    for column in ("ground_force_r_vx", "ground_force_l_pz", "ground_torque_l_y"):
        assert f"\t{column}" in head


def test_frames_without_contact_have_no_load(case, tmp_path):
    _, motion, loads = case
    name = "plate left"
    w = loads.wrenches[name]
    off = (np.arange(len(motion)) % 10 < 4)[:, None]
    lifted = replace(
        w,
        force=np.where(off, 0.0, w.force),
        moment=np.where(off, 0.0, w.moment),
        point=np.where(off, np.nan, w.point),
    )
    save_ground(replace(loads, wrenches=dict(loads.wrenches) | {name: lifted}), tmp_path / "grf.mot")
    force = next(force for force in read(tmp_path / "grf.mot").forces if force.side == "left")
    assert np.array_equal(force.loaded, ~off[:, 0]) and np.isnan(force.point[off[:, 0]]).all()
    assert np.array_equal(force.point[~off[:, 0]], w.point[~off[:, 0]])


def test_names_are_such_that_opensim_takes_them(case, tmp_path):
    _, _, loads = case
    odd = {f"{name} / a+b*": wrench for name, wrench in loads.wrenches.items()}
    save_ground(replace(loads, wrenches=odd), tmp_path / "grf.mot", tmp_path / "grf.xml")
    names = re.findall(r'name="([^"]*)"', (tmp_path / "grf.xml").read_text())
    assert len(names) == 3 and not re.search(r"[\s/\\*+]", "".join(names))


def test_a_link_without_a_side_and_two_forces_on_a_foot_go_by_their_numbers(case, tmp_path):
    model, motion, loads = case
    left, right = loads.wrenches["plate left"], loads.wrenches["plate right"]
    halves = [replace(left, force=left.force / 2, moment=left.moment / 2)] * 2
    board = replace(right, link="trunk")
    several = {"heel": halves[0], "toes": halves[1], "plate right": right, "board": board}
    notes = save_ground(replace(loads, wrenches=several), tmp_path / "grf.mot", tmp_path / "grf.xml")
    assert [str(note).split(":")[0] for note in notes] == [
        "the columns of force 'heel' on 'foot_l' go by its number, ground_force_1",
        "the columns of force 'toes' on 'foot_l' go by its number, ground_force_2",
        "the columns of force 'board' on 'trunk' go by its number, ground_force_4",
    ]
    columns = (tmp_path / "grf.mot").read_text()
    assert all(f"\tground_force_{key}_vx" in columns for key in ("1", "2", "r", "4"))
    without = replace(loads, wrenches={"plate left": left, "plate right": right, "board": board})
    for case_of, name in ((replace(loads, wrenches=several), "several"), (without, "few")):
        save_ground(case_of, tmp_path / f"{name}.mot", tmp_path / f"{name}.xml")
    again, few = (solve_id(model, motion, read(tmp_path / f"{name}.xml")) for name in ("several", "few"))
    assert np.abs(again.tau - few.tau).max() < 1e-9 * np.abs(loads.tau).max()
    assert {w.link for w in again.wrenches.values()} == {"foot_r", "foot_l", "trunk"}


def test_files_are_not_replaced_unasked(case, tmp_path):
    _, _, loads = case
    (tmp_path / "grf.xml").write_text("precious")
    with pytest.raises(CaptureError, match="exists already"):
        save_ground(loads, tmp_path / "grf.mot", tmp_path / "grf.xml")
    assert not (tmp_path / "grf.mot").exists()  # whole or not at all
    save_ground(loads, tmp_path / "grf.mot", tmp_path / "grf.xml", overwrite=True)
    assert "ExternalForce" in (tmp_path / "grf.xml").read_text()


def test_bad_input(case, tmp_path):
    model, motion, loads = case
    with pytest.raises(CaptureError, match=r"\.mot or \.sto"):
        save_ground(loads, tmp_path / "grf.csv")
    with pytest.raises(CaptureError, match=r"\.xml"):
        save_ground(loads, tmp_path / "grf.mot", tmp_path / "grf.txt")
    (tmp_path / "other").mkdir()
    with pytest.raises(CaptureError, match="one folder"):
        save_ground(loads, tmp_path / "grf.mot", tmp_path / "other" / "grf.xml")
    with pytest.raises(InputError, match="no ground reaction"):
        save_ground(solve_id(model, motion), tmp_path / "grf.mot")


@pytest.mark.slow
def test_opensim_reads_the_files(shared_data, tmp_path):
    """Its tool with our document gives our joint loads, up to the drift of its instants (7e-7 s)."""
    pytest.importorskip("opensim", reason="the peer of this test")
    from tests.oracles import opensim_id as tool

    trial = next(each for each in tool.TRIALS if each.name == "walk_gait2354")
    files = tool.prepare(trial, shared_data, tmp_path)
    model = the_model(files.model)
    loads = solve_id(model, read_motion(files.motion, model), read(files.loads), lowpass=trial.lowpass)
    save_ground(loads, tmp_path / "grf.mot", tmp_path / "grf.xml")
    ours = replace(files, loads=tmp_path / "grf.xml")
    tool.write_setup(ours, trial.lowpass, loads.time[0], loads.time[-1])
    tool.run(ours)
    found = tool.read_solution(ours)
    rate = max(np.abs(np.gradient(w.force[:, 1], loads.time)).max() for w in loads.wrenches.values())
    drift = np.abs(found.time - loads.time).max() * rate  # N
    assert drift < 0.02 and np.abs(loads.tau).max() > 100.0
    assert np.abs(found.matrix(model) - loads.tau).max() < max(drift, 1e-3)
