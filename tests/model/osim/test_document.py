"""Frames, markers, notes, versions, units and what is refused by name."""

import numpy as np
import pytest
from tests.model.osim.documents import KINDS, coordinate, document, inertia, joint3, joint4, wrap

from softstride import engine
from softstride.errors import ModelError
from softstride.model import Frame, Point, Prismatic, Revolute
from softstride.model.formats.native import format_native, parse_native
from softstride.model.formats.osim import parse_osim, read_osim
from softstride.model.formats.osim_write.document import format_osim
from softstride.notes import codes

MARKERS = (
    '<MarkerSet><objects><Marker name="M1"><socket_parent_frame>{0}</socket_parent_frame>'
    "<location>0.1 0.2 0.3</location></Marker></objects></MarkerSet>"
)
OFFSETS = (
    '<components><PhysicalOffsetFrame name="plate"><socket_parent>/bodyset/lower</socket_parent>'
    "<translation>0.1 0 0.2</translation><orientation>0.3 -0.2 0.5</orientation></PhysicalOffsetFrame>"
    '<PhysicalOffsetFrame name="screw"><socket_parent>{0}</socket_parent>'
    "<translation>0 0.05 0</translation><orientation>0 1 0</orientation></PhysicalOffsetFrame>"
    '<Station name="tip"><socket_parent_frame>/screw</socket_parent_frame><location>0 0 1</location></Station>'
    "</components>"
)


def small(kind="PinJoint", version=40500, extra=""):
    return document(kind, version, extra=extra)


@pytest.mark.parametrize("reference", ["/plate", "plate", "../plate"])
def test_frames_markers_and_stations(tmp_path, reference):
    """A frame on a frame on a body, spelled in three ways, a station on it and a marker on that."""
    osim = pytest.importorskip("opensim")
    from tests.model.osim.peer import Peer, pose_matrix

    path = tmp_path / "small.osim"
    path.write_text(small(extra=OFFSETS.format("/plate") + MARKERS.format("/screw")))
    text = small(extra=OFFSETS.format(reference) + MARKERS.format("/screw"))
    model = parse_osim(text.encode())
    assert isinstance(model.frames["screw"], Frame)
    assert isinstance(model.frames["tip"], Point)
    peer, rng = Peer(path, model), np.random.default_rng(1)
    q = rng.uniform(-1, 1, model.nq)
    peer.move(q, np.zeros(model.nv))
    for name in ("plate", "screw"):
        frame = osim.PhysicalOffsetFrame.safeDownCast(peer.osim.getComponent(f"/{name}"))
        want = pose_matrix(frame.getTransformInGround(peer.state))
        assert np.max(np.abs(engine.poses(model, q, name) - want)) < 1e-12
    tip = osim.Station.safeDownCast(peer.osim.getComponent("/tip")).getLocationInGround(peer.state).to_numpy()
    assert np.max(np.abs(engine.positions(model, q, ["tip"])[0] - tip)) < 1e-12
    marker = peer.osim.getMarkerSet().get(0).getLocationInGround(peer.state).to_numpy()
    assert np.max(np.abs(engine.positions(model, q, ["M1"])[0] - marker)) < 1e-12


def test_markers_of_a_shared_model(shared_data):
    osim = pytest.importorskip("opensim")
    from tests.model.osim.peer import Peer

    path = shared_data / "walk_gait2354/subject01_simbody.osim"
    model = read_osim(path)
    peer = Peer(path, model)
    q = np.random.default_rng(5).uniform(-0.5, 0.5, model.nq)
    peer.move(q, np.zeros(model.nv))
    markers = peer.osim.getMarkerSet()
    found = [markers.get(i) for i in range(markers.getSize())]
    assert [marker.getName() for marker in found] == list(model.markers)
    want = [marker.getLocationInGround(peer.state).to_numpy() for marker in found]
    assert np.max(np.abs(engine.positions(model, q, list(model.markers)) - np.array(want))) < 1e-12
    assert osim is not None


def test_defaults_of_a_shared_model(shared_data):
    """Default pose, ranges and flags of every coordinate are OpenSim's."""
    osim = pytest.importorskip("opensim")
    path = shared_data / "walk_opencap_s4/manually_scaled.osim"
    model, peer = read_osim(path), osim.Model(str(path))
    coordinates = peer.getCoordinateSet()
    for name, ours in model.coordinates.items():
        theirs = coordinates.get(name)
        assert ours.default == theirs.getDefaultValue()
        assert (ours.lower, ours.upper) == (theirs.getRangeMin(), theirs.getRangeMax())
        assert (ours.clamped, ours.locked) == (theirs.getDefaultClamped(), theirs.getDefaultLocked())


