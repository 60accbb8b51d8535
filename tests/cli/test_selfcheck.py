"""`softstride selfcheck` prints a table or JSON, and its exit code tells."""

import math

import pytest

from softstride import selfcheck

NAMES = {
    "spatial.exp_log",
    "engine.reference_tau",
    "engine.forward_inverse",
    "engine.derivatives",
    "engine.energy",
    "engine.elastica",
    "kinematics.round_trip",
    "kinematics.variance",
}


@pytest.fixture
def fake_checks(monkeypatch) -> None:
    checks = {
        "engine.good": selfcheck.Check("one is one", lambda: 1.0, 1.0, 1e-9),
        "spatial.bad": selfcheck.Check("one is two", lambda: 1.0, 2.0, 1e-9),
        "spatial.nan": selfcheck.Check("not a number", lambda: math.nan, 0.0, 1e9),
    }
    monkeypatch.setattr(selfcheck, "CHECKS", checks)


def test_the_checks_of_this_version_exist() -> None:
    assert set(selfcheck.CHECKS) >= NAMES


def test_success(run, fake_checks) -> None:
    done = run("selfcheck", "engine.good")
    assert done.exit_code == 0
    assert "engine.good 1 1 1e-09 ok" in done.words


def test_failure_is_exit_code_1(run, fake_checks) -> None:
    done = run("selfcheck")
    assert done.exit_code == 1
    assert "FAILED" in done.words


def test_for_programs(run, fake_checks) -> None:
    done = run("selfcheck", "--json")
    assert done.exit_code == 1
    assert done.figures["engine.good"] == {"value": 1.0, "reference": 1.0, "tolerance": 1e-9, "ok": True}
    assert done.figures["spatial.bad"]["ok"] is False
    assert done.figures["spatial.nan"] == {"value": None, "reference": 0.0, "tolerance": 1e9, "ok": False}


def test_a_room_runs_its_checks(run, fake_checks) -> None:
    assert set(run("selfcheck", "engine", "--json").figures) == {"engine.good"}


def test_an_unknown_check_lists_the_known_ones(run, fake_checks) -> None:
    done = run("selfcheck", "engine.goo")
    assert done.exit_code == 2
    assert "engine.good" in done.stderr
