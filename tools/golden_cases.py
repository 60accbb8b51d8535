"""What softstride answers, case by case: the cases of tools/golden.py, and what is kept of each answer.

    python -m tools.golden_cases FOLDER [CASE ...]

Runs the softstride that Python finds first, today's or an older one, so that nothing here is younger than the oldest
one asked. For each case it writes FOLDER/CASE.npz, arrays and numbers by path, and FOLDER/CASE.json, texts by path.
What hangs on the clock and the version is left out; threads are single, so that sums keep their order.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

VOLATILE = re.compile(r"second|compil|version|per_s$|^softstride$|^digest$|memory|^threads$|folder$|^cache")
"""Keys of figures that differ from run to run, from machine to machine or from version to version."""

NUMBER = re.compile(r"(?<![A-Za-z_\d.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![A-Za-z_\d])")
"""A number in a text; digits of names stay with the names."""

PICTURES = (".png", ".gif", ".pdf")

TEXTUAL = (".csv", ".json", ".mot", ".osim", ".sto", ".svg", ".toml", ".trc", ".txt", ".xml")


class Answers:
    """What a case answered: arrays and texts by path."""

    def __init__(self) -> None:
        self.arrays: dict[str, Any] = {}
        self.texts: dict[str, str] = {}
        self._seen: dict[int, tuple[Any, str]] = {}

    def put(self, path: str, value: Any, loose: Sequence[str] = ()) -> None:
        """Keep a value: a number, a text, an array, or what is made of these, field by field.

        Columns of coordinates that the result itself calls undetermined, `loose`, are kept apart, under `PATH~loose`.
        """
        if isinstance(value, np.ndarray | np.generic | bool | int | float):
            self._array(path, np.asarray(value))
        elif value is None or isinstance(value, str | bytes | Path):
            self.texts[path] = repr(value)
        elif is_note(value):
            self.texts[path] = repr(str(value))
            self.texts[f"{path}~codes"] = value.code
        elif isinstance(value, Mapping):
            for key, each in value.items():
                if not VOLATILE.search(str(key)):
                    self.put(f"{path}/{key}", each, loose)
        elif isinstance(value, tuple | list | set | frozenset):
            self._sequence(path, list(value), loose)
        elif type(value).__name__ == "Model":
            self.texts[path] = f"model {value.name}"
        elif is_dataclass(value):
            self._record(path, value, loose)

    def text(self, path: str, text: str) -> None:
        """Keep a text, its numbers apart."""
        numbers = NUMBER.findall(text)
        self.texts[path] = re.sub(r"[ \t]+", " ", NUMBER.sub("#", text))
        self.arrays[f"{path}~numbers"] = np.array([float(each) for each in numbers])

    def files(self, path: str, folder: Path) -> None:
        """Keep the files of a folder: names of all, contents of those that are text."""
        found = sorted(file for file in folder.rglob("*") if file.is_file())
        self.texts[f"{path}/files"] = "\n".join(file.relative_to(folder).as_posix() for file in found)
        for file in found:
            place = f"{path}/{file.relative_to(folder).as_posix()}"
            if file.name == "figures.json":
                self.put(place, json.loads(file.read_text(encoding="utf-8")))
            elif file.suffix in TEXTUAL:
                self.text(place, file.read_text(encoding="utf-8", errors="replace"))

    def _array(self, path: str, value: Any) -> None:
        if value.dtype.kind in "OSU":
            self.texts[path] = repr(value.tolist())
        else:
            self.arrays[path] = np.array(value, dtype=np.float64)

    def _sequence(self, path: str, value: list[Any], loose: Sequence[str]) -> None:
        """Keep a list: one array of numbers, one text of texts, and records of one kind field by field."""
        codes = [each.code for each in value if is_note(each)]
        if codes:
            self.texts[f"{path}~codes"] = "\n".join(codes)
        value = [str(each) if is_note(each) else each for each in value]
        kinds = {type(each) for each in value}
        if all(isinstance(each, str) for each in value):
            self.texts[path] = "\n".join(value)
        elif len(kinds) == 1 and is_dataclass(value[0]):
            for each in fields(value[0]):
                if not VOLATILE.search(each.name):
                    self._sequence(f"{path}/*/{each.name}", [getattr(x, each.name) for x in value], loose)
        elif kinds == {dict}:
            for key in dict.fromkeys(key for each in value for key in each):
                if not VOLATILE.search(key):
                    self._sequence(f"{path}/*/{key}", [each.get(key) for each in value], loose)
        elif numbers(value):
            arrays = [np.asarray(each, dtype=np.float64) for each in value]
            shapes = {array.shape for array in arrays}
            one = np.stack(arrays) if len(shapes) == 1 else np.concatenate([x.ravel() for x in arrays])
            self._array(path, one)
        elif all(each is None or isinstance(each, str | bool | int | float) for each in value):
            self.texts[path] = "\n".join(map(repr, value))
        else:
            for i, each in enumerate(value):
                self.put(f"{path}/{i}", each, loose)

    def _record(self, path: str, value: Any, loose: Sequence[str]) -> None:
        if id(value) in self._seen:
            self.texts[path] = f"same as {self._seen[id(value)][1]}"
            return
        self._seen[id(value)] = (value, path)
        for each in fields(value):
            if each.name.startswith("_") or VOLATILE.search(each.name):
                continue
            part, place = getattr(value, each.name), f"{path}/{each.name}"
            if each.name == "parameters":  # of a C3D file: many small ones
                self.text(place, repr(part))
                continue
            columns = self._loose_columns(value, part, loose)
            if len(columns):
                self._array(f"{place}~loose", part[..., columns])
                part = np.delete(part, columns, axis=-1)
            self.put(place, part, loose)

    def _loose_columns(self, owner: Any, part: Any, loose: Sequence[str]) -> list[int]:
        names = getattr(getattr(owner, "model", None), "coordinate_names", ())
        if not loose or not isinstance(part, np.ndarray) or part.ndim < 2 or part.shape[-1] != len(names):
            return []
        return [names.index(name) for name in loose if name in names]


def is_note(value: Any) -> bool:
    """Return whether a value is a note: kept as its sentence, as older notes are, and its code apart."""
    return type(value).__name__ == "Note"


def numbers(value: Any) -> bool:
    """Return whether a value is a number, an array of numbers, or a list of such."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "biuf"
    if isinstance(value, list | tuple):
        return len(value) > 0 and all(numbers(each) for each in value)
    return isinstance(value, bool | int | float | np.number)


