r"""The stiffness of a blade from trials with force plates.

The rows of the rod (`softstride.dynamics.blade.rows`) with the load w of the plates,

    (M a + b)_rod - (J^T w)_rod = -theta L B^T (K B q + D B v),

are linear in factors theta of the given stiffness: one for the blade, one for each modulus, or one for each segment.
Both sides have errors, the left those of plates and centres of pressure, the right those of the strains; see
`softstride.dynamics.blade.regression` for the fit and its standard error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from softstride.capture.recording import Recording
from softstride.dynamics.blade.regression import Prior, Slope, fit_slope, rows_error, series_error
from softstride.dynamics.blade.rows import (
    check_stiff,
    find_rod,
    row_matrices,
    with_stiffness,
)
from softstride.dynamics.blade.trial import TrialRows, trial_rows
from softstride.errors import InputError
from softstride.fields import ABOVE_0, AT_LEAST_0, checked, refuse_unknown
from softstride.kinematics.motion import Motion
from softstride.model.model import Model
from softstride.model.rod import STRAINS, Rod
from softstride.notes import Note
from softstride.results import Labels, Result, values

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Scales = Literal["common", "moduli", "segments"]

FEWEST = 3
"""Loaded frames that a stiffness needs."""

UNKNOWN = 0.5
"""Expected standard deviation of a factor from which on the trials do not tell it."""

TORN = 0.005
"""Share of a factor from which on it is said that rows disagree."""

SHEARED = ("kx", "ey", "ez")
"""Strains that the shear modulus resists; Young's modulus resists the others."""


class BladeFit(Result, of="a fit of a blade"):
    """The stiffness of a blade as trials with plates give it.

    Attributes:
        model: The model with the blade's stiffness, and damping with it, scaled.
        link: The rod.
        names: Of the factors: "blade"; "bending" and "torsion"; or "segment 1" and so on from the clamp.
        scale: Factors of the stiffness that was given, shape (f,).
        std: Their standard errors from the residuals, correlation in time and rows that disagree included; inf where
            the trials do not tell a factor, which then is that of the whole blade; shape (f,).
        expected_std: What the given errors of strains and plates let expect if they were independent from row to row
            and frame to frame; a much larger `std` means that model and recording differ by more; shape (f,).
        disagreement: The part of `std` that is there because rows have factors of their own, shape (f,): the model is
            wrong, such as a blade of few segments, and more frames do not help. What all rows have in common, such as
            a wrong length of the blade, is not in it.
        r2: Share of the weighted squares of the left side that the fit explains.
        frames: Frames that were used.
        used: Which, by trial, shape (n,) each.
        peak: Largest force on the blade [N].
        lags: Neighbours over which the correlation of residuals was summed, shape (f,).
        correlation: Of the residuals of neighbouring frames, shape (f,).
        notes: What was decided.
    """

    model: Model
    link: str
    names: tuple[str, ...]
    scale: Array = values("factor")
    std: Array = values("factor")
    expected_std: Array = values("factor")
    disagreement: Array = values("factor")
    r2: float
    frames: int
    used: tuple[Mask, ...]
    peak: float
    lags: NDArray[np.intp] = values("factor", dtype=np.intp)
    correlation: Array = values("factor")
    notes: tuple[Note, ...] = ()

    LABELS: ClassVar[Mapping[str, Labels]] = {"factor": lambda own: own.names}

    def __repr__(self) -> str:
        """Say what it is in one line."""
        told = ", ".join(
            f"{name} {value:.4g} ± {error:.2g}"
            for name, value, error in zip(self.names, self.scale, self.std, strict=True)
        )
        return f"BladeFit({self.link!r}: {told}; {self.frames} frames, R² = {self.r2:.4f})"


