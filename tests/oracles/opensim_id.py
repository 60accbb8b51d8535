"""OpenSim's InverseDynamicsTool as an oracle: eight trials from files to file, and what the tool does on the way.

The tool (version 4.6) solves, at instants of its own and ignoring constraints,

    tau = M(q) a + b(q, v) - sum_k J_k^T w_k

1. *Low pass.* With a cutoff f >= 0 every column is padded at both ends by n // 2 frames, mirrored through the end point
   (x_-i = 2 x_0 - x_i), the time column too. If the mean step exceeds the least step dt by more than 2.2e-16 s, which
   rounding of the time column ensures, all columns are resampled from the first padded instant in steps of dt by
   interpolating quintic splines: the instants of the result drift by 1e-8 s a frame, and a column rounded to 1e-4 s
   would give other frames. Then a Butterworth filter of third order runs forward and backward with tan(pi f dt); f is
   not corrected for the two passes, so the gain at f is 1/2. Both passes start at the values of the signal.
2. *Derivatives.* q, v and a are those of the interpolating natural quintic spline (derivatives 3 and 4 vanish at its
   ends) through the padded frames, which are not cut off: with a low pass, the ends of the trial are no ends of the
   spline. Without one they are.
3. *Coordinates.* Columns are found by their bare names; a path such as /jointset/hip_r/hip_flexion_r/value is not, and
   a coordinate without a column keeps its default. Degrees are converted for coordinates of rotational type alone: a
   patella that follows the knee ("coupled") is always in radians. Locked, clamped and prescribed coordinates follow
   their column like all others. Nothing is assembled: the coupled ones follow their own column, and have a force of
   their own.
4. *Loads.* Each column of force, point and moment is interpolated by a natural cubic spline over all its samples,
   through zeros and centres of pressure that jump, whatever the rates. Force and moment turn with the body in which
   they are expressed; the moment is added as it is, about any point. Columns are those that begin with the identifier.
5. *Forces of the model.* Only the muscles are left out here. Others act: limits, springs, contact. Actuators have no
   control and give nothing. Gravity is the model's.
6. *Frames.* From the last instant at or before the start of the range to the last one at or before its end. A motion
   with a low pass has instants beyond its ends, so the range must be given: without one the padding is solved too.

`solve` folds the forces of coupled coordinates into those they follow, tau_k + f'(q_k) tau_f, since our models have no
coupled ones. The base residual is the tool's own: the spatial force on the pelvis that its joint's forces amount to.
"""

import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tests import peers

from .installed import osim
from .opensim_id_trials import TRIALS, Trial  # noqa: F401  (for those who import this module)
from .opensim_ik import quiet


@dataclass(frozen=True)
class Table:
    """A storage file as it stands: header lines, labels without time, instants (n,), values (n, m)."""

    header: list[str]
    labels: list[str]
    time: np.ndarray
    values: np.ndarray

    @property
    def in_degrees(self):
        """Whether the header says so."""
        return any(line.strip().lower() == "indegrees=yes" for line in self.header)

    def column(self, label):
        """Return a column, (n,)."""
        return self.values[:, self.labels.index(label)]


@dataclass(frozen=True)
class Files:
    """What a run of the tool reads and writes."""

    model: Path
    motion: Path
    loads: Path
    setup: Path
    result: Path
    body_forces: Path


@dataclass(frozen=True)
class Solution:
    """OpenSim's solution.

    Attributes:
        time: Its instants [s], (n,).
        tau: Generalized forces by coordinate [N m] or [N], (n,); those of coupled coordinates are folded in.
        coupled: What was folded in, by coupled coordinate.
        residual: [moment; force] on the pelvis in world axes about its origin, (n, 6); None where its joint has fewer
            than six coordinates.
    """

    time: np.ndarray
    tau: Mapping[str, np.ndarray]
    coupled: Mapping[str, np.ndarray]
    residual: np.ndarray | None

    def matrix(self, model):
        """Return the forces in the order of our model, (n, nv)."""
        return np.stack([self.tau[name] for name in model.coordinate_names], axis=1)


def read_table(path):
    """Return a storage file."""
    lines = Path(path).read_text().splitlines()
    end = next(i for i, line in enumerate(lines) if line.strip() == "endheader")
    rows = [line.split() for line in lines[end + 1 :] if line.strip()]
    values = np.array([[float(cell) for cell in row] for row in rows[1:]])
    return Table(lines[:end], rows[0][1:], values[:, 0], values[:, 1:])


def read_forces(path):
    """Return (instants, forces by coordinate) of a file of inverse dynamics, labels without _moment and _force."""
    table = read_table(path)
    names = [label.removesuffix("_moment").removesuffix("_force") for label in table.labels]
    return table.time, dict(zip(names, table.values.T, strict=True))


