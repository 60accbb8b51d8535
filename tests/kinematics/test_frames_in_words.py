"""Frames in words, with and without their times."""

import numpy as np
import pytest

from softstride.kinematics.frames import in_words, spans


@pytest.mark.parametrize(
    ("frames", "words"),
    [
        ([4], "frame 4"),
        ([4, 5], "frames 4 to 5"),
        ([4, 7, 8, 9], "frames 4, 7 to 9"),
        ([0, 2, 4, 6, 8], "frames 0, 2, 4 and 2 more stretches"),
    ],
)
def test_frames_without_times(frames, words):
    assert in_words(np.array(frames)) == words


def test_frames_with_their_times():
    time = 0.01 * np.arange(20)
    assert spans(np.array([4, 7, 8, 9]), time) == "4 (0.040 s), 7 to 9 (0.070 to 0.090 s)"
    assert spans(np.array([0, 2, 4]), time, most=1) == "0 (0.000 s) and 2 more stretches"
    assert spans(np.array([0, 2, 4])) == "0, 2, 4"
