"""The packaged people: whole models from mass, height and sex."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from softstride.model.library.human.muscles import build_muscles
from softstride.model.library.human.person import Person, Sex, lengths, muscle_volume_ratio
from softstride.model.library.human.segments import link_inertias
from softstride.model.library.human.shape import build_shape
from softstride.model.library.human.sites import build_contacts, build_frames, build_markers
from softstride.model.library.human.skeleton import build_skeleton
from softstride.model.library.human.tables import table
from softstride.model.model import Model
from softstride.notes import Note

SOURCES = (
    Note(
        "person.source",
        "Mass distribution: de Leva 1996; lengths: Dumas et al. 2007 and others, see data/anthropometry.toml.",
    ),
    Note(
        "person.source",
        "Knee, axes of the foot and leg muscles: values of the model of Rajagopal et al. 2016 (CC BY 4.0), "
        "re-expressed in the axes and segment lengths of this person.",
    ),
)


def human(mass: float = 75.0, height: float = 1.75, sex: Sex = "male") -> Model:
    """Return a full-body person: 50 rigid links, 125 degrees of freedom, 80 leg muscles.

    Pelvis, spine by level, rib cage, head with atlas, clavicles, scapulae, upper arms, ulnae, radii, hands, thighs,
    shanks, patellae that follow the knees, hind-, mid- and forefeet. The base is free; every other joint is made of
    named rotations with limits. Link frames sit in the joints and are parallel to the world in the neutral pose, in
    which the person stands with the soles at y = 0.

    Args:
        mass: Body mass [kg], 15 to 250.
        height: Standing height [m], 1.0 to 2.3.
        sex: "male" or "female": which tables are taken.

    Returns:
        The model, with markers, joint centres as frames, contact candidates under the feet, muscles and notes.

    Raises:
        ModelError: A mass, height or sex that is not accepted.
    """
    person = Person(mass, height, sex)
    return build_person("human", person, lengths(person))


def gait_person(mass: float = 75.0, height: float = 1.75, sex: Sex = "male") -> Model:
    """Return a person for gait: 22 rigid links, 37 degrees of freedom, 80 leg muscles.

    Coordinates have the names and signs of the model of Rajagopal et al. 2016 (pelvis_tilt, hip_flexion_r,
    knee_angle_r, ...), so that motions of such models fit. Otherwise as `human`.

    Args:
        mass: Body mass [kg], 15 to 250.
        height: Standing height [m], 1.0 to 2.3.
        sex: "male" or "female": which tables are taken.

    Raises:
        ModelError: A mass, height or sex that is not accepted.
    """
    person = Person(mass, height, sex)
    return build_person("gait", person, lengths(person))


def build_person(kind: str, person: Person, sizes: Mapping[str, Any]) -> Model:
    """Put a person together.

    Args:
        kind: "human" or "gait": name of the layout.
        person: Mass, height and sex.
        sizes: Lengths as from `person.lengths` [m]; others than those of the tables make another person.
    """
    layout = table(kind)
    shape = build_shape(sizes)
    skeleton = build_skeleton(layout, shape, link_inertias(person, shape, layout["parts"]))
    muscles, wraps = build_muscles(
        shape, skeleton.origins, layout["muscle_links"], muscle_volume_ratio(person)
    )
    return Model(
        name=layout["name"],
        links=skeleton.links,
        coordinates=skeleton.coordinates,
        markers=build_markers(kind, shape, skeleton.origins),
        frames=build_frames(kind, shape, skeleton.origins),
        muscles=muscles,
        wraps=wraps,
        contacts=build_contacts(kind, shape, skeleton.origins),
        notes=(*person.notes(), *SOURCES),
    )
