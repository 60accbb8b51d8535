"""The site: tutorials run, drawings and tables are those of the code, pages build without warnings and work offline."""

import contextlib
import io
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.browser import browser, page  # noqa: F401
from typer.testing import CliRunner

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
TUTORIALS = [
    pytest.param(DOCS / "start.md", marks=pytest.mark.slow),
    pytest.param(DOCS / "tutorials" / "gait-lab.md", marks=pytest.mark.slow),
    pytest.param(DOCS / "tutorials" / "prosthetist.md", marks=pytest.mark.slow),
    pytest.param(DOCS / "tutorials" / "opensim.md", marks=pytest.mark.slow),
    DOCS / "tutorials" / "roboticist.md",
    DOCS / "tutorials" / "teacher.md",
]
BLOCK = re.compile(
    r"```(?P<kind>python|sh)\n(?P<code>.*?)```(?:\s+```text\n(?P<output>.*?)```)?", flags=re.DOTALL
)
NUMBER = re.compile(r"-?\d+\.\d")
ELSEWHERE = re.compile(r"<(?:script|link|img|iframe)\b[^>]*?\b(?:src|href)=\"(?:https?:)?//[^\"]*")
SEEN = ("index", "start", "theory/rolling", "conventions", "validation", "api/index", "api/commands")


