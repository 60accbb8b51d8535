"""Motions: what they refuse, what they derive, how they are cut, and their labelled tables."""

import numpy as np
import pytest

import softstride as ss
from softstride.capture import Event
from softstride.errors import InputError
from softstride.kinematics.curve import fit_curve
from softstride.kinematics.motion import MarkerFit, Motion
from softstride.model import Inertia, ModelBuilder, Rod, Segment
from softstride.spatial import quat_exp


def person(rod=False):
    builder = ModelBuilder("person")
    builder.free("pelvis", mass=30.0, inertia=(1, 1, 1))
    builder.spherical("hip", "pelvis", mass=7.0, inertia=(1, 1, 1))
    builder.revolute("shank", "hip", axis=(0, 0, 1), coordinate="knee", mass=3.0)
    if rod:
        segment = Segment(0.2, density=Inertia(0.5, matrix=np.eye(3)), free=("ky", "ex"))
        builder.rod("blade", "shank", rod=Rod((segment,)))
    return builder.build()


def moving(model, n=60, **fields):
    t = 1.0 + np.arange(n) / 100.0
    d = 0.4 * np.sin(np.outer(t, 1.0 + np.arange(model.nv)))
    q = ss.integrate(model, np.broadcast_to(model.neutral(), (n, model.nq)), d)
    return Motion(model, t, q, **fields)


def fitted(n=60, **changes):
    error = np.full((n, 3), 0.01)
    error[:, 1] = 0.02
    error[3, 2] = np.nan
    error[5] = np.nan
    parts = {
        "names": ("a", "b", "c"),
        "weights": np.array([1.0, 5.0, 1.0]),
        "error": error,
        "objective": np.arange(float(n)),
        "converged": np.arange(n) != 7,
        "iterations": np.arange(n),
        "prior": np.zeros(10),
        "undetermined": ("hip.y",),
    }
    return MarkerFit(**(parts | changes))


def test_rates_are_those_of_the_curve_unless_known():
    model = person()
    motion = moving(model)
    curve = fit_curve(model, motion.time, motion.q)
    assert np.array_equal(motion.v, curve.v)
    assert np.array_equal(motion.a, curve.a)
    known = (np.full((60, 10), 3.0), np.full((60, 10), 4.0))
    told = moving(model, rates=known)
    assert np.array_equal(told.v, known[0])
    assert np.array_equal(told.a, known[1])


def test_times_and_sizes():
    motion = moving(person())
    assert (len(motion), motion.n_frames) == (60, 60)
    assert np.isclose(motion.duration, 0.59)
    assert motion.rate == 100.0
    assert np.isnan(moving(person(), n=1).rate)


def test_coordinates_by_name():
    motion = moving(person())
    assert np.array_equal(motion.coordinate("knee"), motion.q[:, 11])
    assert np.array_equal(motion.coordinate("pelvis.tz"), motion.q[:, 2])
    with pytest.raises(
        InputError, match=r"'ankle' is no coordinate of 'person'; plain ones are: pelvis.tx.*knee"
    ):
        motion.coordinate("ankle")
    for name, kind in (("hip.x", "spherical joint of 'hip'"), ("pelvis.rz", "free joint of 'pelvis'")):
        with pytest.raises(InputError, match=f"{kind}.*quaternion"):
            motion.coordinate(name)


def test_arrays_are_copies_that_nobody_can_change():
    model, t = person(), np.arange(5) / 10.0
    q, v = np.tile(model.neutral(), (5, 1)), np.zeros((5, 10))
    motion = Motion(model, t, q, rates=(v, v))
    t[0], q[0, 0], v[0, 0] = -9.0, 9.0, 9.0
    assert (motion.time[0], motion.q[0, 0], motion.v[0, 0]) == (0.0, 0.0, 0.0)
    for array in (motion.time, motion.q, motion.v, motion.a):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


