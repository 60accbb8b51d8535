"""Chains from text files: what is read, how it runs over time, and what is refused."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softstride.errors import ModelError, SoftstrideError
from softstride.notes import codes
from softstride.planar import chain_file, course, toml_table
from softstride.planar.chain_file import chain_from_text, read_chain

ARM = """
name = "arm"
source = "invented"
gravity = 9.81
time = [0.0, 0.5, 1.0]
rate = 100.0
ends = "rest"
[[links]]
name = "trunk"
length = 0.1
angle_deg = -90.0
[[links]]
name = "upper"
joint = "shoulder"
length = 0.3
mass = 2.0
com = [0.13, 0.01]
inertia = 0.02
angle_deg = [-90.0, -45.0, -90.0]
[[links]]
name = "lower"
joint = "elbow"
length = 0.25
mass = 1.5
com = [0.11, 0.0]
inertia = 0.01
angle_deg = [-80.0, 10.0, -80.0]
[[muscles]]
name = "flexor"
path = [["trunk", 0.05, 0.03], ["upper", 0.2, 0.03], ["lower", 0.04, 0.02]]
tension = [0.0, 200.0, 0.0]
[[contacts]]
name = "hand"
link = "lower"
point = [0.25, 0.0]
force = [[0.0, 0.0], [0.0, -20.0], [0.0, 0.0]]
couple = 0.5
[[contacts]]
name = "seat"
link = "trunk"
"""

STILL = """
[[links]]
name = "base"
length = 0.1
angle = 0.3
[[links]]
name = "rod"
length = 1.0
mass = 2.0
com = [0.5, 0.0]
inertia = 0.1
angle = 0.0
velocity = 2.0
acceleration = 3.0
torque = 4.0
"""


def made(text):
    return chain_from_text(text, "arm.toml", "arm")


def test_a_file_is_read(tmp_path: Path):
    file = tmp_path / "mine.toml"
    file.write_text(ARM.replace('name = "arm"\n', "", 1))
    case = read_chain(file)
    assert case.name == "mine" and case.source == "invented" and case.form == "distal"
    assert case.chain.links == ("trunk", "upper", "lower") and case.chain.joints == ("shoulder", "elbow")
    np.testing.assert_array_equal(case.chain.gravity, (0.0, -9.81))
    assert case.state.n_frames == 101
    assert case.state.time[-1] == pytest.approx(1.0)


def test_curves_pass_through_the_instants_and_rest_at_the_ends():
    state = made(ARM).state
    np.testing.assert_allclose(np.degrees(state.theta[[0, 50, 100], 1]), [-90.0, -45.0, -90.0], atol=1e-10)
    np.testing.assert_allclose(state.omega[[0, 100]], 0.0, atol=1e-9)
    np.testing.assert_allclose(state.alpha[[0, 100]], 0.0, atol=1e-7)
    inner = slice(5, -5)
    slope = np.gradient(state.theta, 0.01, axis=0)
    np.testing.assert_allclose(slope[inner], state.omega[inner], atol=0.01)
    np.testing.assert_allclose(np.gradient(state.omega, 0.01, axis=0)[inner], state.alpha[inner], atol=0.2)


def test_forces_do_not_overshoot():
    state = made(ARM).state
    tension = np.asarray(state.tension["flexor"])
    assert tension.min() >= 0.0 and tension.max() == pytest.approx(200.0)
    assert np.asarray(state.force["hand"])[:, 1].min() == pytest.approx(-20.0)
    assert float(np.asarray(state.couple["hand"])) == 0.5
    assert "seat" not in state.force


def test_without_a_rate_the_instants_are_the_frames():
    case = made(ARM.replace("rate = 100.0\n", ""))
    assert case.state.n_frames == 3
    assert codes(case.notes) == ("motion.splines-through-frames",)


def test_free_ends():
    state = made(ARM.replace('ends = "rest"\n', "")).state
    assert abs(state.omega[0, 1]) > 0.1  # a parabola through three instants


def test_rates_may_be_given():
    text = ARM.replace("rate = 100.0\n", "").replace(
        "angle_deg = [-80.0, 10.0, -80.0]",
        "angle = [1.0, 2.0, 3.0]\nvelocity = [0.1, 0.2, 0.3]\nacceleration = 5.0",
    )
    state = made(text).state
    np.testing.assert_array_equal(state.omega[:, 2], [0.1, 0.2, 0.3])
    np.testing.assert_array_equal(state.alpha[:, 2], 5.0)


def test_one_frame():
    case = made(STILL)
    assert case.state.single and case.chain.joints == ("1",)
    torques = case.chain.torques(case.state)
    assert torques.required[0] == pytest.approx((0.1 + 2.0 * 0.25) * 3.0 + 2.0 * 9.80665 * 0.5)
    assert torques.given[0] == 4.0


def test_a_moving_point_and_a_moving_base():
    text = ARM.replace("point = [0.25, 0.0]", "point = [[0.2, 0.0], [0.25, 0.0], [0.2, 0.0]]")
    text = text.replace(
        'ends = "rest"\n', 'ends = "rest"\nbase_acceleration = [[0.0, 0.0], [1.0, 2.0], [0.0, 0.0]]\n'
    )
    state = made(text).state
    np.testing.assert_allclose(np.asarray(state.point["hand"])[50], (0.25, 0.0))
    np.testing.assert_allclose(np.asarray(state.base_acceleration)[50], (1.0, 2.0))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("name = \"arm\"", "name = 'arm", "is no TOML"),
        ("gravity = 9.81", "gravty = 9.81", "file: unknown key 'gravty'; known: name"),
        ("length = 0.3", "length = 0.0", "link 'upper': length must be above zero"),
        ("length = 0.3", "lenght = 0.3", r"links 1 \(upper\): unknown key 'lenght'"),
        ("length = 0.3\n", "", "link 'upper' needs 'length'"),
        ("mass = 2.0\n", "", "link 'upper' needs 'mass'"),
        ("mass = 2.0", "mass = nan", "link 'upper': mass must be finite"),
        ("mass = 2.0", 'mass = "heavy"', "link 'upper': mass must be a number"),
        ("com = [0.13, 0.01]", "com = [0.13]", "link 'upper': com must have shape"),
        ('["lower", 0.04, 0.02]', '["hand", 0.04, 0.02]', "muscle 'flexor': there is no link 'hand'"),
        ('["lower", 0.04, 0.02]', '["lower", 0.04]', "muscle 'flexor': point 2 must be"),
        ("tension = [0.0, 200.0, 0.0]", "tension = [0.0, 200.0]", "tension of 'flexor' must be a number, or 3"),
        ("tension = [0.0, 200.0, 0.0]", "tension = -5.0", "tension of 'flexor' must not be negative"),
        ("tension = [0.0, 200.0, 0.0]", "", "muscle 'flexor' needs 'tension'"),
        ("point = [0.25, 0.0]", "point = [0.9, 0.0]", "contact 'hand' at .* lies 0.65 m outside"),
        ('link = "lower"', 'link = "wrist"', "contact 'hand': there is no link 'wrist'"),
        ("couple = 0.5", "couple = [1.0, 2.0]", "couple of contact 'hand' must be a number"),
        ("angle_deg = [-80.0, 10.0, -80.0]", "", "link 'lower' needs either 'angle'"),
        ("angle_deg = [-80.0, 10.0, -80.0]", "angle_deg = [1.0, 2.0]", "link 'lower': angle must be one number"),
        ("angle_deg = -90.0", "angle_deg = [1.0, 2.0, 3.0]", "theta of the base must not change"),
        ("time = [0.0, 0.5, 1.0]", "time = [0.0, 0.5, 0.5]", "time must increase"),
        ("time = [0.0, 0.5, 1.0]\n", "", "rate needs time"),
        ("rate = 100.0", "rate = 1e9", "rate must give 2 to"),
        ("rate = 100.0", "rate = -1.0", "rate must give 2 to"),
        ('ends = "rest"', 'ends = "stop"', "ends must be free or rest"),
        ('ends = "rest"', 'ends = "rest"\nform = "middle"', "form must be distal or proximal"),
        ('name = "trunk"', 'name = "trunk"\njoint = "hip"', "is the base: it has no joint"),
        ("inertia = 0.02", "inertia = 0.02\nvelocity = 1.0", "follow from rate"),
    ],
)  # fmt: skip
def test_bad_files(old, new, words):
    assert old in ARM
    with pytest.raises(ModelError, match=f"^arm.toml: .*{words}"):
        made(ARM.replace(old, new, 1))


def test_files_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(ModelError, match="cannot be read"):
        read_chain(tmp_path / "none.toml")
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ModelError, match="no text in UTF-8"):
        read_chain(binary)
    file = tmp_path / "arm.toml"
    file.write_text(ARM)
    monkeypatch.setattr(toml_table, "LARGEST", 100)
    with pytest.raises(ModelError, match="too many for a chain"):
        read_chain(file)


def test_limits_of_counts(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(toml_table, "MOST_PARTS", 2)
    with pytest.raises(ModelError, match="3 links are too many; 2 are allowed"):
        made(ARM)
    monkeypatch.undo()
    monkeypatch.setattr(course, "MOST_FRAMES", 50)
    with pytest.raises(ModelError, match="2 to 50 frames"):
        made(ARM)
    assert chain_file.LINK[0] == "name"


@pytest.mark.parametrize(
    "text", ["", "links = 3", "[[links]]\nname = 'a'", "links = [1, 2]", "[links]\nname = 'a'"]
)
def test_files_without_links(text):
    with pytest.raises(ModelError, match="links"):
        made(text)


LINES = ARM.strip().splitlines()


@given(
    st.lists(st.integers(0, len(LINES) - 1), max_size=6),
    st.sampled_from(["", "nan", "-1", "[[]]", '"x"', "true", "1e400", "[0.0, [1.0]]", "{}"]),
)
def test_a_damaged_file_is_an_error_or_a_chain(lost, value):
    """Lines lost or values replaced at random: never anything but our errors."""
    kept = [
        line if k not in lost else f"{line.partition('=')[0]}= {value}" if value and "=" in line else ""
        for k, line in enumerate(LINES)
    ]
    try:
        case = made("\n".join(kept))
        case.chain.contributions(case.state)
    except SoftstrideError:
        pass