def test_marker_of_format_3_and_missing_bodies():
    marker = (
        '<MarkerSet><objects><Marker name="M1"><body>{0}</body><location>1 0 0</location></Marker></objects>'
        "</MarkerSet>"
    )
    model = parse_osim(small(version=30000, extra=marker.format("lower")).encode())
    assert (model.markers["M1"].link, model.markers["M1"].position.tolist()) == ("lower", [1.0, 0.0, 0.0])
    assert (
        parse_osim(small(version=30000, extra=marker.format("ground")).encode()).markers["M1"].link == "world"
    )
    with pytest.raises(
        ModelError, match=r"Marker 'M1'.*'nobody' is no body or frame; known: 'ground', 'upper', 'lower'"
    ):
        parse_osim(small(version=30000, extra=marker.format("nobody")).encode())


def test_plain_joints_are_plain():
    assert isinstance(parse_osim(small("PinJoint").encode()).link("lower").joint, Revolute)
    assert isinstance(parse_osim(small("SliderJoint").encode()).link("lower").joint, Prismatic)


def test_body_without_joint_is_free_as_in_opensim(tmp_path):
    pytest.importorskip("opensim")
    from tests.model.osim.test_kinds import compare

    path = tmp_path / "small.osim"
    bodies = "".join(f'<Body name="{name}">{inertia(40500)}</Body>' for name in ("first", "second"))
    joint = joint4("hinge", "PinJoint", "/bodyset/first", "/bodyset/second", ["angle"])
    path.write_text(
        wrap(
            f"<BodySet><objects>{bodies}</objects></BodySet><JointSet><objects>{joint}</objects></JointSet>",
            40500,
        )
    )
    model, _ = compare(path, np.random.default_rng(1), 5)
    assert model.coordinate_names[:2] == ("free_first_coord_0", "free_first_coord_1")
    (note,) = (note for note in model.notes if note.code == "osim.body-set-free")
    assert note.names == ("first",) and "'first' hangs on nothing" in str(note)


def test_drafts_of_format_4_with_connectors():
    text = (
        small()
        .replace("<socket_parent_frame>p_offset</socket_parent_frame>", "")
        .replace(
            "<socket_child_frame>c_offset</socket_child_frame>",
            '<connectors><Connector_PhysicalFrame_ name="parent_frame"><connectee_name>p_offset</connectee_name>'
            '</Connector_PhysicalFrame_><Connector_PhysicalFrame_ name="child_frame"><connectee_name>c_offset'
            "</connectee_name></Connector_PhysicalFrame_></connectors>",
        )
    )
    assert parse_osim(text.encode()).nv == 4


def test_speeds_of_ball_joints_are_noted():
    (note,) = (n for n in parse_osim(small("BallJoint").encode()).notes if n.code == "osim.speeds-are-rates")
    assert note.names == ("tested",)


def test_massless_and_impossible_inertia():
    text = small().replace("<mass>1.5</mass>", "<mass>0</mass>", 1)
    model = parse_osim(text.encode())
    assert not np.any(model.link("upper").inertia.matrix)
    assert ("osim.inertia-without-mass", ("upper",)) in [(note.code, note.names) for note in model.notes]
    flat = small().replace(
        "<inertia>0.02 0.03 0.025 0.001 -0.002 0.003</inertia>", "<inertia>1 1 3 0 0 0</inertia>"
    )
    model = parse_osim(flat.encode())
    assert not model.link("lower").inertia.physical
    assert ("osim.inertia-unphysical", ("lower",)) in [(note.code, note.names) for note in model.notes]
    with pytest.raises(ModelError, match=r"Body 'upper': .*negative"):
        parse_osim(flat.replace("1 1 3 0 0 0", "-1 1 3 0 0 0").encode())
    with pytest.raises(ModelError, match="Body 'upper': mass"):
        parse_osim(flat.replace("<mass>1.5", "<mass>-1.5").encode())


