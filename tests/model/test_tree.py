"""The shape of the tree: order, numbering, groups of shared coordinates."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.refusals import bad_input

from softstride.errors import ModelError
from softstride.model import Axis, Custom, Fixed, Free, Linear, Link, Revolute, Rod, Section, Spherical, tree

X, Y, Z = np.eye(3)
STRIP = Section.rectangle(0.06, 0.01, density=1600.0, young=60e9, shear=5e9)
BLADE = Rod.uniform(0.6, 3, STRIP)


def hinge(name, parent="world", **changes):
    return Link(name, parent, Revolute(Z), **changes)


def custom(name, parent, *coordinates, **changes):
    """Return a custom link whose coordinates turn or slide it, up to six of them or more as a sum."""
    axes = [
        Axis(row, tuple((c, Linear()) for c in coordinates[i::6]))
        for i, row in enumerate(np.tile(np.eye(3), (2, 1)))
    ]
    return Link(name, parent, Custom(tuple(axes[:3]), tuple(axes[3:])), **changes)


@st.composite
def shuffled_trees(draw):
    """Return the links of a random tree in random order."""
    n = draw(st.integers(1, 25))
    parents = [
        "world",
        *(f"l{draw(st.integers(0, i - 1))}" if draw(st.booleans()) else "world" for i in range(1, n)),
    ]
    return draw(st.permutations([hinge(f"l{i}", parent) for i, parent in enumerate(parents)]))


@given(shuffled_trees())
def test_sorting_puts_parents_first_and_loses_nothing(links):
    ordered = tree.sort_links(links)
    assert sorted(link.name for link in ordered) == sorted(link.name for link in links)
    tree.check_order(ordered)
    assert tree.sort_links(ordered) == ordered  # sorted links stay as they are


def test_sorting_keeps_the_given_order_where_it_can():
    names = [link.name for link in tree.sort_links([hinge("c", "a"), hinge("b"), hinge("a")])]
    assert names == ["a", "c", "b"]


def test_long_chains_are_no_problem():
    links = [hinge(f"l{i}", f"l{i - 1}" if i else "world") for i in range(3000)]
    assert tree.sort_links(links[::-1])[0].name == "l0"


@bad_input(
    ModelError,
    (
        {"links": [hinge("a", "c"), hinge("b", "a"), hinge("c", "b")]},
        r"cycle: 'a' -> 'c' -> 'b' -> 'a'; one must hang on 'world'",
    ),
    ({"links": [hinge("b"), hinge("a", "a")]}, "cycle: 'a' -> 'a'"),
    ({"links": [hinge("tail", "a"), hinge("a", "b"), hinge("b", "a")]}, "cycle: 'a' -> 'b' -> 'a'"),
    ({"links": [hinge("a", "hips")]}, "link 'a': parent 'hips' is no link; known: 'world', 'a'"),
    ({"links": [hinge("a"), hinge("a")]}, "link 'a' exists twice"),
)
def test_links_that_make_no_tree(refuses):
    refuses(tree.sort_links, links=[hinge("b", "a"), hinge("a")])


def test_order_is_checked():
    with pytest.raises(ModelError, match="link 'b' comes before its parent 'a'"):
        tree.check_order([hinge("b", "a"), hinge("a")])
    with pytest.raises(ModelError, match="cycle"):
        tree.check_order([hinge("b", "a"), hinge("a", "b")])


@pytest.mark.parametrize("at", [0.0, 0.3, 0.6])
def test_links_may_hang_anywhere_on_a_rod(at):
    tree.check_order([Link("blade", "world", BLADE), hinge("a", "blade", at=at)])


@pytest.mark.parametrize(
    ("links", "message"),
    [
        (
            [Link("blade", "world", BLADE), hinge("a", "blade", at=0.61)],
            "at=0.61 m lies beyond the rod 'blade', which is 0.6 m",
        ),
        ([hinge("b"), hinge("a", "b", at=0.1)], "link 'a': at=0.1 needs a rod, however 'b' is rigid"),
        ([hinge("a", at=0.1)], "link 'a': at=0.1 needs a rod as parent, however it is the world"),
    ],
)
def test_at_is_checked(links, message):
    with pytest.raises(ModelError, match=message):
        tree.check_order(links)


def test_layout_numbers_the_coordinates_link_by_link():
    links = [
        Link("pelvis", "world", Free()),
        Link("hip", "pelvis", Spherical()),
        Link("plate", "hip", Fixed()),
        hinge("knee", "plate"),
        Link("blade", "knee", Rod.uniform(0.6, 2, STRIP, free=("ky", "kx"))),
    ]
    layout = tree.lay_out(links)
    assert (layout.nq, layout.nv) == (16, 14)
    assert layout.q == (tuple(range(7)), (7, 8, 9, 10), (), (11,), (12, 13, 14, 15))
    assert layout.v == (tuple(range(6)), (6, 7, 8), (), (9,), (10, 11, 12, 13))
    assert layout.q_new[2] == slice(11, 11) and layout.v_new[3] == slice(9, 10)
    assert layout.names[6:] == (
        "hip.x",
        "hip.y",
        "hip.z",
        "knee",
        "blade.1.kx",
        "blade.1.ky",
        "blade.2.kx",
        "blade.2.ky",
    )


def test_shared_coordinates_stand_with_their_first_link():
    links = [
        hinge("femur"),
        custom("tibia", "femur", "flexion", "twist"),
        hinge("foot", "tibia"),
        custom("patella", "femur", "slide", "flexion"),
    ]
    layout = tree.lay_out(links)
    assert layout.names == ("femur", "flexion", "twist", "foot", "slide")
    assert layout.v == ((0,), (1, 2), (3,), (4, 1))
    assert layout.q_new[3] == slice(4, 5)
    assert tree.coordinate_groups(links) == (("tibia", "patella"),)


@pytest.mark.parametrize(
    "links",
    [
        [hinge("a"), Link("b", "a", Revolute(Z, "a"))],
        [hinge("a"), custom("b", "a", "a")],
        [custom("b", "world", "a"), hinge("a", "b")],
        [Link("hip", "world", Spherical()), hinge("hip.x", "hip")],
    ],
)
def test_only_custom_links_share_coordinates(links):
    with pytest.raises(ModelError, match=r"coordinate .* belongs to link .* and to link .*: rename one"):
        tree.lay_out(links)


def test_groups_join_through_a_third_link():
    links = [
        hinge("base"),
        custom("a", "base", "u"),
        custom("b", "base", "v"),
        custom("lone", "base", "w"),
        custom("c", "a", "v", "u"),
        custom("still", "base"),
    ]
    assert tree.coordinate_groups(links) == (("a", "b", "c"),)


def test_a_group_may_hang_on_the_world_or_on_one_place_of_a_rod():
    assert tree.coordinate_groups(
        [custom("a", "world", "u"), custom("b", "a", "u"), custom("c", "world", "u")]
    )
    rod = Link("blade", "world", BLADE)
    assert tree.coordinate_groups([rod, custom("a", "blade", "u", at=0.2), custom("b", "blade", "u", at=0.2)])


@pytest.mark.parametrize(
    "links",
    [
        [hinge("p"), hinge("o", "p"), custom("a", "p", "u"), custom("b", "o", "u")],
        [hinge("p"), custom("a", "p", "u"), hinge("between", "a"), custom("b", "between", "u")],
        [hinge("p"), custom("a", "p", "u"), custom("b", "world", "u")],
        [Link("blade", "world", BLADE), custom("a", "blade", "u", at=0.2), custom("b", "blade", "u")],
    ],
)
def test_members_of_a_group_must_hang_together(links):
    with pytest.raises(ModelError, match="links 'a', 'b' share coordinates but hang on different places"):
        tree.coordinate_groups(links)


def test_a_group_has_at_most_six_coordinates():
    assert tree.coordinate_groups([custom("a", "world", *"uvwxyz")]) == ()
    with pytest.raises(ModelError, match="'a' have 7 coordinates together, at most 6"):
        tree.coordinate_groups([custom("a", "world", *"tuvwxyz")])
    with pytest.raises(ModelError, match="'a', 'b' have 7 coordinates together"):
        tree.coordinate_groups([custom("a", "world", *"uvwx"), custom("b", "world", *"xyzt")])
