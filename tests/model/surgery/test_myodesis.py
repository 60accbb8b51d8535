"""Muscles secured to the bone: line of pull, moment arms, strength, slack length, what is left out."""

from dataclasses import replace

import numpy as np
import pytest
from tests.model.surgery.legs import arm, leg, places, straight
from tests.models import the_model

from softstride import engine
from softstride.model import ConditionalPathPoint, MovingPathPoint, PathWrap, amputate
from softstride.model.functions import Constant
from softstride.model.library.surgery import surgery as packaged

CUT = 0.15
POSES = ({}, {"knee_r": -0.6}, {"knee_r": -1.4, "hip_r": 0.5})


def at(model, **values):
    q = model.neutral()
    for name, value in values.items():
        q[model.coordinate_names.index(name)] = value
    return q


def in_stump(model, muscle, letter="r"):
    """Places of a path in axes of the stump, in the default pose: (m, 3)."""
    frame = model.frames[f"stump_{letter}"]
    p = places(model, model.neutral(), muscle)
    pose = engine.poses(model, model.neutral(), [frame.link])[0]
    return ((p - pose[:3, 3]) @ pose[:3, :3] - frame.position) @ frame.rotation


def test_the_calf_goes_over_the_bone_end_to_its_front():
    """Turn where the straight path crossed the level of the cut; then round the end, below it; then up at the front."""
    model = leg()
    cut = amputate(model, "right", CUT)
    p = in_stump(cut, "gasmed_r")
    a, b = np.array([-0.02, 0.02, -0.01]), np.array([-0.05, -0.42, -0.005])  # knee at the origin
    where = a + (b - a) * (CUT + 0.02) / 0.44
    assert np.allclose(p[1], where - (0, -CUT, 0), atol=1e-12)
    assert np.all(p[2:5, 1] < 0.0) and p[3, 1] == pytest.approx(-0.04 * 0.42)
    front = (0.03 + 0.04) * 0.42
    assert np.allclose(p[5], (front, 0.0, 0.0), atol=1e-12)
    assert np.allclose(p[6], (front, 0.1 * CUT, 0.0), atol=1e-12)
    assert len(p) == 7 and {point.link for point in cut.muscles["gasmed_r"].path.points} == {
        "femur_r",
        "tibia_r",
    }


@pytest.mark.parametrize("pose", POSES)
def test_the_gastrocnemius_still_flexes_the_knee(pose):
    """Its arm is that of the pull towards the turn: a closed form, the cross product; negative angles bend the knee."""
    cut = amputate(leg(), "right", CUT)
    q = at(cut, **pose)
    p = places(cut, q, "gasmed_r")
    knee = np.array([np.sin(pose.get("hip_r", 0.0)), -np.cos(pose.get("hip_r", 0.0)), 0.0]) * 0.4
    pull = (p[0] - p[1]) / np.linalg.norm(p[0] - p[1])  # on the shank
    expected = np.cross(p[1] - knee, pull)[2]
    assert arm(cut, q, "gasmed_r", "knee_r") == pytest.approx(expected, abs=1e-8)
    assert expected < -0.01
    assert arm(cut, q, "gasmed_r", "hip_r") == pytest.approx(0.0, abs=1e-10)


@pytest.mark.parametrize("pose", POSES)
def test_the_soleus_acts_on_no_joint(pose):
    cut = amputate(leg(), "right", CUT)
    q = at(cut, **pose)
    for name in cut.coordinate_names:
        assert arm(cut, q, "soleus_r", name) == pytest.approx(0.0, abs=1e-10)


def test_moment_arms_in_the_default_pose_are_those_before():
    """The line of pull above the cut is the same, below and above the knee."""
    model = leg()
    below, above = amputate(model, "right", CUT), amputate(model, "right", below_hip=0.28)
    for cut, muscles, coordinates in (
        (below, ("gasmed_r",), ("knee_r", "hip_r")),
        (above, ("semiten_r", "recfem_r"), ("hip_r", "tilt")),
    ):
        for muscle in muscles:
            for name in coordinates:
                before = arm(model, model.neutral(), muscle, name)
                assert arm(cut, cut.neutral(), muscle, name) == pytest.approx(before, abs=1e-9)
    assert (
        arm(above, above.neutral(), "semiten_r", "hip_r")
        < -0.02
        < 0.02
        < arm(above, above.neutral(), "recfem_r", "hip_r")
    )
    assert arm(above, above.neutral(), "vasint_r", "hip_r") == pytest.approx(0.0, abs=1e-10)


