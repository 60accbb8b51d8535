"""Body segment parameters: sums, physics, marks of confidence, another transcription, scaling, one's own."""

import csv
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.segments.inertia_rows import DE_LEVA, DUMAS, WINTER
from tests.segments.people import standing

from softstride.errors import CaptureError, InputError
from softstride.segments.body import BodySegment
from softstride.segments.build import BuiltSegment, build_segments
from softstride.segments.centres import joint_centres
from softstride.segments.inertia import row_tensor, segment_inertia
from softstride.segments.inertia_table import InertiaTable, Sex, inertia_tables, read_inertia_table
from softstride.segments.landmarks import find_landmarks
from softstride.segments.placing import place_inertia
from softstride.segments.reference import MASS, reference_segments
from softstride.segments.triad import orthonormal_frame

PAIRS = ("upper_arm", "forearm", "hand", "thigh", "shank", "foot")


def cells(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in text.strip().splitlines()]


def percent(text: str) -> list[float]:
    return [0.01 * float(x) for x in text.split(",")]


def test_every_row_of_dumas() -> None:
    """Masses, centres, tensors, lengths and marks, as they are written down in the tests."""
    table, seen = read_inertia_table("dumas"), set()
    for name, letter, length, mass, com, radii, mark in cells(DUMAS):
        sex: Sex = "female" if letter == "F" else "male"
        row = table.row(name, sex)
        assert row.mass == pytest.approx(0.01 * float(mass), abs=1e-12), (name, sex)
        assert np.allclose(row.com, percent(com), rtol=0.0, atol=1e-12), (name, sex)
        assert row.radii is not None and np.allclose(row.radii, percent(radii), rtol=0.0, atol=1e-12), (
            name,
            sex,
        )
        assert row.length == pytest.approx(1e-3 * float(length), abs=1e-12) and row.confidence == mark, (
            name,
            sex,
        )
        seen.add((name, sex))
    assert seen == {(name, sex) for name in table.rows for sex in ("female", "male")}


def test_every_row_of_de_leva() -> None:
    table = read_inertia_table("deleva")
    rows = cells(DE_LEVA)
    assert [row[0] for row in rows] == list(table.rows)
    for name, *columns in rows:
        for k, sex in enumerate(("female", "male")):
            length, mass, com, sagittal, across, along = (float(x.split("/")[k]) for x in columns)
            row = table.row(name, sex)  # type: ignore[arg-type]
            found = (row.length, row.mass, *row.com, *(row.radii or ()))
            wanted = (1e-3 * length, *(0.01 * x for x in (mass, com, sagittal, along, across)))
            assert np.allclose(found, wanted, rtol=0.0, atol=1e-12), (name, sex)


def test_every_row_of_winter() -> None:
    table = read_inertia_table("winter")
    rows = cells(WINTER)
    assert {row[0] for row in rows} == set(table.rows)
    for name, mass, com, radius in rows:
        row = table.row(name)
        assert np.allclose((row.mass, *row.com), (float(mass), float(com)), rtol=0.0, atol=1e-12), name
        if radius == "-":
            assert row.radii is None, name
        else:  # planar: none about the long axis, the same about both others
            assert row.radii is not None
            assert np.allclose(row.radii, (float(radius), 0.0, float(radius)), rtol=0.0, atol=1e-12), name


@pytest.mark.parametrize(("sex", "total"), [("male", 100.2), ("female", 99.9)])
def test_dumas_masses_add_up(sex: str, total: float) -> None:
    table = read_inertia_table("dumas")
    rows = ["head_neck", "torso", "pelvis", *PAIRS, *PAIRS]
    assert 100.0 * sum(table.row(name, sex).mass for name in rows) == pytest.approx(total)  # type: ignore[arg-type]


@pytest.mark.parametrize(("sex", "total"), [("male", 100.00), ("female", 99.99)])
def test_de_leva_masses_add_up(sex: str, total: float) -> None:
    table = read_inertia_table("deleva")
    rows = ["head", "trunk", *PAIRS, *PAIRS]
    assert 100.0 * sum(table.row(name, sex).mass for name in rows) == pytest.approx(total)  # type: ignore[arg-type]
    parts = ("upper_trunk", "mid_trunk", "lower_trunk")
    whole = table.row("trunk", sex).mass  # type: ignore[arg-type]
    assert sum(table.row(name, sex).mass for name in parts) == pytest.approx(whole)  # type: ignore[arg-type]


