"""Amputation: mass balance, inertia by integration, what is lost, refusals."""

import numpy as np
import pytest
from tests.model.test_prosthesis import leg
from tests.refusals import bad_input

from softstride.errors import ModelError
from softstride.model.actuator import PointActuator
from softstride.model.builder import ModelBuilder
from softstride.model.frame import Frame
from softstride.model.inertia import Inertia
from softstride.model.library import athlete
from softstride.model.load import load_model
from softstride.model.posture import default_poses
from softstride.model.prosthesis import amputate
from softstride.model.residual_limb import cut_segment
from softstride.spatial import so3


def frustum(top, bottom, R, r, density, upto=1.0, steps=200_000):
    """Integrate a frustum slice by slice up to a share of its length: mass, com, inertia about the com."""
    axis = bottom - top
    length = np.linalg.norm(axis)
    x = (np.arange(steps) + 0.5) / steps * upto * length
    radius = R + (r - R) * x / length
    m = density * np.pi * radius**2 * (upto * length / steps)
    mass, u = m.sum(), axis / length
    along = (m @ x) / mass
    axial = 0.5 * (m @ radius**2)
    across = 0.25 * (m @ radius**2) + m @ (x - along) ** 2
    matrix = across * np.eye(3) + (axial - across) * np.outer(u, u)
    return mass, top + along * u, matrix


TOP, BOTTOM = np.array([0.01, -0.02, 0.005]), np.array([-0.03, -0.41, 0.02])


@pytest.mark.parametrize("narrow", [0.035, 0.055, 0.075])
def test_a_frustum_is_cut_as_integration_says(narrow):
    """A segment that is a frustum: mass, centre and inertia of the stump are those of the slices above the cut.

    The midpoint rule with 200 000 slices is exact to 1e-10.
    """
    whole = Inertia(*frustum(TOP, BOTTOM, 0.055, narrow, 1100.0))
    length = float(np.linalg.norm(BOTTOM - TOP))
    above, below = cut_segment(whole, TOP, BOTTOM, 0.13)
    mass, com, matrix = frustum(TOP, BOTTOM, 0.055, narrow, 1100.0, upto=0.13 / length)
    assert above.mass == pytest.approx(mass, rel=1e-8)
    assert np.allclose(above.com, com, atol=1e-9)
    assert np.allclose(above.matrix, matrix, atol=1e-8 * matrix.max())
    both = above + below
    assert both.mass == pytest.approx(whole.mass, rel=1e-14)
    assert np.allclose(both.com, whole.com, atol=1e-14)
    assert np.allclose(both.matrix, whole.matrix, atol=1e-12 * whole.matrix.max())


def test_a_segment_that_is_no_frustum_keeps_its_balance():
    rng = np.random.default_rng(4)
    for _ in range(20):
        a = rng.uniform(0.02, 0.1, 3)
        whole = Inertia.ellipsoid(
            rng.uniform(1, 5), (a[0], 0.2, a[2]), TOP + rng.uniform(0.2, 0.8) * (BOTTOM - TOP)
        )
        above, below = cut_segment(whole, TOP, BOTTOM, rng.uniform(0.05, 0.35))
        assert 0.0 < above.mass < whole.mass
        assert np.linalg.eigvalsh(above.matrix)[0] > 0.0
        assert above.mass + below.mass == pytest.approx(whole.mass, rel=1e-14)
        moment = above.mass * above.com + below.mass * below.com
        assert np.allclose(moment, whole.mass * whole.com, atol=1e-14)


def test_amputate_cuts_what_is_below():
    model = leg()
    cut = amputate(model, "right", 0.15, surgery="myoplasty")
    assert cut.link_names == ("femur_r", "tibia_r", "patella_r")
    assert set(cut.coordinates) == {"hip", "knee", "slide"}
    assert set(cut.markers) == {"KNE"} and set(cut.contacts) == {"shin"} and not cut.wraps
    assert set(cut.muscles) == {"vasti"} and not cut.muscles["vasti"].path.wraps
    words = "\n".join(map(str, cut.notes))
    assert "'soleus'" in words and "'deep'" in words and "'ANK'" in words and "myoplasty" in words
    above, below = cut_segment(model.link("tibia_r").inertia, np.zeros(3), np.array([0, -0.42, 0]), 0.15)
    assert cut.mass == pytest.approx(model.mass - below.mass - 1.0, rel=1e-14)
    assert cut.link("tibia_r").inertia.mass == pytest.approx(above.mass)
    assert np.allclose(cut.frames["stump_r"].position, (0, -0.15, 0))
    assert np.allclose(cut.frames["ground_r"].position, (0, -0.50, 0))  # ankle 0.42, sphere 0.05 + 0.03 below
    assert (
        model.muscles["soleus"] is leg().muscles["soleus"] or "soleus" in model.muscles
    )  # the input is unchanged


def test_a_knee_offset_moves_the_cut():
    """The knee centre is the origin of the joint, wherever the link frame is: here 0.1 m above the link's origin."""
    b = ModelBuilder("leg")
    b.revolute("femur_l", axis=(0, 0, 1), mass=8.0)
    down = np.eye(4)
    down[1, 3] = -0.1
    b.revolute(
        "shank_l",
        "femur_l",
        axis=(0, 0, 1),
        offset=down,
        mass=3.5,
        com=(0, -0.08, 0),
        inertia=(0.05, 0.005, 0.05),
    )
    b.revolute("foot_l", "shank_l", axis=(0, 0, 1), position=(0, -0.32, 0), mass=1.0)
    cut = amputate(b.build(), "left", 0.15)
    assert np.allclose(cut.frames["stump_l"].position, (0, -0.05, 0))


