"""Bad input never reaches a kernel: every guard fires, and says what is wrong and what was expected."""

import numpy as np
import pytest

from softstride import engine
from softstride.errors import InputError, ModelError, SoftstrideError
from softstride.model import Frame, Inertia, ModelBuilder, Point, Rod, Segment

NQ, NV = 7 + 4 + 1 + 2, 6 + 3 + 1 + 2
F = 3


@pytest.fixture(scope="module")
def model():
    """Return a pelvis, a ball-jointed hip, a hinged knee and a blade of one segment with two strains."""
    builder = ModelBuilder("leg")
    builder.free("pelvis", mass=10, inertia=(0.1, 0.1, 0.1))
    builder.spherical("hip", parent="pelvis", mass=8, com=(0, -0.2, 0), inertia=(0.1, 0.02, 0.1))
    builder.revolute(
        "knee", parent="hip", position=(0, -0.4, 0), axis=(0, 0, 1), mass=3, inertia=(0.05, 0.01, 0.05)
    )
    density = Inertia(0.8, matrix=np.diag([2e-4, 1e-5, 1.9e-4]))
    segment = Segment(0.3, np.array([0, 0, 0, 1.0, 0, 0]), density, np.ones(6), np.zeros(6), ("ky", "kz"))
    builder.rod("blade", parent="knee", position=(0, -0.4, 0), rod=Rod((segment,)))
    builder.marker("ankle", "knee", (0, -0.4, 0))
    return builder.build()


@pytest.fixture
def q(model):
    return np.tile(model.neutral(), (F, 1))


@pytest.fixture
def v():
    return np.zeros((F, NV))


# every public function that takes a state, called with (model, q, v)
WRENCH = {"pelvis": np.zeros((F, 6))}
FUNCTIONS = {
    "poses": lambda m, q, v: engine.poses(m, q),
    "positions": lambda m, q, v: engine.positions(m, q, "ankle"),
    "velocities": lambda m, q, v: engine.velocities(m, q, v),
    "accelerations": lambda m, q, v: engine.accelerations(m, q, v, v),
    "jacobian": lambda m, q, v: engine.jacobian(m, q, "knee"),
    "jacobian_dot_v": lambda m, q, v: engine.jacobian_dot_v(m, q, v, "knee"),
    "inverse_dynamics": lambda m, q, v: engine.inverse_dynamics(m, q, v, v),
    "mass_matrix": lambda m, q, v: engine.mass_matrix(m, q),
    "bias": lambda m, q, v: engine.bias(m, q, v),
    "forward_dynamics": lambda m, q, v: engine.forward_dynamics(m, q, v, v),
    "forward_dynamics crba": lambda m, q, v: engine.forward_dynamics(m, q, v, v, method="crba"),
    "inverse_dynamics_derivatives": lambda m, q, v: engine.inverse_dynamics_derivatives(m, q, v, v),
    "generalized_forces": lambda m, q, v: engine.generalized_forces(m, q, {"pelvis": np.zeros(6)}),
    "energy": lambda m, q, v: engine.energy(m, q, v),
    "momentum": lambda m, q, v: engine.momentum(m, q, v),
    "momentum_matrix": lambda m, q, v: engine.momentum_matrix(m, q),
    "centre_of_mass": lambda m, q, v: engine.centre_of_mass(m, q),
    "com_jacobian": lambda m, q, v: engine.com_jacobian(m, q),
    "com_velocity": lambda m, q, v: engine.com_velocity(m, q, v),
    "passive_forces": lambda m, q, v: engine.passive_forces(m, q, v),
    "passive_derivatives": lambda m, q, v: engine.passive_derivatives(m, q, v),
    "integrate": lambda m, q, v: engine.integrate(m, q, v, 0.1),
}
USE_V = [
    name
    for name in FUNCTIONS
    if name
    not in (
        "poses",
        "positions",
        "jacobian",
        "mass_matrix",
        "generalized_forces",
        "momentum_matrix",
        "centre_of_mass",
        "com_jacobian",
    )
]


@pytest.fixture(params=FUNCTIONS)
def function(request):
    return FUNCTIONS[request.param]


@pytest.fixture(params=USE_V)
def function_of_v(request):
    return FUNCTIONS[request.param]


def parts(result):
    """Return the arrays of a result: itself, the members of a tuple, or the terms of an Energy."""
    if isinstance(result, engine.Energy):
        return result.kinetic, result.gravity, result.elastic, result.total
    return result if isinstance(result, tuple) else (result,)


def test_good_input_passes(model, function, q, v):
    function(model, q, v)


