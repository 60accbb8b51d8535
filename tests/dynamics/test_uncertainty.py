"""Bands of loads beside closed forms, and what they refuse."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.interpolate import make_interp_spline
from tests.dynamics.uncertain_motions import person, standing
from tests.refusals import bad_input
from tests.trials import force, pushed_walker

from softstride.capture import Recording
from softstride.dynamics import solve_id
from softstride.dynamics.estimate import estimate_loads
from softstride.dynamics.estimate.options import EstimateOptions
from softstride.dynamics.uncertainty.options import BandOptions
from softstride.dynamics.uncertainty.propagate import load_bands
from softstride.errors import InputError
from softstride.kinematics import Motion
from softstride.model import ModelBuilder

M, LENGTH, ARM, IZZ, G = 2.0, 0.7, 0.4, 0.05, 9.80665
RATE, N = 100.0, 61
MID = N // 2
NOTHING = {
    "noise": 0.0,
    "artefact": 0.0,
    "mass_error": 0.0,
    "centre_error": 0.0,
    "inertia_error": 0.0,
    "force_error": (0.0, 0.0),
    "point_error": 0.0,
}


def pendulum():
    """Return a pendulum about z, its centre not on the line to the axis, and one marker below."""
    builder = ModelBuilder("pendulum")
    builder.revolute("rod", axis=(0, 0, 1), mass=M, com=(0.1, -LENGTH, 0), inertia=(IZZ, IZZ, IZZ))
    builder.marker("tip", "rod", (0.0, -ARM, 0.0))
    return builder.build()


def swing(model):
    t = np.arange(N) / RATE
    return Motion(model, t, 0.6 * np.sin(4.0 * t)[:, None])


def load_on(motion):
    """Return a force on the pendulum that does not move."""
    n = len(motion)
    return Recording(
        "trial",
        ("trial.mot",),
        forces=(
            force(
                motion.time, np.tile([30.0, 40.0, 5.0], (n, 1)), np.tile([0.1, -0.5, 0.0], (n, 1)), body="rod"
            ),
        ),
    )


def only(**changes):
    return {**NOTHING, **changes}


def test_noise_of_a_pendulum_by_hand():
    """Errors s / arm of the angle; of the acceleration by scipy's own natural quintic spline."""
    model = pendulum()
    motion = swing(model)
    loads = solve_id(model, motion)
    found = load_bands(model, motion, loads, **only(noise=0.001)).tau_std[MID, 0]
    unit = np.eye(N)
    natural = [(3, 0.0), (4, 0.0)]
    spline = make_interp_spline(motion.time, unit, k=5, bc_type=(_ends(natural), _ends(natural)))
    second = spline(motion.time[MID], 2)
    q = motion.q[MID, 0]
    gravity = M * G * (-np.sin(q) * 0.1 + np.cos(q) * LENGTH)
    inertia = M * (LENGTH**2 + 0.1**2) + IZZ
    by_sample = gravity * unit[MID] + inertia * second
    assert found == pytest.approx(0.001 / ARM * np.linalg.norm(by_sample), rel=1e-8)
    assert inertia * np.linalg.norm(second) > 100.0 * gravity  # at 100 Hz it is all acceleration


def _ends(natural):
    return [(order, np.full(N, value)) for order, value in natural]


