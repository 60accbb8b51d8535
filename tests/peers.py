"""What peers answer, where asking them is slow: small files made by the peer alone.

    python -m tests.peers [names]

makes the answers in tests/references anew, all or those whose names begin so. By day `answer` opens the file; in
`make nightly` it asks the peer and compares. A file tells the peer's version, how to make it, and a digest of what was
asked: of the files that the peer reads and of all parameters. Where these are others now, the answer is refused.
"""

import hashlib
import importlib
import importlib.metadata
import json
import os
import sys
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from tests import campaign

ROOT = Path(__file__).resolve().parents[1]
REFERENCES = Path(__file__).with_name("references")
ASKING = (
    "muscles.paths.beside",
    "muscles.reactions.beside",
    "oracles.opensim_id",
    "oracles.opensim_ik",
    "oracles.opensim_so",
    "oracles.pyelastica",
)
"""Modules of the tests with `questions(folder)`: all that are answered by files."""

Answer = Mapping[str, np.ndarray]


class Refused(Exception):
    """A stored answer is missing, damaged, or one to another question."""


def nothing() -> Answer:
    """Return what a peer is told beside files and parameters, where that is nothing."""
    return {}


@dataclass(frozen=True)
class Question:
    """What a peer is asked.

    Attributes:
        peer: Its distribution, as pip calls it, and the folder of its answers.
        name: Of the answer.
        ask: Asks the peer, given what `told` returns; returns arrays by name.
        files: What the peer reads, by a name without the folder of recordings.
        parameters: All else that the answer depends on, as JSON knows it.
        within: How far an answer of the same version may be from the stored one, of the largest entry of an array.
        told: Makes what the peer has to be told, such as poses: arrays by name, kept beside the answer.
        places: Arrays that are kept as whole multiples of 10^-p, by their p: the digits that the peer writes, or that
            matter. Others are kept as they are.
    """

    peer: str
    name: str
    ask: Callable[[Answer], Answer]
    files: Mapping[str, Path] = field(default_factory=dict)
    parameters: object = None
    within: float = 1e-6
    told: Callable[[], Answer] = nothing
    places: Mapping[str, int] = field(default_factory=dict)

    @property
    def file(self) -> Path:
        """Where the answer is kept."""
        return REFERENCES / self.peer / f"{self.name}.npz"

    @property
    def command(self) -> str:
        """What makes it anew."""
        return f"python -m tests.peers {self.peer}/{self.name}"

    def digest(self) -> str:
        """Return a digest of what is asked."""
        found = hashlib.sha256(json.dumps([self.parameters, dict(self.places)], sort_keys=True).encode())
        for name, path in sorted(self.files.items()):
            found.update(f"\n{name} {hashlib.sha256(path.read_bytes()).hexdigest()}".encode())
        return found.hexdigest()


@dataclass(frozen=True)
class Stored:
    """What a file holds: version of the peer, digest of the question, what the peer was told, and its answer."""

    version: str
    digest: str
    told: Answer
    answer: Answer


def recordings() -> Path:
    """Return the folder of recordings, whether it is there or not."""
    return Path(os.environ.get("SOFTSTRIDE_TEST_DATA") or ROOT.parent / "shared" / "data")


def version(peer: str) -> str | None:
    """Return the version that is installed; None if there is none."""
    try:
        return importlib.metadata.version(peer)
    except importlib.metadata.PackageNotFoundError:
        return None


def answer(question: Question) -> Answer:
    """Return what a peer answers: by day from its file, by night from the peer, compared with the file.

    Raises:
        Refused: If there is no stored answer to this question.
        AssertionError: By night, if the peer answers otherwise.
    """
    stored = read(question)
    if not campaign.NIGHTLY or version(question.peer) is None:  # not everywhere can each peer be installed
        return stored.answer
    live = question.ask(stored.told)
    compare(question, stored, live)
    return live


