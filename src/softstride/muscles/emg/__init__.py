"""From EMG to force: neural input, activation, Hill muscle."""

from typing import TYPE_CHECKING

from softstride.on_demand import on_demand

if TYPE_CHECKING:
    from softstride.muscles.emg.activation import EmgActivation, emg_activation
    from softstride.muscles.emg.forces import EmgForces, emg_forces

__all__ = ["EmgActivation", "EmgForces", "emg_activation", "emg_forces"]

__getattr__, __dir__ = on_demand(__name__, __file__)