def test_soft_tissue_of_a_pendulum_by_hand():
    """A slow sine of variance s²: (gravity - inertia w²) s / arm."""
    model = pendulum()
    motion = swing(model)
    loads = solve_id(model, motion)
    bands = load_bands(model, motion, loads, **only(artefact=0.01, artefact_frequency=0.5))
    q, omega = motion.q[:, 0], np.pi
    gravity = M * G * (-np.sin(q) * 0.1 + np.cos(q) * LENGTH)
    inertia = M * (LENGTH**2 + 0.1**2) + IZZ
    assert list(bands.sources) == ["artefact"]
    expected = 0.01 / ARM * np.abs(gravity - inertia * omega**2)
    assert bands.tau_std[:, 0] == pytest.approx(expected, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("source", ["mass", "centre", "inertia"])
def test_inertia_of_a_pendulum_by_hand(source):
    """tau = (m |c|² + I) a + m g (c_x cos q - c_y sin q)."""
    model = pendulum()
    motion = swing(model)
    loads = solve_id(model, motion)
    bands = load_bands(model, motion, loads, **only(**{f"{source}_error": 0.02}, total_mass_error=None))
    q, a, x, y = motion.q[:, 0], motion.a[:, 0], 0.1, -LENGTH
    expected = {
        "mass": 0.02 * np.abs(loads.tau[:, 0]),
        "centre": 0.02 * M * np.hypot(2 * x * a + G * np.cos(q), 2 * y * a - G * np.sin(q)),
        "inertia": 0.02 * np.abs(IZZ * a),
    }[source]
    assert bands.std("rod", "inertia") == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_who_was_weighed_has_no_error_of_mass():
    model = pendulum()
    motion = swing(model)
    loads = solve_id(model, motion)
    weighed = load_bands(model, motion, loads, **only(mass_error=0.03, total_mass_error=0.0))
    assert np.all(weighed.tau_std < 1e-9)
    scales = load_bands(model, motion, loads, **only(mass_error=0.03, total_mass_error=0.04))
    both = 1.0 / np.sqrt(1 / 0.03**2 + 1 / 0.04**2)  # two measurements of one mass
    assert scales.tau_std == pytest.approx(both * np.abs(loads.tau), rel=1e-9)
    known = load_bands(model, motion, loads, **only(mass_error=0.03, weighed=("rod",)))
    assert known.sources == {} and not known.tau_std.any()


def test_plates_of_a_pendulum_by_hand():
    """tau has -(p x f)_z: errors of f by the arms, of p along x by f_y."""
    model = pendulum()
    motion = swing(model)
    loads = solve_id(model, motion, load_on(motion))
    bands = load_bands(model, motion, loads, **only(force_error=(0.01, 2.0), point_error=0.003))
    f, p = np.array([30.0, 40.0, 5.0]), np.array([0.1, -0.5, 0.0])
    size = np.hypot(0.01 * np.linalg.norm(f), 2.0)
    expected = np.hypot(size * np.hypot(p[0], p[1]), 0.003 * f[1])
    assert bands.tau_std[:, 0] == pytest.approx(np.full(N, expected), rel=1e-9)
    ground = bands.ground_std["plate"]
    assert ground.force == pytest.approx(np.full((N, 3), size))
    assert ground.point == pytest.approx(np.tile([0.003, 0.0, 0.003], (N, 1)))


def test_sources_add_as_variances_and_say_who_dominates():
    model = pendulum()
    motion = swing(model)
    loads = solve_id(model, motion, load_on(motion))
    bands = load_bands(model, motion, loads, artefact=0.005)
    assert list(bands.sources) == ["markers", "artefact", "inertia", "plates"]
    total = sum(part.tau**2 for part in bands.sources.values())
    assert bands.tau_std**2 == pytest.approx(total)
    shares = [bands.share("rod", source) for source in bands.sources]
    assert sum(shares) == pytest.approx(np.ones(N))
    assert bands.dominant("rod") == "markers"  # 1 mm, not smoothed
    low, high = bands.band("rod", 3.0)
    assert high - loads.tau[:, 0] == pytest.approx(3.0 * bands.tau_std[:, 0])
    assert 0.5 * (low + high) == pytest.approx(loads.tau[:, 0])
    low, high = bands.band("plate")
    assert high - low == pytest.approx(4.0 * bands.ground_std["plate"].force)
    assert "LoadBands('pendulum', 61 frames, from markers" in repr(bands)
    assert len(bands.notes) == 4


def test_tables_name_what_they_hold():
    model, motion, recording = pushed_walker()
    loads = solve_id(model, motion, recording)
    bands = load_bands(model, motion, loads, noise=0.0)
    table = bands.to_xarray()
    assert table.attrs["notes"] == [str(note) for note in bands.notes]
    assert table["tau_std"].sel(source="total").to_numpy() == pytest.approx(bands.tau_std)
    left = table["force_std"].sel(source="plates", load="plate left").to_numpy()
    assert left == pytest.approx(bands.sources["plates"].ground["plate left"].force)
    assert table["residual_std"].shape == (3, len(motion), 6)
    frame = bands.to_dataframe()
    assert list(frame.columns) == list(model.coordinate_names)
    assert frame.to_numpy() == pytest.approx(bands.tau_std)


def test_frames_without_loads_have_no_bands():
    model = pendulum()
    motion = swing(model)
    short = motion.time[10:]
    recording = Recording(
        "trial", ("trial.mot",), forces=(force(short, np.ones((len(short), 3)), body="rod"),)
    )
    bands = load_bands(model, motion, solve_id(model, motion, recording))
    assert np.isnan(bands.tau_std[:10]).all() and np.isfinite(bands.tau_std[10:]).all()
    assert np.isnan(bands.ground_std["plate"].force[:10]).all()


def test_a_part_of_a_trial_has_the_bands_of_the_whole():
    model = pendulum()
    motion = swing(model)
    whole = load_bands(model, motion, solve_id(model, motion))
    part = load_bands(model, motion, solve_id(model, motion, time_range=(0.2, 0.4)))
    assert part.tau_std == pytest.approx(whole.tau_std[20:41])


def test_the_low_pass_is_that_of_the_loads():
    model = pendulum()
    motion = swing(model)
    loads = solve_id(model, motion, lowpass=6.0)
    with pytest.raises(InputError, match="lowpass"):
        load_bands(model, motion, loads, lowpass=12.0)
    with pytest.raises(InputError, match="lowpass"):
        load_bands(model, motion, replace(loads, lowpass=None))  # of a file: nothing is known
    quiet = load_bands(model, motion, loads, **only(noise=0.001))
    loud = load_bands(model, motion, solve_id(model, motion), **only(noise=0.001))
    assert quiet.tau_std[MID, 0] < 0.05 * loud.tau_std[MID, 0]
    assert "low pass of 6 Hz" in str(quiet.notes[0])


@bad_input(
    InputError,
    (lambda loads, motion: (motion, motion), "Loads"),
    ({"masserror": 0.1}, r"no option of bands.*mass_error"),
    ({"noise": -1.0}, r"noise must be a number of 0 or more \[m\], or 'motion', however it is -1"),
    (
        {"noise": "residuals"},
        r"noise must be a number of 0 or more \[m\], or 'motion', however it is 'residuals'",
    ),
    ({"artefact": -1.0}, r"artefact must be a number of 0 or more \[m\], or None, however it is -1"),
    ({"artefact_frequency": 0.0}, r"artefact_frequency must be a number above 0 \[Hz\], however it is 0"),
    ({"mass_error": np.inf}, "mass_error must be a number of 0 or more, however it is inf"),
    ({"cutoff": 0.0}, r"cutoff must be a number above 0 \[Hz\] or None, however it is 0"),
    (
        {"force_error": 0.01},
        r"force_error must be a share of the force and an offset \[N\], numbers of 0 or more, however it is 0\.01",
    ),
    ({"force_error": (0.01, -2.0)}, "force_error must be .*, however one of them is -2"),
    ({"weighed": "rod"}, "weighed must be a list of names of links, however it is 'rod'"),
    ({"estimate": {}}, r"estimate must be an EstimateOptions or None, however it is \{\}"),
    ({"weighed": ("rob",)}, "no link of 'pendulum'; links are"),
    ({"noise": "motion"}, "needs a motion of solve_ik"),
    (lambda motion: Motion(motion.model, motion.time + 1.0, motion.q), "other instants"),
)
def test_what_is_refused(refuses):
    motion = swing(pendulum())
    refuses(load_bands, model=motion.model, motion=motion, loads=solve_id(motion.model, motion), noise=0.002)


def test_curves_and_sources_that_bands_do_not_have():
    motion = swing(pendulum())
    bands = load_bands(motion.model, motion, solve_id(motion.model, motion), BandOptions(noise=0.002))
    with pytest.raises(InputError, match="no curve"):
        bands.band("hip")
    with pytest.raises(InputError, match="no source"):
        bands.share("rod", "plates")
    with pytest.raises(InputError, match="k must be"):
        bands.band("rod", -1.0)


def test_pyramids_are_refused():
    """Their facets are not those of the cones that bands hold active."""
    t, q = standing()
    model = person()
    motion = Motion(model, t, q)
    loads = estimate_loads(model, motion, lowpass=None, facets=8)
    with pytest.raises(InputError, match=r"pyramids of 8 facets.*without facets"):
        load_bands(model, motion, loads, estimate=EstimateOptions(lowpass=None, facets=8))
    told = replace(loads, ground=replace(loads.ground, facets=8))
    with pytest.raises(InputError, match="pyramids of 8 facets"):
        load_bands(model, motion, told, estimate=EstimateOptions(lowpass=None))


def test_places_that_were_moved_are_refused():
    t, q = standing()
    loads = estimate_loads(person(), Motion(person(), t, q), lowpass=None)
    assert load_bands(loads, noise=0.0).sources
    moved = replace(loads, ground=replace(loads.ground, place=loads.ground.place + 0.3))
    for given in ((moved,), (person(), Motion(person(), t, q), moved)):
        with pytest.raises(InputError, match="places of contact differ"):
            load_bands(*given, noise=0.0)


def test_parts_are_told_in_one_line():
    model, motion, recording = pushed_walker()
    loads = solve_id(model, motion, recording)
    bands = load_bands(model, motion, loads, noise=0.0)
    assert len(repr(bands.sources)) < 600
    assert repr(bands.total).startswith(f"Deviations({len(loads)} frames, {model.nv} forces, residual ")
    assert len(repr(bands.ground_std)) < 200 and "N rms" in repr(bands.ground_std)
    assert len(repr(loads.wrenches)) < 300 and "AppliedWrench('foot_r'" in repr(loads.wrenches)


def test_a_model_without_markers_needs_a_motion_with_them():
    builder = ModelBuilder("bare")
    builder.revolute("rod", axis=(0, 0, 1), mass=M, com=(0, -1, 0))
    model = builder.build()
    motion = Motion(model, np.arange(20) / 100, np.zeros((20, 1)))
    loads = solve_id(model, motion)
    with pytest.raises(InputError, match="no markers"):
        load_bands(model, motion, loads)
    assert load_bands(model, motion, loads, noise=0.0).sources.keys() == {"inertia"}
