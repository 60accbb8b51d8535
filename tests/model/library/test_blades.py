"""The packaged blades: they load, say where they are from, and stiffen from soft to stiff."""

import numpy as np
import pytest

from softstride.errors import ModelError
from softstride.model.library.blades import CATEGORIES, SHAPES, blade, blade_names


def test_names():
    assert blade_names() == ("c-soft", "c-medium", "c-stiff", "j-soft", "j-medium", "j-stiff")
    with pytest.raises(ModelError, match="c-medium"):
        blade("x-large")


@pytest.mark.parametrize("name", blade_names())
def test_every_blade_is_marked_and_plausible(name):
    """Masses of running blades are some hundred grams; from knee to ground there are about 0.45 m."""
    found = blade(name)
    assert found.source.startswith("invented shape")
    assert 0.3 < found.mass < 1.0 and 0.25 < found.height() < 0.45
    assert found.mount == ("distal" if name.startswith("c") else "posterior")
    assert len(found.rod.segments) == 6 and found.rod.segments[0].free == ("kx", "ky", "kz")


@pytest.mark.parametrize("name", blade_names())
def test_the_arcs_are_segments_of_constant_strain(name):
    """Each segment is one circular arc: no stretch or shear in its reference strain, so the rod is the drawn curve.

    A spline through points 1 mm apart rounds off the jumps of curvature, by 19/m in the J shape, which leaves 1.3e-3
    there; it falls in proportion to the distance of the points. Curves that are no chains of arcs have up to 0.07.
    """
    for segment in blade(name).rod.segments:
        assert np.allclose(segment.reference[3:], (1.0, 0.0, 0.0), atol=2e-3)


@pytest.mark.parametrize("shape", SHAPES)
def test_categories_stiffen(shape):
    values = [blade(f"{shape}-{category}").initial_stiffness() for category in CATEGORIES]
    assert values[0] < values[1] < values[2]
