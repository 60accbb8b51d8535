"""Cross-sections against the formulas of beam theory."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softstride.errors import ModelError
from softstride.model import Inertia, Section

MATERIAL = {"density": 1600.0, "young": 60e9, "shear": 5e9}
size = st.floats(1e-4, 1.0)


@given(size, size)
def test_rectangle(width, thickness):
    section = Section.rectangle(width, thickness, **MATERIAL, damping=1e-3)
    A, Iy, Iz = width * thickness, width * thickness**3 / 12, thickness * width**3 / 12
    K = np.diag(section.stiffness)
    np.testing.assert_allclose(
        K[1:], [60e9 * Iy, 60e9 * Iz, 60e9 * A, 5 / 6 * 5e9 * A, 5 / 6 * 5e9 * A], rtol=1e-12
    )
    np.testing.assert_allclose(section.density.matrix, 1600 * np.diag([Iy + Iz, Iy, Iz]), rtol=1e-12)
    assert section.density.mass == pytest.approx(1600 * A)
    np.testing.assert_allclose(section.damping, 1e-3 * section.stiffness, rtol=1e-15)


def torsion(width, thickness):
    return Section.rectangle(width, thickness, **MATERIAL).stiffness[0, 0] / 5e9


@given(size, size)
def test_torsion_constant_does_not_depend_on_names_and_stays_below_the_polar_moment(width, thickness):
    value = torsion(width, thickness)
    assert value == pytest.approx(torsion(thickness, width), rel=1e-12)
    assert 0 < value < width * thickness * (width**2 + thickness**2) / 12


@pytest.mark.parametrize(
    ("ratio", "factor"), [(1, 0.1406), (2, 0.229), (5, 0.291), (10, 0.312), (1000, 0.3331)]
)
def test_torsion_constant_of_handbooks(ratio, factor):
    """J = factor a b³ (Timoshenko, Goodier, Theory of Elasticity, section 109)."""
    assert torsion(ratio * 0.01, 0.01) / (ratio * 0.01 * 0.01**3) == pytest.approx(factor, abs=6e-4)


def test_circle():
    section = Section.circle(0.1, **MATERIAL)
    second = math.pi * 0.1**4 / 4
    np.testing.assert_allclose(
        np.diag(section.stiffness)[:3], [5e9 * 2 * second, 60e9 * second, 60e9 * second], rtol=1e-12
    )
    np.testing.assert_allclose(
        np.diag(section.density.matrix), 1600 * second * np.array([2, 1, 1]), rtol=1e-12
    )


def test_coupled_stiffness_is_kept():
    K = np.diag([8.0, 10.0, 200.0, 1e6, 4e5, 4e5])
    K[0, 1] = K[1, 0] = 3.0
    np.testing.assert_array_equal(Section(Inertia(1.0), K).stiffness, K)


def uneven():
    K = np.eye(6)
    K[0, 1] = 0.5
    return K


def indefinite():
    K = np.diag([1e-3, 1.0, 1.0, 1e6, 1e6, 1e6])
    K[0, 3] = K[3, 0] = 100.0
    return K


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Section(1.0), "density of a rod must be an Inertia"),
        (lambda: Section(Inertia(1.0), uneven()), "stiffness of a rod must be symmetric"),
        (lambda: Section(Inertia(1.0), indefinite()), "stiffness of a rod must not be negative"),
        (lambda: Section(Inertia(1.0), -np.ones(6)), "stiffness of a rod must not be negative"),
        (lambda: Section(Inertia(1.0), damping=[0, 0, 0, 0, 0, -1]), "damping of a rod must not be negative"),
        (lambda: Section(Inertia(1.0), np.ones(5)), "shape"),
        (lambda: Section(Inertia(1.0), np.full(6, math.nan)), "finite"),
        (lambda: Section.rectangle(0.0, 1.0, **MATERIAL), "width of a rectangle must be above zero"),
        (lambda: Section.rectangle(1.0, -1.0, **MATERIAL), "thickness of a rectangle must be at least 0"),
        (lambda: Section.rectangle(1e200, 1e200, **MATERIAL), "finite"),
        (lambda: Section.rectangle(1, 1, -1.0, 1.0, 1.0), "density of a section"),
        (lambda: Section.rectangle(1, 1, 1.0, math.nan, 1.0), "Young's modulus"),
        (lambda: Section.rectangle(1, 1, 1.0, 1.0, -1.0), "shear modulus"),
        (lambda: Section.rectangle(1, 1, 1.0, 1.0, 1.0, damping=-1.0), "damping of a section"),
        (lambda: Section.circle(None, **MATERIAL), "radius of a circle must be a number"),
    ],
)
def test_guards(make, message):
    with pytest.raises(ModelError, match=message):
        make()
