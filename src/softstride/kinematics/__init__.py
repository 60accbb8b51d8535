"""From markers to people and their motion."""

from softstride.kinematics.scaling import Scaling, fit_scaling, scale_model

__all__ = ["Scaling", "fit_scaling", "scale_model"]
