"""Joint centres and axes from how two segments move against each other, with how far to trust them."""

from softstride.segments.functional.apply import functional_joint
from softstride.segments.functional.axes import JointAxis, mean_helical_axis, sara
from softstride.segments.functional.centres import JointCentre, score, sphere_fit
from softstride.segments.functional.helical import HelicalAxis, helical_axis

__all__ = [
    "HelicalAxis",
    "JointAxis",
    "JointCentre",
    "functional_joint",
    "helical_axis",
    "mean_helical_axis",
    "sara",
    "score",
    "sphere_fit",
]
