"""`softstride muscles` reads OpenSim's files, shares loads, writes both tables, and says how it went."""

import numpy as np
import pytest
from tests.files import document, element, objects, setup_of, table
from tests.muscles.sharing.made import NAMES, arm, swing

import softstride as ss
from softstride.muscles import read_muscles


@pytest.fixture
def folder(tmp_path):
    model = arm()
    motion = swing(model, 80)
    ss.save_model(model, tmp_path / "arm.json")
    motion.save(tmp_path / "ik.mot")
    ss.solve_id(model, motion).save(tmp_path / "id.sto")
    time = np.arange(0.0, 0.8, 0.005)
    emg = np.column_stack([0.4 + 0.2 * np.sin(9 * time), 0.0 * time + 3.0])
    table(tmp_path / "emg.sto", ["soleus", "vastus_lateralis"], time, emg)
    return tmp_path


def usual(folder, *more):
    files = {"--model": "arm.json", "--motion": "ik.mot", "--out": "so"}
    return ["muscles", *(word for name, file in files.items() for word in (name, str(folder / file))), *more]


def solved(folder, emg=None, **options):
    model = ss.load_model(folder / "arm.json")
    motion = ss.read_motion(folder / "ik.mot", model)
    loads = ss.solve_id(model, motion, lowpass=options.get("lowpass"))
    return ss.solve_muscles(model, motion, loads, emg, **options)


def test_the_files(run, folder):
    done = run(*usual(folder, "--lowpass", "8"))
    assert done.exit_code == 0
    expected = solved(folder, lowpass=8.0)
    got = read_muscles(folder / "so", expected.model)
    assert np.array_equal(got.force, expected.force) and np.array_equal(got.activation, expected.activation)
    for words in ("Muscles", "long_front", "Moments", "so_force.sto", "conditions met to", "N m"):
        assert words in done.words


def test_the_figures(run, folder):
    done = run(*usual(folder, "--json"))
    assert done.exit_code == 0 and len(done.stdout.strip().splitlines()) == 1
    figures, expected = done.figures, solved(folder)
    assert figures["frames"] == figures["frames_converged"] == 80 and figures["kkt"] < 1e-10
    assert figures["muscles"] == list(NAMES) and figures["coordinates"] == ["upper", "fore"]
    assert np.allclose(figures["force_peaks_n"], expected.force.max(axis=0))
    assert np.allclose(figures["reserve_peaks"], np.abs(expected.reserve).max(axis=0))
    assert np.allclose(figures["muscle_residual_peaks"], np.abs(expected.muscle_residual).max(axis=0))
    left = np.abs(expected.moment_residual).max(axis=0) / np.abs(expected.demand).max(axis=0)
    assert (
        np.isclose(figures["moment_residual_percent"], 100.0 * left.max())
        and figures["frames_per_second"] > 0.0
    )
    assert figures["force_out"].endswith("so_force.sto") and any(
        "minimised" in note for note in figures["notes"]
    )


@pytest.mark.parametrize(
    ("words", "options"),
    [
        (["--power", "3"], {"power": 3}),
        (["--effort", "force"], {"effort": "force"}),
        (["--weights", "front=5", "--weights", "inner=0.5"], {"weights": {"front": 5.0, "inner": 0.5}}),
        (["--weights", "volume"], {"weights": "volume"}),
        (["--reserve", "0.3"], {"reserve": 0.3}),
        (["--reserve", "4", "--reserve", "fore=0"], {"reserve": {"*": 4.0, "fore": 0.0}}),
        (["--coordinate", "fore"], {"coordinates": ("fore",)}),
        (["--tendon", "elastic"], {"tendon": "elastic"}),
        (["--passive"], {"passive": True}),
        (["--smoothness", "0.04"], {"smoothness": 0.04}),
        (["--opensim"], {"as_opensim": True}),
        (["--time", "0.2", "0.4"], {"time_range": (0.2, 0.4)}),
    ],
)
def test_options(run, folder, words, options):
    assert run(*usual(folder, *words, "--quiet")).exit_code == 0
    expected = solved(folder, **options)
    assert np.array_equal(read_muscles(folder / "so", expected.model).force, expected.force)


