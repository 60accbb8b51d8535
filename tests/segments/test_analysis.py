"""From recordings to studies: the reference limb found again from markers, forces beside plates, joints, tables."""

from pathlib import Path

import numpy as np
import pytest
from tests.refusals import bad_input
from tests.segments.people import reference_walk, standing

from softstride.capture import Event, Points, Recording
from softstride.capture.force import ExternalForce
from softstride.dynamics.loads import AppliedWrench
from softstride.errors import CaptureError, InputError
from softstride.notes import codes
from softstride.segments import (
    METHODS,
    SegmentOptions,
    analyze,
    four_methods,
    inverse_dynamics,
    reference_limb,
    study_cycles,
)
from softstride.segments.body import BodySegment
from softstride.segments.centres import joint_centres
from softstride.segments.external import ground_loads, stances
from softstride.segments.landmarks import find_landmarks
from softstride.segments.triad import Triad


def given_bodies(study_segments):  # type: ignore[no-untyped-def]
    """The reference limb's inertia for the segments that were built from its markers."""
    limb = reference_limb([0.0])
    return {
        f"right {body.name}": BodySegment(body.name, body.triad, body.mass, body.com, body.inertia)
        for body in limb.segments
    }


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("solidify", [True, False])
def test_the_reference_limb_from_its_markers(method: str, solidify: bool) -> None:
    """Markers, plate and given inertia give the limb's own loads: only derivatives by splines at 100 Hz are between.

    u of what is built is a normal to planes of markers and not the limb's own u, so that the same body is moved exactly
    for comparison: its axes are constant in those of the limb.
    """
    recording = reference_walk()
    study = analyze(
        recording, lowpass=None, solidify=solidify, method=method, inertia="winter", centres="file"
    )
    t = recording.markers.time
    limb = reference_limb(t)
    # the same bodies, moved exactly: natural coordinates of what was built are linear in the markers
    exact = {}
    for name in ("foot", "shank", "thigh"):
        built = study.segments[f"right {name}"]
        assert np.allclose(built.motion.proximal, limb.motion[name].proximal, atol=1e-12)
        assert built.triad.length == pytest.approx(
            limb.segments[("foot", "shank", "thigh").index(name)].triad.length
        )
        assert np.allclose(built.motion.across, limb.motion[name].across, atol=1e-12)
        exact[f"right {name}"] = _exact(limb.motion[name], built)
    bodies = [study.bodies[name] for name in exact]
    (ground,) = limb.external
    push = AppliedWrench("right foot", ground.force, ground.point, ground.moment)
    true = inverse_dynamics(bodies, exact, [push], gravity=study.options.gravity)
    inner = slice(5, -5)  # the ends of a spline are free
    for name in exact:
        gap = study.loads.moment_on(name) - true.moment_on(name)  # type: ignore[union-attr]
        assert np.abs(gap[inner]).max() < 2e-3 * np.abs(true.moment_on(name)).max()


def _exact(motion, built):  # type: ignore[no-untyped-def]
    """Motion of what was built, with exact derivatives: its axes in the frame of the limb are constant."""
    from softstride.segments.motion import SegmentMotion

    jet = motion.jet()
    axes = np.stack([jet.x[:, 0], jet.x[:, 1] - jet.x[:, 2], jet.x[:, 3]], axis=-1)
    share = np.linalg.solve(axes[0], np.stack([built.motion.forward[0], built.motion.across[0]], axis=-1))
    parts = []
    for q in (jet.x, jet.d, jet.dd):
        frame = np.stack([q[:, 0], q[:, 1] - q[:, 2], q[:, 3]], axis=-1)
        u, w = np.moveaxis(frame @ share, -1, 0)
        parts.append(np.stack([u, q[:, 1], q[:, 2], w], axis=1))
    return SegmentMotion(motion.time, *parts)


