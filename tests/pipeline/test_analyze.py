"""`analyze` is its steps, one after the other: the same as by hand, and one that fails does not stop the others."""

from dataclasses import replace

import numpy as np
import pytest
from tests.study.studies import differences

import softstride as ss
from softstride.errors import Option
from softstride.notes import codes
from softstride.pipeline import steps
from softstride.pipeline.analysis import FIRST, STEPS

SHORT = {"time_range": (0.30, 0.50), "bands": False}


@pytest.fixture(scope="module")
def brief(recording, model):
    return ss.analyze(recording, model, **SHORT)


def test_it_is_the_library_called_by_hand(recording, model, brief) -> None:
    motion = ss.solve_ik(model, recording, time_range=SHORT["time_range"])
    estimated = ss.estimate_loads(model, motion)
    measured = ss.solve_id(model, motion, recording, lowpass=estimated.lowpass)
    toes = [name for name in brief.forces.coordinates if name.startswith("mtp")]
    np.testing.assert_array_equal(brief.motion.q, motion.q)
    np.testing.assert_array_equal(brief.estimated.tau, estimated.tau)
    np.testing.assert_array_equal(brief.measured.tau, measured.tau)
    assert toes == [] and "mtp_angle_l" in model.coordinate_names
    forces = ss.solve_muscles(model, motion, measured, coordinates=brief.forces.coordinates, passive=False)
    believed = ~measured.doubtful
    np.testing.assert_allclose(brief.forces.force[believed], forces.force[believed], rtol=1e-6, atol=1e-6)
    assert brief.knees.keys() == {"right", "left"}


def test_steps_in_order_and_events_of_the_span(brief) -> None:
    assert [stage.name for stage in brief.stages] == [*FIRST, *(name for name, _, _ in STEPS)]
    assert {stage.state for stage in brief.stages if stage.name != "bands"} == {"done"}
    assert brief.stage("bands").words == "not asked for"
    assert all(0.30 <= event.time <= 0.50 for event in brief.motion.events) and brief.motion.events


@pytest.mark.slow
def test_bands_are_those_of_a_motion_smoothed_by_the_inverse_kinematics(recording, model) -> None:
    study = ss.analyze(recording, model, time_range=(0.30, 0.50), cutoff=12.0, muscles=False, reactions=False)
    assert study.stage("bands").state == "done" and study.motion.fit.cutoff == 12.0
    assert "through a smoothing spline of 12 Hz" in str(study.bands["measured"].notes[0])


@pytest.mark.slow
def test_bands_are_those_of_the_friction_that_was_asked_for(recording, model) -> None:
    study = ss.analyze(
        recording, model, time_range=(0.30, 0.50), friction=0.5, plates=False, muscles=False, reactions=False
    )
    loads, bands = study.estimated, study.bands["estimated"]
    assert loads.options.friction == 0.5
    said = ss.load_bands(study.model, study.motion, loads, estimate=loads.options)
    other = ss.load_bands(study.model, study.motion, loads, estimate=loads.options.changed(friction=0.8))
    np.testing.assert_array_equal(bands.tau_std, said.tau_std)
    assert np.nanmax(np.abs(bands.tau_std - other.tau_std)) > 0.1  # N m


def test_progress_goes_up_to_one(recording, model) -> None:
    seen: list[tuple[str, float]] = []
    ss.analyze(
        recording, model, **SHORT, progress=lambda name, share: seen.append((name, share)), muscles=False
    )
    shares = [share for _, share in seen]
    assert shares == sorted(shares) and shares[0] == 0.0 and seen[-1] == ("done", 1.0)


@pytest.mark.slow
def test_it_goes_on_from_a_study_that_was_cut_short(recording, model, brief) -> None:
    kept: list[ss.Study] = []
    ss.analyze(recording, model, **SHORT, checkpoint=kept.append)
    assert [len(each.stages) for each in kept] == list(range(2, len(brief.stages) + 1))
    for part in (kept[0], kept[4]):
        again = ss.analyze(recording, model, **SHORT, start=part)
        assert again.stages[: len(part.stages)] == part.stages
        same = [each for each in differences(brief, again) if ".stages." not in each]
        assert same == []


def test_a_step_that_fails_is_told_and_the_others_are_done(recording, model, monkeypatch) -> None:
    def fail(study: ss.Study, options: ss.AnalyzeOptions) -> dict:
        raise ss.InputError("the sun was in the way")

    broken = tuple((name, fail if name == "muscles" else step, weight) for name, step, weight in STEPS)
    monkeypatch.setattr("softstride.pipeline.analysis.STEPS", broken)
    study = ss.analyze(recording, model, **SHORT)
    assert [(stage.name, stage.words) for stage in study.failed] == [("muscles", "the sun was in the way")]
    assert study.forces is None and study.reactions is not None and study.measured is not None


def test_without_plates_emg_or_blade(recording, model) -> None:
    bare = recording.replace(plates=(), forces=(), emg=type(recording.emg).none())
    study = ss.analyze(bare, model, **SHORT)
    skipped = {stage.name: stage.words for stage in study.stages if stage.state == "skipped"}
    assert "no force plates" in skipped["measured loads"]
    assert "with plates and without" in skipped["comparison"] and "no EMG" in skipped["EMG"]
    assert study.loads is study.estimated and study.forces is not None


def test_nobody_on_the_plates(recording, model) -> None:
    idle = recording.replace(
        forces=tuple(
            ss.ExternalForce(f.name, f.time, 0.0 * f.force, f.point, 0.0 * f.moment) for f in recording.forces
        )
    )
    study = ss.analyze(idle, model, **SHORT, muscles=False, reactions=False)
    assert study.stage("measured loads").words == "nobody stood on a force plate"