def test_credits_and_prescribed_coordinates_are_noted():
    extra = "<credits>  A. Person\n and others</credits><publications>Unassigned</publications>"
    text = small(extra=extra).replace(
        coordinate("b_0"), coordinate("b_0").replace("<clamped>", "<prescribed>true</prescribed><clamped>")
    )
    model = parse_osim(text.encode())
    notes = model.notes
    (credits,) = (note for note in notes if note.code == "osim.credits")
    assert str(credits) == "credits: A. Person and others"
    assert (model.credits, model.publications) == ("A. Person and others", "")
    assert "osim.publications" not in codes(notes) and not any("nassigned" in str(note) for note in notes)
    assert ("osim.coordinate-prescribed", ("b_0",)) in [(note.code, note.names) for note in notes]


def test_credits_stay_with_a_model_on_its_way_through_files():
    words = "A. Person, " * 200
    extra = f"<credits>{words}</credits><publications>A. Person (2020): Legs &amp; arms.</publications>"
    model = parse_osim(small(extra=extra).encode())
    assert len(model.credits) == 1000 and model.credits.endswith("...")
    assert model.publications == "A. Person (2020): Legs & arms."
    again = parse_native(format_native(model).encode()).replace(notes=())
    written = parse_osim(format_osim(again)[0])
    assert (written.credits, written.publications) == (model.credits, model.publications)


def test_springs_of_coordinates():
    spring = (
        '<ForceSet><objects><SpringGeneralizedForce name="s"><coordinate>b_0</coordinate><stiffness>12</stiffness>'
        "<rest_length>0.3</rest_length><viscosity>0.5</viscosity></SpringGeneralizedForce></objects></ForceSet>"
    )
    angle = parse_osim(small(extra=spring).encode()).coordinates["b_0"]
    assert (angle.stiffness, angle.rest, angle.damping, angle.upper) == (12.0, 0.3, 0.5, 2.5)


@pytest.mark.parametrize("version", [30000, 40500])
@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("PinJoint", "ScapulothoracicJoint", "ScapulothoracicJoint 'tested'.*not understood; known"),
        ("b_0", "a_1", "coordinate 'a_1' exists in joint 'base' and in joint 'tested'"),
        ('name="lower"', 'name="upper"', "Body 'upper': exists twice"),
        (
            "<range>-1.5 2.5</range>",
            "<range>1 -1</range>",
            "Coordinate 'a_0' of GimbalJoint 'base'.*lower limit",
        ),
        ("<range>-1.5 2.5</range>", "<range>1 2 3</range>", "<range> must hold 2 number.* holds 3"),
        (
            "<default_value>0.0<",
            "<default_value>soft<",
            "<default_value> must hold numbers, however it is 'soft'",
        ),
        ("<default_value>0.0<", "<default_value>1_0<", "<default_value> must hold numbers"),
        ("<default_value>0.0<", "<default_value>nan<", "<default_value> must be finite"),
        ("<clamped>true<", "<clamped>maybe<", "<clamped> must be true or false"),
        ("-9.7 0.3</gravity>", "-9.7</gravity>", "<gravity> must hold 3 number"),
    ],
)
def test_what_is_refused(version, old, new, words):
    text = small(version=version)
    assert old in text
    with pytest.raises(ModelError, match=words) as caught:
        parse_osim(text.replace(old, new).encode(), "bad.osim")
    assert str(caught.value).startswith("bad.osim: ")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "<coordinates>b_1</coordinates>",
            "<coordinates>b_1 b_2</coordinates>",
            "TransformAxis 'rotation2'.*several",
        ),
        (
            "<coordinates>b_1</coordinates>",
            "<coordinates></coordinates>",
            "TransformAxis 'rotation2'.*no coordinate",
        ),
        ("<coordinates>b_1</coordinates>", "<coordinates>a_1</coordinates>", "'a_1', which is none of its"),
        ("<axis>0.6 0.8 0</axis>", "<axis>0 0 0</axis>", "TransformAxis 'rotation2'.*zero"),
        ("<y>-0.3 0.1 0.4 -0.2</y>", "<y>-0.3 0.1 0.4</y>", "PiecewiseLinearFunction.*4 x and 3 y"),
        ("<x>-2 -0.5 0.7 3</x>", "<x>-2 0.5 -0.7 3</x>", "PiecewiseLinearFunction.*increase"),
        ("PiecewiseLinearFunction", "StepFunction", "StepFunction.*not understood"),
        ("<SpatialTransform>", "<Spatial/><SpatialTransform>", None),
        ('<TransformAxis name="rotation1">', '<TransformAxis name="rotation1"/><TransformAxis>', "six"),
    ],
)
def test_what_is_refused_of_a_custom_joint(old, new, words):
    text = small("CustomJoint")
    assert old in text
    if words is None:
        assert parse_osim(text.replace(old, new).encode()).nv == 7
        return
    with pytest.raises(ModelError, match=words):
        parse_osim(text.replace(old, new).encode())


