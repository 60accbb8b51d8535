"""What holds for every model: identities of the equation of motion, of batches, threads and link order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles import manifold, trees
from tests.oracles import screws as sc
from tests.oracles.errors import relative

from softstride import engine
from softstride.model import Model

# Identities between two results of the same engine: rounding over a dozen links.
TOLERANCE = 1e-10
# Sixth-order differences with h = 1e-3; across knots of a spline they fall to first order, hence polynomials.
DIFFERENCES = 1e-7
POLYNOMIAL = ("linear", "polynomial")
EXAMPLES = settings(max_examples=25)


def one_state(model, rng):
    """Return one random frame (q, v, a)."""
    return trees.random_q(model, rng), trees.random_v(model, rng), trees.random_v(model, rng, 5.0)


@EXAMPLES
@given(trees.models())
def test_mass_matrix_is_symmetric_and_positive(drawn):
    model, rng = drawn
    mass = engine.mass_matrix(model, trees.random_q(model, rng))
    assert np.array_equal(mass, mass.T)
    if model.nv:
        # scaled to unit diagonal: strains carry 1/m, and a torsional inertia is a millionth of a leg's
        scale = 1 / np.sqrt(np.diag(mass))
        assert np.min(np.linalg.eigvalsh(scale[:, None] * mass * scale)) > -1e-12


@EXAMPLES
@given(trees.models())
def test_inverse_dynamics_is_mass_times_acceleration_plus_bias(drawn):
    model, rng = drawn
    q, v, a = one_state(model, rng)
    tau = engine.inverse_dynamics(model, q, v, a)
    assert relative(tau, engine.mass_matrix(model, q) @ a + engine.bias(model, q, v)) < TOLERANCE


@EXAMPLES
@given(trees.models(), st.sampled_from(["aba", "crba"]))
def test_forward_undoes_inverse(drawn, method):
    """tau -> a -> tau; a itself is only as sharp as M is conditioned."""
    model, rng = drawn
    q, v, a = one_state(model, rng)
    tau = engine.inverse_dynamics(model, q, v, a)
    back = engine.inverse_dynamics(model, q, v, engine.forward_dynamics(model, q, v, tau, method=method))
    assert relative(back, tau) < TOLERANCE


@EXAMPLES
@given(trees.models(max_links=8, functions=POLYNOMIAL))
def test_jacobian_is_the_derivative_of_the_pose(drawn):
    model, rng = drawn
    q, name = trees.random_q(model, rng, strain=0.5), model.link_names[-1]
    pose = engine.poses(model, q, name)
    rates = (
        manifold.gradient(model, q, lambda x: engine.poses(model, x, name))
        if model.nv
        else np.zeros((4, 4, 0))
    )
    twists = [sc.vee(sc.inverse(pose) @ rates[..., i]) for i in range(model.nv)]
    assert relative(engine.jacobian(model, q, name).T, np.reshape(twists, (model.nv, 6))) < DIFFERENCES


@EXAMPLES
@given(trees.models(functions=POLYNOMIAL))
def test_power_balance(drawn):
    """The power v.tau of the joint loads is the rate of kinetic plus gravity energy."""
    model, rng = drawn
    q, v, a = (
        trees.random_q(model, rng, strain=0.5),
        trees.random_v(model, rng, 1.0),
        trees.random_v(model, rng, 1.0),
    )

    def mechanical(t):
        energy = engine.energy(model, manifold.integrate(model, q, t * v), v + t * a)
        return energy.kinetic + energy.gravity

    power = v @ engine.inverse_dynamics(model, q, v, a)
    scale = abs(power) + engine.energy(model, q, v).kinetic + 1.0
    assert abs(power - manifold.derivative(mechanical)) < DIFFERENCES * scale


@EXAMPLES
@given(trees.models(functions=POLYNOMIAL))
def test_passive_power_is_the_elastic_energy_lost_and_dissipated(drawn):
    """The rods' elastic energy changes by -v.tau_elastic, and damping takes energy away."""
    model, rng = drawn
    q, v = trees.random_q(model, rng, strain=0.5), trees.random_v(model, rng, 1.0)
    rest = np.zeros(model.nv)
    elastic = engine.passive_forces(model, q, rest)
    rate = manifold.derivative(
        lambda t: engine.energy(model, manifold.integrate(model, q, t * v), rest).elastic
    )
    assert abs(rate + v @ elastic) < DIFFERENCES * (abs(rate) + 1)
    assert v @ (engine.passive_forces(model, q, v) - elastic) <= 1e-9


@EXAMPLES
@given(trees.models(functions=POLYNOMIAL))
def test_momentum_rate_is_the_sum_of_outer_forces(drawn):
    """The analytic rate of momentum is the derivative of momentum along the motion."""
    model, rng = drawn
    q, v, a = one_state(model, rng)
    h = manifold.derivative(
        lambda t: engine.momentum(model, manifold.integrate(model, q, t * v), v + t * a, about="origin"), 1e-3
    )
    got = engine.momentum_rate(model, q, v, a, about="origin")
    assert np.max(np.abs(got - h)) < DIFFERENCES * (1 + np.max(np.abs(h)))


