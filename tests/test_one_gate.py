"""One gate for files: no other module of the package opens a file for reading by itself."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import softstride

PACKAGE = Path(softstride.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))

OPENING = {"open", "read_bytes", "read_text", "fromfile", "loadtxt", "genfromtxt", "open_dataset", "read_csv"}
LOADING = {"np.load", "json.load", "tomllib.load", "pickle.load"}
PARSING = {"tomllib.loads", "ElementTree.parse", "ElementTree.fromstring", "fromstring", "iterparse"}

GATE = "files.py"
ALLOWED = {
    "cli/demo_inputs.py": {"packaged.read_bytes"},  # a recording that comes with the package
    "cli/info.py": {"Path('/proc/cpuinfo').read_text"},  # of the system, of no size
    "digital_athlete/trial.py": {"np.load"},  # arrays that come with the package
    "engine/jit.py": {"Path(spec.origin).read_bytes"},  # sources of kernels, by which they are kept
    "locks.py": {"file.open"},  # a lock holds nothing
    "on_demand.py": {"Path(file).read_bytes"},  # the source of a room
    "study/stored.py": {"h5py.h5o.open"},  # an item of a study that the gate has read
    "viewer/show.py": {"webbrowser.open"},  # no file
}


def opened(source: str) -> Iterator[str]:
    """Yield what opens, loads or parses a file in a source, but for the gate's own functions."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
        whose, _, what = called.rpartition(".")
        if (
            called == "open"
            or (whose not in ("", "files") and what in OPENING)
            or called in LOADING | PARSING
        ):
            yield called


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(PACKAGE).as_posix())
def test_files_are_opened_by_the_gate_alone(file: Path) -> None:
    name = file.relative_to(PACKAGE).as_posix()
    found = set(opened(file.read_text(encoding="utf-8")))
    assert name == GATE or found == ALLOWED.get(name, set()), (
        f"{name} opens files by itself with {', '.join(sorted(found))}: read_bytes, read_text, read_toml, "
        "read_json and packaged_text of softstride.files say what is refused, and why"
    )


@pytest.mark.parametrize(
    "source",
    [
        "open(path)",
        "with path.open('rb') as stream: pass",
        "io.open(path)",
        "data = Path(path).read_bytes()",
        "text = (folder / 'x').read_text(encoding='utf-8')",
        "np.load(path)",
        "np.loadtxt(path)",
        "tomllib.loads(text)",
        "ElementTree.parse(path)",
        "from io import open\nopen(path)",
    ],
)
def test_what_opens_files_is_found(source: str) -> None:
    assert list(opened(source))


@pytest.mark.parametrize(
    "source",
    [
        "from softstride.files import read_text\nread_text(path, 10, 'a table')",
        "from softstride import files\nfiles.read_bytes(path, 10, 'a table')",
        "path.exists()",
        "write_whole(path, data)",
    ],
)
def test_other_calls_are_none(source: str) -> None:
    assert not list(opened(source))