def test_emg(run, folder):
    emg = ["--emg", str(folder / "emg.sto"), "--emg-muscle", "back=soleus", "--emg-weight", "20"]
    done = run(*usual(folder, *emg, "--mvc", "1", "--json"))
    assert done.exit_code == 0
    signals = ss.read(folder / "emg.sto").emg
    expected = solved(folder, signals, emg_muscles={"back": "soleus"}, mvc=1.0, emg_weight=20.0)
    assert np.array_equal(read_muscles(folder / "so", expected.model).force, expected.force)
    assert any("EMG is the reference of 1 of 7" in note for note in done.figures["notes"])
    late = run(*usual(folder, *emg, "--mvc", "1", "--emg-delay", "0.05", "--overwrite", "--quiet"))
    assert late.exit_code == 0
    given = {"emg_muscles": {"back": "soleus"}, "mvc": 1.0, "emg_weight": 20.0, "emg_delay": 0.05}
    delayed = solved(folder, signals, **given)
    assert np.array_equal(read_muscles(folder / "so", expected.model).force, delayed.force)
    assert not np.array_equal(delayed.force, expected.force)
    one = run(*usual(folder, *emg[:-1], "back=20", "--mvc", "1", "--overwrite", "--quiet"))
    assert one.exit_code == 0
    assert np.array_equal(read_muscles(folder / "so", expected.model).force, expected.force)
    mixed = run(*usual(folder, *emg, "--emg-weight", "back=2", "--mvc", "1", "--overwrite"))
    assert mixed.exit_code == 2 and "--emg-weight: give one number for all muscles" in mixed.stderr
    late = run(*usual(folder, *emg, "--mvc", "1", "--emg-delay", "-0.5", "--overwrite"))
    assert late.exit_code == 2
    nothing = run(*usual(folder, "--emg", str(folder / "id.sto"), "--mvc", "1", "--overwrite"))
    assert nothing.exit_code == 2 and "id.sto: has no EMG" in nothing.stderr
    none = run(*usual(folder, *emg, "--overwrite"))
    assert none.exit_code == 2 and "has no MVC" in none.stderr
    both = run(*usual(folder, *emg, "--mvc", "1", "--mvc", "soleus=2", "--overwrite"))
    assert both.exit_code == 2 and "--mvc: give one number for all channels, or one by channel" in both.stderr


def test_loads_that_were_found_already(run, folder):
    done = run(*usual(folder, "--loads", str(folder / "id.sto"), "--quiet"))
    assert done.exit_code == 0 and done.stdout == ""
    expected = solved(folder)
    assert np.allclose(read_muscles(folder / "so", expected.model).force, expected.force, atol=1e-6)


def test_what_cannot_be_made_is_warned_of(run, folder):
    model = arm()
    ss.save_model(model.replace(muscles={"back": model.muscles["back"]}), folder / "weak.json")
    words = usual(folder, "--reserve", "0")
    words[2] = str(folder / "weak.json")
    done = run(*words)
    assert done.exit_code == 0
    assert "frames are not solved" in done.stderr and "most is missing at upper" in done.stderr
    assert "upper: no muscle can make its moment" in done.words


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--loads", "id.sto", "--external-loads", "x.xml"], "leave --external-loads and --body away"),
        (["--mvc", "1"], "give it with --emg"),
        (["--weights", "front"], "--weights front: must be MUSCLE=NUMBER or volume, such as psoas_r=2"),
        (
            ["--weights", "front=much"],
            "--weights of 'front' must be a number of 0 or more, however it is 'much'",
        ),
        (["--weights", "front=1", "--weights", "front=2"], "front is named twice, with 1 before"),
        (
            ["--weights", "volume", "--weights", "front=2"],
            "--weights: give volume for all muscles, or one by muscle",
        ),
        (
            ["--reserve", "some"],
            "--reserve some: must be a number or COORDINATE=NUMBER, such as knee_angle_r=0",
        ),
        (["--reserve", "1", "--reserve", "2"], "--reserve 2: one for all is given already, 1"),
        (["--power", "4"], "--power must be 2 or 3, however it is 4"),
        (["--effort", "all"], "--effort must be 'activation' or 'force', however it is 'all'"),
        (["--smoothness", "-1"], "--smoothness must be a number of 0 or more [s], however it is -1"),
        (["--coordinate", "knee"], "'knee' is no coordinate"),
        (["--time", "5", "6"], "no frame lies"),
    ],
)
def test_bad_requests(run, folder, words, message):
    done = run(*usual(folder, *words))
    assert done.exit_code == 2 and message in done.stderr
    assert not (folder / "so_force.sto").exists()


