"""Norms are read from the laboratory's own table, and refused with the way out."""

import numpy as np
import pytest

from softstride.errors import CaptureError
from softstride.report.norms import read_norms, textbook_norms

GOOD = "pct_stride,knee_angle_deg_mean,knee_angle_deg_sd,grf_vertical_N_per_kg_mean\n0,5,4,1\n50,20,5,9\n100,5,4,1\n"


def written(folder, content, name="lab.csv"):
    file = folder / name
    file.write_text(content, encoding="utf-8")
    return file


def test_a_table_with_and_without_bands(tmp_path):
    norms = read_norms(written(tmp_path, GOOD))
    assert norms.source == "lab.csv" and set(norms.curves) == {"knee_angle", "vertical"}
    knee = norms.get("knee_angle", -1.0)
    assert knee.mean.tolist() == [-5.0, -20.0, -5.0] and knee.sd.tolist() == [4.0, 5.0, 4.0]
    assert norms.get("vertical").sd is None and norms.get("hip_angle") is None


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "names no norms"),
        ("pct_stride,elbow\n0,1\n100,2\n", "names no norms"),
        (GOOD.replace("50,20", "50,many"), "no number"),
        (GOOD.replace("50,20", "50,nan"), "not finite"),
        (GOOD.replace("\n50", "\n500"), "does not increase"),
        (GOOD.replace("50,20,5,9", "50"), "no number"),
    ],
)
def test_other_tables_are_refused(tmp_path, content, words):
    with pytest.raises(CaptureError, match=words):
        read_norms(written(tmp_path, content))


def test_no_table_at_all(tmp_path):
    with pytest.raises(CaptureError, match="cannot be read"):
        read_norms(tmp_path / "none.csv")
    rows = "".join(f"{i / 200},1\n" for i in range(10_002))
    with pytest.raises(CaptureError, match="more than 10000"):
        read_norms(written(tmp_path, "pct_stride,knee_angle_deg_mean\n" + rows))


def test_textbook_angles_have_no_band():
    norms = textbook_norms()
    assert all(norm.sd is None for norm in norms.curves.values())
    assert np.ptp(norms.curves["knee_angle"].mean) > 50.0
