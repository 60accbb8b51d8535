"""What a model stands on: soles and blades, found or given."""

import dataclasses

import numpy as np
import pytest
from tests.dynamics.estimate.people import gait, plain, prosthetic, still
from tests.models import planar, walker

import softstride as ss
from softstride.contact.sole import NAMES, OUTLINE, Sole
from softstride.dynamics.estimate.footholds import BladeEdge, FootSole, footholds, places_of
from softstride.errors import InputError, Option


def test_places_of_contact_of_the_model_are_used():
    right, left = footholds(gait())
    assert (right.side, left.side) == ("right", "left")
    assert (right.link, left.link) == ("calcn_r", "calcn_l")
    for foot, letter in ((right, "r"), (left, "l")):
        assert isinstance(foot, FootSole) and foot.known
        assert set(foot.sole.names) == {name for name in gait().contacts if name.endswith(f"_{letter}")}
        at = dict(zip(foot.sole.names, foot.places, strict=True))
        toes = dict(zip(foot.sole.names, foot.sole.toes, strict=True))
        for name, point in at.items():
            shape = gait().contacts[name]
            assert point.link == shape.link  # toes on the link of the toes
            assert toes[name] == shape.link.startswith("toes")
            np.testing.assert_allclose(point.position, shape.position, atol=1e-12)
        metatarsals = [gait().contacts[f"metatarsal_{k}_{letter}"].position for k in (1, 5)]
        np.testing.assert_allclose(foot.sole.ball, np.mean(metatarsals, axis=0), atol=1e-9)


def test_radius_of_a_sphere_is_taken_off():
    shapes = {
        name: dataclasses.replace(shape, radius=0.01, position=shape.position + np.array([0.0, 0.01, 0.0]))
        for name, shape in gait().contacts.items()
    }
    round_ones = dataclasses.replace(gait(), contacts=shapes)
    for one, other in zip(footholds(gait()), footholds(round_ones), strict=True):
        np.testing.assert_allclose(one.sole.points, other.sole.points, atol=1e-12)


def test_average_soles():
    """Heel 15 mm behind the origin, ball under the joint of the toes, outline outward on both sides."""
    right, left = footholds(plain())
    assert not right.known and not left.known
    assert right.sole.names == NAMES
    length = 0.14 + 0.015
    np.testing.assert_allclose(right.sole.ball, [0.14, 0.0, 0.01], atol=1e-12)
    np.testing.assert_allclose(left.sole.ball, [0.14, 0.0, -0.01], atol=1e-12)
    np.testing.assert_allclose(right.sole.points[:, 0], -0.015 + length * OUTLINE[:, 0], atol=1e-12)
    np.testing.assert_allclose(right.sole.points[:, 2], 0.01 + length * OUTLINE[:, 1], atol=1e-12)
    np.testing.assert_allclose(left.sole.points * [1, 1, -1], right.sole.points, atol=1e-12)
    for point, name in zip(right.places, NAMES, strict=True):
        assert point.link == ("toes_r" if name in ("toes_lateral", "hallux") else "calcn_r")
    world = ss.positions(plain(), plain().neutral(), list(right.places))
    heel = ss.poses(plain(), plain().neutral(), "calcn_r")
    np.testing.assert_allclose(world, right.sole.points + heel[:3, 3], atol=1e-12)


def test_markers_tell_the_length_of_a_foot_without_toes():
    """Rearmost marker at -50 mm less the skin, foremost at 180 mm: ball 20 mm behind it."""
    right, _ = footholds(walker())
    assert right.link == "foot_r" and not right.known
    assert right.sole.points[:, 0].min() == pytest.approx(-0.045, abs=1e-12)
    assert right.sole.ball[0] == pytest.approx(0.16, abs=1e-12)
    assert {point.link for point in right.places} == {"foot_r"}


@pytest.mark.parametrize("person", [prosthetic, ss.athlete])
def test_blades_are_found(person):
    model = person()
    right, left = footholds(model)
    assert isinstance(right, BladeEdge) and model.link(right.link).soft
    assert isinstance(left, FootSole)
    assert {section.link for section in right.sections} == {right.link}
    at = [section.at for section in right.sections]
    assert at == sorted(at) and at[-1] <= model.link(right.link).joint.length + 1e-12
    assert right.sole.shape == (len(at), 3) and right.width > 0.02
    loads = ss.estimate_loads(model, still(model, n=2), smoothness=None)
    assert loads.wrenches["ground_right"].link == right.link
    assert [name for name in loads.ground.names if name.startswith("right")] == [
        f"right_patch_{k}" for k in (1, 2, 3, 4)
    ]
    assert np.isfinite(loads.tau).all()


