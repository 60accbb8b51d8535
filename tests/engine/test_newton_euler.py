"""What each link needs as it moves: random trees against an independent engine, and the sums that momentum knows."""

import numpy as np
import pytest
from tests.oracles import trees
from tests.oracles.errors import relative
from tests.oracles.reference import Snapshot

from softstride import engine
from softstride.engine import newton_euler
from softstride.engine.newton_euler import needed_by_links
from softstride.errors import InputError

TOLERANCE = 1e-10  # as of inverse dynamics against the same oracle
FRAMES = 11


def drawn(seed, n=FRAMES):
    """Return a random tree with rods, shared coordinates and welded links, and how it moves."""
    rng = np.random.default_rng([seed, 11])
    kinds = trees.ALL if seed % 2 else (*trees.RIGID, "custom")
    model = trees.random_model(rng, 11, kinds, base=("free", "fixed", None)[seed % 3], trees=1 + seed % 2)
    return model, *trees.random_state(model, rng, n)


@pytest.mark.parametrize("seed", range(12))
def test_what_all_links_beyond_a_joint_need_is_what_the_joint_carries(seed):
    model, q, v, a = drawn(seed)
    needed = needed_by_links(model, q, v, a)
    assert needed.shape == (FRAMES, len(model.links), 6)
    beyond = {name: {name} for name in model.link_names}
    for link in reversed(model.links):
        if link.parent in beyond:
            beyond[link.parent] |= beyond[link.name]
    for f in range(0, FRAMES, 5):
        oracle = Snapshot(model, q[f], v[f])
        for name in model.link_names:
            own = [i for i, each in enumerate(model.link_names) if each in beyond[name]]
            assert relative(needed[f, own].sum(axis=0), oracle.carried(name, a[f], {})) < TOLERANCE


def test_all_links_together_change_the_momentum_of_the_whole():
    for seed in range(6):
        model, q, v, a = drawn(seed)
        still = needed_by_links(model, q, np.zeros_like(v), np.zeros_like(a))
        moving = needed_by_links(model, q, v, a) - still
        weight = model.mass * np.asarray(model.gravity)
        assert (
            np.abs(moving.sum(axis=1) - engine.momentum_rate(model, q, v, a)).max()
            < 1e-10 * np.abs(moving).max()
        )
        assert still[..., 3:].sum(axis=1) == pytest.approx(np.tile(-weight, (FRAMES, 1)), abs=1e-9)


def test_some_links_are_asked_for_by_name_in_any_order():
    model, q, v, a = drawn(3)
    names = [*model.link_names[:1:-2], model.link_names[0]]
    every, some = needed_by_links(model, q, v, a), needed_by_links(model, q, v, a, names)
    assert np.array_equal(some, every[:, [model.link_names.index(name) for name in names]])


def test_frames_do_not_know_of_each_other(monkeypatch):
    model, q, v, a = drawn(5, 40)
    whole = needed_by_links(model, q, v, a)
    monkeypatch.setattr(newton_euler, "_PIECE", 16)
    assert np.array_equal(needed_by_links(model, q, v, a), whole)
    assert np.array_equal(needed_by_links(model, q[30], v[30], a[30]), whole[30])


def test_what_does_not_fit_is_refused():
    model, q, v, a = drawn(2)
    with pytest.raises(InputError, match="q"):
        needed_by_links(model, q[:, :-1], v, a)
    with pytest.raises(InputError, match="v"):
        needed_by_links(model, q, v[:-1], a)
    with pytest.raises(InputError, match="a"):
        needed_by_links(model, q, v, a[:, :-1])
