"""Options of the shell are those that the library declares, in words of a shell: see `softstride.cli.declare`."""

import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, Literal, get_type_hints

import pytest
import typer
from tools.keywords import renewed
from typer.main import get_command
from typer.testing import CliRunner

import softstride.dynamics.estimate.options as estimate
from softstride.cli.app import app
from softstride.cli.declare import NOTHING, DeclaredCommand, Form, Given, ShellField, ShellOptions
from softstride.cli.spelling import shell_words, spelt_for
from softstride.errors import InputError
from softstride.fields import (
    Choice,
    Either,
    Instance,
    Named,
    Number,
    Numbers,
    Span,
    Switch,
    Text,
    Whole,
    declared,
)
from softstride.options import Options
from softstride.pipeline.settings import template_lines

GROUP: Any = get_command(app)
COMMANDS: dict[str, DeclaredCommand] = GROUP.commands
FIELDS = [
    pytest.param(name, field, id=f"{name} {field.form.flag}")
    for name, command in COMMANDS.items()
    for fields in command.declared.values()
    for field in fields
]
each_field = pytest.mark.parametrize(("command", "field"), FIELDS)


def sources(command: DeclaredCommand) -> list[ShellOptions]:
    """Return where the options of a command are declared."""
    hints = get_type_hints(command.callback, include_extras=True).values()
    extras = [each for hint in hints for each in getattr(hint, "__metadata__", ())]
    return [each for each in extras if isinstance(each, ShellOptions)]


# one declaration


