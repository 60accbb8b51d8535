"""A view draws the frame that the clock is at, and no more than has changed."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from softstride.capture.recording import Event
from softstride.errors import InputError
from softstride.scene import Scene
from softstride.viewer import cameras
from softstride.viewer.stage import ARROW, lit
from softstride.viewer.theme import DARK, LIGHT
from softstride.viewer.view import View


def drawn(server: Any, name: str) -> Any:
    return server.scene.get_handle_by_name(name)


def test_a_frame_is_drawn_where_the_scene_has_it(server: Any, scene: Scene) -> None:
    view = View(server, scene)
    view.seek(float(scene.time[7]))
    assert view.frame == 7
    for i in range(len(scene.links)):
        handle = drawn(server, f"/trial/link_{i}")
        assert handle.position == pytest.approx(scene.poses[7, i, :3], abs=1e-6)
        assert handle.wxyz == pytest.approx(scene.poses[7, i, [6, 3, 4, 5]], abs=1e-6)
    ribbon = drawn(server, "/trial/ribbon_0")
    assert ribbon.vertices == pytest.approx(scene.ribbons[0].corners(7).reshape(-1, 3), abs=1e-6)
    at = drawn(server, "/trial").position
    assert at == pytest.approx([-scene.base[7, 0], 0.0, -scene.base[7, 2]], abs=1e-6)


def test_arrows_stand_on_the_centre_of_pressure(server: Any, scene: Scene) -> None:
    view = View(server, scene)
    arrow = max(scene.arrows, key=lambda each: np.nanmax(each.force[:, 1]))
    frame = int(np.nanargmax(arrow.force[:, 1]))
    view.seek(float(scene.time[frame]))
    shown = drawn(server, "/trial/force_measured").points
    nearest = shown[np.argmin(np.linalg.norm(shown[:, 0] - arrow.point[frame], axis=1))]
    assert nearest[0] == pytest.approx(arrow.point[frame], abs=1e-6)
    assert nearest[1] - nearest[0] == pytest.approx(ARROW * arrow.force[frame] / scene.weight, abs=1e-5)


def test_what_is_not_known_is_not_drawn(server: Any, scene: Scene) -> None:
    blind = np.array(scene.markers.measured)
    blind[3, :5] = np.nan
    lost = [replace(arrow, force=np.full_like(arrow.force, np.nan)) for arrow in scene.arrows]
    hidden = replace(scene, markers=replace(scene.markers, measured=blind), arrows=tuple(lost))
    view = View(server, hidden)
    view.seek(float(scene.time[3]))
    assert drawn(server, "/trial/measured").points.shape == (len(scene.markers.names) - 5, 3)
    assert np.isfinite(drawn(server, "/trial/gaps").points).all()
    assert drawn(server, "/trial/force_measured").points.shape == (0, 2, 3)


def test_muscles_take_the_colour_of_their_activity(server: Any, scene: Scene) -> None:
    activity = np.zeros(scene.muscles.activity.shape)
    activity[4, 0] = 1.0
    active = replace(scene, muscles=replace(scene.muscles, activity=activity))
    view = View(server, active)
    view.seek(float(scene.time[4]))
    colours = drawn(server, "/trial/muscles").colors
    assert np.array_equal(colours[0, 0], lit((214, 40, 32)))
    assert np.array_equal(colours[-1, 0], lit((38, 150, 70)))


def test_hidden_layers_are_not_sent(server: Any, scene: Scene) -> None:
    view = View(server, scene)
    view.show("muscles", False)
    before = drawn(server, "/trial/muscles").points.copy()
    view.step(5)
    assert np.array_equal(drawn(server, "/trial/muscles").points, before)
    assert not drawn(server, "/trial/muscles").visible
    view.show("muscles", True)  # it catches up
    ends, _ = scene.muscles.segments()
    assert drawn(server, "/trial/muscles").points == pytest.approx(scene.muscles.points[5][ends], abs=1e-6)
    with pytest.raises(InputError, match="'hair' is no layer of this view; there are: bones"):
        view.show("hair", True)


def test_a_frame_sends_what_moves_and_a_long_trial_no_more(server: Any, scene: Scene) -> None:
    """Solids are sent once: bytes of a frame do not depend on the length of the trial."""
    over = np.arange(10_000) % scene.n_frames
    long = replace(
        scene,
        time=np.arange(10_000) / 200.0,
        poses=scene.poses[over],
        base=scene.base[over],
        ribbons=tuple(part.take(over) for part in scene.ribbons),
        markers=scene.markers.take(over),
        arrows=tuple(part.take(over) for part in scene.arrows),
        muscles=scene.muscles.take(over),
        doubtful=None,
    )
    view = View(server, long)
    sent: list[Any] = []
    put = server._websock_server.queue_message
    server._websock_server.queue_message = lambda message: (sent.append(message), put(message))
    view.toggle()
    sent.clear()
    for _ in range(5):
        assert view.tick(0.02)
    assert view.frame == 20
    size = sum(_bytes(message) for message in sent) / 5
    assert 5_000 < size < 60_000  # a few kilobytes of poses, points and colours
    server._websock_server.queue_message = put


def _bytes(message: Any) -> int:
    def count(value: Any) -> int:
        if isinstance(value, np.ndarray):
            return value.nbytes
        if isinstance(value, dict):
            return sum(count(each) for each in value.values())
        return 8

    return sum(count(value) for value in vars(message).values())


def test_the_ghost_goes_with_the_person_at_the_same_event(server: Any, scene: Scene) -> None:
    events = (Event("strike", 0.40, "left"),)
    later = replace(scene, time=scene.time + 5.0, events=(Event("strike", 5.50, "left"),), name="later")
    view = View(server, replace(scene, events=events), ghost=later)
    view.seek(0.60)
    assert view.ghost.frame == later.frame_at(5.70)
    there = drawn(server, "/ghost").position + later.base[view.ghost.frame]
    here = drawn(server, "/trial").position + scene.base[view.frame]
    assert there[[0, 2]] == pytest.approx(here[[0, 2]], abs=1e-5)
    view.set_aside(0.7)
    there = drawn(server, "/ghost").position + later.base[view.ghost.frame]
    assert there[2] - here[2] == pytest.approx(0.7, abs=1e-5)
    view.show("ghost", False)
    assert not any(view.ghost.visible.values())


def test_without_common_events_both_start_together(server: Any, scene: Scene) -> None:
    view = View(server, replace(scene, events=()), ghost=replace(scene, time=scene.time + 3.0, events=()))
    view.seek(0.5)
    assert view.ghost.frame == view.frame


def test_a_camera_follows_or_stands_still(server: Any, scene: Scene) -> None:
    view = View(server, scene)
    view.follow(False)
    view.seek(float(scene.time[0]))
    still = drawn(server, "/trial").position
    view.seek(float(scene.time[-1]))
    assert np.array_equal(drawn(server, "/trial").position, still)


def test_every_camera_has_the_whole_person_in_its_picture(scene: Scene) -> None:
    for preset in cameras.DIRECTIONS:
        for aspect in (0.6, 1.4):
            position, target = cameras.look(scene, preset, True, aspect)
            forward = (target - position) / np.linalg.norm(target - position)
            right = np.cross(forward, (0.0, 1.0, 0.0))
            right /= np.linalg.norm(right)
            for point in ((0.0, 0.02, 0.0), (0.0, 1.75, 0.0), (0.35, 1.0, 0.3), (-0.35, 1.0, -0.3)):
                away = np.array(point) - position
                depth = away @ forward
                wide = abs(away @ right) / depth / np.tan(cameras.FIELD / 2) / aspect
                high = abs(away @ np.cross(right, forward)) / depth / np.tan(cameras.FIELD / 2)
                assert max(wide, high) < 1.0, (preset, aspect, point)
    with pytest.raises(InputError, match="'below' is no camera; there are: side"):
        cameras.look(scene, "below", True)


def test_light_and_dark_paint_what_is_drawn(server: Any, scene: Scene) -> None:
    told: list[bool] = []
    view = View(server, scene)
    view.on_change(lambda: told.append(view.dark))
    view.set_dark(True)
    torso = scene.links.index("torso")
    assert tuple(drawn(server, f"/trial/link_{torso}/bones").color) == DARK.bones
    assert view.theme is DARK and told == [True]
    view.set_dark(False)
    assert tuple(drawn(server, f"/trial/link_{torso}/bones").color) == LIGHT.bones


def test_another_motion_of_the_same_person_moves_the_same_solids(server: Any, scene: Scene) -> None:
    view = View(server, scene)
    view.seek(float(scene.time[-1]))
    short = scene.take(np.arange(10))
    view.change(short)
    assert view.player.stop == short.time[-1] and view.frame == 9
    assert drawn(server, "/trial/link_0").position == pytest.approx(short.poses[9, 0, :3], abs=1e-6)
    with pytest.raises(InputError, match="the same links"):
        view.change(replace(scene, markers=None))
