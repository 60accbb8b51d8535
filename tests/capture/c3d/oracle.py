"""What ezc3d, a second reader, sees in a file beside what we see."""

from typing import Any

import numpy as np

from softstride.capture.c3d import C3DFile


def assert_ezc3d_agrees(ours: C3DFile, theirs: Any) -> None:
    """Compare coordinates, channels, rates and the first frame, number by number.

    Points that we take as missing are zero or no numbers there. Cameras and residuals are not compared: ezc3d takes
    either for the other, see `test_the_high_byte_holds_the_cameras`.
    """
    points = theirs["data"]["points"][:3].transpose(2, 1, 0)
    assert points.shape == ours.points.shape
    measured = ~np.isnan(ours.points[..., 0])
    # ezc3d multiplies in single precision
    np.testing.assert_allclose(ours.points[measured], points[measured], rtol=2e-7, atol=1e-9)
    lost = points[~measured]
    assert np.all(np.isnan(lost) | (lost == 0))
    _assert_same_channels(ours, theirs["data"]["analogs"][0].T)
    assert ours.rate == theirs["header"]["points"]["frame_rate"]
    if ours.analog.size:
        assert ours.analog_rate == theirs["header"]["analogs"]["frame_rate"]
    if ours.first_frame > 0:  # ezc3d counts from 1
        assert ours.first_frame == theirs["header"]["points"]["first_frame"] + 1


def _assert_same_channels(ours: C3DFile, analog: np.ndarray) -> None:
    if not ours.analog.size:
        assert not analog.size
        return
    assert analog.shape == ours.analog.shape
    group = ours.groups["ANALOG"]
    scaled = ~np.isnan(ours.analog).all(axis=0)
    offsets = group["OFFSET"].numbers().ravel()[: len(scaled)]
    factor = group["SCALE"].numbers().ravel()[: len(scaled)] * group["GEN_SCALE"].scalar()
    if "FORMAT" in group and group["FORMAT"].strings()[0].strip().upper() == "UNSIGNED":
        # ezc3d 1.7.2 takes the word 32786, which reads as -32750 with a sign, for 32750
        analog = analog + (np.abs(offsets) - offsets.astype(np.int64) % 65536) * factor
    # (raw - offset) scale in single precision: relative to the largest term
    largest = np.abs(analog).max(axis=0, initial=1e-30)
    tolerance = 1e-6 * (largest + np.abs(offsets * factor))
    assert np.all(np.abs(ours.analog - analog)[:, scaled] <= tolerance[scaled])
    assert np.all(analog[:, ~scaled] == 0)  # a scale of zero: no measurement for us