def test_a_coordinate_that_drives_nothing_is_left_out_with_a_note():
    constant = "<Constant><value>0.1</value></Constant>"
    old = "<PiecewiseLinearFunction><x>-2 -0.5 0.7 3</x><y>-0.3 0.1 0.4 -0.2</y></PiecewiseLinearFunction>"
    model = parse_osim(small("CustomJoint").replace(old, constant).encode())
    assert "b_2" not in model.coordinate_names
    assert ("osim.coordinate-unused", ("b_2",)) in [(note.code, note.names) for note in model.notes]


def test_wrong_number_of_coordinates():
    with pytest.raises(
        ModelError, match=r"UniversalJoint 'tested'.*must have 2 coordinate.*however it has 1"
    ):
        parse_osim(small("UniversalJoint").replace(coordinate("b_1"), "").encode())


def test_names_that_a_file_leaves_out():
    model = parse_osim(
        small("GimbalJoint").replace("".join(coordinate(f"b_{i}") for i in range(3)), "").encode()
    )
    assert model.coordinate_names[3:] == ("tested_coord_0", "tested_coord_1", "tested_coord_2")


def test_loops_of_joints_and_circles_of_frames():
    extra = joint4("second", "PinJoint", "/ground", "/bodyset/lower", ["c"])
    with pytest.raises(ModelError, match=r"closes a loop.*'lower'"):
        parse_osim(small().replace("</objects></JointSet>", f"{extra}</objects></JointSet>").encode())
    with pytest.raises(ModelError, match="joins 'lower' to itself"):
        parse_osim(
            small().replace("/bodyset/upper</socket_parent>", "/bodyset/lower</socket_parent>").encode()
        )
    circle = OFFSETS.format("/screw")
    with pytest.raises(ModelError, match=r"'screw'.*circle"):
        parse_osim(small(extra=circle).encode())
    body = f'<Body name="{{0}}">{inertia(30000)}{{1}}</Body>'
    pair = body.format("a", joint3("ja", "PinJoint", "b", ["x"])) + body.format(
        "b", joint3("jb", "PinJoint", "a", ["y"])
    )
    with pytest.raises(ModelError, match=r"Body 'a'.*hangs on nothing"):
        parse_osim(wrap(f"<BodySet><objects>{pair}</objects></BodySet>", 30000).encode())


@pytest.mark.parametrize("version", ["", "abc", "10600", "60000", "-30000"])
def test_versions(version):
    with pytest.raises(ModelError, match="Version must be"):
        parse_osim(small().replace('"40500"', f'"{version}"').encode())


def test_units():
    assert parse_osim(small(extra="<length_units>meters</length_units><force_units>N</force_units>").encode())
    for tag, unit in (("length_units", "millimeters"), ("force_units", "lbf")):
        with pytest.raises(ModelError, match=f"<{tag}>.*{unit}"):
            parse_osim(small(extra=f"<{tag}>{unit}</{tag}>").encode())


@pytest.mark.parametrize("kind", KINDS)
def test_a_world_by_another_name_is_no_body(kind):
    with pytest.raises(ModelError, match="world"):
        parse_osim(small(kind).replace("lower", "world").encode())


def test_what_nobody_reads_is_named():
    extra = (
        '<MarkerSet file="markers.xml"/><Surprise name="box"/><components><StationDefinedFrame name="sdf"/>'
        f'<Body name="extra">{inertia(40500)}</Body></components>'
    )
    model = parse_osim(small(extra=extra).encode())
    words = [str(note) for note in model.notes]
    assert "Surprise 'box' is not understood: left out" in words
    assert "StationDefinedFrame 'sdf' is not understood: left out" in words
    assert any("refers to the file 'markers.xml'" in word for word in words)
    assert {"osim.not-understood", "osim.file-not-read"} <= set(codes(model.notes))
    assert "extra" in model.link_names


def test_numbers_beyond_all_bounds():
    with pytest.raises(ModelError, match=r"<mass> must be below 1e\+50"):
        parse_osim(small().replace("<mass>1.5<", "<mass>1e300<").encode())
