"""Small changes of the source: which there are, how they are made, and a campaign on a made-up package."""

import ast
import contextlib
import io
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import tokenize
from collections import Counter
from pathlib import Path
from textwrap import dedent

import pytest
from tools.mutate import STOPPED, Broken, Campaign, Limits, main
from tools.mutation_runs import Copy, Outcome, _last_test
from tools.mutation_table import Table
from tools.mutations import KINDS, PHYSICS, Mutation, applied, choose, locate, mutations
from tools.nearest import TestOrder

ROOT = Path(__file__).resolve().parents[2]
posix = pytest.mark.skipif(
    sys.platform == "win32", reason="a campaign needs process groups and symbolic links"
)


def changes(source: str, kind: str | None = None) -> set[str]:
    """Return what a source may become, as whole texts."""
    encoded = dedent(source).encode()
    found = mutations(encoded, "src/softstride/engine/x.py")
    return {applied(one, encoded).decode() for one in found if kind in (None, one.kind)}


@pytest.mark.parametrize(
    ("kind", "source", "wanted"),
    [
        ("sign", "y = a + b", {"y = a - b"}),
        ("sign", "y = (a\n  # more + than this\n  ) - (b)", {"y = (a\n  # more + than this\n  ) + (b)"}),
        ("sign", "y = f(-a)", {"y = f(a)"}),
        ("sign", "y[k] += a", {"y[k] -= a"}),
        ("index", "y = a[0, i, -1]", {"y = a[1, i, -1]", "y = a[0, i, -2]"}),
        ("constant", "y = a[f(2)]", {"y = a[f(3)]"}),
        ("constant", "y = sum(a, axis=7)", {"y = sum(a, axis=8)"}),
        ("float", "y = 9.81 * a", {"y = 10.791 * a"}),
        ("float", "y = [0.0, 1e-5]", {"y = [1.0, 1e-5]", "y = [0.0, 1.1e-05]"}),
        ("comparison", "y = a < b", {"y = a <= b", "y = a > b"}),
        ("comparison", "y = a is  not b", {"y = a is b"}),
        (
            "comparison",
            "y = a <= b == c",
            {"y = a < b == c", "y = a >= b == c", "y = a <= b != c"},
        ),
        ("term", "y = (a) + b", {"y = (a)", "y = b"}),
        ("term", "y = 2 * (a - b)", {"y = 2 * (a)", "y = 2 * (- b)"}),
        ("term", "y += a", {"pass"}),
        ("factor", "y = a * (b)", {"y = a", "y = (b)"}),
        ("factor", "y = a / b", {"y = a"}),
        ("logic", "y = a and b or c", {"y = a or b or c", "y = a and b and c"}),
        ("logic", "y = not (a)", {"y = (a)"}),
        ("arguments", "y = f(a, (b), k=c)", {"y = f(b, (a), k=c)"}),
        ("arguments", "def g():\n    f('ä', b + é, c)", {"def g():\n    f('ä', c, b + é)"}),
    ],
)
def test_each_kind_of_change(kind, source, wanted):
    assert changes(source, kind) == wanted


@pytest.mark.parametrize(
    "source",
    [
        '"""Docstring: 1 + 2 < 3."""',
        'def f():\n    """Return 0 or 1 and not -1."""\n    return x',
        "def f(x: Literal[0, 1], *, y: Annotated[int, 3 + 4] = z) -> Array[2]:\n    return x",
        "n: Literal[1, 2] = m",
        "Kind = Literal[1, 2]",
        "def f(x):\n    raise InputError('at most', 3 - x, expected=-1)",
        "def f(x):\n    error = InputError('at most', 3 - x)",
        "def f(x):\n    warnings.warn('less', stacklevel=2)",
        "def f(x):\n    return f'{x[0] + 1:.3f}'",
        "__all__ = ['a', 'b']\n__version__ = version(1, 2)",
        "WORDS = {'one': 1, 'two': 2}",
        "WORDS: dict[str, int] = {'one': 1, 'two': 2}",
        "@lru_cache(8)\ndef f(x):\n    return x",
        "class A(Base, size=3):\n    x: int",
        "def f(x):\n    return 'a' + x + 'b'",
        "def f(x):\n    return str(x) + ', '.join(x) + x",
        "def f(x):\n    return x.replace('a', 'b')",
        "TOLERANCE = 1e-9\nLIMIT = 10_000",
        "def f(x):\n    return max(x, y)",
    ],
)
def test_what_is_left_alone(source):
    assert changes(source) == set()