@dataclass(frozen=True)
class Coupler:
    """dependent = function(independent), linear in all models here: slope and intercept."""

    dependent: str
    independent: str
    slope: float
    intercept: float


def read_couplers(model):
    """Return the couplers of an OpenSim model.

    Raises:
        NotImplementedError: If one of them is not linear: folding would need the filtered coordinate.
    """
    found = []
    constraints = model.getConstraintSet()
    for i in range(constraints.getSize()):
        coupler = osim.CoordinateCouplerConstraint.safeDownCast(constraints.get(i))
        if coupler is None or not coupler.get_isEnforced():
            continue
        function, at = coupler.getFunction(), [osim.Vector(1, x) for x in (0.0, 1.0, -0.7)]
        f = [function.calcValue(x) for x in at]
        slope = f[1] - f[0]
        if abs(f[0] - 0.7 * slope - f[2]) > 1e-9:
            raise NotImplementedError(f"{coupler.getName()} is not linear")
        independent = coupler.getIndependentCoordinateNames().get(0)
        found.append(Coupler(coupler.getDependentCoordinateName(), independent, slope, f[0]))
    return found


@dataclass(frozen=True)
class Facts:
    """What the files of a trial need of its model: couplers, angles among the coordinates, those of the base."""

    couplers: list[Coupler]
    rotational: set[str]
    base: list[str]


def facts(model_file):
    """Return what OpenSim says of a model."""
    model = osim.Model(str(model_file))
    coordinates, joints, base = model.getCoordinateSet(), model.getJointSet(), []
    every = [coordinates.get(i) for i in range(coordinates.getSize())]
    for i in range(joints.getSize()):
        joint = joints.get(i)
        if joint.getParentFrame().findBaseFrame().getName() == "ground" and joint.numCoordinates() >= 3:
            base += [joint.get_coordinates(k).getName() for k in range(joint.numCoordinates())]
    rotational = {each.getName() for each in every if each.getMotionType() == osim.Coordinate.Rotational}
    return Facts(read_couplers(model), rotational, base)


def facts_question(model, folder):
    """Return what is asked of a model file."""

    def ask(told):
        found = facts(folder / model)
        return {
            "coupled": peers.words([each.dependent for each in found.couplers]),
            "followed": peers.words([each.independent for each in found.couplers]),
            "lines": np.array([(each.slope, each.intercept) for each in found.couplers]).reshape(-1, 2),
            "rotational": peers.words(sorted(found.rotational)),
            "base": peers.words(found.base),
        }

    name = "model_" + model.removesuffix(".osim").replace("/", "_")
    return peers.Question("opensim", name, ask, {model: folder / model})


def stored_facts(model, folder):
    """Return what OpenSim says of a model, as `peers` has it."""
    found = peers.answer(facts_question(model, folder))
    couplers = [
        Coupler(dependent, independent, slope, intercept)
        for dependent, independent, (slope, intercept) in zip(
            found["coupled"].tolist(), found["followed"].tolist(), found["lines"].tolist(), strict=True
        )
    ]
    return Facts(couplers, set(found["rotational"].tolist()), found["base"].tolist())


def files_of(trial, folder):
    """Return what is read of a trial, below the folder of recordings."""
    loads = Path(trial.loads)
    named = re.search(r"<datafile>\s*(.*?)\s*</datafile>", (folder / loads).read_text(errors="replace"))
    data = [(loads.parent / named.group(1)).as_posix()] if named else []
    return [trial.model, trial.motion, trial.loads, *data]


def questions(folder):
    """Return what is asked of all models."""
    return [facts_question(model, folder) for model in dict.fromkeys(trial.model for trial in TRIALS)]


def write_motion(source, target, couplers, rotational):
    """Write a motion as the tool needs it: bare names, columns of coupled coordinates made by their couplers [rad].

    All other numbers are copied digit by digit.

    Args:
        source: Motion file.
        target: File to write.
        couplers: Couplers of the model.
        rotational: Names of the coordinates that the tool converts from degrees.
    """
    table = read_table(source)
    labels = [label.split("/")[-2] if label.endswith("/value") else label for label in table.labels]
    keep = [i for i, label in enumerate(labels) if label not in {each.dependent for each in couplers}]
    values = [table.values[:, i] for i in keep]
    names = [labels[i] for i in keep]
    for each in couplers:
        factor = np.pi / 180.0 if table.in_degrees and each.independent in rotational else 1.0
        values.append(each.intercept + each.slope * factor * values[names.index(each.independent)])
        names.append(each.dependent)
    rows = np.column_stack([table.time, *values])
    text = ["\t".join(["time", *names]), *("\t".join(map(repr, row)) for row in rows.tolist())]
    header = ["Coordinates", "version=1", f"nRows={len(rows)}", f"nColumns={rows.shape[1]}"]
    header += [f"inDegrees={'yes' if table.in_degrees else 'no'}", "endheader"]
    target.write_text("\n".join(header + text) + "\n")