@pytest.mark.parametrize("fibre", [0.8, 1.0, 1.2])
@pytest.mark.parametrize("cut", [{"below_knee": CUT}, {"below_hip": 0.28}])
def test_slack_lengths_give_the_fibre_length_that_is_asked_for(cut, fibre):
    """Tendon and the projection of fibres of constant width fill the path in the default pose."""
    table = packaged("myodesis", "transtibial" if "below_knee" in cut else "transfemoral")
    rows = {name: row.changed({"fibre": fibre}) for name, row in table.muscles.items()}
    model = leg()
    done = amputate(model, "right", **cut, surgery=table.changed(muscles=rows))
    changed = [name for name, muscle in done.muscles.items() if muscle is not model.muscles[name]]
    assert set(changed) >= ({"gasmed_r", "soleus_r"} if "below_knee" in cut else {"semiten_r", "recfem_r"})
    for name in changed:
        m, old = done.muscles[name], model.muscles[name]
        length = straight(done, done.neutral(), name)
        width = m.fibre_length * np.sin(m.pennation)
        along = np.sqrt((fibre * m.fibre_length) ** 2 - width**2)
        assert m.tendon_length + along == pytest.approx(length, abs=1e-12)
        assert m.tendon_length >= 0.1 * length * (1 - 1e-12)
        if m.fibre_length != old.fibre_length:  # the cut went through the belly
            assert m.fibre_length < old.fibre_length and m.tendon_length == pytest.approx(0.1 * length)
        assert m.max_force == 0.5 * old.max_force


@pytest.mark.parametrize("least", [0.05, 0.75, 0.85])
def test_no_tendon_is_shorter_than_the_table_allows(least):
    """Where fibres leave less, the tendon has this share of the path, and fibres fill the rest: l = (L - lt) / cos."""
    model = leg()
    table = packaged("myodesis", "transtibial").changed(least_tendon=least)
    done = amputate(model, "right", CUT, surgery=table)
    shortened = 0
    for name in ("gasmed_r", "soleus_r"):
        new, old = done.muscles[name], model.muscles[name]
        length = straight(done, done.neutral(), name)
        left = length - old.fibre_length * np.cos(old.pennation)
        shortened += left < least * length
        assert new.tendon_length == pytest.approx(max(left, least * length), abs=1e-12)
        assert new.fibre_length == pytest.approx(
            (length - new.tendon_length) / np.cos(old.pennation), abs=1e-12
        )
    assert shortened == {0.05: 0, 0.75: 1, 0.85: 2}[least]


def test_tension_is_set_in_the_pose_that_is_given():
    model = leg()
    pose = {"knee_r": -0.7, "hip_r": 0.2}
    cut = amputate(model, "right", CUT, pose=pose)
    m = cut.muscles["gasmed_r"]
    taken = m.fibre_length * np.cos(m.pennation)
    assert m.tendon_length + taken == pytest.approx(straight(cut, at(cut, **pose), "gasmed_r"), abs=1e-12)
    plain = amputate(model, "right", CUT).muscles["gasmed_r"]
    assert all(
        np.array_equal(a.position, b.position) for a, b in zip(m.path.points, plain.path.points, strict=True)
    )
    assert plain.tendon_length > m.tendon_length
    assert any("in the pose given" in str(note) for note in cut.notes)


def test_kept_fibres_are_as_long_as_before():
    """Tendon shorter by as much as the path: in the default pose nothing changes for the fibres."""
    model = leg()
    for tendon in (0.1, 0.39, 0.40):
        whole = model.replace(
            muscles={**model.muscles, "gasmed_r": replace(model.muscles["gasmed_r"], tendon_length=tendon)}
        )
        cut = amputate(whole, "right", CUT, muscles={"gasmed": {"fibre": "kept", "strength": 0.7}})
        new = cut.muscles["gasmed_r"]
        before = straight(whole, whole.neutral(), "gasmed_r") - tendon
        after = straight(cut, cut.neutral(), "gasmed_r") - new.tendon_length
        if (
            tendon == 0.1
        ):  # fibres longer than the new path: they are shortened, and stretched by the same share
            assert new.tendon_length == pytest.approx(0.1 * straight(cut, cut.neutral(), "gasmed_r"))
            assert after / new.fibre_length == pytest.approx(before / 0.045)
        else:
            assert after == pytest.approx(before, abs=1e-12) and new.fibre_length == 0.045
        assert new.max_force == pytest.approx(0.7 * 500.0)


def test_what_is_not_cut_is_the_same_object():
    model = leg()
    for kwargs in ({"below_knee": CUT}, {"below_hip": 0.28}):
        cut = amputate(model, "right", **kwargs)
        same = {name for name in cut.muscles if cut.muscles[name] is model.muscles[name]}
        assert same >= {"iliacus_r"} and "gasmed_r" not in same
    assert {"semiten_r", "recfem_r", "vasint_r"} <= {
        name
        for name, muscle in amputate(model, "right", CUT).muscles.items()
        if muscle is model.muscles[name]
    }


