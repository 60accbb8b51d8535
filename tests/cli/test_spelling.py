"""Notes and errors of the library are told in the words of the command that runs, which its own declaration has."""

from typing import Annotated, Any

import pytest
import typer
from typer.main import get_command

from softstride.cli.app import COMMANDS, app
from softstride.cli.spelling import Spelling, Takes, shell_words, spelt_for
from softstride.errors import Blank, CaptureError, Either, InputError, Option
from softstride.notes import Note


def _declared(
    foot: Annotated[list[str] | None, typer.Option(metavar="SIDE=LINK"), Takes("links")] = None,
    mvc: Annotated[list[str] | None, typer.Option(metavar="N|CHANNEL=N|trial")] = None,
    emg_muscle: Annotated[list[str] | None, typer.Option(metavar="MUSCLE=CHANNEL"), Takes("muscles")] = None,
    dt: Annotated[str | None, typer.Option(metavar="S|auto"), Takes("step", nothing="auto")] = None,
    degrees: Annotated[bool | None, typer.Option("--degrees/--radians")] = None,
    passive: Annotated[bool, typer.Option("--passive")] = False,
    low_pass: Annotated[float | None, typer.Option(metavar="HZ"), Takes("lowpass")] = None,
    drop: Annotated[float | None, typer.Option(), Takes("height of a hop")] = None,
    width: float | None = None,
) -> None:
    pass


def spelling(function: str = "solve") -> Spelling:
    alone = typer.Typer(add_completion=False)
    alone.command("test")(_declared)
    return Spelling(get_command(alone), {function: "test", "solve_id": "id"})


@pytest.mark.parametrize(
    ("option", "told"),
    [
        (Option("foot"), "--foot"),
        (Option("links"), "--foot"),
        (Option("links", {"right": ...}), "--foot right=LINK"),
        (Option("links", {"right": ..., "left": ...}), "--foot right=LINK --foot left=LINK"),
        (Option("links", {...: "blade r"}), '--foot "SIDE=blade r"'),
        (Option("mvc", 1), "--mvc 1"),
        (Option("mvc", "trial"), "--mvc trial"),
        (Option("mvc", ...), "--mvc N"),
        (Option("mvc", {"EMG 1": Blank("value", "mV")}), '--mvc "EMG 1=VALUE" in mV'),
        (Option("muscles", {"front": "soleus"}, named=False), "--emg-muscle front=soleus"),
        (Option("step", 1e-4), "--dt 0.0001"),
        (Option("step", None), "--dt auto"),
        (Option("lowpass", None), "no --low-pass"),
        (Option("lowpass", 6.0), "--low-pass 6.0"),
        (Option("degrees", bool), "--degrees or --radians"),
        (Option("degrees", False), "--radians"),
        (Option("passive", True), "--passive"),
        (Option("passive", False), "no --passive"),
        (Option("height", of="a hop"), "--drop"),
        (Option("width", Blank()), "--width"),
        (Option("solve_id"), "softstride id"),
        (Option("height"), None),
        (Option("width", of="a blade"), None),
        (Option("solve_id", 1), None),
    ],
    ids=str,
)
def test_an_option_as_the_command_has_it(option: Option, told: str | None) -> None:
    assert spelling()(option) == told


def test_of_several_ways_those_are_told_that_there_are() -> None:
    pair = (Option("medial", (Blank("x"), Blank("y"))), " and ", Option("lateral"), " in axes of the tibia")
    option = Either(pair, (Option("width", Blank()), " in metres"))
    error = InputError(f"no markers. Give {option}", options=[option])
    assert (
        str(error) == "no markers. Give medial=(x, y) and lateral in axes of the tibia, or width= in metres"
    )
    assert spelling().tell(error) == "no markers. Give --width in metres"
    nowhere = Either((Option("medial"),), (Option("lateral"),))
    assert spelling().tell(Note("x", f"give {nowhere}", options=[nowhere])) == "give medial, or lateral"