def identify_blade(
    model: Model,
    motion: Motion | Sequence[Motion],
    recording: Recording | Sequence[Recording],
    *,
    link: str | None = None,
    scales: Scales = "common",
    bodies: Mapping[str, str] | None = None,
    lowpass: float | None = None,
    least_load: float = 0.1,
    strain_error: float | None = None,
    force_error: float = 5.0,
    point_error: float = 0.003,
    ridge: float = 0.2,
    threads: int | None = None,
) -> BladeFit:
    """Find the stiffness of a blade from trials in which it stood on force plates.

    Args:
        model: The model; its blade has the profile of stiffness that is scaled, of any size.
        motion: Its motion, or those of several trials.
        recording: The forces of the trial, or of each.
        link: The rod; None: the only one.
        scales: "common": one factor of all stiffness; "moduli": one for Young's modulus ("bending", and stretch) and
            one for the shear modulus ("torsion", and shear); "segments": one for each segment, drawn to the common one.
        bodies: Links by the name of the force, as in `solve_id`.
        lowpass: Cut-off of a low pass of the coordinates [Hz], as in `solve_id`.
        least_load: Frames with less force on the blade than this share of body weight are left out.
        strain_error: Standard deviation of the strains [1/m]; None: that of the motion, as in `blade_force`.
        force_error: Standard deviation of each component of the force [N].
        point_error: Standard deviation of each coordinate of the centre of pressure [m].
        ridge: Standard deviation of the factors of segments about the common one, as a share of it.
        threads: How many threads may be used.

    Returns:
        The factors and the model with them.

    Raises:
        InputError: No rod, no stiffness to scale, no force on the blade or none that loads it, lists of different
            length, or a deformation against the force.
    """
    name, rod = find_rod(model, link)
    K, _ = row_matrices(rod)
    check_stiff(name, K)
    if scales not in get_args(Scales):
        raise InputError(f"scales must be one of {', '.join(get_args(Scales))}, however they are {scales!r}")
    errors = (
        checked(AT_LEAST_0, force_error, "force_error"),
        checked(AT_LEAST_0, point_error, "point_error"),
    )
    least = checked(AT_LEAST_0, least_load, "least_load") * model.mass * float(np.linalg.norm(model.gravity))
    width = checked(ABOVE_0, ridge, "ridge")
    trials = [
        trial_rows(
            model, rod, name, each, forces, bodies or {}, lowpass, strain_error, errors, least, threads
        )
        for each, forces in _pairs(motion, recording, bodies or {})
    ]
    frames = sum(int(trial.used.sum()) for trial in trials)
    peak = max(float(np.max(trial.force, initial=0.0)) for trial in trials)
    if frames < FEWEST:
        raise InputError(
            f"blade {name!r} is not loaded: its force is {peak:.0f} N at most and above {least:.0f} N in {frames} "
            f"frames; {FEWEST} are needed. Is its plate in the recording, or another body named for it? A lower "
            "least_load admits smaller loads"
        )
    told = np.asarray(np.diag(K) > 0.0)
    whole = _slope(trials, told, None).slope
    if not whole.value > 0.0 or not whole.expected_std < UNKNOWN:
        raise InputError(
            f"the deformation of {name!r} does not go with the force on it (factor {whole.value:.3g} ± "
            f"{whole.expected_std:.2g}): check the axes, the clock and the foot of the plate, and the blade's markers"
        )
    names, group, of = _groups(rod, K, scales)
    prior = (whole.value, width * whole.value) if scales == "segments" else None
    found = [_slope(trials, told & (group == k), prior) for k in range(len(names))]
    known = [each.slope.value > 0.0 and each.slope.expected_std < UNKNOWN for each in found]
    scale = np.array([each.slope.value if ok else whole.value for ok, each in zip(known, found, strict=True)])
    std = np.array([each.std if ok else np.inf for ok, each in zip(known, found, strict=True)])
    notes = [_untold(n) for n, ok in zip(names, known, strict=True) if not ok]
    notes += [each.note(n) for n, each, ok in zip(names, found, known, strict=True) if ok and each.torn]
    r2 = _explained(
        trials,
        [np.where(each.slope.weight > 0.0, each.slope.weight, 0.0) for each in found],
        group,
        told,
        scale,
    )
    changed = with_stiffness(model, name, scale[of])
    return BladeFit(
        changed,
        name,
        names,
        scale,
        std,
        np.array([each.slope.expected_std for each in found]),
        np.array([each.disagreement for each in found]),
        r2,
        frames,
        tuple(trial.used for trial in trials),
        peak,
        np.array([each.lags for each in found], dtype=np.intp),
        np.array([each.correlation for each in found]),
        tuple(notes),
    )


def _pairs(
    motion: Motion | Sequence[Motion],
    recording: Recording | Sequence[Recording],
    bodies: Mapping[str, str],
) -> list[tuple[Motion, Recording]]:
    motions = [motion] if isinstance(motion, Motion) else list(motion)
    recordings = [recording] if isinstance(recording, Recording) else list(recording)
    if not motions or len(motions) != len(recordings):
        raise InputError(
            f"every trial needs a motion and a recording, however there are {len(motions)} and {len(recordings)}"
        )
    for each, forces in zip(motions, recordings, strict=True):
        if not isinstance(each, Motion) or not isinstance(forces, Recording):
            raise InputError(
                f"a trial is a Motion and a Recording, however it is {type(each).__name__} and {type(forces).__name__}"
            )
    known = dict.fromkeys(force.name for each in recordings for force in each.forces)
    refuse_unknown("bodies", "the force", bodies, known)
    return list(zip(motions, recordings, strict=True))


