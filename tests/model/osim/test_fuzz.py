"""Damaged documents: a `ModelError`, or a model that the engine can run; never another exception."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.model.osim.documents import KINDS, document

from softstride import engine
from softstride.errors import ModelError, SoftstrideError
from softstride.model.formats.osim import parse_osim
from softstride.model.model import Model

EXTRA = (
    '<MarkerSet><objects><Marker name="M1"><socket_parent_frame>/bodyset/lower</socket_parent_frame>'
    "<location>0.1 0.2 0.3</location></Marker></objects></MarkerSet><ConstraintSet><objects>"
    '<CoordinateCouplerConstraint name="tie"><coupled_coordinates_function><LinearFunction><coefficients>1 0'
    "</coefficients></LinearFunction></coupled_coordinates_function><independent_coordinate_names>a_0"
    "</independent_coordinate_names><dependent_coordinate_name>a_1</dependent_coordinate_name>"
    "</CoordinateCouplerConstraint></objects></ConstraintSet>"
)
WORDS = (
    "",
    "nan",
    "inf",
    "-inf",
    "1e400",
    "-1",
    "0",
    "1e-320",
    "1e30",
    "1 2",
    "true",
    "/ground",
    "..",
    "/",
    "é",
    "0x10",
    "1,5",
)
DOCUMENTS = [document(kind, version, extra=EXTRA) for kind in KINDS for version in (30000, 40500)]
TAG = re.compile(r"</?([A-Za-z_]\w*)")
NUMBER = re.compile(r"(?<=[> ])-?\d+\.?\d*(?=[< ])")


def survives(data):
    """Read; if it is a model, it must compute."""
    words = "model.osim: "
    try:
        model = parse_osim(data)
    except ModelError as error:
        words = str(error)
        model = None
    assert words.startswith("model.osim: ")
    if model is None:
        return
    assert isinstance(model, Model)
    try:
        M = engine.mass_matrix(model, np.zeros(model.nq))
    except SoftstrideError:
        return
    assert M.shape == (model.nv, model.nv)


def damaged(text, rng):
    """Return a document with one to three damages."""
    for _ in range(rng.integers(1, 4)):
        kind = rng.integers(6)
        if kind == 0:  # truncation
            text = text[: rng.integers(len(text) + 1)]
        elif kind == 1:  # a tag takes the name of another, at both ends
            names = TAG.findall(text)
            if names:
                old, new = rng.choice(names, 2)
                text = re.sub(rf"(</?){old}\b", rf"\g<1>{new}", text)
        elif kind == 2:  # a number becomes something else
            found = list(NUMBER.finditer(text))
            if found:
                place = found[rng.integers(len(found))]
                text = text[: place.start()] + str(rng.choice(WORDS)) + text[place.end() :]
        elif kind == 3:  # an element disappears
            found = list(re.finditer(r"<(\w+)[^<>]*>[^<>]*</\1>", text))
            if found:
                place = found[rng.integers(len(found))]
                text = text[: place.start()] + text[place.end() :]
        elif kind == 4:  # a name changes
            found = list(re.finditer(r'(?<=name=")[^"]*', text))
            if found:
                one, other = (found[i] for i in rng.integers(len(found), size=2))
                text = (
                    text[: one.start()]
                    + str(rng.choice([other[0], "", "world", "ground"]))
                    + text[one.end() :]
                )
        else:  # characters are exchanged
            i, j = sorted(rng.integers(len(text) + 1, size=2))
            j = min(j, i + 40)
            text = text[:i] + text[j : j + 20] + text[i:j] + text[j + 20 :]
    return text


@pytest.mark.parametrize("seed", range(8))
def test_damaged_small_documents(seed):
    rng = np.random.default_rng(seed)
    with np.errstate(all="ignore"):
        for _ in range(60):
            survives(damaged(DOCUMENTS[rng.integers(len(DOCUMENTS))], rng).encode())


@settings(max_examples=60)
@given(st.binary(max_size=200))
def test_any_bytes(data):
    survives(data)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "muscle_arm26/arm26.osim",
        "planar_gait/moco_2d_walk/2D_gait.osim",
        "amputee_models/TTAmp_Left_passive_2D.osim",
        "walk_gait2354/planar10dof/subject01.osim",
        "walk_rajagopal_emg/subject_walk_scaled.osim",
    ],
)
def test_damaged_shared_models(shared_data, name):
    """Real files, muscles and wrapping included."""
    text = (shared_data / name).read_text(errors="replace")
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    rng = np.random.default_rng(1)
    with np.errstate(all="ignore"):
        for _ in range(60):
            survives(damaged(text, rng).encode())