def test_numbers_in_tables_of_numbers_are_changed():
    assert len(changes("PART = ('head', 4.1, 0.10, 3)", None)) == 3


def test_a_change_is_found_again_where_lines_were_added():
    source = b"a = 1\nx = b + c\nif a:\n    x = b + c\nx = b + c\n"
    last = [one for one in mutations(source, "f.py") if one.kind == "sign"][-1]
    assert (last.line, last.occurrence) == (5, 1)
    later = b"# one\n# more\n" + source
    assert applied(last, later) == later[: later.rindex(b"+")] + b"-" + later[later.rindex(b"+") + 1 :]
    assert locate(last, source[: source.rindex(b"x =")]) is None
    assert applied(last, b"") is None


@pytest.fixture(scope="module")
def real():
    """A third of the real source, every room of it: the whole takes half a minute to look through."""
    files = sorted(file for file in (ROOT / "src").rglob("*.py") if file.name != "_version.py")
    if not files:
        pytest.skip("no source beside the tests")
    return {file.relative_to(ROOT).as_posix(): file.read_bytes() for file in files[::3]}


@pytest.fixture(scope="module")
def chosen(real):
    return choose(real, 5, 40, 30)


def test_the_same_seed_chooses_the_same_and_another_others(real, chosen):
    few = {file: source for i, (file, source) in enumerate(real.items()) if i % 27 == 0}
    assert choose(few, 5, 20, 10) == choose(few, 5, 20, 10)
    assert choose(few, 5, 20, 10) == choose(dict(reversed(few.items())), 5, 20, 10)
    assert not set(choose(few, 6, 20, 10)) >= set(choose(few, 5, 20, 10))


def test_a_choice_that_another_checkout_can_make_too(real):
    files = sorted(real)
    common = {file: real[file] for file in files[::2]}
    chosen = choose(real, 5, 40, 30, common)
    assert len(chosen) == 40 and all(applied(one, common[one.file]) is not None for one in chosen)


def test_the_choice_is_spread(chosen):
    assert len(set(chosen)) == 40
    assert [one.physics for one in chosen] == [True] * 30 + [False] * 10
    rooms = Counter(one.stratum for one in chosen)
    assert all(rooms[room] == 2 for room in PHYSICS)
    assert max(rooms.values()) == 2
    kinds = Counter(one.kind for one in chosen)
    assert set(kinds) == set(KINDS)
    assert max(kinds.values()) <= 8


def test_a_chosen_change_is_one_place_and_another_program(real, chosen):
    for one in chosen:
        before = real[one.file]
        after = applied(one, before)
        start = locate(one, before)
        assert start is not None and after is not None
        end = start + len(one.before.encode())
        assert before[start:end].decode() == one.before
        assert after == before[:start] + one.after.encode() + before[end:]
        assert before.count(b"\n", 0, start) == one.line - 1
        assert ast.dump(ast.parse(after)) != ast.dump(ast.parse(before))


def words(source: bytes) -> list[str]:
    """Return all text, comments left out, of a source; docstrings are among it."""
    tokens = tokenize.generate_tokens(io.StringIO(source.decode()).readline)
    return [token.string for token in tokens if token.type == tokenize.STRING]


def annotations(source: bytes) -> list[str]:
    nodes = [
        getattr(node, name, None)
        for node in ast.walk(ast.parse(source))
        for name in ("annotation", "returns")
    ]
    return [ast.dump(node) for node in nodes if node is not None]