def test_one_frame_without_axis(model, function, q, v):
    """1-D input is one frame, and the result has no frame axis."""
    batch, single = function(model, q[:1], v[:1]), function(model, q[0], v[0])
    for one, other in zip(parts(batch), parts(single), strict=True):
        assert np.shape(other) == np.shape(one)[1:]
        assert np.array_equal(one[0], other)


def test_a_model_that_cannot_move(function):
    """Without coordinates every result is there, with axes of length zero."""
    builder = ModelBuilder("statue")
    builder.fixed("stone", mass=100.0, inertia=(1, 1, 1))
    builder.frame("knee", "stone")
    builder.frame("pelvis", "stone")
    builder.marker("ankle", "stone")
    without_centre = ("centre_of_mass", "com_jacobian", "com_velocity", "momentum_matrix")
    if function not in [FUNCTIONS[name] for name in without_centre]:  # nothing that moves has mass
        function(builder.build(), np.zeros((2, 0)), np.zeros((2, 0)))


def test_no_frames_give_no_frames(model, function, q, v):
    assert all(len(part) == 0 for part in parts(function(model, q[:0], v[:0])))


@pytest.mark.parametrize("shape", [(F, NQ - 1), (F, NQ + 1), (NQ + 1,), (F, 2, NQ), (), (F, NV)])
def test_wrong_shape_of_q(model, function, v, shape):
    with pytest.raises(InputError, match=rf"\b{NQ}\b"):
        function(model, np.zeros(shape), v)


@pytest.mark.parametrize("shape", [(F, NV - 1), (NV + 1,), (F, NQ), (F, 1, NV)])
def test_wrong_shape_of_v(model, function_of_v, q, shape):
    with pytest.raises(InputError, match=rf"\b{NV}\b"):
        function_of_v(model, q, np.zeros(shape))


def test_wrong_number_of_frames(model, function_of_v, q):
    with pytest.raises(InputError, match="frames"):
        function_of_v(model, q, np.zeros((F + 1, NV)))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(("column", "link"), [(0, "pelvis"), (8, "hip"), (11, "knee"), (13, "blade")])
def test_values_of_q_must_be_finite(model, function, q, v, bad, column, link):
    q[1, column] = bad
    with pytest.raises(InputError, match=f"(?s)(frame 1.*{link}|{link}.*frame 1)"):
        function(model, q, v)


@pytest.mark.parametrize(("start", "link"), [(3, "pelvis"), (7, "hip")])
def test_quaternion_of_length_zero(model, function, q, v, start, link):
    q[2, start : start + 4] = 0.0
    with pytest.raises(InputError, match=f"(?is)quaternion.*{link}|{link}.*quaternion"):
        function(model, q, v)


