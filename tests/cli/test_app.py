"""Every command explains itself with an example, and errors are one line with exit code 2."""

import io
import subprocess
import sys
from pathlib import Path

import pytest

import softstride
from softstride.cli import app, main

COMMANDS = sorted(command.name or "" for command in app.registered_commands)


def test_the_commands_of_this_version_exist() -> None:
    assert COMMANDS == [
        "analyze",
        "batch",
        "bench",
        "blade",
        "chain",
        "demo",
        "grf",
        "id",
        "ik",
        "info",
        "muscles",
        "reactions",
        "report",
        "segments",
        "selfcheck",
        "view",
        "walk",
    ]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_an_example_and_json(run, command: str) -> None:
    shown = run(command, "--help")
    assert shown.exit_code == 0
    assert f"Example: softstride {command}" in shown.words
    assert "--json" in shown.words


def test_version(run) -> None:
    assert run("--version").stdout.split() == ["softstride", softstride.__version__]


def test_help_lists_every_command(run) -> None:
    shown = run("--help")
    assert shown.exit_code == 0
    assert all(command in shown.words for command in COMMANDS)


def test_an_unknown_command_is_a_usage_error(run) -> None:
    assert run("dance").exit_code == 2


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "utf-8"])
def test_a_sign_that_the_console_lacks_costs_no_results(
    encoding: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A marker of a Polish laboratory, printed where Windows has a Western code page."""
    file = tmp_path / "walk.csv"
    file.write_text("time,Łydka [N]\n0.00,1.5\n0.01,1.6\n0.02,1.7\n", encoding="utf-8")
    printed = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", printed)
    monkeypatch.setattr(sys, "argv", ["softstride", "info", str(file)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    printed.flush()
    text = printed.buffer.getvalue().decode(encoding)
    assert ("Łydka" if encoding == "utf-8" else "?ydka") in text


def test_help_does_not_wait_for_the_compiler() -> None:
    probe = "import sys, softstride.cli; sys.exit('numba' in sys.modules or 'scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", probe], check=False).returncode == 0


def test_the_installed_script_runs() -> None:
    import sysconfig

    script = Path(sysconfig.get_path("scripts")) / f"softstride{sysconfig.get_config_var('EXE')}"
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["softstride", softstride.__version__]