@pytest.mark.slow
def test_changes_of_the_real_source_leave_words_and_types_alone(real):
    generator = random.Random(0)
    for file in generator.sample(sorted(real), 25):
        source = real[file]
        all_words, all_types = Counter(words(source)), annotations(source)
        found = mutations(source, file)
        for one in generator.sample(found, min(4, len(found))):
            after = applied(one, source)
            try:
                ast.parse(after)
            except SyntaxError:
                continue  # a comment between two terms: the choice looks for another
            assert Counter(words(after)) <= all_words  # a dropped term may hold a name of a column
            if one.kind not in ("term", "factor", "arguments"):
                assert Counter(words(after)) == all_words
            assert Counter(annotations(after)) <= Counter(all_types)


@pytest.mark.parametrize(
    ("log", "test"),
    [
        ("tests/a.py::test_x[a b] PASSED [ 50%]\ntests/a.py::test_y FAILED [100%]\n", "tests/a.py::test_y"),
        ("tests/a.py::test_x PASSED [ 50%]\ntests/a.py::test_y ", "tests/a.py::test_y"),
        ("tests/a.py::test_x Fatal Python error: Segmentation fault\n", "tests/a.py::test_x"),
        ("tests/a.py::B::test_x <- tests/b.py ERROR [ 10%]\n", "tests/a.py::B::test_x"),
        ("=== short ===\nERROR tests/a.py - NameError: name\n!!! Interrupted", "tests/a.py"),
        ("ImportError while loading conftest", ""),
    ],
    ids=["failed", "ended", "crashed", "inherited", "not collected", "not begun"],
)
def test_the_test_is_read_from_the_log(log, test):
    assert _last_test(log) == test


MODULE = """\
'''Areas.'''

def area(width, height):
    '''Return 1 * width * height.'''
    return width * height

def unseen(x):
    return x + 41
"""

TESTS = """\
import pytest
from package.shapes import area, unseen

def test_area():
    assert area(2, 3) == 6

def test_that_it_runs():
    unseen(1)

@pytest.mark.nightly
def test_at_night():
    assert unseen(1) == 42
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A made-up project of one module, with a test for half of it."""
    monkeypatch.setenv("SOFTSTRIDE_CACHE_DIR", str(tmp_path / "kernels"))
    root = tmp_path / "a project"
    write(root / "src" / "package" / "engine" / "__init__.py", "")
    write(root / "src" / "package" / "__init__.py", "")
    write(root / "src" / "package" / "engine" / "shapes.py", MODULE)
    write(
        root / "tests" / "engine" / "test_shapes.py", TESTS.replace("package.shapes", "package.engine.shapes")
    )
    # Without the plugins that these tests do not need, pytest starts twice as fast.
    options = "markers = ['slow', 'nightly']\naddopts = ['-p', 'no:hypothesispytest']\n"
    write(root / "pyproject.toml", f"[tool.pytest.ini_options]\n{options}")
    return root


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def put(root: Path, *changes: tuple[str, str], kind: str = "sign") -> Path:
    """Write a table of changes by hand: (line as it is, line as it becomes)."""
    source = (root / "src" / "package" / "engine" / "shapes.py").read_text(encoding="utf-8")
    rows = []
    for number, (before, after) in enumerate(changes, 1):
        line = source.split("\n").index(before) + 1
        one = Mutation("src/package/engine/shapes.py", line, 0, kind, before, after, before, 0)
        rows.append({**vars(one), "number": number, "result": "", "test": "", "seconds": 0.0, "reason": ""})
    settings = {"tree": str(root), "tests": "all", "seed": 1, "count": len(rows), "physics": len(rows)}
    file = root / "build" / "mutations" / "1.json"
    write(file, json.dumps({"settings": settings, "failing": [], "records": rows}))
    return file


def state(root: Path) -> dict[str, bytes]:
    files = [file for file in root.rglob("*") if file.is_file()]
    return {str(f): f.read_bytes() for f in files if "build" not in f.relative_to(root).parts}