def read(question: Question) -> Stored:
    """Open a stored answer, and check that it is one to this question."""
    if not question.file.exists():
        raise Refused(f"no answer is stored for {question.name}; {question.command} makes it")
    try:
        with question.file.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
            told, found = {}, {}
            for key in file.files:
                kind, _, name = key.partition("/")
                if kind == "told":
                    told[name] = expand(file[key], question.places.get(name))
                elif kind == "answer":
                    found[name] = expand(file[key], question.places.get(name))
            stored = Stored(str(file["version"]), str(file["digest"]), told, found)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zipfile.zlib.error) as error:
        raise Refused(
            f"{question.file.name} is damaged ({error}); {question.command} makes it anew"
        ) from error
    if stored.digest != question.digest():
        raise Refused(
            f"{question.file.name} answers another question: files or parameters of {question.name} have changed; "
            f"{question.command} makes it anew"
        )
    return stored


def compare(question: Question, stored: Stored, live: Answer) -> None:
    """Assert that a peer answers as it did."""
    installed = version(question.peer)
    who = f"{question.peer} {installed}"
    if installed != stored.version:
        who += f" (the stored answer is of {stored.version})"
    text = f"{who} answers {question.name} otherwise"
    assert live.keys() == stored.answer.keys(), f"{text}: {sorted(live)}, not {sorted(stored.answer)}"
    for name, kept in stored.answer.items():
        new = np.asarray(live[name])
        assert new.shape == kept.shape, f"{text}: {name} has shape {new.shape}, not {kept.shape}"
        if kept.dtype.kind not in "fiu":
            assert np.array_equal(new, kept), f"{text}: {name} is {new}, not {kept}"
            continue
        gap, size = np.abs(new - kept).max(initial=0.0), np.abs(kept).max(initial=0.0)
        rounding = 10.0 ** -question.places[name] if name in question.places else 0.0
        limit = question.within * size + rounding
        assert gap <= limit, f"{text}: {name} by {gap:.1e}, more than {limit:.1e}; {question.command}"


def make(question: Question) -> Path:
    """Ask the peer and keep its answer: the whole file or none."""
    told = question.told()
    arrays = {}
    for kind, found in (("told", told), ("answer", question.ask(told))):
        for name, values in found.items():
            kept = contract(np.asarray(values), question.places.get(name))
            if kept.dtype.hasobject:
                raise TypeError(f"{name} of {question.name} is no array of numbers or words")
            arrays[f"{kind}/{name}"] = kept
    about = {
        "version": version(question.peer) or "",
        "digest": question.digest(),
        "made_by": question.command,
    }
    question.file.parent.mkdir(parents=True, exist_ok=True)
    part = question.file.with_name(f"part-{os.getpid()}-{question.file.name}")
    try:
        np.savez_compressed(part, **about, **arrays)
        part.replace(question.file)
    finally:
        part.unlink(missing_ok=True)
    return question.file


def contract(values: np.ndarray, places: int | None) -> np.ndarray:
    """Return numbers as differences of differences of whole multiples of 10^-places, which need few bytes."""
    if places is None:
        return values
    if not np.isfinite(values).all():
        raise ValueError("numbers that are kept as whole multiples must be finite")
    whole = np.rint(values * 10.0**places).astype(np.int64)
    for _ in range(2):
        whole[1:] = whole[1:] - whole[:-1]
    small = np.abs(whole).max(initial=0) < 2**31
    return whole.astype(np.int32) if small else whole


def expand(kept: np.ndarray, places: int | None) -> np.ndarray:
    """Return what `contract` was given, rounded."""
    if places is None:
        return kept
    whole = kept.astype(np.int64)
    for _ in range(2):
        whole = np.cumsum(whole, axis=0)
    return whole / 10.0**places


def words(names: object) -> np.ndarray:
    """Return names as an array that needs no pickle."""
    return np.array(list(names), dtype=np.str_)


def all_questions() -> Iterator[Question]:
    """Return what the tests ask peers."""
    for name in ASKING:
        yield from importlib.import_module(f"tests.{name}").questions(recordings())


def main(names: list[str]) -> int:
    """Make answers anew."""
    chosen = [
        each for each in all_questions() if not names or f"{each.peer}/{each.name}".startswith(tuple(names))
    ]
    if not chosen:
        print(f"no question has a name that begins with {' or '.join(names)}")
        return 1
    for each in chosen:
        began = time.perf_counter()
        size = make(each).stat().st_size
        print(
            f"{each.peer}/{each.name}: {size / 1000:.1f} kB, {time.perf_counter() - began:.1f} s", flush=True
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
