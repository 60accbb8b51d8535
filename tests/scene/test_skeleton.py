"""A skeleton fits the joints of any model, is closed, and has the mass that the model says."""

import numpy as np
import pytest
from tests.models import the_model
from tests.scene.runner import running

from softstride.engine import poses
from softstride.errors import InputError
from softstride.gait import Body, walker_model
from softstride.scene.shapes import Shape, merge
from softstride.scene.skeleton import shapes

CAPSULE = Shape("capsule", "a", "body", np.array([[0.0, 0.0, 0.0], [0.0, -0.4, 0.1]]), np.array([0.06, 0.04]))
ELLIPSOID = Shape("ellipsoid", "a", "body", np.array([[0.1, 0.2, 0.3]]), np.array([0.1, 0.2, 0.05]))
PLATE = Shape(
    "hull", "a", "body", np.array([[0.0, 0, 0], [0.2, 0, 0], [0.2, 0, 0.1], [0, 0, 0.1]]), np.array([0.01])
)


def volume(shape: Shape) -> float:
    """Enclosed volume [m³]; positive where triangles turn outwards."""
    vertices, faces = shape.mesh()
    a, b, c = (vertices[faces[:, k]].astype(float) for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


@pytest.mark.parametrize("shape", [CAPSULE, ELLIPSOID, PLATE], ids=lambda shape: shape.kind)
def test_meshes_are_closed_and_turn_outwards(shape: Shape) -> None:
    vertices, faces = shape.mesh()
    places = np.unique(np.round(vertices, 5), axis=0, return_inverse=True)[1].ravel()
    edges = [(places[f[i]], places[f[(i + 1) % 3]]) for f in faces for i in range(3)]
    kept = [edge for edge in edges if edge[0] != edge[1]]
    assert len(set(kept)) == len(kept)  # no edge is walked twice in the same sense
    assert {(b, a) for a, b in kept} == set(kept)
    assert volume(shape) > 0.0


def test_an_ellipsoid_has_its_volume() -> None:
    assert volume(ELLIPSOID) == pytest.approx(4.0 / 3.0 * np.pi * 0.1 * 0.2 * 0.05, rel=0.06)


def test_merged_meshes_keep_their_triangles() -> None:
    vertices, faces = merge([CAPSULE.mesh(), PLATE.mesh()])
    first = CAPSULE.mesh()
    assert len(vertices) == len(first[0]) + len(PLATE.mesh()[0])
    assert np.array_equal(vertices[faces[len(first[1]) :]], PLATE.mesh()[0][PLATE.mesh()[1]])


def test_flesh_has_the_mass_of_the_link() -> None:
    model = running()[0]
    thigh = next(s for s in shapes(model) if s.link == "femur_r" and s.layer == "body")
    assert 1000.0 * volume(thigh) == pytest.approx(model.link("femur_r").mass, rel=0.12)


def test_bones_reach_from_joint_to_joint() -> None:
    model = running()[0]
    T = dict(zip(model.link_names, poses(model, model.neutral()[None])[0], strict=True))
    found = shapes(model)
    for link, child in (("femur_r", "tibia_r"), ("femur_l", "tibia_l"), ("humerus_l", "ulna_l")):
        ends = [s.points for s in found if s.link == link and s.layer == "bones"]
        reached = np.concatenate(ends) @ T[link][:3, :3].T + T[link][:3, 3]
        for joint in (T[link][:3, 3], T[child][:3, 3]):
            assert np.linalg.norm(reached - joint, axis=1).min() < 1e-9, link


def test_the_person_is_as_tall_as_a_person() -> None:
    model = running()[0]
    T = dict(zip(model.link_names, poses(model, model.neutral()[None])[0], strict=True))
    points = np.concatenate([s.mesh()[0] @ T[s.link][:3, :3].T + T[s.link][:3, 3] for s in shapes(model)])
    height, width = np.ptp(points[:, 1]), np.ptp(points[:, 2])
    assert 1.5 < height < 2.0 and 0.35 < width < 0.9
    ribs = np.concatenate(
        [
            s.mesh()[0]
            for s in shapes(model)
            if s.link == "torso" and s.layer == "bones" and s.kind == "capsule"
        ]
    )
    assert abs(ribs[:, 2].max() + ribs[:, 2].min()) < 1e-6  # both halves alike


def test_socket_and_clamp_belong_to_the_prosthesis() -> None:
    layers = {s.link: s.layer for s in shapes(running()[0])}
    assert layers["socket_r"] == layers["clamp_r"] == "prosthesis"
    assert "blade_r" not in layers  # it bends: a ribbon


@pytest.mark.parametrize("name", ["human", "walker"])
def test_other_models_have_a_skeleton(name: str) -> None:
    model = walker_model(Body()) if name == "walker" else the_model(name)
    found = shapes(model)
    assert {shape.layer for shape in found} >= {"bones", "body"}
    for shape in found:
        vertices, faces = shape.mesh()
        assert np.isfinite(vertices).all() and len(faces) > 0


@pytest.mark.parametrize(
    ("kind", "layer", "points", "words"),
    [
        (
            "box",
            "body",
            np.zeros((2, 3)),
            "kind of a shape on 'a' must be .* or 'hull', however it is 'box'",
        ),
        (
            "capsule",
            "hair",
            np.zeros((2, 3)),
            "layer of a shape on 'a' must be 'bones', .*, however it is 'hair'",
        ),
        ("capsule", "body", np.zeros((3, 3)), "points of a capsule on 'a' cannot be"),
    ],
)
def test_a_shape_that_is_none_is_refused(kind: str, layer: str, points: np.ndarray, words: str) -> None:
    with pytest.raises(InputError, match=words):
        Shape(kind, "a", layer, points, np.ones(2))