SEEN = ("    return width * height", "    return width")
UNSEEN = ("    return x + 41", "    return x - 41")


@pytest.mark.slow
@posix
def test_what_a_test_sees_is_caught_and_the_rest_survives(project, capsys):
    file = put(project, SEEN, UNSEEN)
    before = state(project)
    assert main([], project) == 0
    assert state(project) == before
    first, second = Table.read(file).records
    assert (first.result, first.test) == ("caught", "tests/engine/test_shapes.py::test_area")
    assert (second.result, second.test) == ("survived", "")
    told = capsys.readouterr().out
    assert "physics, readers and solvers: 2 changes, 1 caught, 1 survived" in told
    assert (
        "| 1 | src/package/engine/shapes.py:5 | sign: `return width * height` → `return width` | caught |"
        in told
    )
    assert list((project / "build" / "mutants").iterdir()) == []

    main(["--equivalent", "2", "nobody asks"], project)
    assert Table.read(file).records[1].result == "equivalent"
    with pytest.raises(SystemExit, match="only what survived"):
        main(["--equivalent", "1", "no"], project)
    main(["--only", "2"], project)  # again: what was said of it holds
    assert (Table.read(file).records[1].result, Table.read(file).records[1].reason) == (
        "equivalent",
        "nobody asks",
    )


@pytest.mark.slow
@posix
def test_a_test_that_fails_anyway_catches_nothing(project):
    write(project / "tests" / "engine" / "test_a.py", "def test_never():\n    assert False\n")
    file = put(project, UNSEEN, SEEN)
    main([], project)
    table = Table.read(file)
    assert [record.result for record in table.records] == ["survived", "caught"]
    assert table.failing == ["tests/engine/test_a.py::test_never"]


@posix
def test_a_module_that_cannot_be_imported_is_caught(project):
    file = put(project, ("def unseen(x):", "def unseen(x=nothing):"))
    main([], project)
    (record,) = Table.read(file).records
    assert (record.result, record.test) == ("caught", "tests/engine/test_shapes.py")


class Scripted:
    """Stands for a copy whose runs end as told: (without the change, options) decides."""

    def __init__(self, root: Path, answers: dict[bool, list[Outcome]]) -> None:
        self.root = root
        self.changed_kernels = root / "kernels"
        self.answers = answers
        self.changed = False
        self.asked: list[tuple[bool, list[str], Path]] = []

    def link_kernels(self) -> None: ...

    def told(self) -> str:
        return "usage"

    @contextlib.contextmanager
    def change(self, record):
        self.changed = True
        yield
        self.changed = False

    def run(self, tests, seconds, hang, kernels, *options):
        self.asked.append((self.changed, [*options, *tests], kernels))
        return self.answers[self.changed].pop(0)


HANG = Outcome(None, "tests/engine/test_shapes.py::test_that_it_runs", stuck=True)


def tried(
    project: Path, changed: list[Outcome], unchanged: list[Outcome]
) -> tuple[tuple[str, str], Scripted]:
    table = Table.read(put(project, UNSEEN))
    campaign = Campaign(table, project, Limits(), project / "full")
    copy = Scripted(project, {True: changed, False: unchanged})
    return campaign._try(table.records[0], TestOrder(project), copy), copy


def test_a_test_that_hangs_is_caught_if_it_passes_without_the_change(project):
    answer, copy = tried(project, [HANG], [Outcome(0, HANG.test)])
    assert answer == ("caught (hang)", HANG.test)
    assert copy.asked[-1] == (
        False,
        [HANG.test],
        project / "no-kernels",
    )  # it compiles as the changed one did


def test_a_test_that_is_as_slow_without_the_change_is_left_out_once(project):
    answer, copy = tried(project, [HANG, Outcome(0, "")], [HANG])
    assert answer == ("survived", "")
    assert f"--deselect={HANG.test}" in copy.asked[-1][1]


