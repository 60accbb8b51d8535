"""OpenSim's setups and task files of inverse kinematics: what is read, what it means, what is refused."""

import math
import random
import re
from pathlib import Path

import numpy as np
import pytest
from tests.files import element, objects, setup_of, table, trc
from tests.models import the_model, walker
from tests.refusals import bad_input
from tests.trials import recorded, standing

from softstride.errors import InputError, ModelError, SoftstrideError
from softstride.kinematics.ik.setup import IkSetup
from softstride.kinematics.ik.setup_xml import read_ik_setup, read_ik_tasks
from softstride.notes import codes

TASKS = """<IKTaskSet name="mine"><objects>
<IKMarkerTask name="trunk0"><apply>true</apply><weight>{weight}</weight></IKMarkerTask>
<IKMarkerTask name="trunk1"><apply>{apply}</apply><weight>5</weight></IKMarkerTask>
<IKMarkerTask name="trunk2"/>
<IKMarkerTask name="trunk0"><weight>9</weight></IKMarkerTask>
<IKMarkerTask><weight>9</weight></IKMarkerTask>
<IKCoordinateTask name="knee_r"><weight>2</weight><value_type>{kind}</value_type><value>{value}</value>
</IKCoordinateTask>
<IKCoordinateTask name="knee_l"><weight>3</weight><value>0.7</value></IKCoordinateTask>
<IKCoordinateTask name="ankle_l"><apply>false</apply><weight>3</weight></IKCoordinateTask>
</objects></IKTaskSet>"""

SETUP = """<?xml version="1.0"?>
<OpenSimDocument Version="40000"><InverseKinematicsTool name="who">
<results_directory>./</results_directory>
<model_file>models\\who.osim</model_file>
<constraint_weight>{constraint}</constraint_weight><accuracy>1e-005</accuracy>
{tasks}
<marker_file>../walk.trc</marker_file><coordinate_file>{coordinates}</coordinate_file>
<time_range>{time}</time_range><report_errors>{report}</report_errors>
<output_motion_file>out/ik.mot</output_motion_file>
</InverseKinematicsTool></OpenSimDocument>
"""
GOOD = {
    "weight": "7",
    "apply": "false",
    "kind": "manual_value",
    "value": "0.1",
    "constraint": "Infinity",
    "coordinates": "Unassigned",
    "time": "0.25 1.5",
    "report": "false",
}


def setup_text(**changes: str) -> str:
    words = GOOD | changes
    return SETUP.format(**({"tasks": TASKS.format(**words)} | words))


