"""Forces act on the link that they belong to."""

from dataclasses import replace

import numpy as np
import pytest
from tests.models import blade_runner, walker
from tests.trials import N, pushed_walker, recorded_walk, smooth, swinging

from softstride import engine
from softstride.capture import ExternalForce, Recording
from softstride.dynamics import solve_id
from softstride.dynamics.applied import apply_forces
from softstride.dynamics.feet import far_loads
from softstride.dynamics.prepare import prepare
from softstride.errors import InputError, Option
from softstride.kinematics import Motion
from softstride.model import Coordinate, Frame
from softstride.notes import codes


@pytest.fixture
def scene():
    return pushed_walker()


def applied(scene, *forces, **options):
    model, motion, recording = scene
    used = recording.replace(forces=tuple(forces)) if forces else recording
    got = apply_forces(model, prepare(model, motion), used, options)
    origins = np.zeros((N, 0, 3))
    if got.places:
        origins = engine.positions(model, motion.q, list(got.places))
    return replace(got, notes=(*got.notes, *far_loads(model, motion.q, motion.time, got, origins, options)))


def on(got, link):
    """Return the sum of the loads on a link about the world's origin, shape (n, 6)."""
    total = np.zeros((len(got.loads), 6))
    for place, w in zip(got.places, np.split(got.loads, len(got.places), axis=1), strict=True):
        if place == link:
            total += np.concatenate([w[:, :3] + np.cross(w[:, 6:], w[:, 3:6]), w[:, 3:6]], axis=1)
    return total


def test_by_body_before_side(scene):
    right, left = scene[2].forces
    got = applied(scene, replace(right, body="shank_r"), left)
    assert [wrench.link for wrench in got.wrenches.values()] == ["shank_r", "foot_l"]
    got = applied(scene, replace(right, body="shank_r"), left, **{"plate right": "thigh_r"})
    assert [wrench.link for wrench in got.wrenches.values()] == ["thigh_r", "foot_l"]


@pytest.mark.parametrize(
    ("names", "side", "expected"),
    [
        (("calcn_r", "talus_r", "toes_r", "foot_l"), "right", "calcn_r"),
        (("right_foot", "left_foot"), "left", "left_foot"),
        (("foot.left", "foot.right", "blade_l"), "left", "blade_l"),
        (("talus_r", "toes_r"), "right", "talus_r"),
        (("calcn_r", "blade_r"), "right", "blade_r"),
    ],
)
def test_the_link_of_a_foot(names, side, expected):
    from softstride.dynamics.feet import foot_link
    from softstride.model import ModelBuilder

    builder = ModelBuilder("feet")
    for name in names:
        builder.free(name, mass=1.0)
    assert foot_link(builder.build(), side, "p") == expected


def test_links_that_are_no_foot_or_two():
    from softstride.dynamics.feet import foot_link
    from softstride.model import ModelBuilder

    builder = ModelBuilder("feet")
    for name in ("calcn_a_r", "calcn_b_r", "hand_l"):
        builder.free(name, mass=1.0)
    model = builder.build()
    with pytest.raises(InputError, match="which may be 'calcn_a_r' or 'calcn_b_r'"):
        foot_link(model, "right", "p")
    with pytest.raises(InputError, match="force 'p' acts on the left foot, however no link of 'feet'"):
        foot_link(model, "left", "p")


def test_by_where_the_feet_are(scene):
    """Without body and side: the foot that is under the force, contact by contact."""
    right, left = (replace(each, side=None) for each in scene[2].forces)
    expected = applied(scene)
    got = applied(scene, right, left)
    assert [wrench.link for wrench in got.wrenches.values()] == ["foot_r", "foot_l"]
    for link in ("foot_r", "foot_l"):
        assert np.allclose(on(got, link), on(expected, link))
    assert any("'plate right' acts on foot_r, by where the feet are" in str(note) for note in got.notes)


def test_a_plate_that_both_feet_step_on(scene):
    _, motion, recording = scene
    right, left = recording.forces
    first, second = np.arange(N) < 20, np.arange(N) >= 30
    f = right.force * first[:, None] + left.force * second[:, None]
    p = np.where(first[:, None], right.point, left.point)
    one = ExternalForce("plate 1", motion.time, f, p, np.zeros((N, 3)))
    got = applied(scene, one)
    assert list(got.wrenches) == ["plate 1 foot_r", "plate 1 foot_l"]
    a, b = got.wrenches.values()
    assert np.array_equal(a.acts, first) and np.array_equal(b.acts, second)
    assert np.allclose(a.force + b.force, f)
    assert np.isnan(a.point[~first]).all() and np.array_equal(b.point[second], p[second])


