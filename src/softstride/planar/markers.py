"""A leg, or any limb, from markers in the sagittal plane and a force plate: a chain that hangs on its moving base.

The base is what the first joint hangs on (for a leg the trunk); only the acceleration of that joint matters. Links
follow down to the foot, which the plate loads. Masses and centres of mass are shares of body mass and of the segments'
lengths, as in the tables of [Winter2009].
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from softstride.errors import InputError
from softstride.notes import Note, Notes, Said, as_notes
from softstride.planar.case import Case
from softstride.planar.chain import GRAVITY, Chain
from softstride.planar.parts import Contact
from softstride.planar.points import Track, line_angles, local, shape_of, with_base
from softstride.planar.state import State
from softstride.planar.vectors import Complex, Floats, cross, to_complex, to_xy
from softstride.signals import butterworth, derivative, state_filter
from softstride.signals.inputs import as_time, check_positive

Filter = Literal["butterworth", "states"]

PLATE = "ground"
ENDS = 0.4
"""Of a period of the cutoff, where moments depend on the ends; docs/planar.md shows how much."""
UNEVEN = 0.01
"""Steps of time may differ by this share of their mean."""


@dataclass(frozen=True)
class MarkerLink:
    """A link between markers.

    Attributes:
        name: Name of the link.
        joint: Name of the joint at its proximal end.
        at: Marker at that joint.
        line: Markers at the ends of the segment: its centre of mass lies between them.
        mass: Share of body mass.
        com: Place of the centre of mass, as a share of the way along `line`.
        gyration: Radius of gyration about the centre of mass, as a share of the mean length of `line`.
    """

    name: str
    joint: str
    at: str
    line: tuple[str, str]
    mass: float
    com: float
    gyration: float


@dataclass(frozen=True)
class MarkerChain:
    """A recipe: which markers make which links.

    Attributes:
        links: Links 1 to n, from the base down; the direction of the last is that of its `line`.
        base: Name of the base.
        name: Name of the chain.
        gravity: Acceleration of gravity [m/s²], downward.
    """

    links: tuple[MarkerLink, ...]
    base: str = "trunk"
    name: str = "limb"
    gravity: float = GRAVITY

    @property
    def markers(self) -> tuple[str, ...]:
        """Markers that are needed."""
        return tuple(dict.fromkeys(name for link in self.links for name in (link.at, *link.line)))

    def case(
        self,
        time: ArrayLike,
        markers: Mapping[str, ArrayLike],
        force: ArrayLike,
        moment: ArrayLike,
        *,
        body_mass: float,
        cutoff: float,
        filter: Filter = "butterworth",
        rigid: bool = False,
    ) -> Case:
        """Return the chain and its state from a recording.

        Markers and plate are filtered alike. Frames in which a marker was not seen are filled: a straight line between
        filtered neighbours for "states", a spline for "butterworth".

        Args:
            time: Instants, shape (n_frames,), [s].
            markers: Positions by name, shape (n_frames, 2), [m], x forward, y up; NaN where not seen.
            force: Of the plate on the foot, shape (n_frames, 2), [N].
            moment: Of that force about the origin of the laboratory, shape (n_frames,), [N·m].
            body_mass: Mass of the whole body [kg].
            cutoff: Of the low-pass filter [Hz].
            filter: "butterworth": fourth order without lag, derivatives of a quintic spline; "states": `state_filter`.
            rigid: Whether links keep their mean length; otherwise what their change adds is a source called stretch.

        Raises:
            InputError: A marker is missing, or arrays do not fit.
        """
        absent = [name for name in self.markers if name not in markers]
        if absent:
            raise InputError(f"{self.name!r} needs marker {absent[0]!r}; there are: {', '.join(markers)}.")
        check_positive("body_mass", body_mass, "kg")
        instants = as_time(time, len(np.asarray(time)))
        notes = Notes()
        tracks = {
            name: track(
                instants, _columns(markers[name], len(instants), name, 2), cutoff, filter, name, notes
            )
            for name in self.markers
        }
        plate = np.concatenate(
            [_columns(force, len(instants), "force", 2), _columns(moment, len(instants), "moment", 1)], axis=1
        )
        pushed = filtered(instants, plate, cutoff, filter, PLATE, notes, "the plate")[0]
        notes.extend([_filtering(cutoff, filter)])
        return self.from_tracks(
            instants, tracks, pushed, body_mass=body_mass, rigid=rigid, notes=tuple(notes)
        )

    def from_tracks(
        self,
        time: Floats,
        tracks: Mapping[str, Track],
        plate: Floats,
        *,
        body_mass: float,
        rigid: bool = False,
        notes: Iterable[Said] = (),
    ) -> Case:
        """Return the chain and its state from markers with derivatives of your own.

        Args:
            time: Instants, shape (n_frames,), [s].
            tracks: Markers by name, complex, shape (n_frames,), with velocities and accelerations.
            plate: Force [N] and moment about the origin [N·m], shape (n_frames, 3).
            body_mass: Mass of the whole body [kg].
            rigid: Whether links keep their mean length.
            notes: What was decided before.
        """
        names = tuple(link.name for link in self.links)
        joint = Track.beside([tracks[link.at] for link in self.links])
        lines = [tracks[link.line[1]] - tracks[link.line[0]] for link in self.links]
        com = Track.beside(
            [tracks[link.line[0]].toward(tracks[link.line[1]], link.com) for link in self.links]
        )
        ends = [joint[i + 1] - joint[i] for i in range(len(names) - 1)]
        angles = line_angles(Track.beside([*ends, lines[-1]]), names)
        sizes = np.array([np.abs(line.place).mean() for line in lines])
        mass = body_mass * np.array([link.mass for link in self.links])
        centres = local(com - joint, angles)
        mean_com = to_xy(np.concatenate([[0.0], centres.place.mean(axis=0)]))
        chain = Chain(
            length=np.concatenate([[0.0], angles.length.mean(axis=0)]),
            mass=np.concatenate([[0.0], mass]),
            com=mean_com,
            inertia=np.concatenate([[0.0], mass * (np.array([k.gyration for k in self.links]) * sizes) ** 2]),
            contacts=(Contact(PLATE, names[-1]),),
            gravity=self.gravity,
            links=(self.base, *names),
            joints=tuple(link.joint for link in self.links),
            name=self.name,
        )
        pressed: Complex = to_complex(plate[:, :2])
        state = State(
            theta=with_base(angles.theta),
            omega=with_base(angles.omega),
            alpha=with_base(angles.alpha),
            time=time,
            force={PLATE: to_xy(pressed)},
            couple={PLATE: plate[:, 2] - cross(joint.place[:, -1], pressed)},  # about the last joint
            base_position=to_xy(joint.place[:, 0]),
            base_acceleration=to_xy(joint.acceleration[:, 0]),
            shape=None if rigid else shape_of(angles, centres),
        )
        spread = np.ptp(angles.length[:, :-1], axis=0)
        told = tuple(
            Note(
                "links.length-changes",
                f"Link {name!r} changes its length by up to {1e3 * change:.0f} mm: its markers sit on skin.",
                topic="links",
                names=(name,),
                values={"change_mm": 1e3 * float(change)},
            )
            for name, change in zip(names, spread, strict=False)
        )
        return Case(chain, state, "distal", "", (*as_notes(notes), *told))


def track(time: Floats, xy: Floats, cutoff: float, filter: Filter, name: str, notes: Notes) -> Track:
    """Return a filtered marker with its derivatives."""
    value, rate, acceleration = filtered(time, xy, cutoff, filter, name, notes, f"marker {name!r}")
    return Track(to_complex(value), to_complex(rate), to_complex(acceleration))


def filtered(
    time: Floats, x: Floats, cutoff: float, filter: Filter, name: str, notes: Notes, what: str
) -> tuple[Floats, Floats, Floats]:
    """Return filtered columns with two derivatives; frames that were not measured are filled, and it is noted."""
    seen = ~np.isnan(x).any(axis=1)
    if seen.sum() < 4:
        raise InputError(f"{what} is measured in {seen.sum()} frames, however four or more are needed.")
    missing = int((~seen).sum())
    if missing:
        notes.add(
            "gaps.filled",
            f"{missing} frames of {what} were not measured and are filled between their neighbours.",
            topic="gaps",
            names=(name,),
            values={"frames": missing},
        )
    if filter == "states":
        found = state_filter(time[seen], x[seen], cutoff)
        parts = (found.value, found.rate, found.acceleration)
        return tuple(_interpolated(time, time[seen], part) for part in parts)  # type: ignore[return-value]
    if filter != "butterworth":
        raise InputError(f"filter must be butterworth or states, however it is {filter!r}.")
    whole = x.copy()
    if missing:
        from scipy.interpolate import make_interp_spline

        whole[~seen] = make_interp_spline(time[seen], x[seen], k=3)(time[~seen])
    steps = np.diff(time)
    if np.ptp(steps) > UNEVEN * steps.mean():
        raise InputError("filter butterworth needs evenly spaced frames; take filter='states' for these.")
    rate = 1.0 / float(steps.mean())
    smooth = butterworth(whole, rate, cutoff)
    return smooth, derivative(time, smooth), derivative(time, smooth, order=2)


def _interpolated(time: Floats, seen: Floats, values: Floats) -> Floats:
    return np.stack([np.interp(time, seen, column) for column in values.T], axis=1)


def _columns(values: ArrayLike, n_frames: int, what: str, width: int) -> Floats:
    array = np.array(values, dtype=np.float64)
    array = array[:, None] if array.ndim == 1 else array
    if array.shape != (n_frames, width):
        raise InputError(f"{what} must have the shape ({n_frames}, {width}), however it has {array.shape}.")
    return array


def _filtering(cutoff: float, filter: Filter) -> Note:
    kind = {
        "states": "the filter that knows its derivatives",
        "butterworth": "a Butterworth filter without lag",
    }
    words = (
        f"Markers and plate are filtered with {kind[filter]} at {cutoff:g} Hz. Within {ENDS / cutoff:.2g} s of either "
        "end accelerations rest on what the filter takes for the time beyond: trust moments there less."
    )
    return Note(
        "markers.filtered", words, topic="markers", values={"cutoff_hz": cutoff, "ends_s": ENDS / cutoff}
    )
