"""Native files whose numbers cannot be those of a body in metres and kilograms."""

import dataclasses

import numpy as np
import pytest

from softstride.errors import ModelError
from softstride.model import Inertia, Model, ModelBuilder, athlete
from softstride.model.formats.native import format_native, parse_native, read_native
from softstride.model.library.human import gait_person, human
from softstride.model.load import load_model, save_model


def lighter(model: Model, factor: float) -> Model:
    """Divide all masses and moments of inertia."""

    def divided(i: Inertia) -> Inertia:
        return Inertia(i.mass / factor, i.com, np.asarray(i.matrix) / factor, physical=i.physical)

    return model.replace(
        links=[dataclasses.replace(link, inertia=divided(link.inertia)) for link in model.links]
    )


def test_a_gait_model_of_an_eleventh(tmp_path) -> None:
    model = lighter(gait_person(), 11.0)
    path = tmp_path / "light.json"
    save_model(model, path)
    for read in (load_model, read_native):
        with pytest.raises(
            ModelError, match=r"light\.json: this person weighs \d\.\d+ kg on thighs of 0\.4\d+ m"
        ):
            read(path)
        assert read(path, plausible=False).mass == pytest.approx(model.mass, rel=1e-12)


@pytest.mark.parametrize("make", [gait_person, human])
@pytest.mark.parametrize(
    ("mass", "height"), [(15, 1.0), (15, 1.4), (25, 1.5), (25, 2.3), (250, 1.0), (250, 2.3), (70, 1.75)]
)
def test_people_over_their_range(make, mass: float, height: float) -> None:
    """Children are light on short thighs: 0.244 of the height here."""
    model = make(mass=mass, height=height)
    assert parse_native(format_native(model).encode()).mass == pytest.approx(mass)


def test_a_person_of_15_kg_and_18_decimetres_needs_plausible_false() -> None:
    text = format_native(gait_person(mass=15, height=1.8)).encode()
    with pytest.raises(ModelError, match=r"weighs 15 kg on thighs of 0\.4393 m"):
        parse_native(text)
    assert parse_native(text, plausible=False).mass == pytest.approx(15.0)


@pytest.mark.parametrize("blade", [True, False])
def test_athletes(blade: bool) -> None:
    parse_native(format_native(athlete(blade)).encode())


def test_ball_joints_are_placed_too() -> None:
    """Joints that no .osim file holds: a ball 4 m from its parent."""
    builder = ModelBuilder("far")
    builder.revolute("near", axis=(0, 0, 1), mass=1.0)
    builder.spherical("far", "near", position=(0, 4.0, 0), mass=1.0)
    with pytest.raises(ModelError, match="model: body 'far' is 4 m away from 'near'"):
        parse_native(format_native(builder.build()).encode())


def test_links_between_thigh_and_shank() -> None:
    """A person whose knees have two joints each, of 10 kg."""
    builder = ModelBuilder("stairs")
    builder.free("pelvis", mass=6.0)
    for side in ("r", "l"):
        builder.revolute(f"femur_{side}", "pelvis", axis=(0, 0, 1), mass=1.0)
        builder.prismatic(f"knee_{side}", f"femur_{side}", axis=(1, 0, 0), position=(0, -0.4, 0))
        builder.revolute(f"tibia_{side}", f"knee_{side}", axis=(0, 0, 1), mass=1.0)
    with pytest.raises(ModelError, match=r"weighs 10 kg on thighs of 0\.4 m \(the size of an adult"):
        parse_native(format_native(builder.build()).encode())


def test_grams() -> None:
    with pytest.raises(ModelError, match=r"the model weighs .*e\+04 kg, body 'torso' alone"):
        parse_native(format_native(lighter(gait_person(), 1e-3)).encode())
