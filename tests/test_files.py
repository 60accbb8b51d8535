"""The gate for files: what is not what a reader expects is refused with file, part, reason and way out."""

import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from softstride import files
from softstride.errors import CaptureError, InputError, ModelError, inside
from softstride.files import (
    DEEPEST,
    packaged,
    packaged_names,
    packaged_text,
    parse_json,
    parse_toml,
    parse_xml,
    read_bytes,
    read_digest,
    read_json,
    read_text,
    read_toml,
    text_of,
    toml_key,
    toml_value,
    write_whole,
)

POSIX = pytest.mark.skipif(os.name != "posix", reason="this system has no such files")
READERS: tuple[Callable[[Any], object], ...] = (
    lambda path: read_bytes(path, 1000, "a table"),
    lambda path: read_text(path, 1000, "a table"),
    lambda path: read_toml(path, 1000, "a table"),
    lambda path: read_json(path, 1000, "a table"),
    read_digest,
)


def refused(read: Callable[..., object], *given: Any) -> CaptureError:
    with pytest.raises(CaptureError) as caught:
        read(*given)
    error = caught.value
    assert error.part and error.problem and error.fix, "an error names its part, its reason and the way out"
    return error


# kinds of files


@pytest.mark.parametrize("read", READERS)
def test_what_is_no_plain_file_is_refused_before_it_is_opened(
    tmp_path: Path, read: Callable[[Any], object]
) -> None:
    error = refused(read, tmp_path)
    assert (error.file, error.part) == (str(tmp_path), "file") and "it is a folder" in error.problem
    for name in (tmp_path / "none.toml", str(tmp_path / "none.toml")):
        error = refused(read, name)
        assert error.part == "file" and "cannot be read: No such file" in error.problem
    for name in ("bad\0name.toml", tmp_path / "bad\0name.toml", "x" * 5000):
        assert "cannot be read: " in refused(read, name).problem


@POSIX
@pytest.mark.parametrize("read", READERS)
def test_devices_pipes_and_sockets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: Callable[[Any], object]
) -> None:
    for device in ("/dev/zero", "/dev/null"):
        assert "it is a device, not a plain file" in refused(read, device).problem
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)  # whoever opened it would wait for a writer for ever
    found: list[CaptureError] = []
    reading = threading.Thread(target=lambda: found.append(refused(read, pipe)), daemon=True)
    reading.start()
    reading.join(30.0)
    assert found and "it is a pipe" in found[0].problem
    with socket.socket(socket.AF_UNIX) as listening:
        monkeypatch.chdir(tmp_path)  # names of sockets are short
        listening.bind("s")
        assert "it is a socket" in refused(read, tmp_path / "s").problem
    link = tmp_path / "link.toml"
    link.symlink_to("/dev/zero")
    assert "it is a device" in refused(read, link).problem, "nor where a link leads"
    around = tmp_path / "around"
    around.symlink_to(around)
    assert "cannot be read: " in refused(read, around).problem


@POSIX
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="nothing is forbidden to root")
@pytest.mark.parametrize("read", READERS)
def test_no_rights(tmp_path: Path, read: Callable[[Any], object]) -> None:
    file = tmp_path / "secret.toml"
    file.write_text("a = 1")
    file.chmod(0)
    error = refused(read, file)
    assert error.part == "file" and "Permission denied" in error.problem and "rights" in error.fix


def test_no_rights_as_the_system_says_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(_: Path, mode: str) -> None:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "secret.toml").write_text("a = 1")
    monkeypatch.setattr(Path, "open", forbidden)
    for read in READERS:
        assert "cannot be read: Permission denied" in refused(read, tmp_path / "secret.toml").problem


@pytest.mark.parametrize("read", READERS[:-1])
def test_what_is_too_large_is_not_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: Callable[[Any], object]
) -> None:
    file, sparse = tmp_path / "large.toml", tmp_path / "sparse.toml"
    file.write_bytes(b"#" * 1001)
    with sparse.open("wb") as stream:
        stream.truncate(2**40)
    monkeypatch.setattr(Path, "open", None)
    error = refused(read, file)
    assert (error.file, error.part) == (str(file), "size")
    assert error.problem == "1,001 bytes are too many for a table; at most 1,000 are read"
    assert "1,099,511,627,776 bytes are too many" in refused(read, sparse).problem


