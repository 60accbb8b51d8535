"""Dimensions have names that stand in a table: it speaks of fields that exist, and misses none."""

from dataclasses import fields

import numpy as np

from softstride.results import Result
from softstride.study.codec import Writer, known_classes
from softstride.study.dimensions import FIELDS, dimensions


def test_the_table_speaks_of_fields_that_exist() -> None:
    classes = known_classes()
    for kind, table in FIELDS.items():
        assert not issubclass(classes[kind], Result), f"{kind} declares its arrays itself"
        names = {each.name for each in fields(classes[kind])}
        assert set(table) <= names, kind


def test_every_array_of_a_study_has_its_dimensions(study) -> None:
    writer = Writer()
    writer.form(study)
    for path, array in writer.arrays.items():
        owners = writer.owners[path]
        field = path.removeprefix(owners[-1][1]).lstrip("/").partition("/")[0]
        named = dimensions(owners, path.rpartition("/")[2], field, array.shape)
        assert not any(name.endswith(("_0", "_1")) for name, _ in named), path


def test_sizes_that_agree_by_chance_mislead_nobody(study) -> None:
    """The athlete has as many markers as coordinates: labels are still those of the field."""
    assert len(study.motion.fit.names) == study.model.nv
    owners = ((study.motion, "motion"), (study.motion.fit, "motion/fit"))
    (one,), (two,) = (dimensions(owners, name, name, (study.model.nv,)) for name in ("prior", "weights"))
    assert one == ("coordinate", tuple(study.model.coordinate_names))
    assert two == ("marker", tuple(study.motion.fit.names))


def test_an_unexpected_shape_has_dimensions_without_labels(study) -> None:
    owners = ((study.motion, "motion"),)
    assert dimensions(owners, "q", "q", (3,)) == [("q_0", None)]
    assert dimensions(owners, "q", "q", (3, 2)) == [("time", None), ("configuration", None)]
    assert np.ndim(study.motion.q) == 2
