"""The line of a stage: how long it took, or how to run it again; and its exit code."""

import signal
import sys

import pytest
from tools.stage import main, run


def python(code):
    return [sys.executable, "-c", code]


def test_a_stage_that_succeeds_says_its_seconds(capfd):
    assert main(["--again", "make lint", "lint", "--", *python("print('hello')")]) == 0
    out = capfd.readouterr().out.splitlines()
    assert out[0] == "hello"
    assert out[1].startswith("== lint: ok in ")


def test_a_stage_that_fails_keeps_its_code_and_says_how_to_repeat_it(capfd):
    assert main(["--again", "make lint", "lint", "--", *python("raise SystemExit(7)")]) == 7
    assert capfd.readouterr().out.endswith("; again: make lint\n")


@pytest.mark.skipif(sys.platform == "win32", reason="processes there do not end by signals")
def test_a_signal_is_told_as_shells_do():
    end = f"import os; os.kill(os.getpid(), {int(signal.SIGKILL)})"
    assert run("tests", python(end), "make test") == 128 + signal.SIGKILL


def test_a_command_that_is_missing_fails(capfd):
    assert run("tests", ["no-such-command-anywhere"], "make test") == 127
    assert "cannot be run" in capfd.readouterr().err


def test_no_command_is_refused(capfd):
    with pytest.raises(SystemExit):
        main(["--again", "make lint", "lint"])
    assert "no command" in capfd.readouterr().err


def test_other_codes_may_be_as_good(capfd):
    assert run("tests", python("raise SystemExit(5)"), "make check", {5: "nothing to do"}) == 0
    assert capfd.readouterr().out.startswith("== tests: nothing to do, ")
