"""Natural smoothing splines of odd degree, after Woltring: values and derivatives of noisy samples in one function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import BSpline, make_interp_spline

from softstride.errors import InputError
from softstride.signals.inputs import (
    FloatArray,
    as_signal,
    as_time,
    check_count,
    check_cutoff,
    check_positive,
)
from softstride.signals.runs import as_columns, contiguous_runs
from softstride.signals.spline_choice import Piece, choose, smoothing_at_cutoff, summarise
from softstride.signals.spline_system import SplineSystem

HIGHEST_HALF_ORDER = 4


@dataclass(frozen=True, eq=False)
class SplinePiece:
    """The spline of one run.

    Attributes:
        start: Instant of the first sample, in [s].
        stop: Instant of the last sample, in [s].
        n_samples: Samples in the run; derivatives of this order and above are not known.
        columns: The channels, shape (n_columns,).
        curve: The spline over (t - start) / interval.
    """

    start: float
    stop: float
    n_samples: int
    columns: NDArray[np.intp]
    curve: BSpline


@dataclass(frozen=True, eq=False)
class SmoothingSpline:
    """A smoothing spline for each channel, callable; made by `fit_spline`.

    Attributes:
        half_order: m; the degree is 2m - 1.
        interval: The sample interval, in [s].
        smoothing: p of the criterion, in [s^(2m-1)] for weights without unit.
        dof: Trace of the hat matrix of each channel, the trailing shape of the samples.
        gcv: Generalised cross-validation function at `smoothing`, in the squared unit of the samples; NaN where
            no sample is left over.
        shape: Trailing shape of the samples.
        pieces: The splines, one for each distinct run.
    """

    half_order: int
    interval: float
    smoothing: float
    dof: FloatArray
    gcv: float
    shape: tuple[int, ...]
    pieces: tuple[SplinePiece, ...]

    def __call__(self, t: ArrayLike, derivative: int = 0) -> FloatArray:
        """Return the spline or a derivative at any instants.

        Args:
            t: Instants, shape (n,), in [s], in any order.
            derivative: Order k of the derivative, 0 to 2m - 1.

        Returns:
            Shape (n, ...), in the unit of the samples over [s^k]. NaN outside the measured runs (the spline fills
            no gap and does not extrapolate), and where a run has k samples or fewer.

        Raises:
            InputError: If t is no list of instants or the derivative does not exist.
        """
        instants = as_signal(t, "t")
        if instants.ndim != 1:
            raise InputError(
                f"t must be a list of instants, shape (n,), however it has shape {instants.shape}."
            )
        k = check_count("derivative", derivative, 0)
        if k > 2 * self.half_order - 1:
            raise InputError(
                f"a spline of half order {self.half_order} has derivatives up to {2 * self.half_order - 1}, "
                f"however {k} was asked for; raise half_order."
            )
        result = np.full((len(instants), int(np.prod(self.shape))), np.nan)
        for piece in self.pieces:
            rows = np.flatnonzero((instants >= piece.start) & (instants <= piece.stop))
            if piece.n_samples > k and rows.size:
                place = (instants[rows] - piece.start) / self.interval
                result[np.ix_(rows, piece.columns)] = piece.curve(place, k) / self.interval**k
        return result.reshape(len(instants), *self.shape)

    @property
    def cutoff(self) -> float:
        """The frequency, in [Hz], that the spline halves on even samples of unit weight, by its slow-sine form."""
        if self.smoothing == 0.0:
            return np.inf
        return (self.smoothing / self.interval ** (2 * self.half_order - 1)) ** (-0.5 / self.half_order) / (
            2.0 * np.pi * self.interval
        )


def fit_spline(
    time: ArrayLike,
    x: ArrayLike,
    *,
    half_order: int = 3,
    smoothing: float | Literal["gcv"] | None = None,
    cutoff: float | None = None,
    noise: float | None = None,
    weights: ArrayLike | None = None,
) -> SmoothingSpline:
    """Fit a natural smoothing spline of degree 2m - 1 to each channel.

    It minimises sum_i w_i (x_i - s(t_i))^2 + p * integral (s^(m)(t))^2 dt [Woltring1986]; m = 2 is cubic,
    m = 3 quintic. p = 0 goes through every sample, p to infinity is the least-squares polynomial of degree m - 1.
    One p serves all channels, so put into one call what has one unit and one noise. It is chosen by one of

    - `smoothing="gcv"`, the default: generalised cross-validation, summed over channels and runs. It takes what is
      alike from sample to sample for signal, so give it raw samples, not filtered or interpolated ones;
    - `smoothing=p` itself;
    - `cutoff`: a sine of that frequency is halved, as by a Butterworth filter of order m forward and backward
      (exact for even samples; uneven ones count with their mean interval);
    - `noise`: its standard deviation is known and p makes the predicted true mean squared error smallest,
      T = S/N + 2 noise^2 dof/N - noise^2 [CravenWahba1979]; matching S/N to noise^2 instead would smooth too much.

    Every run between gaps has its own spline, and the gaps stay NaN. A run of n_run <= m samples cannot be smoothed:
    its spline is the polynomial through its samples.

    Args:
        time: Instants, shape (n_frames,), in [s], of any spacing.
        x: Samples, shape (n_frames, ...), NaN where not measured.
        half_order: m, 1 to 4.
        smoothing: "gcv" or p, in [s^(2m-1)].
        cutoff: Frequency of gain 1/2, in [Hz].
        noise: Standard deviation of the noise of a sample of unit weight, in the unit of x.
        weights: w, shape (n_frames,), inverse variances up to a factor; one by default.

    Returns:
        The splines.

    Raises:
        InputError: If shapes, instants or options do not fit, or more than one way to choose p is given.

    References:
        [Woltring1986] Adv Eng Software 8:104. [CravenWahba1979] Numer Math 31:377.
    """
    signal = as_signal(x)
    t = as_time(time, len(signal))
    m = check_count("half_order", half_order, 1)
    if m > HIGHEST_HALF_ORDER:
        raise InputError(f"half_order must be at most {HIGHEST_HALF_ORDER}, however it is {m}.")
    w = _weights(weights, len(t))
    if sum(option is not None for option in (smoothing, cutoff, noise)) > 1:
        raise InputError("smoothing, cutoff and noise each fix the smoothing; give one of them.")
    interval = float(t[-1] - t[0]) / (len(t) - 1) if len(t) > 1 else 1.0
    pieces = _pieces(t, signal, w, m, interval)
    p = _parameter(pieces, m, interval, w, smoothing, cutoff, noise)
    residuals = [piece.residual(p) for piece in pieces]
    dofs = [piece.dof(p) for piece in pieces]
    dof = np.zeros(int(np.prod(signal.shape[1:])))
    for piece, each in zip(pieces, dofs, strict=True):
        dof[piece.columns] += each
    return SmoothingSpline(
        half_order=m,
        interval=interval,
        smoothing=p * interval ** (2 * m - 1),
        dof=dof.reshape(signal.shape[1:]),
        gcv=summarise(pieces, residuals, dofs).gcv,
        shape=signal.shape[1:],
        pieces=tuple(
            _curve(piece, piece.samples - residual, t, m, interval)
            for piece, residual in zip(pieces, residuals, strict=True)
        ),
    )


def _weights(weights: ArrayLike | None, n_frames: int) -> FloatArray:
    """Return positive weights, one a frame."""
    if weights is None:
        return np.ones(n_frames)
    w = as_signal(weights, "weights")
    if w.shape != (n_frames,) or not (w > 0).all():
        raise InputError(
            f"weights must be positive, shape ({n_frames},); mark missing samples with NaN in x."
        )
    return w


def _pieces(t: FloatArray, signal: FloatArray, w: FloatArray, m: int, interval: float) -> list[Piece]:
    """Cut the samples into runs and set up the equations of each distinct one."""
    flat, pieces = as_columns(signal), []
    for run in contiguous_runs(signal):
        frames = slice(run.start, run.stop)
        place = (t[frames] - t[run.start]) / interval
        system = SplineSystem(place, m, w[frames]) if len(run) > m else None
        pieces.append(Piece(flat[frames][:, run.columns], w[frames], run.columns, run.start, system))
    return pieces


def _parameter(
    pieces: list[Piece],
    m: int,
    interval: float,
    w: FloatArray,
    smoothing: float | Literal["gcv"] | None,
    cutoff: float | None,
    noise: float | None,
) -> float:
    """Return p per unit spacing, by the way the caller chose."""
    if isinstance(smoothing, str) and smoothing != "gcv":
        raise InputError(f"smoothing must be 'gcv' or a number, however it is {smoothing!r}.")
    if cutoff is not None:
        angle = 2.0 * np.pi * check_cutoff("cutoff", cutoff, 1.0 / interval) * interval
        return float(np.mean(w)) * smoothing_at_cutoff(angle, m)
    if smoothing is not None and smoothing != "gcv":
        given = 0.0 if smoothing == 0 else check_positive("smoothing", smoothing, "s^(2m-1)")
        return given / interval ** (2 * m - 1)
    sigma = None if noise is None else check_positive("noise", noise, "the unit of x")
    if all(piece.system is None for piece in pieces):
        return 0.0  # nothing to choose from: every run is a polynomial through its samples
    if sigma is None:
        return choose(pieces, m, lambda misfit: misfit.gcv)
    return choose(pieces, m, lambda misfit: misfit.predicted_error(sigma))


def _curve(piece: Piece, smooth: FloatArray, t: FloatArray, m: int, interval: float) -> SplinePiece:
    """Return the spline of one run: the natural one through the smoothed samples."""
    n = len(piece.samples)
    place = (t[piece.start : piece.start + n] - t[piece.start]) / interval
    if n == 1:  # a constant, on an interval of no use to anyone but its left end
        curve = BSpline(np.array([0.0, 1.0]), smooth, 0)
    elif n <= m:
        curve = make_interp_spline(place, smooth, k=n - 1)
    else:
        flat = [(order, np.zeros(smooth.shape[1])) for order in range(m, 2 * m - 1)]
        curve = make_interp_spline(place, smooth, k=2 * m - 1, bc_type=(flat, flat) if m > 1 else None)
    return SplinePiece(float(t[piece.start]), float(t[piece.start + n - 1]), n, piece.columns, curve)
