"""The guides are true: their Python runs and prints what the text after it says, their numbers are the code's."""

import contextlib
import io
import re
from dataclasses import fields
from importlib import import_module
from operator import attrgetter
from pathlib import Path

import pytest
from tests.shell import flags_of

ROOT = Path(__file__).resolve().parents[1]
GUIDE = ROOT / "docs" / "capture.md"
MODELS = ROOT / "docs" / "models.md"
KINEMATICS = ROOT / "docs" / "kinematics.md"
DYNAMICS = ROOT / "docs" / "dynamics.md"
MUSCLES = ROOT / "docs" / "muscles.md"
PLANAR = ROOT / "docs" / "planar.md"
SEGMENTS = ROOT / "docs" / "segments.md"
CONTACT = ROOT / "docs" / "contact.md"
GAIT = ROOT / "docs" / "gait.md"
IK_THEORY = ROOT / "docs" / "theory" / "kinematics.md"
LOADS_THEORY = ROOT / "docs" / "theory" / "dynamics.md"
HILL_THEORY = ROOT / "docs" / "theory" / "hill.md"
PATH_THEORY = ROOT / "docs" / "theory" / "muscle_paths.md"
SHARING_THEORY = ROOT / "docs" / "theory" / "muscles.md"
SEGMENTS_THEORY = ROOT / "docs" / "theory" / "segments.md"
GAIT_THEORY = ROOT / "docs" / "theory" / "gait.md"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LIMITS = (  # where a number of the guide comes from: module, constant, factor, what the guide says with it
    ("capture.reading", "MAX_BYTES", 2.0**-30, "`max_bytes`, {:g} GiB"),
    ("capture.text.external_loads", "MAX_BYTES", 2.0**-20, "external-loads files above {:g} MiB"),
    ("capture.axes", "UPRIGHT", 1, "trunk above feet by {:g} m"),
    ("capture.axes", "LOAD", 1, "direction of the load, from {:g} N"),
    ("capture.axes", "TRAVEL", 1, "where the body travels, from {:g} m"),
    ("capture.plates.forces", "THRESHOLD", 1, "`plate_threshold` ({:g} N)"),
    ("capture.plates.zero", "STEP", 1, "unless the plate carries {:g} N more there"),
    ("capture.plates.zero", "DWELL", 1, "averaged over {:g} s"),
    ("capture.plates.plates", "LOAD", 1, "judged from {:g} N"),
    ("capture.plates.contacts", "SHORTEST", 1e3, "contacts of at least {:g} ms"),
    ("capture.plates.contacts", "STILL", 1, "slower than {:g} m/s"),
    ("capture.plates.footprint", "AHEAD", 100, "by {:g} cm in front"),
    ("capture.plates.footprint", "BEHIND", 100, "by {:g} cm behind"),
    ("capture.plates.footprint", "BEHIND_ANKLE", 100, "({:g} cm behind an ankle)"),
    ("capture.plates.footprint", "HALF_WIDTH", 100, "within {:g} cm of the line"),
    ("capture.plates.footprint", "DOWN", 100, "more than {:g} cm above its lowest"),
    ("signals.kinematic_events", "DISAGREEMENT", 1e3, "differ by more than {:g} ms"),
    ("signals.kinematic_events", "TOE_RISE", 1e3, "toe {:g} mm above its lowest"),
    ("signals.low_rank_fill", "MOST_PREDICTORS", 1, "up to {:g} neighbours"),
    ("signals.cycles", "SHORTEST_CYCLE", 1, "shorter than {:g} s or longer"),
    ("signals.cycles", "LONGEST_CYCLE", 1, "or longer than {:g} s"),
    ("capture.quality.clock", "LOST", 1, "longer than {:g} of the usual one"),
    ("capture.quality.clock", "UNEVEN", 100, "steps differ by more than {:g} %"),
    ("capture.quality.places", "SMALL", 1, "lie less than {:g} m"),
    ("capture.quality.places", "LARGE", 1, "or more than {:g} m apart"),
    ("capture.quality.places", "FAR", 1, "more than {:g} m from the origin"),
    ("capture.quality.places", "BELOW", 1, "more than {:g} m below the floor"),
    ("capture.quality.gaps", "LONG_GAP", 1, "lost for more than {:g} s"),
    ("capture.quality.gaps", "MANY_MISSING", 1, "in more than {:g} % of the frames; info below"),
    ("capture.quality.jitter", "NOISY", 1e3, "trembles by more than {:g} mm"),
    ("capture.quality.jitter", "SPIKE", 1e3, "a single frame lies more than {:g} mm"),
    ("capture.quality.sides", "CLEARLY_WRONG", 1e3, "on the left by more than {:g} mm"),
    ("capture.quality.sides", "MOSTLY", 100, "in more than {:g} % of the frames, or suddenly"),
    ("capture.quality.sides", "SHORTEST", 1, "or suddenly for {:g} s"),
    ("capture.quality.switches", "JUMP", 1e3, "jumps by more than {:g} mm"),
    ("capture.quality.collisions", "TOUCHING", 1e3, "come within {:g} mm"),
    ("capture.quality.collisions", "ALWAYS", 100, "one trajectory ({:g} % of the frames)"),
    ("capture.quality.collisions", "HEAP", 1, "more than {:g} pairs"),
    ("capture.quality.collisions", "FROZEN", 1, "to the last digit for {:g} s"),
    ("capture.quality.analog", "HUM", 1, "hold more than {:g} % of the power"),
    ("capture.quality.plates", "OFFSET", 1, "shows more than {:g} N"),
    ("capture.quality.plates", "DRIFT", 1, "drifts by more than {:g} N"),
    ("capture.quality.body_weight", "SEVERE", 1, "mass by more than {:g} %"),
    ("capture.quality.body_weight", "MISMATCH", 1, "%, {:g} %, or less"),
)
MODEL_LIMITS = (  # the same for the guide to models; "Class.field" is the default of a field
    ("model.formats.xml", "MAX_BYTES", 2.0**-20, "Documents above {:g} MiB"),
    ("files", "MAX_DEPTH", 1, "deeper than {:g} elements"),
    ("files", "MAX_ELEMENTS", 1, "more than {:,} of them"),
    ("model.plausible", "MAX_LENGTH", 1, "two joined bodies more than {:g} m apart"),
    ("model.plausible", "MAX_WORLD", 1, "a body more than {:g} m from the ground"),
    ("model.plausible", "MAX_MASS", 1, "m from the ground, more than {:.0f} kg"),
    ("model.plausible", "MIN_MASS", 1, "less than {:g} kg on thighs"),
    ("model.plausible", "LONG_THIGH", 1, "on thighs longer than {:g} m"),
    ("model.plausible", "ADULT_MASS", 1, "less than {:g} kg on thighs of"),
    ("model.plausible", "ADULT_THIGH", 1, "on thighs of {:g} m or more"),
    ("model.formats.native", "MAX_BYTES", 1e-6, "files above {:g} MB"),
    ("model.library.human.person", "ADULT_HEIGHT", 1, "a height below {:g} m"),
    ("kinematics.scaling.scaling", "MASS_RATIO", 1, "masses {:g} times away"),
    ("kinematics.scaling.static", "SPREAD", 1, "markers that lie {:g} times as wide"),
    ("kinematics.scaling.fit", "SMALL", 1, "at the bounds of the fit, {:g} and"),
    ("kinematics.scaling.fit", "LARGE", 1, "and {:g}, a fit that did not come to rest"),
    ("kinematics.scaling.priors", "Widths.size", 100, "| `size` | {:g} % |"),
    ("kinematics.scaling.priors", "Widths.segment", 100, "| `segment` | {:g} % |"),
    ("kinematics.scaling.priors", "Widths.unmarked", 100, "| `unmarked` | {:g} % |"),
    ("kinematics.scaling.priors", "Widths.axis", 100, "| `axis` | {:g} % |"),
    ("kinematics.scaling.priors", "Widths.side", 100, "| `side` | {:g} % |"),
    ("kinematics.scaling.priors", "Widths.marker", 1e3, "| `marker` | {:g} mm |"),
    ("kinematics.scaling.priors", "Widths.noise", 1e3, "| `noise` | {:g} mm |"),
    ("kinematics.scaling.priors", "Widths.pose", 1, "| `pose` | {:g} rad |"),
    ("kinematics.scaling.priors", "Widths.slide", 1e3, "| `slide` | {:g} mm |"),
    ("kinematics.scaling.priors", "Widths.tail", 1, "| `tail` | {:g} widths |"),
    ("model.scaling", "SMALLEST", 1, "factors outside {:g} to"),
    ("model.scaling", "LARGEST", 1, "to {:g}, masses"),
    ("model.blade", "LONGEST", 1, "a blade longer than {:g} m"),
    ("model.amputation", "SHORTEST", 1, "a cut less than {:g} m from knee or ankle"),
    ("model.surgery.severed", "CLEARANCE", 1e3, "which is kept {:g} mm clear of them"),
    ("model.prosthesis", "STEEPEST", 57.29577951308232, "an alignment beyond {:g}°"),
)
IK_LIMITS = (  # of the guide to inverse kinematics
    ("kinematics.ik.certify", "OUTLYING", 1, "off by more than {:g} times the median error"),
    ("kinematics.ik.certify", "FAR", 1e3, "times the median error and {:g} mm"),
    ("kinematics.ik.uncertainty", "SHARE", 1, "a share of {:g} or more"),
    ("kinematics.ik.uncertainty", "IGNORANCE", 1, "has a width of {:g} rad or"),
    ("kinematics.ik.uncertainty", "IGNORANCE", 57.29577951308232, "{:.0f} degrees, "),
    ("kinematics.ik.options", "POSTURE", 1, "with a weight of {:g} m²/rad²"),
    ("kinematics.ik.options", "POSTURE", 1, "in steps of ten from {:g},"),
    ("kinematics.ik.options", "ELASTIC", 1, "`elastic`, {:g} m²/J"),
    ("kinematics.ik.options", "IkOptions.orientation_weight", 1, "`orientation_weight` {:g} m²/rad²"),
    ("kinematics.ik.options", "IkOptions.max_iterations", 1, "`max_iterations` ({:g})"),
    ("kinematics.ik.check", "FEWEST_POINTS", 1, "a pose needs {:g} markers or more"),
    ("kinematics.ik.check", "SPREAD", 1, "extent of the markers {:g} times"),
    ("kinematics.ik.tasks", "NOISE", 1e3, "against a noise of {:g} mm"),
)
IK_THEORY_LIMITS = (
    ("kinematics.ik.options", "IkOptions.tolerance", 1e10, "`tolerance` ({:g}e-10)"),
    ("kinematics.ik.start", "SMALLEST", 1e6, "not below {:g}e-6 of the largest"),
    ("kinematics.ik.track", "PIECE", 1, "pieces of {:g} frames"),
    ("kinematics.ik.uncertainty", "IGNORANCE", 1, "({:g} rad)²"),
    ("engine.kernels.pose_fit", "GOOD", 1, "above {:g} λ falls"),
    ("engine.kernels.pose_fit", "POOR", 1, "below {:g} it grows fourfold"),
    ("engine.kernels.pose_fit", "HOLD", 1e-12, "h = {:g}e12 times its scale"),
    ("engine.kernels.pose_fit", "EXACT", 1e22, "({:g}e-22 m² a unit of weight"),
    ("engine.kernels.pose_fit", "EXACT_TURN", 1e16, "{:g}e-16 rad² of orientations"),
    ("engine.kernels.pose_fit", "SETTLED", 1, "damping of {:g} or less"),
    ("engine.pose_fit", "QUARTER", 1, "longer than {:g} rad"),
    ("kinematics.ik.time_coupling", "STILL", 1, "moves by less than {:g} of"),
)
LOAD_LIMITS = (  # of the guide to loads
    ("dynamics.feet", "NEAR", 1, "more than {:g} m from either foot"),
    ("dynamics.feet", "FAINT", 100, "unless it is below {:g} % of body weight"),
    ("dynamics.feet", "CLEARLY", 1, "nearer to one foot by less than {:g} m may be"),
    ("dynamics.residual", "FORCE_LIMIT", 100, "above {:g} % of the largest net external force"),
    ("dynamics.residual", "MOMENT_LIMIT", 100, "or its moment above {:g} % of"),
    ("dynamics.reduction.options", "ReductionOptions.total_change", 100, "within `total_change`, {:g} %"),
    (
        "dynamics.reduction.options",
        "ReductionOptions.mass_change",
        100,
        "| `mass_change`, `masses` | {:g} % |",
    ),
    (
        "dynamics.reduction.options",
        "ReductionOptions.trunk_centre_change",
        1e3,
        "| `trunk_centre_change` | {:g} mm |",
    ),
    ("dynamics.reduction.options", "ReductionOptions.centre_change", 1e3, "`centres` | {:g} mm |"),
    ("dynamics.reduction.options", "ReductionOptions.base_shift", 1e3, "`base_turn` | {:g} mm, "),
    ("dynamics.reduction.options", "ReductionOptions.base_turn", 57.29577951308232, " mm, {:g}° |"),
    ("dynamics.reduction.options", "ReductionOptions.cutoff", 1, "| `cutoff` | {:g} Hz |"),
    ("dynamics.reduction.options", "ReductionOptions.inertia_weight", 1, "`displacement` | {:g}, "),
    ("dynamics.reduction.options", "ReductionOptions.displacement", 1e3, "`displacement` | 0.1, {:g} mm |"),
    ("dynamics.reduction.options", "ReductionOptions.iterations", 1, "`tolerance` | {:g}, 1e-4 |"),
    ("contact.activation", "SPEED", 1, "half at {:g} m/s"),
    ("contact.floor", "STANDS", 1, "if above {:g} m/s: a treadmill"),
    ("dynamics.estimate.cutoff", "SHARE", 1, "the cut-off is {:g} of what a residual analysis"),
    ("dynamics.estimate.cutoff", "LOWEST", 1, "but not below {:g} Hz"),
    ("dynamics.estimate.cutoff", "SMOOTH", 100, "less than {:g} % of its accelerations'"),
    ("dynamics.estimate.cutoff", "FEWEST", 1, "fewer than {:g} frames"),
    ("dynamics.estimate.options", "EstimateOptions.friction", 1, "| `friction`, `facets` | {:g}, None |"),
    ("dynamics.estimate.options", "EstimateOptions.blade_error", 1, "`strain_error` | True, {:g}, "),
    ("dynamics.estimate.demand", "STRAIN", 1, "None: the motion's own, or {:g} without markers"),
    ("dynamics.estimate.options", "EstimateOptions.reach", 1, "| `reach` | {:g} |"),
    ("dynamics.estimate.options", "EstimateOptions.torque", 1, "| `torque` | {:g} |"),
    ("dynamics.estimate.options", "EstimateOptions.load", 1, "| `load`, `spread` | {:g}, "),
    ("dynamics.estimate.options", "EstimateOptions.spread", 1, "0.0002, {:g} |"),
    ("dynamics.estimate.options", "EstimateOptions.smoothness", 1, "| `smoothness` | {:g} |"),
    ("dynamics.estimate.options", "EstimateOptions.tolerance", 1, "`max_iterations` | {:g}, 200 |"),
    ("dynamics.validation.validate", "SHORTEST", 1, "Contacts shorter than {:g} s"),
    ("dynamics.uncertainty.options", "BandOptions.noise", 1e3, "| `noise` | {:g} mm |"),
    ("dynamics.uncertainty.options", "BandOptions.artefact_frequency", 1, "| None, {:g} Hz |"),
    ("dynamics.uncertainty.options", "BandOptions.mass_error", 100, "`total_mass_error` | {:g} %, "),
    ("dynamics.uncertainty.options", "BandOptions.total_mass_error", 100, "| 3 %, {:g} % |"),
    ("dynamics.uncertainty.options", "BandOptions.centre_error", 1e3, "`inertia_error` | {:g} mm, "),
    ("dynamics.uncertainty.options", "BandOptions.inertia_error", 100, "| 10 mm, {:g} % |"),
    ("dynamics.uncertainty.options", "BandOptions.point_error", 1e3, "| (1 %, 2 N), {:g} mm |"),
)
LOADS_THEORY_LIMITS = (
    ("contact.activation", "HEIGHT", 1e3, "`σ(−h/{:g} mm)"),
    ("dynamics.estimate.observe", "LOWEST", 1e3, "`exp(−h/{:g} mm)`"),
    ("contact.activation", "SPREAD", 1, "v)/{:g} m/s)`"),
    ("dynamics.estimate.observe", "PATCH", 2e3, "{:g} mm long and as wide"),
    ("contact.floor", "LOW", 1, "(the lowest {:g} % of their heights)"),
    ("contact.floor", "STANDS", 1, "if above {:g} m/s"),
    ("dynamics.estimate.cutoff", "SHARE", 1, "is {:g} of what Winter's"),
    ("dynamics.estimate.cutoff", "LOWEST", 1, "at least {:g} Hz"),
    ("dynamics.estimate.rows", "BALANCE_ERROR", 1, "| {:g}² |"),
    ("dynamics.estimate.options", "EstimateOptions.torque", 1e3, "`torque` {:g}e-3"),
    ("dynamics.estimate.options", "EstimateOptions.spread", 1e4, "`spread` {:g}e-4"),
    ("dynamics.estimate.options", "EstimateOptions.load", 1e4, "`load` {:g}e-4"),
    ("dynamics.estimate.options", "EstimateOptions.smoothness", 1, "`smoothness` {:g} Hz"),
    ("dynamics.estimate.options", "EstimateOptions.reach", 1, "between their errors: {:g} m is"),
    ("dynamics.estimate.options", "EstimateOptions.blade_error", 100, "({:g} % τ_el)²"),
)
MUSCLE_LIMITS = (
    ("engine.paths", "FOLLOWS", 1, "differs by more than {:g} rad (or m)"),
    ("muscles.sharing.options", "MuscleOptions.power", 1, "| `power`, `effort` | {:g}, "),
    ("muscles.sharing.options", "DEFAULT_RESERVE", 1, "| `reserve` | {:g} |"),
    ("muscles.sharing.options", "MuscleOptions.upper", 1, "| `lower`, `upper` | None, {:g} |"),
    ("muscles.sharing.options", "MuscleOptions.smoothness", 1, "| `smoothness` | {:g} |"),
    ("muscles.sharing.options", "MuscleOptions.emg_weight", 1, "| `emg_weight` | {:g} |"),
    ("muscles.sharing.options", "MuscleOptions.tolerance", 1, "| `tolerance` | {:g} |"),
    ("muscles.sharing.notes", "NOTICED", 100, "more than {:g} % of its peak"),
    ("muscles.sharing.notes", "LEAST", 1, "% of its peak and {:g} N m"),
)
PLANAR_LIMITS = (
    ("planar.toml_table", "LARGEST", 1e-6, "file holds at most {:g} MB"),
    ("planar.toml_table", "MOST_PARTS", 1, "{:,} links, muscles or contacts"),
    ("planar.course", "MOST_FRAMES", 1, "and {:,} frames"),
)
SEGMENT_LIMITS = (("segments.options", "SegmentOptions.lowpass", 1, "`lowpass` ({:g} Hz"),)
SEGMENT_THEORY_LIMITS = (
    ("segments.functional.axes", "MOST_FRAMES", 1, "Of all pairs of {:g} frames"),
    ("segments.functional.axes", "LEAST_ANGLE", 57.29577951308232, "turn by more than {:g}°"),
)
ALL_LIMITS = [
    (guide, *limit)
    for guide, limits in (
        (GUIDE, LIMITS),
        (MODELS, MODEL_LIMITS),
        (KINEMATICS, IK_LIMITS),
        (IK_THEORY, IK_THEORY_LIMITS),
        (DYNAMICS, LOAD_LIMITS),
        (LOADS_THEORY, LOADS_THEORY_LIMITS),
        (MUSCLES, MUSCLE_LIMITS),
        (PLANAR, PLANAR_LIMITS),
        (SEGMENTS, SEGMENT_LIMITS),
        (SEGMENTS_THEORY, SEGMENT_THEORY_LIMITS),
    )
    for limit in limits
]
BLOCK = re.compile(r"```python\n(?P<code>.*?)```(?:\s+```text\n(?P<output>.*?)```)?", flags=re.DOTALL)


