"""Work over gait cycles: against sines whose work is known, at strikes between frames, and where nobody knows it."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.segments.people import reference_walk

from softstride.capture import Event
from softstride.segments import SegmentStudy, analyze, cycle_work, normalise
from softstride.segments.power import JointPower

Array = NDArray[np.float64]

STRIKES = (0.153, 1.153, 2.153)  # s, between frames
SIZE = 40.0  # W


@pytest.fixture(scope="module")
def study() -> SegmentStudy:
    events = tuple(Event("strike", at, "right") for at in STRIKES)
    return analyze(reference_walk(n=251).replace(events=events), lowpass=None, centres="file")


def powered(study: SegmentStudy, power: Array) -> SegmentStudy:
    """The study with a power of its knee that is given; it drifts, which is no part of the work."""
    knee = study.joint("right knee")
    knee = replace(knee, power=JointPower(power, np.ones_like(power)))
    return replace(study, joints={**study.joints, "right knee": knee})


def of_the_knee(study: SegmentStudy) -> list[tuple[float, float] | None]:
    return [
        None if each.work is None else (each.work.positive, each.work.negative)
        for each in cycle_work(study)
        if each.joint == "right knee"
    ]


def test_a_sine_generates_what_it_absorbs(study: SegmentStudy) -> None:
    """P = p sin(2 pi t) over a period of 1 s: p / pi in each direction, plus its mean where there is one."""
    wave = SIZE * np.sin(2.0 * np.pi * (study.time - 0.4))
    for found in of_the_knee(powered(study, wave)):
        assert found == pytest.approx((SIZE / np.pi, -SIZE / np.pi), rel=1e-3)
    for found in of_the_knee(powered(study, wave + SIZE)):
        assert found == pytest.approx((SIZE, 0.0), rel=1e-3)


def test_strikes_need_not_be_frames(study: SegmentStudy) -> None:
    """A constant power does its work over exactly the time between strikes."""
    for found in of_the_knee(powered(study, np.full(len(study), -SIZE))):
        assert found == pytest.approx((0.0, -SIZE), rel=1e-12)


def test_every_joint_of_the_side_in_every_cycle(study: SegmentStudy) -> None:
    found = cycle_work(study)
    assert [(each.joint, each.start) for each in found] == [
        (joint, start) for joint in ("right ankle", "right knee", "right hip") for start in STRIKES[:2]
    ]
    for each in found:
        power = study.joint(each.joint).power.rotation
        fine = np.linspace(each.start, each.end, 20001)
        net = np.trapezoid(np.interp(fine, study.time, power), fine)
        assert each.work is not None and each.work.net == pytest.approx(net, rel=1e-5)
        assert each.work.positive > 0.0 > each.work.negative


def test_a_cycle_that_is_known_in_part_has_no_work(study: SegmentStudy) -> None:
    power = np.full(len(study), SIZE)
    power[60] = np.nan
    first, second = of_the_knee(powered(study, power))
    assert first is None and second == pytest.approx((SIZE, 0.0))


def test_a_step_beside_the_plates_ends_a_cycle_that_is_known(study: SegmentStudy) -> None:
    """Unknown from the next strike on: the last value holds for the part of a frame that is left."""
    power = np.full(len(study), SIZE)
    power[study.time > STRIKES[1]] = np.nan
    first, second = of_the_knee(powered(study, power))
    assert first == pytest.approx((SIZE, 0.0)) and second is None


def test_without_loads_or_strikes_there_is_none(study: SegmentStudy) -> None:
    assert cycle_work(replace(study, loads=None)) == ()
    still = replace(study, recording=study.recording.replace(events=()))
    assert all(each.side == "right" for each in cycle_work(still))  # found from markers, or none at all


def test_work_is_divided_as_moments_are(study: SegmentStudy) -> None:
    size = replace(study.person, leg=0.9)
    for by in ("none", "mass", "bw_height", "bw_leg", "dimensionless"):
        assert normalise(7.0, "work", by, size) == normalise(7.0, "moment", by, size)