def test_a_file_of_the_limit_is_read_and_an_empty_one(tmp_path: Path) -> None:
    file = tmp_path / "whole"
    for data in (b"x" * 1000, b""):
        file.write_bytes(data)
        assert read_bytes(file, 1000, "a table") == data
        assert read_bytes(str(file), 1000, "a table") == data


def test_a_file_that_grows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, real = tmp_path / "growing", Path.open
    file.write_bytes(b"first")

    def late(path: Path, mode: str) -> Any:
        with real(path, "ab") as stream:
            stream.write(b" and more")
        return real(path, mode)

    monkeypatch.setattr(Path, "open", late)
    error = refused(read_bytes, file, 1000, "a table")
    assert error.part == "size" and "grew while it was read" in error.problem


def test_what_to_do_and_the_class_are_the_reader_s_to_say(tmp_path: Path) -> None:
    file = tmp_path / "large.toml"
    file.write_bytes(b"#" * 1001)
    with pytest.raises(CaptureError, match="at most 1,000 are read; pass a larger max_bytes"):
        read_bytes(file, 1000, "a recording", "pass a larger max_bytes")
    with pytest.raises(ModelError) as caught, inside(raising=ModelError):
        read_bytes(file, 1000, "a model")
    assert (caught.value.file, caught.value.part) == (str(file), "size") and caught.value.fix


def test_a_digest_is_that_of_the_bytes(tmp_path: Path) -> None:
    import hashlib

    file = tmp_path / "data"
    file.write_bytes(b"\0\1" * 100_000)
    assert read_digest(file) == hashlib.sha256(b"\0\1" * 100_000).digest()


# texts


def test_texts(tmp_path: Path) -> None:
    file = tmp_path / "text"
    for data in (b"\xef\xbb\xbf\xc3\xa4\r\nb\rc\n", b"\xc3\xa4\nb\nc\n"):
        file.write_bytes(data)
        assert read_text(file, 1000, "a text") == "ä\nb\nc\n"


@pytest.mark.parametrize(
    "data", ["é".encode("latin-1"), "a = 1".encode("utf-16"), b"\xed\xa0\x80", b"\xc0\xaf", b"a\xff"]
)
def test_other_encodings_are_refused(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "text"
    file.write_bytes(data)
    error = refused(read_text, file, 1000, "a text")
    assert (error.file, error.part, error.fix) == (str(file), "text", "save it as UTF-8")
    assert "is no text in UTF-8: byte " in error.problem
    assert refused(text_of, data, "text").problem == error.problem


# TOML


def test_what_is_toml_is_read(tmp_path: Path) -> None:
    assert parse_toml("a = [1, {b = 2}]\n[c.d]\ne = 'f'") == {"a": [1, {"b": 2}], "c": {"d": {"e": "f"}}}
    inner = "[" * (DEEPEST - 1) + "]" * (DEEPEST - 1)
    assert parse_toml(f"a = {inner}")
    (tmp_path / "a.toml").write_bytes(b"\xef\xbb\xbfa = 1\r\n")
    assert read_toml(tmp_path / "a.toml", 1000, "a table") == {"a": 1}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a = ", "Invalid value"),
        ("a = 1\na = 2", "Cannot overwrite"),
        ("a = '\0'", "is no TOML"),
        (f"a = {'[' * DEEPEST}{']' * DEEPEST}", f"at most {DEEPEST} deep"),
        (f"a = {'[' * 3000}{']' * 3000}", f"at most {DEEPEST} deep"),
        (f"a = {'{b = ' * 3000}1{'}' * 3000}", f"at most {DEEPEST} deep"),
        (f"{'a.' * 3000}b = 1", f"at most {DEEPEST} deep"),
        (f"[{'a.' * 3000}b]", f"at most {DEEPEST} deep"),
        (f"a = {'1' * 5000}", "digits"),
    ],
    ids=lambda value: value[:12],
)
def test_what_is_no_toml(tmp_path: Path, text: str, words: str) -> None:
    error = refused(parse_toml, text, "a.toml")
    assert (error.file, error.part) == ("a.toml", "text")
    assert "is no TOML: " in error.problem and words in error.problem
    file = tmp_path / "a.toml"
    file.write_text(text)
    error = refused(lambda: read_toml(file, 100_000, "a table", "give a table"))
    assert error.file == str(file) and error.fix == "give a table"