def write_loads(target, data, plates):
    """Write a document of external loads, all in ground."""
    objects = "".join(
        f'<ExternalForce name="{name}"><applied_to_body>{body}</applied_to_body>'
        "<force_expressed_in_body>ground</force_expressed_in_body>"
        "<point_expressed_in_body>ground</point_expressed_in_body>"
        f"<force_identifier>{force}</force_identifier><point_identifier>{point}</point_identifier>"
        f"<torque_identifier>{moment}</torque_identifier></ExternalForce>"
        for name, (body, force, point, moment) in plates.items()
    )
    target.write_text(
        '<?xml version="1.0" encoding="UTF-8" ?><OpenSimDocument Version="40000"><ExternalLoads name="loads">'
        f"<objects>{objects}</objects><datafile>{data}</datafile></ExternalLoads></OpenSimDocument>"
    )


def write_setup(files, lowpass, start, stop, joints="ground_pelvis"):
    """Write the setup of the tool."""
    files.setup.write_text(
        '<?xml version="1.0" encoding="UTF-8" ?><OpenSimDocument Version="40000"><InverseDynamicsTool name="peer">'
        f"<results_directory>{files.result.parent}</results_directory>"
        f"<model_file>{files.model}</model_file><time_range>{float(start)!r} {float(stop)!r}</time_range>"
        f"<forces_to_exclude>Muscles</forces_to_exclude><external_loads_file>{files.loads}</external_loads_file>"
        f"<coordinates_file>{files.motion}</coordinates_file>"
        f"<lowpass_cutoff_frequency_for_coordinates>{-1.0 if lowpass is None else lowpass}"
        "</lowpass_cutoff_frequency_for_coordinates>"
        f"<output_gen_force_file>{files.result.name}</output_gen_force_file>"
        f"<joints_to_report_body_forces>{joints}</joints_to_report_body_forces>"
        f"<output_body_forces_file>{files.body_forces.name}</output_body_forces_file>"
        "</InverseDynamicsTool></OpenSimDocument>"
    )


def prepare(trial, folder, out, joints="ground_pelvis", known=None):
    """Write what the tool needs beside the shared files; return the files that both sides read.

    Args:
        trial: One of `TRIALS`.
        folder: Of the recordings.
        out: Folder to write to.
        joints: Of which the tool reports forces.
        known: Facts of the model; None: OpenSim is asked.
    """
    files = Files(
        folder / trial.model,
        out / f"{trial.name}.mot",
        out / "loads.xml" if trial.plates else folder / trial.loads,
        out / "setup.xml",
        out / "peer_id.sto",
        out / "peer_base.sto",
    )
    known = known or facts(files.model)
    write_motion(folder / trial.motion, files.motion, known.couplers, known.rotational)
    if trial.plates:
        table = folder / trial.loads
        shutil.copyfile(table, out / table.name)  # our reader takes tables beside their document only
        write_loads(files.loads, table.name, trial.plates)
    time = read_table(files.motion).time
    start, stop = trial.time_range or (float(time[0]), float(time[-1]))
    write_setup(files, trial.lowpass, start, stop, joints)
    return files


def thin_out(files, step):
    """Keep every so many rows of the motion file."""
    table = read_table(files.motion)
    rows = np.column_stack([table.time, table.values])[::step]
    text = ["\t".join(["time", *table.labels]), *("\t".join(map(repr, row)) for row in rows.tolist())]
    header = [line for line in table.header if not line.startswith("nRows")]
    files.motion.write_text("\n".join([*header, f"nRows={len(rows)}", "endheader", *text]) + "\n")


def run(files):
    """Run the tool from files to file."""
    with quiet():
        done = osim.InverseDynamicsTool(str(files.setup)).run()
    if not done:
        raise RuntimeError("InverseDynamicsTool failed")


def solve(trial, folder):
    """Return OpenSim's Solution of a trial."""
    with tempfile.TemporaryDirectory() as out:
        files = prepare(trial, folder, Path(out))
        run(files)
        return read_solution(files)


def read_solution(files):
    """Return what the tool wrote, eight digits after the point, with coupled coordinates folded in."""
    time, tau = read_forces(files.result)
    model = osim.Model(str(files.model))
    coupled = {}
    for each in read_couplers(model):
        coupled[each.dependent] = tau.pop(each.dependent)
        tau[each.independent] = tau[each.independent] + each.slope * coupled[each.dependent]
    base = model.getJointSet().get("ground_pelvis")
    residual = None
    if base.numCoordinates() == 6:
        body = read_table(files.body_forces).values  # force first
        residual = np.concatenate([body[:, 3:], body[:, :3]], axis=1)
    return Solution(time, tau, coupled, residual)
