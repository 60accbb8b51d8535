"""Blocks of frames shared over threads: the same numbers, from any thread, after a fork."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from softstride import engine
from softstride.engine.lanes import LANES
from softstride.model import athlete

MODEL = athlete()
FRAMES = 40 * LANES + 3  # five pieces of eight blocks: below two of them threads are not used


@pytest.fixture(scope="module")
def state():
    generator = np.random.default_rng(8)
    v, a = generator.normal(size=(2, FRAMES, MODEL.nv))
    return engine.integrate(MODEL, np.tile(MODEL.neutral(), (FRAMES, 1)), v, 0.1), v, a


@pytest.mark.parametrize("threads", [2, 3, 0])
def test_threads_do_not_change_a_bit(state, threads):
    one = engine.inverse_dynamics(MODEL, *state, threads=1)
    np.testing.assert_array_equal(engine.inverse_dynamics(MODEL, *state, threads=threads), one)
    M = engine.mass_matrix(MODEL, state[0], threads=threads)
    np.testing.assert_array_equal(M, engine.mass_matrix(MODEL, state[0], threads=1))


def test_calls_from_many_threads_do_not_meet(state):
    """Each thread has its own scratch, whatever the others compute."""
    expected = engine.inverse_dynamics(MODEL, *state), engine.forward_dynamics(MODEL, *state)

    def work(i):
        function = (engine.inverse_dynamics, engine.forward_dynamics)[i % 2]
        return np.array_equal(function(MODEL, *state, threads=1 + i % 3), expected[i % 2])

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(24)))


def test_the_number_of_threads_is_kept():
    before = engine.get_threads()
    try:
        engine.set_threads(2)
        assert engine.get_threads() == 2
        engine.set_threads(0)
        assert engine.get_threads() >= 1
    finally:
        engine.set_threads(before)


AFTER_A_FORK = """
import multiprocessing, warnings
warnings.simplefilter("ignore")
import numpy as np
import softstride as ss
model = ss.athlete()
q, v = np.tile(model.neutral(), (400, 1)), np.ones((400, model.nv))
expected = ss.inverse_dynamics(model, q, v, v, threads=2)
def child(queue):
    queue.put(bool(np.array_equal(ss.inverse_dynamics(model, q, v, v, threads=2), expected)))
context = multiprocessing.get_context("fork")
queue = context.Queue()
process = context.Process(target=child, args=(queue,))
process.start()
print(queue.get(timeout=600))
process.join(600)
"""


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="this system does not fork")
def test_threads_work_again_after_a_fork():
    result = subprocess.run(
        [sys.executable, "-c", AFTER_A_FORK], capture_output=True, text=True, check=False, timeout=900
    )
    assert result.stdout.strip() == "True", result.stderr
