"""Filters, splines, gaps, events and cycles: pure functions on arrays with time first.

Every function takes all frames and any number of channels at once, keeps NaN where nothing was measured, and fills
nothing unasked.
"""

from softstride.signals.butterworth import butterworth
from softstride.signals.critically_damped import critically_damped
from softstride.signals.cycles import CycleMean, cycle_mean, pair_cycles, time_normalize
from softstride.signals.derivatives import derivative
from softstride.signals.emg import delay, emg_envelope, normalize
from softstride.signals.force_events import ContactEvents, events_from_force
from softstride.signals.gaps import Filled, FillMethod, Gaps, Unfilled, fill_spline, find_gaps
from softstride.signals.kinematic_events import events_from_markers
from softstride.signals.low_rank_fill import fill_low_rank
from softstride.signals.marker_fill import fill
from softstride.signals.residual_analysis import ResidualAnalysis, residual_analysis
from softstride.signals.rigid_fill import fill_rigid, find_clusters
from softstride.signals.savitzky_golay import savitzky_golay
from softstride.signals.smoothing_spline import SmoothingSpline, fit_spline
from softstride.signals.state_filter import FilteredRates, state_filter

__all__ = [
    "ContactEvents",
    "CycleMean",
    "FillMethod",
    "Filled",
    "FilteredRates",
    "Gaps",
    "ResidualAnalysis",
    "SmoothingSpline",
    "Unfilled",
    "butterworth",
    "critically_damped",
    "cycle_mean",
    "delay",
    "derivative",
    "emg_envelope",
    "events_from_force",
    "events_from_markers",
    "fill",
    "fill_low_rank",
    "fill_rigid",
    "fill_spline",
    "find_clusters",
    "find_gaps",
    "fit_spline",
    "normalize",
    "pair_cycles",
    "residual_analysis",
    "savitzky_golay",
    "state_filter",
    "time_normalize",
]
