"""Blades: shape, mass and stiffness against closed forms, and what is refused."""

import math

import numpy as np
import pytest
from tests.refusals import bad_input

from softstride.errors import ModelError
from softstride.model.blade import Blade
from softstride.model.blade_file import blade_from_text, read_blade, read_load_table
from softstride.model.blade_shape import arc_points, section_poses

RADIUS, WIDTH, THICKNESS, YOUNG, SHEAR, DENSITY = 0.2, 0.06, 0.008, 60e9, 5e9, 1600.0
EI = YOUNG * WIDTH * THICKNESS**3 / 12.0
MATERIAL = (YOUNG, SHEAR, DENSITY)


def quarter(n=6, thickness=THICKNESS, **options):
    """A quarter circle from the clamp, straight down, to the toe, forward: a single arc."""
    points = arc_points([(0.5 * math.pi * RADIUS, 0.5 * math.pi)])
    return Blade.from_centreline(points, WIDTH, thickness, *MATERIAL, n=n, **options)


def test_arc_points_lie_on_the_circle():
    points = arc_points([(0.5 * math.pi * RADIUS, 0.5 * math.pi)])
    assert np.allclose(np.hypot(points[:, 0] - RADIUS, points[:, 1]), RADIUS, atol=1e-15)
    assert np.allclose(points[-1], (RADIUS, -RADIUS, 0.0), atol=1e-15)


def test_castigliano_of_a_quarter_circle():
    """1/k = ∫ (R cos θ)² R dθ / EI = π R³ / 4 EI for a force across the tangent at the toe.

    The spline through points 1 mm apart leaves the circle by less than 1e-8 of its radius.
    """
    assert quarter().initial_stiffness(at=quarter().length) == pytest.approx(
        4.0 * EI / (math.pi * RADIUS**3), rel=1e-5
    )


def test_the_stiffness_does_not_depend_on_the_number_of_segments():
    """Castigliano's integral runs along the blade, whose curvature is constant here: any mesh is exact."""
    values = [quarter(n).initial_stiffness(at=quarter(n).length) for n in (2, 5, 12)]
    assert np.ptp(values) < 1e-6 * values[0]


def test_mass_and_taper():
    """Linear taper: mass ρ w L (t0 + t1) / 2; the segments have the mean of E I, whose integral is w E ∫ t³ / 12."""
    total = 0.5 * math.pi * RADIUS
    blade = quarter(thickness=[[0.0, 0.010], [total, 0.006]])
    assert blade.mass == pytest.approx(DENSITY * WIDTH * total * 0.008, rel=1e-7)  # arc length of the spline
    bending = sum(part.length * part.stiffness[1, 1] for part in blade.rod.segments)
    assert bending == pytest.approx(
        YOUNG * WIDTH / 12.0 * total * (0.010**4 - 0.006**4) / (4 * 0.004), rel=1e-6
    )
    function = quarter(thickness=lambda s: 0.010 - 0.004 * s / total)
    assert np.allclose(function.rod.segments[3].stiffness, blade.rod.segments[3].stiffness, rtol=1e-6)


def test_kelvin_voigt_damping():
    blade = quarter(damping=3e-4)
    for part in blade.rod.segments:
        assert np.allclose(part.damping, 3e-4 * part.stiffness)


def test_the_sole_is_half_a_thickness_under_the_true_curve():
    """With two segments on a curve that is no circle the rod leaves its centreline; the sole does not."""
    x = np.linspace(0.0, 0.25, 26)
    points = np.column_stack([x, -0.3 + 2.0 * (x - 0.15) ** 2, 0 * x])
    blade = Blade.from_centreline(points, WIDTH, THICKNESS, *MATERIAL, n=2)
    rod_gap = np.max(np.abs((blade.clamp @ section_poses(blade.rod, [0.25 * blade.length]))[0, 1, 3] + 0.0))
    assert rod_gap > 0.0
    at, lowest = blade.lowest()
    assert lowest == pytest.approx(-0.3 - 0.5 * THICKNESS, abs=1e-6)
    assert blade.height() == pytest.approx(0.3 + 0.5 * THICKNESS, abs=1e-6)
    half = 0.5 * THICKNESS
    for s in (0.1 * blade.length, 0.6 * blade.length):
        H = blade.poses([s])[0]
        place = H[:3, 3] + H[:3, :3] @ blade.sole_offset(s)
        near = np.linspace(0, 0.25, 200001)
        gap = np.min(np.hypot(near - place[0], -0.3 + 2.0 * (near - 0.15) ** 2 - place[1]))
        assert gap == pytest.approx(half, abs=2e-6)  # rows of the sole are 1 mm apart
    assert 0.0 < at < blade.length