@dataclass(frozen=True, eq=False)
class _Factor:
    """A slope, its standard error by the series over frames, what rows add to it, lags, correlation of neighbours."""

    slope: Slope
    in_time: float
    disagreement: float
    away: Array
    lags: int
    correlation: float

    @property
    def std(self) -> float:
        return float(np.hypot(self.in_time, self.disagreement))

    @property
    def torn(self) -> bool:
        """Whether rows that disagree make most of the error, and an error to speak of."""
        return self.disagreement > max(self.in_time, TORN * self.slope.value)

    def note(self, name: str) -> Note:
        least, most = (self.slope.value + x for x in (self.away.min(), self.away.max()))
        told = (
            f"rows of {name!r} disagree by more than noise explains: factors of their own run from {least:.2f} to "
            f"{most:.2f}, and std says so; does the blade have too few segments, or another profile?"
        )
        values = {"least": float(least), "most": float(most)}
        return Note(
            "blade.rows-disagree", told, severity="warning", topic="blade", names=(name,), values=values
        )


def _untold(name: str) -> Note:
    told = f"the trials do not tell {name!r}: the factor of the whole blade stands"
    return Note("blade.factor-not-told", told, severity="warning", topic="blade", names=(name,))


def _slope(trials: list[TrialRows], rows: Mask, prior: Prior | None) -> _Factor:
    """Return a factor of some rows with its standard error."""
    cut = [
        (t.y[t.used][:, rows], t.e[t.used][:, rows], t.var_y[t.used][:, rows], t.var_e[t.used][:, rows])
        for t in trials
    ]
    y, e, var_y, var_e = (np.concatenate(part) for part in zip(*cut, strict=True))
    slope = fit_slope(y, e, var_y, var_e, prior)
    scores: list[Array] = []
    shares: list[Array] = []
    start = 0
    for trial in trials:
        stop = start + int(trial.used.sum())
        for series, part in ((scores, slope.score), (shares, slope.share)):
            series.append(np.zeros((len(trial.used), part.shape[1])))
            series[-1][trial.used] = part[start:stop]
        start = stop
    error, lags, r = series_error([each.sum(axis=1) for each in scores], slope.curvature, len(y))
    return _Factor(slope, error, *rows_error(scores, shares, slope.curvature, len(y)), lags, r)


def _groups(rod: Rod, K: Array, scales: Scales) -> tuple[tuple[str, ...], NDArray[np.intp], NDArray[np.intp]]:
    """Return names of factors, the factor of each row (k,), and of each segment and strain (segments, 6)."""
    count = len(rod.segments)
    names: tuple[str, ...]
    if scales == "common":
        names, of = ("blade",), np.zeros((count, 6), dtype=np.intp)
    elif scales == "segments":
        names = tuple(f"segment {i}" for i in range(1, count + 1))
        of = np.repeat(np.arange(count)[:, None], 6, axis=1)
    else:
        names = ("bending", "torsion")
        of = np.tile(np.array([int(strain in SHEARED) for strain in STRAINS]), (count, 1))
    row = np.concatenate([of[i, list(segment.free_indices)] for i, segment in enumerate(rod.segments)])
    if np.any(K[row[:, None] != row[None, :]]):
        raise InputError(
            "bending and torsion of this rod are coupled by its stiffness: they have one factor, scales='common'"
        )
    return names, row, of


def _explained(
    trials: list[TrialRows], weights: list[Array], group: NDArray[np.intp], told: Mask, scale: Array
) -> float:
    left = whole = 0.0
    y, e = (np.concatenate([getattr(t, part)[t.used] for t in trials]) for part in ("y", "e"))
    for k, w in enumerate(weights):
        rows = told & (group == k)
        left += float((w * (y[:, rows] - scale[k] * e[:, rows]) ** 2).sum())
        whole += float((w * y[:, rows] ** 2).sum())
    return 1.0 - left / whole if whole > 0.0 else float("nan")


__all__ = ["BladeFit", "identify_blade"]
