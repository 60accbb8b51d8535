"""Quality of a recording: what is missing, noisy, mislabelled, clipped, drifting or contradictory in it.

Each check is a function from a `Recording` to findings, in a module by topic. Limits are named constants
beside the check, each with its reason.
"""

from softstride.capture.quality.assessment import assess
from softstride.capture.quality.finding import Finding, Quality

__all__ = ["Finding", "Quality", "assess"]
