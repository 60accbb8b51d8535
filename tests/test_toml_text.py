"""TOML of strangers: what is nested without end or counts without end is refused as no TOML."""

import tomllib
from pathlib import Path

import pytest

import softstride
from softstride.toml_text import DEEPEST, parse_toml


def test_what_is_toml_is_read() -> None:
    assert parse_toml("a = [1, {b = 2}]\n[c.d]\ne = 'f'") == {"a": [1, {"b": 2}], "c": {"d": {"e": "f"}}}
    inside = "[" * (DEEPEST - 1) + "]" * (DEEPEST - 1)
    assert parse_toml(f"a = {inside}")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a = ", "Invalid value"),
        (f"a = {'[' * DEEPEST}{']' * DEEPEST}", f"at most {DEEPEST} deep"),
        (f"a = {'[' * 3000}{']' * 3000}", f"at most {DEEPEST} deep"),
        (f"a = {'{b = ' * 3000}1{'}' * 3000}", f"at most {DEEPEST} deep"),
        (f"{'a.' * 3000}b = 1", f"at most {DEEPEST} deep"),
        (f"[{'a.' * 3000}b]", f"at most {DEEPEST} deep"),
        (f"a = {'1' * 5000}", "digits"),
    ],
    ids=lambda value: value[:12],
)
def test_what_is_refused(text: str, words: str) -> None:
    with pytest.raises(tomllib.TOMLDecodeError, match=words):
        parse_toml(text)


def test_every_reader_of_toml_refuses_alike() -> None:
    package = Path(softstride.__file__).parent
    own = {file.name for file in package.rglob("*.py") if "tomllib.load" in file.read_text(encoding="utf-8")}
    assert own == {"files.py", "toml_text.py"}
