"""Our paths and OpenSim's in the same poses: those of the recorded motions, and random ones.

What OpenSim is told are poses, rounded to a millionth so that they need few bytes, names, and of which values more is
asked: those that are about 0.5 mm or further from ours. Of these it also says where its path meets surfaces, and the
length and arms of its own geodesic (Scholz 2015) over the surfaces that our path wraps. Where to begin on them it has
to be told; from some places it does not find the path, so several are tried.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field

import numpy as np
from tests import peers
from tests.muscles.paths import scenes
from tests.muscles.paths.recorded import MOTIONS, read
from tests.oracles import opensim_paths
from tests.oracles.opensim_paths import OpenSimPaths, loadable

import softstride as ss
from softstride.engine import paths
from softstride.engine.path_plan import path_plan
from softstride.muscles.paths.names import named_paths

NEAR = 5e-4  # [m]
DOUBTED = 0.9 * NEAR  # from here on more is asked, so that rounding decides nothing
SAME = 2e-5  # [m]: two ways are the same
FRAMES = 80  # of a motion, evenly spaced: every second or third one of most
POSES = 100  # where there is no motion
FEW = 40  # poses of models that have a motion too
DIGITS = 6  # of poses [rad], [m]

SURFACES = (
    "walk_rajagopal_emg/subject_walk_scaled.osim",
    "walk_opencap_s4/manually_scaled.osim",
    "knee_gc5_ps/GC5.osim",
    "run_overground_bmc/Rajagopal2015_scaled.osim",
    "muscle_arm26/arm26.osim",
)
"""Models with surfaces, which are compared in random poses too."""


@dataclass(frozen=True)
class Doubt:
    """What OpenSim says of a muscle that differs in a pose.

    Attributes:
        wraps: Where its path meets and leaves surfaces, by surface, in its axes, (2, 3).
        length: Of its geodesic over the surfaces of our path [m].
        arms: Of that geodesic, by the number of the coordinate [m].
    """

    wraps: dict[str, np.ndarray]
    length: float
    arms: dict[int, float]


@dataclass
class Comparison:
    """Ours and theirs in the same poses."""

    model: ss.Model
    q: np.ndarray
    ours: ss.MusclePaths
    length: np.ndarray  # theirs, as said
    final: np.ndarray  # theirs, along their final vertices
    arms: np.ndarray  # theirs; NaN where ours are zero by structure
    doubts: dict[tuple[int, int], Doubt] = field(default_factory=dict)  # by frame and muscle

    @property
    def far_arms(self):
        """(n, m, v): arms that differ by more than 0.5 mm."""
        return np.abs(np.nan_to_num(self.ours.arms - self.arms)) > NEAR

    @property
    def share(self):
        """Part of the arms within 0.5 mm, of those about coordinates that move the muscle."""
        return 1.0 - self.far_arms[np.isfinite(self.arms)].mean()

    @property
    def far_lengths(self):
        """(n, m): lengths that differ."""
        return np.abs(self.ours.length - self.length) > NEAR


WHOLE = ("walk_opencap_s4",)
"""Trials of which every frame is compared: exceptions are counted in them."""


@dataclass(frozen=True)
class Poses:
    """A model file with a motion, or with random poses of which there are so many."""

    file: str
    motion: str | None
    random: int = 0
    frames: int = FRAMES  # of a motion, at most

    @property
    def name(self):
        """Name of the stored answer."""
        name = self.motion or f"{self.file}_random"
        return "paths_" + name.rsplit(".", 1)[0].replace("/reference/", "/").replace("/", "_")

    @property
    def whole(self):
        """Whether every frame of the motion is compared."""
        return self.file.startswith(WHOLE)

    def ours(self, folder):
        """Return (model, poses (n, v), our paths): of a motion all of it, then the frames that are compared."""
        model = ss.load_model(folder / self.file)
        if self.motion is None:
            q = np.round(scenes.poses_in_range(model, self.random, seed=1), DIGITS)
            return model, q, ss.muscle_paths(model, q)
        q = np.round(read(folder, model, self.motion).q, DIGITS)
        found = ss.muscle_paths(model, q)
        n = len(q) if self.whole else min(self.frames, len(q))
        at = np.linspace(0, len(q) - 1, n).astype(int)
        return model, q[at], ss.MusclePaths(found.names, found.length[at], found.arms[at], None, found.notes)


MOVED = tuple(Poses(file, motion, 0 if motion else POSES) for file, motion in MOTIONS)
RANDOM = tuple(Poses(file, None, POSES if "arm26" in file else FEW) for file in SURFACES)


def questions(folder):
    """Return what is asked."""
    return [question(each, folder) for each in (*MOVED, *RANDOM)]


def question(poses, folder):
    """Return what is asked of a model in poses."""
    files = [each for each in (poses.file, poses.motion) if each]
    return peers.Question(
        "opensim",
        poses.name,
        lambda told: opensim_paths.ask(folder / poses.file, told) | {"q": told["q"]},
        {each: folder / each for each in files},
        [poses.random, "all" if poses.whole else poses.frames],
        told=lambda: told(poses, folder),
        places={"q": DIGITS, "length": 7, "added": 7, "arms": 6},
    )


def compared(poses, folder):
    """Return a Comparison with OpenSim's answer, as `peers` has it."""
    asked = question(poses, folder)
    return beside(poses, folder, peers.read(asked).told, peers.answer(asked))


