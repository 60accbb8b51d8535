"""Lost markers of a cluster: what it carries goes on without a step, and a note says so."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation
from tests.segments.test_analysis import standing_with_clusters

from softstride.capture import read
from softstride.notes import sentences
from softstride.segments import analyze
from softstride.segments.clusters import rigid_fit
from softstride.segments.gaps import bridge_clusters
from softstride.segments.landmarks import Landmarks

Array = NDArray[np.float64]
SHAPE = np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.15, 0.0], [0.05, 0.05, 0.08], [0.1, 0.1, 0.0]])
LABELS = ("A", "B", "C", "D", "E")


def swinging(skin: float, n: int = 60) -> tuple[Array, Array, Array]:
    """Markers of a cluster that swings, with skin that shifts one of them by a constant, and their time and poses."""
    t = np.arange(n) / 100.0
    R = Rotation.from_rotvec(
        np.stack([0.4 * np.sin(3 * t), 0.1 * t, 0.8 * np.cos(4 * t)], axis=1)
    ).as_matrix()
    origin = np.stack([1.2 * t, 0.05 * np.sin(9 * t), 0.0 * t], axis=1)
    shifted = SHAPE + skin * np.eye(5, 3)[[3, 0, 1, 2, 4]]
    return np.einsum("nij,pj->npi", R, shifted) + origin[:, None], t, R


def bridged(markers: Array, time: Array) -> Landmarks:
    return bridge_clusters(Landmarks(time, {}, clusters={"right thigh": (LABELS, markers)}))


def carried(markers: Array) -> Array:
    """A landmark that the cluster carries, as a rigid fit to its shape of another day finds it."""
    return rigid_fit(markers, SHAPE).apply(np.array([0.02, -0.05, -0.06]))


@pytest.mark.parametrize("gap", [slice(20, 23), slice(0, 4), slice(50, 60)])
def test_a_lost_marker_does_not_move_what_is_carried(gap: slice) -> None:
    """Skin moved by 8 mm: without the bridge a lost marker moves the landmark by more than a millimetre."""
    whole, t, _ = swinging(0.008)
    cut = whole.copy()
    cut[gap, 1] = np.nan
    assert np.linalg.norm(carried(cut) - carried(whole), axis=1).max() > 1e-3
    found = bridged(cut, t)
    assert np.allclose(found.clusters["right thigh"][1], whole, atol=1e-12)
    (note,) = found.notes
    assert str(note).startswith(
        f"right thigh: B is missing from {t[gap][0]:.2f} to {t[gap][-1]:.2f} s: put where"
    )


def test_skin_that_creeps_is_followed() -> None:
    """A marker that glides by 10 mm over the skin: the bridge starts and ends where the marker does."""
    whole, t, R = swinging(0.0)
    whole[:, 1] += np.einsum("nij,j->ni", R, [0.0, 0.0, 1.0]) * np.linspace(0.0, 0.01, len(t))[:, None]
    cut = whole.copy()
    cut[10:38, 1] = np.nan
    assert np.allclose(bridged(cut, t).clusters["right thigh"][1], whole, atol=1e-12)


def test_what_cannot_be_bridged_is_told() -> None:
    whole, t, _ = swinging(0.008)
    cut = whole.copy()
    cut[20:24, 0] = cut[22:26, 1] = cut[21:25, 2] = np.nan  # two are left
    cut[30, 0] = np.nan
    cut[5:, 4] = np.nan
    found = bridged(cut, t)
    labels, markers = found.clusters["right thigh"]
    assert labels == LABELS[:4]
    assert np.isnan(markers[20:24, 0]).all() and np.isfinite(markers[30, 0]).all()
    notes = sentences(found.notes)
    assert "right thigh: E is seen in 5 of 60 frames, and takes no part in its cluster" in notes
    assert "right thigh: A is missing at 0.30 s: put where the others of its cluster carry it" in notes
    told = "A is missing from 0.20 to 0.23 s: no 3 others are seen throughout"
    assert any(told in note for note in notes)
    (rare,) = (note for note in found.notes if note.code == "clusters.marker-rarely-seen")
    assert rare.names == ("E",) and rare.values["frames"] == 5
    opened = [note for note in found.notes if note.code == "clusters.gap-open"]
    assert [note.names for note in opened] == [("A",), ("B",), ("C",)]
    assert opened[0].severity == "warning" and opened[0].span == pytest.approx((0.20, 0.23))
    few = bridge_clusters(Landmarks(t, {}, clusters={"right thigh": (LABELS[:3], cut[:, 2:])}))
    assert few.clusters["right thigh"][0] == LABELS[:3]  # two would fix no pose


def test_nothing_is_said_where_nothing_is_carried() -> None:
    """Gaps of clusters that carry nothing are nobody's business."""
    static = standing_with_clusters()
    values = static.markers.values.copy()
    values[5:8, static.markers.labels.index("RTB1")] = np.nan
    walk = static.replace(markers=replace(static.markers, values=values))
    alone, both = analyze(walk, protocol="full_body"), analyze(walk, static, protocol="full_body")
    assert not any("RTB1 is missing" in str(note) or "RTB1" in note.names for note in alone.notes)
    assert any("RTB1 is missing" in str(note) and note.names == ("RTB1",) for note in both.notes)


def test_a_recorded_gap_makes_no_spike(shared_data: Path) -> None:
    """Three lost frames of one thigh marker made 300 N m at the hip; its moment is now as smooth as at the left."""
    folder = shared_data / "walk_opencap_s4"
    trial = read(folder / "walking1.trc", folder / "walking1_grf.mot")
    study = analyze(trial, read(folder / "static1.trc"), mass=62.6, sex="male")
    right, left = (study.joint(f"{side} hip").projection for side in ("right", "left"))
    assert np.nanmax(np.abs(right)) < 80.0
    jumps = [np.nanmax(np.abs(np.diff(x, axis=0))) for x in (right, left)]
    assert jumps[0] < 1.5 * jumps[1]
    assert any("r_thigh3 is missing from 0.07 to 0.09 s" in str(note) for note in study.notes)
