"""Tables of surgery: packaged ones, own ones from files and mappings, changes by muscle, and what is refused."""

import tomllib
from dataclasses import replace
from importlib.resources import files

import numpy as np
import pytest
from tests.model.surgery.legs import leg
from tests.models import the_model

from softstride.errors import ModelError
from softstride.model import Surgery, Treatment, amputate, format_surgery, read_surgery
from softstride.model.formats.native import format_native
from softstride.model.library.surgery import surgery, surgery_names, surgery_text
from softstride.model.surgery.file import parse_surgery, surgery_from
from softstride.model.surgery.names import common_name, known_names, plain_name

CUT = 0.15
PACKAGED = [(name, level) for level in ("transtibial", "transfemoral") for name in surgery_names(level)]


@pytest.mark.parametrize(("name", "level"), PACKAGED)
def test_a_table_reads_back_as_it_was_written(name, level, tmp_path):
    table = surgery(name, level)
    assert table.name == name and table.level in (level, "any") and table.source
    again = parse_surgery(format_surgery(table), "again")
    assert again == table
    file = tmp_path / "own.toml"
    file.write_text(format_surgery(table), encoding="utf-8")
    assert read_surgery(file) == table
    assert surgery_from(tomllib.loads(surgery_text(name, level))) == table


def test_an_odd_table_reads_back_as_it_was_written():
    table = Surgery(
        'with "quotes" and ä',
        strength=1 / 3,
        fibre="kept",
        muscles={
            "soleus_r": Treatment("secure", (0.1, 0.2, -0.3), strength=0.1, fibre=0.7, origin=0.3, why="so"),
            "a muscle.r": Treatment("join", partners=("soleus_r", "b c"), strength=1 / 3, fibre="kept"),
            "vas": Treatment("keep", strength=1 / 3, fibre="kept"),
        },
    )
    assert parse_surgery(format_surgery(table), "again") == table


@pytest.mark.parametrize(("name", "level"), PACKAGED)
def test_rows_and_partners_of_packaged_tables_are_known(name, level):
    table = surgery(name, level)
    for row, treatment in table.muscles.items():
        assert common_name(row) == row
        assert treatment.deed != "keep"
        for partner in treatment.partners:
            assert common_name(partner) == partner and table.muscles[partner].deed == "join"


def test_names_are_told_apart():
    """No word stands for two muscles; sides and styles do not matter."""
    text = files("softstride.model.library.surgery").joinpath("names.toml").read_text(encoding="utf-8")
    meant: dict[str, set[str]] = {}
    for name, others in tomllib.loads(text).items():
        for word in (name, *others):
            meant.setdefault(word.lower().replace("_", ""), set()).add(name)
    assert len(meant) > 100 and all(len(names) == 1 for names in meant.values())
    for muscle in ("med_gas_r", "gasmed_r", "MED_GAS.right", "right_gastroc_med", "r_gasmed", "gasmed"):
        assert common_name(plain_name(muscle, "r")) == "gasmed"
    assert plain_name("gasmed_l", "r") is None and plain_name("l_gasmed", "r") is None
    assert plain_name("r", "r") == "r" and common_name("ercspn") is None
    assert plain_name("quad_l_2", "r") is None and plain_name("IL_R10_l", "l") == "IL_R10"


@pytest.mark.parametrize(
    "file",
    [
        "walk_gait2354/gait2354_simbody.osim",
        "run_hamner_s01/final.osim",
        "walk_rajagopal_emg/subject_walk_scaled.osim",
    ],
)
def test_every_muscle_of_the_leg_has_a_row(shared_data, file):
    """Whatever these cuts reach is named by the table: nothing falls to `others` for want of a name."""
    model = the_model(shared_data / file)
    for kwargs in ({"below_knee": 0.13}, {"below_hip": 0.25}):
        cut = amputate(model, "right", **kwargs)
        changed = [name for name, m in model.muscles.items() if cut.muscles.get(name) is not m]
        assert len(changed) >= 4
        assert all(common_name(plain_name(name, "r")) in known_names() for name in changed)


def test_ways_to_the_same_table(tmp_path):
    """By name, as an object, a mapping and a file; a path as text or as a path."""
    model, text = leg(), surgery_text("myoplasty")
    file = tmp_path / "own.toml"
    file.write_text(text, encoding="utf-8")
    expected = format_native(amputate(model, "right", CUT, surgery="myoplasty"))
    for given in (surgery("myoplasty"), tomllib.loads(text), file, str(file)):
        assert format_native(amputate(model, "right", CUT, surgery=given)) == expected