@pytest.mark.parametrize("surgery", ["none", "unattached"])
def test_free_ends_pull_on_nothing(surgery):
    model = leg()
    cut = amputate(model, "right", CUT, surgery=surgery)
    lost = {"gasmed_r", "soleus_r", "tibant_r", "fhl_r"}
    assert set(model.muscles) - set(cut.muscles) == lost
    for name in lost:
        assert sum(f"muscle {name!r}" in str(note) and "left out" in str(note) for note in cut.notes) == 1


def test_the_notes_say_what_became_of_each():
    cut = amputate(leg(), "right", CUT)
    words = {name: [str(n) for n in cut.notes if f"muscle {name!r}" in str(n)] for name in leg().muscles}
    assert [name for name, notes in words.items() if len(notes) != 1] == [
        "semiten_r",
        "recfem_r",
        "vasint_r",
        "iliacus_r",
    ]
    assert "brought over the bone end and secured at its front" in words["gasmed_r"][0]
    secured = next(note for note in cut.notes if note.names == ("gasmed_r",))
    assert secured.code == "surgery.secured" and secured.values["strength_percent"] == 50.0
    assert secured.values["tendon_m"] == cut.muscles["gasmed_r"].tendon_length
    assert "strength 50 %" in words["gasmed_r"][0] and "tendon 0.100 ->" in words["gasmed_r"][0]
    assert "anterior compartment, not secured" in words["tibant_r"][0]
    above = amputate(leg(), "right", below_hip=0.2)
    assert any("'soleus_r' was below the cut" in str(note) for note in above.notes)


def test_an_origin_below_the_cut_is_put_on_the_stump():
    """Soleus has a long origin, of which the model has one point; flexor hallucis longus has no row and is left out."""
    model = leg()
    cut = amputate(model, "right", 0.07, muscles={"fhl": {"do": "secure", "to": "back"}})
    p = in_stump(cut, "soleus_r")
    assert np.allclose(p[0], (-0.01, 0.5 * 0.07, 0.01), atol=1e-12)
    assert np.allclose(p[1], p[0] * (1, 0, 1), atol=1e-12)  # outside the bone already
    assert "fhl_r" not in cut.muscles
    assert any("'fhl_r' has its origin below the cut" in str(note) for note in cut.notes)
    assert any(
        "'soleus_r'" in str(note) and "origin moved up to 0.035 m above the cut" in str(note)
        for note in cut.notes
    )


def test_a_point_on_the_cut_itself_is_no_second_turn():
    """The cut goes through the origin of soleus: the turn is 1 mm below, and no piece of the path has length zero."""
    cut = amputate(leg(), "right", 0.08)
    p = in_stump(cut, "soleus_r")
    assert np.allclose(p[1] - p[0], (0.0, -0.001, 0.0), atol=1e-12)
    assert np.min(np.linalg.norm(np.diff(p, axis=0), axis=1)) > 5e-4


@pytest.mark.parametrize(
    ("to", "expected"),
    [
        ("own", None),
        ("back", (-0.04 * 0.42, 0.0, 0.0)),
        ("end", (0.0, 0.0, 0.0)),
        ([0.5, 0.2, 1.0], (0.5 * 0.04 * 0.42, 0.2 * CUT, 0.04 * 0.42)),
        ([-1.0, 0.1, 0.0], (-0.04 * 0.42, 0.1 * CUT, 0.0)),
    ],
)
def test_places_on_the_bone_end(to, expected):
    """From the middle of the bone end, which is 3 % of the bone's length in front of the line between the joints."""
    cut = amputate(leg(), "right", CUT, muscles={"gasmed": {"to": to}})
    p = in_stump(cut, "gasmed_r") - (0.03 * 0.42, 0.0, 0.0)
    if expected is None:
        radius = 0.04 * 0.42
        expected = radius * p[1] / np.linalg.norm(p[1])
    assert np.allclose(p[-1], expected, atol=1e-12)
    over = np.any(p[:, 1] < -1e-9)
    assert over == (to == [0.5, 0.2, 1.0])  # the only one on the other half of the bone


@pytest.mark.parametrize("end", ["medial", "lateral"])
def test_sides_are_the_persons(end):
    for side, letter, right in (("right", "r", 1.0), ("left", "l", -1.0)):
        cut = amputate(leg(letter), side, CUT, muscles={"gasmed": {"to": end}})
        z = in_stump(cut, "gasmed_r".replace("_r", f"_{letter}"), letter)[-1, 2]
        assert z == pytest.approx(right * (1.0 if end == "lateral" else -1.0) * 0.04 * 0.42)