def test_a_plate_on_nobodys_foot(scene):
    right = scene[2].forces[0]
    lost = replace(right, side=None, name="plate 7", point=right.point + np.array([3.0, 0.0, 0.0]))
    message = r"'plate 7' is on nobody's foot from 0.000 to 0.490 s: [23]\.\d\d m"
    with pytest.raises(InputError, match=message):
        applied(scene, lost)
    for named in (replace(lost, side="right"), replace(lost, body="foot_r")):
        with pytest.raises(
            InputError, match=r"'plate 7' acts [23]\.\d\d m away from 'foot_r' .*nobody's foot"
        ):
            applied(scene, named)
        got = applied(scene, named, **{"plate 7": "foot_r"})  # whom the caller names is believed, with a note
        assert codes(got.notes) == ("feet.load-far-away",) and "m away from 'foot_r'" in str(got.notes[0])
    assert applied(scene).notes == ()


@pytest.mark.parametrize(
    ("given", "noted", "refused"),
    [
        ({"side": "right", "body": None}, 0.3, 0.6),
        ({"side": None, "body": "foot_r"}, 0.3, 0.6),
        ({"side": None, "body": "shank_r"}, 0.6, 1.1),
    ],
)
def test_loads_farther_and_farther_away(scene, given, noted, refused):
    right = scene[2].forces[0]

    def shifted(by):
        return replace(right, point=right.point + np.array([0.0, -by, 0.0]), **given)

    assert applied(scene, shifted(0.2)).notes == ()
    (note,) = applied(scene, shifted(noted)).notes
    assert note.code == "feet.load-far-away" and note.names[0] == "plate right"
    assert "'plate right' acts 0." in str(note) and "is it that link's" in str(note)
    with pytest.raises(InputError, match="nobody's foot"):
        applied(scene, shifted(refused))


@pytest.mark.parametrize("known", ["side", "body"])
def test_exchanged_feet_are_told(scene, known):
    """Which link carries a force changes no residual, so that only the distance tells."""
    right, left = scene[2].forces
    swapped = [
        replace(
            each,
            side=other if known == "side" else None,
            body=None if known == "side" else f"foot_{other[0]}",
        )
        for each, other in ((right, "left"), (left, "right"))
    ]
    notes = applied(scene, *swapped).notes
    assert codes(notes) == ("feet.exchanged", "feet.exchanged")
    assert all(str(note).endswith("are the feet exchanged?") for note in notes)
    assert "from 'foot_l'" in str(notes[0]) and "m from 'foot_r'" in str(notes[0])


def test_a_faint_load_far_from_its_foot_is_noted(scene):
    """Noise of a plate nobody stands on has its centre of pressure anywhere."""
    right = scene[2].forces[0]
    faint = replace(right, force=0.01 * right.force, point=right.point + np.array([3.0, 0.0, 0.0]))
    (note,) = applied(scene, faint).notes
    assert "m away from 'foot_r'" in str(note)


def test_one_contact_of_many_on_nobodys_foot(scene):
    """A tenth of the frames, three metres away: the others do not make up for it."""
    right = scene[2].forces[0]
    force, point, moment = right.force.copy(), right.point.copy(), right.moment.copy()
    force[35:40], moment[35:40] = 0.0, 0.0
    point[40:45] += [3.0, 0.0, 0.0]
    with pytest.raises(InputError, match=r"from 0\.400 to 0\.4[49]0 s, with up to"):
        applied(scene, replace(right, force=force, point=point, moment=moment))


def test_a_faint_load_on_nobodys_foot_is_left_out(scene):
    _, motion, recording = scene
    far = recording.forces[0].point + np.array([3.0, 0.0, 0.0])
    faint = ExternalForce("plate 7", motion.time, np.tile([0.0, 20.0, 0.0], (N, 1)), far, np.zeros((N, 3)))
    got = applied(scene, *recording.forces, faint)
    assert list(got.wrenches) == ["plate right", "plate left"]
    (told,) = [note for note in got.notes if note.code == "feet.contact-of-nobody"]
    assert "'plate 7' is on nobody's foot" in str(told) and "20 N at most: left out" in str(told)
    assert told.names == ("plate 7",) and told.span == (motion.time[0], motion.time[-1])
    assert told.values["force_n"] == pytest.approx(20.0)


def test_a_plate_under_both_feet(scene):
    model, motion, recording = scene
    q = np.tile(model.neutral(), (N, 1))
    motion = Motion(model, motion.time, q)
    feet = [engine.positions(model, q, f"foot_{side}") for side in "rl"]
    middle = ExternalForce("plate 1", motion.time, np.full((N, 3), 100.0), sum(feet) / 2, np.zeros((N, 3)))
    with pytest.raises(InputError, match="'plate 1' may be on either foot") as caught:
        applied((model, motion, recording), middle)
    assert caught.value.options == (Option("bodies", {"plate 1": ...}),)
    assert str(caught.value).endswith("name the link with bodies={'plate 1': ...}")