def test_errors_of_markers():
    """By hand: 58 frames of (10, 20, 10), one of (10, 20, -) and one of nothing, in millimetres."""
    motion = moving(person(), fit=fitted())
    squares = 58 * (1e-4 + 4e-4 + 1e-4) + 1e-4 + 4e-4
    assert np.isclose(motion.marker_rms, np.sqrt(squares / (58 * 3 + 2)), rtol=1e-14)
    assert np.isclose(motion.frame_rms[0], np.sqrt(2e-4), rtol=1e-14)
    assert np.isclose(motion.frame_rms[3], np.sqrt(2.5e-4), rtol=1e-14)
    assert np.flatnonzero(np.isnan(motion.frame_rms)).tolist() == [5]
    assert motion.worst_marker == "b"
    assert np.isclose(motion.fit.marker_rms["c"], 0.01, rtol=1e-14)
    assert motion.fit.max_error == 0.02
    assert not motion.converged
    assert motion.undetermined == ("hip.y",)


def test_without_markers():
    motion = moving(person())
    assert np.isnan(motion.marker_rms)
    assert np.isnan(motion.frame_rms).all()
    assert motion.frame_rms.shape == (60,)
    assert (motion.worst_marker, motion.converged, motion.undetermined) == (None, True, ())
    with pytest.raises(InputError, match="has no fit"):
        _ = motion.std


def test_a_marker_that_is_never_seen():
    fit = fitted(error=np.full((60, 3), np.nan))
    assert np.isnan(fit.rms)
    assert np.isnan(fit.max_error)
    assert fit.worst_marker is None


def test_a_part_keeps_rates_fit_and_events():
    events = (Event("off", 1.5), Event("strike", 1.2), Event("strike", 1.05))
    motion = moving(person(), fit=fitted(), events=events)
    assert [event.time for event in motion.events] == [1.05, 1.2, 1.5]
    part = motion.at(1.1, 1.3)
    assert np.array_equal(part.time, motion.time[10:31])
    assert np.array_equal(part.q, motion.q[10:31])
    assert np.array_equal(part.v, motion.v[10:31])
    assert np.array_equal(part.a, motion.a[10:31])
    assert np.array_equal(part.fit.error, motion.fit.error[10:31])
    assert np.array_equal(part.fit.iterations, np.arange(10, 31))
    assert part.converged
    assert [event.time for event in part.events] == [1.2]
    assert motion.at(0.0, 9.0).n_frames == 60
    assert motion.at(1.1, 1.1).n_frames == 1
    with pytest.raises(InputError, match=r"no frame lies from 3 to 4 s; the motion runs from 1 to 1\.59 s"):
        motion.at(3.0, 4.0)
    with pytest.raises(InputError, match=r"no frame lies from 1\.301 to 1\.309"):
        motion.at(1.301, 1.309)


def test_one_line_says_what_it_is():
    assert repr(moving(person())) == "Motion('person', 60 frames, 1 to 1.59 s, 100 Hz)"
    assert repr(moving(person(), n=1)) == "Motion('person', 1 frames, 1 to 1 s)"
    assert repr(moving(person(), fit=fitted())).endswith("100 Hz, markers met to 14.2 mm)")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"q": np.zeros((5, 11))}, r"q must have shape \(n_frames, 12\).*\(5, 11\)"),
        ({"q": np.zeros(12)}, r"q must have shape \(n_frames, 12\)"),
        ({"q": np.zeros((0, 12)), "time": np.zeros(0)}, "at least one frame"),
        ({"q": np.zeros((5, 12))}, "norm zero in frame 0"),
        ({"time": np.arange(4.0)}, "time"),
        ({"time": np.array([0.0, 1.0, 1.0, 2.0, 3.0])}, "increas"),
        ({"time": np.array([0.0, 1.0, np.nan, 2.0, 3.0])}, "time is NaN at frame 2"),
        (
            {"rates": (np.zeros((5, 10)), np.zeros((5, 9)))},
            r"a of a motion must have shape \(5, 10\).*\(5, 9\)",
        ),
        ({"rates": (np.full((5, 10), np.inf), np.zeros((5, 10)))}, "v must be finite.*frame 0"),
        ({"fit": "4"}, r"error of the fit must have shape \(5, 3\)"),
        ({"fit": "prior"}, r"prior of the fit must have shape \(10,\)"),
        ({"model": "person"}, "must be a Model"),
    ],
)
def test_what_is_refused(change, message):
    model = person()
    fits = {"4": fitted(n=8), "prior": fitted(n=5 + 4, prior=np.zeros(9)).take(slice(0, 5))}
    change = {name: fits.get(value, value) if name == "fit" else value for name, value in change.items()}
    fields = {"model": model, "time": np.arange(5.0), "q": np.tile(model.neutral(), (5, 1))}
    with pytest.raises(InputError, match=message):
        Motion(**(fields | change))


