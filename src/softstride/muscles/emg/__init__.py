"""From EMG to force: neural input, activation, Hill muscle."""

from softstride.muscles.emg.activation import EmgActivation, emg_activation
from softstride.muscles.emg.forces import EmgForces, emg_forces

__all__ = ["EmgActivation", "EmgForces", "emg_activation", "emg_forces"]