def written(folder: Path, text: str, name: str = "setup.xml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def goal_values(setup: IkSetup) -> dict[str, tuple[float, str, float | None]]:
    return {name: (task.weight, task.source, task.value) for name, task in setup.coordinate_tasks.items()}


def test_every_part_is_read(tmp_path):
    setup = read_ik_setup(written(tmp_path, setup_text()))
    assert setup.name == "who"
    assert setup.model_file == tmp_path / "models" / "who.osim"
    assert setup.marker_file == tmp_path / ".." / "walk.trc"
    assert setup.output_motion_file == tmp_path / "out" / "ik.mot"
    assert setup.coordinate_file is None
    assert setup.time_range == (0.25, 1.5)
    assert (setup.accuracy, setup.constraint_weight) == (1e-5, math.inf)
    assert (setup.report_errors, setup.report_marker_locations) == (False, False)
    assert dict(setup.marker_weights) == {"trunk0": 7.0, "trunk2": 0.0}  # the first counts; no weight is none
    assert goal_values(setup) == {
        "knee_r": (2.0, "manual_value", 0.1),
        "knee_l": (3.0, "default_value", None),
    }


def test_what_was_not_used_is_said_by_name(tmp_path):
    notes = " | ".join(map(str, read_ik_setup(written(tmp_path, setup_text(constraint="20"))).notes))
    for words in ("'trunk2' has no weight", "'trunk0' comes twice", "without a name", "accuracy"):
        assert words in notes
    assert "results_directory" in notes and "constraint_weight 20" in notes
    without = read_ik_setup(written(tmp_path, setup_text())).notes
    assert "constraint_weight" not in " ".join(map(str, without))
    assert codes(without) == (
        "setup.task-without-weight",
        "setup.task-twice",
        "setup.task-without-name",
        "setup.not-used",
    )


@pytest.mark.parametrize("root", ["{}", "<OpenSimDocument Version='30000'>{}</OpenSimDocument>"])
def test_a_task_file_alone(tmp_path, root):
    path = written(tmp_path, root.format(TASKS.format(**GOOD)))
    setup = read_ik_setup(path)
    assert (setup.name, setup.file) == ("mine", path)
    assert dict(setup.marker_weights) == {"trunk0": 7.0, "trunk2": 0.0}
    assert (setup.model_file, setup.marker_file, setup.output_motion_file, setup.time_range) == (None,) * 4


@pytest.mark.parametrize(
    "reference", ['<IKTaskSet file="tasks.xml"/>', "<task_set_file> tasks.xml </task_set_file>"]
)
def test_tasks_in_a_file_beside_the_setup(tmp_path, reference):
    (tmp_path / "deep").mkdir()
    written(tmp_path / "deep", TASKS.format(**GOOD), "tasks.xml")
    path = written(tmp_path / "deep", setup_text(tasks=reference))
    assert dict(read_ik_setup(path).marker_weights) == {"trunk0": 7.0, "trunk2": 0.0}
    written(tmp_path / "deep", TASKS.format(**(GOOD | {"weight": "-1"})), "tasks.xml")
    with pytest.raises(ModelError, match=r"tasks\.xml.*negative"):  # the file at fault, not the setup
        read_ik_setup(path)
    written(tmp_path / "deep", "<MarkerSet/>", "tasks.xml")
    with pytest.raises(ModelError, match=r"tasks\.xml: has no <IKTaskSet>"):
        read_ik_setup(path)
    (tmp_path / "deep" / "tasks.xml").unlink()
    with pytest.raises(ModelError, match=r"tasks\.xml: file: cannot be read"):
        read_ik_setup(path)


def test_tasks_of_a_setup_alone(tmp_path):
    setup = read_ik_tasks(written(tmp_path, setup_text()))
    assert dict(setup.marker_weights) == {"trunk0": 7.0, "trunk2": 0.0}
    assert list(setup.coordinate_tasks) == ["knee_r", "knee_l"]
    assert (setup.model_file, setup.marker_file, setup.output_motion_file, setup.time_range) == (None,) * 4


def test_the_first_version_had_trials(tmp_path):
    text = """<IKTool name="old"><model_file> a.osim </model_file><optimizer_algorithm>ipopt</optimizer_algorithm>
    <IKTaskSet><objects>
    <IKCoordinateTask name="a"><weight>1</weight><from_file>true</from_file></IKCoordinateTask>
    <IKCoordinateTask name="b"><weight>1</weight><from_file>false</from_file><value>0.5</value></IKCoordinateTask>
    </objects></IKTaskSet><IKTrialSet><objects>
    <IKTrial name="one"><marker_file> one.trc </marker_file><coordinate_file>one.mot</coordinate_file>
    <time_range>0.4 2</time_range><output_motion_file>one_ik.mot</output_motion_file></IKTrial>
    <IKTrial name="two"><marker_file>two.trc</marker_file></IKTrial></objects></IKTrialSet></IKTool>"""
    setup = read_ik_setup(written(tmp_path, text))
    assert (setup.model_file, setup.marker_file) == (tmp_path / "a.osim", tmp_path / "one.trc")
    assert setup.coordinate_file == tmp_path / "one.mot"
    assert (setup.output_motion_file, setup.time_range) == (tmp_path / "one_ik.mot", (0.4, 2.0))
    assert goal_values(setup) == {"a": (1.0, "from_file", None), "b": (1.0, "manual_value", 0.5)}
    assert any("'two'" in str(note) for note in setup.notes)
    assert any("optimizer_algorithm" in str(note) for note in setup.notes)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-Infinity Infinity", None),
        ("", None),
        ("-inf 2", (-math.inf, 2.0)),
        ("0.5 Infinity", (0.5, math.inf)),
        ("1 1", (1.0, 1.0)),
    ],
)
def test_time_ranges(tmp_path, text, expected):
    assert read_ik_setup(written(tmp_path, setup_text(time=text))).time_range == expected