def test_a_study_says_what_it_did() -> None:
    study = analyze(reference_walk(), lowpass=None, centres="file")
    assert set(study.joints) == {"right ankle", "right knee", "right hip"}
    knee = study.joint("right knee")
    assert (knee.proximal, knee.distal) == ("right thigh", "right shank")
    assert knee.words == ("extension", "adduction", "internal rotation")
    notes = " ".join(map(str, study.notes))
    assert "Winter (Dempster)" in notes and "confidence C" in notes and "made rigid" in notes
    thigh = study.bodies["right thigh"]
    assert (thigh.table, thigh.confidence) == ("Winter (Dempster)", "C")
    assert study.person.mass == 80.0 and study.person.leg == pytest.approx(0.85, abs=1e-9)
    assert study.pelvis is not None and np.ptp(study.pelvis, axis=0).max() < 1e-9
    assert all(each.length_rms < 1e-12 for each in study.deformation.values())
    assert study.loads is not None and study.loads.multipliers is not None
    with pytest.raises(InputError, match="no joint 'left knee'; there are"):
        study.joint("left knee")
    assert analyze(reference_walk(), sex="male").bodies["right thigh"].mass == pytest.approx(0.123 * 80.0)
    assert analyze(reference_walk(), lowpass=None, ankle="isb").joint("right ankle").words[1] == "inversion"


def test_the_filter_is_told_and_can_be_left_out() -> None:
    assert any("low pass of 6 Hz" in str(note) for note in analyze(reference_walk()).notes)
    assert not any("low pass" in str(note) for note in analyze(reference_walk(), lowpass=None).notes)


def test_four_methods_side_by_side() -> None:
    study = analyze(reference_walk(), lowpass=None)
    found = four_methods(study)
    assert set(found) == set(METHODS)
    base = found["nonorthonormal"]
    # the study solves for multipliers too, by another way
    assert np.allclose(base.moment, study.loads.moment, rtol=1e-9, atol=1e-9)  # type: ignore[union-attr]
    for method, loads in found.items():
        gap = np.abs(loads.moment - base.moment)[5:-5].max()
        assert gap < (1e-9 if method == "homogeneous" else 1e-3)  # splines at 100 Hz
    angles_only = analyze(reference_walk().replace(forces=()))
    assert angles_only.loads is None and "loads.no-forces" in codes(angles_only.notes)
    with pytest.raises(InputError, match="has no loads to compare"):
        four_methods(angles_only)


def test_without_a_mass_angles_are_left() -> None:
    recording = reference_walk().replace(subject=Recording("x").subject)
    study = analyze(recording)
    told = "no inertia: the mass of the person is not known; give mass (--mass)"
    assert study.loads is None and told in map(str, study.notes)
    assert np.isfinite(study.joint("right knee").angles).all()
    assert np.isnan(study.joint("right knee").projection).all()
    assert analyze(recording, mass=70.0).loads is not None


def test_inertia_of_ones_own_takes_the_place_of_the_table() -> None:
    study = analyze(reference_walk(), centres="file", bodies=given_bodies(None))
    assert study.bodies["right thigh"].mass == pytest.approx(0.123 * 80.0)
    assert "right thigh: inertia as given" in map(str, study.notes)
    assert all((body.table, body.confidence) == ("", "") for body in study.bodies.values())
    limb = given_bodies(None)
    with pytest.raises(
        InputError, match="bodies names the segment 'left thigh', however there are 'right thigh'"
    ):
        analyze(reference_walk(), bodies={"left thigh": limb["right thigh"]})


def test_inertia_of_ones_own_hangs_where_the_segment_does() -> None:
    """What the table has, given by hand with other axes and no parent, gives the loads of the table up to the hip."""
    plain = analyze(reference_walk(), lowpass=None, centres="file")
    shank = plain.bodies["right shank"]
    odd = Triad(0.3, *np.radians([80.0, 70.0, 60.0]))
    given = {"right shank": BodySegment("mine", odd, shank.mass, shank.com, shank.inertia)}
    own = analyze(reference_walk(), lowpass=None, centres="file", bodies=given)
    for name in ("right ankle", "right knee", "right hip"):
        assert np.allclose(own.joint(name).moment, plain.joint(name).moment, atol=1e-9)
    assert "right shank: inertia as given, for a length of 300 mm; landmarks show 420 mm" in map(
        str, own.notes
    )
    study = analyze(reference_walk(), lowpass=None, centres="file", bodies=given_bodies(None))
    base = study.loads.moment  # type: ignore[union-attr]
    assert all(study.bodies[x].triad == study.segments[x].triad for x in study.bodies)
    for method, loads in four_methods(study).items():
        assert np.abs(loads.moment - base)[5:-5].max() < (1e-9 if method == "homogeneous" else 1e-3), method


