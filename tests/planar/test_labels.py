"""Results with names beside their numbers."""

import pickle

import numpy as np
import pandas as pd
import pytest
from tests.oracles.planar_newton import random_chain, random_state

from softstride.errors import CaptureError, InputError
from softstride.planar import Contact, State


@pytest.fixture
def case():
    rng = np.random.default_rng(2)
    chain = random_chain(rng, 3)
    chain = chain.changed(contacts=[Contact("c0", 3, (0.1, 0.0)), *chain.contacts[1:]])
    state = random_state(rng, chain, frames=4).changed(time=[0.0, 0.1, 0.2, 0.3])
    return chain, chain.balanced(state, "ground")


def test_reactions(case):
    chain, state = case
    found = chain.reactions(state)
    dataset, frame = found.to_xarray(), found.to_dataframe()
    assert dict(dataset.sizes) == {"time": 4, "joint": 3, "axis": 2}
    assert dataset.force.attrs["units"] == "N" and dataset.attrs["form"] == "distal"
    np.testing.assert_array_equal(dataset.force.sel(joint="2", axis="y"), found.force[:, 1, 1])
    assert list(frame.columns) == ["time", "joint", "compression", "shear", "fx", "fy"]
    row = frame[(frame.time == 0.2) & (frame.joint == "3")].iloc[0]
    assert (row.fx, row.fy) == tuple(found.force[2, 2])
    np.testing.assert_allclose(np.hypot(frame.compression, frame.shear), np.hypot(frame.fx, frame.fy))
    assert dataset.residual.dims == ("time", "axis")


def test_torques(case):
    chain, state = case
    found = chain.torques(state)
    assert set(found.to_xarray().data_vars) == {"given", "required", "residual"}
    assert len(found.to_dataframe()) == 12
    np.testing.assert_array_equal(found.mismatch, found.given - found.required)


def test_contributions(case):
    chain, state = case
    found = chain.contributions(state)
    dataset, frame = found.to_xarray(), found.to_dataframe()
    picked = dataset.torque.sel(source="weight:2", joint="1")
    np.testing.assert_array_equal(picked, found.torque[:, 0, found.column("weight:2")])
    assert len(frame) == 4 * 3 * len(found.labels)
    assert set(frame.kind) == {"muscle", "weight", "contact", "omega2", "alpha"}
    np.testing.assert_allclose(found.total_force, chain.reactions(state).force, rtol=1e-10)
    both = found.compression.sum(axis=-1), found.shear.sum(axis=-1)
    np.testing.assert_allclose(both[0], chain.reactions(state).compression, atol=1e-9)
    np.testing.assert_allclose(both[1], chain.reactions(state).shear, atol=1e-9)


def test_induced(case):
    chain, state = case
    found = chain.induced(state, fixed=("c0",))
    dataset = found.to_xarray()
    assert dataset.contact_force.dims == ("time", "contact", "source", "axis")
    assert list(dataset.link.values) == ["1", "2", "3"]
    assert len(found.to_dataframe()) == 4 * 3 * len(found.labels)


def test_one_frame_has_no_time(case):
    chain, state = case
    one = state.changed(
        theta=state.theta[0],
        omega=state.omega[0],
        alpha=state.alpha[0],
        time=None,
        tension={m.name: 1.0 for m in chain.muscles},
        force={c.name: (1.0, 2.0) for c in chain.contacts},
        couple={},
    )
    assert chain.reactions(one).force.shape == (3, 2)
    assert dict(chain.contributions(one).to_xarray().sizes) == {
        "joint": 3,
        "source": len(chain.contributions(one).labels),
        "axis": 2,
    }
    assert len(chain.torques(one).to_dataframe()) == 3
    assert chain.torques(one).to_xarray().residual.ndim == 0


def test_frames_without_instants_have_numbers(case):
    chain, state = case
    assert list(chain.reactions(state.changed(time=None)).to_xarray().frame.values) == [0, 1, 2, 3]


def test_everything_says_what_it_is_and_survives_pickling(case):
    chain, state = case
    for result in (
        chain,
        state,
        chain.reactions(state),
        chain.torques(state),
        chain.contributions(state),
        chain.induced(state),
    ):
        assert repr(result).startswith(type(result).__name__ + "(")
        assert repr(pickle.loads(pickle.dumps(result))) == repr(result)


def frame_of(state: State) -> State:
    """Return the first frame of a state."""
    fields = ("theta", "omega", "alpha")
    mappings = {
        field: {name: np.asarray(value)[0] for name, value in getattr(state, field).items()}
        for field in ("tension", "force", "couple")
    }
    return State(**{name: np.asarray(getattr(state, name))[0] for name in fields}, **mappings)


def test_results_are_saved_as_they_are(case, tmp_path):
    """Rows of `to_dataframe`, bit for bit, and never over another file unasked."""
    chain, state = case
    results = {
        "reactions": chain.reactions(state),
        "torques": chain.torques(state),
        "contributions": chain.contributions(state),
        "induced": chain.induced(state),
        "one": chain.reactions(frame_of(state)),
        "fall": chain.simulate(frame_of(state).changed(omega=None, alpha=None), [0.0, 0.01, 0.02]),
    }
    for name, result in results.items():
        file = tmp_path / f"{name}.csv"
        assert result.save(file) == ()
        frame = result.to_dataframe()
        frame = frame.reset_index() if frame.index.name else frame
        read = pd.read_csv(file, dtype=str)
        assert list(read.columns) == list(frame.columns) and len(read) == len(frame)
        for column in frame.columns:
            numbers = pd.api.types.is_numeric_dtype(frame[column])
            assert [float(x) if numbers else x for x in read[column]] == frame[column].tolist(), column
        with pytest.raises(CaptureError, match="exists already"):
            result.save(file)
        result.save(file, overwrite=True)
    with pytest.raises(InputError, match=r"must end in \.csv"):
        results["torques"].save(tmp_path / "torques.txt")
