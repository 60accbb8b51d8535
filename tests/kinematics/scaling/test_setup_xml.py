"""OpenSim's scale setups: what is read from them, and what is refused."""

import numpy as np
import pytest
from tests.models import walker
from tests.refusals import bad_input
from tests.trials import recorded, standing

from softstride.errors import InputError, ModelError
from softstride.kinematics.scaling import Measurement, ScaleSetup, fit_scaling, read_scale_setup
from softstride.model.scaling import scaled

SETUP = """<?xml version="1.0"?>
<OpenSimDocument Version="40000"><ScaleTool name="who">
<mass>{mass}</mass>
<GenericModelMaker><marker_set_file>{markers}</marker_set_file></GenericModelMaker>
<ModelScaler><apply>true</apply><scaling_order>{order}</scaling_order>
<MeasurementSet><objects>
<Measurement name="shank"><apply>true</apply>
<MarkerPairSet><objects><MarkerPair><markers>{pair}</markers></MarkerPair></objects></MarkerPairSet>
<BodyScaleSet><objects><BodyScale name="shank_r"><axes>{axes}</axes></BodyScale></objects></BodyScaleSet>
</Measurement>
<Measurement name="off"><apply>false</apply></Measurement>
</objects></MeasurementSet>
<ScaleSet><objects>
<Scale><scales>{scales}</scales><segment>foot_r</segment><apply>true</apply></Scale>
<Scale><scales>9 9 9</scales><segment>trunk</segment><apply>false</apply></Scale>
</objects></ScaleSet>
<time_range>{time}</time_range><preserve_mass_distribution>true</preserve_mass_distribution>
</ModelScaler>
<MarkerPlacer><apply>{place}</apply><IKTaskSet><objects>
<IKMarkerTask name="trunk0"><apply>true</apply><weight>{weight}</weight></IKMarkerTask>
<IKMarkerTask name="trunk1"><apply>false</apply><weight>5</weight></IKMarkerTask>
<IKCoordinateTask name="knee_r"><weight>2</weight><value_type>manual_value</value_type><value>0.1</value>
</IKCoordinateTask>
<IKCoordinateTask name="knee_l"><weight>3</weight></IKCoordinateTask>
<IKCoordinateTask name="ankle_l"><weight>3</weight><value_type>from_file</value_type></IKCoordinateTask>
</objects></IKTaskSet><coordinate_file>Unassigned</coordinate_file><time_range>0.1 0.2</time_range></MarkerPlacer>
</ScaleTool></OpenSimDocument>
"""
GOOD = {
    "mass": "61.5",
    "markers": "Unassigned",
    "order": "measurements manualScale",
    "pair": "shank1_r shank2_r",
    "axes": "X Z",
    "scales": "1.1 1.2 1.3",
    "time": "0 1",
    "weight": "7",
    "place": "true",
}
MARKERS = """<OpenSimDocument Version="40000"><MarkerSet><objects>
<Marker name="new"><socket_parent_frame>/bodyset/foot_r</socket_parent_frame><location>0.1 0 0</location>
<fixed>true</fixed></Marker>
<Marker name="old"><body>{body}</body><location>{location}</location></Marker>
</objects></MarkerSet></OpenSimDocument>"""


def written(folder, **changes):
    path = folder / "setup.xml"
    path.write_text(SETUP.format(**(GOOD | changes)), encoding="utf-8")
    return path