@pytest.mark.parametrize("outcome", [Outcome(4, ""), Outcome(3, ""), Outcome(None, "", stuck=True)])
def test_what_also_goes_wrong_without_a_change_is_no_catch(project, outcome):
    with pytest.raises(Broken, match="usage"):
        tried(project, [outcome], [outcome])
    answer, copy = tried(project, [outcome], [Outcome(0, "")])
    assert answer[0].startswith("caught")
    assert set(copy.asked[0][1]) < set(copy.asked[1][1])  # asked with the same options


@pytest.mark.slow
@posix
def test_a_run_ends_at_a_test_that_does_not(project, tmp_path):
    write(project / "tests" / "test_long.py", "import time\n\ndef test_long():\n    time.sleep(600)\n")
    (tmp_path / "copy").mkdir()
    copy = Copy(project, tmp_path / "copy", tmp_path, None, threading.Event())
    assert copy.run(["tests/test_long.py"], 60, 1, tmp_path) == Outcome(
        None, "tests/test_long.py::test_long", True
    )


@posix
def test_tests_that_cannot_run_say_so(project, capsys):
    write(project / "pyproject.toml", "[tool.pytest.ini_options]\naddopts = ['--no-such-option']\n")
    file = put(project, SEEN)
    assert main([], project) == 1
    assert "no-such-option" in capsys.readouterr().err
    assert results(file) == [""]


@posix
def test_at_the_limit_a_change_has_survived(project):
    put(project, UNSEEN)
    main(["--limit", "0"], project)
    assert Table.read(project / "build" / "mutations" / "1.json").records[0].result == "survived (limit)"


@pytest.mark.slow
@posix
def test_the_same_changes_under_the_tests_of_another_checkout(project, tmp_path):
    file = put(project, UNSEEN, SEEN)
    main([], project)
    other = tmp_path / "other"
    moved = MODULE.replace("def unseen", "# moved\n\ndef unseen").replace("width * height", "height * width")
    write(other / "src" / "package" / "__init__.py", "")
    write(other / "src" / "package" / "engine" / "__init__.py", "")
    write(other / "src" / "package" / "engine" / "shapes.py", moved)
    stronger = TESTS.replace("    unseen(1)\n", "    assert unseen(1) == 42\n", 1)
    write(
        other / "tests" / "engine" / "test_shapes.py",
        stronger.replace("package.shapes", "package.engine.shapes"),
    )
    write(other / "pyproject.toml", (project / "pyproject.toml").read_text())
    main(["--replay", str(file), "--tree", str(other)], project)
    records = Table.read(file.with_name("1-replay-other.json")).records
    assert [record.result for record in records] == ["caught", "lost"]
    assert not (other / "build").exists()


@pytest.mark.slow
@posix
def test_a_killed_campaign_goes_on_where_it_was(project):
    waits = "import os, time\n\ndef test_wait():\n    while os.path.exists(os.environ['GATE']): time.sleep(0.02)\n"
    write(project / "tests" / "engine" / "test_wait.py", waits)
    file = put(project, SEEN, UNSEEN, SEEN)
    gate = project.parent / "gate"
    gate.touch()
    environment = os.environ | {"GATE": str(gate), "PYTHONPATH": str(ROOT)}
    code = "import sys; from pathlib import Path; from tools.mutate import main; "
    code += f"sys.exit(main([], Path({str(project)!r})))"
    for how, returned in ((signal.SIGTERM, STOPPED), (signal.SIGKILL, -signal.SIGKILL)):
        process = subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.DEVNULL)
        try:
            until(lambda number=process.pid: is_waiting(project, number))
            before = state(project)
            process.send_signal(how)
            assert process.wait(600) == returned
        finally:
            process.kill()
            process.wait()
        assert results(file) == ["caught", "", ""]
        assert state(project) == before
    gate.unlink()
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert results(file) == ["caught", "survived", "caught"]
    assert " 1/3 " not in done.stdout and " 2/3 " in done.stdout and " 3/3 " in done.stdout
    assert list((project / "build" / "mutants").iterdir()) == []


