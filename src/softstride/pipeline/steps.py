"""The steps of an analysis: each takes the study so far and returns what it adds, or says why it cannot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from softstride.capture.gait_events import find_events
from softstride.capture.prepare import emg_envelopes, fill_gaps
from softstride.capture.recording import Recording
from softstride.capture.series import Channels
from softstride.dynamics.blade.load_cell import blade_force
from softstride.dynamics.estimate.cutoff import choose_cutoff
from softstride.dynamics.estimate.estimate import estimate_loads
from softstride.dynamics.inverse import solve_id
from softstride.dynamics.loads import Loads
from softstride.dynamics.loads_state import state_of
from softstride.dynamics.uncertainty.propagate import load_bands
from softstride.dynamics.validation.validate import validate_loads
from softstride.errors import InputError
from softstride.kinematics.ik.solve import solve_ik
from softstride.kinematics.motion import Motion
from softstride.model.model import Model
from softstride.model.rod import Rod
from softstride.muscles.emg.activation import emg_activation
from softstride.muscles.emg.forces import emg_forces
from softstride.muscles.emg.pairs import channel_of_muscle
from softstride.muscles.hill import hill_muscles
from softstride.muscles.paths.paths import muscle_paths
from softstride.muscles.reactions.knee import knee_contact
from softstride.muscles.reactions.reactions import joint_reactions
from softstride.muscles.sharing.forces import MuscleForces
from softstride.muscles.sharing.solve import solve_muscles
from softstride.notes import Note, Notes
from softstride.pipeline.electrodes import find_electrodes
from softstride.pipeline.options import AnalyzeOptions
from softstride.pipeline.toes import without_toes
from softstride.results import owned
from softstride.study.study import Study

Parts = dict[str, Any]

LOADED = 20.0
"""Force of a plate from which on something stands on it [N]."""


class Skip(Exception):
    """There is nothing to do a step with, or it was not asked for."""


def capture(recording: Recording, options: AnalyzeOptions) -> Recording:
    """Return the trial with gaps filled and gait events found."""
    if not recording.markers:
        raise InputError(
            f"{recording.name} has no markers: an analysis starts from where they were. Give the file that has them."
        )
    trial = fill_gaps(recording) if options.fill_gaps and recording.markers.missing.any() else recording
    if not any(event.label == "strike" for event in trial.events):
        try:
            trial = find_events(trial)
        except InputError as error:
            text = f"no gait events: {error}"
            trial = trial.noted(Note("events.none-found", text, topic="events", options=error.options))
    return trial


def move(trial: Recording, model: Model, options: AnalyzeOptions) -> Motion:
    """Return the motion that the markers say, with the events of the trial."""
    motion = solve_ik(
        model, trial, weights=options.weights, cutoff=options.cutoff, time_range=options.time_range
    )
    first, last = motion.time[0], motion.time[-1]
    events = tuple(event for event in trial.events if first <= event.time <= last)
    return replace(motion, events=events)


def estimate(study: Study, options: AnalyzeOptions) -> Parts:
    """Loads and ground reaction from the motion alone."""
    if not options.estimate:
        raise Skip("not asked for")
    found = estimate_loads(study.model, study.motion, lowpass=options.lowpass, friction=options.friction)
    return {"estimated": found}


def measure(study: Study, options: AnalyzeOptions) -> Parts:
    """Loads with measured forces."""
    if not options.plates:
        raise Skip("not asked for")
    forces = study.recording.forces
    if not forces:
        raise Skip("the trial has no force plates, and there is no file of forces beside it")
    if not any(np.nanmax(np.abs(force.force), initial=0.0) > LOADED for force in forces):
        raise Skip("nobody stood on a force plate")
    known = None if study.estimated is None else study.estimated.state
    lowpass = cutoff(study, options)
    return {"measured": solve_id(study.model, study.motion, study.recording, state=known, lowpass=lowpass)}


def cutoff(study: Study, options: AnalyzeOptions) -> float | None:
    """Return the low pass of the coordinates [Hz]: of all loads of a study the same."""
    if study.estimated is not None:
        return study.estimated.lowpass
    return choose_cutoff(study.model, study.motion)[0] if options.lowpass == "auto" else options.lowpass


def compare(study: Study, options: AnalyzeOptions) -> Parts:
    """Estimated ground reactions beside measured ones."""
    if study.estimated is None or study.measured is None:
        raise Skip("it takes loads with plates and without")
    return {"validation": validate_loads(study.estimated, study.measured)}


def weigh_blades(study: Study, options: AnalyzeOptions) -> Parts:
    """Loads of blades from their deformation."""
    names = [link.name for link in study.model.links if isinstance(link.joint, Rod)]
    if not names:
        raise Skip("the model has no blade")
    if study.loads is not None:
        return {"blades": {name: blade_force(study.loads, link=name) for name in names}}
    lowpass = cutoff(study, options)
    found = {name: blade_force(study.model, study.motion, link=name, lowpass=lowpass) for name in names}
    return {"blades": found}


def find_bands(study: Study, options: AnalyzeOptions) -> Parts:
    """Bands of loads."""
    if not options.bands:
        raise Skip("not asked for")
    given = {"measured": study.measured, "estimated": study.estimated}
    loads = {name: each for name, each in given.items() if each is not None}
    if not loads:
        raise Skip("there are no loads")
    return {"bands": {name: load_bands(each) for name, each in loads.items()}}


def hear_muscles(study: Study, options: AnalyzeOptions) -> Parts:
    """Envelopes of EMG, the muscles that they belong to, and the forces that they speak of."""
    emg = study.recording.emg
    if not emg:
        raise Skip("the trial has no EMG")
    if not study.model.muscles:
        raise Skip("the model has no muscles")
    names = tuple(study.model.muscles)
    found = find_electrodes(emg.labels, names, options.emg_side) if options.emg is None else options.emg
    if not found:
        if options.emg_side is None and find_electrodes(emg.labels, names, "right"):
            raise Skip("the names of the channels do not say which leg they are of: say it with emg_side")
        raise Skip("no channel is called like a muscle: say which is which (emg)")
    electrodes = channel_of_muscle(emg, found, names)
    envelopes = _envelopes(study.recording, electrodes.values(), options)
    parts: Parts = {"emg": envelopes, "electrodes": electrodes}
    loads = study.loads
    if loads is None:
        return parts
    hill = hill_muscles(study.model, tuple(electrodes))
    state = state_of(study.model, study.motion, loads)
    paths = muscle_paths(study.model, state.q, state.v, hill.names)
    activation = emg_activation(
        envelopes, hill, electrodes, mvc=1.0, delay=options.emg_delay, time=state.time
    )
    told = emg_forces(hill, activation, paths.length, paths.speed)
    return parts | {
        "emg_forces": MuscleForces(
            study.model, told.time, told.names, told.force, told.activation, notes=told.notes
        )
    }


def _envelopes(recording: Recording, channels: Any, options: AnalyzeOptions) -> Channels:
    """Return envelopes of the channels of muscles, divided by their MVC or, without it, by their largest value."""
    chosen = recording.replace(emg=recording.emg.select(dict.fromkeys(channels)))
    mvc = options.mvc
    if isinstance(mvc, float | int):
        mvc = dict.fromkeys(chosen.emg.labels, float(mvc))
    if _are_envelopes(chosen.emg):
        return chosen.emg if mvc is None else _divided(chosen.emg, mvc)
    recipe: dict[str, Any] = {}
    if options.emg_lowpass is not None:
        recipe = {"lowpass": options.emg_lowpass, "lowpass_order": 4, "critically_damped": None}
    return emg_envelopes(chosen, reference="max" if mvc is None else mvc, **recipe).emg


def _are_envelopes(emg: Channels) -> bool:
    """Return whether the channels are envelopes already: those never fall below zero."""
    return bool(np.nanmin(emg.values) >= 0.0)


def _divided(envelopes: Channels, mvc: Mapping[str, float]) -> Channels:
    missing = [label for label in envelopes.labels if label not in mvc]
    if missing:
        raise InputError(f"mvc says nothing of {', '.join(missing)}; it has: {', '.join(mvc) or 'nothing'}")
    values = envelopes.values / np.array([mvc[label] for label in envelopes.labels])
    return replace(envelopes, values=owned(values), units=("",) * len(envelopes.labels))


def share(study: Study, options: AnalyzeOptions) -> Parts:
    """Loads shared among muscles."""
    if not options.muscles:
        raise Skip("not asked for")
    if not study.model.muscles:
        raise Skip("the model has no muscles")
    loads = _loads(study)
    given: dict[str, Any] = {
        "power": options.power,
        "passive": options.passive,
        "coordinates": options.coordinates or without_toes(study.model, loads),
    }
    emg = None
    if options.emg_weight > 0.0 and study.emg:
        emg = study.emg
        given |= {"emg_muscles": study.electrodes, "mvc": 1.0, "emg_weight": options.emg_weight}
        given["emg_delay"] = options.emg_delay
    return {"forces": solve_muscles(loads, emg, **given)}


def react(study: Study, options: AnalyzeOptions) -> Parts:
    """What joints transmit, and how knees share it."""
    if not options.reactions:
        raise Skip("not asked for")
    found = joint_reactions(_loads(study), study.forces)
    knees, notes = {}, Notes()
    for side in ("right", "left"):
        try:
            knees[side] = knee_contact(found, side)
        except InputError as error:
            text = f"no compartments of the {side} knee: {error}"
            notes.add("knees.no-compartments", text, topic="knees", names=(side,), options=error.options)
    return {"reactions": found, "knees": knees, "notes": (*study.notes, *notes)}


def _loads(study: Study) -> Loads:
    """Return the loads that muscles make, NaN in frames where they cannot be believed."""
    loads = study.loads
    if loads is None:
        raise Skip("there are no loads")
    if loads.doubtful.all():
        raise Skip("in no frame can the loads be believed: a force is missing, or on the other foot")
    if not loads.doubtful.any():
        return loads
    count = int(loads.doubtful.sum())
    note = Note(
        "loads.not-believed",
        f"loads of {count} of {len(loads)} frames cannot be believed: nothing is found from them",
        severity="warning",
        topic="loads",
        values={"frames": count, "of_frames": len(loads)},
    )
    tau = np.where(loads.doubtful[:, None], np.nan, loads.tau)
    return replace(loads, tau=tau, notes=(*loads.notes, note))