def test_a_doubt_about_given_inertia_is_told_once() -> None:
    """A tensor that no body has is kept, and its note is not doubled when axes and parent change."""
    flat = BodySegment(
        "x", Triad(0.4, *np.radians([90, 90, 90])), 3.0, np.zeros(3), np.diag([0.01, 0.01, 0.05])
    )
    study = analyze(reference_walk(), bodies={"right shank": flat})
    assert codes(study.notes).count("inertia.of-no-body") == 1
    assert codes(study.bodies["right shank"].notes) == ("inertia.of-no-body",)


CLUSTER = {"TB1": (0.04, 0.30, 0.10), "TB2": (0.0, 0.25, 0.13), "TB3": (0.03, 0.20, 0.11)}
LABELS = {
    "LM": "LMAL",
    "MM": "MMAL",
    "LFE": "LFC",
    "MFE": "MFC",
    "ASIS": "ASI",
    "PSIS": "PSI",
    "M1": "MT1",
    "M5": "MT5",
}


def standing_with_clusters() -> Recording:
    """Somebody who stands still with the labels of the table "full_body", and three markers on each shank."""
    stood = standing()
    labels = [name[0] + LABELS.get(name[1:], name[1:]) for name in stood.markers.labels]
    labels += [f"{side}{name}" for side in "RL" for name in CLUSTER]
    places = [(x, y, z if side == "R" else -z) for side in "RL" for x, y, z in CLUSTER.values()]
    values = np.concatenate([stood.markers.values, np.tile(places, (20, 1, 1))], axis=1)
    return Recording(
        "static", markers=Points(stood.markers.time, tuple(labels), values), subject=stood.subject
    )


def test_a_standing_trial_lends_its_landmarks() -> None:
    """Medial malleoli worn only while standing are carried into a trial by the shank's cluster."""
    turn = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    static = standing_with_clusters()
    seen = [name for name in static.markers.labels if not name.endswith("MMAL")]
    walk = static.replace(markers=static.markers.select(seen).rotated(turn))
    study = analyze(walk, static, lowpass=None, protocol="full_body")
    assert np.allclose(study.landmarks["right MM"], static.markers["RMMAL"] @ turn.T, atol=1e-12)
    assert "right shank: right MM of the standing trial, carried by RTB1, RTB2, RTB3" in " ".join(
        map(str, study.notes)
    )


def test_a_standing_trial_that_adds_nothing_is_noted() -> None:
    """A trial that needs nothing of it goes on; one that does is left without, and told why."""
    static = standing_with_clusters()
    study = analyze(static, static, lowpass=None, protocol="full_body")
    assert "standing trial: adds nothing, the trial shows all that it shows" in map(str, study.notes)
    bare = ("MMAL", "TB1", "TTB")
    seen = [name for name in static.markers.labels if not name.endswith(bare)]
    few = static.replace(markers=static.markers.select(seen))
    study = analyze(few, static, lowpass=None, protocol="full_body")
    assert "right hip" in study.joints and "right ankle" not in study.joints
    notes = " ".join(map(str, study.notes))
    assert (
        "standing trial: not carried over, no 3 markers of a cluster in both: right MM of the right shank"
        in notes
    )
    assert "standing trial: adds nothing, none of its landmarks could be carried over" in notes
    alone = few.replace(
        markers=few.markers.select([x for x in seen if x[1:] in ("LMAL", "CAL", "MT1", "MT5", "TB2")])
    )
    with pytest.raises(
        InputError, match=r"no joint can be built .* The standing trial: not carried over, no 3 markers"
    ):
        analyze(alone, static, lowpass=None, protocol="full_body")


