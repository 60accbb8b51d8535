"""A scene says of a motion what the engine and the recording say, frame by frame."""

from dataclasses import replace

import numpy as np
import pytest
from tests.scene.runner import running, seen

from softstride.dynamics import solve_id
from softstride.engine import centre_of_mass, path_plan, poses, positions
from softstride.errors import InputError
from softstride.kinematics.motion import Motion
from softstride.model.frame import Frame
from softstride.model.model import Model
from softstride.muscles.paths.line import path_points
from softstride.scene import Scene, build_scene
from softstride.spatial.quaternion import quat_to_matrix

FLOAT32 = 1e-6  # m, of places some metres from the origin


def test_links_are_where_the_engine_has_them(scene: Scene) -> None:
    model, motion, _ = running()
    T = poses(model, motion.q, list(scene.links))
    assert np.abs(scene.poses[..., :3] - T[..., :3, 3]).max() < FLOAT32
    assert np.abs(quat_to_matrix(scene.poses[..., 3:].astype(float)) - T[..., :3, :3]).max() < FLOAT32
    assert np.abs(scene.base - centre_of_mass(model, motion.q)).max() < FLOAT32
    assert scene.weight == pytest.approx(model.mass * 9.80665)


def test_quaternions_do_not_change_their_sign(scene: Scene) -> None:
    q = scene.poses[..., 3:]
    assert np.einsum("fli,fli->fl", q[1:], q[:-1]).min() > 0.0


def test_a_turn_beyond_half_a_circle_stays_smooth() -> None:
    model, motion, _ = running()
    turned = np.repeat(motion.q[:1], 40, axis=0)
    turned[:, model.coordinate_names.index("hip_flexion_l")] = np.linspace(0.0, 4.0 * np.pi, 40)
    spun = build_scene(model, Motion(model, np.arange(40) / 100.0, turned), muscles=False)
    q = spun.poses[:, spun.links.index("femur_l"), 3:]
    assert np.einsum("fi,fi->f", q[1:], q[:-1]).min() > 0.9


def test_the_ribbon_is_the_centre_line_of_the_rod(scene: Scene) -> None:
    model, motion, _ = running()
    (ribbon,) = scene.ribbons
    rod = model.link(ribbon.name).joint
    at = np.linspace(0.0, rod.length, len(ribbon.half_width))  # segments of one length
    T = poses(model, motion.q, [Frame(ribbon.name, at=min(s, rod.length)) for s in at])
    assert np.abs(ribbon.centre - T[..., :3, 3]).max() < 2e-6
    assert np.abs(ribbon.across - T[..., :3, 1]).max() < 2e-6
    length = np.linalg.norm(np.diff(ribbon.centre, axis=1), axis=2).sum(axis=1)
    assert length == pytest.approx(np.full(len(length), rod.length), rel=0.02)
    assert np.ptp(ribbon.centre[:, -1, 1] - ribbon.centre[:, 0, 1]) > 0.02  # it bends under load


def test_sections_are_as_wide_and_as_thick_as_their_inertia_says(scene: Scene) -> None:
    (ribbon,) = scene.ribbons
    corners = ribbon.corners(3)
    width = np.linalg.norm(corners[:, 0] - corners[:, 3], axis=1)
    thickness = np.linalg.norm(corners[:, 0] - corners[:, 1], axis=1)
    assert width == pytest.approx(2.0 * ribbon.half_width, rel=1e-4)
    assert thickness == pytest.approx(2.0 * ribbon.half_thickness, rel=1e-4)
    assert 0.03 < width.min() < width.max() < 0.12 and 0.002 < thickness.min() < thickness.max() < 0.02


def test_markers_measured_and_modelled_stand_side_by_side(scene: Scene) -> None:
    model, motion, recording = running()
    markers = scene.markers
    at = positions(model, motion.q, list(markers.names))
    assert np.abs(markers.model - at).max() < FLOAT32
    for i, name in enumerate(markers.names):
        assert markers.measured[:, i] == pytest.approx(seen(recording, name, motion.time), abs=FLOAT32)


def test_what_was_not_seen_is_nan() -> None:
    model, motion, recording = running()
    values = np.array(recording.markers.values)
    values[:, 0] = np.nan
    hidden = replace(recording, markers=replace(recording.markers, values=values))
    markers = build_scene(model, motion, recording=hidden, muscles=False).markers
    gone = markers.names.index(recording.markers.labels[0])
    assert np.isnan(markers.measured[:, gone]).all()
    assert np.isfinite(markers.measured[:, gone + 1]).all() and np.isfinite(markers.model).all()


