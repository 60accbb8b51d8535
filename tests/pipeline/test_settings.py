"""Settings in a TOML file: the template is all true, and what is wrong is named."""

import re
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

import softstride as ss
from softstride.pipeline import Request, read_settings, template
from softstride.pipeline.settings import PERSON, PROSTHESIS, TABLES

TEMPLATE = template()
BLOCKS = [block for block in re.split(r"(?m)^(?=\[)", TEMPLATE) if block.startswith("[")]
COMMENTED = [
    (block[1 : block.index("]")], line[2:])
    for block in BLOCKS
    for line in block.splitlines()
    if re.match(r"# \S", line)
]
EXAMPLES = {"time_range", "cutoff", "coordinates", "emg_side", "emg_lowpass"}
"""Options whose default is to find out, or nothing, so that the template shows an example."""


def settings(tmp_path: Path, text: str) -> dict:
    file = tmp_path / "lab é 1.toml"
    file.write_text(text, encoding="utf-8")
    return read_settings(file)


def test_the_template_as_it_is_changes_nothing(tmp_path: Path) -> None:
    found = settings(tmp_path, TEMPLATE)
    assert Request("walk.c3d", **found).options.plain() == ss.AnalyzeOptions().plain()
    assert Request("walk.c3d", **found).model is None and dict(found["prosthesis"]) == {}


@pytest.mark.parametrize(("table", "line"), COMMENTED, ids=lambda text: text.split()[0])
def test_each_commented_line_is_the_default_or_an_example(tmp_path: Path, table: str, line: str) -> None:
    found = settings(tmp_path, f"[{table}]\n{line}\n")
    ((name, value),) = tomllib.loads(line).items()
    request = Request("walk.c3d", **found)
    if table == "analysis":
        default = getattr(ss.AnalyzeOptions(), name)
        assert (name in EXAMPLES) == (default is None)
        if name not in EXAMPLES:
            assert value == default and request.options.plain() == ss.AnalyzeOptions().plain()
        else:
            assert getattr(request.options, name) == (tuple(value) if isinstance(value, list) else value)
    elif table in TABLES:
        assert getattr(request.options, table)[name] == value
    elif table == "prosthesis":
        assert request.prosthesis[name] == value
    else:
        assert str(getattr(request, name)).endswith(str(value))


def test_all_lines_at_once(tmp_path: Path) -> None:
    text = re.sub(r'(?m)^# (?=[\w" ]+ = )', "", TEMPLATE)
    request = Request("walk.c3d", **settings(tmp_path, text))
    assert request.options.power == 2 and request.prosthesis["blade"] == "c-medium"
    assert request.options.mvc["EMG R soleus"] == 0.00031


def test_the_template_names_every_option() -> None:
    named = {(table, next(iter(tomllib.loads(line)))) for table, line in COMMENTED}
    options = {name for table, name in named if table == "analysis"}
    assert {name for table, name in named if table == "person"} == set(PERSON)
    assert {name for table, name in named if table == "prosthesis"} | {"below_hip"} == set(PROSTHESIS)
    assert options | set(TABLES) == {each.name for each in fields(ss.AnalyzeOptions)}


def test_names_of_files_are_relative_to_the_file(tmp_path: Path) -> None:
    text = '[person]\nmodel = "subject.osim"\nstatic = "s.c3d"\n'
    text += '[prosthesis]\nblade = "own.toml"\nsurgery = "myodesis"\n'
    found = settings(tmp_path, text)
    assert found["model"] == str(tmp_path / "subject.osim") and found["static"] == str(tmp_path / "s.c3d")
    assert found["prosthesis"]["blade"] == str(tmp_path / "own.toml")
    assert found["prosthesis"]["surgery"] == "myodesis"
    assert settings(tmp_path, '[person]\nmodel = "gait"\n')["model"] == "gait"


