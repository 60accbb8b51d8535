"""`softstride info`: the installation and packaged models; recordings are in test_info_recording."""

import pytest

import softstride


def test_installation(run) -> None:
    shown = run("info")
    assert shown.exit_code == 0
    for word in (softstride.__version__, "python", "cpu", "lanes", "threads", "kernel cache"):
        assert word in shown.words


def test_installation_for_programs(run) -> None:
    figures = run("info", "--json").figures
    assert figures["version"] == softstride.__version__
    assert figures["lanes"] >= 1
    assert figures["threads"] >= 1
    assert figures["cache_bytes"] >= 0


def test_the_cache_folder_follows_the_environment(run, monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("SOFTSTRIDE_CACHE_DIR", str(tmp_path))
    figures = run("info", "--json").figures
    assert figures["cache_folder"] == str(tmp_path)
    assert figures["cache_bytes"] == 0


@pytest.mark.parametrize(("name", "nv"), [("athlete", 148), ("athlete-rigid", 130)])
def test_packaged_model(run, name: str, nv: int) -> None:
    figures = run("info", name, "--json").figures
    assert figures["nv"] == nv
    assert 60.0 < figures["mass"] < 80.0
    shown = run("info", name)
    assert shown.exit_code == 0
    assert f" {nv} " in shown.words
    assert "mass [kg]" in shown.words


def test_an_unknown_model_lists_the_known_ones(run) -> None:
    shown = run("info", "acrobat")
    assert shown.exit_code == 2
    assert "athlete, athlete-rigid" in shown.stderr