@pytest.mark.parametrize(
    "value",
    [
        True,
        3,
        -0.0,
        1e-300,
        0.1,
        float("inf"),
        "",
        "plain",
        'quotes " and \\ and \n\t\r\b\f',
        "controls \x00\x1f\x7f",
        "ü 🦿 \u2028",
        [1, 2.5, "a", [True]],
        {"a b": {"ü": [1.0]}, "c": "d", "": 1},
        [{"a": 1}],
    ],
)
def test_what_is_written_as_toml_reads_back(value: Any) -> None:
    assert repr(parse_toml(f"it = {toml_value(value)}")["it"]) == repr(value)


def test_numbers_of_numpy_and_tuples_are_written_alike() -> None:
    import numpy as np

    assert toml_value(tuple(np.array([0.5, 1.0]))) == "[0.5, 1.0]"
    assert toml_key("a-b_1") == "a-b_1" and toml_key("a.b") == '"a.b"' and toml_key("") == '""'
    assert toml_value({"a b": 1}) == '{"a b" = 1}'


# JSON


def test_json(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(b'\xef\xbb\xbf{"a": [1.5, null]}')
    assert read_json(file, 1000, "figures") == {"a": [1.5, None]}
    assert parse_json(b"[1.5]", "a", parse_float=str) == ["1.5"]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "line 1, column 1"),
        (b'{"a": 1,\n', "line 2, column 1"),
        (b"\xff", "no text in UTF-8"),
        (b"[" * 100_000, "nested too deep"),
        (b"[" * 100_000 + b"]" * 100_000, "nested too deep"),
    ],
)
def test_what_is_no_json(tmp_path: Path, data: bytes, words: str) -> None:
    error = refused(parse_json, data, "a.json")
    assert (error.file, error.part) == ("a.json", "text") and words in error.problem
    (tmp_path / "a.json").write_bytes(data)
    assert words in refused(read_json, tmp_path / "a.json", 10**6, "figures").problem


# XML

LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefghi", "bcdefghij", strict=True))
    + "]><l>&j;</l>"
)


def test_xml_is_read() -> None:
    document = '<?xml version="1.0" encoding="{}"?><a b="ä"><c>é</c></a>'
    for encoding in ("UTF-8", "ISO-8859-1", "UTF-16"):
        root = parse_xml(document.format(encoding).encode(encoding), "a.xml", 1000, "a document")
        assert (root.get("b"), root.findtext("c")) == ("ä", "é")
    assert parse_xml(b"\xef\xbb\xbf<a/>", "a.xml", 1000, "a document").tag == "a"
    assert parse_xml(b"\0\n<a/>\x1a\0", "a.xml", 1000, "a document", padding=b"\0\n\x1a").tag == "a"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (LAUGHS, "document type or an entity"),
        (
            f'<!DOCTYPE q [<!ENTITY a "{"x" * 50_000}">]><q>{"&a;" * 10_000}</q>',
            "document type or an entity",
        ),
        ('<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>', "document type or an entity"),
        ('<!DOCTYPE x SYSTEM "http://127.0.0.1:9/x.dtd"><x/>', "document type or an entity"),
        ('<!DOCTYPE x [<!ENTITY % p SYSTEM "http://127.0.0.1:9/x"> %p;]><x/>', "document type or an entity"),
        ("<!DOCTYPE x []><x/>", "document type or an entity"),
        ("<x>&nothing;</x>", "not well-formed"),
        ("<a>", "not well-formed"),
        ("<a/><b/>", "not well-formed"),
        ("time\tknee", "not well-formed"),
        ("<a>\0</a>", "not well-formed"),
        ("", "is empty"),
        (" \n", "is empty"),
        ("<a>" * 50_000 + "</a>" * 50_000, "more than 100 deep at <a>"),
        (f"<a>{'<b>' * 100}{'</b>' * 100}</a>", "more than 100 deep at <b>"),
        ('<?xml version="1.0" encoding="klingon"?><a/>', ""),
        ('<?xml version="1.0" encoding="UTF-16"?><a/>', ""),
    ],
    ids=range(17),
)
def test_xml_of_strangers(text: str, words: str) -> None:
    error = refused(parse_xml, text.encode(), "evil.xml", 10**8, "a document")
    assert (error.file, error.part) == ("evil.xml", "XML") and words in error.problem