def stepping(on_plate: bool) -> Recording:
    """The reference limb with events that say it is on the ground for half of the trial, and a plate that says less."""
    recording = reference_walk()
    t = recording.markers.time
    events = [
        Event(label, at, side) for side in ("right", "left") for label, at in (("strike", 0.2), ("off", 0.7))
    ]
    (force,) = recording.forces
    inside = (t > 0.2) & (t < 0.7) & on_plate
    cut = ExternalForce(
        "plate",
        t,
        np.where(inside[:, None], force.force, 0.0),
        np.where(inside[:, None], force.point, np.nan),
        np.where(inside[:, None], force.moment, 0.0),
        side="right",
    )
    return recording.replace(events=tuple(events), forces=(cut,))


def test_a_step_beside_the_plate_is_not_known() -> None:
    t = reference_walk().markers.time
    stance = (t >= 0.2) & (t <= 0.7)
    beside = ground_loads(stepping(False), t)
    assert np.array_equal(beside.known["right"], ~stance)
    assert any(
        "the right foot is on the ground from 0.20 to 0.70 s, and not on a plate" in str(x)
        for x in beside.notes
    )
    study = analyze(stepping(False))
    assert np.array_equal(np.isfinite(study.joint("right hip").projection).all(axis=1), ~stance)
    on = ground_loads(stepping(True), t)
    assert on.known["right"].all()
    assert np.array_equal(on.known["left"], ~stance)  # nothing measures the left


def test_a_force_without_a_foot_makes_both_unknown() -> None:
    recording = stepping(True)
    (force,) = recording.forces
    lost = recording.replace(
        forces=(ExternalForce("plate 2", force.time, force.force, force.point, force.moment),)
    )
    t = recording.markers.time
    found = ground_loads(lost, t)
    acts = np.linalg.norm(force.force, axis=1) > 30.0
    assert not found.known["right"][acts].any() and not found.known["left"][acts].any()
    assert "forces.foot-unknown" in codes(found.notes)
    with pytest.raises(InputError, match="has no forces: joint moments need force plates"):
        ground_loads(recording.replace(forces=()), t)


def test_stances_are_open_at_the_ends_of_a_trial() -> None:
    t = np.arange(100) / 100.0
    events = [Event("off", 0.2, "right"), Event("strike", 0.5, "right"), Event("off", 0.7, "right")]
    events += [Event("strike", 0.9, "right")]
    found = stances(Recording("x", events=tuple(events)), "right", t)
    assert len(found) == 3
    assert found[0][0] < 0.0 and found[0][1] == 0.2 and found[1] == (0.5, 0.7) and found[2][1] > t[-1]


def test_cycles_and_tables(tmp_path: Path) -> None:
    recording = reference_walk(n=301)
    events = [Event("strike", at, "right") for at in (0.05, 1.05, 2.05)]
    events += [Event("off", at, "right") for at in (0.65, 1.65, 2.65)]
    study = analyze(recording.replace(events=tuple(events)))
    curves = study_cycles(study, "right")
    assert len(curves.starts) == 2 and curves.percent[-1] == 100.0
    low, mean, high = curves.band("knee extension moment")
    assert np.all(low <= mean) and np.all(mean <= high) and np.isfinite(mean).all()
    # the limb repeats every second: two cycles are one
    assert np.nanmax(curves.sd[5:-5]) < 0.05 * np.nanmax(np.abs(curves.mean))
    raw = study_cycles(study, "right", by="none")
    assert np.allclose(raw.band("knee power")[1], 80.0 * curves.band("knee power")[1])
    with pytest.raises(InputError, match="has no joint of the left side"):
        study_cycles(study, "left")
    file = tmp_path / "joints.csv"
    study.save(file)
    lines = file.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 302 and lines[0].startswith("time,") and "right_knee_extension_moment" in lines[0]
    names = lines[0].split(",")
    row = [float(x) for x in lines[50].split(",")]
    assert row[names.index("right_hip_flexion_angle")] == study.joint("right hip").angles[49, 0]
    study.save(tmp_path / "joints.sto")
    with pytest.raises(CaptureError, match="exists already"):
        study.save(file)
    with pytest.raises(InputError, match=r"must end in \.csv, \.sto, \.mot"):
        study.save(tmp_path / "joints.txt")
    assert study.to_dataframe().shape == (301, len(names) - 1)
    data = study.to_xarray()
    assert data["right_knee_power"].attrs["units"] == "W" and "multipliers" in data
    study.loads.save(tmp_path / "loads.csv")  # type: ignore[union-attr]


