"""Functional joints of a movement trial in the landmarks of another: hips by SCoRE, knees by SARA, with deviations."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from softstride.capture import Points, Recording, Subject
from softstride.errors import InputError
from softstride.segments import analyze, find_landmarks, functional_joint, multiplier_excess, valgus_walk
from softstride.segments.functional import JointAxis, JointCentre

Array = NDArray[np.float64]

PELVIS = {
    "RASI": (0.05, 1.0, 0.12),
    "LASI": (0.05, 1.0, -0.12),
    "RPSI": (-0.12, 1.01, 0.05),
    "LPSI": (-0.12, 1.01, -0.05),
}
THIGH = {
    "RTH1": (0.06, 0.75, 0.12),
    "RTH2": (0.0, 0.68, 0.16),
    "RTH3": (0.05, 0.62, 0.14),
    "RLFC": (0.0, 0.5, 0.14),
}
THIGH |= {"RMFC": (0.0, 0.5, 0.05)}
SHANK = {
    "RTB1": (0.05, 0.35, 0.11),
    "RTB2": (0.0, 0.30, 0.14),
    "RTB3": (0.04, 0.22, 0.12),
    "RLMAL": (0.0, 0.08, 0.13),
}
SHANK |= {"RMMAL": (0.0, 0.09, 0.06)}
FOOT = {"RCAL": (-0.05, 0.04, 0.09), "RMT1": (0.13, 0.02, 0.06), "RMT5": (0.11, 0.02, 0.13)}
HIP = np.array([-0.01, 0.92, 0.09])
KNEE = np.array([0.0, 0.5, 0.095])
AXIS = np.array([0.1, 0.15, 1.0]) / np.linalg.norm([0.1, 0.15, 1.0])


def moving(
    n: int = 120,
    hip: float = 0.4,
    knee: float = 0.7,
    noise: float = 0.0,
    elsewhere: dict[str, tuple[float, float, float]] | None = None,
) -> Recording:
    """Somebody whose thigh circles in the hip and whose shank bends about an oblique axis."""
    rng = np.random.default_rng(0)
    t = np.arange(n) / 100.0
    turn = Rotation.from_rotvec(
        hip * np.stack([np.sin(9 * t), 0.5 * np.sin(5 * t), np.cos(9 * t) - 1.0], axis=1)
    )
    bend = Rotation.from_rotvec(np.outer(-knee * (1.0 - np.cos(7 * t)) / 2.0, AXIS))
    places: dict[str, Array] = {name: np.tile(place, (n, 1)) for name, place in PELVIS.items()}
    for name, place in THIGH.items():
        places[name] = HIP + turn.apply(np.array(place) - HIP)
    for name, place in (SHANK | FOOT | (elsewhere or {})).items():
        places[name] = HIP + turn.apply(KNEE + bend.apply(np.array(place) - KNEE) - HIP)
    values = np.stack(list(places.values()), axis=1)
    values = values + rng.normal(0.0, noise, values.shape)
    return Recording(
        "movement", markers=Points(t, tuple(places), values), subject=Subject(mass=70.0, height=1.7)
    )


def test_a_hip_and_a_knee_from_movements() -> None:
    trial = find_landmarks(moving(hip=0.2))
    movement = find_landmarks(moving())
    found, hip = functional_joint(trial, movement, "right hip")
    assert isinstance(hip, JointCentre) and hip.method == "score"
    assert np.allclose(found["right HJC"], HIP, atol=1e-9)
    found, knee = functional_joint(found, movement, "right knee")
    assert isinstance(knee, JointAxis) and knee.method == "sara"
    thigh = found["right LFE"] - found["right MFE"]
    assert (np.sum(found.directions["right knee"] * thigh, axis=1) > 0.0).all()  # to the right
    assert np.allclose(found.directions["right knee"][0], AXIS, atol=1e-6)
    off = found["right KJC"][0] - KNEE
    assert np.linalg.norm(np.cross(off, AXIS)) < 1e-6  # on the axis
    assert any("right knee: functional axis by sara" in str(note) for note in found.notes)
    joints = [note.names for note in found.notes if note.code.startswith("functional-joints.")]
    assert joints[:1] == [("right hip",)] and ("right knee",) in joints
    study = analyze(moving(hip=0.2), lowpass=None, functional={"right hip": moving(), "right knee": moving()})
    thigh_built = study.segments["right thigh"]
    assert thigh_built.recipes["across"] == "axis(knee)"
    assert np.degrees(thigh_built.triad.alpha) == pytest.approx(90.0 - 8.4, abs=2.0)  # the axis is oblique
    # in its own axis the knee does nothing but bend
    angles = np.degrees(study.joint("right knee").angles)
    assert np.ptp(angles[:, 0]) > 35.0 and np.ptp(angles[:, 1]) < 0.5 and np.ptp(angles[:, 2]) < 0.5


@pytest.mark.parametrize("method", ["sphere", "score"])
def test_methods_of_a_hip_under_noise(method: str) -> None:
    trial, movement = find_landmarks(moving(hip=0.2)), find_landmarks(moving(noise=1e-3))
    found, hip = functional_joint(trial, movement, "right hip", method)  # type: ignore[arg-type]
    assert isinstance(hip, JointCentre)
    error = np.linalg.norm(found["right HJC"][0] - HIP)
    assert error < 4.0 * hip.sd and hip.sd < 5e-3


def test_an_axis_by_helices() -> None:
    trial = find_landmarks(moving(hip=0.2))
    found, knee = functional_joint(trial, find_landmarks(moving(noise=5e-4)), "right knee", "helical")
    assert isinstance(knee, JointAxis)
    turn = np.arccos(np.clip(found.directions["right knee"][0] @ AXIS, -1.0, 1.0))
    assert turn < 4.0 * knee.sd_direction and np.degrees(knee.sd_direction) < 2.0


AROUND = np.diag([-1.0, 1.0, -1.0])


def facing_back(without: tuple[str, ...] = (), **places: tuple[float, float, float]) -> Recording:
    """Somebody who faces -x, with some markers off, and some elsewhere on the shank."""
    recording = moving(**({} if not places else {"elsewhere": places}))
    seen = [name for name in recording.markers.labels if name not in without]
    return recording.replace(markers=recording.markers.select(seen).rotated(AROUND))


@pytest.mark.parametrize(
    ("seen", "without"),
    [
        ("both epicondyles", ()),
        ("both ASIS", ("RMFC",)),
        ("ASIS alone", ("RMFC", "RLFC")),
    ],
)
def test_an_axis_points_to_the_right_of_the_person(seen: str, without: tuple[str, ...]) -> None:
    """Not to the right of the room: somebody who faces -x has a right knee whose axis points to -z."""
    back = find_landmarks(facing_back(without), "full_body")
    found, _ = functional_joint(back, back, "right knee")
    assert np.allclose(found.directions["right knee"][0], AROUND @ AXIS, atol=1e-6), seen
    study = analyze(facing_back(("RMFC",)), lowpass=None, functional={"right knee": facing_back(("RMFC",))})
    bend = np.degrees(study.joint("right knee").angles[:, 0])
    assert bend.min() > -60.0 and bend.max() < 20.0 and study.segments["right thigh"].triad.handed == 1


def test_landmarks_of_the_trial_tell_which_way_and_where() -> None:
    """Medial markers that only the trial shows, as those carried from a standing trial are, place the axis too."""
    trial, movement = (
        find_landmarks(moving(hip=0.2)),
        find_landmarks(facing_back(("RMFC", "RASI", "LASI")), "full_body"),
    )
    both, _ = functional_joint(trial, find_landmarks(moving()), "right knee")
    found, _ = functional_joint(trial, movement, "right knee")
    assert np.allclose(found.directions["right knee"], both.directions["right knee"], atol=1e-6)
    assert np.allclose(found["right KJC"], both["right KJC"], atol=1e-6)


PELVIS_LABELS = tuple(PELVIS)


def test_the_lateral_marker_alone_tells_if_it_is_out_far_enough() -> None:
    """Without a pelvis and a medial marker, LFE tells where it is farther out than the clusters of the segments."""
    bare = ("RMFC", *PELVIS_LABELS)
    near = find_landmarks(facing_back(bare), "full_body")
    with pytest.raises(
        InputError,
        match=r"nothing shows which way its axis points \(LFE is \d+ mm along it\): show LFE and MFE, or",
    ):
        functional_joint(near, near, "right knee")
    inner = {"RTB1": (0.05, 0.35, 0.09), "RTB2": (0.0, 0.30, 0.10), "RTB3": (0.04, 0.22, 0.08)}
    out = find_landmarks(facing_back(bare, **inner), "full_body")
    found, axis = functional_joint(out, out, "right knee")
    assert isinstance(axis, JointAxis) and axis.distal_direction is not None
    assert np.allclose(found.directions["right knee"][0], AROUND @ AXIS, atol=1e-6)
    assert axis.direction @ AROUND @ AXIS == pytest.approx(axis.distal_direction @ AROUND @ AXIS, abs=0.5)
    none = find_landmarks(facing_back(("RLFC", *bare), **inner), "full_body")
    with pytest.raises(InputError, match="nothing shows which way its axis points: show LFE and MFE"):
        functional_joint(none, none, "right knee")


@pytest.mark.parametrize("shown", ["both epicondyles", "lateral alone"])
def test_the_axis_of_a_left_knee_points_to_the_right_too(shown: str) -> None:
    """The mirror image of the right leg: its lateral epicondyle is on the left, and the axis points away from it."""
    inner = {"RTB1": (0.05, 0.35, 0.09), "RTB2": (0.0, 0.30, 0.10), "RTB3": (0.04, 0.22, 0.08)}
    off = ("RMFC", *PELVIS_LABELS) if shown == "lateral alone" else PELVIS_LABELS
    right = moving(elsewhere=inner)
    seen = [name for name in right.markers.labels if name not in off]
    markers = right.markers.select(seen)
    mirrored = Points(
        markers.time, tuple(f"L{name[1:]}" for name in seen), markers.values * np.array([1.0, 1.0, -1.0])
    )
    left = find_landmarks(right.replace(markers=mirrored), "full_body")
    found, _ = functional_joint(left, left, "left knee")
    assert np.allclose(found.directions["left knee"][0], AXIS * [-1.0, -1.0, 1.0], atol=1e-6)


def test_joints_that_cannot_be_found() -> None:
    trial = find_landmarks(moving())
    with pytest.raises(InputError, match="no functional joint 'right toe'"):
        functional_joint(trial, trial, "right toe")
    with pytest.raises(
        InputError, match="left hip: the movement trial shows no cluster of 3 markers on the left thigh"
    ):
        functional_joint(trial, trial, "left hip")
    with pytest.raises(InputError, match="method must be score, sphere, sara or helical"):
        functional_joint(trial, trial, "right hip", "guess")  # type: ignore[arg-type]
    few = find_landmarks(
        moving().replace(markers=moving().markers.select([x for x in moving().markers.labels if x != "RPSI"]))
    )
    assert "pelvis" in few.clusters
    none = find_landmarks(
        moving().replace(
            markers=moving().markers.select([x for x in moving().markers.labels if not x.endswith("PSI")])
        )
    )
    with pytest.raises(InputError, match="the trial shows no cluster of 3 markers on the pelvis"):
        functional_joint(none, trial, "right hip")


def test_multipliers_tell_a_segment_that_stretches() -> None:
    """A marker that slides along the shank at 3 Hz is a force that the length would need, and nothing without it."""
    from tests.segments.people import reference_walk

    rigid = reference_walk()
    quiet = multiplier_excess(analyze(rigid, lowpass=None, centres="file"))
    assert all(np.nanmax(np.abs(each.stretch[5:-5])) < 0.1 for each in quiet.values())
    values = rigid.markers.values.copy()
    t = rigid.markers.time
    slide = 0.005 * np.sin(2.0 * np.pi * 3.0 * t)
    for name in ("RLM", "RMM"):
        values[:, rigid.markers.index(name), 1] += slide
    loose = rigid.replace(markers=Points(t, rigid.markers.labels, values))
    study = analyze(loose, lowpass=None, centres="file")
    told = multiplier_excess(study)
    assert told["right shank"].stretch_rms > 1.0  # some 0.1 kg at 0.005 (6 pi)^2 m/s^2 and more
    assert told["right thigh"].stretch_rms < 0.1 * told["right shank"].stretch_rms
    assert 1e3 * study.deformation["right shank"].length_rms == pytest.approx(5.0 / np.sqrt(2.0), rel=0.15)


def test_the_walk_with_valgus() -> None:
    """The thigh leans in and the shank out, by 15 degrees between them, on the paper's triads; the walk repeats."""
    t = np.array([0.0, 0.3, 1.1, 1.4])
    walk = valgus_walk(t)
    lean = {name: walk.angles[name].x[:, 2] for name in ("thigh", "shank")}
    assert np.allclose(np.degrees(lean["thigh"] - lean["shank"]), 15.0)
    for motion in walk.motion.values():
        assert np.allclose(motion.forward[:2], motion.forward[2:])
    (ground,) = walk.external
    assert np.allclose(ground.force[:2], ground.force[2:])
    stride = valgus_walk(np.linspace(0.0, 1.1, 400))
    vertical = stride.external[0].force[:, 1] / (80.0 * 9.81)
    assert 0.9 < vertical.max() < 1.2 and vertical[-60:].max() < 0.05


def test_a_joint_that_was_asked_for_must_be_built() -> None:
    """Somebody recorded a squat for the knee: a trial without malleoli is refused, and says what would do."""
    few = moving(hip=0.2)
    seen = [x for x in few.markers.labels if x not in ("RLMAL", "RMMAL")]
    few = few.replace(markers=few.markers.select(seen))
    assert "right hip" in analyze(few, lowpass=None).joints  # nobody asked for more
    words = "the right knee was asked for and cannot be built: segment 'right shank' lacks its distal end"
    with pytest.raises(InputError, match=words + r"\. What would do: AJC \(a marker, a functional ankle"):
        analyze(few, lowpass=None, functional={"right knee": moving()})