def test_markers_and_contacts_are_on_the_blade():
    blade = quarter()
    assert {"toe", "1_medial", "5_lateral"} <= set(blade.markers)
    assert len(blade.contacts) == 12
    last = list(blade.contacts.values())[-1]
    assert last.at == pytest.approx(blade.length) and last.position[2] == pytest.approx(0.5 * THICKNESS)
    heights = [blade.poses([c.at])[0] @ [*c.position, 1.0] for c in blade.contacts.values()]
    assert np.allclose(min(h[1] for h in heights), -blade.height(), atol=1e-6)


def test_a_table_of_sections_is_the_same_blade():
    s = np.linspace(0.0, 0.5 * math.pi * RADIUS, 60)
    angle = s / RADIUS
    table = {
        "x": RADIUS * (1 - np.cos(angle)), "y": -RADIUS * np.sin(angle), "width": np.full(60, WIDTH),
        "thickness": 0.010 - 0.01 * s, "young": YOUNG, "shear": SHEAR, "density": DENSITY,
    }  # fmt: skip
    blade = Blade.from_sections(table)
    other = quarter(thickness=lambda s: 0.010 - 0.01 * s)
    assert blade.initial_stiffness() == pytest.approx(other.initial_stiffness(), rel=1e-5)
    with pytest.raises(ModelError, match="'thickness'"):
        Blade.from_sections({key: value for key, value in table.items() if key != "thickness"})
    with pytest.raises(ModelError, match="'width'"):
        Blade.from_sections(table | {"width": [WIDTH] * 3})


@pytest.mark.parametrize("unknown", ["young", "thickness"])
def test_from_measured_stiffness(unknown):
    points = arc_points([(0.5 * math.pi * RADIUS, 0.5 * math.pi)])
    blade = Blade.from_stiffness(points, WIDTH, THICKNESS, *MATERIAL, measured=15e3, unknown=unknown)
    assert blade.initial_stiffness() == pytest.approx(15e3, rel=1e-9)
    d = np.linspace(0.0, 0.05, 9)
    table = np.column_stack([d, 15e3 * d + 2e5 * d * d])
    again = Blade.from_stiffness(points, WIDTH, THICKNESS, *MATERIAL, measured=table, unknown=unknown)
    assert again.initial_stiffness() == pytest.approx(15e3, rel=1e-9)
    if unknown == "young":
        assert blade.mass == pytest.approx(quarter().mass)


def test_thickened_is_the_thicker_blade():
    """A factor of thickness is what the sections of the thicker blade say; GJ as for a wide strip, within 2 %."""
    grown, thicker = quarter().thickened(1.2), quarter(thickness=1.2 * THICKNESS)
    for a, b in zip(grown.rod.segments, thicker.rod.segments, strict=True):
        assert np.allclose(np.diag(a.stiffness)[1:], np.diag(b.stiffness)[1:], rtol=1e-9)
        assert a.stiffness[0, 0] == pytest.approx(b.stiffness[0, 0], rel=0.03)
        assert np.allclose(a.density.matrix, b.density.matrix, rtol=1e-9)
    assert np.allclose(grown.sole, thicker.sole, atol=1e-6)
    assert grown.initial_stiffness() == pytest.approx(thicker.initial_stiffness(), rel=1e-5)


LOOP = [(0, 0), (0, -0.1), (0.1, -0.2), (0.2, -0.1), (0.1, -0.02), (-0.1, -0.05)]


@bad_input(
    ModelError,
    ({"thickness": -0.008}, "thickness .* above zero"),
    ({"thickness": [[0.0, 0.01], [0.3, -0.001]]}, "thickness .* above zero"),
    ({"width": 0.0}, "width .* above zero"),
    ({"thickness": [[0.0, 0.01, 1.0]]}, "table"),
    ({"thickness": [[0.1, 0.01], [0.0, 0.01]]}, "increase"),
    ({"young": 60.0}, "young .* check its unit"),
    ({"young": 6e13}, "young"),
    ({"density": 1.6}, "density"),
    ({"points": [(0, 0), (0, -300), (100, -400)]}, "longer than a leg"),
    ({"points": LOOP}, "crosses itself"),
    ({"points": [(0, 0)]}, "shape"),
    ({"damping": -1.0}, "damping"),
    ({"mount": "sideways"}, "mount"),
)
def test_bad_blades_are_refused(refuses):
    material = {"young": YOUNG, "shear": SHEAR, "density": DENSITY}
    points = arc_points([(0.3, 1.5)])
    refuses(Blade.from_centreline, points=points, width=WIDTH, thickness=THICKNESS, **material)


TOML = """
points = [[0, 0], [0, -0.1], [0.03, -0.2], [0.1, -0.26], [0.2, -0.27]]
width = 0.06
thickness = [[0.0, 0.01], [0.4, 0.008]]
mount = "posterior"
[material]
young = 60e9
shear = 5e9
density = 1600
damping = 5e-4
"""