def asked_now(poses, folder):
    """Return a Comparison with OpenSim's answer of now, to a question that is not stored."""
    what = told(poses, folder)
    return beside(poses, folder, what, opensim_paths.ask(folder / poses.file, what))


def beside(poses, folder, told, theirs):
    """Return a Comparison with an answer of OpenSim, and what it was told."""
    model, q, ours = poses.ours(folder)
    moves = moving(model, ours.names)
    same = (
        told["muscles"].tolist() == list(ours.names)
        and told["coordinates"].tolist() == list(model.coordinates)
        and np.array_equal(told["moves"], moves)
        and told["q"].shape == q.shape
        and np.abs(told["q"] - q).max() < 1.5 * 10.0**-DIGITS
    )
    assert same, (
        f"OpenSim was told other poses or paths of {poses.name}; {question(poses, folder).command} asks anew"
    )
    arms = np.full((len(q), *moves.shape), np.nan)
    arms[:, moves] = theirs["arms"]
    return Comparison(
        model, q, ours, theirs["length"], theirs["length"] - theirs["added"], arms, doubts_of(told, theirs)
    )


def doubts_of(told, theirs):
    """Return what was asked of values that differ."""
    found, at = {}, 0
    for k, (f, i, _) in enumerate(told["doubts"]):
        columns = np.flatnonzero(told["moves"][i])
        arms = theirs["way_arms"][at : at + len(columns)]
        at += len(columns)
        rows = theirs["wrap_doubt"] == k
        surfaces, places = theirs["wrap_surface"][rows], theirs["wrap_place"][rows]
        wraps = {str(name): places[surfaces == name] for name in dict.fromkeys(surfaces.tolist())}
        arms = dict(zip(columns.tolist(), arms.tolist(), strict=True))
        found[int(f), int(i)] = Doubt(wraps, float(theirs["way_length"][k]), arms)
    return found


def live(file, model, q, folder):
    """Return a Comparison with what OpenSim says now, without doubts."""
    ours = ss.muscle_paths(model, q)
    peer = OpenSimPaths(loadable(file, folder))
    theirs = peer.compare(ours.names, list(model.coordinates), q, moving(model, ours.names))
    return Comparison(model, q, ours, *theirs)


def moving(model, names):
    """Return which coordinates move which muscles, (m, v)."""
    plan = path_plan(model, named_paths(model, names))
    return np.array([np.isin(np.arange(model.nv), list(plan.moved_by(i))) for i in range(len(names))])