def command(answers: Answers, path: str, *words: str) -> dict[str, Any]:
    """Run a command with --json, keep its figures and how it ended, and return the figures."""
    from typer.testing import CliRunner

    from softstride.cli.app import app

    done = CliRunner().invoke(app, [*words, "--json"])
    answers.texts[f"{path}/exit"] = str(done.exit_code)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    if done.stderr.startswith("Usage:"):
        raise SystemExit(f"{' '.join(words)}\n{done.stderr}")
    answers.texts[f"{path}/stderr"] = NUMBER.sub("#", done.stderr)
    lines = done.stdout.strip().splitlines()
    figures: dict[str, Any] = json.loads(lines[-1]) if lines and lines[-1].startswith("{") else {}
    answers.put(path, figures)
    return figures


def study(answers: Answers, folder: Path) -> None:
    """Keep a folder of results: the study, field by field, its figures, and all files."""
    import softstride as ss

    for file in sorted(folder.glob("*.study.nc")):
        opened = ss.open_study(file)
        loose = tuple(getattr(opened.motion, "undetermined", ()) or ())
        answers.put(f"study/{opened.name}", opened, loose)
        answers.put(f"study/{opened.name}/figures", dict(opened.figures))
        answers.texts[f"study/{opened.name}/all_notes"] = "\n".join(map(str, opened.all_notes))
    answers.files(f"files/{folder.name}", folder)


def analysis(*words: str) -> Callable[[Answers], None]:
    """Return a case that analyses a trial."""

    def case(answers: Answers) -> None:
        command(answers, "json", "analyze", *words, "--out", "results", "--quiet")
        study(answers, Path("results"))

    return case


def athlete(answers: Answers) -> None:
    """The packaged runner with a blade, walking and running, from C3D files."""
    command(answers, "json", "demo", "--out", "demo", "--quiet")
    for gait in ("walking", "running"):
        study(answers, Path("demo") / gait)
    report = Path("demo/running/running.study.nc")
    command(answers, "report", "report", str(report), "--out", "again.html", "--quiet")


def models(answers: Answers) -> None:
    """Every model at hand, as both writers have it."""
    import softstride as ss
    from softstride.model.load import PACKAGED

    published = sorted(Path("data").glob("*/*.osim")) if Path("data").is_dir() else []
    for source in [*PACKAGED, *map(Path.as_posix, published)]:
        name = source
        try:
            model = ss.load_model(source)
        except ss.SoftstrideError as error:
            answers.text(f"{name}/refused", str(error))
            continue
        answers.put(f"{name}/notes", model.notes)
        answers.put(f"{name}/mass", model.mass)
        answers.put(f"{name}/neutral", model.neutral())
        answers.text(f"{name}/summary", model.summary())
        for suffix in ("json", "osim"):
            file = Path(f"model.{suffix}")
            try:
                ss.save_model(model, file, overwrite=True)
                answers.text(f"{name}/{suffix}", file.read_text(encoding="utf-8"))
            except ss.SoftstrideError as error:
                answers.text(f"{name}/{suffix}/refused", str(error))
        command(answers, f"{name}/info", "info", source)