@pytest.mark.parametrize("below", [-0.1, 0.0, 0.01, 0.41, 3.0])
def test_cuts_off_the_shank_are_refused(below):
    with pytest.raises(ModelError, match="below_knee"):
        amputate(leg(), "right", below)


@bad_input(
    ModelError,
    ({"side": "middle"}, "side"),
    ({"side": "left"}, "shank="),
    ({"surgery": "glue"}, "surgery"),
    (lambda model: amputate(model), "cut already"),
    (lambda model, below_knee: (athlete(blade=False), 0.05), "right_socket"),
    (lambda model, below_knee, shank: (athlete(blade=False), 0.05, "left_shank"), "left leg"),
    ({"shank": "femur_r"}, "no shank"),
    (lambda model, shank: (named_leg(foot=False), "lower"), "ends there already"),
    (lambda model, shank: (named_leg(tilt=0.5 * np.pi), "lower"), "forward is not known"),
)
def test_what_cannot_be_cut(refuses):
    refuses(amputate, model=leg(), side="right", below_knee=None, shank=None)


def named_leg(foot=True, upper=True, tilt=0.0, turn=0.0):
    """A leg whose names say nothing; link axes of the shank turned about its bone, the leg swung forward by default."""
    b = ModelBuilder("leg")
    parent = "world"
    if upper:
        b.revolute("upper", axis=(0, 0, 1), coordinate="hip", mass=8.0, default=tilt)
        parent = "upper"
    about = np.eye(4)
    about[:3, :3] = so3.exp(np.array([0.0, turn, 0.0]))
    b.revolute(
        "lower", parent, axis=(0, 0, 1), position=(0, -0.4, 0), offset=about, mass=3.5, com=(0, -0.18, 0),
        inertia=(0.05, 0.005, 0.05),
    )  # fmt: skip
    if foot:
        b.revolute("end", "lower", axis=(0, 0, 1), position=(0, -0.42, 0), mass=1.0)
    return b.build()


def test_a_named_shank_needs_a_knee():
    assert "stump_r" in amputate(named_leg(), "right", shank="lower").frames
    with pytest.raises(ModelError, match="no knee"):
        amputate(named_leg(upper=False), "right", shank="lower")


@pytest.mark.parametrize("turn", [0.0, 0.5 * np.pi, np.pi, -2.0])
def test_forward_is_the_worlds(turn):
    """The link axes may be turned about the bone: x of the stump is the world's, across a leg swung forward by 0.3."""
    tilt = 0.3
    cut = amputate(named_leg(tilt=tilt, turn=turn), "right", shank="lower")
    R = default_poses(cut)["lower"][:3, :3] @ cut.frames["stump_r"].rotation
    assert np.allclose(R, so3.exp(np.array([0.0, 0.0, tilt])), atol=1e-12)


def test_the_notes_name_all_that_is_lost():
    """Frames, shapes and surfaces in one note each; surfaces that a muscle that stays has lost; points of forces."""
    model = leg()
    model = model.replace(
        frames={
            "plate": Frame("talus_r", np.zeros(3)),
            "tuberosity": Frame("tibia_r", np.array([0, -0.05, 0])),
        },
        actuators={
            "low": PointActuator("low", link="tibia_r", point=(0, -0.3, 0)),
            "high": PointActuator("high", link="tibia_r", point=(0, -0.1, 0)),
            "grf": PointActuator("grf", link="talus_r"),
            "free": PointActuator("free", link="tibia_r", point=(0, -0.3, 0), point_in_world=True),
        },
    )
    cut = amputate(model, "right", 0.15)
    assert set(cut.actuators) == {"high", "free"}
    assert set(cut.frames) == {"tuberosity", "stump_r", "ground_r"}
    assert all(str(note).startswith("amputation: ") and note.topic == "amputation" for note in cut.notes)
    words = [str(note).removeprefix("amputation: ") for note in cut.notes]
    assert "1 frame is left out, below the cut: 'plate'" in words
    assert "1 contact shape is left out, below the cut: 'heel'" in words
    assert "1 wrapping surface is left out, below the cut: 'low'" in words
    assert "muscle 'vasti' stays, no longer wrapped on 'low'" in words
    assert "marker 'ANK' was below the cut and is left out" in words
    assert any("actuator 'low'" in word for word in words)
    lost = {note.code: note.names for note in cut.notes}
    assert lost["amputation.frames-left-out"] == ("plate",)
    assert lost["amputation.contact-shapes-left-out"] == ("heel",)
    assert lost["amputation.wrapping-surfaces-left-out"] == ("low",)
    assert lost["amputation.unwrapped"] == ("vasti", "low")
    assert ("amputation.marker-left-out", ("ANK",)) in [(note.code, note.names) for note in cut.notes]
    assert ("amputation.actuator-left-out", ("low",)) in [(note.code, note.names) for note in cut.notes]
    assert {"amputation.cut", "amputation.ground-by-contact", "surgery.left-out"} <= set(lost)
    assert cut.notes[0].values["below_joint_m"] == 0.15


def test_an_amputee_model_is_not_cut_again(shared_data):
    with pytest.raises(ModelError, match="cut already"):
        amputate(load_model(shared_data / "amputee_models" / "TTAmp_Right_passive.osim"), "right")