def test_tensors_are_those_of_bodies_but_for_one() -> None:
    """Positive definite and with the triangle inequality: all rows but the female torso, by 0.0133 m L^2."""
    odd = {}
    for name in inertia_tables():
        table = read_inertia_table(name)
        for row, sexes in table.rows.items():
            for sex, each in sexes.items():
                if each.radii is None:
                    continue
                values = np.linalg.eigvalsh(row_tensor(each, table.kind))
                assert values[0] > -1e-12, (row, sex)
                margin = values[0] + values[1] - values[2]
                if margin < -1e-9:
                    odd[row, sex] = float(margin)
    assert set(odd) == {("torso", "female"), ("torso_alt", "female")}
    assert odd["torso", "female"] == pytest.approx(-0.0133, abs=5e-5)


def test_alternative_rows_are_the_main_ones_scaled() -> None:
    """The 2018 foot is that of 2007 times 1.32 (male) and 1.41 (female), within rounding of a percent."""
    table = read_inertia_table("dumas")
    for sex, factor in (("male", 1.32), ("female", 1.41)):
        old, new = table.row("foot", sex), table.row("foot_2018", sex)  # type: ignore[arg-type]
        assert np.allclose(new.com, np.array(old.com) * factor, atol=0.003)
        # each is rounded to a whole percent: half of one, times the factor, and half of the other
        assert np.allclose(new.radii, np.array(old.radii) * factor, atol=0.005 * (1.0 + factor))


def test_marks_of_confidence_are_kept_and_shown() -> None:
    table = read_inertia_table("dumas")
    assert table.row("thigh", "male").confidence == "A"
    assert (
        table.row("upper_arm", "female").confidence == "B"
        and table.row("head_neck", "male").confidence == "C"
    )
    told = segment_inertia("dumas", "upper_arm", 60.0, 0.25, sex="female").source
    assert "confidence B" in told and "sign of yz disputed" in told


def test_against_another_transcription(shared_data: Path) -> None:
    """Every row of the de Leva and Winter tables of another public copy that ours has under the same ends."""
    folder = shared_data / "planar_gait" / "anthropometry"
    ends = {}
    text = (Path(__file__).parents[2] / "src/softstride/segments/data/inertia/deleva.toml").read_text(
        encoding="utf-8"
    )
    for line in text.splitlines():
        if line.startswith("[rows."):
            ends[line.partition("# ")[2].replace(" ", "")] = line[6 : line.index("]")]
    table = read_inertia_table("deleva")
    count = 0
    for sex in ("male", "female"):
        with (folder / f"BSP{sex}_ZdeLeva.txt").open(encoding="utf-8") as file:
            for line in csv.DictReader(file, delimiter="\t"):
                row = table.row(ends[line["Endpoints"].strip()], sex)  # type: ignore[arg-type]
                assert row.mass == pytest.approx(float(line["Mass"]), abs=1e-9)
                assert row.com[0] == pytest.approx(float(line["CM Long"]), abs=1e-9)
                radii = [float(line[f"Rg {axis}"]) for axis in ("Sag", "Long", "Trans")]
                assert np.allclose(row.radii, radii, atol=1e-9)
                count += 1
    assert count == 42
    winter = read_inertia_table("winter")
    names = {
        "Leg": "leg",
        "Foot": "foot",
        "Thigh": "thigh",
        "Hand": "hand",
        "Forearm": "forearm",
        "Upper arm": "upper_arm",
    }
    names |= {
        "HAT": "head_arms_trunk",
        "Total leg": "total_leg",
        "Foot leg": "foot_leg",
        "Total arm": "total_arm",
    }
    with (folder / "BSP_DempsterWinter.txt").open(encoding="utf-8") as file:
        for line in csv.DictReader(file, delimiter="\t"):
            if line["Segment"] in names:
                row = winter.row(names[line["Segment"]])
                assert row.radii is not None
                found = (row.mass, row.com[0], row.radii[2])
                assert np.allclose(found, [float(line[x]) for x in ("Mass", "CM prox", "Rg CM")], atol=1e-9)


def test_rows_scale_with_mass_and_length() -> None:
    """The male thigh of 80 kg and 0.43 m is the one of the reference limb."""
    thigh = segment_inertia("dumas", "thigh", MASS, 0.43, sex="male")
    reference = reference_segments()[2]
    assert thigh.mass == pytest.approx(reference.mass)
    assert np.allclose(thigh.com, reference.com) and np.allclose(thigh.inertia, reference.inertia)
    left = segment_inertia("dumas", "thigh", MASS, 0.43, sex="male", side="left")
    assert np.allclose(left.com, thigh.com * [1, 1, -1])
    assert left.inertia[0, 2] == -thigh.inertia[0, 2] and left.inertia[0, 1] == thigh.inertia[0, 1]
    double = segment_inertia("winter", "thigh", 160.0, 0.86)
    single = segment_inertia("winter", "thigh", 80.0, 0.43)
    assert double.mass == 2 * single.mass and np.allclose(double.inertia, 8.0 * single.inertia)