def prostheses(answers: Answers) -> None:
    """Amputations by every table, blades on both levels, and a load test."""
    import softstride as ss

    for surgery in ("myodesis", "myoplasty"):
        for level, length in (("below_knee", 0.13), ("below_hip", 0.25)):
            cut: dict[str, Any] = {level: length}
            model = ss.amputate(ss.load_model("gait"), side="right", surgery=surgery, **cut)
            if level == "below_knee":
                model = ss.attach_blade(model, side="right", blade="c-medium")
            name = f"{surgery}-{level}"
            ss.save_model(model, "cut.json", overwrite=True)
            answers.text(name, Path("cut.json").read_text(encoding="utf-8"))
            answers.put(f"{name}/notes", model.notes)
    command(answers, "blade", "blade", "c-medium", "--angles", "0,10", "--out", "blade")
    answers.files("blade", Path("blade"))


def tools(answers: Answers) -> None:
    """The commands that take the places of OpenSim's tools, one after the other, on a published walk."""
    walk = "data/walk_gait2354"
    setup = f"{walk}/subject01_Setup_IK.xml"
    command(answers, "ik", "ik", "--setup", setup, "--out", "ik.mot", "--errors-out", "errors.sto", "--quiet")
    given = ["--model", f"{walk}/subject01_simbody.osim", "--motion", "ik.mot", "--lowpass", "6", "--quiet"]
    loads = ["--external-loads", f"{walk}/subject01_walk1_grf.xml"]
    command(answers, "id", "id", *given, *loads, "--out", "id.sto")
    command(
        answers, "reduced", "id", *given, *loads, "--reduce", "--out", "less.sto", "--motion-out", "less.mot"
    )
    command(answers, "grf", "grf", *given, *loads, "--out", "grf.mot", "--id-out", "grf_id.sto")
    command(answers, "muscles", "muscles", *given, *loads, "--out", "so")
    forces = ["--forces", "so_force.sto"]
    command(answers, "reactions", "reactions", *given, *loads, *forces, "--out", "jr.sto")
    for file in sorted(Path().glob("*.sto")) + sorted(Path().glob("*.mot")):
        answers.text(f"files/{file.name}", file.read_text(encoding="utf-8"))


def recordings(answers: Answers) -> None:
    """What is found in recordings of many laboratories, one of a kind from each, and what is decided about them."""
    import softstride as ss

    patterns = ("*/*.c3d", "c3d_formats/*/*.c3d", "*/*.trc", "*/*.csv", "*/*.mot", "*/*.sto")
    sets: dict[tuple[Path, str], Path] = {}
    for file in (file for pattern in patterns for file in sorted(Path("data").glob(pattern))):
        sets.setdefault((file.parent, file.suffix), file)
    for file in sets.values():
        name = file.as_posix()
        command(answers, f"{name}/info", "info", name)
        with contextlib.suppress(ss.SoftstrideError):
            answers.put(name, ss.read(file))


def segments(answers: Answers) -> None:
    """Joint moments from landmarks."""
    trial = "data/c3d_emg_pig/HC030A05.c3d"
    command(answers, "json", "segments", trial, "--out", "segments", "--no-pictures", "--quiet")
    answers.files("files", Path("segments"))


def planar(answers: Answers) -> None:
    """The packaged planar chains: all columns, induced effects, an unknown contact."""
    from softstride.planar import load_chain

    for name in ("squat", "finger", "spine"):
        find = ["--find", "wall"] if name == "squat" else []
        command(answers, f"{name}/json", "chain", name, "--induced", *find)
        case = load_chain(name)
        state = case.chain.balanced(case.state, "wall") if find else case.state
        answers.put(f"{name}/reactions", case.chain.reactions(state))
        answers.put(f"{name}/contributions", case.chain.contributions(state))
        answers.put(f"{name}/induced", case.chain.induced(state))
    leg = "data/planar_gait/invdyn2d_reference/rawdata.txt"
    if Path(leg).is_file():
        command(answers, "stance/json", "chain", "stance", "--table", leg)