def test_xml_that_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    error = refused(parse_xml, b"<a/>" + b" " * 1000, "large.xml", 1000, "a document")
    assert error.part == "size" and "1,004 bytes are too many for a document" in error.problem
    monkeypatch.setattr(files, "MAX_ELEMENTS", 20)
    assert parse_xml(b"<a>" + b"<b/>" * 19 + b"</a>", "a.xml", 1000, "a document") is not None
    error = refused(parse_xml, b"<a>" + b"<b/>" * 20 + b"</a>", "a.xml", 1000, "a document")
    assert "more than 20 elements" in error.problem


# what comes with the package


def test_packaged_or_one_s_own() -> None:
    known = ("deleva", "winter")
    assert packaged("winter", known, "table", ".toml") == "winter"
    assert packaged("winter", iter(known), "table") == "winter"
    for own in ("own.toml", "winter.toml", Path("own.toml"), Path("winter")):
        assert packaged(own, known, "table", ".toml") == Path(own), "a path is no name"
    assert packaged("own.csv", known, "table") == Path("own.csv")
    assert packaged(Path("winter"), known, "table") == "winter", "without a suffix it is no file"
    for name in ("zatsiorsky", "own.txt", "", "../winter", "Winter"):
        with pytest.raises(InputError) as caught:
            packaged(name, known, "table", ".toml")
        assert caught.value.known == known and caught.value.value == name
        assert str(caught.value) == (
            f"no table {name!r}; there are: deleva, winter; or give the path of a .toml file"
        )
    with pytest.raises(InputError, match="there are: deleva, winter; a file needs its suffix"):
        packaged("zatsiorsky", known, "table")


def test_packaged_texts() -> None:
    names = packaged_names("softstride.segments", "data", "inertia")
    assert names == ("deleva", "dumas", "winter")
    for name in names:
        text = packaged_text("softstride.segments", "data", "inertia", f"{name}.toml")
        assert parse_toml(text)["rows"]


# writing


def test_nothing_is_written_over_unasked(tmp_path: Path) -> None:
    file = tmp_path / "walk.trc"
    write_whole(file, b"first")
    assert (refused(write_whole, file, b"second").part, file.read_bytes()) == ("file", b"first")
    write_whole(file, b"third", overwrite=True)
    assert [each.read_bytes() for each in tmp_path.iterdir()] == [b"third"], "no rests"


def test_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(CaptureError, match="No space left"):
        write_whole(tmp_path / "walk.trc", b"x" * 100)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(CaptureError, match="cannot be written"):
        write_whole(tmp_path / "no" / "such" / "walk.trc", b"x")


def test_a_file_system_without_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr("os.link", refuse)
    write_whole(tmp_path / "walk.trc", b"first")
    assert (tmp_path / "walk.trc").read_bytes() == b"first"
    with pytest.raises(CaptureError, match="exists already"):
        write_whole(tmp_path / "walk.trc", b"second")
    assert [p.name for p in tmp_path.iterdir()] == ["walk.trc"]


def test_a_colon_hides_nothing_on_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There "so_hip:flexion.sto" is a hidden part of the file "so_hip"."""
    with monkeypatch.context() as patch:
        patch.setattr("sys.platform", "win32")
        with pytest.raises(CaptureError, match="holds a colon, which Windows refuses"):
            write_whole(tmp_path / "so_hip:flexion.sto", b"moment arms")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="this system refuses such names")
def test_a_colon_is_a_sign_like_others_elsewhere(tmp_path: Path) -> None:
    write_whole(tmp_path / "so_hip:flexion.sto", b"moment arms")
    assert [file.name for file in tmp_path.iterdir()] == ["so_hip:flexion.sto"]


@POSIX
def test_a_result_is_as_public_as_others(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        write_whole(tmp_path / "walk.trc", b"x")
    finally:
        os.umask(before)
    assert (tmp_path / "walk.trc").stat().st_mode & 0o777 == 0o644
