"""The benchmarks of loads without force plates and of its programs run, and return what programs rely on."""

import json
import math

import numpy as np
import pytest

from bench import cone_qp, grf


@pytest.mark.nightly
def test_a_quick_run_returns_every_figure(capsys):
    figures = grf.main(json=True, quick=True)
    wanted = {"fps", "default_fps", "processor_us", "threads_speedup", "converged", "believed"}
    assert figures.keys() == {f"athlete_{end}" for end in wanted}
    assert all(math.isfinite(value) and value > 0.0 for value in figures.values())
    assert 0.99 < figures["athlete_converged"] <= 1.0
    assert figures["athlete_believed"] > 0.97, "somebody runs on the ground"
    assert figures["athlete_fps"] > 100.0, "far below the target, on whatever machine"
    assert json.loads(json.dumps(figures)) == figures
    assert capsys.readouterr().out == "", "with json the caller prints"


def test_the_timed_motion_goes_there_and_back():
    import softstride as ss

    model = ss.load_model("gait")
    q = np.tile(model.neutral(), (10, 1)) + np.linspace(0.0, 0.1, 10)[:, None]
    motion = grf.there_and_back(ss.Motion(model, np.arange(10) / 100, q), 25)
    np.testing.assert_array_equal(motion.q[10:20], q[::-1])
    np.testing.assert_array_equal(motion.q[20:], q[:5])
    np.testing.assert_array_equal(motion.v[10:20], -motion.v[9::-1])
    np.testing.assert_array_equal(motion.a[10:20], motion.a[9::-1])
    assert len(grf.runner().links) == 50


@pytest.mark.slow
def test_programs_over_cones(capsys):
    pytest.importorskip("clarabel", reason="the benchmark needs its peers")
    pytest.importorskip("daqp", reason="the benchmark needs its peers")
    figures = cone_qp.main(json=True, quick=True)
    assert len(figures) == 7
    assert all(math.isfinite(value) and value > 0.0 for value in figures.values())
    assert figures["cones"] < figures["clarabel, cones"]
    assert figures["pyramids of 8 sides"] < figures["daqp, pyramids of 8 sides"]
    assert figures["cones, four times the frames"] < 3.0 * figures["cones"], "the cost of a frame stays"
    assert capsys.readouterr().out == ""
    cone_qp.main(quick=True)
    assert "us a frame" in capsys.readouterr().out
