"""`softstride blade` prints, draws, animates and fits."""

from pathlib import Path

import numpy as np
import pytest

from softstride.cli import blade_animation

PNG = b"\x89PNG\r\n\x1a\n"

FILE = """
points = [[0, 0], [0, -0.1], [0.03, -0.2], [0.1, -0.26], [0.2, -0.27]]
width = 0.06
thickness = 0.010
segments = 3
[material]
young = 60e9
shear = 5e9
density = 1600
damping = 5e-4
"""

QUICK = ("--angles", "0,10", "--max-load", "300")


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "mine.toml").write_text(FILE)
    return str(tmp_path / "mine.toml")


@pytest.mark.slow
def test_a_file_is_tested_drawn_and_animated(run, file, tmp_path: Path) -> None:
    done = run("blade", file, *QUICK, "--out", str(tmp_path / "new" / "folder"), "--json")
    assert done.exit_code == 0
    figures = done.figures
    assert figures["blade"] == "mine" and figures["converged"] is True
    assert figures["angles_deg"] == [0.0, 10.0] and len(figures["stiffness_N_per_m"]) == 2
    assert figures["stiffness_N_per_m"][0] > 1e3
    assert 0.8 < figures["energy_return"][0] < 1.0
    assert figures["deflection_at_1000_N_mm"] == [None, None]  # 300 N were asked for
    assert Path(figures["picture"]).read_bytes().startswith(PNG)
    page = Path(figures["animation"]).read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") and "http" not in page and "mine" in page


@pytest.mark.slow
def test_the_table_has_units(run, file, tmp_path: Path) -> None:
    done = run("blade", file, *QUICK, "--out", str(tmp_path))
    assert done.exit_code == 0
    for word in ("kN/m", "mm", "J", "returned", "R² quadratic", "blade.png", "blade.html"):
        assert word in done.words


@pytest.mark.slow
def test_a_measured_table_is_fitted(run, file, tmp_path: Path) -> None:
    """Twice the deflection of the blade itself: its modulus must come out near half, exactly half for small loads."""
    from softstride.model.blade_file import read_blade
    from softstride.simulation.load_test import load_test

    soft = load_test(read_blade(file).stiffened(0.5), (0,), np.linspace(0.0, 300.0, 6)[1:])
    rows = "\n".join(f"{1e3 * d},{f}" for d, f in zip(soft.deflection[0], soft.force[0], strict=True))
    (tmp_path / "measured.csv").write_text(f"deflection_mm,force_N\n{rows}\n")
    done = run(
        "blade", file, *QUICK, "--fit", str(tmp_path / "measured.csv"), "--out", str(tmp_path), "--json"
    )
    assert done.exit_code == 0
    assert done.figures["young_Pa"] == pytest.approx(30e9, rel=5e-3)
    assert done.figures["fit_rms_mm"] < 0.1


@pytest.mark.slow
def test_rows_of_a_blade_that_gives_way_are_marked(run, tmp_path: Path) -> None:
    """A C shape turned by 25 degrees on a rough ground; upright it carries more."""
    options = ("--angles", "0,25", "--max-load", "600", "--friction", "0.8", "--out", str(tmp_path))
    done = run("blade", "c-medium", *options)
    assert done.exit_code == 0
    figures = run("blade", "c-medium", *options, "--json").figures
    upright, turned = figures["gives_way_at_N"]
    assert upright is None and 300.0 < turned <= 600.0
    assert figures["energy_return"] == [None, None] and figures["sticks"] == [True, True]
    assert "friction would hold the toe at 0°, 25°" in done.words
    assert f"gives way at {turned:.0f} N" in done.words


@pytest.mark.slow
def test_a_load_far_beyond_the_blade(run, tmp_path: Path) -> None:
    done = run("blade", "c-medium", "--angles", "0", "--max-load", "1e6", "--out", str(tmp_path))
    assert done.exit_code == 2
    assert "gives way at about" in done.stderr and "--max-load" in done.stderr
    assert "Warning" not in done.stderr


@pytest.mark.slow
def test_a_packaged_blade(run, tmp_path: Path) -> None:
    done = run("blade", "c-stiff", "--angles", "0", "--out", str(tmp_path), "--json")
    assert done.figures["stiffness_N_per_m"][0] == pytest.approx(33e3, rel=0.03)
    assert "invented" in done.figures["source"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("x-large",), "c-medium"),
        (("none.toml",), "cannot be read"),
        (("c-soft", "--angles", "zero"), "--angles"),
        (("c-soft", "--angles", "0,0"), "--angles"),
        (("c-soft", "--max-load", "-5"), "--max-load"),
        (("c-soft", "--fit", "none.csv"), "cannot be read"),
        (("c-soft", "--fit", "none.csv", "--unknown", "colour"), "--unknown"),
    ],
)
def test_bad_requests(run, tmp_path: Path, arguments, words) -> None:
    done = run("blade", *arguments, "--out", str(tmp_path))
    assert done.exit_code == 2
    assert words in done.stderr


def test_a_folder_that_cannot_be_made(run, file, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = run("blade", file, "--out", str(tmp_path / "file" / "folder"))
    assert done.exit_code == 2
    assert "--out" in done.stderr


def test_the_script_of_the_animation_has_a_scope_of_its_own():
    """Names such as top belong to the window: a constant of that name outside a function stops the whole script."""
    script = blade_animation.PAGE.partition("<script>")[2].partition("</script>")[0].strip()
    assert script.startswith("(()=>{") and script.endswith("})();")