@bad_input(
    InputError,
    ({"sex": "m"}, "sex must be 'female', 'male' or None, however it is 'm'"),
    ({"ankle": "xyz"}, "ankle must be 'zyx' or 'isb', however it is 'xyz'"),
    (
        {"hip": "guess"},
        "hip must be 'bell', 'davis', 'hara', 'harrington', 'reed' or 'auto', however it is 'guess'",
    ),
    ({"mass": -1.0}, r"mass must be a number above 0 \[kg\] or None, however it is -1"),
    ({"lowpass": 0.0}, r"lowpass must be a number above 0 \[Hz\] or None, however it is 0"),
    (
        {"segments": "right foot"},
        "segments must be a list of names of segments or None, however it is 'right foot'",
    ),
    ({"method": "newton"}, "method must be 'nonorthonormal', 'euler', .*, however it is 'newton'"),
    (
        {"protocol": 3},
        "protocol must be the name or the file of a table, a Path, a Protocol, or None, however it is 3",
    ),
    ({"gravity": 9.81}, r"gravity must be 3 numbers \[m/s\^2\], however it is 9.81"),
)
def test_options_that_do_not_fit(refuses) -> None:  # type: ignore[no-untyped-def]
    refuses(SegmentOptions().changed)


def test_analyses_that_lack_something() -> None:
    with pytest.raises(InputError, match="lowpass must be below half the sampling rate, 50 Hz") as caught:
        analyze(reference_walk(), lowpass=500.0)
    assert caught.value.parameter == "lowpass" and caught.value.value == 500.0
    with pytest.raises(InputError, match="'filter' is no option of an analysis by segments; known: protocol"):
        analyze(reference_walk(), filter=6)
    with pytest.raises(InputError, match="segment 'right hand' lacks"):
        analyze(reference_walk(), segments=["right hand"])
    bare = standing(without=tuple(f"{s}{x}" for s in "RL" for x in ("MM", "MFE", "RS", "US", "HME", "ASIS")))
    with pytest.raises(
        InputError, match=r"no joint can be built from these landmarks\. segment 'right foot' lacks"
    ):
        analyze(bare, segments=None)


def test_whole_bodies_balance_where_forces_are_complete() -> None:
    """Somebody stands still on one force under both feet: the residual at the root is what the tables' masses leave."""
    recording = standing(40)
    t = recording.markers.time
    weight = 80.0 * 9.80665

    def plate(side: str, z: float) -> ExternalForce:
        force = np.tile([0.0, 0.5 * weight, 0.0], (40, 1))
        point = np.tile([0.02, 0.0, z], (40, 1))
        return ExternalForce(f"plate {side}", t, force, point, np.zeros((40, 3)), side=side)  # type: ignore[arg-type]

    stood = recording.replace(forces=(plate("right", 0.1), plate("left", -0.1)))
    study = analyze(stood, sex="male", lowpass=None)
    assert len(study.bodies) == 15
    assert study.loads is not None
    root = study.loads.force_on("pelvis")
    total = sum(body.mass for body in study.bodies.values())
    assert total == pytest.approx(80.0 * 1.002)
    assert np.allclose(root, [0.0, (total - 80.0) * 9.80665, 0.0], atol=1e-6)  # splines of constants round
    knee = study.joint("right knee").force
    carried = study.bodies["right foot"].mass + study.bodies["right shank"].mass
    assert np.allclose(knee[:, 1], carried * 9.80665 - 0.5 * weight, atol=1e-6)