def test_a_blade_without_places_of_contact():
    model = prosthetic()
    bare = dataclasses.replace(
        model, contacts={name: shape for name, shape in model.contacts.items() if shape.link != "blade_r"}
    )
    blade, _ = footholds(bare)
    length = model.link("blade_r").joint.length
    np.testing.assert_allclose([s.at for s in blade.sections], np.linspace(0.6 * length, length, 9))
    assert not blade.sole.any()


def test_soles_that_are_given():
    sole = Sole.foot(-0.05, 0.16, "right").lowered(0.04, 0.03)
    right, left = footholds(plain(), soles={"right": sole})
    assert right.sole is sole and right.known
    assert not left.known
    loads = ss.estimate_loads(plain(), still(plain()), soles={"right": sole})
    assert loads.ground.place[0, :8, 0].min() == pytest.approx(-0.05, abs=1e-9)
    assert sum(w.force[0, 1] for w in loads.wrenches.values()) > 0.9 * plain().mass * 9.8


def test_links_that_are_given():
    right, left = footholds(gait(), links={"right": "calcn_l", "left": "calcn_r"})
    assert (right.link, left.link) == ("calcn_l", "calcn_r")
    with pytest.raises(InputError, match=r"no such link; links are .*calcn_r") as caught:
        ss.estimate_loads(gait(), still(gait()), links={"right": "hoof"})
    assert (caught.value.parameter, caught.value.value) == ("links", "hoof")
    assert "calcn_r" in caught.value.known
    with pytest.raises(InputError, match="links must be a table of sides"):
        ss.estimate_loads(gait(), still(gait()), links={"front": "calcn_r"})


def test_a_foot_that_nothing_is_known_of():
    builder = ss.ModelBuilder("stump")
    builder.free("trunk", mass=50.0, inertia=(1, 1, 1))
    for side, z in (("r", 0.1), ("l", -0.1)):
        builder.revolute(f"foot_{side}", parent="trunk", axis=(0, 0, 1), position=(0, -0.9, z), mass=1.0)
    with pytest.raises(
        InputError, match=r"sole of 'foot_r' is not known.*soles=\{'right': contact.Sole.foot"
    ) as caught:
        footholds(builder.build())
    assert str(caught.value).endswith("Give it with soles={'right': contact.Sole.foot(heel, ball, 'right')}")
    assert caught.value.told(lambda option: f"--{option.name}").endswith("Give it with --soles")


def test_a_model_without_a_foot_on_one_side():
    with pytest.raises(InputError, match=r"left foot: name it with links=\{'left'") as caught:
        footholds(planar(), soles={"right": Sole.foot(-0.05, 0.15, "right")})
    assert caught.value.options == (Option("links", {"left": ...}),)


def test_the_blade_of_one_side_is_no_foot_of_the_other():
    """Nobody stands on one blade with both legs: the leg without a foot is named."""
    bilateral = ss.amputate(prosthetic(), "left", below_knee=0.15)
    assert [link.name for link in bilateral.links if link.soft] == ["blade_r"]
    with pytest.raises(InputError, match="called like a left foot"):
        footholds(bilateral)


def test_one_link_for_both_feet():
    with pytest.raises(InputError, match=r"'calcn_r' of .* would carry the load of both feet"):
        footholds(gait(), links={"right": "calcn_r", "left": "calcn_r"})


def test_places_follow_the_sole():
    foot = footholds(plain())[0]
    low = foot.sole.lowered(0.05, 0.02)
    moved = places_of(plain(), foot.link, low, foot.axes)
    drop = ss.positions(plain(), plain().neutral(), list(foot.places)) - ss.positions(
        plain(), plain().neutral(), list(moved)
    )
    np.testing.assert_allclose(drop, foot.sole.points - low.points, atol=1e-12)
    assert drop[:, 1].min() >= 0.02 - 1e-12 and drop[0, 1] == pytest.approx(0.05)
