"""`Study`: what it says of itself, its figures of merit, and forces beside EMG."""

import math
from collections.abc import Mapping
from dataclasses import fields, replace

import numpy as np
import pytest

import softstride as ss
from softstride.notes import SAID, Note, sentences
from softstride.pipeline.tables import tables_of
from softstride.study import emg_errors


def test_it_says_what_it_is(study) -> None:
    assert repr(study) == "Study('running', 191 frames, motion, measured, estimated, forces, reactions)"
    assert study.loads is study.measured
    assert study.changed(measured=None).loads is study.estimated
    assert study.weight == pytest.approx(study.model.mass * 9.80665)
    assert study.stage("muscles").state == "done"
    with pytest.raises(ss.InputError, match=r"no step 'dance'.*kinematics"):
        study.stage("dance")


def test_figures_are_finite_and_those_of_the_parts(study) -> None:
    figures = study.figures
    assert all(math.isfinite(value) for value in figures.values())
    assert figures["marker_rms_mm"] == 1e3 * study.motion.fit.rms
    assert figures["frames"] == study.motion.n_frames
    assert figures["measured_residual_moment_rms_Nm"] == study.measured.residual_moment_rms
    known = study.forces.known
    assert figures["muscles_known_percent"] == 100.0 * known.mean()
    peak = np.nanmax(study.knees["left"].total) / study.weight
    assert figures["knee_left_contact_peak_bw"] == pytest.approx(peak)


def test_the_force_of_a_knee_says_whether_muscles_pull(study) -> None:
    """Without muscles the same place holds another quantity, by another name, in figures and tables."""
    net = ss.joint_reactions(study.model, study.motion, study.loads)
    knee = ss.knee_contact(net, study.model, "left")
    bare = study.changed(forces=None, reactions=net, knees={"left": knee})
    assert (net.kind, study.reactions.kind) == ("net", "contact")
    knees = {name: value for name, value in bare.figures.items() if name.startswith("knee_")}
    assert knees == {"knee_left_net_peak_bw": pytest.approx(np.nanmax(knee.total) / study.weight)}
    assert knees["knee_left_net_peak_bw"] < 0.5 * study.figures["knee_left_contact_peak_bw"]
    assert "knee_left_net_N" in tables_of(bare) and "knee_left_contact_N" in tables_of(study)


def test_figures_of_a_motion_alone(study) -> None:
    bare = ss.Study("walk", study.recording, study.model, study.motion)
    assert set(bare.figures) == {
        "frames",
        "duration_s",
        "mass_kg",
        "marker_rms_mm",
        "marker_max_mm",
        "ik_converged_percent",
    }


def test_strikes_that_are_cut_off_do_not_count_in_means(study) -> None:
    first, *others = study.validation
    cut = replace(study.validation, strikes=(replace(first, partial=True), *others))
    mean = np.mean([each.rrmse[1] for each in others])
    assert study.changed(validation=cut).figures["grf_rrmse_up_percent"] == pytest.approx(mean)
    assert study.figures["grf_rrmse_up_percent"] != pytest.approx(mean)


def test_forces_beside_emg(study) -> None:
    errors = emg_errors(study)
    assert [phase.side for phase in errors.phases] == ["right", "left", "right"]
    assert set(errors.errors) == set(study.electrodes)
    phase = errors.phases[0].frames
    off = (study.forces.muscle("bflh_r") - study.emg_forces.muscle("bflh_r"))[phase]
    expected = 100.0 * np.sqrt(np.mean(off**2)) / study.model.muscles["bflh_r"].max_force
    assert errors.errors["bflh_r"][0] == pytest.approx(expected)
    assert study.figures["emg_rmse_percent_of_fmax"] == pytest.approx(errors.mean)


def test_forces_beside_emg_need_forces_emg_and_maximal_contractions(study) -> None:
    assert emg_errors(study.changed(forces=None)) is None
    assert emg_errors(study.changed(emg_forces=None)) is None
    assert "emg_rmse_percent_of_fmax" not in study.changed(options={}).figures


def test_notes_of_all_parts_each_once(study) -> None:
    notes = study.all_notes
    assert len(notes) == len(set(map(str, notes))) == len(sentences(notes))
    parts = [getattr(study, each.name) for each in fields(study)]
    parts += [part for table in parts if isinstance(table, Mapping) for part in table.values()]
    said = {type(part): part.notes for part in parts if getattr(part, "notes", ())}
    assert {ss.Recording, ss.Motion, ss.Loads, ss.LoadBands, ss.MuscleForces} <= said.keys()
    assert study.emg_forces.notes
    for told in (*said.values(), study.emg_forces.notes, study.notes):
        assert set(map(str, told)) <= set(map(str, notes))


def test_notes_are_objects_and_so_are_sentences_of_users(study) -> None:
    mine = Note("mine.shoes", "new shoes", names=("left",))
    told = study.changed(notes=(mine, "it rained", replace(mine, names=("right",))))
    assert told.notes[:2] == (mine, Note(SAID, "it rained")) and len(told.notes) == 3
    assert told.all_notes[-2:] == (mine, Note(SAID, "it rained"))
    assert all(isinstance(note, Note) for note in told.all_notes)


def test_as_a_tree(study) -> None:
    tree = study.to_xarray()
    assert set(tree.children) == {"motion", "measured", "estimated", "forces", "reactions"}
