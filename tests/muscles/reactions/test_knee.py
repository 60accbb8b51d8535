"""The knee's two compartments: hand-made forces are found again; bad input."""

import numpy as np
import pytest
from tests.muscles.reactions.machines import G, at_rest
from tests.refusals import bad_input
from tests.trials import pushed_walker

import softstride as ss
from softstride.capture import ExternalForce, Recording
from softstride.capture.text import parse_storage
from softstride.errors import CaptureError, InputError, ModelError
from softstride.model import Point
from softstride.notes import sentences


def column(letter="r"):
    """A thigh welded to the world and a massless shank that hangs on it by a pin across; y is up."""
    b = ss.ModelBuilder("knee", gravity=(0.0, -G, 0.0))
    b.fixed(f"thigh_{letter}", position=(0.0, 1.0, 0.0), mass=1.0)
    b.revolute(
        f"shank_{letter}", parent=f"thigh_{letter}", axis=(0, 0, 1), position=(0.0, -0.4, 0.0), mass=1e-6
    )
    return b.build()


def pressed(model, letter, push):
    """Reactions at rest with a force (point, force) on the shank."""
    motion = at_rest(model, [0.0])
    n = len(motion)
    point, force = (np.tile(x, (n, 1)) for x in push)
    outside = ExternalForce("push", motion.time, force, point, np.zeros((n, 3)), body=f"shank_{letter}")
    loads = ss.solve_id(model, motion, Recording("r", forces=(outside,)))
    return ss.joint_reactions(model, motion, loads)


@pytest.mark.parametrize("letter", ["r", "l"])
@pytest.mark.parametrize("across", [-0.019, -0.005, 0.0, 0.01, 0.019])
def test_an_upward_push_beside_the_knee_loads_the_compartment_above_it(letter, across):
    """800 N at z = across: by the lever law 800 (w/2 + z) / w on the right side of the knee."""
    model = column(letter)
    found = pressed(model, letter, ((0.0, 0.2, across), (0.0, 800.0, 0.0)))
    contact = ss.knee_contact(found, model, {"r": "right", "l": "left"}[letter], width=0.04)
    right = 800.0 * (0.02 + across) / 0.04
    medial, lateral = (800.0 - right, right) if letter == "r" else (right, 800.0 - right)
    np.testing.assert_allclose(contact.medial, medial, atol=1e-4)  # the shank's own weight is 1e-5 N
    np.testing.assert_allclose(contact.lateral, lateral, atol=1e-4)
    np.testing.assert_allclose(contact.medial + contact.lateral, contact.total, rtol=1e-13)
    assert not contact.lifts_off.any()


def test_a_push_outside_the_knee_lifts_a_compartment_off():
    model = column()
    found = pressed(model, "r", ((0.0, 0.2, 0.05), (0.0, 800.0, 0.0)))
    contact = ss.knee_contact(found, model, "right", width=0.04)
    np.testing.assert_allclose([contact.medial[0], contact.lateral[0]], [-600.0, 1400.0], atol=1e-4)
    assert contact.lifts_off.all(axis=0).tolist() == [True, False]
    (note,) = contact.notes
    assert note.code == "knees.lift-off" and "lifts off in 4 of 4 frames" in str(note)


def test_tables_and_files(tmp_path):
    xr = pytest.importorskip("xarray")
    model = column()
    found = pressed(model, "r", ((0.0, 0.2, 0.05), (0.0, 800.0, 0.0)))
    contact = ss.knee_contact(found, model, "right", width=0.04)
    contact.save(tmp_path / "knee.sto")
    file = parse_storage((tmp_path / "knee.sto").read_bytes(), "knee.sto")
    assert file.columns == ("knee_right_total", "knee_right_medial", "knee_right_lateral")
    assert np.array_equal(file.values, contact.to_dataframe().to_numpy())
    contact.to_xarray().to_netcdf(tmp_path / "knee.nc", engine="scipy")
    back = xr.load_dataset(tmp_path / "knee.nc", engine="scipy")
    assert np.array_equal(back.medial, contact.medial) and back.attrs["notes"] == "\n".join(
        sentences(contact.notes)
    )
    with pytest.raises(CaptureError, match="exists already"):
        contact.save(tmp_path / "knee.sto")
    with pytest.raises(CaptureError, match=r"not \.sto or \.mot"):
        contact.save(tmp_path / "knee.csv")


