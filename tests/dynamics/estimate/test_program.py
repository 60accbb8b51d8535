"""The whole program with torques as unknowns, joint rows exact, solved by Clarabel: the same forces and torques."""

import numpy as np
import pytest
from scipy import sparse
from tests.dynamics.estimate.people import (
    balance,
    base_columns,
    carrying,
    cell_errors,
    cost,
    gait,
    needed,
    program,
    prosthetic,
    pushed,
    swaying,
)
from tests.trials import swinging

import softstride as ss

clarabel = pytest.importorskip("clarabel")


def rows_of(p, frame):
    """Return squared rows (A, b) of |A x - b|^2 and exact rows (E, e), x = forces (c, 3) then torques, body weights."""
    c, o, nv = len(p.contacts.names), p.options, p.model.nv
    width = 3 * c + nv
    units = np.eye(3 * c).reshape(-1, c, 3)
    A, b = [], []

    def add(row, value, weight):
        A.append(np.sqrt(weight) * row)
        b.append(np.sqrt(weight) * value)

    wrench = np.array([balance(p, frame, unit) for unit in units]).T  # (6, 3 c)
    asked = needed(p, frame) / p.weight
    for k in range(6):
        add(np.append(wrench[k], np.zeros(nv)), asked[k], o.reach**-2 if k < 3 else 1.0)
    base, error, way = base_columns(p.model, p.base), cell_errors(p, frame), carrying(p)
    for k in sorted(way - set(base)):
        unit = np.eye(width)[3 * c + k]
        if np.isnan(error[k]):
            add(unit, 0.0, o.torque)
        else:
            add(unit, p.demand.elastic[frame, k] / p.weight, (0.03 / error[k]) ** 2)
    for number in range(len(p.contacts.feet)):
        own = np.flatnonzero(p.contacts.foot == number)
        a = p.contacts.activation[frame, own]
        for k in range(3):
            whole = np.zeros(width)
            whole[3 * own + k] = 1.0
            for i, each in zip(own, a, strict=True):
                row = -whole * each / a.sum()
                row[3 * i + k] += 1.0
                add(row, 0.0, o.spread / each)
            add(whole, 0.0, o.load / (1.0 - np.prod(1.0 - a)))
    J = np.array([pushed(p, frame, unit) for unit in units]).T  # (nv, 3 c)
    joints = [k for k in range(nv) if k not in base]
    E = np.zeros((nv, width))
    E[:, 3 * c :] = np.eye(nv)
    E[joints, : 3 * c] = J[joints]
    e = np.where(np.isin(np.arange(nv), joints), p.demand.tau[frame] / p.weight, 0.0)
    return np.array(A), np.array(b), E, e


def cones(p, facets):
    """Return G and cones so that -G x lies in them: (mu N, T) of each place, or the sides of its pyramid."""
    c, mu = len(p.contacts.names), p.options.friction
    width = 3 * c + p.model.nv
    rows = []
    for i in range(c):
        x, y, z = (np.eye(width)[3 * i + k] for k in range(3))
        if facets is None:
            rows += [-mu * y, -x, -z]
            continue
        half = np.pi / facets  # edges of the pyramid on the cone, one along x: its sides are in between
        for side in range(facets):
            angle = (2 * side + 1) * half
            rows.append(np.cos(angle) * x + np.sin(angle) * z - mu * np.cos(half) * y)
    kinds = [clarabel.SecondOrderConeT(3)] * c if facets is None else [clarabel.NonnegativeConeT(facets * c)]
    return np.array(rows), kinds