def test_zero_is_no_low_pass(tmp_path: Path) -> None:
    assert settings(tmp_path, "[analysis]\nlowpass = 0\n")["options"].lowpass is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[analyse]\n", "'analyse' is not known; did you mean 'analysis'"),
        ("[analysis]\nlowpas = 6\n", "'lowpas' is not known; did you mean 'lowpass'"),
        ("[person]\nweight = 80\n", "'weight' is not known.*known are model, static"),
        (
            "[analysis]\nlowpass = -6\n",
            r"\[analysis\] lowpass: must be a number above 0 \[Hz\] or 'auto', however it is -6",
        ),
        ("[person]\nmodel = 3\n", "model: must be the name of a file, however it is 3; write it in quotes"),
        ("[person]\nmass = '72'\n", "mass: must be a number, however it is '72'; write it without quotes"),
        ("[person]\nmass = true\n", r"\[person\] mass: must be a number, however it is True"),
        ("[person]\nsex = 1\n", r"\[person\] sex: must be a word, however it is 1"),
        (
            "[prosthesis]\nside = ['right']\n",
            r"\[prosthesis\] side: must be a word, however it is \['right'\]",
        ),
        ("[prosthesis]\nbelow_knee = '0.1'\n", r"\[prosthesis\] below_knee: must be a number.*'0.1'"),
        (
            "[analysis]\nemg_weight = '1'\n",
            r"\[analysis\] emg_weight: must be a number of 0 or more, however it is '1'; write it without",
        ),
        (
            "[analysis]\nfriction = true\n",
            r"\[analysis\] friction: must be a number of 0 or more, however it is True",
        ),
        (
            "[analysis]\nlowpass = 'much'\n",
            r"\[analysis\] lowpass: must be a number above 0 \[Hz\] or 'auto', however it is 'much'; see",
        ),
        (
            "[analysis]\nlowpass = '6'\n",
            "lowpass: must be a number .*however it is '6'; write it without quotes",
        ),
        ("[analysis]\nlowpass = false\n", "lowpass: must be a number above 0 .*, however it is False"),
        (
            "[analysis]\nplates = 'no'\n",
            r"\[analysis\] plates: must be true or false, however it is 'no'; see",
        ),
        (
            "[analysis]\nlowpass = '" + "[" * 3000 + "]" * 3000 + "'\n",
            "lowpass: must be a number above 0 .*; see",
        ),
        ("[analysis]\nplates = 'true'\n", "plates: must be true or false.*; write it without quotes"),
        ("[analysis]\nemg_side = 'both'\n", "emg_side: must be 'left' or 'right', however it is 'both'; see"),
        (
            "[analysis]\ntime_range = 3\n",
            r"\[analysis\] time_range: must be a start and an end.*3; see",
        ),
        ("[analysis]\ntime_range = [1, '2']\n", r"\[analysis\] time_range: must be a start and an end"),
        (
            "[analysis]\ncoordinates = 3\n",
            r"\[analysis\] coordinates: must be a name or a list of names.*is 3; see",
        ),
        ("[analysis]\npower = 1979-05-27\n", r"\[analysis\] power: must be 2 or 3, however it is datetime"),
        ("[weights]\nRASI = 'x'\n", r"\[weights\] RASI: must be a number of 0 or more, however it is 'x'"),
        ("[mvc]\nSOL = [1]\n", r"\[mvc\] SOL: must be a finite number, however it is \[1\]"),
        ("[emg]\nsoleus_r = 3\n", r"\[emg\] soleus_r: must be a name or a list of names, however it is 3"),
        ("[analysis]\nlowpass = " + "[" * 3000 + "]" * 3000, "is no TOML: .* nested deeper"),
        ("a." * 3000 + "b = 1", "is no TOML: expected tables and lists at most 20 deep"),
        ("a = " + "1" * 5000, "is no TOML: .*digits"),
        ("[analysis]\nfriction = 1" + "0" * 400, "friction: must be a number"),
        ("person = 3\n", r"person: must be a table, however it is 3; write \[person\]"),
        ("lowpass 6\n", "is no TOML.*--template"),
        ("\udcff".encode("utf-8", "surrogateescape").decode("latin-1") + "=", "is no TOML"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(ss.CaptureError, match=words) as caught:
        settings(tmp_path, text)
    assert "lab é 1.toml" in str(caught.value)


def test_no_such_file_and_no_file_of_settings(tmp_path: Path) -> None:
    with pytest.raises(ss.CaptureError, match="No such file"):
        read_settings(tmp_path / "nothing.toml")
    large = tmp_path / "large.toml"
    large.write_bytes(b"#" * (1 << 21))
    with pytest.raises(ss.CaptureError, match="too many for a file of settings; at most 1,048,576 are read"):
        read_settings(large)


def test_a_file_from_windows(tmp_path: Path) -> None:
    file = tmp_path / "lab.toml"
    file.write_bytes(b"\xef\xbb\xbf[analysis]\r\npower = 3\r\n")
    assert read_settings(file)["options"].power == 3
