"""The guide to the digital athlete runs and prints what it says."""

import contextlib
import io

import pytest
from tests.test_docs import BLOCK, ROOT

GUIDE = ROOT / "docs" / "digital_athlete.md"


@pytest.mark.slow
def test_the_guide_runs_from_top_to_bottom():
    text = GUIDE.read_text(encoding="utf-8")
    blocks = list(BLOCK.finditer(text))
    assert len(blocks) == text.count("```python") == 3
    namespace = {"__name__": "guide"}
    for block in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block["code"], str(GUIDE), "exec"), namespace)
        assert printed.getvalue().split() == (block["output"] or "").split()


@pytest.mark.slow
def test_the_table_is_that_of_the_benchmark():
    from bench import athlete_muscles

    figures = athlete_muscles.main(json=True, quick=True)
    rows = {
        "optimisation against EMG": "plain_emg",
        "the same, in % of the largest f_max as in the paper": "paper",
        "optimisation against truth": "plain_truth",
        "EMG alone against truth": "emg_truth",
        "with EMG against EMG": "informed_emg",
        "with EMG against truth": "informed_truth",
    }
    muscles = {
        f"{words}, {side}": f"{stem}_{side[0]}"
        for words, stem in (("biceps femoris", "bflh"), ("semitendinosus", "semiten"))
        for side in ("right", "left")
    }
    muscle = ""
    found = 0
    for line in GUIDE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        muscle = muscles.get(cells[0], muscle)
        if len(cells) == 7 and cells[1] in rows:
            for i, (side, cell) in enumerate(
                zip(["right", "left", "right", "left", "right"], cells[2:], strict=True), 1
            ):
                with_plates = float(cell.partition("/")[0])
                value = figures[f"running_plates_{muscle}_{i}_{side}_{rows[cells[1]]}"]
                assert with_plates == pytest.approx(value, abs=0.0501), (muscle, cells[1], i)
                found += 1
    assert found == len(muscles) * len(rows) * 5