@bad_input(
    ModelError,
    ({"weight": "-1"}, "'trunk0': weight must not be negative"),
    ({"weight": "much"}, "<weight> must be made of numbers"),
    ({"weight": "1 2"}, "<weight> must be one number"),
    ({"weight": "nan"}, "<weight> must be finite"),
    ({"weight": "inf"}, "<weight> must be finite"),
    ({"apply": "perhaps"}, "<apply> must be true or false"),
    ({"kind": "guessed"}, "'knee_r': <value_type> must be one of"),
    ({"value": "bent"}, "<value> must be made of numbers"),
    ({"time": "2 1"}, "<time_range>"),
    ({"time": "1"}, "<time_range>"),
    ({"time": "nan 1"}, "<time_range> must be finite"),
    ({"constraint": "strong"}, "<constraint_weight>"),
    ({"report": "loudly"}, "<report_errors>"),
)
def test_values_that_cannot_be(refuses, tmp_path):
    refuses(lambda **changes: read_ik_setup(written(tmp_path, setup_text(**changes))))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("<InverseKinematicsTool>", "well-formed"),
        ("<OpenSimDocument><ScaleTool/></OpenSimDocument>", "no <InverseKinematicsTool>"),
        ("<OpenSimDocument><IMUInverseKinematicsTool/></OpenSimDocument>", "inertial sensors"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><IKTaskSet>&b;</IKTaskSet>', "refused"),
        ("<a>" * 200 + "</a>" * 200, "deep"),
    ],
)
def test_documents_that_are_refused(tmp_path, text, words):
    with pytest.raises(ModelError, match=words):
        read_ik_setup(written(tmp_path, text))
    with pytest.raises(ModelError, match=r"nowhere\.xml"):
        read_ik_setup(tmp_path / "nowhere.xml")


WORDS = (
    "nan",
    "1e999",
    "-1",
    "",
    " ",
    "true",
    "1 2 3",
    "9" * 400,
    "from_file",
    "../..",
    "/",
    "a" * 5000,
    "é",
    "1_0",
)


def damaged(rng: random.Random, text: str) -> bytes:
    """Change values of elements, or bytes anywhere."""
    if rng.random() < 0.5:
        parts = re.split(r"(?<=>)([^<]+)(?=<)", text)
        for _ in range(rng.randint(1, 3)):
            parts[rng.randrange(1, len(parts), 2)] = rng.choice(WORDS)
        return "".join(parts).encode()
    data = bytearray(text.encode())
    for _ in range(rng.randint(1, 3)):
        i, n = rng.randrange(len(data)), rng.randint(1, 30)
        match rng.randrange(4):
            case 0:
                data[i] = rng.randrange(256)
            case 1:
                del data[i : i + n]
            case 2:
                data[i:i] = data[i : i + n]
            case _:
                data[i:i] = rng.choice(WORDS).encode()
    return bytes(data)


@pytest.mark.parametrize("tasks", [TASKS.format(**GOOD), "<task_set_file>tasks.xml</task_set_file>"])
def test_damaged_files_give_our_errors(tmp_path, tasks):
    """Either a setup, usable or refused by a model, or a SoftstrideError; nothing else."""
    rng = random.Random(5)
    model = walker("custom")
    trial = recorded(model, standing(model, 20))
    written(tmp_path, TASKS.format(**GOOD), "tasks.xml")
    text = setup_text(tasks=tasks, time="0 1")
    good = refused = 0
    path = tmp_path / "damaged.xml"
    for _ in range(300):
        path.write_bytes(damaged(rng, text))
        try:
            read_ik_setup(path).options(model, trial)
            good += 1
        except SoftstrideError:
            refused += 1
    assert good > 30 and refused > 30


def test_options_have_weights_goals_and_times(tmp_path):
    model = walker("custom")
    trial = recorded(model, standing(model, 20))  # 0 to 0.19 s
    setup = read_ik_setup(written(tmp_path, setup_text(time="0.052 0.098")))
    options = setup.options(model, trial)
    assert options.weights is not None and dict(options.weights) == {"trunk0": 7.0, "trunk2": 0.0}
    assert options.time_range == pytest.approx((0.05, 0.10), abs=1e-12)  # the nearest frames
    assert {name: (goal.weight, goal.value) for name, goal in options.goals.items()} == {
        "knee_r": (2.0, 0.1),
        "knee_l": (3.0, None),
    }
    assert setup.options(model).time_range == (0.052, 0.098)
    open_end = read_ik_setup(written(tmp_path, setup_text(time="0.1 Infinity")))
    assert open_end.options(model, trial).time_range == pytest.approx((0.1, 0.19), abs=1e-12)
    assert open_end.options(model).time_range[1] > 1e300
    assert read_ik_setup(written(tmp_path, "<IKTaskSet/>")).options(model, trial).weights is None