def test_a_leg_without_a_foot_has_no_loads() -> None:
    """The ground acts on the foot: without it neither knee nor hip is known, and nothing is made up."""
    whole = reference_walk()
    kept = [name for name in whole.markers.labels if name not in ("RCAL", "RM1", "RM5")]
    study = analyze(whole.replace(markers=whole.markers.select(kept)), centres="file")
    assert study.loads is None and "loads.no-foot" in codes(study.notes)
    both = standing(40, without=("LCAL", "LM1", "LM2", "LM5"))
    t = both.markers.time
    push = ExternalForce(
        "plate",
        t,
        np.tile([0.0, 700.0, 0.0], (40, 1)),
        np.tile([0.0, 0.0, 0.1], (40, 1)),
        np.zeros((40, 3)),
        side="right",
    )
    study = analyze(both.replace(forces=(push,)), sex="male", lowpass=None)
    assert np.isfinite(study.joint("right hip").projection).all()
    assert (
        np.isnan(study.joint("left hip").projection).all()
        and np.isnan(study.joint("left knee").projection).all()
    )
    assert "left thigh: its load is not known without left foot" in map(str, study.notes)
    for loads in four_methods(study).values():
        assert np.isnan(loads.moment_on("left thigh")).all()


def test_a_weight_in_the_hand_loads_the_arm() -> None:
    """10 kg in the right hand: wrist, elbow and shoulder carry it and the arm, and the moment is its lever."""
    recording = standing(40)
    t = recording.markers.time
    feet = np.tile([0.0, 441.0, 0.0], (40, 1))
    plates = [
        ExternalForce(f"plate {side}", t, feet, np.tile([0.0, 0.0, z], (40, 1)), np.zeros((40, 3)), side=side)
        for side, z in (("right", 0.1), ("left", -0.1))
    ]
    held = np.tile([0.0, -98.0665, 0.0], (40, 1))
    place = np.tile([0.03, 0.80, 0.23], (40, 1))
    weight = AppliedWrench("right hand", held, place, np.zeros((40, 3)))
    stood = recording.replace(forces=tuple(plates))
    without, with_it = (analyze(stood, sex="male", lowpass=None, external=extra) for extra in ((), (weight,)))
    for name in ("right hand", "right forearm", "right upper_arm"):
        more = with_it.loads.force_on(name) - without.loads.force_on(name)  # type: ignore[union-attr]
        assert np.allclose(more, -held, atol=1e-9)
        moment = with_it.loads.moment_on(name) - without.loads.moment_on(name)  # type: ignore[union-attr]
        arm = place - with_it.motion[name].proximal
        assert np.allclose(moment, -np.cross(arm, held), atol=1e-9)
    assert all(np.allclose(x.moment, with_it.loads.moment, atol=1e-6) for x in four_methods(with_it).values())  # type: ignore[union-attr]


@pytest.mark.parametrize("feet", [True, False])
@pytest.mark.parametrize("plate", [True, False])
def test_a_weight_in_the_hand_needs_no_plate(feet: bool, plate: bool) -> None:
    """What acts on a hand loads the arm whether or not the ground is measured, and feet are seen; legs stay unknown."""
    marks = ("CAL", "M1", "M2", "M5")
    stood = standing(40, without=() if feet else tuple(f"{s}{m}" for s in "RL" for m in marks))
    t = stood.markers.time
    if plate:  # of nobody's foot
        push = np.tile([0.0, 700.0, 0.0], (40, 1))
        stood = stood.replace(
            forces=(ExternalForce("plate", t, push, np.tile([2.0, 0.0, 2.0], (40, 1)), np.zeros((40, 3))),)
        )
    held, place = np.tile([0.0, -98.0665, 0.0], (40, 1)), np.tile([0.03, 0.80, 0.23], (40, 1))
    weight = AppliedWrench("right hand", held, place, np.zeros((40, 3)))
    study = analyze(stood, sex="male", lowpass=None, external=[weight])
    arm = [study.bodies[f"right {name}"] for name in ("hand", "forearm")]
    lift = 98.0665 + 9.80665 * sum(body.mass for body in arm)
    assert np.allclose(study.joint("right elbow").force, [0.0, lift, 0.0], atol=1e-6)
    assert np.isfinite(study.joint("lumbar").projection).all()
    legs = [f"{side} {joint}" for side in ("right", "left") for joint in ("knee", "hip")]
    assert all(np.isnan(study.joint(name).projection).all() for name in legs)
    assert np.isnan(study.loads.force_on("pelvis")).all()  # type: ignore[union-attr]
    if feet and not plate:
        assert "loads: nothing measured what acts on the right foot: not known from there up" in map(
            str, study.notes
        )
    assert all(np.isfinite(x.moment_on("right forearm")).all() for x in four_methods(study).values())