def parts_of(found, f, name):
    """Return the points of our path and the surfaces that it wraps, each with where it is met and left."""
    plan = path_plan(found.model, named_paths(found.model, [name]))
    (piece,) = paths.walk(found.model, plan, found.q[f : f + 1], recorded=True)
    record, parts = piece.record, []
    for _, point, wrap in record.marks[0, 0, : record.counts[0, 0]]:
        trace = record.traces[0, wrap] if wrap >= 0 else None
        part = int(point) if wrap < 0 else (plan.wraps[wrap][1], np.array([trace[1:4], trace[4:7]]))
        if wrap < 0 or not parts or isinstance(parts[-1], int) or parts[-1][0] != part[0]:
            parts.append(part)
    return parts


# what OpenSim is told


def told(poses, folder):
    """Return what `opensim_paths.ask` has to be told."""
    model, q, ours = poses.ours(folder)
    moves = moving(model, ours.names)
    with tempfile.TemporaryDirectory() as out:
        file = loadable(folder / poses.file, out)
        length, final, arms = OpenSimPaths(file).compare(ours.names, list(model.coordinates), q, moves)
        found = Comparison(model, q, ours, length, final, arms)
        off = np.abs(np.nan_to_num(ours.arms - arms)).max(axis=2) > DOUBTED
        off |= (np.abs(length - ours.length) > DOUBTED) & (np.abs(final - ours.length) > DOUBTED)
        search = Search(file, found)
        doubts = [(f, i, search.way(f, i)) for i, f in np.argwhere(off.T)]
    parts = [(way, *part) for way, begun in enumerate(search.ways) for part in map(flat, begun)]
    return {
        "muscles": peers.words(ours.names),
        "coordinates": peers.words(model.coordinates),
        "q": q,
        "moves": moves,
        "doubts": np.array(doubts, dtype=int).reshape(-1, 3),
        "part_way": np.array([part[0] for part in parts], dtype=int),
        "part_point": np.array([part[1] for part in parts], dtype=int),
        "part_surface": peers.words(part[2] for part in parts),
        "part_place": np.array([part[3] for part in parts]).reshape(-1, 3),
    }


def flat(part):
    """Return number of the point or -1, name of the surface, place on it."""
    return (part, "", np.zeros(3)) if isinstance(part, int) else (-1, *part)


class Search:
    """Where to begin so that OpenSim finds its geodesics: the ways that are told, and a model for each."""

    def __init__(self, file, found):
        self.file, self.found = file, found
        self.ways, self._latest = [], {}

    def way(self, f, i):
        """Return the number of a way for a muscle in a pose: one that finds ours, or the last that was tried."""
        name = self.found.ours.names[i]
        parts = parts_of(self.found, f, name)
        key = name, *(part if isinstance(part, int) else part[0] for part in parts)
        if key in self._latest and self._finds(f, i, self._latest[key][1]):
            return self._latest[key][0]
        for share in (0.5, 0.0, 1.0, 0.25):
            begun = [part if isinstance(part, int) else (part[0], place(part[1], share)) for part in parts]
            model = OpenSimPaths(self.file, {name: begun})
            if self._finds(f, i, model):
                break
        self._latest[key] = len(self.ways), model
        self.ways.append(begun)
        return self._latest[key][0]

    def _finds(self, f, i, model):
        names, columns = (
            list(self.found.model.coordinates),
            np.flatnonzero(np.isfinite(self.found.arms[f, i])),
        )
        pose = dict(zip(names, self.found.q[f], strict=True))
        length, arms = model.geodesic(self.found.ours.names[i], pose, [names[j] for j in columns])
        return same_path(self.found, f, i, Doubt({}, length, dict(zip(columns, arms, strict=True))))


def place(ends, share):
    """Return a place between two."""
    return (1.0 - share) * ends[0] + share * ends[1]


def same_path(found, f, i, doubt):
    """Whether OpenSim's geodesic has our length, and our arms where its path has others, within 0.02 mm."""
    far = np.flatnonzero(np.abs(np.nan_to_num(found.ours.arms - found.arms))[f, i] > DOUBTED)
    close = abs(doubt.length - found.ours.length[f, i]) < SAME
    return bool(close and all(abs(doubt.arms[j] - found.ours.arms[f, i, j]) < SAME for j in far))