def centre_of_mass(each: BuiltSegment, body: BodySegment) -> NDArray[np.float64]:
    frame = orthonormal_frame(each.motion.forward, each.motion.long)[0]
    return np.asarray(each.motion.proximal[0] + frame @ body.com)


def test_inertia_in_its_place() -> None:
    """Centres of mass of a standing person are between the ends of the limbs, whatever the table, and mirrored."""
    marks = joint_centres(find_landmarks(standing()), sex="male")
    built, _ = build_segments(marks)
    for name in ("dumas", "deleva", "winter"):
        table = read_inertia_table(name)
        for kind in ("foot", "shank", "thigh", "upper_arm", "forearm"):
            places = {}
            for side in ("right", "left"):
                each = built[f"{side} {kind}"]
                body, _ = place_inertia(each, marks, table, 80.0, "male")
                places[side] = centre_of_mass(each, body)
                heights = (each.motion.proximal[0, 1], each.motion.distal[0, 1])
                assert min(heights) - 0.01 < places[side][1] < max(heights), (name, kind)
            assert np.allclose(places["left"], places["right"] * [1, 1, -1], atol=1e-12), (name, kind)
    trunk, _ = place_inertia(built["trunk"], marks, read_inertia_table("dumas"), 80.0, "male")
    assert marks["LJC"][0, 1] < centre_of_mass(built["trunk"], trunk)[1] < marks["CJC"][0, 1]
    assert trunk.parent == "pelvis"


@pytest.mark.parametrize("sex", ["female", "male"])
@pytest.mark.parametrize(
    ("segment", "row", "start", "end", "up"),
    [("trunk", "torso", "CJC", "LJC", -1.0), ("head", "head_neck", "CJC", "VERTEX", 1.0)],
)
def test_trunk_and_head_have_their_long_axis_as_y(
    sex: Sex, segment: str, row: str, start: str, end: str, up: float
) -> None:
    """Centre of mass and tensor of Dumas' rows, worked out in world axes: y between the ends, z right, x forward.

    The person stands symmetric, so that z of the row is z of the world.
    """
    marks = joint_centres(find_landmarks(standing()), sex=sex)
    built, _ = build_segments(marks)
    body, _ = place_inertia(built[segment], marks, read_inertia_table("dumas"), 80.0, sex)
    line = (marks[end] - marks[start])[0]
    length = float(np.linalg.norm(line))
    y, z = up * line / length, np.array([0.0, 0.0, 1.0])
    axes = np.stack([np.cross(y, z), y, z], axis=-1)
    each = read_inertia_table("dumas").row(row, sex)
    place = marks[start][0] + axes @ np.array(each.com) * length
    assert np.allclose(centre_of_mass(built[segment], body), place, atol=1e-12)
    frame = orthonormal_frame(built[segment].motion.forward, built[segment].motion.long)[0]
    tensor = axes @ row_tensor(each, "frame") @ axes.T * body.mass * length**2
    assert np.allclose(frame @ body.inertia @ frame.T, tensor, atol=1e-12)


@pytest.mark.parametrize(("sex", "lean"), [("male", 44.0), ("female", 42.0)])
def test_two_rows_of_one_torso_tell_its_axes(sex: Sex, lean: float) -> None:
    """Told from C7/T1 and from the sternal notch, one centre of mass: the notch is far below the x axis of the rows.

    So x of the torso is not along C7 to the notch, as it would be with y perpendicular to that line: there the notch
    would be 10 (male) or 15 degrees below x, by where C7/T1 is on the line.
    """
    table = read_inertia_table("dumas")
    main, other = table.row("torso", sex), table.row("torso_alt", sex)
    assert main.length is not None and other.length is not None
    notch = np.array(main.com) * main.length - np.array(other.com) * other.length
    share = {"male": 0.55, "female": 0.53}[sex]
    assert np.linalg.norm(notch) == pytest.approx((1.0 - share) * other.length, abs=2e-3)
    assert np.degrees(np.arctan2(-notch[1], notch[0])) == pytest.approx(lean, abs=0.5)