def test_files(tmp_path):
    (tmp_path / "mine.toml").write_text(TOML)
    blade = read_blade(tmp_path / "mine.toml")
    assert (blade.name, blade.mount, len(blade.rod.segments)) == ("mine", "posterior", 6)
    rows = "\n".join(
        f"{x},{y},0.06,0.009" for x, y in ((0, 0), (0, -0.1), (0.03, -0.2), (0.1, -0.26), (0.2, -0.27))
    )
    settings = "# young = 60e9\n# shear = 5e9\n# density = 1600\n# segments = 4\n"
    (tmp_path / "mine.csv").write_text(f"{settings}x,y,width,thickness\n{rows}\n")
    other = read_blade(tmp_path / "mine.csv")
    assert len(other.rod.segments) == 4 and other.length == pytest.approx(blade.length)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("points = [", "TOML"),
        (TOML + "colour = 'red'\n", "colour"),
        (TOML.replace("width = 0.06", ""), "width"),
        (TOML.replace("width = 0.06", "width = -1"), "above zero"),
        (TOML.replace("width = 0.06", "width = 'wide'"), "width"),
        (TOML.replace("points", "arcs"), "arcs"),
        (TOML.replace("mount", "colour"), "colour"),
    ],
)
def test_bad_files_are_refused_by_name(tmp_path, text, words):
    (tmp_path / "bad.toml").write_text(text)
    with pytest.raises(ModelError, match=f"bad.toml.*{words}"):
        read_blade(tmp_path / "bad.toml")


def test_a_file_is_named_even_if_the_problem_begins_as_it_is_called():
    with pytest.raises(ModelError, match=r"^a blade: a blade needs 'width'"):
        blade_from_text(TOML.replace("width = 0.06", ""), "a blade", name="b")


def test_missing_and_odd_files(tmp_path):
    for name in ("none.toml", "none.csv"):
        with pytest.raises(ModelError, match="cannot be read"):
            read_blade(tmp_path / name)
    (tmp_path / "blade.txt").write_text("x")
    with pytest.raises(ModelError, match=r"\.toml or \.csv"):
        read_blade(tmp_path / "blade.txt")


def test_load_tables_have_units(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("# measured\nforce_kN,deflection_mm\n0,0\n0.5,20\n1.0,35\n")
    assert np.allclose(read_load_table(file), [[0, 0], [0.02, 500], [0.035, 1000]])
    for text, words in (
        ("force_N,depth\n1,2\n", "deflection"),
        ("force_lb,deflection_mm\n1,2\n", "unit"),
        ("force_N,deflection_mm\n1\n", "cells"),
        ("force_N,deflection_mm\n1,x\n", "x"),
        ("force_N,deflection_mm\n", "numbers"),
    ):
        file.write_text(text)
        with pytest.raises(ModelError, match=words):
            read_load_table(file)


def test_a_file_says_up_to_which_load_it_is_tested(tmp_path):
    file = tmp_path / "b.toml"
    file.write_text(TOML)
    assert read_blade(file).max_load == 1500.0
    file.write_text("max_load = 800\n" + TOML)
    assert read_blade(file).max_load == 800.0
    file.write_text(TOML + "[categories]\nsoft = 0.8\nstiff = 1.2\n[max_load]\nsoft = 700\n")
    assert [read_blade(file, one).max_load for one in ("soft", "stiff")] == [700.0, 1500.0]
    for wrong in ("-5", "'much'"):
        file.write_text(f"max_load = {wrong}\n" + TOML)
        with pytest.raises(ModelError, match="max_load"):
            read_blade(file)


@pytest.mark.parametrize(
    ("size", "width", "thickness", "density", "words"),
    [
        (1.0, 70.0, 0.008, 1600.0, "width.*70 m.*millimetres"),
        (1.0, 0.16, 0.008, 1600.0, "width.*0.16"),
        (1.0, 0.07, 8.0, 1600.0, "thickness.*8 m.*millimetres"),
        (1.0, 0.07, 0.031, 1600.0, "thickness.*0.031"),
        (0.5, 0.07, 0.02, 1600.0, "thickness.*length"),
        (0.1, 0.07, 0.001, 1600.0, "long.*units"),
        (1.0, 0.12, 0.028, 16000.0, "mass.*kg"),
    ],
)
def test_sizes_in_other_units_are_refused(size, width, thickness, density, words):
    """A quarter circle of 0.314 m, larger and smaller; what is just inside the bounds passes."""
    points = arc_points([(size * 0.1 * np.pi, 0.5 * np.pi)])
    with pytest.raises(ModelError, match=words):
        Blade.from_centreline(points, width, thickness, 60e9, 5e9, density)
    inside = Blade.from_centreline(arc_points([(0.1 * np.pi, 0.5 * np.pi)]), 0.15, 0.03, 60e9, 5e9, 1600.0)
    with pytest.raises(ModelError, match="thickness"):
        inside.thickened(1.1)


def test_a_blade_above_its_clamp_has_no_stiffness():
    points = arc_points([(0.3, 0.5 * np.pi)]) * (1.0, -1.0, 1.0)
    with pytest.raises(ModelError, match="no part below its clamp"):
        Blade.from_centreline(points, 0.07, 0.008, 60e9, 5e9, 1600.0).initial_stiffness()