def solved(p, frames, facets=None, smoothness=0.0):
    """Return forces (n, c, 3) and torques (n, nv) [N, N·m] of frames."""
    if not smoothness and len(frames) > 1:
        alone = [solved(p, [frame], facets) for frame in frames]
        return tuple(np.concatenate(part) for part in zip(*alone, strict=True))
    blocks = [rows_of(p, frame) for frame in frames]
    n, width, c = len(frames), blocks[0][0].shape[1], len(p.contacts.names)
    A = sparse.block_diag([block[0] for block in blocks]).tocsc()
    b = np.concatenate([block[1] for block in blocks])
    if smoothness:
        feet = np.array([[1.0 if k == number else 0.0 for k in p.contacts.foot] for number in (0, 1)])
        total = np.hstack([np.kron(feet, np.eye(3)), np.zeros((6, p.model.nv))])
        second = np.diff(np.eye(n), 2, axis=0)
        A = sparse.vstack([A, np.sqrt(smoothness) * sparse.csc_matrix(np.kron(second, total))]).tocsc()
        b = np.concatenate([b, np.zeros(6 * (n - 2))])
    E = sparse.block_diag([block[2] for block in blocks])
    e = np.concatenate([block[3] for block in blocks])
    G, kinds = cones(p, facets)
    G = sparse.block_diag([G] * n)
    # places far from the floor cost 1e6 times as much: in units of their activation Clarabel meets them exactly
    size = np.hstack([np.repeat(p.contacts.activation[list(frames)], 3, axis=1), np.ones((n, p.model.nv))])
    D = sparse.diags(np.sqrt(size).ravel())
    A, E, G = A @ D, E @ D, G @ D
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    found = clarabel.DefaultSolver(
        sparse.triu(A.T @ A).tocsc(),
        -(A.T @ b),
        sparse.vstack([E, G]).tocsc(),
        np.concatenate([e, np.zeros(G.shape[0])]),
        [clarabel.ZeroConeT(len(e)), *(kinds * n)],
        settings,
    ).solve()
    assert str(found.status) in ("Solved", "AlmostSolved")
    x = (D @ np.array(found.x)).reshape(n, width) * p.weight
    return x[:, : 3 * c].reshape(n, c, 3), x[:, 3 * c :]


def close(found, expected, tolerance):
    assert np.abs(found - expected).max() <= tolerance * np.abs(expected).max()


TIGHT = {"lowpass": None, "tolerance": 1e-10}
CLARABEL = 5e-5  # its gap of 1e-13 leaves that much of a force: costs and cones are compared beside it
SLIPPERY = 0.02  # friction that binds while swaying


@pytest.mark.parametrize("friction", [0.8, SLIPPERY])
@pytest.mark.parametrize("facets", [None, 4, 6])
def test_forces_and_torques_of_the_whole_program(facets, friction):
    """The gait person swaying: frames here and there."""
    motion, frames = swaying(), [5, 40, 90]
    loads = ss.estimate_loads(gait(), motion, smoothness=None, facets=facets, friction=friction, **TIGHT)
    p = program(gait(), motion, friction=friction)
    force, torque = solved(p, frames, facets)
    close(loads.ground.force[frames], force, CLARABEL)
    joints = [k for k in range(gait().nv) if k not in base_columns(gait(), p.base)]
    close(loads.tau[frames][:, joints], torque[:, joints], CLARABEL)
    for k, frame in enumerate(frames):
        ours, theirs = (cost(p, frame, f / p.weight) for f in (loads.ground.force[frame], force[k]))
        assert ours <= theirs + 1e-12
    assert loads.ground.friction_margin.min() >= -1e-8 * p.weight
    assert loads.ground.normal.min() >= -1e-8 * p.weight
    if friction == SLIPPERY:
        assert loads.ground.friction_margin[frames].min() < 1e-6 * p.weight  # some cone does bind


@pytest.mark.parametrize("facets", [None, 5])
def test_forces_of_a_tumbling_person(facets):
    """Feet anywhere, forces of several body weights asked for in all directions: pulling is not allowed."""
    motion = swinging(gait(), n=4, amplitude=0.4)
    loads = ss.estimate_loads(gait(), motion, smoothness=None, facets=facets, **TIGHT)
    force, _ = solved(program(gait(), motion), [0, 1, 2, 3], facets)
    close(loads.ground.force, force, CLARABEL)


def test_forces_on_a_blade():
    motion = swinging(prosthetic(), n=3, amplitude=0.05)
    loads = ss.estimate_loads(prosthetic(), motion, smoothness=None, **TIGHT)
    force, _ = solved(program(prosthetic(), motion), [0, 1, 2])
    close(loads.ground.force, force, CLARABEL)


@pytest.mark.slow
@pytest.mark.parametrize("facets", [None, 4])
def test_frames_that_know_each_other(facets):
    """The temporal term |D^2 F|^2 (2 pi f dt)^-4 of each foot over ten frames."""
    motion, hertz, friction = swaying().at(0.2, 0.29), 5.0, 0.03
    loads = ss.estimate_loads(gait(), motion, smoothness=hertz, facets=facets, friction=friction, **TIGHT)
    p = program(gait(), motion, friction=friction)
    weight = (2.0 * np.pi * hertz * 0.01) ** -4
    force, _ = solved(p, range(10), facets, weight)
    alone, _ = solved(p, range(10), facets)
    assert np.abs(alone - force).max() > 1e-3 * np.abs(force).max()  # the term does something
    close(loads.ground.force, force, 1e-5)
    assert loads.ground.converged.all()
