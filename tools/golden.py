"""Does softstride still answer what it answered? Every array, note, figure and file, before a change and after.

    python -m tools.golden                     this source against the digests that are kept
    python -m tools.golden --at COMMIT         this source against COMMIT's, both run here and now, number by number
    python -m tools.golden --at main athlete   the case `athlete` alone; more may be named
    python -m tools.golden --write             keep the digests of this source, after a change that is meant

The cases are those of tools/golden_cases.py: analyses, models, segments, chains, walks, figures of commands. Each runs
in one process with one thread. COMMIT is checked out beside, in build/golden, and its answers are kept there by its
name. Number by number, two answers agree if they differ by at most 1e-9 of the largest value of their array, 1e-6 where
the result itself calls a coordinate undetermined or where a file rounds its digits. Digests, rounded to 1e-6, are made
to be kept in the repository, where the arrays would be too large; they tell that something changed, not what.

The exit code is 1 if answers differ. What only one side has is told: a lost answer counts as a difference, a new one
does not.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tools.golden_cases import CASES

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "tests" / "golden.json"
EXACT, ROUNDED = 1e-9, 1e-6
SHOWN = 12
"""Differences of a case that are printed."""

Digest = list[Any]


@dataclass(frozen=True)
class Answer:
    """What one case answered: arrays and texts by path."""

    arrays: Mapping[str, Any]
    texts: Mapping[str, str]


def run_cases(source: Path, folder: Path, names: Sequence[str]) -> None:
    """Run cases with the package of a checkout; what is in the folder already is not run again."""
    missing = [name for name in names if not (folder / f"{name}.json").is_file()]
    if not missing:
        return
    data = os.environ.get("SOFTSTRIDE_TEST_DATA") or str(ROOT.parent / "shared" / "data")
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(source / "src"), str(ROOT)]),
        "SOFTSTRIDE_TEST_DATA": data,
        "SOFTSTRIDE_CACHE_DIR": os.environ.get("SOFTSTRIDE_CACHE_DIR") or str(ROOT / ".cache" / "kernels"),
        "OPENBLAS_NUM_THREADS": "1",
        "MPLBACKEND": "Agg",
        "COLUMNS": "120",
    }
    command = [sys.executable, "-m", "tools.golden_cases", str(folder), *missing]
    subprocess.run(command, cwd=ROOT, env=environment, check=True)


def checkout(commit: str) -> tuple[Path, Path]:
    """Return a checkout of a commit, and the folder that keeps its answers."""
    name = _git("rev-parse", "--short=12", f"{commit}^{{commit}}")
    tree, answers = ROOT / "build" / "golden" / f"{name}-tree", ROOT / "build" / "golden" / name
    if not tree.is_dir():
        tree.parent.mkdir(parents=True, exist_ok=True)
        _git("worktree", "prune")
        _git("worktree", "add", "--detach", str(tree), name)
    return tree, answers


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"git {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout.strip()


def read_answer(folder: Path, name: str) -> Answer | None:
    """Return the answer of a case; None where it was passed over."""
    if not (folder / f"{name}.json").is_file():
        return None
    texts = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    with np.load(folder / f"{name}.npz") as stored:
        return Answer({key.replace("\\", "/"): stored[key] for key in stored.files}, texts)


def differences(now: Answer, then: Answer) -> Iterator[str]:
    """Yield a line for each path at which two answers differ."""
    for path, text in then.texts.items():
        if path not in now.texts:
            yield f"{path}: lost"
        elif now.texts[path] != text:
            yield f"{path}: {_first_change(text, now.texts[path])}"
    for path, array in then.arrays.items():
        if path not in now.arrays:
            yield f"{path}: lost"
        else:
            words = _apart(now.arrays[path], array, ROUNDED if _is_rounded(path) else EXACT)
            if words:
                yield f"{path}: {words}"


def _is_rounded(path: str) -> bool:
    return path.endswith(("~loose", "~numbers"))


def _apart(now: Any, then: Any, limit: float) -> str:
    """Return how far apart two arrays are, in words; "" if they agree."""
    if now.shape != then.shape:
        return f"shape {then.shape} became {now.shape}"
    if not (np.isnan(now) == np.isnan(then)).all():
        return f"NaN in {int(np.isnan(then).sum())} places became {int(np.isnan(now).sum())}, or moved"
    finite = np.isfinite(then)
    if not (now[~finite & ~np.isnan(then)] == then[~finite & ~np.isnan(then)]).all():
        return "infinite values moved"
    largest = float(np.abs(then[finite]).max(initial=0.0))
    gap = float(np.abs(now[finite] - then[finite]).max(initial=0.0))
    return "" if gap <= limit * largest else f"apart by {gap:.2g}, the largest value is {largest:.6g}"


def _first_change(then: str, now: str) -> str:
    """Return the first lines that differ."""
    before, after = then.splitlines(), now.splitlines()
    for old, new in zip(before, after, strict=False):
        if old != new:
            return f"{old[:150]!r} became {new[:150]!r}"
    return f"{len(before)} lines became {len(after)}"


def digest(answer: Answer) -> dict[str, Digest]:
    """Return the digest of an answer: a short list of plain values for each path."""
    found: dict[str, Digest] = {
        path: [hashlib.sha256(text.encode()).hexdigest()[:12]] for path, text in answer.texts.items()
    }
    return found | {path: digest_of(array) for path, array in answer.arrays.items()}


def digest_of(array: Any) -> Digest:
    """Return a number, or of an array shape, number of values that are not finite, largest value, and three sums.

    The weights are waves over the place in the array, so that no two values can be exchanged unseen; the sums are over
    the number of values and the largest one, and rounded.
    """
    if array.ndim == 0:
        return [float(f"{float(array):.6g}") if np.isfinite(array) else str(array)]
    values = np.where(np.isfinite(array), array, 0.0).ravel()
    largest = float(np.abs(values).max(initial=0.0))
    place = np.arange(len(values))
    waves = [np.cos(1.0 + rate * place) for rate in (0.0, 0.7, 0.011)]
    size = max(len(values), 1) ** 0.5 * (largest or 1.0)
    sums = [round(float(values @ wave) / size, 6) + 0.0 for wave in waves]
    return [list(array.shape), int((~np.isfinite(array)).sum()), float(f"{largest:.6g}"), *sums]


def digest_differences(now: Mapping[str, Digest], then: Mapping[str, Digest]) -> Iterator[str]:
    """Yield a line for each path whose digest changed."""
    for path, old in then.items():
        new = now.get(path)
        if new is None:
            yield f"{path}: lost"
        elif not _alike(new, old):
            yield f"{path}: {old} became {new}"


def _alike(new: Digest, old: Digest) -> bool:
    if len(new) != len(old):
        return False
    return all(_close(a, b) for a, b in zip(new, old, strict=True))


def _close(new: Any, old: Any) -> bool:
    if isinstance(new, float) and isinstance(old, float):
        return abs(new - old) <= 3.0 * ROUNDED * max(1.0, abs(old))
    return bool(new == old)


def report(name: str, found: Sequence[str], new: int) -> None:
    """Print what came of a case."""
    more = f", {new} new" if new else ""
    print(f"{name}: {f'{len(found)} differences' if found else 'equal'}{more}")
    for line in found[:SHOWN]:
        print(f"  {line}")
    if len(found) > SHOWN:
        print(f"  and {len(found) - SHOWN} more")


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(
        prog="python -m tools.golden",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("cases", nargs="*", metavar="CASE", help=f"of {', '.join(CASES)} (all)")
    made.add_argument("--at", metavar="COMMIT", help="run this commit, too, and compare number by number")
    made.add_argument("--write", action="store_true", help=f"write {KEPT.relative_to(ROOT).as_posix()}")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    given = parser().parse_args(arguments)
    unknown = [name for name in given.cases if name not in CASES]
    if unknown:
        parser().error(f"no case {unknown[0]!r}; there are: {', '.join(CASES)}")
    names = given.cases or list(CASES)
    current = ROOT / "build" / "golden" / "now"
    shutil.rmtree(current, ignore_errors=True)
    if given.at:
        tree, former = checkout(given.at)
        run_cases(tree, former, names)
    run_cases(ROOT, current, names)
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.is_file() else {}
    bad = False
    for name in names:
        now = read_answer(current, name)
        if now is None:
            continue
        if given.at:
            then = read_answer(former, name)
            found = [] if then is None else list(differences(now, then))
            old = {} if then is None else {**then.texts, **then.arrays}
        else:
            digests, old = digest(now), kept.get(name, {})
            found = list(digest_differences(digests, old))
            if given.write:
                kept[name] = digests
        report(name, found, len({**now.texts, **now.arrays}.keys() - old.keys()))
        bad = bad or bool(found)
    if given.write:
        lines = [
            f"{json.dumps(name)}: {{\n"
            + ",\n".join(
                f"{json.dumps(path)}: {json.dumps(value)}" for path, value in sorted(kept[name].items())
            )
            + "\n}"
            for name in CASES
            if name in kept
        ]
        KEPT.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
        return 0
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