def test_missing_and_existing_files(run, folder):
    assert "give --model, --motion, --out" in run("muscles").stderr
    (folder / "so_activation.sto").write_text("mine")
    done = run(*usual(folder))
    assert done.exit_code == 2 and "exists already" in done.stderr
    assert (folder / "so_activation.sto").read_text() == "mine" and not (folder / "so_force.sto").exists()
    assert run(*usual(folder, "--overwrite", "--quiet")).exit_code == 0


def test_help_has_an_example(run):
    done = run("muscles", "--help")
    assert done.exit_code == 0 and "softstride muscles --model subject.osim" in done.words


def test_loads_of_a_file_need_their_low_pass_again(run, folder):
    model = ss.load_model(folder / "arm.json")
    motion = ss.read_motion(folder / "ik.mot", model)
    loads = ss.solve_id(model, motion, lowpass=8.0)
    loads.save(folder / "id8.sto")
    words = usual(folder, "--loads", str(folder / "id8.sto"), "--overwrite")
    assert "give --lowpass here too" in run(*words).words
    assert run(*words, "--lowpass", "8", "--quiet").exit_code == 0
    expected = ss.solve_muscles(model, motion, loads)
    assert np.allclose(read_muscles(folder / "so", model).force, expected.force, atol=1e-6)


def test_errors_speak_of_options(run, folder):
    emg = ["--emg", str(folder / "emg.sto")]
    for words, message in (
        ([*emg, "--emg-muscle", "back=soleus"], "--mvc soleus=VALUE; or --mvc 1 if"),
        (emg, "for example --emg-muscle front=soleus; channels"),
        (["--weights", "fron=2"], "--weights of 'fron': no such muscle takes part; these do: 'front'"),
    ):
        done = run(*usual(folder, *words))
        assert done.exit_code == 2 and message in done.stderr


@pytest.mark.slow
def test_raw_emg(run, folder):
    """Noise as loud as an effort that comes and goes; the envelope of it is the reference."""
    time = np.arange(0.0, 0.8, 0.001)
    rng = np.random.default_rng(0)
    raw = 1e-4 * (0.5 + 0.4 * np.sin(6.0 * time)) * rng.standard_normal(len(time))
    table(folder / "raw.sto", ["soleus"], time, raw)
    words = ["--emg", str(folder / "raw.sto"), "--emg-muscle", "back=soleus", "--mvc", "soleus=1e-4"]
    refused = run(*usual(folder, *words))
    assert refused.exit_code == 2 and "make one with --emg-raw" in refused.stderr
    assert run(*usual(folder, *words, "--emg-raw", "--quiet")).exit_code == 0
    recording = ss.emg_envelopes(ss.read(folder / "raw.sto"), reference={"soleus": 1.0})
    given = {"emg_muscles": {"back": "soleus"}, "mvc": {"soleus": 1e-4}}
    expected = solved(folder, recording.emg, **given)
    assert np.array_equal(read_muscles(folder / "so", expected.model).force, expected.force)


