"""Typed keywords of options are those of their classes."""

import ast

from tools.keywords import main, modules, option_classes, renewed

SOURCE = '''
@dataclass(frozen=True)
class IdOptions(Options, of="inverse dynamics"):
    """How."""

    lowpass: float | None = declared(None, "Low pass.")
    KINDS: ClassVar[int] = 3

    def check(self) -> None: ...


LAST = 1
'''


def test_they_are_written_behind_the_class_and_once() -> None:
    new = renewed(SOURCE)
    assert "class IdChanges(TypedDict, total=False):" in new and "    lowpass: float | None\n" in new
    assert "KINDS" not in new.partition("IdChanges")[2] and new.rstrip().endswith("LAST = 1")
    assert renewed(new) == new
    assert renewed(new.replace("float | None\n\n\nLAST", "int\n\n\nLAST")) == new


def test_those_of_the_package_are_as_their_options(capsys) -> None:
    assert main(["--check"]) == 0, capsys.readouterr().out


def test_no_function_takes_changes_of_any_type() -> None:
    """An editor shows the options of a function that takes them by name."""
    for file in modules():
        for node in option_classes(ast.parse(file.read_text(encoding="utf-8"))):
            assert node.keywords, f"{node.name} says not what it is of"