def walks(answers: Answers) -> None:
    """Steps from joint moments, changed ones, ten with feedback, a rolling foot, spheres, a hop on a blade."""
    walk = ("walk", "--quiet")
    command(answers, "nominal", *walk, "--out", "nominal")
    answers.files("nominal/files", Path("nominal"))
    command(answers, "push", *walk, "--perturb", "left_ankle:1=+20%")
    command(answers, "weak", *walk, "--perturb", "left_ankle:1=-20%")
    command(answers, "ten", *walk, "--steps", "10", "--feedback")
    command(answers, "rolling", *walk, "--model", "planar-rolling", "--out", "rolling")
    answers.files("rolling/files", Path("rolling"))
    command(answers, "spheres", *walk, "--model", "planar-spheres")
    command(answers, "hop", *walk, "--model", "blade", "--out", "hop")
    answers.files("hop/files", Path("hop"))


def many(answers: Answers) -> None:
    """Two trials at once."""
    given = ["--model", "data/run_hamner_s03/subject03_adjusted_scaled.osim"]
    trials = [f"data/run_hamner_s03/Run_{speed}.trc" for speed in (2, 4)]
    settings = "[analysis]\nbands = false\nmuscles = false\nreactions = false\ntime_range = [0.5, 1.5]\n"
    Path("lab.toml").write_text(settings, encoding="utf-8")
    common = ["--options", "lab.toml", "--no-report", "--jobs", "1", "--quiet"]
    command(answers, "json", "batch", *trials, *given, *common, "--out", "results")
    for folder in sorted(path for path in Path("results").iterdir() if path.is_dir()):
        study(answers, folder)


def checks(answers: Answers) -> None:
    """The self-checks."""
    command(answers, "json", "selfcheck")


RAJAGOPAL = "data/walk_rajagopal_emg"
RUNNER = "data/run_hamner_s03"
AMPUTEE = "data/amputee_walk_a01"

CASES: Mapping[str, Callable[[Answers], None]] = {
    "athlete": athlete,
    "walk_emg": analysis(
        f"{RAJAGOPAL}/markers_walk.trc",
        *("--model", f"{RAJAGOPAL}/subject_walk_scaled.osim"),
        *("--with", f"{RAJAGOPAL}/grf_walk.xml", "--with", f"{RAJAGOPAL}/electromyography.sto"),
    ),
    "walk_c3d": analysis("data/c3d_emg_pig/HC030A05.c3d", "--mass", "58", "--height", "1.6"),
    "run": analysis(
        f"{RUNNER}/Run_3.trc",
        *("--model", f"{RUNNER}/subject03_adjusted_scaled.osim", "--with", f"{RUNNER}/Run_3_grf.xml"),
        *("--time", "0.5", "1.5"),
    ),
    "amputee": analysis(
        f"{AMPUTEE}/A01_PREF_T0015.trc",
        *("--model", f"{AMPUTEE}/A01_4DOF.osim", "--with", f"{AMPUTEE}/A01_T0015_GRF_2plates.mot"),
    ),
    "models": models,
    "prostheses": prostheses,
    "tools": tools,
    "recordings": recordings,
    "segments": segments,
    "planar": planar,
    "walks": walks,
    "many": many,
    "checks": checks,
}
"""Cases by name. `view` serves pages and `bench` measures time: neither has an answer that could stay the same."""

NEED_DATA = ("walk_emg", "walk_c3d", "run", "amputee", "tools", "recordings", "segments", "many")


@contextlib.contextmanager
def laboratory(data: Path | None) -> Iterator[None]:
    """Work in an empty folder, in which `data` is the folder of recordings."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="softstride-golden-") as folder:
        if data is not None:
            (Path(folder) / "data").symlink_to(data, target_is_directory=True)
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run cases; those that need recordings are passed over where there are none."""
    import softstride as ss

    given = list(sys.argv[1:] if arguments is None else arguments)
    folder, wanted = Path(given[0]).resolve(), given[1:] or list(CASES)
    folder.mkdir(parents=True, exist_ok=True)
    ss.set_threads(1)
    data = Path(os.environ["SOFTSTRIDE_TEST_DATA"]).resolve()
    for name in wanted:
        if name in NEED_DATA and not data.is_dir():
            print(f"{name}: passed over, there are no recordings at {data}", flush=True)
            continue
        start = time.monotonic()
        answers = Answers()
        with laboratory(data if data.is_dir() else None):
            CASES[name](answers)
        np.savez(folder / f"{name}.npz", **{key.replace("/", "\\"): a for key, a in answers.arrays.items()})
        text = json.dumps(answers.texts, indent=0, sort_keys=True)
        (folder / f"{name}.json").write_text(text, encoding="utf-8")
        told = f"{len(answers.arrays)} arrays, {len(answers.texts)} texts"
        print(f"{name}: {told}, {time.monotonic() - start:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