def test_quaternions_are_normalised(model, function, q, v):
    """A quaternion of another length is the same rotation."""
    longer = q.copy()
    longer[:, 3:11] *= 2.5
    for one, other in zip(parts(function(model, q, v)), parts(function(model, longer, v)), strict=True):
        assert np.allclose(one, other, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("bad", ["text", [["a"] * NQ], None, object(), [[1, 2], [3]]])
def test_q_must_be_numbers(model, function, v, bad):
    with pytest.raises(InputError, match="q"):
        function(model, bad, v)


def test_q_must_be_real(model, function, q, v):
    with pytest.raises(InputError):
        function(model, q + 1j, v)


def test_integers_lists_and_strides_are_accepted(model, function, q, v):
    rounded = np.round(q)
    wide = np.zeros((2 * F, 2 * NQ))
    wide[::2, ::2] = rounded
    want = function(model, rounded, v)
    for given in (rounded.astype(int), rounded.tolist(), wide[::2, ::2], np.asfortranarray(rounded)):
        for got, part in zip(parts(function(model, given, v)), parts(want), strict=True):
            assert np.array_equal(got, part)


def test_input_is_left_alone(model, function, q, v):
    q.setflags(write=False)
    v.setflags(write=False)
    before = q.copy()
    function(model, q, v)
    assert np.array_equal(q, before)


UNKNOWN = [
    "no such",
    Frame("no such"),
    Point("no such"),
    Frame("knee", at=0.1),
    Frame("blade", at=0.4),
    5,
]
PLACED = {
    "jacobian": lambda m, q, v, place: engine.jacobian(m, q, place),
    "jacobian_dot_v": lambda m, q, v, place: engine.jacobian_dot_v(m, q, v, place),
    "positions": lambda m, q, v, place: engine.positions(m, q, place),
    "poses": lambda m, q, v, place: engine.poses(m, q, place),
    "velocities": lambda m, q, v, place: engine.velocities(m, q, v, place),
    "accelerations": lambda m, q, v, place: engine.accelerations(m, q, v, v, place),
}
PUSHED = {
    "generalized_forces": lambda m, q, v, place: engine.generalized_forces(m, q, {place: np.zeros(6)}),
    "f_ext of inverse": lambda m, q, v, place: engine.inverse_dynamics(
        m, q, v, v, f_ext={place: np.zeros(6)}
    ),
    "f_ext of forward": lambda m, q, v, place: engine.forward_dynamics(
        m, q, v, v, f_ext={place: np.zeros(6)}
    ),
}


CASES = [(name, place) for name in (*PLACED, *PUSHED) for place in UNKNOWN]
CASES += [(name, [5]) for name in PLACED]  # None means every link there
CASES += [(name, None) for name in PUSHED]  # and a list is no key


@pytest.mark.parametrize(("name", "place"), CASES, ids=lambda p: repr(p)[:30])
def test_unknown_places(model, q, v, name, place):
    with pytest.raises((InputError, ModelError)) as caught:
        (PLACED | PUSHED)[name](model, q, v, place)
    link = getattr(place, "link", place)
    if isinstance(link, str):
        assert repr(link) in str(caught.value)


def test_the_message_lists_known_names(model, q):
    with pytest.raises(SoftstrideError, match=r"pelvis.*hip.*knee"):
        engine.jacobian(model, q, "no such")


def test_a_list_must_be_of_one_sort(model, q):
    with pytest.raises(InputError, match="list"):
        engine.jacobian(model, q, ["knee", Point("knee")])


LOADED = {
    "generalized_forces": lambda m, q, v, w: engine.generalized_forces(m, q, w),
    "inverse": lambda m, q, v, w: engine.inverse_dynamics(m, q, v, v, f_ext=w),
    "forward": lambda m, q, v, w: engine.forward_dynamics(m, q, v, v, f_ext=w),
}


@pytest.mark.parametrize("name", LOADED)
@pytest.mark.parametrize(
    "bad", [np.zeros((F, 3)), np.zeros((F + 1, 6)), np.zeros(5), np.full((F, 6), np.nan), "push", None]
)
def test_bad_wrenches(model, q, v, name, bad):
    with pytest.raises(InputError, match="knee"):
        LOADED[name](model, q, v, {"knee": bad})


@pytest.mark.parametrize("name", LOADED)
@pytest.mark.parametrize("bad", [5, np.zeros((F, 6)), ["knee"], "knee"])
def test_wrenches_must_be_a_mapping(model, q, v, name, bad):
    with pytest.raises(InputError):
        LOADED[name](model, q, v, bad)


@pytest.mark.parametrize("method", ["ABA", "", None, 3])
def test_unknown_method_of_forward_dynamics(model, q, v, method):
    with pytest.raises(InputError, match=r"aba.*crba"):
        engine.forward_dynamics(model, q, v, v, method=method)


@pytest.mark.parametrize("about", ["centre", "", None])
def test_unknown_centre_of_momentum(model, q, v, about):
    with pytest.raises(InputError, match=r"origin.*com|com.*origin"):
        engine.momentum(model, q, v, about=about)


@pytest.mark.parametrize("n", [-1, 1.5, "two"])
def test_bad_thread_counts(n):
    with pytest.raises(InputError, match="thread"):
        engine.set_threads(n)


@pytest.mark.parametrize("method", ["aba", "crba"])
def test_massless_motion_is_reported(method):
    """A movable link without mass has no acceleration: forward dynamics says which."""
    builder = ModelBuilder("ghost")
    builder.revolute("arm", axis=(0, 0, 1), mass=1.0, com=(0.5, 0, 0))
    builder.revolute("ghost", parent="arm", axis=(0, 0, 1))
    model = builder.build()
    with pytest.raises(SoftstrideError, match="ghost"):
        engine.forward_dynamics(model, np.zeros((2, 2)), np.zeros((2, 2)), np.ones((2, 2)), method=method)


def test_massless_model_has_no_centre_of_mass():
    builder = ModelBuilder("ghost")
    builder.revolute("ghost", axis=(0, 0, 1))
    with pytest.raises(SoftstrideError, match="mass"):
        engine.centre_of_mass(builder.build(), np.zeros((2, 1)))


class TestDifference:
    def test_shapes(self, model, q):
        with pytest.raises(InputError, match=rf"\b{NQ}\b"):
            engine.difference(model, q, q[:, :-1])
        with pytest.raises(InputError, match="frames"):
            engine.difference(model, q, q[:-1])

    def test_values(self, model, q):
        bad = q.copy()
        bad[1, 11] = np.nan
        with pytest.raises(InputError, match="knee"):
            engine.difference(model, q, bad)


def test_step_must_be_a_number(model, q, v):
    for bad in (np.nan, "long", None):
        with pytest.raises(InputError, match="dt"):
            engine.integrate(model, q, v, bad)