def test_arrows_begin_at_the_centre_of_pressure_of_the_plates(scene: Scene) -> None:
    _, motion, recording = running()
    assert {arrow.source for arrow in scene.arrows} == {"measured"}
    loaded = 0
    for arrow, force in zip(scene.arrows, recording.forces, strict=True):
        frames = np.searchsorted(force.time, motion.time - 1e-6)
        assert arrow.force == pytest.approx(force.force[frames], abs=1e-3, nan_ok=True)
        assert arrow.point == pytest.approx(force.point[frames], abs=FLOAT32, nan_ok=True)
        loaded += int((arrow.force[:, 1] > 500.0).sum())
    assert loaded >= 5


def test_forces_outside_their_own_time_are_not_known() -> None:
    model, motion, recording = running()
    short = replace(
        recording,
        forces=tuple(
            replace(f, **{k: getattr(f, k)[:100] for k in ("time", "force", "point", "moment")})
            for f in recording.forces
        ),
    )
    arrows = build_scene(model, motion, recording=short, muscles=False).arrows
    late = motion.time > 0.2
    assert np.isnan(arrows[0].force[late]).all() and np.isfinite(arrows[0].force[0]).all()


@pytest.mark.parametrize(
    ("link", "side"), [("foot_r", "right"), ("right_foot", "right"), ("L.foot", "left"), ("board", "")]
)
def test_arrows_have_the_side_of_their_link(link: str, side: str) -> None:
    model, motion, recording = running()
    loads = solve_id(model, motion, recording)
    wrenches = {name: replace(wrench, link=link) for name, wrench in loads.wrenches.items()}
    arrows = build_scene(model, motion, measured=replace(loads, wrenches=wrenches), muscles=False).arrows
    assert arrows and {arrow.side for arrow in arrows} == {side}


def test_muscles_follow_their_paths_and_know_no_activity_without_forces(scene: Scene) -> None:
    model, motion, _ = running()
    muscles = scene.muscles
    assert muscles.names == tuple(model.muscles) and np.isnan(muscles.activity).all()
    for name in muscles.names[::24]:
        lines = path_points(model, motion.q[5:6], name, arc_points=3)
        line = muscles.line(name)[5]
        assert line[: len(lines[0])] == pytest.approx(lines[0], abs=FLOAT32)
        assert np.all(line[len(lines[0]) :] == line[-1])  # the rest is its end, over and over
    with pytest.raises(InputError, match="is no muscle of the scene"):
        muscles.line("nobody")


def test_one_plan_serves_the_lines_of_all_muscles(monkeypatch: pytest.MonkeyPatch) -> None:
    model, motion, _ = running()
    made: list[str] = []
    make = path_plan.make_path_plan
    monkeypatch.setattr(path_plan, "make_path_plan", lambda *given: made.append("a plan") or make(*given))
    again = model.replace(name="again")  # of which nothing is kept
    few = Motion(again, motion.time[:2], motion.q[:2])
    assert len(build_scene(again, few).muscles.names) > 50 and made == ["a plan"]


def test_segments_of_muscles_join_points_of_one_muscle(scene: Scene) -> None:
    ends, owner = scene.muscles.segments()
    first = scene.muscles.first
    assert np.all(first[owner] <= ends[:, 0]) and np.all(ends[:, 1] < first[owner + 1])
    assert len(ends) == first[-1] - len(scene.muscles.names)


def test_a_motion_of_somebody_else_is_refused() -> None:
    model, motion, _ = running()
    other = Model("other", model.links[:1])
    with pytest.raises(InputError, match="however the model is 'other'"):
        build_scene(other, motion)


def test_the_floor_is_below_a_motion_that_hangs_in_the_air() -> None:
    model, motion, recording = running()
    assert build_scene(model, motion, muscles=False).floor == 0.0  # feet come near to it
    lifted = np.array(motion.q)
    lifted[:, model.coordinate_names.index("pelvis_ty")] += 0.5
    raised = Motion(model, motion.time, lifted)
    ribbon = build_scene(model, raised, muscles=False).ribbons[0]
    floor = build_scene(model, raised, muscles=False).floor
    assert 0.35 < floor <= ribbon.centre[..., 1].min()
    assert build_scene(model, raised, recording=recording, muscles=False).floor == 0.0  # plates know


def test_a_motion_alone_is_enough() -> None:
    model, motion, _ = running()
    alone = build_scene(model, motion, muscles=False)
    assert alone.arrows == () and alone.muscles is None and alone.plates == ()
    assert np.isnan(alone.markers.measured).all()
    assert "markers" in repr(alone)
