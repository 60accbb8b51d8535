"""Typed keywords of options are those of their classes."""

import ast
from collections.abc import Iterator

import pytest
from tests.test_options import KINDS
from tools.keywords import PACKAGE, changes_name, main, modules, option_classes, renewed

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


def test_every_class_says_what_it_is_of() -> None:
    for file in modules():
        for node in option_classes(ast.parse(file.read_text(encoding="utf-8"))):
            assert node.keywords, f"{node.name} says not what it is of"


UNTYPED = {
    "fields.py": ["Frozen.changed"],  # of whichever class it is
    "model/model.py": ["Model.replace"],
    "muscles/sharing/options.py": ["MuscleOptions.changed"],  # as in the base of all options
    "options.py": ["Options.changed"],  # of whichever class it is; functions have its typed keywords
    "pipeline/request.py": ["Request.changed"],
    "planar/chain.py": ["Chain.changed"],
    "planar/state.py": ["State.changed"],
    "study/study.py": ["Study.changed"],
}
"""Functions that take changes of any type still; no line may be added."""


def test_no_function_takes_changes_of_any_type() -> None:
    """An editor shows the options of a function that takes them by name, and a type checker refuses others."""
    found: dict[str, list[str]] = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        source = file.read_text(encoding="utf-8")
        if "**changes: Any" in source:
            found[file.relative_to(PACKAGE).as_posix()] = list(untyped(ast.parse(source)))
    assert found == UNTYPED
    assert sum(map(len, UNTYPED.values())) == 8


def untyped(tree: ast.AST, inside: str = "") -> Iterator[str]:
    """Yield functions that take changes of any type."""
    for node in ast.iter_child_nodes(tree):
        name = f"{inside}{getattr(node, 'name', '')}"
        if isinstance(node, ast.FunctionDef):
            taken = node.args.kwarg
            if (
                taken is not None
                and taken.arg == "changes"
                and ast.unparse(taken.annotation or node) == "Any"
            ):
                yield name
        yield from untyped(node, f"{name}." if hasattr(node, "name") else inside)


@pytest.mark.parametrize("name", [kind.__name__ for kind in KINDS])
def test_functions_take_the_typed_keywords(name: str) -> None:
    """Each class of options has a function with its keywords."""
    taken = f"**changes: Unpack[{changes_name(name)}]"
    assert any(taken in file.read_text(encoding="utf-8") for file in PACKAGE.rglob("*.py")), taken
