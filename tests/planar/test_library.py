"""The packaged chains: as generated, consistent, and each shows what the paper names it for."""

import tomllib
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from softstride.errors import InputError, ModelError
from softstride.planar.library import chain_names, load_chain
from softstride.planar.library.generate import main, texts
from softstride.planar.library.squat import squat_truth

PACKAGED = ("squat", "finger", "spine")


DIGITS = dict.fromkeys(("length", "mass", "com", "reach", "path", "point"), 4) | {
    "gravity": 5,
    "time": 3,
    "inertia": 8,
    "angle": 7,
    "tension": 2,
    "force": 3,
}
"""Behind the point, by key: what the files are printed with."""


def leaves(value):
    """Every number and word of a nested list, in order."""
    return [leaf for each in value for leaf in leaves(each)] if isinstance(value, list) else [value]


def same(stored, made):
    """Whether two files have the same keys and words, and numbers within one of their last digit."""
    for old, new in zip(stored.splitlines(), made.splitlines(), strict=True):
        key = old.partition("=")[0].strip()
        if key not in DIGITS:
            if old != new:
                return False
            continue
        a, b = (leaves(tomllib.loads(line)[key]) for line in (old, new))
        for x, y in zip(a, b, strict=True):
            if isinstance(x, str) or isinstance(y, str):
                if x != y:
                    return False
            elif abs(x - y) > 1.001 * 10.0 ** -DIGITS[key]:
                return False
    return True


def test_files_are_what_their_generator_makes(tmp_path: Path):
    """To one of the last digit: other machines may round otherwise."""
    made = texts()
    assert set(made) == set(PACKAGED)
    for name, text in made.items():
        stored = files("softstride.planar.library").joinpath(f"{name}.toml").read_text(encoding="utf-8")
        assert same(stored, text), name
    main(tmp_path)
    assert {file.stem for file in tmp_path.iterdir()} == set(PACKAGED)


@pytest.mark.parametrize(
    ("old", "new"),
    [("inertia = 0.01", "inertia = 0.0"), ("0.03]", "0.0302]"), ("91.94", "91.96"), ("feet", "foot")],
)
def test_a_changed_number_of_a_file_is_seen(old, new):
    stored = files("softstride.planar.library").joinpath("squat.toml").read_text(encoding="utf-8")
    assert old in stored and not same(stored.replace(old, new, 1), texts()["squat"])


@pytest.mark.parametrize("name", PACKAGED)
def test_tensions_give_the_torques_that_the_motion_requires(name):
    case = load_chain(name)
    torques = case.chain.torques(case.state, form=case.form)
    size = np.abs(torques.required).max()
    assert np.abs(torques.mismatch).max() < 1e-3 * size  # numbers of the files are rounded
    table = case.chain.contributions(case.state, form=case.form)
    table.check(case.state)


def test_the_wall_of_the_squat_is_found():
    """The plate is rounded to 0.1 N and 0.1 mm; the force of the wall, which the file does not have, comes out."""
    case = load_chain("squat")
    with pytest.raises(InputError, match="contact 'wall' on link 'trunk'"):
        case.chain.reactions(case.state)
    found = case.chain.balanced(case.state, "wall")
    truth = squat_truth().force["wall"]
    np.testing.assert_allclose(found.force["wall"], truth, atol=0.1)
    np.testing.assert_allclose(found.couple["wall"], 0.0, atol=0.2)  # 700 N, 0.05 mm, and 0.05 N over a metre
    distal = case.chain.reactions(found).force
    np.testing.assert_allclose(distal, case.chain.reactions(case.state, form="proximal").force, atol=1e-9)


def test_the_deep_flexor_reaches_where_the_superficial_one_does_not():
    case = load_chain("finger")
    table = case.chain.contributions(case.state)
    deep, superficial = (table.column(f"muscle:{name} flexor") for name in ("deep", "superficial"))
    last = case.chain.joints.index("DIP")
    assert np.abs(table.force[:, last, deep]).max() > 10.0
    assert not table.force[:, last, superficial].any()
    assert np.abs(table.force[:, last - 1, superficial]).max() > 10.0
    causes = case.chain.induced(case.state)
    assert np.abs(causes.force[:, last, causes.column("muscle:superficial flexor")]).max() > 0.1


def test_global_muscles_of_the_spine_span_many_joints():
    case = load_chain("spine")
    assert case.chain.n == 24 and len(case.chain.muscles) == 40
    spans = {
        name: (case.chain.contributions(case.state).torque[0, :, k] != 0.0).sum()
        for k, name in enumerate(m.name for m in case.chain.muscles)
    }
    assert spans["multifidus T5"] == 1 and spans["longissimus T6"] == 12
    compression = case.chain.reactions(case.state).compression
    assert 2500.0 < compression[:, 0].max() < 4000.0 and compression.min() > 0.0


def test_names():
    assert chain_names() == (*PACKAGED, "stance")
    with pytest.raises(ModelError, match="no packaged chain 'arm'; there are: squat"):
        load_chain("arm")
    with pytest.raises(InputError, match="holds its own numbers"):
        load_chain("squat", "table.txt")