def test_a_load_that_is_given_for_a_foot_is_what_the_ground_does() -> None:
    """Somebody measured the right foot by other means: that leg is known, the other is not."""
    whole = reference_walk()
    (force,) = whole.forces
    given = AppliedWrench("right foot", force.force, force.point, force.moment)
    plain, own = analyze(whole), analyze(whole.replace(forces=()), external=[given])
    assert np.allclose(own.joint("right hip").moment, plain.joint("right hip").moment, atol=1e-9)


def of_person(recording: Recording, *people: str) -> Recording:
    """The same markers once for each of some people, the second a metre to the right, and so on."""
    labels = tuple(f"{who}:{name}" for who in people for name in recording.markers.labels)
    values = [recording.markers.values + np.array([0.0, 0.0, k]) for k in range(len(people))]
    markers = Points(recording.markers.time, labels, np.concatenate(values, axis=1))
    return recording.replace(markers=markers)


def test_one_of_several_people_in_every_file() -> None:
    """The person of the trial is the one of the standing and of the movement trial, which may have no prefixes."""
    static = standing_with_clusters()
    seen = [name for name in static.markers.labels if not name.endswith("MMAL")]
    walk = of_person(static.replace(markers=static.markers.select(seen)), "A", "B")
    for stood in (of_person(static, "A", "B"), static):
        study = analyze(walk, stood, lowpass=None, protocol="full_body", subject="B")
        assert np.allclose(study.landmarks["right MM"], static.markers["RMMAL"] + [0.0, 0.0, 1.0], atol=1e-12)
    with pytest.raises(InputError, match="subject must be one of A, B, not 'C'"):
        analyze(walk, static, lowpass=None, protocol="full_body", subject="C")
    with pytest.raises(InputError, match="subject must be one of C, D, not 'B'"):
        analyze(walk, of_person(static, "C", "D"), lowpass=None, protocol="full_body", subject="B")


def test_an_arm_held_out_is_told_to_be_near_a_lock() -> None:
    """An arm at 90 degrees to the side: flexion and rotation of the shoulder are one turn, and a note says so."""
    x, y, z = joint_centres(find_landmarks(standing()))["right SJC"][0]
    marks = {"RHLE": (-0.04, 0.3), "RHME": (0.04, 0.3), "RRS": (-0.03, 0.55), "RUS": (0.03, 0.55)}
    marks |= {"RMC2": (-0.03, 0.63), "RMC5": (0.03, 0.63)}
    places = {name: (x + ahead, y, z + out) for name, (ahead, out) in marks.items()}
    study = analyze(standing(**places), lowpass=None)
    shoulder = study.joint("right shoulder")
    assert abs(np.degrees(shoulder.angles[0, 1])) > 85.0 and shoulder.gimbal.all()
    (note,) = [note for note in study.notes if note.code == "joints.near-lock"]
    assert note.names == ("right shoulder",) and note.values["frames"] == 20
    assert str(note).startswith(
        "right shoulder: adduction is near 90 degrees in 20 frames: there flexion and internal"
    )
    assert not study.joint("left shoulder").gimbal.any()