def test_every_part_is_read(tmp_path):
    (tmp_path / "markers.xml").write_text(MARKERS.format(body="ground", location="1 2 3"), encoding="utf-8")
    setup = read_scale_setup(written(tmp_path, markers="markers.xml"))
    assert (setup.name, setup.mass, setup.order) == ("who", 61.5, ("measurements", "manualScale"))
    (shank,) = setup.measurements
    assert shank.pairs == (("shank1_r", "shank2_r"),)
    assert dict(shank.links) == {"shank_r": "xz"}
    assert list(setup.manual) == ["foot_r"]
    assert np.array_equal(setup.manual["foot_r"], (1.1, 1.2, 1.3))
    assert (setup.time_range, setup.place_range) == ((0.0, 1.0), (0.1, 0.2))
    assert setup.keep_mass_distribution
    assert setup.marker_weights == {"trunk0": 7.0}
    assert {name: (goal.value, goal.weight) for name, goal in setup.goals.items()} == {
        "knee_r": (0.1, 2.0),
        "knee_l": (None, 3.0),
    }
    assert any("ankle_l" in str(note) for note in setup.notes)
    assert setup.markers["new"].fixed
    assert setup.markers["new"].point.link == "foot_r"
    assert (setup.markers["old"].point.link, setup.markers["old"].fixed) == ("world", False)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"mass": "heavy"}, "<mass>"),
        ({"mass": "1 2"}, "one number"),
        ({"mass": "inf"}, "finite"),
        ({"order": "guess"}, "scaling_order"),
        ({"pair": "one"}, "two markers"),
        ({"axes": "X Q"}, "axes"),
        ({"axes": ""}, "axes"),
        ({"scales": "1 2"}, "three numbers"),
        ({"time": "2 1"}, "time_range"),
        ({"weight": "-1"}, "negative"),
        ({"place": "perhaps"}, "true or false"),
        ({"markers": "nowhere.xml"}, "cannot be read"),
    ],
)
def test_values_that_cannot_be(tmp_path, changes, words):
    with pytest.raises(ModelError, match=words):
        read_scale_setup(written(tmp_path, **changes))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("<ScaleTool>", "well-formed"),
        ("<OpenSimDocument><IKTool/></OpenSimDocument>", "no <ScaleTool>"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><ScaleTool><mass>&b;</mass></ScaleTool>', "refused"),
        ("<a>" * 200 + "</a>" * 200, "deep"),
    ],
)
def test_documents_that_are_refused(tmp_path, text, words):
    path = tmp_path / "setup.xml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ModelError, match=words):
        read_scale_setup(path)


def test_a_marker_set_on_a_body_that_does_not_exist(tmp_path):
    (tmp_path / "markers.xml").write_text(MARKERS.format(body="tail", location="1 2 3"), encoding="utf-8")
    model = walker("custom")
    with pytest.raises(ModelError, match="'tail'"):
        fit_scaling(model, recorded(model, standing(model)), setup=written(tmp_path, markers="markers.xml"))


def test_measurements_by_hand(tmp_path):
    """Twice as large a person: the pair measures 2, on x and z of the shank only; the foot is set by hand."""
    model = walker("custom")
    static = recorded(scaled(model, dict.fromkeys(model.link_names, 2.0)), standing(model))
    found = fit_scaling(model, static, setup=written(tmp_path))
    assert np.allclose(found.factors["shank_r"], (2.0, 1.0, 2.0))
    assert np.allclose(found.factors["foot_r"], (1.1, 1.2, 1.3))
    assert np.allclose(found.factors["trunk"], 1.0)
    assert np.isclose(found.model.mass, 61.5)
    assert found.placed_rms < 1e-12  # every marker was moved onto its mean
    assert found.unplaced_rms > 0.01
    by_hand = ScaleSetup(
        measurements=(Measurement("all", (("trunk0", "trunk1"),), {"trunk": "y", "tail": "x"}),)
    )
    other = fit_scaling(model, static, 80.0, setup=by_hand, fixed=["trunk0"])
    assert np.allclose(other.factors["trunk"], (1.0, 2.0, 1.0))
    assert np.isclose(other.model.mass, 80.0)
    assert "trunk0" not in other.moved
    assert any("'tail'" in str(note) for note in other.notes)


def test_measurements_without_their_markers_are_noted():
    model = walker("custom")
    static = recorded(model, standing(model))
    lost = ScaleSetup(measurements=(Measurement("m", (("trunk0", "nose"),), {"trunk": "x"}),), place=False)
    found = fit_scaling(model, static, setup=lost)
    assert np.allclose(found.factors["trunk"], 1.0)
    assert any("nose" in str(note) for note in found.notes)
    assert found.moved == {}


@bad_input(
    InputError,
    ({"method": "measurements"}, "setup"),
    ({"method": "magic"}, "method"),
    ({"fixed": ["nose"]}, "nose"),
    ({"marker_widths": {"trunk0": 0.0}}, "above zero"),
    ({"time_range": (50.0, 60.0)}, "outside"),
)
def test_questions_without_an_answer(refuses):
    model = walker("custom")
    refuses(fit_scaling, model=model, static=recorded(model, standing(model)))