def test_options_that_cannot_be(tmp_path):
    model = walker("custom")
    trial = recorded(model, standing(model, 20))
    with pytest.raises(InputError, match=r"outside the recording, which has 0 to 0\.19 s"):
        read_ik_setup(written(tmp_path, setup_text(time="5 6"))).options(model, trial)
    with pytest.raises(InputError, match="a start and an end"):
        IkSetup(Path("x"), time_range=(2.0, 1.0)).options(model, trial)
    tail = setup_text().replace("knee_l", "tail")
    with pytest.raises(InputError, match=r"'tail'.*knee_l"):
        read_ik_setup(written(tmp_path, tail)).options(model, trial)


def motion_file(folder: Path, degrees: bool | None, scale: float) -> None:
    time = np.linspace(-0.05, 0.3, 71)
    values = np.column_stack([scale * np.sin(9 * time), time])
    table(folder / "given.mot", ["/jointset/k/knee_r/value", "tx"], time, values, degrees=degrees)


@pytest.mark.parametrize(("degrees", "scale"), [(True, 180 / np.pi), (None, 180 / np.pi), (False, 1.0)])
def test_values_from_a_file_are_interpolated_in_radians(tmp_path, degrees, scale):
    motion_file(tmp_path, degrees, scale)
    model = walker("custom")
    trial = recorded(model, standing(model, 20))
    text = setup_text(kind="from_file", coordinates="given.mot", time="0.05 0.1").replace("knee_l", "tx")
    setup = read_ik_setup(
        written(tmp_path, text.replace("<value>0.7", "<value_type>From_File</value_type><value>0"))
    )
    goals = setup.options(model, trial).goals
    at = trial.markers.time  # all frames: the solver takes those of the time range
    assert np.allclose(goals["knee_r"].value, np.sin(9 * at), atol=1e-8)
    assert np.allclose(goals["tx"].value, at, atol=1e-8)  # a length is never converted


def test_values_from_a_file_that_cannot_be(tmp_path):
    motion_file(tmp_path, False, 1.0)
    model = walker("custom")
    trial = recorded(model, standing(model, 20))
    asked = {"kind": "from_file", "coordinates": "given.mot", "time": ""}
    setup = read_ik_setup(written(tmp_path, setup_text(**asked)))
    with pytest.raises(InputError, match="give options"):
        setup.options(model)
    late = recorded(model, standing(model, 60))  # to 0.59 s
    with pytest.raises(InputError, match=r"0\.3 s, however the trial needs 0 to 0\.59 s"):
        setup.options(model, late)
    early = read_ik_setup(written(tmp_path, setup_text(**(asked | {"time": "0 0.2"})))).options(model, late)
    value = early.goals["knee_r"].value
    assert np.array_equal(np.isfinite(value), late.markers.time < 0.306)
    with pytest.raises(ModelError, match="<coordinate_file> names none"):
        read_ik_setup(written(tmp_path, setup_text(**(asked | {"coordinates": ""})))).options(model, trial)
    with pytest.raises(SoftstrideError, match=r"nowhere\.mot"):
        read_ik_setup(written(tmp_path, setup_text(**(asked | {"coordinates": "nowhere.mot"})))).options(
            model, trial
        )
    ankle = setup_text(**asked).replace("knee_r", "ankle_r")
    with pytest.raises(ModelError, match=r"given\.mot: has no column 'ankle_r'"):
        read_ik_setup(written(tmp_path, ankle)).options(model, trial)


@pytest.mark.parametrize(
    ("file", "markers", "goals", "times", "heaviest"),
    [
        ("walk_gait2354/subject01_Setup_IK.xml", 31, 4, (0.4, 1.6), 10.0),
        ("run_overground_bmc/IK_setup.xml", 39, 0, (0.0, 0.813), None),
        ("walk_rajagopal_emg/ik_tasks_walk.xml", 30, 0, None, None),
        ("knee_gc5_ps/database_IK_Tasks.xml", 28, 0, None, None),
    ],
)
def test_published_files(shared_data, file, markers, goals, times, heaviest):
    setup = read_ik_setup(shared_data / file)
    assert (len(setup.marker_weights), len(setup.coordinate_tasks)) == (markers, goals)
    assert setup.time_range == times
    if heaviest is not None:
        assert max(setup.marker_weights.values()) == heaviest