RESERVES = document(
    objects(
        "ForceSet", element("CoordinateActuator", name="fore_reserve", coordinate="fore", optimal_force=2)
    )
)
SETUP = setup_of(
    "AnalyzeTool",
    objects("AnalysisSet", element("StaticOptimization", name="SO", activation_exponent=3)),
    name="swing",
    model_file="arm.json",
    force_set_files="reserves.xml",
    results_directory="results",
    initial_time=0.1,
    final_time=0.5,
    coordinates_file="ik.mot",
    lowpass_cutoff_frequency_for_coordinates=8,
)


def test_a_setup(run, folder):
    """All of it from OpenSim's file, and single things from the command line instead."""
    (folder / "setup.xml").write_text(SETUP)
    (folder / "reserves.xml").write_text(RESERVES)
    done = run("muscles", "--setup", str(folder / "setup.xml"), "--json")
    assert done.exit_code == 0
    figures = done.figures
    assert figures["force_out"] == str(folder / "results/swing_SO_force.sto") and figures["frames"] == 41
    assert any("to the power 3" in note for note in figures["notes"])
    assert any("low-passed at 8 Hz" in note for note in figures["notes"])
    model = ss.load_model(folder / "arm.json")
    motor = ss.model.CoordinateActuator("fore_reserve", 2.0, coordinate="fore")
    model = model.replace(actuators={"fore_reserve": motor})
    motion = ss.read_motion(folder / "ik.mot", model)
    loads = ss.solve_id(model, motion, lowpass=8.0)
    expected = ss.solve_muscles(model, motion, loads, power=3, reserve=0.0, time_range=(0.1, 0.5))
    got = read_muscles(folder / "results/swing_SO", model)
    assert np.array_equal(got.force, expected.force)
    assert np.array_equal(got.actuator_force, expected.actuator_force)
    other = ["--power", "2", "--reserve", "0.5", "--time", "0.2", "0.3", "--out", str(folder / "other")]
    assert run("muscles", "--setup", str(folder / "setup.xml"), *other, "--quiet").exit_code == 0
    given = {"power": 2, "reserve": 0.5, "time_range": (0.2, 0.3)}
    assert np.array_equal(
        read_muscles(folder / "other", model).force, ss.solve_muscles(model, motion, loads, **given).force
    )
    missing = run("muscles", "--setup", str(folder / "ik.mot"))
    assert missing.exit_code == 2 and "ik.mot" in missing.stderr


@pytest.mark.parametrize("name", ["muscles", "reactions", "id"])
def test_a_motion_that_does_not_say_its_unit(run, folder, name):
    """As arm26's of OpenSim: it has to be said, in the words of the shell."""
    text = (folder / "ik.mot").read_text().splitlines()
    (folder / "bare.mot").write_text(
        "\n".join(line for line in text if not line.startswith("inDegrees")) + "\n"
    )
    out = {"muscles": "so", "reactions": "jr.sto", "id": "own.sto"}[name]
    words = [name, "--model", str(folder / "arm.json"), "--motion", str(folder / "bare.mot")]
    words += ["--out", str(folder / out), "--quiet"]
    done = run(*words)
    assert done.exit_code == 2 and "say it: --degrees or --radians" in done.stderr
    assert run(*words, "--degrees").exit_code == 0
    wrong = run(*words, "--radians", "--overwrite")
    assert wrong.exit_code == 0


def test_the_arm_of_opensim_runs_from_the_shell(run, shared_data, tmp_path):
    folder = shared_data / "muscle_arm26"
    words = ["--model", str(folder / "arm26.osim"), "--motion", str(folder / "arm26_InverseKinematics.mot")]
    done = run("muscles", *words, "--degrees", "--lowpass", "6", "--out", str(tmp_path / "so"), "--json")
    assert done.exit_code == 0 and done.figures["frames_converged"] == 121
    forces = ["--forces", str(tmp_path / "so_force.sto"), "--out", str(tmp_path / "jr.sto"), "--quiet"]
    assert run("reactions", *words, "--degrees", "--lowpass", "6", *forces).exit_code == 0