def test_a_trunk_that_goes_with_the_pelvis_is_not_a_trunk() -> None:
    """Rows "trunk" of de Leva and Winter are from the sternum, or the shoulders, to the hips: not this segment."""
    marks = joint_centres(find_landmarks(standing()), sex="male")
    built, _ = build_segments(marks)
    for name in ("deleva", "winter"):
        assert "trunk" in read_inertia_table(name).rows
        with pytest.raises(InputError, match=f"trunk: the table {name!r} has no row for it"):
            place_inertia(built["trunk"], marks, read_inertia_table(name), 80.0, "male")
    own = InertiaTable("own", "Own", "line", {"trunk": read_inertia_table("deleva").rows["trunk"]})
    body, _ = place_inertia(built["trunk"], marks, own, 80.0, "male")
    along = (marks["CJC"] - marks["LJC"])[0]
    assert np.allclose(centre_of_mass(built["trunk"], body), marks["LJC"][0] + 0.4486 * along, atol=1e-12)


def test_the_long_axis_of_a_de_leva_foot_lies_along_it() -> None:
    marks = joint_centres(find_landmarks(standing()))
    built, _ = build_segments(marks)
    foot, _ = place_inertia(built["right foot"], marks, read_inertia_table("deleva"), 80.0, "male")
    length = float(np.linalg.norm(marks["right TTIP"][0] - marks["right CAL"][0]))
    smallest = float(np.linalg.eigvalsh(foot.inertia)[0])
    assert smallest == pytest.approx(foot.mass * (0.124 * length) ** 2)
    direction = np.linalg.eigh(foot.inertia)[1][:, 0]
    assert abs(direction[0]) > 0.95  # X of the SCS is u, heel to toes


def test_segments_that_a_table_does_not_know() -> None:
    marks = joint_centres(find_landmarks(standing(without=("RTTIP",))))
    built, _ = build_segments(marks)
    with pytest.raises(
        InputError, match="table 'deleva' scales it by TTIP, which is missing; take another table"
    ):
        place_inertia(built["right foot"], marks, read_inertia_table("deleva"), 80.0, "male")
    with pytest.raises(InputError, match="'deleva' has no row for it"):
        place_inertia(built["pelvis"], marks, read_inertia_table("deleva"), 80.0, "male")
    with pytest.raises(InputError, match="sex='female' or sex='male' \\(--sex female or --sex male\\)"):
        segment_inertia("dumas", "thigh", 80.0, 0.43)
    with pytest.raises(InputError, match="has no row 'leg'; there are: head_neck"):
        segment_inertia("dumas", "leg", 80.0, 0.43, sex="male")
    with pytest.raises(InputError, match="length must be above 0 m"):
        segment_inertia("winter", "leg", 80.0, 0.0)
    with pytest.raises(InputError, match="row 'trunk' of table 'winter' has no radii"):
        segment_inertia("winter", "trunk", 80.0, 0.5)
    with pytest.raises(
        InputError, match=r"no table of inertia 'zatsiorsky'; there are: deleva, dumas, winter"
    ):
        read_inertia_table("zatsiorsky")


def test_a_table_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(
        'kind = "line"\n[rows.thigh]\nboth = {mass = 10, com = 40, transverse = 30, longitudinal = 15}\n',
        encoding="utf-8",
    )
    table = read_inertia_table(file)
    assert isinstance(table, InertiaTable) and not table.sexed
    thigh = segment_inertia(table, "thigh", 80.0, 0.5)
    assert np.allclose(thigh.inertia, np.diag([0.3**2, 0.15**2, 0.3**2]) * 8.0 * 0.25)
    for text, field in (
        ("rows = 3", "kind"),
        ('kind = "line"', "rows"),
        ('kind = "line"\n[rows.thigh]\nmen = {mass = 1, com = 1}', "rows.thigh"),
        ('kind = "line"\n[rows.thigh]\nboth = {mass = 1}', "rows.thigh.both"),
        ('kind = "frame"\n[rows.thigh]\nboth = {mass = 1, com = [1, 2, 3], radii = [1]}', "rows.thigh.both"),
        ('kind = "line"\n[rows.thigh]\nboth = {mass = 1, com = 1, weight = 3}', "rows.thigh.both.weight"),
        ('kind = "line"\n[rows.thigh]\nboth = {mass = 101, com = 1}', "rows.thigh.both"),
        ('kind = "line"\n[rows]\nthigh = 3', "rows.thigh: is 3"),
        ('kind = "line"\nconfidence = 3\n[rows.thigh]\nboth = {mass = 1, com = 1}', "confidence: is 3"),
        ('kind = "line"\nconfidence = {A = 3}\n[rows.thigh]\nboth = {mass = 1, com = 1}', "confidence: is {"),
    ):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(CaptureError) as caught:
            read_inertia_table(file)
        assert field in str(caught.value), text
