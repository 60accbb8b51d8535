"""`analyze`: recording and model in, study out. The list of steps below is the whole story."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from typing import Any, Unpack

from softstride.capture.recording import Recording
from softstride.engine.jit import Kernel
from softstride.errors import InputError, SoftstrideError
from softstride.model.model import Model
from softstride.pipeline import steps
from softstride.pipeline.options import AnalyzeChanges, AnalyzeOptions
from softstride.pipeline.steps import Skip
from softstride.study.study import Stage, Study

Progress = Callable[[str, float], None]
"""Called with the name of a step and the share of the whole that is done, from 0 to 1."""

STEPS: tuple[tuple[str, Callable[[Study, AnalyzeOptions], dict[str, Any]], float], ...] = (
    ("estimated loads", steps.estimate, 3.0),
    ("measured loads", steps.measure, 1.0),
    ("comparison", steps.compare, 1.0),
    ("blades", steps.weigh_blades, 1.0),
    ("bands", steps.find_bands, 8.0),
    ("EMG", steps.hear_muscles, 1.0),
    ("muscles", steps.share, 3.0),
    ("joint reactions", steps.react, 2.0),
)
"""Name, function and usual share of the time of each step after the kinematics."""

FIRST = ("capture", "kinematics")


def analyze(
    recording: Recording,
    model: Model,
    options: AnalyzeOptions | None = None,
    *,
    progress: Progress | None = None,
    start: Study | None = None,
    checkpoint: Callable[[Study], None] | None = None,
    **changes: Unpack[AnalyzeChanges],
) -> Study:
    """Analyse a trial: motion, loads with plates and without, bands, muscle forces, joint reactions.

    A step that cannot be done does not stop the others: the study says which it was, and why.

    Args:
        recording: The trial.
        model: The person.
        options: See `AnalyzeOptions`.
        progress: Called before each step with its name and the share that is done.
        start: A study of the same trial, model and options that was cut short: its steps are not done again.
        checkpoint: Called with the study so far after each step.
        **changes: Options by name: ``analyze(recording, model, lowpass=6.0)``.

    Returns:
        The study.

    Raises:
        InputError: The trial has no markers that the model knows, or an option is wrong.
    """
    if not isinstance(recording, Recording) or not isinstance(model, Model):
        kinds = f"{type(recording).__name__} and {type(model).__name__}"
        raise InputError(f"analyze takes a Recording and a Model, however it was given {kinds}")
    chosen = (options or AnalyzeOptions()).changed(**changes)
    say = progress or (lambda name, share: None)
    total = 2.0 + sum(weight for _, _, weight in STEPS)
    done = 2.0
    study = start or _begin(recording, model, chosen, lambda name, at: say(name, at / total))
    if checkpoint is not None and start is None:
        checkpoint(study)
    finished = {stage.name for stage in study.stages}
    for name, step, weight in STEPS:
        say(name, done / total)
        done += weight
        if name in finished:
            continue
        study = _take(study, name, step, chosen)
        if checkpoint is not None:
            checkpoint(study)
    say("done", 1.0)
    return study


def _begin(recording: Recording, model: Model, options: AnalyzeOptions, say: Progress) -> Study:
    """Return a study of the motion alone; without one there is nothing to analyse, so that errors go through."""
    say(FIRST[0], 0.0)
    with _Watch() as captured:
        trial = steps.capture(recording, options)
    say(FIRST[1], 1.0)
    with _Watch() as moved:
        motion = steps.move(trial, model, options)
    stages = (captured.stage(FIRST[0]), moved.stage(FIRST[1]))
    return Study(recording.name, trial, model, motion, stages=stages, options=options.plain())


def _take(
    study: Study,
    name: str,
    step: Callable[[Study, AnalyzeOptions], dict[str, Any]],
    options: AnalyzeOptions,
) -> Study:
    """Return the study with one step more, done, skipped or failed."""
    with _Watch() as watch:
        try:
            parts, state, words = step(study, options), "done", ""
        except Skip as reason:
            parts, state, words = {}, "skipped", str(reason)
        except SoftstrideError as error:
            parts, state, words = {}, "failed", str(error)
    return study.changed(**parts, stages=(*study.stages, watch.stage(name, state, words)))


class _Watch:
    """Times a step, the compilation of kernels apart."""

    def __enter__(self) -> _Watch:
        self._start, self._compiled = clock.perf_counter(), Kernel.compiling
        return self

    def __exit__(self, *_: object) -> None:
        self.compiling = Kernel.compiling - self._compiled
        self.seconds = max(clock.perf_counter() - self._start - self.compiling, 0.0)

    def stage(self, name: str, state: str = "done", words: str = "") -> Stage:
        """Return the step."""
        return Stage(name, state, words, self.seconds, self.compiling)  # type: ignore[arg-type]