def test_a_path_may_run_from_insertion_to_origin():
    model = leg()
    m = model.muscles["gasmed_r"]
    turned = model.replace(
        muscles={**model.muscles, "gasmed_r": replace(m, path=replace(m.path, points=m.path.points[::-1]))}
    )
    one, other = (amputate(each, "right", CUT).muscles["gasmed_r"] for each in (model, turned))
    assert one.tendon_length == other.tendon_length
    for a, b in zip(one.path.points, other.path.points, strict=True):
        assert a.link == b.link and np.array_equal(a.position, b.position)


def test_points_that_depend_on_a_lost_coordinate_are_lost():
    """A conditional point on the femur that waits for the ankle, a moving one that follows it: the path ends before."""
    model = leg()
    m = model.muscles["recfem_r"]
    waits = ConditionalPathPoint("femur_r", np.array([0.05, -0.3, 0.0]), "waits", "ankle_r", -1.0, 1.0)
    flat = Constant(0.04)
    follows = MovingPathPoint("tibia_r", ("knee_r", flat), ("ankle_r", Constant(-0.06)), ("", Constant(0.0)))
    for odd in (waits, follows):
        path = replace(m.path, points=(m.path.points[0], odd, m.path.points[-1]))
        changed = model.replace(muscles={**model.muscles, "recfem_r": replace(m, path=path)})
        cut = amputate(changed, "right", CUT)
        assert cut.muscles["recfem_r"].path.points[0] is m.path.points[0]
        assert {p.link for p in cut.muscles["recfem_r"].path.points} == {"pelvis", "tibia_r"}
        assert not cut.muscles["recfem_r"].path.coordinates


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["gait", "human"])
@pytest.mark.parametrize("cut", [{"below_knee": 0.13}, {"below_hip": 0.25}])
def test_left_mirrors_right(kind, cut):
    """The packaged people are mirror images to rounding, and so are their stumps."""
    model = the_model(kind)
    for surgery in ("myodesis", "myoplasty"):
        right, left = (amputate(model, side, **cut, surgery=surgery) for side in ("right", "left"))
        assert {n[:-2] for n in right.muscles if n.endswith("_r")} == {
            n[:-2] for n in left.muscles if n.endswith("_l")
        }
        for name, m in right.muscles.items():
            if name.endswith("_r"):
                other = left.muscles[f"{name[:-2]}_l"]
                assert other.max_force == pytest.approx(m.max_force, rel=1e-12)
                assert other.tendon_length == pytest.approx(m.tendon_length, abs=1e-9)
                for a, b in zip(m.path.points, other.path.points, strict=True):
                    assert np.allclose(a.position * (1, 1, -1), b.position, atol=1e-9)


@pytest.mark.slow
def test_wraps_that_are_left_end_at_the_turn():
    """Rajagopal's calf: the shank's cylinder stays, over the points above the cut, and the turn is outside of it."""
    model = the_model("gait")
    for below in (0.09, 0.11, 0.13, 0.2):
        cut = amputate(model, "right", below)
        for name in ("gasmed_r", "gaslat_r"):
            path = cut.muscles[name].path
            assert len(path.wraps) == 2 and all(wrap.last == 1 for wrap in path.wraps)
            surface = model.wraps[path.wraps[0].surface]
            x, y, z = surface.pose[:3, :3].T @ (path.points[1].position - surface.pose[:3, 3])
            assert np.hypot(x, y) >= surface.radius + 0.001 or abs(z) >= 0.5 * surface.length
    low = amputate(model, "right", 0.06)
    assert [wrap.surface for wrap in low.muscles["gasmed_r"].path.wraps] == ["Gastroc_at_condyles_r"]
    assert any(
        "'gasmed_r'" in str(note) and "no longer wrapped on 'GasMed_at_shank_r'" in str(note)
        for note in low.notes
    )


def test_ranges_of_wraps_follow_a_path_that_is_turned_round():
    model = the_model("gait")
    m = model.muscles["gasmed_r"]
    points = m.path.points[::-1]
    wraps = tuple(PathWrap(w.surface, w.method, 0, 1) for w in m.path.wraps)
    turned = model.replace(
        muscles={**model.muscles, "gasmed_r": replace(m, path=replace(m.path, points=points, wraps=wraps))}
    )
    one, other = (amputate(each, "right", 0.13).muscles["gasmed_r"] for each in (model, turned))
    assert [(w.first or 0, w.last) for w in other.path.wraps] == [(0, 1), (0, 1)]
    assert other.tendon_length == pytest.approx(
        one.tendon_length, abs=1e-6
    )  # a string pulled from the other end