def test_a_number_that_is_none_is_named():
    q = np.tile(person().neutral(), (5, 1))
    q[3, 11] = np.nan
    with pytest.raises(InputError, match="frame 3 of link 'shank'"):
        Motion(person(), np.arange(5.0), q)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("weights", np.ones(2)),
        ("error", np.zeros((60, 2))),
        ("objective", np.zeros(59)),
        ("converged", np.ones(59, dtype=bool)),
        ("iterations", np.zeros((60, 1))),
        ("artefact", np.zeros(2)),
    ],
)
def test_a_fit_refuses_wrong_shapes(name, value):
    with pytest.raises(InputError, match=f"{name} of a fit must have shape"):
        fitted(**{name: value})


def test_xarray():
    motion = moving(person(rod=True), n=20, fit=fitted(n=20, prior=np.zeros(12)))
    data = motion.to_xarray()
    assert data.sizes == {"time": 20, "place": 14, "coordinate": 12, "marker": 3}
    assert np.array_equal(data["q"].sel(place="hip.qw"), motion.q[:, 10])
    for i, name in enumerate(("pelvis.tx", "pelvis.ty", "pelvis.tz", "pelvis.qx")):
        assert np.array_equal(data["q"].sel(place=name), motion.q[:, i])
    assert np.array_equal(data["v"].sel(coordinate="knee"), motion.v[:, 9])
    assert np.array_equal(data["a"].sel(coordinate="pelvis.rx"), motion.a[:, 0])
    assert np.array_equal(data["marker_error"].sel(marker="b"), motion.fit.error[:, 1], equal_nan=True)
    units = dict(zip(data["coordinate"].values, data["coordinate_unit"].values, strict=True))
    assert (units["knee"], units["pelvis.tx"], units["hip.x"]) == ("rad", "m", "rad")
    assert (units["blade.1.ky"], units["blade.1.ex"]) == ("1/m", "1")
    assert data["place_unit"].sel(place="hip.qx") == "1"
    assert data["time"].attrs == {"units": "s"}
    assert data["marker_error"].attrs == {"units": "m"}
    assert "marker" not in moving(person()).to_xarray().sizes


def test_dataframe():
    """The hip turns 0.3 about x, then 0.2 about its own y, then -0.5 about its own z."""
    model = person()
    turns = (quat_exp(np.eye(3)[i] * angle) for i, angle in enumerate((0.3, 0.2, -0.5)))
    x, y, z = turns
    q = model.neutral()
    q[7:11] = ss.spatial.quat_multiply(ss.spatial.quat_multiply(x, y), z)
    q[11], q[2] = 1.5, 0.7
    frame = Motion(model, np.array([2.0]), q[None]).to_dataframe()
    assert list(frame.columns) == list(model.coordinate_names)
    assert frame.index.name == "time"
    row = frame.loc[2.0]
    assert np.allclose(row[["hip.x", "hip.y", "hip.z"]], [0.3, 0.2, -0.5], rtol=0.0, atol=1e-15)
    assert (row["knee"], row["pelvis.tz"]) == (1.5, 0.7)
    turned = Motion(model, np.array([2.0]), q[None]).to_dataframe(degrees=True).loc[2.0]
    assert np.isclose(turned["hip.x"], np.rad2deg(0.3), rtol=1e-14)
    assert turned["pelvis.tz"] == 0.7