def is_waiting(project: Path, process: int) -> bool:
    """Return whether the tests of a campaign have come to the one that waits."""
    logs = (project / "build").glob(f"mutants/{process}-*/0/pytest.log")
    return any("::test_wait" in log.read_text() for log in logs)


def results(file: Path) -> list[str]:
    return [record.result for record in Table.read(file).records]


def until(condition) -> None:
    for _ in range(12000):
        if condition():
            return
        time.sleep(0.05)
    pytest.fail("waited in vain")


@posix
def test_a_table_of_other_settings_is_not_gone_on_with(project):
    put(project, UNSEEN)
    with pytest.raises(SystemExit, match="made with count 1"):
        main(["--count", "7"], project)
    with pytest.raises(SystemExit, match="numbers 1 to 1"):
        main(["--only", "2"], project)
    with pytest.raises(SystemExit, match="not between"):
        main(["--count", "3", "--physics", "4", "--name", "new"], project)


def test_a_list_chooses_and_writes_nothing(project, capsys):
    before = {str(file) for file in project.rglob("*")}
    assert main(["--list", "--count", "3", "--seed", "4"], project) == 0
    assert capsys.readouterr().out.count("| not run |") == 3
    assert {str(file) for file in project.rglob("*")} == before


@pytest.mark.parametrize("command", [["tools/mutate.py"], ["-m", "tools.mutate"]])
def test_both_ways_to_call_it(command):
    done = subprocess.run(
        [sys.executable, *command, "--help"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "--replay build/mutations/1.json" in done.stdout


def test_the_nearest_tests_come_first(tmp_path):
    for room, module, text in [
        ("", "__init__", ""),
        ("engine", "__init__", "from package.engine.base import f\n"),
        ("engine", "base", "f = 1\n"),
        ("engine", "other", ""),
        ("report", "page", "from package.engine import f\n"),
        ("viewer", "window", "from package.report.page import f\n"),
    ]:
        write(tmp_path / "src" / "package" / room / f"{module}.py", text)
    for file, text in [
        ("engine/test_base", "import pytest\n\n@pytest.mark.slow\ndef test_long(): ..."),
        ("engine/test_a", "from package.engine.other import x"),
        ("engine/test_named", "from package.engine import f"),
        ("report/test_said", "import package.engine.base"),
        ("report/test_page", "from package.report import page"),
        ("report/test_far", "import os"),
        ("viewer/test_window", "from package.viewer import window"),
    ]:
        write(tmp_path / "tests" / f"{file}.py", text)
    project = "[tool.pytest.ini_options]\nmarkers = ['slow: long', 'nightly']\n"
    write(tmp_path / "pyproject.toml", project)
    order = TestOrder(tmp_path)
    runs = [
        ([file.removeprefix("tests/") for file in stage.files], stage.marks)
        for stage in order.stages("src/package/engine/base.py")
    ]
    assert runs == [
        (["engine/test_base.py", "engine/test_named.py", "report/test_said.py"], "not slow and not nightly"),
        (["engine/test_a.py"], "not slow and not nightly"),
        (["engine/test_base.py"], "slow and not nightly"),
        (["report/test_page.py", "report/test_far.py"], "not slow and not nightly"),
    ]
    quick = order.stages("src/package/engine/base.py", slow=False)
    assert [stage.marks for stage in quick] == ["not slow and not nightly"] * 3

    write(
        tmp_path / "pyproject.toml", project.replace(", 'nightly'", "")
    )  # pytest refuses marks it does not know
    marks = [stage.options for stage in TestOrder(tmp_path).stages("src/package/engine/base.py")]
    assert marks == [("-m", "not slow"), ("-m", "not slow"), ("-m", "slow"), ("-m", "not slow")]
    write(tmp_path / "pyproject.toml", "")
    assert {stage.options for stage in TestOrder(tmp_path).stages("src/package/engine/base.py")} == {()}
