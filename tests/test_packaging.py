"""What is shipped: the wheel holds all of the package, installs on its own, imports lightly; papers are in order."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
HEAVY = (
    *("numba", "llvmlite", "numpy", "scipy", "matplotlib", "xarray", "pandas", "plotly", "viser", "h5py"),
    *("h5netcdf", "pyarrow", "dask", "distributed", "sympy", "casadi", "typer", "rich", "defusedxml"),
)
PIN = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*==[0-9][0-9a-z.+]*")


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def requirements() -> set[str]:
    """Names of all packages that the project asks for, extras included."""
    lists = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    names = {normal(re.split(r"[\s\[<>=!~;]", line)[0]) for each in lists for line in each}
    return names - {"softstride"}


def pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    found = [line for line in lines if line and not line.startswith("#")]
    assert all(PIN.fullmatch(line) for line in found), [line for line in found if not PIN.fullmatch(line)]
    assert found == sorted(found) and len(found) == len(set(found))
    return dict(line.split("==") for line in found)


def test_every_requirement_is_pinned_by_name_and_version_alone() -> None:
    assert requirements() <= set(pins())


def test_pins_lie_within_the_ranges_of_the_package() -> None:
    from packaging.requirements import Requirement

    known = pins()
    for each in (PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()):
        for line in each:
            asked = Requirement(line)
            assert asked.name == "softstride" or asked.specifier.contains(known[normal(asked.name)]), line


def test_what_is_installed_here_is_what_is_pinned() -> None:
    """Else the pins are of another environment than the tests."""
    from importlib.metadata import PackageNotFoundError, version

    apart = {}
    for name, pinned in pins().items():
        try:
            if version(name) != pinned:
                apart[name] = (version(name), pinned)
        except PackageNotFoundError:
            continue
    assert apart == {}


def test_the_import_loads_nothing_heavy() -> None:
    """Counted in modules, which no busy machine changes; the time is bounded in test_import.py."""
    probe = (
        "import json, sys; before = set(sys.modules); import softstride; "
        "print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    loaded = json.loads(done.stdout)
    assert not {name.partition(".")[0] for name in loaded} & set(HEAVY)
    assert [name for name in loaded if name.startswith("softstride")] == [
        "softstride", "softstride._version", "softstride.errors",
    ]  # fmt: skip


def test_the_citation_file_is_whole() -> None:
    yaml = pytest.importorskip("yaml", reason="no PyYAML: pip install 'softstride[docs]'")
    from softstride import __version__

    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(cited)  # what CFF 1.2 requires
    assert cited["cff-version"] == "1.2.0" and cited["type"] == "software"
    assert cited["version"] == __version__ and cited["license"] == PROJECT["license"]
    assert cited["authors"] == [{"name": "softstride contributors"}]


def test_the_contributing_guide_leads_to_every_recipe() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#\s]+)\)", text):
        assert (ROOT / target).exists(), target
    for recipe in (ROOT / "docs" / "recipes").glob("*ing-a*.md"):
        assert f"docs/recipes/{recipe.name}" in text, recipe.name
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^make ([\w-]+)", text, flags=re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), target


def test_changelog_and_licence_are_there() -> None:
    assert "## [Unreleased]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "Apache License" in (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert PROJECT["license-files"] == ["LICENSE"] and "Typing :: Typed" in PROJECT["classifiers"]


def test_the_check_run_tests_then_builds_and_never_fails_for_want_of_a_browser() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert re.findall(r"^make ([\w-]+)$", script, flags=re.MULTILINE) == [
        "test",
        "check-bounds",
        "docs",
        "wheel",
    ]
    assert script.index("chromium") < script.index("make test")
    assert re.search(r"apt-get install .*chromium; } [^\n]*\|\|\n\s+echo", script)
    if os.name != "posix":
        pytest.skip("no shell of POSIX to read it, and no file that may be run or not")
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    subprocess.run(["bash", "-n", str(ROOT / ".ci" / "run")], check=True)


def workflows() -> dict[str, dict]:
    yaml = pytest.importorskip("yaml", reason="no PyYAML: pip install 'softstride[docs]'")
    folder = ROOT / ".github" / "workflows"
    return {file.name: yaml.safe_load(file.read_text(encoding="utf-8")) for file in folder.iterdir()}


def matrix(job: dict) -> list[dict]:
    return job.get("strategy", {}).get("matrix", {}).get("include", [{}])


def test_workflows_may_only_read_and_give_way_to_newer_runs() -> None:
    assert set(workflows()) == {"checks.yml", "nightly.yml"}
    for name, flow in workflows().items():
        assert flow["permissions"] == {"contents": "read"}, name
        assert flow["concurrency"]["cancel-in-progress"] is True, name
        for job in flow["jobs"].values():
            assert "permissions" not in job and job["timeout-minutes"] <= 360
            used = [step["uses"] for step in job["steps"] if "uses" in step]
            assert all(re.fullmatch(r"actions/[a-z-]+@v[0-9]+", action) for action in used), used


def test_workflows_call_targets_that_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    known = {"nightly", *re.findall(r"^([a-z-]+):", makefile, flags=re.MULTILINE)}
    called = set()
    for flow in workflows().values():
        for job in flow["jobs"].values():
            commands = " ".join(step.get("run", "") for step in job["steps"])
            for target in re.findall(r"\bmake PYTHON=python (\$\{\{ matrix\.target \}\}|[a-z-]+)", commands):
                called |= {row["target"] for row in matrix(job)} if target.startswith("$") else {target}
    assert called <= known
    assert {"test", "quick", "check-bounds", "docs", "wheel", "nightly"} <= called


def test_workflows_cover_the_pythons_that_are_promised() -> None:
    promised = [line.rpartition(" ")[2] for line in PROJECT["classifiers"] if " 3." in line]
    rows = matrix(workflows()["checks.yml"]["jobs"]["linux"])
    assert [row["python"] for row in rows] == promised
    between = ["quick"] * (len(rows) - 2)
    assert [row["target"] for row in rows] == ["test", *between, "test"]
    for flow in workflows().values():
        for job in flow["jobs"].values():
            given = [step.get("with", {}).get("python-version") for step in job["steps"]]
            assert {each for each in given if each and not each.startswith("$")} <= set(promised)


def test_one_job_waits_for_all_others() -> None:
    jobs = workflows()["checks.yml"]["jobs"]
    last = jobs["all-green"]
    assert set(last["needs"]) == set(jobs) - {"all-green"} and last["if"] == "always()"


def test_elsewhere_nothing_but_python_is_needed() -> None:
    job = workflows()["checks.yml"]["jobs"]["elsewhere"]
    assert job["strategy"]["matrix"]["system"] == ["macos-latest", "windows-latest"]
    commands = [step["run"] for step in job["steps"] if "run" in step]
    assert all(command.split()[0] in ("python", "softstride") and "\n" not in command for command in commands)
    assert "softstride demo --out demo" in commands


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy: what earlier builds left behind is not packed again."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "src", source / "src", ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, str(source)], check=True)
    (built,) = folder.glob("softstride-*-py3-none-any.whl")
    return built


@pytest.mark.slow
def test_the_wheel_holds_every_file_of_the_package(wheel: Path) -> None:
    source = ROOT / "src"
    files = {
        path.relative_to(source).as_posix()
        for path in (source / "softstride").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    with zipfile.ZipFile(wheel) as packed:
        names = {name for name in packed.namelist() if name.startswith("softstride/")}
    assert names == files
    assert "softstride/py.typed" in names and any(name.endswith(".c3d") for name in names)


@pytest.mark.slow
def test_the_wheel_installs_and_runs_without_the_sources(wheel: Path, tmp_path: Path) -> None:
    """In a fresh environment that sees the dependencies of this one, not its editable installation."""
    fresh = tmp_path / "environment"
    venv.create(fresh, with_pip=False)
    suffix = sysconfig.get_config_var("EXE")  # ".exe" on Windows
    scripts = fresh / ("Scripts" if sys.platform == "win32" else "bin")
    python = scripts / f"python{suffix}"
    place = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    (Path(place) / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    options = ["--quiet", "--no-deps", "--no-index", "--force-reinstall"]
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", *options, str(wheel)]
    subprocess.run(pip, check=True, cwd=tmp_path)

    def said(*command: str) -> str:
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
        return done.stdout.strip()

    from softstride import __version__

    assert said(str(scripts / f"softstride{suffix}"), "--version") == f"softstride {__version__}"
    probe = (
        "import pathlib, softstride as ss; home = pathlib.Path(ss.__file__).parent; "
        f"print(home.is_relative_to(pathlib.Path(r'{place}')), (home / 'py.typed').is_file(), "
        "ss.load_model('gait').nv, len(ss.planar.chain_names()) > 0)"
    )
    assert said(str(python), "-I", "-c", probe) == "True True 37 True"
