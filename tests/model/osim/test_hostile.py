"""Documents that are wrong on purpose: a `ModelError` each time, soon, and nothing else."""

import time

import pytest
from tests.model.osim.documents import CUSTOM, document

from softstride import files
from softstride.errors import ModelError
from softstride.model.formats.osim import parse_osim, read_osim

HEAD = '<?xml version="1.0"?>'
SMALL = document("PinJoint", 40500)
BODY = SMALL.split("?>", 1)[1]

LAUGHS = (
    HEAD
    + '<!DOCTYPE x [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {chr(98 + i)} "{("&" + chr(97 + i) + ";") * 10}">' for i in range(10))
    + "]>"
    + BODY.replace("small", "&k;")
)
HOSTILE = {
    "entity bomb": LAUGHS,
    "external entity": HEAD
    + '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]>'
    + BODY.replace("small", "&e;"),
    "document type alone": HEAD + "<!DOCTYPE OpenSimDocument>" + BODY,
    "parameter entity": HEAD + '<!DOCTYPE x [<!ENTITY % p SYSTEM "http://127.0.0.1:9/x"> %p;]>' + BODY,
    "deep": HEAD + "<OpenSimDocument>" + "<a>" * 50_000 + "</a>" * 50_000 + "</OpenSimDocument>",
    "unknown entity": SMALL.replace("small", "&nothing;"),
    "wrong root": HEAD + "<Model/>",
    "no model": HEAD + '<OpenSimDocument Version="40000"><ScaleTool/></OpenSimDocument>',
    "empty model": HEAD + '<OpenSimDocument Version="40000"><Model/></OpenSimDocument>',
    "empty": "",
    "blank": "  \n ",
    "no xml": "time\tknee\n0\t1\n",
    "two roots": SMALL + BODY,
    "encoding that does not exist": SMALL.replace("UTF-8", "klingon"),
    "encoding that does not fit": SMALL.replace("UTF-8", "UTF-16"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_documents(case):
    start = time.process_time()
    with pytest.raises(ModelError, match=r"^evil.osim: "):
        parse_osim(HOSTILE[case].encode(), "evil.osim")
    assert time.process_time() - start < 5.0


def test_zero_bytes_and_broken_utf8():
    for data in (b"\0" * 100, SMALL.encode()[:200] + b"\xff\xfe" + SMALL.encode()[200:], bytes(range(256))):
        with pytest.raises(ModelError):
            parse_osim(data)


def test_a_hundred_megabytes(tmp_path):
    path = tmp_path / "huge.osim"
    with path.open("wb") as stream:
        stream.truncate(100 * 2**20)
    with pytest.raises(
        ModelError,
        match="too many for a document of OpenSim; at most 67,108,864 are read",
    ):
        read_osim(path)


def test_many_elements(monkeypatch):
    monkeypatch.setattr(files, "MAX_ELEMENTS", 20)
    with pytest.raises(ModelError, match="more than 20 elements"):
        parse_osim(SMALL.encode())


def test_files_that_are_none(tmp_path):
    for path in (tmp_path / "missing.osim", tmp_path, "bad\0name.osim"):
        with pytest.raises(ModelError, match="cannot be read"):
            read_osim(path)


def test_double_colons_are_read_with_a_note():
    text = SMALL.replace("</Model>", "<Odd::Set name='x'><objects/></Odd::Set></Model>")
    assert any("'::'" in str(note) for note in parse_osim(text.encode()).notes)


def test_long_chains_are_no_recursion():
    """A thousand offset frames on each other, and as many multiples of multiples as the depth allows."""
    frames = "".join(
        f'<PhysicalOffsetFrame name="f{i}">'
        f"<socket_parent>{'/bodyset/lower' if i == 0 else f'/f{i - 1}'}</socket_parent>"
        f"<translation>0.001 0 0</translation></PhysicalOffsetFrame>"
        for i in range(1000)
    )
    model = parse_osim(document("PinJoint", 40500, extra=f"<components>{frames}</components>").encode())
    assert model.frames["f999"].position[0] == pytest.approx(1.0)
    old = CUSTOM[2][2]  # a multiple of a constant
    text = document("CustomJoint", 40500)
    assert old in text
    nested = "<Constant><value>0.2</value></Constant>"
    for _ in range(40):
        nested = f"<MultiplierFunction><function>{nested}</function><scale>1</scale></MultiplierFunction>"
    assert parse_osim(text.replace(old, nested).encode()).nv == 7
