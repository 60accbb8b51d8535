"""`softstride demo` conserves energy, bends the blade a little, and draws a picture."""

from pathlib import Path

import pytest

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def swing():
    from softstride.cli.swing import simulate_swing

    return simulate_swing(duration=0.3)


def test_demo_prints_and_draws(run, tmp_path: Path) -> None:
    done = run("demo", "--out", str(tmp_path / "new" / "folder"), "--json")
    assert done.exit_code == 0
    figures = done.figures
    assert figures["duration_s"] == pytest.approx(1.5)
    assert figures["energy_drift_J"] < 1e-3 * figures["peak_kinetic_energy_J"]
    assert 0.1 < figures["max_tip_deflection_mm"] < 50.0
    assert 0.1 < figures["peak_blade_moment_Nm"] < 200.0
    assert Path(figures["picture"]).read_bytes().startswith(PNG)


def test_demo_table_has_units(run, tmp_path: Path, swing, monkeypatch) -> None:
    from softstride.cli import swing as module

    monkeypatch.setattr(module, "simulate_swing", lambda: swing)
    done = run("demo", "--out", str(tmp_path))
    assert done.exit_code == 0
    for word in ("N·m", "mm", "J", "swing.png"):
        assert word in done.words


def test_a_folder_that_cannot_be_made(run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = run("demo", "--out", str(tmp_path / "file" / "folder"))
    assert done.exit_code == 2
    assert "--out" in done.stderr


def test_leg_starts_at_rest_in_the_sagittal_plane(swing) -> None:
    assert swing.motion.energy.kinetic[0] == pytest.approx(0.0, abs=1e-12)
    assert abs(swing.centreline[..., 2]).max() < 1e-9
    assert abs(swing.joints[..., 2]).max() < 1e-9


def test_the_unloaded_blade_follows_its_drawing(swing) -> None:
    """Ends of the rod are exact: the toe of the unloaded blade lies on the last point of the centreline."""
    import numpy as np

    from softstride import engine
    from softstride.cli.swing import CENTRELINE, HIP, SHANK, THIGH

    model = swing.model
    toe = engine.poses(model, model.neutral(), "blade")
    expected = np.array(HIP) + (0.0, -THIGH - SHANK, 0.0) + CENTRELINE[-1]
    np.testing.assert_allclose(toe[:3, 3], expected, atol=1e-12)