def test_a_plate_that_nobody_steps_on(scene):
    idle = ExternalForce(
        "plate 7", scene[1].time, np.zeros((N, 3)), np.full((N, 3), np.nan), np.zeros((N, 3))
    )
    got = applied(scene, *scene[2].forces, idle)
    assert len(got.wrenches) == 2 and any(
        "'plate 7'" in str(note) and "never acts" in str(note) for note in got.notes
    )


def test_a_body_that_the_model_does_not_have(scene):
    right, left = scene[2].forces
    with pytest.raises(
        InputError, match=r"'plate right' acts on 'calcn_r' as its file says.*'trunk', 'thigh_r'"
    ):
        applied(scene, replace(right, body="calcn_r"), left)
    with pytest.raises(InputError, match="'plate right' acts on 'paw' as bodies says"):
        applied(scene, **{"plate right": "paw"})
    with pytest.raises(
        InputError, match=r"names the force 'plate 9', however trial.mot has 'plate left', 'plate right'$"
    ) as caught:
        applied(scene, **{"plate 9": "foot_r"})
    assert caught.value.names == ("plate 9",) and "plate right" in caught.value.known
    assert caught.value.told(lambda option: "--body").startswith("--body names the force")
    with pytest.raises(InputError, match="given in the frame of 'calcn_r'"):
        applied(scene, replace(right, force_in="calcn_r"), left)


def test_a_recording_without_forces(scene):
    model, motion, recording = scene
    with pytest.raises(InputError, match=r"trial.mot holds no forces"):
        apply_forces(model, prepare(model, motion), recording.replace(forces=()))


def test_a_force_that_is_never_a_number(scene):
    right, left = scene[2].forces
    gone = replace(right, force=np.full((N, 3), np.nan))
    with pytest.raises(InputError, match=r"'plate right' of trial.mot holds no numbers"):
        applied(scene, gone, left)
    first, second = right.force.copy(), left.force.copy()
    first[:25], second[25:] = np.nan, np.nan
    with pytest.raises(InputError, match=r"in no frame of the motion.*all forces"):
        applied(scene, replace(right, force=first), replace(left, force=second))


def test_gaps_in_a_force_are_frames_without_loads(scene):
    model, motion, recording = scene
    right, left = recording.forces
    f = right.force.copy()
    f[[5, 6, 20]] = np.nan
    got = applied(scene, replace(right, force=f), left)
    assert np.array_equal(np.flatnonzero(~got.known), [5, 6, 20])
    (told,) = [note for note in got.notes if note.code == "forces.not-measured"]
    assert "'plate right' was not measured in 3 of 50 frames (5 to 6, 20)" in str(told)
    assert told.names == ("plate right",) and told.values == {"frames": 3}
    assert told.span == (motion.time[5], motion.time[20]) and told.severity == "warning"
    loads = solve_id(model, motion, recording.replace(forces=(replace(right, force=f), left)))
    assert np.array_equal(np.flatnonzero(np.isnan(loads.tau).all(axis=1)), [5, 6, 20])
    assert np.isfinite(loads.tau[loads.known]).all()


# in other axes


def test_force_and_point_in_the_frame_of_a_body(scene):
    """The same load given in the axes of a link that moves is the same load."""
    model, motion, recording = scene
    right, left = recording.forces
    T = engine.poses(model, motion.q, "shank_l")
    R, o = T[:, :3, :3], T[:, :3, 3]

    def turned(x):
        return np.einsum("nji,nj->ni", R, x)

    expected = applied(scene)
    for turn_force, turn_point in ((True, True), (True, False), (False, True)):
        changes = {}
        if turn_force:
            changes |= {"force": turned(right.force), "moment": turned(right.moment), "force_in": "shank_l"}
        if turn_point:
            changes |= {"point": turned(right.point - o), "point_in": "shank_l"}
        got = applied(scene, replace(right, **changes), left)
        assert np.allclose(on(got, "foot_r"), on(expected, "foot_r"), atol=1e-10)
        assert np.allclose(got.wrenches["plate right"].point, right.point)
        assert np.allclose(got.wrenches["plate right"].force, right.force)


def test_axes_of_a_body_between_samples(scene):
    """In two frames, the point goes its own way between samples; in one, the wrench does."""
    model, motion, _ = scene
    t = np.arange(-5, 600) / 1000.0 + 0.0003
    f, p, m = smooth(t)
    for force_in in ("ground", "foot_r"):
        given = ExternalForce("p", t, f, p, m, body="foot_r", force_in=force_in, point_in="foot_r")
        got = applied(scene, given).wrenches["p"]
        T = engine.poses(model, motion.q, "foot_r")
        f_now, p_now, _ = smooth(motion.time)
        R = T[:, :3, :3]
        expected = np.einsum("nij,nj->ni", R, f_now) if force_in == "foot_r" else f_now
        assert np.allclose(got.force, expected, atol=1e-6)
        assert np.allclose(got.point, np.einsum("nij,nj->ni", R, p_now) + T[:, :3, 3], atol=1e-6)