def test_what_a_command_lacks_needs_python() -> None:
    option = Option("soles", {"left": Blank("contact.Sole.foot(heel)")})
    error = InputError(f"give {option}", options=[option])
    told = "give soles={'left': contact.Sole.foot(heel)}"
    assert spelling().tell(error) == f"{told}. That needs Python: solve"
    assert spelling("")(option) is None
    name = Option("soles")
    assert spelling().tell(InputError(f"{name} must fit", options=[name])) == "soles must fit"


def test_words_alike_are_no_options() -> None:
    option = Option("step")
    error = InputError(f"{option} must fit, however a step of 3 s does not", options=[option])
    assert spelling().tell(error) == "--dt must fit, however a step of 3 s does not"
    assert spelling().tell("step must fit") == "step must fit"


def test_errors_of_files_keep_their_place() -> None:
    option = Option("degrees", bool)
    error = CaptureError("ik.mot", "inDegrees", "is not said", f"say it: {option}", options=[option])
    assert spelling().tell(error) == "ik.mot: inDegrees: is not said; say it: --degrees or --radians"


def test_outside_of_commands_sentences_are_those_of_python() -> None:
    option = Option("mvc", 1)
    note = Note("x", f"give {option}", options=[option])
    assert shell_words(note) == "give mvc=1"
    with spelt_for(spelling().command, {}):
        assert shell_words(note) == "give --mvc 1"
    assert shell_words(note) == "give mvc=1"


@pytest.mark.parametrize("name", [name for name, *_ in COMMANDS])
def test_what_an_option_stands_for_is_said_once(name: str) -> None:
    """A name of the library leads to one option, and none that it takes is another option's own name."""
    group: Any = get_command(app)
    found = Spelling(group.commands[name], {})._params
    params = group.commands[name].get_params(typer.Context(group.commands[name]))
    own = {param.name: param for param in params}
    assert all(own.get(each, param) is param for each, (param, _) in found.items())


def test_functions_of_commands_exist() -> None:
    import softstride

    functions = [function for _, _, function, _ in COMMANDS if function]
    assert len(set(functions)) == len(functions) and all(hasattr(softstride, each) for each in functions)


@pytest.mark.parametrize(
    ("command", "option", "told"),
    [
        ("grf", Option("links", {"right": ...}), "--foot right=LINK"),
        ("grf", Option("bodies", {"plate 1": ...}), '--body "plate 1=LINK"'),
        ("id", Option("bodies", {"right": ...}), "--body right=LINK"),
        ("id", Option("time_range"), "--time"),
        ("ik", Option("time_range"), "--time"),
        ("analyze", Option("time_range"), "--time"),
        ("muscles", Option("as_opensim"), "--opensim"),
        ("muscles", Option("emg_envelopes"), "--emg-raw"),
        ("muscles", Option("emg_muscles", {"a": "b"}, named=False), "--emg-muscle a=b"),
        ("muscles", Option("lowpass"), "--lowpass"),
        ("muscles", Option("emg_weight"), "--emg-weight"),
        ("reactions", Option("frame"), "--in"),
        ("reactions", Option("width"), "--knee-width"),
        ("reactions", Option("degrees", bool), "--degrees or --radians"),
        ("walk", Option("step", None), "--dt auto"),
        ("walk", Option("dt", None), "--dt auto"),
        ("walk", Option("old_toe", "free"), "--old-toe free"),
        ("walk", Option("phase_time", of="the limits"), "--phase-time"),
        ("walk", Option("steps", of="the limits"), None),
        ("walk", Option("stiffness"), "--stiffness"),
        ("walk", Option("stiffness", of="a toe spring"), "--toe-spring"),
        ("walk", Option("height", of="a hop"), "--drop"),
        ("walk", Option("push", of="a hop"), "--push"),
        ("grf", Option("solve_id"), "softstride id"),
    ],
)
def test_options_of_our_commands(command: str, option: Option, told: str | None) -> None:
    group: Any = get_command(app)
    functions = {function: name for name, _, function, _ in COMMANDS if function}
    assert Spelling(group.commands[command], functions)(option) == told