@pytest.mark.parametrize("tutorial", TUTORIALS, ids=lambda path: path.stem)
def test_a_tutorial_runs_from_top_to_bottom(
    tutorial: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python prints what the text after it says; commands of the shell succeed; all in one empty folder."""
    monkeypatch.chdir(tmp_path)
    text = tutorial.read_text(encoding="utf-8")
    namespace: dict[str, object] = {"__name__": "tutorial"}
    blocks = list(BLOCK.finditer(text))
    assert len(blocks) == text.count("```python") + text.count("```sh") > 0
    for block in blocks:
        line = text.count("\n", 0, block.start()) + 1
        if block["kind"] == "sh":
            run_commands(block["code"])
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * line + block["code"], str(tutorial), "exec"), namespace)
        assert printed.getvalue().split() == (block["output"] or "").split(), f"{tutorial.name}, line {line}"


def run_commands(lines: str) -> None:
    from softstride.cli.app import app

    for command in lines.splitlines():
        program, *arguments = shlex.split(command, comments=True)
        assert program == "softstride", command
        done = CliRunner().invoke(app, arguments)
        assert done.exit_code == 0, f"{command}\n{done.output}"


def test_every_tutorial_is_run() -> None:
    run = {each.values[0] if hasattr(each, "values") else each for each in TUTORIALS}
    assert run == {DOCS / "start.md", *(DOCS / "tutorials").glob("*.md")}


def test_the_drawings_are_those_of_the_models(tmp_path: Path) -> None:
    """Words and shapes are equal, numbers to a pixel's half: they come from poses, whose last bits may differ."""
    from docs.drawings.__main__ import main

    drawn = main(tmp_path)
    assert {path.name for path in drawn} <= {path.name for path in (DOCS / "assets").iterdir()}
    for path in drawn:
        new, kept = (
            path.read_text(encoding="utf-8"),
            (DOCS / "assets" / path.name).read_text(encoding="utf-8"),
        )
        assert NUMBER.sub("", new) == NUMBER.sub("", kept), path.name
        places = zip(NUMBER.findall(new), NUMBER.findall(kept), strict=True)
        assert all(abs(float(one) - float(other)) < 0.5 for one, other in places), path.name


def test_the_validation_page_is_laid_out_from_its_results() -> None:
    from docs.make_validation import PAGE, lay_out, read_results

    from softstride.selfcheck import CHECKS

    results = read_results()
    assert PAGE.read_text(encoding="utf-8") == lay_out(results)
    assert set(results["checks"]) == set(CHECKS) and all(each["ok"] for each in results["checks"].values())


def test_the_validation_page_shows_what_was_missed_and_what_is_rough() -> None:
    from docs.make_validation import lay_out, machine

    check = {"value": 2.0, "reference": 1.0, "tolerance": 0.1, "what": "one and two"}
    here = machine()
    text = lay_out(
        {
            "checks": {"a.b": {**check, "ok": False}, "a.c": {**check, "ok": True}},
            "checked_on": here,
            "benchmarks": {
                "contact": {"figures": {"rolling_vs_spheres": 28.04}, "quick": True, "machine": here},
                "read": {"figures": {"c3d_read_s": 0.5}, "quick": False, "machine": here},
            },
        }
    )
    assert "1 of 2 pass" in text and "| `a.b` | one and two | 2 | 1 | 0.1 | **missed** |" in text
    assert "| a leg on a rolling foot | 28.0 times (rough) | the same leg on stiff spheres |" in text
    assert "a minute of C3D" not in text  # its figure was not measured
    assert "| `c3d_read_s` | 0.5 |" in text and "`selfcheck`, `contact`, `read`" in text


def test_the_validation_page_names_no_machine() -> None:
    import getpass
    import platform

    text = (DOCS / "validation.md").read_text(encoding="utf-8") + (DOCS / "validation.json").read_text(
        "utf-8"
    )
    words = set(re.findall(r"[\w.-]+", text))
    assert platform.node() not in words or platform.node() in ("localhost", "softstride")
    assert str(Path.home()) not in text and str(ROOT) not in text
    assert len(getpass.getuser()) < 5 or getpass.getuser() not in words


def test_the_validation_page_knows_every_benchmark() -> None:
    from docs.make_validation import main
    from docs.validation_rows import BENCHMARKS, TABLES

    from softstride.cli.bench import find_benchmarks

    assert set(BENCHMARKS) == set(find_benchmarks())
    assert {row.benchmark for _, _, rows in TABLES for row in rows} <= set(BENCHMARKS)
    with pytest.raises(SystemExit, match="no benchmark 'enigne'"):
        main(["--bench", "enigne"])


def test_the_table_of_theory_counts_the_corrections() -> None:
    words = {"five": 5, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13}
    links = re.findall(r"\[(\w+)\]\((\w+)\.md#[\w-]*corrections-to-the-paper\)", read("theory/index.md"))
    assert [name for _, name in links] == ["rods", "segments", "planar", "rolling", "gait"]
    for count, name in links:
        part = re.split(r"^#+ .*Corrections to the paper$", read(f"theory/{name}.md"), flags=re.MULTILINE)[1]
        part = re.split(r"^#", part, flags=re.MULTILINE)[0]
        rows = [
            row
            for row in re.findall(r"^\| .*\|$", part, flags=re.MULTILINE)
            if "| right as printed |" not in row
        ]
        assert len(rows) - 1 == words[count], name  # less the head


def test_every_cited_key_of_tutorials_and_theory_has_its_reference() -> None:
    known = set(re.findall(r"^\| ([A-Za-z0-9]+) \|", read("references.md"), flags=re.MULTILINE))
    for page_file in (*(DOCS / "tutorials").glob("*.md"), *(DOCS / "theory").glob("*.md")):
        text = page_file.read_text(encoding="utf-8")
        assert set(re.findall(r"^\[(\w+)\]: \S*references\.md$", text, flags=re.MULTILINE)) <= known, (
            page_file.name
        )


def read(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def test_formulas_become_mathml() -> None:
    hook = load_hook("formulas")
    drawn = hook["on_page_content"]('<p><span class="arithmatex">\\(r \\sin a &lt; \\dot x\\)</span></p>')
    assert "arithmatex" not in drawn and drawn.count("<math") == 1
    assert '<mspace width="0.167em" /><mi>sin</mi><mspace width="0.167em" />' in drawn
    assert '<mover accent="true">' in drawn and "&#x0003C;" in drawn


def load_hook(name: str) -> dict[str, Any]:
    import runpy

    return runpy.run_path(str(DOCS / "hooks" / f"{name}.py"))


def test_every_public_name_has_its_place_in_the_reference() -> None:
    import softstride

    hook = load_hook("public_names")
    index = hook["on_page_markdown"](hook["MARK"], _Page("api/index.md"))
    rooms = set(hook["rooms"]())
    assert {"capture", "engine", "errors", "study", "viewer"} <= rooms and "cli" not in rooms
    for name in softstride.__all__:
        told = f"[`{name}`][" in index or f"[{name}]({name}.md)" in index
        assert told or name.startswith("__") or name.endswith("Error"), name


def test_the_page_of_options_has_those_of_every_step() -> None:
    from tests.test_options import KINDS

    text = load_hook("options")["page"]()
    for kind in KINDS:
        assert f"## {kind.__name__}\n" in text and kind.table() in text


class _Page:
    def __init__(self, uri: str) -> None:
        self.file = self
        self.src_uri = uri


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built with every warning an error."""
    pytest.importorskip("mkdocs", reason="no MkDocs: pip install 'softstride[docs]'")
    folder = tmp_path_factory.mktemp("site")
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "--site-dir",
        str(folder),
    ]  # --quiet hides warnings, from --strict too
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.mark.slow
def test_the_site_builds_without_warnings_and_asks_nothing_of_the_network(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 90
    for each in pages:
        text = each.read_text(encoding="utf-8")
        assert not ELSEWHERE.search(text), each.relative_to(site)
        assert "arithmatex" not in text, each.relative_to(site)
    css = "".join(file.read_text(encoding="utf-8") for file in site.rglob("*.css"))
    assert not re.search(r"url\(['\"]?https?:", css)
    assert not list(site.rglob("*.py"))


@pytest.mark.slow
def test_pages_open_from_files_without_a_complaint(site: Path, page: Any) -> None:  # noqa: F811
    for name in SEEN:
        page.goto((site / f"{name}.html").as_uri())
        page.wait_for_load_state("load")
        assert page.locator("h1").count() == 1, name
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, f"{name} is wider than the window"
    page.goto((site / "conventions.html").as_uri())
    sizes = page.evaluate("[...document.querySelectorAll('article img')].map(i => i.naturalWidth)")
    assert len(sizes) == 5 and min(sizes) > 300
    page.goto((site / "index.html").as_uri())
    height = page.locator("math[display=block]").first.bounding_box()["height"]
    assert 15 < height < 90  # drawn as a formula, neither lost nor one sign a line


@pytest.mark.slow
def test_the_search_finds_pages_that_were_opened_from_files(site: Path, page: Any) -> None:  # noqa: F811
    page.goto((site / "index.html").as_uri())
    page.click("input.md-search__input")
    page.wait_for_selector(".md-search-result__meta:text('Type to start searching')")
    page.locator("input.md-search__input").press_sequentially("rolling foot")
    page.wait_for_selector(".md-search-result__item")
    assert "Feet on the ground" in page.locator(".md-search-result__list").inner_text()


def test_the_results_of_validation_are_plain_json() -> None:
    results = json.loads(read("validation.json"))
    assert set(results) == {"benchmarks", "checked_on", "checks"}
