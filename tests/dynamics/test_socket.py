"""What lies beyond a joint, added up link by link, against models in which nothing else has mass."""

import dataclasses

import numpy as np
import pytest
from tests.models import blade_runner, the_model, walker
from tests.oracles import trees

from softstride.dynamics.prepare import State
from softstride.dynamics.socket import links_beyond, needed_beyond
from softstride.engine import centre_of_mass, integrate, momentum_rate, moving_mass, positions
from softstride.model import Point
from softstride.model.inertia import Inertia
from softstride.model.link import WORLD
from softstride.model.rod import Rod

TOLERANCE = 1e-12  # of the largest component; rounding over a hundred bodies
N = 20


def weightless(link):
    joint = link.joint
    if isinstance(joint, Rod):
        bare = tuple(dataclasses.replace(segment, density=Inertia()) for segment in joint.segments)
        joint = dataclasses.replace(joint, segments=bare)
    return dataclasses.replace(link, joint=joint, inertia=Inertia())


def welded(model, link):
    """Return whether nothing between a link and the world moves."""
    while not link.joint.nv:
        if link.parent == WORLD:
            return True
        link = model.link(link.parent)
    return False


def cut_off(model, state, name):
    """Return dh/dt - w_gravity of a model with mass in a link and all that hang on it alone, (n, 6)."""
    beyond = links_beyond(model, name)
    links = tuple(link if link.name in beyond else weightless(link) for link in model.links)
    alone = model.replace(links=links)
    needed = momentum_rate(alone, state.q, state.v, state.a)
    own = [model.link(each) for each in beyond]
    still = [link for link in own if welded(model, link)]
    weights = [
        (link.inertia.mass, positions(model, state.q, Point(link.name, link.inertia.com))) for link in still
    ]
    if any(link.mass > 0.0 for link in own if link not in still):
        weights.append((moving_mass(alone), centre_of_mass(alone, state.q)))
    for mass, centre in weights:
        weight = mass * np.asarray(model.gravity)
        needed -= np.concatenate([np.cross(centre, weight), np.tile(weight, (len(centre), 1))], axis=1)
    return needed


def compare(model, q, v, a, names):
    state = State(np.arange(len(q)) / 100.0, q, v, a)
    for name in names:
        whole, parts = cut_off(model, state, name), needed_beyond(model, state, name)
        assert np.abs(parts - whole).max() <= TOLERANCE * max(np.abs(whole).max(), 1.0)


def moved(model, seed):
    rng = np.random.default_rng(seed)
    q = integrate(model, np.tile(model.neutral(), (N, 1)), 0.2 * rng.normal(size=(N, model.nv)))
    return q, rng.normal(size=(N, model.nv)), 10.0 * rng.normal(size=(N, model.nv))


@pytest.mark.parametrize("root", ["free", "custom"])
def test_a_walker(root):
    model = walker(root)
    compare(model, *moved(model, 1), model.link_names)


@pytest.mark.parametrize("seed", range(6))
def test_random_trees_with_rods_and_welded_links(seed):
    rng = np.random.default_rng([seed, 13])
    model = trees.random_model(rng, 9, trees.ALL, base=("free", "fixed", None)[seed % 3], trees=1 + seed % 2)
    compare(model, *trees.random_state(model, rng, N), model.link_names)


@pytest.mark.slow
def test_a_person_and_a_runner_on_a_blade():
    person, runner = the_model("gait"), blade_runner()
    compare(person, *moved(person, 2), person.link_names)
    beyond = links_beyond(runner, "socket_r")
    compare(runner, *moved(runner, 3), [name for name in runner.link_names if name in beyond])
