"""Poses and frames of a standing trial."""

import numpy as np
import pytest
from tests.models import walker
from tests.trials import recorded, standing

from softstride.capture import Points
from softstride.errors import InputError
from softstride.kinematics.frames import frame_range
from softstride.kinematics.scaling.pose import static_pose
from softstride.kinematics.scaling.static import targets


@pytest.mark.parametrize("root", ["free", "custom"])
@pytest.mark.parametrize("turn", [0.0, 1.6, 3.0, -1.5])
def test_a_known_pose_is_found_whatever_the_heading(root, turn):
    model = walker(root)
    q = standing(model, 1, turn=turn)
    static = recorded(model, q)
    found = static_pose(model, list(model.markers), static.markers.values[0], tolerance=1e-14)
    again = recorded(model, found.state).markers.values
    assert found.converged
    assert np.max(np.abs(again - static.markers.values)) < 1e-6  # exact data: only the tolerance remains
    if root == "custom":
        assert np.allclose(found.state, q[0], atol=1e-5)


def test_limits_of_the_root_do_not_hold_a_person_who_faces_backwards():
    model = walker("custom")
    heading = type(model.coordinates["heading"])("heading", lower=-1.6, upper=1.6, clamped=True)
    model = model.replace(coordinates=dict(model.coordinates) | {"heading": heading})
    q = standing(model, 1, turn=2.9)
    found = static_pose(model, list(model.markers), recorded(model, q).markers.values[0], tolerance=1e-14)
    assert np.allclose(found.state, q[0], atol=1e-5)


def test_goals_locks_and_ranges_are_kept():
    model = walker("custom")
    q = standing(model, 1)
    knee = model.coordinates["knee_r"]
    model = model.replace(
        coordinates=dict(model.coordinates)
        | {
            "knee_r": type(knee)("knee_r", default=0.3, locked=True),
            "ankle_l": type(knee)("ankle_l", lower=0.5, upper=1.0, default=0.6, clamped=True),
        }
    )
    static = recorded(model, q)
    found = static_pose(
        model,
        list(model.markers),
        static.markers.values[0],
        goals={"flex_l": (0.4, 1e6), "add_l": (0.1, 0.0)},
    ).state
    place = {name: i for i, name in enumerate(model.coordinate_names)}
    assert found[place["knee_r"]] == 0.3
    assert found[place["ankle_l"]] == 0.5
    assert np.isclose(found[place["flex_l"]], 0.4, atol=1e-6)
    assert not np.isclose(found[place["add_l"]], 0.1, atol=1e-3)


def test_a_limit_is_the_best_place_within_the_limit():
    """A knee that may not go where the markers are: the others settle as if it were locked there."""
    model = walker("custom")
    static = recorded(model, standing(model, 1))
    target, names = static.markers.values[0], list(model.markers)
    Coordinate = type(model.coordinates["knee_r"])

    def solved(**options):
        limited = dict(model.coordinates) | {"knee_r": Coordinate("knee_r", **options)}
        return static_pose(model.replace(coordinates=limited), names, target, tolerance=1e-13)

    free = solved(lower=-0.9, upper=-0.6, default=-0.7, clamped=True)
    locked = solved(default=-0.6, locked=True)
    assert free.state[model.coordinate_names.index("knee_r")] == -0.6
    assert np.allclose(free.state, locked.state, atol=1e-6)
    assert free.iterations < 40  # the solver knows that it is at the limit


def test_goals_must_be_coordinates():
    model = walker()
    with pytest.raises(InputError, match="no coordinate"):
        static_pose(model, ["trunk0"], np.zeros((1, 3)), goals={"tail": (0.0, 1.0)})
    with pytest.raises(InputError, match="at least one marker"):
        static_pose(model, ["trunk0"], np.full((1, 3), np.nan))


def test_frames_enclose_the_range():
    time = np.arange(11) / 10.0
    assert frame_range(time, None) == slice(0, 11)
    assert frame_range(time, (0.2, 0.5)) == slice(2, 6)
    assert frame_range(time, (0.25, 0.45)) == slice(2, 6)
    assert frame_range(time, (0.3, 0.3)) == slice(3, 4)
    assert frame_range(time, (-5.0, 50.0)) == slice(0, 11)
    with pytest.raises(InputError, match="outside"):
        frame_range(time, (2.0, 3.0))
    with pytest.raises(InputError, match="start"):
        frame_range(time, (0.5, 0.4))


def test_medians_leave_out_what_was_not_seen():
    model = walker()
    static = recorded(model, standing(model, 20))
    values = static.markers.values.copy()
    values[:10, 0] = np.nan  # gone for half of the time
    values[:, 1] = np.nan
    values[3, 2] += 5.0  # a ghost in one frame
    labels = (*static.markers.labels[:-1], "ghost")
    seen = targets(model, static.replace(markers=Points(static.markers.time, labels, values)), blocks=4)
    lost = [static.markers.labels[1], static.markers.labels[-1]]
    assert seen.names == tuple(name for name in model.markers if name not in lost)
    assert np.isnan(seen.values[:2, 0]).all()
    assert np.isfinite(seen.values[2:, 0]).all()
    assert np.max(np.abs(seen.values[0, 1] - values[0, 2])) < 0.01
    assert any("ghost" in str(note) for note in seen.notes)
    assert any(lost[0] in str(note) and lost[1] in str(note) for note in seen.notes)
    with pytest.raises(InputError, match="none of the markers"):
        targets(model, static.replace(markers=Points(static.markers.time, ("a",), values[:, :1])))
    with pytest.raises(InputError, match="was seen"):
        targets(
            model, static.replace(markers=Points(static.markers.time, labels, np.full_like(values, np.nan)))
        )