def test_a_force_in_the_axes_of_a_body_must_name_its_own(scene):
    right, left = (replace(each, side=None) for each in scene[2].forces)
    with pytest.raises(InputError, match="'plate right' is given in the axes of a body, but does not say"):
        applied(scene, replace(right, force_in="foot_r"), left)


def test_forces_of_one_name_both_count(scene):
    right, _ = scene[2].forces
    one, two = applied(scene, right), applied(scene, right, right)
    assert list(two.wrenches) == ["plate right", "plate right (2)"]
    assert np.allclose(on(two, "foot_r"), 2.0 * on(one, "foot_r"))


# on a part of the tree


@pytest.mark.parametrize("root", ["free", "custom"])
def test_a_branch_is_where_it_was(root):
    from softstride.dynamics.branch import branch_of

    model = walker(root)
    motion = swinging(model)
    part = branch_of(model, ["foot_l", "thigh_r"])
    assert part.model.link_names == ("trunk", "thigh_r", "thigh_l", "shank_l", "foot_l")
    links = ["foot_l", "thigh_r"]
    expected = engine.poses(model, motion.q, links)
    assert np.array_equal(engine.poses(part.model, part.take(motion.q), links), expected)
    w = np.random.default_rng(0).normal(size=(N, 6))
    whole = engine.generalized_forces(model, motion.q, {"foot_l": w})
    assert np.allclose(
        engine.generalized_forces(part.model, part.take(motion.q), {"foot_l": w}), whole[:, part.v]
    )
    assert branch_of(model, ["thigh_r", "foot_l"]) is part
    assert branch_of(model, ["thigh_r", "foot_l", "shank_l", "world"]) is part  # the foot hangs on the shank
    assert branch_of(model, ["foot_l"]) is not part
    assert branch_of(model.replace(name="other"), ["thigh_r", "foot_l"]) is not part
    assert not part.model.markers
    assert all(each == Coordinate(name) for name, each in part.model.coordinates.items())


# on rods


@pytest.fixture(scope="module")
def athlete():
    return blade_runner()


def test_parts_along_a_blade_add_up(athlete):
    n = 12
    rng = np.random.default_rng(2)
    q = engine.integrate(athlete, np.tile(athlete.neutral(), (n, 1)), 0.1 * rng.normal(size=(n, athlete.nv)))
    motion = Motion(athlete, np.arange(n) / 100.0, q)
    length = athlete.link("blade_r").joint.length
    at = [Frame("blade_r", at=s * length) for s in np.linspace(0.3, 1.0, n)]
    point = np.stack([engine.positions(athlete, q[i : i + 1], at[i])[0] for i in range(n)])
    point += rng.normal(scale=0.01, size=(n, 3))
    f, m = rng.normal(scale=100.0, size=(2, n, 3))
    plate = ExternalForce("p", motion.time, f, point, m, side="right")
    recording = Recording("r", forces=(plate, replace(plate, name="again")))
    got = apply_forces(athlete, prepare(athlete, motion), recording)
    total = np.zeros((n, 6))
    parts = np.split(got.loads, len(got.places), axis=1)
    for w in parts:
        total += np.concatenate([w[:, :3] + np.cross(w[:, 6:], w[:, 3:6]), w[:, 3:6]], axis=1)
    expected = np.concatenate([m + np.cross(point, f), f], axis=1)
    assert np.allclose(total, 2.0 * expected, atol=1e-9 * np.abs(expected).max())
    once = parts[: len(parts) // 2]  # the second force has sections of its own
    loaded = np.array([[w[i, :6].any() for w in once] for i in range(n)])
    assert (loaded.sum(axis=1) <= 2).all()  # two neighbours carry it
    centre = loaded @ np.arange(loaded.shape[1]) / loaded.sum(axis=1)
    assert (np.diff(centre) >= 0).all()  # and it rolls towards the tip


def test_the_recordings(shared_data):
    """Loads on the 600 Hz plates of a treadmill, feet named by a file and found by geometry: the same feet."""
    model, motion, named = recorded_walk(shared_data)
    bare = named.replace(forces=tuple(replace(each, body=None, side=None) for each in named.forces))
    first, second = solve_id(model, motion, named, lowpass=6.0), solve_id(model, motion, bare, lowpass=6.0)
    assert {wrench.link for wrench in second.wrenches.values()} == {"calcn_r", "calcn_l"}
    assert np.allclose(first.tau, second.tau, atol=1e-9)