def test_a_field_of_the_library_is_there_at_once(run, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line in one place: typed keyword, shell, settings, schema and table follow."""
    line = '    slip: float = declared(0.25, "How far a foot slides.", unit="mm", least=0.0, most=9.0)\n'
    place = "    facets: int | None = declared("
    source = Path(estimate.__file__).read_text(encoding="utf-8")
    assert source.count(place) == 1
    source = source.replace(place, line + place)

    typed = renewed(source)
    assert "    slip: float\n" in typed[typed.index("class EstimateChanges") :]

    module = ModuleType(estimate.__name__)
    monkeypatch.setitem(sys.modules, estimate.__name__, module)
    exec(compile(source, estimate.__file__, "exec"), module.__dict__)
    kind = module.EstimateOptions
    assert kind(slip=1).slip == 1.0

    shown = run("grf", "--help")
    assert shown.exit_code == 0
    assert "--slip MM How far a foot slides. [from 0 to 9; default: 0.25]" in shown.words
    refused = run("grf", "--slip", "10")
    assert refused.exit_code == 2
    assert refused.stderr == "softstride: --slip must be a number from 0 to 9 [mm], however it is 10\n"

    lines = template_lines(kind)
    at = next(i for i, text in enumerate(lines) if text.startswith("# slip = 0.25"))
    assert lines[at - 1 : at + 1] == [
        "#   How far a foot slides.",
        "# slip = 0.25                 # a number from 0 to 9 [mm]",
    ]
    assert kind.schema()["properties"]["slip"] == {
        "description": "How far a foot slides.",
        "type": "number",
        "minimum": 0.0,
        "maximum": 9.0,
        "default": 0.25,
    }
    assert "| `slip` | a number from 0 to 9 [mm] | `0.25` | How far a foot slides. |" in kind.table()


def test_commands_name_fields_that_there_are() -> None:
    for command in COMMANDS.values():
        for source in sources(command):
            known = set(source.declaring.names())
            assert {*source.forms, *source.only, *source.leave} <= known
            assert not {*source.forms, *source.only} & set(source.leave)
        flags = [flag for param in command.get_params(typer.Context(command)) for flag in param.opts]
        assert len(set(flags)) == len(flags)


def test_what_is_left_to_python_is_said_or_has_no_words() -> None:
    without = {"goals", "orientations", "start", "soles", "bodies"}
    for name, command in COMMANDS.items():
        for source in sources(command):
            if not source.only:
                there = {field.form.field for field in source.fields()}
                assert set(source.declaring.names()) - there - set(source.leave) <= without, name


@pytest.mark.parametrize("words", [["--help"], ["info", "--help"], ["ik", "--model"]])
def test_the_rooms_of_other_commands_are_not_waited_for(words: list[str]) -> None:
    """What lists commands, or runs another one, imports no class of options but its own."""
    probe = (
        "import sys; sys.argv = ['softstride', *sys.argv[1:]]\n"
        "from softstride.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print('rooms:', *sorted(name for name in sys.modules if name.endswith('.options') or name == 'numpy'))"
    )
    done = subprocess.run([sys.executable, "-c", probe, *words], capture_output=True, text=True, check=True)
    rooms = done.stdout.rpartition("rooms:")[2].split()
    if words[0] == "ik":
        assert "softstride.kinematics.ik.options" in rooms
        rooms = [name for name in rooms if name.startswith("softstride.") and ".ik." not in name]
        assert not {name for name in rooms if name != "softstride.options"}
    else:
        assert rooms == []


# words of a shell


@each_field
def test_the_sentence_is_one_of_a_shell(command: str, field: ShellField) -> None:
    text = field.help({})
    assert not re.search(r'None|"|`|\bsee\b|True|False|\(\)|  ', text), text
    assert re.fullmatch(r"\S.*\.( \\?\[.+\])?", text)
    unit = field.form.unit or field.said.limits.unit
    if unit and not field.form.kind:
        told = {"m": "metres", "s": "seconds"}.get(unit)
        assert f"in {told}" in text if told else unit.upper() in re.split(r"[ |=]", field.metavar)
    assert not re.match(r"(Of|Which|Likewise|Whose)\b", text)  # the table that gave it a subject is not there
    assert field.both_ways or field.kind is not bool or not text.startswith("Whether")
    if isinstance(field.default, float | int | str) and field.kind is not bool:
        assert (
            f"default: {field.default:g}" in text if isinstance(field.default, float) else "default: " in text
        )


@pytest.mark.parametrize("columns", ["80", "120"])
@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_every_option_whole(command: str, columns: str) -> None:
    shown = CliRunner().invoke(
        app, [command, "--help"], env={"COLUMNS": columns, "NO_COLOR": "1", "TERM": "dumb"}
    )
    assert shown.exit_code == 0
    text = re.sub(r"\x1b\[[0-9;]*m", "", shown.stdout)
    assert all(len(line) <= int(columns) for line in text.splitlines())
    for fields in COMMANDS[command].declared.values():
        assert all(re.search(rf"(?m)^│ {field.form.flag} ", text) for field in fields)


def wrong(field: ShellField) -> list[str]:
    """Return a value that an option cannot have; none, if any text will do."""
    match field.spoken:
        case [Number()] | [Numbers()]:
            return ["nan"]
        case [Span()]:
            return ["2", "1"]
        case [Whole()]:
            return ["-1"]
    if "=" in field.metavar:
        return ["=="]
    return ["nonsense"] * any(isinstance(rule, Choice | Number) for rule in field.spoken)


@pytest.mark.parametrize(("command", "field"), [each for each in FIELDS if wrong(each.values[1])])
def test_a_refusal_names_the_option_as_it_was_given(run, command: str, field: ShellField) -> None:
    trial = ["walk.c3d"] if command in ("segments", "analyze") else []
    done = run(command, field.form.flag, *wrong(field), *trial)
    assert done.exit_code == 2 and len(done.stderr.splitlines()) == 1
    assert re.match(rf"softstride: {field.form.flag}( ==:)? must be \S", done.stderr), done.stderr


@pytest.mark.parametrize(
    ("command", "flag", "given", "value"),
    [
        ("grf", "--foot", ["right=a=b"], {"right": "a=b"}),
        ("grf", "--belt", 1.25, (-1.25, 0.0, 0.0)),
        ("muscles", "--power", "2.0", 2),
        ("muscles", "--reserve", ["2"], 2.0),
        ("muscles", "--reserve", ["2", "knee=0"], {"*": 2.0, "knee": 0.0}),
        ("muscles", "--emg-muscle", ["soleus_r=SOL=1"], {"soleus_r": "SOL=1"}),
        ("segments", "--inertia", "dumas", "dumas"),
    ],
)
def test_what_commands_make_of_it(command: str, flag: str, given: object, value: object) -> None:
    fields = [field for fields in COMMANDS[command].declared.values() for field in fields]
    (field,) = (field for field in fields if field.form.flag == flag)
    assert field.read(given) == value


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("grf --belt nan", "--belt must be a number [m/s], however it is nan"),
        ("muscles --reserve -1", "--reserve must be a number of 0 or more, however it is -1"),
        ("muscles --reserve -1 --reserve a=2", "--reserve must be a number of 0 or more, however it is -1"),
        ("muscles --emg-weight -1", "--emg-weight must be a number of 0 or more, however it is -1"),
        ("segments a.c3d --inertia=", "--inertia must be the name or the file of a table, however it is ''"),
        (
            "segments a.c3d --protocol=",
            "--protocol must be the name or the file of a table, however it is ''",
        ),
    ],
)
def test_refusals_speak_of_what_a_shell_takes(run, words: str, told: str) -> None:
    done = run(*words.split())
    assert done.exit_code == 2 and done.stderr == f"softstride: {told}\n"


# kinds of options


@dataclass(frozen=True, eq=False)
class Local(Options, of="a test"):
    """Options of every kind."""

    number: float = declared(2.0, "A number.", above=0.0)
    length: float | None = declared(
        None, "A length; None: none.", unit="m", above=0.0, most=0.5, example=0.02
    )
    rate: float | Literal["auto"] | None = declared("auto", 'A rate; "auto": found; None: none.', unit="Hz")
    count: int = declared(3, "A count, see `Local`.", least=1, most=5)
    on: bool = declared(True, "Whether it is on.")
    off: bool = declared(False, "Whether it is off; `count` says more.")
    loose: bool = declared(True, "Whether it is tight.")
    kind: Literal["one", "two"] = declared("one", 'A kind, "one" or "two".')
    order: int = declared(2, "An order.", rule=Choice((2, 3)))
    places: tuple[float, float, float] = declared((0.0, 0.0, 0.0), "Places.", unit="m")
    span: tuple[float, float] | None = declared(None, "A span; None: all.", unit="s", rule=Span())
    links: tuple[str, ...] = declared((), "Links.", of="links")
    weights: Mapping[str, float] | float | Literal["all"] = declared(1.0, "Weights.", least=0.0, of="muscles")
    masses: Mapping[str, float] = declared({}, "Masses.", unit="kg", above=0.0)
    speed: tuple[float, ...] = declared((0.0, 0.0), "A speed.", unit="m/s", rule=Numbers((2, 3)))
    joints: Mapping[str, str] = declared({}, "Joints.")
    table: Path | str | None = declared(None, "A table.", rule=Either((Text("a name"), Instance(Path))))
    inner: Given | None = declared(None, "No words for it.", rule=Named(Switch()))


LOCAL = ShellOptions(
    f"{__name__}:Local",
    Form("length", unit="mm"),
    Form("rate", nothing="0"),
    Form("loose", "--loose"),
    Form("masses", "--mass LINK=KG", example="trunk=30", first=True),
    Form("speed", "--back M/S", read=lambda speed: (-speed, 0.0), kind=float),
    Form("joints", "--joint JOINT=LINK", first=True),
)


def given(*words: str) -> Given:
    """Return what a command with these options gets."""
    found: list[Given] = []

    def command(
        before: Annotated[int, typer.Option()] = 0,
        local: Annotated[Given, LOCAL] = NOTHING,
        after: Annotated[int, typer.Option()] = 0,
    ) -> None:
        found.append(local)

    command.__annotations__ |= {"local": Annotated[Given, LOCAL]}
    alone = typer.Typer(add_completion=False)
    alone.command("test", cls=DeclaredCommand)(command)
    done = CliRunner().invoke(alone, list(words))
    if isinstance(done.exception, InputError):
        with spelt_for(get_command(alone), {}):
            raise InputError(shell_words(done.exception)) from done.exception
    assert done.exit_code == 0, done.output
    return found[0]


def test_nothing_is_made_of_what_is_not_given() -> None:
    assert dict(given()) == {} and dict(given("--after", "3")) == {}


@pytest.mark.parametrize(
    ("words", "name", "value"),
    [
        ("--number 0.5", "number", 0.5),
        ("--length 20", "length", 0.02),
        ("--rate auto", "rate", "auto"),
        ("--rate 6", "rate", 6.0),
        ("--rate 0.0", "rate", None),
        ("--rate -0", "rate", None),
        ("--count 4", "count", 4),
        ("--on", "on", True),
        ("--no-on", "on", False),
        ("--off", "off", True),
        ("--loose", "loose", False),
        ("--kind two", "kind", "two"),
        ("--order 3", "order", 3),
        ("--order 2.0", "order", 2),
        ("--back 1.5", "speed", (-1.5, 0.0)),
        ("--joint knee=a=b", "joints", {"knee": "a=b"}),
        ("--table some", "table", "some"),
        ("--places 1 2 -3", "places", (1.0, 2.0, -3.0)),
        ("--span 0.5 2", "span", (0.5, 2.0)),
        ("--links a --links b", "links", ("a", "b")),
        ("--weights 3", "weights", 3.0),
        ("--weights all", "weights", "all"),
        ("--weights a=3 --weights b=x=0", "weights", {"a": 3.0, "b=x": 0.0}),
        ("--mass trunk=30", "masses", {"trunk": 30.0}),
    ],
)
def test_what_is_given_is_kept_as_the_field_has_it(words: str, name: str, value: object) -> None:
    found = given(*words.split())
    assert dict(found) == {name: value} and type(found[name]) is type(getattr(Local(**found), name))
    assert getattr(Local(**found), name) == value


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("--number -1", "--number must be a number above 0, however it is -1"),
        ("--length 501", "--length must be a number above 0 and at most 500 [mm], however it is 501"),
        ("--rate fast", "--rate must be a number [Hz] or 'auto', however it is 'fast'"),
        ("--count 6", "--count must be a whole number from 1 to 5, however it is 6"),
        ("--kind three", "--kind must be 'one' or 'two', however it is 'three'"),
        ("--order 4", "--order must be 2 or 3, however it is 4"),
        ("--order 2.5", "--order must be 2 or 3, however it is 2.5"),
        ("--order nan", "--order must be 2 or 3, however it is nan"),
        ("--back nan", "--back must be a number [m/s], however it is nan"),
        ("--table=", "--table must be a name, however it is ''"),
        ("--weights -1", "--weights must be a number of 0 or more, or 'all', however it is -1"),
        ("--weights nan", "--weights must be a number of 0 or more, or 'all', however it is nan"),
        ("--span 2 1", "--span must be a start and an end [s], however it is 2 to 1"),
        ("--links a --links a", "--links must be a list of names of links, however 'a' is named twice"),
        ("--weights most", "--weights most: must be NAME=NUMBER, a number or all"),
        ("--weights =2", "--weights =2: must be NAME=NUMBER, a number or all"),
        ("--weights a=", "--weights a=: must be NAME=NUMBER, a number or all"),
        ("--weights 1 --weights 2", "--weights 2: one for all is given already, 1"),
        ("--weights 1 --weights a=2", "--weights: give one number for all muscles, or one by name, not both"),
        ("--weights a=-1", "--weights of 'a' must be a number of 0 or more, however it is -1"),
        ("--weights a=1 --weights a=2", "--weights a=2: a is named twice, with 1 before"),
        ("--mass 30", "--mass 30: must be LINK=NUMBER, such as trunk=30"),
        ("--mass a=b=3", "--mass of 'a' must be a number above 0 [kg], however it is 'b=3'"),
    ],
)
def test_what_does_not_fit_is_refused_as_it_was_given(words: str, told: str) -> None:
    with pytest.raises(InputError) as caught:
        given(*words.split())
    assert str(caught.value) == told


def test_sentences_of_every_kind() -> None:
    fields = LOCAL.fields()
    flags = {field.form.field: field.form.flag for field in fields}
    told = {field.form.field: (field.metavar, field.help(flags)) for field in fields}
    assert told == {
        "number": ("N", "A number. \\[default: 2]"),
        "length": ("MM", "A length; unless given: none. \\[above 0 and at most 500; for example 20]"),
        "rate": ("HZ|auto", "A rate; auto: found; 0: none. \\[default: auto]"),
        "count": ("N", "A count. \\[from 1 to 5; default: 3]"),
        "on": ("NAME", "Whether it is on. \\[default: yes]"),
        "off": ("NAME", "Whether it is off; --count says more."),
        "loose": ("NAME", "Whether it is tight."),
        "kind": ("one|two", "A kind, one or two. \\[default: one]"),
        "order": ("2|3", "An order. \\[default: 2]"),
        "places": ("M M M", "Places. \\[in metres]"),
        "span": ("START STOP", "A span; unless given: all. \\[in seconds]"),
        "links": ("NAME", "Links. \\[may be given several times]"),
        "weights": ("NAME=N|N|all", "Weights. \\[may be given several times; default: 1]"),
        "speed": ("M/S", "A speed."),
        "joints": ("JOINT=LINK", "Joints. \\[may be given several times]"),
        "table": ("NAME", "A table."),
        "masses": ("LINK=KG", "Masses. \\[for example trunk=30; may be given several times]"),
    }