def test_changes_go_before_the_table():
    model = leg()
    plain = amputate(model, "right", CUT)
    changes = {
        "soleus_r": {"strength": 0.2},
        "tib_ant": {"to": "back", "strength": 0.9},
        "gasmed_r": {"do": "remove", "why": "torn"},
        "vasint": {"strength": 0.8},
        "iliacus_r": {"do": "remove"},
    }
    cut = amputate(model, "right", CUT, muscles=changes)
    assert cut.muscles["soleus_r"].max_force == pytest.approx(0.2 * model.muscles["soleus_r"].max_force)
    assert cut.muscles["soleus_r"].tendon_length == plain.muscles["soleus_r"].tendon_length
    assert cut.muscles["tibant_r"].max_force == pytest.approx(0.9 * model.muscles["tibant_r"].max_force)
    assert not {"gasmed_r", "iliacus_r"} & set(cut.muscles)
    assert cut.muscles["vasint_r"].max_force == pytest.approx(0.8 * model.muscles["vasint_r"].max_force)
    assert cut.muscles["vasint_r"].path is model.muscles["vasint_r"].path
    words = "\n".join(map(str, cut.notes))
    assert "'gasmed_r' is cut and is left out (torn)" in words
    assert "'vasint_r' is not cut and stays, strength 80 %" in words
    assert "'iliacus_r' is not cut and is left out" in words


def test_a_table_may_weaken_muscles_that_are_not_cut():
    """Rows of cut muscles do not count for the others: the packaged row of the hamstrings is for very short stumps."""
    model = leg()
    own = {
        "name": "own",
        "strength": 0.4,
        "muscles": {"recfem": {"do": "keep", "strength": 0.7}, "vasint": {"do": "keep"}},
    }
    cut = amputate(model, "right", CUT, surgery=own)
    assert cut.muscles["recfem_r"].max_force == pytest.approx(0.7 * model.muscles["recfem_r"].max_force)
    assert cut.muscles["vasint_r"] is model.muscles["vasint_r"]
    assert cut.muscles["semiten_r"] is model.muscles["semiten_r"]
    assert "gasmed_r" not in cut.muscles


def test_a_row_under_the_muscles_own_name_goes_first():
    own = {
        "muscles": {"gasmed_r": {"to": "end", "strength": 0.9}, "gasmed": {"to": "front", "strength": 0.1}}
    }
    for rows in (own["muscles"], dict(reversed(own["muscles"].items()))):
        cut = amputate(leg(), "right", CUT, surgery={"muscles": rows})
        assert cut.muscles["gasmed_r"].max_force == pytest.approx(0.9 * 500.0)


