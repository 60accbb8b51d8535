"""Rods and their segments."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softstride.errors import ModelError
from softstride.model import STRAINS, Inertia, Joint, Rod, Section, Segment

STRIP = Section.rectangle(0.06, 0.01, density=1600.0, young=60e9, shear=5e9, damping=1e-3)


def test_uniform_rod_has_equal_segments():
    rod = Rod.uniform(0.6, 4, STRIP, free=("ky",))
    assert isinstance(rod, Joint)
    assert len(rod.segments) == rod.nq == rod.nv == 4
    assert rod.length == pytest.approx(0.6) and rod.mass == pytest.approx(0.6 * 1600 * 0.06 * 0.01)
    assert rod.coordinate_names("blade") == ("blade.1.ky", "blade.2.ky", "blade.3.ky", "blade.4.ky")
    np.testing.assert_array_equal(rod.neutral(), np.zeros(4))
    np.testing.assert_array_equal(rod.segments[2].reference, [0, 0, 0, 1, 0, 0])
    np.testing.assert_array_equal(rod.segments[2].stiffness, STRIP.stiffness)


@given(st.permutations(STRAINS), st.integers(0, 6))
def test_free_strains_stand_in_their_order(names, count):
    segment = Segment(1.0, free=tuple(names[:count]))
    assert segment.free == tuple(name for name in STRAINS if name in names[:count])
    assert segment.free_indices == tuple(sorted(STRAINS.index(name) for name in names[:count]))


def test_names_follow_segments_and_strains():
    rod = Rod((Segment(1.0, free=("ez", "kx")), Segment(2.0, free=()), Segment(3.0, free=("ky",))))
    assert rod.coordinate_names("toe") == ("toe.1.kx", "toe.1.ez", "toe.3.ky")


def test_diagonals_are_accepted():
    segment = Segment(0.25, density=Inertia(0.8), stiffness=[8, 10, 200, 1e6, 4e5, 4e5], damping=range(6))
    np.testing.assert_array_equal(segment.damping, np.diag([0, 1, 2, 3, 4, 5]))
    assert segment.stiffness.shape == (6, 6) and segment.mass == pytest.approx(0.2)
    assert not segment.stiffness.flags.writeable and not segment.reference.flags.writeable


@pytest.mark.parametrize(
    ("at", "index", "inside"),
    [
        (0.0, 0, 0.0),
        (0.2, 0, 0.2),
        (0.5, 0, 0.5),
        (0.75, 1, 0.25),
        (0.9, 2, 0.1),
        (1.0, 2, 0.2),
        (1.0 + 1e-15, 2, 0.2),
    ],
)
def test_locate(at, index, inside):
    """The end between two segments belongs to the first of them."""
    rod = Rod(tuple(Segment(length) for length in (0.5, 0.3, 0.2)))
    assert rod.locate(at)[0] == index
    assert rod.locate(at)[1] == pytest.approx(inside, abs=1e-14)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Segment(0.0), "length of a segment must be above zero"),
        (lambda: Segment(-1.0), "length of a segment must be at least 0"),
        (lambda: Segment(math.inf), "length of a segment must be finite"),
        (lambda: Segment(1.0, [0, 0, 0]), "reference strain of a segment must have shape"),
        (lambda: Segment(1.0, [0, 1, 0, 0, 0, 0]), "must have a linear part"),
        (lambda: Segment(1.0, [0, math.nan, 0, 1, 0, 0]), "finite"),
        (lambda: Segment(1.0, density=1.0), "density of a rod must be an Inertia"),
        (lambda: Segment(1.0, free=("kx", "bend")), "free strains of a segment must be a tuple of"),
        (lambda: Segment(1.0, free="kx"), "free strains of a segment must be a tuple of"),
        (lambda: Segment(1.0, free=3), "free strains of a segment must be a tuple of"),
        (lambda: Segment(1.0, free=("kx", "kx")), "must be different"),
        (lambda: Rod(()), "one or more Segment"),
        (lambda: Rod((1, 2)), "one or more Segment"),
        (lambda: Rod(Segment(1.0)), "one or more Segment"),
        (lambda: Rod((Segment(1.0),), 0), "quadrature of a rod must be a whole number"),
        (lambda: Rod((Segment(1.0),), 4.0), "quadrature"),
        (lambda: Rod((Segment(1.0),), True), "quadrature"),
        (lambda: Rod((Segment(1.0),), 17), "from 1 to 16"),
        (lambda: Rod.uniform(1.0, 0, STRIP), "number of segments"),
        (lambda: Rod.uniform(1.0, 2.5, STRIP), "number of segments"),
        (lambda: Rod.uniform(1.0, 10**9, STRIP), "from 1 to 10000"),
        (lambda: Rod.uniform(math.nan, 2, STRIP), "length of a rod"),
        (lambda: Rod.uniform(1.0, 2, "steel"), "section of a rod must be a Section"),
    ],
)
def test_guards(make, message):
    with pytest.raises(ModelError, match=message):
        make()