def test_published_setup_becomes_options(shared_data):
    from softstride.capture import read

    setup = read_ik_setup(shared_data / "walk_gait2354" / "subject01_Setup_IK.xml")
    assert setup.model_file is not None and setup.marker_file is not None
    options = setup.options(the_model(setup.model_file), read(setup.marker_file))
    assert options.time_range == pytest.approx((0.4, 1.6), abs=1e-3)
    assert {goal.weight for goal in options.goals.values()} == {1000.0}
    assert options.weights is not None and options.weights["Top.Head"] == 0.1


MARKER = element("IKMarkerTask", name="tip", weight=1)


def goal(**parts: object) -> str:
    return element("IKCoordinateTask", name="angle", **parts)


@pytest.mark.slow
def test_tasks_mean_what_opensim_makes_of_them(tmp_path):
    """A pendulum whose tip is seen at 5.71 degrees: what OpenSim 4.6 does with each task is what we read."""
    osim = pytest.importorskip("opensim", reason="the peer of this test")

    osim.Logger.setLevelString("off")
    model = osim.Model()
    body = osim.Body("arm", 1.0, osim.Vec3(0), osim.Inertia(1, 1, 1))
    joint = osim.PinJoint("pin", model.getGround(), body)
    joint.updCoordinate().setName("angle")
    model.addBody(body)
    model.addJoint(joint)
    for name, place in (("tip", osim.Vec3(1, 0, 0)), ("other", osim.Vec3(0, 1, 0))):
        model.addMarker(osim.Marker(name, body, place))
    model.finalizeConnections()
    model.printToXML(str(tmp_path / "m.osim"))
    places = {"tip": [[1.0, 0.1, 0.0]] * 3, "other": [[1.0, 0.0, 0.0]] * 3}
    (tmp_path / "m.trc").write_text(trc(places, units="m", name="m.trc"))

    def solved(tasks: str, more: str = "") -> np.ndarray:
        files = {"model_file": tmp_path / "m.osim", "marker_file": "m.trc", "output_motion_file": "o.mot"}
        path = written(
            tmp_path, setup_of("InverseKinematicsTool", objects("IKTaskSet", tasks), more, name="t", **files)
        )
        osim.InverseKinematicsTool(str(path)).run()
        lines = (tmp_path / "o.mot").read_text().split("endheader\n")[1].splitlines()[1:]
        found = np.array([[float(word) for word in line.split()] for line in lines])
        read_ik_setup(path)  # ours takes all of them too
        return found

    seen = np.degrees(np.arctan(0.1))
    assert solved(MARKER)[0, 1] == pytest.approx(seen, abs=1e-2)
    manual = goal(weight=1e6, value_type="Manual_Value", value=0.5)
    assert solved(MARKER + manual)[0, 1] == pytest.approx(np.degrees(0.5), abs=1e-2)
    weightless = goal(value_type="manual_value", value=0.5)
    assert solved(MARKER + weightless)[0, 1] == pytest.approx(seen, abs=1e-2)
    assert solved(MARKER + '<IKMarkerTask name="other"/>')[0, 1] == pytest.approx(seen, abs=1e-2)
    assert solved("")[0, 1] < seen - 5.0  # no task: every marker counts
    twice = MARKER + '<IKMarkerTask name="tip"><weight>1e-9</weight></IKMarkerTask>'
    other = '<IKMarkerTask name="other"><weight>1e-4</weight></IKMarkerTask>'
    assert solved(twice + other)[0, 1] == pytest.approx(seen, abs=0.1)  # the first counts
    assert np.allclose(solved(MARKER, "<time_range>0.004 0.016</time_range>")[:, 0], [0.0, 0.01, 0.02])
    assert np.allclose(solved(MARKER, "<time_range>0.006 0.014</time_range>")[:, 0], [0.01])
    with pytest.raises(RuntimeError):
        solved(MARKER + goal(weight=1, value_type="default_value").replace("angle", "no"))