def test_switches(recording, model) -> None:
    off = dict.fromkeys(("plates", "estimate", "bands", "muscles", "reactions"), False)
    study = ss.analyze(recording, model, time_range=(0.3, 0.4), **off)
    assert study.loads is None and study.forces is None and study.reactions is None and not study.bands
    assert study.emg and study.emg_forces is None, "EMG needs no loads, its forces do"


def test_a_model_without_muscles(recording, model) -> None:
    study = ss.analyze(recording, model.replace(muscles={}), **SHORT)
    assert study.stage("muscles").words == study.stage("EMG").words == "the model has no muscles"
    assert study.reactions is not None


def test_frames_that_cannot_be_believed_have_no_muscle_forces(study) -> None:
    """Where a force is missing, muscles would be found from a wrong moment."""
    doubtful = study.measured.doubtful.copy()
    doubtful[20:30] = True
    loads = replace(study.measured, doubtful=doubtful)
    options = ss.AnalyzeOptions(passive=True)
    forces = steps.share(study.changed(measured=loads), options)["forces"]
    assert not forces.known[doubtful].any() and forces.known[~doubtful].all()
    np.testing.assert_allclose(forces.force[~doubtful], study.forces.force[~doubtful], rtol=1e-6, atol=1e-3)
    nothing = study.changed(measured=replace(loads, doubtful=np.ones(len(loads), bool)))
    with pytest.raises(steps.Skip, match="in no frame"):
        steps.share(nothing, options)


def test_frames_that_cannot_be_believed_are_noted(study) -> None:
    doubtful = np.zeros(len(study.measured), bool)
    doubtful[20:30] = True
    note = steps._loads(study.changed(measured=replace(study.measured, doubtful=doubtful))).notes[-1]
    assert str(note) == "loads of 10 of 191 frames cannot be believed: nothing is found from them"
    assert (note.code, note.severity) == ("loads.not-believed", "warning")
    assert note.values == {"frames": 10, "of_frames": 191}


def test_a_knee_without_compartments_is_noted(brief, monkeypatch) -> None:
    monkeypatch.setattr(steps, "joint_reactions", lambda *_: brief.reactions)
    monkeypatch.setattr(steps, "knee_contact", nobody_knows)
    found = steps.react(brief, ss.AnalyzeOptions())
    assert found["knees"] == {} and codes(found["notes"]) == ("knees.no-compartments",) * 2
    assert str(found["notes"][1]) == "no compartments of the left knee: give medial"
    assert [(note.names, note.options) for note in found["notes"]] == [
        (("right",), (MEDIAL,)),
        (("left",), (MEDIAL,)),
    ]


MEDIAL = Option("medial")


def nobody_knows(*_: object) -> None:
    raise ss.InputError(f"give {MEDIAL}", options=(MEDIAL,))


def test_events_that_cannot_be_found_are_noted(recording, monkeypatch) -> None:
    monkeypatch.setattr(steps, "find_events", nobody_knows)
    trial = steps.capture(recording.replace(events=()), ss.AnalyzeOptions())
    note = trial.notes[-1]
    assert (note.code, str(note), note.options) == (
        "events.none-found",
        "no gait events: give medial",
        (MEDIAL,),
    )


def test_no_markers_is_an_error(model) -> None:
    with pytest.raises(ss.InputError, match="has no markers"):
        ss.analyze(ss.Recording("empty"), model)


def test_wrong_arguments(recording, model) -> None:
    with pytest.raises(
        ss.InputError, match="takes a Recording and a Model, however it was given str and Model"
    ):
        ss.analyze("walk.c3d", model)
    with pytest.raises(ss.InputError, match="'lowpas' is no option of an analysis; known: time_range"):
        ss.analyze(recording, model, lowpas=6.0)


def test_emg_is_divided_as_it_was_told(recording, model) -> None:
    given = SHORT | dict.fromkeys(("plates", "muscles", "reactions", "estimate"), False)
    plain = ss.analyze(recording, model, **given)
    assert np.nanmax(plain.emg.values) == pytest.approx(1.0)
    half = ss.analyze(recording, model, **given, mvc=dict.fromkeys(recording.emg.labels, 2e-4))
    volts = ss.analyze(recording, model, **given, mvc=1.0)
    np.testing.assert_allclose(half.emg.values, volts.emg.values / 2e-4)
    smooth = ss.analyze(recording, model, **given, emg_lowpass=3.0)
    assert np.abs(np.diff(smooth.emg.values, axis=0)).max() < np.abs(np.diff(plain.emg.values, axis=0)).max()


def test_envelopes_are_left_as_they_are_or_divided(recording, model, study) -> None:
    given = SHORT | dict.fromkeys(("plates", "muscles", "reactions", "estimate"), False)
    ready = recording.replace(emg=replace(study.emg, values=np.abs(study.emg.values)))
    same = ss.analyze(ready, model, **given)
    np.testing.assert_array_equal(same.emg.values, ready.emg.values)
    halved = ss.analyze(ready, model, **given, mvc=2.0)
    np.testing.assert_array_equal(halved.emg.values, ready.emg.values / 2.0)
    told = ss.analyze(ready, model, **given, mvc={"other": 1.0})
    assert "mvc says nothing of EMG R biceps femoris" in told.stage("EMG").words


def test_the_public_name_is_the_function_whatever_was_imported_before() -> None:
    """A module of the same name would take its place as soon as somebody imports it."""
    import importlib
    import pkgutil

    from softstride import pipeline, study

    for room in (pipeline, study):
        names = {each.name for each in pkgutil.iter_modules(room.__path__)}
        for name in names:
            importlib.import_module(f"{room.__name__}.{name}")
        assert not names & set(room.__all__)