def test_points_of_contact_at_any_place():
    """Forces made at two given points, along the axis, are found again, whatever shear comes with them."""
    model, motion, recording = pushed_walker()
    loads = ss.solve_id(model, motion, recording)
    found = ss.joint_reactions(model, motion, loads)
    medial, lateral = np.array([0.01, 0.02, -0.02]), np.array([-0.01, 0.03, 0.025])
    e = np.array([0.1, 1.0, -0.05])
    contact = ss.knee_contact(found, model, "right", medial=medial, lateral=lateral, axis=e)
    e /= np.linalg.norm(e)
    knee = found.joint("shank_r")
    np.testing.assert_allclose(contact.total, -knee.force @ e, rtol=1e-12)
    n = np.cross(lateral - medial, e)
    middle = 0.5 * (medial + lateral)
    made = sum(
        np.cross(point - middle, -force[:, None] * e)
        for point, force in ((medial, contact.medial), (lateral, contact.lateral))
    )
    whole = knee.moment + np.cross(knee.point - middle, knee.force)
    np.testing.assert_allclose(made @ n, whole @ n, atol=1e-9)
    np.testing.assert_array_equal(contact.points, [medial, lateral])


def test_markers_beside_the_knee_give_its_width():
    model = column()
    found = pressed(model, "r", ((0.0, 0.2, 0.0), (0.0, 800.0, 0.0)))
    with pytest.raises(
        InputError, match=r"no pair of markers on both sides of it on 'thigh_r' \(its markers there are none"
    ):
        ss.knee_contact(found, model, "right")
    beside = {
        "R.Knee.Lat": Point("thigh_r", (0, -0.4, 0.05)),
        "R.Knee.Med": Point("thigh_r", (0, -0.4, -0.05)),
    }
    marked = model.replace(markers=beside)
    contact = ss.knee_contact(found, marked, "right")
    np.testing.assert_allclose(contact.points, [[0, 0, -0.025], [0, 0, 0.025]], atol=1e-12)
    note = contact.notes[0]
    assert note.code == "knees.width-assumed" and sorted(note.names) == ["R.Knee.Lat", "R.Knee.Med"]
    assert "50 mm apart, 0.5 of the distance of markers 'R.Knee.Med' and 'R.Knee.Lat'" in str(note)
    assert str(note).endswith(": an assumption; give medial and lateral, or width")
    assert all(str(option) in note.fix for option in note.options) and note.options
    told = note.told(lambda option: {"width": "--knee-width"}.get(option.name))
    assert told.endswith(": an assumption; give --knee-width")


def on_the_ground(reactions, model):
    motion = at_rest(model, [0.0])
    return ss.joint_reactions(model, motion, ss.solve_id(model, motion), frame="ground"), model


@bad_input(
    InputError,
    ({"width": None, "medial": (0, 0, 0)}, "give both centres of contact"),
    ({"width": None, "medial": (0, 0, 0), "lateral": (0, 0.1, 0)}, "lie above each other"),
    ({"width": -1.0}, "width must be a length above zero"),
    ({"axis": (0, 0, 0)}, "axis must be a direction"),
    ({"width": None, "medial": (0, 0), "lateral": (0, 0, 1)}, "medial must be three finite numbers"),
    ({"side": "left"}, "shank of the left leg", ModelError),
    (lambda model, side: (column("l"), "left"), "'shank_l' is none of the joints"),
    (on_the_ground, 'ask joint_reactions for on="child" and frame="child"'),
)
def test_bad_input(refuses):
    model = column()
    found = pressed(model, "r", ((0.0, 0.2, 0.0), (0.0, 800.0, 0.0)))
    refuses(ss.knee_contact, reactions=found, model=model, side="right", width=0.04)
