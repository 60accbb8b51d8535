"""External loads: versions, switches, hostile XML, and data files that are never looked for outside the folder."""

import pytest

from softstride.capture.text import parse_external_loads, resolve_datafile
from softstride.errors import CaptureError

ENTRY = """<ExternalForce name="right">
  {switch}
  <applied_to_body> calcn_r </applied_to_body>
  <force_expressed_in_body>ground</force_expressed_in_body>
  <point_expressed_in_body>ground</point_expressed_in_body>
  <force_identifier>ground_force_v</force_identifier>
  <point_identifier>ground_force_p</point_identifier>
  <torque_identifier>ground_torque_</torque_identifier>
  <data_source_name>Unassigned</data_source_name>
</ExternalForce>"""
DOCUMENT = """<?xml version="1.0" encoding="UTF-8"?>
<OpenSimDocument Version="30000"><ExternalLoads name="walk"><objects>{entry}</objects><groups/>
<datafile> grf.mot </datafile>
<external_loads_model_kinematics_file/>
<lowpass_cutoff_frequency_for_load_kinematics>{cutoff}</lowpass_cutoff_frequency_for_load_kinematics>
</ExternalLoads></OpenSimDocument>"""


def document(switch="", cutoff="-1"):
    return DOCUMENT.format(entry=ENTRY.format(switch=switch), cutoff=cutoff)


def parse(text):
    return parse_external_loads(text.encode(), "loads.xml")


def test_plain_file():
    loads = parse(document(cutoff="6"))
    (entry,) = loads.entries
    assert (loads.name, loads.datafile, loads.kinematics_file, loads.lowpass) == ("walk", "grf.mot", "", 6.0)
    assert (entry.name, entry.body, entry.force_in, entry.point_in) == (
        "right",
        "calcn_r",
        "ground",
        "ground",
    )
    assert (entry.force_id, entry.point_id, entry.torque_id) == (
        "ground_force_v",
        "ground_force_p",
        "ground_torque_",
    )
    assert entry.data_source == "" and entry.enabled and parse(document()).lowpass is None


@pytest.mark.parametrize(
    ("switch", "enabled"),
    [
        ("<isDisabled> false </isDisabled>", True),
        ("<isDisabled>true</isDisabled>", False),
        ("<appliesForce>true</appliesForce>", True),
        ("<appliesForce> false</appliesForce>", False),
    ],
)
def test_switches_of_all_versions(switch, enabled):
    assert parse(document(switch)).entries[0].enabled is enabled


def test_defaults():
    text = (
        document()
        .replace("ground</force_ex", "</force_ex")
        .replace("ground</point_ex", "Unassigned</point_ex")
    )
    entry = parse(text.replace("ground_torque_", "")).entries[0]
    assert entry.force_in == "ground" and entry.point_in == "ground" and entry.torque_id == ""


def test_inside_a_larger_document():
    inner = document()[document().index("<ExternalLoads") :].replace("</OpenSimDocument>", "")
    loads = parse(f"<OpenSimDocument><AnalyzeTool><forces>{inner}</forces></AnalyzeTool></OpenSimDocument>")
    assert loads.entries[0].body == "calcn_r"


def test_setup_file_names_the_right_one():
    setup = "<OpenSimDocument><InverseDynamicsTool><external_loads_file> a.xml </external_loads_file>"
    with pytest.raises(CaptureError, match=r"read 'a\.xml', which it names, instead"):
        parse(setup + "</InverseDynamicsTool></OpenSimDocument>")


LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefghi", "bcdefghij", strict=True))
    + "]><l>&j;</l>"
)


@pytest.mark.parametrize(
    "text",
    [
        LAUGHS,
        f'<?xml version="1.0"?><!DOCTYPE q [<!ENTITY a "{"x" * 50_000}">]><q>{"&a;" * 10_000}</q>',
        '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>',
        '<!DOCTYPE x SYSTEM "http://example.org/x.dtd"><x/>',
        "<!DOCTYPE x []><x/>",
    ],
)
def test_hostile_xml_is_refused(text):
    with pytest.raises(CaptureError) as caught:
        parse(text)
    assert caught.value.field == "XML" and "document type or an entity" in caught.value.problem


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("", "XML"),
        ("<a>", "XML"),
        ("not xml", "XML"),
        ('<?xml version="1.0" encoding="klingon"?><a/>', "XML"),
        ("<a/>", "ExternalLoads"),
        (DOCUMENT.format(entry="", cutoff="6"), "ExternalForce"),
        (document().replace("calcn_r", "Unassigned"), "applied_to_body of right"),
        (document().replace("ground_force_v", "").replace("ground_torque_", ""), "force_identifier of right"),
        (document("<isDisabled>maybe</isDisabled>"), "isDisabled of right"),
    ],
)
def test_what_cannot_be_trusted_is_refused(text, field):
    with pytest.raises(CaptureError) as caught:
        parse(text)
    assert caught.value.field == field and caught.value.problem and caught.value.fix


@pytest.mark.slow
def test_size_and_depth():
    with pytest.raises(
        CaptureError, match="bytes are too many for a file of external loads; at most 100 are read"
    ):
        parse_external_loads(document().encode(), "x", max_bytes=100)
    with pytest.raises(CaptureError):
        parse("<a>" * 200_000 + "</a>" * 200_000)


def test_datafile_is_found_beside_or_below(tmp_path):
    xml = tmp_path / "setup" / "loads.xml"
    (xml.parent / "data").mkdir(parents=True)
    for file in (xml, xml.parent / "grf.mot", xml.parent / "data" / "deep.mot", tmp_path / "outside.mot"):
        file.write_text("x")
    beside = xml.parent / "grf.mot"
    for name in (
        "grf.mot",
        " grf.mot ",
        r"H:\OpenSim\Exp\grf.mot",
        "/home/x/grf.mot",
        "../grf.mot",
        "C:grf.mot",
        "GRF.MOT",
    ):
        assert resolve_datafile(xml, name).samefile(beside)
    assert resolve_datafile(xml, "data/deep.mot") == xml.parent / "data" / "deep.mot"
    assert resolve_datafile(str(xml), r"data\deep.mot").name == "deep.mot"


@pytest.mark.parametrize(
    "name",
    ["../outside.mot", "{outside}", "..", ".", "", "/", "data", "a\x00b", "x" * 5000, "missing.mot", "C:\\"],
)
def test_datafile_outside_or_absent_is_refused(tmp_path, name):
    xml = tmp_path / "setup" / "loads.xml"
    (xml.parent / "data").mkdir(parents=True)
    outside = tmp_path / "outside.mot"
    outside.write_text("x")
    with pytest.raises(CaptureError) as caught:
        resolve_datafile(xml, name.replace("{outside}", str(outside)))
    assert caught.value.field == "datafile" and caught.value.fix
