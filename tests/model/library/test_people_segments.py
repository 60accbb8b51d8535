"""The mass distribution of the packaged people against the published tables."""

import numpy as np
import pytest

from softstride.model.inertia import Inertia
from softstride.model.library.human import gait_person, human
from softstride.model.library.human.person import Person, lengths
from softstride.model.library.human.segments import link_inertias, segment_inertia, share_out
from softstride.model.library.human.shape import build_shape
from softstride.model.library.human.tables import table

MIDDLE = ("head", "upper_trunk", "mid_trunk", "lower_trunk")
ROWS = {  # our segments -> rows of the transcription in the recordings
    "head": "Head 2",
    "upper_trunk": "Upper trunk 2",
    "mid_trunk": "Middle trunk",
    "lower_trunk": "Lower trunk",
    "upper_arm": "Upper arm",
    "forearm": "Forearm",
    "hand": "Hand",
    "thigh": "Thigh",
    "shank": "Shank",
    "foot": "Foot",
}
both = pytest.mark.parametrize("sex", ["male", "female"])
each = pytest.mark.parametrize("kind", ["human", "gait"])


@both
def test_tables_are_de_levas(shared_data, sex):
    file = shared_data / "planar_gait" / "anthropometry" / f"BSP{sex}_ZdeLeva.txt"
    lines = [line.split("\t") for line in file.read_text().splitlines()[1:]]
    printed = {line[0].strip(): [float(x) for x in line[2:]] for line in lines}
    for name, row in table("anthropometry")["segments"][sex].items():
        sagittal, longitudinal, transverse = row["radii"]
        assert [row["mass"], row["centre"], sagittal, transverse, longitudinal] == printed[ROWS[name]]


@each
@both
def test_links_share_out_the_segments_of_the_table(kind, sex):
    """Masses are the table's fractions (over their sum), centre and inertia of each whole segment are the table's."""
    person = Person(71.0, 1.77, sex)
    shape = build_shape(lengths(person))
    parts = table(kind)["parts"]
    rows = table("anthropometry")["segments"][sex]
    total = 0.0
    for name, row in rows.items():
        whole = segment_inertia(person, shape, name)
        assert whole.mass == pytest.approx(
            row["mass"] * 71.0, rel=1.1e-4
        )  # printed fractions add to 0.9999 or 1
        bodies = link_inertias(person, shape, {name: parts[name]})
        joined = sum(bodies.values(), Inertia())
        assert joined.mass == pytest.approx(whole.mass, rel=1e-12)
        assert np.allclose(joined.com, whole.com, atol=1e-12)
        assert np.allclose(joined.matrix, whole.matrix, rtol=0, atol=1e-12)
        total += whole.mass * (1 if name in MIDDLE else 2)
    assert total == pytest.approx(71.0, rel=1e-12)


def test_links_of_a_segment_carry_its_mass_in_the_model():
    model = human(mass=80.0, sex="male")
    foot = sum(model.link(f"{stem}_l").mass for stem in ("hindfoot", "midfoot", "forefoot"))
    assert foot == pytest.approx(0.0137 * 80.0, rel=1e-9)
    thigh = model.link("femur_r").mass + model.link("patella_r").mass
    assert thigh == pytest.approx(0.1416 * 80.0, rel=1e-9)
    trunk = sum(
        link.mass for link in model.links if link.name.startswith(("lumbar", "thoracic", "rib", "pelvis"))
    )
    trunk += 2 * (model.link("clavicle_r").mass + model.link("scapula_r").mass)
    assert trunk == pytest.approx(0.4346 * 80.0, rel=1e-9)


def test_sex_changes_the_tables():
    man, woman = gait_person(sex="male"), gait_person(sex="female")
    assert woman.link("femur_r").mass > man.link("femur_r").mass  # 14.78 % against 14.16 %
    width = [model.link("femur_r").placement[2, 3] for model in (man, woman)]
    assert width[1] > width[0]  # hips


@pytest.mark.parametrize("build", [human, gait_person])
@both
def test_inertia_is_physical(build, sex):
    for link in build(sex=sex).links:
        a, b, c = np.linalg.eigvalsh(link.inertia.matrix)
        assert link.mass > 0.0 and a > 0.0 and c < a + b, link.name


def test_moment_of_inertia_of_the_thigh_by_hand():
    """73 kg, 1.77 m man: m = 0.1416 · 73 = 10.337 kg, L = 0.432 m, k = 0.329 L: I = m k² = 0.2088 kg m²."""
    person = Person(73.0, 1.77, "male")
    thigh = segment_inertia(person, build_shape(lengths(person)), "thigh")
    assert thigh.matrix[2, 2] == pytest.approx(
        10.337 * (0.329 * 0.432) ** 2, rel=1e-3
    )  # L rounded to 0.01 mm/m


def test_share_out_keeps_a_body_that_its_parts_would_burst():
    """Centres farther apart than the body is wide are drawn together; the sum is still the body."""
    body = Inertia(2.0, (0.1, 0.2, 0.3), (0.02, 0.01, 0.02))
    rows = [(0.5, 1.0, np.array([0.0, 1.0, 0.0])), (0.5, 0.5, np.array([0.0, -1.0, 0.0]))]
    parts = share_out(body, rows)
    joined = parts[0] + parts[1]
    assert np.allclose(joined.com, body.com) and np.allclose(joined.matrix, body.matrix, atol=1e-15)
    assert np.linalg.norm(parts[0].com - parts[1].com) < 1.0


@both
def test_stretch_of_the_spine_is_small(sex):
    """The tables' lengths add up to the stature: the closing factor is within two percent of one."""
    person = Person(70.0, 1.7, sex)
    sizes = lengths(person)
    points = build_shape(sizes).points
    lumbar = np.linalg.norm(points["lumbar_4"] - points["lumbar_5"])
    assert lumbar == pytest.approx(sizes["lumbar_share"] * sizes["spine"] / 5, rel=0.02)