@pytest.mark.slow
@pytest.mark.parametrize(
    "guide",
    [GUIDE, MODELS, KINEMATICS, DYNAMICS, MUSCLES, PLANAR, SEGMENTS, CONTACT, GAIT],
    ids=lambda page: page.stem,
)
def test_the_guide_runs_from_top_to_bottom(
    guide: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Blocks share one namespace, as in a session, and write into an empty folder."""
    monkeypatch.chdir(tmp_path)
    text = guide.read_text(encoding="utf-8")
    blocks = list(BLOCK.finditer(text))
    assert len(blocks) == text.count("```python") > 10
    namespace: dict[str, object] = {"__name__": "guide"}
    for block in blocks:
        line = text.count("\n", 0, block.start()) + 1
        code = "\n" * line + block["code"]  # so that a traceback names the line of the guide
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, str(guide), "exec"), namespace)
        assert printed.getvalue().split() == (block["output"] or "").split(), f"{guide.name}, line {line}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_relative_links_lead_to_files(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(
        r"^\[[^\]]+\]:\s*(\S+)", text, flags=re.MULTILINE
    )
    for target in targets:
        file = target.partition("#")[0]
        if file and not re.match(r"[a-z]+:", file):
            assert (page.parent / file).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize(
    ("guide", "module", "name", "factor", "words"), ALL_LIMITS, ids=lambda x: Path(str(x)).stem.split("{")[0]
)
def test_the_guide_states_the_limits_of_the_code(
    guide: Path, module: str, name: str, factor: float, words: str
) -> None:
    value = attrgetter(name)(import_module(f"softstride.{module}"))
    assert words.format(round(factor * value, 9)) in " ".join(guide.read_text(encoding="utf-8").split())


def test_the_guide_states_the_ranges_of_people() -> None:
    from softstride.model.library.human.person import HEIGHTS, MASSES, USUAL_INDEX
    from softstride.model.plausible import THIGHS

    text = " ".join(MODELS.read_text(encoding="utf-8").split())
    for words, (low, high) in (
        ("`mass` ({:g} to {:g} kg)", MASSES),
        ("`height` ({:g} to {:g} m)", HEIGHTS),
        ("index outside {:g} to {:g} kg/m²", USUAL_INDEX),
        ("not between {:g} and {:g} m", THIGHS),
    ):
        assert words.format(low, high) in text


def test_the_guide_counts_the_packaged_people() -> None:
    from softstride import load_model

    text = MODELS.read_text(encoding="utf-8")
    people = [load_model(kind) for kind in ("human", "gait")]
    assert "| links, dof | " + " | ".join(f"{len(p.links)}, {p.nv}" for p in people) + " |" in text
    for p in people:
        counts = (len(p.markers), len(p.frames), len(p.contacts), len(p.muscles), len(p.wraps))
        row = next(line for line in text.splitlines() if line.startswith("| both |"))
        assert tuple(int(word) for word in re.findall(r"\b\d+\b", row)) == counts


def test_every_element_that_the_reader_knows_is_in_the_guide() -> None:
    from softstride.model.formats.osim import actuators, contacts, functions, joints, muscles

    table = MODELS.read_text(encoding="utf-8").partition("| element |")[2].partition("\n\n")[0]
    for name in ("CustomJoint", *joints.SIZES, *functions.KNOWN, *actuators.KINDS, *contacts.KINDS):
        assert re.search(rf"\b{name}\b", table), name
    for name in muscles.KINDS:
        assert name.removesuffix("_Deprecated").removesuffix("V1") in table, name


def test_the_guide_names_every_option_of_inverse_kinematics() -> None:
    from softstride import IkOptions

    text = KINEMATICS.read_text(encoding="utf-8")
    for field in fields(IkOptions):
        assert re.search(rf"\b{field.name}\b", text), field.name
    assert [flag for flag in flags_of("ik") if flag not in text] == []


def test_the_guide_names_every_option_of_loads() -> None:
    from softstride import EstimateOptions, IdOptions, ReductionOptions
    from softstride.dynamics.uncertainty.options import BandOptions

    text = DYNAMICS.read_text(encoding="utf-8")
    for options in (IdOptions, EstimateOptions, ReductionOptions, BandOptions):
        for field in fields(options):
            assert field.name == "inverse" or re.search(rf"\b{field.name}\b", text), field.name
    assert [flag for name in ("id", "grf") for flag in flags_of(name) if flag not in text] == []


def test_the_guide_names_every_option_of_muscles() -> None:
    from softstride import MuscleForces, MuscleOptions, MusclePaths

    text = MUSCLES.read_text(encoding="utf-8")
    for fields_of in (MuscleOptions, MusclePaths, MuscleForces):
        for field in fields(fields_of):
            told = field.name in ("model", "time", "actuator_coordinates")
            assert told or re.search(rf"`{field.name}`", text), field.name
    assert [flag for flag in flags_of("muscles") if flag not in text] == []


def test_the_guide_names_every_option_of_chains() -> None:
    from softstride.planar import chain_names

    text = PLANAR.read_text(encoding="utf-8")
    assert [flag for flag in flags_of("chain") if flag not in text] == []
    for name in chain_names():
        assert f"| `{name}` |" in text, name


def test_the_guide_names_every_option_of_walking() -> None:
    from softstride.cli.walk_runs import MODELS as KINDS

    text = GAIT.read_text(encoding="utf-8")
    assert [flag for flag in flags_of("walk") if f"`{flag}`" not in text] == []
    assert all(f"`{kind}`" in text for kind in KINDS)


def test_the_guide_names_every_option_of_segments() -> None:
    from softstride.segments import SegmentOptions
    from softstride.segments.landmark_definitions import definitions

    text = SEGMENTS.read_text(encoding="utf-8")
    for field in fields(SegmentOptions):
        assert f"`{field.name}`" in text, field.name
    assert [flag for flag in flags_of("segments") if flag not in text] == []
    for each in definitions().segments.values():
        for key in each.anchors:
            assert re.search(rf"\b{key.split()[-1]}\b", text), key


def test_every_topic_of_the_quality_report_is_explained() -> None:
    checks = (ROOT / "src" / "softstride" / "capture" / "quality").glob("*.py")
    call = re.compile(r"Finding\(\s*(?:severity|[^,()]*?\"(?:error|warning|info)\"[^,()]*),\s*\"([a-z]+)\"")
    topics = {topic for file in checks for topic in call.findall(file.read_text(encoding="utf-8"))}
    text = GUIDE.read_text(encoding="utf-8")
    table = text.partition("| topic | severity | found if |")[2].partition("\n\n")[0]
    assert topics == set(re.findall(r"^\| ([a-z]+) \|", table, flags=re.MULTILINE))


def test_every_key_that_is_cited_has_its_reference() -> None:
    table = (ROOT / "docs" / "references.md").read_text(encoding="utf-8")
    known = set(re.findall(r"^\| ([A-Za-z0-9]+) \|", table, flags=re.MULTILINE))
    source = [room for room in sorted((ROOT / "src" / "softstride").iterdir()) if room.is_dir()]
    files = [
        GUIDE,
        MODELS,
        KINEMATICS,
        IK_THEORY,
        DYNAMICS,
        LOADS_THEORY,
        MUSCLES,
        HILL_THEORY,
        PATH_THEORY,
        SHARING_THEORY,
        PLANAR,
        SEGMENTS,
        SEGMENTS_THEORY,
        CONTACT,
        GAIT,
        GAIT_THEORY,
        *(file for folder in source for file in folder.rglob("*.py")),
    ]
    files += (ROOT / "src" / "softstride" / "model" / "library").rglob("*.toml")
    key = re.compile(r"(?<=[\[ ])[A-Za-z]{3,}(?:19|20)\d\d(?=[],;])")
    cited = {word for file in files for word in key.findall(file.read_text(encoding="utf-8"))}
    assert len(cited) > 20
    assert cited <= known