@EXAMPLES
@given(trees.models(max_links=8), st.integers(1, 20))
def test_frames_of_a_batch_are_independent(drawn, frames):
    """Every frame of a batch is, to the last bit, the frame alone."""
    model, rng = drawn
    q, v, a = trees.random_state(model, rng, frames)
    batch = {
        "tau": engine.inverse_dynamics(model, q, v, a),
        "M": engine.mass_matrix(model, q),
        "a": engine.forward_dynamics(model, q, v, a),
        "T": engine.poses(model, q),
        "J": engine.jacobian(model, q, model.link_names[-1]),
    }
    for i in range(frames):
        assert np.array_equal(batch["tau"][i], engine.inverse_dynamics(model, q[i], v[i], a[i]))
        assert np.array_equal(batch["M"][i], engine.mass_matrix(model, q[i]))
        assert np.array_equal(batch["a"][i], engine.forward_dynamics(model, q[i], v[i], a[i]))
        assert np.array_equal(batch["T"][i], engine.poses(model, q[i]))
        assert np.array_equal(batch["J"][i], engine.jacobian(model, q[i], model.link_names[-1]))


@pytest.mark.parametrize("frames", [1, 7, 64, 333])
def test_threads_do_not_change_a_bit(frames):
    rng = np.random.default_rng(1)
    model = trees.random_model(rng, 12)
    q, v, a = trees.random_state(model, rng, frames)
    functions = {
        "inverse": lambda n: engine.inverse_dynamics(model, q, v, a, threads=n),
        "forward": lambda n: engine.forward_dynamics(model, q, v, a, threads=n),
        "mass": lambda n: engine.mass_matrix(model, q, threads=n),
        "poses": lambda n: engine.poses(model, q, threads=n),
        "jacobian": lambda n: engine.jacobian(model, q, model.link_names[-1], threads=n),
    }
    for name, function in functions.items():
        one = function(1)
        for n in (2, 3, 8):
            assert np.array_equal(one, function(n)), (name, n)


def reordered(model, rng):
    """Return the same model with its links in another order that keeps parents before children."""
    left, done = list(model.links), []
    placed = {"world"}
    while left:
        ready = [link for link in left if link.parent in placed]
        link = ready[int(rng.integers(len(ready)))]
        left.remove(link)
        done.append(link)
        placed.add(link.name)
    return Model(model.name, tuple(done), model.gravity)


def index_map(model, other):
    """Return (q, v): where each entry of the other model's q and v stands in the first model's."""
    q, v = np.zeros(model.nq, dtype=int), np.zeros(model.nv, dtype=int)
    for name in model.link_names:
        q[list(other.q_indices(name))] = model.q_indices(name)
        v[list(other.v_indices(name))] = model.v_indices(name)
    return q, v


@EXAMPLES
@given(trees.models(max_links=15, branching=0.9))
def test_order_of_siblings_does_not_matter(drawn):
    model, rng = drawn
    other = reordered(model, rng)
    by_q, by_v = index_map(model, other)
    q, v, a = one_state(model, rng)
    tau = engine.inverse_dynamics(model, q, v, a)
    assert relative(engine.inverse_dynamics(other, q[by_q], v[by_v], a[by_v]), tau[by_v]) < TOLERANCE
    mass = engine.mass_matrix(model, q)
    assert relative(engine.mass_matrix(other, q[by_q]), mass[np.ix_(by_v, by_v)]) < TOLERANCE
    order = [model.link_names.index(name) for name in other.link_names]
    assert relative(engine.poses(other, q[by_q]), engine.poses(model, q)[order]) < TOLERANCE


@EXAMPLES
@given(trees.models(base="free", gravity=(0.0, 0.0, 0.0)))
def test_moving_the_world_changes_nothing_inside(drawn):
    """Without gravity, the pose of a free base is mere position: however each tree is moved, no load changes."""
    model, rng = drawn
    roots = [link for link in model.links if link.parent == "world"]
    q, v, a = one_state(model, rng)
    moved = q.copy()
    for root in roots:
        index = list(model.q_indices(root.name))
        moved[index[:3]] += rng.standard_normal(3)
        turn = rng.standard_normal(4)
        moved[index[3:]] = turn / np.linalg.norm(turn)
    assert roots and not np.any(engine.poses(model, moved)[:, :3, 3] == engine.poses(model, q)[:, :3, 3])
    got, want = engine.inverse_dynamics(model, moved, v, a), engine.inverse_dynamics(model, q, v, a)
    assert relative(got, want) < TOLERANCE


@EXAMPLES
@given(trees.models())
def test_integrate_follows_the_velocity(drawn):
    """The body twist of a link is the derivative of its pose along q [+] v t; difference undoes integrate."""
    model, rng = drawn
    q, v, _ = one_state(model, rng)
    step = 0.3 * v / (1 + np.max(np.abs(v), initial=0.0))
    ahead = engine.integrate(model, q, step, 1.0)
    assert relative(ahead, manifold.integrate(model, q, step)) < 1e-13
    assert np.max(np.abs(engine.difference(model, q, ahead) - step), initial=0.0) < 1e-12
