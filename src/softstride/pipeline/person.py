"""The model of the person of a trial: given, found beside it, or a packaged one made to fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softstride.capture.reading import read
from softstride.capture.recording import Recording
from softstride.errors import InputError
from softstride.kinematics.scaling.scaling import scale_model
from softstride.model.amputation import amputate
from softstride.model.load import PACKAGED, load_model
from softstride.model.model import Model
from softstride.model.prosthesis import attach_blade
from softstride.notes import Notes
from softstride.pipeline.beside import model_beside, standing_beside

if TYPE_CHECKING:
    from softstride.pipeline.request import Request

PERSON = "gait"
"""The packaged person that stands in where no model is given."""

FEWEST = 12
"""Markers that trial and packaged person must share."""

STEADY = 0.05
"""Share by which the force of a standing person may swing for it to be a weight."""

LEVELS = ("below_knee", "below_hip")

SEXES = ("male", "female")


def find_person(request: Request, recording: Recording) -> Model:
    """Return the model of the person.

    Raises:
        ModelError: The model cannot be read or made, or cannot be that of this person.
        InputError: Something is needed that no file says; the message names the option.
    """
    notes = Notes()
    static = request.static
    if request.model is None:
        beside = model_beside(request.trial[0], recording.markers.labels)
        if beside is not None:
            file, model = beside
            text = f"model: {file.name}, found beside the trial, whose markers it has"
            notes.add("model.found-beside", text, topic="model")
            return _finish(request, _scaled(model, static, request.mass, notes), notes)
    if request.model is not None and request.model not in PACKAGED:
        return _finish(request, _scaled(load_model(request.model), static, request.mass, notes), notes)
    return _finish(request, _packaged(request, recording, notes), notes)


def _packaged(request: Request, recording: Recording, notes: Notes) -> Model:
    """Return a packaged person, scaled to a standing trial or, without one, to the trial itself."""
    name = request.model or PERSON
    file = request.static or standing_beside(request.trial[0], recording)
    static = recording if file is None else read(file)
    mass = _mass(request, recording, static)
    height = request.height or recording.subject.height or static.subject.height
    options: dict[str, Any] = {"mass": mass} if name in ("gait", "human") else {}
    if options and height is not None:
        options["height"] = height
    if options and request.sex is not None:
        options["sex"] = request.sex
    model = load_model(name, **options)
    _check_labels(request, recording, model, name)
    tall = "" if height is None else f", {height:.2f} m"
    size = {"mass_kg": mass} if height is None else {"mass_kg": mass, "height_m": height}
    text = f"model: the packaged person {name!r}, {mass:.1f} kg{tall}"
    notes.add("model.packaged", text, topic="model", values=size)
    if file is None:
        text = "sizes: from the trial itself, since there is no standing trial (--static)"
        notes.add("sizes.from-trial", text, topic="sizes")
    else:
        notes.add("sizes.from-standing-trial", f"sizes: from the standing trial {file.name}", topic="sizes")
    return scale_model(model, static, mass)


def _scaled(model: Model, static: Any, mass: float | None, notes: Notes) -> Model:
    """Return a model of a file, scaled if there is a standing trial to scale it to."""
    if static is None:
        if mass is not None and abs(mass - model.mass) > 0.02 * model.mass:
            notes.add(
                "mass.not-of-model",
                f"mass: {mass:g} kg was given, however the model has {model.mass:.1f} kg",
                severity="warning",
                topic="mass",
                values={"given_kg": mass, "model_kg": model.mass},
                fix="a standing trial (--static) would scale it",
            )
        return model
    notes.add("sizes.from-standing-trial", f"sizes: from the standing trial {static.name}", topic="sizes")
    return scale_model(model, read(static), mass)


def _check_labels(request: Request, recording: Recording, model: Model, name: str) -> None:
    shared = [label for label in model.markers if label in recording.markers]
    if len(shared) < FEWEST:
        raise InputError(
            f"{request.trial[0]}: only {len(shared)} of its markers are called like those of the packaged person "
            f"{name!r} ({', '.join(list(model.markers)[:6])}, ...): give the model that has its markers with --model"
        )


def _mass(request: Request, recording: Recording, static: Recording) -> float:
    """Return the mass of the person [kg].

    Raises:
        InputError: No file says it.
    """
    for known in (request.mass, recording.subject.mass, static.subject.mass):
        if known is not None:
            return float(known)
    weight = _weight(static)
    if weight is None:
        raise InputError(
            f"{request.trial[0]}: the mass of the person is in no file, and nobody stands still on force plates: give "
            "it with --mass"
        )
    return weight / 9.80665


def _weight(static: Recording) -> float | None:
    """Return the weight of somebody who stands still on plates [N]; None if nobody does."""
    if not static.plates or len({len(plate.time) for plate in static.plates}) != 1:
        return None
    total = np.sum([plate.wrench[:, 4] for plate in static.plates], axis=0)
    mean = float(np.nanmean(total))
    return mean if mean > 100.0 and float(np.nanstd(total)) < STEADY * mean else None


def _finish(request: Request, model: Model, notes: Notes) -> Model:
    """Return the model after an amputation, if there is one, with its notes."""
    wishes = dict(request.prosthesis)
    if wishes:
        blade = wishes.pop("blade", None)
        unknown = set(wishes) - {"side", "surgery", *LEVELS}
        if unknown or "side" not in wishes:
            raise InputError(
                "a prosthesis has side, below_knee or below_hip, surgery and blade, however it is "
                f"{dict(request.prosthesis)}"
            )
        if any(level in wishes for level in LEVELS):
            model = amputate(model, **wishes)
        if blade is not None:
            model = attach_blade(model, side=wishes["side"], blade=blade)
        text = f"prosthesis: {', '.join(f'{k} {v}' for k, v in request.prosthesis.items())}"
        notes.add("prosthesis.asked-for", text, topic="prosthesis")
    return model.replace(notes=(*model.notes, *notes))