def test_short_stumps_keep_the_muscles_of_the_thigh():
    """Insertions below the cut are secured on their own side, as strong and as taut as before."""
    model = leg()
    cut = amputate(model, "right", 0.04)
    for name in ("semiten_r", "recfem_r", "vasint_r"):
        old, new = model.muscles[name], cut.muscles[name]
        assert new.max_force == old.max_force and new.path is not old.path
        assert new.path.points[-1].link == "tibia_r"
    assert np.linalg.norm(cut.frames["stump_r"].position) == pytest.approx(0.04)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (
            {"muscles": {"gasterpod": {"to": "front"}}},
            r"no muscle 'gasterpod'.*known: 'gasmed_r'.*names that tables use",
        ),
        ({"muscles": {"gasmed": {"with": ["gasterpod"]}}}, "no muscle 'gasterpod'"),
        (
            {"muscles": {"gasmed": {"do": "glue"}}},
            "muscle 'gasmed': do must be 'secure', .* or 'keep', however it is 'glue'",
        ),
        (
            {"muscles": {"gasmed": {"to": "up"}}},
            "to must be three coordinates, 'front', .*, however it is 'up'",
        ),
        (
            {"muscles": {"gasmed": {"to": [1.0, 2.0]}}},
            r"to must be three coordinates, .*, however it is \[1.0, 2.0\]",
        ),
        ({"muscles": {"gasmed": {"strenght": 0.5}}}, "unknown key 'strenght'"),
        ({"muscles": {"gasmed": {"strength": 0.0}}}, "strength must be above zero"),
        (
            {"muscles": {"gasmed": {"strength": 50}}},
            "strength must be a number from 0 to 2, however it is 50",
        ),
        (
            {"muscles": {"gasmed": {"fibre": 3.0}}},
            "fibre must be a number from 0.5 to 1.5 or 'kept', however it is 3",
        ),
        (
            {"muscles": {"gasmed": {"fibre": "long"}}},
            "fibre must be a number .* or 'kept', however it is 'long'",
        ),
        (
            {"muscles": {"gasmed": {"origin": 2.0}}},
            "origin must be a number from 0.05 to 0.95 or None",
        ),
        (
            {"muscles": {"gasmed": {"with": "tibant"}}},
            "with must be a list of names of muscles, however",
        ),
        ({"muscles": {"gasmed": 0.5}}, "a row is a table"),
        ({"muscles": {"gasmed": {"do": "keep"}}}, "'gasmed_r' is cut and cannot be kept"),
        ({"others": {"do": "keep"}}, "cannot be kept"),
        ({"bone": {"width": 0.1}}, r"\[bone\]: unknown key 'width'"),
        ({"bone": {"front": 4.0}}, "front of a surgery must be a number from 0.001 to 0.2, however it is 4"),
        ({"level": "transfemoral"}, "is for transfemoral amputations, however this one is transtibial"),
        ({"level": "hip"}, "level of a surgery must be 'transtibial', 'transfemoral' or 'any'"),
        ({"muscels": {}}, "unknown key 'muscels'"),
        ({"muscles": []}, r"\[muscles\] must be a table"),
    ],
)
def test_tables_that_cannot_be(table, words):
    with pytest.raises(ModelError, match=words):
        amputate(leg(), "right", CUT, surgery=table)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"soleus_x": {"strength": 0.5}}, "muscles: no muscle 'soleus_x'"),
        ({"perlong": {"strength": 0.5}}, "muscles: no muscle 'perlong'"),
        ({"recfem": {"to": "front"}}, "'recfem_r' is not cut, so do must be 'keep' or 'remove'"),
        ({"gasmed": {"do": "keep"}}, "cannot be kept"),
        ({"gasmed": {"strength": -1}}, "muscles: 'gasmed_r': strength"),
        ({"gasmed": {"with": ["nobody"]}}, "no muscle 'nobody'"),
    ],
)
def test_changes_that_cannot_be(changes, words):
    with pytest.raises(ModelError, match=words):
        amputate(leg(), "right", CUT, muscles=changes)


def test_what_cannot_be_read(tmp_path):
    with pytest.raises(ModelError, match="cannot be read"):
        amputate(leg(), "right", CUT, surgery=tmp_path / "none.toml")
    bad = tmp_path / "bad.toml"
    bad.write_text("name = ", encoding="utf-8")
    with pytest.raises(ModelError, match="is no TOML"):
        amputate(leg(), "right", CUT, surgery=bad)
    bad.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ModelError, match="UTF-8"):
        read_surgery(bad)
    bad.write_text("#" * 2_000_000, encoding="utf-8")
    with pytest.raises(ModelError, match="too many"):
        read_surgery(bad)
    for given in ("glue", 3, None):
        with pytest.raises(ModelError, match="surgery must be one of myodesis"):
            amputate(leg(), "right", CUT, surgery=given)
    with pytest.raises(ModelError, match="pose: 'elbow' is no coordinate"):
        amputate(leg(), "right", CUT, pose={"elbow": 1.0})
    with pytest.raises(ModelError, match="no transtibial surgery 'glue'"):
        surgery("glue")
    with pytest.raises(ModelError, match="level must be one of"):
        surgery_names("arm")
    with pytest.raises(ModelError, match="is no field of a surgery"):
        surgery("myodesis").changed(colour="red")


def test_fibres_that_would_stand_across_the_tendon():
    model = leg()
    steep = replace(model.muscles["gasmed_r"], pennation=0.6)
    model = model.replace(muscles={**model.muscles, "gasmed_r": steep})
    with pytest.raises(ModelError, match=r"'gasmed_r': fibres of 0\.5 optimal lengths would stand across"):
        amputate(model, "right", CUT, muscles={"gasmed": {"fibre": 0.5}})
