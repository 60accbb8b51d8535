"""Forces on hands from files: the same as a wrench given in Python, no part of what acts on feet."""

import numpy as np
import pytest
from tests.segments.people import standing

from softstride.capture import ExternalForce, Recording
from softstride.dynamics.loads import AppliedWrench
from softstride.errors import InputError
from softstride.segments import analyze, ground_loads

HELD = (0.0, -98.0665, 0.0)
PLACE = (0.03, 0.80, 0.23)


def pushed(
    body: str | None, side: str | None = None, force: tuple[float, float, float] = HELD
) -> ExternalForce:
    t = np.arange(40) / 100.0
    values = (np.tile(force, (40, 1)), np.tile(PLACE, (40, 1)), np.zeros((40, 3)))
    return ExternalForce(body or "plate", t, *values, body=body, side=side)  # type: ignore[arg-type]


def stood(*forces: ExternalForce, without: tuple[str, ...] = ()) -> Recording:
    return standing(40, without=without).replace(forces=forces)


@pytest.mark.parametrize("body", ["hand_r", "Hand.right"])
def test_a_force_on_a_hand_is_that_wrench(body: str) -> None:
    plates = (
        pushed(None, "right", (0.0, 441.0, 0.0)),
        pushed(None, "left", (0.0, 441.0, 0.0)),
    )
    wrench = AppliedWrench("right hand", np.tile(HELD, (40, 1)), np.tile(PLACE, (40, 1)), np.zeros((40, 3)))
    known = analyze(stood(*plates), sex="male", lowpass=None, external=[wrench])
    found = analyze(stood(*plates, pushed(body)), sex="male", lowpass=None)
    assert found.loads is not None and known.loads is not None
    np.testing.assert_allclose(found.loads.force, known.loads.force, atol=1e-9)
    np.testing.assert_allclose(found.loads.moment, known.loads.moment, atol=1e-9)


def test_it_is_no_part_of_the_ground() -> None:
    """Before, a name that ends in _r was the right foot's."""
    recording = stood(pushed(None, "right", (0.0, 441.0, 0.0)), pushed("hand_r"))
    right = ground_loads(recording, recording.markers.time).wrenches[0]
    np.testing.assert_allclose(right.force, np.tile((0.0, 441.0, 0.0), (40, 1)))


def test_hands_alone_leave_the_legs_unknown() -> None:
    study = analyze(stood(pushed("hand_r")), sex="male", lowpass=None)
    assert np.isfinite(study.joint("right elbow").projection).all()
    assert np.isnan(study.joint("right knee").projection).all()


def test_a_hand_that_was_not_built_is_noted() -> None:
    study = analyze(stood(pushed("hand_r"), pushed(None, "right"), without=("RMC2", "RMC5")), lowpass=None)
    (note,) = (note for note in study.notes if note.code == "forces.on-no-hand")
    assert "what acts on the right hand is left out" in str(note) and note.names == ("right hand",)


@pytest.mark.parametrize(
    ("body", "words"), [("hand", "tells no side"), ("radius_r", "segments take forces on feet and hands")]
)
def test_other_parts_of_an_arm_are_refused(body: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        analyze(stood(pushed(body)), lowpass=None)
